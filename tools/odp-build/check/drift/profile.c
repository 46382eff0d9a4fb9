/* The statistics in the making: every thread has its own, column by column; they are put together at the end.
 */
#include "check/drift/profile.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/decimal_sum.h"
#include "check/drift/histogram.h"
#include "check/drift/sketch.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MEAN_PLACES = 6, EXTREME_SIZE = 96 };

/* The least or the greatest so far: a number's canonical literal, or the text of a date or time. */
struct extreme {
    bool there, small; /* small: `m` and `scale` are its value */
    unsigned scale;
    int64_t m;
    uint64_t first; /* of a text: its first eight bytes as a number that orders as they do */
    size_t len;
    char text[EXTREME_SIZE];
};

enum kind { PLAIN, NUMBER, ORDERED /* as bytes */, INSTANT /* date and time with an offset */ };

struct column {
    enum kind kind;
    enum odp_date_kind date;
    uint64_t nulls;
    struct odp_sketch sketch;
    struct odp_histogram histogram; /* of numbers and dates */
    struct extreme least, greatest;
    struct odp_decimal_sum *sum; /* NUMBER */
    bool told_apart;             /* the schema lets no value occur twice: there is nothing to count */
};

/* What one thread has seen. */
struct part {
    struct odp_arena texts;
    struct column *columns; /* by field of the schema; those that are not public stay empty */
    uint64_t rows, located, points;
    bool has_bbox;
    double bbox[4];
};

struct odp_profiler {
    const struct odp_resource *resource;
    bool has_geometry;
    struct odp_arena arena;
    struct part *parts;
    unsigned nparts;
};

/* ---- beginning and end ---- */

static enum kind kind_of(enum odp_type t)
{
    if (odp_type_is_number(t))
        return NUMBER;
    if (odp_type_family(t) != ODP_FAMILY_DATE)
        return PLAIN;
    return odp_field_type(t)->date == ODP_DATETIME ? INSTANT : ORDERED;
}

bool odp_profile_lists(const struct odp_resource *r, uint32_t field)
{
    const struct odp_field *f = &r->schema.fields[field];
    bool listed = f->ncategories > 0 || f->constraints.enumeration.n > 0 || f->type == ODP_TYPE_BOOLEAN;
    for (size_t k = 0; k < r->nforeign && !listed; k++)
        listed = r->foreign[k].target->dataset->reference && odp_key_has(&r->foreign[k].local, field);
    return listed;
}

/* The only field of a key, or unique; counted where the catalogue allows duplicates (odp:severity). */
static bool is_told_apart(const struct odp_resource *r, uint32_t field)
{
    bool alone = r->schema.primary.n == 1 && r->schema.primary.fields[0] == field;
    return r->severity == NULL && (alone || r->schema.fields[field].constraints.unique) &&
           !odp_profile_lists(r, field);
}

static void init_part(struct odp_profiler *p, struct part *part)
{
    const struct odp_schema *s = &p->resource->schema;
    odp_arena_init(&part->texts);
    part->columns = odp_arena_zero(&p->arena, (size_t)s->n + 1, sizeof *part->columns);
    for (uint32_t f = 0; f < s->n; f++) {
        struct column *c = &part->columns[f];
        c->kind = kind_of(s->fields[f].type);
        c->date = odp_field_type(s->fields[f].type)->date;
        c->told_apart = is_told_apart(p->resource, f);
        const bool listed = odp_profile_lists(p->resource, f);
        odp_sketch_init(&c->sketch, listed || c->kind == PLAIN ? &part->texts : NULL,
                        listed ? ODP_SKETCH_LISTED : ODP_SKETCH_K);
        if (!s->fields[f].is_public)
            continue;
        if (c->kind == NUMBER || (c->kind != PLAIN && c->date != ODP_TIME))
            odp_histogram_init(&c->histogram, c->kind != NUMBER, &p->arena);
        if (c->kind == NUMBER)
            c->sum = odp_arena_zero(&p->arena, 1, sizeof *c->sum);
    }
}

enum odp_status odp_profiler_new(struct odp_profiler **out, const struct odp_resource *r, bool has_geometry,
                                 unsigned workers)
{
    struct odp_profiler *p = odp_realloc_array(NULL, 1, sizeof *p);
    *out = p;
    if (p == NULL)
        return ODP_FAIL;
    *p = (struct odp_profiler){.resource = r, .has_geometry = has_geometry};
    p->parts = odp_arena_zero(&p->arena, workers, sizeof *p->parts);
    for (; p->nparts < workers; p->nparts++)
        init_part(p, &p->parts[p->nparts]);
    return ODP_OK;
}

