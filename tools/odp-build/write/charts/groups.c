/* Turns gathered sums, after the last record, into the categories, series and values of a chart; of maps into
 * symbols, by category or by class of value. Groups are ordered, and those beyond the limits folded into one
 * (docs/formats.md, "Order and folding"). Folding waits for the last record: earlier it would depend on the
 * records' order. */
#include "write/charts/charts_internal.h"

#include <stdlib.h>

enum { YEARS_FILLED = 200, GROUPED_BARS = 54, GROUPED_COLUMNS = 110 };
enum order { ORDER_PLACE /* group.at */, ORDER_VALUE, ORDER_TEXT };

/* ---- groups by key ---- */

struct item {
    struct odp_slice key;
    uint32_t entry;
};

static int key_cmp(struct odp_slice a, struct odp_slice b)
{
    if ((a.ptr == NULL) != (b.ptr == NULL))
        return a.ptr == NULL ? 1 : -1;
    return odp_slice_cmp(a, b);
}

static int item_cmp(const void *a, const void *b)
{
    return key_cmp(((const struct item *)a)->key, ((const struct item *)b)->key);
}

/* The groups of all entries by category or by series, in order of their keys. Returns each entry's group. */
static uint32_t *collect(struct odp_chart_data *d, bool series, struct chart_group **groups, uint32_t *n)
{
    struct item *items = odp_arena_array(&d->arena, d->nentries + 1, sizeof *items);
    /* one more for what is folded */
    struct chart_group *g = *groups = odp_arena_zero(&d->arena, d->nentries + 2, sizeof *g);
    uint32_t *of = odp_arena_zero(&d->arena, d->nentries + 1, sizeof *of);
    for (uint32_t i = 0; i < d->nentries; i++)
        items[i] = (struct item){series ? d->entries[i].series : d->entries[i].category, i};
    qsort(items, d->nentries, sizeof *items, item_cmp);
    *n = 0;
    for (uint32_t i = 0; i < d->nentries; i++) {
        if (i == 0 || item_cmp(&items[i], &items[i - 1]) != 0) {
            g[*n] = (struct chart_group){
                .key = items[i].key, .kind = items[i].key.ptr == NULL ? GROUP_NULL : GROUP_VALUE, .from = *n};
            ++*n;
        }
        chart_sum_add(&g[*n - 1].sum, &d->entries[items[i].entry].sum);
        of[items[i].entry] = *n - 1;
    }
    for (uint32_t i = 0; i < *n; i++)
        g[i].value = chart_aggregate(d, &g[i].sum);
    return of;
}

/* ---- their order ---- */

static enum chart_axis axis_of(const struct odp_chart_data *d, int field, bool numbers)
{
    static const enum chart_axis dates[] = {[ODP_DATE] = AXIS_TIME,
                                            [ODP_TIME] = AXIS_TEXT,
                                            [ODP_DATETIME] = AXIS_TIME,
                                            [ODP_YEAR] = AXIS_YEAR,
                                            [ODP_YEARMONTH] = AXIS_TIME};
    if (field < 0)
        return AXIS_TEXT;
    const struct odp_field_type *type = odp_field_type(d->resource->schema.fields[field].type);
    if (type->family == ODP_FAMILY_DATE)
        return dates[type->date];
    return type->family == ODP_FAMILY_NUMBER && numbers ? AXIS_NUMBER : AXIS_TEXT;
}

static bool is_time(enum chart_axis axis)
{
    return axis == AXIS_TIME || axis == AXIS_YEAR;
}

static double days_of(struct odp_slice text, enum odp_date_kind kind)
{
    struct odp_datetime t;
    if (odp_date_parse(text, kind, NULL, "UTC", &t) != ODP_DATE_OK)
        return 0;
    if (kind == ODP_YEARMONTH)
        t.day = 1;
    int64_t seconds = kind == ODP_DATETIME ? (t.hour * 60 + t.minute) * 60 + t.second : 0;
    return (double)odp_date_days(&t) + (double)seconds / 86400.0;
}

