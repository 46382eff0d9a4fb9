/* Counts, from the mapped files into the store: absolute values, so that writing them twice does no harm. Of
 * keys only what changed since the last time is written; a million keys are looked at by one pass over their
 * words.
 *
 * When the day turns, the day before is written once more: what was counted after the last flush and before
 * midnight. A key whose first request of the new day came before that pass has lost at most that last second
 * of its history (never of its quota).
 *
 * What other machines have told of a key stands under one name for all of them, ODP_MACHINES_ELSEWHERE, less
 * what the store has of them under their own names (a writer whose place this machine took), so that the sum
 * of a day is that of all machines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "core/quota/quota.h"
#include "service/state/log.h"
#include "service/state/state_internal.h"

enum { KEEP_DAYS = 400, PRUNE_ROWS = 20000, SYNC_SECONDS = 10, SCRUB_SECONDS = 10, PROBE_BYTES = 1 << 18 };

struct odp_flush {
    char name[80];              /* this machine */
    int64_t machine, elsewhere; /* its id in the store, and that of all others */
    struct told {
        uint64_t used, elsewhere;
    } * last; /* counts of record N that the store has, of DAY */
    uint32_t n;
    uint32_t day;
    int64_t synced;  /* when the table was last synced */
    uint32_t pruned; /* day when old rows were last removed */
};

/* Which file is it? Its number may be used again, the moment it was made not. */
static enum odp_status meter_identity(const struct odp_state *s, char out[80])
{
    char path[ODP_PATH_MAX];
    struct statx x;
    (void)odp_state_path(path, s->options->state_dir, "meter.table");
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &x) != 0)
        return odp_failure_set("stat", path, errno);
    bool born = (x.stx_mask & STATX_BTIME) != 0;
    (void)snprintf(out, 80, "%llu:%lld.%09u", (unsigned long long)x.stx_ino,
                   born ? (long long)x.stx_btime.tv_sec : 0, born ? x.stx_btime.tv_nsec : 0u);
    return ODP_OK;
}

/* A meter that starts at zero must not write over what the one before had counted: that is put under another
 * name. */
static enum odp_status fold_meter(struct odp_state *s)
{
    char identity[80];
    int64_t same = 0;
    enum odp_status st = meter_identity(s, identity);
    if (st == ODP_OK)
        st = odp_store_number(s->db, &same, "SELECT count(*) FROM setting WHERE name = 'meter' AND value = ?",
                              "t", identity);
    if (st != ODP_OK || same == 1)
        return st;
    int64_t day = odp_quota_day(odp_now(), s->settings.zone_minutes) - 1;
    st = odp_store_begin(s->db);
    if (st == ODP_OK)
        st = odp_store_run(s->db,
                           "INSERT INTO usage_dataset(machine, day, tier, dataset, format, count)"
                           " SELECT machine || '~', day, tier, dataset, format, count FROM usage_dataset "
                           "WHERE machine = ? AND day >= ?"
                           " ON CONFLICT DO UPDATE SET count = count + excluded.count",
                           "ti", s->flush->name, day);
    if (st == ODP_OK)
        st = odp_store_run(s->db, "DELETE FROM usage_dataset WHERE machine = ? AND day >= ?", "ti",
                           s->flush->name, day);
    if (st == ODP_OK)
        st = odp_store_run(s->db,
                           "INSERT INTO setting(name, value) VALUES('meter', ?) ON CONFLICT(name) DO UPDATE "
                           "SET value = excluded.value",
                           "t", identity);
    if (st == ODP_OK)
        st = odp_store_commit(s->db);
    if (st != ODP_OK)
        odp_store_rollback(s->db);
    return st;
}

enum odp_status odp_flush_new(struct odp_state *s)
{
    s->flush = calloc(1, sizeof *s->flush);
    if (s->flush == NULL)
        return odp_failure_set("counts", NULL, ENOMEM);
    odp_machine_name(s->options, s->flush->name);
    if (s->db == NULL)
        return ODP_OK;
    enum odp_status st = odp_machine_id(s->db, s->flush->name, &s->flush->machine);
    if (st == ODP_OK)
        st = odp_machine_id(s->db, ODP_MACHINES_ELSEWHERE, &s->flush->elsewhere);
    return st == ODP_OK ? fold_meter(s) : st;
}

void odp_flush_free(struct odp_flush *f)
{
    if (f != NULL)
        free(f->last);
    free(f);
}

/* ---- keys ---- */

