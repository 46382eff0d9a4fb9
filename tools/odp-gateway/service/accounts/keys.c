/* How an act on keys begins and ends, and the rows it writes. An act is one transaction; its keys are put
 * into the table after the commit, under the same mutex, and only then is it acknowledged. All that the table
 * needs for that is made sure of before the commit: what is refused for want of memory or room has not
 * happened. Should a put fail all the same (a table that somebody filled with other bytes), the next flush or
 * the next start makes up for it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "service/accounts/keys_internal.h"
#include "service/state/log.h"

enum { DETAIL = 512 };

enum odp_status odp_act_begin(struct odp_act *a, struct odp_state *s, struct odp_order *o)
{
    *a = (struct odp_act){.s = s, .order = o, .now = o->now};
    o->problem = s->db != NULL ? ODP_PROBLEM_INTERNAL : ODP_PROBLEM_UNAVAILABLE;
    if (s->db == NULL)
        return a->q.st = ODP_BAD;
    pthread_mutex_lock(&s->mutex);
    a->q = odp_sql_begin(s->db);
    a->before = odp_sql_number(&a->q, "SELECT value FROM setting WHERE name = 'change'", "");
    if (a->q.st == ODP_OK)
        return ODP_OK;
    odp_store_rollback(s->db);
    s->unwritten = true;
    pthread_mutex_unlock(&s->mutex);
    return a->q.st = odp_failure_set("begin", "store.sqlite", 0);
}

/* The records that this act has changed. *LIST is the caller's to free. */
static void collect(struct odp_act *a, struct odp_key_record **list, size_t *n)
{
    size_t room = 0;
    odp_sql_select(&a->q, ODP_KEYS_CHANGED, "i", a->before);
    while (odp_sql_next(&a->q, ""))
        a->q.st = odp_room(*list, *n, room) ? odp_state_record(a->s, a->q.row, &(*list)[(*n)++]) : ODP_FAIL;
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
        if (st == ODP_FAIL) /* the act is done; free space is tried again, also after a restart */
            odp_log_failure("forget: the store's file could not be rewritten yet");
    }
    return ODP_OK;
}

enum odp_status odp_act_end(struct odp_act *a, const struct odp_issued *out)
{
    struct odp_state *s = a->s;
    const struct odp_telling *t = &a->order->telling;
    struct odp_key_record *list = NULL;
    size_t n = 0;
    if (a->q.st == ODP_OK && t->tell != NULL)
        a->q.st = t->tell(t->ctx, out);
    if (!a->keyless)
        collect(a, &list, &n);
    if (a->q.st == ODP_OK && !a->keyless)
        a->q.st = odp_keytable_reserve(s->table, list, n);
    enum odp_status st = odp_sql_commit(&a->q);
    if (st == ODP_OK)
        st = finish(a, list, n);
    s->unwritten = s->unwritten || st == ODP_FAIL;
    pthread_mutex_unlock(&s->mutex);
    free(list);
    if (st == ODP_OK)
        odp_bell_ring(&s->keys_changed);
    return st;
}

void odp_act_refuse(struct odp_act *a, enum odp_problem p)
{
    a->order->problem = p;
    a->q.st = ODP_BAD;
}

void odp_act_refuse_if(struct odp_act *a, bool wrong, enum odp_problem p)
{
    if (wrong && a->q.st == ODP_OK)
        odp_act_refuse(a, p);
}

void odp_act_note(struct odp_act *a, const char *act, const char *subject, const char *format, ...)
{
    char detail[DETAIL] = "{";
    va_list args;
    if (a->q.st != ODP_OK)
        return;
    va_start(args, format);
    int n = vsnprintf(detail + 1, sizeof detail - 2, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof detail - 2) {
        a->q.st = odp_failure_set("audit", NULL, 0);
        return;
    }
    memcpy(detail + n + 1, "}", 2);
    a->q.st = odp_audit_add(a->s->db, a->now, a->order->actor, act, subject, detail);
}

void odp_email_fold(struct odp_slice email, char out[256])
{
    size_t n = email.len < 255 ? email.len : 255;
    for (size_t i = 0; i < n; i++)
        out[i] = email.ptr[i] >= 'A' && email.ptr[i] <= 'Z' ? (char)(email.ptr[i] + 32) : email.ptr[i];
    out[n] = '\0';
}

/* ---- rows. What changes gets the store's next change numbers, which the table and other machines follow
 * ---- */

