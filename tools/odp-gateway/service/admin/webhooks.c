/* Administrative commands on webhooks. No reply has a secret, and of an address only host and path: what
 * follows '?' is often a password. Owners decide what is sent to whom: operators look, send again, pause and
 * delete. */
#include "service/admin/webhooks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "words/admin.h"

/* A page at a time: the store is held for it. */
enum { LIST_MAX = 1000, SHOWN = 10, SHOWN_MAX = 100, DATE_LENGTH = 10 };

/* ---- the service's webhooks, or what a command has of them ---- */

static enum odp_status nobody_sends(struct odp_admin *x)
{
    if (x->s->web != NULL)
        return odp_admin_refuse(x, ODP_PROBLEM_CONFLICT, NULL, W_admin_service_runs_with_no_webhooks);
    return odp_admin_refuse(x, ODP_PROBLEM_CONFLICT, NULL, W_admin_service_sends_does_not_run);
}

static enum odp_status open_own(struct odp_admin *x, struct odp_admin_webhooks *h)
{
    h->own.s = x->s;
    if (odp_holder_init(&h->own.site, odp_webhook_site_free) != ODP_OK ||
        pthread_mutex_init(&h->own.lock, NULL) != 0 || pthread_cond_init(&h->own.more, NULL) != 0)
        return odp_failure_set("mutex", NULL, ENOMEM);
    h->w = &h->own;
    enum odp_status st = odp_seal_new(&h->own.seal, h->key, false, x->lang, h->key_wrong);
    if (st == ODP_BAD)
        h->own.seal = NULL;
    return st == ODP_FAIL ? st : ODP_OK;
}

enum odp_status odp_admin_webhooks_open(struct odp_admin *x, struct odp_admin_webhooks *h, bool sends)
{
    const struct odp_service_options *o = x->s->options;
    memset(h, 0, sizeof *h);
    if (o->webhook_key != NULL)
        (void)snprintf(h->key, sizeof h->key, "%.*s", ODP_PATH_MAX - 1, o->webhook_key);
    else
        (void)odp_state_file(h->key, o->state_dir, "webhook.key");
    h->w = x->s->web != NULL ? x->s->web->webhooks : NULL;
    if (h->w != NULL)
        return ODP_OK;
    return sends ? nobody_sends(x) : open_own(x, h);
}

void odp_admin_webhooks_close(struct odp_admin_webhooks *h)
{
    if (h->w != &h->own)
        return;
    odp_seal_free(h->own.seal);
    odp_holder_release(&h->own.site);
    pthread_cond_destroy(&h->own.more);
    pthread_mutex_destroy(&h->own.lock);
}

/* ---- rows ---- */

static json_t *time_ms(const struct odp_admin *x, int64_t ms)
{
    return odp_admin_time(x, ms / 1000);
}

static json_t *text_or_null(const char *text)
{
    return text != NULL && *text != '\0' ? json_string(text) : json_null();
}

/* "https://host/path?…" */
static json_t *shown_url(const char *url)
{
    if (url == NULL)
        return json_null();
    size_t n = strcspn(url, "?#");
    return json_sprintf("%.*s%s", (int)n, url, url[n] != '\0' ? "?…" : "");
}

/* "a b" as ["a","b"]. */
static json_t *words(const char *text)
{
    json_t *list = json_array();
    for (const char *p = text; *p != '\0';) {
        size_t n = strcspn(p, " ");
        if (n > 0)
            json_array_append_new(list, json_stringn(p, n));
        p += n + strspn(p + n, " ");
    }
    return list;
}

/* What lists show of it. */
static json_t *list_row(const struct odp_admin *x, const struct odp_webhook *v, const char *key)
{
    return json_pack("{s:s, s:s, s:I, s:s, s:o, s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "id",
                     v->name, "key", key, "account", (json_int_t)v->account, "place", v->place, "url",
                     shown_url(v->url), "state", v->state, "reason", text_or_null(v->reason), "events",
                     words(v->events), "datasets", words(v->datasets), "pending", (json_int_t)v->pending,
                     "delivered", (json_int_t)v->delivered, "failed", (json_int_t)v->failed, "failing_since",
                     time_ms(x, v->failing), "waits_until", time_ms(x, v->not_before), "created",
                     odp_admin_time(x, v->created));
}

static json_t *attempt_row(const struct odp_admin *x, const struct odp_webhook_attempt *t)
{
    int o = odp_outcome_find(odp_slice_of(t->outcome));
    return json_pack("{s:o, s:I, s:o, s:s, s:s}", "at", time_ms(x, t->at), "took_ms", (json_int_t)t->took,
                     "status", t->status > 0 ? json_integer(t->status) : json_null(), "outcome", t->outcome,
                     "meaning",
                     o >= 0 ? odp_text_get(odp_outcome_meaning((enum odp_outcome)o), x->lang) : t->outcome);
}

