/* The edits of a sheet, written. One that the source cannot take (a character its encoding has not, a text
 * wider than its column) is said and left out, and the others are applied: a workbook is not refused for one
 * cell. */
#include <stdlib.h>

#include "repair/apply/apply_internal.h"
#include "repair/edits.h"

enum { MISFITS_MAX = 100000 };

struct misfit {
    uint64_t row;      /* 0: of a record that is added */
    const char *field; /* NULL: the whole record */
};

struct misfits {
    struct odp_arena *arena;
    struct misfit *item;
    size_t n;
    bool whole; /* the source as a whole cannot be written, or there are too many */
};

static enum odp_status take(void *ctx, const struct odp_diag *d)
{
    struct misfits *m = ctx;
    bool one = d->code == ODP_A01 || d->code == ODP_A02 || d->code == ODP_A05 || d->code == ODP_A06;
    if (!one || m->n == MISFITS_MAX) {
        m->whole = true;
        return ODP_OK;
    }
    m->item = odp_arena_more(m->arena, m->item, m->n, sizeof *m->item);
    m->item[m->n++] = (struct misfit){d->row, d->field != NULL ? odp_arena_str(m->arena, d->field) : NULL};
    return ODP_OK;
}

static int by_row(const void *x, const void *y)
{
    const struct misfit *a = x, *b = y;
    return (a->row > b->row) - (a->row < b->row);
}

/* Whether edit E of column or field NAME (NULL: the record) was one. */
static bool is_misfit(const struct misfits *m, uint64_t row, const char *name)
{
    size_t low = 0, high = m->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (m->item[mid].row < row)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < m->n && m->item[low].row == row; low++)
        if (m->item[low].field == NULL || name == NULL || strcmp(m->item[low].field, name) == 0)
            return true;
    return false;
}

/* The edits without those that do not fit. Which added record was meant is not known, so none is added then.
 */
static enum odp_status without(const struct apply_sheet *s, const struct odp_edits *from,
                               const struct misfits *m, struct odp_edits **out)
{
    enum odp_status status = odp_edits_new(out, s->resource);
    for (size_t i = 0; i < from->n && status == ODP_OK; i++) {
        const struct edit *e = &from->edits[i];
        if (e->what == EDIT_FIELD && !is_misfit(m, e->at, s->resource->schema.fields[e->place].name))
            odp_edits_cell(*out, e->at, e->place, e->text);
        else if (e->what == EDIT_COLUMN && !is_misfit(m, e->at, s->labels[e->place]))
            odp_edits_column_cell(*out, e->at, e->place, e->text);
        else if (e->what == EDIT_DELETE && !is_misfit(m, e->at, NULL))
            odp_edits_delete(*out, e->at);
        else if (e->what == EDIT_APPEND && !is_misfit(m, 0, NULL))
            odp_edits_append(*out, from->appended[e->place]);
    }
    return status;
}

/* One try. BAD: what does not fit is in M, and said. */
static enum odp_status attempt(struct apply *a, const struct apply_sheet *s, bool dry,
                               const struct odp_correct_watch *watch, struct misfits *m,
                               struct odp_rewritten *done)
{
    struct odp_diags *own = NULL;
    const struct odp_diag_sink sink = {take, m};
    enum odp_status status = odp_diags_new(&own, 1000);
    if (status != ODP_OK)
        return status;
    odp_diags_set_sink(own, &sink);
    if (watch != NULL) {
        a->edits->look = watch->look;
        a->edits->look_ctx = watch->ctx;
    }
    status = odp_rewrite(a->edits, s->path, s->path, dry, watch != NULL ? watch->edit : NULL,
                         watch != NULL ? watch->ctx : NULL, a->arena, done, own);
    a->out->conflicts += odp_diags_count(own, ODP_SEVERITY_ERROR);
    if (odp_diags_merge(a->diags, own) == ODP_FAIL)
        status = ODP_FAIL;
    odp_diags_free(own);
    return status;
}

enum odp_status apply_rewrite(struct apply *a, const struct apply_sheet *s, bool dry,
                              const struct odp_correct_watch *watch, struct odp_applied_file *file)
{
    struct odp_rewritten done = {0};
    struct misfits m = {.arena = a->arena};
    if (odp_edits_is_empty(a->edits))
        return ODP_OK;
    enum odp_status status =
        watch != NULL && watch->begin != NULL ? watch->begin(watch->ctx, s->resource, s->path) : ODP_OK;
    if (status == ODP_OK)
        status = attempt(a, s, dry, watch, &m, &done);
    if (status == ODP_BAD && !m.whole && m.n > 0) {
        struct odp_edits *rest = NULL;
        qsort(m.item, m.n, sizeof *m.item, by_row);
        status = without(s, a->edits, &m, &rest);
        odp_edits_free(a->edits);
        a->edits = rest;
        a->bad = true;
        if (status == ODP_OK && odp_edits_is_empty(a->edits))
            return ODP_BAD;
        if (status == ODP_OK)
            status = attempt(a, s, dry, watch, &m, &done);
    }
    if (status != ODP_OK)
        return status;
    *file = (struct odp_applied_file){s->resource, s->path, dry ? NULL : done.original};
    a->out->files++;
    a->out->cells += done.cells;
    a->out->deleted += done.deleted;
    a->out->appended += done.appended;
    return ODP_OK;
}
