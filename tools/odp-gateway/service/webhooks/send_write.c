/* What became of attempts, and what follows: many in one transaction, each as the standard says
 * (service/webhooks/deliver/standard.h).
 *
 *   2xx             delivered; the subscription is not failing any more; a challenge that was met makes it
 * active 410             this one failed, the subscription is disabled (gone), what waits is cancelled, the
 * owner is told 429 502 503 504 nothing else goes to it before Retry-After, or a while, is over; this one is
 * tried again anything else   tried again by the schedule; after the last attempt it has failed failing long
 * (ODP_WEBHOOK_FAILING) and one has failed: paused, the owner is told
 *
 * A delivery that was cancelled or deleted while its message was under way keeps that, unless the message was
 * accepted. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "service/state/log.h"
#include "service/webhooks/send_internal.h"

enum { CHUNK = 100, REST_MS = 300000, ATTEMPTS_KEPT = 50 };
#define REST_MAX ((int64_t)24 * 3600)

int64_t odp_webhook_send_now(const struct webhook_send *t)
{
    return t->base + odp_webhook_clock() - t->base_clock;
}

struct writing {
    struct odp_webhooks *w;
    struct webhook_sql q;
    const struct webhook_result *r;        /* the one at hand, and what the store has of it */
    int64_t n, first, failing, not_before; /* N: of this attempt */
    bool pending;
    char state[16];      /* of the subscription */
    int64_t told[CHUNK]; /* subscriptions whose owners are told, when it is written */
    size_t ntold;
};

/* False: deleted meanwhile, nothing to say of it. */
static bool read_rows(struct writing *x)
{
    sqlite3_stmt *row =
        webhook_select(&x->q,
                       "SELECT d.attempts, d.first, d.state = 'pending', w.failing, w.not_before, w.state"
                       " FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook WHERE d.id = ?",
                       "i", x->r->delivery);
    if (!webhook_next(&x->q, &row))
        return false;
    x->n = sqlite3_column_int64(row, 0) + 1;
    x->first = sqlite3_column_int64(row, 1);
    x->pending = sqlite3_column_int(row, 2) != 0;
    x->failing = sqlite3_column_int64(row, 3);
    x->not_before = sqlite3_column_int64(row, 4);
    odp_store_text(row, 5, x->state, sizeof x->state);
    sqlite3_finalize(row);
    return true;
}

static void set_delivery(struct writing *x, const char *state, int64_t next, int64_t done)
{
    webhook_run(&x->q,
                "UPDATE webhook_delivery SET state = coalesce(?, state), attempts = ?, next = ?, done = ? "
                "WHERE id = ?",
                "tiiii", state, x->n, next, done, x->r->delivery);
}

static void set_webhook(struct writing *x, int64_t failing, int64_t not_before)
{
    if (failing != x->failing || not_before != x->not_before)
        webhook_run(&x->q, "UPDATE webhook SET failing = ?, not_before = ? WHERE id = ?", "iii", failing,
                    not_before, x->r->webhook);
}

static void add_attempt(struct writing *x)
{
    const struct webhook_result *r = x->r;
    webhook_run(
        &x->q, "INSERT INTO webhook_attempt(delivery, n, at, took, status, outcome) VALUES(?, ?, ?, ?, ?, ?)",
        "iiiiit", r->delivery, x->n, r->at, r->took, (int64_t)r->status, odp_outcome_name(r->outcome));
    if (x->n > ATTEMPTS_KEPT) /* one that is sent again for ever must not fill the store */
        webhook_run(&x->q, "DELETE FROM webhook_attempt WHERE delivery = ? AND n <= ?", "ii", r->delivery,
                    x->n - ATTEMPTS_KEPT);
}

/* ---- what follows ---- */

static void change_state(struct writing *x, const char *state, const char *reason, const char *act)
{
    odp_webhook_set_state(&x->q, x->r->webhook, state, reason, x->r->end);
    odp_webhook_note(&x->q, x->r->webhook, act, reason, x->r->end);
    if (strcmp(reason, "sealed") != 0)
        x->told[x->ntold++] = x->r->webhook;
}

static void was_delivered(struct writing *x)
{
    const struct webhook_result *r = x->r;
    set_delivery(x, "delivered", r->end, r->end);
    set_webhook(x, 0, 0);
    if (r->challenge && odp_webhook_set_verified(&x->q, r->webhook, r->round, r->end))
        odp_webhook_note(&x->q, r->webhook, "webhook.verify", "", r->end);
}

/* Whether a delivery has failed since nothing was delivered. */
static bool has_failed(struct writing *x, int64_t since)
{
    return webhook_number(
               &x->q, 0,
               "SELECT 1 FROM webhook_delivery WHERE webhook = ? AND state = 'failed' AND done >= ? LIMIT 1",
               "ii", x->r->webhook, since) != 0;
}

