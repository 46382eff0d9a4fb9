/* One record's shape without its fault. A ring that is not closed gets its first point again. A polygon
 * that is not valid is what its lines enclose (GEOS's make-valid: a place is inside where a line to the
 * outside crosses its rings an odd number of times), in the file's own coordinates; heights and measures
 * stay with the points that had them. */
#include <math.h>
#include <stdlib.h>

#include "catalog/expr/geos.h"
#include "repair/shapes/mend_internal.h"

#define NO_DATA (-1e39) /* below -1e38: "no data" (ESRI) */

static bool is_polygon(uint32_t type)
{
    return type == SHPT_POLYGON || type == SHPT_POLYGONZ || type == SHPT_POLYGONM;
}

static bool is_line(uint32_t type)
{
    return type == SHPT_ARC || type == SHPT_ARCZ || type == SHPT_ARCM;
}

bool mend_read(const uint8_t *p, size_t n, struct mend_content *out)
{
    uint32_t type = n >= 44 ? shape_le32(p) : SHPT_NULL;
    if (!is_polygon(type) && !is_line(type))
        return false;
    uint64_t parts = shape_le32(p + 36), points = shape_le32(p + 40);
    if (parts == 0 || points > INT32_MAX / 32 || parts > points || 44 + 4 * parts + 16 * points > n)
        return false;
    *out = (struct mend_content){type, (uint32_t)parts, (uint32_t)points, p + 44, p + 44 + 4 * parts};
    for (uint32_t k = 0; k < parts; k++) {
        uint32_t from, to;
        mend_part(out, k, &from, &to);
        if (from >= to || to > points || (k == 0 && from != 0))
            return false;
    }
    for (uint64_t i = 0; i < 2 * points; i++)
        if (!(fabs(mend_number(out->xy + 8 * i)) < 1e38))
            return false;
    return true;
}

void mend_part(const struct mend_content *c, uint32_t k, uint32_t *from, uint32_t *to)
{
    *from = shape_le32(c->starts + 4 * (size_t)k);
    *to = k + 1 < c->nparts ? shape_le32(c->starts + 4 * ((size_t)k + 1)) : c->npoints;
}

/* ---- writing ---- */

/* A shape to be written: its rings or lines one after the other. */
struct drawing {
    struct odp_arena *arena;
    uint32_t *part, nparts, npoints; /* part: nparts + 1 */
    double *xy;
};

static void put32(struct odp_buffer *b, uint32_t v)
{
    odp_buffer_add(b, &v, sizeof v); /* little-endian, like the machine */
}

/* A point of the old content, to be found by its place. */
struct old_point {
    double x, y;
    uint32_t at;
};

static int by_place(const void *a, const void *b)
{
    const struct old_point *p = a, *q = b;
    int c = (p->x > q->x) - (p->x < q->x);
    return c != 0 ? c : (p->y > q->y) - (p->y < q->y);
}

/* The numbers at OLD (a range, then one for each old point) for the points of D. */
static void put_numbers(struct odp_buffer *b, const struct drawing *d, const struct old_point *points,
                        uint32_t n, const uint8_t *old)
{
    double range[2] = {INFINITY, -INFINITY};
    double *v = odp_arena_array(d->arena, (size_t)d->npoints + 1, sizeof *v);
    for (uint32_t i = 0; i < d->npoints; i++) {
        const struct old_point key = {d->xy[2 * (size_t)i], d->xy[2 * (size_t)i + 1], 0};
        const struct old_point *p = bsearch(&key, points, n, sizeof *points, by_place);
        v[i] = p != NULL ? mend_number(old + 16 + 8 * (size_t)p->at) : NO_DATA;
        range[0] = fmin(range[0], v[i]);
        range[1] = fmax(range[1], v[i]);
    }
    odp_buffer_add(b, range, sizeof range);
    odp_buffer_add(b, v, d->npoints * sizeof *v);
}

/* D as content of C's type. */
static void put_content(struct odp_buffer *out, const struct drawing *d, const struct mend_content *c,
                        size_t n, const uint8_t *p)
{
    size_t start = out->len;
    const double box[4] = {0};
    put32(out, c->type);
    odp_buffer_add(out, box, sizeof box);
    put32(out, d->nparts);
    put32(out, d->npoints);
    odp_buffer_add(out, d->part, d->nparts * sizeof *d->part);
    odp_buffer_add(out, d->xy, 2 * (size_t)d->npoints * sizeof *d->xy);
    const uint8_t *more = c->xy + 16 * (size_t)c->npoints;
    size_t each = 16 + 8 * (size_t)c->npoints;
    struct old_point *old = odp_arena_array(d->arena, (size_t)c->npoints + 1, sizeof *old);
    for (uint32_t i = 0; i < c->npoints; i++)
        old[i] = (struct old_point){mend_number(c->xy + 16 * (size_t)i),
                                    mend_number(c->xy + 16 * (size_t)i + 8), i};
    qsort(old, c->npoints, sizeof *old, by_place);
    for (; (size_t)(p + n - more) >= each && c->type > 10; more += each) /* heights, measures */
        put_numbers(out, d, old, c->npoints, more);
    if (odp_buffer_status(out) == ODP_OK)
        mend_box((uint8_t *)out->ptr + start, out->len - start);
}

