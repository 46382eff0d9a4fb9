/* Colours. The categorical ones differ from each other for every kind of colour vision (CIE76 distance of at
 * least 20 between any two, under simulated protanopia, deuteranopia and tritanopia), and neighbours differ
 * in lightness by 30 and more, so that they stay apart in grey print; each has a contrast of at least 3:1 to
 * white. The steps go from light to dark, 9 and more apart. tests/unit/write/test_chart.c computes all of
 * this. */
#include "write/charts/charts_internal.h"

const struct odp_rgb odp_chart_text = {0x1A, 0x1A, 0x1A}, odp_chart_soft = {0x55, 0x55, 0x55},
                     odp_chart_rule = {0xDD, 0xDD, 0xDD}, odp_chart_zero = {0x80, 0x80, 0x80},
                     odp_chart_white = {0xFF, 0xFF, 0xFF};

static const struct odp_rgb colors[] = {{0x00, 0x38, 0xAD}, {0xC6, 0x83, 0x1D}, {0x18, 0x2F, 0x25},
                                        {0x5A, 0x77, 0xF0}, {0x43, 0x12, 0x64}, {0x18, 0xA6, 0x59},
                                        {0x72, 0x24, 0x00}};
static const struct odp_rgb others_grey = {0x8B, 0x8B, 0x8B};
static const struct odp_rgb steps_of[ODP_CHART_CLASSES] = {
    {0x4F, 0x99, 0xC6}, {0x38, 0x7C, 0xAC}, {0x20, 0x5F, 0x90}, {0x12, 0x42, 0x6F}, {0x0A, 0x24, 0x44}};

struct odp_rgb odp_chart_ink(uint32_t i, uint32_t n, bool steps, bool others)
{
    if (others)
        return others_grey;
    if (steps && n > 1 && n <= ODP_CHART_CLASSES)
        return steps_of[(i * (ODP_CHART_CLASSES - 1) + (n - 1) / 2) / (n - 1)];
    return colors[i % (sizeof colors / sizeof *colors)];
}

struct odp_rgb odp_chart_ink_on(struct odp_rgb fill)
{
    /* relative luminance with an exponent of 2 for 2.2, in 1/10,000 of 255 squared: near enough to choose by
     */
    unsigned light = 2126u * fill.r * fill.r + 7152u * fill.g * fill.g + 722u * fill.b * fill.b;
    return light > 2250u * 255u * 255u ? odp_chart_text : odp_chart_white;
}

static bool is_grey(const struct odp_chart_group *g, bool nulls)
{
    return g->kind == ODP_GROUP_OTHERS || g->kind == ODP_GROUP_EARLIER ||
           (nulls && g->kind == ODP_GROUP_NULL);
}

struct odp_rgb odp_chart_ink_of_group(const struct odp_chart_group *g, uint32_t i, uint32_t n, bool steps,
                                      bool nulls)
{
    return n == 1 ? odp_chart_ink(2, ODP_CHART_CLASSES, true, false)
                  : odp_chart_ink(i, n, steps, is_grey(&g[i], nulls));
}

struct odp_rgb odp_chart_ink_of(const struct odp_chart_data *d, uint32_t category, uint32_t series)
{
    if (d->nseries == 1)
        return odp_chart_ink(2, ODP_CHART_CLASSES, true, is_grey(&d->categories[category], true));
    return odp_chart_ink_of_group(d->series, series, d->nseries, d->steps, false);
}
