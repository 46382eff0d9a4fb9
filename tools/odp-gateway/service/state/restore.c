/* Putting a backup back, and making a standby the writer. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "core/quota/quota.h"
#include "service/state/generation.h"
#include "service/state/log.h"
#include "service/state/state_internal.h"

#define COPY "store.restore"

struct taking {
    sqlite3 *db;                  /* the copy */
    struct odp_settings settings; /* of the table */
    int64_t now;
    int64_t change; /* newest number given out */
    uint64_t taken, changed;
};

/* ---- the copy ---- */

static enum odp_status remove_copy(const char *path)
{
    static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
    char full[ODP_PATH_MAX + 16];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        (void)snprintf(full, sizeof full, "%s%s", path, ends[i]);
        if (unlink(full) != 0 && errno != ENOENT)
            return odp_failure_set("remove", full, errno);
    }
    return ODP_OK;
}

static enum odp_status copy_backup(const char *backup, const char *path, char why[ODP_WHY])
{
    char detail[256];
    sqlite3 *from = NULL;
    enum odp_file_kind kind = odp_file_kind_of(backup);
    if (kind != ODP_FILE_REGULAR)
        return odp_state_bad(why, "%.300s %s", backup,
                             kind == ODP_FILE_NONE     ? "is not there"
                             : kind == ODP_FILE_DENIED ? "cannot be read"
                                                       : "is not a file");
    enum odp_status st = odp_store_open_copy(&from, backup, why);
    if (st == ODP_OK && (st = odp_store_verify(from, false, detail, sizeof detail)) == ODP_BAD)
        (void)odp_state_bad(why, "%.200s is damaged: %.250s", backup, detail);
    if (st == ODP_OK)
        st = remove_copy(path);
    if (st == ODP_OK)
        st = odp_store_copy(from, path);
    odp_store_close(from);
    return st;
}

/* ---- what the table knows ---- */

static enum odp_status holder_of(struct taking *t, const struct odp_key_record *r, int64_t *holder)
{
    enum odp_status st =
        odp_store_number(t->db, holder, "SELECT holder FROM key WHERE id = ?", "i", (int64_t)r->account);
    if (st != ODP_DONE)
        return st;
    st = odp_store_run(t->db,
                       "INSERT INTO holder(name, email, email_fold, organisation, purpose, created) "
                       "VALUES('', '', '', '', '', ?)",
                       "i", t->now);
    *holder = sqlite3_last_insert_rowid(t->db);
    return st;
}

static enum odp_status take_key(struct taking *t, const struct odp_key_record *r, const char *tier)
{
    int64_t holder = 0;
    enum odp_status st = holder_of(t, r, &holder);
    if (st == ODP_OK) /* when it was made nobody here knows */
        st = odp_store_run(
            t->db,
            "INSERT INTO key(id, holder, digest, shown, account, tier, state, created, until, ends, changed)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, 0, ?, 0, ?)",
            "iibtitiii", (int64_t)r->id, holder, (const void *)r->digest, ODP_SHA256_SIZE, r->shown,
            (int64_t)r->account, tier, (int64_t)r->state, r->until, ++t->change);
    t->taken++;
    return st;
}

/* The same key, perhaps changed since the backup. A table that lags behind it must not undo: revoked stays
 * revoked, rotated stays rotated. */
static enum odp_status take_change(struct taking *t, const struct odp_key_record *r, const char *tier,
                                   bool newer, sqlite3_stmt *row)
{
    int state = sqlite3_column_int(row, 1), was = state;
    int64_t until = sqlite3_column_int64(row, 2), before = until;
    char old[ODP_TIER_NAME];
    odp_store_text(row, 3, old, sizeof old);
    if (r->state == ODP_KEY_REVOKED ||
        (state != ODP_KEY_REVOKED && r->state != state && (newer || r->state != ODP_KEY_ACTIVE)))
        state = r->state;
    if (newer || (was == ODP_KEY_ACTIVE && state == ODP_KEY_ROTATED))
        until = r->until;
    const char *now = newer && state != ODP_KEY_REVOKED ? tier : old;
    if (state == was && until == before && strcmp(now, old) == 0)
        return ODP_OK;
    t->changed++;
    return odp_store_run(t->db, "UPDATE key SET state = ?, until = ?, tier = ?, changed = ? WHERE id = ?",
                         "iitii", (int64_t)state, until, now, ++t->change, (int64_t)r->id);
}

