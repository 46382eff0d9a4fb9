/* Acts on subscriptions. An act is one transaction with its audit entry, which has the name and the host,
 * never the address, and with what it puts into the outbox. The account's own keys may act, or an operator
 * (account 0); an owner cannot make active what an operator paused. */
#include "service/webhooks/acts.h"

#include <stdio.h>

#include "core/random.h"
#include "service/http/web.h"
#include "words/webhooks.h"

/* Challenges an hour to one host, of all accounts: keys cost nothing, and nobody shall use us against
 * somebody who never asked for anything. Each is tried ten times at most. */
enum { HOST_HOURLY = 240 };

/* ---- what acts have in common ---- */

void webhook_act_refuse(struct webhook_acting *t, enum odp_problem p)
{
    odp_act_refuse_if(&t->a, true, p);
}

static void find(struct webhook_acting *t)
{
    if (!odp_sql_row(&t->a.q,
                     "SELECT id, account, round, name, state, reason, place FROM webhook"
                     " WHERE name = ?1 AND (?2 = 0 OR account = ?2)",
                     "ti", "iiitttt", t->o->name, t->o->account, &t->id, &t->account, &t->round, t->name,
                     sizeof t->name, t->state, sizeof t->state, t->reason, sizeof t->reason, t->place,
                     sizeof t->place))
        webhook_act_refuse(t, ODP_PROBLEM_NOT_FOUND);
}

static void audit(struct webhook_acting *t, const char *act, const char *member)
{
    char host[ODP_WEBHOOK_PLACE], more[64] = "";
    if (t->a.q.st != ODP_OK || t->silent)
        return;
    if (member != NULL)
        (void)snprintf(more, sizeof more, ",\"%s\":%lld", member, (long long)t->o->n);
    odp_act_note(&t->a, act, t->name, "\"account\":%lld,\"host\":\"%s\"%s", (long long)t->account,
                 odp_webhook_host(t->place, host), more);
}

enum odp_status webhook_act_run(struct webhook_acting *t, const char *audited, const char *member,
                                void (*f)(struct webhook_acting *t))
{
    struct odp_order order = {.actor = t->o->actor, .now = t->o->now_ms / 1000};
    if (t->o->tell != NULL)
        order.telling = *t->o->tell;
    enum odp_status st = odp_act_begin(&t->a, t->w->s, &order);
    t->o->problem = order.problem;
    if (st != ODP_OK)
        return st;
    t->a.keyless = true;
    if (t->name[0] == '\0')
        find(t);
    if (t->a.q.st == ODP_OK)
        f(t);
    audit(t, audited, member);
    st = odp_act_end(&t->a, NULL);
    t->o->problem = order.problem;
    if (st == ODP_OK)
        odp_webhooks_wake(t->w);
    return st;
}

void webhook_act_may_ask(struct webhook_acting *t)
{
    char host[ODP_WEBHOOK_PLACE];
    int64_t retry = 0;
    const struct odp_web *web = t->a.s->web;
    if (t->a.q.st != ODP_OK || web == NULL || t->w->policy.loopback ||
        strcmp(t->o->actor, "api") != 0) /* commands; trials */
        return;
    if (!odp_limit_take(web->limit, ODP_LIMIT_WEBHOOK_HOST, odp_slice_of(odp_webhook_host(t->place, host)),
                        HOST_HOURLY, t->o->now_ms, &retry))
        webhook_act_refuse(t, ODP_PROBLEM_WEBHOOK_RATE);
}

void webhook_act_seal(struct webhook_acting *t, const char *what, struct odp_slice clear,
                      struct odp_buffer *sealed)
{
    odp_buffer_init(sealed);
    enum odp_status st =
        t->a.q.st == ODP_OK ? odp_webhook_seal(t->w, what, t->name, clear, sealed) : t->a.q.st;
    if (st == ODP_BAD)
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
    else
        t->a.q.st = st;
}

