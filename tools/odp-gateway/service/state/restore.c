/* Putting a backup back, and making a standby the writer. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "core/quota/quota.h"
#include "service/state/generation.h"
#include "service/state/log.h"
#include "service/state/state_internal.h"
#include "words/state.h"

#define COPY "store.restore"

/* What the table of a standby knows goes into the copy of the backup. */
struct taking {
    struct odp_sql q;             /* the copy */
    struct odp_settings settings; /* of the table */
    int64_t now;
    int64_t change; /* newest number given out */
    uint64_t taken, changed;
};

/* ---- the copy ---- */

static enum odp_status copy_backup(const char *backup, const char *path, char why[ODP_WHY])
{
    char detail[256];
    sqlite3 *from = NULL;
    enum odp_file_kind kind = odp_file_kind_of(backup);
    if (kind != ODP_FILE_REGULAR)
        return kind == ODP_FILE_NONE     ? odp_state_bad(why, W_state_backup_not_there, backup)
               : kind == ODP_FILE_DENIED ? odp_state_bad(why, W_state_backup_not_read, backup)
                                         : odp_state_bad(why, W_state_backup_no_file, backup);
    enum odp_status st = odp_store_open_copy(&from, backup, why);
    if (st == ODP_OK && (st = odp_store_verify(from, false, detail, sizeof detail)) == ODP_BAD)
        (void)odp_state_bad(why, W_state_backup_damaged, backup, detail);
    if (st == ODP_OK)
        st = odp_store_remove(path);
    if (st == ODP_OK)
        st = odp_store_copy(from, path);
    odp_store_close(from);
    return st;
}

/* ---- what the table knows ---- */

/* Of the account's first key; of one that the backup does not know a new one, without a name. */
static int64_t holder_of(struct taking *t, const struct odp_key_record *r)
{
    int64_t holder = odp_sql_number(&t->q, "SELECT holder FROM key WHERE id = ?", "i", (int64_t)r->account);
    return holder != 0 ? holder
                       : odp_sql_number(&t->q,
                                        "INSERT INTO holder(name, email, email_fold, organisation, purpose,"
                                        " created) VALUES('', '', '', '', '', ?) RETURNING id",
                                        "i", t->now);
}

/* A key that the backup does not have. A number that belongs to another key there: BAD, table and backup have
 * nothing to do with each other. When it was made nobody here knows. */
static void take_key(struct taking *t, const struct odp_key_record *r, const char *tier)
{
    if (odp_sql_number(&t->q, "SELECT count(*) FROM key WHERE id = ?", "i", (int64_t)r->id) > 0)
        t->q.st = ODP_BAD;
    int64_t holder = holder_of(t, r);
    odp_sql_run(
        &t->q,
        "INSERT INTO key(id, holder, digest, shown, account, tier, state, created, until, ends, changed)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, 0, ?, 0, ?)",
        "iibtitiii", (int64_t)r->id, holder, (const void *)r->digest, ODP_SHA256_SIZE, r->shown,
        (int64_t)r->account, tier, (int64_t)r->state, r->until, ++t->change);
    t->taken++;
}

struct stored_key {
    int64_t state, until;
    char tier[ODP_TIER_NAME];
};

/* The same key, perhaps changed since the backup. An older table must not undo: revoked stays
 * revoked, rotated stays rotated. */
static void take_change(struct taking *t, const struct odp_key_record *r, const char *tier, bool newer,
                        const struct stored_key *old)
{
    struct stored_key now = *old;
    if (r->state == ODP_KEY_REVOKED ||
        (old->state != ODP_KEY_REVOKED && r->state != old->state && (newer || r->state != ODP_KEY_ACTIVE)))
        now.state = r->state;
    if (newer || (old->state == ODP_KEY_ACTIVE && now.state == ODP_KEY_ROTATED))
        now.until = r->until;
    const char *its = newer && now.state != ODP_KEY_REVOKED ? tier : old->tier;
    if (now.state == old->state && now.until == old->until && strcmp(its, old->tier) == 0)
        return;
    t->changed++;
    odp_sql_run(&t->q, "UPDATE key SET state = ?, until = ?, tier = ?, changed = ? WHERE id = ?", "iitii",
                now.state, now.until, its, ++t->change, (int64_t)r->id);
}

