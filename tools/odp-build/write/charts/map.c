/* Maps: a symbol for each place, on a graticule (there is no base map); degrees of longitude are shortened by
 * the cosine of the middle latitude. */
#include "write/charts/charts_internal.h"

#include <stdlib.h>

#define KM_A_DEGREE 111.195 /* of a great circle on a sphere of 6,371 km */

struct map {
    const struct odp_chart_data *d;
    struct odp_canvas *c;
    struct odp_canvas_text small, label;
    double left, top, width, height;      /* the frame */
    double west, north, per_lon, per_lat; /* points a degree */
};

/* Between -90 and 90 degrees, to 12 digits; the C library's may differ between machines. */
static double cosine(double degrees)
{
    double x = degrees * 0.017453292519943295, term = 1, sum = 1;
    for (int k = 2; k <= 24; k += 2) {
        term *= -x * x / (double)(k * (k - 1));
        sum += term;
    }
    return sum;
}

static void set_frame(struct map *m, double x, double y, double width)
{
    const double *box = m->d->box;
    double middle_lat = (box[1] + box[3]) / 2, middle_lon = (box[0] + box[2]) / 2;
    double shrink = cosine(middle_lat > 85 ? 85 : middle_lat < -85 ? -85 : middle_lat);
    double lon = (box[2] - box[0]) * 1.06, lat = (box[3] - box[1]) * 1.08;
    lon = lon < 0.02 ? 0.02 : lon;
    lat = lat < 0.01 ? 0.01 : lat;
    m->left = x + 42;
    m->top = y + 2;
    m->width = width - 44;
    double ratio = lat / (lon * shrink);
    m->height = m->width * (ratio < 0.4 ? 0.4 : ratio > 0.66 ? 0.66 : ratio);
    double a = m->width / (lon * shrink), b = m->height / lat;
    m->per_lat = a < b ? a : b;
    m->per_lon = m->per_lat * shrink;
    m->west = middle_lon - m->width / m->per_lon / 2;
    m->north = middle_lat + m->height / m->per_lat / 2;
}

/* 1, 2 or 5 times a power of ten degrees, in units of 10^-6, so that lines stand at least APART points apart.
 */
static int64_t graticule(double per_degree, double apart)
{
    static const int times[] = {1, 2, 5};
    for (int64_t p = 10; p < INT64_C(100000000); p *= 10)
        for (size_t i = 0; i < 3; i++)
            if ((double)(p * times[i]) / 1e6 * per_degree >= apart)
                return p * times[i];
    return INT64_C(100000000);
}

static int places_of(int64_t step)
{
    int n = 6;
    for (; n > 0 && step % 10 == 0; step /= 10)
        n--;
    return n;
}

static int64_t first_tick(double at, int64_t step)
{
    int64_t n = (int64_t)(at * 1e6) / step - 1;
    while ((double)(n * step) / 1e6 < at)
        n++;
    return n * step;
}

static void meridians(const struct map *m)
{
    int64_t step = graticule(m->per_lon, 62);
    double east = m->west + m->width / m->per_lon, w, h;
    for (int64_t t = first_tick(m->west, step); (double)t / 1e6 <= east; t += step) {
        double x = m->left + ((double)t / 1e6 - m->west) * m->per_lon;
        if (t < -180000000 || t > 180000000)
            continue;
        odp_canvas_line(m->c, x, m->top, x, m->top + m->height, 0.5, odp_chart_rule);
        odp_buffer_clear(&m->c->text);
        odp_chart_label_degrees(&m->c->text, (double)t / 1e6, places_of(step), true, m->c->lang);
        struct odp_canvas_text how = m->small;
        how.align = PANGO_ALIGN_CENTER;
        odp_canvas_measure(m->c, &how, odp_buffer_slice(&m->c->text), &w, &h);
        if (x + w / 2 > m->left + m->width) /* not out of the picture */
            x = m->left + m->width - w / 2;
        (void)odp_canvas_text(m->c, x, m->top + m->height + 2, &how, odp_buffer_slice(&m->c->text));
    }
}

static void parallels(const struct map *m)
{
    int64_t step = graticule(m->per_lat, 42);
    double south = m->north - m->height / m->per_lat, w, h;
    for (int64_t t = first_tick(south, step); (double)t / 1e6 <= m->north; t += step) {
        double y = m->top + (m->north - (double)t / 1e6) * m->per_lat;
        if (t < -90000000 || t > 90000000)
            continue;
        odp_canvas_line(m->c, m->left, y, m->left + m->width, y, 0.5,
                        t == 0 ? odp_chart_zero : odp_chart_rule);
        odp_buffer_clear(&m->c->text);
        odp_chart_label_degrees(&m->c->text, (double)t / 1e6, places_of(step), false, m->c->lang);
        struct odp_canvas_text how = m->small;
        how.align = PANGO_ALIGN_RIGHT;
        odp_canvas_measure(m->c, &how, odp_buffer_slice(&m->c->text), &w, &h);
        double top = y - h / 2 < m->top - 2               ? m->top - 2
                     : y + h / 2 > m->top + m->height + 2 ? m->top + m->height + 2 - h
                                                          : y - h / 2;
        (void)odp_canvas_text(m->c, m->left - 3, top, &how, odp_buffer_slice(&m->c->text));
    }
}

static void frame(const struct map *m)
{
    double x = m->left, y = m->top, right = x + m->width, bottom = y + m->height;
    odp_canvas_move(m->c, x, y);
    odp_canvas_to(m->c, right, y);
    odp_canvas_to(m->c, right, bottom);
    odp_canvas_to(m->c, x, bottom);
    odp_canvas_close(m->c);
    odp_canvas_stroke(m->c, 0.6, 0, odp_chart_zero);
}

