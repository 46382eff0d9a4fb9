/* Inside of published: one thread's compressors. Their memory is kept from file to file, since fresh memory
 * costs a small file more than compressing it. */
#pragma once

#include <stdatomic.h>

#include "base/file.h"

enum odp_encoding { ODP_ENCODING_GZIP, ODP_ENCODING_BROTLI, ODP_ENCODINGS };
extern const char *const odp_encoding_names[ODP_ENCODINGS];    /* "gzip", "br" */
extern const char *const odp_encoding_suffixes[ODP_ENCODINGS]; /* ".gz", ".br" */

enum {
    ODP_PRESS_WHOLE = 4 << 20
}; /* a file up to here is held in memory, and read once for both encodings */

struct odp_press; /* not shared between threads */
enum odp_status odp_press_new(struct odp_press **out) ODP_MUST_USE;
void odp_press_free(struct odp_press *p);
/* The file at FROM, of SIZE bytes, compressed as E to TO. How hard is decided by the size alone. It is given
 * up (FAIL) once *STOP is true. */
enum odp_status odp_press_file(struct odp_press *p, const char *from, uint64_t size, enum odp_encoding e,
                               struct odp_file *to, const atomic_bool *stop) ODP_MUST_USE;
/* What was read of a file is not true of the next. */
void odp_press_forget(struct odp_press *p);
