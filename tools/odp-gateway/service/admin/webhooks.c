/* Administrative commands on webhooks. No reply has a secret, and of an address only host and path: what follows '?' is often a
 * password. Who may be told what is the owner's to say: operators look, send again, hold and delete. */
#include "service/admin/webhooks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "words/admin.h"

/* A page at a time: the store is held for it. */
enum { LIST_MAX = 1000, SHOWN = 10, SHOWN_MAX = 100 };

/* ---- the service's webhooks, or what a command has of them ---- */

static enum odp_status nobody_sends(struct odp_admin *x)
{
    if (x->s->web != NULL)
        return odp_admin_refuse(x, ODP_PROBLEM_CONFLICT, NULL, W_admin_service_runs_with_no_webhooks);
    return odp_admin_refuse(
        x, ODP_PROBLEM_CONFLICT, NULL, W_admin_service_sends_does_not_run);
}

static enum odp_status open_own(struct odp_admin *x, struct odp_admin_webhooks *h)
{
    h->own.s = x->s;
    if (pthread_mutex_init(&h->own.lock, NULL) != 0 || pthread_cond_init(&h->own.more, NULL) != 0)
        return odp_failure_set("mutex", NULL, ENOMEM);
    h->w = &h->own;
    enum odp_status st = odp_seal_new(&h->own.seal, h->key, false, h->key_wrong);
    if (st == ODP_BAD)
        h->own.seal = NULL;
    return st == ODP_FAIL ? st : ODP_OK;
}

enum odp_status odp_admin_webhooks_open(struct odp_admin *x, struct odp_admin_webhooks *h, bool sends)
{
    const struct odp_service_options *o = x->s->options;
    memset(h, 0, sizeof *h);
    enum odp_status st = odp_admin_needs_store(x);
    if (st != ODP_OK)
        return st;
    if (o->webhook_key != NULL)
        (void)snprintf(h->key, sizeof h->key, "%.*s", ODP_PATH_MAX - 1, o->webhook_key);
    else if (!odp_state_path(h->key, o->state_dir, "webhook.key"))
        return odp_failure_set("open", o->state_dir, ENAMETOOLONG);
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
    pthread_cond_destroy(&h->own.more);
    pthread_mutex_destroy(&h->own.lock);
}

enum odp_status odp_admin_webhooks_run(struct odp_admin *x, bool sends, odp_admin_webhooks_act *f)
{
    struct odp_admin_webhooks h;
    struct odp_arena a;
    odp_arena_init(&a);
    enum odp_status st = odp_admin_webhooks_open(x, &h, sends);
    if (st == ODP_OK)
        st = f(x, h.w, &a);
    odp_admin_webhooks_close(&h);
    odp_arena_release(&a);
    return st;
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
    struct odp_buffer b;
    if (url == NULL)
        return json_null();
    size_t n = strcspn(url, "?#");
    odp_buffer_init(&b);
    odp_buffer_add(&b, url, n);
    odp_buffer_add_str(&b, url[n] != '\0' ? "?…" : "");
    json_t *text = odp_buffer_status(&b) == ODP_OK ? json_stringn(b.ptr, b.len) : NULL;
    odp_buffer_release(&b);
    return text;
}

/* "a b" as ["a","b"]. */
static json_t *words(const char *text)
{
    json_t *list = json_array();
    for (const char *p = text; *p != '\0';) {
        size_t n = strcspn(p, " ");
        if (n > 0 && json_array_append_new(list, json_stringn(p, n)) != 0) {
            json_decref(list);
            return NULL;
        }
        p += n + strspn(p + n, " ");
    }
    return list;
}

/* What lists show of it. */
static json_t *webhook_row(const struct odp_admin *x, const struct odp_webhook *v, const char *key)
{
    return json_pack("{s:s, s:s, s:I, s:s, s:o, s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "id", v->name, "key", key,
                     "account", (json_int_t)v->account, "place", v->place, "url", shown_url(v->url), "state", v->state,
                     "reason", text_or_null(v->reason), "events", words(v->events), "datasets", words(v->datasets), "pending",
                     (json_int_t)v->pending, "delivered", (json_int_t)v->delivered, "failed", (json_int_t)v->failed,
                     "failing_since", time_ms(x, v->failing), "waits_until", time_ms(x, v->not_before), "created",
                     odp_admin_time(x, v->created));
}

/* And what `show` adds. */
static int add_rest(const struct odp_admin *x, json_t *row, const struct odp_webhook *v, const struct odp_key_info *k)
{
    json_t *rest =
        json_pack("{s:o, s:s, s:o, s:o, s:o, s:s, s:s, s:s, s:s}", "filter", text_or_null(v->filter), "description",
                  v->description, "changed", odp_admin_time(x, v->changed), "verified", odp_admin_time(x, v->verified),
                  "previous_secret_valid_until", odp_admin_time(x, v->previous_until), "name", k->name, "email", k->email,
                  "organisation", k->organisation, "tier", k->tier);
    int e = rest != NULL ? json_object_update(row, rest) : -1;
    json_decref(rest);
    return e;
}

static json_t *attempt_row(const struct odp_admin *x, const struct odp_webhook_attempt *t)
{
    int o = odp_outcome_find(odp_slice_of(t->outcome));
    return json_pack("{s:o, s:I, s:o, s:s, s:s}", "at", time_ms(x, t->at), "took_ms", (json_int_t)t->took, "status",
                     t->status > 0 ? json_integer(t->status) : json_null(), "outcome", t->outcome, "meaning",
                     o >= 0 ? odp_text_get(odp_outcome_meaning((enum odp_outcome)o), x->lang) : t->outcome);
}

