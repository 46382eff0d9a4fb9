/* What acts on keys have in common. An act is one transaction; its keys are put into the table after the
 * commit, under the same mutex, and only then is it acknowledged. All that the table needs for that is made
 * sure of before the commit: what is refused for want of memory or room has not happened. Should a put fail
 * all the same (a table that somebody filled with other bytes), the next flush or the next start makes up for
 * it. */
#include "service/accounts/keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "service/accounts/keys_internal.h"
#include "service/state/log.h"

enum odp_status odp_act_begin(struct odp_act *a, struct odp_state *s, const char *actor, int64_t now,
                              enum odp_problem *problem)
{
    *a = (struct odp_act){.s = s, .actor = actor, .now = now, .problem = problem};
    *problem = ODP_PROBLEM_INTERNAL;
    if (s->db == NULL)
        return odp_act_refuse(a, ODP_PROBLEM_UNAVAILABLE);
    pthread_mutex_lock(&s->mutex);
    enum odp_status st = odp_store_begin(s->db);
    if (st == ODP_OK)
        st = odp_store_number(s->db, &a->before, "SELECT value FROM setting WHERE name = 'change'", "");
    if (st == ODP_OK)
        return ODP_OK;
    odp_store_rollback(s->db);
    s->unwritten = true;
    pthread_mutex_unlock(&s->mutex);
    return odp_failure_set("begin", "store.sqlite", 0);
}

/* The records that this act has changed. *LIST is the caller's to free. */
static enum odp_status collect(struct odp_act *a, struct odp_key_record **list, size_t *n)
{
    sqlite3_stmt *row = NULL;
    size_t room = 0;
    enum odp_status st = odp_store_prepare(
        a->s->db, &row, "SELECT " ODP_KEY_COLUMNS " FROM key WHERE changed > ? ORDER BY +id", "i", a->before);
    while (st == ODP_OK && (st = odp_store_step(a->s->db, row)) == ODP_OK) {
        if (*n == room) {
            room = room == 0 ? 8 : 2 * room;
            struct odp_key_record *more = odp_realloc_array(*list, room, sizeof *more);
            if (more == NULL) {
                st = ODP_FAIL;
                break;
            }
            *list = more;
        }
        st = odp_state_record(a->s, row, &(*list)[(*n)++]);
    }
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_OK : st;
}

/* After the commit. */
static enum odp_status finish(struct odp_act *a, const struct odp_key_record *list, size_t n)
{
    struct odp_state *s = a->s;
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        st = odp_keytable_put(s->table, &list[i]);
    if (st != ODP_OK) {
        if (s->unput == 0)
            s->unput = a->before + 1;
        odp_log("error", "a change is in the store, but not yet in the table: it will be tried again");
        return ODP_FAIL;
    }
    if (a->erases) {
        st = odp_store_scrub(s->db);
        s->unerased = st != ODP_OK;
        s->unerased_tried = a->now;
        if (st ==
            ODP_FAIL) /* the act is done; what lies in free space is tried again, also after a restart */
            odp_log_failure("forget: the store's file could not be rewritten yet");
    }
    return ODP_OK;
}

enum odp_status odp_act_end(struct odp_act *a, enum odp_status st)
{
    struct odp_state *s = a->s;
    struct odp_key_record *list = NULL;
    size_t n = 0;
    if (st == ODP_OK && !a->keyless) {
        st = collect(a, &list, &n);
        if (st == ODP_OK)
            st = odp_keytable_reserve(s->table, list, n);
    }
    if (st == ODP_OK)
        st = odp_store_commit(s->db);
    if (st == ODP_OK)
        st = finish(a, list, n);
    else
        odp_store_rollback(s->db);
    s->unwritten = s->unwritten || st == ODP_FAIL;
    pthread_mutex_unlock(&s->mutex);
    free(list);
    if (st == ODP_OK)
        odp_bell_ring(&s->keys_changed);
    return st;
}

enum odp_status odp_act_end_telling(struct odp_act *a, enum odp_status st, const struct odp_telling *tell,
                                    const struct odp_issued *out)
{
    if (st == ODP_OK && tell != NULL)
        st = tell->tell(tell->ctx, out);
    return odp_act_end(a, st);
}

enum odp_status odp_act_refuse(struct odp_act *a, enum odp_problem p)
{
    *a->problem = p;
    return ODP_BAD;
}

