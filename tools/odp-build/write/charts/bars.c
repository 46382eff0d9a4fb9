/* Bar charts. Lying bars: a row for each category, its name on the left, its value at the bar's end, no axis.
 * Standing bars: for ordered categories with short names (years, months, classes). */
#include "write/charts/charts_internal.h"

#define LABELLED 6.5 /* lying bars thinner than this have no values */

/* Parts of a bar, stacked away from zero on both sides. */
struct stack {
    fixed up, down;
};

/* Adds V; returns where it begins. */
static fixed stack_add(struct stack *s, fixed v)
{
    fixed *end = v < 0 ? &s->down : &s->up, from = *end;
    *end += v;
    return from;
}

/* Where the total is written. */
static fixed stack_end(const struct stack *s)
{
    return s->up == 0 && s->down < 0 ? s->down : s->up;
}

struct bar {
    double middle, width, top, height; /* width: of what may stand inside */
    struct rgb ink;
};

/* V inside of a bar, where it fits. */
static void inside_value(struct canvas *c, fixed v, struct bar in)
{
    struct style s = canvas_style(chart_face_small, PANGO_ALIGN_CENTER, chart_ink_on(in.ink));
    struct odp_slice text = chart_show(c, v);
    struct odp_extent e = canvas_measure(c, &s, text);
    if (e.width < in.width)
        (void)canvas_text(c, in.middle, in.top + (in.height - e.height) / 2, &s, text);
}

/* ---- lying bars ---- */

struct rows {
    struct canvas *c;
    struct style name, value;
    double names, values; /* widths of the two columns */
    double left, width;   /* of the bars' area */
    double pitch;         /* of a bar: of a row, where names are short */
    double pad;           /* between two rows */
    bool stacked;
    fixed lo, hi;
    unsigned a_row; /* bars in a row */
};

static double row_height(const struct rows *r, uint32_t i)
{
    double bars = r->pitch * r->a_row,
           h = canvas_measure(r->c, &r->name, chart_name(r->c, &r->c->d->categories[i])).height;
    h = r->name.lines == 1 ? 0 : h; /* single lines may be closer than the font asks */
    return h > bars ? h + r->pad + 3 : bars + r->pad;
}

static double height_of(const struct rows *r)
{
    double h = 0;
    for (uint32_t i = 0; i < r->c->d->ncategories; i++)
        h += row_height(r, i);
    return h;
}

/* Smaller, and names on fewer lines, until it fits. */
static void fit(struct rows *r, double most)
{
    uint32_t n = r->c->d->ncategories;
    for (r->name.lines = 3; height_of(r) > most && r->name.lines > 1;)
        r->name.lines--;
    if (height_of(r) <= most)
        return;
    r->name.face = r->value.face = chart_face_small;
    r->pad = r->a_row > 1 ? 2 : 0.6;
    r->pitch = (most - 14 - r->pad * n) / (n * r->a_row); /* 14: an axis, if it comes to that */
}

static void widen(struct rows *r, double *width, const struct style *s, struct odp_slice text)
{
    double w = canvas_measure(r->c, s, text).width;
    *width = w > *width ? w : *width;
}

static void measure_columns(struct rows *r)
{
    const struct odp_chart_data *d = r->c->d;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        widen(r, &r->names, &r->name, chart_name(r->c, &d->categories[i]));
        for (uint32_t k = 0; k < d->nseries; k++)
            if (!r->stacked && chart_value_at(d, i, k)->present)
                widen(r, &r->values, &r->value, chart_show(r->c, chart_value_at(d, i, k)->value));
        if (r->stacked && chart_has_total(d))
            widen(r, &r->values, &r->value, chart_show(r->c, d->categories[i].value));
    }
}

static double place(const struct rows *r, fixed v)
{
    return r->left + r->width * (r->hi > r->lo ? chart_place(v, r->lo, r->hi) : 0);
}

/* Writes the value after the bar's end, on the side it points to. */
static void end_value(const struct rows *r, fixed v, fixed end, double middle)
{
    struct style s = r->value;
    s.align = end < 0 ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT;
    (void)canvas_middle(r->c, place(r, end) + (end < 0 ? -3 : 3), middle, &s, chart_show(r->c, v));
}

