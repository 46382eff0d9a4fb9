#include "base/map.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct odp_map_key {
    uint64_t hash;
    uint32_t number, len;
    char bytes[];
};

void odp_map_init(struct odp_map *m)
{
    *m = (struct odp_map){0};
}

void odp_map_release(struct odp_map *m)
{
    odp_arena_release(&m->keys);
    odp_arena_release(&m->table);
    odp_map_init(m);
}

void odp_map_clear(struct odp_map *m)
{
    if (m->n > 0)
        memset(m->slots, 0, m->cap * sizeof *m->slots);
    m->n = 0;
    odp_arena_reset(&m->keys);
}

/* The slot of KEY, or the free one where it belongs. */
static struct odp_map_key **locate(const struct odp_map *m, struct odp_slice key, uint64_t hash)
{
    size_t i = (size_t)hash & (m->cap - 1);
    while (m->slots[i] != NULL && (m->slots[i]->hash != hash || m->slots[i]->len != key.len ||
                                   (key.len > 0 && memcmp(m->slots[i]->bytes, key.ptr, key.len) != 0)))
        i = (i + 1) & (m->cap - 1);
    return &m->slots[i];
}

static void grow(struct odp_map *m)
{
    struct odp_map old = *m;
    m->cap = old.cap > 0 ? 2 * old.cap : 16;
    odp_arena_init(&m->table);
    m->table.failed = old.table.failed;
    m->slots = odp_arena_zero(&m->table, m->cap, sizeof(struct odp_map_key *));
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i] != NULL)
            *locate(m, (struct odp_slice){old.slots[i]->bytes, old.slots[i]->len}, old.slots[i]->hash) =
                old.slots[i];
    odp_arena_release(&old.table);
}

uint32_t odp_map_find(const struct odp_map *m, struct odp_slice key)
{
    const struct odp_map_key *found = m->n > 0 ? *locate(m, key, XXH3_64bits(key.ptr, key.len)) : NULL;
    return found != NULL ? found->number : ODP_MAP_NONE;
}

struct odp_slice odp_map_copy(const struct odp_map *m, struct odp_slice key)
{
    const struct odp_map_key *k = *locate(m, key, XXH3_64bits(key.ptr, key.len));
    return (struct odp_slice){k->bytes, k->len};
}

uint32_t odp_map_put(struct odp_map *m, struct odp_slice key, bool *fresh)
{
    uint64_t hash = XXH3_64bits(key.ptr, key.len);
    if (2 * ((size_t)m->n + 1) > m->cap)
        grow(m);
    struct odp_map_key **slot = locate(m, key, hash);
    *fresh = *slot == NULL;
    if (!*fresh)
        return (*slot)->number;
    struct odp_map_key *k = odp_arena_alloc(&m->keys, sizeof *k + key.len);
    *k = (struct odp_map_key){hash, m->n, (uint32_t)key.len};
    if (key.len > 0)
        memcpy(k->bytes, key.ptr, key.len);
    *slot = k;
    return m->n++;
}