#define KEY_ROW "SELECT id, holder, account, created, until, ends, state, tier, shown FROM key WHERE "

static struct odp_key_row key_row(struct odp_act *a)
{
    struct odp_key_row k = {0};
    if (!odp_sql_next(&a->q, "iiiiiiitt", &k.id, &k.holder, &k.account, &k.created, &k.until, &k.ends,
                      &k.state, k.tier, sizeof k.tier, k.shown, sizeof k.shown))
        odp_act_refuse_if(a, true, ODP_PROBLEM_NOT_FOUND);
    (void)!odp_sql_end(&a->q);
    return k;
}

struct odp_key_row odp_act_key(struct odp_act *a, int64_t id)
{
    odp_sql_select(&a->q, KEY_ROW "id = ?", "i", id);
    return key_row(a);
}

struct odp_key_row odp_act_key_by(struct odp_act *a, const uint8_t digest[ODP_SHA256_SIZE])
{
    odp_sql_select(&a->q, KEY_ROW "digest = ?", "b", (const void *)digest, ODP_SHA256_SIZE);
    return key_row(a);
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

int64_t odp_holder_add(struct odp_act *a, const struct odp_registration *r, int64_t confirm_by)
{
    char fold[256];
    odp_email_fold(r->email, fold);
    return odp_sql_number(
        &a->q,
        "INSERT INTO holder(name, email, email_fold, organisation, purpose, confirm_by, created)"
        " VALUES(?, ?, ?, ?, ?, ?, ?) RETURNING id",
        "sstssii", r->name, r->email, fold, r->organisation, r->purpose, confirm_by, a->now);
}

void odp_key_add(struct odp_act *a, const struct odp_new_key *n, struct odp_issued *out)
{
    struct odp_key_record *r = &out->record;
    odp_act_refuse_if(a, odp_keytable_count(a->s->table) >= odp_keytable_capacity(a->s->table),
                      ODP_PROBLEM_UNAVAILABLE);
    if (a->q.st != ODP_OK)
        return;
    /* The next number of a kind that is never used twice. */
    int64_t id = 1 + odp_sql_number(&a->q, "SELECT seq FROM sqlite_sequence WHERE name = 'key'", "");
    int64_t change = odp_sql_number(
        &a->q, "UPDATE setting SET value = value + 1 WHERE name = 'change' RETURNING value", "");
    *r = (struct odp_key_record){.id = (uint64_t)id,
                                 .account = (uint64_t)(n->account != 0 ? n->account : id),
                                 .until = n->until,
                                 .state = ODP_KEY_ACTIVE};
    if (a->q.st == ODP_OK &&
        (odp_key_make(out->key) != ODP_OK || odp_key_digest(odp_slice_of(out->key), r->digest) != ODP_OK ||
         odp_state_tier_need(a->s, n->tier, &r->tier) != ODP_OK))
        a->q.st = ODP_FAIL;
    if (a->q.st != ODP_OK)
        return;
    odp_key_shown(odp_slice_of(out->key), r->shown);
    odp_sql_run(
        &a->q,
        "INSERT INTO key(id, holder, digest, shown, account, tier, state, created, until, ends, changed)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "iibtitiiiii", id, n->holder, (const void *)r->digest, ODP_SHA256_SIZE, r->shown, (int64_t)r->account,
        n->tier, (int64_t)ODP_KEY_ACTIVE, a->now, n->until, n->ends, change);
}

void odp_key_change(struct odp_act *a, const char *set, const char *condition, int64_t id, int64_t number)
{
    char sql[512];
    /* The subquery numbers the selected keys; it is evaluated before anything is written. */
    int n = snprintf(sql, sizeof sql,
                     "WITH chosen(id, nth, number) AS MATERIALIZED"
                     " (SELECT id, row_number() OVER (ORDER BY id), ?2 FROM key WHERE %s)"
                     " UPDATE key SET %s, changed = (SELECT value FROM setting WHERE name = 'change') + nth"
                     " FROM chosen WHERE key.id = chosen.id",
                     condition, set);
    if (n < 0 || (size_t)n >= sizeof sql)
        a->q.st = odp_failure_set("change keys", NULL, 0);
    odp_sql_run(&a->q, sql, "ii", id, number);
    odp_sql_run(&a->q,
                "UPDATE setting SET value = max(value, (SELECT coalesce(max(changed), 0) FROM key)) "
                "WHERE name = 'change'",
                "");
}
