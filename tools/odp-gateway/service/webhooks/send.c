/* The sender: what its thread does. See send_internal.h for who is next. */
#include "service/webhooks/send_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "service/state/log.h"

enum { WRITE_MS = 50, STEP_MS = 100, IDLE_MS = 1000, LAST_MS = 500 };

enum odp_status odp_webhook_send_new(struct odp_webhooks *w)
{
    struct webhook_send *t = w->send = calloc(1, sizeof *t);
    if (t == NULL)
        return odp_failure_set("webhooks", NULL, ENOMEM);
    t->scan = true;
    t->earliest = WEBHOOK_NEVER;
    t->connections = odp_webhook_connections(w);
    t->nmessages = t->connections + WEBHOOK_RESULTS;
    t->messages = calloc(t->nmessages, sizeof *t->messages);
    return t->messages != NULL ? odp_webhook_open_copy(w, &t->db) : odp_failure_set("webhooks", NULL, ENOMEM);
}

void odp_webhook_send_free(struct odp_webhooks *w)
{
    struct webhook_send *t = w->send;
    if (t == NULL)
        return;
    odp_store_close(t->db);
    free(t->lanes);
    free(t->places);
    free(t->messages);
    free(t);
    w->send = NULL;
}

/* ---- what came back ---- */

static void settle_lane(struct webhook_send *t, const struct webhook_message *m)
{
    struct webhook_lane *l = odp_webhook_lane_find(t, m->webhook);
    l->slow = m->took >= WEBHOOK_SLOW_MS;
    l->failing = m->outcome != ODP_OUTCOME_DELIVERED;
    if (l->failing) {
        l->width = 1;
        if (l->since != 0 && m->end - l->since > WEBHOOK_LONG_MS)
            l->rest = m->end + WEBHOOK_REST_MS;
    } else {
        l->width += l->width < ODP_WEBHOOK_PER_PLACE;
        l->since = l->rest = 0;
    }
    /* One that asked to wait, or wants no more, gets nothing else before that is written. */
    if (l->more && l->rest == 0 && m->outcome != ODP_OUTCOME_SLOW_DOWN && m->outcome != ODP_OUTCOME_GONE)
        odp_webhook_lane_queue(t, l);
}

static void done(void *ctx, const struct odp_sent *s)
{
    struct odp_webhooks *w = ctx;
    struct webhook_send *t = w->send;
    struct webhook_message *m = s->token;
    int64_t now = odp_webhook_send_now(t);
    m->took = s->took_ms;
    m->end = now > m->at + s->took_ms ? now : m->at + s->took_ms;
    m->retry_after = s->retry_after;
    m->outcome = s->outcome;
    m->status = s->status;
    if (m->outcome == ODP_OUTCOME_DELIVERED && m->challenge &&
        !odp_webhook_challenge_met(m->asked, s->answer))
        m->outcome = ODP_OUTCOME_UNMET;
    explicit_bzero(m->asked, sizeof m->asked);
    odp_webhook_message_end(t, m);
    settle_lane(t, m);
}

/* ---- one step ---- */

/* Starts what has its turn. */
static enum odp_status fill(struct odp_webhooks *w, int64_t now)
{
    struct webhook_send *t = w->send;
    enum odp_status st = ODP_OK;
    odp_webhook_lanes_due(t, now);
    for (struct webhook_lane *l; st == ODP_OK && (l = odp_webhook_lane_next(t)) != NULL;)
        st = odp_webhook_lane_start(w, l, now);
    if (st == ODP_FAIL)
        t->scan = true; /* it keeps its turn */
    return st == ODP_DONE ? ODP_OK : st;
}

/* Results are written when the first of them is WRITE_MS old, when they are many, when there is nothing else
 * to wait for, and at the end. */
static bool is_time(const struct webhook_send *t, int64_t clock, bool last)
{
    if (t->nended == 0)
        return false;
    return last || t->nflying == 0 || clock - t->oldest >= WRITE_MS || t->nended >= WEBHOOK_RESULTS / 2;
}

