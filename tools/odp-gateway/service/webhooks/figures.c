/* What /metrics and /healthz ask. Counts of the store are made through a connection of their own, at most once in ten seconds.
 */
#include <string.h>

#include "service/state/log.h"
#include "service/webhooks/teller_internal.h"

enum { FRESH_MS = 10000 };

static const char *const states[] = {"unverified", "active", "paused", "disabled"};

static enum odp_status count_states(sqlite3 *db, struct odp_webhook_figures *f)
{
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_store_prepare(db, &row, "SELECT state, count(*) FROM webhook GROUP BY state", "");
    while (st == ODP_OK && (st = odp_store_step(db, row)) == ODP_OK) {
        const char *state = (const char *)sqlite3_column_text(row, 0);
        for (size_t i = 0; i < 4; i++)
            if (state != NULL && strcmp(state, states[i]) == 0)
                f->subscriptions[i] = (uint64_t)sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status count(struct odp_webhooks *w, struct odp_webhook_figures *f)
{
    char why[ODP_WHY] = "";
    sqlite3 *db = NULL;
    int64_t pending = 0;
    enum odp_status st = odp_store_open_copy(&db, sqlite3_db_filename(w->s->db, "main"), why);
    if (st == ODP_OK)
        st = count_states(db, f);
    if (st == ODP_OK)
        st = odp_store_number(db, &pending, "SELECT count(*) FROM webhook_delivery WHERE state = 'pending'", "");
    if (st == ODP_OK) /* what waits for its subscription is not late */
        st = odp_store_number(
            db, &f->oldest,
            "SELECT d.next FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook WHERE d.state = 'pending'"
            " AND d.next <= ?1 AND w.state = 'active' AND w.not_before <= ?1 ORDER BY d.next LIMIT 1",
            "i", odp_now_ms());
    f->pending = (uint64_t)pending;
    odp_store_close(db);
    return st == ODP_DONE ? ODP_OK : st;
}

void odp_webhooks_figures(struct odp_webhooks *w, struct odp_webhook_figures *out)
{
    struct odp_webhook_figures fresh = {0};
    int64_t clock = odp_webhook_clock();
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
        w->counted = odp_webhook_clock();
        w->counting = false;
    }
    *out = w->figures;
    pthread_mutex_unlock(&w->lock);
}
