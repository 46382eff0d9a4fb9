/* A drawing as PNG, with a palette: charts and titles have a few hundred shades, most of them at the edges
 * of letters. Beside cairo's own writer a third of the bytes in a quarter of the time (10 kB and 4 ms of
 * 33 kB and 16 ms for a chart of 1200 x 630; it was a quarter of what a small dataset costs). */
#pragma once

#include <cairo.h>

#include "base/buffer.h"

/* SURFACE: CAIRO_FORMAT_RGB24. A failure of memory is OUT's. */
void odp_png_put(cairo_surface_t *surface, struct odp_buffer *out);
/* A chunk of TYPE (four letters). */
void odp_png_chunk(struct odp_buffer *out, const char *type, struct odp_slice bytes);
