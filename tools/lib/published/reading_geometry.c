/* Coordinates read back: GeoJSON and WKT as catalog/records/geom.c writes them, at most 7 decimals a number.
 * One grammar for both; they differ in brackets and in what separates the numbers of a point:
 *
 *   type                     GeoJSON                 WKT
 *   point                    [x,y]                   (x y)
 *   multipoint               [[x,y],[x,y]]           ((x y),(x y))
 *   line                     [[x,y],[x,y]]           (x y,x y)
 *   lines, polygon           one list deeper
 *   multipolygon             two lists deeper */
#include "published/reading_internal.h"

#include <stdlib.h>

enum { PLACES = 7, WHOLE_MAX = 15, NUMBER_MAX = 32 };

struct grammar {
    struct odp_geometry_store *store;
    const char *end;
    char open, close, between; /* BETWEEN separates the numbers of a point */
    bool json, areal, members; /* MEMBERS: points have brackets of their own */
};

/* Grows ITEMS to ROOM, keeping N of them. */
static void *grow(struct odp_geometry_store *s, void *items, uint32_t n, uint32_t room, size_t size)
{
    void *more = odp_arena_array(s->arena, room, size);
    return n > 0 ? memcpy(more, items, n * size) : more;
}

static void room_for_point(struct odp_geometry_store *s)
{
    if (s->g.npoints < s->points)
        return;
    s->points = s->points != 0 ? s->points * 2 : 64;
    s->xy = grow(s, s->xy, s->g.npoints, s->points, 2 * sizeof *s->xy);
    s->z = grow(s, s->z, s->g.npoints, s->points, sizeof *s->z);
}

/* Begins a part (or a polygon) at the next point (or part); keeps room for the end's mark. */
static void begin_part(struct odp_geometry_store *s)
{
    if (s->g.nparts + 1 >= s->parts) {
        s->parts = s->parts != 0 ? s->parts * 2 : 16;
        s->part = grow(s, s->part, s->g.nparts, s->parts, sizeof *s->part);
    }
    s->part[s->g.nparts++] = s->g.npoints;
}

static void begin_poly(struct odp_geometry_store *s)
{
    if (s->g.npolys + 1 >= s->polys) {
        s->polys = s->polys != 0 ? s->polys * 2 : 16;
        s->poly = grow(s, s->poly, s->g.npolys, s->polys, sizeof *s->poly);
    }
    s->poly[s->g.npolys++] = s->g.nparts;
}

