/* A file that others map: whole before it gets its name. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A new file at PATH (through PATH.new and rename), mode 0600, SIZE bytes: HEAD, then zeros. Its first
 * ALLOCATED bytes are on the disk, so that a full disk is an error here, not a SIGBUS later. */
enum odp_status odp_fresh_file(const char *path, const void *head, size_t len, uint64_t allocated,
                               uint64_t size) ODP_MUST_USE;
