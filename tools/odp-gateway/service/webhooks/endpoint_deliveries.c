/* /v1/webhooks/{id}/deliveries and …/deliveries/{msg}: what was sent when, and what was answered. A challenge
 * is not shown: whoever reads it here has not read it at the address. */
#include <string.h>

#include "base/json_load.h"
#include "published/doc.h"
#include "service/webhooks/endpoint_internal.h"
#include "words/webhooks.h"

enum { LIMIT, STATE, BEFORE, PARAMETERS, LIMIT_DEFAULT = 20, LIMIT_MAX = 100 };

static const char *const names[PARAMETERS] = {"limit", "state", "before"};
static const char *const states[] = {"pending", "delivered", "failed", "cancelled", "expired"};

static void add_attempt(struct webhook_call *x, const struct odp_webhook_attempt *t)
{
    int o = odp_outcome_find(odp_slice_of(t->outcome));
    const struct odp_text *meaning = o >= 0 ? odp_outcome_meaning((enum odp_outcome)o) : NULL;
    webhook_body_open(x);
    odp_buffer_printf(&x->a->body, "\"took_ms\":%lld", (long long)t->took);
    webhook_body_ms(x, "at", t->at);
    webhook_body_name(x, "status");
    if (t->status > 0)
        odp_buffer_printf(&x->a->body, "%d", t->status);
    else
        odp_buffer_add_str(&x->a->body, "null");
    webhook_body_text(x, "outcome", t->outcome);
    webhook_body_text(x, "meaning", meaning != NULL ? odp_text_get(meaning, x->a->c->lang) : t->outcome);
    webhook_body_close(x);
}

static void add_delivery(struct webhook_call *x, const struct odp_webhook_delivery *d)
{
    webhook_body_text(x, "id", d->name);
    webhook_body_text(x, "type", d->type);
    webhook_body_text(x, "state", d->state);
    webhook_body_ms(x, "created", d->created);
    webhook_body_ms(x, "next_attempt", d->next);
    webhook_body_ms(x, "ended", d->done);
    webhook_body_name(x, "attempts");
    odp_buffer_add_char(&x->a->body, '[');
    for (size_t i = 0; i < d->nattempts; i++)
        add_attempt(x, &d->attempts[i]);
    odp_buffer_add_char(&x->a->body, ']');
}

/* ---- the list ---- */

static void bad(struct webhook_call *x, int parameter, const char *detail)
{
    webhook_call_bad_parameter(x, ODP_PROBLEM_PARAMETER_INVALID, names[parameter], detail);
}

static void read_state(struct webhook_call *x, struct odp_slice text, const char **out)
{
    const size_t n = ODP_COUNT(states);
    const int found = odp_word_index(text, states, n);
    char detail[200];
    if (found >= 0) {
        *out = states[found];
        return;
    }
    const char *near = odp_word_nearest(text, states, n);
    odp_say_with(detail, sizeof detail,
                 near != NULL ? odp_say(x->a->c, W_webhooks_did_mean_there)
                              : odp_say(x->a->c, W_webhooks_there),
                 odp_or_empty(near), "pending, delivered, failed, cancelled, expired", "");
    bad(x, STATE, detail);
}

static void read_limit(struct webhook_call *x, struct odp_slice text, size_t *out)
{
    uint64_t n;
    *out = text.len < 8 && odp_number_read(text, &n) ? n : 0;
    if (*out < 1 || *out > LIMIT_MAX)
        bad(x, LIMIT, odp_say(x->a->c, W_webhooks_whole_number_from_1_100));
}

/* The delivery NAME of this subscription. False: there is none. */
static bool find(struct webhook_call *x, const struct odp_webhook *h, struct odp_slice name,
                 struct odp_webhook_delivery **out)
{
    size_t n = 0;
    const struct odp_deliveries_wanted wanted = {
        .webhook = h->id, .delivery = odp_arena_copy(&x->arena, name).ptr, .limit = 1};
    if (name.len == ODP_WEBHOOK_ID - 1)
        x->st = odp_webhook_deliveries(x->w, &wanted, out, &n, &x->arena);
    return n > 0;
}

