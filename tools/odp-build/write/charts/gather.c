/* Records to sums, while they pass: one entry for each category and series. What is kept does not depend on
 * the order of the records: sums are exact, and whether there are too many entries, or a value too large, is
 * a property of all of them together.
 */
#include "write/charts/charts_internal.h"

#include <stdlib.h>

void odp_chart_sum_add(struct odp_chart_sum *s, odp_fixed v)
{
    s->least = s->n == 0 || v < s->least ? v : s->least;
    s->greatest = s->n == 0 || v > s->greatest ? v : s->greatest;
    s->sum += v;
    s->n++;
}

void odp_chart_sum_merge(struct odp_chart_sum *s, const struct odp_chart_sum *other)
{
    if (other->n == 0)
        return;
    s->least = s->n == 0 || other->least < s->least ? other->least : s->least;
    s->greatest = s->n == 0 || other->greatest > s->greatest ? other->greatest : s->greatest;
    s->sum += other->sum;
    s->n += other->n;
}

enum odp_status odp_chart_data_new(struct odp_chart_data **out, const struct odp_chart *chart,
                                   const struct odp_resource *r)
{
    struct odp_chart_data *d = odp_realloc_array(NULL, 1, sizeof *d);
    *out = d;
    if (d == NULL)
        return ODP_FAIL;
    *d = (struct odp_chart_data){.chart = chart, .resource = r};
    odp_arena_init(&d->arena);
    return ODP_OK;
}

void odp_chart_gather_drop(struct odp_chart_data *d)
{
    free(d->entries);
    free(d->slots);
    d->entries = NULL;
    d->slots = NULL;
    d->nentries = d->cap = d->nslots = 0;
    odp_chart_map_drop(d);
}

void odp_chart_data_free(struct odp_chart_data *d)
{
    if (d == NULL)
        return;
    odp_chart_gather_drop(d);
    odp_arena_release(&d->arena);
    free(d);
}

const struct odp_chart *odp_chart_data_chart(const struct odp_chart_data *d)
{
    return d->chart;
}

static uint64_t hash_more(uint64_t h, struct odp_slice s)
{
    h = (h ^ (s.ptr == NULL ? 1u : 2u)) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.ptr[i]) * UINT64_C(0x100000001b3);
    return h ^ (h >> 29);
}

static bool same(struct odp_slice a, struct odp_slice b)
{
    return (a.ptr == NULL) == (b.ptr == NULL) && odp_slice_eq(a, b);
}

/* The slots are a power of two and at most half full. */
static bool grow(struct odp_chart_data *d)
{
    uint32_t cap = d->cap != 0 ? d->cap * 2 : 64;
    struct odp_chart_entry *entries = odp_realloc_array(d->entries, cap, sizeof *entries);
    if (entries == NULL)
        return false;
    d->entries = entries;
    d->cap = cap;
    uint32_t *slots = odp_realloc_array(d->slots, (size_t)cap * 2, sizeof *slots);
    if (slots == NULL)
        return false;
    d->slots = slots;
    d->nslots = cap * 2;
    memset(slots, 0, (size_t)d->nslots * sizeof *slots);
    for (uint32_t i = 0; i < d->nentries; i++) {
        uint32_t at = (uint32_t)(d->entries[i].hash & (d->nslots - 1));
        while (slots[at] != 0)
            at = (at + 1) & (d->nslots - 1);
        slots[at] = i + 1;
    }
    return true;
}

/* A copy that tells null from the empty text. */
static bool keep(struct odp_chart_data *d, struct odp_slice *s)
{
    if (s->ptr == NULL)
        return true;
    *s = odp_arena_copy(&d->arena, *s);
    return s->ptr != NULL;
}

struct odp_chart_entry *odp_chart_entry_of(struct odp_chart_data *d, struct odp_slice category,
                                           struct odp_slice series)
{
    uint64_t hash = hash_more(hash_more(UINT64_C(0xcbf29ce484222325), category), series);
    if (d->nentries == d->cap && !grow(d))
        return NULL;
    uint32_t at = (uint32_t)(hash & (d->nslots - 1));
    for (; d->slots[at] != 0; at = (at + 1) & (d->nslots - 1)) {
        struct odp_chart_entry *e = &d->entries[d->slots[at] - 1];
        if (e->hash == hash && same(e->category, category) && same(e->series, series))
            return e;
    }
    size_t text;
    if (d->nentries == ODP_CHART_CELLS_MAX || __builtin_add_overflow(category.len, series.len, &text) ||
        text > ODP_CHART_TEXT_MAX - d->text) {
        d->fault = ODP_CHART_TOO_MANY;
        odp_chart_gather_drop(d);
        return NULL;
    }
    struct odp_chart_entry *e = &d->entries[d->nentries];
    *e = (struct odp_chart_entry){.category = category, .series = series, .hash = hash};
    if (!keep(d, &e->category) || !keep(d, &e->series))
        return NULL;
    d->text += text;
    d->slots[at] = ++d->nentries;
    return e;
}

static struct odp_slice cell(const struct odp_slice *field, int i)
{
    return i >= 0 ? field[i] : (struct odp_slice){"", 0};
}

enum odp_status odp_chart_data_add(struct odp_chart_data *d, const struct odp_slice *field, const double *at)
{
    const struct odp_chart *c = d->chart;
    odp_fixed value = ODP_FIXED_ONE;
    unsigned places;
    if (d->fault != ODP_CHART_FINE)
        return ODP_OK;
    d->records++;
    if (c->type == ODP_CHART_MAP && at == NULL) {
        d->no_place++;
        return ODP_OK;
    }
    bool valued =
        c->value >= 0 && (c->type == ODP_CHART_MAP ? c->category < 0 : c->aggregate != ODP_CHART_COUNT);
    if (valued && field[c->value].ptr == NULL) {
        d->no_value++;
        return ODP_OK;
    }
    if ((valued && !odp_chart_number_parse(field[c->value], &value, &places)) ||
        d->records > ODP_CHART_RECORDS_MAX) {
        d->fault = ODP_CHART_TOO_LARGE;
        odp_chart_gather_drop(d);
        return ODP_OK;
    }
    if (valued && places > d->places)
        d->places = places;
    bool series = c->type != ODP_CHART_MAP && c->series >= 0;
    struct odp_chart_entry *e =
        odp_chart_entry_of(d, cell(field, c->category), cell(field, series ? c->series : -1));
    if (e == NULL)
        return d->fault != ODP_CHART_FINE ? ODP_OK : ODP_FAIL;
    odp_chart_sum_add(&e->sum, value);
    return c->type == ODP_CHART_MAP ? odp_chart_map_add(d, (uint32_t)(e - d->entries), at, value) : ODP_OK;
}

odp_fixed odp_chart_aggregate_of(const struct odp_chart_data *d, const struct odp_chart_sum *s)
{
    if (s->n == 0)
        return 0;
    switch (d->chart->type == ODP_CHART_MAP ? ODP_CHART_COUNT : d->chart->aggregate) {
    case ODP_CHART_COUNT:
        return (odp_fixed)s->n * ODP_FIXED_ONE;
    case ODP_CHART_SUM:
        return s->sum;
    case ODP_CHART_MIN:
        return s->least;
    case ODP_CHART_MAX:
        return s->greatest;
    case ODP_CHART_MEAN:
        break;
    }
    unsigned places = d->places + 2 < ODP_FIXED_PLACES ? d->places + 2 : ODP_FIXED_PLACES;
    odp_fixed unit = odp_chart_number_power(ODP_FIXED_PLACES - places);
    return odp_chart_number_divide(s->sum, (odp_fixed)s->n * unit) * unit;
}
