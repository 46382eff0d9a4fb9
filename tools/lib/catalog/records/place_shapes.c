#include "catalog/records/place_shapes.h"

#include <math.h>

#define GRID 0.002 /* degrees: a fifth of a point on a page as wide as a country of ten degrees */

void odp_place_shapes_clear(struct odp_place_shapes *s)
{
    *s = (struct odp_place_shapes){.grid = GRID};
}

/* The ring of N points at TO, rounded, each point once; its length, 0 where it is none any more. TO may be
 * XY. */
static uint32_t thin(float *to, const float *xy, uint32_t n, double grid)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        const float at[2] = {(float)(round(xy[2 * i] / grid) * grid),
                             (float)(round(xy[2 * i + 1] / grid) * grid)};
        const bool same = left > 0 && at[0] == to[2 * left - 2] && at[1] == to[2 * left - 1];
        if (same)
            continue;
        to[2 * left] = at[0];
        to[2 * left + 1] = at[1];
        left++;
    }
    while (left > 1 && to[0] == to[2 * left - 2] && to[1] == to[2 * left - 1])
        left--;
    return left < 3 ? 0 : left;
}

/* What GRID leaves of SHAPE; the first point of one that would be gone stays as a small triangle. */
static void thin_shape(struct odp_place_shape *shape, double grid)
{
    const float first[2] = {shape->xy[0], shape->xy[1]};
    uint32_t parts = 0, points = 0;
    for (uint32_t i = 0; i < shape->nparts; i++) {
        const uint32_t from = shape->part[i], n = shape->part[i + 1] - from;
        const uint32_t left = thin(&shape->xy[2 * points], &shape->xy[2 * from], n, grid);
        shape->part[parts] = points;
        parts += left > 0;
        points += left;
    }
    if (parts == 0) {
        const float dot[] = {first[0], first[1], first[0] + (float)grid,
                             first[1], first[0], first[1] + (float)grid};
        memcpy(shape->xy, dot, sizeof dot);
        points = 3;
        shape->part[parts++] = 0;
    }
    shape->part[parts] = points;
    shape->nparts = parts;
}

static size_t points_of(const struct odp_place_shape *shape)
{
    return shape->part[shape->nparts];
}

static void coarsen(struct odp_place_shapes *s)
{
    while (s->points > ODP_SHAPE_POINTS && s->grid < 1) {
        s->grid *= 2;
        s->points = 0;
        for (size_t i = 0; i < s->n; i++) {
            thin_shape(&s->shapes[i], s->grid);
            s->points += points_of(&s->shapes[i]);
        }
    }
}

/* G's rings as they are, in A. */
static struct odp_place_shape whole(const struct odp_geom *g, struct odp_arena *a)
{
    struct odp_place_shape shape = {.nparts = g->nparts};
    shape.xy = odp_arena_array(a, (size_t)g->npoints * 2, sizeof *shape.xy);
    shape.part = odp_arena_array(a, g->nparts + 1, sizeof *shape.part);
    for (uint32_t i = 0; i < 2 * g->npoints; i++)
        shape.xy[i] = (float)g->xy[i];
    memcpy(shape.part, g->part, (g->nparts + 1) * sizeof *shape.part);
    return shape;
}

static struct odp_place_shape copy(const struct odp_place_shape *shape, struct odp_slice code,
                                   struct odp_arena *a)
{
    const size_t points = points_of(shape), parts = shape->nparts + 1;
    struct odp_place_shape kept = {.code = odp_arena_copy(a, code).ptr, .nparts = shape->nparts};
    kept.xy = odp_arena_array(a, points * 2, sizeof *kept.xy);
    kept.part = odp_arena_array(a, parts, sizeof *kept.part);
    memcpy(kept.xy, shape->xy, points * 2 * sizeof *kept.xy);
    memcpy(kept.part, shape->part, parts * sizeof *kept.part);
    return kept;
}

void odp_place_shapes_add(struct odp_place_shapes *s, struct odp_slice code, const struct odp_geom *g,
                          struct odp_arena *a)
{
    struct odp_arena scratch;
    if (g == NULL || g->poly == NULL || g->npoints < 3)
        return;
    odp_arena_init(&scratch);
    struct odp_place_shape shape = whole(g, &scratch);
    thin_shape(&shape, s->grid);
    s->shapes = odp_arena_more(a, s->shapes, s->n, sizeof *s->shapes);
    s->shapes[s->n++] = copy(&shape, code, a);
    s->points += points_of(&shape);
    odp_arena_release(&scratch);
    odp_bbox_extend(s->box, &s->has_box, g->bbox);
    coarsen(s);
}
