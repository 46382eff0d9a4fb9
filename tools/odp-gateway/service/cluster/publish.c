/* The writer's side of keys. Redis has a head when, and only when, odp:keys is complete up to the change that the head names;
 * records, stream and head are changed together. A head that is not the one we left there means: fill anew. */
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

static enum odp_status newest_change(sqlite3 *db, uint64_t *out)
{
    sqlite3_stmt *st = NULL;
    enum odp_status rc = odp_store_prepare(db, &st, "SELECT coalesce(max(changed), 0) FROM key", "");
    if (rc != ODP_OK)
        return rc;
    rc = odp_store_step(db, st);
    *out = rc == ODP_OK ? (uint64_t)sqlite3_column_int64(st, 0) : 0;
    sqlite3_finalize(st);
    return rc;
}

static enum odp_status generation(struct odp_sync *y, bool fresh)
{
    enum odp_status st = ODP_OK;
    pthread_mutex_lock(&y->s->mutex);
    if (!fresh)
        st = odp_generation_read(y->s->db, y->keys.generation);
    if (st == ODP_OK && y->keys.generation[0] == '\0')
        fresh = true;
    if (st == ODP_OK && fresh)
        st = odp_generation_new(y->s->db, y->keys.generation);
    pthread_mutex_unlock(&y->s->mutex);
    return st;
}

