/* Counts of this machine to the others. What is sent is absolute; a batch has a number, so that who missed
 * one sees the gap. */
#include "service/cluster/cluster_internal.h"

#include <stdio.h>
#include <string.h>

#define COUNTS_STREAM                                                                                        \
    "2048" /* entries: readers come four times a second, and who missed some reads the hash */
#define COUNTS_EXPIRE "259200"

static void hash_name(char out[ODP_SYNC_NAME], uint32_t day, const char *machine)
{
    (void)snprintf(out, ODP_SYNC_NAME, "odp:count:%u:%s", (unsigned)day, machine);
}

void odp_sync_counts_reset(struct odp_sync *y)
{
    struct odp_sync_counts *c = &y->counts;
    c->resend = c->attach = true;
    c->polled_at = 0;
    for (size_t i = 0; i < c->nmachines; i++) {
        c->machines[i].mark = (struct odp_wire_mark){0}; /* their counts stay until they are read again */
        c->machines[i].load = true;
    }
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
    if (y->index.told != NULL)
        memset(y->index.told, 0, y->index.cap * sizeof *y->index.told);
    odp_sync_counts_reset(y);
    odp_sync_index_grow(y, true);
}

/* The next accounts to tell, from record *AT on, as arguments of HSET and as text of an entry. */
struct batch {
    uint64_t account[ODP_SYNC_BATCH], count[ODP_SYNC_BATCH];
    uint32_t record[ODP_SYNC_BATCH];
    size_t n;
};

static void next_batch(struct odp_sync *y, uint32_t *at, bool all, struct batch *b)
{
    const struct odp_sync_index *x = &y->index;
    b->n = 0;
    for (; *at < x->n && b->n < ODP_SYNC_BATCH; ++*at) {
        if (x->owner[*at] == 0)
            continue;
        uint64_t used = odp_keytable_used(y->s->table, *at, y->counts.day);
        if (used == x->told[*at] && (!all || used == 0))
            continue;
        b->account[b->n] = x->owner[*at];
        b->count[b->n] = used;
        b->record[b->n++] = *at;
    }
    for (size_t i = 0; i < b->n; i++)
        x->told[b->record[i]] = b->count[i];
}

static void write_hset(struct odp_sync *y, const char *hash, const struct batch *b,
                       const struct odp_buffer *mark)
{
    odp_redis_begin(y->redis, 2 + 2 * (b->n + (mark != NULL)));
    odp_redis_words(y->redis, "HSET", hash, NULL);
    for (size_t i = 0; i < b->n; i++) {
        odp_redis_arg_u64(y->redis, b->account[i]);
        odp_redis_arg_u64(y->redis, b->count[i]);
    }
    if (mark != NULL) {
        odp_redis_arg_str(y->redis, "!");
        odp_redis_arg(y->redis, odp_buffer_slice(mark));
    }
}

static void write_entry(struct odp_sync *y, const struct batch *b, struct odp_buffer *text)
{
    odp_buffer_reset(text);
    for (size_t i = 0; i < b->n; i++)
        odp_buffer_printf(text, "%s%llu %llu", i > 0 ? " " : "", (unsigned long long)b->account[i],
                          (unsigned long long)b->count[i]);
    odp_redis_begin(y->redis, 16);
    odp_redis_words(y->redis, "XADD", "odp:counts", "MAXLEN", "~", COUNTS_STREAM, "*", "m", y->machine, "d",
                    NULL);
    odp_redis_arg_u64(y->redis, y->counts.day);
    odp_redis_words(y->redis, "e", y->counts.mark.epoch, "s", NULL);
    odp_redis_arg_u64(y->redis, y->counts.mark.seq);
    odp_redis_arg_str(y->redis, "c");
    odp_redis_arg(y->redis, odp_buffer_slice(text));
}

/* Hash, mark and entry together, or none of them. */
static void send_batch(struct odp_sync *y, const char *hash, const struct batch *b)
{
    struct odp_buffer text = {0}, mark = {0};
    odp_wire_mark_write(&mark, &y->counts.mark);
    odp_redis_command(y->redis, "MULTI", NULL);
    write_hset(y, hash, b, &mark);
    odp_redis_command(y->redis, "EXPIRE", hash, COUNTS_EXPIRE, NULL);
    write_entry(y, b, &text);
    odp_redis_command(y->redis, "EXEC", NULL);
    if (odp_sync_did(y, odp_buffer_status(&text)) && odp_sync_did(y, odp_buffer_status(&mark)))
        (void)odp_sync_exec(y, 3);
    odp_buffer_release(&mark);
    odp_buffer_release(&text);
}

/* Everything of the day under a new epoch: without a mark the hash counts as nothing, so nobody reads half of
 * it. */
static void send_all(struct odp_sync *y, const char *hash)
{
    struct batch b;
    size_t replies = 1;
    uint32_t at = 0;
    (void)odp_sync_did(y, odp_random_hex(y->counts.mark.epoch, ODP_WIRE_ID));
    y->counts.mark.seq = 0;
    odp_redis_command(y->redis, "UNLINK", hash, NULL);
    while (y->st == ODP_OK && at < y->index.n) {
        next_batch(y, &at, true, &b);
        if (b.n > 0) {
            write_hset(y, hash, &b, NULL);
            replies++;
        }
        if (odp_redis_waiting(y->redis) >= ODP_SYNC_PIPELINE) {
            odp_sync_skip(y, replies);
            replies = 0;
        }
    }
    odp_sync_skip(y, replies);
    b.n = 0;
    if (y->st == ODP_OK)
        send_batch(y, hash, &b);
    y->counts.resend = y->st != ODP_OK;
}

void odp_sync_counts_send(struct odp_sync *y)
{
    char hash[ODP_SYNC_NAME];
    struct batch b = {.n = 1};
    uint32_t at = 0;
    struct odp_wire_mark there = {0};
    if (y->st != ODP_OK)
        return;
    hash_name(hash, y->counts.day, y->machine);
    if (!y->counts.resend)
        there = odp_sync_mark(y, hash);
    /* Else the hash is not as we left it (evicted, deleted, an older copy of Redis). */
    if (y->st == ODP_OK && !odp_sync_same_mark(&there, &y->counts.mark)) {
        send_all(y, hash);
        return;
    }
    while (y->st == ODP_OK && at < y->index.n && b.n > 0) {
        next_batch(y, &at, false, &b);
        if (b.n == 0)
            break;
        y->counts.mark.seq++;
        send_batch(y, hash, &b);
    }
}
