/* Counts of this machine to the others: a feed for each day. What is sent is absolute. */
#include "service/cluster/cluster_internal.h"

#include <string.h>

void odp_sync_counts_reset(struct odp_sync *y)
{
    struct odp_sync_counts *c = &y->counts;
    c->mark = (struct odp_wire_mark){0};
    for (size_t i = 0; i < c->nmachines; i++)
        c->machines[i].mark = (struct odp_wire_mark){0}; /* their counts stay until they are read again */
}

void odp_sync_counts_day(struct odp_sync *y, uint32_t day)
{
    struct odp_sync_counts *c = &y->counts;
    if (y->st != ODP_OK || (c->started && c->day == day))
        return;
    c->started = true;
    c->day = day;
    for (size_t i = 0; i < c->nmachines; i++)
        odp_sync_map_release(&c->machines[i].counts);
    odp_sync_counts_reset(y);
    odp_sync_index_grow(y, true);
}

/* The next accounts that the others do not know as they are, from record *AT on; returns how many. */
static size_t next_batch(struct odp_sync *y, uint32_t *at, struct odp_buffer *lines)
{
    const struct odp_sync_index *x = &y->index;
    size_t n = 0;
    odp_buffer_reset(lines);
    for (; *at < x->n && n < ODP_SYNC_BATCH; ++*at) {
        uint64_t used = x->owner[*at] != 0 ? odp_keytable_used(y->s->table, *at, y->counts.day) : 0;
        if (x->owner[*at] == 0 || used == x->told[*at])
            continue;
        odp_buffer_printf(lines, "%llu %llu\n", (unsigned long long)x->owner[*at], (unsigned long long)used);
        x->told[*at] = used;
        n++;
    }
    return n;
}

void odp_sync_counts_send(struct odp_sync *y)
{
    struct odp_sync_counts *c = &y->counts;
    struct odp_buffer lines = {0};
    char name[ODP_SYNC_NAME];
    uint32_t at = 0;
    if (y->st != ODP_OK)
        return;
    odp_feed_day(name, "count", c->day, y->machine);
    odp_feed_ask(y, name);
    struct odp_wire_mark there = odp_feed_mark(y);
    bool anew = y->st == ODP_OK && !odp_feed_same(&there, &c->mark);
    if (anew) { /* it is not as we left it: evicted, deleted, an older copy of Redis; or another day */
        odp_feed_begin(y, name, &c->mark);
        if (y->index.told != NULL)
            memset(y->index.told, 0, y->index.cap * sizeof *y->index.told);
    }
    for (size_t n = ODP_SYNC_BATCH; n == ODP_SYNC_BATCH && y->st == ODP_OK; anew = false) {
        n = next_batch(y, &at, &lines);
        if (n > 0 || anew)
            odp_feed_put(y, name, &lines, true, &c->mark);
    }
    odp_buffer_release(&lines);
}