static json_t *delivery_row(const struct odp_admin *x, const struct odp_webhook_delivery *d)
{
    json_t *attempts = json_array();
    int e = 0;
    for (size_t i = 0; i < d->nattempts && e == 0; i++)
        e = json_array_append_new(attempts, attempt_row(x, &d->attempts[i]));
    if (e != 0) {
        json_decref(attempts);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "id", d->name, "type", d->type, "state", d->state, "created",
                     time_ms(x, d->created), "next_attempt", time_ms(x, d->next), "ended", time_ms(x, d->done), "attempts",
                     attempts);
}

/* ---- looking ---- */

/* The newest key of the account: people know it by that. The mutex is held. */
static enum odp_status shown_key(struct odp_admin *x, int64_t account, char out[ODP_KEY_SHOWN + 1])
{
    sqlite3_stmt *row = NULL;
    out[0] = '\0';
    enum odp_status st =
        odp_store_prepare(x->s->db, &row, "SELECT shown FROM key WHERE account = ? ORDER BY id DESC LIMIT 1", "i", account);
    if (st == ODP_OK && (st = odp_store_step(x->s->db, row)) == ODP_OK)
        odp_store_text(row, 0, out, ODP_KEY_SHOWN + 1);
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_OK : st;
}

enum odp_status odp_admin_webhooks_add(struct odp_admin *x, const struct odp_webhook *v)
{
    char key[ODP_KEY_SHOWN + 1];
    enum odp_status st = shown_key(x, v->account, key);
    return st == ODP_OK ? odp_admin_row_take(x, webhook_row(x, v, key)) : st;
}

static enum odp_status add_row(struct odp_admin *x, const struct odp_webhook *v)
{
    pthread_mutex_lock(&x->s->mutex);
    enum odp_status st = odp_admin_webhooks_add(x, v);
    pthread_mutex_unlock(&x->s->mutex);
    return st;
}

static enum odp_status which(struct odp_admin *x, const char **state, int64_t *account)
{
    static const char *const states[] = {"unverified", "active", "paused", "disabled"};
    struct odp_key_info k;
    size_t known = 0;
    *state = odp_admin_text(x, "state");
    *account = odp_admin_number(x, "account", 0);
    while (*state != NULL && known < 4 && strcmp(*state, states[known]) != 0)
        known++;
    if (known == 4)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "state", W_admin_choose_unverified_active_paused);
    if (json_object_get(x->request, "key") == NULL)
        return ODP_OK;
    enum odp_status st = odp_admin_key(x, &k);
    if (st == ODP_OK && *account != 0 && *account != k.account)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "account", W_admin_key_another_account);
    *account = st == ODP_OK ? k.account : 0;
    return st;
}

static enum odp_status list(struct odp_admin *x, struct odp_webhooks *w, struct odp_arena *a)
{
    struct odp_webhook *rows = NULL;
    const char *state = NULL;
    size_t n = 0;
    int64_t account = 0, limit = odp_admin_number(x, "limit", LIST_MAX);
    limit = limit < 1 ? 1 : limit > LIST_MAX ? LIST_MAX : limit;
    enum odp_status st = which(x, &state, &account);
    if (st == ODP_OK)
        st = odp_webhook_list(w, account, state, odp_admin_number(x, "after", 0), (size_t)limit + 1, &rows, &n, a);
    bool more = n > (size_t)limit;
    n = more ? (size_t)limit : n;
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        st = add_row(x, &rows[i]);
    return st == ODP_OK ? odp_admin_more(x, more, n > 0 ? rows[n - 1].id : 0) : st;
}

enum odp_status odp_admin_webhooks_find(struct odp_admin *x, struct odp_webhooks *w, struct odp_webhook *v, struct odp_arena *a)
{
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_webhook_find(w, odp_admin_text(x, "id"), 0, v, a, &problem);
    return odp_admin_result(x, st, problem, "id");
}

static enum odp_status keep_last(void *ctx, const struct odp_key_info *k)
{
    *(struct odp_key_info *)ctx = *k;
    return ODP_OK;
}

static enum odp_status show(struct odp_admin *x, struct odp_webhooks *w, struct odp_arena *a)
{
    struct odp_webhook v;
    struct odp_webhook_delivery *deliveries = NULL;
    struct odp_key_info k = {0};
    size_t n = 0;
    int64_t limit = odp_admin_number(x, "limit", SHOWN);
    limit = limit < 1 ? 1 : limit > SHOWN_MAX ? SHOWN_MAX : limit;
    enum odp_status st = odp_admin_webhooks_find(x, w, &v, a);
    if (st == ODP_OK)
        st = odp_webhook_deliveries(w, v.id, NULL, NULL, 0, (size_t)limit, &deliveries, &n, a);
    if (st == ODP_OK)
        st = odp_keys_account(x->s, v.account, x->now, &k, keep_last);
    if (st != ODP_OK)
        return st;
    json_t *row = webhook_row(x, &v, k.shown), *rows = json_array();
    int e = row != NULL ? add_rest(x, row, &v, &k) : -1;
    for (size_t i = 0; i < n && e == 0; i++)
        e = json_array_append_new(rows, delivery_row(x, &deliveries[i]));
    if (e == 0)
        e = json_object_set(row, "deliveries", rows);
    json_decref(rows);
    if (e == 0)
        return odp_admin_row_take(x, row);
    json_decref(row);
    return odp_failure_set("reply", NULL, 0);
}

enum odp_status odp_admin_webhooks_list(struct odp_admin *x)
{
    return odp_admin_webhooks_run(x, false, list);
}

enum odp_status odp_admin_webhooks_show(struct odp_admin *x)
{
    return odp_admin_webhooks_run(x, false, show);
}
