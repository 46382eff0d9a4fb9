/* A picture as PNG with a palette: small, and the same bytes for the same pixels (no library's clock, version or text). */
#ifndef ODP_SITE_METADATA_PNG_H
#define ODP_SITE_METADATA_PNG_H

#include <stdint.h>

#include "base/buffer.h"

/* PIXELS: HEIGHT rows of WIDTH pixels 0x00RRGGBB, STRIDE bytes a row. More than 256 colours are brought together, the fewest bits that make it
 * so; nobody sees it where a picture has few colours and the edges of letters. TEXTS: keywords and texts (UTF-8), in pairs, ended by NULL.
 * Appended to OUT. FAIL without memory. */
enum odp_status odp_png_write(struct odp_buffer *out, const uint32_t *pixels, uint32_t width, uint32_t height, size_t stride,
                              const char *const *texts) ODP_MUST_USE;

#endif
