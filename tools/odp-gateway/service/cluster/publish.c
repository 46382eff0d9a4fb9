/* The writer's side of keys. Redis has a head when, and only when, odp:keys is complete up to the change that
 * the head names; records, stream and head are changed together. A head that is not the one we left there
 * means: fill anew. */
#include "service/cluster/cluster_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "service/accounts/keys.h"
#include "service/state/generation.h"
#include "service/state/log.h"
#include "service/state/store.h"

/* ---- the store's side ---- */

/* Under the state's mutex: the store's generation, and its newest change. FRESH: it gets another generation.
 */
static void ask_store(struct odp_sync *y, bool fresh)
{
    struct odp_sync_keys *k = &y->keys;
    struct odp_sql q = {.db = y->s->db, .st = y->st};
    pthread_mutex_lock(&y->s->mutex);
    if (q.st == ODP_OK && !fresh && k->generation[0] == '\0')
        q.st = odp_generation_read(q.db, k->generation);
    if (q.st == ODP_OK && (fresh || k->generation[0] == '\0'))
        q.st = odp_generation_new(q.db, k->generation);
    k->newest = (uint64_t)odp_sql_number(&q, "SELECT max(changed) FROM key", "");
    pthread_mutex_unlock(&y->s->mutex);
    y->st = q.st;
}

/* ---- batches of the store's changes ---- */

struct changes {
    struct change {
        uint64_t number;
        struct odp_key_record record;
    } * list;
    size_t n, cap;
};

static enum odp_status keep(void *ctx, int64_t number, const struct odp_key_record *r)
{
    struct changes *c = ctx;
    if (number <= 0)
        return odp_failure_set("a key's change number", NULL, 0);
    if (c->n >= ODP_SYNC_BATCH && c->list[c->n - 1].number != (uint64_t)number)
        return ODP_DONE; /* changes of one number stay together */
    if (c->n == c->cap) {
        size_t cap = c->cap == 0 ? ODP_SYNC_BATCH : c->cap * 2;
        struct change *more = odp_realloc_array(c->list, cap, sizeof *more);
        if (more == NULL)
            return ODP_FAIL;
        c->list = more;
        c->cap = cap;
    }
    c->list[c->n++] = (struct change){(uint64_t)number, *r};
    return ODP_OK;
}

static bool same_tiers(const struct odp_settings *a, const struct odp_settings *b)
{
    bool same = a->ntiers == b->ntiers;
    for (uint32_t i = 0; i < a->ntiers && same; i++)
        same = strcmp(a->tiers[i].name, b->tiers[i].name) == 0;
    return same;
}

/* Records have the tier's number by the settings of the moment: those must not change while we turn it into a
 * name. Returns how many there are. */
static size_t collect(struct odp_sync *y, struct changes *c)
{
    struct odp_settings before;
    enum odp_status st;
    do {
        odp_keytable_settings(y->s->table, &before);
        c->n = 0;
        st = odp_keys_changed(y->s, (int64_t)y->keys.head.change, c, keep);
        odp_keytable_settings(y->s->table, &y->settings);
    } while (st != ODP_FAIL && !same_tiers(&before, &y->settings));
    return odp_sync_did(y, st == ODP_DONE ? ODP_OK : st) ? c->n : 0;
}

static void write_records(struct odp_sync *y, const struct changes *c, struct odp_buffer *text, bool stream,
                          uint64_t before)
{
    char hex[ODP_SHA256_HEX];
    odp_redis_begin(y->redis, stream ? 10 + 2 * c->n : 2 + 2 * c->n);
    if (stream) {
        odp_redis_words(y->redis, "XADD", "odp:keys:changes", "MAXLEN", "~", ODP_SYNC_STREAM, "*", "p", NULL);
        odp_redis_arg_u64(y->redis, before);
        odp_redis_arg_str(y->redis, "c");
        odp_redis_arg_u64(y->redis, c->list[c->n - 1].number);
    } else {
        odp_redis_words(y->redis, "HSET", "odp:keys", NULL);
    }
    for (size_t i = 0; i < c->n; i++) {
        const struct odp_key_record *r = &c->list[i].record;
        uint32_t tier = r->tier < y->settings.ntiers ? r->tier : 0;
        odp_buffer_reset(text);
        odp_wire_key_write(text, c->list[i].number, r, y->settings.tiers[tier].name);
        odp_digest_hex(r->digest, hex);
        odp_redis_arg_str(y->redis, stream ? "r" : hex);
        odp_redis_arg(y->redis, odp_buffer_slice(text));
    }
}

static void write_head(struct odp_sync *y, struct odp_buffer *text, const struct odp_wire_head *h)
{
    odp_buffer_reset(text);
    odp_wire_head_write(text, h);
    odp_redis_command(y->redis, "SET", "odp:keys:head", odp_buffer_cstr(text), NULL);
}

static void write_term(struct odp_sync *y)
{
    odp_redis_command(y->redis, "PEXPIRE", "odp:writer", ODP_SYNC_LEASE_MS, NULL);
}

/* ---- filling, and going on ---- */

