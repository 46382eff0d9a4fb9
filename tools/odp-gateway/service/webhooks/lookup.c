/* Looking at subscriptions and their deliveries. Texts are copied into the caller's arena; the mutex is held for one statement
 * each. */
#include <stdio.h>

#include "service/webhooks/webhooks_internal.h"

#define COLUMNS                                                                                                                \
    "SELECT w.id, w.account, w.holder, w.name, w.url, w.place, w.events, w.datasets, w.filter, w.filter_json, w.description,"  \
    " w.state, w.reason, w.created, w.changed, w.verified, w.previous_until, w.failing, w.not_before, w.round,"                \
    " (SELECT count(*) FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'pending'),"                               \
    " (SELECT count(*) FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'delivered'),"                             \
    " (SELECT count(*) FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'failed') FROM webhook w WHERE "

static const char *text_of(sqlite3_stmt *row, int column, struct odp_arena *a)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return odp_arena_str(a, text != NULL ? text : "");
}

/* NULL, if it cannot be opened. */
static enum odp_status url_of(struct odp_webhooks *w, sqlite3_stmt *row, const char *name, struct odp_arena *a,
                              const char **url)
{
    struct odp_buffer clear;
    odp_buffer_init(&clear);
    *url = NULL;
    const void *sealed = sqlite3_column_blob(row, 4);
    enum odp_status st = odp_webhook_unseal(w, "url", name, sealed, sqlite3_column_bytes(row, 4), &clear);
    if (st == ODP_OK) {
        *url = odp_arena_copy(a, odp_buffer_slice(&clear)).ptr;
        st = *url != NULL ? ODP_OK : ODP_FAIL;
    }
    odp_buffer_release(&clear);
    return st == ODP_BAD ? ODP_OK : st;
}

