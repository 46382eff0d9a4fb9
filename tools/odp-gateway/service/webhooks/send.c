/* The sender: what its thread does. See send_internal.h for who is next. */
#include "service/webhooks/send_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "service/state/log.h"

enum { WRITE_MS = 50, STEP_MS = 100, IDLE_MS = 1000, LAST_MS = 500 };

enum odp_status odp_webhook_send_new(struct odp_webhooks *w)
{
    char why[ODP_WHY] = "";
    struct webhook_send *t = calloc(1, sizeof *t);
    w->send = t;
    if (t == NULL)
        return odp_failure_set("webhooks", NULL, ENOMEM);
    int64_t n = w->s->options->webhook_connections;
    t->connections = n <= 0 ? ODP_WEBHOOK_CONNECTIONS : n < 4096 ? (unsigned)n : 4096;
    odp_webhook_lanes_init(t);
    t->flights = calloc(t->connections, sizeof *t->flights);
    if (t->flights == NULL)
        return odp_failure_set("webhooks", NULL, ENOMEM);
    enum odp_status st = odp_store_open_copy(&t->db, sqlite3_db_filename(w->s->db, "main"), why);
    return st == ODP_BAD ? odp_failure_set("webhooks: open the store to read", NULL, 0) : st;
}

void odp_webhook_send_free(struct odp_webhooks *w)
{
    struct webhook_send *t = w->send;
    if (t == NULL)
        return;
    odp_store_close(t->db);
    odp_webhook_lanes_free(t);
    free(t->flights);
    free(t);
    w->send = NULL;
}

/* ---- what came back ---- */

static void settle_lane(struct webhook_send *t, struct webhook_lane *l, const struct webhook_result *r)
{
    bool fine = r->outcome == ODP_OUTCOME_DELIVERED;
    if (fine && l->width < ODP_WEBHOOK_PER_PLACE)
        l->width++;
    if (!fine)
        l->width = 1;
    l->failing = !fine;
    if (fine)
        l->since = l->rest = 0;
    else if (l->since != 0 && r->end - l->since > WEBHOOK_LONG_MS)
        l->rest = r->end + WEBHOOK_REST_MS;
    l->slow = r->took >= WEBHOOK_SLOW_MS;
    l->unwritten++;
    /* What asked to wait, or wants no more, gets nothing else before that is written. */
    if (l->more && l->rest == 0 && r->outcome != ODP_OUTCOME_SLOW_DOWN && r->outcome != ODP_OUTCOME_GONE)
        odp_webhook_lane_queue(t, l);
}

static void done(void *ctx, const struct odp_sent *s)
{
    struct odp_webhooks *w = ctx;
    struct webhook_send *t = w->send;
    struct webhook_flight *f = s->token;
    struct webhook_result *r = &t->results[t->nresults++]; /* there is room: lane_next has seen to it */
    int64_t now = odp_webhook_send_now(t);
    *r = (struct webhook_result){.delivery = f->delivery,
                                 .webhook = f->lane->id,
                                 .at = f->at,
                                 .took = s->took_ms,
                                 .end = now > f->at + s->took_ms ? now : f->at + s->took_ms,
                                 .due = f->due,
                                 .round = f->round,
                                 .retry_after = s->retry_after,
                                 .lane = f->lane,
                                 .outcome = s->outcome,
                                 .status = s->status,
                                 .first = f->first,
                                 .challenge = f->challenge[0] != '\0'};
    if (r->outcome == ODP_OUTCOME_DELIVERED && r->challenge &&
        !odp_webhook_challenge_met(f->challenge, s->answer))
        r->outcome = ODP_OUTCOME_UNMET;
    if (t->nresults == 1)
        t->oldest = odp_webhook_clock();
    explicit_bzero(f->challenge, sizeof f->challenge);
    odp_webhook_flight_end(t, f);
    settle_lane(t, r->lane, r);
}

/* ---- one step ---- */

/* Starts what has its turn. */
static enum odp_status fill(struct odp_webhooks *w, int64_t now)
{
    struct webhook_send *t = w->send;
    enum odp_status st = ODP_OK;
    odp_webhook_lanes_due(t, now);
    for (struct webhook_lane *l = odp_webhook_lane_next(t); l != NULL && st == ODP_OK;) {
        bool fresh = t->nresults == 0;
        st = odp_webhook_lane_start(w, l, now);
        if (fresh && t->nresults > 0)
            t->oldest = odp_webhook_clock();
        l = st == ODP_OK ? odp_webhook_lane_next(t) : NULL;
    }
    if (st == ODP_FAIL)
        t->scan = true; /* its turn is not lost */
    return st == ODP_DONE ? ODP_OK : st;
}

