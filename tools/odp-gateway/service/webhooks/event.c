/* An event into the store, once. */
#include "service/webhooks/teller_internal.h"

enum odp_status odp_webhook_event_add(sqlite3 *db, const struct webhook_event *e, int64_t now)
{
    enum odp_status st =
        odp_store_run(db,
                      "INSERT INTO webhook_event(key, type, dataset, account, created, due, data, site, upto)"
                      " VALUES(?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM webhook)) ON CONFLICT(key) DO NOTHING",
                      "tttiiitt", e->key, odp_event_info(e->type)->name, e->dataset, e->account, now, e->due, e->data, e->site);
    return st == ODP_OK && sqlite3_changes(db) == 0 ? ODP_DONE : st;
}

void odp_webhook_event_count(struct odp_webhooks *w, enum odp_event_type type)
{
    pthread_mutex_lock(&w->lock);
    w->figures.events[type]++;
    pthread_mutex_unlock(&w->lock);
}
