/* What `check` says of webhooks: whether the rows agree with each other, and whether the key file opens what
 * is sealed. */
#include <stdio.h>
#include <string.h>

#include "service/admin/webhooks.h"
#include "words/admin.h"

enum { DAY_MS = 86400000 };

/* Each counts what must not be; ?1: the time (ms), ?2: messages made before that are pruned (ms). */
static const struct rule {
    struct odp_text words;
    const char *sql;
    bool running; /* only where the threads run */
} rules[] = {
    {{{W_admin_check_no_message}},
     "SELECT count(*) FROM webhook_delivery d WHERE NOT EXISTS (SELECT 1 FROM webhook_message m WHERE m.id = "
     "d.message)",
     false},
    {{{W_admin_check_no_subscription}},
     "SELECT count(*) FROM webhook_delivery d WHERE NOT EXISTS (SELECT 1 FROM webhook w WHERE w.id = "
     "d.webhook)",
     false},
    {{{W_admin_check_no_delivery}},
     "SELECT count(*) FROM webhook_attempt a WHERE NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.id = "
     "a.delivery)",
     false},
    {{{W_admin_check_no_account}},
     "SELECT count(*) FROM webhook w WHERE NOT EXISTS (SELECT 1 FROM key k WHERE k.id = w.account)"
     " OR NOT EXISTS (SELECT 1 FROM holder h WHERE h.id = w.holder)",
     false},
    {{{W_admin_check_no_reason}},
     "SELECT count(*) FROM webhook WHERE CASE state WHEN 'paused' THEN reason NOT IN ('owner', 'failing', "
     "'operator', 'sealed')"
     " WHEN 'disabled' THEN reason NOT IN ('gone', 'key') ELSE reason <> '' END",
     false},
    {{{W_admin_check_unconfirmed}},
     "SELECT count(*) FROM webhook WHERE state = 'active' AND verified = 0",
     false},
    {{{W_admin_check_disabled_waits}},
     "SELECT count(*) FROM webhook w JOIN webhook_delivery d ON d.webhook = w.id WHERE w.state = 'disabled' "
     "AND d.state = "
     "'pending'",
     false},
    {{{W_admin_check_half_ended}},
     "SELECT count(*) FROM webhook_delivery WHERE (state = 'pending') <> (done = 0) OR (state = 'delivered' "
     "AND attempts = 0)",
     false},
    {{{W_admin_check_unneeded}},
     "SELECT count(*) FROM webhook_message m LEFT JOIN webhook_event e ON e.id = m.event WHERE m.created < "
     "?2 AND "
     "coalesce(e.done, 1) = 1"
     " AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message = m.id)",
     true},
    {{{W_admin_check_late}},
     "SELECT count(*) FROM webhook_event WHERE done = 0 AND due < ?1 - 3600000",
     true},
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
            odp_buffer_printf(wrong, "%s%lld %s", wrong->len > 0 ? ", " : "", (long long)n,
                              odp_text_get(&rules[i].words, x->lang));
        (void)!odp_sql_end(&q);
    }
    return q.st;
}

static enum odp_status check_rows(struct odp_admin *x, sqlite3 *copy)
{
    struct odp_buffer wrong = {0};
    int64_t webhooks = 0, deliveries = 0, pending = 0, messages = 0;
    struct odp_sql q = {.db = copy, .st = check_rules(x, copy, &wrong)};
    (void)odp_sql_row(&q,
                      "SELECT (SELECT count(*) FROM webhook), (SELECT count(*) FROM webhook_delivery),"
                      " (SELECT count(*) FROM webhook_delivery WHERE state = 'pending'),"
                      " (SELECT count(*) FROM webhook_message)",
                      "", "iiii", &webhooks, &deliveries, &pending, &messages);
    enum odp_status st = q.st == ODP_OK ? odp_buffer_status(&wrong) : q.st;
    if (st == ODP_OK)
        st = wrong.len == 0
                 ? odp_admin_checked(x, "webhooks", true, W_admin_check_webhooks, (long long)webhooks,
                                     (long long)deliveries, (long long)pending, (long long)messages)
                 : odp_admin_checked(x, "webhooks", false, "%s", "%s", odp_buffer_cstr(&wrong));
    odp_buffer_release(&wrong);
    return st;
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
    struct opening o = {0};
    struct odp_sql q = {.db = copy, .st = open_all(h->w, copy, &o)};
    int64_t sealed = odp_sql_number(&q, "SELECT count(*) FROM webhook WHERE reason = 'sealed'", "");
    if (q.st != ODP_OK)
        return q.st;
    const unsigned long long all = o.webhooks + (uint64_t)sealed, shut = o.shut + (uint64_t)sealed;
    if (all == 0)
        return odp_admin_checked(x, "webhook-key", true, W_admin_check_sealed_none);
    if (o.shut > 0 && h->w->seal == NULL)
        return odp_admin_checked(x, "webhook-key", false, W_admin_check_key_wrong, h->key_wrong);
    if (shut > 0)
        return odp_admin_checked(x, "webhook-key", false, W_admin_check_key_other, shut, all, h->key);
    if (o.old > 0)
        return odp_admin_checked(x, "webhook-key", true, W_admin_check_key_old, h->key,
                                 (unsigned long long)o.old, all);
    return odp_admin_checked(x, "webhook-key", true, W_admin_check_key, h->key, all);
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
