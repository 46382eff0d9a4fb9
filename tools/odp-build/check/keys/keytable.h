/* One table of a key set: open addressing by the hash, which is spread evenly; at most three quarters of the
 * slots are taken. */
#pragma once

#include <stdbool.h>

#include "check/keys/key_hash.h"

#define KEYTABLE_BITS 6 /* of `hi` choose the table: they say nothing within it */
#define KEYTABLES     (1u << KEYTABLE_BITS)

struct keytable {
    struct odp_key_entry *entries;
    size_t slots, size; /* entries there is room for, and there are */
    bool lent;          /* `entries` are whole pages of somebody else, left as zeros */
};

static inline unsigned keytable_of(uint64_t hi)
{
    return (unsigned)(hi >> (64 - KEYTABLE_BITS));
}

/* The slot where H would go. Its lower half decides: so keys that come in the order of their hashes, out of a
 * sorted table, are spread, too. */
static inline size_t keytable_slot(uint64_t hi, size_t slots)
{
    return (size_t)((hi & UINT32_MAX) * slots >> 32);
}

/* The entry of H, or NULL. */
struct odp_key_entry *keytable_find(const struct keytable *t, struct odp_key_hash h);
static inline bool keytable_is_full(const struct keytable *t)
{
    return 4 * (t->size + 1) > 3 * t->slots;
}
/* All entries go to ROOM, which is lent: SLOTS of them, zeros in mapped pages, more than T has. */
void keytable_borrow(struct keytable *t, struct odp_key_entry *room, size_t slots);
/* The entry of KEY; *NEW: it was put in, as KEY is. NULL: no memory. */
struct odp_key_entry *keytable_put(struct keytable *t, const struct odp_key_entry *key, bool *new);
static inline void keytable_prefetch(const struct keytable *t, uint64_t hi)
{
    if (t->slots > 0)
        __builtin_prefetch(&t->entries[keytable_slot(hi, t->slots)], 1);
}
/* All entries to the front, by hash; T is a mere list then, of the size that is returned. */
size_t keytable_sort(struct keytable *t);
void keytable_clear(struct keytable *t); /* keeps the memory */
void keytable_release(struct keytable *t);
