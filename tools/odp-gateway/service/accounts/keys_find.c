/* Looking at keys. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "core/quota/quota.h"
#include "service/accounts/keys_internal.h"

enum { BATCH = 64 };

#define INFO                                                                                                 \
    "SELECT k.id, k.holder, k.account, k.created, k.until, k.shown, k.tier, h.name, h.email,"                \
    " h.organisation, h.purpose, h.email_confirmed, k.state, k.digest"                                       \
    " FROM key k JOIN holder h ON h.id = k.holder WHERE "

static const char *state_name(int state, int64_t until, int64_t now)
{
    static const char *const names[] = {"?", "active", "rotated", "suspended", "revoked"};
    if ((state == ODP_KEY_ACTIVE || state == ODP_KEY_ROTATED) && until != 0 && until <= now)
        return "expired";
    return names[state >= 1 && state <= 4 ? state : 0];
}

/* The next row of INFO. The mutex is held. */
static bool next_info(const struct odp_state *s, struct odp_sql *q, int64_t now, struct odp_key_info *k)
{
    memset(k, 0, sizeof *k);
    if (!odp_sql_next(q, "iiiiittttttf", &k->id, &k->holder, &k->account, &k->created, &k->until, k->shown,
                      sizeof k->shown, k->tier, sizeof k->tier, k->name, sizeof k->name, k->email,
                      sizeof k->email, k->organisation, sizeof k->organisation, k->purpose, sizeof k->purpose,
                      &k->email_confirmed))
        return false;
    (void)snprintf(k->state, sizeof k->state, "%s",
                   state_name(sqlite3_column_int(q->row, 12), k->until, now));
    const void *digest = sqlite3_column_blob(q->row, 13);
    int64_t n = digest != NULL ? odp_keytable_find(s->table, digest) : -1;
    uint32_t day = odp_quota_day(now, s->settings.zone_minutes);
    if (n >= 0)
        k->used = odp_keytable_used(s->table, (uint32_t)n, day) +
                  odp_keytable_used_elsewhere(s->table, (uint32_t)n, day);
    return true;
}

/* The only account that the rows are of; its newest key, which comes first. Ends Q. */
static enum odp_status one_info(const struct odp_state *s, struct odp_sql *q, int64_t now,
                                struct odp_key_info *out, enum odp_problem *problem)
{
    *problem = ODP_PROBLEM_NOT_FOUND;
    if (!next_info(s, q, now, out) && q->st == ODP_OK)
        q->st = ODP_BAD;
    while (odp_sql_next(q, ""))
        if (sqlite3_column_int64(q->row, 2) != out->account) {
            *problem = ODP_PROBLEM_CONFLICT;
            q->st = ODP_BAD;
        }
    return odp_sql_end(q);
}

static void select_digest(struct odp_sql *q, const uint8_t digest[ODP_SHA256_SIZE])
{
    odp_sql_select(q, INFO "k.digest = ?", "b", (const void *)digest, ODP_SHA256_SIZE);
}

static void select_typed(struct odp_sql *q, const char *what)
{
    char fold[256];
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_slice text = odp_slice_of(what);
    uint64_t id;
    if (odp_key_ok(text)) {
        q->st = odp_key_digest(text, digest);
        select_digest(q, digest);
    } else if (text.len < 19 && odp_number_read(text, &id)) {
        odp_sql_select(q, INFO "k.id = ?", "i", (int64_t)id);
    } else if (memchr(text.ptr, '@', text.len) != NULL && text.len < 256) {
        odp_email_fold(text, fold);
        /* keys that work before those that do not: one may have registered again (<> '' lets the partial
         * index be used) */
        odp_sql_select(
            q,
            INFO
            "h.email_fold = ?1 AND h.email_fold <> '' AND (k.state <> 4 OR NOT EXISTS (SELECT 1 FROM key x"
            " JOIN holder y ON y.id = x.holder WHERE y.email_fold = ?1 AND y.email_fold <> '' AND x.state <> "
            "4))"
            " ORDER BY k.id DESC",
            "t", fold);
    } else {
        odp_sql_select(q, INFO "k.shown = ?", "t", what);
    }
}

