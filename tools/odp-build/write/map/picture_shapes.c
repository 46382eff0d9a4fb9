/* Features as paths: for every entry of the legend one of areas, one of lines, one of dots. What would be
 * smaller than a dot is a dot. */
#include "base/json_load.h"
#include "write/map/picture_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 25, GRID_CLASSES = 5 }; /* tenths: areas and lines that are not wider are dots */

struct dot {
    int x, y;
};
struct layer {
    struct odp_buffer areas, lines, dots;
};
struct layers {
    const struct picture *m;
    struct layer of[PICTURE_ENTRIES];
};

static void point_of(const struct picture *m, const json_t *position, int step, int *x, int *y)
{
    double px, py;
    picture_project(m, json_number_value(json_array_get(position, 0)),
                    json_number_value(json_array_get(position, 1)), &px, &py);
    *x = (int)lround(px / step) * step;
    *y = (int)lround(py / step) * step;
}

static void add_dot(struct layers *l, size_t entry, int x, int y)
{
    int step = l->m->step > 5 ? l->m->step : 5;
    const struct dot d = {(int)lround((double)x / step) * step, (int)lround((double)y / step) * step};
    odp_buffer_add(&l->of[entry].dots, &d, sizeof d);
}

/* The middle of a line's or ring's box where that is no larger than a dot. */
static bool is_small(const struct picture *m, const json_t *points, int *x, int *y)
{
    int west = INT32_MAX, north = INT32_MAX, east = INT32_MIN, south = INT32_MIN;
    for (size_t i = 0; i < json_array_size(points); i++) {
        point_of(m, json_array_get(points, i), 1, x, y);
        west = *x < west ? *x : west;
        east = *x > east ? *x : east;
        north = *y < north ? *y : north;
        south = *y > south ? *y : south;
    }
    if (json_array_size(points) == 0)
        return false;
    *x = west + (east - west) / 2;
    *y = north + (south - north) / 2;
    return east - west <= SMALL && south - north <= SMALL;
}

static void add_chain(const struct picture *m, struct odp_buffer *out, const json_t *points, bool ring)
{
    struct picture_pen pen = {.out = out};
    size_t drawn = 0, start = out->len, n = json_array_size(points);
    for (size_t i = 0; i + ring < n; i++) {
        int x, y;
        point_of(m, json_array_get(points, i), m->step, &x, &y);
        if (drawn > 0 && x == pen.x && y == pen.y)
            continue;
        if (drawn++ == 0)
            picture_move(&pen, x, y);
        else
            picture_line(&pen, x, y);
    }
    if (drawn < (ring ? 3u : 2u))
        out->len = start; /* a hole that closes; a mark in place of a feature is larger than a dot */
    else if (ring)
        odp_buffer_add_char(out, 'z');
}

static void add_polygon(struct layers *l, size_t entry, const json_t *rings)
{
    int x = 0, y = 0;
    struct odp_buffer *out = &l->of[entry].areas;
    size_t before = out->len;
    const json_t *shell = json_array_get(rings, 0);
    if (!is_small(l->m, shell, &x, &y))
        for (size_t k = 0; k < json_array_size(rings); k++) {
            add_chain(l->m, out, json_array_get(rings, k), true);
            if (k == 0 && out->len == before)
                break;
        }
    if (out->len == before && json_array_size(shell) > 0)
        add_dot(l, entry, x, y);
}

