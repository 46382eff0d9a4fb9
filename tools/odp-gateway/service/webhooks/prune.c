/* What is old goes: ended deliveries with their attempts, waiting ones of subscriptions that are not active (they expire first,
 * and go as long after that), messages that no delivery needs, events that are told. Numbers rise with time, so each table is
 * walked from its oldest row up to the first that is young enough; reading goes through the teller's own connection, and what
 * changes are some hundred rows at a time. */
#include "service/webhooks/teller_internal.h"

enum { BATCH = 200 };
#define DAYS(n) ((int64_t)(n)*86400000)

struct walk {
    struct odp_webhooks *w;
    int64_t now, before; /* older than that: it may go */
    int64_t after;       /* number up to which was looked */
};

/* One row of what SELECT reads: number, when it was created, and what to do with it: 0 nothing, 1 it goes, 2 it expires. */
struct old {
    int64_t id;
    int todo;
};

/* The next rows of the walk for which something is to be done; *END: there are none younger. */
static enum odp_status read_some(struct walk *k, const char *sql, struct old *items, size_t *n, bool *end)
{
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_store_prepare(k->w->tell->db, &row, sql, "ii", k->after, k->before);
    *end = false;
    for (*n = 0; *n < BATCH && st == ODP_OK && (st = odp_store_step(k->w->tell->db, row)) == ODP_OK;) {
        int todo = sqlite3_column_int(row, 2);
        int64_t created = sqlite3_column_int64(row, 1);
        if (created >= k->before && created <= k->now) /* later than now: made while the clock was wrong */
            break;
        k->after = sqlite3_column_int64(row, 0);
        if (todo != 0 && created < k->before)
            items[(*n)++] = (struct old){k->after, todo};
    }
    *end = *n < BATCH;
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status walk(struct odp_webhooks *w, int64_t now, int64_t before, const char *select, const char *go,
                            const char *expire)
{
    struct walk k = {w, now, before, 0};
    struct old items[BATCH];
    size_t n = 0;
    bool end = false;
    enum odp_status st = ODP_OK;
    while (!end && st == ODP_OK && !odp_webhook_stopped(w)) {
        st = read_some(&k, select, items, &n, &end);
        if (st != ODP_OK || n == 0)
            continue;
        st = odp_webhook_begin(w);
        if (st != ODP_OK)
            break;
        for (size_t i = 0; i < n && st == ODP_OK; i++)
            st = items[i].todo == 1 ? odp_store_run(w->s->db, go, "i", items[i].id)
                                    : odp_store_run(w->s->db, expire, "ii", items[i].id, now);
        st = odp_webhook_end(w, st);
        odp_webhook_breathe();
    }
    return st;
}

/* Replaced secrets whose time is over are not kept. */
static enum odp_status drop_secrets(struct odp_webhooks *w, int64_t now)
{
    int64_t any = 0;
    enum odp_status st = odp_store_number(
        w->tell->db, &any, "SELECT 1 FROM webhook WHERE previous_until > 0 AND previous_until <= ? LIMIT 1", "i", now / 1000);
    if (st != ODP_OK)
        return st == ODP_DONE ? ODP_OK : st;
    st = odp_webhook_begin(w);
    return st == ODP_OK ? odp_webhook_end(w, odp_store_run(w->s->db,
                                                           "UPDATE webhook SET previous_secret = NULL, previous_until = 0"
                                                           " WHERE previous_until > 0 AND previous_until <= ?",
                                                           "i", now / 1000))
                        : st;
}

/* Some deliveries of a subscription that is still unverified, or, where there are none, itself. *MORE: it is not gone yet. */
static enum odp_status drop_some(struct odp_webhooks *w, int64_t id, int64_t now, bool *more)
{
    int64_t still = 0;
    enum odp_status st =
        odp_store_number(w->s->db, &still, "SELECT 1 FROM webhook WHERE id = ? AND state = 'unverified'", "i", id);
    *more = false;
    if (st != ODP_OK)
        return st == ODP_DONE ? ODP_OK : st;
    st = odp_store_run(w->s->db,
                       "DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE webhook = ? LIMIT ?)",
                       "ii", id, (int64_t)BATCH);
    *more = sqlite3_changes(w->s->db) == BATCH;
    if (st == ODP_OK && !*more)
        st = odp_webhook_note(w, id, "webhook.delete", "unverified", now);
    if (st == ODP_OK && !*more)
        st = odp_store_run(w->s->db, "DELETE FROM webhook WHERE id = ?", "i", id);
    return st;
}

/* Subscriptions whose address nobody has confirmed in all that time, with what is theirs. */
static enum odp_status drop_strangers(struct odp_webhooks *w, int64_t now, int64_t before)
{
    int64_t id = 0;
    enum odp_status st = ODP_OK;
    while (st == ODP_OK && !odp_webhook_stopped(w)) {
        st = odp_store_number(
            w->tell->db, &id,
            "SELECT id FROM webhook WHERE state = 'unverified' AND changed < ?1 AND id > ?2 ORDER BY id LIMIT 1", "ii",
            before / 1000, id);
        for (bool more = true; more && st == ODP_OK;) {
            st = odp_webhook_begin(w);
            if (st == ODP_OK)
                st = odp_webhook_end(w, drop_some(w, id, now, &more));
        }
    }
    return st == ODP_DONE ? ODP_OK : st;
}

/* A clock that was far ahead, and went back, has left times that would keep everything waiting for years. */
static const struct wrong_time {
    const char *select, *mend; /* ?1: now; ?2: so late that nothing can be meant by it; ?3: number */
} wrong_times[] = {
    {"SELECT id FROM webhook_delivery WHERE state = 'pending' AND next > ?2 AND ?1 = ?1 LIMIT 200",
     "UPDATE webhook_delivery SET next = ?1 WHERE id = ?3 AND state = 'pending' AND next > ?2"},
    {"SELECT id FROM webhook WHERE (not_before > ?2 OR failing > ?2) AND ?1 = ?1 LIMIT 200",
     "UPDATE webhook SET not_before = min(not_before, ?1), failing = min(failing, ?1) WHERE id = ?3 AND ?2 = ?2"},
    {"SELECT id FROM webhook_event WHERE done = 0 AND due > ?2 AND created > ?2 AND ?1 = ?1 LIMIT 200",
     "UPDATE webhook_event SET due = ?1, created = ?1 WHERE id = ?3 AND ?2 = ?2"},
};

static enum odp_status mend_some(struct odp_webhooks *w, const struct wrong_time *x, int64_t now, size_t *n)
{
    int64_t ids[BATCH];
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_store_prepare(w->tell->db, &row, x->select, "ii", now, now + DAYS(2));
    for (*n = 0; *n < BATCH && st == ODP_OK && (st = odp_store_step(w->tell->db, row)) == ODP_OK; (*n)++)
        ids[*n] = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    if (st == ODP_FAIL || *n == 0)
        return st == ODP_FAIL ? st : ODP_OK;
    st = odp_webhook_begin(w);
    if (st != ODP_OK)
        return st;
    for (size_t i = 0; i < *n && st == ODP_OK; i++)
        st = odp_store_run(w->s->db, x->mend, "iii", now, now + DAYS(2), ids[i]);
    st = odp_webhook_end(w, st);
    odp_webhooks_wake(w);
    return st;
}

static enum odp_status mend_times(struct odp_webhooks *w, int64_t now)
{
    enum odp_status st = ODP_OK;
    for (size_t k = 0; k < sizeof wrong_times / sizeof wrong_times[0]; k++)
        for (size_t n = BATCH; n == BATCH && st == ODP_OK && !odp_webhook_stopped(w);)
            st = mend_some(w, &wrong_times[k], now, &n);
    return st;
}

/* Events say when a dataset was told last: they stay as long as the longest pace, and warnings of quotas for their day. */
static int64_t events_before(struct odp_webhooks *w, int64_t now, int64_t keep)
{
    struct odp_webhook_site *site = odp_webhook_site_hold(w);
    int64_t longest = keep > DAYS(3) ? keep : DAYS(3);
    for (size_t i = 0; site != NULL && i < site->npaces; i++)
        if (site->paces[i].every > longest)
            longest = site->paces[i].every;
    odp_webhooks_drop(w, site);
    return now - longest;
}

enum odp_status odp_webhook_tell_prune(struct odp_webhooks *w, int64_t now)
{
    int64_t keep = (w->s->options->webhook_keep > 0 ? w->s->options->webhook_keep : ODP_WEBHOOK_KEEP) * 1000;
    int64_t before = now - keep;
    enum odp_status st = mend_times(w, now);
    if (st == ODP_OK)
        st = drop_secrets(w, now);
    if (st == ODP_OK)
        st = drop_strangers(w, now, before);
    if (st == ODP_OK)
        st = walk(w, now, before,
                  "SELECT d.id, d.created, CASE WHEN d.state <> 'pending' THEN d.done < ?2"
                  " WHEN (SELECT w.state FROM webhook w WHERE w.id = d.webhook) <> 'active' AND d.next < ?2 THEN 2 ELSE 0 END"
                  " FROM webhook_delivery d WHERE d.id > ?1 ORDER BY d.id",
                  "DELETE FROM webhook_delivery WHERE id = ? AND state <> 'pending'",
                  "UPDATE webhook_delivery SET state = 'expired', done = ?2 WHERE id = ?1 AND state = 'pending'");
    if (st == ODP_OK) /* one that a fan-out has made and not used yet is younger, or its event is not done */
        st = walk(
            w, now, before,
            "SELECT m.id, m.created, m.created < ?2 AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message = m.id)"
            " AND NOT EXISTS (SELECT 1 FROM webhook_event e WHERE e.id = m.event AND e.done = 0)"
            " FROM webhook_message m WHERE m.id > ?1 ORDER BY m.id",
            "DELETE FROM webhook_message WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message = ?1)",
            "");
    if (st == ODP_OK)
        st = walk(w, now, events_before(w, now, keep),
                  "SELECT e.id, e.created, e.done = 1 AND e.due < ?2 FROM webhook_event e WHERE e.id > ?1 ORDER BY e.id",
                  "DELETE FROM webhook_event WHERE id = ? AND done = 1", "");
    return st;
}