static double place_of(const struct odp_field *f, enum chart_axis axis, struct odp_slice key)
{
    size_t k = 0;
    fixed v;
    unsigned places;
    if (axis == AXIS_TIME)
        return days_of(key, odp_field_type(f->type)->date);
    if (axis != AXIS_TEXT) {
        (void)fixed_parse(key, &v, &places);
        return (double)v / 1e9;
    }
    while (k < f->ncategories && !odp_slice_eq(f->categories[k].value, key))
        k++;
    return (double)k;
}

/* Sorts the categories of FIELD. */
static enum order place_groups(const struct odp_field *f, struct chart_group *g, uint32_t n,
                               enum chart_axis axis, bool by_value)
{
    bool list = f->ncategories > 0 && (f->categories_ordered || !by_value);
    if (axis == AXIS_TEXT && !list)
        return by_value ? ORDER_VALUE : ORDER_TEXT;
    for (uint32_t i = 0; i < n; i++)
        if (g[i].kind == GROUP_VALUE)
            g[i].at = place_of(f, axis, g[i].key);
    return ORDER_PLACE;
}

/* The order of P and Q, by which the larger comes first; else that of the keys. */
static int larger_first(fixed p, fixed q, const struct chart_group *x, const struct chart_group *y)
{
    return p != q ? (p < q) - (p > q) : key_cmp(x->key, y->key);
}

static int rank_cmp(const void *a, const void *b)
{
    const struct chart_group *x = a, *y = b;
    return larger_first(fixed_absolute(x->value), fixed_absolute(y->value), x, y);
}

static int value_cmp(const void *a, const void *b)
{
    const struct chart_group *x = a, *y = b;
    return larger_first(x->value, y->value, x, y);
}

static int text_cmp(const void *a, const void *b)
{
    return key_cmp(((const struct chart_group *)a)->key, ((const struct chart_group *)b)->key);
}

static int place_cmp(const void *a, const void *b)
{
    const struct chart_group *x = a, *y = b;
    if ((x->kind == GROUP_NULL) != (y->kind == GROUP_NULL))
        return x->kind == GROUP_NULL ? 1 : -1;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : text_cmp(a, b);
}

static int latest_cmp(const void *a, const void *b)
{
    const struct chart_group *x = a, *y = b;
    bool decided = (x->kind == GROUP_NULL) != (y->kind == GROUP_NULL) || x->at != y->at;
    return decided ? -place_cmp(a, b) : text_cmp(a, b);
}

static int (*const orders[])(const void *, const void *) = {
    [ORDER_PLACE] = place_cmp, [ORDER_VALUE] = value_cmp, [ORDER_TEXT] = text_cmp};

/* Categories, or series: its groups, and how they are to be arranged. */
struct arrangement {
    struct chart_group *groups;
    uint32_t n, most;
    enum order order;
    bool time;
};

/* Keeps the most of the groups, the rest becomes one; sorts; the GROUP of each entry follows. */
static void arrange(struct odp_chart_data *d, struct arrangement *a, uint32_t *group)
{
    struct chart_group rest = {.kind = a->time ? GROUP_EARLIER : GROUP_OTHERS}, *g = a->groups;
    uint32_t kept = a->n < a->most ? a->n : a->most;
    uint32_t *into = odp_arena_array(&d->arena, a->n + 1, sizeof *into);
    if (kept < a->n)
        qsort(g, a->n, sizeof *g, a->time ? latest_cmp : rank_cmp);
    for (uint32_t i = kept; i < a->n; i++)
        chart_sum_add(&rest.sum, &g[i].sum);
    rest.folded = a->n - kept;
    rest.value = chart_aggregate(d, &rest.sum);
    qsort(g, kept, sizeof *g, orders[a->order]);
    uint32_t shift = rest.folded > 0 && a->time ? 1 : 0, at = shift != 0 ? 0 : kept;
    for (uint32_t i = 0; i < a->n; i++)
        into[g[i].from] = i < kept ? i + shift : at;
    for (uint32_t i = 0; i < d->nentries; i++)
        group[i] = into[group[i]];
    if (rest.folded == 0)
        return;
    memmove(g + shift, g, kept * sizeof *g);
    g[at] = rest;
    a->n = kept + 1;
}

