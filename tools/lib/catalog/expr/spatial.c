/* Testing: boxes first, then what can be told without topology, then GEOS. */
#include "catalog/expr/spatial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "catalog/expr/code.h"
#include "catalog/expr/spatial_internal.h"
#include "catalog/index/shape.h"

enum { POINTS_SMALL = 256 }; /* of a polygon whose sides are asked one by one */

static const char *const names[ODP_S_COUNT] = {"S_INTERSECTS", "S_WITHIN",  "S_CONTAINS", "S_DISJOINT",
                                               "S_EQUALS",     "S_TOUCHES", "S_OVERLAPS", "S_CROSSES"};

int odp_spatial_op_find(struct odp_slice name)
{
    for (int i = 0; i < ODP_S_COUNT; i++)
        if (strlen(names[i]) == name.len && strncasecmp(names[i], name.ptr, name.len) == 0)
            return i;
    return -1;
}

const char *odp_spatial_op_name(enum odp_spatial_op op)
{
    return (unsigned)op < ODP_S_COUNT ? names[op] : "";
}

/* All others are the same either way round (crosses, too: DE-9IM turns its matrix with the dimensions). */
enum odp_spatial_op odp_spatial_flipped(enum odp_spatial_op op)
{
    return op == ODP_S_WITHIN ? ODP_S_CONTAINS : op == ODP_S_CONTAINS ? ODP_S_WITHIN : op;
}

/* ---- making --------------------------------------------------------------------------------------------------------------
 */

