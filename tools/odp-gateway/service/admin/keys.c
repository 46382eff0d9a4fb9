/* Administrative commands on keys. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "core/quota/quota.h"
#include "service/accounts/mail.h"
#include "service/admin/admin_internal.h"
#include "service/http/text.h"
#include "words/admin.h"

enum { LIST_MAX = 100000, USAGE_DAYS = 30 };

/* ---- looking ---- */

static json_t *key_row(const struct odp_admin *x, const struct odp_key_info *k)
{
    return json_pack("{s:I, s:s, s:s, s:s, s:o, s:o, s:I, s:s, s:s, s:b, s:s, s:I, s:I}", "id", (json_int_t)k->id, "key",
                     k->shown, "tier", k->tier, "state", k->state, "created", odp_admin_time(x, k->created), "expires",
                     odp_admin_time(x, k->until), "used", (json_int_t)k->used, "name", k->name, "email", k->email,
                     "email_confirmed", (int)k->email_confirmed, "organisation", k->organisation, "account",
                     (json_int_t)k->account, "holder", (json_int_t)k->holder);
}

struct list {
    struct odp_admin *x;
    size_t limit;
    bool whole, more; /* all that is known, not just what a list shows */
    int64_t last;
};

static enum odp_status add_key(void *ctx, const struct odp_key_info *k)
{
    struct list *l = ctx;
    if (json_array_size(l->x->rows) >= l->limit) {
        l->more = true;
        return ODP_DONE;
    }
    l->last = k->id;
    json_t *row = key_row(l->x, k);
    if (row != NULL && l->whole && json_object_set_new(row, "purpose", json_string(k->purpose)) != 0) {
        json_decref(row);
        row = NULL;
    }
    return odp_admin_row_take(l->x, row);
}

static enum odp_status list_keys(struct odp_admin *x, bool whole)
{
    static const char *const states[] = {"active", "rotated", "suspended", "revoked", "expired"};
    const char *state = odp_admin_text(x, "state");
    int64_t limit = odp_admin_number(x, "limit", LIST_MAX);
    struct list l = {x, (size_t)(limit < 1 ? 1 : limit > LIST_MAX ? LIST_MAX : limit), whole, false, 0};
    size_t known = 0;
    while (state != NULL && known < 5 && strcmp(state, states[known]) != 0)
        known++;
    if (known == 5)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "state",
                                W_admin_choose_active_rotated_suspended);
    enum odp_status st = odp_admin_needs_store(x);
    if (st == ODP_OK)
        st = odp_keys_each(x->s, odp_admin_number(x, "after", 0), odp_admin_text(x, "tier"), state, x->now, &l, add_key);
    return st == ODP_OK || st == ODP_DONE ? odp_admin_more(x, l.more, l.last) : st;
}

enum odp_status odp_admin_keys_list(struct odp_admin *x)
{
    return list_keys(x, false);
}

/* Somebody takes personal data with him: that is written down. */
enum odp_status odp_admin_keys_export(struct odp_admin *x)
{
    char detail[64];
    enum odp_status st = list_keys(x, true);
    if (st != ODP_OK)
        return st;
    (void)snprintf(detail, sizeof detail, "{\"rows\":%zu}", json_array_size(x->rows));
    pthread_mutex_lock(&x->s->mutex);
    st = odp_store_begin(x->s->db);
    if (st == ODP_OK)
        st = odp_audit_add(x->s->db, x->now, x->actor, "export", "", detail);
    if (st == ODP_OK)
        st = odp_store_commit(x->s->db);
    if (st != ODP_OK)
        odp_store_rollback(x->s->db);
    pthread_mutex_unlock(&x->s->mutex);
    return st;
}

struct chain {
    struct odp_admin *x;
    json_t *list;
    int64_t account;
};

static enum odp_status add_link(void *ctx, const struct odp_key_info *k)
{
    struct chain *c = ctx;
    json_t *link = json_pack("{s:I, s:s, s:s, s:o, s:o}", "id", (json_int_t)k->id, "key", k->shown, "state", k->state,
                             "created", odp_admin_time(c->x, k->created), "expires", odp_admin_time(c->x, k->until));
    return link != NULL && json_array_append_new(c->list, link) == 0 ? ODP_OK : odp_failure_set("reply", NULL, 0);
}

