/* Writes counts from the mapped files into the store: absolute values, so that writing them twice does no
 * harm. Of keys it writes only what changed since the last time; one pass over their words finds that.
 *
 * When the day turns, the day before is written once more: what was counted after the last flush and before
 * midnight. A key whose first request of the new day came before that pass has lost at most that last second
 * of its history (never of its quota).
 *
 * What other machines have told of a key has one name for all of them, ODP_MACHINES_ELSEWHERE, less what the
 * store has of them under their own names (a writer whose place this machine took), so that the sum of a day
 * is that of all machines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "core/quota/quota.h"
#include "service/state/log.h"
#include "service/state/state_internal.h"

enum { KEEP_DAYS = 400, PRUNE_ROWS = 20000, SYNC_SECONDS = 10, SCRUB_SECONDS = 10, PROBE_BYTES = 1 << 18 };

struct counts {
    uint64_t used, elsewhere;
};

struct odp_flush {
    char name[80];              /* this machine */
    int64_t machine, elsewhere; /* its id in the store, and that of all others */
    struct counts *last;        /* of record N, as the store has them, of DAY */
    uint32_t n;
    uint32_t day;
    int64_t synced;  /* when the table was last synced */
    uint32_t pruned; /* day when old rows were last removed */
};

/* ---- the meter ---- */

/* Which file it is: its number, which may be used again, and when it was made. */
static enum odp_status meter_identity(const struct odp_state *s, char out[80])
{
    char path[ODP_PATH_MAX];
    struct statx x;
    odp_state_file(path, s->options->state_dir, "meter.table");
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &x) != 0)
        return odp_failure_set("stat", path, errno);
    bool born = (x.stx_mask & STATX_BTIME) != 0;
    (void)snprintf(out, 80, "%llu:%lld.%09u", (unsigned long long)x.stx_ino,
                   born ? (long long)x.stx_btime.tv_sec : 0, born ? x.stx_btime.tv_nsec : 0u);
    return ODP_OK;
}

/* A meter that starts at zero must not write over what the one before had counted: that gets another name. */
static enum odp_status fold_meter(struct odp_state *s)
{
    char identity[80];
    struct odp_sql q = {.db = s->db, .st = meter_identity(s, identity)};
    int64_t same =
        odp_sql_number(&q, "SELECT count(*) FROM setting WHERE name = 'meter' AND value = ?", "t", identity);
    if (q.st != ODP_OK || same == 1)
        return q.st;
    int64_t day = odp_quota_day(odp_now(), s->settings.zone_minutes) - 1;
    q = odp_sql_begin(s->db);
    odp_sql_run(&q,
                "INSERT INTO usage_dataset(machine, day, tier, dataset, format, count)"
                " SELECT machine || '~', day, tier, dataset, format, count FROM usage_dataset "
                "WHERE machine = ? AND day >= ?"
                " ON CONFLICT DO UPDATE SET count = count + excluded.count",
                "ti", s->flush->name, day);
    odp_sql_run(&q, "DELETE FROM usage_dataset WHERE machine = ? AND day >= ?", "ti", s->flush->name, day);
    odp_sql_run(&q,
                "INSERT INTO setting(name, value) VALUES('meter', ?) ON CONFLICT(name) DO UPDATE "
                "SET value = excluded.value",
                "t", identity);
    return odp_sql_commit(&q);
}

enum odp_status odp_flush_new(struct odp_state *s)
{
    s->flush = calloc(1, sizeof *s->flush);
    if (s->flush == NULL)
        return odp_failure_set("counts", NULL, ENOMEM);
    odp_machine_name(s->options, s->flush->name);
    if (s->db == NULL)
        return ODP_OK;
    struct odp_sql q = {.db = s->db};
    s->flush->machine = odp_machine_id(&q, s->flush->name);
    s->flush->elsewhere = odp_machine_id(&q, ODP_MACHINES_ELSEWHERE);
    return q.st == ODP_OK ? fold_meter(s) : q.st;
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
    struct counts *more = odp_realloc_array(f->last, n, sizeof *more);
    if (more == NULL)
        return ODP_FAIL;
    memset(more + f->n, 0, (size_t)(n - f->n) * sizeof *more);
    f->last = more;
    f->n = n;
    return ODP_OK;
}

/* Forgets what the store has: everything counted today is written again. */
static void forget_counts(struct odp_flush *f)
{
    if (f->last != NULL)
        memset(f->last, 0, (size_t)f->n * sizeof *f->last);
}

struct puts {
    struct odp_sql used, elsewhere;
};

/* Those of NOW that the store does not have yet. */
static void write_counts(struct odp_state *s, struct puts *put, uint32_t n, uint32_t day, struct counts now)
{
    const struct odp_flush *f = s->flush;
    struct odp_key_record r;
    if (odp_keytable_at(s->table, n, &r) != ODP_OK || r.account != r.id)
        return; /* a successor: its account's own record says the same */
    if (now.used != f->last[n].used)
        odp_sql_repeat(&put->used,
                       "INSERT INTO usage_key(account, day, machine, count) VALUES(?, ?, ?, ?)"
                       " ON CONFLICT DO UPDATE SET count = excluded.count WHERE count <> excluded.count",
                       "iiii", (int64_t)r.id, (int64_t)day, f->machine, (int64_t)now.used);
    if (now.elsewhere != f->last[n].elsewhere)
        odp_sql_repeat(&put->elsewhere,
                       "INSERT INTO usage_key(account, day, machine, count)"
                       " SELECT ?1, ?2, ?3, max(0, ?4 - (SELECT coalesce(sum(count), 0) FROM usage_key"
                       " WHERE account = ?1 AND day = ?2 AND machine NOT IN (?3, ?5))) WHERE true"
                       " ON CONFLICT DO UPDATE SET count = excluded.count WHERE count <> excluded.count",
                       "iiiii", (int64_t)r.id, (int64_t)day, f->elsewhere, (int64_t)now.elsewhere,
                       f->machine);
}