static void take_record(struct taking *t, const struct odp_key_record *r, bool newer)
{
    struct stored_key old;
    const char *tier = r->tier < t->settings.ntiers ? t->settings.tiers[r->tier].name : "public";
    if (odp_sql_row(&t->q, "SELECT state, until, tier FROM key WHERE digest = ?", "b", "iit",
                    (const void *)r->digest, ODP_SHA256_SIZE, &old.state, &old.until, old.tier,
                    sizeof old.tier))
        take_change(t, r, tier, newer, &old);
    else
        take_key(t, r, tier);
}

/* Records of the table in the order of their ids: an account before those that follow it. A record without a
 * slot is nobody's. */
static void take_all(struct taking *t, const struct odp_keytable *table)
{
    struct odp_key_record r;
    uint64_t largest = 0, newest = (uint64_t)odp_sql_number(&t->q, "SELECT max(id) FROM key", "");
    uint32_t count = odp_keytable_count(table);
    for (uint32_t n = 0; n < count; n++)
        if (odp_keytable_at(table, n, &r) == ODP_OK && r.id > largest)
            largest = r.id;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t n = 0; n < count && t->q.st == ODP_OK; n++)
            if (odp_keytable_at(table, n, &r) == ODP_OK && (r.account == r.id) == (pass == 0) &&
                odp_keytable_find(table, r.digest) == (int64_t)n)
                take_record(t, &r, largest >= newest);
}

/* What this machine has counted today is history of its own. What it has heard of others is in its table, and
 * written from there: the backup has this machine's among them. */
static void take_counts(struct taking *t, const struct odp_keytable *table)
{
    struct odp_key_record r;
    char name[80];
    uint32_t day = odp_quota_day(t->now, t->settings.zone_minutes);
    odp_machine_name(&(struct odp_service_options){0}, name);
    int64_t machine = odp_machine_id(&t->q, name);
    odp_sql_run(&t->q,
                "DELETE FROM usage_key WHERE day = ? AND machine = (SELECT id FROM machine WHERE name = ?)",
                "it", (int64_t)day, ODP_MACHINES_ELSEWHERE);
    for (uint32_t n = 0, count = odp_keytable_count(table); n < count && t->q.st == ODP_OK; n++) {
        uint64_t used = odp_keytable_used(table, n, day);
        if (used > 0 && odp_keytable_at(table, n, &r) == ODP_OK && r.account == r.id)
            odp_sql_run(&t->q,
                        "INSERT INTO usage_key(account, day, machine, count) VALUES(?, ?, ?, ?)"
                        " ON CONFLICT DO UPDATE SET count = max(count, excluded.count)",
                        "iiii", (int64_t)r.id, (int64_t)day, machine, (int64_t)used);
    }
}

/* *TABLE stays NULL where no table can be trusted. */
static enum odp_status open_table(const char *dir, struct odp_keytable **table)
{
    char path[ODP_PATH_MAX], why[160];
    *table = NULL;
    enum odp_status st = odp_keytable_open(table, odp_state_file(path, dir, "keys.table"), NULL);
    if (st == ODP_OK && (st = odp_keytable_check(*table, why)) == ODP_BAD) {
        odp_log("warning", "keys.table cannot be trusted, nothing is taken over from it: %s", why);
        odp_keytable_close(*table);
        *table = NULL;
    }
    return st;
}

/* ---- one transaction ---- */

static enum odp_status note(const struct taking *t, bool promote)
{
    char actor[80], detail[128];
    const struct passwd *user = getpwuid(geteuid()); /* before any thread */
    (void)snprintf(actor, sizeof actor, "command:%s", user != NULL ? user->pw_name : "unknown");
    (void)snprintf(detail, sizeof detail, "{\"keys_taken\":%llu,\"keys_changed\":%llu}",
                   (unsigned long long)t->taken, (unsigned long long)t->changed);
    return odp_audit_add(t->q.db, t->now, actor, promote ? "promote" : "restore", "", detail);
}

