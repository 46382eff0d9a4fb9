/* Writes the edits of a sheet. One that the source cannot take (a character its encoding lacks, a text wider
 * than its column) is reported and left out; the others are applied: one cell does not spoil a workbook. */
#include "repair/apply/apply_internal.h"
#include "repair/edits.h"

/* Copies the edits except those that did not fit. No record is added if one to be added does not fit. */
static enum odp_status without_misfits(const struct odp_edits *from, struct odp_edits **out)
{
    bool append = true;
    for (size_t i = 0; i < from->n; i++)
        append = append && !(from->edits[i].what == EDIT_APPEND && from->edits[i].misfit);
    enum odp_status status = odp_edits_new(out, from->resource);
    for (size_t i = 0; i < from->n && status == ODP_OK; i++) {
        const struct edit *e = &from->edits[i];
        if (e->what == EDIT_APPEND && append)
            odp_edits_append(*out, from->appended[e->place]);
        else if (e->what == EDIT_FIELD && !e->misfit)
            odp_edits_cell(*out, e->at, e->place, e->text);
        else if (e->what == EDIT_COLUMN && !e->misfit)
            odp_edits_column_cell(*out, e->at, e->place, e->text);
        else if (e->what == EDIT_DELETE && !e->misfit)
            odp_edits_delete(*out, e->at);
    }
    return status;
}

/* Tries once. BAD: edits that do not fit are marked and reported. */
static enum odp_status attempt(struct apply *a, const struct apply_sheet *s, struct odp_rewritten *done)
{
    struct odp_diags *own = NULL;
    static const struct odp_correct_watch nobody;
    const struct odp_correct_watch *w = a->watch != NULL ? a->watch : &nobody;
    const struct odp_rewriting how = {.path = s->path,
                                      .file = s->path,
                                      .dry = a->o->dry,
                                      .show = w->edit,
                                      .preview = w->preview,
                                      .ctx = w->ctx};
    enum odp_status status = odp_diags_new(&own, 1000);
    if (status != ODP_OK)
        return status;
    status = odp_rewrite(a->edits, &how, a->arena, done, own);
    a->out->conflicts += odp_diags_count(own, ODP_SEVERITY_ERROR);
    if (odp_diags_merge(a->diags, own) == ODP_FAIL)
        status = ODP_FAIL;
    odp_diags_free(own);
    return status;
}

static bool has_misfits(const struct odp_edits *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->edits[i].misfit)
            return !e->refused;
    return false;
}

enum odp_status apply_rewrite(struct apply *a, const struct apply_sheet *s)
{
    struct odp_rewritten done = {0};
    if (odp_edits_is_empty(a->edits))
        return ODP_OK;
    enum odp_status status = ODP_OK;
    if (a->watch != NULL && a->watch->begin != NULL)
        status = a->watch->begin(a->watch->ctx, s->resource, s->path);
    if (status == ODP_OK)
        status = attempt(a, s, &done);
    if (status == ODP_BAD && has_misfits(a->edits)) {
        struct odp_edits *rest = NULL;
        status = without_misfits(a->edits, &rest);
        odp_edits_free(a->edits);
        a->edits = rest;
        a->bad = true;
        if (status == ODP_OK && odp_edits_is_empty(a->edits))
            return ODP_BAD;
        if (status == ODP_OK)
            status = attempt(a, s, &done);
    }
    if (status != ODP_OK)
        return status;
    a->files[a->out->files++] =
        (struct odp_applied_file){s->resource, s->path, a->o->dry ? NULL : done.original};
    a->out->cells += done.cells;
    a->out->deleted += done.deleted;
    a->out->appended += done.appended;
    return ODP_OK;
}
