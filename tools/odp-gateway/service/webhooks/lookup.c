/* Reads subscriptions and their deliveries into the caller's arena. Holds the mutex for one statement each.
 */
#include "service/webhooks/webhooks_internal.h"

#define COUNT(state)                                                                                         \
    "(SELECT count(*) FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = '" state "')"
enum { URL = 17 }; /* a column; the texts follow it */
#define COLUMNS                                                                                              \
    "SELECT w.id, w.account, w.holder, w.name, w.filter_json, w.state, w.reason, w.created, w.changed,"      \
    " w.verified, w.previous_until, w.failing, w.not_before, w.round, " COUNT("pending") ", " COUNT(         \
        "delivered") ", " COUNT("failed") ", w.url, w.place, w.events, w.datasets, w.filter, w.description"  \
                                          " FROM webhook w WHERE "

/* NULL: it cannot be opened. */
static const char *url_of(struct odp_webhooks *w, struct odp_sql *q, const char *name, struct odp_arena *a)
{
    struct odp_buffer clear = {0};
    const char *url = NULL;
    enum odp_status st = odp_webhook_unseal(w, "url", name, sqlite3_column_blob(q->row, URL),
                                            sqlite3_column_bytes(q->row, URL), &clear);
    if (st == ODP_OK)
        url = odp_arena_copy(a, odp_buffer_slice(&clear)).ptr;
    if (st == ODP_FAIL)
        q->st = st;
    odp_webhook_wipe(&clear);
    return url;
}

/* The next row of COLUMNS. */
static bool read_one(struct odp_webhooks *w, struct odp_sql *q, struct odp_webhook *h, struct odp_arena *a)
{
    const char **const texts[] = {&h->place, &h->events, &h->datasets, &h->filter, &h->description};
    *h = (struct odp_webhook){0};
    if (!odp_sql_next(q, "iiitfttiiiiiiiiii", &h->id, &h->account, &h->holder, h->name, sizeof h->name,
                      &h->filter_json, h->state, sizeof h->state, h->reason, sizeof h->reason, &h->created,
                      &h->changed, &h->verified, &h->previous_until, &h->failing, &h->not_before, &h->round,
                      &h->pending, &h->delivered, &h->failed))
        return false;
    h->url = url_of(w, q, h->name, a);
    for (int i = 0; i < 5; i++)
        *texts[i] = webhook_text(q, URL + 1 + i, a);
    return q->st == ODP_OK;
}

static struct odp_sql enter(struct odp_webhooks *w)
{
    pthread_mutex_lock(&w->s->mutex);
    return (struct odp_sql){.db = w->s->db,
                            .st = w->s->db != NULL ? ODP_OK
                                                   : odp_failure_set("webhooks: no store here", NULL, 0)};
}

/* The mutex is held. DONE: it does not exist. */
static enum odp_status find_one(struct odp_webhooks *w, struct odp_sql *q, const char *name, int64_t account,
                                struct odp_webhook *out, struct odp_arena *a)
{
    odp_sql_select(q, COLUMNS "w.name = ?1 AND (?2 = 0 OR w.account = ?2)", "ti", name, account);
    bool found = read_one(w, q, out, a);
    enum odp_status st = odp_sql_end(q);
    return st == ODP_OK && !found ? ODP_DONE : st;
}

enum odp_status odp_webhook_find(struct odp_webhooks *w, const char *name, int64_t account,
                                 struct odp_webhook *out, struct odp_arena *a, enum odp_problem *problem)
{
    *problem = ODP_PROBLEM_NOT_FOUND;
    struct odp_sql q = enter(w);
    enum odp_status st = find_one(w, &q, name, account, out, a);
    pthread_mutex_unlock(&w->s->mutex);
    return st == ODP_DONE ? ODP_BAD : st;
}

enum odp_status odp_webhook_changing(struct odp_webhooks *w, const char *name, struct odp_webhook *out,
                                     struct odp_arena *a)
{
    struct odp_sql q = {.db = w->s->db};
    enum odp_status st = find_one(w, &q, name, 0, out, a);
    return st == ODP_DONE ? odp_failure_set("webhook", "store.sqlite", 0) : st;
}

