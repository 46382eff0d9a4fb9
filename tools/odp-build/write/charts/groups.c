/* The groups of a chart, by category or by series: in their order, what is beyond the limits folded into one
 * (docs/formats.md, "Order and folding"). Folding waits for the last record: while records pass it would
 * depend on their order. */
#include "write/charts/charts_internal.h"

#include <stdlib.h>

enum { YEARS_FILLED = 200, GROUPED_BARS = 54, GROUPED_COLUMNS = 110 };
enum order { ORDER_PLACE /* group.at */, ORDER_VALUE, ORDER_TEXT };

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
static uint32_t *collect(struct odp_chart_data *d, bool series, struct odp_chart_group **groups, uint32_t *n)
{
    struct item *items = odp_arena_array(&d->arena, d->nentries + 1, sizeof *items);
    struct odp_chart_group *g =
        odp_arena_zero(&d->arena, d->nentries + 2, sizeof *g); /* one more for what is folded */
    uint32_t *of = odp_arena_zero(&d->arena, d->nentries + 1, sizeof *of);
    for (uint32_t i = 0; i < d->nentries; i++)
        items[i] = (struct item){series ? d->entries[i].series : d->entries[i].category, i};
    qsort(items, d->nentries, sizeof *items, item_cmp);
    *n = 0;
    for (uint32_t i = 0; i < d->nentries; i++) {
        if (i == 0 || key_cmp(items[i].key, items[i - 1].key) != 0) {
            g[*n] = (struct odp_chart_group){
                .key = items[i].key, .kind = items[i].key.ptr == NULL ? ODP_GROUP_NULL : ODP_GROUP_VALUE};
            (*n)++;
        }
        odp_chart_sum_merge(&g[*n - 1].sum, &d->entries[items[i].entry].sum);
        of[items[i].entry] = *n - 1;
    }
    for (uint32_t i = 0; i < *n; i++) {
        g[i].from = i;
        g[i].value = odp_chart_aggregate_of(d, &g[i].sum);
    }
    *groups = g;
    return of;
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

/* Where the categories of FIELD stand, and how they are ordered. */
static enum order place_groups(const struct odp_chart_data *d, struct odp_chart_group *g, uint32_t n,
                               int field, enum odp_chart_axis axis, bool by_value)
{
    const struct odp_field *f = &d->resource->schema.fields[field];
    bool list = f->ncategories > 0 && (f->categories_ordered || !by_value);
    if (axis == ODP_AXIS_TEXT && !list)
        return by_value ? ORDER_VALUE : ORDER_TEXT;
    for (uint32_t i = 0; i < n; i++) {
        odp_fixed v;
        unsigned places;
        if (g[i].kind != ODP_GROUP_VALUE)
            continue;
        if (axis == ODP_AXIS_TIME) {
            g[i].at = days_of(g[i].key, odp_field_type(f->type)->date);
        } else if (axis != ODP_AXIS_TEXT) {
            (void)odp_chart_number_parse(g[i].key, &v, &places);
            g[i].at = (double)v / 1e9;
        } else {
            size_t k = 0;
            while (k < f->ncategories && !odp_slice_eq(f->categories[k].value, g[i].key))
                k++;
            g[i].at = (double)k;
        }
    }
    return ORDER_PLACE;
}

/* The order of P and Q, by which the larger comes first; else that of the keys. */
static int larger_first(odp_fixed p, odp_fixed q, const struct odp_chart_group *x,
                        const struct odp_chart_group *y)
{
    return p != q ? (p < q) - (p > q) : key_cmp(x->key, y->key);
}

static int rank_cmp(const void *a, const void *b)
{
    const struct odp_chart_group *x = a, *y = b;
    return larger_first(odp_chart_number_absolute(x->value), odp_chart_number_absolute(y->value), x, y);
}

static int latest_cmp(const void *a, const void *b)
{
    const struct odp_chart_group *x = a, *y = b;
    if ((x->kind == ODP_GROUP_NULL) != (y->kind == ODP_GROUP_NULL))
        return x->kind == ODP_GROUP_NULL ? -1 : 1;
    return x->at != y->at ? (x->at < y->at) - (x->at > y->at) : key_cmp(x->key, y->key);
}

static int value_cmp(const void *a, const void *b)
{
    const struct odp_chart_group *x = a, *y = b;
    return larger_first(x->value, y->value, x, y);
}

static int place_cmp(const void *a, const void *b)
{
    const struct odp_chart_group *x = a, *y = b;
    bool last = x->kind == ODP_GROUP_NULL, other = y->kind == ODP_GROUP_NULL;
    if (last != other)
        return last ? 1 : -1;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : key_cmp(x->key, y->key);
}

static int text_cmp(const void *a, const void *b)
{
    return key_cmp(((const struct odp_chart_group *)a)->key, ((const struct odp_chart_group *)b)->key);
}

static int (*const orders[])(const void *, const void *) = {
    [ORDER_PLACE] = place_cmp, [ORDER_VALUE] = value_cmp, [ORDER_TEXT] = text_cmp};

/* Keeps MOST of the *N groups, the rest becomes one; sorts; INTO[old index] is the new one. */
static void arrange(const struct odp_chart_data *d, struct odp_chart_group *g, uint32_t *n, uint32_t most,
                    enum order order, bool time, uint32_t *into)
{
    struct odp_chart_group rest = {.kind = time ? ODP_GROUP_EARLIER : ODP_GROUP_OTHERS};
    uint32_t kept = *n;
    if (*n > most) {
        qsort(g, *n, sizeof *g, time ? latest_cmp : rank_cmp);
        kept = most;
        for (uint32_t i = most; i < *n; i++)
            odp_chart_sum_merge(&rest.sum, &g[i].sum);
        rest.folded = *n - most;
        rest.value = odp_chart_aggregate_of(d, &rest.sum);
    }
    qsort(g, kept, sizeof *g, orders[order]);
    uint32_t shift = rest.folded > 0 && time ? 1 : 0, at = shift != 0 ? 0 : kept;
    for (uint32_t i = 0; i < kept; i++)
        into[g[i].from] = i + shift;
    for (uint32_t i = kept; i < *n; i++)
        into[g[i].from] = at;
    if (rest.folded == 0)
        return;
    memmove(g + shift, g, kept * sizeof *g);
    g[at] = rest;
    *n = kept + 1;
}

/* Counted by year, a year between without a record counts zero, and is drawn so. */
static void fill_years(struct odp_chart_data *d)
{
    double lo = 9999, hi = 0;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct odp_chart_group *g = &d->categories[i];
        if (g->kind == ODP_GROUP_VALUE) {
            lo = g->at < lo ? g->at : lo;
            hi = g->at > hi ? g->at : hi;
        }
    }
    if (hi <= lo || hi - lo > YEARS_FILLED)
        return;
    struct odp_chart_group *all = odp_arena_zero(&d->arena, d->ncategories + YEARS_FILLED + 2, sizeof *all);
    memcpy(all, d->categories, d->ncategories * sizeof *all);
    uint32_t n = d->ncategories;
    for (int year = (int)lo + 1; year < (int)hi; year++) {
        uint32_t i = 0;
        while (i < d->ncategories && (all[i].kind != ODP_GROUP_VALUE || (int)all[i].at != year))
            i++;
        if (i < d->ncategories)
            continue;
        const char *key = odp_arena_printf(&d->arena, "%04d", year);
        all[n] = (struct odp_chart_group){
            .kind = ODP_GROUP_VALUE, .key = odp_slice_of(key), .at = year, .from = n};
        n++;
    }
    d->categories = all;
    d->ncategories = n;
}

