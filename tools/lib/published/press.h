/* One file compressed by gzip or brotli, for the twins of a site. */
#pragma once

#include "base/file.h"

enum odp_encoding { ODP_ENCODING_GZIP, ODP_ENCODING_BROTLI, ODP_ENCODINGS };
extern const char *const odp_encoding_names[ODP_ENCODINGS];    /* "gzip", "br" */
extern const char *const odp_encoding_suffixes[ODP_ENCODINGS]; /* ".gz", ".br" */

enum { ODP_PRESS_WHOLE = 4 << 20 }; /* a file up to here is held in memory */

/* One thread's compressors and buffers. */
struct odp_press;
enum odp_status odp_press_new(struct odp_press **out) ODP_MUST_USE;
void odp_press_free(struct odp_press *p);
/* Writes the file at FROM, of SIZE bytes, compressed as E at LEVEL (gzip 1 to 9, brotli 1 to 11) to TO. */
enum odp_status odp_press_file(struct odp_press *p, const char *from, uint64_t size, enum odp_encoding e,
                               int level, struct odp_file *to) ODP_MUST_USE;
