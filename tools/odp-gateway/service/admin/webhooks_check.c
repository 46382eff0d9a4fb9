/* What `check` says of webhooks: whether the rows agree with each other, and whether the key file opens what
 * is sealed. */
#include <stdio.h>
#include <string.h>

#include "service/admin/webhooks.h"

enum { DAY_MS = 86400000, TEXT = 512 };

/* Each counts what must not be; ?1: the time (ms), ?2: messages made before that are pruned (ms). */
static const struct rule {
    const char *words, *sql;
    bool running; /* only where the threads run */
} rules[] = {
    {"deliveries without a message",
     "SELECT count(*) FROM webhook_delivery d WHERE NOT EXISTS (SELECT 1 FROM webhook_message m WHERE m.id = "
     "d.message)",
     false},
    {"deliveries without a subscription",
     "SELECT count(*) FROM webhook_delivery d WHERE NOT EXISTS (SELECT 1 FROM webhook w WHERE w.id = "
     "d.webhook)",
     false},
    {"attempts without a delivery",
     "SELECT count(*) FROM webhook_attempt a WHERE NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.id = "
     "a.delivery)",
     false},
    {"subscriptions without an account",
     "SELECT count(*) FROM webhook w WHERE NOT EXISTS (SELECT 1 FROM key k WHERE k.id = w.account)"
     " OR NOT EXISTS (SELECT 1 FROM holder h WHERE h.id = w.holder)",
     false},
    {"states without their reason",
     "SELECT count(*) FROM webhook WHERE CASE state WHEN 'paused' THEN reason NOT IN ('owner', 'failing', "
     "'operator', 'sealed')"
     " WHEN 'disabled' THEN reason NOT IN ('gone', 'key') ELSE reason <> '' END",
     false},
    {"active subscriptions that never confirmed",
     "SELECT count(*) FROM webhook WHERE state = 'active' AND verified = 0", false},
    {"waiting deliveries of disabled subscriptions",
     "SELECT count(*) FROM webhook w JOIN webhook_delivery d ON d.webhook = w.id WHERE w.state = 'disabled' "
     "AND d.state = "
     "'pending'",
     false},
    {"deliveries that have ended and have not",
     "SELECT count(*) FROM webhook_delivery WHERE (state = 'pending') <> (done = 0) OR (state = 'delivered' "
     "AND attempts = 0)",
     false},
    {"messages that nobody needs",
     "SELECT count(*) FROM webhook_message m LEFT JOIN webhook_event e ON e.id = m.event WHERE m.created < "
     "?2 AND "
     "coalesce(e.done, 1) = 1"
     " AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message = m.id)",
     true},
    {"events that should have been told an hour ago",
     "SELECT count(*) FROM webhook_event WHERE done = 0 AND due < ?1 - 3600000", true},
};

static enum odp_status check_rules(struct odp_admin *x, sqlite3 *copy, struct odp_buffer *wrong)
{
    const struct odp_service_options *o = x->s->options;
    int64_t now = x->now * 1000, keep = (o->webhook_keep > 0 ? o->webhook_keep : ODP_WEBHOOK_KEEP) * 1000;
    bool running = x->s->web != NULL && x->s->web->webhooks != NULL;
    struct odp_sql q = {.db = copy};
    for (size_t i = 0; i < ODP_COUNT(rules) && q.st == ODP_OK; i++) {
        if (rules[i].running && !running)
            continue;
        odp_sql_select(&q, rules[i].sql, "");
        (void)sqlite3_bind_int64(q.row, 1, now); /* fails where the rule has no such parameter */
        (void)sqlite3_bind_int64(q.row, 2, now - keep - 7 * (int64_t)DAY_MS); /* pruning may take its time */
        int64_t n = odp_sql_next(&q, "") ? sqlite3_column_int64(q.row, 0) : 0;
        if (n > 0)
            odp_buffer_printf(wrong, "%s%lld %s", wrong->len > 0 ? ", " : "", (long long)n, rules[i].words);
        (void)!odp_sql_end(&q);
    }
    return q.st;
}

static enum odp_status check_rows(struct odp_admin *x, sqlite3 *copy)
{
    char detail[TEXT];
    struct odp_buffer wrong = {0};
    int64_t webhooks = 0, deliveries = 0, pending = 0, messages = 0;
    struct odp_sql q = {.db = copy, .st = check_rules(x, copy, &wrong)};
    (void)odp_sql_row(&q,
                      "SELECT (SELECT count(*) FROM webhook), (SELECT count(*) FROM webhook_delivery),"
                      " (SELECT count(*) FROM webhook_delivery WHERE state = 'pending'),"
                      " (SELECT count(*) FROM webhook_message)",
                      "", "iiii", &webhooks, &deliveries, &pending, &messages);
    enum odp_status st = q.st == ODP_OK ? odp_buffer_status(&wrong) : q.st;
    bool ok = wrong.len == 0;
    if (ok)
        (void)snprintf(detail, sizeof detail,
                       "%lld subscriptions, %lld deliveries (%lld wait), %lld messages, and they agree",
                       (long long)webhooks, (long long)deliveries, (long long)pending, (long long)messages);
    else
        (void)snprintf(detail, sizeof detail, "%.*s", (int)(wrong.len < TEXT - 1 ? wrong.len : TEXT - 1),
                       wrong.ptr);
    odp_buffer_release(&wrong);
    return st == ODP_OK ? odp_admin_row_take(x, json_pack("{s:s, s:b, s:s}", "check", "webhooks", "ok",
                                                          (int)ok, "detail", detail))
                        : st;
}