/* Moves what was collected into A. */
static enum odp_status move(struct odp_buffer *items, void *out, size_t size, size_t *n, struct odp_arena *a)
{
    enum odp_status st = odp_buffer_status(items);
    void *moved = (void *)(uintptr_t)odp_arena_copy(a, odp_buffer_slice(items)).ptr;
    memcpy(out, &moved, sizeof moved);
    *n = items->len / size;
    odp_buffer_release(items);
    return st;
}

static int64_t most(size_t limit)
{
    return limit < INT32_MAX ? (int64_t)limit : INT32_MAX;
}

enum odp_status odp_webhook_list(struct odp_webhooks *w, const struct odp_webhooks_wanted *wanted,
                                 struct odp_webhook **out, size_t *n, struct odp_arena *a)
{
#define SOME "w.id > ?1 AND (?2 IS NULL OR w.state = ?2) ORDER BY w.id LIMIT ?3"
    struct odp_buffer items = {0};
    struct odp_webhook h;
    struct odp_sql q = enter(w);
    odp_sql_select(&q, wanted->account != 0 ? COLUMNS "w.account = ?4 AND " SOME : COLUMNS SOME,
                   wanted->account != 0 ? "itii" : "iti", wanted->after, wanted->state, most(wanted->limit),
                   wanted->account);
    while (read_one(w, &q, &h, a))
        odp_buffer_add(&items, &h, sizeof h);
    enum odp_status st = odp_sql_end(&q);
    pthread_mutex_unlock(&w->s->mutex);
    enum odp_status moved = move(&items, out, sizeof h, n, a);
    return st == ODP_OK ? moved : st;
}

/* ---- deliveries ---- */

static enum odp_status read_attempts(sqlite3 *db, struct odp_arena *a, struct odp_webhook_delivery *d)
{
    struct odp_webhook_attempt t;
    struct odp_buffer items = {0};
    struct odp_sql q = {.db = db};
    int64_t status;
    odp_sql_select(&q, "SELECT at, took, status, outcome FROM webhook_attempt WHERE delivery = ? ORDER BY n",
                   "i", d->id);
    while (odp_sql_next(&q, "iii", &t.at, &t.took, &status)) {
        t.status = (int)status;
        t.outcome = webhook_text(&q, 3, a);
        odp_buffer_add(&items, &t, sizeof t);
    }
    enum odp_status moved = move(&items, &d->attempts, sizeof t, &d->nattempts, a), st = odp_sql_end(&q);
    return st == ODP_OK ? moved : st;
}

enum odp_status odp_webhook_deliveries(struct odp_webhooks *w, const struct odp_deliveries_wanted *wanted,
                                       struct odp_webhook_delivery **out, size_t *n, struct odp_arena *a)
{
    struct odp_webhook_delivery d = {0};
    struct odp_buffer items = {0};
    struct odp_sql q = enter(w);
    odp_sql_select(
        &q,
        "SELECT d.id, d.name, d.created, CASE d.state WHEN 'pending' THEN d.next ELSE 0 END, d.done, m.type,"
        " d.state, CASE WHEN ?3 IS NULL THEN '' ELSE m.body END"
        " FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message"
        " WHERE d.webhook = ?1 AND (?2 IS NULL OR d.state = ?2) AND (?3 IS NULL OR d.name = ?3)"
        " AND (?4 = 0 OR d.id < ?4) ORDER BY d.id DESC LIMIT ?5",
        "ittii", wanted->webhook, wanted->state, wanted->delivery, wanted->before, most(wanted->limit));
    while (odp_sql_next(&q, "itiii", &d.id, d.name, sizeof d.name, &d.created, &d.next, &d.done)) {
        d.type = webhook_text(&q, 5, a);
        d.state = webhook_text(&q, 6, a);
        d.body = webhook_text(&q, 7, a);
        if (q.st == ODP_OK)
            q.st = read_attempts(q.db, a, &d);
        odp_buffer_add(&items, &d, sizeof d);
    }
    enum odp_status st = odp_sql_end(&q);
    pthread_mutex_unlock(&w->s->mutex);
    enum odp_status moved = move(&items, out, sizeof d, n, a);
    return st == ODP_OK ? moved : st;
}
