/* One query on one connection: its statements, and its limits. SQLite's progress handler looks at them
 * every QUERY_TICK instructions: time by the monotonic clock; records by what SQLite counts in full scans,
 * and by instructions where it reads a range of an index. */
#include <errno.h>
#include <time.h>

#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Of the statement that is being stepped. */
static uint64_t scanned(const struct query_run *r)
{
    int full = r->now != NULL ? sqlite3_stmt_status(r->now, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0) : 0;
    uint64_t by_ops = r->ops / QUERY_OPS_PER_ROW;
    return full > 0 && (uint64_t)full > by_ops ? (uint64_t)full : by_ops;
}

uint64_t query_run_looked(const struct query_run *r)
{
    return r->looked + scanned(r);
}

static int look(void *ctx)
{
    struct query_run *r = ctx;
    r->ops += QUERY_TICK;
    if (query_run_looked(r) > r->rows)
        r->stop = QUERY_OUT_OF_ROWS;
    else if (now() > r->deadline)
        r->stop = QUERY_OUT_OF_TIME;
    else if (scanned(r) > r->budget)
        r->stop = QUERY_OUT_OF_BUDGET;
    return r->stop != QUERY_GOES_ON;
}

void query_run_limit(struct query_run *r, uint32_t time_ms)
{
    r->deadline = time_ms > 0 ? now() + (int64_t)time_ms * 1000000 : INT64_MAX;
    r->rows = UINT64_MAX;
    r->budget = UINT64_MAX;
    r->stop = QUERY_GOES_ON;
}

void query_run_limits(struct query_run *r)
{
    const struct odp_query_limits *limits = r->q->call->limits;
    query_run_limit(r, limits->time_ms);
    if (limits->rows > 0)
        r->rows = limits->rows;
}

enum odp_status query_run_begin(struct query_run **out, struct odp_query *q)
{
    struct query_run *r = odp_arena_zero(q->arena, 1, sizeof *r);
    *out = NULL;
    r->q = q;
    r->ix = q->call->index;
    enum odp_status status = query_index_take(r->ix, &r->c);
    if (status != ODP_OK)
        return status;
    query_run_limits(r);
    sqlite3_progress_handler(r->c->db, QUERY_TICK, look, r);
    *out = r;
    return ODP_OK;
}

void query_run_end(struct query_run *r)
{
    if (r == NULL)
        return;
    sqlite3_progress_handler(r->c->db, 0, NULL, NULL);
    query_index_give(r->ix, r->c);
    r->c = NULL;
}

static int bind(sqlite3_stmt *stmt, int at, const struct odp_sql_value *v)
{
    switch (v->kind) {
    case ODP_SQL_NULL:
        return sqlite3_bind_null(stmt, at);
    case ODP_SQL_INT:
        return sqlite3_bind_int64(stmt, at, v->i);
    case ODP_SQL_REAL:
        return sqlite3_bind_double(stmt, at, v->r);
    case ODP_SQL_TEXT:
        return sqlite3_bind_text64(stmt, at, v->text.ptr != NULL ? v->text.ptr : "", v->text.len,
                                   SQLITE_STATIC, SQLITE_UTF8);
    case ODP_SQL_BLOB:
        return sqlite3_bind_blob64(stmt, at, v->text.ptr != NULL ? v->text.ptr : "", v->text.len,
                                   SQLITE_STATIC);
    case ODP_SQL_POINTER: /* SQLite takes it as one that it may change, and hands it to our own functions only, which do not */
        return sqlite3_bind_pointer(stmt, at, (void *)(uintptr_t)v->pointer, v->pointer_type, NULL);
    }
    return SQLITE_MISUSE;
}

enum odp_status query_run_prepare(struct query_run *r, const struct odp_sql *sql, sqlite3_stmt **out)
{
    *out = NULL;
    if (odp_buffer_status(&sql->text) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = query_connection_prepare(r->c, odp_buffer_slice(&sql->text), out);
    if (status != ODP_OK)
        return query_connection_failed(r->c, r->ix->path);
    int rc = sqlite3_bind_parameter_count(*out) == (int)sql->n ? SQLITE_OK : SQLITE_RANGE;
    for (uint32_t i = 0; i < sql->n && rc == SQLITE_OK; i++)
        rc = bind(*out, (int)i + 1, &sql->values[i]);
    if (rc == SQLITE_OK) {
        (void)sqlite3_stmt_status(*out, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
        (void)sqlite3_stmt_status(*out, SQLITE_STMTSTATUS_VM_STEP, 1);
        return ODP_OK;
    }
    query_run_done(r, *out);
    *out = NULL;
    return odp_failure_set("query: a statement's values", r->ix->path, rc == SQLITE_NOMEM ? ENOMEM : 0);
}

void query_run_done(struct query_run *r, sqlite3_stmt *stmt)
{
    if (stmt == NULL)
        return;
    r->now = stmt;
    (void)sqlite3_reset(stmt);
    uint64_t ops = (uint64_t)(unsigned)sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_VM_STEP, 1);
    r->ops = ops > r->ops ? ops : r->ops;
    r->looked += scanned(r);
    (void)sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    r->now = NULL;
    r->ops = 0;
    query_connection_done(r->c, stmt);
}

/* "kode_kabkota, tingkat, …": what a query may narrow itself down by. */
static enum odp_status indexed_columns(const struct odp_search_info *info, struct odp_arena *a,
                                       struct odp_slice *out)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    uint32_t n = 0;
    for (uint32_t k = 0; k < info->ncolumns && n < 12; k++)
        if (info->columns[k].indexed) {
            odp_buffer_add_str(&b, n++ > 0 ? ", " : "");
            odp_buffer_add_str(&b, info->columns[k].name);
        }
    if (n == 0)
        odp_buffer_add_str(&b, "-");
    enum odp_status status = odp_buffer_status(&b);
    *out = status == ODP_OK ? odp_arena_copy(a, odp_buffer_slice(&b)) : (struct odp_slice){NULL, 0};
    odp_buffer_release(&b);
    return out->ptr != NULL ? ODP_OK : ODP_FAIL;
}

