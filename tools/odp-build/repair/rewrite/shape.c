/* Turns edits of a shapefile into patches of its .dbf: a value takes exactly the bytes of the old one, so
 * only those bytes differ (shapelib would also change the header's date). The source of the check tells
 * record and column. Geometries, columns and the number of records need a GIS program: such edits are
 * refused. */
#include <stdlib.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "read/shapefile/reader.h"
#include "read/source.h"
#include "repair/rewrite/rewrite_internal.h"

struct shape_plan {
    struct plan *p;
    const struct odp_resource *r;
    struct shape_source *source;
    struct odp_batch batch;
    struct odp_encoder encoder;
    const struct edit **edits; /* by row, column, arrival */
    size_t n, at;
    struct odp_buffer value;
    struct shape_stream values;
};

static void misfit(struct shape_plan *s, enum odp_code code, const struct edit *e, const char *field,
                   const char *a0, const char *a1)
{
    bool secret = field == NULL && s->r->has_private;
    for (uint32_t i = 0; field != NULL && i < s->r->schema.n; i++)
        secret =
            secret || (strcmp(s->r->schema.fields[i].name, field) == 0 && !s->r->schema.fields[i].is_public);
    struct odp_slice text = secret ? ODP_LIT("***") : e->text;
    struct odp_diag d = {.code = code,
                         .row = e->at,
                         .line = e->at,
                         .field = field,
                         .args = {odp_slice_of(a0), odp_slice_of(a1), text, text}};
    if (code == ODP_A02)
        d.args[0] = text;
    if (code == ODP_A01)
        d.args[2] = d.args[0];
    odp_plan_refuse(s->p, e, &d);
}

/* The character at BAD of TEXT is not in the .dbf's encoding. */
static void misfit_character(struct shape_plan *s, const struct edit *e, const char *field, size_t bad)
{
    char character[8] = "";
    uint32_t cp;
    size_t n = bad < e->text.len ? odp_utf8_decode(e->text.ptr + bad, e->text.len - bad, &cp) : 0;
    memcpy(character, e->text.ptr + bad, n);
    misfit(s, ODP_A01, e, field, character, s->source->encoding);
}

static int column_of(const struct shape_plan *s, const struct edit *e)
{
    if (e->what == EDIT_COLUMN)
        return e->place < s->source->dbf.nfields ? (int)e->place : -1;
    return e->place < s->r->schema.n ? s->source->base.info.column_of_field[e->place] : -1;
}

static const char *name_of(const struct shape_plan *s, const struct edit *e)
{
    int field = e->what == EDIT_FIELD && e->place < s->r->schema.n ? (int)e->place : -1;
    if (e->what == EDIT_COLUMN && e->place < s->source->base.info.ncolumns)
        field = s->source->base.info.field_of_column[e->place];
    return field >= 0 ? s->r->schema.fields[field].name : NULL;
}

/* ---- values ---- */

/* Writes TEXT as dBASE has it, unpadded, to s->value. False: no such value. */
static bool convert(struct shape_plan *s, char type, struct odp_slice text, size_t *bad)
{
    odp_buffer_clear(&s->value);
    *bad = 0;
    if (text.len == 0)
        return true;
    if (type == 'L') {
        bool yes = odp_slice_is(text, "true") || odp_slice_is(text, "T") || odp_slice_is(text, "Y");
        bool no = odp_slice_is(text, "false") || odp_slice_is(text, "F") || odp_slice_is(text, "N");
        odp_buffer_add_char(&s->value, yes ? 'T' : 'F');
        return yes || no;
    }
    if (type == 'D') {
        for (size_t i = 0; i < text.len; i++) {
            bool dash = text.len == 10 && (i == 4 || i == 7);
            if (dash ? text.ptr[i] != '-' : text.ptr[i] < '0' || text.ptr[i] > '9')
                return false;
            if (!dash)
                odp_buffer_add_char(&s->value, text.ptr[i]);
        }
        return s->value.len == 8;
    }
    if (type == 'N' || type == 'F') {
        bool digit = false;
        for (size_t i = 0; i < text.len; i++) {
            digit = digit || odp_is_digit(text.ptr[i]);
            if (strchr("0123456789+-.eE", text.ptr[i]) == NULL || text.ptr[i] == '\0')
                return false;
        }
        odp_buffer_add_slice(&s->value, text);
        return digit;
    }
    if (memchr(text.ptr, '\0', text.len) != NULL)
        return false;
    return odp_encode(&s->encoder, text, &s->value, bad) != ODP_DONE;
}

