/* What GEOS holds for a worker: the pieces of the literal, prepared, and the geometry that is being tested.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "catalog/expr/geos.h"
#include "catalog/expr/spatial_internal.h"

static void geos_says(const char *text, void *user)
{
    struct spatial_worker *w = user;
    snprintf(w->message, sizeof w->message, "%s", text);
}

enum odp_status spatial_exception(const struct spatial_worker *w)
{
    return strstr(w->message, "bad_alloc") != NULL ? odp_failure_set("allocate memory", NULL, ENOMEM)
                                                   : ODP_BAD;
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

/* Its rings stand in the room from AT on. */
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
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    w->geos = GEOS_init_r();
    if (w->geos == NULL)
        return odp_failure_set("GEOS", NULL, 0);
    GEOSContext_setErrorMessageHandler_r(w->geos, geos_says, w);
    GEOSContext_setNoticeMessageHandler_r(w->geos, geos_says, w);
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

enum odp_status spatial_check(struct spatial_worker *w, const struct odp_geom *g, struct odp_arena *a,
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

enum odp_status spatial_check_simple(struct spatial_worker *w, const struct odp_geom *g)
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
