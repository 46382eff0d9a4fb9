/* One table of a key set: entries in order of their hash (`hi`, then `lo`), with gaps.
 *
 * The place of a key is its hash, scaled to the number of buckets; where that is taken, behind it, so that all entries stand in order. A
 * search ends at the first that is larger, and a table of some size grows in place, by a quarter, in two sweeps: realloc moves no page that is there
 * already, and never are an old and a new table in memory together. Three quarters are taken on average. */
#ifndef ODP_CHECK_KEYS_KEYTABLE_H
#define ODP_CHECK_KEYS_KEYTABLE_H

#include <stdbool.h>

#include "check/keys/key_hash.h"

#define KEYTABLE_BITS 6 /* of `hi` choose the table: they say nothing within it */
#define KEYTABLES     (1u << KEYTABLE_BITS)

struct keytable {
    struct odp_key_entry *entries;
    size_t buckets; /* a key's place is below */
    size_t slots;   /* entries there are: behind the last bucket is room for what is pushed on; the last one is always free */
    size_t size;
};

static inline unsigned keytable_of(uint64_t hi)
{
    return (unsigned)(hi >> (64 - KEYTABLE_BITS));
}

static inline size_t keytable_place(uint64_t hi, size_t buckets)
{
    return (size_t)(((hi << KEYTABLE_BITS) >> 32) * buckets >> 32); /* fewer than 2^32 buckets */
}

/* The entry of H, or NULL. */
struct odp_key_entry *keytable_find(const struct keytable *t, struct odp_key_hash h);
/* The entry of KEY; *NEW: it was put in, as KEY is. NULL: no memory. */
struct odp_key_entry *keytable_put(struct keytable *t, const struct odp_key_entry *key, bool *new);
static inline void keytable_prefetch(const struct keytable *t, uint64_t hi)
{
    if (t->slots > 0)
        __builtin_prefetch(&t->entries[keytable_place(hi, t->buckets)], 1);
}
/* Room for N in an empty table. False: no memory. Needed where keys come in order: they would all crowd at the beginning of a table that grows. */
bool keytable_reserve(struct keytable *t, size_t n);
void keytable_clear(struct keytable *t);   /* keeps the memory */
void keytable_release(struct keytable *t);

#endif
