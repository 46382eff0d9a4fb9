/* A replica's side of keys: the writer's feed, from where this machine has read it; all of it when it is
 * another filling, or when its tiers changed.
 *
 * Nothing goes backwards: a record's newest applied change is remembered, and an older one is left out. A
 * feed that is older than what was applied in the same generation (Redis came back with an old copy) is
 * not read: the writer will fill it again. */
#include "service/cluster/cluster_internal.h"

#include <stdlib.h>
#include <string.h>

#include "service/state/log.h"

static const int64_t save_every_ms = 5000;

void odp_sync_keys_reset(struct odp_sync *y)
{
    if (y->s->writer)
        y->keys.mark = (struct odp_wire_mark){0};
    else
        y->keys.mark.epoch[0] = '\0'; /* what was applied stays so */
}

void odp_sync_keys_release(struct odp_sync *y)
{
    free(y->keys.later);
    y->keys.later = NULL;
    y->keys.nlater = y->keys.caplater = 0;
}

/* False: Redis has no keys yet, or none that can be used now. */
static bool is_usable(struct odp_sync *y, const struct odp_wire_mark *there)
{
    struct odp_sync_keys *k = &y->keys;
    bool none = there->generation[0] == '\0';
    if (y->st != ODP_OK)
        return false;
    odp_log_change(&k->said_empty, none,
                   "Redis: the writer has not filled it with keys yet; ours stay as they are",
                   "Redis: it has keys");
    if (none)
        return false;
    bool behind =
        there->whole && strcmp(there->generation, k->mark.generation) == 0 && there->change < k->mark.change;
    odp_log_change(&k->said_behind, behind,
                   "Redis: its keys are older than ours; ours stay until the writer has filled it again",
                   "Redis: its keys are newer than ours again");
    return !behind;
}

static void begin(struct odp_sync *y, const struct odp_wire_mark *there)
{
    struct odp_sync_keys *k = &y->keys;
    memcpy(k->mark.epoch, there->epoch, sizeof k->mark.epoch);
    k->mark.seq = 0;
    k->nlater = 0;
    k->again = false;
    bool other = strcmp(there->generation, k->mark.generation) != 0;
    if (other && y->index.change != NULL) /* numbers of another generation say nothing */
        memset(y->index.change, 0, y->index.cap * sizeof *y->index.change);
}

static void take(struct odp_sync *y, void *ctx, struct odp_slice field, struct odp_slice value)
{
    char hex[ODP_SHA256_HEX];
    struct odp_wire_key *page = ctx, *key = &page[y->keys.npage];
    if (odp_wire_key_read(value, key)) {
        odp_digest_hex(key->record.digest, hex);
        if (odp_slice_is(field, hex)) {
            y->keys.npage++;
            return;
        }
    }
    odp_sync_refuse(y, "a record of odp:keys");
}

/* True: there is more, for the next round. */
static bool read_pages(struct odp_sync *y, uint64_t upto)
{
    struct odp_sync_keys *k = &y->keys;
    struct odp_wire_key *page = calloc(ODP_SYNC_BATCH, sizeof *page);
    const struct odp_feed_taking taking = {page, take};
    int64_t end = odp_clock_ms() + ODP_SYNC_SLICE_MS;
    bool more = page != NULL || odp_sync_did(y, odp_failure_set("calloc", NULL, 0));
    while (more && odp_clock_ms() <= end && !odp_sync_stopped(y)) {
        k->npage = 0;
        more = odp_feed_read(y, "odp:keys", &k->mark.seq, upto, &taking);
        odp_sync_keys_apply(y, page, k->npage);
    }
    free(page);
    return more;
}

/* All that THERE has is read. */
static void end(struct odp_sync *y, const struct odp_wire_mark *there)
{
    struct odp_sync_keys *k = &y->keys;
    odp_sync_keys_apply_later(y, true);
    if (strcmp(there->generation, k->mark.generation) != 0)
        odp_sync_keys_sweep(y);
    if (y->st != ODP_OK)
        return;
    k->mark = *there;
    k->complete = true;
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
    k->again = true;
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
    bool same = strcmp(k->saved.generation, k->mark.generation) == 0;
    if ((same && k->saved.change == k->mark.change) ||
        (k->saved_at != 0 && odp_clock_ms() - k->saved_at < save_every_ms))
        return;
    k->saved_at = odp_clock_ms();
    bool failed = odp_sync_identity_save(y) != ODP_OK;
    odp_log_fault(&k->said_save, failed, "exchange", NULL,
                  "how far keys were received cannot be written down; it is tried again",
                  "how far keys were received is written down again");
}

void odp_sync_keys_receive(struct odp_sync *y)
{
    struct odp_sync_keys *k = &y->keys;
    if (y->st != ODP_OK)
        return;
    watch_tiers(y);
    if (k->ntiers == 0)
        return; /* no site yet: no record could be given its tier */
    if (k->load_at != 0 && odp_clock_ms() >= k->load_at) {
        k->again = true;
        k->load_at = 0;
    }
    odp_feed_ask(y, "odp:keys");
    struct odp_wire_mark there = odp_feed_mark(y);
    if (!is_usable(y, &there))
        return;
    if (k->again || strcmp(there.epoch, k->mark.epoch) != 0)
        begin(y, &there);
    y->busy = read_pages(y, there.seq) && y->st == ODP_OK;
    if (y->st == ODP_OK && !y->busy && there.whole)
        end(y, &there);
    if (y->st == ODP_OK)
        save(y);
}
