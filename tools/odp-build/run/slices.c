#include "run/slices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temporary.h"

enum { SLOTS = 2048 }; /* of a hash of at most ODP_SLICES_VALUES + 1 values */

/* Values in order of arrival; one more than allowed, so that too many are seen. */
struct values {
    struct odp_slice value[ODP_SLICES_VALUES + 1];
    uint32_t n;
    uint16_t slot[SLOTS]; /* index + 1; 0: free */
};

/* What an emitter formatted of one value: in memory of a batch, or in the scratch file. */
struct cut {
    uint64_t at;
    size_t len;
    uint32_t n;
    const uint32_t *ends; /* NULL: in the scratch file, before the bytes */
    double bbox[4];
    bool has_bbox;
};

/* One field of one batch. */
struct field_parts {
    struct values *values;
    uint32_t *first, *last, *rows; /* by value: its first and last record in the batch, how many */
    uint32_t *next;                /* by record: the next one of its value */
    struct cut *cuts;              /* [value * nkinds + kind]; NULL: nothing was formatted */
    bool has_long;
    uint32_t long_record;
};

struct odp_slice_parts {
    struct odp_arena arena;
    struct odp_buffer bytes; /* of all cuts */
    struct odp_chunk chunk;
    struct field_parts *fields;
};

/* What was spilled of a slice at one time. */
struct piece {
    struct piece *next;
    struct cut cuts[]; /* by kind */
};

struct slice {
    uint64_t rows;
    struct odp_chunk *chunks; /* by kind: what is held */
    struct piece *pieces, *last;
};

struct field {
    uint32_t index;
    struct values values;
    struct slice slices[ODP_SLICES_VALUES + 1];
    bool dropped; /* a fault: no slices of this field */
};

struct odp_slices {
    struct odp_arena arena;
    const struct odp_resource *resource;
    const struct odp_code_lists *codes;
    struct odp_emit_job job;
    const struct odp_emit *emits[ODP_EMIT_MAX]; /* of the whole resource, without the API's: they format */
    const struct odp_emitter *kinds[ODP_EMIT_MAX];
    size_t owner[ODP_EMIT_MAX]; /* the first kind that formats the same bytes */
    size_t nkinds;
    struct field *fields;
    uint64_t held;
    struct odp_file *scratch;
    const char *scratch_path; /* not NULL: the file exists */
    uint64_t spilled;
};

/* ---- values ---- */

/* The slot of V: where it is, or the free one where it would be. */
static uint16_t *find_slot(struct values *s, struct odp_slice v)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < v.len; i++)
        hash = (hash ^ (unsigned char)v.ptr[i]) * 1099511628211u;
    size_t at = (size_t)((hash ^ hash >> 32) % SLOTS);
    while (s->slot[at] != 0 && !odp_slice_eq(s->value[s->slot[at] - 1], v))
        at = (at + 1) % SLOTS;
    return &s->slot[at];
}

static bool is_full(const struct values *s)
{
    return s->n > ODP_SLICES_VALUES;
}

/* ---- one batch taken apart ---- */

enum odp_status odp_slice_parts_new(struct odp_slice_parts **out)
{
    struct odp_slice_parts *p = calloc(1, sizeof *p);
    *out = p;
    if (p == NULL)
        return odp_failure_set("slices", NULL, ENOMEM);
    odp_chunk_init(&p->chunk);
    return ODP_OK;
}

void odp_slice_parts_free(struct odp_slice_parts *p)
{
    if (p == NULL)
        return;
    odp_chunk_release(&p->chunk);
    odp_buffer_release(&p->bytes);
    odp_arena_release(&p->arena);
    free(p);
}

/* Which records of B have which value. */
static void take_values(const struct odp_column *column, const struct odp_batch *b, struct odp_arena *a,
                        struct field_parts *out)
{
    size_t n = ODP_SLICES_VALUES + 1;
    out->values = odp_arena_zero(a, 1, sizeof *out->values);
    out->first = odp_arena_array(a, n, sizeof *out->first);
    out->last = odp_arena_array(a, n, sizeof *out->last);
    out->rows = odp_arena_zero(a, n, sizeof *out->rows);
    out->next = odp_arena_array(a, (size_t)b->nrecords + 1, sizeof *out->next);
    for (uint32_t i = 0; i < b->nrecords && !is_full(out->values); i++) {
        struct odp_slice v = column->text[i];
        if (b->record_bad[i] || column->state[i] != ODP_VALUE_OK || v.len == 0)
            continue;
        if (v.len > ODP_SLICES_BYTES) {
            out->has_long = true;
            out->long_record = i;
            break;
        }
        uint16_t *slot = find_slot(out->values, v);
        if (*slot == 0) {
            out->values->value[out->values->n++] = v;
            *slot = (uint16_t)out->values->n;
            out->first[*slot - 1] = i;
        } else {
            out->next[out->last[*slot - 1]] = i;
        }
        out->last[*slot - 1] = i;
        out->rows[*slot - 1]++;
    }
}