static enum odp_status read_one(struct odp_webhooks *w, sqlite3_stmt *row, struct odp_arena *a, struct odp_webhook *out)
{
    *out = (struct odp_webhook){.id = sqlite3_column_int64(row, 0),
                                .account = sqlite3_column_int64(row, 1),
                                .holder = sqlite3_column_int64(row, 2),
                                .filter_json = sqlite3_column_int(row, 9) != 0,
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
    out->place = text_of(row, 5, a);
    out->events = text_of(row, 6, a);
    out->datasets = text_of(row, 7, a);
    out->filter = text_of(row, 8, a);
    out->description = text_of(row, 10, a);
    if (out->place == NULL || out->events == NULL || out->datasets == NULL || out->filter == NULL || out->description == NULL)
        return ODP_FAIL;
    return url_of(w, row, out->name, a, &out->url);
}

static enum odp_status enter(struct odp_webhooks *w)
{
    if (w->s->db == NULL)
        return odp_failure_set("webhooks: no store here", NULL, 0);
    pthread_mutex_lock(&w->s->mutex);
    return ODP_OK;
}

static void leave(struct odp_webhooks *w, sqlite3_stmt *row)
{
    sqlite3_finalize(row);
    pthread_mutex_unlock(&w->s->mutex);
}

/* The mutex is held. DONE: not there. */
static enum odp_status find_one(struct odp_webhooks *w, const char *name, int64_t account, struct odp_webhook *out,
                                struct odp_arena *a)
{
    sqlite3_stmt *row = NULL;
    enum odp_status st =
        odp_store_prepare(w->s->db, &row, COLUMNS "w.name = ?1 AND (?2 = 0 OR w.account = ?2)", "ti", name, account);
    if (st == ODP_OK)
        st = odp_store_step(w->s->db, row);
    if (st == ODP_OK)
        st = read_one(w, row, a, out);
    sqlite3_finalize(row);
    return st;
}

enum odp_status odp_webhook_find(struct odp_webhooks *w, const char *name, int64_t account, struct odp_webhook *out,
                                 struct odp_arena *a, enum odp_problem *problem)
{
    *problem = ODP_PROBLEM_NOT_FOUND;
    if (enter(w) != ODP_OK)
        return ODP_FAIL;
    enum odp_status st = find_one(w, name, account, out, a);
    leave(w, NULL);
    return st == ODP_DONE ? ODP_BAD : st;
}

enum odp_status odp_webhook_changing(struct odp_webhooks *w, const char *name, struct odp_webhook *out, struct odp_arena *a)
{
    enum odp_status st = find_one(w, name, 0, out, a);
    return st == ODP_DONE ? odp_failure_set("webhook", "store.sqlite", 0) : st;
}

/* Room for one more of SIZE bytes behind N at *ITEMS; what was there before stays in the arena. */
static enum odp_status grow(struct odp_arena *a, void **items, size_t *cap, size_t n, size_t size)
{
    if (n < *cap)
        return ODP_OK;
    size_t more = *cap > 0 ? *cap * 2 : 16;
    void *p = odp_arena_array(a, more, size);
    if (n > 0)
        memcpy(p, *items, n * size);
    *items = p;
    *cap = more;
    return ODP_OK;
}

enum odp_status odp_webhook_list(struct odp_webhooks *w, int64_t account, const char *state, int64_t after, size_t limit,
                                 struct odp_webhook **out, size_t *n, struct odp_arena *a)
{
    static const char all[] = COLUMNS "w.id > ?1 AND (?2 IS NULL OR w.state = ?2) ORDER BY w.id LIMIT ?3";
    static const char one[] = COLUMNS "w.account = ?4 AND w.id > ?1 AND (?2 IS NULL OR w.state = ?2) ORDER BY w.id LIMIT ?3";
    sqlite3_stmt *row = NULL;
    void *items = NULL;
    size_t cap = 0;
    int64_t most = limit < INT32_MAX ? (int64_t)limit : INT32_MAX;
    *out = NULL;
    *n = 0;
    if (enter(w) != ODP_OK)
        return ODP_FAIL;
    enum odp_status st =
        odp_store_prepare(w->s->db, &row, account != 0 ? one : all, account != 0 ? "itii" : "iti", after, state, most, account);
    while (st == ODP_OK && (st = odp_store_step(w->s->db, row)) == ODP_OK) {
        st = grow(a, &items, &cap, *n, sizeof **out);
        if (st == ODP_OK)
            st = read_one(w, row, a, (struct odp_webhook *)items + *n);
        if (st == ODP_OK)
            ++*n;
    }
    leave(w, row);
    *out = items;
    return st == ODP_DONE ? ODP_OK : st;
}

/* ---- deliveries ---- */

static enum odp_status attempts_of(sqlite3 *db, sqlite3_stmt *row, struct odp_arena *a, struct odp_webhook_delivery *d)
{
    void *items = NULL;
    size_t cap = 0;
    enum odp_status st = odp_store_again(db, row, "i", d->id);
    while (st == ODP_OK && (st = odp_store_step(db, row)) == ODP_OK) {
        st = grow(a, &items, &cap, d->nattempts, sizeof *d->attempts);
        if (st != ODP_OK)
            break;
        struct odp_webhook_attempt *t = (struct odp_webhook_attempt *)items + d->nattempts++;
        *t = (struct odp_webhook_attempt){.at = sqlite3_column_int64(row, 0),
                                          .took = sqlite3_column_int64(row, 1),
                                          .status = sqlite3_column_int(row, 2),
                                          .outcome = text_of(row, 3, a)};
        if (t->outcome == NULL)
            st = ODP_FAIL;
    }
    d->attempts = items;
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status read_delivery(sqlite3_stmt *row, struct odp_arena *a, struct odp_webhook_delivery *d)
{
    *d = (struct odp_webhook_delivery){.id = sqlite3_column_int64(row, 0),
                                       .type = text_of(row, 2, a),
                                       .state = text_of(row, 3, a),
                                       .created = sqlite3_column_int64(row, 4),
                                       .next = sqlite3_column_int64(row, 5),
                                       .done = sqlite3_column_int64(row, 6),
                                       .body = text_of(row, 7, a)};
    odp_store_text(row, 1, d->name, sizeof d->name);
    return d->type != NULL && d->state != NULL && d->body != NULL ? ODP_OK : ODP_FAIL;
}

enum odp_status odp_webhook_deliveries(struct odp_webhooks *w, int64_t webhook, const char *state, const char *delivery,
                                       int64_t before, size_t limit, struct odp_webhook_delivery **out, size_t *n,
                                       struct odp_arena *a)
{
    sqlite3_stmt *row = NULL, *attempts = NULL;
    void *items = NULL;
    size_t cap = 0;
    int64_t most = limit < INT32_MAX ? (int64_t)limit : INT32_MAX;
    *out = NULL;
    *n = 0;
    if (enter(w) != ODP_OK)
        return ODP_FAIL;
    sqlite3 *db = w->s->db;
    enum odp_status st = odp_store_prepare(
        db, &attempts, "SELECT at, took, status, outcome FROM webhook_attempt WHERE delivery = ? ORDER BY n", "");
    if (st == ODP_OK)
        st = odp_store_prepare(
            db, &row,
            "SELECT d.id, d.name, m.type, d.state, d.created, CASE d.state WHEN 'pending' THEN d.next ELSE 0 END, d.done,"
            " CASE WHEN ?3 IS NULL THEN '' ELSE m.body END FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message"
            " WHERE d.webhook = ?1 AND (?2 IS NULL OR d.state = ?2) AND (?3 IS NULL OR d.name = ?3) AND (?4 = 0 OR d.id < ?4)"
            " ORDER BY d.id DESC LIMIT ?5",
            "ittii", webhook, state, delivery, before, most);
    while (st == ODP_OK && (st = odp_store_step(db, row)) == ODP_OK) {
        st = grow(a, &items, &cap, *n, sizeof **out);
        struct odp_webhook_delivery *d = (struct odp_webhook_delivery *)items + *n;
        if (st == ODP_OK)
            st = read_delivery(row, a, d);
        if (st == ODP_OK)
            st = attempts_of(db, attempts, a, d);
        if (st == ODP_OK)
            ++*n;
    }
    sqlite3_finalize(attempts);
    leave(w, row);
    *out = items;
    return st == ODP_DONE ? ODP_OK : st;
}
