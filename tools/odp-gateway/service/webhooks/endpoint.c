/* /v1/webhooks and /v1/webhooks/{id}: making, looking at, changing and deleting subscriptions of the key's account. */
#include <stdio.h>
#include <string.h>

#include "service/webhooks/endpoint_internal.h"
#include "words/webhooks.h"

static enum odp_status no_parameters(struct odp_webhook_call *x)
{
    return odp_webhook_call_parameters(x, NULL, NULL, 0);
}

struct created {
    struct odp_webhook_call *x;
    char secret[ODP_WEBHOOK_SECRET_TEXT];
};

/* The secret is in this answer and in no other. */
static enum odp_status tell_created(void *ctx, const struct odp_issued *none)
{
    const struct created *t = ctx;
    char location[64];
    (void)none;
    (void)snprintf(location, sizeof location, "/v1/webhooks/%s", t->x->name);
    odp_answer_header(t->x->a, "Location", location);
    return odp_webhook_answer_changing(t->x, 201, t->secret);
}

static enum odp_status create(struct odp_webhook_call *x)
{
    struct odp_webhook_change change;
    struct created t = {.x = x};
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_http_json(x->s, x->c, x->a, &x->doc);
    if (st == ODP_OK)
        st = odp_webhook_fields(x, NULL, &change);
    if (st == ODP_OK)
        st = odp_webhook_call_count(x);
    if (st != ODP_OK)
        return st;
    st = odp_webhook_create(x->w, &x->who.info, &change, odp_call_ms(x->c), &(struct odp_telling){tell_created, &t}, x->name,
                            t.secret, &problem);
    explicit_bzero(t.secret, sizeof t.secret);
    return st == ODP_BAD ? odp_webhook_call_refuse(x, problem, NULL) : st;
}

enum odp_status odp_endpoint_webhook_create(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, create);
}

static enum odp_status list(struct odp_webhook_call *x)
{
    struct odp_webhook *items;
    size_t n = 0;
    enum odp_status st = no_parameters(x);
    if (st == ODP_OK)
        st = odp_webhook_list(x->w, x->who.info.account, NULL, 0, SIZE_MAX, &items, &n, &x->arena);
    if (st != ODP_OK)
        return st;
    odp_webhook_body_begin(x, 200);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add_str(&x->a->body, i > 0 ? ",{" : "{");
        odp_webhook_body_row(x, &items[i]);
        odp_buffer_add_char(&x->a->body, '}');
    }
    return odp_webhook_body_end(x, "");
}

enum odp_status odp_endpoint_webhook_list(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, false, list);
}

static enum odp_status get(struct odp_webhook_call *x)
{
    enum odp_status st = no_parameters(x);
    return st == ODP_OK ? odp_webhook_answer(x) : st;
}

enum odp_status odp_endpoint_webhook_get(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, false, get);
}

/* What stands in the way, and who can take it away. */
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

/* A challenge is sent to another address, and to one that was disabled; to one that was paused all that waits. */
static bool sends(const struct odp_webhook_change *change, const struct odp_webhook *h)
{
    return change->url.ptr != NULL ||
           (change->state != NULL && strcmp(change->state, "active") == 0 && strcmp(h->state, "active") != 0);
}

static enum odp_status tell_changed(void *ctx, const struct odp_issued *none)
{
    (void)none;
    return odp_webhook_answer_changing(ctx, 200, NULL);
}

static enum odp_status change(struct odp_webhook_call *x)
{
    struct odp_webhook h;
    struct odp_webhook_change change;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
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
    st = odp_webhook_change(x->w, x->name, x->who.info.account, &change, "api", odp_call_ms(x->c),
                            &(struct odp_telling){tell_changed, x}, &problem);
    return st == ODP_BAD ? odp_webhook_call_refuse(x, problem, conflict_of(x->c, &h)) : st;
}

enum odp_status odp_endpoint_webhook_change(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, change);
}

static enum odp_status delete_it(struct odp_webhook_call *x)
{
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    /* The answer first: when there is no memory for it, nothing has happened. */
    enum odp_status st = odp_webhook_answer_take(x, 200, json_pack("{s:s, s:s}", "id", x->name, "state", "deleted"));
    if (st == ODP_OK)
        st = odp_webhook_delete(x->w, x->name, x->who.info.account, "api", odp_call_ms(x->c), &problem);
    if (st != ODP_BAD)
        return st;
    odp_buffer_reset(&x->a->headers);
    return odp_webhook_call_refuse(x, problem, NULL);
}

enum odp_status odp_endpoint_webhook_delete(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return odp_webhook_call_run(s, c, a, true, delete_it);
}
