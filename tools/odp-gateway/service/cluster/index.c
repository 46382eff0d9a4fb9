#include "service/cluster/cluster_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void odp_sync_index_release(struct odp_sync_index *x)
{
    free(x->owner);
    free(x->told);
    free(x->change);
    odp_sync_map_release(&x->record);
    *x = (struct odp_sync_index){0};
}

static enum odp_status room_for(uint64_t **array, uint32_t from, uint32_t to)
{
    uint64_t *bigger = odp_realloc_array(*array, to, sizeof **array);
    if (bigger == NULL)
        return ODP_FAIL;
    memset(bigger + from, 0, (to - from) * sizeof *bigger);
    *array = bigger;
    return ODP_OK;
}

static enum odp_status grow(struct odp_sync_index *x, uint32_t need)
{
    if (need <= x->cap)
        return ODP_OK;
    uint32_t cap = x->cap < 512 ? 1024 : x->cap > UINT32_MAX / 2 ? UINT32_MAX : x->cap * 2;
    cap = cap < need ? need : cap;
    if (room_for(&x->owner, x->cap, cap) != ODP_OK || room_for(&x->told, x->cap, cap) != ODP_OK ||
        room_for(&x->change, x->cap, cap) != ODP_OK)
        return ODP_FAIL;
    x->cap = cap;
    return ODP_OK;
}

void odp_sync_index_grow(struct odp_sync *y, bool again)
{
    struct odp_sync_index *x = &y->index;
    uint32_t n = odp_keytable_count(y->s->table);
    if (y->st != ODP_OK || !odp_sync_did(y, grow(x, n)))
        return;
    for (uint32_t i = again ? 0 : x->n; i < n; i++) {
        struct odp_key_record r;
        if (odp_keytable_at(y->s->table, i, &r) != ODP_OK) {
            x->owner[i] = 0; /* torn: looked at again when the day turns, or when it is mended */
            continue;
        }
        x->owner[i] = r.id == r.account ? r.account : 0;
        if (x->owner[i] == 0)
            continue;
        if (!odp_sync_did(y, odp_sync_map_put(&x->record, r.account, i)))
            return;
        if (i >= x->n)
            odp_sync_elsewhere(y, r.account);
    }
    x->n = n;
}