void picture_area(const struct picture *m, struct odp_buffer *out, const json_t *geometry)
{
    const json_t *c = json_object_get(geometry, "coordinates");
    const char *type = odp_json_text(geometry, "type");
    bool many = type != NULL && strcmp(type, "MultiPolygon") == 0,
         one = type != NULL && strcmp(type, "Polygon") == 0;
    size_t n = many ? json_array_size(c) : one ? 1 : 0, start = out->len;
    int x = 0, y = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *rings = many ? json_array_get(c, i) : c;
        size_t before = out->len;
        for (size_t k = 0; k < json_array_size(rings) && (k == 0 || out->len > before); k++)
            add_chain(m, out, json_array_get(rings, k), true);
    }
    if (out->len > start || n == 0)
        return;
    (void)is_small(m, json_array_get(many ? json_array_get(c, 0) : c, 0), &x, &y);
    struct picture_pen pen = {.out = out};
    picture_move(&pen, x - SMALL / 2, y - SMALL / 2);
    odp_buffer_add_str(out, "h3v3h-3z");
}

static void add_line(struct layers *l, size_t entry, const json_t *points)
{
    int x = 0, y = 0;
    struct odp_buffer *out = &l->of[entry].lines;
    size_t before = out->len;
    if (!is_small(l->m, points, &x, &y))
        add_chain(l->m, out, points, false);
    if (out->len == before && json_array_size(points) > 0)
        add_dot(l, entry, x, y);
}

static void add_point(struct layers *l, size_t entry, const json_t *position)
{
    int x, y;
    point_of(l->m, position, 1, &x, &y);
    add_dot(l, entry, x, y);
}

static void add_geometry(struct layers *l, size_t entry, const json_t *geometry)
{
    static const struct {
        const char *type;
        void (*add)(struct layers *, size_t, const json_t *);
        bool many;
    } kinds[] = {{"Point", add_point, false},     {"MultiPoint", add_point, true},
                 {"LineString", add_line, false}, {"MultiLineString", add_line, true},
                 {"Polygon", add_polygon, false}, {"MultiPolygon", add_polygon, true}};
    const char *type = odp_json_text(geometry, "type");
    const json_t *c = json_object_get(geometry, "coordinates");
    for (size_t i = 0; type != NULL && i < ODP_COUNT(kinds); i++) {
        if (strcmp(type, kinds[i].type) != 0)
            continue;
        if (!kinds[i].many)
            kinds[i].add(l, entry, c);
        for (size_t k = 0; kinds[i].many && k < json_array_size(c); k++)
            kinds[i].add(l, entry, json_array_get(c, k));
    }
}

static size_t entry_of(const struct picture *m, const json_t *properties)
{
    const json_t *value = m->field != NULL ? json_object_get(properties, m->field) : NULL;
    for (size_t i = 0; i < m->n && m->field != NULL; i++)
        if (json_is_null(m->entry[i].value) || (value != NULL && json_equal(value, m->entry[i].value)))
            return i; /* the others' entry is the last */
    return m->n - 1;
}

/* ---- dots ---- */

static int by_row(const void *a, const void *b)
{
    const struct dot *p = a, *q = b;
    return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->x > q->x) - (p->x < q->x);
}

/* Returns how many are left. */
static size_t unite_dots(struct layer *l)
{
    struct dot *dots = (void *)l->dots.ptr;
    size_t all = l->dots.len / sizeof *dots, n = 0;
    if (all > 0)
        qsort(dots, all, sizeof *dots, by_row);
    for (size_t i = 0; i < all; i++)
        if (n == 0 || by_row(&dots[n - 1], &dots[i]) != 0)
            dots[n++] = dots[i];
    l->dots.len = n * sizeof *dots;
    return n;
}

/* Tenths, by how many there are. */
static int dot_size(const struct picture *m)
{
    uint64_t n = (uint64_t)json_integer_value(json_object_get(m->odp, "located"));
    const bool beside = m->has_areas || m->has_lines;
    if (n <= 100)
        return beside ? 60 : 95;
    if (n <= 300)
        return beside ? 60 : 75;
    if (n <= 500)
        return beside ? 45 : 75;
    if (n <= 2000)
        return beside ? 45 : 55;
    return beside ? 35 : 40;
}

/* A line of no length with round ends is a dot, and the shortest way to write one. Of the layer's dots those
 * that TURN takes. */
