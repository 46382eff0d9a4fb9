/* /v1/webhooks and what is below it, without the deliveries. */
#include <string.h>

#include "base/datetime.h"
#include "service/webhooks/endpoint_internal.h"
#include "words/webhooks.h"

#define ENDPOINT(run, writes, f)                                                                             \
    enum odp_status odp_endpoint_webhook_##run(struct odp_state *s, const struct odp_call *c,                \
                                               struct odp_answer *a)                                         \
    {                                                                                                        \
        return odp_webhook_call_run(s, c, a, writes, f);                                                     \
    }

/* ---- create ---- */

static enum odp_status create(struct odp_webhook_call *x)
{
    struct odp_webhook_change change;
    enum odp_status st = odp_http_json(x->s, x->c, x->a, &x->doc);
    if (st == ODP_OK)
        st = odp_webhook_fields(x, NULL, &change);
    if (st == ODP_OK)
        st = odp_webhook_call_count(x);
    if (st != ODP_OK)
        return st;
    x->act.key = &x->who.info;
    x->act.change = &change;
    x->answer = odp_webhook_answer_made;
    return odp_webhook_call_act(x, odp_webhook_create, NULL);
}
ENDPOINT(create, true, create)

/* ---- list, get ---- */

static enum odp_status list(struct odp_webhook_call *x)
{
    struct odp_webhook *items;
    size_t n = 0;
    enum odp_status st = odp_webhook_call_parameters(x, NULL, NULL, 0);
    if (st == ODP_OK)
        st = odp_webhook_list(x->w, x->who.info.account, NULL, 0, SIZE_MAX, &items, &n, &x->arena);
    if (st != ODP_OK)
        return st;
    odp_webhook_body_begin(x, 200);
    for (size_t i = 0; i < n; i++) {
        odp_webhook_body_open(x);
        odp_webhook_body_row(x, &items[i]);
        odp_webhook_body_close(x);
    }
    return odp_webhook_body_end(x, "");
}
ENDPOINT(list, false, list)

static enum odp_status get(struct odp_webhook_call *x)
{
    enum odp_status st = odp_webhook_call_parameters(x, NULL, NULL, 0);
    return st == ODP_OK ? odp_webhook_answer(x) : st;
}
ENDPOINT(get, false, get)

/* ---- change ---- */

/* What prevents the change, and who can end that. */
static const char *conflict_of(const struct odp_call *c, const struct odp_webhook *h)
{
    if (strcmp(h->reason, "operator") == 0)
        return odp_say(c, W_webhooks_webhook_paused_by_portals);
    if (strcmp(h->state, "unverified") == 0)
        return odp_say(c, W_webhooks_address_has_not_confirmed_yet);
    if (strcmp(h->reason, "sealed") == 0)
        return odp_say(c, W_webhooks_address_secret_cannot_opened_any);
    return odp_say(c, W_webhooks_state_webhook_state_reason_does);
}

/* A challenge goes to another address, and to a disabled one; to a paused one all that waits. */
static bool sends(const struct odp_webhook_change *change, const struct odp_webhook *h)
{
    return change->url.ptr != NULL ||
           (change->state != NULL && strcmp(change->state, "active") == 0 && strcmp(h->state, "active") != 0);
}

static enum odp_status change(struct odp_webhook_call *x)
{
    struct odp_webhook h;
    struct odp_webhook_change change;
    enum odp_status st = odp_webhook_call_find(x, &h);
    if (st == ODP_OK)
        st = odp_http_json(x->s, x->c, x->a, &x->doc);
    if (st == ODP_OK)
        st = odp_webhook_fields(x, &h, &change);
    if (st == ODP_OK && sends(&change, &h))
        st = odp_webhook_call_count(x);
    if (st != ODP_OK)
        return st;
    if (json_object_size(x->doc) == 0)
        return odp_webhook_answer(x);
    x->act.change = &change;
    return odp_webhook_call_act(x, odp_webhook_change, conflict_of(x->c, &h));
}
ENDPOINT(change, true, change)

/* ---- delete ---- */

static enum odp_status delete_it(struct odp_webhook_call *x)
{
    /* The answer first: without memory for it nothing happens. */
    enum odp_status st =
        odp_webhook_answer_take(x, 200, json_pack("{s:s, s:s}", "id", x->name, "state", "deleted"));
    x->answer = NULL;
    return st == ODP_OK ? odp_webhook_call_act(x, odp_webhook_delete, NULL) : st;
}
ENDPOINT(delete, true, delete_it)

/* ---- confirm, test, rotate-secret ---- */

