#include "check/geometry_label.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/expr/geos.h"

GEOSGeometry *odp_geometry_to_geos(GEOSContextHandle_t h, const struct odp_geom *g)
{
    GEOSGeometry **room = calloc(odp_geos_room(g), sizeof *room);
    GEOSGeometry *out = NULL;
    if (room != NULL)
        out = odp_geos_of(h, g, room);
    else
        (void)odp_failure_memory();
    free(room);
    return out;
}

/* Points: the first. Lines: the middle vertex of the line with the most vertices. */
static void label_simple(struct odp_geom *g)
{
    uint32_t at = 0;
    if (g->type == ODP_GEOM_LINESTRING || g->type == ODP_GEOM_MULTILINESTRING) {
        uint32_t longest = 0;
        for (uint32_t k = 1; k < g->nparts; k++)
            if (g->part[k + 1] - g->part[k] > g->part[longest + 1] - g->part[longest])
                longest = k;
        at = g->part[longest] + (g->part[longest + 1] - g->part[longest]) / 2;
    }
    g->label[0] = g->xy[2 * (size_t)at];
    g->label[1] = g->xy[2 * (size_t)at + 1];
}

bool odp_geometry_lines_have_length(const struct odp_geom *g)
{
    if (g->type != ODP_GEOM_LINESTRING && g->type != ODP_GEOM_MULTILINESTRING)
        return true;
    for (uint32_t k = 0; k < g->nparts; k++) {
        const double *first = g->xy + 2 * (size_t)g->part[k];
        bool moves = false;
        for (uint32_t i = g->part[k] + 1; i < g->part[k + 1] && !moves; i++)
            moves = g->xy[2 * (size_t)i] != first[0] || g->xy[2 * (size_t)i + 1] != first[1];
        if (!moves)
            return false;
    }
    return true;
}

/* Area-weighted centroid, relative to the first point so that small polygons far from 0,0 keep their digits.
 */
static bool centroid(const struct odp_geom *g, double out[2])
{
    double x0 = g->xy[0], y0 = g->xy[1], area = 0, cx = 0, cy = 0;
    for (uint32_t p = 0; p < g->npolys; p++)
        for (uint32_t k = g->poly[p]; k < g->poly[p + 1]; k++) {
            double ra = 0, rx = 0, ry = 0;
            for (uint32_t i = g->part[k]; i + 1 < g->part[k + 1]; i++) {
                const double *q = g->xy + 2 * (size_t)i;
                double ax = q[0] - x0, ay = q[1] - y0, bx = q[2] - x0, by = q[3] - y0,
                       cross = ax * by - bx * ay;
                ra += cross;
                rx += (ax + bx) * cross;
                ry += (ay + by) * cross;
            }
            /* Orientation is the source's: the first ring of a polygon counts as solid, the others as holes.
             */
            double sign = (ra < 0) == (k == g->poly[p]) ? -1 : 1;
            area += sign * ra;
            cx += sign * rx;
            cy += sign * ry;
        }
    if (!(area > 0))
        return false;
    out[0] = x0 + cx / (3 * area);
    out[1] = y0 + cy / (3 * area);
    return isfinite(out[0]) && isfinite(out[1]);
}

/* Even-odd over all rings: right for valid polygons, and what people mean by those that cross themselves. */
static bool inside(const struct odp_geom *g, const double pt[2])
{
    bool in = false;
    for (uint32_t k = 0; k < g->nparts; k++)
        for (uint32_t i = g->part[k]; i + 1 < g->part[k + 1]; i++) {
            const double *q = g->xy + 2 * (size_t)i;
            if ((q[1] > pt[1]) != (q[3] > pt[1]) &&
                pt[0] < (q[2] - q[0]) * (pt[1] - q[1]) / (q[3] - q[1]) + q[0])
                in = !in;
        }
    return in;
}

/* A point that is inside by GEOS, of G or of what makes it valid. */
static bool label_surface(GEOSContextHandle_t h, const GEOSGeometry *geos, struct odp_geom *g)
{
    GEOSGeometry *pt = geos != NULL ? GEOSPointOnSurface_r(h, geos) : NULL;
    bool ok = pt != NULL && GEOSGeomGetX_r(h, pt, &g->label[0]) == 1 &&
              GEOSGeomGetY_r(h, pt, &g->label[1]) == 1 && isfinite(g->label[0]) && isfinite(g->label[1]);
    GEOSGeom_destroy_r(h, pt);
    return ok;
}

enum odp_status odp_geometry_label(GEOSContextHandle_t h, struct odp_geom *g)
{
    if (g->type != ODP_GEOM_POLYGON && g->type != ODP_GEOM_MULTIPOLYGON) {
        label_simple(g);
        return ODP_OK;
    }
    if (centroid(g, g->label) && inside(g, g->label))
        return ODP_OK;
    GEOSGeometry *geos = odp_geometry_to_geos(h, g), *made = NULL;
    if (geos == NULL)
        return odp_failure_set("GEOS", NULL, 0);
    bool found = label_surface(h, geos, g) && inside(g, g->label);
    if (!found)
        found = label_surface(h, made = GEOSMakeValid_r(h, geos), g);
    if (!found) /* of what is no surface: a point of its boundary */
        memcpy(g->label, g->xy, sizeof g->label);
    GEOSGeom_destroy_r(h, made);
    GEOSGeom_destroy_r(h, geos);
    return ODP_OK;
}
