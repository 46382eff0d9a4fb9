/* What became of attempts, and what follows: many in one transaction, each as the standard says
 * (service/webhooks/deliver/standard.h).
 *
 *   2xx             delivered; the subscription is not failing any more; a challenge that was met makes it
 *                   active
 *   410             this one failed, the subscription is disabled (gone), what waits is cancelled, the owner
 *                   gets mail
 *   429 502 503 504 nothing else goes to it before Retry-After, or a while, is over; this one is tried again
 *   anything else   tried again by the schedule; after the last attempt it has failed
 *   failing long    (ODP_WEBHOOK_FAILING) and one has failed: paused, the owner gets mail
 *
 * A delivery that was cancelled or deleted while its message was under way keeps that, unless the message was
 * accepted. */
#include <string.h>

#include "core/random.h"
#include "service/state/log.h"
#include "service/webhooks/send_internal.h"

enum { CHUNK = 100, REST_MS = 300000, REST_MAX = 24 * 3600, ATTEMPTS_KEPT = 50 };

struct writing {
    struct odp_webhooks *w;
    struct odp_sql q;
    const struct webhook_message *m;              /* the one at hand, and what the store has of it */
    int64_t attempts, first, failing, not_before; /* ATTEMPTS with this one */
    bool pending;
    char state[16];        /* of the subscription */
    int64_t mailed[CHUNK]; /* subscriptions whose owners get mail, when all is written */
    size_t nmailed;
};

static void set_delivery(struct writing *x, const char *state, int64_t next, int64_t done)
{
    odp_sql_run(&x->q,
                "UPDATE webhook_delivery SET state = coalesce(?, state), attempts = ?, next = ?, done = ?"
                " WHERE id = ?",
                "tiiii", state, x->attempts, next, done, x->m->delivery);
}

static void set_webhook(struct writing *x, int64_t failing, int64_t not_before)
{
    if (failing != x->failing || not_before != x->not_before)
        odp_sql_run(&x->q, "UPDATE webhook SET failing = ?, not_before = ? WHERE id = ?", "iii", failing,
                    not_before, x->m->webhook);
}

static void add_attempt(struct writing *x)
{
    const struct webhook_message *m = x->m;
    odp_sql_run(
        &x->q, "INSERT INTO webhook_attempt(delivery, n, at, took, status, outcome) VALUES(?, ?, ?, ?, ?, ?)",
        "iiiiit", m->delivery, x->attempts, m->at, m->took, (int64_t)m->status, odp_outcome_name(m->outcome));
    if (x->attempts > ATTEMPTS_KEPT) /* one that is sent again for ever must not fill the store */
        odp_sql_run(&x->q, "DELETE FROM webhook_attempt WHERE delivery = ? AND n <= ?", "ii", m->delivery,
                    x->attempts - ATTEMPTS_KEPT);
}

/* ---- what follows ---- */

static void change_state(struct writing *x, const char *state, const char *reason, const char *act)
{
    odp_webhook_set_state(&x->q, x->m->webhook, state, reason, x->m->end);
    odp_webhook_note(&x->q, x->m->webhook, act, reason, x->m->end);
    if (strcmp(reason, "sealed") != 0)
        x->mailed[x->nmailed++] = x->m->webhook;
}

static void was_delivered(struct writing *x)
{
    const struct webhook_message *m = x->m;
    set_delivery(x, "delivered", m->end, m->end);
    set_webhook(x, 0, 0);
    if (m->challenge && odp_webhook_set_verified(&x->q, m->webhook, m->round, m->end))
        odp_webhook_note(&x->q, m->webhook, "webhook.verify", "", m->end);
}

/* Before this nothing else goes: the receiver said so, or it is only busy. */
static int64_t rest_until(const struct webhook_message *m, int64_t delay)
{
    if (m->retry_after >= 0)
        return m->end + (m->retry_after < REST_MAX ? m->retry_after : REST_MAX) * 1000;
    return m->end + (delay >= 0 && delay < REST_MS ? delay : REST_MS);
}

/* Milliseconds to the next attempt; -1: there is none. */
static int64_t delay_of(struct writing *x)
{
    uint32_t random = 0;
    int64_t round = x->attempts - x->first;
    if (x->m->outcome == ODP_OUTCOME_GONE)
        return -1;
    if (odp_random(&random, sizeof random) != ODP_OK)
        x->q.st = ODP_FAIL;
    return odp_webhook_delay_ms(round > 0 && round < 1000 ? (unsigned)round : 1000, random,
                                x->m->retry_after);
}

