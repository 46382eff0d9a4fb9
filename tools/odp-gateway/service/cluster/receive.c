/* A replica's side of keys: all of them once, then the stream of changes. Each entry names the change before
 * it, so that one that was trimmed away is missed; then, and whenever the filling is another one, everything
 * is read again.
 *
 * Nothing goes backwards: a record's newest applied change is remembered, and an older one is left out. A
 * head that is older than what was applied in the same generation (Redis came back with an old copy) is not
 * loaded: the writer will fill it again.
 */
#include "service/cluster/cluster_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/state/log.h"

static const int64_t save_every_ms = 5000;
static const size_t hash_max = 2 * (size_t)ODP_KEYTABLE_CAPACITY;

void odp_sync_keys_reset(struct odp_sync *y)
{
    y->keys.filling = y->keys.loading = false;
    if (y->s->writer)
        y->keys.head.generation[0] = '\0';
    else
        y->keys.load = true;
}

void odp_sync_keys_release(struct odp_sync *y)
{
    free(y->keys.later);
    y->keys.later = NULL;
    y->keys.nlater = y->keys.caplater = 0;
}

/* True: *HEAD is what Redis has. False: it has none yet, or none that can be used now. */
static bool take_head(struct odp_sync *y, const struct redisReply *reply, struct odp_wire_head *head)
{
    struct odp_sync_keys *k = &y->keys;
    bool none = odp_redis_is_nil(reply);
    if (y->st != ODP_OK)
        return false;
    odp_log_change(&k->said_empty, none,
                   "Redis: the writer has not filled it with keys yet; ours stay as they are",
                   "Redis: it has keys");
    if (none)
        return false;
    if (!odp_wire_head_read(odp_redis_text(reply), head)) {
        odp_sync_refuse(y, "odp:keys:head");
        return false;
    }
    bool behind = strcmp(head->generation, k->head.generation) == 0 && head->change < k->head.change;
    odp_log_change(&k->said_behind, behind,
                   "Redis: its keys are older than ours; ours stay until the writer has filled it again",
                   "Redis: its keys are newer than ours again");
    return !behind;
}

static struct odp_wire_key *room_for(struct odp_sync *y, size_t n)
{
    struct odp_wire_key *keys = calloc(n, sizeof *keys);
    if (keys == NULL)
        (void)odp_sync_did(y, odp_failure_set("calloc", NULL, 0));
    return keys;
}

/* Digests and records of a page into the table. */
static void take_page(struct odp_sync *y, const struct redisReply *page, size_t n)
{
    size_t got = 0;
    struct odp_wire_key *keys = room_for(y, n / 2 + 1);
    for (size_t i = 0; i < n && keys != NULL; i += 2) {
        char hex[ODP_SHA256_HEX];
        bool ok = odp_wire_key_read(odp_redis_text(odp_redis_element(page, i + 1)), &keys[got]);
        if (ok) {
            odp_digest_hex(keys[got].record.digest, hex);
            ok = odp_slice_is(odp_redis_text(odp_redis_element(page, i)), hex);
        }
        got += ok;
        if (!ok)
            odp_sync_refuse(y, "a record of odp:keys");
    }
    if (keys != NULL)
        odp_sync_keys_apply(y, keys, got);
    free(keys);
}

/* False: there is more, for the next round. */
static bool scan(struct odp_sync *y)
{
    struct odp_sync_scan *s = &y->keys.scan;
    int64_t end = odp_clock_ms() + ODP_SYNC_SLICE_MS;
    do {
        size_t n;
        const struct redisReply *page = odp_sync_scan(y, "odp:keys", s, hash_max, &n);
        take_page(y, page, n);
        if (y->st == ODP_OK && odp_sync_scanned(s)) {
            odp_sync_keys_apply_later(y, true);
            return true;
        }
    } while (y->st == ODP_OK && odp_clock_ms() <= end && !odp_sync_stopped(y));
    return false;
}

/* Head and end of the stream at one moment. False: there is nothing to load. */
static bool begin_load(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    odp_redis_command(y->redis, "MULTI", NULL);
    odp_redis_command(y->redis, "GET", "odp:keys:head", NULL);
    odp_redis_command(y->redis, "XREVRANGE", "odp:keys:changes", "+", "-", "COUNT", "1", NULL);
    odp_redis_command(y->redis, "EXEC", NULL);
    const struct redisReply *replies = odp_sync_exec(y, 2);
    odp_sync_last_id(y, odp_redis_element(replies, 1), k->load_cursor);
    if (!take_head(y, odp_redis_element(replies, 0), &k->load_head))
        return false;
    k->load_other = strcmp(k->load_head.generation, k->head.generation) != 0;
    if (k->load_other && y->index.change != NULL) /* numbers of another generation say nothing */
        memset(y->index.change, 0, y->index.cap * sizeof *y->index.change);
    odp_sync_scan_begin(&k->scan);
    k->nlater = 0;
    k->loading = true;
    return true;
}

static bool same_filling(const struct odp_wire_head *a, const struct odp_wire_head *b)
{
    return strcmp(a->generation, b->generation) == 0 && strcmp(a->fill, b->fill) == 0;
}

/* All was read: was it one filling from begin to end? False: it was filled anew meanwhile, and the next round
 * reads it. */
static bool end_load(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    struct odp_wire_head now;
    k->loading = false;
    odp_redis_command(y->redis, "GET", "odp:keys:head", NULL);
    const struct redisReply *reply = odp_sync_reply(y);
    if (y->st != ODP_OK || !odp_wire_head_read(odp_redis_text(reply), &now) ||
        !same_filling(&k->load_head, &now))
        return false;
    if (k->load_other)
        odp_sync_keys_sweep(y);
    if (y->st != ODP_OK)
        return false;
    k->head = k->load_head;
    memcpy(k->cursor, k->load_cursor, sizeof k->cursor);
    k->load = false;
    k->complete = true;
    return true;
}

