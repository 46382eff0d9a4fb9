/* A set of keys in compact form: 96 bits of XXH3-128 of the canonical tuple and the line where it was first seen, 16 bytes an entry,
 * open addressing. For 50,000,000 keys the chance that two different ones collide is under 10^-13. Small sets (up to
 * ODP_KEYSET_TEXTS) keep their texts too, for suggestions. */
#ifndef ODP_VALIDATE_KEYSET_H
#define ODP_VALIDATE_KEYSET_H

#include <stdint.h>

#include "base/slice.h"
#include "base/status.h"

#define ODP_KEYSET_TEXTS 65536

struct odp_key_hash {
    uint64_t hi;
    uint32_t lo;
};

struct odp_keyset;
enum odp_status odp_keyset_new(struct odp_keyset **out) ODP_MUST_USE;
void odp_keyset_free(struct odp_keyset *s);
/* OK: new. DONE: was there, *FIRST_LINE tells where. FAIL: no memory. TEXT (the key's display form) may be empty. */
enum odp_status odp_keyset_add(struct odp_keyset *s, struct odp_key_hash h, uint64_t line, struct odp_slice text,
                               uint64_t *first_line) ODP_MUST_USE;
bool odp_keyset_has(const struct odp_keyset *s, struct odp_key_hash h);
uint64_t odp_keyset_size(const struct odp_keyset *s);
/* Texts for suggestions, or NULL when the set is too large. */
const struct odp_slice *odp_keyset_texts(const struct odp_keyset *s, size_t *n);

/* The hash of a tuple of canonical texts, by the types of their fields (numbers by value, text by bytes). */
struct odp_key_hash odp_key_hash_of(const struct odp_slice *parts, const uint8_t *types, size_t n);

#endif
