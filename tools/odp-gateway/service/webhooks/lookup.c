/* Reads subscriptions and their deliveries into the caller's arena. Holds the mutex for one statement each.
 */
#include "service/webhooks/webhooks_internal.h"

#define COUNT(state)                                                                                         \
    "(SELECT count(*) FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = '" state "')"
#define COLUMNS                                                                                              \
    "SELECT w.id, w.account, w.holder, w.name, w.url, w.place, w.events, w.datasets, w.filter, "             \
    "w.filter_json,"                                                                                         \
    " w.description, w.state, w.reason, w.created, w.changed, w.verified, w.previous_until, w.failing,"      \
    " w.not_before, w.round, " COUNT("pending") ", " COUNT("delivered") ", " COUNT(                          \
        "failed") " FROM webhook w WHERE "

/* NULL: it cannot be opened. */
static const char *url_of(struct odp_webhooks *w, struct webhook_sql *q, sqlite3_stmt *row, const char *name,
                          struct odp_arena *a)
{
    struct odp_buffer clear;
    const char *url = NULL;
    odp_buffer_init(&clear);
    const void *sealed = sqlite3_column_blob(row, 4);
    enum odp_status st = odp_webhook_unseal(w, "url", name, sealed, sqlite3_column_bytes(row, 4), &clear);
    if (st == ODP_OK)
        url = odp_arena_copy(a, odp_buffer_slice(&clear)).ptr;
    if (st == ODP_FAIL)
        q->st = st;
    odp_webhook_wipe(&clear);
    return url;
}

static void read_one(struct odp_webhooks *w, struct webhook_sql *q, sqlite3_stmt *row, struct odp_arena *a,
                     struct odp_webhook *out)
{
    *out = (struct odp_webhook){.id = sqlite3_column_int64(row, 0),
                                .account = sqlite3_column_int64(row, 1),
                                .holder = sqlite3_column_int64(row, 2),
                                .place = webhook_text(q, row, 5, a),
                                .events = webhook_text(q, row, 6, a),
                                .datasets = webhook_text(q, row, 7, a),
                                .filter = webhook_text(q, row, 8, a),
                                .filter_json = sqlite3_column_int(row, 9) != 0,
                                .description = webhook_text(q, row, 10, a),
                                .created = sqlite3_column_int64(row, 13),
                                .changed = sqlite3_column_int64(row, 14),
                                .verified = sqlite3_column_int64(row, 15),
                                .previous_until = sqlite3_column_int64(row, 16),
                                .failing = sqlite3_column_int64(row, 17),
                                .not_before = sqlite3_column_int64(row, 18),
                                .round = sqlite3_column_int64(row, 19),
                                .pending = sqlite3_column_int64(row, 20),
                                .delivered = sqlite3_column_int64(row, 21),
                                .failed = sqlite3_column_int64(row, 22)};
    odp_store_text(row, 3, out->name, sizeof out->name);
    odp_store_text(row, 11, out->state, sizeof out->state);
    odp_store_text(row, 12, out->reason, sizeof out->reason);
    out->url = url_of(w, q, row, out->name, a);
}

static struct webhook_sql enter(struct odp_webhooks *w)
{
    pthread_mutex_lock(&w->s->mutex);
    return (struct webhook_sql){
        w->s->db, w->s->db != NULL ? ODP_OK : odp_failure_set("webhooks: no store here", NULL, 0)};
}

/* The mutex is held. DONE: it does not exist. */
static enum odp_status find_one(struct odp_webhooks *w, struct webhook_sql *q, const char *name,
                                int64_t account, struct odp_webhook *out, struct odp_arena *a)
{
    sqlite3_stmt *row =
        webhook_select(q, COLUMNS "w.name = ?1 AND (?2 = 0 OR w.account = ?2)", "ti", name, account);
    if (webhook_next(q, &row))
        read_one(w, q, row, a, out);
    else
        q->st = q->st == ODP_OK ? ODP_DONE : q->st;
    sqlite3_finalize(row);
    return q->st;
}

enum odp_status odp_webhook_find(struct odp_webhooks *w, const char *name, int64_t account,
                                 struct odp_webhook *out, struct odp_arena *a, enum odp_problem *problem)
{
    *problem = ODP_PROBLEM_NOT_FOUND;
    struct webhook_sql q = enter(w);
    enum odp_status st = find_one(w, &q, name, account, out, a);
    pthread_mutex_unlock(&w->s->mutex);
    return st == ODP_DONE ? ODP_BAD : st;
}

enum odp_status odp_webhook_changing(struct odp_webhooks *w, const char *name, struct odp_webhook *out,
                                     struct odp_arena *a)
{
    struct webhook_sql q = {w->s->db, ODP_OK};
    enum odp_status st = find_one(w, &q, name, 0, out, a);
    return st == ODP_DONE ? odp_failure_set("webhook", "store.sqlite", 0) : st;
}