/* A number that belongs to another key: table and backup have nothing to do with each other. */
static enum odp_status check_number(struct taking *t, const struct odp_key_record *r)
{
    int64_t n = 0;
    enum odp_status st =
        odp_store_number(t->db, &n, "SELECT count(*) FROM key WHERE id = ?", "i", (int64_t)r->id);
    return st == ODP_OK && n > 0 ? ODP_BAD : st;
}

static enum odp_status take_record(struct taking *t, const struct odp_key_record *r, bool newer)
{
    sqlite3_stmt *row = NULL;
    const char *tier = r->tier < t->settings.ntiers ? t->settings.tiers[r->tier].name : "public";
    enum odp_status st =
        odp_store_prepare(t->db, &row, "SELECT id, state, until, tier FROM key WHERE digest = ?", "b",
                          (const void *)r->digest, ODP_SHA256_SIZE);
    if (st == ODP_OK)
        st = odp_store_step(t->db, row);
    if (st == ODP_OK)
        st = take_change(t, r, tier, newer, row);
    sqlite3_finalize(row);
    if (st != ODP_DONE)
        return st;
    st = check_number(t, r);
    return st == ODP_OK ? take_key(t, r, tier) : st;
}

/* Records of the table in the order of their ids: an account before those that follow it. A record without a
 * slot is nobody's.
 */
static enum odp_status take_all(struct taking *t, const struct odp_keytable *table)
{
    struct odp_key_record r;
    int64_t newest = 0;
    uint64_t largest = 0;
    uint32_t count = odp_keytable_count(table);
    enum odp_status st = odp_store_number(t->db, &newest, "SELECT coalesce(max(id), 0) FROM key", "");
    for (uint32_t n = 0; n < count; n++)
        if (odp_keytable_at(table, n, &r) == ODP_OK && r.id > largest)
            largest = r.id;
    for (int pass = 0; pass < 2 && st == ODP_OK; pass++)
        for (uint32_t n = 0; n < count && st == ODP_OK; n++)
            if (odp_keytable_at(table, n, &r) == ODP_OK && (r.account == r.id) == (pass == 0) &&
                odp_keytable_find(table, r.digest) == (int64_t)n)
                st = take_record(t, &r, largest >= (uint64_t)newest);
    return st;
}

/* What this machine has counted today is history of its own; what it has heard of others is in its table, and
 * written from there: the backup has this machine's among them. */
static enum odp_status take_counts(struct taking *t, const struct odp_keytable *table)
{
    struct odp_key_record r;
    struct odp_service_options none = {0};
    char name[80];
    int64_t machine = 0;
    uint32_t day = odp_quota_day(t->now, t->settings.zone_minutes);
    odp_machine_name(&none, name);
    enum odp_status st = odp_machine_id(t->db, name, &machine);
    if (st == ODP_OK)
        st = odp_store_run(
            t->db,
            "DELETE FROM usage_key WHERE day = ? AND machine = (SELECT id FROM machine WHERE name = ?)", "it",
            (int64_t)day, ODP_MACHINES_ELSEWHERE);
    for (uint32_t n = 0, count = odp_keytable_count(table); n < count && st == ODP_OK; n++) {
        uint64_t used = odp_keytable_used(table, n, day);
        if (used > 0 && odp_keytable_at(table, n, &r) == ODP_OK && r.account == r.id)
            st = odp_store_run(t->db,
                               "INSERT INTO usage_key(account, day, machine, count) VALUES(?, ?, ?, ?)"
                               " ON CONFLICT DO UPDATE SET count = max(count, excluded.count)",
                               "iiii", (int64_t)r.id, (int64_t)day, machine, (int64_t)used);
    }
    return st;
}

/* DONE: there is no table that can be trusted. */
static enum odp_status open_table(const char *dir, struct odp_keytable **table)
{
    char path[ODP_PATH_MAX], why[160];
    *table = NULL;
    if (!odp_state_path(path, dir, "keys.table"))
        return odp_failure_set("open", dir, ENAMETOOLONG);
    enum odp_status st = odp_keytable_open(table, path, NULL);
    if (st == ODP_OK && (st = odp_keytable_check(*table, why)) == ODP_BAD) {
        odp_log("warning", "keys.table cannot be trusted, nothing is taken over from it: %s", why);
        odp_keytable_close(*table);
        *table = NULL;
    }
    return st == ODP_BAD ? ODP_DONE : st;
}

