/* A replica's side of keys: all of them once, then the stream of changes. Each entry names the change before it, so that one
 * that was trimmed away is missed; then, and whenever the filling is another one, everything is read again.
 *
 * Nothing goes backwards: a record's newest applied change is remembered, and an older one is left out. A head that is older
 * than what was applied in the same generation (Redis came back with an old copy) is not loaded: the writer will fill it again.
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

/* OK: *HEAD is what Redis has. DONE: it has none yet, or none that can be used now. */
static enum odp_status take_head(struct odp_sync *y, const struct redisReply *reply, struct odp_wire_head *head)
{
    struct odp_sync_keys *k = &y->keys;
    odp_log_change(&k->said_empty, odp_redis_is_nil(reply),
                   "Redis: the writer has not filled it with keys yet; ours stay as they are", "Redis: it has keys");
    if (odp_redis_is_nil(reply))
        return ODP_DONE;
    if (!odp_wire_head_read(odp_redis_text(reply), head)) {
        odp_sync_refuse(y, "odp:keys:head");
        return ODP_DONE;
    }
    bool behind = strcmp(head->generation, k->head.generation) == 0 && head->change < k->head.change;
    odp_log_change(&k->said_behind, behind,
                   "Redis: its keys are older than ours; ours stay until the writer has filled it again",
                   "Redis: its keys are newer than ours again");
    return behind ? ODP_DONE : ODP_OK;
}

