/* Bars that stand, for categories with an order that are named shortly: years, months, classes. */
#include "write/charts/charts_internal.h"

struct columns {
    const struct odp_chart_data *d;
    struct odp_canvas *c;
    struct odp_canvas_text tick, name, value, inside;
    struct odp_chart_ticks ticks;
    double edge, left, top, width, height, band;
    odp_fixed lo, hi;
    bool stacked, labelled; /* every bar has its value: no axis is needed */
};

enum { HEIGHT = 150 };

static bool is_time(const struct odp_chart_data *d)
{
    return d->axis == ODP_AXIS_TIME || d->axis == ODP_AXIS_YEAR;
}

/* The name of category I as short as it can be. */
static struct odp_slice short_name(const struct odp_chart_data *d, uint32_t i, enum odp_lang lang,
                                   char buf[ODP_CHART_DATE_NAME])
{
    const struct odp_chart_group *g = &d->categories[i];
    if (d->axis != ODP_AXIS_TIME || g->kind != ODP_GROUP_VALUE)
        return g->label[lang];
    bool months = d->resource->schema.fields[d->chart->category].type == ODP_TYPE_YEARMONTH;
    odp_chart_date_name(buf, g->at, months ? ODP_SPAN_MONTHS : ODP_SPAN_DAYS, lang);
    return odp_slice_of(buf);
}

static double widest_name(const struct odp_chart_data *d, struct odp_canvas *c,
                          const struct odp_canvas_text *how)
{
    double widest = 0, w, h;
    char buf[ODP_CHART_DATE_NAME];
    for (uint32_t i = 0; i < d->ncategories; i++) {
        odp_canvas_measure(c, how, short_name(d, i, c->lang, buf), &w, &h);
        widest = w > widest ? w : widest;
    }
    return widest;
}

static const struct odp_canvas_text one_line = {
    .type = {.size = 8}, .width = -1, .align = PANGO_ALIGN_CENTER, .ink = {0x1A, 0x1A, 0x1A}};

bool odp_chart_columns_fit(const struct odp_chart_data *d, struct odp_canvas *c, double width)
{
    uint32_t bars = d->chart->type == ODP_CHART_STACKED ? d->ncategories : d->ncategories * d->nseries;
    double room = width - 40;
    if (!d->ordered || d->ncategories < 2 || bars * 4.0 > room)
        return false;
    return is_time(d) || widest_name(d, c, &one_line) + 6 < room / d->ncategories;
}

static double place(const struct columns *k, odp_fixed v)
{
    return k->top + k->height * (1 - odp_chart_place(v, k->lo, k->hi));
}

/* Whether every value can be written over its bar. */
static bool values_fit(const struct columns *k)
{
    const struct odp_chart_data *d = k->d;
    double w, h, room = k->stacked || d->nseries == 1 ? k->band : k->band * 0.84 / d->nseries;
    if (k->stacked && !odp_chart_has_total(d))
        return false;
    for (uint32_t i = 0; i < d->ncategories; i++)
        for (uint32_t s = 0; s < (k->stacked ? 1 : d->nseries); s++) {
            odp_fixed v = k->stacked ? d->categories[i].value : odp_chart_value_at(d, i, s)->value;
            odp_canvas_measure(k->c, &k->value, odp_chart_show_value(d, k->c, v), &w, &h);
            if (w + 2 > room)
                return false;
        }
    return true;
}

static void scale(struct columns *k, double x, double width)
{
    const struct odp_chart_data *d = k->d;
    odp_chart_extent(d, &k->lo, &k->hi);
    k->edge = k->left = x;
    k->width = width;
    k->band = width / d->ncategories;
    k->labelled = values_fit(k);
    if (k->labelled) {
        k->hi += k->hi == k->lo;
        return;
    }
    k->ticks = odp_chart_ticks_of(k->lo, k->hi, 5, &d->scale, d->places);
    k->lo = k->ticks.first;
    k->hi = k->ticks.last;
    double widest = odp_chart_ticks_width(d, k->c, &k->tick, &k->ticks);
    k->left += widest + 5;
    k->width -= widest + 5;
    k->band = k->width / d->ncategories;
}

static void grid(const struct columns *k)
{
    for (unsigned i = 0; i < k->ticks.n && !k->labelled; i++) {
        odp_fixed v = k->lo + k->ticks.step * (odp_fixed)i;
        struct odp_slice text = odp_chart_tick_text(k->d, k->c, &k->ticks, i);
        (void)odp_canvas_middle(k->c, k->left - 4, place(k, v), &k->tick, text);
        odp_canvas_line(k->c, k->left, place(k, v), k->left + k->width, place(k, v), 0.5, odp_chart_rule);
    }
}

