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
    return json_pack("{s:I, s:s, s:s, s:s, s:o, s:o, s:I, s:s, s:s, s:b, s:s, s:I, s:I}", "id",
                     (json_int_t)k->id, "key", k->shown, "tier", k->tier, "state", k->state, "created",
                     odp_admin_time(x, k->created), "expires", odp_admin_time(x, k->until), "used",
                     (json_int_t)k->used, "name", k->name, "email", k->email, "email_confirmed",
                     (int)k->email_confirmed, "organisation", k->organisation, "account",
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
    if (l->whole)
        json_object_set_new(row, "purpose", json_string(k->purpose));
    return odp_admin_row_take(l->x, row);
}

static enum odp_status list_keys(struct odp_admin *x, bool whole)
{
    static const char *const states[] = {"active", "rotated", "suspended", "revoked", "expired", NULL};
    struct list l = {x, (size_t)odp_admin_limit(x, LIST_MAX, LIST_MAX), whole, false, 0};
    enum odp_status st = odp_admin_state(x, states, W_admin_choose_active_rotated_suspended);
    const struct odp_keys_wanted wanted = {.after = odp_admin_number(x, "after", 0),
                                           .tier = odp_admin_text(x, "tier"),
                                           .state = odp_admin_text(x, "state"),
                                           .now = x->now};
    if (st == ODP_OK)
        st = odp_keys_each(x->s, &wanted, &l, add_key);
    if (st == ODP_OK || st == ODP_DONE)
        odp_admin_more(x, l.more, l.last);
    return st == ODP_DONE ? ODP_OK : st;
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
    (void)snprintf(detail, sizeof detail, "{\"rows\":%zu}", json_array_size(x->rows));
    return st == ODP_OK ? odp_admin_audit(x, "export", detail) : st;
}

struct chain {
    struct odp_admin *x;
    json_t *list;
};

static enum odp_status add_link(void *ctx, const struct odp_key_info *k)
{
    struct chain *c = ctx;
    json_array_append_new(c->list,
                          json_pack("{s:I, s:s, s:s, s:o, s:o}", "id", (json_int_t)k->id, "key", k->shown,
                                    "state", k->state, "created", odp_admin_time(c->x, k->created), "expires",
                                    odp_admin_time(c->x, k->until)));
    return ODP_OK;
}

/* Days with requests of the last 30, into x->rows for a moment. */
static enum odp_status read_usage(struct odp_admin *x, json_t **usage)
{
    struct odp_sql q = {.db = x->s->db};
    int64_t today = odp_quota_day(x->now, x->settings.zone_minutes);
    json_t *rows = x->rows;
    x->rows = *usage = json_array();
    pthread_mutex_lock(&x->s->mutex);
    odp_sql_select(&q,
                   "SELECT day AS \"date:day\", sum(count) AS requests FROM usage_key"
                   " WHERE account = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day",
                   "iii", x->key.account, today - USAGE_DAYS + 1, today);
    (void)odp_admin_rows(x, &q, USAGE_DAYS);
    pthread_mutex_unlock(&x->s->mutex);
    x->rows = rows;
    return q.st;
}

enum odp_status odp_admin_keys_show(struct odp_admin *x)
{
    const struct odp_key_info *k = &x->key;
    struct chain c = {x, json_array()};
    json_t *row = key_row(x, k), *usage = NULL;
    enum odp_status st = read_usage(x, &usage);
    if (st == ODP_OK)
        st = odp_keys_each(x->s, &(struct odp_keys_wanted){.account = k->account, .now = x->now}, &c,
                           add_link);
    json_object_update_new(
        row, json_pack("{s:s, s:o, s:o}", "purpose", k->purpose, "chain", c.list, "usage", usage));
    if (st == ODP_OK)
        return odp_admin_row_take(x, row);
    json_decref(row);
    return st;
}

/* ---- acts ---- */

static json_t *issued(struct odp_admin *x, const struct odp_issued *k)
{
    x->settings = x->s->settings; /* the key may have brought a tier */
    const char *tier = k->record.tier < x->settings.ntiers ? x->settings.tiers[k->record.tier].name : "";
    return json_pack("{s:I, s:s, s:s, s:s, s:o, s:o}", "id", (json_int_t)k->record.id, "key", k->key, "tier",
                     tier, "email", k->email, "created", odp_admin_time(x, x->now), "expires",
                     odp_admin_time(x, k->record.until));
}

/* What registration demands of a text; "" when it is absent. */
static enum odp_status typed(struct odp_admin *x, const char *name, size_t max, struct odp_slice *out)
{
    const char *text = odp_admin_text(x, name);
    *out = odp_slice_trim(odp_slice_of(odp_or_empty(text)));
    if (odp_typed_ok(*out) && odp_utf8_count(*out) <= max && (out->len > 0 || strcmp(name, "name") != 0))
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, W_admin_empty_too_long_has_control);
}