/* Moves what was collected into A. */
static enum odp_status keep(const struct webhook_sql *q, struct odp_buffer *items, void *out, size_t size,
                            size_t *n, struct odp_arena *a)
{
    enum odp_status st = q->st == ODP_OK ? odp_buffer_status(items) : q->st;
    void *kept = (void *)(uintptr_t)odp_arena_copy(a, odp_buffer_slice(items)).ptr;
    memcpy(out, &kept, sizeof kept);
    *n = items->len / size;
    odp_buffer_release(items);
    return st;
}

static int64_t most(size_t limit)
{
    return limit < INT32_MAX ? (int64_t)limit : INT32_MAX;
}

enum odp_status odp_webhook_list(struct odp_webhooks *w, int64_t account, const char *state, int64_t after,
                                 size_t limit, struct odp_webhook **out, size_t *n, struct odp_arena *a)
{
    static const char all[] = COLUMNS "w.id > ?1 AND (?2 IS NULL OR w.state = ?2) ORDER BY w.id LIMIT ?3";
    static const char one[] =
        COLUMNS "w.account = ?4 AND w.id > ?1 AND (?2 IS NULL OR w.state = ?2) ORDER BY w.id LIMIT ?3";
    struct odp_buffer items;
    struct odp_webhook h;
    odp_buffer_init(&items);
    struct webhook_sql q = enter(w);
    sqlite3_stmt *row = webhook_select(&q, account != 0 ? one : all, account != 0 ? "itii" : "iti", after,
                                       state, most(limit), account);
    while (webhook_next(&q, &row)) {
        read_one(w, &q, row, a, &h);
        odp_buffer_add(&items, &h, sizeof h);
    }
    pthread_mutex_unlock(&w->s->mutex);
    return keep(&q, &items, out, sizeof h, n, a);
}

/* ---- deliveries ---- */

static void attempts_of(struct webhook_sql *q, struct odp_arena *a, struct odp_webhook_delivery *d)
{
    struct odp_buffer items;
    odp_buffer_init(&items);
    sqlite3_stmt *row = webhook_select(
        q, "SELECT at, took, status, outcome FROM webhook_attempt WHERE delivery = ? ORDER BY n", "i", d->id);
    while (webhook_next(q, &row)) {
        const struct odp_webhook_attempt t = {.at = sqlite3_column_int64(row, 0),
                                              .took = sqlite3_column_int64(row, 1),
                                              .status = sqlite3_column_int(row, 2),
                                              .outcome = webhook_text(q, row, 3, a)};
        odp_buffer_add(&items, &t, sizeof t);
    }
    q->st = keep(q, &items, &d->attempts, sizeof *d->attempts, &d->nattempts, a);
}

enum odp_status odp_webhook_deliveries(struct odp_webhooks *w, int64_t webhook, const char *state,
                                       const char *delivery, int64_t before, size_t limit,
                                       struct odp_webhook_delivery **out, size_t *n, struct odp_arena *a)
{
    struct odp_buffer items;
    odp_buffer_init(&items);
    struct webhook_sql q = enter(w);
    sqlite3_stmt *row = webhook_select(&q,
                                       "SELECT d.id, d.name, m.type, d.state, d.created, CASE d.state WHEN "
                                       "'pending' THEN d.next ELSE 0 END, d.done,"
                                       " CASE WHEN ?3 IS NULL THEN '' ELSE m.body END FROM webhook_delivery "
                                       "d JOIN webhook_message m ON m.id = d.message"
                                       " WHERE d.webhook = ?1 AND (?2 IS NULL OR d.state = ?2) AND (?3 IS "
                                       "NULL OR d.name = ?3) AND (?4 = 0 OR d.id < ?4)"
                                       " ORDER BY d.id DESC LIMIT ?5",
                                       "ittii", webhook, state, delivery, before, most(limit));
    while (webhook_next(&q, &row)) {
        struct odp_webhook_delivery d = {.id = sqlite3_column_int64(row, 0),
                                         .type = webhook_text(&q, row, 2, a),
                                         .state = webhook_text(&q, row, 3, a),
                                         .created = sqlite3_column_int64(row, 4),
                                         .next = sqlite3_column_int64(row, 5),
                                         .done = sqlite3_column_int64(row, 6),
                                         .body = webhook_text(&q, row, 7, a)};
        odp_store_text(row, 1, d.name, sizeof d.name);
        attempts_of(&q, a, &d);
        odp_buffer_add(&items, &d, sizeof d);
    }
    pthread_mutex_unlock(&w->s->mutex);
    return keep(&q, &items, out, sizeof **out, n, a);
}
