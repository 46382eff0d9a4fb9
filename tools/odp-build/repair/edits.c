/* The edits of one resource. */
#include "repair/edits.h"

#include <stdlib.h>

enum odp_status odp_edits_new(struct odp_edits **out, const struct odp_resource *r)
{
    struct odp_edits *e = calloc(1, sizeof *e);
    *out = e;
    if (e == NULL)
        return odp_failure_memory();
    e->resource = r;
    return ODP_OK;
}

void odp_edits_free(struct odp_edits *e)
{
    if (e != NULL)
        odp_arena_release(&e->arena);
    free(e);
}

bool odp_edits_is_empty(const struct odp_edits *e)
{
    return e->n == 0;
}

static struct odp_slice keep(struct odp_edits *e, struct odp_slice text)
{
    return text.ptr != NULL ? odp_arena_copy(&e->arena, text) : text;
}

static void add(struct odp_edits *e, enum edit_what what, uint64_t at, uint32_t place, struct odp_slice text)
{
    e->edits = odp_arena_more(&e->arena, e->edits, e->n, sizeof *e->edits);
    e->edits[e->n] =
        (struct edit){.at = at, .place = place, .seq = (uint32_t)e->n, .what = what, .text = keep(e, text)};
    e->n++;
}

static const struct odp_slice no_text = {NULL, 0};

void odp_edits_cell(struct odp_edits *e, uint64_t row, uint32_t field, struct odp_slice text)
{
    add(e, EDIT_FIELD, row, field, text);
}

void odp_edits_column_cell(struct odp_edits *e, uint64_t row, uint32_t column, struct odp_slice text)
{
    add(e, EDIT_COLUMN, row, column, text);
}

void odp_edits_delete(struct odp_edits *e, uint64_t row)
{
    add(e, EDIT_DELETE, row, 0, no_text);
}

void odp_edits_delete_lines(struct odp_edits *e, uint64_t line, uint32_t n)
{
    add(e, EDIT_LINES, line, n, no_text);
}

void odp_edits_mend(struct odp_edits *e, const struct odp_diag *d)
{
    add(e, EDIT_MEND, d->line, (uint32_t)d->code, d->proposal);
}

void odp_edits_label(struct odp_edits *e, uint64_t line, uint64_t column, struct odp_slice label)
{
    add(e, EDIT_LABEL, line, column > UINT32_MAX ? UINT32_MAX : (uint32_t)column, label);
}

void odp_edits_append(struct odp_edits *e, const struct odp_slice *text)
{
    uint32_t n = e->resource->schema.n;
    struct odp_slice *record = odp_arena_array(&e->arena, (size_t)n + 1, sizeof *record);
    for (uint32_t i = 0; i < n; i++)
        record[i] = keep(e, text[i]);
    add(e, EDIT_APPEND, UINT64_MAX, (uint32_t)e->nappended, no_text);
    e->appended = odp_arena_more(&e->arena, e->appended, e->nappended, sizeof *e->appended);
    e->appended[e->nappended++] = record;
}
