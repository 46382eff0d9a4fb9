/* The edits of one resource, as they come. */
#include "repair/edits.h"

#include <errno.h>
#include <stdlib.h>

enum odp_status odp_edits_new(struct odp_edits **out, const struct odp_resource *r)
{
    struct odp_edits *e = calloc(1, sizeof *e);
    *out = e;
    if (e == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    e->resource = r;
    odp_buffer_init(&e->text);
    return ODP_OK;
}

void odp_edits_free(struct odp_edits *e)
{
    if (e == NULL)
        return;
    odp_buffer_release(&e->text);
    free(e->edits);
    free(e->cells);
    free(e);
}

bool odp_edits_is_empty(const struct odp_edits *e)
{
    return e->n == 0;
}

static enum odp_status keep_text(struct odp_edits *e, struct odp_slice text, struct edit *d)
{
    d->len = EDIT_NO_TEXT;
    if (text.ptr == NULL)
        return ODP_OK;
    if (text.len >= EDIT_NO_TEXT)
        return odp_failure_set("allocate memory", NULL, EOVERFLOW);
    d->text = e->text.len;
    d->len = (uint32_t)text.len;
    odp_buffer_add_slice(&e->text, text);
    return odp_buffer_status(&e->text);
}

static enum odp_status put(struct edit **list, size_t *n, size_t *cap, const struct edit *d)
{
    if (*n == *cap) {
        size_t more = *cap != 0 ? *cap + *cap / 2 : 64;
        struct edit *grown = odp_realloc_array(*list, more, sizeof *grown);
        if (grown == NULL)
            return ODP_FAIL;
        *list = grown;
        *cap = more;
    }
    (*list)[(*n)++] = *d;
    return ODP_OK;
}

static enum odp_status add(struct odp_edits *e, enum edit_what what, uint64_t at, uint32_t place, struct odp_slice text)
{
    struct edit d = {.at = at, .place = place, .seq = (uint32_t)e->n, .what = what};
    if (e->n >= UINT32_MAX)
        return odp_failure_set("allocate memory", NULL, EOVERFLOW);
    return keep_text(e, text, &d) == ODP_OK ? put(&e->edits, &e->n, &e->cap, &d) : ODP_FAIL;
}

static const struct odp_slice no_text = {NULL, 0};

enum odp_status odp_edits_cell(struct odp_edits *e, uint64_t row, uint32_t field, struct odp_slice text)
{
    return add(e, EDIT_FIELD, row, field, text);
}

enum odp_status odp_edits_column_cell(struct odp_edits *e, uint64_t row, uint32_t column, struct odp_slice text)
{
    return add(e, EDIT_COLUMN, row, column, text);
}

enum odp_status odp_edits_delete(struct odp_edits *e, uint64_t row)
{
    return add(e, EDIT_DELETE, row, 0, no_text);
}

enum odp_status odp_edits_delete_lines(struct odp_edits *e, uint64_t line, uint32_t n)
{
    return add(e, EDIT_LINES, line, n, no_text);
}

enum odp_status odp_edits_label(struct odp_edits *e, uint64_t line, uint64_t column, struct odp_slice label)
{
    return add(e, EDIT_LABEL, line, column > UINT32_MAX ? UINT32_MAX : (uint32_t)column, label);
}

enum odp_status odp_edits_append(struct odp_edits *e, const struct odp_slice *text)
{
    uint32_t n = e->resource->schema.n;
    if (add(e, EDIT_APPEND, UINT64_MAX, (uint32_t)e->nappended, no_text) != ODP_OK)
        return ODP_FAIL;
    for (uint32_t i = 0; i < n; i++) {
        struct edit d = {.place = i};
        if (keep_text(e, text[i], &d) != ODP_OK || put(&e->cells, &e->ncells, &e->cap_cells, &d) != ODP_OK)
            return ODP_FAIL;
    }
    e->nappended++;
    return ODP_OK;
}
