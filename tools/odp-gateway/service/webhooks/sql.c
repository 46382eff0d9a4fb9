/* Statements that latch, transactions, and sweeps over what is too much for one transaction. */
#include <stdarg.h>

#include "service/webhooks/webhooks_internal.h"

enum { SWEPT = 200 };

void webhook_run(struct webhook_sql *q, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    if (q->st == ODP_OK)
        q->st = odp_store_run_of(q->db, sql, types, &args);
    va_end(args);
}

bool webhook_row(struct webhook_sql *q, const char *sql, const char *types, const char *columns, ...)
{
    enum odp_status st = ODP_DONE;
    va_list args;
    va_start(args, columns);
    if (q->st == ODP_OK)
        st = odp_store_row_of(q->db, sql, types, columns, &args);
    va_end(args);
    if (st == ODP_FAIL)
        q->st = st;
    return st == ODP_OK;
}

sqlite3_stmt *webhook_select(struct webhook_sql *q, const char *sql, const char *types, ...)
{
    sqlite3_stmt *row = NULL;
    va_list args;
    va_start(args, types);
    if (q->st == ODP_OK)
        q->st = odp_store_prepare_list(q->db, &row, sql, types, &args);
    va_end(args);
    return row;
}

int64_t webhook_number(struct webhook_sql *q, int64_t otherwise, const char *sql, const char *types, ...)
{
    sqlite3_stmt *row = NULL;
    va_list args;
    va_start(args, types);
    if (q->st == ODP_OK)
        q->st = odp_store_prepare_list(q->db, &row, sql, types, &args);
    va_end(args);
    if (webhook_next(q, &row))
        otherwise = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return otherwise;
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

enum odp_status odp_webhook_open_copy(struct odp_webhooks *w, sqlite3 **db)
{
    char why[ODP_WHY] = "";
    enum odp_status st = odp_store_open_copy(db, sqlite3_db_filename(w->s->db, "main"), why);
    return st == ODP_BAD ? odp_failure_set("webhooks: open the store to read", NULL, 0) : st;
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

struct sweeping {
    struct odp_webhooks *w;
    const struct webhook_sweep *sweep;
    int64_t now, before, after, ids[SWEPT];
    size_t n;
};

/* Fails where ST does not name it, which is fine. */
static void bind_number(sqlite3_stmt *st, const char *name, int64_t value)
{
    (void)sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, name), value);
}

static void bind_text(struct webhook_sql *q, sqlite3_stmt *st, const char *name, const char *text)
{
    int at = sqlite3_bind_parameter_index(st, name);
    if (at > 0 && sqlite3_bind_text(st, at, text, -1, SQLITE_TRANSIENT) != SQLITE_OK)
        q->st = odp_failure_set("store", NULL, 0);
}

static sqlite3_stmt *prepare(const struct sweeping *x, struct webhook_sql *q, const char *sql)
{
    sqlite3_stmt *st = webhook_select(q, sql, "");
    if (st == NULL)
        return NULL;
    bind_number(st, ":now", x->now);
    bind_number(st, ":before", x->before);
    bind_number(st, ":after", x->after);
    bind_number(st, ":some", SWEPT);
    bind_text(q, st, ":text", x->sweep->text);
    return st;
}

static enum odp_status read_ids(struct sweeping *x)
{
    struct webhook_sql q = {x->w->announcer->db, ODP_OK};
    sqlite3_stmt *row = prepare(x, &q, x->sweep->select);
    for (x->n = 0; x->n < SWEPT && webhook_next(&q, &row);)
        x->ids[x->n++] = x->after = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return q.st;
}

static void change(const struct sweeping *x, struct webhook_sql *q)
{
    sqlite3_stmt *st = prepare(x, q, x->sweep->change);
    struct odp_buffer list;
    odp_buffer_init(&list);
    for (size_t i = 0; i < x->n; i++)
        odp_buffer_printf(&list, "%c%lld", i > 0 ? ',' : '[', (long long)x->ids[i]);
    odp_buffer_add_char(&list, ']');
    bind_text(q, st, ":ids", odp_buffer_cstr(&list));
    if (q->st == ODP_OK)
        q->st = odp_buffer_status(&list);
    while (webhook_next(q, &st))
        continue;
    odp_buffer_release(&list);
}

enum odp_status odp_webhook_sweep(struct odp_webhooks *w, const struct webhook_sweep *s, int64_t now,
                                  int64_t before)
{
    struct sweeping x = {.w = w, .sweep = s, .now = now, .before = before, .n = SWEPT};
    enum odp_status st = ODP_OK;
    while (x.n == SWEPT && st == ODP_OK && !odp_webhook_stopped(w)) {
        st = read_ids(&x);
        if (st != ODP_OK || x.n == 0)
            break;
        struct webhook_sql q = odp_webhook_begin(w);
        for (size_t i = 0; i < x.n && s->each != NULL && q.st == ODP_OK; i++)
            s->each(w, &q, x.ids[i], now);
        if (s->each == NULL)
            change(&x, &q);
        st = odp_webhook_end(w, &q);
        odp_webhook_yield();
    }
    return st;
}
