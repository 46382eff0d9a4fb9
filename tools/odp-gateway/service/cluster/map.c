#include "service/cluster/map.h"

#include <stdlib.h>

#include "base/arena.h"

void odp_sync_map_init(struct odp_sync_map *m)
{
    *m = (struct odp_sync_map){0};
}

void odp_sync_map_release(struct odp_sync_map *m)
{
    free(m->slots);
    odp_sync_map_init(m);
}

/* Account numbers follow each other: a multiplier spreads them (2^64 / golden ratio). */
static size_t place(const struct odp_sync_map *m, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (m->cap - 1);
    while (m->slots[i].key != 0 && m->slots[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static enum odp_status grow(struct odp_sync_map *m)
{
    struct odp_sync_map bigger = {.cap = m->cap != 0 ? m->cap * 2 : 64};
    bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return odp_failure_set("calloc", NULL, 0);
    for (size_t i = 0; i < m->cap; i++)
        if (m->slots[i].key != 0)
            bigger.slots[place(&bigger, m->slots[i].key)] = m->slots[i];
    bigger.n = m->n;
    free(m->slots);
    *m = bigger;
    return ODP_OK;
}

enum odp_status odp_sync_map_put(struct odp_sync_map *m, uint64_t key, uint64_t value)
{
    if (m->n * 4 >= m->cap * 3 && grow(m) != ODP_OK)
        return ODP_FAIL;
    size_t i = place(m, key);
    m->n += m->slots[i].key == 0;
    m->slots[i] = (struct odp_sync_pair){key, value};
    return ODP_OK;
}

bool odp_sync_map_get(const struct odp_sync_map *m, uint64_t key, uint64_t *value)
{
    if (m->cap == 0)
        return false;
    size_t i = place(m, key);
    *value = m->slots[i].value;
    return m->slots[i].key == key;
}
