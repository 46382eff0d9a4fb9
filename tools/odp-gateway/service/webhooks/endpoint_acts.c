/* /v1/webhooks/{id}/confirm, test, rotate-secret and redeliver. */
#include <stdio.h>
#include <string.h>

#include "base/datetime.h"
#include "service/webhooks/endpoint_internal.h"
#include "words/webhooks.h"

/* ---- confirm ---- */

static enum odp_status tell_confirmed(void *ctx, const struct odp_issued *none)
{
    (void)none;
    return odp_webhook_answer_changing(ctx, 200, NULL);
}

static enum odp_status confirm(struct odp_webhook_call *x)
{
    static const struct odp_member fields[] = {{"challenge", ODP_FIELD_TEXT, true, 64}};
    struct odp_member_value value;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_http_body(x->s, x->c, x->a, fields, 1, &value, &x->doc);
    if (st != ODP_OK)
        return st;
    st = odp_webhook_confirm(x->w, x->name, x->who.info.account, value.text, odp_call_ms(x->c),
                             &(struct odp_telling){tell_confirmed, x}, &problem);
    if (st == ODP_BAD)
        return odp_webhook_call_refuse(
            x, problem,
            odp_say(
                x->c, W_webhooks_not_challenge_last_sent_webhooks));
    return st;
}

enum odp_status odp_endpoint_webhook_confirm(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, confirm);
}

/* ---- test ---- */

struct tested {
    struct odp_webhook_call *x;
    char delivery[ODP_WEBHOOK_ID];
};

static enum odp_status tell_tested(void *ctx, const struct odp_issued *none)
{
    const struct tested *t = ctx;
    (void)none;
    return odp_webhook_answer_take(t->x, 202, json_pack("{s:s, s:s}", "webhook", t->x->name, "delivery", t->delivery));
}

static enum odp_status test(struct odp_webhook_call *x)
{
    struct odp_member_value value;
    struct tested t = {.x = x};
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_http_body(x->s, x->c, x->a, NULL, 0, &value, &x->doc);
    if (st == ODP_OK)
        st = odp_webhook_call_count(x);
    if (st != ODP_OK)
        return st;
    st = odp_webhook_test(x->w, x->name, x->who.info.account, "api", odp_call_ms(x->c), &(struct odp_telling){tell_tested, &t},
                          t.delivery, &problem);
    if (st == ODP_BAD)
        return odp_webhook_call_refuse(x, problem, odp_say(x->c, W_webhooks_webhook_disabled_turn_on_first));
    return st;
}

enum odp_status odp_endpoint_webhook_test(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, test);
}

/* ---- rotate-secret ---- */

struct rotated {
    struct odp_webhook_call *x;
    char secret[ODP_WEBHOOK_SECRET_TEXT];
};

static enum odp_status tell_rotated(void *ctx, const struct odp_issued *none)
{
    const struct rotated *t = ctx;
    (void)none;
    return odp_webhook_answer_changing(t->x, 200, t->secret);
}

static enum odp_status rotate(struct odp_webhook_call *x)
{
    static const struct odp_member fields[] = {{"grace_hours", ODP_FIELD_NUMBER, false, 168}};
    struct odp_member_value value;
    struct rotated t = {.x = x};
    int64_t until = 0;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_http_body(x->s, x->c, x->a, fields, 1, &value, &x->doc);
    if (st != ODP_OK)
        return st;
    int64_t grace = value.number >= 0 ? value.number * 3600 : ODP_WEBHOOK_GRACE;
    st = odp_webhook_rotate(x->w, x->name, x->who.info.account, grace, odp_call_ms(x->c),
                            &(struct odp_telling){tell_rotated, &t}, t.secret, &until, &problem);
    explicit_bzero(t.secret, sizeof t.secret);
    return st == ODP_BAD ? odp_webhook_call_refuse(x, problem, NULL) : st;
}

enum odp_status odp_endpoint_webhook_rotate(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, rotate);
}

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

/* One delivery, or all since a moment; not both. */
static enum odp_status check_redeliver(struct odp_webhook_call *x, const struct odp_member_value *v, int64_t *since)
{
    bool one = v[DELIVERY].text.len > 0, all = v[SINCE].text.len > 0;
    if (one == all) {
        const char *detail = odp_say(x->c, W_webhooks_send_delivery_msg_since_2026);
        odp_answer_problem(x->a, x->s, x->c, one ? ODP_PROBLEM_FIELD_INVALID : ODP_PROBLEM_FIELD_MISSING,
                           one ? "since" : "delivery", detail);
        return ODP_BAD;
    }
    if (one && v[ONLY_FAILED].number >= 0)
        return odp_webhook_call_invalid(x, "only_failed", odp_say(x->c, W_webhooks_only_together_with_since));
    if (all && !moment(v[SINCE].text, since))
        return odp_webhook_call_invalid(x, "since",
                                        odp_say(x->c, W_webhooks_moment_by_rfc_3339_with));
    return ODP_OK;
}

struct redelivered {
    struct odp_webhook_call *x;
    int64_t n;
};

static enum odp_status tell_redelivered(void *ctx, const struct odp_issued *none)
{
    const struct redelivered *t = ctx;
    (void)none;
    return odp_webhook_answer_take(t->x, 202, json_pack("{s:I}", "redelivered", (json_int_t)t->n));
}

static enum odp_status redeliver(struct odp_webhook_call *x)
{
    static const struct odp_member fields[FIELDS] = {{"delivery", ODP_FIELD_TEXT, false, 64},
                                                     {"since", ODP_FIELD_TEXT, false, 64},
                                                     {"only_failed", ODP_FIELD_BOOL, false, 1}};
    struct odp_member_value v[FIELDS];
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    struct redelivered t = {.x = x};
    int64_t since = 0;
    enum odp_status st = odp_http_body(x->s, x->c, x->a, fields, FIELDS, v, &x->doc);
    if (st == ODP_OK)
        st = check_redeliver(x, v, &since);
    if (st == ODP_OK)
        st = odp_webhook_call_count(x);
    if (st != ODP_OK)
        return st;
    struct odp_slice name = odp_arena_copy(&x->arena, v[DELIVERY].text);
    if (name.ptr == NULL)
        return ODP_FAIL;
    st = odp_webhook_redeliver(x->w, x->name, x->who.info.account, name.len > 0 ? name.ptr : NULL, since,
                               v[ONLY_FAILED].number == 1, "api", odp_call_ms(x->c),
                               &(struct odp_telling){tell_redelivered, &t}, &t.n, &problem);
    if (st == ODP_BAD)
        return odp_webhook_call_refuse(x, problem,
                                       odp_say(x->c, W_webhooks_only_webhooks_active_paused_send));
    return st;
}

enum odp_status odp_endpoint_webhook_redeliver(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, redeliver);
}
