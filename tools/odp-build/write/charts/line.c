/* Lines over time, over numbers, or over categories that stand one beside the other. Each is named at its
 * end; beside its colour it has a dash pattern and a symbol of its own. */
#include "write/charts/charts_internal.h"

struct lines {
    const struct odp_chart_data *d;
    struct odp_canvas *c;
    struct odp_canvas_text tick, name;
    struct odp_chart_ticks ticks;
    double edge, left, top, width, height;
    double from, to; /* of the horizontal axis */
    odp_fixed lo, hi;
    double end[ODP_CHART_SERIES_MAX + 1],
        high[ODP_CHART_SERIES_MAX + 1]; /* of the names at the ends: middle and height */
};

enum { HEIGHT = 170, MARKED = 40 /* points of a line that get a symbol each */ };

static double along(const struct lines *l, uint32_t i)
{
    double at = l->d->categories[i].at;
    if (l->d->axis == ODP_AXIS_TEXT) /* in the middle of a band */
        return l->left + l->width * (i + 0.5) / l->d->ncategories;
    return l->to > l->from ? l->left + l->width * (at - l->from) / (l->to - l->from) : l->left + l->width / 2;
}

static double up(const struct lines *l, odp_fixed v)
{
    return l->top + l->height * (1 - odp_chart_place(v, l->lo, l->hi));
}

/* The last point of series K that has a value; -1: none. */
static int64_t last_of(const struct odp_chart_data *d, uint32_t k)
{
    int64_t i = (int64_t)d->ncategories - 1;
    while (i >= 0 && !odp_chart_value_at(d, (uint32_t)i, k)->present)
        i--;
    return i;
}

static void set_scale(struct lines *l, double x, double width)
{
    const struct odp_chart_data *d = l->d;
    double w = 0, h = 0, right = 0;
    (void)odp_chart_line_extent(d, &l->lo, &l->hi);
    l->ticks = odp_chart_ticks_of(l->lo, l->hi, 6, &d->scale, d->places);
    l->lo = l->ticks.first;
    l->hi = l->ticks.last;
    double widest = odp_chart_ticks_width(d, l->c, &l->tick, &l->ticks);
    l->name.width = width * 0.24;
    for (uint32_t k = 0; k < d->nseries; k++) {
        int64_t last = last_of(d, k);
        if (d->nseries > 1)
            odp_canvas_measure(l->c, &l->name, d->series[k].label[l->c->lang], &w, &h);
        else if (last >= 0)
            odp_canvas_measure(l->c, &l->name,
                               odp_chart_show_value(d, l->c, odp_chart_value_at(d, (uint32_t)last, k)->value),
                               &w, &h);
        right = last >= 0 && w > right ? w : right;
        l->high[k] = h;
    }
    l->edge = x;
    l->left = x + widest + 8;
    l->width = width - widest - 8 - right - 9;
    l->from = d->categories[0].at;
    l->to = d->categories[d->ncategories - 1].at;
}

static void grid(const struct lines *l)
{
    for (unsigned i = 0; i < l->ticks.n; i++) {
        odp_fixed v = l->lo + l->ticks.step * (odp_fixed)i;
        struct odp_slice text = odp_chart_tick_text(l->d, l->c, &l->ticks, i);
        (void)odp_canvas_middle(l->c, l->left - 7, up(l, v), &l->tick, text);
        odp_canvas_line(l->c, l->left - 3, up(l, v), l->left + l->width + 3, up(l, v), v == 0 ? 0.7 : 0.5,
                        v == 0 ? odp_chart_zero : odp_chart_rule);
    }
}

