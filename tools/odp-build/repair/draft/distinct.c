/* Sets of distinct values by hash. Exact to 100,000 values if one has occurred twice, to 4,000,000 if none
 * has (keys); then "more than". A value costs 16 to 32 bytes; all sets share one budget (256 MiB). */
#include "repair/draft/distinct.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/status.h"

uint64_t distinct_mix(uint64_t h, struct odp_slice s)
{
    h = XXH3_64bits_withSeed(s.ptr, s.len, h);
    return h != 0 ? h : 1;
}

uint64_t distinct_hash(struct odp_slice s)
{
    return distinct_mix(0, s);
}

static bool place(uint64_t *slot, size_t cap, uint64_t hash)
{
    size_t at = (size_t)hash & (cap - 1);
    while (slot[at] != 0) {
        if (slot[at] == hash)
            return false;
        at = (at + 1) & (cap - 1);
    }
    slot[at] = hash;
    return true;
}

void distinct_drop(struct distinct *d, size_t *budget)
{
    *budget += d->cap * sizeof *d->slot;
    free(d->slot);
    d->slot = NULL;
    d->cap = 0;
}

/* Out of memory, like out of budget, makes the set full; no draft is written then. */
static void grow(struct distinct *d, size_t *budget)
{
    size_t cap = d->cap == 0 ? 64 : d->cap * 2;
    uint64_t *slot = NULL;
    if (cap * sizeof *slot <= *budget && (slot = calloc(cap, sizeof *slot)) == NULL)
        (void)odp_failure_memory();
    for (size_t i = 0; i < d->cap && slot != NULL; i++)
        if (d->slot[i] != 0)
            (void)place(slot, cap, d->slot[i]);
    distinct_drop(d, budget);
    d->full = slot == NULL;
    if (d->full)
        return;
    *budget -= cap * sizeof *slot;
    d->slot = slot;
    d->cap = cap;
}

bool distinct_add(struct distinct *d, uint64_t hash, size_t most, size_t *budget)
{
    if (!d->full && d->n * 2 >= d->cap)
        grow(d, budget);
    if (d->full)
        return false;
    bool fresh = place(d->slot, d->cap, hash);
    d->n += fresh;
    d->repeated = d->repeated || !fresh;
    if (d->n > most || (d->repeated && d->n > DISTINCT_SOME)) {
        d->full = true;
        distinct_drop(d, budget);
    }
    return fresh;
}

bool distinct_has(const struct distinct *d, uint64_t hash)
{
    if (d->cap == 0)
        return false;
    for (size_t at = (size_t)hash & (d->cap - 1); d->slot[at] != 0; at = (at + 1) & (d->cap - 1))
        if (d->slot[at] == hash)
            return true;
    return false;
}

size_t distinct_common(const struct distinct *d, const struct distinct *of)
{
    size_t n = 0;
    for (size_t i = 0; i < d->cap; i++)
        n += d->slot[i] != 0 && distinct_has(of, d->slot[i]);
    return n;
}