/* The records that MASKED shows, by every emitter. */
static enum odp_status format_value(const struct odp_slices *s, const struct odp_batch *masked,
                                    struct odp_slice_parts *out, struct cut *cuts)
{
    struct odp_chunk *c = &out->chunk;
    for (size_t k = 0; k < s->nkinds; k++) {
        if (s->owner[k] != k)
            continue;
        odp_chunk_clear(c);
        if (s->kinds[k]->format_batch(s->emits[k], masked, c) != ODP_OK)
            return ODP_FAIL;
        uint32_t *ends = odp_arena_array(&out->arena, (size_t)c->n + 1, sizeof *ends);
        if (c->n > 0)
            memcpy(ends, c->ends, c->n * sizeof *ends);
        cuts[k] = (struct cut){
            .at = out->bytes.len, .len = c->bytes.len, .n = c->n, .ends = ends, .has_bbox = c->has_bbox};
        memcpy(cuts[k].bbox, c->bbox, sizeof c->bbox);
        odp_buffer_add_slice(&out->bytes, odp_buffer_slice(&c->bytes));
    }
    return odp_buffer_status(&out->bytes);
}

/* Sets "bad" of the records that have value V. */
static void mask(struct odp_batch *b, const struct field_parts *field, uint32_t v, bool bad)
{
    uint32_t i = field->first[v];
    for (; i != field->last[v]; i = field->next[i])
        b->record_bad[i] = bad;
    b->record_bad[i] = bad;
}

static enum odp_status format_field(const struct odp_slices *s, const struct odp_batch *b,
                                    struct odp_slice_parts *out, struct field_parts *field)
{
    struct odp_batch masked = *b;
    field->cuts = odp_arena_zero(&out->arena, (size_t)field->values->n * s->nkinds + 1, sizeof *field->cuts);
    masked.record_bad = odp_arena_array(&out->arena, (size_t)b->nrecords + 1, 1);
    memset(masked.record_bad, 1, b->nrecords);
    for (uint32_t v = 0; v < field->values->n; v++) {
        masked.nrecords = field->last[v] + 1;
        mask(&masked, field, v, 0);
        if (format_value(s, &masked, out, field->cuts + v * s->nkinds) != ODP_OK)
            return ODP_FAIL;
        mask(&masked, field, v, 1);
    }
    return ODP_OK;
}

