/* What became of attempts, and what follows: many in one transaction, each as the standard says (service/webhooks/deliver/standard.h).
 *
 *   2xx             delivered; the subscription is not failing any more; a challenge that was met makes it active
 *   410             this one failed, the subscription is disabled (gone), what waits is cancelled, the owner is told
 *   429 502 503 504 nothing else goes to it before Retry-After, or a while, is over; this one is tried again
 *   anything else   tried again by the schedule; after the last attempt it has failed
 *   failing long    (ODP_WEBHOOK_FAILING) and one has failed: paused, the owner is told
 *
 * A delivery that was cancelled or deleted while its message was under way keeps that, unless the message was accepted. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "service/state/log.h"
#include "service/webhooks/send_internal.h"
#include "service/webhooks/teller_internal.h"

enum { CHUNK = 100, REST_MS = 300000, ATTEMPTS_KEPT = 50 };
#define REST_MAX ((int64_t)24 * 3600)

int64_t odp_webhook_send_now(const struct webhook_send *t)
{
    return t->base + odp_webhook_clock() - t->base_clock;
}

struct writing {
    struct odp_webhooks *w;
    int64_t told[CHUNK]; /* subscriptions whose owners are told, when it is written */
    size_t ntold;
};

struct delivery_row {
    int64_t attempts, first;
    bool pending;
};
struct webhook_row {
    int64_t failing, not_before;
    bool active;
    char state[16];
};

static enum odp_status again(sqlite3 *db, sqlite3_stmt **st, const char *sql)
{
    return *st != NULL ? ODP_OK : odp_store_prepare(db, st, sql, "");
}

/* Runs a statement that gives no rows. */
static enum odp_status run(sqlite3 *db, sqlite3_stmt *st, enum odp_status bound)
{
    if (bound == ODP_OK)
        bound = odp_store_step(db, st);
    if (st != NULL)
        (void)sqlite3_reset(st);
    return bound == ODP_DONE ? ODP_OK : ODP_FAIL;
}

static enum odp_status prepare(struct odp_webhooks *w)
{
    struct webhook_send *t = w->send;
    sqlite3 *db = w->s->db;
    enum odp_status st =
        again(db, &t->delivery_get, "SELECT attempts, first, state = 'pending' FROM webhook_delivery WHERE id = ?");
    if (st == ODP_OK)
        st = again(db, &t->attempt_add,
                   "INSERT INTO webhook_attempt(delivery, n, at, took, status, outcome) VALUES(?, ?, ?, ?, ?, ?)");
    if (st == ODP_OK)
        st = again(db, &t->delivery_set,
                   "UPDATE webhook_delivery SET state = coalesce(?, state), attempts = ?, next = ?, done = ? WHERE id = ?");
    if (st == ODP_OK)
        st = again(db, &t->webhook_get, "SELECT failing, not_before, state FROM webhook WHERE id = ?");
    if (st == ODP_OK)
        st = again(db, &t->webhook_set, "UPDATE webhook SET failing = ?, not_before = ? WHERE id = ?");
    return st;
}

static enum odp_status get_rows(struct odp_webhooks *w, const struct webhook_result *r, struct delivery_row *d,
                                struct webhook_row *b)
{
    struct webhook_send *t = w->send;
    sqlite3 *db = w->s->db;
    enum odp_status st = odp_store_again(db, t->delivery_get, "i", r->delivery);
    if (st == ODP_OK)
        st = odp_store_step(db, t->delivery_get);
    if (st == ODP_OK)
        *d = (struct delivery_row){sqlite3_column_int64(t->delivery_get, 0), sqlite3_column_int64(t->delivery_get, 1),
                                   sqlite3_column_int(t->delivery_get, 2) != 0};
    (void)sqlite3_reset(t->delivery_get);
    if (st == ODP_OK)
        st = odp_store_again(db, t->webhook_get, "i", r->webhook);
    if (st == ODP_OK)
        st = odp_store_step(db, t->webhook_get);
    if (st == ODP_OK) {
        b->failing = sqlite3_column_int64(t->webhook_get, 0);
        b->not_before = sqlite3_column_int64(t->webhook_get, 1);
        odp_store_text(t->webhook_get, 2, b->state, sizeof b->state);
        b->active = strcmp(b->state, "active") == 0;
    }
    (void)sqlite3_reset(t->webhook_get);
    return st;
}

