/* Transactions of the machine's own, and what the audit gets to know of them. */
#include <stdio.h>
#include <string.h>

#include "service/state/log.h"
#include "service/webhooks/teller_internal.h"

enum odp_status odp_webhook_begin(struct odp_webhooks *w)
{
    pthread_mutex_lock(&w->s->mutex);
    enum odp_status st = odp_store_begin(w->s->db);
    if (st != ODP_OK)
        pthread_mutex_unlock(&w->s->mutex);
    return st;
}

enum odp_status odp_webhook_end(struct odp_webhooks *w, enum odp_status st)
{
    if (st == ODP_OK)
        st = odp_store_commit(w->s->db);
    if (st != ODP_OK)
        odp_store_rollback(w->s->db);
    pthread_mutex_unlock(&w->s->mutex);
    return st;
}

enum odp_status odp_webhook_note(struct odp_webhooks *w, int64_t id, const char *act, const char *reason, int64_t now)
{
    sqlite3_stmt *row = NULL;
    char name[ODP_WEBHOOK_NAME] = "", place[264] = "", detail[400];
    int64_t account = 0;
    enum odp_status st = odp_store_prepare(w->s->db, &row, "SELECT name, place, account FROM webhook WHERE id = ?", "i", id);
    if (st == ODP_OK)
        st = odp_store_step(w->s->db, row);
    if (st == ODP_OK) {
        odp_store_text(row, 0, name, sizeof name);
        odp_store_text(row, 1, place, sizeof place);
        account = sqlite3_column_int64(row, 2);
    }
    sqlite3_finalize(row);
    if (st != ODP_OK)
        return st == ODP_DONE ? ODP_OK : st;
    char *port = strrchr(place, ':');
    odp_log(reason[0] != '\0' ? "warning" : "info", "%s: %s (%s)%s%s", act, name, place, reason[0] != '\0' ? ": " : "", reason);
    if (port != NULL)
        *port = '\0';
    (void)snprintf(detail, sizeof detail, "{\"account\":%lld,\"host\":\"%s\"%s%s%s}", (long long)account, place,
                   reason[0] != '\0' ? ",\"reason\":\"" : "", reason, reason[0] != '\0' ? "\"" : "");
    return odp_audit_add(w->s->db, now / 1000, "webhooks", act, name, detail);
}
