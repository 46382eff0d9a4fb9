#include "catalog/records/geom.h"

#include <math.h>

#include "base/decimal.h"
#include "catalog/records/degrees.h"

const char *odp_geom_type_name(enum odp_geom_type t)
{
    static const char *const names[] = {"Point",           "MultiPoint", "LineString",
                                        "MultiLineString", "Polygon",    "MultiPolygon"};
    return (size_t)t < ODP_COUNT(names) ? names[t] : "";
}

double odp_ring_area2(const double *xy, uint32_t n)
{
    double sum = 0;
    if (n < 3)
        return 0;
    /* Relative to the first point: at 100 degrees a small ring's area would drown in the products' rounding.
     */
    for (uint32_t i = 1; i + 1 < n; i++) {
        double ax = xy[2 * i] - xy[0], ay = xy[2 * i + 1] - xy[1];
        double bx = xy[2 * i + 2] - xy[0], by = xy[2 * i + 3] - xy[1];
        sum += ax * by - bx * ay;
    }
    return sum;
}

/* How points are written: GeoJSON "[x,y]" or WKT "x y". */
struct style {
    bool json;
    bool z;
    char open, close, between;
};

bool odp_geom_has_heights(const struct odp_geom *g)
{
    if (g->z == NULL)
        return false;
    for (uint32_t i = 0; i < g->npoints; i++)
        if (!isfinite(g->z[i]) || fabs(g->z[i]) >= 1e15)
            return false;
    return true;
}

enum {
    SOME = ODP_DEGREES_MANY / 2, /* points at a time */
    POINT_ROOM = 3 * 41          /* three numbers, each with a separator */
};

static char *put_point(char *p, const struct odp_geom *g, uint32_t i, const struct style *s)
{
    const double *xy = g->xy + 2 * (size_t)i;
    *p = '[';
    p += s->json;
    p += odp_decimal_fixed(xy[0], ODP_DEGREES_PLACES, p);
    *p++ = s->between;
    p += odp_decimal_fixed(xy[1], ODP_DEGREES_PLACES, p);
    if (s->z) {
        *p++ = s->between;
        p += odp_decimal_fixed(g->z[i], ODP_DEGREES_PLACES, p);
    }
    *p = ']';
    return p + s->json;
}

/* The same of number I of D and the next, without height. */
static char *put_degrees(char *p, const struct odp_degrees *d, uint32_t i, const struct style *s)
{
    *p = '[';
    p = odp_degrees_put(p + s->json, d, i);
    *p = s->between;
    p = odp_degrees_put(p + 1, d, i + 1);
    *p = ']';
    return p + s->json;
}

/* N points from FIRST on, at most SOME, with commas between them. */
static void add_some(struct odp_buffer *b, const struct odp_geom *g, uint32_t first, uint32_t n,
                     bool backwards, const struct style *s)
{
    struct odp_degrees d;
    char *start = odp_buffer_reserve(b, (size_t)n * (POINT_ROOM + 3)), *p = start;
    if (start == NULL)
        return;
    bool plain = !s->z && odp_degrees_of(g->xy + 2 * (size_t)first, 2 * n, &d);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = backwards ? n - 1 - k : k;
        *p = ',';
        p += k > 0;
        p = plain ? put_degrees(p, &d, 2 * i, s) : put_point(p, g, first + i, s);
    }
    b->len += (size_t)(p - start);
}

/* Points FROM .. TO - 1 as a list, BACKWARDS if asked (a closed ring still begins with the same point). */
static void add_points(struct odp_buffer *b, const struct odp_geom *g, uint32_t from, uint32_t to,
                       bool backwards, const struct style *s)
{
    odp_buffer_add_char(b, s->open);
    for (uint32_t done = 0, all = to - from; done < all; done += SOME) {
        uint32_t n = all - done < SOME ? all - done : SOME;
        if (done > 0)
            odp_buffer_add_char(b, ',');
        add_some(b, g, backwards ? to - done - n : from + done, n, backwards, s);
    }
    odp_buffer_add_char(b, s->close);
}

/* In WKT, members of a MultiPoint have brackets of their own. */
static void add_members(struct odp_buffer *b, const struct odp_geom *g, const struct style *s)
{
    odp_buffer_add_char(b, s->open);
    for (uint32_t i = 0; i < g->npoints; i++) {
        if (i > 0)
            odp_buffer_add_char(b, ',');
        if (s->json)
            add_some(b, g, i, 1, false, s);
        else
            add_points(b, g, i, i + 1, false, s);
    }
    odp_buffer_add_char(b, s->close);
}