static enum odp_status set_delivery(struct odp_webhooks *w, const struct webhook_result *r, const char *state, int64_t attempts,
                                    int64_t next, int64_t done)
{
    struct webhook_send *t = w->send;
    sqlite3 *db = w->s->db;
    return run(db, t->delivery_set, odp_store_again(db, t->delivery_set, "tiiii", state, attempts, next, done, r->delivery));
}

static enum odp_status set_webhook(struct odp_webhooks *w, const struct webhook_result *r, const struct webhook_row *b,
                                   int64_t failing, int64_t not_before)
{
    struct webhook_send *t = w->send;
    sqlite3 *db = w->s->db;
    if (failing == b->failing && not_before == b->not_before)
        return ODP_OK;
    return run(db, t->webhook_set, odp_store_again(db, t->webhook_set, "iii", failing, not_before, r->webhook));
}

static enum odp_status add_attempt(struct odp_webhooks *w, const struct webhook_result *r, int64_t n)
{
    struct webhook_send *t = w->send;
    sqlite3 *db = w->s->db;
    enum odp_status st = run(db, t->attempt_add,
                             odp_store_again(db, t->attempt_add, "iiiiit", r->delivery, n, r->at, r->took, (int64_t)r->status,
                                             odp_outcome_name(r->outcome)));
    if (st != ODP_OK || n <= ATTEMPTS_KEPT) /* one that is sent again for ever must not fill the store */
        return st;
    return odp_store_run(db, "DELETE FROM webhook_attempt WHERE delivery = ? AND n <= ?", "ii", r->delivery, n - ATTEMPTS_KEPT);
}

/* ---- what follows ---- */

static enum odp_status change_state(struct writing *x, const struct webhook_result *r, const char *state, const char *reason,
                                    const char *act)
{
    enum odp_status st = odp_webhook_set_state(x->w->s->db, r->webhook, state, reason, r->end);
    if (st == ODP_OK)
        st = odp_webhook_note(x->w, r->webhook, act, reason, r->end);
    if (st == ODP_OK && (strcmp(reason, "gone") == 0 || strcmp(reason, "failing") == 0))
        x->told[x->ntold++] = r->webhook;
    return st;
}

static enum odp_status was_delivered(struct writing *x, const struct webhook_result *r, const struct webhook_row *b, int64_t n)
{
    enum odp_status st = set_delivery(x->w, r, "delivered", n, r->end, r->end);
    if (st == ODP_OK)
        st = set_webhook(x->w, r, b, 0, 0);
    if (st == ODP_OK && r->challenge) {
        st = odp_webhook_set_verified(x->w->s->db, r->webhook, r->round, r->end);
        if (st == ODP_OK)
            st = odp_webhook_note(x->w, r->webhook, "webhook.verify", "", r->end);
    }
    return st == ODP_DONE ? ODP_OK : st;
}

/* Whether a delivery has failed since nothing was delivered. */
static enum odp_status has_failed(struct writing *x, const struct webhook_result *r, int64_t since, bool *yes)
{
    int64_t there = 0;
    enum odp_status st = odp_store_number(
        x->w->s->db, &there, "SELECT 1 FROM webhook_delivery WHERE webhook = ? AND state = 'failed' AND done >= ? LIMIT 1",
        "ii", r->webhook, since);
    *yes = st == ODP_OK;
    return st == ODP_DONE ? ODP_OK : st;
}

/* When nothing else goes before: it said so, or it is only busy. */
static int64_t rest_until(const struct webhook_result *r, int64_t delay)
{
    int64_t seconds = r->retry_after < REST_MAX ? r->retry_after : REST_MAX;
    if (seconds >= 0)
        return r->end + seconds * 1000;
    return r->end + (delay >= 0 && delay < REST_MS ? delay : REST_MS);
}

static enum odp_status try_again(struct writing *x, const struct webhook_result *r, const struct delivery_row *d, int64_t n,
                                 int64_t *delay)
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return odp_failure_set("getrandom", NULL, errno);
    int64_t round = n - d->first;
    *delay = odp_webhook_delay_ms(round > 0 && round < 1000 ? (unsigned)round : 1000, random, r->retry_after);
    if (*delay < 0)
        return set_delivery(x->w, r, "failed", n, r->end, r->end);
    return set_delivery(x->w, r, NULL, n, r->end + *delay, 0);
}