enum odp_status odp_act_audit(struct odp_act *a, const char *act, const char *subject, const char *format,
                              ...)
{
    char detail[512] = "{";
    va_list args;
    va_start(args, format);
    int n = vsnprintf(detail + 1, sizeof detail - 2, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof detail - 2)
        return odp_failure_set("audit", NULL, 0);
    detail[n + 1] = '}';
    detail[n + 2] = '\0';
    return odp_audit_add(a->s->db, a->now, a->actor, act, subject, detail);
}

static enum odp_status row_of(sqlite3 *db, sqlite3_stmt *st, struct odp_key_row *k)
{
    enum odp_status got = odp_store_step(db, st);
    if (got == ODP_OK) {
        *k = (struct odp_key_row){.id = sqlite3_column_int64(st, 0),
                                  .holder = sqlite3_column_int64(st, 1),
                                  .account = sqlite3_column_int64(st, 2),
                                  .created = sqlite3_column_int64(st, 3),
                                  .until = sqlite3_column_int64(st, 4),
                                  .ends = sqlite3_column_int64(st, 5),
                                  .state = (enum odp_key_state)sqlite3_column_int(st, 6)};
        odp_store_text(st, 7, k->tier, sizeof k->tier);
        odp_store_text(st, 8, k->shown, sizeof k->shown);
    }
    sqlite3_finalize(st);
    return got;
}

#define KEY_ROW "SELECT id, holder, account, created, until, ends, state, tier, shown FROM key WHERE "

enum odp_status odp_key_row_by_id(sqlite3 *db, int64_t id, struct odp_key_row *k)
{
    sqlite3_stmt *st = NULL;
    return odp_store_prepare(db, &st, KEY_ROW "id = ?", "i", id) == ODP_OK ? row_of(db, st, k) : ODP_FAIL;
}

enum odp_status odp_key_row_by_digest(sqlite3 *db, const uint8_t digest[ODP_SHA256_SIZE],
                                      struct odp_key_row *k)
{
    sqlite3_stmt *st = NULL;
    return odp_store_prepare(db, &st, KEY_ROW "digest = ?", "b", (const void *)digest, ODP_SHA256_SIZE) ==
                   ODP_OK
               ? row_of(db, st, k)
               : ODP_FAIL;
}

void odp_email_fold(struct odp_slice email, char out[256])
{
    size_t n = email.len < 255 ? email.len : 255;
    for (size_t i = 0; i < n; i++)
        out[i] = email.ptr[i] >= 'A' && email.ptr[i] <= 'Z' ? (char)(email.ptr[i] + 32) : email.ptr[i];
    out[n] = '\0';
}