static void bar(const struct rows *r, uint32_t i, uint32_t k, double top)
{
    const struct chart_value *v = chart_value_at(r->c->d, i, k);
    if (!v->present)
        return;
    double from = place(r, 0), to = place(r, v->value), thick = r->pitch * (r->a_row > 1 ? 0.86 : 0.72);
    canvas_rect(r->c, from < to ? from : to, top + (r->pitch - thick) / 2, from < to ? to - from : from - to,
                thick, chart_ink_of(r->c->d, i, k));
    if (r->pitch >= LABELLED)
        end_value(r, v->value, v->value, top + r->pitch / 2);
}

static void stack(const struct rows *r, uint32_t i, double top)
{
    const struct odp_chart_data *d = r->c->d;
    struct stack s = {0, 0};
    double thick = r->pitch * 0.78;
    for (uint32_t k = 0; k < d->nseries; k++) {
        fixed v = chart_value_at(d, i, k)->value, begin = stack_add(&s, v);
        if (v == 0)
            continue;
        double from = place(r, begin), to = place(r, begin + v), left = from < to ? from : to,
               width = from < to ? to - from : from - to;
        struct rgb ink = chart_ink_of(d, i, k);
        canvas_rect(r->c, left, top + (r->pitch - thick) / 2, width > 1.4 ? width - 0.7 : width, thick,
                    ink); /* a gap of white */
        if (r->pitch >= 9)
            inside_value(r->c, v, (struct bar){left + width / 2 - 0.35, width - 5, top, r->pitch, ink});
    }
    if (chart_has_total(d))
        end_value(r, d->categories[i].value, stack_end(&s), top + r->pitch / 2);
}

/* Where bars are too thin for values: ticks below, and lines over the bars. Returns the height of what is
 * below. */
static double axis(const struct rows *r, double y, double bottom)
{
    struct chart_ticks t = chart_ticks_of(r->lo, r->hi, 5, &r->c->d->scale, r->c->d->places);
    const struct style s = canvas_style(chart_face_small, PANGO_ALIGN_CENTER, chart_soft);
    double h = 0;
    for (unsigned i = 0; i < t.n; i++) {
        fixed v = t.first + t.step * (fixed)i;
        if (v < r->lo || v > r->hi)
            continue;
        canvas_line(r->c, place(r, v), y, place(r, v), bottom + 2,
                    (struct pen){0.4, v == 0 ? chart_zero : chart_rule});
        h = canvas_text(r->c, place(r, v), bottom + 3, &s, chart_tick_text(r->c, &t, i));
    }
    return h + 3;
}

/* X, WIDTH: of the whole picture. */
static void lay_out(struct rows *r, double x, double width, double most)
{
    const struct odp_chart_data *d = r->c->d;
    r->name.width = width * 0.36;
    if (d->ncategories <= 6)
        r->pitch = 16;
    if (!r->stacked && d->nseries > 1) {
        r->a_row = d->nseries;
        r->pitch = 10;
        r->pad = 6;
    }
    chart_extent(d, &r->lo, &r->hi);
    fit(r, most);
    measure_columns(r);
    r->left = x + r->names + 7 + (r->lo < 0 ? r->values + 4 : 0);
    r->width = x + width - r->values - 4 - r->left;
    r->width = r->width < 20 ? 20 : r->width;
    r->name.width = r->names + 0.5;
    r->name.align = PANGO_ALIGN_RIGHT;
}

double chart_bars(struct canvas *c, double x, double y, double width, double most)
{
    const struct odp_chart_data *d = c->d;
    struct rows r = {.c = c, .stacked = chart_is_stacked(d), .pitch = 13, .pad = 1.5, .a_row = 1};
    r.name = r.value = canvas_style(chart_face_label, PANGO_ALIGN_LEFT, chart_text);
    lay_out(&r, x, width, most);
    double top = y;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        double h = row_height(&r, i), bars = top + (h - r.pitch * r.a_row) / 2;
        (void)canvas_middle(c, x, top + h / 2, &r.name, chart_name(c, &d->categories[i]));
        for (uint32_t k = 0; k < d->nseries && !r.stacked; k++)
            bar(&r, i, k, bars + r.pitch * k);
        if (r.stacked)
            stack(&r, i, bars);
        top += h;
    }
    canvas_line(c, place(&r, 0), y, place(&r, 0), top, (struct pen){0.6, chart_zero});
    return (r.pitch >= LABELLED || r.stacked ? top : top + axis(&r, y, top)) - y;
}

