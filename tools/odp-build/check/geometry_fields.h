/* The geometry of records whose fields hold it (odp:geometry "lon" and "lat", or a geopoint or geojson
 * field). Internal to check. */
#pragma once

#include "catalog/records/batch.h"

/* Sets B->geometry from its typed columns, NULL where a field has no value. A geometry that odp_geom has no
 * form for, or half a point, is G02. FILE as shown to the user; SECRET by record: its line is not shown. OK
 * (faults in B->diags) or FAIL. */
enum odp_status odp_geometry_of_fields(struct odp_batch *b, const char *file,
                                       const uint8_t *secret) ODP_MUST_USE;