/* ---- rings ---- */

/* The parts of C, closed, without those that are no ring (or no line) at all. */
static void take_parts(const struct mend_content *c, struct drawing *d)
{
    bool ring = is_polygon(c->type);
    d->part = odp_arena_array(d->arena, (size_t)c->nparts + 1, sizeof *d->part);
    d->xy = odp_arena_array(d->arena, 2 * ((size_t)c->npoints + c->nparts) + 2, sizeof *d->xy);
    for (uint32_t k = 0; k < c->nparts; k++) {
        uint32_t from, to, different = 1;
        mend_part(c, k, &from, &to);
        double *start = d->xy + 2 * (size_t)d->npoints, *at = start;
        memcpy(at, c->xy + 16 * (size_t)from, 16 * (size_t)(to - from));
        at += 2 * (size_t)(to - from);
        for (double *p = start + 2; p < at; p += 2)
            different += p[0] != p[-2] || p[1] != p[-1];
        if (ring && (at[-2] != start[0] || at[-1] != start[1])) {
            at[0] = start[0], at[1] = start[1];
            at += 2;
        }
        if (different < (ring ? 3u : 2u) || (size_t)(at - start) / 2 < (ring ? 4u : 2u))
            continue;
        d->part[d->nparts++] = d->npoints;
        d->npoints = (uint32_t)((at - d->xy) / 2);
    }
    d->part[d->nparts] = d->npoints;
}

/* ---- make-valid ---- */

/* Ring R of GEOS's result, the way round that a shapefile wants. */
static enum odp_status add_ring(GEOSContextHandle_t h, struct drawing *d, const GEOSGeometry *r, bool shell)
{
    const GEOSCoordSequence *seq = r != NULL ? GEOSGeom_getCoordSeq_r(h, r) : NULL;
    unsigned n = 0;
    if (seq == NULL || GEOSCoordSeq_getSize_r(h, seq, &n) == 0)
        return ODP_FAIL;
    double *own = d->xy + 2 * (size_t)d->npoints;
    if (GEOSCoordSeq_copyToBuffer_r(h, seq, own, 0, 0) == 0)
        return ODP_FAIL;
    if ((odp_ring_area2(own, n) > 0) == shell)
        for (unsigned i = 0, k = n - 1; i < k; i++, k--)
            for (unsigned a = 0; a < 2; a++) {
                double v = own[2 * i + a];
                own[2 * i + a] = own[2 * k + a];
                own[2 * k + a] = v;
            }
    d->part[d->nparts++] = d->npoints;
    d->part[d->nparts] = d->npoints += n;
    return ODP_OK;
}

/* The polygons of G; lines and points, which enclose nothing, are left out. */
static enum odp_status add_polygons(GEOSContextHandle_t h, struct drawing *d, const GEOSGeometry *g)
{
    enum odp_status status = ODP_OK;
    int type = GEOSGeomTypeId_r(h, g);
    if (type == GEOS_POLYGON && GEOSisEmpty_r(h, g) == 0) {
        status = add_ring(h, d, GEOSGetExteriorRing_r(h, g), true);
        for (int i = 0; i < GEOSGetNumInteriorRings_r(h, g) && status == ODP_OK; i++)
            status = add_ring(h, d, GEOSGetInteriorRingN_r(h, g, i), false);
    } else if (type == GEOS_MULTIPOLYGON || type == GEOS_GEOMETRYCOLLECTION) {
        for (int i = 0; i < GEOSGetNumGeometries_r(h, g) && status == ODP_OK; i++)
            status = add_polygons(h, d, GEOSGetGeometryN_r(h, g, i));
    }
    return status;
}

