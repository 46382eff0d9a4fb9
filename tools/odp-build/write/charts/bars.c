/* Bars that lie: a row for each category, its name on the left, its value at the bar's end. No axis: every
 * value is written. */
#include "write/charts/charts_internal.h"

#define LABELLED 6.5 /* bars thinner than this have no values */

struct rows {
    const struct odp_chart_data *d;
    struct odp_canvas *c;
    struct odp_canvas_text name, value, inside;
    double names, values; /* widths of the two columns */
    double left, width;   /* of the bars' area */
    double pitch;         /* of a bar: of a row, where names are short */
    double pad;           /* between two rows */
    bool negative, stacked;
    odp_fixed lo, hi;
    unsigned a_row; /* bars in a row */
};

static double wider(struct odp_canvas *c, const struct odp_canvas_text *how, struct odp_slice text,
                    double most)
{
    double w, h;
    odp_canvas_measure(c, how, text, &w, &h);
    return w > most ? w : most;
}

static double row_height(const struct rows *r, uint32_t i)
{
    double w, h, bars = r->pitch * r->a_row;
    odp_canvas_measure(r->c, &r->name, r->d->categories[i].label[r->c->lang], &w, &h);
    h = r->name.lines == 1 ? 0 : h; /* single lines may stand closer than the font asks */
    return h > bars ? h + r->pad + 3 : bars + r->pad;
}

static double height_of(const struct rows *r)
{
    double h = 0;
    for (uint32_t i = 0; i < r->d->ncategories; i++)
        h += row_height(r, i);
    return h;
}

/* Smaller, and names on fewer lines, until it fits. */
static void fit(struct rows *r, double most)
{
    uint32_t bars = r->d->ncategories * r->a_row;
    for (r->name.lines = 3; height_of(r) > most && r->name.lines > 1;)
        r->name.lines--;
    double h = height_of(r);
    if (h <= most)
        return;
    r->name.type = odp_chart_face_small;
    r->value.type = odp_chart_face_small;
    r->pad = r->a_row > 1 ? 2 : 0.6;
    r->pitch = (most - 14 - r->pad * r->d->ncategories) / bars; /* 14: an axis, if it comes to that */
}

static void measure_columns(struct rows *r)
{
    const struct odp_chart_data *d = r->d;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        r->names = wider(r->c, &r->name, d->categories[i].label[r->c->lang], r->names);
        for (uint32_t k = 0; k < d->nseries; k++)
            if (!r->stacked && odp_chart_value_at(d, i, k)->present)
                r->values =
                    wider(r->c, &r->value, odp_chart_show_value(d, r->c, odp_chart_value_at(d, i, k)->value),
                          r->values);
        if (r->stacked && odp_chart_has_total(d))
            r->values =
                wider(r->c, &r->value, odp_chart_show_value(d, r->c, d->categories[i].value), r->values);
    }
}

static double place(const struct rows *r, odp_fixed v)
{
    return r->left + r->width * (r->hi > r->lo ? odp_chart_place(v, r->lo, r->hi) : 0);
}

/* The value behind the bar's end, on the side it points to. */
static void end_value(const struct rows *r, odp_fixed v, odp_fixed end, double middle)
{
    struct odp_canvas_text how = r->value;
    how.align = end < 0 ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT;
    (void)odp_canvas_middle(r->c, place(r, end) + (end < 0 ? -3 : 3), middle, &how,
                            odp_chart_show_value(r->d, r->c, v));
}

static void bar(const struct rows *r, uint32_t i, uint32_t k, double top)
{
    const struct odp_chart_value *v = odp_chart_value_at(r->d, i, k);
    if (!v->present)
        return;
    double from = place(r, 0), to = place(r, v->value), thick = r->pitch * (r->a_row > 1 ? 0.86 : 0.72);
    odp_canvas_rect(r->c, from < to ? from : to, top + (r->pitch - thick) / 2,
                    from < to ? to - from : from - to, thick, odp_chart_ink_of(r->d, i, k));
    if (r->pitch >= LABELLED)
        end_value(r, v->value, v->value, top + r->pitch / 2);
}

