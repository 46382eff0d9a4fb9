/* The literal of a spatial function: made of boxes and geometries (of text: spatial_text.c), checked,
 * prepared by GEOS, freed. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#include "catalog/expr/geos.h"
#include "catalog/expr/spatial_internal.h"

size_t spatial_number(double v, char out[SPATIAL_NUMBER])
{
    int n = 0;
    for (int places = 15; places <= 17; places++) {
        n = snprintf(out, SPATIAL_NUMBER, "%.*g", places, v);
        if (strtod(out, NULL) == v)
            break;
    }
    return n > 0 ? (size_t)n : 0;
}

/* ---- what GEOS holds ---- */

/* What GEOS holds for a worker: the pieces of the literal, prepared, and the geometry that is being tested.
 */

static void record_message(const char *text, void *user)
{
    struct spatial_worker *w = user;
    snprintf(w->message, sizeof w->message, "%s", text);
}

enum odp_status spatial_exception(const struct spatial_worker *w)
{
    return strstr(w->message, "bad_alloc") != NULL ? odp_failure_memory() : ODP_BAD;
}

/* ---- geometries ---- */

struct making {
    GEOSContextHandle_t geos;
    const struct odp_geom *g;
    GEOSGeometry **room;
};

static GEOSGeometry *point(const struct making *m, uint32_t i)
{
    return GEOSGeom_createPointFromXY_r(m->geos, m->g->xy[2 * (size_t)i], m->g->xy[2 * (size_t)i + 1]);
}

static GEOSGeometry *path(const struct making *m, uint32_t k,
                          GEOSGeometry *(*create)(GEOSContextHandle_t, GEOSCoordSequence *))
{
    const uint32_t from = m->g->part[k], n = m->g->part[k + 1] - from;
    GEOSCoordSequence *seq = GEOSCoordSeq_copyFromBuffer_r(m->geos, m->g->xy + 2 * (size_t)from, n, 0, 0);
    return seq != NULL ? create(m->geos, seq) : NULL; /* takes seq in every case */
}

static void destroy(const struct making *m, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        GEOSGeom_destroy_r(m->geos, m->room[i]);
}

/* Its rings are in the room from AT on. */
static GEOSGeometry *polygon(const struct making *m, uint32_t p, size_t at)
{
    const uint32_t first = m->g->poly[p], n = m->g->poly[p + 1] - first;
    for (uint32_t k = 0; k < n; k++)
        if ((m->room[at + k] = path(m, first + k, GEOSGeom_createLinearRing_r)) == NULL) {
            destroy(m, at, at + k);
            return NULL;
        }
    return n > 0 ? GEOSGeom_createPolygon_r(m->geos, m->room[at], m->room + at + 1,
                                            n - 1) /* takes all of them */
                 : GEOSGeom_createEmptyPolygon_r(m->geos);
}

static GEOSGeometry *collection(const struct making *m, uint32_t n, int type)
{
    for (uint32_t i = 0; i < n; i++) {
        m->room[i] = type == GEOS_MULTIPOINT        ? point(m, i)
                     : type == GEOS_MULTILINESTRING ? path(m, i, GEOSGeom_createLineString_r)
                                                    : polygon(m, i, n);
        if (m->room[i] == NULL) {
            destroy(m, 0, i);
            return NULL;
        }
    }
    return GEOSGeom_createCollection_r(m->geos, type, m->room, n); /* takes the members */
}

size_t odp_geos_room(const struct odp_geom *g)
{
    return (size_t)(g->type == ODP_GEOM_MULTIPOINT ? g->npoints : g->npolys) + g->nparts + 1;
}