static void read_before(struct webhook_call *x, const struct odp_webhook *h, struct odp_slice text,
                        int64_t *out)
{
    struct odp_webhook_delivery *d;
    if (find(x, h, text, &d))
        *out = d->id;
    else if (x->st == ODP_OK)
        bad(x, BEFORE, odp_say(x->a->c, W_webhooks_id_delivery_msg_list_old));
}

static struct odp_deliveries_wanted read_wanted(struct webhook_call *x, const struct odp_webhook *h)
{
    struct odp_slice values[PARAMETERS] = {{NULL, 0}};
    struct odp_deliveries_wanted wanted = {.webhook = h->id, .limit = LIMIT_DEFAULT};
    webhook_call_parameters(x, names, values, PARAMETERS);
    if (x->st == ODP_OK && values[LIMIT].ptr != NULL)
        read_limit(x, values[LIMIT], &wanted.limit);
    if (x->st == ODP_OK && values[STATE].ptr != NULL)
        read_state(x, values[STATE], &wanted.state);
    if (x->st == ODP_OK && values[BEFORE].ptr != NULL)
        read_before(x, h, values[BEFORE], &wanted.before);
    return wanted;
}

/* MORE: there is a next page, of the same LIMIT and STATE. */
static enum odp_status answer_list(struct webhook_call *x, const struct odp_deliveries_wanted *wanted,
                                   const struct odp_webhook_delivery *items, size_t n, bool more)
{
    webhook_body_begin(x, 200);
    for (size_t i = 0; i < n; i++) {
        webhook_body_open(x);
        add_delivery(x, &items[i]);
        webhook_body_close(x);
    }
    if (!more)
        return webhook_body_end(x, ",\"links\":{\"next\":null}");
    /* relative to this answer's address */
    const char *next = odp_arena_printf(&x->arena, "deliveries?limit=%zu%s%s&before=%s", wanted->limit - 1,
                                        wanted->state != NULL ? "&state=" : "", odp_or_empty(wanted->state),
                                        items[n - 1].name);
    odp_answer_header(x->a, "Link", odp_arena_printf(&x->arena, "<%s>; rel=\"next\"", next));
    return webhook_body_end(x, odp_arena_printf(&x->arena, ",\"links\":{\"next\":\"%s\"}", next));
}

static void list(struct webhook_call *x)
{
    struct odp_webhook h;
    struct odp_webhook_delivery *items = NULL;
    size_t n = 0;
    webhook_call_find(x, &h);
    if (x->st != ODP_OK)
        return;
    struct odp_deliveries_wanted wanted = read_wanted(x, &h);
    wanted.limit++; /* one more shows whether there is a next page */
    if (x->st == ODP_OK)
        x->st = odp_webhook_deliveries(x->w, &wanted, &items, &n, &x->arena);
    if (x->st == ODP_OK)
        x->st = answer_list(x, &wanted, items, n < wanted.limit ? n : n - 1, n == wanted.limit);
}

enum odp_status odp_endpoint_webhook_deliveries(struct odp_answer *a)
{
    struct webhook_call x = {.a = a};
    return webhook_call_run(&x, false, list);
}

/* ---- one of them ---- */

/* The body as it is sent, without a challenge. */
static enum odp_status add_payload(struct webhook_call *x, const struct odp_webhook_delivery *d)
{
    webhook_body_name(x, "payload");
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

static void show(struct webhook_call *x)
{
    struct odp_webhook h;
    struct odp_webhook_delivery *d;
    webhook_call_parameters(x, NULL, NULL, 0);
    webhook_call_find(x, &h);
    if (x->st == ODP_OK && !find(x, &h, x->a->c->segments[1], &d))
        webhook_call_refuse(x, ODP_PROBLEM_NOT_FOUND, NULL);
    if (x->st != ODP_OK)
        return;
    webhook_body_begin(x, 200);
    webhook_body_open(x);
    add_delivery(x, d);
    x->st = add_payload(x, d);
    webhook_body_close(x);
    if (x->st == ODP_OK)
        x->st = webhook_body_end(x, "");
}

enum odp_status odp_endpoint_webhook_delivery(struct odp_answer *a)
{
    struct webhook_call x = {.a = a};
    return webhook_call_run(&x, false, show);
}
