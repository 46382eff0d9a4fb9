/* Shapes of the places of a list with odp:boundaries, for pictures on paper: gathered while it is read,
 * thinned to a grid that grows with their number, so that memory does not. */
#pragma once

#include "catalog/records/batch.h"

enum { ODP_SHAPE_POINTS = 200000 }; /* about as many are kept of a list */

struct odp_place_shape {
    const char *code;
    float *xy;      /* lon, lat */
    uint32_t *part; /* ring i is points part[i] to part[i + 1]; not closed */
    uint32_t nparts;
};
struct odp_place_shapes {
    struct odp_place_shape *shapes;
    size_t n, points;
    double grid;   /* degrees */
    double box[4]; /* west, south, east, north */
    bool has_box;
};

/* Of N shapes none is left. */
void odp_place_shapes_clear(struct odp_place_shapes *s);
/* The polygons of G are the place CODE's; copied into A. No other geometry has a shape. */
void odp_place_shapes_add(struct odp_place_shapes *s, struct odp_slice code, const struct odp_geom *g,
                          struct odp_arena *a);