/* The mutex is held. */
static enum odp_status read_usage(struct odp_admin *x, const struct odp_key_info *k, json_t *list)
{
    sqlite3_stmt *row = NULL;
    int64_t today = odp_quota_day(x->now, x->settings.zone_minutes);
    enum odp_status st = odp_store_prepare(
        x->s->db, &row,
        "SELECT day, sum(count) FROM usage_key WHERE account = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day", "iii",
        k->account, today - USAGE_DAYS + 1, today);
    while (st == ODP_OK && (st = odp_store_step(x->s->db, row)) == ODP_OK) {
        char date[ODP_TIME_SIZE];
        odp_day_iso(sqlite3_column_int64(row, 0), date);
        if (json_array_append_new(
                list, json_pack("{s:s, s:I}", "date", date, "requests", (json_int_t)sqlite3_column_int64(row, 1))) != 0)
            st = odp_failure_set("reply", NULL, 0);
    }
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_OK : st;
}

enum odp_status odp_admin_keys_show(struct odp_admin *x)
{
    struct odp_key_info k;
    enum odp_status st = odp_admin_key(x, &k);
    if (st != ODP_OK)
        return st;
    json_t *row = key_row(x, &k), *usage = json_array();
    struct chain c = {x, json_array(), k.account};
    int e = row == NULL || c.list == NULL ? -1 : json_object_set_new(row, "purpose", json_string(k.purpose));
    if (e == 0)
        e = json_object_set(row, "chain", c.list) | json_object_set(row, "usage", usage);
    st = e == 0 ? odp_keys_account(x->s, k.account, x->now, &c, add_link) : odp_failure_set("reply", NULL, 0);
    if (st == ODP_OK) {
        pthread_mutex_lock(&x->s->mutex);
        st = read_usage(x, &k, usage);
        pthread_mutex_unlock(&x->s->mutex);
    }
    json_decref(usage);
    json_decref(c.list);
    if (st == ODP_OK)
        return odp_admin_row_take(x, row);
    json_decref(row);
    return st;
}

/* ---- acts ---- */

static const char *tier_name(const struct odp_admin *x, unsigned tier)
{
    return tier < x->settings.ntiers ? x->settings.tiers[tier].name : "";
}

/* The tellings of this file: the row of what an act is about to do, and the whole reply, while it can still be undone. */
static enum odp_status say_row_take(struct odp_admin *x, json_t *row)
{
    enum odp_status st = odp_admin_row_take(x, row);
    return st == ODP_OK ? odp_admin_say(x) : st;
}

static enum odp_status say_issued(void *ctx, const struct odp_issued *k)
{
    struct odp_admin *x = ctx;
    x->settings = x->s->settings; /* the key may have brought a tier */
    return say_row_take(x, json_pack("{s:I, s:s, s:s, s:s, s:o, s:o}", "id", (json_int_t)k->record.id, "key", k->key, "tier",
                                     tier_name(x, k->record.tier), "email", k->email, "created", odp_admin_time(x, x->now),
                                     "expires", odp_admin_time(x, k->record.until)));
}

/* What registration demands of a text; "" when it is absent. */
static enum odp_status typed(struct odp_admin *x, const char *name, size_t max, struct odp_slice *out)
{
    const char *text = odp_admin_text(x, name);
    *out = odp_slice_trim(odp_slice_of(text != NULL ? text : ""));
    if (odp_typed_ok(*out) && odp_utf8_count(*out) <= max && (out->len > 0 || strcmp(name, "name") != 0))
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, W_admin_empty_too_long_has_control);
}

static enum odp_status unknown_tier(struct odp_admin *x)
{
    char list[ODP_TIERS_MAX * (ODP_TIER_NAME + 2)] = "", id[sizeof list + 64], en[sizeof list + 64];
    size_t n = 0;
    for (uint32_t i = 0; i < x->settings.ntiers; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i > 0 ? ", " : "", x->settings.tiers[i].name);
    if (n == 0)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "tier", W_admin_there_no_tiers_yet_no);
    (void)snprintf(id, sizeof id, "Yang ada: %s.", list);
    (void)snprintf(en, sizeof en, "There are: %s.", list);
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "tier", id, en);
}