/* A bar, or a part of one: then with a gap of white to the part before it, and its value inside if there is
 * room. */
static void column(const struct columns *k, double x, double width, odp_fixed from, odp_fixed to,
                   struct odp_rgb ink)
{
    double a = place(k, from), b = place(k, to), gap = k->stacked && from != 0 ? 0.7 : 0, w, h;
    double top = a < b ? a + gap : b, high = (a < b ? b - a : a - b) - gap;
    odp_canvas_rect(k->c, x, top, width, high > 0.3 ? high : 0.3, ink);
    if (!k->stacked || high < 10)
        return;
    struct odp_slice text = odp_chart_show_value(k->d, k->c, to - from);
    struct odp_canvas_text how = k->inside;
    how.ink = odp_chart_ink_on(ink);
    odp_canvas_measure(k->c, &how, text, &w, &h);
    if (w + 4 < width)
        (void)odp_canvas_text(k->c, x + width / 2, top + (high - h) / 2, &how, text);
}

static void write_value(const struct columns *k, double middle, odp_fixed v, odp_fixed end)
{
    double w, h;
    struct odp_slice text = odp_chart_show_value(k->d, k->c, v);
    odp_canvas_measure(k->c, &k->value, text, &w, &h);
    (void)odp_canvas_text(k->c, middle, end < 0 ? place(k, end) + 1 : place(k, end) - h, &k->value, text);
}

static void category(const struct columns *k, uint32_t i)
{
    const struct odp_chart_data *d = k->d;
    double thick = k->band * 0.7 < 44 ? k->band * 0.7 : 44, middle = k->left + k->band * (i + 0.5);
    odp_fixed up = 0, down = 0;
    for (uint32_t s = 0; s < d->nseries; s++) {
        const struct odp_chart_value *v = odp_chart_value_at(d, i, s);
        struct odp_rgb ink = odp_chart_ink_of(d, i, s);
        if (!v->present || (k->stacked && v->value == 0))
            continue;
        if (k->stacked) {
            odp_fixed *end = v->value < 0 ? &down : &up;
            column(k, middle - thick / 2, thick, *end, *end + v->value, ink);
            *end += v->value;
            continue;
        }
        double all = d->nseries > 1 ? k->band * 0.84 : thick, one = all / d->nseries,
               x = middle - all / 2 + one * s;
        column(k, x, d->nseries > 1 ? one * 0.92 : one, 0, v->value, ink);
        if (k->labelled)
            write_value(k, x + one / 2, v->value, v->value);
    }
    if (k->stacked && k->labelled)
        write_value(k, middle, d->categories[i].value, up == 0 && down < 0 ? down : up);
}

/* The names below: all, or of a time every so many. Returns their height. */
static double names(const struct columns *k, double y)
{
    double most = 0, wide = widest_name(k->d, k->c, &k->name) + 6;
    uint32_t each = 1;
    char buf[ODP_CHART_DATE_NAME];
    while (is_time(k->d) && each * k->band < wide && each < k->d->ncategories)
        each++;
    for (uint32_t i = 0; i < k->d->ncategories; i += each) {
        double w, h, middle = k->left + k->band * (i + 0.5);
        struct odp_slice text = short_name(k->d, i, k->c->lang, buf);
        odp_canvas_measure(k->c, &k->name, text, &w, &h);
        if (middle - w / 2 < k->edge)
            middle = k->edge + w / 2;
        if (middle + w / 2 > k->left + k->width)
            middle = k->left + k->width - w / 2;
        (void)odp_canvas_text(k->c, middle, y, &k->name, text);
        most = h > most ? h : most;
    }
    return most;
}

double odp_chart_columns(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y,
                         double width)
{
    struct columns k = {.d = d,
                        .c = c,
                        .name = one_line,
                        .value = one_line,
                        .tick = one_line,
                        .stacked = d->chart->type == ODP_CHART_STACKED};
    k.inside =
        (struct odp_canvas_text){.type = odp_chart_face_small, .width = -1, .align = PANGO_ALIGN_CENTER};
    k.tick.align = PANGO_ALIGN_RIGHT;
    k.tick.ink = odp_chart_soft;
    k.top = y + 11; /* room for a value over the highest */
    k.height = HEIGHT;
    scale(&k, x, width);
    if (k.labelled && k.lo < 0)
        k.height -= 11;
    grid(&k);
    for (uint32_t i = 0; i < d->ncategories; i++)
        category(&k, i);
    odp_canvas_line(c, k.left, place(&k, 0), k.left + k.width, place(&k, 0), 0.6, odp_chart_zero);
    double below = k.top + HEIGHT + 3;
    return below + names(&k, below) - y;
}
