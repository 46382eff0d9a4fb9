/* Reports a batch's faults in order, with proposals; faults of one cause become one diagnostic. */
#include "check/flush.h"

#include <stdlib.h>
#include <string.h>

#include "base/white_space.h"
#include "check/cause.h"
#include "check/one_cause.h"
#include "check/proposals/propose.h"
#include "check/proposals/trial.h"

/* By record, within it by column; the record as a whole comes last. */
static int by_place(const void *pa, const void *pb)
{
    const struct odp_fault *a = pa, *b = pb;
    if (a->record != b->record)
        return a->record < b->record ? -1 : 1;
    if (a->field != b->field)
        return (uint32_t)a->field < (uint32_t)b->field ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

/* Values of fields that are not public show in no proposal either. */
static bool is_private(const struct odp_validator *v, int field)
{
    return field >= 0 && !v->schema->fields[field].is_public;
}

/* Warnings about how a value is written, where the value was then refused: most likely for that, and one
 * cause is one diagnostic. */
static bool is_told_otherwise(const struct odp_check *c, const struct odp_fault *f)
{
    return (f->code == ODP_W01 || f->code == ODP_W04 || f->code == ODP_W10 || f->code == ODP_S06) &&
           c->v->waived[f->code] && c->b->columns[f->field].state[f->record] == ODP_VALUE_BAD;
}

/* Faults of a text that white space around it can cause: of its form, its length, the lists it must be in. */
static bool may_be_space(enum odp_code code)
{
    return code == ODP_B03 || code == ODP_B04 || (code >= ODP_B09 && code <= ODP_B11) || code == ODP_K02 ||
           code == ODP_S04 || code == ODP_T01;
}

/* A value was refused, and would be right without the white space around it: that is what is wrong with it
 * (W12), not its pattern. */
static bool is_but_space(struct odp_check *c, const struct odp_fault *f)
{
    if (f->field < 0 || !may_be_space(f->code) || f->message != NULL ||
        c->b->columns[f->field].state[f->record] != ODP_VALUE_BAD)
        return false;
    const struct odp_cell *cell = odp_check_cell(c, f->record, (uint32_t)f->field);
    if (cell == NULL || cell->len == 0 || (cell->flags & ODP_CELL_NATIVE) != 0)
        return false;
    struct odp_slice raw = {cell->ptr, cell->len}, t = odp_trim_unicode(raw);
    return t.len > 0 && t.len < raw.len && odp_accepts(c, (uint32_t)f->field, t, NULL);
}

/* F as a diagnostic. */
static struct odp_fault as_said(struct odp_check *c, const struct odp_fault *f)
{
    struct odp_fault said = *f;
    bool number = f->code == ODP_T03 || f->code == ODP_T04;
    if (is_but_space(c, f))
        said.code = ODP_W12;
    else if (!number || !odp_number_lost(c, f->record, (uint32_t)f->field, &said.code))
        return *f;
    said.severity = ODP_SEVERITY_ERROR; /* the field's own rule or type made it one */
    memset(said.args, 0, sizeof said.args);
    said.proposal = (struct odp_slice){NULL, 0};
    return said;
}

static enum odp_status hand_on(struct odp_check *c, const struct odp_fault *noted)
{
    struct odp_diag d = {0};
    if (is_told_otherwise(c, noted))
        return ODP_OK;
    const struct odp_fault said = as_said(c, noted), *f = &said;
    odp_batch_diag(c->b,
                   (struct odp_batch_place){f->record, f->field,
                                            f->field >= 0 ? c->v->info->column_of_field[f->field] : -1},
                   c->v->info->file, c->secret[f->record] != 0, &d);
    d.code = f->code;
    d.severity = f->severity;
    memcpy(d.args, f->args, sizeof d.args);
    bool shown = !is_private(c->v, f->field) && !f->secret;
    struct odp_slice proposal = f->proposal;
    if (proposal.ptr == NULL && f->field >= 0 && shown)
        proposal = odp_propose_oddity(c, f->record, (uint32_t)f->field, f->code);
    if (proposal.ptr != NULL && shown)
        d.proposal = proposal;
    else if (f->field >= 0 && shown && !d.secret && !f->silent)
        d.proposal = odp_propose(c, f->record, (uint32_t)f->field, f->code);
    d.where = f->where;
    d.rule = f->rule;
    d.message = f->message;
    d.secret = d.secret || f->secret;
    if (f->field >= 0 && !d.secret)
        d.cause = odp_cause_of(f, d.value, d.proposal);
    enum odp_status status = odp_diags_add(c->b->diags, &d);
    if (status == ODP_BAD)
        c->b->record_bad[f->record] = 1;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status odp_check_flush(struct odp_check *c)
{
    struct odp_worker *w = c->w;
    if (w->nfaults > 1)
        qsort(w->faults, w->nfaults, sizeof *w->faults, by_place);
    for (size_t k = 0, end; k < w->nfaults; k = end) {
        for (end = k + 1; end < w->nfaults && w->faults[end].record == w->faults[k].record;)
            end++;
        enum odp_status status = odp_one_cause(c, &w->faults[k], end - k);
        for (size_t f = k; status == ODP_OK && f < end; f++)
            status = hand_on(c, &w->faults[f]);
        if (status == ODP_FAIL)
            return ODP_FAIL;
    }
    w->nfaults = 0;
    return c->failed ? ODP_FAIL : ODP_OK;
}