/* ---- standing bars ---- */

struct columns {
    struct canvas *c;
    struct style tick, name; /* name: of values, too */
    struct chart_ticks ticks;
    double edge, left, top, width, height, band;
    fixed lo, hi;
    bool stacked, labelled; /* every bar has its value: no axis is needed */
};

enum { HEIGHT = 150 };

static bool is_time(const struct odp_chart_data *d)
{
    return d->axis == AXIS_TIME || d->axis == AXIS_YEAR;
}

/* The name of category I as short as it can be. */
static struct odp_slice short_name(const struct canvas *c, uint32_t i, char buf[CHART_DATE_NAME])
{
    const struct odp_chart_data *d = c->d;
    const struct chart_group *g = &d->categories[i];
    if (d->axis != AXIS_TIME || g->kind != GROUP_VALUE)
        return chart_name(c, g);
    bool months = d->resource->schema.fields[d->chart->category].type == ODP_TYPE_YEARMONTH;
    chart_date_name(buf, g->at, months ? SPAN_MONTHS : SPAN_DAYS, c->lang);
    return odp_slice_of(buf);
}

static struct style name_style(void)
{
    return canvas_style(chart_face_label, PANGO_ALIGN_CENTER, chart_text);
}

static double widest_name(struct canvas *c)
{
    const struct style s = name_style();
    double widest = 0;
    char buf[CHART_DATE_NAME];
    for (uint32_t i = 0; i < c->d->ncategories; i++) {
        double w = canvas_measure(c, &s, short_name(c, i, buf)).width;
        widest = w > widest ? w : widest;
    }
    return widest;
}

bool chart_columns_fit(struct canvas *c, double width)
{
    const struct odp_chart_data *d = c->d;
    uint32_t bars = chart_is_stacked(d) ? d->ncategories : d->ncategories * d->nseries;
    double room = width - 40;
    if (!d->ordered || d->ncategories < 2 || bars * 4.0 > room)
        return false;
    return is_time(d) || widest_name(c) + 6 < room / d->ncategories;
}

static double height_at(const struct columns *k, fixed v)
{
    return k->top + k->height * (1 - chart_place(v, k->lo, k->hi));
}

/* Does every value fit over its bar? */
static bool values_fit(const struct columns *k)
{
    const struct odp_chart_data *d = k->c->d;
    double room = k->stacked || d->nseries == 1 ? k->band : k->band * 0.84 / d->nseries;
    if (k->stacked && !chart_has_total(d))
        return false;
    for (uint32_t i = 0; i < d->ncategories; i++)
        for (uint32_t s = 0; s < (k->stacked ? 1 : d->nseries); s++) {
            fixed v = k->stacked ? d->categories[i].value : chart_value_at(d, i, s)->value;
            if (canvas_measure(k->c, &k->name, chart_show(k->c, v)).width + 2 > room)
                return false;
        }
    return true;
}

static void scale(struct columns *k, double x, double width)
{
    const struct odp_chart_data *d = k->c->d;
    chart_extent(d, &k->lo, &k->hi);
    k->edge = k->left = x;
    k->width = width;
    k->band = width / d->ncategories;
    k->labelled = values_fit(k);
    if (k->labelled) {
        k->hi += k->hi == k->lo;
        return;
    }
    k->ticks = chart_ticks_of(k->lo, k->hi, 5, &d->scale, d->places);
    k->lo = k->ticks.first;
    k->hi = k->ticks.last;
    double axis_width = chart_ticks_width(k->c, &k->tick, &k->ticks) + 5;
    k->left += axis_width;
    k->width -= axis_width;
    k->band = k->width / d->ncategories;
}