/* Digests and records of one HSCAN reply into the table. */
static enum odp_status take_page(struct odp_sync *y, const struct redisReply *reply)
{
    struct odp_sync_keys *k = &y->keys;
    if (odp_redis_elements(reply) != 2)
        return odp_redis_odd(y->redis);
    struct odp_slice next = odp_redis_text(odp_redis_element(reply, 0));
    const struct redisReply *page = odp_redis_element(reply, 1);
    size_t n = odp_redis_elements(page), got = 0;
    uint64_t number;
    if (n == SIZE_MAX || n % 2 != 0 || !odp_wire_number(next, UINT64_MAX, &number) || (k->scan_total += n / 2) > hash_max ||
        ++k->scan_pages > hash_max)
        return odp_redis_odd(y->redis);
    memcpy(k->scan_cursor, next.ptr, next.len);
    k->scan_cursor[next.len] = '\0';
    struct odp_wire_key *keys = calloc(n / 2 + 1, sizeof *keys);
    if (keys == NULL)
        return odp_failure_set("calloc", NULL, 0);
    for (size_t i = 0; i < n; i += 2) {
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
    enum odp_status st = odp_sync_keys_apply(y, keys, got);
    free(keys);
    return st;
}

/* DONE: there is more, for the next round. */
static enum odp_status scan(struct odp_sync *y)
{
    int64_t end = odp_sync_clock() + ODP_SYNC_SLICE_MS;
    const struct redisReply *reply;
    enum odp_status st;
    do {
        odp_redis_command(y->redis, "HSCAN", "odp:keys", y->keys.scan_cursor, "COUNT", "1000", NULL);
        st = odp_redis_next(y->redis, &reply);
        if (st == ODP_OK)
            st = take_page(y, reply);
        if (st == ODP_OK && strcmp(y->keys.scan_cursor, "0") == 0)
            return odp_sync_keys_apply_later(y, true);
    } while (st == ODP_OK && odp_sync_clock() <= end && !odp_sync_stopped(y));
    return st == ODP_OK ? ODP_DONE : st;
}

/* Head and end of the stream at one moment. */
static enum odp_status begin_load(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    const struct redisReply *replies;
    odp_redis_command(y->redis, "MULTI", NULL);
    odp_redis_command(y->redis, "GET", "odp:keys:head", NULL);
    odp_redis_command(y->redis, "XREVRANGE", "odp:keys:changes", "+", "-", "COUNT", "1", NULL);
    odp_redis_command(y->redis, "EXEC", NULL);
    enum odp_status st = odp_redis_exec(y->redis, 2, &replies);
    if (st == ODP_OK)
        st = odp_sync_last_id(y, odp_redis_element(replies, 1), k->load_cursor);
    if (st == ODP_OK)
        st = take_head(y, odp_redis_element(replies, 0), &k->load_head);
    if (st != ODP_OK)
        return st;
    k->load_other = strcmp(k->load_head.generation, k->head.generation) != 0;
    if (k->load_other && y->index.change != NULL) /* numbers of another generation say nothing */
        memset(y->index.change, 0, y->index.cap * sizeof *y->index.change);
    memcpy(k->scan_cursor, "0", sizeof "0");
    k->scan_total = k->scan_pages = k->nlater = 0;
    k->loading = true;
    return ODP_OK;
}

/* All was read: was it one filling from begin to end? */
static enum odp_status end_load(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    struct odp_wire_head now;
    const struct redisReply *reply;
    k->loading = false;
    odp_redis_command(y->redis, "GET", "odp:keys:head", NULL);
    enum odp_status st = odp_redis_next(y->redis, &reply);
    if (st != ODP_OK)
        return st;
    if (!odp_wire_head_read(odp_redis_text(reply), &now) || strcmp(k->load_head.generation, now.generation) != 0 ||
        strcmp(k->load_head.fill, now.fill) != 0)
        return ODP_DONE; /* filled anew meanwhile: the next round reads it */
    if (k->load_other)
        st = odp_sync_keys_sweep(y);
    if (st != ODP_OK)
        return st;
    k->head = k->load_head;
    memcpy(k->cursor, k->load_cursor, sizeof k->cursor);
    k->load = false;
    k->complete = true;
    return ODP_OK;
}

static enum odp_status load_all(struct odp_sync *y)
{
    enum odp_status st = y->keys.loading ? ODP_OK : begin_load(y);
    if (st != ODP_OK)
        return st;
    st = scan(y);
    y->busy = st == ODP_DONE;
    return st == ODP_OK ? end_load(y) : st;
}

/* An entry: p BEFORE c CHANGE, then r RECORD for each record. What cannot be read makes us load everything. */
static enum odp_status take_entry(struct odp_sync *y, const struct redisReply *fields, const struct odp_wire_head *head)
{
    struct odp_sync_keys *k = &y->keys;
    size_t n = odp_redis_elements(fields), got = 0;
    uint64_t before = 0, change = 0;
    if (n == SIZE_MAX || n < 6 || n % 2 != 0 || !odp_slice_is(odp_redis_text(odp_redis_element(fields, 0)), "p") ||
        !odp_slice_is(odp_redis_text(odp_redis_element(fields, 2)), "c") ||
        !odp_wire_number(odp_redis_text(odp_redis_element(fields, 1)), INT64_MAX, &before) ||
        !odp_wire_number(odp_redis_text(odp_redis_element(fields, 3)), INT64_MAX, &change) || change > head->change) {
        odp_sync_refuse(y, "an entry of odp:keys:changes");
        k->load = true;
        return ODP_OK;
    }
    if (change <= k->head.change)
        return ODP_OK;
    if (before > k->head.change) {
        k->load = true;
        return ODP_OK;
    }
    struct odp_wire_key *keys = calloc(n / 2, sizeof *keys);
    if (keys == NULL)
        return odp_failure_set("calloc", NULL, 0);
    for (size_t i = 4; i < n; i += 2) {
        if (odp_slice_is(odp_redis_text(odp_redis_element(fields, i)), "r") &&
            odp_wire_key_read(odp_redis_text(odp_redis_element(fields, i + 1)), &keys[got]))
            got++;
        else
            odp_sync_refuse(y, "a record of odp:keys:changes");
    }
    enum odp_status st = odp_sync_keys_apply(y, keys, got);
    free(keys);
    if (st == ODP_OK)
        k->head.change = change;
    return st;
}

/* Head and new entries at one moment. *MORE: there may be further entries. */
static enum odp_status follow(struct odp_sync *y, bool *more)
{
    struct odp_sync_keys *k = &y->keys;
    const struct redisReply *replies;
    struct odp_wire_head head;
    struct odp_sync_entries entries;
    *more = false;
    odp_redis_command(y->redis, "MULTI", NULL);
    odp_redis_command(y->redis, "GET", "odp:keys:head", NULL);
    odp_redis_command(y->redis, "XREAD", "COUNT", ODP_SYNC_READ_TEXT, "STREAMS", "odp:keys:changes", k->cursor, NULL);
    odp_redis_command(y->redis, "EXEC", NULL);
    enum odp_status st = odp_redis_exec(y->redis, 2, &replies);
    if (st == ODP_OK)
        st = take_head(y, odp_redis_element(replies, 0), &head);
    if (st == ODP_OK)
        st = odp_sync_entries(y, odp_redis_element(replies, 1), &entries);
    if (st != ODP_OK)
        return st;
    if (strcmp(head.generation, k->head.generation) != 0 || strcmp(head.fill, k->head.fill) != 0) {
        k->load = *more = true;
        return ODP_OK;
    }
    for (size_t i = 0; i < entries.n && st == ODP_OK && !k->load; i++) {
        const struct redisReply *fields;
        st = odp_sync_entry(y, &entries, i, k->cursor, &fields);
        if (st == ODP_OK)
            st = take_entry(y, fields, &head);
    }
    if (st == ODP_OK && entries.n < ODP_SYNC_READ && head.change != k->head.change)
        k->load = true;
    *more = k->load || entries.n == ODP_SYNC_READ;
    return st;
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

/* A disk that is full must not stop the exchange: what is not saved is only missed if Redis comes back old just then. */
static void save(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    bool same = strcmp(k->saved.generation, k->head.generation) == 0;
    if ((same && k->saved.change == k->head.change) || (k->saved_at != 0 && odp_sync_clock() - k->saved_at < save_every_ms))
        return;
    k->saved_at = odp_sync_clock();
    bool failed = odp_sync_identity_save(y) != ODP_OK;
    if (failed && k->said_save == 0)
        odp_log_failure("exchange");
    odp_failure_clear();
    odp_log_change(&k->said_save, failed, "how far keys were received cannot be written down; it is tried again",
                   "how far keys were received is written down again");
}

enum odp_status odp_sync_keys_receive(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    enum odp_status st = ODP_OK;
    bool more = true;
    watch_tiers(y);
    if (k->ntiers == 0)
        return ODP_OK; /* no site yet: no record could be given its tier */
    if (k->load_at != 0 && odp_sync_clock() >= k->load_at) {
        k->load = true;
        k->load_at = 0;
    }
    for (int turns = 0; more && st == ODP_OK && turns < 1000 && !odp_sync_stopped(y); turns++) {
        if (k->load && turns > 2)
            break; /* Redis contradicts itself: the next round tries again */
        if (k->load)
            st = load_all(y);
        if (st == ODP_OK)
            st = follow(y, &more);
    }
    if (st != ODP_OK && st != ODP_DONE)
        return st;
    save(y);
    return ODP_OK;
}