static enum odp_status grow(struct odp_flush *f, uint32_t count)
{
    if (count <= f->n)
        return ODP_OK;
    uint32_t n = count < 1024 ? 1024 : count + count / 8;
    struct told *more = odp_realloc_array(f->last, n, sizeof *more);
    if (more == NULL)
        return ODP_FAIL;
    memset(more + f->n, 0, (size_t)(n - f->n) * sizeof *more);
    f->last = more;
    f->n = n;
    return ODP_OK;
}

struct puts {
    sqlite3_stmt *used, *elsewhere;
};

/* TYPES: "iiii", or "iiiii" where SQL asks for this machine, too. */
static enum odp_status write_count(struct odp_state *s, sqlite3_stmt **put, const char *sql,
                                   const char *types, uint64_t id, uint32_t day, int64_t machine,
                                   uint64_t count)
{
    if (*put == NULL && odp_store_prepare(s->db, put, sql, "") != ODP_OK)
        return ODP_FAIL;
    enum odp_status st = odp_store_again(s->db, *put, types, (int64_t)id, (int64_t)day, machine,
                                         (int64_t)count, s->flush->machine);
    if (st == ODP_OK)
        st = odp_store_step(s->db, *put);
    return st == ODP_DONE ? ODP_OK : st;
}

/* What of NOW is not in the store yet. */
static enum odp_status write_counts(struct odp_state *s, struct puts *put, uint32_t n, uint32_t day,
                                    struct told now)
{
    struct odp_key_record r;
    if (odp_keytable_at(s->table, n, &r) != ODP_OK || r.account != r.id)
        return ODP_OK; /* a successor: its account's own record says the same */
    enum odp_status st = ODP_OK;
    if (now.used != s->flush->last[n].used)
        st = write_count(s, &put->used,
                         "INSERT INTO usage_key(account, day, machine, count) VALUES(?, ?, ?, ?)"
                         " ON CONFLICT DO UPDATE SET count = excluded.count WHERE count <> excluded.count",
                         "iiii", r.id, day, s->flush->machine, now.used);
    if (st == ODP_OK && now.elsewhere != s->flush->last[n].elsewhere)
        st = write_count(s, &put->elsewhere,
                         "INSERT INTO usage_key(account, day, machine, count)"
                         " SELECT ?1, ?2, ?3, max(0, ?4 - (SELECT coalesce(sum(count), 0) FROM usage_key"
                         " WHERE account = ?1 AND day = ?2 AND machine NOT IN (?3, ?5))) WHERE true"
                         " ON CONFLICT DO UPDATE SET count = excluded.count WHERE count <> excluded.count",
                         "iiiii", r.id, day, s->flush->elsewhere, now.elsewhere);
    return st;
}

/* OVER: the day has ended, and words that say nothing of it any more belong to keys that were used today
 * already: what was written of them stays. */
static enum odp_status flush_keys(struct odp_state *s, uint32_t day, bool over)
{
    struct odp_flush *f = s->flush;
    uint32_t count = odp_keytable_count(s->table);
    struct puts put = {NULL, NULL};
    enum odp_status st = grow(f, count);
    for (uint32_t n = 0; n < count && st == ODP_OK; n++) {
        struct told now = {odp_keytable_used(s->table, n, day),
                           odp_keytable_used_elsewhere(s->table, n, day)};
        if (over && now.used == 0)
            now.used = f->last[n].used;
        if (over && now.elsewhere == 0)
            now.elsewhere = f->last[n].elsewhere;
        if (now.used == f->last[n].used && now.elsewhere == f->last[n].elsewhere)
            continue;
        st = write_counts(s, &put, n, day, now);
        f->last[n] = now;
    }
    sqlite3_finalize(put.used);
    sqlite3_finalize(put.elsewhere);
    return st;
}

static enum odp_status flush_days(struct odp_state *s, uint32_t day)
{
    struct odp_flush *f = s->flush;
    enum odp_status st = ODP_OK;
    if (f->day != 0 && f->day != day)
        st = flush_keys(s, f->day, true);
    if (f->day != day && f->last != NULL)
        memset(f->last, 0, (size_t)f->n * sizeof *f->last);
    f->day = day;
    return st == ODP_OK ? flush_keys(s, day, false) : st;
}

/* ---- datasets ---- */

struct usage {
    struct odp_state *s;
    sqlite3_stmt *put;
};