bool webhook_act_opens(struct webhook_acting *t, const char *what, struct odp_slice same)
{
    enum odp_status st = ODP_BAD;
    struct odp_buffer clear = {0};
    odp_sql_select(&t->a.q, "SELECT CASE ? WHEN 'url' THEN url ELSE secret END FROM webhook WHERE id = ?",
                   "ti", what, t->id);
    if (odp_sql_next(&t->a.q, ""))
        st = odp_webhook_unseal(t->w, what, t->name, sqlite3_column_blob(t->a.q.row, 0),
                                sqlite3_column_bytes(t->a.q.row, 0), &clear);
    if (odp_sql_end(&t->a.q) != ODP_OK)
        st = ODP_BAD;
    if (st == ODP_OK && same.ptr != NULL && !odp_slice_eq(odp_buffer_slice(&clear), same))
        st = ODP_BAD;
    odp_webhook_wipe(&clear);
    if (st == ODP_FAIL)
        t->a.q.st = st;
    return st == ODP_OK;
}

static void send_challenge(struct webhook_acting *t, int64_t round)
{
    webhook_act_may_ask(t);
    odp_webhook_challenge_add(&t->a.q, t->id, t->name, round, t->o->now_ms, t->o->sent);
}

/* ---- create ---- */

/* The holder may have been forgotten since the key was looked at. */
static void may_create(struct webhook_acting *t)
{
    const struct odp_key_info *key = t->o->key;
    if (odp_sql_number(&t->a.q, "SELECT 1 FROM holder WHERE id = ? AND erased = 0", "i", key->holder) == 0)
        webhook_act_refuse(t, ODP_PROBLEM_KEY_REVOKED);
    int64_t n = odp_sql_number(&t->a.q, "SELECT count(*) FROM webhook WHERE account = ?", "i", key->account);
    if (t->o->n >= 0 && n >= t->o->n)
        webhook_act_refuse(t, ODP_PROBLEM_WEBHOOK_LIMIT);
}

static void insert(struct webhook_acting *t, const uint8_t secret[ODP_WEBHOOK_SECRET])
{
    struct odp_buffer sealed_url, sealed_secret;
    const struct odp_key_info *key = t->o->key;
    const struct odp_webhook_change *c = t->o->change;
    webhook_act_seal(t, "url", odp_slice_of(t->target->url), &sealed_url);
    webhook_act_seal(t, "secret", (struct odp_slice){(const char *)secret, ODP_WEBHOOK_SECRET},
                     &sealed_secret);
    odp_sql_run(
        &t->a.q,
        "INSERT INTO webhook(name, account, holder, url, place, events, datasets, filter, filter_json, "
        "description,"
        " secret, state, created, changed) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'unverified', ?, ?)",
        "tiibtsssisbii", t->name, key->account, key->holder, (const void *)sealed_url.ptr,
        (int)sealed_url.len, t->place, c->events, c->datasets, c->filter, (int64_t)c->filter_json,
        c->description, (const void *)sealed_secret.ptr, (int)sealed_secret.len, t->a.now, t->a.now);
    t->id = sqlite3_last_insert_rowid(t->a.q.db);
    odp_buffer_release(&sealed_url);
    odp_buffer_release(&sealed_secret);
}

static void create(struct webhook_acting *t)
{
    uint8_t secret[ODP_WEBHOOK_SECRET];
    may_create(t);
    webhook_act_may_ask(t);
    if (t->a.q.st == ODP_OK)
        t->a.q.st = odp_webhook_secret_new(secret);
    if (t->a.q.st == ODP_OK) {
        odp_webhook_secret_text(secret, t->o->secret);
        insert(t, secret);
        odp_webhook_challenge_add(&t->a.q, t->id, t->name, 1, t->o->now_ms, t->o->sent);
    }
    explicit_bzero(secret, sizeof secret);
}

