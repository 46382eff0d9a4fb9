/* A geometry in WGS 84, longitude and latitude in degrees, as GeoJSON wants it (RFC 7946). Immutable once
 * built; all its arrays live in the batch's arena.
 *
 *   points: xy[2*i], xy[2*i+1] (and z[i] where z is not NULL), i < npoints
 *   parts:  part k holds points part[k] .. part[k+1]-1, k < nparts; one for a point or a line, rings for
 * polygons (closed: first point equals last), members for MultiPoint (one part with all points), lines for
 * MultiLineString polygons: polygon p holds parts poly[p] .. poly[p+1]-1, p < npolys; its first ring is the
 * shell, the others are holes */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

enum odp_geom_type {
    ODP_GEOM_POINT,
    ODP_GEOM_MULTIPOINT,
    ODP_GEOM_LINESTRING,
    ODP_GEOM_MULTILINESTRING,
    ODP_GEOM_POLYGON,
    ODP_GEOM_MULTIPOLYGON
};
const char *odp_geom_type_name(enum odp_geom_type t); /* "MultiPolygon" */

struct odp_geom {
    enum odp_geom_type type;
    uint32_t npoints, nparts, npolys;
    double *xy;
    double *z;       /* metres, or NULL */
    uint32_t *part;  /* nparts + 1 entries */
    uint32_t *poly;  /* npolys + 1 entries; NULL but for polygons */
    double bbox[4];  /* west, south, east, north */
    double label[2]; /* a point on it (polygons: inside); set by check */
    bool turned;     /* its rings are in RFC 7946's order already: it was read from published data */
};

/* Heights are published only where every one of them is a number that can be written. */
bool odp_geom_has_heights(const struct odp_geom *g);
/* True where ring PART (a shell or a hole) is written backwards, so that its orientation is RFC 7946's. */
bool odp_geom_ring_turns(const struct odp_geom *g, uint32_t part, bool shell);
/* The GeoJSON geometry object: 7 decimals at most, exterior rings counter-clockwise, holes clockwise (RFC
 * 7946, 3.1.6; the orientation is mended while writing). */
void odp_geom_add_geojson(struct odp_buffer *b, const struct odp_geom *g);
/* OGC WKT, "POINT Z (1 2 3)", 7 decimals at most, the same ring order. */
void odp_geom_add_wkt(struct odp_buffer *b, const struct odp_geom *g);
/* BOX (west, south, east, north) of the N points at XY, of which there are some. */
void odp_bbox_of(const double *xy, uint32_t n, double box[4]);
/* BOX grows to hold BY too; while *HAS is false it is empty. */
void odp_bbox_extend(double box[4], bool *has, const double by[4]);
/* Twice the signed area of a ring of N points (shoelace, relative to its first point); > 0 is
 * counter-clockwise. */
double odp_ring_area2(const double *xy, uint32_t n);
