/* Confirming by hand, testing, sending again. */
#include <errno.h>
#include <stdio.h>

#include "service/webhooks/acts.h"

/* Compared without telling by time how much of it was right. */
static bool same(const char *challenge, struct odp_slice given)
{
    size_t n = strlen(challenge);
    unsigned differ = given.len != n;
    for (size_t i = 0; i < n && i < given.len; i++)
        differ |= (unsigned)(challenge[i] ^ given.ptr[i]);
    return differ == 0;
}

/* BAD: there is none that could be answered (never asked, or so long ago that it was pruned). */
static enum odp_status challenge_of(struct odp_act *a, const struct odp_webhook_row *b, char out[ODP_WEBHOOK_CHALLENGE])
{
    char delivery[ODP_WEBHOOK_ID];
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_webhook_challenge_name(delivery, b->name, b->round);
    if (st == ODP_OK)
        st = odp_store_prepare(a->s->db, &row,
                               "SELECT m.body FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message WHERE d.name "
                               "= ? AND d.webhook = ?",
                               "ti", delivery, b->id);
    if (st == ODP_OK)
        st = odp_store_step(a->s->db, row);
    if (st == ODP_OK) {
        const char *body = (const char *)sqlite3_column_text(row, 0);
        st = odp_webhook_challenge_of(odp_slice_of(body != NULL ? body : ""), out);
    }
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_BAD : st;
}

static enum odp_status confirm(struct odp_act *a, const struct odp_webhook_row *b, struct odp_slice challenge, int64_t now_ms)
{
    char expected[ODP_WEBHOOK_CHALLENGE], delivery[ODP_WEBHOOK_ID];
    enum odp_status st = challenge_of(a, b, expected);
    if (st == ODP_OK && !same(expected, challenge))
        st = ODP_BAD;
    explicit_bzero(expected, sizeof expected);
    if (st != ODP_OK)
        return st == ODP_BAD ? odp_act_refuse(a, ODP_PROBLEM_CONFLICT) : st;
    st = odp_webhook_set_verified(a->s->db, b->id, b->round, now_ms);
    if (st == ODP_DONE) /* answered already: fine, unless it was disabled since */
        return strcmp(b->state, "disabled") == 0 ? odp_act_refuse(a, ODP_PROBLEM_CONFLICT) : ODP_OK;
    if (st == ODP_OK)
        st = odp_webhook_challenge_name(delivery, b->name, b->round);
    if (st == ODP_OK)
        st = odp_store_run(a->s->db,
                           "UPDATE webhook_delivery SET state = 'cancelled', done = ? WHERE name = ? AND state = 'pending'",
                           "it", now_ms, delivery);
    return st == ODP_OK ? odp_webhook_act_audit(a, "webhook.confirm", b, NULL, 0) : st;
}

enum odp_status odp_webhook_confirm(struct odp_webhooks *w, const char *name, int64_t account, struct odp_slice challenge,
                                    int64_t now_ms, const struct odp_telling *tell, enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_webhook_row b;
    enum odp_status st = odp_webhook_act_begin(&a, w, name, account, "api", now_ms, problem, &b);
    return st == ODP_OK ? odp_webhook_act_end(&a, w, confirm(&a, &b, challenge, now_ms), tell) : st;
}

/* ---- tests ---- */

/* Its id has the message's number in it: two tests of the same moment are two. */
static enum odp_status test_add(struct odp_act *a, const struct odp_webhook_row *b, struct odp_slice body, int64_t now_ms,
                                char delivery[ODP_WEBHOOK_ID])
{
    char event[64];
    int64_t message = 0;
    enum odp_status st = odp_webhook_message_add(a->s->db, 0, ODP_EVENT_TEST, now_ms, body, &message);
    (void)snprintf(event, sizeof event, "test/%lld/%lld", (long long)message, (long long)now_ms);
    if (st == ODP_OK)
        st = odp_webhook_message_id(delivery, event, b->name);
    if (st == ODP_OK)
        st = odp_webhook_delivery_add(a->s->db, delivery, b->id, message, now_ms, now_ms);
    return st == ODP_DONE ? odp_failure_set("webhooks: two tests of one name", NULL, 0) : st;
}

