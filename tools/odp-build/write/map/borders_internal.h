/* Inside of write/map: how shapes are simplified.
 *
 *   simplify.c   input and output
 *   arcs.c       which points are the same, where borders meet (junctions), the weight of each point
 *                (Visvalingam and Whyatt's effective area)
 *   untangle.c   puts points back until no pieces cross; decimals of the result
 *
 * All points of all rings and lines are in one array, rings without the repetition of their first point. A
 * point is known by its number; points with equal coordinates by the first of their numbers, `canon`. Weight
 * and fate of a point are decided at its canon: so borders that features share are cut alike in all of them,
 * and no code looks for shared borders. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "write/map/simplify.h"

enum {
    POINT_FIRST = 1, /* of its part */
    POINT_LAST = 2,
    POINT_JUNCTION = 4, /* at canons: borders meet here, or a line ends */
    POINT_KEPT = 8,     /* at canons */
    POINT_FINE = 16     /* at canons: written with all its decimals, because rounded it would clash */
};
enum part_kind { PART_RING, PART_LINE, PART_POINTS };

struct shape_part {
    uint32_t first, n; /* points */
    uint32_t kind;
};
struct shape_feature {
    uint32_t first_part, nparts, first_poly,
        npolys;    /* polys: numbers of their first parts, from first_part on */
    uint32_t type; /* enum odp_geom_type */
};

/* Input grows in buffers; the arrays are theirs, or the arena's, when the input is complete. */
struct odp_simplifier {
    struct odp_arena arena;
    struct odp_buffer took_xy, took_parts, took_polys, took_features;
    int32_t *xy; /* 1e-7 degree */
    uint8_t *flag;
    uint32_t *canon;
    float *weight; /* twice the effective area in units of xy; at canons; infinite: always kept */
    struct shape_part *parts;
    uint32_t *polys; /* parts of the feature before each polygon */
    struct shape_feature *features;
    size_t npoints, nparts, npolys, nfeatures;
    double tolerance;
    int places; /* decimals, of all points that are not POINT_FINE */
    /* of the last feature asked for */
    struct odp_geom out;
};

static inline uint32_t shape_next(const struct shape_part *p, uint32_t i)
{
    return i + 1 < p->first + p->n ? i + 1 : p->first;
}

/* ---- arcs.c ---- */
void shape_find_junctions(struct odp_simplifier *s);
void shape_weigh(struct odp_simplifier *s);

/* ---- untangle.c ---- */
enum odp_status shape_untangle(struct odp_simplifier *s) ODP_MUST_USE;

/* The last of PLACES decimals, in units of xy. */
static inline int32_t shape_step(int places)
{
    int32_t step = 1;
    for (; places < 7; places++)
        step *= 10;
    return step;
}

/* Coordinate AXIS of POINT in units of STEP (a power of ten), half away from zero. */
static inline int32_t shape_rounded(const struct odp_simplifier *s, uint32_t point, int axis, int32_t step)
{
    int32_t v = s->xy[2 * (size_t)point + (size_t)axis];
    if (step == 1 || (s->flag[s->canon[point]] & POINT_FINE) != 0)
        return v;
    int64_t half = step / 2, w = v >= 0 ? v + half : v - half;
    return (int32_t)(w / step * step);
}