enum odp_status odp_webhook_create(struct odp_webhooks *w, struct odp_webhook_act *o)
{
    struct odp_target target;
    struct webhook_acting t = {.w = w, .o = o, .account = o->key->account, .target = &target};
    const struct odp_text *why = NULL;
    o->problem = ODP_PROBLEM_FIELD_INVALID;
    enum odp_status st = odp_target_parse(&target, o->change->url, &w->policy, &why);
    if (st == ODP_OK && !odp_webhooks_limit(w, o->key->tier, &o->n)) {
        o->problem = ODP_PROBLEM_UNAVAILABLE;
        st = ODP_BAD;
    }
    if (st == ODP_OK)
        st = odp_random_base62(memcpy(t.name, "wh_", 3) + 3, ODP_WEBHOOK_NAME - 4);
    if (st == ODP_OK) {
        memcpy(t.place, target.place, sizeof t.place);
        memcpy(o->made, t.name, sizeof o->made);
        st = webhook_act_run(&t, "webhook.create", NULL, create);
    }
    explicit_bzero(&target, sizeof target);
    if (st != ODP_OK) {
        explicit_bzero(o->secret, sizeof o->secret);
        o->made[0] = '\0';
    }
    return st;
}

/* ---- delete ---- */

static void delete_it(struct webhook_acting *t)
{
    odp_sql_run(&t->a.q, "DELETE FROM webhook WHERE id = ?", "i", t->id);
}

enum odp_status odp_webhook_delete(struct odp_webhooks *w, struct odp_webhook_act *o)
{
    return webhook_act_run(&(struct webhook_acting){.w = w, .o = o}, "webhook.delete", NULL, delete_it);
}

/* ---- rotate ---- */

/* Keeps the replaced secret sealed as it is, if it can still sign. */
static void rotate(struct webhook_acting *t)
{
    uint8_t fresh[ODP_WEBHOOK_SECRET];
    struct odp_buffer sealed;
    t->a.q.st = odp_webhook_secret_new(fresh);
    webhook_act_seal(t, "secret", (struct odp_slice){(const char *)fresh, sizeof fresh}, &sealed);
    odp_webhook_secret_text(fresh, t->o->secret);
    bool signs = t->o->grace > 0 && webhook_act_opens(t, "secret", (struct odp_slice){NULL, 0});
    t->o->n = signs ? t->a.now + t->o->grace : 0;
    odp_sql_run(&t->a.q,
                "UPDATE webhook SET previous_secret = CASE WHEN ?1 > 0 THEN secret END, previous_until = ?1, "
                "secret = ?2,"
                " changed = ?3 WHERE id = ?4",
                "ibii", t->o->n, (const void *)sealed.ptr, (int)sealed.len, t->a.now, t->id);
    odp_buffer_release(&sealed);
    explicit_bzero(fresh, sizeof fresh);
}

enum odp_status odp_webhook_rotate(struct odp_webhooks *w, struct odp_webhook_act *o)
{
    enum odp_status st =
        webhook_act_run(&(struct webhook_acting){.w = w, .o = o}, "webhook.rotate", "previous_until", rotate);
    if (st != ODP_OK)
        explicit_bzero(o->secret, sizeof o->secret);
    return st;
}

/* ---- confirm ---- */

/* False: it is another challenge, or there is none (any more). */
static bool is_asked(struct webhook_acting *t, const char *delivery)
{
    char expected[ODP_WEBHOOK_CHALLENGE];
    struct odp_sql *q = &t->a.q;
    odp_sql_select(q,
                   "SELECT m.body FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message"
                   " WHERE d.name = ? AND d.webhook = ?",
                   "ti", delivery, t->id);
    const char *body = odp_sql_next(q, "") ? (const char *)sqlite3_column_text(q->row, 0) : NULL;
    bool met = body != NULL && odp_webhook_challenge_of(odp_slice_of(body), expected) == ODP_OK &&
               odp_webhook_challenge_is(expected, t->o->challenge) && q->st == ODP_OK;
    if (odp_sql_end(q) != ODP_OK)
        met = false;
    explicit_bzero(expected, sizeof expected);
    return met;
}