static json_t *delivery_row(const struct odp_admin *x, const struct odp_webhook_delivery *d)
{
    json_t *attempts = json_array();
    for (size_t i = 0; i < d->nattempts; i++)
        json_array_append_new(attempts, attempt_row(x, &d->attempts[i]));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "id", d->name, "type", d->type, "state", d->state,
                     "created", time_ms(x, d->created), "next_attempt", time_ms(x, d->next), "ended",
                     time_ms(x, d->done), "attempts", attempts);
}

/* With the newest key of the account: people know it by that. The mutex is held. NULL: the store fails. */
static json_t *row_of(const struct odp_admin *x, const struct odp_webhook *v)
{
    char key[ODP_KEY_SHOWN + 1] = "";
    struct odp_sql q = {.db = x->s->db};
    (void)odp_sql_row(&q, "SELECT shown FROM key WHERE account = ? ORDER BY id DESC LIMIT 1", "i", "t",
                      v->account, key, sizeof key);
    return q.st == ODP_OK ? list_row(x, v, key) : NULL;
}

/* ---- looking ---- */

static enum odp_status which(struct odp_admin *x, int64_t *account)
{
    static const char *const states[] = {"unverified", "active", "paused", "disabled", NULL};
    *account = odp_admin_number(x, "account", 0);
    enum odp_status st = odp_admin_state(x, states, W_admin_choose_unverified_active_paused);
    if (st != ODP_OK || json_object_get(x->request, "key") == NULL)
        return st;
    st = odp_admin_key(x);
    if (st == ODP_OK && *account != 0 && *account != x->key.account)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "account", W_admin_key_another_account);
    *account = x->key.account;
    return st;
}

enum odp_status odp_admin_webhooks_list(struct odp_admin *x)
{
    struct odp_webhook *rows = NULL;
    size_t n = 0, limit = (size_t)odp_admin_limit(x, LIST_MAX, LIST_MAX);
    int64_t account = 0;
    enum odp_status st = which(x, &account);
    if (st == ODP_OK)
        st = odp_webhook_list(x->webhooks,
                              &(struct odp_webhooks_wanted){.account = account,
                                                            .state = odp_admin_text(x, "state"),
                                                            .after = odp_admin_number(x, "after", 0),
                                                            .limit = limit + 1},
                              &rows, &n, &x->arena);
    bool more = n > limit;
    n = more ? limit : n;
    for (size_t i = 0; i < n && st == ODP_OK; i++) {
        pthread_mutex_lock(&x->s->mutex);
        st = odp_admin_row_take(x, row_of(x, &rows[i]));
        pthread_mutex_unlock(&x->s->mutex);
    }
    if (st == ODP_OK)
        odp_admin_more(x, more, n > 0 ? rows[n - 1].id : 0);
    return st;
}

static enum odp_status find(struct odp_admin *x, struct odp_webhook *v)
{
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_webhook_find(x->webhooks, odp_admin_text(x, "id"), 0, v, &x->arena, &problem);
    return odp_admin_result(x, st, problem, "id");
}

static enum odp_status keep_last(void *ctx, const struct odp_key_info *k)
{
    *(struct odp_key_info *)ctx = *k;
    return ODP_OK;
}

enum odp_status odp_admin_webhooks_show(struct odp_admin *x)
{
    struct odp_webhook v;
    struct odp_webhook_delivery *deliveries = NULL;
    struct odp_key_info *k = &x->key;
    size_t n = 0, limit = (size_t)odp_admin_limit(x, SHOWN, SHOWN_MAX);
    enum odp_status st = find(x, &v);
    if (st == ODP_OK)
        st = odp_webhook_deliveries(x->webhooks,
                                    &(struct odp_deliveries_wanted){.webhook = v.id, .limit = limit},
                                    &deliveries, &n, &x->arena);
    if (st == ODP_OK)
        st =
            odp_keys_each(x->s, &(struct odp_keys_wanted){.account = v.account, .now = x->now}, k, keep_last);
    if (st != ODP_OK)
        return st;
    json_t *row = list_row(x, &v, k->shown), *rows = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(rows, delivery_row(x, &deliveries[i]));
    json_object_update_new(
        row, json_pack("{s:o, s:s, s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:o}", "filter", text_or_null(v.filter),
                       "description", v.description, "changed", odp_admin_time(x, v.changed), "verified",
                       odp_admin_time(x, v.verified), "previous_secret_valid_until",
                       odp_admin_time(x, v.previous_until), "name", k->name, "email", k->email,
                       "organisation", k->organisation, "tier", k->tier, "deliveries", rows));
    return odp_admin_row_take(x, row);
}