static bool load_all(struct odp_sync *y)
{
    if (!y->keys.loading && !begin_load(y))
        return false;
    bool whole = scan(y);
    y->busy = y->st == ODP_OK && !whole;
    return y->st == ODP_OK && whole && end_load(y);
}

/* An entry: p BEFORE c CHANGE, then r RECORD for each record. What cannot be read makes us load everything.
 */
static void take_entry(struct odp_sync *y, const struct redisReply *fields, const struct odp_wire_head *head)
{
    struct odp_sync_keys *k = &y->keys;
    size_t n = odp_redis_elements(fields), got = 0;
    uint64_t before = 0, change = 0;
    if (n == SIZE_MAX || n < 6 || n % 2 != 0 ||
        !odp_slice_is(odp_redis_text(odp_redis_element(fields, 0)), "p") ||
        !odp_slice_is(odp_redis_text(odp_redis_element(fields, 2)), "c") ||
        !odp_wire_number(odp_redis_text(odp_redis_element(fields, 1)), INT64_MAX, &before) ||
        !odp_wire_number(odp_redis_text(odp_redis_element(fields, 3)), INT64_MAX, &change) ||
        change > head->change) {
        odp_sync_refuse(y, "an entry of odp:keys:changes");
        k->load = true;
        return;
    }
    if (change <= k->head.change)
        return;
    k->load = before > k->head.change;
    struct odp_wire_key *keys = k->load ? NULL : room_for(y, n / 2);
    if (keys == NULL)
        return;
    for (size_t i = 4; i < n; i += 2) {
        if (odp_slice_is(odp_redis_text(odp_redis_element(fields, i)), "r") &&
            odp_wire_key_read(odp_redis_text(odp_redis_element(fields, i + 1)), &keys[got]))
            got++;
        else
            odp_sync_refuse(y, "a record of odp:keys:changes");
    }
    odp_sync_keys_apply(y, keys, got);
    free(keys);
    if (y->st == ODP_OK)
        k->head.change = change;
}

/* Head and new entries at one moment. True: there may be further entries. */
static bool follow(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    struct odp_wire_head head;
    odp_redis_command(y->redis, "MULTI", NULL);
    odp_redis_command(y->redis, "GET", "odp:keys:head", NULL);
    odp_redis_command(y->redis, "XREAD", "COUNT", ODP_SYNC_READ_TEXT, "STREAMS", "odp:keys:changes",
                      k->cursor, NULL);
    odp_redis_command(y->redis, "EXEC", NULL);
    const struct redisReply *replies = odp_sync_exec(y, 2);
    if (!take_head(y, odp_redis_element(replies, 0), &head))
        return false;
    struct odp_sync_entries entries = odp_sync_entries(y, odp_redis_element(replies, 1));
    k->load = k->load || (y->st == ODP_OK && !same_filling(&head, &k->head));
    for (size_t i = 0; i < entries.n && y->st == ODP_OK && !k->load; i++) {
        const struct redisReply *fields = odp_sync_entry(y, &entries, i, k->cursor);
        if (y->st == ODP_OK)
            take_entry(y, fields, &head);
    }
    if (y->st == ODP_OK && entries.n < ODP_SYNC_READ && head.change != k->head.change)
        k->load = true;
    return k->load || entries.n == ODP_SYNC_READ;
}

/* A tier's number is its place in the settings: when the names change, all records are read again. */
static void watch_tiers(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    bool same = k->ntiers == y->settings.ntiers;
    for (uint32_t i = 0; i < k->ntiers && same; i++)
        same = strcmp(k->tiers[i], y->settings.tiers[i].name) == 0;
    if (same)
        return;
    k->load = true;
    k->loading = false;
    k->said_tier = 0;
    k->ntiers = y->settings.ntiers;
    for (uint32_t i = 0; i < k->ntiers; i++)
        memcpy(k->tiers[i], y->settings.tiers[i].name, ODP_TIER_NAME);
}

/* A disk that is full must not stop the exchange: what is not saved is only missed if Redis comes back old
 * just then. */
static void save(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    bool same = strcmp(k->saved.generation, k->head.generation) == 0;
    if ((same && k->saved.change == k->head.change) ||
        (k->saved_at != 0 && odp_clock_ms() - k->saved_at < save_every_ms))
        return;
    k->saved_at = odp_clock_ms();
    bool failed = odp_sync_identity_save(y) != ODP_OK;
    if (failed && k->said_save == 0)
        odp_log_failure("exchange");
    odp_failure_clear();
    odp_log_change(&k->said_save, failed,
                   "how far keys were received cannot be written down; it is tried again",
                   "how far keys were received is written down again");
}

void odp_sync_keys_receive(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    bool more = y->st == ODP_OK;
    watch_tiers(y);
    if (k->ntiers == 0 || !more)
        return; /* no site yet: no record could be given its tier */
    if (k->load_at != 0 && odp_clock_ms() >= k->load_at) {
        k->load = true;
        k->load_at = 0;
    }
    for (int turns = 0; more && y->st == ODP_OK && turns < 1000 && !odp_sync_stopped(y); turns++) {
        if (k->load && turns > 2)
            break; /* Redis contradicts itself: the next round tries again */
        more = !k->load || load_all(y);
        more = more && follow(y);
    }
    if (y->st == ODP_OK)
        save(y);
}