static void grid(const struct columns *k)
{
    for (unsigned i = 0; i < k->ticks.n && !k->labelled; i++) {
        double y = height_at(k, k->lo + k->ticks.step * (fixed)i);
        (void)canvas_middle(k->c, k->left - 4, y, &k->tick, chart_tick_text(k->c, &k->ticks, i));
        canvas_line(k->c, k->left, y, k->left + k->width, y, (struct pen){0.5, chart_rule});
    }
}

/* A bar, or a part of one: then with a gap of white to the part before it, and its value inside if there is
 * room. */
static void column(const struct columns *k, double x, double width, fixed from, fixed to, struct rgb ink)
{
    double a = height_at(k, from), b = height_at(k, to), gap = k->stacked && from != 0 ? 0.7 : 0;
    double top = a < b ? a + gap : b, high = (a < b ? b - a : a - b) - gap;
    canvas_rect(k->c, x, top, width, high > 0.3 ? high : 0.3, ink);
    if (k->stacked && high >= 10)
        inside_value(k->c, to - from, (struct bar){x + width / 2, width - 4, top, high, ink});
}

static void write_value(const struct columns *k, double middle, fixed v, fixed end)
{
    struct odp_slice text = chart_show(k->c, v);
    double h = canvas_measure(k->c, &k->name, text).height, y = height_at(k, end);
    (void)canvas_text(k->c, middle, end < 0 ? y + 1 : y - h, &k->name, text);
}

static void category(const struct columns *k, uint32_t i)
{
    const struct odp_chart_data *d = k->c->d;
    double thick = k->band * 0.7 < 44 ? k->band * 0.7 : 44, middle = k->left + k->band * (i + 0.5);
    double all = d->nseries > 1 ? k->band * 0.84 : thick, one = all / d->nseries;
    struct stack stack = {0, 0};
    for (uint32_t s = 0; s < d->nseries; s++) {
        const struct chart_value *v = chart_value_at(d, i, s);
        struct rgb ink = chart_ink_of(d, i, s);
        double x = middle - all / 2 + one * s;
        if (!v->present || (k->stacked && v->value == 0))
            continue;
        if (k->stacked) {
            fixed from = stack_add(&stack, v->value);
            column(k, middle - thick / 2, thick, from, from + v->value, ink);
            continue;
        }
        column(k, x, d->nseries > 1 ? one * 0.92 : one, 0, v->value, ink);
        if (k->labelled)
            write_value(k, x + one / 2, v->value, v->value);
    }
    if (k->stacked && k->labelled)
        write_value(k, middle, d->categories[i].value, stack_end(&stack));
}

/* The names below: all, or of a time every so many. Returns their height. */
static double names(const struct columns *k, double y)
{
    double most = 0, wide = widest_name(k->c) + 6;
    uint32_t each = 1, n = k->c->d->ncategories;
    char buf[CHART_DATE_NAME];
    while (is_time(k->c->d) && each * k->band < wide && each < n)
        each++;
    for (uint32_t i = 0; i < n; i += each) {
        double middle = k->left + k->band * (i + 0.5), right = k->left + k->width;
        struct odp_slice text = short_name(k->c, i, buf);
        struct odp_extent e = canvas_measure(k->c, &k->name, text);
        if (middle - e.width / 2 < k->edge)
            middle = k->edge + e.width / 2;
        if (middle + e.width / 2 > right)
            middle = right - e.width / 2;
        (void)canvas_text(k->c, middle, y, &k->name, text);
        most = e.height > most ? e.height : most;
    }
    return most;
}

double chart_columns(struct canvas *c, double x, double y, double width)
{
    struct columns k = {.c = c,
                        .name = name_style(),
                        .tick = canvas_style(chart_face_label, PANGO_ALIGN_RIGHT, chart_soft),
                        .top = y + 11, /* room for a value over the highest */
                        .height = HEIGHT,
                        .stacked = chart_is_stacked(c->d)};
    scale(&k, x, width);
    if (k.labelled && k.lo < 0)
        k.height -= 11;
    grid(&k);
    for (uint32_t i = 0; i < c->d->ncategories; i++)
        category(&k, i);
    canvas_line(c, k.left, height_at(&k, 0), k.left + k.width, height_at(&k, 0),
                (struct pen){0.6, chart_zero});
    double below = k.top + HEIGHT + 3;
    return below + names(&k, below) - y;
}
