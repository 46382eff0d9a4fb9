/* Once after the start: what an older key has sealed is sealed with the first one of the key file, so that the operator may
 * take the older away after a restart; subscriptions whose key is not in the file wait (paused, sealed), and go on when it is
 * there again. */
#include <stdio.h>
#include <string.h>

#include "service/state/log.h"
#include "service/webhooks/teller_internal.h"

enum { BATCH = 50 };

struct sealed {
    int64_t id;
    char name[ODP_WEBHOOK_NAME], state[12], reason[12];
    struct odp_buffer old[3], anew[3]; /* url, secret, previous_secret; empty: there is none, or it stays */
    bool closed;                       /* what it needs cannot be opened */
};

static const char *const columns[] = {"url", "secret", "previous_secret"};

static void release(struct sealed *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++) {
            odp_buffer_release(&items[i].old[k]);
            odp_buffer_release(&items[i].anew[k]);
        }
}

static enum odp_status read_batch(struct odp_webhooks *w, int64_t after, struct sealed *items, size_t *n)
{
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_store_prepare(
        w->tell->db, &row,
        "SELECT id, name, state, reason, url, secret, previous_secret FROM webhook WHERE id > ? ORDER BY id LIMIT ?", "ii",
        after, (int64_t)BATCH);
    for (*n = 0; *n < BATCH && st == ODP_OK && (st = odp_store_step(w->tell->db, row)) == ODP_OK;) {
        struct sealed *b = &items[(*n)++];
        memset(b, 0, sizeof *b);
        b->id = sqlite3_column_int64(row, 0);
        odp_store_text(row, 1, b->name, sizeof b->name);
        odp_store_text(row, 2, b->state, sizeof b->state);
        odp_store_text(row, 3, b->reason, sizeof b->reason);
        for (int k = 0; k < 3 && st == ODP_OK; k++) {
            odp_buffer_init(&b->old[k]);
            odp_buffer_init(&b->anew[k]);
            odp_buffer_add(&b->old[k], sqlite3_column_blob(row, 4 + k), (size_t)sqlite3_column_bytes(row, 4 + k));
            st = odp_buffer_status(&b->old[k]);
        }
    }
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_OK : st;
}

/* Opens one value; seals it again where that is due. */
static enum odp_status look(struct odp_webhooks *w, struct sealed *b, int k)
{
    struct odp_buffer clear;
    struct odp_slice old = odp_buffer_slice(&b->old[k]);
    const char *what = k == 0 ? "url" : "secret";
    if (old.len == 0)
        return ODP_OK;
    odp_buffer_init(&clear);
    enum odp_status st = odp_webhook_unseal(w, what, b->name, old.ptr, (int)old.len, &clear);
    if (st == ODP_BAD && k < 2)
        b->closed = true;
    if (st == ODP_OK && !odp_seal_is_current(w->seal, old))
        st = odp_webhook_seal(w, what, b->name, odp_buffer_slice(&clear), &b->anew[k]);
    if (clear.ptr != NULL)
        explicit_bzero(clear.ptr, clear.cap);
    odp_buffer_release(&clear);
    return st == ODP_BAD ? ODP_OK : st;
}

/* Only where it still has the value that was read. */
static enum odp_status reseal(struct odp_webhooks *w, const struct sealed *b, int k)
{
    char sql[128];
    if (b->anew[k].len == 0)
        return ODP_OK;
    (void)snprintf(sql, sizeof sql, "UPDATE webhook SET %s = ? WHERE id = ? AND %s = ?", columns[k], columns[k]);
    return odp_store_run(w->s->db, sql, "bib", (const void *)b->anew[k].ptr, (int)b->anew[k].len, b->id,
                         (const void *)b->old[k].ptr, (int)b->old[k].len);
}

static enum odp_status settle(struct odp_webhooks *w, const struct sealed *b, int64_t now)
{
    bool waits = strcmp(b->state, "paused") == 0 && strcmp(b->reason, "sealed") == 0;
    int64_t same = 0;
    if (b->closed == waits || (!waits && strcmp(b->state, "active") != 0))
        return ODP_OK;
    enum odp_status st = odp_store_number(w->s->db, &same, "SELECT 1 FROM webhook WHERE id = ? AND state = ? AND reason = ?",
                                          "itt", b->id, b->state, b->reason);
    if (st == ODP_OK)
        st = odp_webhook_set_state(w->s->db, b->id, waits ? "active" : "paused", waits ? "" : "sealed", now);
    if (st == ODP_OK)
        st = odp_webhook_note(w, b->id, waits ? "webhook.resume" : "webhook.pause", waits ? "" : "sealed", now);
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status write_batch(struct odp_webhooks *w, const struct sealed *items, size_t n, int64_t now)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const struct sealed *b = &items[i];
        any = any || b->anew[0].len + b->anew[1].len + b->anew[2].len > 0 || b->closed || strcmp(b->reason, "sealed") == 0;
    }
    if (!any)
        return ODP_OK;
    enum odp_status st = odp_webhook_begin(w);
    if (st != ODP_OK)
        return st;
    for (size_t i = 0; i < n && st == ODP_OK; i++) {
        for (int k = 0; k < 3 && st == ODP_OK; k++)
            st = reseal(w, &items[i], k);
        if (st == ODP_OK)
            st = settle(w, &items[i], now);
    }
    return odp_webhook_end(w, st);
}

enum odp_status odp_webhook_tell_seals(struct odp_webhooks *w, int64_t now)
{
    struct sealed items[BATCH];
    int64_t after = 0;
    size_t n = BATCH, closed = 0;
    enum odp_status st = ODP_OK;
    while (n == BATCH && st == ODP_OK && !odp_webhook_stopped(w)) {
        st = read_batch(w, after, items, &n);
        for (size_t i = 0; i < n && st == ODP_OK; i++) {
            for (int k = 0; k < 3 && st == ODP_OK; k++)
                st = look(w, &items[i], k);
            closed += items[i].closed;
            after = items[i].id;
        }
        if (st == ODP_OK)
            st = write_batch(w, items, n, now);
        release(items, n);
    }
    if (closed > 0)
        odp_log("error",
                "webhooks: %zu subscriptions were sealed with a key that is not in the key file: they wait until it is there "
                "(a line after the first) and the service was started again",
                closed);
    w->tell->opened = st == ODP_OK;
    if (st == ODP_OK)
        odp_webhooks_wake(w);
    return st;
}
