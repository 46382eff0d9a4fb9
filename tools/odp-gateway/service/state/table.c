/* The table against the store: mended record by record, or built anew when it cannot be trusted.
 *
 * A key is in the store before it is in the table, so a table can lack keys but never know others. One that
 * does belongs to another store (a backup was put back) and is built anew. A table is built beside the old
 * one and renamed over it when it is whole: readers never see a half-filled one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "core/quota/quota.h"
#include "service/state/log.h"
#include "service/state/state_internal.h"

#define BUILDING "keys.table.rebuild"
#define ALL_KEYS "SELECT " ODP_KEY_COLUMNS " FROM key" /* by id: an account's first key has the smallest */

enum odp_status odp_state_table_open(struct odp_state *s, const char **why)
{
    static const char damaged[] = "it contradicts itself";
    char path[ODP_PATH_MAX], detail[160];
    struct odp_keytable *t = NULL;
    *why = NULL;
    if (odp_file_kind_of(odp_state_file(path, s->options->state_dir, "keys.table")) == ODP_FILE_NONE)
        return ODP_OK;
    enum odp_status st = odp_keytable_open(&t, path, why);
    if (st == ODP_OK && (st = odp_keytable_check(t, detail)) == ODP_BAD) {
        odp_log("warning", "keys.table: %s", detail);
        *why = damaged;
    }
    if (st == ODP_OK) {
        s->table = t;
        return ODP_OK;
    }
    odp_keytable_close(t);
    return st == ODP_BAD ? ODP_OK : st;
}

enum odp_status odp_state_table_new(struct odp_state *s)
{
    char path[ODP_PATH_MAX];
    enum odp_status st = odp_keytable_create(odp_state_file(path, s->options->state_dir, "keys.table"),
                                             ODP_KEYTABLE_CAPACITY, &s->settings);
    return st == ODP_OK ? odp_keytable_open(&s->table, path, NULL) : st;
}

enum odp_status odp_state_record(struct odp_state *s, sqlite3_stmt *row, struct odp_key_record *r)
{
    char tier[ODP_TIER_NAME];
    memset(r, 0, sizeof *r);
    const void *digest = sqlite3_column_blob(row, 0);
    if (digest == NULL || sqlite3_column_bytes(row, 0) != ODP_SHA256_SIZE)
        return odp_failure_set("read a key's digest from", "store.sqlite", 0);
    memcpy(r->digest, digest, ODP_SHA256_SIZE);
    r->id = (uint64_t)sqlite3_column_int64(row, 1);
    r->account = (uint64_t)sqlite3_column_int64(row, 2);
    r->until = sqlite3_column_int64(row, 3);
    r->state = (uint8_t)sqlite3_column_int(row, 4);
    odp_store_text(row, 5, tier, sizeof tier);
    odp_store_text(row, 6, r->shown, sizeof r->shown);
    return odp_state_tier_need(s, tier, &r->tier);
}

bool odp_state_same_record(const struct odp_key_record *a, const struct odp_key_record *b)
{
    return a->id == b->id && a->account == b->account && a->until == b->until && a->state == b->state &&
           a->tier == b->tier && strcmp(a->shown, b->shown) == 0;
}

/* Puts into T the records that SQL selects by AFTER; *N counts them. */
static enum odp_status put_rows(struct odp_state *s, struct odp_keytable *t, const char *sql, int64_t after,
                                uint64_t *n)
{
    struct odp_key_record r;
    struct odp_sql q = {.db = s->db};
    for (odp_sql_select(&q, sql, "i", after); odp_sql_next(&q, ""); ++*n) {
        q.st = odp_state_record(s, q.row, &r);
        if (q.st == ODP_OK)
            q.st = odp_keytable_put(t, &r);
    }
    return odp_sql_end(&q);
}

enum odp_status odp_state_put_changed(struct odp_state *s, int64_t after)
{
    return put_rows(s, s->table, ODP_KEYS_CHANGED, after, &(uint64_t){0});
}

/* ---- counts ---- */

static uint32_t today(const struct odp_state *s)
{
    return odp_quota_day(odp_now(), s->settings.zone_minutes);
}

/* Today's counts out of the store: this machine's are raised; those of others too are taken over into a FRESH
 * table, which knows nothing. */
static enum odp_status raise_counts(struct odp_state *s, struct odp_keytable *t, bool fresh)
{
    char name[80];
    int64_t own, others;
    uint32_t day = today(s);
    struct odp_sql q = {.db = s->db};
    odp_machine_name(s->options, name);
    int64_t machine = odp_machine_id(&q, name);
    odp_sql_select(&q,
                   "SELECT sum(u.count) FILTER (WHERE u.machine = ?1),"
                   " sum(u.count) FILTER (WHERE u.machine <> ?1), k.digest"
                   " FROM usage_key u JOIN key k ON k.id = u.account WHERE u.day = ?2 GROUP BY u.account",
                   "ii", machine, (int64_t)day);
    while (odp_sql_next(&q, "ii", &own, &others)) {
        int64_t n = odp_keytable_find(t, sqlite3_column_blob(q.row, 2));
        if (n >= 0 && own > 0)
            odp_keytable_raise(t, (uint32_t)n, day, (uint64_t)own);
        if (n >= 0 && others > 0 && fresh)
            odp_keytable_set_elsewhere(t, (uint32_t)n, day, (uint64_t)others);
    }
    return odp_sql_end(&q);
}

