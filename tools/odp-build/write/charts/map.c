/* Maps: a symbol for each place, on a graticule, on paper over the land of the region; degrees of
 * longitude are shortened by the cosine of the middle latitude. */
#include "write/charts/charts_internal.h"

#define KM_A_DEGREE 111.195 /* of a great circle on a sphere of 6,371 km */
#define SYMBOL_CELL 0.8     /* points: of a group's symbols in such a cell one is drawn */
#define MICRO       1e6     /* ticks are in units of 10^-6 degree */

struct map {
    struct canvas *c;
    struct odp_chart_frame f;
};

static void set_frame(struct map *m, double x, double y, double width)
{
    m->f = (struct odp_chart_frame){.left = x + 42, .top = y + 2, .width = width - 44};
    odp_chart_frame_fit(&m->f, m->c->d->box, 0.4, 0.66);
}

/* ---- the graticule ---- */

/* 1, 2 or 5 times a power of ten, so that lines are at least APART points apart. */
static int64_t graticule(double per_degree, double apart)
{
    static const int times[] = {1, 2, 5};
    for (int64_t p = 10; p < INT64_C(100000000); p *= 10)
        for (size_t i = 0; i < 3; i++)
            if ((double)(p * times[i]) / MICRO * per_degree >= apart)
                return p * times[i];
    return INT64_C(100000000);
}

static int64_t first_tick(double at, int64_t step)
{
    int64_t n = (int64_t)(at * MICRO) / step - 1;
    while ((double)(n * step) / MICRO < at)
        n++;
    return n * step;
}

static void draw_meridian(const struct map *m, int64_t tick, struct odp_slice name)
{
    const struct style s = canvas_style(chart_face_small, PANGO_ALIGN_CENTER, chart_soft);
    double x = m->f.left + ((double)tick / MICRO - m->f.west) * m->f.per_lon, right = m->f.left + m->f.width;
    canvas_line(m->c, x, m->f.top, x, m->f.top + m->f.height, (struct pen){0.5, chart_rule});
    double half = canvas_measure(m->c, &s, name).width / 2;
    if (x + half > right) /* not out of the picture */
        x = right - half;
    (void)canvas_text(m->c, x, m->f.top + m->f.height + 2, &s, name);
}

static void draw_parallel(const struct map *m, int64_t tick, struct odp_slice name)
{
    const struct style s = canvas_style(chart_face_small, PANGO_ALIGN_RIGHT, chart_soft);
    double y = m->f.top + (m->f.north - (double)tick / MICRO) * m->f.per_lat;
    canvas_line(m->c, m->f.left, y, m->f.left + m->f.width, y,
                (struct pen){0.5, tick == 0 ? chart_zero : chart_rule});
    double h = canvas_measure(m->c, &s, name).height;
    y = y - h / 2 < m->f.top - 2                 ? m->f.top - 2
        : y + h / 2 > m->f.top + m->f.height + 2 ? m->f.top + m->f.height + 2 - h
                                                 : y - h / 2;
    (void)canvas_text(m->c, m->f.left - 3, y, &s, name);
}

/* Lines of longitude, or of latitude, between FROM and TO degrees. */
static void draw_lines(const struct map *m, bool longitude, double from, double to, int64_t step)
{
    int64_t most = longitude ? 180000000 : 90000000;
    struct odp_buffer *text = &m->c->text;
    int places = 6;
    for (int64_t s = step; places > 0 && s % 10 == 0; s /= 10)
        places--;
    for (int64_t t = first_tick(from, step); (double)t / MICRO <= to; t += step) {
        if (t < -most || t > most)
            continue;
        odp_buffer_clear(text);
        chart_label_degrees(text, (double)t / MICRO, places, longitude, m->c->lang);
        (longitude ? draw_meridian : draw_parallel)(m, t, odp_buffer_slice(text));
    }
}

/* On paper alone; pages have maps of their own. */
static void draw_land(const struct map *m)
{
    if (m->c->cr == NULL)
        return;
    cairo_save(m->c->cr);
    cairo_rectangle(m->c->cr, m->f.left, m->f.top, m->f.width, m->f.height);
    cairo_clip(m->c->cr);
    cairo_set_source_rgb(m->c->cr, 0.92, 0.925, 0.93);
    odp_chart_land_fill(m->c->cr, &m->f, false);
    cairo_restore(m->c->cr);
}

static void frame(const struct map *m)
{
    double x = m->f.left, y = m->f.top, right = x + m->f.width, bottom = y + m->f.height;
    canvas_point(m->c, true, x, y);
    canvas_point(m->c, false, right, y);
    canvas_point(m->c, false, right, bottom);
    canvas_point(m->c, false, x, bottom);
    canvas_close(m->c);
    canvas_stroke(m->c, 0, (struct pen){0.6, chart_zero});
}

/* ---- symbols ---- */

static double radius(uint32_t symbols)
{
    if (symbols > 800)
        return symbols > 2500 ? 1.4 : 1.8;
    return symbols > 300 ? 2.2 : 2.6;
}