/* A name below the axis, its middle at AT unless that leads out of the picture. Returns its height. */
static double below(const struct lines *l, double at, double y, const struct odp_canvas_text *how,
                    struct odp_slice text)
{
    double w, h, left = l->edge, right = l->left + l->width + 9;
    odp_canvas_measure(l->c, how, text, &w, &h);
    at = at - w / 2 < left ? left + w / 2 : at + w / 2 > right ? right - w / 2 : at;
    odp_canvas_line(l->c, at, y - 4, at, y - 1, 0.5, odp_chart_zero);
    (void)odp_canvas_text(l->c, how->width >= 0 ? at - how->width / 2 : at, y, how, text);
    return h;
}

static double axis_of_categories(const struct lines *l, double y)
{
    const struct odp_chart_data *d = l->d;
    double band = l->width / d->ncategories, most = 0;
    uint32_t each = 1;
    while (band * each < 40 && each < d->ncategories)
        each++;
    struct odp_canvas_text how = l->tick;
    how.align = PANGO_ALIGN_CENTER;
    how.width = band * each - 4;
    how.lines = 2;
    for (uint32_t i = 0; i < d->ncategories; i += each) {
        double h = below(l, along(l, i), y, &how, d->categories[i].label[l->c->lang]);
        most = h > most ? h : most;
    }
    return most;
}

static double axis(const struct lines *l, double y)
{
    struct odp_chart_time_tick ticks[ODP_CHART_TIME_TICKS];
    struct odp_canvas_text how = l->tick;
    double most = 0;
    if (l->d->axis == ODP_AXIS_TEXT)
        return axis_of_categories(l, y);
    how.align = PANGO_ALIGN_CENTER;
    if (l->d->ncategories == 1)
        return below(l, along(l, 0), y, &how, l->d->categories[0].label[l->c->lang]);
    unsigned n = odp_chart_axis_ticks(l->d, l->from, l->to, (unsigned)(l->width / 52), l->c->lang, ticks);
    for (unsigned i = 0; i < n; i++) {
        double h = below(l, l->left + l->width * (ticks[i].at - l->from) / (l->to - l->from), y, &how,
                         odp_slice_of(ticks[i].text));
        most = h > most ? h : most;
    }
    return most;
}

static struct odp_rgb ink_of(const struct odp_chart_data *d, uint32_t k)
{
    return odp_chart_ink_of_group(d->series, k, d->nseries, false, false);
}

/* Series K: strokes from one present value to the next category's. What stands alone gets its symbol in any
 * case. */
static void line(const struct lines *l, uint32_t k)
{
    const struct odp_chart_data *d = l->d;
    bool open = false;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct odp_chart_value *v = odp_chart_value_at(d, i, k);
        if (v->present && open)
            odp_canvas_to(l->c, along(l, i), up(l, v->value));
        else if (v->present)
            odp_canvas_move(l->c, along(l, i), up(l, v->value));
        open = v->present;
    }
    odp_canvas_stroke(l->c, 1.5, k, ink_of(d, k));
}

static void marks(const struct lines *l, uint32_t k)
{
    const struct odp_chart_data *d = l->d;
    int64_t last = last_of(d, k);
    odp_canvas_marks(l->c, k, k, d->nseries > 1 ? 2.3 : 2, ink_of(d, k));
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct odp_chart_value *v = odp_chart_value_at(d, i, k);
        bool before = i > 0 && odp_chart_value_at(d, i - 1, k)->present,
             after = i + 1 < d->ncategories && odp_chart_value_at(d, i + 1, k)->present;
        if (v->present && (d->ncategories <= MARKED || i == last || (!before && !after)))
            odp_canvas_mark(l->c, k, along(l, i), up(l, v->value));
    }
}