enum odp_status spatial_new(struct odp_spatial **out, enum odp_spatial_op op, bool flipped)
{
    struct odp_spatial *s = calloc(1, sizeof *s);
    *out = s;
    if (s == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    s->op = flipped ? odp_spatial_flipped(op) : op;
    odp_arena_init(&s->arena);
    s->pool = odp_realloc_array(NULL, 1, sizeof *s->pool);
    if (s->pool != NULL && pthread_mutex_init(&s->pool->lock, NULL) == 0) {
        s->pool->idle = NULL;
        return ODP_OK;
    }
    free(s->pool);
    free(s);
    *out = NULL;
    return odp_failure_set("mutex", NULL, 0);
}

void odp_spatial_free(struct odp_spatial *s)
{
    if (s == NULL)
        return;
    while (s->pool->idle != NULL) {
        struct spatial_worker *w = s->pool->idle;
        s->pool->idle = w->next;
        spatial_worker_free(w);
    }
    pthread_mutex_destroy(&s->pool->lock);
    free(s->pool);
    odp_arena_release(&s->arena);
    free(s);
}

bool spatial_op_relates(enum odp_spatial_op op)
{
    return op != ODP_S_INTERSECTS && op != ODP_S_DISJOINT;
}

static enum odp_status check(const struct odp_spatial *s, struct spatial_worker *w, const struct odp_geom *g,
                             struct odp_arena *a, const char **reason, const char **place)
{
    enum odp_status st = spatial_check(w, g, a, reason, place);
    bool line = g->type == ODP_GEOM_LINESTRING || g->type == ODP_GEOM_MULTILINESTRING;
    if (st == ODP_OK && line && spatial_op_relates(s->op))
        st = spatial_check_simple(w, g);
    return st;
}

enum odp_status spatial_finish(struct odp_spatial *s, struct odp_arena *a, uint32_t *which, const char **reason,
                               const char **place)
{
    struct spatial_worker *w = NULL;
    bool has = false;
    enum odp_status st = spatial_worker_new(&w);
    *reason = *place = NULL;
    *which = 0;
    for (uint32_t i = 0; i < s->nmembers && st == ODP_OK; i++) {
        odp_bbox_extend(s->box, &has, s->members[i].bbox);
        *which = i;
        if (!s->is_box)
            st = check(s, w, &s->members[i], a, reason, place);
    }
    if (st == ODP_OK) {
        st = spatial_worker_prepare(w, s);
        if (st == ODP_BAD && (*reason = odp_arena_str(a, w->message)) == NULL)
            st = ODP_FAIL;
    }
    if (st == ODP_OK)
        s->pool->idle = w;
    else
        spatial_worker_free(w);
    return st;
}

/* West to east; a box without width or height is a line or a point. */
static enum odp_status add_box(struct odp_spatial *s, double w, double south, double e, double n)
{
    const double corners[5][2] = {{w, south}, {e, south}, {e, n}, {w, n}, {w, south}};
    bool wide = w < e, high = south < n;
    struct odp_geom *g = &s->members[s->nmembers];
    *g = (struct odp_geom){.type = wide && high   ? ODP_GEOM_POLYGON
                                   : wide || high ? ODP_GEOM_LINESTRING
                                                  : ODP_GEOM_POINT,
                           .bbox = {w, south, e, n},
                           .npoints = wide && high   ? 5
                                      : wide || high ? 2
                                                     : 1,
                           .nparts = 1,
                           .npolys = wide && high ? 1 : 0};
    g->xy = odp_arena_array(&s->arena, g->npoints, 2 * sizeof *g->xy);
    g->part = odp_arena_array(&s->arena, 4, sizeof *g->part);
    if (g->xy == NULL || g->part == NULL)
        return ODP_FAIL;
    memcpy(g->xy, corners, g->npoints * sizeof *corners);
    if (g->npoints == 2)
        memcpy(g->xy + 2, corners[2], sizeof *corners);
    g->part[0] = 0;
    g->part[1] = g->npoints;
    g->part[2] = 0;
    g->part[3] = 1;
    g->poly = g->npolys > 0 ? g->part + 2 : NULL;
    s->nmembers++;
    return ODP_OK;
}

/* Two polygons of four corners as one geometry. */
static enum odp_status join_boxes(struct odp_spatial *s)
{
    struct odp_geom *a = &s->members[0], *b = &s->members[1];
    double *xy = odp_arena_array(&s->arena, 20, sizeof *xy);
    uint32_t *part = odp_arena_array(&s->arena, 6, sizeof *part);
    bool has = true;
    if (xy == NULL || part == NULL)
        return ODP_FAIL;
    memcpy(xy, a->xy, 10 * sizeof *xy);
    memcpy(xy + 10, b->xy, 10 * sizeof *xy);
    for (uint32_t i = 0; i < 3; i++) {
        part[i] = 5 * i;
        part[3 + i] = i;
    }
    odp_bbox_extend(a->bbox, &has, b->bbox);
    a->type = ODP_GEOM_MULTIPOLYGON;
    a->npoints = 10;
    a->nparts = a->npolys = 2;
    a->xy = xy;
    a->part = part;
    a->poly = part + 3;
    s->nmembers = 1;
    return ODP_OK;
}

enum odp_status spatial_set_box(struct odp_spatial *s, const double c[4])
{
    s->is_box = true;
    memcpy(s->corners, c, sizeof s->corners);
    s->members = odp_arena_zero(&s->arena, 2, sizeof *s->members);
    if (s->members == NULL)
        return ODP_FAIL;
    if (c[0] <= c[2])
        return add_box(s, c[0], c[1], c[2], c[3]);
    /* Across 180 degrees: up to there, and from there on. Where both must be one geometry, a half without width is left out. */
    bool one = spatial_op_relates(s->op);
    enum odp_status st = ODP_OK;
    if (!one || c[0] < 180 || c[2] == -180)
        st = add_box(s, c[0], c[1], 180, c[3]);
    if (st == ODP_OK && (!one || c[2] > -180))
        st = add_box(s, -180, c[1], c[2], c[3]);
    if (st != ODP_OK || !one || s->nmembers == 1)
        return st;
    if (s->members[0].type == ODP_GEOM_POLYGON)
        return join_boxes(s);
    s->nmembers = 1; /* two lines of one latitude: the first will do for what nobody means */
    return ODP_OK;
}

enum odp_status odp_spatial_box(struct odp_spatial **out, enum odp_spatial_op op, const double box[4])
{
    uint32_t which;
    const char *reason, *place;
    *out = NULL;
    for (int k = 0; k < 4; k++)
        if (!(fabs(box[k]) <= (k % 2 == 0 ? 180 : 90)))
            return ODP_BAD;
    if (box[1] > box[3])
        return ODP_BAD;
    struct odp_spatial *s = NULL;
    enum odp_status st = spatial_new(&s, op, false);
    if (st == ODP_OK)
        st = spatial_set_box(s, box);
    if (st == ODP_OK)
        st = spatial_finish(s, &s->arena, &which, &reason, &place);
    if (st == ODP_OK)
        *out = s;
    else
        odp_spatial_free(s);
    return st;
}

/* The arrays of G in the arena of S. */
static enum odp_status copy_geometry(struct odp_spatial *s, const struct odp_geom *g)
{
    struct odp_geom *m = odp_arena_zero(&s->arena, 1, sizeof *m);
    if (m == NULL)
        return ODP_FAIL;
    *m = *g;
    m->z = NULL;
    m->xy = odp_arena_array(&s->arena, 2 * (size_t)g->npoints + 1, sizeof *m->xy);
    m->part = odp_arena_array(&s->arena, (size_t)g->nparts + 1, sizeof *m->part);
    m->poly = g->poly != NULL ? odp_arena_array(&s->arena, (size_t)g->npolys + 1, sizeof *m->poly) : NULL;
    if (m->xy == NULL || m->part == NULL || (g->poly != NULL && m->poly == NULL))
        return ODP_FAIL;
    memcpy(m->xy, g->xy, 2 * (size_t)g->npoints * sizeof *m->xy);
    memcpy(m->part, g->part, ((size_t)g->nparts + 1) * sizeof *m->part);
    if (g->poly != NULL)
        memcpy(m->poly, g->poly, ((size_t)g->npolys + 1) * sizeof *m->poly);
    s->members = m;
    s->nmembers = 1;
    memcpy(s->box, g->bbox, sizeof s->box);
    return ODP_OK;
}

enum odp_status odp_spatial_of(struct odp_spatial **out, enum odp_spatial_op op, const struct odp_geom *g)
{
    struct odp_spatial *s = NULL;
    struct spatial_worker *w = NULL;
    *out = NULL;
    if (g->npoints == 0)
        return ODP_BAD;
    enum odp_status st = spatial_new(&s, op, false);
    if (st == ODP_OK)
        st = copy_geometry(s, g);
    if (st == ODP_OK)
        st = spatial_worker_new(&w);
    if (st == ODP_OK)
        st = spatial_worker_prepare(w, s);
    if (st != ODP_OK) {
        spatial_worker_free(w);
        odp_spatial_free(s);
        return st;
    }
    s->pool->idle = w;
    *out = s;
    return ODP_OK;
}

bool odp_spatial_is_box(const struct odp_spatial *s, double box[4])
{
    memcpy(box, s->corners, sizeof s->corners);
    return s->op == ODP_S_INTERSECTS && s->is_box && s->corners[0] <= s->corners[2];
}

unsigned odp_spatial_boxes(const struct odp_spatial *s, double boxes[2][4])
{
    if (s->op == ODP_S_DISJOINT)
        return 0;
    if (!s->is_box || s->corners[0] <= s->corners[2]) {
        memcpy(boxes[0], s->box, sizeof boxes[0]);
        return 1;
    }
    for (int i = 0; i < 2; i++)
        memcpy(boxes[i], s->corners, sizeof boxes[i]);
    boxes[0][2] = 180;
    boxes[1][0] = -180;
    return 2;
}

/* ---- testing -------------------------------------------------------------------------------------------------------------
 */

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

/* What the box of a geometry (not empty) tells; UNKNOWN: nothing. */
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

/* A vertex in a rectangle settles S_INTERSECTS: most of what is asked is a map's frame. UNKNOWN: none is. */
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
            if (g->xy[2 * i] >= b[0] && g->xy[2 * i] <= b[2] && g->xy[2 * i + 1] >= b[1] && g->xy[2 * i + 1] <= b[3])
                return truth_of(s->op == ODP_S_INTERSECTS);
    }
    return points && all ? truth_of(s->op == ODP_S_DISJOINT) : ODP_UNKNOWN;
}