/* Are all groups values? Then colours may go from light to dark. */
static bool are_steps(const struct chart_group *g, uint32_t n)
{
    bool all = n > 1 && n <= CHART_CLASSES;
    for (uint32_t i = 0; i < n; i++)
        all = all && g[i].kind == GROUP_VALUE;
    return all;
}

static const uint32_t *make_series(struct odp_chart_data *d)
{
    const struct odp_chart *c = d->chart;
    uint32_t *group = collect(d, true, &d->series, &d->nseries);
    if (c->series < 0)
        return group;
    enum chart_axis axis = axis_of(d, c->series, true);
    struct arrangement a = {d->series, d->nseries, CHART_SERIES_MAX, ORDER_TEXT, is_time(axis)};
    a.order = place_groups(&d->resource->schema.fields[c->series], a.groups, a.n, axis, true);
    arrange(d, &a, group);
    d->nseries = a.n;
    d->steps = c->type != ODP_CHART_LINE && a.order == ORDER_PLACE && are_steps(d->series, d->nseries);
    return group;
}

/* Counted by year, a year between without a record counts zero, and is drawn so. */
static void fill_years(struct odp_chart_data *d)
{
    double lo = 9999, hi = 0;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct chart_group *g = &d->categories[i];
        if (g->kind == GROUP_VALUE) {
            lo = g->at < lo ? g->at : lo;
            hi = g->at > hi ? g->at : hi;
        }
    }
    if (hi <= lo || hi - lo > YEARS_FILLED)
        return;
    struct chart_group *all = odp_arena_zero(&d->arena, d->ncategories + YEARS_FILLED + 2, sizeof *all);
    memcpy(all, d->categories, d->ncategories * sizeof *all);
    uint32_t n = d->ncategories;
    for (int year = (int)lo + 1; year < (int)hi; year++) {
        uint32_t i = 0;
        while (i < d->ncategories && (all[i].kind != GROUP_VALUE || (int)all[i].at != year))
            i++;
        if (i < d->ncategories)
            continue;
        const char *key = odp_arena_printf(&d->arena, "%04d", year);
        all[n] = (struct chart_group){.key = odp_slice_of(key), .at = year, .from = n};
        n++;
    }
    d->categories = all;
    d->ncategories = n;
}

/* Maximum number of categories, where the chart asks for MOST. Standing bars: as many as are legible side by
 * side. */
static uint32_t most_categories(const struct odp_chart_data *d, uint32_t most)
{
    const struct odp_chart *c = d->chart;
    if (d->ordered && !chart_is_map(d))
        most = CHART_BARS_MAX;
    if (c->type == ODP_CHART_LINE && d->axis != AXIS_TEXT)
        return CHART_CELLS_MAX;
    if (c->type != ODP_CHART_BAR || c->series < 0)
        return most;
    uint32_t series = d->nseries > 0 ? d->nseries : 1,
             legible = (is_time(d->axis) ? GROUPED_COLUMNS : GROUPED_BARS) / series - 1;
    return legible < most ? legible : most;
}

/* At most MOST categories and one for the rest. Returns each entry's. */
static const uint32_t *make_categories(struct odp_chart_data *d, uint32_t most)
{
    const struct odp_chart *c = d->chart;
    bool map = chart_is_map(d);
    uint32_t *group = collect(d, false, &d->categories, &d->ncategories);
    enum order order = ORDER_TEXT;
    if (c->category >= 0)
        order = place_groups(&d->resource->schema.fields[c->category], d->categories, d->ncategories, d->axis,
                             c->by_value || map);
    d->ordered = order == ORDER_PLACE;
    if (d->axis == AXIS_YEAR && c->aggregate == ODP_CHART_COUNT && !map)
        fill_years(d);
    struct arrangement a = {d->categories, d->ncategories, most_categories(d, most), order, is_time(d->axis)};
    arrange(d, &a, group);
    d->ncategories = a.n;
    return group;
}

/* ---- maps ---- */

static int fixed_cmp(const void *a, const void *b)
{
    fixed x = *(const fixed *)a, y = *(const fixed *)b;
    return (x > y) - (x < y);
}

