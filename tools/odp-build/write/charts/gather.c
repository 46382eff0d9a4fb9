/* Records to sums: of each category and series, and of maps by place. Charts may be gathered on any number of
 * threads: what comes of it does not depend on the order of the records. */
#include "write/charts/charts_internal.h"

#include <math.h>

struct odp_chart_data *odp_chart_data_new(const struct odp_chart *chart, const struct odp_resource *r)
{
    struct odp_arena arena; /* it holds the data, too */
    odp_arena_init(&arena);
    struct odp_chart_data *d = odp_arena_alloc(&arena, sizeof *d);
    *d = (struct odp_chart_data){.chart = chart, .resource = r, .known = json_object(), .arena = arena};
    return d;
}

void chart_gather_drop(struct odp_chart_data *d)
{
    json_decref(d->known);
    d->known = NULL;
    d->grid = NULL;
    d->bins = NULL;
    d->nentries = 0;
}

void odp_chart_data_free(struct odp_chart_data *d)
{
    if (d == NULL)
        return;
    chart_gather_drop(d);
    chart_tasks_release(d);
    odp_buffer_release(&d->key);
    struct odp_arena arena = d->arena;
    odp_arena_release(&arena);
}

const struct odp_chart *odp_chart_data_chart(const struct odp_chart_data *d)
{
    return d->chart;
}

/* ---- a map's grid ---- */

/* The grid begins with cells of some centimetres; where there are more than CHART_SYMBOLS_MAX of them, four
 * become one, until there are not. How often that happens depends on all records together, not on their
 * order. */
enum { LEVEL = 30 };

static uint32_t *slot_of(struct chart_grid *g, const struct chart_cell *c)
{
    uint64_t h = c->x * UINT64_C(0x9E3779B97F4A7C15) ^ c->y * UINT64_C(0xC2B2AE3D27D4EB4F) ^
                 c->entry * UINT64_C(0x165667B19E3779F9);
    return &g->slots[(h ^ (h >> 31)) * UINT64_C(0x9E3779B97F4A7C15) >> 49];
}

/* Adds or merges; there is room. */
static void put(struct chart_grid *g, struct chart_cell c)
{
    uint32_t *slot = slot_of(g, &c);
    for (uint32_t i = *slot; i != 0; i = g->cell[i - 1].next) {
        struct chart_cell *there = &g->cell[i - 1];
        if (there->x == c.x && there->y == c.y && there->entry == c.entry) {
            there->n += c.n;
            there->sum += c.sum;
            return;
        }
    }
    c.next = *slot;
    g->cell[g->n] = c;
    *slot = ++g->n;
}

static void coarsen(struct chart_grid *g)
{
    uint32_t n = g->n;
    memset(g->slots, 0, sizeof g->slots);
    g->n = 0;
    g->level--;
    for (uint32_t i = 0; i < n; i++) {
        struct chart_cell c = g->cell[i];
        c.x >>= 1;
        c.y >>= 1;
        put(g, c); /* never beyond i */
    }
}

static uint32_t cell_at(double degrees, unsigned level)
{
    const double cells = (double)(UINT32_C(1) << LEVEL);
    double v = (degrees + 180.0) / 360.0 * cells; /* cells are square in degrees */
    return (uint32_t)(v < 0 ? 0 : fmin(v, cells - 1)) >> (LEVEL - level);
}

static void add_place(struct odp_chart_data *d, uint32_t entry, const double at[2], fixed value)
{
    if (d->grid == NULL) {
        d->grid = odp_arena_zero(&d->arena, 1, sizeof *d->grid);
        d->grid->level = LEVEL;
    }
    struct chart_grid *g = d->grid;
    put(g, (struct chart_cell){.x = cell_at(at[0], g->level),
                               .y = cell_at(at[1], g->level),
                               .entry = entry,
                               .n = 1,
                               .sum = value});
    while (g->n > CHART_SYMBOLS_MAX && g->level > 0)
        coarsen(g);
}

/* ---- a record ---- */

/* Identifies the entry of CATEGORY and SERIES. */
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

static void give_up(struct odp_chart_data *d, enum chart_fault fault)
{
    d->fault = fault;
    chart_gather_drop(d);
}

static struct odp_slice copy(struct odp_chart_data *d, struct odp_slice s)
{
    return s.ptr != NULL ? odp_arena_copy(&d->arena, s) : s;
}

/* Finds or makes the entry of CATEGORY and SERIES. NULL: too many. */
static struct chart_entry *entry_of(struct odp_chart_data *d, struct odp_slice category,
                                    struct odp_slice series)
{
    const char *key = key_of(d, category, series);
    json_t *at = json_object_get(d->known, key);
    size_t text;
    if (at != NULL)
        return &d->entries[json_integer_value(at)];
    if (d->nentries == CHART_CELLS_MAX || __builtin_add_overflow(category.len, series.len, &text) ||
        text > CHART_TEXT_MAX - d->text) {
        give_up(d, CHART_TOO_MANY);
        return NULL;
    }
    d->entries = odp_arena_more(&d->arena, d->entries, d->nentries, sizeof *d->entries);
    struct chart_entry *e = &d->entries[d->nentries];
    *e = (struct chart_entry){.category = copy(d, category), .series = copy(d, series)};
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
    fixed value = FIXED_ONE;
    unsigned places = 0;
    bool map = chart_is_map(d),
         valued = chart_is_histogram(d) ||
                  (c->value >= 0 && (map ? c->category < 0 : c->aggregate != ODP_CHART_COUNT));
    if (d->fault != CHART_FINE)
        return;
    d->records++;
    if (chart_is_gantt(d)) {
        chart_tasks_add(d, field);
        return;
    }
    if (map && at == NULL) {
        d->no_place++;
        return;
    }
    if (valued && field[c->value].ptr == NULL) {
        d->no_value++;
        return;
    }
    if ((valued && !fixed_parse(field[c->value], &value, &places)) || d->records > CHART_RECORDS_MAX) {
        give_up(d, CHART_TOO_LARGE);
        return;
    }
    d->places = places > d->places ? places : d->places;
    if (chart_is_histogram(d)) {
        chart_bins_add(d, value);
        return;
    }
    struct chart_entry *e = entry_of(d, cell(field, c->category), cell(field, map ? -1 : c->series));
    if (e == NULL)
        return;
    chart_sum_add(&e->sum, &(const struct chart_sum){1, value, value, value});
    if (map)
        add_place(d, (uint32_t)(e - d->entries), at, value);
}

fixed chart_aggregate(const struct odp_chart_data *d, const struct chart_sum *s)
{
    if (s->n == 0)
        return 0;
    switch (chart_is_map(d) ? ODP_CHART_COUNT : d->chart->aggregate) {
    case ODP_CHART_COUNT:
        return (fixed)s->n * FIXED_ONE;
    case ODP_CHART_SUM:
        return s->sum;
    case ODP_CHART_MIN:
        return s->least;
    case ODP_CHART_MAX:
        return s->greatest;
    case ODP_CHART_MEAN:
        break;
    }
    fixed unit = fixed_power(d->places + 2 < FIXED_PLACES ? FIXED_PLACES - d->places - 2 : 0);
    return fixed_divide(s->sum, (fixed)s->n * unit) * unit;
}