/* ---- what is sealed ---- */

struct opening {
    uint64_t webhooks, shut,
        old; /* SHUT: something of it cannot be opened; OLD: sealed with a key that is not the first */
};

/* Whether column N of ROW, WHAT of the webhook NAME, opens. *OLD: by a key that is not the first. */
static enum odp_status open_value(struct odp_webhooks *w, sqlite3_stmt *row, int column, const char *what,
                                  bool *old)
{
    struct odp_buffer clear = {0};
    const void *bytes = sqlite3_column_blob(row, column);
    int n = sqlite3_column_bytes(row, column);
    enum odp_status st =
        odp_webhook_unseal(w, what, (const char *)sqlite3_column_text(row, 0), bytes, n, &clear);
    if (clear.ptr != NULL)
        explicit_bzero(clear.ptr, clear.len);
    odp_buffer_release(&clear);
    *old = *old || (st == ODP_OK && !odp_seal_is_current(w->seal, (struct odp_slice){bytes, (size_t)n}));
    return st;
}

/* Those whose state says already that they are sealed are known. A replaced secret that does not open only
 * signs no more. */
static enum odp_status open_all(struct odp_webhooks *w, sqlite3 *copy, struct opening *o)
{
    struct odp_sql q = {.db = copy};
    odp_sql_select(&q, "SELECT name, url, secret FROM webhook WHERE reason <> 'sealed'", "");
    while (odp_sql_next(&q, "")) {
        bool old = false;
        enum odp_status url = open_value(w, q.row, 1, "url", &old),
                        secret = url != ODP_FAIL ? open_value(w, q.row, 2, "secret", &old) : url;
        q.st = secret == ODP_FAIL ? ODP_FAIL : ODP_OK;
        o->webhooks++;
        o->shut += url == ODP_BAD || secret == ODP_BAD;
        o->old += old;
    }
    return odp_sql_end(&q);
}

static enum odp_status check_key(struct odp_admin *x, const struct odp_admin_webhooks *h, sqlite3 *copy)
{
    char detail[TEXT + ODP_SEAL_WHY];
    struct opening o = {0};
    struct odp_sql q = {.db = copy, .st = open_all(h->w, copy, &o)};
    int64_t sealed = odp_sql_number(&q, "SELECT count(*) FROM webhook WHERE reason = 'sealed'", "");
    if (q.st != ODP_OK)
        return q.st;
    if (o.webhooks + (uint64_t)sealed == 0)
        (void)snprintf(detail, sizeof detail, "nothing is sealed yet");
    else if (o.shut > 0 && h->w->seal == NULL)
        (void)snprintf(detail, sizeof detail,
                       "%s; without it nothing is sent: put back the file that was there (it is in no backup "
                       "of the store)",
                       h->key_wrong);
    else if (o.shut > 0 || sealed > 0)
        (void)snprintf(
            detail, sizeof detail,
            "%llu of %llu subscriptions were sealed with a key that %.300s does not have: put it back (on "
            "a line after the first) and start again",
            (unsigned long long)o.shut + (unsigned long long)sealed,
            (unsigned long long)o.webhooks + (unsigned long long)sealed, h->key);
    else if (o.old > 0)
        (void)snprintf(detail, sizeof detail,
                       "%.300s opens all; %llu of %llu subscriptions still need a key that is not its first",
                       h->key, (unsigned long long)o.old, (unsigned long long)o.webhooks);
    else
        (void)snprintf(detail, sizeof detail,
                       "%.300s opens all %llu subscriptions; keep a copy of it, apart from backups", h->key,
                       (unsigned long long)o.webhooks);
    return odp_admin_row_take(x, json_pack("{s:s, s:b, s:s}", "check", "webhook-key", "ok",
                                           o.shut == 0 && sealed == 0, "detail", detail));
}

enum odp_status odp_admin_check_webhooks(struct odp_admin *x, sqlite3 *copy)
{
    struct odp_admin_webhooks h;
    enum odp_status st = odp_admin_webhooks_open(x, &h, false);
    if (st == ODP_OK)
        st = check_rows(x, copy);
    if (st == ODP_OK)
        st = check_key(x, &h, copy);
    odp_admin_webhooks_close(&h);
    return st;
}

enum odp_status odp_webhooks_in_store(const char *path, int64_t *n, char why[ODP_WHY])
{
    sqlite3 *copy = NULL;
    *n = 0;
    enum odp_status st = odp_store_open_copy(&copy, path, why);
    if (st != ODP_OK)
        return st;
    struct odp_sql q = {.db = copy};
    /* one of an older program has no such table */
    if (odp_sql_number(&q, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'webhook'",
                       "") > 0)
        *n = odp_sql_number(&q, "SELECT count(*) FROM webhook", "");
    odp_store_close(copy);
    return q.st;
}