static enum odp_status turn(struct odp_webhooks *w, int64_t until)
{
    struct webhook_send *t = w->send;
    int64_t clock = odp_clock_ms(), wait = until - clock;
    if (t->nended > 0 && t->oldest + WRITE_MS - clock < wait)
        wait = t->oldest + WRITE_MS - clock;
    if (t->nflying == 0 || wait < 0)
        wait = 0;
    enum odp_status st = odp_sender_run(w->sender, (int)wait, w, done);
    clock = odp_clock_ms();
    if (is_time(t, clock, clock >= until)) {
        enum odp_status wrote = odp_webhook_results_write(w);
        st = st == ODP_OK ? wrote : st;
    }
    return st;
}

enum odp_status odp_webhooks_send(struct odp_webhooks *w, int64_t now, int wait_ms, size_t *busy)
{
    struct webhook_send *t = w->send;
    t->base = now;
    t->base_clock = odp_clock_ms();
    int64_t until = t->base_clock + wait_ms;
    enum odp_status st = t->nended > 0 ? odp_webhook_results_write(w) : ODP_OK; /* of a step that failed */
    do {
        now = odp_webhook_send_now(t);
        if (st == ODP_OK)
            st = odp_webhook_lanes_refresh(w, now);
        if (st == ODP_OK)
            st = fill(w, now);
        if (st == ODP_OK)
            st = turn(w, until);
    } while (st == ODP_OK && t->nflying + t->nended + t->nqueued > 0 && odp_clock_ms() < until &&
             !odp_webhook_stopped(w));
    if (st == ODP_OK) /* with nothing under way nothing is due */
        st = fill(w, odp_webhook_send_now(t));
    *busy = t->nflying;
    pthread_mutex_lock(&w->lock);
    w->figures.busy = t->nflying;
    if (st == ODP_OK)
        w->figures.sent = odp_webhook_send_now(t);
    pthread_mutex_unlock(&w->lock);
    return st;
}

/* ---- the thread ---- */

static void wait_for_more(struct odp_webhooks *w, bool failed)
{
    struct webhook_send *t = w->send;
    int64_t wait = t->scan ? STEP_MS : IDLE_MS; /* a scan waits for its time */
    int64_t due = t->earliest - odp_webhook_send_now(t);
    if (!failed && (atomic_load(&t->fresh) || t->nqueued > 0))
        return;
    if (!failed && due < wait)
        wait = due > 0 ? due : 0;
    if (odp_sender_run(w->sender, (int)wait, w, done) == ODP_FAIL)
        odp_failure_clear(); /* the next step meets it again, and reports it */
}

/* What is under way has a moment to end; the next start sends the rest again. */
static void finish(struct odp_webhooks *w)
{
    struct webhook_send *t = w->send;
    int64_t until = odp_clock_ms() + LAST_MS;
    while (t->nflying > 0 && odp_clock_ms() < until)
        if (odp_sender_run(w->sender, (int)(until - odp_clock_ms()), w, done) == ODP_FAIL)
            break;
    if (odp_webhook_results_write(w) != ODP_OK)
        odp_log_failure("webhooks: sending");
}

void *odp_webhook_send_main(void *arg)
{
    struct odp_webhooks *w = arg;
    struct webhook_send *t = w->send;
    size_t busy = 0;
    odp_webhook_lower_priority();
    while (!odp_webhook_stopped(w)) {
        bool failed = odp_webhooks_send(w, odp_now_ms(), STEP_MS, &busy) == ODP_FAIL;
        odp_log_fault(&t->failing, failed, "webhooks: sending", NULL,
                      "webhooks: messages cannot be sent, or their results not be stored; it is tried again",
                      "webhooks: sending works again");
        if (busy == 0 || failed)
            wait_for_more(w, failed);
    }
    finish(w);
    return NULL;
}