/* WHAT NULL: by DIGEST. */
static enum odp_status find(struct odp_state *s, const char *what, const uint8_t *digest, int64_t now,
                            struct odp_key_info *out, enum odp_problem *problem)
{
    struct odp_sql q = {.db = s->db};
    *problem = ODP_PROBLEM_UNAVAILABLE;
    if (s->db == NULL)
        return ODP_BAD;
    pthread_mutex_lock(&s->mutex);
    if (what != NULL)
        select_typed(&q, what);
    else
        select_digest(&q, digest);
    enum odp_status st = one_info(s, &q, now, out, problem);
    pthread_mutex_unlock(&s->mutex);
    return st;
}

enum odp_status odp_keys_info(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE], int64_t now,
                              struct odp_key_info *out, enum odp_problem *problem)
{
    return find(s, NULL, digest, now, out, problem);
}

enum odp_status odp_keys_find(struct odp_state *s, const char *what, int64_t now, struct odp_key_info *out,
                              enum odp_problem *problem)
{
    return find(s, what, NULL, now, out, problem);
}

enum odp_status odp_keys_changing(struct odp_state *s, int64_t id, int64_t now, struct odp_key_info *out)
{
    struct odp_sql q = {.db = s->db};
    enum odp_problem problem;
    odp_sql_select(&q, INFO "k.id = ?", "i", id);
    enum odp_status st = one_info(s, &q, now, out, &problem);
    return st == ODP_BAD ? odp_failure_set("key", "store.sqlite", 0) : st;
}

/* ---- all of them, some at a time, so that the mutex is never held for long ---- */

static enum odp_status batch(struct odp_state *s, const struct odp_keys_wanted *w, int64_t after,
                             struct odp_key_info *list, size_t *n)
{
    struct odp_sql q = {.db = s->db};
    pthread_mutex_lock(&s->mutex);
    if (w->account != 0)
        odp_sql_select(&q, INFO "k.account = ? AND k.id > ? ORDER BY k.id LIMIT ?", "iii", w->account, after,
                       (int64_t)BATCH);
    else
        odp_sql_select(&q, INFO "k.id > ?1 AND (?2 IS NULL OR k.tier = ?2) ORDER BY k.id LIMIT ?3", "iti",
                       after, w->tier, (int64_t)BATCH);
    for (*n = 0; *n < BATCH && next_info(s, &q, w->now, &list[*n]); ++*n)
        continue;
    enum odp_status st = odp_sql_end(&q);
    pthread_mutex_unlock(&s->mutex);
    return st;
}

enum odp_status odp_keys_each(struct odp_state *s, const struct odp_keys_wanted *w, void *ctx,
                              enum odp_status (*f)(void *ctx, const struct odp_key_info *k))
{
    size_t n = 0;
    int64_t after = w->after;
    if (s->db == NULL)
        return ODP_BAD;
    struct odp_key_info *list = malloc(BATCH * sizeof *list);
    if (list == NULL)
        return odp_failure_set("keys", NULL, ENOMEM);
    enum odp_status st = ODP_OK;
    do {
        st = batch(s, w, after, list, &n);
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

enum odp_status odp_keys_changed(struct odp_state *s, int64_t after, size_t most, struct odp_key_changes *c)
{
    struct odp_sql q = {.db = s->db};
    c->n = 0;
    if (s->db == NULL)
        return ODP_BAD;
    pthread_mutex_lock(&s->mutex);
    odp_sql_select(&q,
                   "SELECT " ODP_KEY_COLUMNS ", changed FROM key WHERE changed > ? ORDER BY changed LIMIT ?",
                   "ii", after, (int64_t)most);
    while (odp_sql_next(&q, "")) {
        bool room = odp_room(c->list, c->n, c->cap);
        q.st = room ? odp_state_record(s, q.row, &c->list[c->n].record) : ODP_FAIL;
        if (room)
            c->list[c->n++].number = (uint64_t)sqlite3_column_int64(q.row, 7);
    }
    enum odp_status st = odp_sql_end(&q);
    pthread_mutex_unlock(&s->mutex);
    return st;
}
