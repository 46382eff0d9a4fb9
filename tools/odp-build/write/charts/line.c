/* Lines over time, over numbers, or over categories with an order. Each line is named at its end; next to its
 * colour it has a dash pattern and a symbol of its own. */
#include "write/charts/charts_internal.h"

struct lines {
    struct canvas *c;
    struct style tick, below, name; /* of the axes, and of the names at the ends */
    struct chart_ticks ticks;
    double edge, left, top, width, height;
    double from, to; /* of the horizontal axis */
    fixed lo, hi;
    struct end {
        int64_t last; /* the last point of the series that has a value; -1: no point */
        double x, y, middle, height;
    } end[CHART_SERIES_MAX + 1];
};

enum { HEIGHT = 170, MARKED = 40 /* points of a line that get a symbol each */ };

static double along(const struct lines *l, uint32_t i)
{
    const struct odp_chart_data *d = l->c->d;
    double at = d->categories[i].at;
    if (d->axis == AXIS_TEXT) /* in the middle of a band */
        return l->left + l->width * (i + 0.5) / d->ncategories;
    return l->to > l->from ? l->left + l->width * (at - l->from) / (l->to - l->from) : l->left + l->width / 2;
}

static double up(const struct lines *l, fixed v)
{
    return l->top + l->height * (1 - chart_place(v, l->lo, l->hi));
}

/* The label at the end of series K: its name; of a single series its last value. */
static struct odp_slice end_text(const struct lines *l, uint32_t k)
{
    const struct odp_chart_data *d = l->c->d;
    if (d->nseries > 1)
        return chart_name(l->c, &d->series[k]);
    return chart_show(l->c, chart_value_at(d, (uint32_t)l->end[k].last, k)->value);
}

/* Returns the width of the widest text at an end. */
static double measure_ends(struct lines *l)
{
    const struct odp_chart_data *d = l->c->d;
    double right = 0;
    for (uint32_t k = 0; k < d->nseries; k++) {
        struct end *end = &l->end[k];
        end->last = (int64_t)d->ncategories - 1;
        while (end->last >= 0 && !chart_value_at(d, (uint32_t)end->last, k)->present)
            end->last--;
        if (end->last < 0)
            continue;
        struct odp_extent e = canvas_measure(l->c, &l->name, end_text(l, k));
        right = e.width > right ? e.width : right;
        end->height = e.height;
    }
    return right;
}

static void set_scale(struct lines *l, double x, double width)
{
    const struct odp_chart_data *d = l->c->d;
    (void)chart_line_extent(d, &l->lo, &l->hi);
    l->ticks = chart_ticks_of(l->lo, l->hi, 6, &d->scale, d->places);
    l->lo = l->ticks.first;
    l->hi = l->ticks.last;
    double widest = chart_ticks_width(l->c, &l->tick, &l->ticks);
    l->name.width = width * 0.24;
    l->edge = x;
    l->left = x + widest + 8;
    l->width = width - widest - 8 - measure_ends(l) - 9;
    l->from = d->categories[0].at;
    l->to = d->categories[d->ncategories - 1].at;
}

static void grid(const struct lines *l)
{
    for (unsigned i = 0; i < l->ticks.n; i++) {
        fixed v = l->lo + l->ticks.step * (fixed)i;
        double y = up(l, v);
        (void)canvas_middle(l->c, l->left - 7, y, &l->tick, chart_tick_text(l->c, &l->ticks, i));
        canvas_line(l->c, l->left - 3, y, l->left + l->width + 3, y,
                    v == 0 ? (struct pen){0.7, chart_zero} : (struct pen){0.5, chart_rule});
    }
}

/* ---- the horizontal axis ---- */

/* A name below the axis, its middle at AT unless that leads out of the picture; *MOST: the greatest height.
 */
static void below(const struct lines *l, double at, double y, struct odp_slice text, double *most)
{
    const struct style *s = &l->below;
    struct odp_extent e = canvas_measure(l->c, s, text);
    double left = l->edge, right = l->left + l->width + 9, half = e.width / 2;
    at = at - half < left ? left + half : at + half > right ? right - half : at;
    canvas_line(l->c, at, y - 4, at, y - 1, (struct pen){0.5, chart_zero});
    (void)canvas_text(l->c, s->width >= 0 ? at - s->width / 2 : at, y, s, text);
    *most = e.height > *most ? e.height : *most;
}

/* Returns the height of what is below. */
static double axis(struct lines *l, double y)
{
    const struct odp_chart_data *d = l->c->d;
    struct chart_tick ticks[CHART_TICKS_MAX];
    double most = 0, band = l->width / d->ncategories;
    uint32_t each = 1;
    if (d->axis == AXIS_TEXT) {
        while (band * each < 40 && each < d->ncategories)
            each++;
        l->below.width = band * each - 4;
        l->below.lines = 2;
    }
    for (uint32_t i = 0; i < d->ncategories && (d->axis == AXIS_TEXT || d->ncategories == 1); i += each)
        below(l, along(l, i), y, chart_name(l->c, &d->categories[i]), &most);
    if (d->axis == AXIS_TEXT || d->ncategories == 1)
        return most;
    unsigned n = chart_axis_ticks(l->c, l->from, l->to, (unsigned)(l->width / 44), ticks);
    for (unsigned i = 0; i < n; i++)
        below(l, l->left + l->width * (ticks[i].at - l->from) / (l->to - l->from), y,
              odp_slice_of(ticks[i].text), &most);
    return most;
}

/* ---- lines ---- */

static struct rgb ink_of(const struct odp_chart_data *d, uint32_t k)
{
    return chart_ink_of_group(d->series, k, d->nseries, false, false);
}

