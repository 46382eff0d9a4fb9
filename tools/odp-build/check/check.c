/* Faults of a batch: noted while rules run, put in order and handed on at the end. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "check/one_cause.h"
#include "check/proposals/propose.h"

#define ROOM 4096u /* bytes taken from the arena at a time for canonical texts */

char *odp_check_more_bytes(struct odp_check *c, size_t n)
{
    size_t size = n < ROOM ? ROOM : n;
    c->room = odp_arena_alloc(&c->b->arena, size);
    c->room_left = c->room != NULL ? size : 0;
    c->failed = c->failed || c->room == NULL;
    return c->room;
}

static struct odp_fault *note(struct odp_check *c, uint32_t i, int field, enum odp_code code)
{
    struct odp_worker *w = c->w;
    if (c->trial) {
        c->refused = true;
        return &w->sink;
    }
    if (w->nfaults == w->faults_cap) {
        size_t cap = w->faults_cap > 0 ? 2 * w->faults_cap : 64;
        struct odp_fault *faults = cap < UINT32_MAX ? odp_realloc_array(w->faults, cap, sizeof *faults) : NULL;
        if (faults == NULL) {
            c->failed = true;
            return &w->sink;
        }
        w->faults = faults;
        w->faults_cap = cap;
    }
    struct odp_fault *f = &w->faults[w->nfaults];
    *f = (struct odp_fault){.record = i,
                            .seq = (uint32_t)w->nfaults,
                            .field = field,
                            .code = code,
                            .where = field >= 0 ? c->v->schema->fields[field].where : NULL};
    w->nfaults++;
    return f;
}

struct odp_fault *odp_check_fault(struct odp_check *c, uint32_t i, int field, enum odp_code code)
{
    if (field >= 0 && !c->v->waived[code])
        c->b->columns[field].state[i] = ODP_VALUE_BAD;
    return note(c, i, field, code);
}

struct odp_fault *odp_check_untyped(struct odp_check *c, uint32_t i, int field, enum odp_code code)
{
    struct odp_fault *f = note(c, i, field, code);
    if (c->v->waived[code])
        f->severity = ODP_SEVERITY_ERROR;
    c->b->columns[field].state[i] = ODP_VALUE_BAD;
    c->b->columns[field].text[i] = (struct odp_slice){NULL, 0};
    return f;
}

struct odp_fault *odp_check_note(struct odp_check *c, uint32_t i, int field, enum odp_code code)
{
    return note(c, i, field, code);
}

struct odp_slice odp_check_copy(struct odp_check *c, struct odp_slice s)
{
    struct odp_slice copy = odp_arena_copy(&c->b->arena, s);
    if (copy.ptr == NULL) {
        c->failed = true;
        return ODP_LIT("");
    }
    return copy;
}

struct odp_slice odp_check_printf(struct odp_check *c, const char *fmt, ...)
{
    char buf[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1;
    return odp_check_copy(c, (struct odp_slice){buf, len});
}

struct odp_slice odp_check_join(struct odp_check *c, const struct odp_slice *item, size_t n)
{
    struct odp_buffer *out = &c->w->buffer;
    odp_buffer_clear(out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            odp_buffer_add_str(out, ", ");
        if (out->len > 200) {
            odp_buffer_add_str(out, "…");
            break;
        }
        odp_buffer_add_slice(out, item[i]);
    }
    if (odp_buffer_status(out) != ODP_OK) {
        c->failed = true;
        return ODP_LIT("");
    }
    return odp_check_copy(c, odp_buffer_slice(out));
}

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

/* Warnings about how a value is written, where the value was then refused: most likely for that, and one cause is one
 * diagnostic. */
static bool is_told_otherwise(const struct odp_check *c, const struct odp_fault *f)
{
    return (f->code == ODP_W01 || f->code == ODP_W04 || f->code == ODP_W10 || f->code == ODP_S06) && c->v->waived[f->code] &&
           c->b->columns[f->field].state[f->record] == ODP_VALUE_BAD;
}

/* Faults of a text that white space around it can cause: of its form, its length, the lists it must be in. */
static bool may_be_space(enum odp_code code)
{
    return code == ODP_B03 || code == ODP_B04 || (code >= ODP_B09 && code <= ODP_B11) || code == ODP_K02 || code == ODP_S04 || code == ODP_T01;
}

/* A value was refused, and would be right without the white space around it: that is what is wrong with it (W12), not its pattern. */
static bool is_but_space(struct odp_check *c, const struct odp_fault *f)
{
    if (f->field < 0 || !may_be_space(f->code) || f->message != NULL || c->b->columns[f->field].state[f->record] != ODP_VALUE_BAD)
        return false;
    const struct odp_cell *cell = odp_check_cell(c, f->record, (uint32_t)f->field);
    if (cell == NULL || cell->len == 0 || (cell->flags & ODP_CELL_NATIVE) != 0)
        return false;
    struct odp_slice raw = {cell->ptr, cell->len}, t = odp_trim_unicode(raw);
    return t.len > 0 && t.len < raw.len && odp_accepts(c, (uint32_t)f->field, t, NULL);
}

/* F as it is said. */
static struct odp_fault as_said(struct odp_check *c, const struct odp_fault *f)
{
    struct odp_fault said = *f;
    if (!is_but_space(c, f))
        return said;
    said.code = ODP_W12;
    said.severity = ODP_SEVERITY_ERROR; /* the field's own rule made it one */
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
    odp_batch_diag(c->b, f->record, f->field, f->field >= 0 ? c->v->info->column_of_field[f->field] : -1, c->v->info->file,
                   c->secret[f->record] != 0, &d);
    d.code = f->code;
    d.severity = f->severity;
    memcpy(d.args, f->args, sizeof d.args);
    bool shown = !is_private(c->v, f->field) && !f->secret;
    if (f->proposal.ptr != NULL && shown)
        d.proposal = f->proposal;
    else if (f->field >= 0 && shown && !d.secret && !f->silent)
        d.proposal = odp_propose(c, f->record, (uint32_t)f->field, f->code);
    d.where = f->where;
    d.rule = f->rule;
    d.message = f->message;
    d.secret = d.secret || f->secret;
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

void odp_merge_diag(const struct odp_validator *v, const struct odp_batch *b, uint32_t i, int field, enum odp_code code,
                    const char *where, struct odp_diag *d)
{
    const struct odp_validated *own = b->validated;
    *d = (struct odp_diag){0};
    odp_batch_diag(b, i, field, field >= 0 ? v->info->column_of_field[field] : -1, v->info->file, own->secret[i] != 0, d);
    d->code = code;
    d->where = where;
}

enum odp_status odp_merge_add(struct odp_batch *b, uint32_t i, struct odp_diag *d)
{
    enum odp_status status = odp_diags_add(b->diags, d);
    if (status == ODP_BAD)
        b->record_bad[i] = 1;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}
