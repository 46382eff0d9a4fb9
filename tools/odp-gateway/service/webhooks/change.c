/* Changing a subscription: what it names, where it goes, whether it is on.
 *
 *   unverified -> active      only by its address (or by the owner who read the challenge there): asking for it here is a
 * CONFLICT active <-> paused         by the owner; by an operator with reason "operator", which only an operator takes back
 *   disabled -> unverified    by asking for "active": the challenge is sent again
 *   another url -> unverified whatever it was, but for one that an operator paused
 *
 * One that was paused because its secrets could not be opened becomes active only when they can be. */
#include <stdio.h>

#include "service/webhooks/acts.h"

struct change {
    struct odp_act a;
    struct odp_webhook_row b;
    struct odp_webhooks *w;
    const struct odp_webhook_change *c;
    bool owner, moved; /* MOVED: it has another url now */
    int64_t now_ms;
};

static enum odp_status set_text(struct change *t, const char *sql, struct odp_slice text)
{
    return text.ptr != NULL ? odp_store_run(t->a.s->db, sql, "si", text, t->b.id) : ODP_OK;
}

static enum odp_status set_words(struct change *t)
{
    enum odp_status st = set_text(t, "UPDATE webhook SET events = ? WHERE id = ?", t->c->events);
    if (st == ODP_OK)
        st = set_text(t, "UPDATE webhook SET datasets = ? WHERE id = ?", t->c->datasets);
    if (st == ODP_OK)
        st = set_text(t, "UPDATE webhook SET description = ? WHERE id = ?", t->c->description);
    if (st == ODP_OK)
        st = set_text(t, "UPDATE webhook SET filter = ? WHERE id = ?", t->c->filter);
    if (st == ODP_OK && t->c->filter.ptr != NULL)
        st = odp_store_run(t->a.s->db, "UPDATE webhook SET filter_json = ? WHERE id = ?", "ii",
                           (int64_t)(t->c->filter_json && t->c->filter.len > 0 ? 1 : 0), t->b.id);
    if (st == ODP_OK)
        st = odp_store_run(t->a.s->db, "UPDATE webhook SET changed = ? WHERE id = ?", "ii", t->a.now, t->b.id);
    return st;
}

/* Each was checked against the other as it was; another call may have changed that one since. */
static enum odp_status check_together(struct change *t)
{
    int64_t alone = 0;
    enum odp_status st =
        odp_store_number(t->a.s->db, &alone, "SELECT filter <> '' AND datasets = '' FROM webhook WHERE id = ?", "i", t->b.id);
    return st == ODP_OK && alone != 0 ? odp_act_refuse(&t->a, ODP_PROBLEM_CONFLICT) : st;
}

/* A new challenge, of the next round: an answer to an older one counts no more. */
static enum odp_status ask_again(struct change *t)
{
    char delivery[ODP_WEBHOOK_ID];
    enum odp_status st = odp_webhook_act_may_ask(&t->a, t->w, t->b.place, t->now_ms);
    if (st != ODP_OK)
        return st;
    st = odp_store_run(t->a.s->db,
                       "UPDATE webhook SET round = round + 1, verified = 0, failing = 0, not_before = 0 WHERE id = ?", "i",
                       t->b.id);
    if (st == ODP_OK)
        st = odp_webhook_set_state(t->a.s->db, t->b.id, "unverified", "", t->now_ms);
    return st == ODP_OK ? odp_webhook_challenge_add(t->a.s->db, t->b.id, t->b.name, t->b.round + 1, t->now_ms, delivery) : st;
}

/* DONE: it is the one that it has. */
static enum odp_status is_same_url(struct change *t, const char *url)
{
    struct odp_buffer clear;
    odp_buffer_init(&clear);
    enum odp_status st = odp_webhook_act_opens(&t->a, t->w, &t->b, "url", &clear);
    if (st == ODP_OK && odp_slice_is(odp_buffer_slice(&clear), url))
        st = ODP_DONE;
    odp_buffer_release(&clear);
    return st == ODP_BAD ? ODP_OK : st;
}