enum odp_status odp_sync_keys_open(struct odp_sync *y)
{
    return y->keys.generation[0] == '\0' ? generation(y, false) : ODP_OK;
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

/* Records have the tier's number by the settings of the moment: those must not change while we turn it into a name. */
static enum odp_status collect(struct odp_sync *y, struct changes *c)
{
    struct odp_settings before;
    enum odp_status st;
    do {
        odp_keytable_settings(y->s->table, &before);
        c->n = 0;
        st = odp_keys_changed(y->s, (int64_t)y->keys.head.change, c, keep);
        odp_keytable_settings(y->s->table, &y->settings);
    } while (st != ODP_FAIL && !same_tiers(&before, &y->settings));
    return st == ODP_DONE ? ODP_OK : st;
}

static void write_records(struct odp_sync *y, const struct changes *c, struct odp_buffer *text, bool stream, uint64_t before)
{
    static const char *const entry[] = {"XADD", "odp:keys:changes", "MAXLEN", "~", ODP_SYNC_STREAM, "*", "p"};
    char hex[ODP_SHA256_HEX];
    odp_redis_begin(y->redis, stream ? 10 + 2 * c->n : 2 + 2 * c->n);
    if (stream) {
        for (size_t i = 0; i < sizeof entry / sizeof entry[0]; i++)
            odp_redis_arg_str(y->redis, entry[i]);
        odp_redis_arg_u64(y->redis, before);
        odp_redis_arg_str(y->redis, "c");
        odp_redis_arg_u64(y->redis, c->list[c->n - 1].number);
    } else {
        odp_redis_arg_str(y->redis, "HSET");
        odp_redis_arg_str(y->redis, "odp:keys");
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
    odp_redis_begin(y->redis, 3);
    odp_redis_arg_str(y->redis, "SET");
    odp_redis_arg_str(y->redis, "odp:keys:head");
    odp_redis_arg(y->redis, odp_buffer_slice(text));
}

static void write_term(struct odp_sync *y)
{
    odp_redis_command(y->redis, "PEXPIRE", "odp:writer", ODP_SYNC_LEASE_MS, NULL);
}

/* ---- filling, and going on ---- */

/* DONE: there is more, for the next round. */
static enum odp_status fill_pages(struct odp_sync *y, struct changes *c, struct odp_buffer *text)
{
    int64_t end = odp_sync_clock() + ODP_SYNC_SLICE_MS;
    enum odp_status st = ODP_OK;
    while (st == ODP_OK) {
        st = odp_sync_clock() > end ? ODP_DONE : collect(y, c);
        if (st != ODP_OK || c->n == 0)
            return st;
        write_records(y, c, text, false, 0);
        write_term(y);
        st = odp_buffer_status(text);
        if (st == ODP_OK)
            st = odp_redis_skip(y->redis, 2);
        y->keys.head.change = c->list[c->n - 1].number;
    }
    return st;
}

static enum odp_status empty(struct odp_sync *y)
{
    struct odp_wire_head *h = &y->keys.head;
    *h = (struct odp_wire_head){0};
    odp_redis_command(y->redis, "UNLINK", "odp:keys:head", "odp:keys:changes", "odp:keys", NULL);
    enum odp_status st = odp_redis_skip(y->redis, 1);
    return st == ODP_OK ? odp_random_hex(h->fill, ODP_WIRE_ID) : st;
}

static enum odp_status fill(struct odp_sync *y, struct changes *c, struct odp_buffer *text)
{
    struct odp_wire_head *h = &y->keys.head;
    enum odp_status st = y->keys.filling ? ODP_OK : empty(y);
    y->keys.filling = true;
    if (st == ODP_OK)
        st = fill_pages(y, c, text);
    y->busy = st == ODP_DONE;
    if (st != ODP_OK)
        return st;
    memcpy(h->generation, y->keys.generation, sizeof h->generation);
    write_head(y, text, h);
    st = odp_redis_skip(y->redis, 1);
    y->keys.filling = false;
    if (st == ODP_OK)
        odp_log("info", "Redis: all keys are published, up to change %llu", (unsigned long long)h->change);
    return st;
}

static enum odp_status go_on(struct odp_sync *y, struct changes *c, struct odp_buffer *text)
{
    const struct redisReply *replies;
    enum odp_status st = ODP_OK;
    while (st == ODP_OK) {
        st = collect(y, c);
        if (st != ODP_OK || c->n == 0)
            return st;
        struct odp_wire_head h = y->keys.head;
        h.change = c->list[c->n - 1].number;
        odp_redis_command(y->redis, "MULTI", NULL);
        write_records(y, c, text, false, 0);
        write_records(y, c, text, true, y->keys.head.change);
        write_head(y, text, &h);
        odp_redis_command(y->redis, "EXEC", NULL);
        st = odp_buffer_status(text);
        if (st == ODP_OK)
            st = odp_redis_exec(y->redis, 3, &replies);
        if (st == ODP_OK)
            y->keys.head = h;
    }
    return st;
}

/* What Redis has. *FILL: it must be filled. DONE: another writer publishes here. */
static enum odp_status look(struct odp_sync *y, bool *fill)
{
    struct odp_sync_keys *k = &y->keys;
    const struct redisReply *reply;
    struct odp_wire_head there;
    odp_redis_command(y->redis, "SET", "odp:writer", y->machine, "NX", "PX", ODP_SYNC_LEASE_MS, NULL);
    odp_redis_command(y->redis, "GET", "odp:writer", NULL);
    enum odp_status st = odp_redis_skip(y->redis, 1);
    if (st == ODP_OK)
        st = odp_redis_next(y->redis, &reply);
    if (st != ODP_OK)
        return st;
    bool ours = odp_slice_is(odp_redis_text(reply), y->machine);
    pthread_mutex_lock(&y->mutex);
    y->seen.publishing = ours;
    pthread_mutex_unlock(&y->mutex);
    odp_log_change(&k->said_foreign, !ours, "Redis: another writer publishes keys there; this one does not",
                   "Redis: this writer publishes keys");
    if (!ours) {
        odp_sync_keys_reset(y);
        return ODP_DONE;
    }
    write_term(y);
    odp_redis_command(y->redis, "EXISTS", "odp:keys", NULL);
    odp_redis_command(y->redis, "GET", "odp:keys:head", NULL);
    uint64_t keys = 0;
    st = odp_redis_skip(y->redis, 1);
    if (st == ODP_OK)
        st = odp_redis_next(y->redis, &reply);
    if (st == ODP_OK)
        keys = odp_redis_integer(reply);
    if (st == ODP_OK)
        st = odp_redis_next(y->redis, &reply);
    if (st != ODP_OK)
        return st;
    bool known = odp_wire_head_read(odp_redis_text(reply), &there) && strcmp(there.generation, k->generation) == 0;
    k->ahead = k->ahead || (known && there.change > k->newest);
    known = known && (keys > 0 || there.change == 0);
    *fill = k->filling && odp_redis_is_nil(reply);
    if (*fill)
        return ODP_OK; /* go on with it */
    k->filling = false;
    if (known && k->head.generation[0] == '\0')
        k->head = there; /* from before a restart, or a lost connection: it says exactly how far we came */
    *fill = !known || strcmp(there.fill, k->head.fill) != 0 || there.change != k->head.change;
    return ODP_OK;
}

enum odp_status odp_sync_keys_publish(struct odp_sync *y)
{
    struct changes c = {0};
    struct odp_buffer text;
    bool must_fill = false;
    odp_buffer_init(&text);
    enum odp_status st = odp_sync_keys_open(y);
    if (st == ODP_OK) {
        pthread_mutex_lock(&y->s->mutex);
        st = newest_change(y->s->db, &y->keys.newest);
        pthread_mutex_unlock(&y->s->mutex);
    }
    if (st == ODP_OK)
        st = look(y, &must_fill);
    if (st == ODP_OK && y->keys.ahead) {
        odp_log("warning", "the store is older than what was published from it: all keys are published anew");
        st = generation(y, true);
        must_fill = true;
        y->keys.filling = y->keys.ahead = false;
    }
    if (st == ODP_OK && must_fill)
        st = fill(y, &c, &text);
    if (st == ODP_OK && (must_fill || y->keys.newest > y->keys.head.change))
        st = go_on(y, &c, &text);
    free(c.list);
    odp_buffer_release(&text);
    return st == ODP_DONE ? ODP_OK : st;
}
