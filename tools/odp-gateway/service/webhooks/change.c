/* Changing a subscription: what it names, where it goes, whether it is on.
 *
 *   unverified -> active      only by its address, or by the owner who read the challenge there active <->
 *                             paused         by the owner; by an operator with reason "operator", which only
 *                             an operator ends
 *   disabled -> unverified    by asking for "active": the challenge is sent again
 *   another url -> unverified whatever it was, unless an operator paused it
 *
 * One that was paused because its secrets could not be opened becomes active only when they can be. */
#include <stdio.h>

#include "service/webhooks/acts.h"

static bool is(const struct webhook_acting *t, const char *state)
{
    return strcmp(t->state, state) == 0;
}

/* An operator has paused it: its owner must not touch it. */
static bool is_locked(const struct webhook_acting *t)
{
    return t->o->account != 0 && strcmp(t->reason, "operator") == 0;
}

static void set_text(struct webhook_acting *t, const char *sql, struct odp_slice text)
{
    if (text.ptr != NULL)
        odp_sql_run(&t->a.q, sql, "si", text, t->id);
}

static void set_words(struct webhook_acting *t)
{
    const struct odp_webhook_change *c = t->o->change;
    set_text(t, "UPDATE webhook SET events = ? WHERE id = ?", c->events);
    set_text(t, "UPDATE webhook SET datasets = ? WHERE id = ?", c->datasets);
    set_text(t, "UPDATE webhook SET description = ? WHERE id = ?", c->description);
    set_text(t, "UPDATE webhook SET filter = ? WHERE id = ?", c->filter);
    if (c->filter.ptr != NULL)
        odp_sql_run(&t->a.q, "UPDATE webhook SET filter_json = ? WHERE id = ?", "ii",
                    (int64_t)(c->filter_json && c->filter.len > 0), t->id);
    odp_sql_run(&t->a.q, "UPDATE webhook SET changed = ? WHERE id = ?", "ii", t->a.now, t->id);
    /* Each was checked against the other as it was; another call may have changed that since. */
    if (odp_sql_number(&t->a.q, "SELECT filter <> '' AND datasets = '' FROM webhook WHERE id = ?", "i",
                       t->id) != 0)
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
}

/* Sends a new challenge; answers to older ones count no more. */
static void ask_again(struct webhook_acting *t)
{
    char delivery[ODP_WEBHOOK_ID];
    webhook_act_may_ask(t);
    odp_sql_run(
        &t->a.q,
        "UPDATE webhook SET round = round + 1, verified = 0, failing = 0, not_before = 0 WHERE id = ?", "i",
        t->id);
    odp_webhook_set_state(&t->a.q, t->id, "unverified", "", t->o->now_ms);
    odp_webhook_challenge_add(&t->a.q, t->id, t->name, t->round + 1, t->o->now_ms, delivery);
}

/* True: it has another address now. */
static bool move(struct webhook_acting *t)
{
    struct odp_buffer sealed;
    struct odp_slice url = odp_slice_of(t->target->url);
    if (webhook_act_opens(t, "url", url))
        return false;
    if (is_locked(t))
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
    webhook_act_seal(t, "url", url, &sealed);
    odp_sql_run(&t->a.q, "UPDATE webhook SET url = ?, place = ? WHERE id = ?", "bti",
                (const void *)sealed.ptr, (int)sealed.len, t->target->place, t->id);
    odp_buffer_release(&sealed);
    (void)snprintf(t->place, sizeof t->place, "%s", t->target->place);
    ask_again(t);
    return true;
}

static void activate(struct webhook_acting *t)
{
    const struct odp_slice any = {NULL, 0};
    bool shut = strcmp(t->reason, "sealed") == 0;
    if (is(t, "active"))
        return;
    if (is(t, "disabled")) {
        ask_again(t);
        return;
    }
    if (!is(t, "paused") || is_locked(t) ||
        (shut && !(webhook_act_opens(t, "url", any) && webhook_act_opens(t, "secret", any))))
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
    odp_webhook_set_state(&t->a.q, t->id, "active", "", t->o->now_ms);
}

static void pause_it(struct webhook_acting *t)
{
    bool owner = t->o->account != 0;
    if (!is(t, "paused") && !is(t, "active"))
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
    else if (!is(t, "paused") || !owner) /* else its reason stays */
        odp_webhook_set_state(&t->a.q, t->id, "paused", owner ? "owner" : "operator", t->o->now_ms);
}

static const char *audited(const struct odp_webhook_change *c)
{
    bool words = c->url.ptr != NULL || c->events.ptr != NULL || c->datasets.ptr != NULL ||
                 c->filter.ptr != NULL || c->description.ptr != NULL;
    if (c->state == NULL || words)
        return "webhook.change";
    return strcmp(c->state, "active") == 0 ? "webhook.resume" : "webhook.pause";
}

static void change(struct webhook_acting *t)
{
    const char *state = t->o->change->state;
    set_words(t);
    bool moved = t->target != NULL && move(t);
    if (state == NULL)
        return;
    bool on = strcmp(state, "active") == 0;
    if (moved && !on)
        webhook_act_refuse(t, ODP_PROBLEM_CONFLICT);
    else if (!moved && on) /* one that moved becomes active when its new address answers */
        activate(t);
    else if (!moved)
        pause_it(t);
}

enum odp_status odp_webhook_change(struct odp_webhooks *w, struct odp_webhook_act *o)
{
    struct odp_target target;
    const struct odp_text *why = NULL;
    struct webhook_acting t = {.w = w, .o = o};
    enum odp_status st = ODP_OK;
    o->problem = ODP_PROBLEM_FIELD_INVALID;
    if (o->change->url.ptr != NULL) {
        st = odp_target_parse(&target, o->change->url, &w->policy, &why);
        t.target = &target;
    }
    return st == ODP_OK ? webhook_act_run(&t, audited(o->change), NULL, change) : st;
}
