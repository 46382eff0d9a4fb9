/* A whole file mapped for reading. Should it be cut short while it is mapped, reading beyond its end is
 * SIGBUS, which ends the process: a program's handler asks odp_mapped_at for the file, names it, and leaves.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct odp_mapped {
    void *ptr; /* NULL: empty */
    size_t len;
};

/* PATH, which must be a regular file of SIZE bytes. FAIL: it is not (any more), or cannot be mapped. Close M
 * in every case. */
enum odp_status odp_mapped_open(struct odp_mapped *m, const char *path, uint64_t size) ODP_MUST_USE;
void odp_mapped_close(struct odp_mapped *m);
/* The path of the mapped file that ADDRESS is in; NULL: none. For signal handlers. */
const char *odp_mapped_at(const void *address);