enum odp_status odp_slices_format(const struct odp_slices *s, const struct odp_batch *b, bool emit,
                                  struct odp_slice_parts *out)
{
    if (s == NULL)
        return ODP_OK;
    odp_arena_reset(&out->arena);
    odp_buffer_clear(&out->bytes);
    out->fields = odp_arena_zero(&out->arena, s->resource->nslices, sizeof *out->fields);
    for (uint32_t f = 0; f < s->resource->nslices; f++) {
        struct field_parts *field = &out->fields[f];
        take_values(&b->columns[s->fields[f].index], b, &out->arena, field);
        bool wanted = emit && s->nkinds > 0 && !is_full(field->values) && !field->has_long;
        if (wanted && format_field(s, b, out, field) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* ---- the parts put together ---- */

/* All but the API's. They share chunks as they do in EMITS, less with the API's. */
static void take_emitters(struct odp_slices *s, const struct odp_emit_set *emits)
{
    size_t chunk[ODP_EMIT_MAX];
    for (size_t k = 0; k < emits->n; k++) {
        if (emits->kinds[k]->file->format == NULL)
            continue;
        size_t at = s->nkinds++;
        s->kinds[at] = emits->kinds[k];
        s->emits[at] = emits->emits[k];
        chunk[at] = emits->chunk_of[k];
        s->owner[at] = 0;
        while (chunk[s->owner[at]] != chunk[at])
            s->owner[at]++;
    }
}

enum odp_status odp_slices_new(struct odp_slices **out, const struct odp_resource *r,
                               const struct odp_emit_set *emits, const struct odp_emit_job *job,
                               const struct odp_code_lists *codes)
{
    *out = NULL;
    if (r->nslices == 0)
        return ODP_OK;
    struct odp_slices *s = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("slices", r->name, ENOMEM);
    s->resource = r;
    s->codes = codes;
    s->fields = odp_arena_zero(&s->arena, r->nslices, sizeof *s->fields);
    for (uint32_t f = 0; f < r->nslices; f++)
        s->fields[f].index = r->slices[f];
    if (emits != NULL)
        s->job = *job;
    if (emits != NULL)
        take_emitters(s, emits);
    *out = s;
    return ODP_OK;
}

static void release_chunks(const struct odp_slices *s, struct slice *slice)
{
    for (size_t k = 0; slice->chunks != NULL && k < s->nkinds; k++)
        odp_chunk_release(&slice->chunks[k]);
}

void odp_slices_free(struct odp_slices *s)
{
    if (s == NULL)
        return;
    for (uint32_t f = 0; s->fields != NULL && f < s->resource->nslices; f++)
        for (uint32_t v = 0; v < s->fields[f].values.n; v++)
            release_chunks(s, &s->fields[f].slices[v]);
    odp_file_discard(s->scratch);
    if (s->scratch_path != NULL && s->scratch == NULL)
        (void)unlink(s->scratch_path);
    odp_arena_release(&s->arena);
    free(s);
}

/* Where records come from, and who is told what is wrong with them. */
struct origin {
    const struct odp_batch *batch;
    const struct odp_source_info *info;
    struct odp_diags *diags;
};

/* The field has no slices: CODE, at record I, says why. */
static enum odp_status drop(const struct odp_slices *s, struct field *field, enum odp_code code, uint32_t i,
                            const struct origin *from)
{
    struct odp_diag d;
    int column = from->info->column_of_field[field->index];
    odp_batch_diag(from->batch, (struct odp_batch_place){i, (int)field->index, column}, from->info->file,
                   false, &d);
    d.code = code;
    d.where = s->resource->where;
    field->dropped = true;
    for (uint32_t v = 0; v < field->values.n; v++)
        release_chunks(s, &field->slices[v]);
    field->values.n = 0;
    return odp_diags_add(from->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* The slice of V, made where it is new. */
static struct slice *find_slice(struct odp_slices *s, struct field *field, struct odp_slice v)
{
    uint16_t *slot = find_slot(&field->values, v);
    if (*slot != 0)
        return &field->slices[*slot - 1];
    struct slice *slice = &field->slices[field->values.n];
    slice->chunks = odp_arena_zero(&s->arena, s->nkinds + 1, sizeof *slice->chunks);
    for (size_t k = 0; k < s->nkinds; k++)
        odp_chunk_init(&slice->chunks[k]);
    field->values.value[field->values.n++] = odp_arena_copy(&s->arena, v);
    *slot = (uint16_t)field->values.n;
    return slice;
}

static enum odp_status hold_cut(struct odp_slices *s, struct odp_chunk *c, const struct cut *cut,
                                const char *bytes)
{
    uint32_t before = (uint32_t)c->bytes.len;
    odp_buffer_add(&c->bytes, bytes + cut->at, cut->len);
    if (odp_buffer_status(&c->bytes) != ODP_OK || c->bytes.len > UINT32_MAX)
        return ODP_FAIL;
    if (cut->n > c->cap - c->n) {
        size_t cap = ((size_t)c->n + cut->n) * 2;
        uint32_t *ends = cap <= UINT32_MAX ? odp_realloc_array(c->ends, cap, sizeof *ends) : NULL;
        if (ends == NULL)
            return odp_failure_set("slices", NULL, ENOMEM);
        c->ends = ends;
        c->cap = (uint32_t)cap;
    }
    for (uint32_t i = 0; i < cut->n; i++)
        c->ends[c->n++] = before + cut->ends[i];
    if (cut->has_bbox)
        odp_bbox_extend(c->bbox, &c->has_bbox, cut->bbox);
    s->held += cut->len + cut->n * sizeof *cut->ends;
    return ODP_OK;
}

/* ---- the scratch file ---- */

static enum odp_status spill_slice(struct odp_slices *s, struct slice *slice)
{
    struct piece *piece = odp_arena_zero(&s->arena, 1, sizeof *piece + s->nkinds * sizeof *piece->cuts);
    for (size_t k = 0; k < s->nkinds; k++) {
        struct odp_chunk *c = &slice->chunks[k];
        struct cut *cut = &piece->cuts[k];
        *cut = (struct cut){.at = s->spilled, .len = c->bytes.len, .n = c->n, .has_bbox = c->has_bbox};
        memcpy(cut->bbox, c->bbox, sizeof c->bbox);
        if (odp_file_write(s->scratch, c->ends, c->n * sizeof *c->ends) != ODP_OK ||
            odp_file_write(s->scratch, c->bytes.ptr, c->bytes.len) != ODP_OK)
            return ODP_FAIL;
        s->spilled += c->n * sizeof *c->ends + c->bytes.len;
        odp_chunk_release(c); /* not cleared: what one slice needed once is for the others now */
    }
    if (slice->last != NULL)
        slice->last->next = piece;
    else
        slice->pieces = piece;
    slice->last = piece;
    return ODP_OK;
}

static bool is_held(const struct odp_slices *s, const struct slice *slice)
{
    for (size_t k = 0; k < s->nkinds; k++)
        if (slice->chunks[k].bytes.len > 0)
            return true;
    return false;
}

static enum odp_status spill(struct odp_slices *s)
{
    struct odp_output *output = s->job.output;
    if (output->scratch == NULL)
        return ODP_OK; /* nowhere to put it: stays in memory */
    if (s->scratch == NULL) {
        const char *path = output->scratch(output->ctx, &s->arena);
        if (odp_file_create_scratch(&s->scratch, path) != ODP_OK)
            return ODP_FAIL;
        s->scratch_path = path;
    }
    for (uint32_t f = 0; f < s->resource->nslices; f++)
        for (uint32_t v = 0; v < s->fields[f].values.n; v++)
            if (is_held(s, &s->fields[f].slices[v]) && spill_slice(s, &s->fields[f].slices[v]) != ODP_OK)
                return ODP_FAIL;
    s->held = 0;
    return ODP_OK;
}

static enum odp_status append_field(struct odp_slices *s, struct field *field, const struct field_parts *p,
                                    const char *bytes, const struct origin *from)
{
    for (uint32_t v = 0; v < p->values->n; v++) {
        struct slice *slice = find_slice(s, field, p->values->value[v]);
        if (is_full(&field->values))
            return drop(s, field, ODP_V90, p->first[v], from);
        slice->rows += p->rows[v];
        for (size_t k = 0; p->cuts != NULL && k < s->nkinds; k++)
            if (s->owner[k] == k &&
                hold_cut(s, &slice->chunks[k], &p->cuts[v * s->nkinds + k], bytes) != ODP_OK)
                return ODP_FAIL;
    }
    return p->has_long ? drop(s, field, ODP_V91, p->long_record, from) : ODP_OK;
}

enum odp_status odp_slices_append(struct odp_slices *s, const struct odp_batch *b,
                                  const struct odp_slice_parts *parts, const struct odp_source_info *info,
                                  struct odp_diags *diags)
{
    const struct origin from = {b, info, diags};
    for (uint32_t f = 0; s != NULL && f < s->resource->nslices; f++)
        if (!s->fields[f].dropped &&
            append_field(s, &s->fields[f], &parts->fields[f], parts->bytes.ptr, &from) != ODP_OK)
            return ODP_FAIL;
    return s != NULL && s->held > ODP_SLICES_HOLD ? spill(s) : ODP_OK;
}

/* ---- the files ---- */

struct making {
    const struct odp_slices *slices;
    const struct slice **slice;
    struct odp_emit_job *jobs;
    int fd; /* of the scratch file, or -1 */
};

static enum odp_status read_at(const struct making *m, void *to, size_t len, uint64_t at)
{
    return odp_scratch_read(m->fd, to, len, at, m->slices->scratch_path);
}

static enum odp_status read_cut(const struct making *m, const struct cut *cut, struct odp_chunk *c)
{
    odp_chunk_clear(c);
    if (cut->n > c->cap) {
        uint32_t *ends = odp_realloc_array(c->ends, cut->n, sizeof *ends);
        if (ends == NULL)
            return ODP_FAIL;
        c->ends = ends;
        c->cap = cut->n;
    }
    char *bytes = odp_buffer_reserve(&c->bytes, cut->len + 1);
    if (bytes == NULL || read_at(m, c->ends, cut->n * sizeof *c->ends, cut->at) != ODP_OK ||
        read_at(m, bytes, cut->len, cut->at + cut->n * sizeof *c->ends) != ODP_OK)
        return ODP_FAIL;
    c->bytes.len = cut->len;
    c->n = cut->n;
    c->has_bbox = cut->has_bbox;
    memcpy(c->bbox, cut->bbox, sizeof c->bbox);
    return ODP_OK;
}

/* Everything of one slice, first what was spilled. */
static enum odp_status append_all(const struct making *m, const struct slice *slice, struct odp_emit_set *set)
{
    struct odp_chunk chunks[ODP_EMIT_MAX];
    enum odp_status status = ODP_OK;
    for (size_t k = 0; k < ODP_EMIT_MAX; k++)
        odp_chunk_init(&chunks[k]);
    for (const struct piece *piece = slice->pieces; piece != NULL && status == ODP_OK; piece = piece->next) {
        for (size_t k = 0; k < m->slices->nkinds && status == ODP_OK; k++)
            status = read_cut(m, &piece->cuts[k], &chunks[k]);
        if (status == ODP_OK)
            status = odp_emit_set_append(set, chunks);
    }
    for (size_t k = 0; k < ODP_EMIT_MAX; k++)
        odp_chunk_release(&chunks[k]);
    return status == ODP_OK ? odp_emit_set_append(set, slice->chunks) : status;
}

static enum odp_status make_slice(void *ctx, size_t i, unsigned worker)
{
    struct making *m = ctx;
    struct odp_emit_set set = {0};
    enum odp_status status = odp_emit_set_begin(&set, &m->jobs[i]);
    if (status == ODP_OK)
        status = append_all(m, m->slice[i], &set);
    if (status == ODP_OK)
        return odp_emit_set_end(&set);
    odp_emit_set_abort(&set);
    return status;
}

/* A value and where it is in its field. */
struct place {
    struct odp_slice value;
    uint32_t index;
};

static int by_value(const void *a, const void *b)
{
    return odp_slice_cmp(((const struct place *)a)->value, ((const struct place *)b)->value);
}

/* The slices of FIELD from number AT on: their entries and jobs. */
static enum odp_status plan_field(const struct odp_slices *s, const struct field *field, struct odp_arena *a,
                                  struct making *m, struct odp_slice_result *list, size_t at)
{
    const struct odp_field *f = &s->resource->schema.fields[field->index];
    struct place order[ODP_SLICES_VALUES + 1];
    for (uint32_t v = 0; v < field->values.n; v++)
        order[v] = (struct place){field->values.value[v], v};
    if (field->values.n > 0)
        qsort(order, field->values.n, sizeof *order, by_value);
    for (uint32_t v = 0; v < field->values.n; v++, at++) {
        const struct slice *slice = &field->slices[order[v].index];
        struct odp_slice_result *r = &list[at];
        *r = (struct odp_slice_result){
            .field = f->name,
            .value = odp_arena_copy(a, order[v].value),
            .label = odp_code_lists_find(s->codes, s->resource, field->index, order[v].value),
            .path = odp_emit_slice_path(f->name, order[v].value, a),
            .rows = slice->rows};
        if (r->path == NULL)
            return ODP_FAIL;
        m->slice[at] = slice;
        m->jobs[at] = s->job;
        m->jobs[at].slice = r->path;
        m->jobs[at].slice_field = r->field;
        m->jobs[at].slice_value = r->value;
    }
    return ODP_OK;
}

/* What was spilled can be read from here on. */
static enum odp_status open_scratch(struct odp_slices *s, int *fd)
{
    *fd = -1;
    if (s->scratch == NULL)
        return ODP_OK;
    struct odp_file *scratch = s->scratch;
    s->scratch = NULL;
    if (odp_file_close(scratch, NULL) != ODP_OK)
        return ODP_FAIL;
    do
        *fd = open(s->scratch_path, O_RDONLY | O_CLOEXEC);
    while (*fd < 0 && errno == EINTR);
    return *fd >= 0 ? ODP_OK : odp_failure_set("open", s->scratch_path, errno);
}

enum odp_status odp_slices_end(struct odp_slices *s, struct odp_pool *pool, struct odp_arena *a,
                               const struct odp_slice_result **list, size_t *n)
{
    size_t total = 0, at = 0;
    *list = NULL;
    *n = 0;
    if (s == NULL || s->nkinds == 0)
        return ODP_OK;
    for (uint32_t f = 0; f < s->resource->nslices; f++)
        total += s->fields[f].values.n;
    struct odp_slice_result *results = odp_arena_zero(a, total + 1, sizeof *results);
    struct making m = {.slices = s,
                       .slice = odp_arena_zero(&s->arena, total + 1, sizeof *m.slice),
                       .jobs = odp_arena_zero(&s->arena, total + 1, sizeof *m.jobs),
                       .fd = -1};
    enum odp_status status = ODP_OK;
    for (uint32_t f = 0; f < s->resource->nslices && status == ODP_OK; f++) {
        status = plan_field(s, &s->fields[f], a, &m, results, at);
        at += s->fields[f].values.n;
    }
    if (status == ODP_OK)
        status = open_scratch(s, &m.fd);
    if (status == ODP_OK)
        status = odp_pool_each(pool, total, &m, make_slice);
    if (m.fd >= 0)
        (void)close(m.fd);
    if (status == ODP_OK) {
        *list = results;
        *n = total;
    }
    return status;
}