static void confirm(struct webhook_acting *t)
{
    char delivery[ODP_WEBHOOK_ID];
    t->a.q.st = odp_webhook_challenge_name(delivery, t->name, t->round);
    if (!is_asked(t, delivery))
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
    if (odp_webhook_set_verified(&t->a.q, t->id, t->round, t->o->now_ms))
        odp_sql_run(
            &t->a.q,
            "UPDATE webhook_delivery SET state = 'cancelled', done = ? WHERE name = ? AND state = 'pending'",
            "it", t->o->now_ms, delivery);
    else if (strcmp(t->state, "disabled") == 0)
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
    else /* it was confirmed already */
        t->silent = true;
}

enum odp_status odp_webhook_confirm(struct odp_webhooks *w, struct odp_webhook_act *o)
{
    return webhook_act_run(&(struct webhook_acting){.w = w, .o = o}, "webhook.confirm", NULL, confirm);
}

/* ---- test ---- */

/* Its id has the message's number: two tests at the same moment are two. */
static void send_test(struct webhook_acting *t)
{
    static const struct odp_text words = {{W_webhooks_test_message}};
    char event[64];
    struct odp_buffer body = {0};
    json_t *data = json_pack("{s:s, s:{s:s, s:s}}", "webhook", t->name, "message", "id",
                             odp_text_get(&words, ODP_LANG_ID), "en", odp_text_get(&words, ODP_LANG_EN));
    t->a.q.st = odp_event_message(&body, ODP_EVENT_TEST, t->o->now_ms, data, NULL);
    json_decref(data);
    int64_t message =
        odp_webhook_message_add(&t->a.q, 0, ODP_EVENT_TEST, t->o->now_ms, odp_buffer_slice(&body));
    (void)snprintf(event, sizeof event, "test/%lld/%lld", (long long)message, (long long)t->o->now_ms);
    if (t->a.q.st == ODP_OK)
        t->a.q.st = odp_webhook_message_id(t->o->sent, event, t->name);
    odp_webhook_delivery_add(&t->a.q, t->o->sent, t->id, message, t->o->now_ms);
    odp_buffer_release(&body);
}

static void test(struct webhook_acting *t)
{
    if (strcmp(t->state, "unverified") == 0)
        send_challenge(t, t->round);
    else if (strcmp(t->state, "disabled") == 0)
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
    else
        send_test(t);
}

enum odp_status odp_webhook_test(struct odp_webhooks *w, struct odp_webhook_act *o)
{
    return webhook_act_run(&(struct webhook_acting){.w = w, .o = o}, "webhook.test", NULL, test);
}

/* ---- redeliver ---- */

/* Challenges are sent again by a test. */
static void redeliver(struct webhook_acting *t)
{
    const struct odp_webhook_act *o = t->o;
    if (strcmp(t->state, "active") != 0 && strcmp(t->state, "paused") != 0)
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
    odp_sql_run(&t->a.q,
                "UPDATE webhook_delivery SET state = 'pending', first = attempts, next = ?1, done = 0 WHERE "
                "webhook = ?2"
                " AND CASE WHEN ?3 IS NOT NULL THEN name = ?3 ELSE created >= ?4 AND state <> 'pending'"
                " AND (?5 = 0 OR state <> 'delivered') END AND message NOT IN (SELECT id FROM webhook_message"
                " WHERE id = webhook_delivery.message AND type = 'webhook.challenge')",
                "iitii", o->now_ms, t->id, o->delivery, o->since, (int64_t)o->only_failed);
    t->o->n = t->a.q.st == ODP_OK ? sqlite3_changes(t->a.q.db) : 0;
    if (o->delivery == NULL || t->o->n > 0)
        return;
    bool there = odp_sql_number(&t->a.q, "SELECT 1 FROM webhook_delivery WHERE webhook = ? AND name = ?",
                                "it", t->id, o->delivery) != 0;
    webhook_act_refuse(t, there ? ODP_PROBLEM_CONFLICT : ODP_PROBLEM_NOT_FOUND);
}

enum odp_status odp_webhook_redeliver(struct odp_webhooks *w, struct odp_webhook_act *o)
{
    return webhook_act_run(&(struct webhook_acting){.w = w, .o = o}, "webhook.redeliver", "deliveries",
                           redeliver);
}
