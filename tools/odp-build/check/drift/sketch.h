/* How many different values: the set of the K smallest hashes (k minimum values). Up to K values the set is
 * all of them, and the number exact; beyond, it is estimated from how close together the K smallest lie: the
 * standard error is 1 / sqrt(K - 2), 3.2 per cent. Sets of parts of the data make the set of the whole, in
 * any order: so the number depends neither on threads nor on how the data were split. How often each value of
 * the set occurs is counted, too. */
#pragma once

#include <stdint.h>

#include "base/arena.h"

enum { ODP_SKETCH_K = 1024, ODP_SKETCH_LISTED = 128, ODP_SKETCH_TEXT = 64 << 10 };

struct odp_sketch_entry {
    uint64_t hash; /* 0: no entry; a value whose hash is 0 counts as 1 */
    uint64_t count;
};

/* Initialize with {0} and odp_sketch_init. */
struct odp_sketch {
    struct odp_sketch_entry *entries; /* open addressing; `slots` is a power of two */
    size_t slots, n;
    uint64_t limit;          /* hashes above are none of the K smallest */
    struct odp_slice *texts; /* `ntexts` of them, with their hashes */
    uint64_t *hashes;
    size_t ntexts, most, bytes; /* so many texts may be kept; the bytes that they have */
    struct odp_arena *arena;    /* for texts; NULL: none are kept, or they were too many */
};

/* TEXTS: where the texts of the values are kept, as long as they are at most MOST and ODP_SKETCH_TEXT bytes;
 * or NULL. */
void odp_sketch_init(struct odp_sketch *s, struct odp_arena *texts, size_t most);
void odp_sketch_release(struct odp_sketch *s);
/* One more value with HASH; TEXT is copied where texts are kept. */
enum odp_status odp_sketch_add_new(struct odp_sketch *s, uint64_t hash, uint64_t count,
                                   struct odp_slice text) ODP_MUST_USE;
/* DONE: it was in the set before, so that nothing more need be looked at. */
static inline enum odp_status odp_sketch_add(struct odp_sketch *s, uint64_t hash, struct odp_slice text)
{
    hash += hash == 0;
    if (hash > s->limit)
        return ODP_OK;
    size_t mask = s->slots - 1;
    for (size_t i = hash & mask; s->slots > 0; i = (i + 1) & mask) {
        if (s->entries[i].hash == hash) {
            s->entries[i].count++;
            return ODP_DONE;
        }
        if (s->entries[i].hash == 0)
            break;
    }
    return odp_sketch_add_new(s, hash, 1, text);
}
enum odp_status odp_sketch_merge(struct odp_sketch *s, const struct odp_sketch *other) ODP_MUST_USE;
/* How many different values; *ESTIMATED: there are more than K. Leaves the K smallest. */
uint64_t odp_sketch_distinct(struct odp_sketch *s, bool *estimated);
/* How often the value with HASH was added, where the set has all values. */
uint64_t odp_sketch_count(const struct odp_sketch *s, uint64_t hash);