/* Padded to the field's width: text to the left, numbers to the right. */
static void pad(struct shape_plan *s, char type, size_t width)
{
    size_t n = s->value.len, missing = width - n;
    char *room = odp_buffer_reserve(&s->value, missing + 1);
    if (room == NULL)
        return;
    s->value.len = width;
    if (type == 'N' || type == 'F') {
        memmove(s->value.ptr + missing, s->value.ptr, n);
        memset(s->value.ptr, ' ', missing);
    } else {
        memset(s->value.ptr + n, ' ', missing);
    }
}

/* The old value, decoded, to be shown. */
static struct odp_slice value_at(struct shape_plan *s, uint64_t place, size_t width, struct odp_arena *a)
{
    const uint8_t *p = shape_at(&s->values, place, width);
    struct odp_slice raw = {(const char *)p, p != NULL ? width : 0}, out = {"", 0};
    size_t bad;
    while (raw.len > 0 && (raw.ptr[raw.len - 1] == ' ' || raw.ptr[raw.len - 1] == '\0'))
        raw.len--;
    while (raw.len > 0 && *raw.ptr == ' ')
        raw.ptr++, raw.len--;
    if (raw.len > 0 && shape_decode(s->source, &s->source->workers[0], a, raw, &out, &bad) == ODP_FAIL)
        out = ODP_LIT("");
    return out;
}

static void edit_value(struct shape_plan *s, const struct odp_record *rec, const struct edit *e)
{
    const struct shape_dbf *dbf = &s->source->dbf;
    int column = column_of(s, e);
    const char *name = name_of(s, e);
    char width[24], need[24];
    size_t bad;
    if (column < 0 || (uint32_t)column >= dbf->nfields) {
        misfit(s, ODP_A02, e, name, "", "");
        return;
    }
    const struct shape_field *f = &dbf->fields[column];
    bool fits = convert(s, f->type, e->text, &bad);
    if (!fits && f->type == 'C') {
        misfit_character(s, e, name, bad);
        return;
    }
    if (!fits || s->value.len > f->width) {
        snprintf(width, sizeof width, "%c(%u)", f->type, f->width);
        snprintf(need, sizeof need, "%zu", s->value.len);
        misfit(s, ODP_A06, e, name, width, fits ? need : "");
        return;
    }
    struct patch patch = {
        .kind = ODP_EDIT_CELL, .row = rec->row, .line = rec->line, .field = name != NULL ? name : ""};
    patch.start = dbf->header + (uint64_t)rec->aux * dbf->width + f->offset;
    patch.end = patch.start + f->width;
    pad(s, f->type, f->width);
    const uint8_t *old = shape_at(&s->values, patch.start, f->width);
    if (s->value.failed || s->values.failed)
        return;
    if (old == NULL)
        misfit(s, ODP_A02, e, name, "", "");
    else if (memcmp(old, s->value.ptr, f->width) != 0)
        odp_plan_add(s->p, &patch, odp_buffer_slice(&s->value),
                     value_at(s, patch.start, f->width, s->p->arena), e->text);
}

/* ---- records ---- */

static int by_row(const void *x, const void *y, void *plan)
{
    const struct edit *a = *(const struct edit *const *)x, *b = *(const struct edit *const *)y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    int i = column_of(plan, a), j = column_of(plan, b);
    return i != j ? (i < j ? -1 : 1) : (a->seq > b->seq) - (a->seq < b->seq);
}

