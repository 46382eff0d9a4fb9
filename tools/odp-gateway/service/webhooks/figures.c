/* Figures for /metrics and /healthz. The store's are counted through a connection of their own, at most once
 * in ten seconds. */
#include <string.h>

#include "service/state/log.h"
#include "service/webhooks/webhooks_internal.h"

enum { FRESH_MS = 10000 };

static const char *const states[] = {"unverified", "active", "paused", "disabled"};

static void count_states(struct odp_sql *q, struct odp_webhook_figures *f)
{
    char state[12];
    int64_t n;
    odp_sql_select(q, "SELECT state, count(*) FROM webhook GROUP BY state", "");
    while (odp_sql_next(q, "ti", state, sizeof state, &n))
        for (size_t i = 0; i < 4; i++)
            if (strcmp(state, states[i]) == 0)
                f->subscriptions[i] = (uint64_t)n;
}

static enum odp_status count(struct odp_webhooks *w, struct odp_webhook_figures *f)
{
    struct odp_sql q = {0};
    q.st = odp_webhook_open_copy(w, &q.db);
    count_states(&q, f);
    f->pending =
        (uint64_t)odp_sql_number(&q, "SELECT count(*) FROM webhook_delivery WHERE state = 'pending'", "");
    f->oldest =
        odp_sql_number(&q, /* what waits for its subscription is not late */
                       "SELECT d.next FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook WHERE"
                       " d.state = 'pending' AND d.next <= ?1 AND w.state = 'active' AND w.not_before <= ?1"
                       " ORDER BY d.next LIMIT 1",
                       "i", odp_now_ms());
    odp_store_close(q.db);
    return q.st;
}

void odp_webhooks_figures(struct odp_webhooks *w, struct odp_webhook_figures *out)
{
    struct odp_webhook_figures fresh = {0};
    int64_t clock = odp_clock_ms();
    pthread_mutex_lock(&w->lock);
    bool old = !w->counting && (w->counted == 0 || clock - w->counted >= FRESH_MS);
    w->counting = w->counting || old;
    pthread_mutex_unlock(&w->lock);
    enum odp_status st = old ? count(w, &fresh) : ODP_DONE;
    if (st != ODP_OK && st != ODP_DONE)
        odp_log_failure("webhooks: figures");
    pthread_mutex_lock(&w->lock);
    if (st == ODP_OK) {
        memcpy(w->figures.subscriptions, fresh.subscriptions, sizeof fresh.subscriptions);
        w->figures.pending = fresh.pending;
        w->figures.oldest = fresh.oldest;
    }
    if (old) {
        w->counted = odp_clock_ms();
        w->counting = false;
    }
    *out = w->figures;
    pthread_mutex_unlock(&w->lock);
}

void odp_webhook_event_count(struct odp_webhooks *w, enum odp_event_type type)
{
    pthread_mutex_lock(&w->lock);
    w->figures.events[type]++;
    pthread_mutex_unlock(&w->lock);
}