enum odp_status query_fault_expensive(struct odp_query *q, struct odp_query_fault *fault, const char *id,
                                      const char *en)
{
    struct odp_slice columns;
    bool words = false;
    for (uint32_t k = 0; k < q->info->ncolumns; k++)
        words = words || q->info->columns[k].text;
    char *also_id =
        odp_arena_printf(q->arena, "%s%s", q->info->has_geometry ? ", bbox" : "", words ? ", q" : "");
    if (indexed_columns(q->info, q->arena, &columns) != ODP_OK)
        return ODP_FAIL;
    char *all_id = odp_arena_printf(
        q->arena,
        "%s Persempit dengan syarat pada kolom berindeks ({0}{1}), atau urutkan menurut salah satunya.", id);
    char *all_en = odp_arena_printf(
        q->arena, "%s Narrow it down by a condition on an indexed column ({0}{1}), or sort by one of them.",
        en);
    return query_fault(q, fault, ODP_QUERY_TOO_EXPENSIVE, NULL, all_id, all_en, columns,
                       odp_slice_of(also_id));
}

enum odp_status query_run_step(struct query_run *r, sqlite3_stmt *stmt, struct odp_query_fault *fault)
{
    if (r->now != stmt) {
        r->now = stmt;
        r->ops = 0;
    }
    int rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        return ODP_OK;
    if (rc == SQLITE_DONE)
        return ODP_DONE;
    if ((rc & 0xff) != SQLITE_INTERRUPT)
        return query_connection_failed(r->c, r->ix->path);
    if (r->stop == QUERY_OUT_OF_BUDGET)
        return ODP_BAD; /* its caller goes another way */
    if (r->stop == QUERY_OUT_OF_ROWS)
        return query_fault_expensive(r->q, fault, W_queries_query_has_look_at_more);
    return query_fault_expensive(r->q, fault, W_queries_query_takes_more_time_than);
}

enum odp_status query_copy_value(sqlite3_stmt *stmt, int column, struct odp_arena *a, struct odp_sql_value *v)
{
    *v = (struct odp_sql_value){.kind = ODP_SQL_NULL};
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_INTEGER:
        *v = (struct odp_sql_value){.kind = ODP_SQL_INT, .i = sqlite3_column_int64(stmt, column)};
        return ODP_OK;
    case SQLITE_FLOAT:
        *v = (struct odp_sql_value){.kind = ODP_SQL_REAL, .r = sqlite3_column_double(stmt, column)};
        return ODP_OK;
    case SQLITE_NULL:
        return ODP_OK;
    default:
        break;
    }
    v->kind = sqlite3_column_type(stmt, column) == SQLITE_BLOB ? ODP_SQL_BLOB : ODP_SQL_TEXT;
    const char *bytes = sqlite3_column_blob(stmt, column);
    v->text = odp_arena_copy(a, (struct odp_slice){bytes, (size_t)sqlite3_column_bytes(stmt, column)});
    return v->text.ptr != NULL ? ODP_OK : ODP_FAIL;
}

static unsigned read_plan(const char *detail)
{
    if (detail == NULL)
        return 0;
    if (strcmp(detail, "SCAN d") == 0 || strncmp(detail, "SCAN d USING", 12) == 0)
        return QUERY_PLAN_SCANS;
    return strcmp(detail, "USE TEMP B-TREE FOR ORDER BY") == 0 ? QUERY_PLAN_SORTS : 0;
}

static enum odp_status ask_plan(struct query_run *r, const struct odp_sql *sql, unsigned *plan)
{
    struct odp_buffer text;
    sqlite3_stmt *stmt = NULL;
    int rc = SQLITE_DONE;
    odp_buffer_init(&text);
    odp_buffer_add_str(&text, "EXPLAIN QUERY PLAN ");
    odp_buffer_add_slice(&text, odp_buffer_slice(&sql->text));
    enum odp_status status = odp_buffer_status(&text);
    if (status == ODP_OK && sqlite3_prepare_v2(r->c->db, text.ptr, (int)text.len, &stmt, NULL) != SQLITE_OK)
        status = query_connection_failed(r->c, r->ix->path);
    while (status == ODP_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
        *plan |= read_plan((const char *)sqlite3_column_text(stmt, 3));
    if (status == ODP_OK && rc != SQLITE_DONE)
        status = query_connection_failed(r->c, r->ix->path);
    (void)sqlite3_finalize(stmt);
    odp_buffer_release(&text);
    return status;
}

enum odp_status query_run_plan(struct query_run *r, sqlite3_stmt *stmt, const struct odp_sql *sql,
                               unsigned *plan)
{
    struct query_statement *kept = NULL;
    *plan = 0;
    for (size_t i = 0; i < QUERY_STATEMENTS; i++)
        if (r->c->kept[i].stmt == stmt)
            kept = &r->c->kept[i];
    if (kept != NULL && kept->plan >= 0) {
        *plan = (unsigned)kept->plan;
        return ODP_OK;
    }
    enum odp_status status = ask_plan(r, sql, plan);
    if (status == ODP_OK && kept != NULL)
        kept->plan = (signed char)*plan;
    return status;
}

enum odp_status query_fault_whole(struct odp_query *q, struct odp_query_fault *fault)
{
    return query_fault_expensive(q, fault, W_queries_query_has_look_at_all);
}