/* What a table that is given up has counted and the store may not have yet. */
static void carry_counts(const struct odp_keytable *from, struct odp_keytable *to, uint32_t day)
{
    struct odp_key_record r;
    for (uint32_t n = 0, count = odp_keytable_count(from); n < count; n++) {
        uint64_t used = odp_keytable_used(from, n, day),
                 elsewhere = odp_keytable_used_elsewhere(from, n, day);
        if ((used == 0 && elsewhere == 0) || odp_keytable_at(from, n, &r) != ODP_OK)
            continue;
        int64_t at = odp_keytable_find(to, r.digest);
        if (at >= 0 && used > 0)
            odp_keytable_raise(to, (uint32_t)at, day, used);
        if (at >= 0 && elsewhere > odp_keytable_used_elsewhere(to, (uint32_t)at, day))
            odp_keytable_set_elsewhere(to, (uint32_t)at, day, elsewhere);
    }
}

/* ---- building ---- */

/* OLD, a sound table of another store, or NULL, gives its counts. */
static enum odp_status rebuild(struct odp_state *s, const struct odp_keytable *old)
{
    char building[ODP_PATH_MAX], path[ODP_PATH_MAX];
    struct odp_keytable *t = NULL;
    uint64_t keys = 0;
    int64_t began = odp_now_ms();
    enum odp_status st = odp_keytable_create(odp_state_file(building, s->options->state_dir, BUILDING),
                                             ODP_KEYTABLE_CAPACITY, &s->settings);
    if (st == ODP_OK)
        st = odp_keytable_open(&t, building, NULL);
    if (st == ODP_OK)
        st = put_rows(s, t, ALL_KEYS " WHERE id > ? ORDER BY id", 0, &keys);
    if (st == ODP_OK)
        st = raise_counts(s, t, true);
    if (st == ODP_OK && old != NULL)
        carry_counts(old, t, today(s));
    if (st == ODP_OK) {
        odp_keytable_set_settings(t, &s->settings); /* a key may have brought a tier */
        st = odp_keytable_sync(t);
    }
    if (st == ODP_OK)
        st = odp_file_rename(building, odp_state_file(path, s->options->state_dir, "keys.table"));
    if (st != ODP_OK) {
        odp_keytable_close(t);
        (void)unlink(building);
        return st == ODP_BAD ? odp_failure_set("open", building, 0) : st;
    }
    odp_keytable_close(s->table);
    s->table = t;
    if (keys > 0)
        odp_log("info", "keys.table was built anew from the store: %llu keys in %lld ms",
                (unsigned long long)keys, (long long)(odp_now_ms() - began));
    return ODP_OK;
}

/* ---- mending ---- */

struct mending {
    uint8_t *seen; /* a bit for each record of the table */
    uint32_t count;
    uint64_t missing, different;
};

static enum odp_status mend_one(struct odp_state *s, const struct odp_key_record *want, struct mending *m)
{
    struct odp_key_record have;
    int64_t n = odp_keytable_find(s->table, want->digest);
    if (n < 0) {
        m->missing++;
        return odp_keytable_put(s->table, want);
    }
    if (n < m->count)
        m->seen[n / 8] = (uint8_t)(m->seen[n / 8] | 1u << (n % 8));
    if (odp_keytable_at(s->table, (uint32_t)n, &have) == ODP_OK && odp_state_same_record(want, &have))
        return ODP_OK;
    m->different++;
    if (have.id != want->id || have.account != want->account)
        return ODP_BAD; /* put changes states and terms, not who somebody is */
    return odp_keytable_put(s->table, want);
}

/* A record that the store does not have. One without a slot is what a writer killed at the wrong moment left,
 * and is nobody's key. */
static bool has_stranger(const struct odp_keytable *t, const struct mending *m)
{
    struct odp_key_record r;
    for (uint32_t n = 0; n < m->count; n++)
        if ((m->seen[n / 8] >> (n % 8) & 1) == 0 &&
            (odp_keytable_at(t, n, &r) != ODP_OK || odp_keytable_find(t, r.digest) == (int64_t)n))
            return true;
    return false;
}

static enum odp_status mend(struct odp_state *s, struct mending *m)
{
    struct odp_key_record want;
    struct odp_sql q = {.db = s->db};
    odp_sql_select(&q, ALL_KEYS " ORDER BY id", "");
    while (odp_sql_next(&q, "")) {
        q.st = odp_state_record(s, q.row, &want);
        if (q.st == ODP_OK)
            q.st = mend_one(s, &want, m);
    }
    return odp_sql_end(&q) == ODP_OK && has_stranger(s->table, m) ? ODP_BAD : q.st;
}

enum odp_status odp_state_table_mend(struct odp_state *s)
{
    if (s->table == NULL)
        return rebuild(s, NULL);
    struct mending m = {.count = odp_keytable_count(s->table)};
    m.seen = calloc(m.count / 8 + 1, 1);
    if (m.seen == NULL)
        return odp_failure_set("table", NULL, ENOMEM);
    enum odp_status st = mend(s, &m);
    free(m.seen);
    if (st == ODP_BAD) {
        odp_log("warning", "keys.table has keys that the store does not have, as after a restored backup");
        return rebuild(s, s->table);
    }
    if (st != ODP_OK)
        return st;
    if (m.missing + m.different > 0)
        odp_log("warning", "keys.table was mended from the store: %llu keys were missing, %llu had changed",
                (unsigned long long)m.missing, (unsigned long long)m.different);
    return raise_counts(s, s->table, false);
}
