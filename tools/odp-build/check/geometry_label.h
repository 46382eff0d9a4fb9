/* Label points (where a map writes a name, and what CSV gives as label_lon, label_lat) and the bridge to
 * GEOS. Internal to the geometry checks. */
#pragma once

#include <geos_c.h>

#include "base/status.h"
#include "catalog/records/geom.h"

/* A polygon or multipolygon as GEOS object, or NULL (no memory). Its rings are closed and have four points or
 * more. */
GEOSGeometry *odp_geometry_to_geos(GEOSContextHandle_t h, const struct odp_geom *g);
/* False if a line has all its points in one place. True for points. */
bool odp_geometry_lines_have_length(const struct odp_geom *g);
/* G's label: of points the first; of lines the middle vertex of the line with the most vertices; of polygons
 * the centroid where it is inside, else a point that is (GEOSPointOnSurface, if need be of what GEOSMakeValid
 * makes of it), else the first point. OK or FAIL. */
enum odp_status odp_geometry_label(GEOSContextHandle_t h, struct odp_geom *g) ODP_MUST_USE;
