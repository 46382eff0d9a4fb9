/* The writer's side of keys: a feed whose mark has the store's generation and the newest change in it. A mark
 * that is not the one we left there means: fill anew. */
#include "service/cluster/cluster_internal.h"

#include <stdlib.h>
#include <string.h>

#include "service/accounts/keys.h"
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

static bool same_tiers(const struct odp_settings *a, const struct odp_settings *b)
{
    bool same = a->ntiers == b->ntiers;
    for (uint32_t i = 0; i < a->ntiers && same; i++)
        same = strcmp(a->tiers[i].name, b->tiers[i].name) == 0;
    return same;
}

/* Records have the tier's number by the settings of the moment: those must not change while we turn it into a
 * name. */
static void collect(struct odp_sync *y, struct odp_key_changes *c)
{
    struct odp_settings before;
    enum odp_status st;
    do {
        odp_keytable_settings(y->s->table, &before);
        st = odp_keys_changed(y->s, (int64_t)y->keys.mark.change, ODP_SYNC_BATCH, c);
        odp_keytable_settings(y->s->table, &y->settings);
    } while (st != ODP_FAIL && !same_tiers(&before, &y->settings));
    (void)odp_sync_did(y, st);
}

static void write_lines(const struct odp_sync *y, const struct odp_key_changes *c, struct odp_buffer *lines)
{
    char hex[ODP_SHA256_HEX];
    odp_buffer_reset(lines);
    for (size_t i = 0; i < c->n; i++) {
        const struct odp_key_record *r = &c->list[i].record;
        uint32_t tier = r->tier < y->settings.ntiers ? r->tier : 0;
        odp_digest_hex(r->digest, hex);
        odp_buffer_printf(lines, "%s ", hex);
        odp_wire_key_write(lines, c->list[i].number, r, y->settings.tiers[tier].name);
        odp_buffer_add_char(lines, '\n');
    }
}

/* Sends what changed since the mark. A long filling goes on in the next rounds. */
static void send(struct odp_sync *y)
{
    struct odp_key_changes c = {0};
    struct odp_buffer lines = {0};
    struct odp_wire_mark *mark = &y->keys.mark;
    int64_t end = odp_clock_ms() + ODP_SYNC_SLICE_MS;
    for (bool last = false; y->st == ODP_OK && !last && !y->busy;) {
        collect(y, &c);
        last = c.n < ODP_SYNC_BATCH;
        if (y->st != ODP_OK || (c.n == 0 && mark->whole))
            break;
        struct odp_wire_mark next = *mark;
        next.change = c.n > 0 ? c.list[c.n - 1].number : next.change;
        next.whole = next.whole || last;
        write_lines(y, &c, &lines);
        odp_redis_command(y->redis, "PEXPIRE", "odp:writer", ODP_SYNC_LEASE_MS, NULL);
        odp_sync_skip(y, 1);
        odp_feed_put(y, "odp:keys", &lines, false, &next);
        if (y->st == ODP_OK && next.whole && !mark->whole)
            odp_log("info", "Redis: all keys are published, up to change %llu",
                    (unsigned long long)next.change);
        if (y->st == ODP_OK)
            *mark = next;
        y->busy = !last && odp_clock_ms() > end;
    }
    free(c.list);
    odp_buffer_release(&lines);
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

void odp_sync_keys_publish(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    if (y->st != ODP_OK)
        return;
    ask_store(y, false);
    if (y->st != ODP_OK || !is_ours(y))
        return;
    odp_redis_command(y->redis, "PEXPIRE", "odp:writer", ODP_SYNC_LEASE_MS, NULL);
    odp_sync_skip(y, 1);
    odp_feed_ask(y, "odp:keys");
    struct odp_wire_mark there = odp_feed_mark(y);
    bool known = there.epoch[0] != '\0' && strcmp(there.generation, k->generation) == 0;
    k->ahead = k->ahead || (known && there.change > k->newest);
    if (y->st == ODP_OK && k->ahead) {
        odp_log("warning", "the store is older than what was published from it: all keys are published anew");
        ask_store(y, true);
        known = k->ahead = false;
    }
    if (known && k->mark.epoch[0] == '\0')
        k->mark = there; /* from before a restart, or a lost connection: it says exactly how far we came */
    if (y->st == ODP_OK && !(known && odp_feed_same(&there, &k->mark))) {
        odp_feed_begin(y, "odp:keys", &k->mark);
        memcpy(k->mark.generation, k->generation, sizeof k->mark.generation);
    }
    if (y->st == ODP_OK && (!k->mark.whole || k->newest > k->mark.change))
        send(y);
}
