/* /v1/webhooks/{id}/deliveries and …/deliveries/{msg}: what was sent when, and what was answered. A challenge
 * is not shown: whoever reads it here has not read it at the address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_load.h"
#include "published/doc.h"
#include "service/webhooks/endpoint_internal.h"
#include "words/webhooks.h"

enum { LIMIT, STATE, BEFORE, PARAMETERS, LIMIT_DEFAULT = 20, LIMIT_MAX = 100 };

static const char *const names[PARAMETERS] = {"limit", "state", "before"};
static const char *const states[] = {"pending", "delivered", "failed", "cancelled", "expired"};

struct wanted {
    size_t limit;
    const char *state; /* NULL: any */
    int64_t before;
};

static void add_attempt(struct odp_webhook_call *x, const struct odp_webhook_attempt *t)
{
    int o = odp_outcome_find(odp_slice_of(t->outcome));
    const struct odp_text *meaning = o >= 0 ? odp_outcome_meaning((enum odp_outcome)o) : NULL;
    odp_webhook_body_open(x);
    odp_buffer_printf(&x->a->body, "\"took_ms\":%lld", (long long)t->took);
    odp_webhook_body_ms(x, "at", t->at);
    odp_webhook_body_name(x, "status");
    if (t->status > 0)
        odp_buffer_printf(&x->a->body, "%d", t->status);
    else
        odp_buffer_add_str(&x->a->body, "null");
    odp_webhook_body_text(x, "outcome", t->outcome);
    odp_webhook_body_text(x, "meaning", meaning != NULL ? odp_text_get(meaning, x->c->lang) : t->outcome);
    odp_webhook_body_close(x);
}

static void add_delivery(struct odp_webhook_call *x, const struct odp_webhook_delivery *d)
{
    odp_webhook_body_text(x, "id", d->name);
    odp_webhook_body_text(x, "type", d->type);
    odp_webhook_body_text(x, "state", d->state);
    odp_webhook_body_ms(x, "created", d->created);
    odp_webhook_body_ms(x, "next_attempt", d->next);
    odp_webhook_body_ms(x, "ended", d->done);
    odp_webhook_body_name(x, "attempts");
    odp_buffer_add_char(&x->a->body, '[');
    for (size_t i = 0; i < d->nattempts; i++)
        add_attempt(x, &d->attempts[i]);
    odp_buffer_add_char(&x->a->body, ']');
}

/* ---- the list ---- */

static enum odp_status bad(struct odp_webhook_call *x, int parameter, const char *detail)
{
    return odp_webhook_call_bad_parameter(x, ODP_PROBLEM_PARAMETER_INVALID, names[parameter], detail);
}

static enum odp_status read_state(struct odp_webhook_call *x, struct odp_slice text, const char **out)
{
    const size_t n = sizeof states / sizeof states[0];
    char detail[200];
    for (size_t i = 0; i < n; i++)
        if (odp_slice_is(text, states[i]))
            *out = states[i];
    if (*out != NULL)
        return ODP_OK;
    const char *near = odp_word_nearest(text, states, n);
    odp_say_with(detail, sizeof detail,
                 near != NULL ? odp_say(x->c, W_webhooks_did_mean_there) : odp_say(x->c, W_webhooks_there),
                 near != NULL ? near : "", "pending, delivered, failed, cancelled, expired", "");
    return bad(x, STATE, detail);
}

static enum odp_status read_limit(struct odp_webhook_call *x, struct odp_slice text, size_t *out)
{
    bool digits =
        text.len > 0 && text.len < 8 && strspn(text.ptr, "0123456789") == text.len; /* it ends in NUL */
    *out = digits ? strtoul(text.ptr, NULL, 10) : 0;
    return *out >= 1 && *out <= LIMIT_MAX ? ODP_OK
                                          : bad(x, LIMIT, odp_say(x->c, W_webhooks_whole_number_from_1_100));
}

/* The delivery NAME of this subscription. */
static enum odp_status one(struct odp_webhook_call *x, const struct odp_webhook *h, struct odp_slice name,
                           struct odp_webhook_delivery **out)
{
    size_t n = 0;
    if (name.len != ODP_WEBHOOK_ID - 1)
        return ODP_BAD;
    enum odp_status st = odp_webhook_deliveries(x->w, h->id, NULL, odp_arena_copy(&x->arena, name).ptr, 0, 1,
                                                out, &n, &x->arena);
    return st == ODP_OK && n == 0 ? ODP_BAD : st;
}

static enum odp_status read_before(struct odp_webhook_call *x, const struct odp_webhook *h,
                                   struct odp_slice text, int64_t *out)
{
    struct odp_webhook_delivery *d;
    enum odp_status st = one(x, h, text, &d);
    if (st == ODP_BAD)
        return bad(x, BEFORE, odp_say(x->c, W_webhooks_id_delivery_msg_list_old));
    if (st == ODP_OK)
        *out = d->id;
    return st;
}

