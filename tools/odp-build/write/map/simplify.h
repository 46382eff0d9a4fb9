/* Shapes for maps on a screen: fewer points, the same neighbours.
 *
 * Takes all geometries of a resource, then simplifies them together: borders that features share (points with
 * equal coordinates, however the rings run) are one arc, simplified once, so neighbours still meet without
 * gap or overlap; no feature and no part of one is lost, however small (a ring keeps four positions that
 * enclose area); simplified rings do not cross themselves or each other (such an arc keeps more points).
 * Deterministic; independent of the order of batches. Coordinates are integers of 1e-7 degree inside: 8 bytes
 * a point, which is the memory needed. */
#pragma once

#include "catalog/records/geom.h"
#include "base/status.h"

struct odp_simplifier;

struct odp_simplify_options {
    size_t points; /* so many positions are wanted at most over all features; more only where no feature may
                      lose any more */
    double finest; /* degrees: what is smaller than this goes in any case (0.00001 is about a metre) */
    unsigned whole, each; /* what is smaller than this part both of the whole map's width and of its own
                             shape's goes, too: the pixels that these have where they are looked at; 0: not */
};

struct odp_simplifier *odp_simplifier_new(void) ODP_MUST_USE ODP_NEVER_NULL;
void odp_simplifier_free(struct odp_simplifier *s);
/* G (copied), in the source's order; NULL: a record without geometry, which keeps its number. */
void odp_simplifier_add(struct odp_simplifier *s, const struct odp_geom *g);
/* After the last; FAIL, too, where one could not be taken in. Then read-only. */
enum odp_status odp_simplifier_finish(struct odp_simplifier *s,
                                      const struct odp_simplify_options *o) ODP_MUST_USE;
size_t odp_simplifier_features(const struct odp_simplifier *s);
/* Simplified feature I in *OUT (false: it has no shape); its arrays are S's, valid until the next call. */
bool odp_simplifier_get(struct odp_simplifier *s, size_t i, struct odp_geom *out);
/* The tolerance that was used in the end, degrees. */
double odp_simplifier_tolerance(const struct odp_simplifier *s);
