/* Looking at keys. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/quota/quota.h"
#include "service/accounts/keys_internal.h"

enum { BATCH = 64, CHANGES = 256 };

#define INFO                                                                                                 \
    "SELECT k.digest, k.id, k.holder, k.account, k.created, k.until, k.state, k.shown, k.tier, h.name, "     \
    "h.email,"                                                                                               \
    " h.organisation, h.purpose, h.email_confirmed FROM key k JOIN holder h ON h.id = k.holder WHERE "

static const char *state_name(int state, int64_t until, int64_t now)
{
    static const char *const names[] = {"?", "active", "rotated", "suspended", "revoked"};
    if ((state == ODP_KEY_ACTIVE || state == ODP_KEY_ROTATED) && until != 0 && until <= now)
        return "expired";
    return names[state >= 1 && state <= 4 ? state : 0];
}

/* The mutex is held. */
static void read_info(const struct odp_state *s, sqlite3_stmt *row, int64_t now, struct odp_key_info *k)
{
    memset(k, 0, sizeof *k);
    k->id = sqlite3_column_int64(row, 1);
    k->holder = sqlite3_column_int64(row, 2);
    k->account = sqlite3_column_int64(row, 3);
    k->created = sqlite3_column_int64(row, 4);
    k->until = sqlite3_column_int64(row, 5);
    (void)snprintf(k->state, sizeof k->state, "%s", state_name(sqlite3_column_int(row, 6), k->until, now));
    odp_store_text(row, 7, k->shown, sizeof k->shown);
    odp_store_text(row, 8, k->tier, sizeof k->tier);
    odp_store_text(row, 9, k->name, sizeof k->name);
    odp_store_text(row, 10, k->email, sizeof k->email);
    odp_store_text(row, 11, k->organisation, sizeof k->organisation);
    odp_store_text(row, 12, k->purpose, sizeof k->purpose);
    k->email_confirmed = sqlite3_column_int(row, 13) != 0;
    const void *digest = sqlite3_column_blob(row, 0);
    int64_t n = digest != NULL ? odp_keytable_find(s->table, digest) : -1;
    uint32_t day = odp_quota_day(now, s->settings.zone_minutes);
    if (n >= 0)
        k->used = odp_keytable_used(s->table, (uint32_t)n, day) +
                  odp_keytable_used_elsewhere(s->table, (uint32_t)n, day);
}

/* At most two rows; the second only says that there is one, unless it is of the same account. Rows come with
 * the newest first.
 */
static enum odp_status one(struct odp_state *s, sqlite3_stmt *row, int64_t now, struct odp_key_info *out,
                           enum odp_problem *problem)
{
    enum odp_status st = odp_store_step(s->db, row);
    *problem = ODP_PROBLEM_NOT_FOUND;
    if (st == ODP_DONE)
        return ODP_BAD;
    if (st == ODP_OK)
        read_info(s, row, now, out);
    while (st == ODP_OK && (st = odp_store_step(s->db, row)) == ODP_OK)
        if (sqlite3_column_int64(row, 3) != out->account) {
            *problem = ODP_PROBLEM_CONFLICT;
            return ODP_BAD;
        }
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status enter(struct odp_state *s, enum odp_problem *problem)
{
    *problem = ODP_PROBLEM_UNAVAILABLE;
    if (s->db == NULL)
        return ODP_BAD;
    pthread_mutex_lock(&s->mutex);
    return ODP_OK;
}

enum odp_status odp_keys_info(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE], int64_t now,
                              struct odp_key_info *out, enum odp_problem *problem)
{
    sqlite3_stmt *row = NULL;
    if (enter(s, problem) != ODP_OK)
        return ODP_BAD;
    enum odp_status st =
        odp_store_prepare(s->db, &row, INFO "k.digest = ?", "b", (const void *)digest, ODP_SHA256_SIZE);
    if (st == ODP_OK)
        st = one(s, row, now, out, problem);
    sqlite3_finalize(row);
    pthread_mutex_unlock(&s->mutex);
    return st;
}

static enum odp_status prepare_find(struct odp_state *s, const char *what, sqlite3_stmt **row)
{
    char fold[256];
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_slice text = odp_slice_of(what);
    if (odp_key_ok(text)) {
        enum odp_status st = odp_key_digest(text, digest);
        return st == ODP_OK ? odp_store_prepare(s->db, row, INFO "k.digest = ?", "b", (const void *)digest,
                                                ODP_SHA256_SIZE)
                            : st;
    }
    if (text.len > 0 && text.len < 19 && strspn(what, "0123456789") == text.len)
        return odp_store_prepare(s->db, row, INFO "k.id = ?", "i", (int64_t)strtoll(what, NULL, 10));
    if (memchr(text.ptr, '@', text.len) != NULL && text.len < 256) {
        odp_email_fold(text, fold);
        /* keys that work before those that do not: one may have registered again (<> '' lets the partial
         * index be used) */
        return odp_store_prepare(
            s->db, row,
            INFO
            "h.email_fold = ?1 AND h.email_fold <> '' AND (k.state <> 4 OR NOT EXISTS (SELECT 1 FROM key x"
            " JOIN holder y ON y.id = x.holder WHERE y.email_fold = ?1 AND y.email_fold <> '' AND x.state <> "
            "4))"
            " ORDER BY k.id DESC",
            "t", fold);
    }
    return odp_store_prepare(s->db, row, INFO "k.shown = ?", "t", what);
}

