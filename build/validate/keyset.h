/* A set of keys in compact form: 96 bits of XXH3-128 of the canonical tuple and the line where it was first seen, 16 bytes an
 * entry, open addressing. For 50,000,000 keys the chance that two different ones collide is under 10^-13. Small sets (up to
 * ODP_KEYSET_TEXTS) keep their texts too, for suggestions. */
#ifndef ODP_VALIDATE_KEYSET_H
#define ODP_VALIDATE_KEYSET_H

#include <stdbool.h>
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
/* OK: new. DONE: was there, *FIRST_LINE tells where (0: its line is not known). FAIL: no memory. TEXT is the key's display
 * form; one without text (ptr NULL) ends the collecting of texts. LINE is kept in 32 bits. */
enum odp_status odp_keyset_add(struct odp_keyset *s, struct odp_key_hash h, uint64_t line, struct odp_slice text,
                               uint64_t *first_line) ODP_MUST_USE;
/* OK or FAIL: makes room for N keys before they come. */
enum odp_status odp_keyset_reserve(struct odp_keyset *s, uint64_t n) ODP_MUST_USE;
/* Fetches the place of H into the cache: a merge that looks some keys ahead does not wait for memory. */
void odp_keyset_prefetch(const struct odp_keyset *s, struct odp_key_hash h);
/* Empties; keeps the memory. */
void odp_keyset_clear(struct odp_keyset *s);
bool odp_keyset_has(const struct odp_keyset *s, struct odp_key_hash h);
uint64_t odp_keyset_size(const struct odp_keyset *s);
/* Texts for suggestions, or NULL when the set is too large. */
const struct odp_slice *odp_keyset_texts(const struct odp_keyset *s, size_t *n);

/* The hash of a tuple of canonical texts, by the types of their fields (enum odp_type; numbers by value, datetimes by instant,
 * the rest by bytes). A part with ptr NULL is null, which equals null only. */
struct odp_key_hash odp_key_hash_of(const struct odp_slice *parts, const uint8_t *types, size_t n);

#endif
