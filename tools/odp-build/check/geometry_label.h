/* Label points (where a map writes a name, and what CSV gives as label_lon, label_lat) and the bridge to GEOS. Internal to
 * the geometry checks. */
#ifndef ODP_CHECK_GEOMETRY_LABEL_H
#define ODP_CHECK_GEOMETRY_LABEL_H

#include <geos_c.h>

#include "catalog/records/geom.h"

/* A polygon or multipolygon as GEOS object, or NULL (no memory). Its rings are closed and have four points or more. */
GEOSGeometry *odp_geometry_to_geos(GEOSContextHandle_t h, const struct odp_geom *g);
/* Points: the first. Lines: the middle vertex of the line with the most vertices. */
void odp_geometry_label_simple(struct odp_geom *g);
/* False if a line has all its points in one place. True for points. */
bool odp_geometry_lines_have_length(const struct odp_geom *g);
/* The centroid where it is inside; false where it is not. */
bool odp_geometry_label_centroid(struct odp_geom *g);
/* The centroid where it is inside, else a point that is (GEOSPointOnSurface), else the first point. */
void odp_geometry_label_polygon(GEOSContextHandle_t h, const GEOSGeometry *geos, struct odp_geom *g);

#endif