/* Classes by value: five of as equal size as equal values allow. INTO[cell]: its class. */
static void classify(struct odp_chart_data *d, uint32_t *into)
{
    const struct chart_grid *m = d->grid;
    fixed *value = odp_arena_array(&d->arena, m->n, sizeof *value),
          *sorted = odp_arena_array(&d->arena, m->n, sizeof *sorted), from[CHART_CLASSES] = {0};
    uint32_t n = 0;
    d->categories = odp_arena_zero(&d->arena, CHART_CLASSES, sizeof *d->categories);
    for (uint32_t i = 0; i < m->n; i++)
        sorted[i] = value[i] = fixed_divide(m->cell[i].sum, (fixed)m->cell[i].n);
    qsort(sorted, m->n, sizeof *sorted, fixed_cmp);
    for (uint32_t k = 0; k < CHART_CLASSES; k++) {
        fixed v = sorted[(size_t)m->n * k / CHART_CLASSES];
        if (n == 0 || v > from[n - 1])
            from[n++] = v;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t k = n - 1;
        while (value[i] < from[k])
            k--;
        chart_sum_add(&d->categories[k].sum,
                      &(const struct chart_sum){m->cell[i].n, m->cell[i].sum, value[i], value[i]});
        into[i] = k;
    }
    for (uint32_t k = 0; k < n; k++) {
        d->categories[k].kind = GROUP_CLASS;
        d->categories[k].value = (fixed)d->categories[k].sum.n * FIXED_ONE;
    }
    d->ncategories = n;
    d->steps = n > 1;
    fixed low = fixed_absolute(sorted[0]), high = fixed_absolute(sorted[m->n - 1]);
    chart_label_scale(d, low > high ? low : high);
}

/* Groups by the entries' categories. INTO[cell]: its group. */
static void group_cells(struct odp_chart_data *d, uint32_t *into)
{
    int64_t top = d->chart->top;
    const uint32_t *of =
        make_categories(d, top > 0 && top < CHART_SERIES_MAX ? (uint32_t)top : CHART_SERIES_MAX);
    for (uint32_t i = 0; i < d->grid->n; i++)
        into[i] = of[d->grid->cell[i].entry];
    d->steps = d->ordered && are_steps(d->categories, d->ncategories);
    d->places = 0;
    chart_label_scale(d, 0);
}

/* Mixed well, but by where and what they are alone. */
static uint64_t mixed(const struct chart_symbol *s)
{
    uint64_t h = (uint64_t)((s->lon + 180) * 1e7) * UINT64_C(0x9E3779B97F4A7C15) ^
                 (uint64_t)((s->lat + 180) * 1e7) * UINT64_C(0xC2B2AE3D27D4EB4F);
    h = (h ^ (h >> 31) ^ s->group) * UINT64_C(0x165667B19E3779F9);
    return h ^ (h >> 29);
}

static int symbol_cmp(const void *a, const void *b)
{
    const struct chart_symbol *x = a, *y = b;
    uint64_t p = mixed(x), q = mixed(y);
    if (p != q)
        return p < q ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->lat != y->lat)
        return x->lat > y->lat ? -1 : 1;
    return (x->lon > y->lon) - (x->lon < y->lon);
}

static void make_symbols(struct odp_chart_data *d, const uint32_t *into)
{
    const struct chart_grid *m = d->grid;
    double size = 360.0 / (double)(UINT32_C(1) << m->level);
    bool any = false;
    d->symbols = odp_arena_array(&d->arena, m->n, sizeof *d->symbols);
    for (uint32_t i = 0; i < m->n; i++) {
        double lon = (m->cell[i].x + 0.5) * size - 180.0, lat = (m->cell[i].y + 0.5) * size - 180.0;
        d->symbols[i] = (struct chart_symbol){.lon = lon, .lat = lat, .n = m->cell[i].n, .group = into[i]};
        odp_bbox_extend(d->box, &any, (const double[]){lon, lat, lon, lat});
    }
    d->nsymbols = m->n;
    qsort(d->symbols, d->nsymbols, sizeof *d->symbols, symbol_cmp);
}