/* ---- acts: send a test, send again, pause, resume, delete ---- */

static bool changing(struct odp_admin *x, struct odp_webhook *v)
{
    return odp_webhook_changing(x->webhooks, odp_admin_text(x, "id"), v, &x->arena) == ODP_OK;
}

static void ask(struct odp_admin *x, json_t *(*row)(struct odp_admin *x, const struct odp_issued *k))
{
    x->act.name = odp_admin_text(x, "id");
    x->act.actor = x->actor;
    x->act.now_ms = x->now * 1000;
    x->act.tell = row != NULL ? &odp_admin_order(x, row)->telling : NULL;
}

static json_t *tested(struct odp_admin *x, const struct odp_issued *none)
{
    struct odp_webhook v;
    if (!changing(x, &v))
        return NULL;
    return json_pack("{s:s, s:s, s:s}", "id", v.name, "delivery", x->act.sent, "sends",
                     strcmp(v.state, "unverified") == 0 ? "webhook.challenge" : "webhook.test");
}

enum odp_status odp_admin_webhooks_test(struct odp_admin *x)
{
    ask(x, tested);
    enum odp_status st = odp_webhook_test(x->webhooks, &x->act);
    return odp_admin_result(x, st, x->act.problem, "id");
}

/* A date is its beginning here: "since". */
static enum odp_status read_since(struct odp_admin *x, int64_t *since)
{
    const char *text = odp_admin_text(x, "since");
    enum odp_status st = odp_admin_moment(x, "since", since);
    if (st == ODP_OK && text != NULL && strlen(text) == DATE_LENGTH)
        *since -= 86400;
    return st;
}

static json_t *replayed(struct odp_admin *x, const struct odp_issued *none)
{
    struct odp_webhook v;
    if (!changing(x, &v))
        return NULL;
    return json_pack("{s:s, s:I, s:s}", "id", v.name, "redelivered", (json_int_t)x->act.n, "state", v.state);
}

enum odp_status odp_admin_webhooks_replay(struct odp_admin *x)
{
    struct odp_webhook v;
    const char *delivery = odp_admin_text(x, "delivery"), *since = odp_admin_text(x, "since");
    bool only_failed = json_is_true(json_object_get(x->request, "only_failed"));
    int64_t from = 0;
    if (delivery == NULL && since == NULL)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_MISSING, "since", W_admin_name_delivery_msg_since_when);
    if (delivery != NULL && (since != NULL || only_failed))
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "delivery",
                                W_admin_one_delivery_since_with_only);
    enum odp_status st = read_since(x, &from);
    if (st == ODP_OK)
        st = find(x, &v);
    if (st != ODP_OK)
        return st;
    ask(x, replayed);
    x->act.delivery = delivery;
    x->act.since = from * 1000;
    x->act.only_failed = only_failed;
    st = odp_webhook_redeliver(x->webhooks, &x->act);
    return odp_admin_result(x, st, x->act.problem,
                            delivery != NULL && x->act.problem == ODP_PROBLEM_NOT_FOUND ? "delivery" : "id");
}

static json_t *changed(struct odp_admin *x, const struct odp_issued *none)
{
    struct odp_webhook v;
    return changing(x, &v) ? row_of(x, &v) : NULL;
}

enum odp_status odp_admin_webhooks_state(struct odp_admin *x)
{
    const struct odp_webhook_change c = {.state =
                                             strcmp(x->command, "webhooks.pause") == 0 ? "paused" : "active"};
    ask(x, changed);
    x->act.change = &c;
    enum odp_status st = odp_webhook_change(x->webhooks, &x->act);
    return odp_admin_result(x, st, x->act.problem, "id");
}

enum odp_status odp_admin_webhooks_delete(struct odp_admin *x)
{
    struct odp_webhook v;
    enum odp_status st = find(x, &v);
    if (st != ODP_OK)
        return st;
    /* The reply first: when there is no memory for it, nothing has happened. */
    st = odp_admin_row_take(x,
                            json_pack("{s:s, s:s, s:s}", "id", v.name, "place", v.place, "state", "deleted"));
    if (st == ODP_OK)
        st = odp_admin_say(x);
    x->act.problem = ODP_PROBLEM_INTERNAL;
    if (st == ODP_OK) {
        ask(x, NULL);
        st = odp_webhook_delete(x->webhooks, &x->act);
    }
    return odp_admin_result(x, st, x->act.problem, "id");
}
