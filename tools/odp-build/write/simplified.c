/* odp:apiGeometry "simplified": lines and rings with fewer points, for maps and lists (Douglas-Peucker,
 * tolerance 0.0005 degrees, about 55 m). Points stay. Each ring keeps at least four positions, so a polygon
 * stays a polygon; rings are simplified one by one, so neighbours may no longer share their border exactly.
 * The downloads have the full geometry. */
#include "write/simplified.h"

#include <stdlib.h>

#include "base/arena.h"

#define TOLERANCE 0.0005

/* Square of the distance of point P from the segment A B. */
static double distance2(const double *p, const double *a, const double *b)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double ex = p[0] - (a[0] + t * dx), ey = p[1] - (a[1] + t * dy);
    return ex * ex + ey * ey;
}

/* The point between FROM and TO farthest from the line between them; *D2 its squared distance. */
static uint32_t farthest(const double *xy, uint32_t from, uint32_t to, double *d2)
{
    uint32_t best = from;
    *d2 = -1;
    for (uint32_t i = from + 1; i < to; i++) {
        double d = distance2(xy + 2 * (size_t)i, xy + 2 * (size_t)from, xy + 2 * (size_t)to);
        if (d > *d2) {
            *d2 = d;
            best = i;
        }
    }
    return best;
}

/* Marks in KEEP what stays of the points FROM .. TO. STACK has room for 2 * (TO - FROM) + 2 numbers: no
 * recursion, however long the line. */
static void mark(const double *xy, uint32_t from, uint32_t to, bool *keep, uint32_t *stack)
{
    size_t n = 0;
    keep[from] = keep[to] = true;
    stack[n++] = from;
    stack[n++] = to;
    while (n > 0) {
        double d2;
        to = stack[--n];
        from = stack[--n];
        uint32_t i = farthest(xy, from, to, &d2);
        if (d2 <= TOLERANCE * TOLERANCE)
            continue;
        keep[i] = true;
        stack[n++] = from;
        stack[n++] = i;
        stack[n++] = i;
        stack[n++] = to;
    }
}

/* A ring: halved at the point farthest from its start, then a third point kept on each side if need be. */
static void mark_ring(const double *xy, uint32_t from, uint32_t to, bool *keep, uint32_t *stack)
{
    double d2, left2, right2;
    uint32_t half = farthest(xy, from, to, &d2);
    if (to - from < 4 || half == from) {
        for (uint32_t i = from; i <= to; i++)
            keep[i] = true;
        return;
    }
    mark(xy, from, half, keep, stack);
    mark(xy, half, to, keep, stack);
    uint32_t left = farthest(xy, from, half, &left2), right = farthest(xy, half, to, &right2);
    if (left2 >= right2 && left2 >= 0)
        keep[left] = true;
    else if (right2 >= 0)
        keep[right] = true;
}

/* G's marked points as a geometry of its own, in the memory of XY, Z and PART. */
static void collect(const struct odp_geom *g, const bool *keep, struct odp_geom *out)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < g->nparts; k++) {
        out->part[k] = n;
        for (uint32_t i = g->part[k]; i < g->part[k + 1]; i++) {
            if (!keep[i])
                continue;
            out->xy[2 * (size_t)n] = g->xy[2 * (size_t)i];
            out->xy[2 * (size_t)n + 1] = g->xy[2 * (size_t)i + 1];
            if (g->z != NULL)
                out->z[n] = g->z[i];
            n++;
        }
    }
    out->part[g->nparts] = n;
    out->npoints = n;
}

void odp_emit_add_simplified(struct odp_buffer *out, const struct odp_geom *g)
{
    if (g->type == ODP_GEOM_POINT || g->type == ODP_GEOM_MULTIPOINT || g->npoints < 4) {
        odp_geom_add_geojson(out, g);
        return;
    }
    struct odp_geom slim = *g;
    size_t n = g->npoints;
    bool *keep = calloc(n, sizeof *keep);
    uint32_t *stack = odp_realloc_array(NULL, 2 * n + 4, sizeof *stack);
    slim.xy = odp_realloc_array(NULL, 2 * n, sizeof *slim.xy);
    slim.z = g->z != NULL ? odp_realloc_array(NULL, n, sizeof *slim.z) : NULL;
    slim.part = odp_realloc_array(NULL, (size_t)g->nparts + 1, sizeof *slim.part);
    if (keep == NULL || stack == NULL || slim.xy == NULL || (g->z != NULL && slim.z == NULL) ||
        slim.part == NULL) {
        out->failed = true;
    } else {
        for (uint32_t k = 0; k < g->nparts; k++) {
            uint32_t from = g->part[k], to = g->part[k + 1];
            if (to - from >= 2)
                (g->poly != NULL ? mark_ring : mark)(g->xy, from, to - 1, keep, stack);
            else if (to > from)
                keep[from] = true;
        }
        collect(g, keep, &slim);
        odp_geom_add_geojson(out, &slim);
    }
    free(keep);
    free(stack);
    free(slim.xy);
    free(slim.z);
    free(slim.part);
}
