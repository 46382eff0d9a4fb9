#include "check/drift/sketch.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

void odp_sketch_init(struct odp_sketch *s, struct odp_arena *texts, size_t most)
{
    *s = (struct odp_sketch){.limit = UINT64_MAX, .arena = texts, .most = most};
}

void odp_sketch_release(struct odp_sketch *s)
{
    free(s->entries);
    *s = (struct odp_sketch){.limit = UINT64_MAX};
}

static int compare_entries(const void *a, const void *b)
{
    uint64_t x = ((const struct odp_sketch_entry *)a)->hash, y = ((const struct odp_sketch_entry *)b)->hash;
    return (x > y) - (x < y);
}

static void place(struct odp_sketch *s, struct odp_sketch_entry e)
{
    size_t mask = s->slots - 1, i = e.hash & mask;
    while (s->entries[i].hash != 0)
        i = (i + 1) & mask;
    s->entries[i] = e;
}

/* The entries, in front of an array of SLOTS of them; sorted by hash. NULL: out of memory. */
static struct odp_sketch_entry *gather(const struct odp_sketch *s, size_t slots)
{
    struct odp_sketch_entry *all = odp_realloc_array(NULL, slots, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; all != NULL && i < s->slots; i++)
        if (s->entries[i].hash != 0)
            all[n++] = s->entries[i];
    if (all != NULL && n > 1)
        qsort(all, n, sizeof *all, compare_entries);
    return all;
}

/* Keeps the K smallest of what is there, in a table of SLOTS. */
static enum odp_status rebuild(struct odp_sketch *s, size_t slots)
{
    struct odp_sketch_entry *all = gather(s, s->slots > 0 ? s->slots : 1),
                            *table = odp_realloc_array(NULL, slots, sizeof *table);
    if (all == NULL || table == NULL) {
        free(all);
        free(table);
        return ODP_FAIL;
    }
    memset(table, 0, slots * sizeof *table);
    free(s->entries);
    s->entries = table;
    s->slots = slots;
    if (s->n > ODP_SKETCH_K) {
        s->n = ODP_SKETCH_K;
        s->limit = all[ODP_SKETCH_K - 1].hash;
    }
    for (size_t i = 0; i < s->n; i++)
        place(s, all[i]);
    free(all);
    return ODP_OK;
}

/* Half full at most. It grows to hold twice K; then only the K smallest stay. */
static enum odp_status make_room(struct odp_sketch *s)
{
    if (s->slots == 0)
        return rebuild(s, FIRST_SLOTS);
    if (2 * (s->n + 1) <= s->slots)
        return ODP_OK;
    return rebuild(s, s->slots < 4 * ODP_SKETCH_K ? 2 * s->slots : s->slots);
}

static void keep_text(struct odp_sketch *s, uint64_t hash, struct odp_slice text)
{
    if (s->texts == NULL) {
        s->texts = odp_arena_array(s->arena, s->most, sizeof *s->texts);
        s->hashes = odp_arena_array(s->arena, s->most, sizeof *s->hashes);
    }
    s->bytes += text.len;
    if (s->ntexts == s->most || s->bytes > ODP_SKETCH_TEXT) {
        s->arena = NULL; /* too many */
        return;
    }
    s->texts[s->ntexts] = odp_arena_copy(s->arena, text);
    s->hashes[s->ntexts++] = hash;
}

enum odp_status odp_sketch_add_new(struct odp_sketch *s, uint64_t hash, uint64_t count, struct odp_slice text)
{
    if (make_room(s) != ODP_OK)
        return ODP_FAIL;
    if (hash > s->limit) /* which making room has lowered */
        return ODP_OK;
    if (s->arena != NULL)
        keep_text(s, hash, text);
    place(s, (struct odp_sketch_entry){hash, count});
    s->n++;
    return ODP_OK;
}

static struct odp_sketch_entry *find(const struct odp_sketch *s, uint64_t hash)
{
    size_t mask = s->slots - 1;
    for (size_t i = hash & mask; s->slots > 0 && s->entries[i].hash != 0; i = (i + 1) & mask)
        if (s->entries[i].hash == hash)
            return &s->entries[i];
    return NULL;
}

uint64_t odp_sketch_count(const struct odp_sketch *s, uint64_t hash)
{
    const struct odp_sketch_entry *e = find(s, hash + (hash == 0));
    return e != NULL ? e->count : 0;
}

static struct odp_slice text_of(const struct odp_sketch *s, uint64_t hash)
{
    for (size_t i = 0; i < s->ntexts; i++)
        if (s->hashes[i] == hash)
            return s->texts[i];
    return (struct odp_slice){NULL, 0};
}

enum odp_status odp_sketch_merge(struct odp_sketch *s, const struct odp_sketch *other)
{
    if (other->n > 0 && other->arena == NULL)
        s->arena = NULL;
    for (size_t i = 0; i < other->slots; i++) {
        const struct odp_sketch_entry *e = &other->entries[i];
        struct odp_sketch_entry *mine = e->hash != 0 ? find(s, e->hash) : NULL;
        if (e->hash == 0 || (mine == NULL && e->hash > s->limit))
            continue;
        if (mine != NULL)
            mine->count += e->count;
        else if (odp_sketch_add_new(s, e->hash, e->count,
                                    s->arena != NULL ? text_of(other, e->hash)
                                                     : (struct odp_slice){NULL, 0}) != ODP_OK)
            return ODP_FAIL;
    }
    s->limit = other->limit < s->limit ? other->limit : s->limit;
    return ODP_OK;
}

/* The hash of rank K (from 1), without sorting all: the table is small. */
static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t odp_sketch_distinct(struct odp_sketch *s, bool *estimated)
{
    uint64_t hashes[4 * ODP_SKETCH_K];
    size_t n = 0;
    *estimated = false;
    for (size_t i = 0; i < s->slots && n < ODP_COUNT(hashes); i++)
        if (s->entries[i].hash != 0 && s->entries[i].hash <= s->limit)
            hashes[n++] = s->entries[i].hash;
    if (n < ODP_SKETCH_K || (n == ODP_SKETCH_K && s->limit == UINT64_MAX))
        return n;
    qsort(hashes, n, sizeof *hashes, compare_hashes);
    *estimated = true;
    /* (K - 1) / (the K-th smallest as a part of all hashes), in whole numbers. */
    unsigned __int128 all = (unsigned __int128)(ODP_SKETCH_K - 1) << 64;
    return (uint64_t)(all / hashes[ODP_SKETCH_K - 1]);
}