static enum odp_status read_registration(struct odp_admin *x, struct odp_registration *r, int64_t *until)
{
    enum odp_status st = typed(x, "name", 200, &r->name);
    if (st == ODP_OK)
        st = typed(x, "organisation", 200, &r->organisation);
    if (st == ODP_OK)
        st = typed(x, "purpose", 1000, &r->purpose);
    r->email = odp_slice_trim(odp_slice_of(odp_admin_text(x, "email")));
    if (st == ODP_OK && !odp_mail_address_ok(r->email))
        st = odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "email", W_admin_not_e_mail_address);
    if (st == ODP_OK)
        st = odp_admin_moment(x, "until", until);
    if (st == ODP_OK && *until != 0 && *until <= x->now)
        st = odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "until", W_admin_moment_over);
    return st;
}

enum odp_status odp_admin_keys_create(struct odp_admin *x)
{
    struct odp_registration r;
    struct odp_issued k = {0};
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    int64_t until = 0;
    enum odp_status st = odp_admin_needs_store(x);
    if (st == ODP_OK)
        st = read_registration(x, &r, &until);
    if (st != ODP_OK)
        return st;
    st = odp_keys_create(x->s, &r, odp_admin_text(x, "tier"), until, x->actor, x->now,
                                 &(struct odp_telling){say_issued, x}, &k, &problem);
    if (st == ODP_BAD)
        st = problem == ODP_PROBLEM_FIELD_INVALID ? unknown_tier(x) : odp_admin_result(x, st, problem, NULL);
    explicit_bzero(&k, sizeof k);
    return st;
}

enum odp_status odp_admin_keys_reissue(struct odp_admin *x)
{
    struct odp_key_info old;
    struct odp_issued k = {0};
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_admin_key(x, &old);
    if (st != ODP_OK)
        return st;
    st = odp_keys_reissue(x->s, old.id, x->actor, x->now, &(struct odp_telling){say_issued, x}, &k, &problem);
    explicit_bzero(&k, sizeof k);
    return odp_admin_result(x, st, problem, "key");
}

struct changed { /* what a telling says of */
    struct odp_admin *x;
    const struct odp_key_info *before;
};

/* The key as it will be. */
static enum odp_status say_key(void *ctx, const struct odp_issued *none)
{
    const struct changed *c = ctx;
    struct odp_key_info k;
    (void)none;
    enum odp_status st = odp_keys_changing(c->x->s, c->before->id, c->x->now, &k);
    return st == ODP_OK ? say_row_take(c->x, key_row(c->x, &k)) : st;
}

static enum odp_status set_state(struct odp_admin *x, enum odp_key_state state)
{
    struct odp_key_info k;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_admin_key(x, &k);
    if (st != ODP_OK)
        return st;
    struct changed c = {x, &k};
    st = odp_keys_set_state(x->s, k.id, state, x->actor, x->now, &(struct odp_telling){say_key, &c}, &problem);
    return odp_admin_result(x, st, problem, "key");
}

enum odp_status odp_admin_keys_suspend(struct odp_admin *x)
{
    return set_state(x, ODP_KEY_SUSPENDED);
}

enum odp_status odp_admin_keys_resume(struct odp_admin *x)
{
    return set_state(x, ODP_KEY_ACTIVE);
}

enum odp_status odp_admin_keys_revoke(struct odp_admin *x)
{
    return set_state(x, ODP_KEY_REVOKED);
}

enum odp_status odp_admin_keys_tier(struct odp_admin *x)
{
    struct odp_key_info k;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_admin_key(x, &k);
    if (st != ODP_OK)
        return st;
    struct changed c = {x, &k};
    st = odp_keys_set_tier(x->s, k.id, odp_admin_text(x, "tier"), x->actor, x->now, &(struct odp_telling){say_key, &c},
                                   &problem);
    if (st == ODP_BAD && problem == ODP_PROBLEM_FIELD_INVALID)
        return unknown_tier(x);
    return odp_admin_result(x, st, problem, "key");
}

/* That it is erased is known when all is done, and said then. */
static enum odp_status say_forgotten(void *ctx, const struct odp_issued *none)
{
    const struct changed *c = ctx;
    (void)none;
    return say_row_take(c->x, json_pack("{s:I, s:s, s:s, s:b}", "holder", (json_int_t)c->before->holder, "key",
                                        c->before->shown, "state", "revoked", "erased", 0));
}

