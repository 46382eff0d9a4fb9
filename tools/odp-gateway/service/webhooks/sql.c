/* Transactions, and sweeps over what is too much for one transaction. */
#include "service/webhooks/webhooks_internal.h"

enum { SWEPT = 200 };

const char *webhook_text(struct odp_sql *q, int column, struct odp_arena *a)
{
    const char *text = (const char *)sqlite3_column_text(q->row, column);
    if (text == NULL && sqlite3_column_type(q->row, column) != SQLITE_NULL)
        q->st = odp_failure_set("read the store", NULL, 0);
    return odp_arena_str(a, odp_or_empty(text));
}

enum odp_status odp_webhook_open_copy(struct odp_webhooks *w, sqlite3 **db)
{
    char why[ODP_WHY] = "";
    enum odp_status st = odp_store_open_copy(db, sqlite3_db_filename(w->s->db, "main"), why);
    return st == ODP_BAD ? odp_failure_set("webhooks: open the store to read", NULL, 0) : st;
}

/* ---- transactions ---- */

struct odp_sql odp_webhook_begin(struct odp_webhooks *w)
{
    pthread_mutex_lock(&w->s->mutex);
    return odp_sql_begin(w->s->db);
}

enum odp_status odp_webhook_end(struct odp_webhooks *w, struct odp_sql *q)
{
    enum odp_status st = odp_sql_commit(q);
    pthread_mutex_unlock(&w->s->mutex);
    return st;
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

static void bind_text(struct odp_sql *q, const char *name, const char *text)
{
    int at = sqlite3_bind_parameter_index(q->row, name);
    if (at > 0 && sqlite3_bind_text(q->row, at, text, -1, SQLITE_TRANSIENT) != SQLITE_OK)
        q->st = odp_failure_set("store", NULL, 0);
}

static void select_for(const struct sweeping *x, struct odp_sql *q, const char *sql)
{
    odp_sql_select(q, sql, "");
    if (q->row == NULL)
        return;
    bind_number(q->row, ":now", x->now);
    bind_number(q->row, ":before", x->before);
    bind_number(q->row, ":after", x->after);
    bind_number(q->row, ":some", SWEPT);
    bind_text(q, ":text", x->sweep->text);
}

static enum odp_status read_ids(struct sweeping *x)
{
    struct odp_sql q = {.db = x->w->announcer->db};
    select_for(x, &q, x->sweep->select);
    for (x->n = 0; x->n < SWEPT && odp_sql_next(&q, "i", &x->after);)
        x->ids[x->n++] = x->after;
    return odp_sql_end(&q);
}

static void change(const struct sweeping *x, struct odp_sql *q)
{
    struct odp_buffer list = {0};
    for (size_t i = 0; i < x->n; i++)
        odp_buffer_printf(&list, "%c%lld", i > 0 ? ',' : '[', (long long)x->ids[i]);
    odp_buffer_add_char(&list, ']');
    select_for(x, q, x->sweep->change);
    bind_text(q, ":ids", odp_buffer_cstr(&list));
    if (q->st == ODP_OK)
        q->st = odp_buffer_status(&list);
    while (odp_sql_next(q, ""))
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
        struct odp_sql q = odp_webhook_begin(w);
        for (size_t i = 0; i < x.n && s->each != NULL && q.st == ODP_OK; i++)
            s->each(w, &q, x.ids[i], now);
        if (s->each == NULL)
            change(&x, &q);
        st = odp_webhook_end(w, &q);
        odp_webhook_yield();
    }
    return st;
}