GEOSGeometry *odp_geos_of(GEOSContextHandle_t h, const struct odp_geom *g, GEOSGeometry **room)
{
    const struct making m = {h, g, room};
    switch (g->type) {
    case ODP_GEOM_POINT:
        return point(&m, 0);
    case ODP_GEOM_MULTIPOINT:
        return collection(&m, g->npoints, GEOS_MULTIPOINT);
    case ODP_GEOM_LINESTRING:
        return path(&m, 0, GEOSGeom_createLineString_r);
    case ODP_GEOM_MULTILINESTRING:
        return collection(&m, g->nparts, GEOS_MULTILINESTRING);
    case ODP_GEOM_POLYGON:
        return g->npolys > 0 ? polygon(&m, 0, 0) : GEOSGeom_createEmptyPolygon_r(h);
    case ODP_GEOM_MULTIPOLYGON:
        return collection(&m, g->npolys, GEOS_MULTIPOLYGON);
    }
    return NULL;
}

/* The room stays with the worker, so that a query asks for it once. */
enum odp_status spatial_to_geos(struct spatial_worker *w, const struct odp_geom *g, GEOSGeometry **out)
{
    const size_t n = odp_geos_room(g);
    w->message[0] = '\0';
    *out = NULL;
    if (n > w->cap) {
        GEOSGeometry **more = odp_realloc_array(w->room, n, sizeof *more);
        if (more == NULL)
            return ODP_FAIL;
        w->room = more;
        w->cap = n;
    }
    *out = odp_geos_of(w->geos, g, w->room);
    return *out != NULL ? ODP_OK : spatial_exception(w);
}

/* ---- workers ---- */

void spatial_worker_free(struct spatial_worker *w)
{
    if (w == NULL)
        return;
    for (uint32_t i = 0; i < w->n; i++) {
        GEOSPreparedGeom_destroy_r(w->geos, w->prepared[i]);
        GEOSGeom_destroy_r(w->geos, w->geom[i]);
    }
    if (w->geos != NULL)
        GEOS_finish_r(w->geos);
    free(w->geom);
    free(w->prepared);
    free(w->room);
    free(w);
}

static enum odp_status add_piece(struct spatial_worker *w, GEOSGeometry *geom)
{
    const GEOSPreparedGeometry *prepared = GEOSPrepare_r(w->geos, geom);
    if (prepared == NULL) {
        GEOSGeom_destroy_r(w->geos, geom);
        return spatial_exception(w);
    }
    w->geom[w->n] = geom;
    w->prepared[w->n++] = prepared;
    return ODP_OK;
}

enum odp_status spatial_worker_new(struct spatial_worker **out)
{
    struct spatial_worker *w = calloc(1, sizeof *w);
    *out = w;
    if (w == NULL)
        return odp_failure_memory();
    w->geos = GEOS_init_r();
    if (w->geos == NULL)
        return odp_failure_set("GEOS", NULL, 0);
    GEOSContext_setErrorMessageHandler_r(w->geos, record_message, w);
    GEOSContext_setNoticeMessageHandler_r(w->geos, record_message, w);
    return ODP_OK;
}

enum odp_status spatial_worker_prepare(struct spatial_worker *w, const struct odp_spatial *s)
{
    enum odp_status st = ODP_OK;
    w->geom = odp_realloc_array(NULL, s->nmembers, sizeof *w->geom);
    w->prepared = odp_realloc_array(NULL, s->nmembers, sizeof *w->prepared);
    if (w->geom == NULL || w->prepared == NULL)
        return ODP_FAIL;
    for (uint32_t i = 0; i < s->nmembers && st == ODP_OK; i++) {
        GEOSGeometry *geom;
        st = spatial_to_geos(w, &s->members[i], &geom);
        if (st == ODP_OK)
            st = add_piece(w, geom);
    }
    return st;
}

