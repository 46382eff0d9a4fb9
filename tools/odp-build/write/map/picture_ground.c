#include "base/json_load.h"
#include "write/map/picture_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- coast lines ---- */

enum {
    BEYOND = 60
}; /* tenths: so far outside of the frame polygons are cut off, so that no stroke runs along its edge */

/* Points of a ring, pairs of double. */
struct ring {
    struct odp_buffer bytes;
};

static const double *xy_of(const struct ring *r)
{
    return (const void *)r->bytes.ptr;
}

static size_t points_of(const struct ring *r)
{
    return r->bytes.len / (2 * sizeof(double));
}

static void put(struct ring *r, double x, double y)
{
    odp_buffer_add(&r->bytes, (const double[]){x, y}, 2 * sizeof(double));
}

/* The part of FROM on one side: AXIS 0 or 1, up to LIMIT (or from it on, where BELOW is false). Sutherland
 * and Hodgman's way, closed. */
static void clip(const struct ring *from, struct ring *to, int axis, double limit, bool below)
{
    odp_buffer_clear(&to->bytes);
    for (size_t i = 0, n = points_of(from); i < n; i++) {
        const double *a = xy_of(from) + 2 * i, *b = xy_of(from) + 2 * ((i + 1) % n);
        bool in = below ? a[axis] <= limit : a[axis] >= limit,
             next = below ? b[axis] <= limit : b[axis] >= limit;
        if (in)
            put(to, a[0], a[1]);
        if (in != next) {
            double t = (limit - a[axis]) / (b[axis] - a[axis]);
            put(to, axis == 0 ? limit : a[0] + t * (b[0] - a[0]),
                axis == 1 ? limit : a[1] + t * (b[1] - a[1]));
        }
    }
}

static void read_ring(const struct picture *m, const json_t *points, struct ring *out)
{
    odp_buffer_clear(&out->bytes);
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *p = json_array_get(points, i);
        double x, y;
        picture_project(m, json_number_value(json_array_get(p, 0)), json_number_value(json_array_get(p, 1)),
                        &x, &y);
        put(out, x, y);
    }
}

static void write_ring(const struct picture *m, const struct ring *r, struct picture_pen *pen)
{
    int step = m->step > 3 ? m->step : 3;
    size_t drawn = 0, start = pen->out->len;
    for (size_t i = 0; i < points_of(r); i++) {
        const double *at = xy_of(r) + 2 * i;
        int x = (int)lround(at[0] / step) * step, y = (int)lround(at[1] / step) * step;
        if (drawn > 0 && abs(x - pen->x) + abs(y - pen->y) < 6) /* less than can be seen */
            continue;
        if (drawn == 0)
            picture_move(pen, x, y);
        else
            picture_line(pen, x, y);
        drawn++;
    }
    if (drawn < 3)
        pen->out->len = start;
    else
        odp_buffer_add_char(pen->out, 'z');
}

static void add_ring(const struct picture *m, const json_t *points, struct ring *a, struct ring *b,
                     struct picture_pen *pen)
{
    read_ring(m, points, a);
    clip(a, b, 0, -BEYOND, false);
    clip(b, a, 0, m->width * 10 + BEYOND, true);
    clip(a, b, 1, -BEYOND, false);
    clip(b, a, 1, m->height * 10 + BEYOND, true);
    if (points_of(a) >= 3)
        write_ring(m, a, pen);
}

/* Polygons are filled; lines of the document (and what else it may hold) are passed over. */
static void add_polygons(const struct picture *m, const json_t *geometry, struct ring *a, struct ring *b,
                         struct picture_pen *pen)
{
    const char *type = odp_json_text(geometry, "type");
    const json_t *c = json_object_get(geometry, "coordinates");
    bool many = type != NULL && strcmp(type, "MultiPolygon") == 0,
         one = type != NULL && strcmp(type, "Polygon") == 0;
    for (size_t p = 0; p < (many ? json_array_size(c) : one ? 1 : 0); p++) {
        const json_t *polygon = many ? json_array_get(c, p) : c;
        for (size_t k = 0; k < json_array_size(polygon); k++)
            add_ring(m, json_array_get(polygon, k), a, b, pen);
    }
}