static enum odp_status read_wanted(struct odp_webhook_call *x, const struct odp_webhook *h,
                                   struct wanted *out)
{
    struct odp_slice values[PARAMETERS];
    *out = (struct wanted){.limit = LIMIT_DEFAULT};
    enum odp_status st = odp_webhook_call_parameters(x, names, values, PARAMETERS);
    if (st == ODP_OK && values[LIMIT].ptr != NULL)
        st = read_limit(x, values[LIMIT], &out->limit);
    if (st == ODP_OK && values[STATE].ptr != NULL)
        st = read_state(x, values[STATE], &out->state);
    if (st == ODP_OK && values[BEFORE].ptr != NULL)
        st = read_before(x, h, values[BEFORE], &out->before);
    return st;
}

static enum odp_status answer_list(struct odp_webhook_call *x, const struct wanted *wanted,
                                   const struct odp_webhook_delivery *items, size_t n)
{
    size_t shown = n < wanted->limit ? n : wanted->limit;
    odp_webhook_body_begin(x, 200);
    for (size_t i = 0; i < shown; i++) {
        odp_webhook_body_open(x);
        add_delivery(x, &items[i]);
        odp_webhook_body_close(x);
    }
    if (n == shown)
        return odp_webhook_body_end(x, ",\"links\":{\"next\":null}");
    /* relative to this answer's address */
    const char *next = odp_arena_printf(&x->arena, "deliveries?limit=%zu%s%s&before=%s", wanted->limit,
                                        wanted->state != NULL ? "&state=" : "",
                                        wanted->state != NULL ? wanted->state : "", items[shown - 1].name);
    odp_answer_header(x->a, "Link", odp_arena_printf(&x->arena, "<%s>; rel=\"next\"", next));
    return odp_webhook_body_end(x, odp_arena_printf(&x->arena, ",\"links\":{\"next\":\"%s\"}", next));
}

static enum odp_status list(struct odp_webhook_call *x)
{
    struct odp_webhook h;
    struct wanted wanted;
    struct odp_webhook_delivery *items = NULL;
    size_t n = 0;
    enum odp_status st = odp_webhook_call_find(x, &h);
    if (st == ODP_OK)
        st = read_wanted(x, &h, &wanted);
    if (st == ODP_OK) /* one more shows whether there is a next page */
        st = odp_webhook_deliveries(x->w, h.id, wanted.state, NULL, wanted.before, wanted.limit + 1, &items,
                                    &n, &x->arena);
    return st == ODP_OK ? answer_list(x, &wanted, items, n) : st;
}

enum odp_status odp_endpoint_webhook_deliveries(struct odp_state *s, const struct odp_call *c,
                                                struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, false, list);
}

/* ---- one of them ---- */

/* The body as it is sent, without a challenge. */
static enum odp_status add_payload(struct odp_webhook_call *x, const struct odp_webhook_delivery *d)
{
    odp_webhook_body_name(x, "payload");
    if (strcmp(d->type, odp_event_info(ODP_EVENT_CHALLENGE)->name) != 0) {
        odp_buffer_add_str(&x->a->body, d->body);
        return ODP_OK;
    }
    json_t *doc = odp_json_load(d->body, strlen(d->body), 0, NULL);
    int hidden = json_object_set_new(json_object_get(doc, "data"), "challenge", json_null());
    enum odp_status st = hidden == 0 ? odp_doc_print(&x->a->body, doc, JSON_COMPACT)
                                     : odp_failure_set("read JSON", "challenge", 0);
    json_decref(doc);
    return st;
}

static enum odp_status show(struct odp_webhook_call *x)
{
    struct odp_webhook h;
    struct odp_webhook_delivery *d;
    enum odp_status st = odp_webhook_call_parameters(x, NULL, NULL, 0);
    if (st == ODP_OK)
        st = odp_webhook_call_find(x, &h);
    if (st != ODP_OK)
        return st;
    st = one(x, &h, x->c->segments[1], &d);
    if (st != ODP_OK)
        return st == ODP_BAD ? odp_webhook_call_refuse(x, ODP_PROBLEM_NOT_FOUND, NULL) : st;
    odp_webhook_body_begin(x, 200);
    odp_webhook_body_open(x);
    add_delivery(x, d);
    st = add_payload(x, d);
    odp_webhook_body_close(x);
    return st == ODP_OK ? odp_webhook_body_end(x, "") : st;
}

enum odp_status odp_endpoint_webhook_delivery(struct odp_state *s, const struct odp_call *c,
                                              struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, false, show);
}
