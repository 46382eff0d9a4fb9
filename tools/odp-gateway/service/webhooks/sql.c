/* Statements that latch, transactions, and sweeps over what is too much for one transaction. */
#include <stdarg.h>

#include "service/webhooks/webhooks_internal.h"

enum { SWEPT = 200 };

void webhook_run(struct webhook_sql *q, const char *sql, const char *types, ...)
{
    sqlite3_stmt *row = NULL;
    va_list args;
    if (q->st != ODP_OK)
        return;
    va_start(args, types);
    q->st = odp_store_prepare_list(q->db, &row, sql, types, &args);
    va_end(args);
    while (webhook_next(q, &row))
        continue;
}

int64_t webhook_number(struct webhook_sql *q, int64_t otherwise, const char *sql, const char *types, ...)
{
    sqlite3_stmt *row = NULL;
    va_list args;
    if (q->st != ODP_OK)
        return otherwise;
    va_start(args, types);
    q->st = odp_store_prepare_list(q->db, &row, sql, types, &args);
    va_end(args);
    if (webhook_next(q, &row))
        otherwise = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return otherwise;
}

sqlite3_stmt *webhook_select(struct webhook_sql *q, const char *sql, const char *types, ...)
{
    sqlite3_stmt *row = NULL;
    va_list args;
    if (q->st != ODP_OK)
        return NULL;
    va_start(args, types);
    q->st = odp_store_prepare_list(q->db, &row, sql, types, &args);
    va_end(args);
    return row;
}

bool webhook_next(struct webhook_sql *q, sqlite3_stmt **row)
{
    if (q->st == ODP_OK && *row != NULL) {
        enum odp_status st = odp_store_step(q->db, *row);
        if (st == ODP_OK)
            return true;
        q->st = st == ODP_FAIL ? st : ODP_OK;
    }
    sqlite3_finalize(*row);
    *row = NULL;
    return false;
}

const char *webhook_text(struct webhook_sql *q, sqlite3_stmt *row, int column, struct odp_arena *a)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (text == NULL && sqlite3_column_type(row, column) != SQLITE_NULL)
        q->st = odp_failure_set("read the store", NULL, 0);
    return odp_arena_str(a, text != NULL ? text : "");
}

/* ---- transactions ---- */

struct webhook_sql odp_webhook_begin(struct odp_webhooks *w)
{
    pthread_mutex_lock(&w->s->mutex);
    return (struct webhook_sql){w->s->db, odp_store_begin(w->s->db)};
}

enum odp_status odp_webhook_end(struct odp_webhooks *w, struct webhook_sql *q)
{
    if (q->st == ODP_OK)
        q->st = odp_store_commit(q->db);
    if (q->st != ODP_OK)
        odp_store_rollback(q->db);
    pthread_mutex_unlock(&w->s->mutex);
    return q->st;
}

/* ---- sweeps ---- */

static void bind_number(sqlite3_stmt *st, const char *name, int64_t value)
{
    int at = sqlite3_bind_parameter_index(st, name);
    if (at > 0)
        (void)sqlite3_bind_int64(st, at, value); /* fails for want of an index only, which is there */
}

static sqlite3_stmt *prepare(struct webhook_sql *q, const char *sql, const char *text, int64_t now,
                             int64_t before)
{
    sqlite3_stmt *st = webhook_select(q, sql, "");
    int at = sqlite3_bind_parameter_index(st, ":text");
    if (st != NULL) {
        bind_number(st, ":now", now);
        bind_number(st, ":before", before);
    }
    if (at > 0 && sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC) != SQLITE_OK)
        q->st = odp_failure_set("store", NULL, 0);
    return st;
}

/* The next numbers above *AFTER, which becomes the last of them. */
static enum odp_status read_ids(struct odp_webhooks *w, const struct webhook_sweep *s, int64_t now,
                                int64_t before, int64_t *after, int64_t ids[SWEPT], size_t *n)
{
    struct webhook_sql q = {w->tell->db, ODP_OK};
    sqlite3_stmt *row = prepare(&q, s->select, s->text, now, before);
    if (row != NULL) {
        bind_number(row, ":after", *after);
        bind_number(row, ":some", SWEPT);
    }
    for (*n = 0; *n < SWEPT && webhook_next(&q, &row);)
        ids[(*n)++] = *after = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return q.st;
}

static void change(struct webhook_sql *q, const struct webhook_sweep *s, const int64_t *ids, size_t n,
                   int64_t now, int64_t before)
{
    sqlite3_stmt *st = prepare(q, s->change, s->text, now, before);
    struct odp_buffer list;
    odp_buffer_init(&list);
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(&list, "%c%lld", i > 0 ? ',' : '[', (long long)ids[i]);
    odp_buffer_add_char(&list, ']');
    const char *text = odp_buffer_cstr(&list);
    if (st != NULL &&
        (odp_buffer_status(&list) != ODP_OK || sqlite3_bind_text(st, sqlite3_bind_parameter_index(st, ":ids"),
                                                                 text, -1, SQLITE_STATIC) != SQLITE_OK))
        q->st = odp_failure_set("store", NULL, 0);
    while (webhook_next(q, &st))
        continue;
    odp_buffer_release(&list);
}

enum odp_status odp_webhook_sweep(struct odp_webhooks *w, const struct webhook_sweep *s, int64_t now,
                                  int64_t before)
{
    int64_t ids[SWEPT], after = 0;
    size_t n = SWEPT;
    enum odp_status st = ODP_OK;
    while (n == SWEPT && st == ODP_OK && !odp_webhook_stopped(w)) {
        st = read_ids(w, s, now, before, &after, ids, &n);
        if (st != ODP_OK || n == 0)
            break;
        struct webhook_sql q = odp_webhook_begin(w);
        for (size_t i = 0; i < n && s->each != NULL && q.st == ODP_OK; i++)
            s->each(w, &q, ids[i], now);
        if (s->each == NULL)
            change(&q, s, ids, n, now, before);
        st = odp_webhook_end(w, &q);
        odp_webhook_breathe();
    }
    return st;
}