enum odp_status odp_keys_find(struct odp_state *s, const char *what, int64_t now, struct odp_key_info *out,
                              enum odp_problem *problem)
{
    sqlite3_stmt *row = NULL;
    if (enter(s, problem) != ODP_OK)
        return ODP_BAD;
    enum odp_status st = prepare_find(s, what, &row);
    if (st == ODP_OK)
        st = one(s, row, now, out, problem);
    sqlite3_finalize(row);
    pthread_mutex_unlock(&s->mutex);
    return st;
}

enum odp_status odp_keys_changing(struct odp_state *s, int64_t id, int64_t now, struct odp_key_info *out)
{
    sqlite3_stmt *row = NULL;
    enum odp_problem problem;
    enum odp_status st = odp_store_prepare(s->db, &row, INFO "k.id = ?", "i", id);
    if (st == ODP_OK)
        st = one(s, row, now, out, &problem);
    sqlite3_finalize(row);
    return st == ODP_BAD ? odp_failure_set("key", "store.sqlite", 0) : st;
}

/* ---- all of them, some at a time, so that the mutex is never held for long ---- */

struct wanted {
    int64_t account;          /* 0: any */
    const char *tier, *state; /* NULL: any */
    int64_t now;
};

static enum odp_status batch(struct odp_state *s, int64_t after, const struct wanted *w,
                             struct odp_key_info *list, size_t *n)
{
    sqlite3_stmt *row = NULL;
    int64_t now = w->now;
    *n = 0;
    pthread_mutex_lock(&s->mutex);
    enum odp_status st =
        w->account != 0
            ? odp_store_prepare(s->db, &row, INFO "k.account = ? AND k.id > ? ORDER BY k.id LIMIT ?", "iii",
                                w->account, after, (int64_t)BATCH)
            : odp_store_prepare(s->db, &row,
                                INFO "k.id > ?1 AND (?2 IS NULL OR k.tier = ?2) ORDER BY k.id LIMIT ?3",
                                "iti", after, w->tier, (int64_t)BATCH);
    while (st == ODP_OK && (st = odp_store_step(s->db, row)) == ODP_OK)
        read_info(s, row, now, &list[(*n)++]);
    sqlite3_finalize(row);
    pthread_mutex_unlock(&s->mutex);
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status each(struct odp_state *s, int64_t after, const struct wanted *w, void *ctx,
                            enum odp_status (*f)(void *ctx, const struct odp_key_info *k))
{
    size_t n = 0;
    if (s->db == NULL)
        return ODP_BAD;
    struct odp_key_info *list = malloc(BATCH * sizeof *list);
    if (list == NULL)
        return odp_failure_set("keys", NULL, ENOMEM);
    enum odp_status st = ODP_OK;
    do {
        st = batch(s, after, w, list, &n);
        for (size_t i = 0; i < n && st == ODP_OK; i++) {
            after = list[i].id;
            if (w->state == NULL || strcmp(w->state, list[i].state) == 0)
                st = f(ctx, &list[i]);
        }
    } while (st == ODP_OK && n == BATCH);
    explicit_bzero(list, BATCH * sizeof *list);
    free(list);
    return st;
}

enum odp_status odp_keys_each(struct odp_state *s, int64_t after, const char *tier, const char *state,
                              int64_t now, void *ctx,
                              enum odp_status (*f)(void *ctx, const struct odp_key_info *k))
{
    struct wanted w = {0, tier, state, now};
    return each(s, after, &w, ctx, f);
}

enum odp_status odp_keys_account(struct odp_state *s, int64_t account, int64_t now, void *ctx,
                                 enum odp_status (*f)(void *ctx, const struct odp_key_info *k))
{
    struct wanted w = {account, NULL, NULL, now};
    return each(s, 0, &w, ctx, f);
}

struct change {
    int64_t number;
    struct odp_key_record record;
};

static enum odp_status batch_of_changes(struct odp_state *s, int64_t after, struct change *list, size_t *n)
{
    sqlite3_stmt *row = NULL;
    *n = 0;
    pthread_mutex_lock(&s->mutex);
    enum odp_status st = odp_store_prepare(s->db, &row,
                                           "SELECT " ODP_KEY_COLUMNS
                                           ", changed FROM key WHERE changed > ? ORDER BY changed LIMIT ?",
                                           "ii", after, (int64_t)CHANGES);
    while (st == ODP_OK && (st = odp_store_step(s->db, row)) == ODP_OK) {
        st = odp_state_record(s, row, &list[*n].record);
        list[*n].number = sqlite3_column_int64(row, 7);
        *n += st == ODP_OK;
    }
    sqlite3_finalize(row);
    pthread_mutex_unlock(&s->mutex);
    return st == ODP_DONE ? ODP_OK : st;
}

enum odp_status odp_keys_changed(struct odp_state *s, int64_t after, void *ctx,
                                 enum odp_status (*f)(void *ctx, int64_t change,
                                                      const struct odp_key_record *r))
{
    size_t n = 0;
    if (s->db == NULL)
        return ODP_BAD;
    struct change *list = malloc(CHANGES * sizeof *list);
    if (list == NULL)
        return odp_failure_set("changes", NULL, ENOMEM);
    enum odp_status st = ODP_OK;
    do {
        st = batch_of_changes(s, after, list, &n);
        for (size_t i = 0; i < n && st == ODP_OK; i++) {
            after = list[i].number;
            st = f(ctx, list[i].number, &list[i].record);
        }
    } while (st == ODP_OK && n == CHANGES);
    free(list);
    return st;
}
