/* Tests: boxes first, then what needs no topology, then GEOS. */
#include "catalog/expr/spatial.h"

#include <math.h>

#include "catalog/expr/expr_internal.h"
#include "catalog/expr/spatial_internal.h"
#include "catalog/index/gpb.h"

enum { POINTS_SMALL = 256 };

static bool touch(const double a[4], const double b[4])
{
    return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}

static bool within(const double a[4], const double b[4])
{
    return a[0] >= b[0] && a[1] >= b[1] && a[2] <= b[2] && a[3] <= b[3];
}

static bool inside(const double a[4], const double b[4]) /* without touching its border */
{
    return a[0] > b[0] && a[1] > b[1] && a[2] < b[2] && a[3] < b[3];
}

static uint8_t truth_of(bool yes)
{
    return yes ? ODP_TRUE : ODP_FALSE;
}

/* A member that is its box, which has an area. */
static bool is_rectangle(const struct odp_spatial *s, uint32_t i)
{
    return s->is_box && s->members[i].type == ODP_GEOM_POLYGON;
}

/* The answer of a geometry's box (not empty); UNKNOWN: none. */
static uint8_t by_box(const struct odp_spatial *s, const double box[4])
{
    bool possible = false;
    switch (s->op) {
    case ODP_S_WITHIN:
        if (is_rectangle(s, 0) && inside(box, s->box))
            return ODP_TRUE;
        return within(box, s->box) ? ODP_UNKNOWN : ODP_FALSE;
    case ODP_S_CONTAINS:
        return within(s->box, box) ? ODP_UNKNOWN : ODP_FALSE;
    case ODP_S_EQUALS:
        return within(s->box, box) && within(box, s->box) ? ODP_UNKNOWN : ODP_FALSE;
    case ODP_S_INTERSECTS:
    case ODP_S_DISJOINT:
        for (uint32_t i = 0; i < s->nmembers; i++) {
            if (is_rectangle(s, i) && within(box, s->members[i].bbox))
                return truth_of(s->op == ODP_S_INTERSECTS);
            possible = possible || touch(box, s->members[i].bbox);
        }
        return possible ? ODP_UNKNOWN : truth_of(s->op == ODP_S_DISJOINT);
    default:
        return touch(box, s->box) ? ODP_UNKNOWN : ODP_FALSE;
    }
}

/* A vertex in a rectangle settles S_INTERSECTS: most queries are a map's frame. UNKNOWN: there is none. */
static uint8_t by_vertices(const struct odp_spatial *s, const struct odp_geom *g)
{
    bool points = g->type == ODP_GEOM_POINT || g->type == ODP_GEOM_MULTIPOINT, all = true;
    if (spatial_op_relates(s->op))
        return ODP_UNKNOWN;
    for (uint32_t k = 0; k < s->nmembers; k++) {
        const double *b = s->members[k].bbox;
        bool rectangle = is_rectangle(s, k);
        all = all && rectangle;
        for (size_t i = 0; rectangle && i < g->npoints; i++)
            if (g->xy[2 * i] >= b[0] && g->xy[2 * i] <= b[2] && g->xy[2 * i + 1] >= b[1] &&
                g->xy[2 * i + 1] <= b[3])
                return truth_of(s->op == ODP_S_INTERSECTS);
    }
    return points && all ? truth_of(s->op == ODP_S_DISJOINT) : ODP_UNKNOWN;
}

/* Whether P is surely in the polygons of G; false: it is not, or rounding leaves that open. Counts the
 * crossings of a ray to the east; a side counts if its sign is beyond rounding (Shewchuk's bound, and a
 * little for what is too small to be exact). */