static enum odp_status confirm(struct odp_webhook_call *x)
{
    static const struct odp_member fields[] = {{"challenge", ODP_FIELD_TEXT, true, 64}};
    struct odp_member_value value = {0};
    enum odp_status st = odp_http_body(x->s, x->c, x->a, fields, 1, &value, &x->doc);
    x->act.challenge = value.text;
    return st == ODP_OK ? odp_webhook_call_act(x, odp_webhook_confirm,
                                               odp_say(x->c, W_webhooks_not_challenge_last_sent_webhooks))
                        : st;
}
ENDPOINT(confirm, true, confirm)

static enum odp_status answer_tested(struct odp_webhook_call *x)
{
    return odp_webhook_answer_take(x, 202,
                                   json_pack("{s:s, s:s}", "webhook", x->name, "delivery", x->act.sent));
}

static enum odp_status test(struct odp_webhook_call *x)
{
    struct odp_member_value value = {0};
    enum odp_status st = odp_http_body(x->s, x->c, x->a, NULL, 0, &value, &x->doc);
    if (st == ODP_OK)
        st = odp_webhook_call_count(x);
    x->answer = answer_tested;
    return st == ODP_OK ? odp_webhook_call_act(x, odp_webhook_test,
                                               odp_say(x->c, W_webhooks_webhook_disabled_turn_on_first))
                        : st;
}
ENDPOINT(test, true, test)

static enum odp_status rotate(struct odp_webhook_call *x)
{
    static const struct odp_member fields[] = {{"grace_hours", ODP_FIELD_NUMBER, false, 168}};
    struct odp_member_value value = {0};
    enum odp_status st = odp_http_body(x->s, x->c, x->a, fields, 1, &value, &x->doc);
    x->act.grace = value.number >= 0 ? value.number * 3600 : ODP_WEBHOOK_GRACE;
    x->answer = odp_webhook_answer_secret;
    return st == ODP_OK ? odp_webhook_call_act(x, odp_webhook_rotate, NULL) : st;
}
ENDPOINT(rotate, true, rotate)

/* ---- redeliver ---- */

enum { DELIVERY, SINCE, ONLY_FAILED, FIELDS };

static bool moment(struct odp_slice text, int64_t *ms)
{
    struct odp_datetime d;
    if (odp_date_parse(text, ODP_DATETIME, NULL, NULL, &d) != ODP_DATE_OK)
        return false;
    int64_t minutes = odp_date_days(&d) * 1440 + d.hour * 60 + d.minute - d.offset;
    *ms = (minutes * 60 + d.second) * 1000 + d.nanos / 1000000;
    return true;
}

/* One delivery, or all since a moment. */
static enum odp_status read_redeliver(struct odp_webhook_call *x, const struct odp_member_value *v)
{
    struct odp_slice delivery = v[DELIVERY].text;
    bool all = v[SINCE].text.len > 0;
    if (delivery.len == 0 && !all)
        return odp_webhook_call_missing(x, "delivery",
                                        odp_say(x->c, W_webhooks_send_delivery_msg_since_2026));
    if (delivery.len > 0 && all) {
        odp_answer_problem(x->a, x->s, x->c, ODP_PROBLEM_FIELD_INVALID, "since",
                           odp_say(x->c, W_webhooks_send_delivery_msg_since_2026));
        return ODP_BAD;
    }
    if (!all && v[ONLY_FAILED].number >= 0)
        return odp_webhook_call_invalid(x, "only_failed", odp_say(x->c, W_webhooks_only_together_with_since));
    if (all && !moment(v[SINCE].text, &x->act.since))
        return odp_webhook_call_invalid(x, "since", odp_say(x->c, W_webhooks_moment_by_rfc_3339_with));
    x->act.delivery = all ? NULL : odp_arena_copy(&x->arena, delivery).ptr;
    x->act.only_failed = v[ONLY_FAILED].number == 1;
    return ODP_OK;
}

static enum odp_status answer_redelivered(struct odp_webhook_call *x)
{
    return odp_webhook_answer_take(x, 202, json_pack("{s:I}", "redelivered", (json_int_t)x->act.n));
}

static enum odp_status redeliver(struct odp_webhook_call *x)
{
    static const struct odp_member fields[FIELDS] = {{"delivery", ODP_FIELD_TEXT, false, 64},
                                                     {"since", ODP_FIELD_TEXT, false, 64},
                                                     {"only_failed", ODP_FIELD_BOOL, false, 1}};
    struct odp_member_value v[FIELDS];
    enum odp_status st = odp_http_body(x->s, x->c, x->a, fields, FIELDS, v, &x->doc);
    if (st == ODP_OK)
        st = read_redeliver(x, v);
    if (st == ODP_OK)
        st = odp_webhook_call_count(x);
    x->answer = answer_redelivered;
    return st == ODP_OK ? odp_webhook_call_act(x, odp_webhook_redeliver,
                                               odp_say(x->c, W_webhooks_only_webhooks_active_paused_send))
                        : st;
}
ENDPOINT(redeliver, true, redeliver)
