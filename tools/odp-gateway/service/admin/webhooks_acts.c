/* What operators do to webhooks: send a test, send again, hold, let go, delete. */
#include <stdio.h>
#include <string.h>

#include "service/admin/webhooks.h"
#include "words/admin.h"

enum { DATE_LENGTH = 10 };

/* What the tellings of this file say of. */
struct acting {
    struct odp_admin *x;
    struct odp_webhooks *w;
    struct odp_arena *a;
    struct odp_webhook_act act;
};

/* The row of what an act is about to do is there: the whole reply, while it can still be undone. */
static enum odp_status say(struct acting *t, enum odp_status st)
{
    return st == ODP_OK ? odp_admin_say(t->x) : st;
}

static enum odp_status changing(const struct acting *t, struct odp_webhook *v)
{
    return odp_webhook_changing(t->w, odp_admin_text(t->x, "id"), v, t->a);
}

/* The act by F, told by TELL. */
static enum odp_status run(struct acting *t, enum odp_status (*f)(struct odp_webhooks *w, struct odp_webhook_act *o),
                           enum odp_status (*tell)(void *ctx, const struct odp_issued *none))
{
    const struct odp_telling telling = {tell, t};
    t->act.name = odp_admin_text(t->x, "id");
    t->act.actor = t->x->actor;
    t->act.now_ms = t->x->now * 1000;
    t->act.tell = tell != NULL ? &telling : NULL;
    return f(t->w, &t->act);
}

static enum odp_status say_tested(void *ctx, const struct odp_issued *none)
{
    struct acting *t = ctx;
    struct odp_webhook v;
    (void)none;
    enum odp_status st = changing(t, &v);
    if (st == ODP_OK)
        st = odp_admin_row_take(t->x, json_pack("{s:s, s:s, s:s}", "id", v.name, "delivery", t->act.sent, "sends",
                                                strcmp(v.state, "unverified") == 0 ? "webhook.challenge" : "webhook.test"));
    return say(t, st);
}

static enum odp_status test(struct odp_admin *x, struct odp_webhooks *w, struct odp_arena *a)
{
    struct acting t = {.x = x, .w = w, .a = a};
    enum odp_status st = run(&t, odp_webhook_test, say_tested);
    return odp_admin_result(x, st, t.act.problem, "id");
}

/* A date is its beginning here: "since". */
static enum odp_status read_since(struct odp_admin *x, int64_t *since)
{
    const char *text = odp_admin_text(x, "since");
    enum odp_status st = odp_admin_moment(x, "since", since);
    if (st == ODP_OK && text != NULL && strlen(text) == DATE_LENGTH)
        *since -= 86400;
    return st;
}

static enum odp_status say_replayed(void *ctx, const struct odp_issued *none)
{
    struct acting *t = ctx;
    struct odp_webhook v;
    (void)none;
    enum odp_status st = changing(t, &v);
    if (st == ODP_OK)
        st = odp_admin_row_take(t->x,
                                json_pack("{s:s, s:I, s:s}", "id", v.name, "redelivered", (json_int_t)t->act.n, "state", v.state));
    return say(t, st);
}

static enum odp_status replay(struct odp_admin *x, struct odp_webhooks *w, struct odp_arena *a)
{
    struct acting t = {.x = x, .w = w, .a = a};
    struct odp_webhook v;
    const char *delivery = odp_admin_text(x, "delivery"), *since = odp_admin_text(x, "since");
    bool only_failed = json_is_true(json_object_get(x->request, "only_failed"));
    int64_t from = 0;
    if (delivery == NULL && since == NULL)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_MISSING, "since", W_admin_name_delivery_msg_since_when);
    if (delivery != NULL && (since != NULL || only_failed))
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "delivery",
                                W_admin_one_delivery_since_with_only);
    enum odp_status st = read_since(x, &from);
    if (st == ODP_OK)
        st = odp_admin_webhooks_find(x, w, &v, a);
    if (st != ODP_OK)
        return st;
    t.act.delivery = delivery;
    t.act.since = from * 1000;
    t.act.only_failed = only_failed;
    st = run(&t, odp_webhook_redeliver, say_replayed);
    return odp_admin_result(x, st, t.act.problem, delivery != NULL && t.act.problem == ODP_PROBLEM_NOT_FOUND ? "delivery" : "id");
}

static enum odp_status say_state(void *ctx, const struct odp_issued *none)
{
    struct acting *t = ctx;
    struct odp_webhook v;
    (void)none;
    enum odp_status st = changing(t, &v);
    return say(t, st == ODP_OK ? odp_admin_webhooks_add(t->x, &v) : st);
}

static enum odp_status set_state(struct odp_admin *x, struct odp_webhooks *w, const char *state, struct odp_arena *a)
{
    const struct odp_webhook_change c = {.state = state};
    struct acting t = {.x = x, .w = w, .a = a, .act = {.change = &c}};
    enum odp_status st = run(&t, odp_webhook_change, say_state);
    return odp_admin_result(x, st, t.act.problem, "id");
}

static enum odp_status pause_it(struct odp_admin *x, struct odp_webhooks *w, struct odp_arena *a)
{
    return set_state(x, w, "paused", a);
}

static enum odp_status resume_it(struct odp_admin *x, struct odp_webhooks *w, struct odp_arena *a)
{
    return set_state(x, w, "active", a);
}

static enum odp_status delete_it(struct odp_admin *x, struct odp_webhooks *w, struct odp_arena *a)
{
    struct acting t = {.x = x, .w = w, .a = a, .act = {.problem = ODP_PROBLEM_INTERNAL}};
    struct odp_webhook v;
    enum odp_status st = odp_admin_webhooks_find(x, w, &v, a);
    if (st != ODP_OK)
        return st;
    /* The reply first: when there is no memory for it, nothing has happened. */
    st = odp_admin_row_take(x, json_pack("{s:s, s:s, s:s}", "id", v.name, "place", v.place, "state", "deleted"));
    if (st == ODP_OK)
        st = odp_admin_say(x);
    if (st == ODP_OK)
        st = run(&t, odp_webhook_delete, NULL);
    return odp_admin_result(x, st, t.act.problem, "id");
}

enum odp_status odp_admin_webhooks_test(struct odp_admin *x)
{
    return odp_admin_webhooks_run(x, true, test);
}

enum odp_status odp_admin_webhooks_replay(struct odp_admin *x)
{
    return odp_admin_webhooks_run(x, true, replay);
}

enum odp_status odp_admin_webhooks_pause(struct odp_admin *x)
{
    return odp_admin_webhooks_run(x, false, pause_it);
}

enum odp_status odp_admin_webhooks_resume(struct odp_admin *x)
{
    return odp_admin_webhooks_run(x, false, resume_it);
}

enum odp_status odp_admin_webhooks_delete(struct odp_admin *x)
{
    return odp_admin_webhooks_run(x, false, delete_it);
}