/* ---- one transaction ---- */

/* Other machines may have seen more than the backup has: nothing that they have seen is given out again. */
static enum odp_status leave_gap(struct taking *t)
{
    enum odp_status st =
        odp_store_run(t->db,
                      "INSERT INTO sqlite_sequence(name, seq) SELECT 'key', 0 WHERE NOT EXISTS"
                      " (SELECT 1 FROM sqlite_sequence WHERE name = 'key')",
                      "");
    if (st == ODP_OK)
        st = odp_store_run(t->db, "UPDATE setting SET value = ? WHERE name = 'change'", "i", t->change);
    return st == ODP_OK ? odp_generation_renew(t->db) : st;
}

static enum odp_status note(struct taking *t, bool promote)
{
    char actor[80], detail[128];
    const struct passwd *user = getpwuid(geteuid()); /* before any thread */
    (void)snprintf(actor, sizeof actor, "command:%s", user != NULL ? user->pw_name : "unknown");
    (void)snprintf(detail, sizeof detail, "{\"keys_taken\":%llu,\"keys_changed\":%llu}",
                   (unsigned long long)t->taken, (unsigned long long)t->changed);
    return odp_audit_add(t->db, t->now, actor, promote ? "promote" : "restore", "", detail);
}

static enum odp_status amend(const char *dir, struct taking *t, bool promote)
{
    struct odp_keytable *table = NULL;
    enum odp_status st = promote ? open_table(dir, &table) : ODP_DONE;
    if (st == ODP_FAIL)
        return st;
    if (table != NULL)
        odp_keytable_settings(table, &t->settings);
    st = odp_store_begin(t->db);
    if (st == ODP_OK)
        st = odp_store_number(t->db, &t->change, "SELECT value FROM setting WHERE name = 'change'", "");
    if (st == ODP_OK && table != NULL)
        st = take_all(t, table);
    if (st == ODP_OK && table != NULL)
        st = take_counts(t, table);
    if (st == ODP_OK)
        st = leave_gap(t);
    if (st == ODP_OK)
        st = note(t, promote);
    if (st == ODP_OK)
        st = odp_store_commit(t->db);
    if (st != ODP_OK)
        odp_store_rollback(t->db);
    odp_keytable_close(table);
    return st;
}

/* Migrates the copy, amends it, and leaves it as one file. */
static enum odp_status prepare_copy(const char *dir, const char *path, bool promote, char why[ODP_WHY])
{
    struct taking t = {.now = odp_now()};
    enum odp_status st = odp_store_open(&t.db, path, why);
    if (st == ODP_OK && (st = amend(dir, &t, promote)) == ODP_BAD)
        (void)odp_state_bad(why, "the backup is of another gateway than the keys of this standby: its "
                                 "numbers belong to other keys");
    if (st == ODP_OK)
        st = odp_store_run(t.db, "PRAGMA journal_mode = DELETE", "");
    odp_store_close(t.db);
    return st == ODP_OK ? odp_file_seal(path, NULL) : st;
}

/* The log of the store that is replaced must be gone before the new file has its name: SQLite would play it
 * into the new one.
 */
static enum odp_status put_in_place(const char *dir, const char *copy)
{
    char store[ODP_PATH_MAX], log[ODP_PATH_MAX + 8];
    if (!odp_state_path(store, dir, "store.sqlite"))
        return odp_failure_set("open", dir, ENAMETOOLONG);
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
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
    if (!odp_state_path(store, dir, "store.sqlite") || odp_file_kind_of(store) == ODP_FILE_NONE)
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
    if (st == ODP_OK && !odp_state_path(copy, state_dir, COPY))
        st = odp_failure_set("open", state_dir, ENAMETOOLONG);
    if (st == ODP_OK) {
        st = copy_backup(backup, copy, why);
        if (st == ODP_OK)
            st = prepare_copy(state_dir, copy, promote, why);
        if (st == ODP_OK)
            settle_old(state_dir);
        if (st == ODP_OK)
            st = put_in_place(state_dir, copy);
        if (st != ODP_OK)
            (void)remove_copy(copy);
    }
    if (lock >= 0)
        close(lock);
    if (st == ODP_FAIL && why[0] == '\0')
        (void)snprintf(why, ODP_WHY, "%s", odp_failure_text());
    return st;
}
