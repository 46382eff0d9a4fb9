/* A geometry of ours as one of GEOS's. */
#pragma once

#include <geos_c.h>

#include "catalog/records/geom.h"

/* How many pointers its parts need while it is made. */
size_t odp_geos_room(const struct odp_geom *g);
/* The caller destroys it. NULL: GEOS refuses. ROOM: odp_geos_room pointers, free again afterwards. */
GEOSGeometry *odp_geos_of(GEOSContextHandle_t h, const struct odp_geom *g, GEOSGeometry **room);