static int64_t earliest(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

int64_t odp_key_until(const struct odp_act *a, int64_t ends, int64_t confirm_by)
{
    int64_t term = a->s->options->key_term;
    if (ends == ODP_KEY_FOR_EVER)
        return confirm_by;
    return earliest(earliest(ends, confirm_by), term > 0 ? a->now + term : 0);
}

enum odp_status odp_holder_add(struct odp_act *a, const struct odp_registration *r, bool confirm, int64_t *id,
                               int64_t *confirm_by)
{
    char fold[256];
    *confirm_by = confirm ? a->now + ODP_UNCONFIRMED_TERM : 0;
    odp_email_fold(r->email, fold);
    enum odp_status st = odp_store_run(
        a->s->db,
        "INSERT INTO holder(name, email, email_fold, organisation, purpose, confirm_by, created)"
        " VALUES(?, ?, ?, ?, ?, ?, ?)",
        "sstssii", r->name, r->email, fold, r->organisation, r->purpose, *confirm_by, a->now);
    *id = sqlite3_last_insert_rowid(a->s->db);
    return st;
}

/* The next number of a kind that is never used twice. */
static enum odp_status next_change(struct odp_act *a, int64_t *out)
{
    return odp_store_number(a->s->db, out,
                            "UPDATE setting SET value = value + 1 WHERE name = 'change' RETURNING value", "");
}

static enum odp_status next_id(struct odp_act *a, int64_t *out)
{
    enum odp_status st =
        odp_store_number(a->s->db, out, "SELECT seq FROM sqlite_sequence WHERE name = 'key'", "");
    *out = st == ODP_OK ? *out + 1 : 1;
    return st == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status odp_key_add(struct odp_act *a, int64_t holder, int64_t account, const char *tier,
                            int64_t until, int64_t ends, struct odp_issued *out)
{
    int64_t id = 0, change = 0;
    struct odp_key_record *r = &out->record;
    if (odp_keytable_count(a->s->table) >= odp_keytable_capacity(a->s->table))
        return odp_act_refuse(a, ODP_PROBLEM_UNAVAILABLE);
    memset(r, 0, sizeof *r);
    enum odp_status st = odp_key_make(out->key);
    struct odp_slice key = odp_slice_of(out->key);
    if (st == ODP_OK)
        st = odp_key_digest(key, r->digest);
    if (st == ODP_OK)
        st = next_id(a, &id);
    if (st == ODP_OK)
        st = next_change(a, &change);
    if (st == ODP_OK)
        st = odp_state_tier_need(a->s, tier, &r->tier);
    if (st != ODP_OK)
        return ODP_FAIL;
    odp_key_shown(key, r->shown);
    r->id = (uint64_t)id;
    r->account = (uint64_t)(account != 0 ? account : id);
    r->until = until;
    r->state = ODP_KEY_ACTIVE;
    return odp_store_run(
        a->s->db,
        "INSERT INTO key(id, holder, digest, shown, account, tier, state, created, until, ends, changed)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "iibtitiiiii", id, holder, (const void *)r->digest, ODP_SHA256_SIZE, r->shown, (int64_t)r->account,
        tier, (int64_t)ODP_KEY_ACTIVE, a->now, until, ends, change);
}

enum odp_status odp_key_change(struct odp_act *a, const char *set, const char *condition, int64_t id,
                               const char *text, int64_t number)
{
    char sql[512];
    sqlite3 *db = a->s->db;
    /* The subquery numbers the selected keys; it is evaluated before anything is written. */
    int n = snprintf(
        sql, sizeof sql,
        "WITH chosen(id, nth) AS MATERIALIZED (SELECT id, row_number() OVER (ORDER BY id) FROM key WHERE %s)"
        " UPDATE key SET %s, changed = (SELECT value FROM setting WHERE name = 'change') + chosen.nth"
        " FROM chosen WHERE key.id = chosen.id",
        condition, set);
    if (n < 0 || (size_t)n >= sizeof sql)
        return odp_failure_set("change keys", NULL, 0);
    sqlite3_stmt *stmt = NULL;
    enum odp_status st = odp_store_prepare(db, &stmt, sql, "");
    if (st != ODP_OK)
        return st;
    (void)sqlite3_bind_int64(stmt, 1, id);
    if (sqlite3_bind_parameter_count(stmt) >= 2)
        (void)sqlite3_bind_int64(stmt, 2, number);
    if (sqlite3_bind_parameter_count(stmt) >= 3)
        (void)sqlite3_bind_text(stmt, 3, text, -1, SQLITE_TRANSIENT);
    while ((st = odp_store_step(db, stmt)) == ODP_OK)
        ;
    sqlite3_finalize(stmt);
    if (st != ODP_DONE)
        return st;
    return odp_store_run(db,
                         "UPDATE setting SET value = max(value, (SELECT coalesce(max(changed), 0) FROM key)) "
                         "WHERE name = 'change'",
                         "");
}

enum odp_status odp_token_add(struct odp_act *a, const char *purpose, int64_t holder, const char *email,
                              int64_t term, char token[64])
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint8_t bytes[33] = {0}, digest[ODP_SHA256_SIZE];
    if (getentropy(bytes, 32) != 0)
        return odp_failure_set("random", NULL, 0);
    size_t n = 0;
    for (size_t i = 0; i < 33; i += 3) { /* 32 bytes: 43 characters, without padding (RFC 4648, section 5) */
        uint32_t v = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 18; k >= 0 && n < 43; k -= 6)
            token[n++] = alphabet[v >> k & 63];
    }
    token[n] = '\0';
    explicit_bzero(bytes, sizeof bytes);
    enum odp_status st = odp_digest_of(token, n, digest);
    if (st == ODP_OK)
        st = odp_store_run(a->s->db, "DELETE FROM token WHERE holder = ? AND purpose = ?", "it", holder,
                           purpose);
    if (st == ODP_OK)
        st = odp_store_run(
            a->s->db,
            "INSERT INTO token(digest, purpose, holder, email, created, until) VALUES(?, ?, ?, ?, ?, ?)",
            "btitii", (const void *)digest, ODP_SHA256_SIZE, purpose, holder, email, a->now, a->now + term);
    return st;
}
