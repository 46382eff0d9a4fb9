/* /v1/webhooks/{id}/confirm, test, rotate-secret and redeliver. */
#include <stdio.h>
#include <string.h>

#include "base/datetime.h"
#include "service/endpoint_webhook.h"

/* ---- confirm ---- */

static enum odp_status confirm(struct odp_webhook_call *x)
{
    static const struct odp_member fields[] = {{"challenge", ODP_FIELD_TEXT, true, 64}};
    struct odp_member_value value;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_http_body(x->s, x->c, x->a, fields, 1, &value, &x->doc);
    if (st != ODP_OK)
        return st;
    st = odp_webhook_confirm(x->w, x->name, x->who.info.account, value.text, odp_call_ms(x->c), &problem);
    if (st == ODP_BAD)
        return odp_webhook_call_refuse(
            x, problem,
            odp_say(
                x->c,
                "Bukan challenge yang terakhir dikirim ke alamat webhook ini. Isinya ada di data.challenge pesan itu; "
                "POST /v1/webhooks/{id}/test mengirimnya lagi.",
                "This is not the challenge that was last sent to the webhook's address. It is data.challenge of that message; "
                "POST /v1/webhooks/{id}/test sends it again."));
    return st == ODP_OK ? odp_webhook_answer(x, 200, "") : st;
}

enum odp_status odp_endpoint_webhook_confirm(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, confirm);
}

/* ---- test ---- */

static enum odp_status test(struct odp_webhook_call *x)
{
    struct odp_member_value value;
    char delivery[ODP_WEBHOOK_ID] = "";
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_http_body(x->s, x->c, x->a, NULL, 0, &value, &x->doc);
    if (st == ODP_OK)
        st = odp_webhook_call_count(x);
    if (st != ODP_OK)
        return st;
    st = odp_webhook_test(x->w, x->name, x->who.info.account, "api", odp_call_ms(x->c), delivery, &problem);
    if (st == ODP_BAD)
        return odp_webhook_call_refuse(x, problem,
                                       odp_say(x->c, "Webhook ini dinonaktifkan; hidupkan dulu: PATCH {\"state\":\"active\"}.",
                                               "This webhook is disabled; turn it on first: PATCH {\"state\":\"active\"}."));
    return st == ODP_OK ? odp_webhook_answer_take(x, 202, json_pack("{s:s, s:s}", "webhook", x->name, "delivery", delivery))
                        : st;
}

enum odp_status odp_endpoint_webhook_test(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, test);
}

/* ---- rotate-secret ---- */

static enum odp_status answer_rotated(struct odp_webhook_call *x, const char *secret)
{
    char more[ODP_WEBHOOK_SECRET_TEXT + 16];
    (void)snprintf(more, sizeof more, ",\"secret\":\"%s\"", secret);
    enum odp_status st = odp_webhook_answer(x, 200, more);
    explicit_bzero(more, sizeof more);
    return st;
}

static enum odp_status rotate(struct odp_webhook_call *x)
{
    static const struct odp_member fields[] = {{"grace_hours", ODP_FIELD_NUMBER, false, 168}};
    struct odp_member_value value;
    char secret[ODP_WEBHOOK_SECRET_TEXT] = "";
    int64_t until = 0;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_http_body(x->s, x->c, x->a, fields, 1, &value, &x->doc);
    if (st != ODP_OK)
        return st;
    int64_t grace = value.number >= 0 ? value.number * 3600 : ODP_WEBHOOK_GRACE;
    st = odp_webhook_rotate(x->w, x->name, x->who.info.account, grace, odp_call_ms(x->c), secret, &until, &problem);
    if (st == ODP_BAD)
        return odp_webhook_call_refuse(x, problem, NULL);
    if (st == ODP_OK)
        st = answer_rotated(x, secret);
    explicit_bzero(secret, sizeof secret);
    return st;
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
        const char *detail =
            odp_say(x->c, "Kirim delivery (\"msg_…\"), atau since (\"2026-11-22T13:00:00+07:00\"): salah satunya.",
                    "Send delivery (\"msg_…\") or since (\"2026-11-22T13:00:00+07:00\"): one of the two.");
        odp_answer_problem(x->a, x->s, x->c, one ? ODP_PROBLEM_FIELD_INVALID : ODP_PROBLEM_FIELD_MISSING,
                           one ? "since" : "delivery", detail);
        return ODP_BAD;
    }
    if (one && v[ONLY_FAILED].number >= 0)
        return odp_webhook_call_invalid(x, "only_failed", odp_say(x->c, "hanya bersama since.", "only together with since."));
    if (all && !moment(v[SINCE].text, since))
        return odp_webhook_call_invalid(x, "since",
                                        odp_say(x->c,
                                                "saat menurut RFC 3339 dengan zona waktu, misalnya 2026-11-22T13:00:00+07:00.",
                                                "a moment by RFC 3339 with its offset, such as 2026-11-22T13:00:00+07:00."));
    return ODP_OK;
}

static enum odp_status redeliver(struct odp_webhook_call *x)
{
    static const struct odp_member fields[FIELDS] = {{"delivery", ODP_FIELD_TEXT, false, 64},
                                                     {"since", ODP_FIELD_TEXT, false, 64},
                                                     {"only_failed", ODP_FIELD_BOOL, false, 1}};
    struct odp_member_value v[FIELDS];
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    int64_t since = 0, n = 0;
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
                               v[ONLY_FAILED].number == 1, "api", odp_call_ms(x->c), &n, &problem);
    if (st == ODP_BAD)
        return odp_webhook_call_refuse(x, problem,
                                       odp_say(x->c,
                                               "Hanya webhook yang active atau paused mengirim ulang; challenge dikirim lagi "
                                               "dengan POST /v1/webhooks/{id}/test.",
                                               "Only webhooks that are active or paused send again; a challenge is sent again "
                                               "by POST /v1/webhooks/{id}/test."));
    return st == ODP_OK ? odp_webhook_answer_take(x, 202, json_pack("{s:I}", "redelivered", (json_int_t)n)) : st;
}

enum odp_status odp_endpoint_webhook_redeliver(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, redeliver);
}