static bool write_marks(struct odp_buffer *out, const struct layer *l, unsigned turn)
{
    struct picture_pen pen = {.out = out};
    bool any = false;
    const struct dot *dots = (const void *)l->dots.ptr;
    for (size_t i = 0; i < l->dots.len / sizeof *dots; i++) {
        const struct dot *d = &dots[i];
        if ((((uint32_t)d->x * 2654435761u ^ (uint32_t)d->y * 2246822519u) >> 13 & 3) != turn)
            continue;
        if (!any) {
            picture_move(&pen, d->x, d->y);
        } else {
            odp_buffer_add_char(out, 'm');
            picture_number(out, d->x - pen.x);
            if (d->y >= pen.y)
                odp_buffer_add_char(out, ' ');
            picture_number(out, d->y - pen.y);
        }
        pen.x = d->x;
        pen.y = d->y;
        any = true;
        odp_buffer_add_str(out, "h0");
    }
    return any;
}

/* With a rim where dots are few. In four turns, so that in dense places no entry of the legend covers all
 * others. */
static void write_dots(const struct picture *m, struct odp_buffer *out, const struct layers *l, size_t dots)
{
    int size = dot_size(m);
    odp_buffer_add_str(out, "<g fill=\"none\" stroke-linecap=\"round\">");
    for (unsigned turn = 0; turn < 4; turn++)
        for (size_t i = 0; i < m->n; i++) {
            size_t start = out->len;
            odp_buffer_printf(out, dots <= 2500 ? "<defs><path id=\"p%zu-%u\" d=\"" : "<path d=\"", i, turn);
            if (!write_marks(out, &l->of[i], turn)) {
                out->len = start;
                continue;
            }
            if (dots <= 2500) {
                odp_buffer_printf(
                    out, "\"/></defs><use href=\"#p%zu-%u\" class=\"halo\" stroke=\"#fff\" stroke-width=\"",
                    i, turn);
                picture_number(out, size + 18);
                odp_buffer_printf(out, "\"/><use href=\"#p%zu-%u", i, turn);
            }
            odp_buffer_printf(out, "\" stroke=\"%s\" stroke-width=\"", m->entry[i].color);
            picture_number(out, size);
            odp_buffer_add_str(out, "\"/>");
        }
    odp_buffer_add_str(out, "</g>");
}

static void write_layer(const struct picture *m, struct odp_buffer *out, struct layer *l, size_t entry)
{
    const char *color = m->entry[entry].color;
    if (l->areas.len > 0) {
        odp_buffer_printf(out,
                          "<path fill=\"%s\" fill-opacity=\".72\" fill-rule=\"evenodd\" stroke=\"%s\" "
                          "stroke-width=\".8\" stroke-linejoin=\"round\" d=\"",
                          color, color);
        odp_buffer_add_slice(out, odp_buffer_slice(&l->areas));
        odp_buffer_add_str(out, "\"/>");
    }
    if (l->lines.len > 0) {
        odp_buffer_printf(out,
                          "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2.4\" stroke-linecap=\"round\" "
                          "stroke-linejoin=\"round\" d=\"",
                          color);
        odp_buffer_add_slice(out, odp_buffer_slice(&l->lines));
        odp_buffer_add_str(out, "\"/>");
    }
    out->failed |= l->areas.failed || l->lines.failed || l->dots.failed;
}

/* ---- the grid ---- */

static uint64_t count_of(const json_t *feature)
{
    return (uint64_t)json_integer_value(json_object_get(json_object_get(feature, "properties"), "n"));
}

static size_t largest_of(const struct picture *m, const json_t *feature)
{
    const json_t *counts = json_object_get(json_object_get(feature, "properties"), "counts");
    size_t best = 0;
    for (size_t i = 1; i < m->n && i < json_array_size(counts); i++)
        if (json_integer_value(json_array_get(counts, i)) > json_integer_value(json_array_get(counts, best)))
            best = i;
    return best;
}

