/* Histograms: bars without a gap between them, over an axis of the value; borders are named, not bars. */
#include "write/charts/charts_internal.h"

enum { HEIGHT = 150 };

struct histogram {
    struct canvas *c;
    struct style tick, below;
    struct chart_ticks ticks; /* of the counts */
    double edge, left, top, width, band;
};

static const struct chart_scale counts = {.power = 0};

static struct odp_slice show_count(struct canvas *c, fixed v)
{
    odp_buffer_clear(&c->text);
    fixed_show(&c->text, v, 0, 0, c->lang);
    return odp_buffer_slice(&c->text);
}

static void set_scale(struct histogram *h, double x, double width)
{
    const struct odp_chart_data *d = h->c->d;
    fixed most = FIXED_ONE;
    for (uint32_t i = 0; i < d->ncategories; i++)
        most = d->categories[i].value > most ? d->categories[i].value : most;
    h->ticks = chart_ticks_of(0, most, 5, &counts, 0);
    double w = canvas_measure(h->c, &h->tick, show_count(h->c, h->ticks.last)).width;
    h->edge = x;
    h->left = x + w + 6;
    h->width = width - w - 6;
    h->band = h->width / d->ncategories;
}

static double height_at(const struct histogram *h, fixed v)
{
    return h->top + HEIGHT * (1 - chart_place(v, 0, h->ticks.last));
}

static void grid(const struct histogram *h)
{
    for (unsigned i = 0; i < h->ticks.n; i++) {
        fixed v = h->ticks.step * (fixed)i;
        double y = height_at(h, v);
        (void)canvas_middle(h->c, h->left - 5, y, &h->tick, show_count(h->c, v));
        canvas_line(h->c, h->left, y, h->left + h->width, y, (struct pen){0.5, chart_rule});
    }
}

/* Border I below the axis; where the end is open its name would be untrue. Returns its height. */
static double border(const struct histogram *h, uint32_t i, double y)
{
    const struct odp_chart_data *d = h->c->d;
    double at = h->left + h->band * i, right = h->left + h->width;
    if ((i == 0 && d->categories[0].open != CHART_CLOSED) ||
        (i == d->ncategories && d->categories[i - 1].open != CHART_CLOSED))
        return 0;
    struct odp_slice text = chart_show(h->c, d->borders.first + d->borders.step * (fixed)i);
    struct odp_extent e = canvas_measure(h->c, &h->below, text);
    canvas_line(h->c, at, y - 4, at, y - 1, (struct pen){0.5, chart_zero});
    double middle = at - e.width / 2 < h->edge ? h->edge + e.width / 2 : at;
    (void)canvas_text(h->c, middle + e.width / 2 > right ? right - e.width / 2 : middle, y, &h->below, text);
    return e.height;
}

/* Every so many of the borders as have room. */
static double axis(const struct histogram *h, double y)
{
    const struct odp_chart_data *d = h->c->d;
    double most = 0, widest = 0;
    uint32_t each = 1;
    for (uint32_t i = 0; i <= d->ncategories; i++) {
        fixed v = d->borders.first + d->borders.step * (fixed)i;
        double w = canvas_measure(h->c, &h->below, chart_show(h->c, v)).width;
        widest = w > widest ? w : widest;
    }
    while (each * h->band < widest + 8 && each < d->ncategories)
        each++;
    for (uint32_t i = 0; i <= d->ncategories; i += each) {
        double high = border(h, i, y);
        most = high > most ? high : most;
    }
    return most;
}

double chart_histogram(struct canvas *c, double x, double y, double width)
{
    const struct odp_chart_data *d = c->d;
    struct histogram h = {.c = c,
                          .tick = canvas_style(chart_face_label, PANGO_ALIGN_RIGHT, chart_soft),
                          .below = canvas_style(chart_face_label, PANGO_ALIGN_CENTER, chart_soft),
                          .top = y + 6};
    set_scale(&h, x, width);
    grid(&h);
    for (uint32_t i = 0; i < d->ncategories; i++) {
        double top = height_at(&h, d->categories[i].value);
        canvas_rect(c, h.left + h.band * i + 0.4, top, h.band - 0.8, h.top + HEIGHT - top,
                    chart_ink_of(d, 0, 0));
    }
    canvas_line(c, h.left, h.top + HEIGHT, h.left + h.width, h.top + HEIGHT, (struct pen){0.6, chart_zero});
    double bottom = h.top + HEIGHT + 5;
    return bottom + axis(&h, bottom) - y;
}
