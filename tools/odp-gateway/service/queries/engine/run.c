/* One query on one connection: its statements, and its limits. SQLite's progress handler looks at them every
 * QUERY_TICK instructions: time by the monotonic clock; records by what SQLite counts in full scans, and by
 * instructions where it reads a range of an index. */
#include <errno.h>
#include <time.h>

#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

/* ---- limits ---- */

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

uint64_t query_run_looked(const struct odp_query *q)
{
    return q->run.looked + scanned(&q->run);
}

static int look(void *ctx)
{
    struct odp_query *q = ctx;
    struct query_run *r = &q->run;
    r->ops += QUERY_TICK;
    if (query_run_looked(q) > r->rows)
        r->stop = QUERY_OUT_OF_ROWS;
    else if (now() > r->deadline)
        r->stop = QUERY_OUT_OF_TIME;
    else if (scanned(r) > r->budget)
        r->stop = QUERY_OUT_OF_BUDGET;
    return r->stop != QUERY_GOES_ON;
}

void query_run_limit(struct odp_query *q, uint32_t time_ms)
{
    q->run.deadline = time_ms > 0 ? now() + (int64_t)time_ms * 1000000 : INT64_MAX;
    q->run.rows = UINT64_MAX;
    q->run.budget = UINT64_MAX;
    q->run.stop = QUERY_GOES_ON;
}

enum odp_status query_run_begin(struct odp_query *q)
{
    const struct odp_query_limits *limits = q->call->limits;
    q->run = (struct query_run){.c = NULL};
    enum odp_status status = query_index_take(q->call->index, &q->run.c);
    if (status != ODP_OK)
        return status;
    query_run_limit(q, limits->time_ms);
    if (limits->rows > 0)
        q->run.rows = limits->rows;
    sqlite3_progress_handler(q->run.c->db, QUERY_TICK, look, q);
    return ODP_OK;
}

void query_run_end(struct odp_query *q)
{
    if (q->run.c == NULL)
        return;
    sqlite3_progress_handler(q->run.c->db, 0, NULL, NULL);
    query_index_give(q->call->index, q->run.c);
    q->run.c = NULL;
}

static enum odp_status failed(struct odp_query *q)
{
    return query_connection_failed(q->run.c, q->call->index->path);
}

/* ---- statements ---- */

static int bind(sqlite3_stmt *stmt, int at, const struct odp_sql_value *v)
{
    const char *bytes = v->text.ptr != NULL ? v->text.ptr : "";
    switch (v->kind) {
    case ODP_SQL_NULL:
        return sqlite3_bind_null(stmt, at);
    case ODP_SQL_INT:
        return sqlite3_bind_int64(stmt, at, v->i);
    case ODP_SQL_REAL:
        return sqlite3_bind_double(stmt, at, v->r);
    case ODP_SQL_TEXT:
        return sqlite3_bind_text64(stmt, at, bytes, v->text.len, SQLITE_STATIC, SQLITE_UTF8);
    case ODP_SQL_BLOB:
        return sqlite3_bind_blob64(stmt, at, bytes, v->text.len, SQLITE_STATIC);
    case ODP_SQL_POINTER: /* SQLite takes it as one that it may change, and hands it to our own functions
                             only, which do not */
        return sqlite3_bind_pointer(stmt, at, (void *)(uintptr_t)v->pointer, v->pointer_type, NULL);
    }
    return SQLITE_MISUSE;
}

