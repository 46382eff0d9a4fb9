/* What a chart shows, after the last record: the gathered sums as groups, values and labels. */
#include "write/charts/charts_internal.h"

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
    struct odp_chart_sum *sums = odp_arena_zero(&d->arena, n + 1, sizeof *sums);
    d->values = odp_arena_zero(&d->arena, n + 1, sizeof *d->values);
    for (uint32_t i = 0; i < d->nentries; i++)
        odp_chart_sum_merge(&sums[(size_t)category[i] * d->nseries + series[i]], &d->entries[i].sum);
    for (size_t i = 0; i < n; i++)
        d->values[i] =
            (struct odp_chart_value){.present = sums[i].n > 0 || d->chart->aggregate == ODP_CHART_COUNT,
                                     .value = odp_chart_aggregate_of(d, &sums[i])};
}

/* The largest that the picture has to show: a value, or parts of a bar together. */
static odp_fixed largest_of(const struct odp_chart_data *d)
{
    odp_fixed lo, hi;
    odp_chart_extent(d, &lo, &hi);
    return -lo > hi ? -lo : hi;
}

enum odp_status odp_chart_data_finish(struct odp_chart_data *d, const struct odp_code_lists *codes)
{
    const struct odp_chart *c = d->chart;
    uint32_t most = c->top <= 0 || c->top > ODP_CHART_BARS_MAX ? ODP_CHART_BARS_MAX : (uint32_t)c->top;
    if (d->fault != ODP_CHART_FINE)
        return odp_buffer_status(&d->key);
    d->axis = odp_chart_axis_of(d, c->category, c->type == ODP_CHART_LINE || !c->by_value);
    if (c->type == ODP_CHART_MAP) {
        odp_chart_map_finish(d, codes);
        return odp_buffer_status(&d->key);
    }
    if (c->type == ODP_CHART_LINE && d->axis != ODP_AXIS_TEXT)
        drop_null(d);
    const uint32_t *series = odp_chart_series_make(d), *category = odp_chart_categories_make(d, most);
    make_values(d, category, series);
    odp_chart_gather_drop(d);
    if (d->chart->aggregate == ODP_CHART_MEAN && d->places + 2 <= ODP_FIXED_PLACES)
        d->places += 2;
    odp_chart_label_groups(d, d->categories, d->ncategories, d->chart->category, codes);
    odp_chart_label_groups(d, d->series, d->nseries, d->chart->series, codes);
    odp_chart_label_scale(d, largest_of(d));
    return odp_buffer_status(&d->key);
}

bool odp_chart_data_is_empty(const struct odp_chart_data *d)
{
    return d->fault != ODP_CHART_FINE ||
           (d->chart->type == ODP_CHART_MAP ? d->nsymbols == 0 : d->ncategories == 0);
}

/* ---- how far the values reach ---- */

bool odp_chart_has_total(const struct odp_chart_data *d)
{
    return d->chart->aggregate == ODP_CHART_COUNT || d->chart->aggregate == ODP_CHART_SUM;
}

odp_fixed odp_chart_stack(const struct odp_chart_data *d, uint32_t category, bool up)
{
    odp_fixed sum = 0;
    for (uint32_t k = 0; k < d->nseries; k++) {
        odp_fixed v = odp_chart_value_at(d, category, k)->value;
        sum += (v > 0) == up ? v : 0;
    }
    return sum;
}

void odp_chart_extent(const struct odp_chart_data *d, odp_fixed *lo, odp_fixed *hi)
{
    bool stacked = d->chart->type == ODP_CHART_STACKED;
    *lo = *hi = 0;
    for (uint32_t i = 0; i < d->ncategories; i++)
        for (uint32_t k = 0; k < d->nseries; k++) {
            odp_fixed v = odp_chart_value_at(d, i, k)->value;
            odp_fixed low = stacked ? odp_chart_stack(d, i, false) : v,
                      high = stacked ? odp_chart_stack(d, i, true) : v;
            *lo = low < *lo ? low : *lo;
            *hi = high > *hi ? high : *hi;
            if (stacked)
                break;
        }
}