static enum odp_status move(struct change *t, const struct odp_target *target)
{
    struct odp_buffer sealed;
    enum odp_status st = is_same_url(t, target->url);
    if (st != ODP_OK)
        return st == ODP_DONE ? ODP_OK : st;
    if (t->owner && strcmp(t->b.reason, "operator") == 0)
        return odp_act_refuse(&t->a, ODP_PROBLEM_CONFLICT);
    odp_buffer_init(&sealed);
    st = odp_webhook_seal(t->w, "url", t->b.name, odp_slice_of(target->url), &sealed);
    if (st == ODP_BAD)
        st = odp_act_refuse(&t->a, ODP_PROBLEM_CONFLICT);
    if (st == ODP_OK)
        st = odp_store_run(t->a.s->db, "UPDATE webhook SET url = ?, place = ? WHERE id = ?", "bti", (const void *)sealed.ptr,
                           (int)sealed.len, target->place, t->b.id);
    odp_buffer_release(&sealed);
    (void)snprintf(t->b.place, sizeof t->b.place, "%s", target->place);
    t->moved = true;
    return st == ODP_OK ? ask_again(t) : st;
}

static enum odp_status activate(struct change *t)
{
    if (t->moved || strcmp(t->b.state, "active") == 0)
        return ODP_OK; /* it becomes active when its new address has answered */
    if (strcmp(t->b.state, "disabled") == 0)
        return ask_again(t);
    if (strcmp(t->b.state, "paused") != 0 || (t->owner && strcmp(t->b.reason, "operator") == 0))
        return odp_act_refuse(&t->a, ODP_PROBLEM_CONFLICT);
    if (strcmp(t->b.reason, "sealed") == 0) {
        enum odp_status st = odp_webhook_act_opens(&t->a, t->w, &t->b, "url", NULL);
        if (st == ODP_OK)
            st = odp_webhook_act_opens(&t->a, t->w, &t->b, "secret", NULL);
        if (st != ODP_OK)
            return st == ODP_BAD ? odp_act_refuse(&t->a, ODP_PROBLEM_CONFLICT) : st;
    }
    return odp_webhook_set_state(t->a.s->db, t->b.id, "active", "", t->now_ms);
}

static enum odp_status pause_it(struct change *t)
{
    bool paused = strcmp(t->b.state, "paused") == 0;
    if (t->moved || (!paused && strcmp(t->b.state, "active") != 0))
        return odp_act_refuse(&t->a, ODP_PROBLEM_CONFLICT);
    if (paused && t->owner)
        return ODP_OK; /* it is, for a reason that stays */
    return odp_webhook_set_state(t->a.s->db, t->b.id, "paused", t->owner ? "owner" : "operator", t->now_ms);
}

static const char *act_of(const struct odp_webhook_change *c)
{
    bool words = c->url.ptr != NULL || c->events.ptr != NULL || c->datasets.ptr != NULL || c->filter.ptr != NULL ||
                 c->description.ptr != NULL;
    if (c->state == NULL || words)
        return "webhook.change";
    return strcmp(c->state, "active") == 0 ? "webhook.resume" : "webhook.pause";
}

static enum odp_status change(struct change *t, const struct odp_target *target)
{
    const struct odp_webhook_change *c = t->c;
    enum odp_status st = set_words(t);
    if (st == ODP_OK)
        st = check_together(t);
    if (st == ODP_OK && target != NULL)
        st = move(t, target);
    if (st == ODP_OK && c->state != NULL)
        st = strcmp(c->state, "active") == 0 ? activate(t) : pause_it(t);
    return st == ODP_OK ? odp_webhook_act_audit(&t->a, act_of(c), &t->b, NULL, 0) : st;
}

enum odp_status odp_webhook_change(struct odp_webhooks *w, const char *name, int64_t account,
                                   const struct odp_webhook_change *c, const char *actor, int64_t now_ms,
                                   const struct odp_telling *tell, enum odp_problem *problem)
{
    struct odp_target target;
    const struct odp_text *why = NULL;
    struct change t = {.w = w, .c = c, .owner = account != 0, .now_ms = now_ms};
    *problem = ODP_PROBLEM_FIELD_INVALID;
    enum odp_status st = c->url.ptr != NULL ? odp_target_parse(&target, c->url, odp_webhooks_policy(w), &why) : ODP_OK;
    if (st != ODP_OK)
        return st;
    st = odp_webhook_act_begin(&t.a, w, name, account, actor, now_ms, problem, &t.b);
    if (st != ODP_OK)
        return st;
    return odp_webhook_act_end(&t.a, w, change(&t, c->url.ptr != NULL ? &target : NULL), tell);
}