/* Draws series K: strokes from a present value to the next category's. A lone value always gets its symbol.
 */
static void line(const struct lines *l, uint32_t k)
{
    const struct odp_chart_data *d = l->c->d;
    bool open = false;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct chart_value *v = chart_value_at(d, i, k);
        if (v->present)
            canvas_point(l->c, !open, along(l, i), up(l, v->value));
        open = v->present;
    }
    canvas_stroke(l->c, k, (struct pen){1.5, ink_of(d, k)});
}

static void marks(const struct lines *l, uint32_t k)
{
    const struct odp_chart_data *d = l->c->d;
    canvas_marks(l->c, k, k, d->nseries > 1 ? 2.3 : 2, ink_of(d, k));
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct chart_value *v = chart_value_at(d, i, k);
        bool before = i > 0 && chart_value_at(d, i - 1, k)->present,
             after = i + 1 < d->ncategories && chart_value_at(d, i + 1, k)->present;
        if (v->present && (d->ncategories <= MARKED || i == l->end[k].last || (!before && !after)))
            canvas_mark(l->c, k, along(l, i), up(l, v->value));
    }
}

/* ---- names ---- */

/* Names at the ends, from top to bottom, pushed apart where they would touch. */
static void place_names(struct lines *l)
{
    const struct odp_chart_data *d = l->c->d;
    struct end *order[CHART_SERIES_MAX + 1];
    uint32_t n = 0;
    for (uint32_t k = 0; k < d->nseries; k++) {
        struct end *end = &l->end[k];
        if (end->last < 0)
            continue;
        end->x = along(l, (uint32_t)end->last);
        end->middle = end->y = up(l, chart_value_at(d, (uint32_t)end->last, k)->value);
        uint32_t i = n++;
        for (; i > 0 && order[i - 1]->middle > end->middle; i--)
            order[i] = order[i - 1];
        order[i] = end;
    }
    for (uint32_t i = 1; i < n; i++) {
        double least = order[i - 1]->middle + (order[i - 1]->height + order[i]->height) / 2;
        if (order[i]->middle < least)
            order[i]->middle = least;
    }
    double bottom = l->top + l->height + 6;
    for (uint32_t i = n; i-- > 0;) { /* and back up, where that led out at the bottom */
        double most = bottom - order[i]->height / 2;
        if (order[i]->middle > most)
            order[i]->middle = most;
        bottom = order[i]->middle - order[i]->height / 2;
    }
}

static void name_ends(struct lines *l)
{
    const struct odp_chart_data *d = l->c->d;
    double to = l->left + l->width + 8;
    place_names(l);
    for (uint32_t k = 0; k < d->nseries; k++) {
        const struct end *end = &l->end[k];
        if (end->last < 0)
            continue;
        if (to - end->x > 12 || end->middle - end->y > 3 || end->y - end->middle > 3)
            canvas_line(l->c, end->x + 3, end->y, to - 1, end->middle, (struct pen){0.4, chart_zero});
        l->name.ink = d->nseries > 1 && d->series[k].kind == GROUP_VALUE ? ink_of(d, k) : chart_text;
        (void)canvas_text(l->c, to, end->middle - end->height / 2, &l->name, end_text(l, k));
    }
}

/* Point I of a single line, where it is not near its end. LOW: below the point. */
static void name_peak(const struct lines *l, uint32_t i, bool low)
{
    fixed v = chart_value_at(l->c->d, i, 0)->value;
    const struct style s = canvas_style(chart_face_label, PANGO_ALIGN_CENTER, chart_text);
    double x = along(l, i), y = up(l, v);
    if (along(l, (uint32_t)l->end[0].last) - x < 24)
        return;
    struct odp_slice text = chart_show(l->c, v);
    struct odp_extent e = canvas_measure(l->c, &s, text);
    if (low && y + 2 + e.height > l->top + l->height + 3) /* it would cover the axis' names */
        return;
    x = x - e.width / 2 < l->left ? l->left + e.width / 2 : x;
    (void)canvas_text(l->c, x, low ? y + 2 : y - e.height - 2, &s, text);
}

/* The highest and the lowest point of a single line. */
static void name_peaks(const struct lines *l)
{
    const struct odp_chart_data *d = l->c->d;
    int64_t high = -1, low = -1;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct chart_value *v = chart_value_at(d, i, 0);
        if (!v->present)
            continue;
        high = high < 0 || v->value > chart_value_at(d, (uint32_t)high, 0)->value ? i : high;
        low = low < 0 || v->value < chart_value_at(d, (uint32_t)low, 0)->value ? i : low;
    }
    if (high != low) {
        name_peak(l, (uint32_t)high, false);
        name_peak(l, (uint32_t)low, true);
    }
}

double chart_line(struct canvas *c, double x, double y, double width)
{
    const struct odp_chart_data *d = c->d;
    struct lines l = {.c = c, .top = y + (d->nseries > 1 ? 6 : 12), .height = HEIGHT};
    l.tick = canvas_style(chart_face_label, PANGO_ALIGN_RIGHT, chart_soft);
    l.below = canvas_style(chart_face_label, PANGO_ALIGN_CENTER, chart_soft);
    l.name = canvas_style(chart_face_label, PANGO_ALIGN_LEFT, chart_text);
    l.name.lines = 2;
    set_scale(&l, x, width);
    grid(&l);
    for (uint32_t k = 0; k < d->nseries; k++)
        line(&l, k);
    for (uint32_t k = 0; k < d->nseries; k++)
        marks(&l, k);
    if (d->nseries == 1)
        name_peaks(&l);
    name_ends(&l);
    double bottom = l.top + l.height + 5;
    return bottom + axis(&l, bottom) - y;
}