const char *odp_geometry_read_number(const char *p, const char *end, double *out)
{
    const char *start = p;
    bool negative = p < end && *p == '-';
    uint64_t n = 0;
    int whole = 0, places = 0;
    p += negative;
    for (; p < end && *p >= '0' && *p <= '9' && whole < WHOLE_MAX + 1; p++, whole++)
        n = n * 10 + (uint64_t)(*p - '0');
    if (whole == 0 || whole > WHOLE_MAX || (whole > 1 && p[-whole] == '0'))
        return NULL;
    if (p < end && *p == '.') {
        for (p++; p < end && *p >= '0' && *p <= '9' && places < PLACES + 1; p++, places++)
            n = n * 10 +
                (uint64_t)(*p -
                           '0'); /* of 22 digits at most; more than 19 may overflow and are not used below */
        if (places == 0 || places > PLACES)
            return NULL;
    }
    static const uint64_t powers[] = {10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    if (whole + PLACES <= 16 && n * powers[places] < (uint64_t)1 << 53) {
        double v = (double)(n * powers[places]) / 1e7; /* two exact numbers: the nearest double */
        *out = negative ? -v : v;
    } else {
        char digits[NUMBER_MAX];
        size_t len = (size_t)(p - start);
        memcpy(digits, start, len);
        digits[len] = '\0';
        *out = strtod(digits, NULL);
    }
    return p;
}

/* The numbers of a point. */
static const char *take_numbers(struct grammar *q, const char *p)
{
    struct odp_geometry_store *s = q->store;
    double v[3] = {0, 0, 0};
    int n = 0;
    do {
        p = odp_geometry_read_number(n > 0 ? p + 1 : p, q->end, &v[n]);
        n++;
    } while (p != NULL && n < 3 && p < q->end && *p == q->between);
    bool z = n == 3;
    if (p == NULL || n < 2 || (s->z_known && s->has_z != z))
        return NULL;
    room_for_point(s);
    s->z_known = true;
    s->has_z = z;
    s->xy[2 * (size_t)s->g.npoints] = v[0];
    s->xy[2 * (size_t)s->g.npoints + 1] = v[1];
    s->z[s->g.npoints++] = v[2];
    return p;
}

static const char *take_point(struct grammar *q, const char *p)
{
    bool brackets = q->json || q->members;
    if (brackets && (p == q->end || *p++ != q->open))
        return NULL;
    p = take_numbers(q, p);
    if (brackets && p != NULL)
        p = p < q->end && *p == q->close ? p + 1 : NULL;
    return p;
}

/* DEPTH lists, the innermost of points. */
static const char *take_list(struct grammar *q, const char *p, int depth)
{
    if (p == q->end || *p != q->open)
        return NULL;
    if (depth == 1)
        begin_part(q->store);
    else if (depth == 2 && q->areal)
        begin_poly(q->store);
    do {
        p = depth == 1 ? take_point(q, p + 1) : take_list(q, p + 1, depth - 1);
    } while (p != NULL && p < q->end && *p == ',');
    return p != NULL && p < q->end && *p == q->close ? p + 1 : NULL;
}

static void set_bbox(struct odp_geom *g)
{
    bool has = false;
    for (uint32_t i = 0; i < g->npoints; i++) {
        const double *v = g->xy + 2 * (size_t)i, at[4] = {v[0], v[1], v[0], v[1]};
        odp_bbox_extend(g->bbox, &has, at);
    }
}

static void begin(struct odp_geometry_store *s, enum odp_geom_type type)
{
    s->g = (struct odp_geom){.type = type};
    s->z_known = s->has_z = false;
}

/* Completes the geometry: marks the ends of parts and polygons, and sets NULL for arrays that it has not. */
static void finish(struct odp_geometry_store *s)
{
    struct odp_geom *g = &s->g;
    if (g->npoints == 0) { /* an empty geometry has the array, too */
        begin_part(s);
        g->nparts = 0;
    }
    g->xy = s->xy;
    g->z = s->has_z ? s->z : NULL;
    g->part = s->part;
    g->part[g->nparts] = g->npoints;
    if (g->npolys > 0) {
        g->poly = s->poly;
        g->poly[g->npolys] = g->nparts;
    }
    if (g->npoints > 0) {
        set_bbox(g);
        memcpy(g->label, g->xy, sizeof g->label);
    }
}

static const char *take_text(const char *p, const char *end, const char *text)
{
    size_t n = strlen(text);
    return p != NULL && (size_t)(end - p) >= n && memcmp(p, text, n) == 0 ? p + n : NULL;
}

static const char *take_coordinates(struct grammar *q, const char *p)
{
    static const int depth[] = {0, 1, 1, 2, 2, 3};
    enum odp_geom_type type = q->store->g.type;
    q->areal = type == ODP_GEOM_POLYGON || type == ODP_GEOM_MULTIPOLYGON;
    q->members = !q->json && (type == ODP_GEOM_MULTIPOINT || type == ODP_GEOM_POINT);
    if (type == ODP_GEOM_POINT)
        begin_part(q->store);
    p = depth[type] > 0 ? take_list(q, p, depth[type]) : take_point(q, p);
    if (p != NULL)
        finish(q->store);
    return p;
}

/* Coordinates at P, or the word EMPTY. */
static const char *take_rest(struct grammar *q, const char *p, const char *empty)
{
    const char *after = p != NULL ? take_text(p, q->end, empty) : NULL;
    if (after == NULL)
        return p != NULL ? take_coordinates(q, p) : NULL;
    finish(q->store);
    return after;
}

/* The type whose name, in small letters or capitals, is at P. */
static const char *take_type(struct odp_geometry_store *s, const char *p, const char *end, bool capitals)
{
    size_t n = 0;
    char name[16];
    for (; p + n < end && n < sizeof name && ((p[n] >= 'A' && p[n] <= 'Z') || (p[n] >= 'a' && p[n] <= 'z'));
         n++)
        name[n] = p[n];
    for (unsigned t = 0; t <= ODP_GEOM_MULTIPOLYGON; t++) {
        const char *known = odp_geom_type_name((enum odp_geom_type)t);
        bool equal = strlen(known) == n;
        for (size_t i = 0; i < n && equal; i++)
            equal = name[i] == (capitals && known[i] >= 'a' ? known[i] - 'a' + 'A' : known[i]);
        if (equal) {
            begin(s, (enum odp_geom_type)t);
            return p + n;
        }
    }
    return NULL;
}

const char *odp_geometry_read_json(struct odp_geometry_store *s, const char *p, const char *end)
{
    struct grammar q = {.store = s, .end = end, .open = '[', .close = ']', .between = ',', .json = true};
    p = take_text(p, end, "{\"type\":\"");
    p = p != NULL ? take_type(s, p, end, false) : NULL;
    p = take_rest(&q, take_text(p, end, "\",\"coordinates\":"), "[]");
    return take_text(p, end, "}");
}

const char *odp_geometry_read_wkt(struct odp_geometry_store *s, const char *p, const char *end)
{
    struct grammar q = {.store = s, .end = end, .open = '(', .close = ')', .between = ' '};
    p = take_type(s, p, end, true);
    const char *z = take_text(p, end, " Z ");
    if (z != NULL)
        s->z_known = s->has_z = true;
    p = take_rest(&q, z != NULL ? z : take_text(p, end, " "), "EMPTY");
    return p != NULL && s->has_z == (z != NULL) ? p : NULL;
}

void odp_geometry_set_point(struct odp_geometry_store *s, double lon, double lat)
{
    begin(s, ODP_GEOM_POINT);
    begin_part(s);
    room_for_point(s);
    s->xy[0] = lon;
    s->xy[1] = lat;
    s->g.npoints = 1;
    finish(s);
}
