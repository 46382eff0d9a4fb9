/* Records to sums, while they pass: one entry for each category and series. What is kept does not depend on
 * the order of the records: sums are exact, and whether there are too many entries, or a value too large, is
 * a property of all of them together.
 */

#include <math.h>

#include "write/charts/charts_internal.h"

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

struct odp_chart_data *odp_chart_data_new(const struct odp_chart *chart, const struct odp_resource *r)
{
    struct odp_arena arena; /* it holds the data, too */
    odp_arena_init(&arena);
    struct odp_chart_data *d = odp_arena_alloc(&arena, sizeof *d);
    *d = (struct odp_chart_data){.chart = chart, .resource = r, .known = json_object(), .arena = arena};
    odp_buffer_init(&d->key);
    return d;
}

void odp_chart_gather_drop(struct odp_chart_data *d)
{
    json_decref(d->known);
    d->known = NULL;
    d->cells = NULL;
    d->nentries = 0;
}

void odp_chart_data_free(struct odp_chart_data *d)
{
    if (d == NULL)
        return;
    odp_chart_gather_drop(d);
    odp_buffer_release(&d->key);
    struct odp_arena arena = d->arena;
    odp_arena_release(&arena);
}

const struct odp_chart *odp_chart_data_chart(const struct odp_chart_data *d)
{
    return d->chart;
}

/* ---- a map's cells ---- */

/* Records are kept by cell of a grid and by kind of symbol. The grid begins with cells of some centimetres;
 * where there are more than ODP_CHART_SYMBOLS_MAX of them, four become one, until there are not. How often
 * that happens depends on all records together, not on their order. */
enum { LEVEL = 30 };

static uint32_t slot_of(uint32_t x, uint32_t y, uint32_t entry)
{
    uint64_t h = x * UINT64_C(0x9E3779B97F4A7C15) ^ y * UINT64_C(0xC2B2AE3D27D4EB4F) ^
                 entry * UINT64_C(0x165667B19E3779F9);
    return (uint32_t)((h ^ (h >> 31)) * UINT64_C(0x9E3779B97F4A7C15) >> 49);
}

/* The cell that is equal to C in place and entry, or none. */
static struct odp_chart_map_cell *find(struct odp_chart_map_cells *m, const struct odp_chart_map_cell *c)
{
    for (uint32_t i = m->slots[slot_of(c->x, c->y, c->entry)]; i != 0; i = m->cell[i - 1].next)
        if (m->cell[i - 1].x == c->x && m->cell[i - 1].y == c->y && m->cell[i - 1].entry == c->entry)
            return &m->cell[i - 1];
    return NULL;
}

/* Adds or merges; there is room. */
static void put(struct odp_chart_map_cells *m, struct odp_chart_map_cell c)
{
    struct odp_chart_map_cell *there = find(m, &c);
    if (there != NULL) {
        there->n += c.n;
        there->sum += c.sum;
        return;
    }
    uint32_t *slot = &m->slots[slot_of(c.x, c.y, c.entry)];
    c.next = *slot;
    m->cell[m->n] = c;
    *slot = ++m->n;
}

static void coarsen(struct odp_chart_map_cells *m)
{
    uint32_t n = m->n;
    memset(m->slots, 0, sizeof m->slots);
    m->n = 0;
    m->level--;
    for (uint32_t i = 0; i < n; i++) {
        struct odp_chart_map_cell c = m->cell[i];
        c.x >>= 1;
        c.y >>= 1;
        put(m, c); /* never behind i */
    }
}

void odp_chart_map_add(struct odp_chart_data *d, uint32_t entry, const double at[2], odp_fixed value)
{
    if (d->cells == NULL) {
        d->cells = odp_arena_zero(&d->arena, 1, sizeof *d->cells);
        d->cells->level = LEVEL;
    }
    struct odp_chart_map_cells *m = d->cells;
    const double cells = (double)(UINT32_C(1) << LEVEL);
    double x = (at[0] + 180.0) / 360.0 * cells,
           y = (at[1] + 180.0) / 360.0 * cells; /* cells are square in degrees */
    unsigned down = LEVEL - m->level;
    x = x < 0 ? 0 : fmin(x, cells - 1);
    y = y < 0 ? 0 : fmin(y, cells - 1);
    put(m, (struct odp_chart_map_cell){
               .x = (uint32_t)x >> down, .y = (uint32_t)y >> down, .entry = entry, .n = 1, .sum = value});
    while (m->n > ODP_CHART_SYMBOLS_MAX && m->level > 0)
        coarsen(m);
}