enum odp_status odp_admin_keys_forget(struct odp_admin *x)
{
    struct odp_key_info k;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_admin_key(x, &k);
    if (st != ODP_OK)
        return st;
    struct changed c = {x, &k};
    st = odp_keys_forget(x->s, k.holder, x->actor, x->now, &(struct odp_telling){say_forgotten, &c}, &problem);
    if (st != ODP_OK)
        return odp_admin_result(x, st, problem, "key");
    pthread_mutex_lock(&x->s->mutex);
    bool later = x->s->unerased;
    pthread_mutex_unlock(&x->s->mutex);
    /* A reader of the store (a backup being made) keeps the log: it is cut when that ends. Where there is no memory to say that it
     * is erased already, that it will be is near enough. */
    if (!later && (json_object_set_new(json_array_get(x->rows, 0), "erased", json_true()) != 0 || odp_admin_say(x) != ODP_OK))
        odp_failure_clear();
    return ODP_OK;
}

/* ---- requests for another tier ---- */

enum odp_status odp_admin_keys_upgrades(struct odp_admin *x)
{
    const char *state = odp_admin_text(x, "state") != NULL ? odp_admin_text(x, "state") : "open";
    sqlite3_stmt *row = NULL;
    if (strcmp(state, "open") != 0 && strcmp(state, "approved") != 0 && strcmp(state, "refused") != 0 &&
        strcmp(state, "all") != 0)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "state", W_admin_choose_open_approved_refused_all);
    enum odp_status st = odp_admin_needs_store(x);
    if (st != ODP_OK)
        return st;
    pthread_mutex_lock(&x->s->mutex);
    st = odp_store_prepare(
        x->s->db, &row,
        "SELECT u.id, k.shown, k.tier, u.tier, u.reason, u.created, u.state, u.decided, h.name, h.email, h.organisation,"
        " h.email_confirmed FROM upgrade u JOIN key k ON k.id = u.key JOIN holder h ON h.id = k.holder WHERE ?1 = 'all' OR u.state = ?1 ORDER BY "
        "u.id",
        "t", state);
    while (st == ODP_OK && (st = odp_store_step(x->s->db, row)) == ODP_OK)
        st = odp_admin_row_take(
            x,
            json_pack("{s:I, s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:s, s:s, s:b}", "id",
                      (json_int_t)sqlite3_column_int64(row, 0), "key", (const char *)sqlite3_column_text(row, 1), "from", (const char *)sqlite3_column_text(row, 2),
                      "tier", (const char *)sqlite3_column_text(row, 3), "reason", (const char *)sqlite3_column_text(row, 4),
                      "created", odp_admin_time(x, sqlite3_column_int64(row, 5)), "state",
                      (const char *)sqlite3_column_text(row, 6), "decided", odp_admin_time(x, sqlite3_column_int64(row, 7)),
                      "name", (const char *)sqlite3_column_text(row, 8), "email", (const char *)sqlite3_column_text(row, 9),
                      "organisation", (const char *)sqlite3_column_text(row, 10), "email_confirmed",
                      sqlite3_column_int(row, 11)));
    sqlite3_finalize(row);
    pthread_mutex_unlock(&x->s->mutex);
    return st == ODP_DONE ? odp_admin_more(x, false, 0) : st;
}

struct decision {
    struct odp_admin *x;
    int64_t id;
    bool approve;
};

static enum odp_status say_decision(void *ctx, const struct odp_issued *none)
{
    const struct decision *d = ctx;
    (void)none;
    return say_row_take(d->x, json_pack("{s:I, s:s}", "id", (json_int_t)d->id, "state", d->approve ? "approved" : "refused"));
}

static enum odp_status decide(struct odp_admin *x, bool approve)
{
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    struct decision d = {x, odp_admin_number(x, "id", 0), approve};
    enum odp_status st =
        odp_keys_decide_upgrade(x->s, d.id, approve, x->actor, x->now, &(struct odp_telling){say_decision, &d}, &problem);
    return odp_admin_result(x, st, problem, "id");
}

enum odp_status odp_admin_keys_approve(struct odp_admin *x)
{
    return decide(x, true);
}

enum odp_status odp_admin_keys_refuse(struct odp_admin *x)
{
    return decide(x, false);
}
