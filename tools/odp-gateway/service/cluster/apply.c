/* Records of the writer into a replica's table. */
#include "service/cluster/cluster_internal.h"

#include <string.h>

#include "base/room.h"
#include "service/state/log.h"
#include "service/state/state_internal.h"

static const size_t held_for = 64; /* records put while the mutex is held */
static const size_t later_max = ODP_KEYTABLE_CAPACITY;
static const int64_t put_again_ms = 30000;
static const uint32_t mass_least = 100, mass_part = 10;

/* The tier's number; of a tier that this site does not have, that of the one that allows least. Under the
 * state's mutex. */
static uint8_t tier_of(struct odp_sync *y, const char *name)
{
    const struct odp_settings *s = &y->s->settings;
    uint32_t least = 0;
    for (uint32_t i = 0; i < s->ntiers && i < ODP_TIERS_MAX; i++) {
        if (strcmp(s->tiers[i].name, name) == 0)
            return (uint8_t)i;
        uint64_t daily = (uint64_t)s->tiers[i].daily,
                 best = (uint64_t)s->tiers[least].daily; /* -1, unlimited, is the most */
        if (daily < best || (daily == best && s->tiers[i].burst < s->tiers[least].burst))
            least = i;
    }
    if (y->keys.said_tier == 0)
        odp_log(
            "warning",
            "keys of tier %s: this machine's site has no such tier; they get the smallest one until it has",
            name);
    y->keys.said_tier = 1;
    return (uint8_t)least;
}

static void put_off(struct odp_sync *y, const struct odp_wire_key *key)
{
    struct odp_sync_keys *k = &y->keys;
    if (k->nlater == later_max)
        return;
    if (odp_sync_did(y, odp_room(k->later, k->nlater, k->caplater) ? ODP_OK : ODP_FAIL))
        k->later[k->nlater++] = *key;
}

/* One record, under the state's mutex. A put that fails (a full disk, a full table) must not stop the others:
 * all are tried again. */
static void apply(struct odp_sync *y, const struct odp_wire_key *key)
{
    struct odp_sync_index *x = &y->index;
    struct odp_key_record r = key->record, old;
    uint64_t record;
    odp_sync_index_grow(y, false);
    if (y->st != ODP_OK)
        return;
    int64_t at = odp_keytable_find(y->s->table, r.digest);
    if (at >= 0 && key->change < x->change[at])
        return;
    if (r.account != r.id && !odp_sync_map_get(&x->record, r.account, &record)) {
        put_off(y, key);
        return;
    }
    r.tier = tier_of(y, key->tier);
    if (at < 0 || odp_keytable_get(y->s->table, r.digest, &old) != ODP_OK ||
        !odp_state_same_record(&old, &r)) {
        bool failed = odp_keytable_put(y->s->table, &r) != ODP_OK;
        odp_log_change(&y->keys.said_put, failed,
                       "a key of the writer cannot be written into the table; it is tried again",
                       "the writer's keys are written into the table again");
        if (failed) {
            odp_log_failure("table");
            y->keys.load_at = odp_clock_ms() + put_again_ms;
            odp_sync_add(y, &y->seen.failures, 1);
            return;
        }
    }
    odp_sync_index_grow(y, false);
    at = odp_keytable_find(y->s->table, r.digest);
    if (y->st == ODP_OK && at >= 0 && (uint64_t)at < x->n)
        x->change[at] = key->change;
}

void odp_sync_keys_apply(struct odp_sync *y, const struct odp_wire_key *keys, size_t n)
{
    for (size_t i = 0; i < n && y->st == ODP_OK;) {
        pthread_mutex_lock(&y->s->mutex);
        for (size_t end = i + held_for; i < n && i < end && y->st == ODP_OK; i++)
            apply(y, &keys[i]);
        pthread_mutex_unlock(&y->s->mutex);
    }
    odp_sync_add(y, &y->seen.keys_received, n);
    if (y->keys.nlater > 0)
        odp_sync_keys_apply_later(y, false);
}

/* Whose account came meanwhile. LAST: whatever is left has none. */
void odp_sync_keys_apply_later(struct odp_sync *y, bool last)
{
    struct odp_sync_keys *k = &y->keys;
    uint64_t record;
    size_t kept = 0;
    for (size_t i = 0; i < k->nlater && y->st == ODP_OK; i++) {
        if (!odp_sync_map_get(&y->index.record, k->later[i].record.account, &record)) {
            k->later[kept++] = k->later[i];
            continue;
        }
        pthread_mutex_lock(&y->s->mutex);
        apply(y, &k->later[i]);
        pthread_mutex_unlock(&y->s->mutex);
    }
    if (y->st != ODP_OK)
        return;
    k->nlater = kept;
    if (last && kept > 0) {
        odp_sync_refuse(y, "a key without its first key");
        k->nlater = 0;
    }
}

/* A key that works here and that the writer does not have. (A record that no slot leads to is nobody's: its
 * twin counts.) */
static bool is_unknown(struct odp_sync *y, uint32_t i, struct odp_key_record *r)
{
    return y->index.change[i] == 0 && odp_keytable_at(y->s->table, i, r) == ODP_OK &&
           r->state != ODP_KEY_REVOKED && odp_keytable_find(y->s->table, r->digest) == (int64_t)i;
}

void odp_sync_keys_sweep(struct odp_sync *y)
{
    struct odp_sync_index *x = &y->index;
    struct odp_key_record r;
    uint32_t unknown = 0;
    odp_sync_index_grow(y, false);
    for (uint32_t i = 0; i < x->n && y->st == ODP_OK; i++)
        unknown += is_unknown(y, i, &r);
    bool mass = unknown > mass_least && unknown > x->n / mass_part;
    odp_log_change(&y->keys.said_mass, mass,
                   "more than a tenth of this machine's keys are not in the writer's store: is it the right "
                   "one? They stay as they are",
                   "");
    if (unknown == 0 || mass)
        return;
    odp_log("warning",
            "%u keys of this machine are not in the writer's store (made after the backup it comes from?): "
            "revoked",
            unknown);
    for (uint32_t i = 0; i < x->n && y->st == ODP_OK; i++) {
        if (!is_unknown(y, i, &r))
            continue;
        r.state = ODP_KEY_REVOKED;
        pthread_mutex_lock(&y->s->mutex);
        (void)odp_sync_did(y, odp_keytable_put(y->s->table, &r));
        pthread_mutex_unlock(&y->s->mutex);
    }
}