/* When nothing else goes before: it said so, or it is only busy. */
static int64_t rest_until(const struct webhook_result *r, int64_t delay)
{
    int64_t seconds = r->retry_after < REST_MAX ? r->retry_after : REST_MAX;
    if (seconds >= 0)
        return r->end + seconds * 1000;
    return r->end + (delay >= 0 && delay < REST_MS ? delay : REST_MS);
}

/* Milliseconds to the next attempt; -1: there is none. */
static int64_t delay_of(struct writing *x)
{
    uint32_t random = 0;
    int64_t round = x->n - x->first;
    if (x->r->outcome == ODP_OUTCOME_GONE)
        return -1;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        x->q.st = odp_failure_set("getrandom", NULL, errno);
    return odp_webhook_delay_ms(round > 0 && round < 1000 ? (unsigned)round : 1000, random,
                                x->r->retry_after);
}

static void was_not_delivered(struct writing *x)
{
    const struct webhook_result *r = x->r;
    int64_t delay = delay_of(x), failing = x->failing;
    set_delivery(x, delay < 0 ? "failed" : NULL, r->end + (delay < 0 ? 0 : delay), delay < 0 ? r->end : 0);
    if (failing == 0 && r->outcome != ODP_OUTCOME_UNSENT)
        failing = r->end;
    set_webhook(x, failing, r->outcome == ODP_OUTCOME_SLOW_DOWN ? rest_until(r, delay) : x->not_before);
    if (r->outcome == ODP_OUTCOME_GONE && strcmp(x->state, "disabled") != 0)
        change_state(x, "disabled", "gone", "webhook.disable");
    else if (r->outcome != ODP_OUTCOME_GONE && strcmp(x->state, "active") == 0 && failing > 0 &&
             r->end - failing >= (int64_t)ODP_WEBHOOK_FAILING * 1000 && has_failed(x, failing))
        change_state(x, "paused", "failing", "webhook.pause");
}

static void write_one(struct writing *x)
{
    const struct webhook_result *r = x->r;
    if (!read_rows(x))
        return;
    if (r->closed) {
        if (strcmp(x->state, "active") == 0)
            change_state(x, "paused", "sealed", "webhook.pause");
        return;
    }
    add_attempt(x);
    if (r->outcome == ODP_OUTCOME_DELIVERED)
        was_delivered(x);
    else if (x->pending)
        was_not_delivered(x);
    else
        webhook_run(&x->q, "UPDATE webhook_delivery SET attempts = ? WHERE id = ?", "ii", x->n, r->delivery);
}

/* ---- all ---- */

static void count(struct odp_webhooks *w, const struct webhook_result *r)
{
    static const int bounds[] = {100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000};
    struct odp_webhook_figures *f = &w->figures;
    if (r->closed)
        return;
    f->outcomes[r->outcome]++;
    if (r->outcome != ODP_OUTCOME_DELIVERED || !r->first || r->due == 0)
        return;
    int64_t ms = r->end > r->due ? r->end - r->due : 0;
    for (size_t i = 0; i < 9; i++)
        f->latency[i] += ms <= bounds[i];
    f->latency[9]++;
    f->latency_ms += (uint64_t)ms;
}

static enum odp_status write_chunk(struct writing *x, const struct webhook_result *r, size_t n)
{
    struct odp_webhooks *w = x->w;
    x->ntold = 0;
    x->q = odp_webhook_begin(w);
    for (size_t i = 0; i < n && x->q.st == ODP_OK; i++) {
        x->r = &r[i];
        write_one(x);
    }
    enum odp_status st = odp_webhook_end(w, &x->q);
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        count(w, &r[i]);
    pthread_mutex_unlock(&w->lock);
    return st;
}

enum odp_status odp_webhook_results_write(struct odp_webhooks *w)
{
    struct webhook_send *t = w->send;
    struct writing x = {.w = w};
    enum odp_status st = ODP_OK;
    while (t->nresults > 0 && st == ODP_OK) {
        struct webhook_result done[CHUNK];
        size_t n = t->nresults < CHUNK ? t->nresults : CHUNK;
        st = write_chunk(&x, t->results, n);
        if (st != ODP_OK)
            return st;
        memcpy(done, t->results, n * sizeof *done);
        t->nresults -= n;
        memmove(t->results, t->results + n, t->nresults * sizeof *done);
        int64_t now = odp_webhook_send_now(t);
        for (size_t i = 0; i < x.ntold; i++)
            if (odp_webhook_tell_owner(w, x.told[i], now) == ODP_FAIL)
                odp_log_failure("webhooks: mail");
        for (size_t i = 0; i < n; i++)
            done[i].lane->unwritten--;
        for (size_t i = 0; i < n && st == ODP_OK;
             i++) /* a lane may be forgotten by its look: it is found by number */
            st = i > 0 && done[i].webhook == done[i - 1].webhook
                     ? ODP_OK
                     : odp_webhook_lane_look(t, done[i].webhook, now);
        if (st != ODP_OK)
            t->scan = true;
    }
    return st;
}