void odp_profiler_free(struct odp_profiler *p)
{
    if (p == NULL)
        return;
    for (unsigned i = 0; i < p->nparts; i++) {
        for (uint32_t f = 0; p->parts[i].columns != NULL && f < p->resource->schema.n; f++)
            odp_sketch_release(&p->parts[i].columns[f].sketch);
        odp_arena_release(&p->parts[i].texts);
    }
    odp_arena_release(&p->arena);
    free(p);
}

/* ---- one value ---- */

static uint64_t hash_text(struct odp_slice s)
{
    return XXH3_64bits(s.ptr, s.len);
}

/* Of the value: 1.50 and 1.5 are one. */
static uint64_t hash_number(int64_t m, unsigned scale)
{
    for (; scale > 0 && m % 10 == 0; scale--)
        m /= 10;
    uint64_t low = (uint64_t)m; /* its lowest byte first, on every machine */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    low = __builtin_bswap64(low);
#endif
    unsigned char bytes[9];
    memcpy(bytes, &low, 8);
    bytes[8] = (unsigned char)scale;
    return XXH3_64bits(bytes, sizeof bytes);
}

static void set_extreme(struct extreme *e, struct odp_slice text, bool small, int64_t m, unsigned scale)
{
    if (text.len > sizeof e->text) /* no canonical literal is so long */
        return;
    *e = (struct extreme){.there = true, .small = small, .m = m, .scale = scale, .len = text.len};
    e->first = __builtin_bswap64(odp_bytes_load(text.ptr, text.len));
    memcpy(e->text, text.ptr, text.len);
}

static struct odp_slice extreme_text(const struct extreme *e)
{
    return (struct odp_slice){e->text, e->len};
}

static void meet_number(struct extreme *e, struct odp_slice text, bool small, int64_t m, unsigned scale,
                        int sign)
{
    int order;
    if (!e->there)
        order = sign;
    else if (small && e->small)
        order = scale == e->scale ? (m > e->m) - (m < e->m) : odp_decimal_small_cmp(m, scale, e->m, e->scale);
    else
        order = odp_decimal_cmp(text, extreme_text(e));
    if (order == sign)
        set_extreme(e, text, small, m, scale);
}

static int compare_instants(struct odp_slice a, struct odp_slice b)
{
    struct odp_datetime x, y;
    /* With equal form and offset they compare as bytes: "2024-03-15T07:05:00", then "+07:00". */
    bool alike = a.len == b.len && a.len > 19 && memcmp(a.ptr + 19, b.ptr + 19, a.len - 19) == 0;
    if (alike || odp_date_parse(a, ODP_DATETIME, NULL, NULL, &x) != ODP_DATE_OK ||
        odp_date_parse(b, ODP_DATETIME, NULL, NULL, &y) != ODP_DATE_OK)
        return odp_slice_cmp(a, b);
    int order = odp_date_cmp(&x, &y);
    return order != 0 ? order : odp_slice_cmp(a, b);
}

static void meet_text(struct extreme *e, struct odp_slice text, enum kind kind, int sign)
{
    int order = !e->there         ? sign
                : kind == INSTANT ? compare_instants(text, extreme_text(e))
                                  : odp_slice_cmp(text, extreme_text(e));
    if ((order > 0) - (order < 0) == sign)
        set_extreme(e, text, false, 0, 0);
}

/* A short number. */
static inline enum odp_status take_small(struct column *c, struct odp_slice text, int64_t m, unsigned scale)
{
    odp_decimal_sum_add_small(c->sum, m, scale);
    odp_histogram_number(&c->histogram, m, scale);
    enum odp_status status = c->told_apart ? ODP_OK : odp_sketch_add(&c->sketch, hash_number(m, scale), text);
    if (status != ODP_OK)
        return status;
    const struct extreme *least = &c->least, *greatest = &c->greatest;
    if (least->small && least->scale == scale && m >= least->m && greatest->small &&
        greatest->scale == scale && m <= greatest->m)
        return ODP_OK; /* between both, and of their form: the common case */
    meet_number(&c->least, text, true, m, scale, -1);
    meet_number(&c->greatest, text, true, m, scale, 1);
    return ODP_OK;
}

