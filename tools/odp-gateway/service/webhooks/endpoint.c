/* /v1/webhooks and what is below it, without the deliveries. */
#include <string.h>

#include "service/webhooks/endpoint_internal.h"
#include "words/webhooks.h"

#define ENDPOINT(run, writes, f)                                                                             \
    enum odp_status odp_endpoint_webhook_##run(struct odp_answer *a)                                         \
    {                                                                                                        \
        struct webhook_call x = {.a = a};                                                                    \
        return webhook_call_run(&x, writes, f);                                                              \
    }

static void read_json(struct webhook_call *x)
{
    if (x->st == ODP_OK)
        x->st = odp_http_json(x->a, &x->doc);
}

static void read_body(struct webhook_call *x, const struct odp_member *fields, size_t n,
                      struct odp_member_value *values)
{
    x->st = odp_http_body(x->a, &(struct odp_body_members){fields, n, values}, &x->doc);
}

/* ---- create, list, get ---- */

static void create(struct webhook_call *x)
{
    struct odp_webhook_change change;
    read_json(x);
    webhook_fields(x, NULL, &change);
    webhook_call_count(x);
    x->act.key = &x->who.info;
    x->act.change = &change;
    webhook_call_act(x, odp_webhook_create, webhook_answer_made, NULL);
}
ENDPOINT(create, true, create)

static void list(struct webhook_call *x)
{
    const struct odp_webhooks_wanted wanted = {.account = x->who.info.account, .limit = SIZE_MAX};
    struct odp_webhook *items;
    size_t n = 0;
    webhook_call_parameters(x, NULL, NULL, 0);
    if (x->st == ODP_OK)
        x->st = odp_webhook_list(x->w, &wanted, &items, &n, &x->arena);
    if (x->st != ODP_OK)
        return;
    webhook_body_begin(x, 200);
    for (size_t i = 0; i < n; i++) {
        webhook_body_open(x);
        webhook_body_row(x, &items[i]);
        webhook_body_close(x);
    }
    x->st = webhook_body_end(x, "");
}
ENDPOINT(list, false, list)

static void get(struct webhook_call *x)
{
    webhook_call_parameters(x, NULL, NULL, 0);
    webhook_answer(x);
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

static void change(struct webhook_call *x)
{
    struct odp_webhook h;
    struct odp_webhook_change change;
    webhook_call_find(x, &h);
    read_json(x);
    webhook_fields(x, &h, &change);
    if (x->st == ODP_OK && sends(&change, &h))
        webhook_call_count(x);
    if (x->st != ODP_OK)
        return;
    x->act.change = &change;
    if (json_object_size(x->doc) == 0)
        webhook_answer(x);
    else
        webhook_call_act(x, odp_webhook_change, webhook_answer_changed, conflict_of(x->a->c, &h));
}
ENDPOINT(change, true, change)

/* ---- delete ---- */

static void delete_it(struct webhook_call *x)
{
    /* The answer first: without memory for it nothing happens. */
    x->st = webhook_answer_take(x, 200, json_pack("{s:s, s:s}", "id", x->name, "state", "deleted"));
    webhook_call_act(x, odp_webhook_delete, NULL, NULL);
}
ENDPOINT(delete, true, delete_it)

/* ---- confirm, test, rotate-secret ---- */

static void confirm(struct webhook_call *x)
{
    static const struct odp_member fields[] = {{"challenge", ODP_FIELD_TEXT, true, 64}};
    struct odp_member_value value = {0};
    read_body(x, fields, 1, &value);
    x->act.challenge = value.text;
    webhook_call_act(x, odp_webhook_confirm, webhook_answer_changed,
                     odp_say(x->a->c, W_webhooks_not_challenge_last_sent_webhooks));
}
ENDPOINT(confirm, true, confirm)

static enum odp_status answer_tested(struct webhook_call *x)
{
    return webhook_answer_take(x, 202, json_pack("{s:s, s:s}", "webhook", x->name, "delivery", x->act.sent));
}

static void test(struct webhook_call *x)
{
    struct odp_member_value value = {0};
    read_body(x, NULL, 0, &value);
    webhook_call_count(x);
    webhook_call_act(x, odp_webhook_test, answer_tested,
                     odp_say(x->a->c, W_webhooks_webhook_disabled_turn_on_first));
}
ENDPOINT(test, true, test)

static void rotate(struct webhook_call *x)
{
    static const struct odp_member fields[] = {{"grace_hours", ODP_FIELD_NUMBER, false, 168}};
    struct odp_member_value value = {0};
    read_body(x, fields, 1, &value);
    x->act.grace = value.number >= 0 ? value.number * 3600 : ODP_WEBHOOK_GRACE;
    webhook_call_act(x, odp_webhook_rotate, webhook_answer_secret, NULL);
}
ENDPOINT(rotate, true, rotate)

/* ---- redeliver ---- */

enum { DELIVERY, SINCE, ONLY_FAILED, FIELDS };

/* One delivery, or all since a moment. */
static void read_redeliver(struct webhook_call *x, const struct odp_member_value *v)
{
    struct odp_slice delivery = v[DELIVERY].text;
    bool all = v[SINCE].text.len > 0;
    const char *one_of_two = odp_say(x->a->c, W_webhooks_send_delivery_msg_since_2026);
    x->act.delivery = all ? NULL : odp_arena_copy(&x->arena, delivery).ptr;
    x->act.only_failed = v[ONLY_FAILED].number == 1;
    if (delivery.len == 0 && !all) {
        webhook_call_missing(x, "delivery", one_of_two);
    } else if (delivery.len > 0 && all) {
        odp_answer_problem(x->a, ODP_PROBLEM_FIELD_INVALID, "since", one_of_two);
        x->st = ODP_BAD;
    } else if (!all && v[ONLY_FAILED].number >= 0) {
        webhook_call_invalid(x, "only_failed", odp_say(x->a->c, W_webhooks_only_together_with_since));
    } else if (all && !odp_moment_read(v[SINCE].text, &x->act.since)) {
        webhook_call_invalid(x, "since", odp_say(x->a->c, W_webhooks_moment_by_rfc_3339_with));
    }
}

static enum odp_status answer_redelivered(struct webhook_call *x)
{
    return webhook_answer_take(x, 202, json_pack("{s:I}", "redelivered", (json_int_t)x->act.n));
}

static void redeliver(struct webhook_call *x)
{
    static const struct odp_member fields[FIELDS] = {{"delivery", ODP_FIELD_TEXT, false, 64},
                                                     {"since", ODP_FIELD_TEXT, false, 64},
                                                     {"only_failed", ODP_FIELD_BOOL, false, 1}};
    struct odp_member_value v[FIELDS];
    read_body(x, fields, FIELDS, v);
    if (x->st == ODP_OK)
        read_redeliver(x, v);
    webhook_call_count(x);
    webhook_call_act(x, odp_webhook_redeliver, answer_redelivered,
                     odp_say(x->a->c, W_webhooks_only_webhooks_active_paused_send));
}
ENDPOINT(redeliver, true, redeliver)