static void add_lines(struct odp_buffer *b, const struct odp_geom *g, const struct style *s)
{
    odp_buffer_add_char(b, s->open);
    for (uint32_t k = 0; k < g->nparts; k++) {
        if (k > 0)
            odp_buffer_add_char(b, ',');
        add_points(b, g, g->part[k], g->part[k + 1], false, s);
    }
    odp_buffer_add_char(b, s->close);
}

bool odp_geom_ring_turns(const struct odp_geom *g, uint32_t part, bool shell)
{
    uint32_t from = g->part[part], to = g->part[part + 1];
    if (g->turned)
        return false;
    double area = odp_ring_area2(g->xy + 2 * (size_t)from, to - from);
    return shell ? area < 0 : area > 0;
}

static void add_polygon(struct odp_buffer *b, const struct odp_geom *g, uint32_t poly, const struct style *s)
{
    odp_buffer_add_char(b, s->open);
    for (uint32_t k = g->poly[poly]; k < g->poly[poly + 1]; k++) {
        bool shell = k == g->poly[poly];
        if (!shell)
            odp_buffer_add_char(b, ',');
        add_points(b, g, g->part[k], g->part[k + 1], odp_geom_ring_turns(g, k, shell), s);
    }
    odp_buffer_add_char(b, s->close);
}

static void add_polygons(struct odp_buffer *b, const struct odp_geom *g, const struct style *s)
{
    odp_buffer_add_char(b, s->open);
    for (uint32_t p = 0; p < g->npolys; p++) {
        if (p > 0)
            odp_buffer_add_char(b, ',');
        add_polygon(b, g, p, s);
    }
    odp_buffer_add_char(b, s->close);
}

static void add_coordinates(struct odp_buffer *b, const struct odp_geom *g, const struct style *s)
{
    switch (g->type) {
    case ODP_GEOM_POINT:
        if (s->json)
            add_some(b, g, 0, 1, false, s);
        else
            add_points(b, g, 0, 1, false, s);
        break;
    case ODP_GEOM_MULTIPOINT:
        add_members(b, g, s);
        break;
    case ODP_GEOM_LINESTRING:
        add_points(b, g, 0, g->npoints, false, s);
        break;
    case ODP_GEOM_MULTILINESTRING:
        add_lines(b, g, s);
        break;
    case ODP_GEOM_POLYGON:
        add_polygon(b, g, 0, s);
        break;
    case ODP_GEOM_MULTIPOLYGON:
        add_polygons(b, g, s);
        break;
    }
}

static bool is_empty(const struct odp_geom *g)
{
    bool areal = g->type == ODP_GEOM_POLYGON || g->type == ODP_GEOM_MULTIPOLYGON;
    return g->npoints == 0 || (areal && (g->npolys == 0 || g->poly == NULL));
}

void odp_geom_add_geojson(struct odp_buffer *b, const struct odp_geom *g)
{
    struct style s = {.json = true, .z = odp_geom_has_heights(g), .open = '[', .close = ']', .between = ','};
    odp_buffer_add_str(b, "{\"type\":\"");
    odp_buffer_add_str(b, odp_geom_type_name(g->type));
    odp_buffer_add_str(b, "\",\"coordinates\":");
    if (is_empty(g))
        odp_buffer_add_str(b, "[]");
    else
        add_coordinates(b, g, &s);
    odp_buffer_add_char(b, '}');
}

void odp_geom_add_wkt(struct odp_buffer *b, const struct odp_geom *g)
{
    struct style s = {.json = false, .z = odp_geom_has_heights(g), .open = '(', .close = ')', .between = ' '};
    for (const char *c = odp_geom_type_name(g->type); *c != '\0'; c++)
        odp_buffer_add_char(b, (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c));
    odp_buffer_add_str(b, s.z ? " Z " : " ");
    if (is_empty(g))
        odp_buffer_add_str(b, "EMPTY");
    else
        add_coordinates(b, g, &s);
}

void odp_bbox_extend(double box[4], bool *has, const double by[4])
{
    if (!*has)
        memcpy(box, by, 4 * sizeof *box);
    *has = true;
    for (int k = 0; k < 2; k++) {
        box[k] = by[k] < box[k] ? by[k] : box[k];
        box[k + 2] = by[k + 2] > box[k + 2] ? by[k + 2] : box[k + 2];
    }
}

void odp_bbox_of(const double *xy, uint32_t n, double box[4])
{
    double west = xy[0], south = xy[1], east = west, north = south;
    for (uint32_t i = 1; i < n; i++) {
        double x = xy[2 * (size_t)i], y = xy[2 * (size_t)i + 1];
        west = x < west ? x : west;
        south = y < south ? y : south;
        east = x > east ? x : east;
        north = y > north ? y : north;
    }
    memcpy(box, (double[4]){west, south, east, north}, 4 * sizeof *box);
}