/* Takes edits of values; reports others once. */
static void take_edits(struct shape_plan *s)
{
    const struct odp_edits *e = s->p->edits;
    bool said = false;
    s->edits = odp_arena_array(s->p->arena, e->n + 1, sizeof(const struct edit *));
    for (size_t i = 0; i < e->n; i++) {
        if (e->edits[i].what == EDIT_FIELD || e->edits[i].what == EDIT_COLUMN) {
            s->edits[s->n++] = &e->edits[i];
            continue;
        }
        if (e->edits[i].what == EDIT_MEND) /* repair/shapes */
            continue;
        struct odp_diag d = {.code = ODP_A03,
                             .row = e->edits[i].what == EDIT_DELETE ? e->edits[i].at : 0,
                             .args = {ODP_LIT("shapefile")}};
        if (!said)
            odp_plan_refuse(s->p, NULL, &d);
        said = true;
    }
    qsort_r(s->edits, s->n, sizeof(const struct edit *), by_row, s);
}

static enum odp_status read_records(struct shape_plan *s)
{
    struct odp_source *source = (struct odp_source *)(void *)s->source;
    enum odp_status status = ODP_OK;
    while (status == ODP_OK && s->at < s->n) {
        odp_batch_reset(&s->batch, s->r);
        status = odp_source_read(source, &s->batch);
        for (uint32_t i = 0; i < s->batch.nrecords && status == ODP_OK; i++)
            for (; s->at < s->n && s->edits[s->at]->at <= s->batch.records[i].row; s->at++) {
                const struct edit *e = s->edits[s->at], *next = s->at + 1 < s->n ? s->edits[s->at + 1] : NULL;
                if (next != NULL && next->at == e->at && column_of(s, next) == column_of(s, e))
                    continue; /* the last one counts */
                if (e->at == s->batch.records[i].row)
                    edit_value(s, &s->batch.records[i], e);
                else
                    misfit(s, ODP_A02, e, NULL, "", "");
            }
        if (status == ODP_OK && (s->values.failed || odp_buffer_status(&s->value) != ODP_OK))
            status = ODP_FAIL;
    }
    if (status == ODP_FAIL)
        return ODP_FAIL;
    for (; s->at < s->n; s->at++)
        misfit(s, ODP_A02, s->edits[s->at], NULL, "", "");
    return ODP_OK;
}

static enum odp_status plan(struct shape_plan *s)
{
    const struct shape_part *dbf = &s->source->parts[SHAPE_DBF];
    take_edits(s);
    if (s->n > 0 && !dbf->present)
        misfit(s, ODP_A02, s->edits[0], NULL, "", "");
    if (s->n == 0 || !dbf->present)
        return ODP_OK;
    s->p->target = odp_arena_str(s->p->arena, dbf->name);
    s->values.part = dbf;
    s->p->before = odp_file_state_of(s->p->target);
    enum odp_status status =
        odp_encoder_open(&s->encoder, strcmp(s->source->encoding, "UTF-8") == 0 ? NULL : s->source->encoding);
    return status == ODP_OK ? read_records(s) : status;
}

enum odp_status odp_plan_shape(struct plan *p)
{
    struct shape_plan s = {.p = p, .r = p->edits->resource};
    struct odp_source *source = NULL;
    struct odp_diags *own = NULL;
    if (odp_diags_new(&own, 20) != ODP_OK || odp_batch_init(&s.batch, 0) != ODP_OK) {
        odp_diags_free(own);
        return ODP_FAIL;
    }
    /* The parts are named after the path: this finds the .dbf. */
    enum odp_status status = odp_source_open(&source, s.r, p->how->path, p->how->path, 1, own);
    if (status == ODP_OK) {
        s.source = (struct shape_source *)(void *)source;
        status = plan(&s);
    } else if (status == ODP_BAD && odp_diags_merge(p->diags, own) == ODP_FAIL) {
        status = ODP_FAIL;
    }
    odp_encoder_close(&s.encoder);
    shape_stream_release(&s.values);
    odp_buffer_release(&s.value);
    odp_source_close(source);
    odp_batch_release(&s.batch);
    odp_diags_free(own);
    return status;
}