/* Shells with their holes as the reader takes them; where a hole has none, every ring is its own polygon. */
static void as_polygons(struct drawing *d, struct odp_geom *g)
{
    struct shape_polygons p = {0};
    uint32_t orphan = 0;
    if (shape_rings(d->arena, d->xy, d->part, d->nparts, &p, &orphan) == ODP_BAD) {
        int64_t *owner = odp_arena_array(d->arena, d->nparts, sizeof *owner);
        for (uint32_t k = 0; k < d->nparts; k++)
            owner[k] = -1;
        shape_rings_collect(d->arena, owner, d->nparts, &p);
    }
    *g = (struct odp_geom){.type = ODP_GEOM_MULTIPOLYGON, .npoints = d->npoints, .nparts = d->nparts};
    g->xy = odp_arena_array(d->arena, 2 * (size_t)d->npoints, sizeof *g->xy);
    g->part = odp_arena_array(d->arena, (size_t)d->nparts + 1, sizeof *g->part);
    g->poly = p.poly;
    g->npolys = p.npolys;
    uint32_t to = 0;
    for (uint32_t k = 0; k < d->nparts; k++) {
        uint32_t from = d->part[p.ring[k]], n = d->part[p.ring[k] + 1] - from;
        g->part[k] = to;
        memcpy(g->xy + 2 * (size_t)to, d->xy + 2 * (size_t)from, 2 * (size_t)n * sizeof *g->xy);
        to += n;
    }
    g->part[d->nparts] = to;
}

static enum odp_status make_valid(struct drawing *d)
{
    struct odp_geom g;
    as_polygons(d, &g);
    GEOSContextHandle_t h = GEOS_init_r();
    GEOSGeometry **room = calloc(odp_geos_room(&g), sizeof *room), *was = NULL, *valid = NULL;
    enum odp_status status = h != NULL && room != NULL ? ODP_BAD : odp_failure_memory();
    if (status == ODP_BAD)
        was = odp_geos_of(h, &g, room);
    if (was != NULL)
        valid = GEOSMakeValid_r(h, was);
    if (valid != NULL) {
        size_t points = (size_t)GEOSGetNumCoordinates_r(h, valid);
        d->nparts = d->npoints = 0;
        d->xy = odp_arena_array(d->arena, 2 * points + 2, sizeof *d->xy);
        d->part = odp_arena_array(d->arena, points + 2, sizeof *d->part);
        status = add_polygons(h, d, valid);
        if (status == ODP_OK && d->nparts == 0)
            status = ODP_BAD;
    }
    GEOSGeom_destroy_r(h, was);
    GEOSGeom_destroy_r(h, valid);
    free(room);
    if (h != NULL)
        GEOS_finish_r(h);
    return status;
}

enum odp_status mend_shape(enum odp_code code, const uint8_t *p, size_t n, struct odp_buffer *out)
{
    struct odp_arena arena = {0};
    struct mend_content c;
    struct drawing d = {.arena = &arena};
    if (!mend_read(p, n, &c))
        return ODP_BAD;
    take_parts(&c, &d);
    enum odp_status status = d.nparts > 0 ? ODP_OK : ODP_BAD;
    if (status == ODP_OK && code != ODP_G03 && is_polygon(c.type))
        status = make_valid(&d);
    if (status == ODP_OK)
        put_content(out, &d, &c, n, p);
    if (status == ODP_OK && (odp_arena_status(&arena) != ODP_OK || odp_buffer_status(out) != ODP_OK))
        status = ODP_FAIL;
    odp_arena_release(&arena);
    return status;
}

/* ---- boxes ---- */

void mend_extend(const uint8_t *p, size_t n, double box[4], bool *has)
{
    uint32_t type = n >= 20 ? shape_le32(p) : SHPT_NULL;
    double own[4];
    if (type == SHPT_NULL)
        return;
    bool point = type == SHPT_POINT || type == SHPT_POINTZ || type == SHPT_POINTM;
    if (!point && n < 36)
        return;
    memcpy(own, p + 4, point ? 16 : 32);
    if (point)
        memcpy(own + 2, own, 16);
    odp_bbox_extend(box, has, own);
}

void mend_box(uint8_t *p, size_t n)
{
    uint32_t type = n >= 40 ? shape_le32(p) : SHPT_NULL;
    uint64_t points = 0, at = 40;
    if (type == SHPT_MULTIPOINT || type == SHPT_MULTIPOINTZ || type == SHPT_MULTIPOINTM) {
        points = shape_le32(p + 36);
    } else if ((is_polygon(type) || is_line(type) || type == SHPT_MULTIPATCH) && n >= 44) {
        points = shape_le32(p + 40);
        at = 44 + (type == SHPT_MULTIPATCH ? 8 : 4) * (uint64_t)shape_le32(p + 36);
    }
    double box[4];
    bool has = false;
    for (uint64_t i = 0; i < points && at + 16 * (i + 1) <= n; i++) {
        double xy[2];
        memcpy(xy, p + at + 16 * i, sizeof xy);
        odp_bbox_extend(box, &has, (const double[]){xy[0], xy[1], xy[0], xy[1]});
    }
    if (has)
        memcpy(p + 4, box, sizeof box);
}