static enum odp_status unknown_tier(struct odp_admin *x)
{
    char list[ODP_TIERS_MAX * (ODP_TIER_NAME + 2)] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < x->settings.ntiers; i++)
        n +=
            (size_t)snprintf(list + n, sizeof list - n, "%s%s", i > 0 ? ", " : "", x->settings.tiers[i].name);
    if (n == 0)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "tier", W_admin_there_no_tiers_yet_no);
    return odp_admin_refuse_list(x, ODP_PROBLEM_FIELD_INVALID, "tier", odp_word(x->lang, W_admin_there_are),
                                 list);
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
    int64_t until = 0;
    enum odp_status st = read_registration(x, &r, &until);
    if (st != ODP_OK)
        return st;
    st = odp_keys_create(x->s, odp_admin_order(x, issued), &r, odp_admin_text(x, "tier"), until, &k);
    explicit_bzero(&k, sizeof k);
    return st == ODP_BAD && x->order.problem == ODP_PROBLEM_FIELD_INVALID
               ? unknown_tier(x)
               : odp_admin_result(x, st, x->order.problem, NULL);
}

enum odp_status odp_admin_keys_reissue(struct odp_admin *x)
{
    struct odp_issued k = {0};
    enum odp_status st = odp_keys_reissue(x->s, odp_admin_order(x, issued), x->key.id, &k);
    explicit_bzero(&k, sizeof k);
    return odp_admin_result(x, st, x->order.problem, "key");
}

/* The key as it will be. */
static json_t *changed(struct odp_admin *x, const struct odp_issued *none)
{
    struct odp_key_info k;
    return odp_keys_changing(x->s, x->key.id, x->now, &k) == ODP_OK ? key_row(x, &k) : NULL;
}

enum odp_status odp_admin_keys_state(struct odp_admin *x)
{
    enum odp_key_state state = strcmp(x->command, "keys.suspend") == 0  ? ODP_KEY_SUSPENDED
                               : strcmp(x->command, "keys.resume") == 0 ? ODP_KEY_ACTIVE
                                                                        : ODP_KEY_REVOKED;
    enum odp_status st = odp_keys_set_state(x->s, odp_admin_order(x, changed), x->key.id, state);
    return odp_admin_result(x, st, x->order.problem, "key");
}

enum odp_status odp_admin_keys_tier(struct odp_admin *x)
{
    enum odp_status st =
        odp_keys_set_tier(x->s, odp_admin_order(x, changed), x->key.id, odp_admin_text(x, "tier"));
    return st == ODP_BAD && x->order.problem == ODP_PROBLEM_FIELD_INVALID
               ? unknown_tier(x)
               : odp_admin_result(x, st, x->order.problem, "key");
}

/* That it is erased is known when all is done, and said then. */
static json_t *forgotten(struct odp_admin *x, const struct odp_issued *none)
{
    return json_pack("{s:I, s:s, s:s, s:b}", "holder", (json_int_t)x->key.holder, "key", x->key.shown,
                     "state", "revoked", "erased", 0);
}

enum odp_status odp_admin_keys_forget(struct odp_admin *x)
{
    enum odp_status st = odp_keys_forget(x->s, odp_admin_order(x, forgotten), x->key.holder);
    if (st != ODP_OK)
        return odp_admin_result(x, st, x->order.problem, "key");
    pthread_mutex_lock(&x->s->mutex);
    bool later = x->s->unerased;
    pthread_mutex_unlock(&x->s->mutex);
    if (later) /* a reader of the store (a backup being made) keeps the log: it is cut when that ends */
        return ODP_OK;
    json_object_set_new(json_array_get(x->rows, 0), "erased", json_true());
    if (odp_admin_say(x) != ODP_OK) /* that it will be erased, as was said before, is near enough */
        odp_failure_clear();
    return ODP_OK;
}

/* ---- requests for another tier ---- */

enum odp_status odp_admin_keys_upgrades(struct odp_admin *x)
{
    static const char *const states[] = {"open", "approved", "refused", "all", NULL};
    const char *state = odp_admin_text(x, "state") != NULL ? odp_admin_text(x, "state") : "open";
    struct odp_sql q = {.db = x->s->db,
                        .st = odp_admin_state(x, states, W_admin_choose_open_approved_refused_all)};
    if (q.st != ODP_OK)
        return q.st;
    pthread_mutex_lock(&x->s->mutex);
    odp_sql_select(
        &q,
        "SELECT u.id AS id, k.shown AS key, k.tier AS \"from\", u.tier AS tier, u.reason AS reason,"
        " u.created AS \"created:time\", u.state AS state, u.decided AS \"decided:time\","
        " h.name AS name, h.email AS email, h.organisation AS organisation,"
        " h.email_confirmed AS \"email_confirmed:flag\""
        " FROM upgrade u JOIN key k ON k.id = u.key JOIN holder h ON h.id = k.holder"
        " WHERE ?1 = 'all' OR u.state = ?1 ORDER BY u.id",
        "t", state);
    (void)odp_admin_rows(x, &q, SIZE_MAX);
    pthread_mutex_unlock(&x->s->mutex);
    odp_admin_more(x, false, 0);
    return q.st;
}

static bool approves(const struct odp_admin *x)
{
    return strcmp(x->command, "keys.approve") == 0;
}

static json_t *decision(struct odp_admin *x, const struct odp_issued *none)
{
    return json_pack("{s:I, s:s}", "id", (json_int_t)odp_admin_number(x, "id", 0), "state",
                     approves(x) ? "approved" : "refused");
}

enum odp_status odp_admin_keys_decide(struct odp_admin *x)
{
    enum odp_status st = odp_keys_decide_upgrade(x->s, odp_admin_order(x, decision),
                                                 odp_admin_number(x, "id", 0), approves(x));
    return odp_admin_result(x, st, x->order.problem, "id");
}