static void write_grid(const struct picture *m, struct odp_buffer *out)
{
    uint64_t most = 1;
    for (size_t i = 0; i < json_array_size(m->features); i++)
        most =
            count_of(json_array_get(m->features, i)) > most ? count_of(json_array_get(m->features, i)) : most;
    for (size_t entry = 0; entry < m->n; entry++)
        for (int k = 0; k < GRID_CLASSES; k++) {
            size_t start = out->len;
            odp_buffer_printf(out, "<path fill=\"%s\" fill-opacity=\".%d\" d=\"", m->entry[entry].color,
                              35 + k * 15);
            size_t empty = out->len;
            for (size_t i = 0; i < json_array_size(m->features); i++) {
                const json_t *f = json_array_get(m->features, i),
                             *ring = json_array_get(
                                 json_object_get(json_object_get(f, "geometry"), "coordinates"), 0);
                double share = log((double)count_of(f) + 1) / log((double)most + 1) * GRID_CLASSES;
                int class = share >= GRID_CLASSES ? GRID_CLASSES - 1 : (int)share, x, y, x2, y2;
                if (class != k || largest_of(m, f) != entry)
                    continue;
                point_of(m, json_array_get(ring, 0), 1, &x, &y);
                point_of(m, json_array_get(ring, 2), 1, &x2, &y2);
                struct picture_pen pen = {.out = out};
                picture_move(&pen, x, y);
                odp_buffer_add_char(out, 'h');
                picture_number(out, x2 - x);
                odp_buffer_add_char(out, 'v');
                picture_number(out, y2 - y);
                odp_buffer_add_char(out, 'h');
                picture_number(out, x - x2);
                odp_buffer_add_char(out, 'z');
            }
            if (out->len == empty)
                out->len = start;
            else
                odp_buffer_add_str(out, "\"/>");
        }
}

void picture_shapes(struct picture *m, struct odp_buffer *out)
{
    size_t dots = 0;
    struct layers l = {.m = m};
    m->only_dots = !m->grid;
    if (m->grid) {
        write_grid(m, out);
        return;
    }
    for (size_t i = 0; i < json_array_size(m->features); i++) {
        const json_t *f = json_array_get(m->features, i);
        add_geometry(&l, entry_of(m, json_object_get(f, "properties")), json_object_get(f, "geometry"));
    }
    for (size_t i = 0; i < m->n; i++) {
        write_layer(m, out, &l.of[i], i);
        m->only_dots = m->only_dots && l.of[i].areas.len == 0 && l.of[i].lines.len == 0;
        dots += unite_dots(&l.of[i]);
    }
    if (dots > 0) /* above areas: they are easier to miss */
        write_dots(m, out, &l, dots);
    for (size_t i = 0; i < m->n; i++) {
        odp_buffer_release(&l.of[i].areas);
        odp_buffer_release(&l.of[i].lines);
        odp_buffer_release(&l.of[i].dots);
    }
}

void picture_symbol(const struct picture *m, struct odp_buffer *out, size_t i, int x, int y)
{
    const char *color = m->entry[i].color;
    if (m->only_dots)
        odp_buffer_printf(out, "<circle fill=\"%s\" cx=\"%d\" cy=\"%d\" r=\"5\"/>", color, x / 10 + 9,
                          y / 10);
    else if (m->has_lines && !m->has_areas)
        odp_buffer_printf(out,
                          "<path stroke=\"%s\" stroke-width=\"3\" stroke-linecap=\"round\" d=\"M%d %dh14\"/>",
                          color, x / 10 + 2, y / 10);
    else
        odp_buffer_printf(
            out, "<path fill=\"%s\" fill-opacity=\".72\" stroke=\"%s\" d=\"M%d.5 %d.5h13v11h-13z\"/>", color,
            color, x / 10 + 2, y / 10 - 6);
}
