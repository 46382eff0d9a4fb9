/* A key as it is kept: 95 bits of hash and a line. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define ODP_KEY_LINES UINT32_MAX /* lines from here on are not kept */

struct odp_key_hash {
    uint64_t hi;
    uint32_t lo; /* 31 bits */
};

/* What a set keeps of a key. `line` 0: no key. */
struct odp_key_entry {
    uint64_t hi;
    uint32_t lo : 31;
    uint32_t again : 1; /* it came more than once */
    uint32_t line;      /* ODP_KEY_LINES: not known */
};

/* The hash of a tuple of canonical texts, by the types of their fields (enum odp_type; numbers by value,
 * datetimes by instant, the rest by bytes). A part with ptr NULL is null, which equals null only. */
struct odp_key_hash odp_key_hash_of(const struct odp_slice *parts, const uint8_t *types, size_t n);
/* The same for N keys of one part that is hashed by its bytes: all but the line of those whose line is not 0.
 */
void odp_key_hash_texts(const struct odp_slice *texts, uint32_t n, struct odp_key_entry *out);