/* Names at the ends, from top to bottom, pushed apart where they would touch. */
static void place_names(struct lines *l)
{
    const struct odp_chart_data *d = l->d;
    uint32_t order[ODP_CHART_SERIES_MAX + 1], n = 0;
    for (uint32_t k = 0; k < d->nseries; k++) {
        int64_t last = last_of(d, k);
        if (last < 0)
            continue;
        l->end[k] = up(l, odp_chart_value_at(d, (uint32_t)last, k)->value);
        uint32_t i = n++;
        for (; i > 0 && l->end[order[i - 1]] > l->end[k]; i--)
            order[i] = order[i - 1];
        order[i] = k;
    }
    for (uint32_t i = 1; i < n; i++) {
        double least = l->end[order[i - 1]] + (l->high[order[i - 1]] + l->high[order[i]]) / 2;
        if (l->end[order[i]] < least)
            l->end[order[i]] = least;
    }
    double bottom = l->top + l->height + 6;
    for (uint32_t i = n; i-- > 0;) { /* and back up, where that led out at the bottom */
        double k = bottom - l->high[order[i]] / 2;
        if (l->end[order[i]] > k)
            l->end[order[i]] = k;
        bottom = l->end[order[i]] - l->high[order[i]] / 2;
    }
}

static void name_ends(struct lines *l)
{
    const struct odp_chart_data *d = l->d;
    place_names(l);
    for (uint32_t k = 0; k < d->nseries; k++) {
        int64_t last = last_of(d, k);
        if (last < 0)
            continue;
        double x = along(l, (uint32_t)last), y = up(l, odp_chart_value_at(d, (uint32_t)last, k)->value),
               to = l->left + l->width + 8;
        if (to - x > 12 || l->end[k] - y > 3 || y - l->end[k] > 3)
            odp_canvas_line(l->c, x + 3, y, to - 1, l->end[k], 0.4, odp_chart_zero);
        l->name.ink = d->nseries > 1 && d->series[k].kind == ODP_GROUP_VALUE ? ink_of(d, k) : odp_chart_text;
        struct odp_slice text =
            d->nseries > 1 ? d->series[k].label[l->c->lang]
                           : odp_chart_show_value(d, l->c, odp_chart_value_at(d, (uint32_t)last, k)->value);
        (void)odp_canvas_text(l->c, to, l->end[k] - l->high[k] / 2, &l->name, text);
    }
}

/* Of a single line the highest and the lowest point are written, unless they are near its end. */
static void name_peaks(const struct lines *l)
{
    const struct odp_chart_data *d = l->d;
    int64_t high = -1, low = -1, last = last_of(d, 0);
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct odp_chart_value *v = odp_chart_value_at(d, i, 0);
        if (!v->present)
            continue;
        high = high < 0 || v->value > odp_chart_value_at(d, (uint32_t)high, 0)->value ? i : high;
        low = low < 0 || v->value < odp_chart_value_at(d, (uint32_t)low, 0)->value ? i : low;
    }
    for (int k = 0; k < 2 && high != low; k++) {
        uint32_t i = (uint32_t)(k == 0 ? high : low);
        odp_fixed v = odp_chart_value_at(d, i, 0)->value;
        struct odp_canvas_text how = l->tick;
        double w, h, x = along(l, i);
        if (along(l, (uint32_t)last) - x < 24)
            continue;
        struct odp_slice text = odp_chart_show_value(d, l->c, v);
        how.align = PANGO_ALIGN_CENTER;
        how.ink = odp_chart_text;
        odp_canvas_measure(l->c, &how, text, &w, &h);
        if (k == 1 && up(l, v) + 2 + h > l->top + l->height + 3) /* it would stand on the axis' names */
            continue;
        x = x - w / 2 < l->left ? l->left + w / 2 : x;
        (void)odp_canvas_text(l->c, x, k == 0 ? up(l, v) - h - 2 : up(l, v) + 2, &how, text);
    }
}

double odp_chart_line(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y, double width)
{
    struct lines l = {.d = d, .c = c, .top = y + (d->nseries > 1 ? 6 : 12), .height = HEIGHT};
    l.tick = (struct odp_canvas_text){
        .type = odp_chart_face_label, .width = -1, .align = PANGO_ALIGN_RIGHT, .ink = odp_chart_soft};
    l.name = (struct odp_canvas_text){
        .type = odp_chart_face_label, .width = -1, .lines = 2, .ink = odp_chart_text};
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