static void finish_map(struct odp_chart_data *d, const struct odp_code_lists *codes)
{
    bool by_value = d->chart->category < 0 && d->chart->value >= 0;
    if (d->grid == NULL) {
        chart_label_scale(d, 0);
        return;
    }
    uint32_t *into = odp_arena_array(&d->arena, d->grid->n, sizeof *into);
    (by_value ? classify : group_cells)(d, into);
    make_symbols(d, into);
    chart_label_groups(d, d->categories, d->ncategories, d->chart->category, codes);
}

/* ---- the whole ---- */

/* A line on an axis of time or numbers has no place for null. */
static void drop_null(struct odp_chart_data *d)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->nentries; i++) {
        if (d->entries[i].category.ptr == NULL)
            d->no_time += d->entries[i].sum.n;
        else
            d->entries[kept++] = d->entries[i];
    }
    d->nentries = kept;
}

static void make_values(struct odp_chart_data *d, const uint32_t *category, const uint32_t *series)
{
    size_t n = (size_t)d->ncategories * d->nseries;
    struct chart_sum *sums = odp_arena_zero(&d->arena, n + 1, sizeof *sums);
    d->values = odp_arena_zero(&d->arena, n + 1, sizeof *d->values);
    for (uint32_t i = 0; i < d->nentries; i++)
        chart_sum_add(&sums[(size_t)category[i] * d->nseries + series[i]], &d->entries[i].sum);
    for (size_t i = 0; i < n; i++)
        d->values[i] =
            (struct chart_value){.present = sums[i].n > 0 || d->chart->aggregate == ODP_CHART_COUNT,
                                 .value = chart_aggregate(d, &sums[i])};
}

static void finish_bars(struct odp_chart_data *d, const struct odp_code_lists *codes)
{
    const struct odp_chart *c = d->chart;
    fixed lo, hi;
    if (c->type == ODP_CHART_LINE && d->axis != AXIS_TEXT)
        drop_null(d);
    const uint32_t *series = make_series(d),
                   *category = make_categories(d, c->top <= 0 || c->top > CHART_BARS_MAX ? CHART_BARS_MAX
                                                                                         : (uint32_t)c->top);
    make_values(d, category, series);
    if (c->aggregate == ODP_CHART_MEAN && d->places + 2 <= FIXED_PLACES)
        d->places += 2;
    chart_label_groups(d, d->categories, d->ncategories, c->category, codes);
    chart_label_groups(d, d->series, d->nseries, c->series, codes);
    chart_extent(d, &lo, &hi);
    chart_label_scale(d, -lo > hi ? -lo : hi);
}

static void finish_histogram(struct odp_chart_data *d, const struct odp_code_lists *codes)
{
    chart_bins_finish(d);
    chart_label_groups(d, d->categories, d->ncategories, -1, codes);
}

enum odp_status odp_chart_data_finish(struct odp_chart_data *d, const struct odp_code_lists *codes)
{
    const struct odp_chart *c = d->chart;
    static void (*const finish[])(struct odp_chart_data *,
                                  const struct odp_code_lists *) = {[ODP_CHART_BAR] = finish_bars,
                                                                    [ODP_CHART_LINE] = finish_bars,
                                                                    [ODP_CHART_STACKED] = finish_bars,
                                                                    [ODP_CHART_MAP] = finish_map,
                                                                    [ODP_CHART_HISTOGRAM] = finish_histogram,
                                                                    [ODP_CHART_GANTT] = chart_tasks_finish};
    if (d->fault == CHART_FINE) {
        d->axis = axis_of(d, c->category, c->type == ODP_CHART_LINE || !c->by_value);
        finish[c->type](d, codes);
        chart_gather_drop(d);
    }
    return odp_buffer_status(&d->key);
}

bool odp_chart_data_is_empty(const struct odp_chart_data *d)
{
    return d->fault != CHART_FINE || (chart_is_map(d) ? d->nsymbols : d->ncategories) == 0;
}

bool odp_chart_data_is_idle(const struct odp_chart_data *d)
{
    return d->chart->derived && (odp_chart_data_is_empty(d) || (d->ncategories < 2 && !chart_is_gantt(d)));
}
