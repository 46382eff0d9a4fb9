/* A geometry of the index: GeoPackageBinary (OGC 12-128r19, 2.1.3): "GP", version, flags, SRS (4326), an
 * envelope for all but points, then ISO WKB, little-endian. Coordinates are the published ones (7 decimals),
 * rings in RFC 7946's order. Input is not trusted: a damaged geometry is BAD, never a crash. */
#pragma once

#include "base/arena.h"
#include "catalog/records/geom.h"

enum { ODP_GPB_SRS = 4326 };

/* A coordinate that cannot be published fails OUT; check lets none pass. */
void odp_gpb_add(struct odp_buffer *out, const struct odp_geom *g);
/* West, south, east, north in degrees, from the head alone. False: damaged, or empty. */
bool odp_gpb_box(struct odp_slice gpb, double box[4]);
/* *G in A, without its label. BAD: damaged. FAIL: no memory. */
enum odp_status odp_gpb_read(struct odp_slice gpb, struct odp_geom *g, struct odp_arena *a) ODP_MUST_USE;