static enum odp_status was_not_delivered(struct writing *x, const struct webhook_result *r, const struct delivery_row *d,
                                         const struct webhook_row *b, int64_t n)
{
    int64_t delay = -1, failing = b->failing, not_before = b->not_before;
    bool failed = false;
    enum odp_status st = ODP_OK;
    if (r->outcome == ODP_OUTCOME_GONE)
        st = set_delivery(x->w, r, "failed", n, r->end, r->end);
    else
        st = try_again(x, r, d, n, &delay);
    if (failing == 0 && r->outcome != ODP_OUTCOME_UNSENT)
        failing = r->end;
    if (r->outcome == ODP_OUTCOME_SLOW_DOWN)
        not_before = rest_until(r, delay);
    if (st == ODP_OK)
        st = set_webhook(x->w, r, b, failing, not_before);
    if (st == ODP_OK && r->outcome == ODP_OUTCOME_GONE)
        return strcmp(b->state, "disabled") == 0 ? ODP_OK : change_state(x, r, "disabled", "gone", "webhook.disable");
    if (st == ODP_OK && b->active && failing > 0 && r->end - failing >= (int64_t)ODP_WEBHOOK_FAILING * 1000)
        st = has_failed(x, r, failing, &failed);
    return st == ODP_OK && failed ? change_state(x, r, "paused", "failing", "webhook.pause") : st;
}

static enum odp_status write_one(struct writing *x, const struct webhook_result *r)
{
    struct delivery_row d;
    struct webhook_row b;
    enum odp_status st = get_rows(x->w, r, &d, &b);
    if (st != ODP_OK) /* DONE: deleted meanwhile, nothing to say of it */
        return st == ODP_DONE ? ODP_OK : st;
    if (r->closed)
        return b.active ? change_state(x, r, "paused", "sealed", "webhook.pause") : ODP_OK;
    int64_t n = d.attempts + 1;
    st = add_attempt(x->w, r, n);
    if (st != ODP_OK)
        return st;
    if (r->outcome == ODP_OUTCOME_DELIVERED)
        return was_delivered(x, r, &b, n);
    if (d.pending)
        return was_not_delivered(x, r, &d, &b, n);
    return odp_store_run(x->w->s->db, "UPDATE webhook_delivery SET attempts = ? WHERE id = ?", "ii", n, r->delivery);
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
    x->ntold = 0;
    enum odp_status st = odp_webhook_begin(x->w);
    if (st != ODP_OK)
        return st;
    st = prepare(x->w);
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        st = write_one(x, &r[i]);
    st = odp_webhook_end(x->w, st);
    if (st != ODP_OK)
        return st;
    pthread_mutex_lock(&x->w->lock);
    for (size_t i = 0; i < n; i++)
        count(x->w, &r[i]);
    pthread_mutex_unlock(&x->w->lock);
    return ODP_OK;
}

static void tell_owners(struct writing *x, int64_t now)
{
    for (size_t i = 0; i < x->ntold; i++)
        if (odp_webhook_tell_owner(x->w, x->told[i], now) == ODP_FAIL)
            odp_log_failure("webhooks: mail");
}

enum odp_status odp_webhook_results_write(struct odp_webhooks *w)
{
    struct webhook_send *t = w->send;
    struct writing x = {.w = w};
    enum odp_status st = ODP_OK;
    while (t->nresults > 0 && st == ODP_OK) {
        size_t n = t->nresults < CHUNK ? t->nresults : CHUNK;
        st = write_chunk(&x, t->results, n);
        if (st != ODP_OK)
            return st;
        struct webhook_result done[CHUNK];
        memcpy(done, t->results, n * sizeof *done);
        t->nresults -= n;
        memmove(t->results, t->results + n, t->nresults * sizeof *done);
        int64_t now = odp_webhook_send_now(t);
        tell_owners(&x, now);
        for (size_t i = 0; i < n; i++)
            done[i].lane->unwritten--;
        for (size_t i = 0; i < n && st == ODP_OK; i++) /* a lane may be forgotten by its look: it is found by number */
            st = i > 0 && done[i].webhook == done[i - 1].webhook ? ODP_OK : odp_webhook_lane_look(t, done[i].webhook, now);
        if (st != ODP_OK)
            t->scan = true;
    }
    return st;
}
