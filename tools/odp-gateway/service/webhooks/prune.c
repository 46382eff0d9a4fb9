/* Deletes what is old: ended deliveries with their attempts, waiting ones of subscriptions that are not
 * active (which expire first), messages without a delivery, events that are done. Numbers rise with time, so
 * each table is read from its oldest row up to the first that is young enough. */
#include "service/webhooks/webhooks_internal.h"

#define DAYS(n) ((int64_t)(n)*86400000)

/* Old rows of TABLE (as T). Rows later than now were made while the clock was wrong. */
#define OLD(table, t)                                                                                        \
    t ".id > :after AND " t ".created < :before AND " t ".id < coalesce((SELECT id FROM " table              \
      " WHERE id > :after AND created BETWEEN :before AND :now ORDER BY id LIMIT 1), 9223372036854775807)"
#define IN_ORDER(t) " ORDER BY " t ".id LIMIT :some"

/* A clock that was far ahead has left times that would keep everything waiting for years. */
static const struct webhook_sweep wrong_times[] = {
    {.select = "SELECT id FROM webhook_delivery WHERE id > :after AND state = 'pending' AND next > :before "
               "ORDER BY id LIMIT :some",
     .change = "UPDATE webhook_delivery SET next = :now WHERE id IN " WEBHOOK_IDS
               " AND state = 'pending' AND next > :before"},
    {.select = "SELECT id FROM webhook WHERE id > :after AND (not_before > :before OR failing > :before) "
               "ORDER BY id LIMIT :some",
     .change = "UPDATE webhook SET not_before = min(not_before, :now), failing = min(failing, :now) WHERE id "
               "IN " WEBHOOK_IDS},
    {.select =
         "SELECT id FROM webhook_event WHERE id > :after AND done = 0 AND due > :before AND created > :before"
         " ORDER BY id LIMIT :some",
     .change = "UPDATE webhook_event SET due = :now, created = :now WHERE id IN " WEBHOOK_IDS},
};
/* Replaced secrets that sign no more. */
static const struct webhook_sweep secrets = {
    .select =
        "SELECT id FROM webhook WHERE id > :after AND previous_until > 0 AND previous_until <= :now / 1000"
        " ORDER BY id LIMIT :some",
    .change = "UPDATE webhook SET previous_secret = NULL, previous_until = 0 WHERE id IN " WEBHOOK_IDS
              " AND previous_until <= :now / 1000"};
static const struct webhook_sweep old[] = {
    {.select = "SELECT d.id FROM webhook_delivery d WHERE " OLD(
         "webhook_delivery", "d") " AND d.state = 'pending'"
                                  " AND d.next < :before AND (SELECT w.state FROM webhook w WHERE w.id = "
                                  "d.webhook) <> 'active'" IN_ORDER("d"),
     .change = "UPDATE webhook_delivery SET state = 'expired', done = :now WHERE id IN " WEBHOOK_IDS
               " AND state = 'pending'"},
    {.select = "SELECT d.id FROM webhook_delivery d WHERE " OLD(
         "webhook_delivery", "d") " AND d.state <> 'pending' AND d.done < :before" IN_ORDER("d"),
     .change = "DELETE FROM webhook_delivery WHERE id IN " WEBHOOK_IDS " AND state <> 'pending'"},
    /* the fan-out may still need a young one, or one whose event is not done */
    {.select = "SELECT m.id FROM webhook_message m WHERE " OLD(
         "webhook_message",
         "m") " AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message = m.id)"
              " AND NOT EXISTS (SELECT 1 FROM webhook_event e WHERE e.id = m.event AND e.done = 0)" IN_ORDER(
                  "m"),
     .change = "DELETE FROM webhook_message WHERE id IN " WEBHOOK_IDS
               " AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message = webhook_message.id)"},
};
static const struct webhook_sweep told = {
    .select = "SELECT e.id FROM webhook_event e WHERE " OLD(
        "webhook_event", "e") " AND e.done = 1 AND e.due < :before" IN_ORDER("e"),
    .change = "DELETE FROM webhook_event WHERE id IN " WEBHOOK_IDS " AND done = 1"};

/* Subscriptions that nobody has confirmed in all that time: first their deliveries, then themselves. */
static const struct webhook_sweep theirs = {
    .select =
        "SELECT d.id FROM webhook w JOIN webhook_delivery d ON d.webhook = w.id WHERE w.state = 'unverified'"
        " AND w.changed < :before / 1000 AND d.id > :after" IN_ORDER("d"),
    .change = "DELETE FROM webhook_delivery WHERE id IN " WEBHOOK_IDS
              " AND webhook IN (SELECT id FROM webhook WHERE state = 'unverified')"};

static void drop_stranger(struct odp_webhooks *w, struct odp_sql *q, int64_t id, int64_t now)
{
    if (odp_sql_number(q, "SELECT 1 FROM webhook WHERE id = ? AND state = 'unverified'", "i", id) == 0)
        return;
    odp_webhook_note(q, id, "webhook.delete", "unverified", now);
    odp_sql_run(q, "DELETE FROM webhook WHERE id = ?", "i", id);
}

static const struct webhook_sweep strangers = {
    .select = "SELECT w.id FROM webhook w WHERE w.state = 'unverified' AND w.changed < :before / 1000 AND "
              "w.id > :after" IN_ORDER("w"),
    .each = drop_stranger};

/* Events show when a dataset was announced last: they stay as long as the longest pace, and quota warnings
 * for their day. */
static int64_t events_before(struct odp_webhooks *w, int64_t now, int64_t keep)
{
    struct odp_webhook_site *site = odp_holder_acquire(&w->site);
    int64_t longest = keep > DAYS(3) ? keep : DAYS(3);
    for (size_t i = 0; site != NULL && i < site->settings.npaces; i++)
        if (site->settings.paces[i].every > longest)
            longest = site->settings.paces[i].every;
    odp_holder_drop(&w->site, site);
    return now - longest;
}

enum odp_status odp_webhook_prune(struct odp_webhooks *w, int64_t now)
{
    int64_t keep = odp_webhook_keep(w) * 1000;
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i < ODP_COUNT(wrong_times) && st == ODP_OK; i++)
        st = odp_webhook_sweep(w, &wrong_times[i], now, now + DAYS(2));
    odp_webhooks_wake(w); /* after wrong times something may be due */
    if (st == ODP_OK)
        st = odp_webhook_sweep(w, &secrets, now, 0);
    if (st == ODP_OK)
        st = odp_webhook_sweep(w, &theirs, now, now - keep);
    if (st == ODP_OK)
        st = odp_webhook_sweep(w, &strangers, now, now - keep);
    for (size_t i = 0; i < ODP_COUNT(old) && st == ODP_OK; i++)
        st = odp_webhook_sweep(w, &old[i], now, now - keep);
    if (st == ODP_OK)
        st = odp_webhook_sweep(w, &told, now, events_before(w, now, keep));
    return st;
}
