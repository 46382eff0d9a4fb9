/* A geometry in the index: coordinates are whole numbers of 1e-7 degrees, exactly as published (7 decimals), little-endian, rings in the order in which
 * they are written (RFC 7946, section 3.1.6). k / 1e7 is the double that a reader of the published decimals gets, so predicates see what the
 * downloads say. Form: see shape.c. Input is untrusted as far as its bounds go: a damaged shape is BAD, never a crash. */
#ifndef ODP_CATALOG_INDEX_SHAPE_H
#define ODP_CATALOG_INDEX_SHAPE_H

#include "base/arena.h"
#include "catalog/records/geom.h"

/* A coordinate that is no number or lies beyond 214 degrees fails OUT; check lets none pass. */
void odp_shape_add(struct odp_buffer *out, const struct odp_geom *g);
/* Its label (odp_geom.label; of a point: the point itself), in 1e-7 degrees: for CSV. From the head alone. False: damaged, or empty. */
bool odp_shape_label(struct odp_slice shape, int32_t label[2]);
bool odp_shape_type(struct odp_slice shape, enum odp_geom_type *type); /* false: damaged */
/* West, south, east, north in 1e-7 degrees. From the head alone. False: damaged, or empty. */
bool odp_shape_box(struct odp_slice shape, int32_t box[4]);
/* *G in A (its label, too). BAD: damaged. FAIL: no memory. */
enum odp_status odp_shape_read(struct odp_slice shape, struct odp_geom *g, struct odp_arena *a) ODP_MUST_USE;
/* The same bytes as odp_geom_add_geojson of the geometry it was made from. */
enum odp_status odp_shape_add_geojson(struct odp_buffer *out, struct odp_slice shape) ODP_MUST_USE;
/* The same bytes as odp_geom_add_wkt. */
enum odp_status odp_shape_add_wkt(struct odp_buffer *out, struct odp_slice shape) ODP_MUST_USE;

#endif
