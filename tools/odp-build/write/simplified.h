/* Inside of write: the geometries of odp:apiGeometry "simplified". */
#pragma once

#include "base/buffer.h"
#include "catalog/records/geom.h"

/* G with fewer points, for overviews: see simplified.c. */
void odp_emit_add_simplified(struct odp_buffer *out, const struct odp_geom *g);