static bool surely_in(const struct odp_geom *g, const double p[2])
{
    bool in = false;
    for (uint32_t k = 0; k < g->nparts; k++)
        for (uint32_t i = g->part[k]; i + 1 < g->part[k + 1]; i++) {
            const double *a = g->xy + 2 * (size_t)i, *b = a + 2;
            if ((a[1] > p[1]) == (b[1] > p[1]))
                continue;
            double left = (a[0] - p[0]) * (b[1] - p[1]), right = (a[1] - p[1]) * (b[0] - p[0]),
                   side = left - right;
            if (!(fabs(side) > 3.3306690738754716e-16 * (fabs(left) + fabs(right)) + 1e-290))
                return false;
            in = in != ((side > 0) == (b[1] > a[1]));
        }
    return in;
}

/* Whether GEOS can hold G: its rings are rings, its lines lines. */
static bool is_whole(const struct odp_geom *g)
{
    bool areal = g->type == ODP_GEOM_POLYGON || g->type == ODP_GEOM_MULTIPOLYGON;
    bool line = g->type == ODP_GEOM_LINESTRING || g->type == ODP_GEOM_MULTILINESTRING;
    if (!areal && !line)
        return true;
    if (areal && (g->npolys == 0 || g->poly[0] != 0 || g->poly[1] == 0)) /* its first point is no polygon's */
        return false;
    for (uint32_t k = 0; k < g->nparts; k++) {
        uint32_t first = g->part[k], n = g->part[k + 1] - first;
        const double *xy = g->xy + 2 * (size_t)first;
        if (line && n < 2)
            return false;
        if (areal && (n < 4 || xy[0] != xy[2 * (size_t)n - 2] || xy[1] != xy[2 * (size_t)n - 1]))
            return false;
    }
    return true;
}

/* The first point of G in a small polygon settles S_INTERSECTS; GEOS would begin with it too, but must make G
 * first. UNKNOWN: it is in none. */
static uint8_t by_first_point(const struct odp_spatial *s, const struct odp_geom *g)
{
    if (spatial_op_relates(s->op))
        return ODP_UNKNOWN;
    for (uint32_t i = 0; i < s->nmembers; i++) {
        const struct odp_geom *m = &s->members[i];
        bool areal = m->type == ODP_GEOM_POLYGON || m->type == ODP_GEOM_MULTIPOLYGON;
        if (areal && m->npoints <= POINTS_SMALL && surely_in(m, g->xy) && is_whole(g))
            return truth_of(s->op == ODP_S_INTERSECTS);
    }
    return ODP_UNKNOWN;
}

/* GEOS's answer about member I: 0, 1, or 2 for an exception. */
static char ask(const struct odp_spatial *s, const struct spatial_worker *w, uint32_t i,
                const GEOSGeometry *geom)
{
    const GEOSPreparedGeometry *p = w->prepared[i];
    switch (s->op) {
    case ODP_S_INTERSECTS:
    case ODP_S_DISJOINT:
        return GEOSPreparedIntersects_r(w->geos, p, geom);
    case ODP_S_WITHIN:
        return GEOSPreparedContains_r(w->geos, p, geom);
    case ODP_S_CONTAINS:
        return GEOSPreparedWithin_r(w->geos, p, geom);
    case ODP_S_TOUCHES:
        return GEOSPreparedTouches_r(w->geos, p, geom);
    case ODP_S_OVERLAPS:
        return GEOSPreparedOverlaps_r(w->geos, p, geom);
    case ODP_S_CROSSES:
        return GEOSPreparedCrosses_r(w->geos, p, geom);
    default:
        return GEOSEquals_r(w->geos, w->geom[i], geom);
    }
}

