/* Inside of site/differences: finds which bytes of the new file are in the old one. delta_match.c explains
 * how. */
#pragma once

#include <stdint.h>

#include "base/status.h"

struct delta_match {
    uint64_t at;     /* in the new file */
    uint64_t old_at; /* in the old one */
    uint64_t len;
};

struct delta_matcher;
/* Borrows both files. FAIL: out of memory (ODP_DELTA_MEMORY at most). */
enum odp_status delta_matcher_new(struct delta_matcher **out, const uint8_t *old, uint64_t old_size,
                                  const uint8_t *fresh, uint64_t size) ODP_MUST_USE;
void delta_matcher_free(struct delta_matcher *m);
/* The next match after the last one; matches come in the new file's order and do not overlap there. DONE:
 * there is none. */
enum odp_status delta_matcher_next(struct delta_matcher *m, struct delta_match *found) ODP_MUST_USE;