/* Nothing was delivered for long, and a delivery has failed in that time. */
static bool has_failed_long(struct writing *x, int64_t failing)
{
    return strcmp(x->state, "active") == 0 && failing > 0 &&
           x->m->end - failing >= (int64_t)ODP_WEBHOOK_FAILING * 1000 &&
           odp_sql_number(
               &x->q,
               "SELECT 1 FROM webhook_delivery WHERE webhook = ? AND state = 'failed' AND done >= ?"
               " LIMIT 1",
               "ii", x->m->webhook, failing) != 0;
}

static void was_not_delivered(struct writing *x)
{
    const struct webhook_message *m = x->m;
    int64_t delay = delay_of(x), failing = x->failing;
    if (delay < 0)
        set_delivery(x, "failed", m->end, m->end);
    else
        set_delivery(x, NULL, m->end + delay, 0);
    if (failing == 0 && m->outcome != ODP_OUTCOME_UNSENT)
        failing = m->end;
    set_webhook(x, failing, m->outcome == ODP_OUTCOME_SLOW_DOWN ? rest_until(m, delay) : x->not_before);
    if (m->outcome == ODP_OUTCOME_GONE) {
        if (strcmp(x->state, "disabled") != 0)
            change_state(x, "disabled", "gone", "webhook.disable");
    } else if (has_failed_long(x, failing)) {
        change_state(x, "paused", "failing", "webhook.pause");
    }
}

static void write_one(struct writing *x)
{
    const struct webhook_message *m = x->m;
    if (!odp_sql_row(&x->q,
                     "SELECT d.attempts + 1, d.first, d.state = 'pending', w.failing, w.not_before, w.state"
                     " FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook WHERE d.id = ?",
                     "i", "iifiit", m->delivery, &x->attempts, &x->first, &x->pending, &x->failing,
                     &x->not_before, x->state, sizeof x->state))
        return; /* deleted meanwhile */
    if (m->closed) {
        if (strcmp(x->state, "active") == 0)
            change_state(x, "paused", "sealed", "webhook.pause");
        return;
    }
    add_attempt(x);
    if (m->outcome == ODP_OUTCOME_DELIVERED)
        was_delivered(x);
    else if (x->pending)
        was_not_delivered(x);
    else
        odp_sql_run(&x->q, "UPDATE webhook_delivery SET attempts = ? WHERE id = ?", "ii", x->attempts,
                    m->delivery);
}

/* ---- all ---- */

static void count(struct odp_webhook_figures *f, const struct webhook_message *m)
{
    static const int bounds[] = {100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000};
    if (m->closed)
        return;
    f->outcomes[m->outcome]++;
    if (m->outcome != ODP_OUTCOME_DELIVERED || !m->first || m->due == 0)
        return;
    int64_t ms = m->end > m->due ? m->end - m->due : 0;
    for (size_t i = 0; i < 9; i++)
        f->latency[i] += ms <= bounds[i];
    f->latency[9]++;
    f->latency_ms += (uint64_t)ms;
}

static enum odp_status write_chunk(struct writing *x, size_t n)
{
    struct odp_webhooks *w = x->w;
    struct webhook_message *const *ended = w->send->ended;
    x->nmailed = 0;
    x->q = odp_webhook_begin(w);
    for (size_t i = 0; i < n && x->q.st == ODP_OK; i++) {
        x->m = ended[i];
        write_one(x);
    }
    enum odp_status st = odp_webhook_end(w, &x->q);
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        count(&w->figures, ended[i]);
    pthread_mutex_unlock(&w->lock);
    return st;
}

/* The first N are written: they are free, and their lanes are looked at. */
static enum odp_status forget(struct webhook_send *t, size_t n, int64_t now)
{
    int64_t webhooks[CHUNK];
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i < n; i++) {
        webhooks[i] = t->ended[i]->webhook;
        t->ended[i]->stage = WEBHOOK_FREE;
        odp_webhook_lane_find(t, webhooks[i])->unwritten--;
    }
    t->nended -= n;
    memmove(t->ended, t->ended + n, t->nended * sizeof(void *));
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        if (i == 0 || webhooks[i] != webhooks[i - 1])
            st = odp_webhook_lane_look(t, webhooks[i], now);
    if (st != ODP_OK)
        t->scan = true;
    return st;
}

enum odp_status odp_webhook_results_write(struct odp_webhooks *w)
{
    struct webhook_send *t = w->send;
    struct writing x = {.w = w};
    enum odp_status st = ODP_OK;
    while (t->nended > 0 && st == ODP_OK) {
        size_t n = t->nended < CHUNK ? t->nended : CHUNK;
        st = write_chunk(&x, n);
        if (st != ODP_OK)
            return st;
        int64_t now = odp_webhook_send_now(t);
        for (size_t i = 0; i < x.nmailed; i++)
            if (odp_webhook_mail_owner(w, x.mailed[i], now) == ODP_FAIL)
                odp_log_failure("webhooks: mail");
        st = forget(t, n, now);
    }
    return st;
}
