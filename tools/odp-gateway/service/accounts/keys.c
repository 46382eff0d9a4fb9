/* How an act on keys begins and ends. An act is one transaction; its keys are put into the table after the
 * commit, under the same mutex, and only then is it acknowledged. All that the table needs for that is made
 * sure of before the commit: what is refused for want of memory or room has not happened. Should a put fail
 * all the same (a table that somebody filled with other bytes), the next flush or the next start makes up for
 * it. */
#include "service/accounts/keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/accounts/keys_internal.h"
#include "service/state/log.h"

enum { DETAIL = 512 };

enum odp_status odp_act_begin(struct odp_act *a, struct odp_state *s, const char *actor, int64_t now,
                              enum odp_problem *problem)
{
    *a = (struct odp_act){.s = s, .actor = actor, .now = now, .problem = problem};
    *problem = ODP_PROBLEM_INTERNAL;
    if (s->db == NULL)
        return odp_act_refuse(a, ODP_PROBLEM_UNAVAILABLE);
    pthread_mutex_lock(&s->mutex);
    a->st = odp_store_begin(s->db);
    if (a->st == ODP_OK)
        a->st = odp_store_number(s->db, &a->before, "SELECT value FROM setting WHERE name = 'change'", "");
    if (a->st == ODP_OK)
        return ODP_OK;
    odp_store_rollback(s->db);
    s->unwritten = true;
    pthread_mutex_unlock(&s->mutex);
    return a->st = odp_failure_set("begin", "store.sqlite", 0);
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
    return a->st = ODP_BAD;
}

static enum odp_status audit(struct odp_act *a, const char *act, const char *subject, const char *format,
                             va_list args)
{
    char detail[DETAIL] = "{";
    int n = vsnprintf(detail + 1, sizeof detail - 2, format, args);
    if (n < 0 || (size_t)n >= sizeof detail - 2)
        return odp_failure_set("audit", NULL, 0);
    detail[n + 1] = '}';
    detail[n + 2] = '\0';
    return odp_audit_add(a->s->db, a->now, a->actor, act, subject, detail);
}

enum odp_status odp_act_audit(struct odp_act *a, const char *act, const char *subject, const char *format,
                              ...)
{
    va_list args;
    va_start(args, format);
    enum odp_status st = audit(a, act, subject, format, args);
    va_end(args);
    return st;
}

void odp_act_note(struct odp_act *a, const char *act, const char *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (a->st == ODP_OK)
        a->st = audit(a, act, subject, format, args);
    va_end(args);
}

void odp_act_run(struct odp_act *a, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    if (a->st == ODP_OK)
        a->st = odp_store_run_of(a->s->db, sql, types, &args);
    va_end(args);
}

bool odp_act_row(struct odp_act *a, const char *sql, const char *types, const char *columns, ...)
{
    va_list args;
    enum odp_status st = a->st;
    va_start(args, columns);
    if (st == ODP_OK)
        st = odp_store_row_of(a->s->db, sql, types, columns, &args);
    va_end(args);
    if (st == ODP_FAIL)
        a->st = st;
    return a->st == ODP_OK && st == ODP_OK;
}

void odp_act_key(struct odp_act *a, struct odp_key_row *k, const char *condition, const char *types, ...)
{
    char sql[192];
    sqlite3_stmt *row = NULL;
    va_list args;
    *k = (struct odp_key_row){0};
    (void)snprintf(sql, sizeof sql,
                   "SELECT id, holder, account, created, until, ends, state, tier, shown FROM key WHERE %s",
                   condition);
    va_start(args, types);
    enum odp_status st = a->st;
    if (st == ODP_OK)
        st = *types == 'i'
                 ? odp_store_prepare(a->s->db, &row, sql, "i", va_arg(args, int64_t))
                 : odp_store_prepare(a->s->db, &row, sql, "b", va_arg(args, const void *), ODP_SHA256_SIZE);
    va_end(args);
    if (st == ODP_OK && (st = odp_store_step(a->s->db, row)) == ODP_OK)
        odp_store_read(row, "iiiiiiitt", &k->id, &k->holder, &k->account, &k->created, &k->until, &k->ends,
                       &k->state, k->tier, sizeof k->tier, k->shown, sizeof k->shown);
    sqlite3_finalize(row);
    if (st == ODP_DONE)
        (void)odp_act_refuse(a, ODP_PROBLEM_NOT_FOUND);
    else if (a->st == ODP_OK)
        a->st = st;
}

void odp_email_fold(struct odp_slice email, char out[256])
{
    size_t n = email.len < 255 ? email.len : 255;
    for (size_t i = 0; i < n; i++)
        out[i] = email.ptr[i] >= 'A' && email.ptr[i] <= 'Z' ? (char)(email.ptr[i] + 32) : email.ptr[i];
    out[n] = '\0';
}