/* Whether P lies in the polygons of G; false: it does not, or rounding leaves that open. A ray to the east, its crossings counted:
 * heights are compared as they are, and a side counts where its sign is beyond what rounding can do (Shewchuk's bound, and a
 * little for what is too small to be exact). */
static bool surely_in(const struct odp_geom *g, const double p[2])
{
    bool in = false;
    for (uint32_t k = 0; k < g->nparts; k++)
        for (uint32_t i = g->part[k]; i + 1 < g->part[k + 1]; i++) {
            const double *a = g->xy + 2 * (size_t)i, *b = a + 2;
            if ((a[1] > p[1]) == (b[1] > p[1]))
                continue;
            double left = (a[0] - p[0]) * (b[1] - p[1]), right = (a[1] - p[1]) * (b[0] - p[0]), side = left - right;
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

/* The first point of G in a small polygon settles S_INTERSECTS; GEOS would begin with it, too, but has to make G first. UNKNOWN:
 * it is in none. */
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
static char ask(const struct odp_spatial *s, const struct spatial_worker *w, uint32_t i, const GEOSGeometry *geom)
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

static enum odp_status by_topology(const struct odp_spatial *s, struct spatial_worker *w, const struct odp_geom *g,
                                   uint8_t *truth)
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
static enum odp_status test(const struct odp_spatial *s, const struct odp_geom *g, struct spatial_worker **w, uint8_t *truth)
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

enum odp_status odp_spatial_test_all(const struct odp_spatial *s, const struct odp_geom *const *g, uint32_t n, uint8_t *truth)
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

enum odp_status odp_spatial_test_shape(const struct odp_spatial *s, struct odp_slice shape, struct odp_arena *scratch,
                                       uint8_t *truth)
{
    struct odp_geom g;
    int32_t units[4];
    *truth = ODP_UNKNOWN;
    if (shape.ptr == NULL)
        return ODP_OK;
    if (odp_shape_box(shape, units)) {
        const double box[4] = {units[0] / 1e7, units[1] / 1e7, units[2] / 1e7, units[3] / 1e7};
        *truth = by_box(s, box);
        if (*truth != ODP_UNKNOWN)
            return ODP_OK;
    }
    enum odp_status st = odp_shape_read(shape, &g, scratch);
    return st == ODP_OK ? odp_spatial_test(s, &g, truth) : st;
}

enum odp_status expr_eval_spatial(const struct odp_spatial *s, const struct odp_batch *b, uint32_t first, uint32_t n,
                                  uint8_t *truth)
{
    if (b->geometry != NULL)
        return odp_spatial_test_all(s, b->geometry + first, n, truth);
    memset(truth, ODP_UNKNOWN, n);
    return ODP_OK;
}