enum odp_status query_run_prepare(struct odp_query *q, const struct odp_sql *sql, sqlite3_stmt **out)
{
    *out = NULL;
    if (odp_buffer_status(&sql->text) != ODP_OK)
        return ODP_FAIL;
    if (query_connection_prepare(q->run.c, odp_buffer_slice(&sql->text), out) != ODP_OK)
        return failed(q);
    int rc = sqlite3_bind_parameter_count(*out) == (int)sql->n ? SQLITE_OK : SQLITE_RANGE;
    for (uint32_t i = 0; i < sql->n && rc == SQLITE_OK; i++)
        rc = bind(*out, (int)i + 1, &sql->values[i]);
    if (rc == SQLITE_OK) {
        (void)sqlite3_stmt_status(*out, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
        (void)sqlite3_stmt_status(*out, SQLITE_STMTSTATUS_VM_STEP, 1);
        return ODP_OK;
    }
    query_run_done(q, *out);
    *out = NULL;
    return odp_failure_set("query: a statement's values", q->call->index->path,
                           rc == SQLITE_NOMEM ? ENOMEM : 0);
}

enum odp_status query_run_step(struct odp_query *q, sqlite3_stmt *stmt)
{
    struct query_run *r = &q->run;
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
        return failed(q);
    if (r->stop == QUERY_OUT_OF_BUDGET)
        return ODP_BAD; /* its caller goes another way */
    if (r->stop == QUERY_OUT_OF_ROWS)
        return query_fault_expensive(q, W_queries_query_has_look_at_more);
    return query_fault_expensive(q, W_queries_query_takes_more_time_than);
}

void query_run_done(struct odp_query *q, sqlite3_stmt *stmt)
{
    struct query_run *r = &q->run;
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

/* ---- rows ---- */

void query_rows_begin(struct query_rows *rows, struct odp_query *q)
{
    *rows = (struct query_rows){.q = q, .status = ODP_OK};
    odp_sql_init(&rows->sql, q->arena);
}

bool query_rows_next(struct query_rows *rows)
{
    if (rows->stmt == NULL && rows->status == ODP_OK)
        rows->status = query_run_prepare(rows->q, &rows->sql, &rows->stmt);
    if (rows->status == ODP_OK)
        rows->status = query_run_step(rows->q, rows->stmt);
    return rows->status == ODP_OK;
}

enum odp_status query_rows_end(struct query_rows *rows)
{
    query_run_done(rows->q, rows->stmt);
    odp_sql_release(&rows->sql);
    return rows->status == ODP_DONE ? ODP_OK : rows->status;
}

struct odp_slice query_rows_bytes(const struct query_rows *rows, int column)
{
    if (sqlite3_column_type(rows->stmt, column) == SQLITE_NULL)
        return QUERY_NOTHING;
    const char *bytes = sqlite3_column_blob(rows->stmt, column);
    return (struct odp_slice){bytes != NULL ? bytes : "", (size_t)sqlite3_column_bytes(rows->stmt, column)};
}

struct odp_sql_value query_rows_value(const struct query_rows *rows, int column)
{
    struct odp_sql_value v = {.kind = ODP_SQL_NULL};
    switch (sqlite3_column_type(rows->stmt, column)) {
    case SQLITE_NULL:
        break;
    case SQLITE_INTEGER:
        v = (struct odp_sql_value){.kind = ODP_SQL_INT, .i = sqlite3_column_int64(rows->stmt, column)};
        break;
    case SQLITE_FLOAT:
        v = (struct odp_sql_value){.kind = ODP_SQL_REAL, .r = sqlite3_column_double(rows->stmt, column)};
        break;
    default:
        v.kind = sqlite3_column_type(rows->stmt, column) == SQLITE_BLOB ? ODP_SQL_BLOB : ODP_SQL_TEXT;
        v.text = odp_arena_copy(rows->q->arena, query_rows_bytes(rows, column));
    }
    return v;
}

/* ---- plans ---- */

static unsigned read_plan(const char *detail)
{
    if (detail == NULL)
        return 0;
    if (strcmp(detail, "SCAN d") == 0 || strncmp(detail, "SCAN d USING", 12) == 0)
        return QUERY_PLAN_SCANS;
    return strcmp(detail, "USE TEMP B-TREE FOR ORDER BY") == 0 ? QUERY_PLAN_SORTS : 0;
}

static enum odp_status ask_plan(struct odp_query *q, const struct odp_sql *sql, unsigned *plan)
{
    const char *text =
        odp_arena_printf(q->arena, "EXPLAIN QUERY PLAN %.*s", (int)sql->text.len, sql->text.ptr);
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(q->run.c->db, text, -1, &stmt, NULL);
    while (rc == SQLITE_OK || rc == SQLITE_ROW)
        if ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
            *plan |= read_plan((const char *)sqlite3_column_text(stmt, 3));
    enum odp_status status = rc == SQLITE_DONE ? ODP_OK : failed(q);
    (void)sqlite3_finalize(stmt);
    return status;
}

enum odp_status query_run_plan(struct odp_query *q, sqlite3_stmt *stmt, const struct odp_sql *sql,
                               unsigned *plan)
{
    struct query_statement *kept = NULL;
    *plan = 0;
    for (size_t i = 0; i < QUERY_STATEMENTS; i++)
        if (q->run.c->kept[i].stmt == stmt)
            kept = &q->run.c->kept[i];
    if (kept != NULL && kept->plan >= 0) {
        *plan = (unsigned)kept->plan;
        return ODP_OK;
    }
    enum odp_status status = ask_plan(q, sql, plan);
    if (status == ODP_OK && kept != NULL)
        kept->plan = (signed char)*plan;
    return status;
}
