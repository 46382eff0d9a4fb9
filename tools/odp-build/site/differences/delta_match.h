/* Inside of site/differences: finding what of the new file stands in the old one. See delta_match.c for how.
 */
#pragma once

#include <stdint.h>

#include "base/status.h"

struct delta_match {
    uint64_t at;     /* in the new file */
    uint64_t old_at; /* in the old one */
    uint64_t len;
};

struct delta_matcher;
/* Both files are borrowed. FAIL: no memory (ODP_DELTA_MEMORY at most). */
enum odp_status delta_matcher_new(struct delta_matcher **out, const uint8_t *old, uint64_t old_size,
                                  const uint8_t *fresh, uint64_t size) ODP_MUST_USE;
void delta_matcher_free(struct delta_matcher *m);
/* The next match behind the last one; matches come in the new file's order and do not overlap there. DONE:
 * there is none. */
enum odp_status delta_matcher_next(struct delta_matcher *m, struct delta_match *found) ODP_MUST_USE;
