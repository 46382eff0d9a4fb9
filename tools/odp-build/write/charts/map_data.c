/* Maps: after the last record the cells of the grid (gather.c) are symbols, by class of value or by category.
 */
#include <stdlib.h>

#include "write/charts/charts_internal.h"

static int fixed_cmp(const void *a, const void *b)
{
    odp_fixed x = *(const odp_fixed *)a, y = *(const odp_fixed *)b;
    return (x > y) - (x < y);
}

/* Classes by value: five of as equal size as equal values allow. INTO[cell]: its class. */
static void classify(struct odp_chart_data *d, uint32_t *into)
{
    const struct odp_chart_map_cells *m = d->cells;
    odp_fixed *value = odp_arena_array(&d->arena, m->n, sizeof *value),
              *sorted = odp_arena_array(&d->arena, m->n, sizeof *sorted);
    odp_fixed from[ODP_CHART_CLASSES] = {0};
    uint32_t n = 0;
    d->categories = odp_arena_zero(&d->arena, ODP_CHART_CLASSES, sizeof *d->categories);
    for (uint32_t i = 0; i < m->n; i++)
        sorted[i] = value[i] = odp_chart_number_divide(m->cell[i].sum, (odp_fixed)m->cell[i].n);
    qsort(sorted, m->n, sizeof *sorted, fixed_cmp);
    for (uint32_t k = 0; k < ODP_CHART_CLASSES; k++) {
        odp_fixed v = sorted[(size_t)m->n * k / ODP_CHART_CLASSES];
        if (n == 0 || v > from[n - 1])
            from[n++] = v;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t k = n - 1;
        while (value[i] < from[k])
            k--;
        const struct odp_chart_sum cell = {m->cell[i].n, m->cell[i].sum, value[i], value[i]};
        odp_chart_sum_merge(&d->categories[k].sum, &cell);
        into[i] = k;
    }
    for (uint32_t k = 0; k < n; k++) {
        d->categories[k].kind = ODP_GROUP_CLASS;
        d->categories[k].value = (odp_fixed)d->categories[k].sum.n * ODP_FIXED_ONE;
    }
    d->ncategories = n;
    d->steps = n > 1;
    odp_fixed low = odp_chart_number_absolute(sorted[0]), high = odp_chart_number_absolute(sorted[m->n - 1]);
    odp_chart_label_scale(d, low > high ? low : high);
}

/* Groups by the entries' categories. INTO[cell]: its group. */
static void group(struct odp_chart_data *d, const struct odp_code_lists *codes, uint32_t *into)
{
    const struct odp_chart_map_cells *m = d->cells;
    uint32_t most = d->chart->top > 0 && d->chart->top < ODP_CHART_SERIES_MAX ? (uint32_t)d->chart->top
                                                                              : ODP_CHART_SERIES_MAX;
    const uint32_t *of = odp_chart_categories_make(d, most);
    for (uint32_t i = 0; i < m->n; i++)
        into[i] = of[m->cell[i].entry];
    d->steps = d->ordered && d->ncategories > 1 && d->ncategories <= ODP_CHART_CLASSES;
    for (uint32_t i = 0; i < d->ncategories; i++)
        d->steps = d->steps && d->categories[i].kind == ODP_GROUP_VALUE;
    d->places = 0;
    odp_chart_label_scale(d, 0);
    odp_chart_label_groups(d, d->categories, d->ncategories, d->chart->category, codes);
}

/* Mixed well, but by where and what they are alone. */
static uint64_t mixed(const struct odp_chart_symbol *s)
{
    uint64_t h = (uint64_t)((s->lon + 180) * 1e7) * UINT64_C(0x9E3779B97F4A7C15) ^
                 (uint64_t)((s->lat + 180) * 1e7) * UINT64_C(0xC2B2AE3D27D4EB4F);
    h = (h ^ (h >> 31) ^ s->group) * UINT64_C(0x165667B19E3779F9);
    return h ^ (h >> 29);
}

static int symbol_cmp(const void *a, const void *b)
{
    const struct odp_chart_symbol *x = a, *y = b;
    uint64_t p = mixed(x), q = mixed(y);
    if (p != q)
        return p < q ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->lat != y->lat)
        return x->lat > y->lat ? -1 : 1;
    return (x->lon > y->lon) - (x->lon < y->lon);
}

static void place(struct odp_chart_data *d, const uint32_t *into)
{
    const struct odp_chart_map_cells *m = d->cells;
    double size = 360.0 / (double)(UINT32_C(1) << m->level);
    d->symbols = odp_arena_array(&d->arena, m->n, sizeof *d->symbols);
    for (uint32_t i = 0; i < m->n; i++) {
        double lon = (m->cell[i].x + 0.5) * size - 180.0, lat = (m->cell[i].y + 0.5) * size - 180.0;
        d->symbols[i] =
            (struct odp_chart_symbol){.lon = lon, .lat = lat, .n = m->cell[i].n, .group = into[i]};
        d->box[0] = i == 0 || lon < d->box[0] ? lon : d->box[0];
        d->box[1] = i == 0 || lat < d->box[1] ? lat : d->box[1];
        d->box[2] = i == 0 || lon > d->box[2] ? lon : d->box[2];
        d->box[3] = i == 0 || lat > d->box[3] ? lat : d->box[3];
    }
    d->nsymbols = m->n;
    qsort(d->symbols, d->nsymbols, sizeof *d->symbols, symbol_cmp);
}

void odp_chart_map_finish(struct odp_chart_data *d, const struct odp_code_lists *codes)
{
    bool by_value = d->chart->category < 0 && d->chart->value >= 0;
    if (d->cells == NULL) {
        odp_chart_label_scale(d, 0);
        return;
    }
    uint32_t *into = odp_arena_array(&d->arena, d->cells->n, sizeof *into);
    if (by_value)
        classify(d, into);
    else
        group(d, codes, into);
    place(d, into);
    odp_chart_gather_drop(d);
    if (by_value)
        odp_chart_label_groups(d, d->categories, d->ncategories, -1, codes);
}
