/* Files of the run's own that have no name: whatever ends the program, they do not stay. Read and written at
 * any place, by any thread. WHAT names it in a failure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* One in TMPDIR, else /tmp; close(2) it. *FD is -1 with FAIL. */
enum odp_status odp_scratch_open(int *fd, const char *what) ODP_MUST_USE;
enum odp_status odp_scratch_write(int fd, const void *bytes, size_t len, uint64_t at,
                                  const char *what) ODP_MUST_USE;
/* All LEN bytes; an end before them is a fault. */
enum odp_status odp_scratch_read(int fd, void *bytes, size_t len, uint64_t at, const char *what) ODP_MUST_USE;