static enum odp_status check_valid(struct spatial_worker *w, const struct odp_geom *g, struct odp_arena *a,
                                   const char **reason, const char **place)
{
    GEOSGeometry *geom, *where = NULL;
    char *why = NULL, x[SPATIAL_NUMBER], y[SPATIAL_NUMBER];
    double xy[2];
    *place = NULL;
    enum odp_status st = spatial_to_geos(w, g, &geom);
    if (st == ODP_OK) {
        char valid = GEOSisValidDetail_r(w->geos, geom, 0, &why, &where);
        st = valid == 1 ? ODP_OK : valid == 0 ? ODP_BAD : spatial_exception(w);
    }
    if (st == ODP_BAD) {
        *reason = odp_arena_str(a, why != NULL ? why : w->message);
        if (where != NULL && GEOSGeomGetX_r(w->geos, where, &xy[0]) == 1 &&
            GEOSGeomGetY_r(w->geos, where, &xy[1]) == 1) {
            (void)spatial_number(xy[0], x);
            (void)spatial_number(xy[1], y);
            *place = odp_arena_printf(a, "%s %s", x, y);
        }
    }
    GEOSFree_r(w->geos, why);
    GEOSGeom_destroy_r(w->geos, where);
    GEOSGeom_destroy_r(w->geos, geom);
    return st;
}

static enum odp_status check_simple(struct spatial_worker *w, const struct odp_geom *g)
{
    GEOSGeometry *geom;
    enum odp_status st = spatial_to_geos(w, g, &geom);
    if (st == ODP_OK) {
        char simple = GEOSisSimple_r(w->geos, geom);
        st = simple == 1 ? ODP_OK : simple == 0 ? ODP_BAD : spatial_exception(w);
    }
    GEOSGeom_destroy_r(w->geos, geom);
    return st;
}

static const char *const names[ODP_S_COUNT] = {"S_INTERSECTS", "S_WITHIN",  "S_CONTAINS", "S_DISJOINT",
                                               "S_EQUALS",     "S_TOUCHES", "S_OVERLAPS", "S_CROSSES"};

int odp_spatial_op_find(struct odp_slice name)
{
    for (int i = 0; i < ODP_S_COUNT; i++)
        if (odp_slice_is_nocase(name, names[i]))
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

enum odp_status spatial_new(struct odp_spatial **out, enum odp_spatial_op op)
{
    struct odp_spatial *s = odp_realloc_array(NULL, 1, sizeof *s);
    struct spatial_pool *pool = odp_realloc_array(NULL, 1, sizeof *pool);
    *out = NULL;
    if (s == NULL || pool == NULL) {
        free(s);
        free(pool);
        return ODP_FAIL;
    }
    *pool = (struct spatial_pool){.lock = PTHREAD_MUTEX_INITIALIZER};
    *s = (struct odp_spatial){.op = op, .pool = pool};
    *out = s;
    return ODP_OK;
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
    enum odp_status st = check_valid(w, g, a, reason, place);
    bool line = g->type == ODP_GEOM_LINESTRING || g->type == ODP_GEOM_MULTILINESTRING;
    if (st == ODP_OK && line && spatial_op_relates(s->op))
        st = check_simple(w, g);
    return st;
}

/* The first worker takes the members. */
static enum odp_status begin_pool(struct odp_spatial *s, struct spatial_worker *w)
{
    enum odp_status st = spatial_worker_prepare(w, s);
    if (st == ODP_OK)
        st = odp_arena_status(&s->arena);
    if (st == ODP_OK)
        s->pool->idle = w;
    return st;
}

enum odp_status spatial_finish(struct odp_spatial *s, struct odp_arena *a, uint32_t *which,
                               const char **reason, const char **place)
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
    if (st == ODP_OK && (st = begin_pool(s, w)) == ODP_BAD)
        *reason = odp_arena_str(a, w->message);
    if (st != ODP_OK)
        spatial_worker_free(w);
    return st;
}

/* ---- boxes ---- */

