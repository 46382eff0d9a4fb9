/* Sealed columns of a subscription: its address and its secrets. Its name is authenticated with them, so a
 * value cannot be moved to another one.
 *
 * After the start, values that an older key sealed are sealed with the first key of the key file, so the
 * operator may remove the older one after a restart. Subscriptions whose key is not in the file wait (paused,
 * sealed) until it is. */
#include <stdio.h>

#include "service/state/log.h"
#include "service/webhooks/webhooks_internal.h"

static bool context_of(char out[64], const char *what, const char *name)
{
    int n = snprintf(out, 64, "%s %s", what, name);
    return n > 0 && n < 64;
}

enum odp_status odp_webhook_seal(struct odp_webhooks *w, const char *what, const char *name,
                                 struct odp_slice clear, struct odp_buffer *sealed)
{
    char context[64];
    if (w->seal == NULL)
        return ODP_BAD;
    if (!context_of(context, what, name))
        return odp_failure_set("seal", NULL, 0);
    return odp_seal_wrap(w->seal, context, clear, sealed);
}

enum odp_status odp_webhook_unseal(struct odp_webhooks *w, const char *what, const char *name,
                                   const void *sealed, int n, struct odp_buffer *clear)
{
    char context[64];
    if (w->seal == NULL || sealed == NULL || n <= 0)
        return ODP_BAD;
    if (!context_of(context, what, name))
        return odp_failure_set("unseal", NULL, 0);
    return odp_seal_unwrap(w->seal, context, (struct odp_slice){sealed, (size_t)n}, clear);
}

void odp_webhook_wipe(struct odp_buffer *clear)
{
    if (clear->ptr != NULL)
        explicit_bzero(clear->ptr, clear->cap);
    odp_buffer_release(clear);
}

/* ---- after the start ---- */

static const struct column {
    const char *what, *select, *update;
} columns[] = {
    {"url", "SELECT url FROM webhook WHERE id = ?", "UPDATE webhook SET url = ? WHERE id = ?"},
    {"secret", "SELECT secret FROM webhook WHERE id = ?", "UPDATE webhook SET secret = ? WHERE id = ?"},
    {"secret", "SELECT previous_secret FROM webhook WHERE id = ?",
     "UPDATE webhook SET previous_secret = ? WHERE id = ?"},
};

/* False: it cannot be opened. Seals it anew if an older key did it. */
static bool look(struct odp_webhooks *w, struct odp_sql *q, const struct column *c, int64_t id,
                 const char *name)
{
    struct odp_buffer clear = {0}, anew = {0};
    enum odp_status st = ODP_BAD;
    odp_sql_select(q, c->select, "i", id);
    if (odp_sql_next(q, "")) {
        struct odp_slice old = {sqlite3_column_blob(q->row, 0), (size_t)sqlite3_column_bytes(q->row, 0)};
        st = odp_webhook_unseal(w, c->what, name, old.ptr, (int)old.len, &clear);
        if (st == ODP_OK && !odp_seal_is_current(w->seal, old))
            st = odp_webhook_seal(w, c->what, name, odp_buffer_slice(&clear), &anew);
        if (st == ODP_FAIL)
            q->st = st;
    }
    if (odp_sql_end(q) == ODP_OK && anew.len > 0)
        odp_sql_run(q, c->update, "bi", (const void *)anew.ptr, (int)anew.len, id);
    odp_webhook_wipe(&clear);
    odp_buffer_release(&anew);
    return st != ODP_BAD;
}

static void reseal(struct odp_webhooks *w, struct odp_sql *q, int64_t id, int64_t now)
{
    char name[ODP_WEBHOOK_NAME], state[12], reason[12];
    if (!odp_sql_row(q, "SELECT name, state, reason FROM webhook WHERE id = ?", "i", "ttt", id, name,
                     sizeof name, state, sizeof state, reason, sizeof reason))
        return;
    bool opens = look(w, q, &columns[0], id, name);
    opens = look(w, q, &columns[1], id, name) && opens;
    (void)look(w, q, &columns[2], id, name); /* one that does not open signs no more */
    bool waits = strcmp(state, "paused") == 0 && strcmp(reason, "sealed") == 0;
    w->announcer->shut += !opens;
    if (q->st != ODP_OK || opens != waits || (!waits && strcmp(state, "active") != 0))
        return;
    odp_webhook_set_state(q, id, waits ? "active" : "paused", waits ? "" : "sealed", now);
    odp_webhook_note(q, id, waits ? "webhook.resume" : "webhook.pause", waits ? "" : "sealed", now);
}

enum odp_status odp_webhook_renew_seals(struct odp_webhooks *w, int64_t now)
{
    static const struct webhook_sweep all = {
        .select = "SELECT id FROM webhook WHERE id > :after ORDER BY id LIMIT :some", .each = reseal};
    w->announcer->shut = 0;
    enum odp_status st = odp_webhook_sweep(w, &all, now, 0);
    if (w->announcer->shut > 0)
        odp_log("error",
                "webhooks: %zu subscriptions were sealed with a key that is not in the key file: they wait "
                "until it is there "
                "(a line after the first) and the service was started again",
                w->announcer->shut);
    w->announcer->opened = st == ODP_OK;
    if (st == ODP_OK)
        odp_webhooks_wake(w);
    return st;
}