static enum odp_status flush_usage(void *ctx, const struct odp_meter_usage *u)
{
    struct usage *x = ctx;
    enum odp_status st =
        odp_store_again(x->s->db, x->put, "titttii", x->s->flush->name, (int64_t)u->day, u->tier, u->dataset,
                        u->format, (int64_t)u->count, (int64_t)u->count);
    if (st == ODP_OK)
        st = odp_store_step(x->s->db, x->put);
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status flush_datasets(struct odp_state *s)
{
    struct usage x = {s, NULL};
    enum odp_status st = odp_store_prepare(
        s->db, &x.put,
        "INSERT INTO usage_dataset(machine, day, tier, dataset, format, count) VALUES(?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET count = excluded.count WHERE count <> ?",
        "");
    if (st == ODP_OK)
        st = odp_meter_each(s->meter, &x, flush_usage);
    sqlite3_finalize(x.put);
    return st == ODP_DONE ? ODP_OK : st;
}

/* ---- all ---- */

/* A few rows at a time, so that nobody waits. */
static enum odp_status prune(struct odp_state *s, int64_t now, uint32_t day)
{
    struct odp_flush *f = s->flush;
    if (f->pruned == day)
        return ODP_OK;
    enum odp_status st = odp_store_run(s->db, "DELETE FROM token WHERE until < ?", "i", now);
    if (st == ODP_OK)
        st = odp_store_run(s->db,
                           "DELETE FROM usage_key WHERE (account, day, machine) IN"
                           " (SELECT account, day, machine FROM usage_key WHERE day < ? LIMIT ?)",
                           "ii", (int64_t)day - KEEP_DAYS, (int64_t)PRUNE_ROWS);
    if (st == ODP_OK && sqlite3_changes(s->db) < PRUNE_ROWS)
        f->pruned = day;
    return st;
}

/* After a change that failed, whether or not anything was counted since: does the folder take as much as a
 * registration needs, and the store a change? (The store's log has room of its own, which one change may fit
 * into and the next not.) */
static enum odp_status probe(struct odp_state *s)
{
    static const char nothing[PROBE_BYTES];
    struct odp_file *f = NULL;
    char path[ODP_PATH_MAX];
    (void)odp_state_path(path, s->options->state_dir, "probe");
    (void)unlink(path); /* of a service that was killed meanwhile */
    enum odp_status st = odp_file_create_scratch(&f, path);
    if (st == ODP_OK)
        st = odp_file_write(f, nothing, sizeof nothing);
    odp_file_discard(f);
    return st == ODP_OK ? odp_store_run(s->db, "UPDATE setting SET value = value WHERE name = 'change'", "")
                        : st;
}

static enum odp_status write_all(struct odp_state *s, int64_t now)
{
    uint32_t day = odp_quota_day(now, s->settings.zone_minutes);
    enum odp_status st = odp_store_begin(s->db);
    if (st == ODP_OK && s->unwritten)
        st = probe(s);
    if (st == ODP_OK)
        st = flush_days(s, day);
    if (st == ODP_OK)
        st = flush_datasets(s);
    if (st == ODP_OK)
        st = prune(s, now, day);
    if (st == ODP_OK)
        st = odp_store_commit(s->db);
    s->unwritten = s->unwritten && st != ODP_OK;
    if (st == ODP_OK)
        return st;
    odp_store_rollback(s->db);
    s->flush->pruned = 0;
    if (s->flush->last != NULL) /* not written after all: everything counted today is written again */
        memset(s->flush->last, 0, (size_t)s->flush->n * sizeof *s->flush->last);
    return ODP_FAIL;
}

/* What an act could not finish: records that did not fit into the table, pages that a reader kept in the log.
 */
static enum odp_status finish_acts(struct odp_state *s, int64_t now)
{
    enum odp_status st = ODP_OK;
    if (s->unput != 0 && (st = odp_state_put_changed(s, s->unput - 1)) == ODP_OK) {
        s->unput = 0;
        odp_log("info", "keys that the table could not take are in it now");
    }
    if (st == ODP_OK && s->unerased &&
        (now - s->unerased_tried >= SCRUB_SECONDS || now < s->unerased_tried)) {
        s->unerased_tried = now;
        st = odp_store_scrub(s->db);
        s->unerased = st != ODP_OK;
    }
    return st == ODP_DONE ? ODP_OK : st;
}

enum odp_status odp_flush_locked(struct odp_state *s, int64_t now)
{
    if (s->db == NULL)
        return ODP_OK;
    enum odp_status st = write_all(s, now);
    enum odp_status acts = finish_acts(s, now);
    return st != ODP_OK ? st : acts;
}

enum odp_status odp_state_flush(struct odp_state *s)
{
    int64_t now = odp_now();
    pthread_mutex_lock(&s->mutex);
    enum odp_status st = odp_flush_locked(s, now);
    bool sync = now - s->flush->synced >= SYNC_SECONDS || now < s->flush->synced;
    if (sync)
        s->flush->synced = now;
    pthread_mutex_unlock(&s->mutex);
    enum odp_status synced = sync ? odp_keytable_sync(s->table) : ODP_OK;
    return st != ODP_OK ? st : synced;
}