static enum odp_status by_topology(const struct odp_spatial *s, struct spatial_worker *w,
                                   const struct odp_geom *g, uint8_t *truth)
{
    GEOSGeometry *geom;
    bool any = false;
    enum odp_status st = spatial_to_geos(w, g, &geom);
    *truth = ODP_UNKNOWN;
    for (uint32_t i = 0; st == ODP_OK && !any && i < s->nmembers; i++) {
        if (s->nmembers > 1 && !touch(g->bbox, s->members[i].bbox))
            continue;
        char answer = ask(s, w, i, geom);
        any = answer == 1;
        if (answer != 0 && answer != 1)
            st = spatial_exception(w);
    }
    GEOSGeom_destroy_r(w->geos, geom);
    if (st == ODP_OK)
        *truth = truth_of(any != (s->op == ODP_S_DISJOINT));
    return st == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static enum odp_status worker_take(const struct odp_spatial *s, struct spatial_worker **out)
{
    pthread_mutex_lock(&s->pool->lock);
    struct spatial_worker *w = s->pool->idle;
    if (w != NULL)
        s->pool->idle = w->next;
    pthread_mutex_unlock(&s->pool->lock);
    *out = w;
    if (w != NULL)
        return ODP_OK;
    enum odp_status st = spatial_worker_new(out);
    if (st == ODP_OK)
        st = spatial_worker_prepare(*out, s);
    if (st == ODP_OK)
        return ODP_OK;
    spatial_worker_free(*out);
    *out = NULL;
    return odp_failure_set("GEOS", NULL, 0); /* the first worker could be made: this is the machine */
}

static void worker_give(const struct odp_spatial *s, struct spatial_worker *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&s->pool->lock);
    w->next = s->pool->idle;
    s->pool->idle = w;
    pthread_mutex_unlock(&s->pool->lock);
}

/* *W is taken when it is first needed. */
static enum odp_status test(const struct odp_spatial *s, const struct odp_geom *g, struct spatial_worker **w,
                            uint8_t *truth)
{
    *truth = ODP_UNKNOWN;
    if (g == NULL)
        return ODP_OK;
    if (g->npoints == 0) {
        *truth = truth_of(s->op == ODP_S_DISJOINT);
        return ODP_OK;
    }
    *truth = by_box(s, g->bbox);
    if (*truth == ODP_UNKNOWN)
        *truth = by_vertices(s, g);
    if (*truth == ODP_UNKNOWN)
        *truth = by_first_point(s, g);
    if (*truth != ODP_UNKNOWN)
        return ODP_OK;
    if (*w == NULL && worker_take(s, w) != ODP_OK)
        return ODP_FAIL;
    return by_topology(s, *w, g, truth);
}

enum odp_status odp_spatial_test_all(const struct odp_spatial *s, const struct odp_geom *const *g, uint32_t n,
                                     uint8_t *truth)
{
    struct spatial_worker *w = NULL;
    enum odp_status st = ODP_OK;
    for (uint32_t i = 0; i < n && st == ODP_OK; i++)
        st = test(s, g[i], &w, &truth[i]);
    worker_give(s, w);
    return st;
}

enum odp_status odp_spatial_test(const struct odp_spatial *s, const struct odp_geom *g, uint8_t *truth)
{
    return odp_spatial_test_all(s, &g, 1, truth);
}

enum odp_status odp_spatial_test_shape(const struct odp_spatial *s, struct odp_slice shape,
                                       struct odp_arena *scratch, uint8_t *truth)
{
    struct odp_geom g;
    double box[4];
    *truth = ODP_UNKNOWN;
    if (shape.ptr == NULL)
        return ODP_OK;
    if (odp_gpb_box(shape, box)) {
        *truth = by_box(s, box);
        if (*truth != ODP_UNKNOWN)
            return ODP_OK;
    }
    enum odp_status st = odp_gpb_read(shape, &g, scratch);
    return st == ODP_OK ? odp_spatial_test(s, &g, truth) : st;
}

enum odp_status expr_eval_spatial(const struct odp_spatial *s, const struct odp_batch *b, uint32_t first,
                                  uint32_t n, uint8_t *truth)
{
    if (b->geometry != NULL)
        return odp_spatial_test_all(s, b->geometry + first, n, truth);
    memset(truth, ODP_UNKNOWN, n);
    return ODP_OK;
}