static enum odp_status test(struct odp_act *a, struct odp_webhooks *w, const struct odp_webhook_row *b, int64_t now_ms,
                            char delivery[ODP_WEBHOOK_ID])
{
    struct odp_buffer body;
    if (strcmp(b->state, "unverified") == 0) {
        enum odp_status may = odp_webhook_act_may_ask(a, w, b->place, now_ms);
        return may == ODP_OK ? odp_webhook_challenge_add(a->s->db, b->id, b->name, b->round, now_ms, delivery) : may;
    }
    if (strcmp(b->state, "disabled") == 0)
        return odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
    odp_buffer_init(&body);
    json_t *data = json_pack("{s:s, s:{s:s, s:s}}", "webhook", b->name, "message", "id",
                             "Percobaan: pesan ini diminta oleh pemilik webhook; tidak ada yang berubah.", "en",
                             "A test: this message was asked for by the webhook's owner; nothing has changed.");
    enum odp_status st = data != NULL ? odp_event_message(&body, ODP_EVENT_TEST, now_ms, data, NULL)
                                      : odp_failure_set("webhooks: a test", NULL, ENOMEM);
    json_decref(data);
    if (st == ODP_OK)
        st = test_add(a, b, odp_buffer_slice(&body), now_ms, delivery);
    odp_buffer_release(&body);
    return st;
}

enum odp_status odp_webhook_test(struct odp_webhooks *w, const char *name, int64_t account, const char *actor, int64_t now_ms,
                                 const struct odp_telling *tell, char delivery[ODP_WEBHOOK_ID], enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_webhook_row b;
    enum odp_status st = odp_webhook_act_begin(&a, w, name, account, actor, now_ms, problem, &b);
    if (st != ODP_OK)
        return st;
    st = test(&a, w, &b, now_ms, delivery);
    if (st == ODP_OK)
        st = odp_webhook_act_audit(&a, "webhook.test", &b, NULL, 0);
    return odp_webhook_act_end(&a, w, st, tell);
}

/* ---- again ---- */

#define AGAIN "UPDATE webhook_delivery SET state = 'pending', first = attempts, next = ?1, done = 0 WHERE webhook = ?2"
/* Challenges are sent again by a test. */
#define NO_CHALLENGE                                                                                                           \
    " AND message NOT IN (SELECT id FROM webhook_message WHERE id = webhook_delivery.message AND type = 'webhook.challenge')"

static enum odp_status again_one(struct odp_act *a, const struct odp_webhook_row *b, const char *delivery, int64_t now_ms,
                                 int64_t *n)
{
    int64_t there = 0;
    enum odp_status st = odp_store_run(a->s->db, AGAIN " AND name = ?3" NO_CHALLENGE, "iit", now_ms, b->id, delivery);
    *n = st == ODP_OK ? sqlite3_changes(a->s->db) : 0;
    if (st != ODP_OK || *n > 0)
        return st;
    st = odp_store_number(a->s->db, &there, "SELECT 1 FROM webhook_delivery WHERE webhook = ? AND name = ?", "it", b->id,
                          delivery);
    return st == ODP_FAIL ? st : odp_act_refuse(a, st == ODP_OK ? ODP_PROBLEM_CONFLICT : ODP_PROBLEM_NOT_FOUND);
}

static enum odp_status again_since(struct odp_act *a, const struct odp_webhook_row *b, int64_t since, bool only_failed,
                                   int64_t now_ms, int64_t *n)
{
    enum odp_status st = odp_store_run(
        a->s->db, AGAIN " AND created >= ?3 AND state <> 'pending' AND (?4 = 0 OR state <> 'delivered')" NO_CHALLENGE, "iiii",
        now_ms, b->id, since, (int64_t)(only_failed ? 1 : 0));
    *n = st == ODP_OK ? sqlite3_changes(a->s->db) : 0;
    return st;
}

enum odp_status odp_webhook_redeliver(struct odp_webhooks *w, const char *name, int64_t account, const char *delivery,
                                      int64_t since, bool only_failed, const char *actor, int64_t now_ms,
                                      const struct odp_telling *tell, int64_t *n, enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_webhook_row b;
    *n = 0;
    enum odp_status st = odp_webhook_act_begin(&a, w, name, account, actor, now_ms, problem, &b);
    if (st != ODP_OK)
        return st;
    if (strcmp(b.state, "active") != 0 && strcmp(b.state, "paused") != 0)
        st = odp_act_refuse(&a, ODP_PROBLEM_CONFLICT);
    else
        st = delivery != NULL ? again_one(&a, &b, delivery, now_ms, n) : again_since(&a, &b, since, only_failed, now_ms, n);
    if (st == ODP_OK)
        st = odp_webhook_act_audit(&a, "webhook.redeliver", &b, "deliveries", *n);
    return odp_webhook_act_end(&a, w, st, tell);
}