/* OVER: the day has ended. Words that say nothing of it any more belong to keys that were used today already:
 * what was written of them stays. */
static void flush_keys(struct odp_state *s, struct odp_sql *q, uint32_t day, bool over)
{
    struct odp_flush *f = s->flush;
    uint32_t count = odp_keytable_count(s->table);
    struct puts put = {{.db = q->db, .st = q->st}, {.db = q->db}};
    if (put.used.st == ODP_OK)
        put.used.st = grow(f, count);
    for (uint32_t n = 0; n < count && put.used.st == ODP_OK && put.elsewhere.st == ODP_OK; n++) {
        struct counts now = {odp_keytable_used(s->table, n, day),
                             odp_keytable_used_elsewhere(s->table, n, day)};
        if (over && now.used == 0)
            now.used = f->last[n].used;
        if (over && now.elsewhere == 0)
            now.elsewhere = f->last[n].elsewhere;
        if (now.used == f->last[n].used && now.elsewhere == f->last[n].elsewhere)
            continue;
        write_counts(s, &put, n, day, now);
        f->last[n] = now;
    }
    enum odp_status used = odp_sql_end(&put.used), elsewhere = odp_sql_end(&put.elsewhere);
    q->st = used != ODP_OK ? used : elsewhere;
}

static void flush_days(struct odp_state *s, struct odp_sql *q, uint32_t day)
{
    struct odp_flush *f = s->flush;
    if (f->day != 0 && f->day != day)
        flush_keys(s, q, f->day, true);
    if (f->day != day)
        forget_counts(f);
    f->day = day;
    flush_keys(s, q, day, false);
}

/* ---- datasets ---- */

struct usage {
    const char *machine;
    struct odp_sql put;
};

static enum odp_status flush_usage(void *ctx, const struct odp_meter_usage *u)
{
    struct usage *x = ctx;
    odp_sql_repeat(
        &x->put,
        "INSERT INTO usage_dataset(machine, day, tier, dataset, format, count) VALUES(?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET count = excluded.count WHERE count <> excluded.count",
        "tittti", x->machine, (int64_t)u->day, u->tier, u->dataset, u->format, (int64_t)u->count);
    return x->put.st;
}

static void flush_datasets(struct odp_state *s, struct odp_sql *q)
{
    struct usage x = {s->flush->name, {.db = q->db, .st = q->st}};
    if (q->st == ODP_OK && odp_meter_each(s->meter, &x, flush_usage) == ODP_FAIL)
        x.put.st = ODP_FAIL;
    q->st = odp_sql_end(&x.put);
}

/* ---- all ---- */

/* A few rows at a time, so that nobody waits. */
static void prune(struct odp_state *s, struct odp_sql *q, int64_t now, uint32_t day)
{
    struct odp_flush *f = s->flush;
    if (f->pruned == day)
        return;
    odp_sql_run(q, "DELETE FROM token WHERE until < ?", "i", now);
    odp_sql_run(q,
                "DELETE FROM usage_key WHERE (account, day, machine) IN"
                " (SELECT account, day, machine FROM usage_key WHERE day < ? LIMIT ?)",
                "ii", (int64_t)day - KEEP_DAYS, (int64_t)PRUNE_ROWS);
    if (q->st == ODP_OK && sqlite3_changes(s->db) < PRUNE_ROWS)
        f->pruned = day;
}

/* After a change that failed, whether or not anything was counted since: does the folder take as much as a
 * registration needs, and the store a change? (The store's log has room of its own, which one change may fit
 * into and the next not.) */
static void probe(struct odp_state *s, struct odp_sql *q)
{
    static const char nothing[PROBE_BYTES];
    struct odp_file *f = NULL;
    char path[ODP_PATH_MAX];
    odp_state_file(path, s->options->state_dir, "probe");
    (void)unlink(path); /* of a service that was killed meanwhile */
    if (q->st == ODP_OK)
        q->st = odp_file_create_scratch(&f, path);
    if (q->st == ODP_OK)
        q->st = odp_file_write(f, nothing, sizeof nothing);
    odp_file_discard(f);
    odp_sql_run(q, "UPDATE setting SET value = value WHERE name = 'change'", "");
}

static enum odp_status write_all(struct odp_state *s, int64_t now)
{
    uint32_t day = odp_quota_day(now, s->settings.zone_minutes);
    struct odp_sql q = odp_sql_begin(s->db);
    if (s->unwritten)
        probe(s, &q);
    flush_days(s, &q, day);
    flush_datasets(s, &q);
    prune(s, &q, now, day);
    if (odp_sql_commit(&q) == ODP_OK) {
        s->unwritten = false;
        return ODP_OK;
    }
    s->flush->pruned = 0;
    forget_counts(s->flush);
    return ODP_FAIL;
}

/* What an act could not finish: records that did not fit into the table, pages that a reader kept in the
 * log. */
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
    enum odp_status st = write_all(s, now), acts = finish_acts(s, now);
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

const char *odp_state_room(const struct odp_state *s, uint64_t *left)
{
    struct statvfs v;
    *left = 0;
    if (statvfs(s->options->state_dir, &v) != 0)
        return "failing";
    *left = (uint64_t)v.f_bavail * v.f_frsize;
    if ((v.f_flag & ST_RDONLY) != 0)
        return "read-only";
    if (*left < ODP_STATE_ROOM)
        return "no-space";
    return odp_keytable_count(s->table) >= odp_keytable_capacity(s->table) ? "table-full" : "ok";
}
