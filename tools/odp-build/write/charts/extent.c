/* How far the values of a picture reach. */
#include "write/charts/charts_internal.h"

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

bool odp_chart_line_extent(const struct odp_chart_data *d, odp_fixed *lo, odp_fixed *hi)
{
    bool any = false;
    *lo = *hi = 0;
    for (size_t i = 0; i < (size_t)d->ncategories * d->nseries; i++) {
        const struct odp_chart_value *v = &d->values[i];
        if (!v->present)
            continue;
        *lo = !any || v->value < *lo ? v->value : *lo;
        *hi = !any || v->value > *hi ? v->value : *hi;
        any = true;
    }
    if (*lo >= 0 && (*lo <= *hi / 2 || *lo == *hi))
        *lo = 0;
    if (*hi <= 0 && (*hi >= *lo / 2 || *lo == *hi))
        *hi = 0;
    return *lo <= 0 && *hi >= 0;
}