/* ---- symbols ---- */

/* By value all are dots, and grow with the class; else each group has a shape. */
static void choose(const struct map *m)
{
    const struct odp_chart_data *d = m->d;
    for (uint32_t g = 0; g < d->ncategories; g++) {
        bool classes = d->categories[g].kind == ODP_GROUP_CLASS;
        double r = d->nsymbols > 2500 ? 1.4 : d->nsymbols > 800 ? 1.8 : d->nsymbols > 300 ? 2.2 : 2.6;
        if (classes && d->ncategories > 1)
            r *= 0.8 + 0.6 * g / (d->ncategories - 1);
        odp_canvas_marks(m->c, g, classes ? 0 : g, r,
                         odp_chart_ink_of_group(d->categories, g, d->ncategories, d->steps, true));
    }
}

/* Groups are drawn mixed, as the symbols come, so that none hides the others. Of a group's symbols that would
 * cover one another wholly one is drawn. SEEN: for each group a bit for each cell of 0.8 points. */
static void draw_symbols(const struct map *m)
{
    const struct odp_chart_data *d = m->d;
    size_t across = (size_t)(m->width / 0.8) + 2, down = (size_t)(m->height / 0.8) + 2, cells = across * down;
    if (m->c->cr == NULL && m->c->svg == NULL)
        return;
    unsigned char *seen = g_malloc0(d->ncategories * cells / 8 + 1);
    for (uint32_t i = 0; i < d->nsymbols; i++) {
        double x = (d->symbols[i].lon - m->west) * m->per_lon,
               y = (m->north - d->symbols[i].lat) * m->per_lat;
        if (x < 0 || y < 0 || x > m->width || y > m->height)
            continue;
        size_t cell = d->symbols[i].group * cells + (size_t)(y / 0.8) * across + (size_t)(x / 0.8);
        if ((seen[cell / 8] & (1u << cell % 8)) == 0)
            odp_canvas_mark(m->c, d->symbols[i].group, m->left + x, m->top + y);
        seen[cell / 8] |= (unsigned char)(1u << cell % 8);
    }
    g_free(seen);
}

static double legend(const struct map *m, double x, double y, double width)
{
    const struct odp_chart_data *d = m->d;
    struct odp_canvas_text how = m->label;
    struct odp_buffer text;
    double at = x, top = y, w, h;
    odp_buffer_init(&text);
    how.width = width * 0.6;
    how.lines = 1;
    for (uint32_t g = 0; g < d->ncategories; g++) {
        odp_buffer_clear(&text);
        odp_buffer_add_slice(&text, d->categories[g].label[m->c->lang]);
        odp_buffer_add_str(&text, " (");
        odp_chart_number_show(&text, (odp_fixed)d->categories[g].sum.n * ODP_FIXED_ONE, 0, 0, m->c->lang);
        odp_buffer_add_char(&text, ')');
        odp_canvas_measure(m->c, &how, odp_buffer_slice(&text), &w, &h);
        if (at > x && at + 10 + w > x + width) {
            at = x;
            top += 12;
        }
        odp_canvas_mark(m->c, g, at + 4, top + 6);
        at += 11 + odp_canvas_middle(m->c, at + 11, top + 6, &how, odp_buffer_slice(&text)) + 12;
    }
    m->c->failed |= text.failed;
    odp_buffer_release(&text);
    return top + 12 - y;
}

/* At most a quarter of the frame wide; ends at RIGHT. */
static void scale_bar(const struct map *m, double right, double y)
{
    double km = 0.00001, per_km = m->per_lat / KM_A_DEGREE;
    static const double times[] = {1, 2, 5};
    for (double p = 0.001; p < 100000; p *= 10)
        for (size_t i = 0; i < 3; i++)
            if (p * times[i] * per_km <= m->width / 5)
                km = p * times[i];
    char text[40];
    size_t n = odp_decimal_fixed(km < 1 ? km * 1000 : km, 0, text);
    double x = right - km * per_km;
    odp_buffer_clear(&m->c->text);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            odp_buffer_add_char(&m->c->text, m->c->lang == ODP_LANG_ID ? '.' : ',');
        odp_buffer_add_char(&m->c->text, text[i]);
    }
    odp_buffer_add_str(&m->c->text, km < 1 ? " m" : " km");
    odp_canvas_line(m->c, x, y + 3, right, y + 3, 1, odp_chart_soft);
    odp_canvas_line(m->c, x, y, x, y + 6, 0.8, odp_chart_soft);
    odp_canvas_line(m->c, right, y, right, y + 6, 0.8, odp_chart_soft);
    struct odp_canvas_text how = m->small;
    how.align = PANGO_ALIGN_RIGHT;
    (void)odp_canvas_text(m->c, x - 3, y - 2, &how, odp_buffer_slice(&m->c->text));
}

double odp_chart_map(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y, double width)
{
    struct map m = {.d = d, .c = c};
    m.small = (struct odp_canvas_text){.type = odp_chart_face_small, .width = -1, .ink = odp_chart_soft};
    m.label = (struct odp_canvas_text){.type = odp_chart_face_label, .width = -1, .ink = odp_chart_text};
    set_frame(&m, x, y, width);
    meridians(&m);
    parallels(&m);
    frame(&m);
    choose(&m);
    draw_symbols(&m);
    double below = m.top + m.height + 16;
    scale_bar(&m, m.left + m.width, below + 3);
    return below + legend(&m, m.left, below, m.width - m.width / 5 - 44) - y;
}