static void stack(const struct rows *r, uint32_t i, double top)
{
    const struct odp_chart_data *d = r->d;
    odp_fixed up = 0, down = 0;
    double thick = r->pitch * 0.78, w, h;
    for (uint32_t k = 0; k < d->nseries; k++) {
        odp_fixed v = odp_chart_value_at(d, i, k)->value, *end = v < 0 ? &down : &up;
        double from = place(r, *end), to = place(r, *end + v), left = from < to ? from : to,
               width = from < to ? to - from : from - to;
        struct odp_rgb ink = odp_chart_ink_of(d, i, k);
        if (v == 0)
            continue;
        *end += v;
        odp_canvas_rect(r->c, left, top + (r->pitch - thick) / 2, width > 1.4 ? width - 0.7 : width, thick,
                        ink); /* a gap of white */
        struct odp_slice text = odp_chart_show_value(d, r->c, v);
        struct odp_canvas_text how = r->inside;
        how.ink = odp_chart_ink_on(ink);
        odp_canvas_measure(r->c, &how, text, &w, &h);
        if (w + 5 < width && r->pitch >= 9)
            (void)odp_canvas_text(r->c, left + width / 2 - 0.35, top + (r->pitch - h) / 2, &how, text);
    }
    if (odp_chart_has_total(d))
        end_value(r, d->categories[i].value, up == 0 && down < 0 ? down : up, top + r->pitch / 2);
}

/* Where bars are too thin for values: ticks below, and lines over the bars. Returns the height of what stands
 * below. */
static double axis(const struct rows *r, double y, double bottom)
{
    struct odp_chart_ticks t = odp_chart_ticks_of(r->lo, r->hi, 5, &r->d->scale, r->d->places);
    struct odp_canvas_text how = {
        .type = odp_chart_face_small, .width = -1, .align = PANGO_ALIGN_CENTER, .ink = odp_chart_soft};
    double w, h = 0;
    for (unsigned i = 0; i < t.n; i++) {
        odp_fixed v = t.first + t.step * (odp_fixed)i;
        if (v < r->lo || v > r->hi)
            continue;
        odp_canvas_line(r->c, place(r, v), y, place(r, v), bottom + 2, 0.4,
                        v == 0 ? odp_chart_zero : odp_chart_rule);
        struct odp_slice text = odp_chart_tick_text(r->d, r->c, &t, i);
        odp_canvas_measure(r->c, &how, text, &w, &h);
        (void)odp_canvas_text(r->c, place(r, v), bottom + 3, &how, text);
    }
    return h + 3;
}

double odp_chart_bars(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y, double width,
                      double most)
{
    struct rows r = {
        .d = d, .c = c, .stacked = d->chart->type == ODP_CHART_STACKED, .pitch = 13, .pad = 1.5, .a_row = 1};
    r.name = (struct odp_canvas_text){
        .type = odp_chart_face_label, .width = width * 0.36, .lines = 3, .ink = odp_chart_text};
    r.value = (struct odp_canvas_text){.type = odp_chart_face_label, .width = -1, .ink = odp_chart_text};
    r.inside =
        (struct odp_canvas_text){.type = odp_chart_face_small, .width = -1, .align = PANGO_ALIGN_CENTER};
    if (d->ncategories <= 6)
        r.pitch = 16;
    if (!r.stacked && d->nseries > 1) {
        r.a_row = d->nseries;
        r.pitch = 10;
        r.pad = 6;
    }
    odp_chart_extent(d, &r.lo, &r.hi);
    fit(&r, most);
    measure_columns(&r);
    r.negative = r.lo < 0;
    r.left = x + r.names + 7 + (r.negative ? r.values + 4 : 0);
    r.width = x + width - r.values - 4 - r.left;
    r.width = r.width < 20 ? 20 : r.width;
    r.name.width = r.names + 0.5;
    r.name.align = PANGO_ALIGN_RIGHT;
    double top = y;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        double h = row_height(&r, i), bars = top + (h - r.pitch * r.a_row) / 2;
        (void)odp_canvas_middle(c, x, top + h / 2, &r.name, d->categories[i].label[c->lang]);
        for (uint32_t k = 0; k < d->nseries && !r.stacked; k++)
            bar(&r, i, k, bars + r.pitch * k);
        if (r.stacked)
            stack(&r, i, bars);
        top += h;
    }
    odp_canvas_line(c, place(&r, 0), y, place(&r, 0), top, 0.6, odp_chart_zero);
    return (r.pitch >= LABELLED || r.stacked ? top : top + axis(&r, y, top)) - y;
}
