/* Records of a histogram by classes of their value. While they pass, values are counted in cells of a
 * power of ten, from 10^-9 on; where there are too many cells, ten become one, until there are not. How
 * often that happens depends on all records together, not on their order. At the end cells become at most
 * CHART_BINS classes with borders that can be read; a few values far off are counted in open classes at
 * the ends. */
#include "write/charts/charts_internal.h"

#include <stdlib.h>

#define FAR_OFF 3 /* times the width within which 98 of 100 values are */

static fixed floor_divide(fixed v, fixed by)
{
    fixed q = v / by;
    return v % by < 0 ? q - 1 : q;
}

static void put(struct chart_bins *b, fixed at, uint64_t n)
{
    uint64_t h = ((uint64_t)at ^ (uint64_t)(at >> 64)) * UINT64_C(0x9E3779B97F4A7C15);
    for (size_t slot = (h ^ (h >> 29)) >> 49;; slot = (slot + 1) & (CHART_BIN_SLOTS - 1)) {
        uint32_t *i = &b->slots[slot & (CHART_BIN_SLOTS - 1)];
        if (*i == 0) {
            b->cell[b->n] = (struct chart_bin){at, n};
            *i = ++b->n;
            return;
        }
        if (b->cell[*i - 1].at == at) {
            b->cell[*i - 1].n += n;
            return;
        }
    }
}

static void coarsen(struct chart_bins *b)
{
    uint32_t n = b->n;
    memset(b->slots, 0, sizeof b->slots);
    b->n = 0;
    b->width *= 10;
    for (uint32_t i = 0; i < n; i++)
        put(b, floor_divide(b->cell[i].at, 10), b->cell[i].n); /* never beyond i */
}

void chart_bins_add(struct odp_chart_data *d, fixed value)
{
    if (d->bins == NULL) {
        d->bins = odp_arena_zero(&d->arena, 1, sizeof *d->bins);
        d->bins->width = 1;
    }
    chart_sum_add(&d->whole, &(const struct chart_sum){1, value, value, value});
    put(d->bins, floor_divide(value, d->bins->width), 1);
    while (d->bins->n > CHART_BIN_CELLS)
        coarsen(d->bins);
}

static int bin_cmp(const void *a, const void *b)
{
    fixed x = ((const struct chart_bin *)a)->at, y = ((const struct chart_bin *)b)->at;
    return (x > y) - (x < y);
}

/* Where the cells begin and end that hold all values but a hundredth at each end, if these are far off. */
static void inner_range(const struct odp_chart_data *d, fixed *lo, fixed *hi)
{
    const struct chart_bins *b = d->bins;
    uint64_t all = d->whole.n, seen = 0, least = all / 100;
    fixed from = b->cell[0].at, to = from;
    for (uint32_t i = 0; i < b->n; i++) {
        if (seen <= least)
            from = b->cell[i].at;
        if (seen < all - least)
            to = b->cell[i].at;
        seen += b->cell[i].n;
    }
    from *= b->width;
    to *= b->width;
    *lo = d->whole.least;
    *hi = d->whole.greatest;
    if (to - from < CHART_BINS * b->width) /* too few cells for classes of their own */
        return;
    if (*lo < from - FAR_OFF * (to - from))
        *lo = from;
    if (*hi > to + FAR_OFF * (to - from))
        *hi = to;
}

void chart_bins_finish(struct odp_chart_data *d)
{
    const struct chart_bins *b = d->bins;
    fixed lo, hi;
    if (b == NULL) {
        chart_label_scale(d, 0);
        return;
    }
    qsort(d->bins->cell, b->n, sizeof *b->cell, bin_cmp);
    inner_range(d, &lo, &hi);
    chart_label_scale(d, fixed_absolute(lo) > fixed_absolute(hi) ? fixed_absolute(lo) : fixed_absolute(hi));
    unsigned places = 0;
    while (places < d->places && fixed_power(FIXED_PLACES - places) > b->width)
        places++;
    /* of whole numbers a class ends before the next begins: 0 to 4, 5 to 9 */
    const fixed apart = d->places == 0 ? FIXED_ONE : 0;
    d->borders = chart_ticks_of(lo, hi + apart, CHART_BINS, &d->scale, places);
    d->scale.decimals = d->borders.decimals;
    uint32_t n = d->borders.n - 1;
    d->categories = odp_arena_zero(&d->arena, n, sizeof *d->categories);
    d->values = odp_arena_zero(&d->arena, n, sizeof *d->values);
    d->ncategories = n;
    d->series = odp_arena_zero(&d->arena, 1, sizeof *d->series);
    d->nseries = 1;
    d->ordered = true;
    for (uint32_t i = 0; i < b->n; i++) {
        fixed k = floor_divide(b->cell[i].at * b->width - d->borders.first, d->borders.step);
        k = k < 0 ? 0 : k >= (fixed)n ? (fixed)n - 1 : k;
        d->categories[k].sum.n += b->cell[i].n;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct chart_group *g = &d->categories[i];
        g->kind = GROUP_CLASS;
        g->sum.least = d->borders.first + d->borders.step * (fixed)i;
        g->sum.greatest = g->sum.least + d->borders.step - apart;
        g->value = (fixed)g->sum.n * FIXED_ONE;
        if (i == 0 && d->whole.least < g->sum.least)
            g->open = CHART_OPEN_BELOW;
        else if (i == n - 1 && d->whole.greatest > g->sum.greatest)
            g->open = CHART_OPEN_ABOVE;
        d->values[i] = (struct chart_value){true, g->value};
    }
}