/* West to east; a box without width or height is a line or a point. */
static void add_box(struct odp_spatial *s, double w, double south, double e, double n)
{
    const double corners[5][2] = {{w, south}, {e, south}, {e, n}, {w, n}, {w, south}};
    const bool wide = w < e, high = south < n;
    struct odp_geom *g = &s->members[s->nmembers++];
    *g = (struct odp_geom){.type = ODP_GEOM_POINT, .bbox = {w, south, e, n}, .npoints = 1, .nparts = 1};
    if (wide && high) {
        g->type = ODP_GEOM_POLYGON;
        g->npoints = 5;
        g->npolys = 1;
    } else if (wide || high) {
        g->type = ODP_GEOM_LINESTRING;
        g->npoints = 2;
    }
    g->xy = odp_arena_array(&s->arena, 5, 2 * sizeof *g->xy);
    g->part = odp_arena_zero(&s->arena, 4, sizeof *g->part);
    memcpy(g->xy, corners, sizeof corners);
    if (g->npoints == 2)
        memcpy(g->xy + 2, corners[2], sizeof *corners);
    g->part[1] = g->npoints;
    g->part[3] = 1;
    g->poly = g->npolys > 0 ? g->part + 2 : NULL;
}

/* Two polygons of four corners as one geometry. */
static void join_boxes(struct odp_spatial *s)
{
    struct odp_geom *a = &s->members[0], *b = &s->members[1];
    double *xy = odp_arena_array(&s->arena, 20, sizeof *xy);
    uint32_t *part = odp_arena_array(&s->arena, 6, sizeof *part);
    bool has = true;
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
}

void spatial_set_box(struct odp_spatial *s, const double c[4])
{
    const bool one = spatial_op_relates(s->op);
    s->is_box = true;
    memcpy(s->corners, c, sizeof s->corners);
    s->members = odp_arena_zero(&s->arena, 2, sizeof *s->members);
    if (c[0] <= c[2]) {
        add_box(s, c[0], c[1], c[2], c[3]);
        return;
    }
    /* Across 180 degrees: up to there, and from there on. Where both must be one geometry, a half without
     * width is left out. */
    if (!one || c[0] < 180 || c[2] == -180)
        add_box(s, c[0], c[1], 180, c[3]);
    if (!one || c[2] > -180)
        add_box(s, -180, c[1], c[2], c[3]);
    if (one && s->nmembers == 2 && s->members[0].type == ODP_GEOM_POLYGON)
        join_boxes(s);
    if (one)
        s->nmembers = 1; /* of two lines of one latitude the first: nobody means them */
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
    struct odp_spatial *s;
    enum odp_status st = spatial_new(&s, op);
    if (st != ODP_OK)
        return st;
    spatial_set_box(s, box);
    st = spatial_finish(s, &s->arena, &which, &reason, &place);
    if (st == ODP_OK)
        *out = s;
    else
        odp_spatial_free(s);
    return st;
}

/* ---- geometries of the data ---- */

static void *copy_of(struct odp_spatial *s, const void *from, size_t n, size_t size)
{
    void *to = odp_arena_array(&s->arena, n, size);
    memcpy(to, from, n * size);
    return to;
}

enum odp_status odp_spatial_of(struct odp_spatial **out, enum odp_spatial_op op, const struct odp_geom *g)
{
    struct odp_spatial *s;
    struct spatial_worker *w = NULL;
    *out = NULL;
    if (g->npoints == 0)
        return ODP_BAD;
    enum odp_status st = spatial_new(&s, op);
    if (st != ODP_OK)
        return st;
    struct odp_geom *m = s->members = copy_of(s, g, 1, sizeof *g);
    s->nmembers = 1;
    memcpy(s->box, g->bbox, sizeof s->box);
    m->z = NULL;
    m->xy = copy_of(s, g->xy, g->npoints, 2 * sizeof *m->xy);
    m->part = copy_of(s, g->part, (size_t)g->nparts + 1, sizeof *m->part);
    if (g->poly != NULL)
        m->poly = copy_of(s, g->poly, (size_t)g->npolys + 1, sizeof *m->poly);
    st = spatial_worker_new(&w);
    if (st == ODP_OK)
        st = begin_pool(s, w);
    if (st == ODP_OK) {
        *out = s;
        return ODP_OK;
    }
    spatial_worker_free(w);
    odp_spatial_free(s);
    return st;
}

/* ---- what boxes tell ---- */

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