static enum odp_status amend(sqlite3 *db, const char *dir, bool promote)
{
    struct taking t = {.now = odp_now()};
    struct odp_keytable *table = NULL;
    if (promote && open_table(dir, &table) == ODP_FAIL)
        return ODP_FAIL;
    t.q = odp_sql_begin(db);
    t.change = odp_sql_number(&t.q, "SELECT value FROM setting WHERE name = 'change'", "");
    if (table != NULL) {
        odp_keytable_settings(table, &t.settings);
        take_all(&t, table);
        take_counts(&t, table);
    }
    /* Other machines may have seen more than the backup has: nothing that they have seen is used again. */
    odp_sql_run(&t.q,
                "INSERT INTO sqlite_sequence(name, seq) SELECT 'key', 0 WHERE NOT EXISTS"
                " (SELECT 1 FROM sqlite_sequence WHERE name = 'key')",
                "");
    odp_sql_run(&t.q, "UPDATE setting SET value = ? WHERE name = 'change'", "i", t.change);
    if (t.q.st == ODP_OK)
        t.q.st = odp_generation_renew(db);
    if (t.q.st == ODP_OK)
        t.q.st = note(&t, promote);
    odp_keytable_close(table);
    return odp_sql_commit(&t.q);
}

/* Migrates the copy, amends it, and leaves it as one file. */
static enum odp_status prepare_copy(const char *dir, const char *path, bool promote, char why[ODP_WHY])
{
    sqlite3 *db = NULL;
    enum odp_status st = odp_store_open(&db, path, why);
    if (st == ODP_OK && (st = amend(db, dir, promote)) == ODP_BAD)
        (void)odp_state_bad(why, W_state_backup_of_others);
    if (st == ODP_OK)
        st = odp_store_run(db, "PRAGMA journal_mode = DELETE", "");
    odp_store_close(db);
    return st == ODP_OK ? odp_file_seal(path, NULL) : st;
}

/* The log of the store that is replaced must be gone before the new file has its name: SQLite would play it
 * into the new one.
 */
static enum odp_status put_in_place(const char *dir, const char *copy)
{
    char store[ODP_PATH_MAX], log[ODP_PATH_MAX + 8];
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    (void)odp_state_file(store, dir, "store.sqlite");
    for (size_t i = 0; i < ODP_COUNT(ends); i++) {
        (void)snprintf(log, sizeof log, "%s%s", store, ends[i]);
        if (unlink(log) != 0 && errno != ENOENT)
            return odp_failure_set("remove", log, errno);
    }
    enum odp_status st = odp_dir_sync(dir);
    if (st == ODP_OK)
        st = odp_file_rename(copy, store);
    return st == ODP_OK ? odp_state_put_file(dir, "role", ODP_LIT("writer")) : st;
}

/* What the old store still has in its log goes into its file, in case the restore stops before the end. */
static void settle_old(const char *dir)
{
    char store[ODP_PATH_MAX], why[ODP_WHY];
    sqlite3 *db = NULL;
    if (odp_file_kind_of(odp_state_file(store, dir, "store.sqlite")) == ODP_FILE_NONE)
        return;
    if (odp_store_open(&db, store, why) == ODP_OK)
        odp_store_close(db);
    odp_failure_clear(); /* it may be the damaged one that is being replaced */
}

enum odp_status odp_state_restore(const char *state_dir, const char *backup, bool promote, char why[ODP_WHY])
{
    char copy[ODP_PATH_MAX];
    int lock = -1;
    why[0] = '\0';
    enum odp_status st = odp_state_folder(state_dir, why);
    if (st == ODP_OK)
        st = odp_state_lock(state_dir, &lock, why);
    if (st == ODP_OK) {
        st = copy_backup(backup, odp_state_file(copy, state_dir, COPY), why);
        if (st == ODP_OK)
            st = prepare_copy(state_dir, copy, promote, why);
        if (st == ODP_OK)
            settle_old(state_dir);
        if (st == ODP_OK)
            st = put_in_place(state_dir, copy);
        if (st != ODP_OK)
            (void)!odp_store_remove(copy);
    }
    if (lock >= 0)
        close(lock);
    return st;
}