static void add_land(const struct picture *m, struct odp_buffer *out, bool own)
{
    const json_t *features = json_object_get(m->p->coast, "features");
    struct ring a = {0}, b = {0};
    odp_buffer_add_str(out, own ? "<path class=\"land\" fill=\"#fbfaf6\" stroke=\"#a9b3bb\""
                                : "<path class=\"other\" fill=\"#f1f0ec\" stroke=\"#c3cad0\"");
    odp_buffer_add_str(out, " stroke-width=\".8\" stroke-linejoin=\"round\" fill-rule=\"evenodd\" d=\"");
    struct picture_pen pen = {.out = out};
    for (size_t i = 0; i < json_array_size(features); i++) {
        const json_t *f = json_array_get(features, i);
        const char *who = odp_json_text(json_object_get(f, "properties"), "who");
        if ((who == NULL || strcmp(who, "other") != 0) == own)
            add_polygons(m, json_object_get(f, "geometry"), &a, &b, &pen);
    }
    odp_buffer_add_str(out, "\"/>");
    out->failed |= a.bytes.failed || b.bytes.failed;
    odp_buffer_release(&a.bytes);
    odp_buffer_release(&b.bytes);
}

void picture_neighbours(const struct picture *m, struct odp_buffer *out)
{
    add_land(m, out, false);
}

void picture_coast(const struct picture *m, struct odp_buffer *out)
{
    picture_neighbours(m, out);
    add_land(m, out, true);
}

/* ---- graticule ---- */

/* The step of a scale: 1, 2 or 5 times a power of ten, at least WANT. */
static double nice(double want)
{
    double power = pow(10, floor(log10(want)));
    for (int i = 0; i < 3; i++)
        if (power * (const double[]){1, 2, 5}[i] >= want * (1 - 1e-9))
            return power * (const double[]){1, 2, 5}[i];
    return power * 10;
}

static void add_degree(const struct picture *m, struct odp_buffer *out, double v, bool is_lon, int places,
                       int at)
{
    if (is_lon)
        odp_buffer_printf(out, "<text x=\"%d\" y=\"13\" text-anchor=\"middle\">", at / 10);
    else
        odp_buffer_printf(out, "<text x=\"5\" y=\"%d\">", at / 10 + 4);
    picture_degrees(out, v, is_lon, places, m->p->lang);
    odp_buffer_add_str(out, "</text>");
}

void picture_graticule(const struct picture *m, struct odp_buffer *out)
{
    double span = m->east - m->west, step = nice(span / 6);
    int places = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    struct odp_buffer labels = {0};
    odp_buffer_add_str(out, "<path class=\"rule\" fill=\"none\" stroke=\"#cfd9e1\" stroke-width=\".8\" d=\"");
    for (double i = ceil(m->west / step); i * step < m->east; i++) {
        double x, y;
        picture_project(m, i * step, m->north, &x, &y);
        int at = (int)lround(x);
        odp_buffer_add_char(out, 'M');
        picture_number(out, at);
        odp_buffer_printf(out, " 0V%d", (int)m->height);
        if (at > 500 && at < m->width * 10 - 300)
            add_degree(m, &labels, i * step, true, places, at);
    }
    for (double i = ceil(m->south / step); i * step < m->north; i++) {
        double x, y;
        picture_project(m, m->west, i * step, &x, &y);
        int at = (int)lround(y);
        odp_buffer_add_str(out, "M0 ");
        picture_number(out, at);
        odp_buffer_printf(out, "H%d", (int)m->width);
        if (at > 250 && at < m->height * 10 - 400)
            add_degree(m, &labels, i * step, false, places, at);
    }
    odp_buffer_add_str(out, "\"/><g class=\"soft\" fill=\"#4a5560\" font-size=\"11\">");
    odp_buffer_add_slice(out, odp_buffer_slice(&labels));
    odp_buffer_add_str(out, "</g>");
    out->failed |= labels.failed;
    odp_buffer_release(&labels);
}

/* ---- scale bar ---- */

void picture_scale(const struct picture *m, struct odp_buffer *out)
{
    const double metres =
        111320 / m->scale; /* of one unit, along a parallel in the middle of the map as along a meridian */
    double length = nice(90 * metres);
    int wide = (int)lround(length / metres * 10), y = (int)m->height - 16;
    bool km = length >= 1000;
    struct odp_buffer text = {0};
    odp_text_number(&text, (uint64_t)llround(km ? length / 1000 : length < 1 ? 1 : length), m->p->lang);
    odp_buffer_printf(
        out, "<path class=\"bar\" fill=\"none\" stroke=\"#1c242b\" stroke-width=\"2\" d=\"M12 %dv5h", y);
    picture_number(out, wide);
    odp_buffer_printf(
        out, "v-5\"/><text class=\"ink\" fill=\"#1c242b\" font-size=\"11\" x=\"16\" y=\"%d\">%s %s</text>", y,
        odp_buffer_cstr(&text), km ? "km" : "m");
    odp_buffer_release(&text);
}
