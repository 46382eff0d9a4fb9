/* What GEOS holds for a worker: the pieces of the literal, prepared, and the geometry that is being tested. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "catalog/expr/spatial_internal.h"

static void geos_says(const char *text, void *user)
{
    struct spatial_worker *w = user;
    snprintf(w->message, sizeof w->message, "%s", text);
}

enum odp_status spatial_exception(const struct spatial_worker *w)
{
    return strstr(w->message, "bad_alloc") != NULL ? odp_failure_set("allocate memory", NULL, ENOMEM) : ODP_BAD;
}

/* ---- geometries ----------------------------------------------------------------------------------------------------------
 */

/* Room for N parts; it stays with the worker, so that a query asks for it once. */
static bool make_room(struct spatial_worker *w, size_t n)
{
    if (n <= w->cap)
        return true;
    GEOSGeometry **more = odp_realloc_array(w->room, n, sizeof *more);
    if (more == NULL)
        return false;
    w->room = more;
    w->cap = n;
    return true;
}

static GEOSCoordSequence *sequence(const struct spatial_worker *w, const struct odp_geom *g, uint32_t from, uint32_t to)
{
    return GEOSCoordSeq_copyFromBuffer_r(w->geos, g->xy + 2 * (size_t)from, to - from, 0, 0);
}

static GEOSGeometry *point(const struct spatial_worker *w, const struct odp_geom *g, uint32_t i)
{
    return GEOSGeom_createPointFromXY_r(w->geos, g->xy[2 * (size_t)i], g->xy[2 * (size_t)i + 1]);
}

static GEOSGeometry *line(const struct spatial_worker *w, const struct odp_geom *g, uint32_t k)
{
    GEOSCoordSequence *seq = sequence(w, g, g->part[k], g->part[k + 1]);
    return seq != NULL ? GEOSGeom_createLineString_r(w->geos, seq) : NULL; /* takes seq in every case */
}

static GEOSGeometry *ring(const struct spatial_worker *w, const struct odp_geom *g, uint32_t k)
{
    GEOSCoordSequence *seq = sequence(w, g, g->part[k], g->part[k + 1]);
    return seq != NULL ? GEOSGeom_createLinearRing_r(w->geos, seq) : NULL;
}

static void destroy(const struct spatial_worker *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        GEOSGeom_destroy_r(w->geos, w->room[i]);
}

/* Holes stand in the room from AT on. */
static GEOSGeometry *polygon(const struct spatial_worker *w, const struct odp_geom *g, uint32_t p, size_t at)
{
    uint32_t first = g->poly[p], last = g->poly[p + 1];
    if (first == last)
        return GEOSGeom_createEmptyPolygon_r(w->geos);
    GEOSGeometry *shell = ring(w, g, first);
    size_t n = at;
    for (uint32_t k = first + 1; shell != NULL && k < last; k++, n++)
        if ((w->room[n] = ring(w, g, k)) == NULL) {
            GEOSGeom_destroy_r(w->geos, shell);
            shell = NULL;
            break;
        }
    if (shell != NULL)
        return GEOSGeom_createPolygon_r(w->geos, shell, w->room + at, (unsigned)(n - at)); /* takes all of them */
    destroy(w, at, n);
    return NULL;
}

static GEOSGeometry *member(const struct spatial_worker *w, const struct odp_geom *g, uint32_t i, size_t at)
{
    switch (g->type) {
    case ODP_GEOM_MULTIPOINT:
        return point(w, g, i);
    case ODP_GEOM_MULTILINESTRING:
        return line(w, g, i);
    default:
        return polygon(w, g, i, at);
    }
}

static GEOSGeometry *collection(const struct spatial_worker *w, const struct odp_geom *g, uint32_t n, int type)
{
    for (uint32_t i = 0; i < n; i++)
        if ((w->room[i] = member(w, g, i, n)) == NULL) {
            destroy(w, 0, i);
            return NULL;
        }
    return GEOSGeom_createCollection_r(w->geos, type, w->room, n); /* takes the members */
}

enum odp_status spatial_to_geos(struct spatial_worker *w, const struct odp_geom *g, GEOSGeometry **out)
{
    w->message[0] = '\0';
    *out = NULL;
    size_t members = g->type == ODP_GEOM_MULTIPOINT ? g->npoints : g->npolys;
    if (!make_room(w, members + g->nparts + 1))
        return ODP_FAIL;
    switch (g->type) {
    case ODP_GEOM_POINT:
        *out = point(w, g, 0);
        break;
    case ODP_GEOM_MULTIPOINT:
        *out = collection(w, g, g->npoints, GEOS_MULTIPOINT);
        break;
    case ODP_GEOM_LINESTRING:
        *out = line(w, g, 0);
        break;
    case ODP_GEOM_MULTILINESTRING:
        *out = collection(w, g, g->nparts, GEOS_MULTILINESTRING);
        break;
    case ODP_GEOM_POLYGON:
        *out = polygon(w, g, 0, 0);
        break;
    case ODP_GEOM_MULTIPOLYGON:
        *out = collection(w, g, g->npolys, GEOS_MULTIPOLYGON);
        break;
    }
    return *out != NULL ? ODP_OK : spatial_exception(w);
}

/* ---- workers -------------------------------------------------------------------------------------------------------------
 */

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

enum odp_status spatial_check(struct spatial_worker *w, const struct odp_geom *g, struct odp_arena *a, const char **reason,
                              const char **place)
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
        if (where != NULL && GEOSGeomGetX_r(w->geos, where, &xy[0]) == 1 && GEOSGeomGetY_r(w->geos, where, &xy[1]) == 1) {
            (void)spatial_number(xy[0], x);
            (void)spatial_number(xy[1], y);
            *place = odp_arena_printf(a, "%s %s", x, y);
        }
        if (*reason == NULL)
            st = ODP_FAIL;
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