static enum odp_status take_number(struct column *c, struct odp_slice text)
{
    int64_t m = 0;
    unsigned scale = 0;
    char normal[ODP_DECIMAL_SIZE];
    if (odp_decimal_small(text, &m, &scale))
        return take_small(c, text, m, scale);
    odp_decimal_sum_add(c->sum, text);
    meet_number(&c->least, text, false, 0, 0, -1);
    meet_number(&c->greatest, text, false, 0, 0, 1);
    struct odp_slice value = {normal, odp_decimal_normal(text, normal)};
    bool small = odp_decimal_small(value, &m, &scale); /* 1e2 is 100 */
    if (small)
        odp_histogram_number(&c->histogram, m, scale);
    else
        odp_histogram_stop(&c->histogram);
    return odp_sketch_add(&c->sketch, small ? hash_number(m, scale) : hash_text(value), text);
}

/* Surely neither the least nor the greatest, by its first eight bytes. */
static inline bool is_between(const struct column *c, struct odp_slice text)
{
    uint64_t first = __builtin_bswap64(odp_bytes_load(text.ptr, text.len));
    return c->least.there && first > c->least.first && first < c->greatest.first;
}

/* ---- one batch ---- */

static enum odp_status take_text(struct column *c, struct odp_slice text)
{
    if (c->histogram.bins != NULL)
        odp_histogram_date(&c->histogram, text.ptr, c->date);
    enum odp_status status = c->told_apart ? ODP_OK : odp_sketch_add(&c->sketch, hash_text(text), text);
    if (status == ODP_OK && c->kind != PLAIN && !(c->kind == ORDERED && is_between(c, text))) {
        meet_text(&c->least, text, c->kind, -1);
        meet_text(&c->greatest, text, c->kind, 1);
    }
    return status;
}

