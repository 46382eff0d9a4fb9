/* Spatial functions of CQL2 (OGC 21-065, 7.5 to 7.7; the topological relations of DE-9IM, OGC 06-103r4) on
 * WGS 84 degrees, planar, with GEOS. A literal is prepared once for each thread that uses it; both sides are
 * tested by their boxes first.
 *
 * Geometry literals in text: POINT(106.8 -6.2), LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING,
 * MULTIPOLYGON (each also with Z), GEOMETRYCOLLECTION, BBOX(w,s,e,n) and BBOX(w,s,zmin,e,n,zmax); w > e
 * crosses 180°. At most 10,000 points. Heights are read and play no part. A literal must be valid in OGC's
 * sense (no ring cuts itself). Collections, and lines that cross themselves, go with S_INTERSECTS and
 * S_DISJOINT alone: for the others GEOS works out every crossing, for each record anew, and of ten thousand
 * points there can be millions.
 *
 * The records' geometries may be anything: an empty one is disjoint from everything; of one that GEOS cannot
 * answer for (its rings are no rings, or it finds a contradiction in them) the function is unknown, as of
 * none at all. */
#pragma once

#include "base/arena.h"
#include "base/diag.h"
#include "catalog/records/geom.h"

enum odp_spatial_op {
    ODP_S_INTERSECTS,
    ODP_S_WITHIN,
    ODP_S_CONTAINS,
    ODP_S_DISJOINT,
    ODP_S_EQUALS,
    ODP_S_TOUCHES,
    ODP_S_OVERLAPS,
    ODP_S_CROSSES,
    ODP_S_COUNT
};
int odp_spatial_op_find(struct odp_slice name); /* "S_INTERSECTS", not case-sensitive; -1 */
const char *odp_spatial_op_name(enum odp_spatial_op op);

/* OP(field geometry, literal). Immutable, shared by threads. Not in an arena: odp_expr_release frees that of
 * an expression. */
struct odp_spatial;
/* Reads WKT or BBOX at *AT of TEXT, and moves *AT after it. BAD: *WHY describes the fault at byte *AT; its
 * texts live in A. */
enum odp_status odp_spatial_parse(struct odp_spatial **out, enum odp_spatial_op op, struct odp_slice text,
                                  size_t *at, struct odp_arena *a, struct odp_text *why) ODP_MUST_USE;
/* From a geometry of the data, which is copied. BAD: GEOS cannot hold it, or it has no points. */
enum odp_status odp_spatial_of(struct odp_spatial **out, enum odp_spatial_op op,
                               const struct odp_geom *g) ODP_MUST_USE;
/* The relation of B and A if OP is that of A and B. */
enum odp_spatial_op odp_spatial_flipped(enum odp_spatial_op op);
/* From a box in degrees (bbox=…). BAD: beyond 180 or 90 degrees, or south above north. */
enum odp_status odp_spatial_box(struct odp_spatial **out, enum odp_spatial_op op,
                                const double box[4]) ODP_MUST_USE;
void odp_spatial_free(struct odp_spatial *s); /* NULL is allowed; no thread is using it */

/* TRUE or FALSE (enum odp_truth's values) for a geometry; G NULL: unknown (2). FAIL: no memory. Any thread.
 */
enum odp_status odp_spatial_test(const struct odp_spatial *s, const struct odp_geom *g,
                                 uint8_t *truth) ODP_MUST_USE;
/* The same of a shape (catalog/index/gpb.h; ptr NULL: unknown); SCRATCH gets its points if its box does not
 * settle it. BAD: damaged. */
enum odp_status odp_spatial_test_shape(const struct odp_spatial *s, struct odp_slice shape,
                                       struct odp_arena *scratch, uint8_t *truth) ODP_MUST_USE;
/* The same of N geometries (NULL: unknown), with the lookups done once. */
enum odp_status odp_spatial_test_all(const struct odp_spatial *s, const struct odp_geom *const *g, uint32_t n,
                                     uint8_t *truth) ODP_MUST_USE;
/* The boxes that a geometry must touch for the function to be true: one, or two across 180°; west, south,
 * east, north in degrees. 0: boxes say nothing (S_DISJOINT). */
unsigned odp_spatial_boxes(const struct odp_spatial *s, double boxes[2][4]);
/* Whether it is S_INTERSECTS with a BBOX that does not cross 180°: west, south, east, north. A geometry whose
 * box lies within it intersects it. */
bool odp_spatial_is_box(const struct odp_spatial *s, double box[4]);
/* The literal as canonical text ("POLYGON((…))"), for normal forms; 17 digits at most. */
void odp_spatial_add_text(const struct odp_spatial *s, struct odp_buffer *out);