/* Results are written when the first of them is WRITE_MS old, when they are many, when nothing else is to be
 * waited for, and at the end. */
static bool is_time(const struct webhook_send *t, int64_t clock, bool last)
{
    if (t->nresults == 0)
        return false;
    return last || t->nflights == 0 || clock - t->oldest >= WRITE_MS || t->nresults >= WEBHOOK_RESULTS / 2;
}

static enum odp_status turn(struct odp_webhooks *w, int64_t until)
{
    struct webhook_send *t = w->send;
    int64_t clock = odp_webhook_clock(), wait = until - clock;
    if (t->nresults > 0 && t->oldest + WRITE_MS - clock < wait)
        wait = t->oldest + WRITE_MS - clock;
    if (t->nflights == 0)
        wait = 0;
    enum odp_status st = odp_sender_run(w->sender, wait > 0 ? (int)wait : 0, w, done);
    clock = odp_webhook_clock();
    if (is_time(t, clock, clock >= until)) {
        enum odp_status wrote = odp_webhook_results_write(w);
        st = st == ODP_OK ? wrote : st;
    }
    return st;
}

static bool has_turns(const struct webhook_send *t)
{
    return !TAILQ_EMPTY(&t->rings[0]) || !TAILQ_EMPTY(&t->rings[1]);
}

enum odp_status odp_webhooks_send(struct odp_webhooks *w, int64_t now, int wait_ms, size_t *busy)
{
    struct webhook_send *t = w->send;
    t->base = now;
    t->base_clock = odp_webhook_clock();
    int64_t until = t->base_clock + wait_ms;
    enum odp_status st = t->nresults > 0 ? odp_webhook_results_write(w) : ODP_OK; /* of a step that failed */
    do {
        now = odp_webhook_send_now(t);
        if (st == ODP_OK)
            st = odp_webhook_lanes_refresh(w, now);
        if (st == ODP_OK)
            st = fill(w, now);
        if (st == ODP_OK)
            st = turn(w, until);
    } while (st == ODP_OK && (t->nflights > 0 || t->nresults > 0 || has_turns(t)) &&
             odp_webhook_clock() < until && !odp_webhook_stopped(w));
    if (st == ODP_OK) /* nothing under way means that nothing is due */
        st = fill(w, odp_webhook_send_now(t));
    *busy = t->nflights;
    pthread_mutex_lock(&w->lock);
    w->figures.busy = t->nflights;
    if (st == ODP_OK)
        w->figures.sent = odp_webhook_send_now(t);
    pthread_mutex_unlock(&w->lock);
    return st;
}

/* ---- the thread ---- */

static void wait_for_more(struct odp_webhooks *w, bool failed)
{
    struct webhook_send *t = w->send;
    int64_t wait = IDLE_MS, due = t->earliest - odp_webhook_send_now(t);
    if (!failed && (atomic_load(&t->fresh) || has_turns(t)))
        return;
    if (t->scan) /* it waits for its time */
        wait = STEP_MS;
    if (!failed && due < wait)
        wait = due > 0 ? due : 0;
    if (odp_sender_run(w->sender, (int)wait, w, done) == ODP_FAIL)
        odp_failure_clear(); /* the next step meets it again, and says so */
}

/* What is under way has a moment to end; what does not is sent again after the next start. */
static void finish(struct odp_webhooks *w)
{
    struct webhook_send *t = w->send;
    int64_t until = odp_webhook_clock() + LAST_MS;
    while (t->nflights > 0 && odp_webhook_clock() < until)
        if (odp_sender_run(w->sender, (int)(until - odp_webhook_clock()), w, done) == ODP_FAIL)
            break;
    if (odp_webhook_results_write(w) != ODP_OK)
        odp_log_failure("webhooks: sending");
}

void *odp_webhook_send_main(void *arg)
{
    struct odp_webhooks *w = arg;
    struct webhook_send *t = w->send;
    size_t busy = 0;
    odp_webhook_stand_back();
    while (!odp_webhook_stopped(w)) {
        bool failed = odp_webhooks_send(w, odp_now_ms(), STEP_MS, &busy) == ODP_FAIL;
        if (failed && t->failing == 0)
            odp_log_failure("webhooks: sending");
        if (failed)
            odp_failure_clear();
        odp_log_change(&t->failing, failed,
                       "webhooks: messages cannot be sent, or their results not be stored; it is tried again",
                       "webhooks: sending works again");
        if (busy == 0 || failed)
            wait_for_more(w, failed);
    }
    finish(w);
    return NULL;
}