/* False: there is more, for the next round. */
static bool fill_pages(struct odp_sync *y, struct changes *c, struct odp_buffer *text)
{
    int64_t end = odp_clock_ms() + ODP_SYNC_SLICE_MS;
    while (y->st == ODP_OK) {
        if (odp_clock_ms() > end)
            return false;
        if (collect(y, c) == 0)
            return true;
        write_records(y, c, text, false, 0);
        write_term(y);
        (void)odp_sync_did(y, odp_buffer_status(text));
        odp_sync_skip(y, 2);
        y->keys.head.change = c->list[c->n - 1].number;
    }
    return true;
}

static void fill(struct odp_sync *y, struct changes *c, struct odp_buffer *text)
{
    struct odp_wire_head *h = &y->keys.head;
    if (!y->keys.filling) {
        *h = (struct odp_wire_head){0};
        odp_redis_command(y->redis, "UNLINK", "odp:keys:head", "odp:keys:changes", "odp:keys", NULL);
        odp_sync_skip(y, 1);
        (void)odp_sync_did(y, odp_random_hex(h->fill, ODP_WIRE_ID));
    }
    y->keys.filling = true;
    y->busy = !fill_pages(y, c, text);
    if (y->st != ODP_OK || y->busy)
        return;
    memcpy(h->generation, y->keys.generation, sizeof h->generation);
    write_head(y, text, h);
    odp_sync_skip(y, 1);
    y->keys.filling = false;
    if (y->st == ODP_OK)
        odp_log("info", "Redis: all keys are published, up to change %llu", (unsigned long long)h->change);
}

static void go_on(struct odp_sync *y, struct changes *c, struct odp_buffer *text)
{
    while (y->st == ODP_OK && collect(y, c) > 0) {
        struct odp_wire_head h = y->keys.head;
        h.change = c->list[c->n - 1].number;
        odp_redis_command(y->redis, "MULTI", NULL);
        write_records(y, c, text, false, 0);
        write_records(y, c, text, true, y->keys.head.change);
        write_head(y, text, &h);
        odp_redis_command(y->redis, "EXEC", NULL);
        (void)odp_sync_did(y, odp_buffer_status(text));
        (void)odp_sync_exec(y, 3);
        if (y->st == ODP_OK)
            y->keys.head = h;
    }
}

/* False: another writer publishes here. */
static bool is_ours(struct odp_sync *y)
{
    odp_redis_command(y->redis, "SET", "odp:writer", y->machine, "NX", "PX", ODP_SYNC_LEASE_MS, NULL);
    odp_redis_command(y->redis, "GET", "odp:writer", NULL);
    odp_sync_skip(y, 1);
    bool ours = odp_slice_is(odp_redis_text(odp_sync_reply(y)), y->machine);
    if (y->st != ODP_OK)
        return false;
    pthread_mutex_lock(&y->mutex);
    y->seen.publishing = ours;
    pthread_mutex_unlock(&y->mutex);
    odp_log_change(&y->keys.said_foreign, !ours,
                   "Redis: another writer publishes keys there; this one does not",
                   "Redis: this writer publishes keys");
    if (!ours)
        odp_sync_keys_reset(y);
    return ours;
}

/* What Redis has. True: it must be filled. */
static bool must_fill(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    struct odp_wire_head there;
    write_term(y);
    odp_redis_command(y->redis, "EXISTS", "odp:keys", NULL);
    odp_redis_command(y->redis, "GET", "odp:keys:head", NULL);
    odp_sync_skip(y, 1);
    uint64_t keys = odp_redis_integer(odp_sync_reply(y));
    const struct redisReply *reply = odp_sync_reply(y);
    if (y->st != ODP_OK)
        return false;
    bool known =
        odp_wire_head_read(odp_redis_text(reply), &there) && strcmp(there.generation, k->generation) == 0;
    k->ahead = k->ahead || (known && there.change > k->newest);
    known = known && (keys > 0 || there.change == 0);
    if (k->filling && odp_redis_is_nil(reply))
        return true; /* go on with it */
    k->filling = false;
    if (known && k->head.generation[0] == '\0')
        k->head = there; /* from before a restart, or a lost connection: it says exactly how far we came */
    return !known || strcmp(there.fill, k->head.fill) != 0 || there.change != k->head.change;
}

void odp_sync_keys_publish(struct odp_sync *y)
{
    struct changes c = {0};
    struct odp_buffer text = {0};
    if (y->st != ODP_OK)
        return;
    ask_store(y, false);
    bool ours = is_ours(y), empty = ours && must_fill(y);
    if (y->st == ODP_OK && ours && y->keys.ahead) {
        odp_log("warning", "the store is older than what was published from it: all keys are published anew");
        ask_store(y, true);
        empty = true;
        y->keys.filling = y->keys.ahead = false;
    }
    if (y->st == ODP_OK && empty)
        fill(y, &c, &text);
    if (y->st == ODP_OK && ours && !y->busy && (empty || y->keys.newest > y->keys.head.change))
        go_on(y, &c, &text);
    free(c.list);
    odp_buffer_release(&text);
}