/* KNOWN: of the column's numbers, or NULL. */
static enum odp_status take_column(struct column *c, const struct odp_column *values,
                                   const struct odp_batch_numbers *known, const struct odp_batch *b)
{
    enum odp_status status = ODP_OK;
    bool numbers = known != NULL && known->number != NULL;
    for (uint32_t i = 0; i < b->nrecords && status != ODP_FAIL; i++) {
        if (b->record_bad[i])
            continue;
        if (values->state[i] != ODP_VALUE_OK)
            c->nulls++;
        else if (c->kind != NUMBER)
            status = take_text(c, values->text[i]);
        else if (numbers && known->scale[i] != ODP_NUMBER_LONG)
            status = take_small(c, values->text[i], known->number[i], known->scale[i]);
        else
            status = take_number(c, values->text[i]);
    }
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static void take_geometry(struct part *part, const struct odp_batch *b)
{
    for (uint32_t i = 0; b->geometry != NULL && i < b->nrecords; i++) {
        const struct odp_geom *g = b->geometry[i];
        if (b->record_bad[i] || g == NULL || g->npoints == 0)
            continue;
        part->located++;
        part->points += g->npoints;
        odp_bbox_extend(part->bbox, &part->has_bbox, g->bbox);
    }
}

enum odp_status odp_profiler_batch(struct odp_profiler *p, const struct odp_batch *b, unsigned worker)
{
    const struct odp_schema *s = &p->resource->schema;
    struct part *part = &p->parts[worker];
    enum odp_status status = ODP_OK;
    for (uint32_t i = 0; i < b->nrecords; i++)
        part->rows += !b->record_bad[i];
    for (uint32_t f = 0; f < s->n && status == ODP_OK; f++)
        if (s->fields[f].is_public)
            status =
                take_column(&part->columns[f], &b->columns[f], b->numbers != NULL ? &b->numbers[f] : NULL, b);
    if (p->has_geometry)
        take_geometry(part, b);
    return status;
}

/* ---- the end ---- */

static void merge_extreme(struct extreme *e, const struct extreme *other, enum kind kind, int sign)
{
    if (!other->there)
        return;
    if (kind == NUMBER)
        meet_number(e, extreme_text(other), other->small, other->m, other->scale, sign);
    else
        meet_text(e, extreme_text(other), kind, sign);
}

static enum odp_status merge_part(struct odp_profiler *p, struct part *into, const struct part *from)
{
    enum odp_status status = ODP_OK;
    for (uint32_t f = 0; f < p->resource->schema.n && status == ODP_OK; f++) {
        struct column *c = &into->columns[f];
        const struct column *other = &from->columns[f];
        c->nulls += other->nulls;
        merge_extreme(&c->least, &other->least, c->kind, -1);
        merge_extreme(&c->greatest, &other->greatest, c->kind, 1);
        if (c->sum != NULL)
            odp_decimal_sum_merge(c->sum, other->sum);
        odp_histogram_merge(&c->histogram, &other->histogram);
        status = odp_sketch_merge(&c->sketch, &other->sketch);
    }
    into->rows += from->rows;
    into->located += from->located;
    into->points += from->points;
    if (from->has_bbox)
        odp_bbox_extend(into->bbox, &into->has_bbox, from->bbox);
    return status;
}

static int compare_values(const void *a, const void *b)
{
    return odp_slice_cmp(((const struct odp_profile_value *)a)->value,
                         ((const struct odp_profile_value *)b)->value);
}

static int compare_counts(const void *a, const void *b)
{
    const struct odp_profile_value *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : compare_values(a, b);
}

/* All values of a list, by bytes; else the FREQUENT most frequent, if any occurs twice. */
static void list_values(const struct odp_sketch *s, bool listed, struct odp_arena *a,
                        struct odp_profile_field *out)
{
    struct odp_profile_value *list = odp_arena_array(a, s->ntexts + 1, sizeof *list);
    for (size_t i = 0; i < s->ntexts; i++)
        list[i] =
            (struct odp_profile_value){odp_arena_copy(a, s->texts[i]), odp_sketch_count(s, s->hashes[i])};
    if (s->ntexts > 1)
        qsort(list, s->ntexts, sizeof *list, listed ? compare_values : compare_counts);
    out->values = list;
    out->nvalues = listed || s->ntexts < ODP_PROFILE_FREQUENT ? s->ntexts : ODP_PROFILE_FREQUENT;
    out->listed = listed;
    if (!listed && (s->ntexts == 0 || list[0].count < 2))
        out->nvalues = 0;
}

/* The value as its type's shortest text, so that it does not depend on which of several equal ones came
 * first. */
static const char *copy_extreme(const struct extreme *e, enum kind kind, struct odp_arena *a)
{
    char normal[ODP_DECIMAL_SIZE];
    struct odp_slice text = extreme_text(e);
    if (kind == NUMBER)
        text = (struct odp_slice){normal, odp_decimal_normal(text, normal)};
    return odp_arena_copy(a, text).ptr;
}

static void finish_column(struct column *c, uint64_t rows, struct odp_arena *a, struct odp_profile_field *out)
{
    char text[ODP_DECIMAL_SUM_SIZE];
    out->nulls = c->nulls;
    out->distinct = c->told_apart ? rows - c->nulls : odp_sketch_distinct(&c->sketch, &out->estimated);
    if (c->least.there) {
        out->minimum = copy_extreme(&c->least, c->kind, a);
        out->maximum = copy_extreme(&c->greatest, c->kind, a);
    }
    if (c->sum != NULL && rows > c->nulls) {
        (void)odp_decimal_sum_text(c->sum, text);
        out->sum = odp_arena_str(a, text);
        (void)odp_decimal_sum_mean(c->sum, rows - c->nulls, MEAN_PLACES, text);
        out->mean = odp_arena_str(a, text);
    }
    out->histogram = odp_histogram_end(&c->histogram, c->date, a);
    if (c->sketch.arena != NULL)
        list_values(&c->sketch, c->sketch.most == ODP_SKETCH_LISTED, a, out);
}

enum odp_status odp_profiler_end(struct odp_profiler *p, struct odp_arena *a, struct odp_profile *out)
{
    const struct odp_schema *s = &p->resource->schema;
    struct part *all = &p->parts[0];
    enum odp_status status = ODP_OK;
    for (unsigned i = 1; i < p->nparts && status == ODP_OK; i++)
        status = merge_part(p, all, &p->parts[i]);
    struct odp_profile_field *fields = odp_arena_zero(a, (size_t)s->n + 1, sizeof *fields);
    if (status != ODP_OK)
        return ODP_FAIL;
    *out = (struct odp_profile){.rows = all->rows,
                                .fields = fields,
                                .has_geometry = p->has_geometry,
                                .located = all->located,
                                .points = all->points,
                                .has_bbox = all->has_bbox};
    memcpy(out->bbox, all->bbox, sizeof out->bbox);
    for (uint32_t f = 0; f < s->n; f++) {
        if (!s->fields[f].is_public)
            continue;
        fields[out->n] =
            (struct odp_profile_field){.name = s->fields[f].name, .type = s->fields[f].type, .changed = -1};
        finish_column(&all->columns[f], all->rows, a, &fields[out->n++]);
    }
    return ODP_OK;
}

const struct odp_profile_field *odp_profile_find(const struct odp_profile *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->fields[i].name, name) == 0)
            return &p->fields[i];
    return NULL;
}
