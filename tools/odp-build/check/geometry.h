/* Checks the geometries of a batch against odp:geometry, and finds each one's label point.
 *
 * One checker a resource; it holds one GEOS context a worker (reentrant interface), so odp_geometry_check
 * may run on all workers at once, each with its own number. What is found is a G diagnostic in b->diags, one
 * a record: the first that applies of G01 no geometry, G02 empty, G08 type, G03 unclosed ring, G21 ring of
 * too few points, G07 axes swapped, G06 outside the box, G04, G05, G20, G22, G23, G26 validity (GEOS). A
 * fault that the catalogue allows is reported, and the search goes on. */
#pragma once

#include "catalog/records/batch.h"

struct odp_geometry_checker;

/* SPEC is borrowed and must outlive the checker. WORKERS >= 1. OK or FAIL. */
enum odp_status odp_geometry_checker_new(struct odp_geometry_checker **out,
                                         const struct odp_geometry_spec *spec, unsigned workers) ODP_MUST_USE;
void odp_geometry_checker_free(struct odp_geometry_checker *c); /* NULL is allowed */
/* From now on geometries get no labels: nobody reads them. */
void odp_geometry_checker_leave_labels(struct odp_geometry_checker *c);

/* Checks the geometry of every record of B that is not ODP_RECORD_SKIP. Sets b->record_bad[i] (if
 * b->record_bad is not NULL) where a fault counts as an error, and where one of the source's did
 * (ODP_RECORD_GEOMETRY_BAD, which is reported already). Geometries are immutable: those that pass are
 * replaced in b->geometry by shallow copies in b->arena that have their label; those that GeoJSON has no
 * form for (empty, unclosed, too few points, beyond the world) by NULL. FILE as shown to the user. Does
 * nothing when b->geometry is NULL. OK or FAIL. */
enum odp_status odp_geometry_check(struct odp_geometry_checker *c, struct odp_batch *b, unsigned worker,
                                   const char *file) ODP_MUST_USE;