enum odp_chart_axis odp_chart_axis_of(const struct odp_chart_data *d, int field, bool numbers)
{
    static const enum odp_chart_axis dates[] = {[ODP_DATE] = ODP_AXIS_TIME,
                                                [ODP_TIME] = ODP_AXIS_TEXT,
                                                [ODP_DATETIME] = ODP_AXIS_TIME,
                                                [ODP_YEAR] = ODP_AXIS_YEAR,
                                                [ODP_YEARMONTH] = ODP_AXIS_TIME};
    if (field < 0)
        return ODP_AXIS_TEXT;
    const struct odp_field_type *type = odp_field_type(d->resource->schema.fields[field].type);
    if (type->family == ODP_FAMILY_DATE)
        return dates[type->date];
    return type->family == ODP_FAMILY_NUMBER && numbers ? ODP_AXIS_NUMBER : ODP_AXIS_TEXT;
}

static bool is_time(enum odp_chart_axis axis)
{
    return axis == ODP_AXIS_TIME || axis == ODP_AXIS_YEAR;
}

/* Bars beside one another: so many categories that all of them can be drawn legibly. */
static uint32_t few_enough(const struct odp_chart_data *d, uint32_t most, bool time)
{
    uint32_t series = d->nseries > 0 ? d->nseries : 1, bars = time ? GROUPED_COLUMNS : GROUPED_BARS,
             fit = bars / series - 1;
    return fit < most ? fit : most;
}

const uint32_t *odp_chart_categories_make(struct odp_chart_data *d, uint32_t most)
{
    const struct odp_chart *c = d->chart;
    bool map = c->type == ODP_CHART_MAP, time = is_time(d->axis);
    uint32_t *group = collect(d, false, &d->categories, &d->ncategories);
    enum order order = ORDER_TEXT;
    if (c->category >= 0)
        order = place_groups(d, d->categories, d->ncategories, c->category, d->axis, c->by_value || map);
    d->ordered = order == ORDER_PLACE;
    if (d->axis == ODP_AXIS_YEAR && c->aggregate == ODP_CHART_COUNT && !map)
        fill_years(d);
    if (d->ordered && !map)
        most = ODP_CHART_BARS_MAX;
    if (c->type == ODP_CHART_LINE && d->axis != ODP_AXIS_TEXT)
        most = ODP_CHART_CELLS_MAX;
    if (c->type == ODP_CHART_BAR && c->series >= 0)
        most = few_enough(d, most, time);
    uint32_t *into = odp_arena_array(&d->arena, d->ncategories + 1, sizeof *into);
    arrange(d, d->categories, &d->ncategories, most, order, time, into);
    for (uint32_t i = 0; i < d->nentries; i++)
        group[i] = into[group[i]];
    return group;
}

const uint32_t *odp_chart_series_make(struct odp_chart_data *d)
{
    const struct odp_chart *c = d->chart;
    uint32_t *group = collect(d, true, &d->series, &d->nseries);
    if (c->series < 0)
        return group;
    uint32_t *into = odp_arena_array(&d->arena, d->nentries + 1, sizeof *into);
    enum odp_chart_axis axis = odp_chart_axis_of(d, c->series, true);
    enum order order = place_groups(d, d->series, d->nseries, c->series, axis, true);
    arrange(d, d->series, &d->nseries, ODP_CHART_SERIES_MAX, order, is_time(axis), into);
    d->steps = c->type != ODP_CHART_LINE && order == ORDER_PLACE && d->nseries <= ODP_CHART_CLASSES &&
               d->nseries > 1;
    for (uint32_t i = 0; i < d->nseries; i++)
        d->steps = d->steps && d->series[i].kind == ODP_GROUP_VALUE;
    for (uint32_t i = 0; i < d->nentries; i++)
        group[i] = into[group[i]];
    return group;
}