/* ---- a record ---- */

/* What tells the entry of CATEGORY and SERIES from all others. */
static const char *key_of(struct odp_chart_data *d, struct odp_slice category, struct odp_slice series)
{
    odp_buffer_clear(&d->key);
    odp_buffer_add_u64(&d->key, category.len);
    odp_buffer_add_char(&d->key, category.ptr == NULL ? '-' : ':');
    odp_buffer_add_slice(&d->key, category);
    odp_buffer_add_char(&d->key, series.ptr == NULL ? '-' : ':');
    odp_buffer_add_slice(&d->key, series);
    return odp_buffer_cstr(&d->key);
}

struct odp_chart_entry *odp_chart_entry_of(struct odp_chart_data *d, struct odp_slice category,
                                           struct odp_slice series)
{
    const char *key = key_of(d, category, series);
    json_t *at = json_object_get(d->known, key);
    size_t text;
    if (at != NULL)
        return &d->entries[json_integer_value(at)];
    if (d->nentries == ODP_CHART_CELLS_MAX || __builtin_add_overflow(category.len, series.len, &text) ||
        text > ODP_CHART_TEXT_MAX - d->text) {
        d->fault = ODP_CHART_TOO_MANY;
        odp_chart_gather_drop(d);
        return NULL;
    }
    if (d->nentries == d->cap) {
        d->cap = d->cap != 0 ? d->cap * 2 : 64;
        struct odp_chart_entry *grown = odp_arena_array(&d->arena, d->cap, sizeof *grown);
        if (d->nentries > 0)
            memcpy(grown, d->entries, d->nentries * sizeof *grown);
        d->entries = grown;
    }
    struct odp_chart_entry *e = &d->entries[d->nentries];
    *e = (struct odp_chart_entry){.category = category, .series = series};
    if (category.ptr != NULL)
        e->category = odp_arena_copy(&d->arena, category);
    if (series.ptr != NULL)
        e->series = odp_arena_copy(&d->arena, series);
    d->text += text;
    json_object_set_new_nocheck(d->known, key, json_integer(d->nentries++));
    return e;
}

static struct odp_slice cell(const struct odp_slice *field, int i)
{
    return i >= 0 ? field[i] : (struct odp_slice){"", 0};
}

void odp_chart_data_add(struct odp_chart_data *d, const struct odp_slice *field, const double *at)
{
    const struct odp_chart *c = d->chart;
    odp_fixed value = ODP_FIXED_ONE;
    unsigned places;
    if (d->fault != ODP_CHART_FINE)
        return;
    d->records++;
    if (c->type == ODP_CHART_MAP && at == NULL) {
        d->no_place++;
        return;
    }
    bool valued =
        c->value >= 0 && (c->type == ODP_CHART_MAP ? c->category < 0 : c->aggregate != ODP_CHART_COUNT);
    if (valued && field[c->value].ptr == NULL) {
        d->no_value++;
        return;
    }
    if ((valued && !odp_chart_number_parse(field[c->value], &value, &places)) ||
        d->records > ODP_CHART_RECORDS_MAX) {
        d->fault = ODP_CHART_TOO_LARGE;
        odp_chart_gather_drop(d);
        return;
    }
    if (valued && places > d->places)
        d->places = places;
    bool series = c->type != ODP_CHART_MAP && c->series >= 0;
    struct odp_chart_entry *e =
        odp_chart_entry_of(d, cell(field, c->category), cell(field, series ? c->series : -1));
    if (e == NULL)
        return;
    odp_chart_sum_add(&e->sum, value);
    if (c->type == ODP_CHART_MAP)
        odp_chart_map_add(d, (uint32_t)(e - d->entries), at, value);
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