/* By value all are dots, and grow with the class; else each group has a shape. */
static void choose(const struct map *m)
{
    const struct odp_chart_data *d = m->c->d;
    for (uint32_t g = 0; g < d->ncategories; g++) {
        bool classes = d->categories[g].kind == GROUP_CLASS;
        double r = radius(d->nsymbols);
        if (classes && d->ncategories > 1)
            r *= 0.8 + 0.6 * g / (d->ncategories - 1);
        canvas_marks(m->c, g, classes ? 0 : g, r,
                     chart_ink_of_group(d->categories, g, d->ncategories, d->steps, true));
    }
}

/* Groups are drawn mixed, in the symbols' order, so that no group hides the others. Of a group's symbols that
 * would cover one another wholly only one is drawn. */
static void draw_symbols(const struct map *m)
{
    const struct odp_chart_data *d = m->c->d;
    size_t across = (size_t)(m->f.width / SYMBOL_CELL) + 2, down = (size_t)(m->f.height / SYMBOL_CELL) + 2;
    if (m->c->cr == NULL && m->c->svg == NULL)
        return;
    bool *seen = g_new0(bool, d->ncategories *across *down + 1); /* by group and cell */
    for (uint32_t i = 0; i < d->nsymbols; i++) {
        const struct chart_symbol *s = &d->symbols[i];
        double x = (s->lon - m->f.west) * m->f.per_lon, y = (m->f.north - s->lat) * m->f.per_lat;
        if (x < 0 || y < 0 || x > m->f.width || y > m->f.height)
            continue;
        bool *cell =
            &seen[(s->group * down + (size_t)(y / SYMBOL_CELL)) * across + (size_t)(x / SYMBOL_CELL)];
        if (!*cell)
            canvas_mark(m->c, s->group, m->f.left + x, m->f.top + y);
        *cell = true;
    }
    g_free(seen);
}

/* ---- what stands below ---- */

static double legend(const struct map *m, double x, double y, double width)
{
    const struct odp_chart_data *d = m->c->d;
    struct style s = canvas_style(chart_face_label, PANGO_ALIGN_LEFT, chart_text);
    struct odp_buffer *text = &m->c->text;
    double at = x, top = y;
    s.width = width * 0.6;
    s.lines = 1;
    for (uint32_t g = 0; g < d->ncategories; g++) {
        odp_buffer_clear(text);
        odp_buffer_add_slice(text, chart_name(m->c, &d->categories[g]));
        odp_buffer_add_str(text, " (");
        odp_text_number(text, d->categories[g].sum.n, m->c->lang);
        odp_buffer_add_char(text, ')');
        double w = canvas_measure(m->c, &s, odp_buffer_slice(text)).width;
        if (at > x && at + 10 + w > x + width) {
            at = x;
            top += 12;
        }
        canvas_mark(m->c, g, at + 4, top + 6);
        at += 11 + canvas_middle(m->c, at + 11, top + 6, &s, odp_buffer_slice(text)) + 12;
    }
    return top + 12 - y;
}

/* At most a quarter of the frame wide; ends at RIGHT. */
static void scale_bar(const struct map *m, double right, double y)
{
    static const double times[] = {1, 2, 5};
    const struct style s = canvas_style(chart_face_small, PANGO_ALIGN_RIGHT, chart_soft);
    const struct pen pen = {0.8, chart_soft};
    double km = 0.00001, per_km = m->f.per_lat / KM_A_DEGREE;
    for (double p = 0.001; p < 100000; p *= 10)
        for (size_t i = 0; i < 3; i++)
            if (p * times[i] * per_km <= m->f.width / 5)
                km = p * times[i];
    char digits[40];
    size_t n = odp_decimal_fixed(km < 1 ? km * 1000 : km, 0, digits);
    double x = right - km * per_km;
    odp_buffer_clear(&m->c->text);
    odp_text_digits(&m->c->text, (struct odp_slice){digits, n}, m->c->lang);
    odp_buffer_add_str(&m->c->text, km < 1 ? " m" : " km");
    canvas_line(m->c, x, y + 3, right, y + 3, (struct pen){1, chart_soft});
    canvas_line(m->c, x, y, x, y + 6, pen);
    canvas_line(m->c, right, y, right, y + 6, pen);
    (void)canvas_text(m->c, x - 3, y - 2, &s, odp_buffer_slice(&m->c->text));
}

double chart_map(struct canvas *c, double x, double y, double width)
{
    struct map m = {.c = c};
    set_frame(&m, x, y, width);
    draw_land(&m);
    draw_lines(&m, true, m.f.west, m.f.west + m.f.width / m.f.per_lon, graticule(m.f.per_lon, 62));
    draw_lines(&m, false, m.f.north - m.f.height / m.f.per_lat, m.f.north, graticule(m.f.per_lat, 42));
    frame(&m);
    choose(&m);
    draw_symbols(&m);
    double below = m.f.top + m.f.height + 16;
    scale_bar(&m, m.f.left + m.f.width, below + 3);
    return below + legend(&m, m.f.left, below, m.f.width - m.f.width / 5 - 44) - y;
}
