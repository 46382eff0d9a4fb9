/* For the tests of tools/odp-build/write/map: shapes that are made up, and GEOS as judge. */
#pragma once
#include "run.h"

#include <math.h>

#include <geos_c.h>

#include "base/arena.h"
#include "write/map/simplify.h"

/* A growing geometry of polygons: rings closed by the one who adds points. */
struct shape {
    struct odp_geom g;
    double *xy;
    uint32_t *part, *poly;
    size_t cap;
};

static inline void shape_free(struct shape *s)
{
    free(s->xy);
    free(s->part);
    free(s->poly);
    *s = (struct shape){0};
}

static inline void shape_begin_ring(struct shape *s, bool shell)
{
    s->part = realloc(s->part, (s->g.nparts + 2) * sizeof *s->part);
    s->poly = realloc(s->poly, (s->g.npolys + 2) * sizeof *s->poly);
    assert_non_null(s->part);
    assert_non_null(s->poly);
    if (shell)
        s->poly[s->g.npolys++] = s->g.nparts;
    s->part[s->g.nparts++] = s->g.npoints;
    s->part[s->g.nparts] = s->g.npoints;
    s->poly[s->g.npolys] = s->g.nparts;
}

static inline void shape_add(struct shape *s, double x, double y)
{
    if (s->g.npoints == s->cap) {
        s->cap = s->cap * 2 + 64;
        s->xy = realloc(s->xy, s->cap * 2 * sizeof *s->xy);
        assert_non_null(s->xy);
    }
    s->xy[2 * s->g.npoints] = x;
    s->xy[2 * s->g.npoints + 1] = y;
    s->part[s->g.nparts] = ++s->g.npoints;
}

static inline const struct odp_geom *shape_geom(struct shape *s)
{
    s->g.type = s->g.npolys > 1 ? ODP_GEOM_MULTIPOLYGON : ODP_GEOM_POLYGON;
    s->g.xy = s->xy;
    s->g.part = s->part;
    s->g.poly = s->poly;
    return &s->g;
}

/* ---- GEOS ---- */

static inline GEOSGeometry *geos_ring(GEOSContextHandle_t h, const struct odp_geom *g, uint32_t part)
{
    uint32_t from = g->part[part], n = g->part[part + 1] - from;
    GEOSCoordSequence *c = GEOSCoordSeq_create_r(h, n, 2);
    for (uint32_t i = 0; i < n; i++)
        (void)GEOSCoordSeq_setXY_r(h, c, i, g->xy[2 * (size_t)(from + i)], g->xy[2 * (size_t)(from + i) + 1]);
    return GEOSGeom_createLinearRing_r(h, c);
}

/* G (polygons) as GEOS sees it; NULL: it is not even a ring. */
static inline GEOSGeometry *geos_of(GEOSContextHandle_t h, const struct odp_geom *g)
{
    GEOSGeometry **polys = calloc(g->npolys + 1u, sizeof(GEOSGeometry *));
    assert_non_null(polys);
    for (uint32_t p = 0; p < g->npolys; p++) {
        uint32_t holes = g->poly[p + 1] - g->poly[p] - 1;
        GEOSGeometry **hole = calloc(holes + 1u, sizeof(GEOSGeometry *)),
                     *shell = geos_ring(h, g, g->poly[p]);
        assert_non_null(hole);
        assert_non_null(shell);
        for (uint32_t k = 0; k < holes; k++) {
            hole[k] = geos_ring(h, g, g->poly[p] + 1 + k);
            assert_non_null(hole[k]);
        }
        polys[p] = GEOSGeom_createPolygon_r(h, shell, hole, holes);
        free(hole);
    }
    GEOSGeometry *all = GEOSGeom_createCollection_r(h, GEOS_MULTIPOLYGON, polys, g->npolys);
    free(polys);
    return all;
}

/* Feature I of S; NULL: it has no geometry. */
static inline GEOSGeometry *geos_feature(GEOSContextHandle_t h, struct odp_simplifier *s, size_t i)
{
    struct odp_geom g;
    return odp_simplifier_get(s, i, &g) ? geos_of(h, &g) : NULL;
}

/* ---- simplified shapes ---- */

static inline struct odp_simplifier *simplified_as(const struct odp_geom *const *g, size_t n,
                                                   const struct odp_simplify_options *o)
{
    struct odp_simplifier *s = odp_simplifier_new();
    for (size_t i = 0; i < n; i++)
        odp_simplifier_add(s, g[i]);
    must(odp_simplifier_finish(s, o));
    assert_int_equal(odp_simplifier_features(s), n);
    return s;
}

static inline struct odp_simplifier *simplified(const struct odp_geom *const *g, size_t n, size_t points,
                                                double finest)
{
    const struct odp_simplify_options o = {.points = points, .finest = finest};
    return simplified_as(g, n, &o);
}

static inline size_t count_positions(struct odp_simplifier *s)
{
    size_t n = 0;
    for (size_t i = 0; i < odp_simplifier_features(s); i++) {
        struct odp_geom g;
        if (odp_simplifier_get(s, i, &g))
            n += g.npoints;
    }
    return n;
}

/* Features that were valid are, and insides that were disjoint are. Returns how many of both there were. */
static inline size_t assert_as_sound_as(struct odp_simplifier *s, const struct odp_geom *const *source)
{
    GEOSContextHandle_t h = GEOS_init_r();
    size_t n = odp_simplifier_features(s), judged = 0;
    GEOSGeometry **was = calloc(n, sizeof(GEOSGeometry *)), **is = calloc(n, sizeof(GEOSGeometry *));
    bool *valid = calloc(n, sizeof *valid);
    assert_true(was != NULL && is != NULL && valid != NULL);
    for (size_t i = 0; i < n; i++) {
        was[i] = geos_of(h, source[i]);
        is[i] = geos_feature(h, s, i);
        assert_true(was[i] != NULL && is[i] != NULL);
        valid[i] = GEOSisValid_r(h, was[i]) == 1;
        if (valid[i])
            assert_int_equal(GEOSisValid_r(h, is[i]), 1);
        judged += valid[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (valid[i] && valid[k] && GEOSRelatePattern_r(h, was[i], was[k], "T********") == 0) {
                assert_int_equal(GEOSRelatePattern_r(h, is[i], is[k], "T********"), 0);
                judged++;
            }
    for (size_t i = 0; i < n; i++) {
        GEOSGeom_destroy_r(h, was[i]);
        GEOSGeom_destroy_r(h, is[i]);
    }
    free(was);
    free(is);
    free(valid);
    GEOS_finish_r(h);
    return judged;
}
