/* One query on one connection: its statements, and its limits. SQLite's progress handler looks at them every
 * QUERY_TICK instructions: time by the monotonic clock; records by what SQLite counts in full scans, and by
 * instructions where it reads a range of an index. */
#include <errno.h>
#include <stdlib.h>

#include "base/monotonic.h"
#include "catalog/index/reading.h"
#include "service/queries/engine/engine_internal.h"
#include "service/queries/engine/functions.h"
#include "words/queries.h"

/* ---- connections ---- */

/* A connection to an index: read-only and immutable, the whole file mapped, nothing but reading allowed,
 * statements kept by their text. PRAGMA cell_size_check stays off: with a mapped file SQLite sets up pages
 * at each visit, and the check made everything ten times slower. A file of ours may be damaged, and then
 * SQLite may say so at any step: it is a failure or a fault, never more. */

static const char unreadable[] = "it cannot be opened as an SQLite file";

/* What a reader of an index never needs is switched off, so that a fault elsewhere could not be made worse
 * by it. */
static bool configure(sqlite3 *db)
{
    static const struct {
        int what, value;
    } switches[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                    {SQLITE_DBCONFIG_DQS_DML, 0},
                    {SQLITE_DBCONFIG_DQS_DDL, 0},
                    {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0}};
    static const struct {
        int what, value;
    } limits[] = {{SQLITE_LIMIT_ATTACHED, 0},
                  {SQLITE_LIMIT_LENGTH, 1 << 28},
                  {SQLITE_LIMIT_SQL_LENGTH, 8 << 20},
                  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                  {SQLITE_LIMIT_WORKER_THREADS, 0},
                  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
                  {SQLITE_LIMIT_VARIABLE_NUMBER, 100000}};
    bool ok = true;
    for (size_t i = 0; i < ODP_COUNT(switches); i++)
        ok = sqlite3_db_config(db, switches[i].what, switches[i].value, (int *)NULL) == SQLITE_OK && ok;
    for (size_t i = 0; i < ODP_COUNT(limits); i++)
        (void)sqlite3_limit(db, limits[i].what, limits[i].value);
    return ok;
}

static int authorize(void *ctx, int action, const char *first, const char *second, const char *database,
                     const char *trigger)
{
    (void)ctx, (void)second, (void)database, (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_PRAGMA: /* FTS5 looks for changes by it */
        return first != NULL && strcmp(first, "data_version") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static void allow_reading_only(struct query_connection *c)
{
    (void)sqlite3_set_authorizer(c->db, authorize, NULL);
}

enum odp_status query_connection_failed(const struct query_connection *c, const char *path)
{
    if (sqlite3_errcode(c->db) == SQLITE_NOMEM)
        return odp_failure_set("query", path, ENOMEM);
    return odp_failure_set(sqlite3_errmsg(c->db), path, 0);
}

static void disconnect(struct query_connection *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < QUERY_STATEMENTS; i++) {
        (void)sqlite3_finalize(c->kept[i].stmt);
        free(c->kept[i].text);
    }
    (void)sqlite3_close(c->db);
    free(c);
}

static enum odp_status connect_to(struct query_connection **out, const char *uri, const char **why)
{
    struct query_connection *c = calloc(1, sizeof *c);
    *out = NULL;
    if (c == NULL)
        return odp_failure_set("query", NULL, ENOMEM);
    enum odp_status status = ODP_FAIL;
    odp_sqlite_start();
    int rc = sqlite3_open_v2(
        uri, &c->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
        NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(c->db,
                          "PRAGMA mmap_size=2147418112; PRAGMA query_only=1; PRAGMA temp_store=2; "
                          "SELECT 1 FROM odp_meta",
                          NULL, NULL, NULL);
    if ((rc & 0xff) == SQLITE_NOMEM || c->db == NULL) {
        (void)odp_failure_set("query", NULL, ENOMEM);
        goto done;
    }
    if (rc != SQLITE_OK) {
        *why = unreadable;
        status = ODP_BAD;
        goto done;
    }
    if (!configure(c->db)) {
        (void)odp_failure_set("sqlite3_db_config", NULL, 0);
        goto done;
    }
    status = odp_query_functions(c->db);
done:
    if (status != ODP_OK)
        disconnect(c);
    else
        *out = c;
    return status;
}

/* The place of a statement that is not in use and was used longest ago, or a free one; NULL: all are in
 * use. */
static struct query_statement *oldest(struct query_connection *c)
{
    struct query_statement *best = NULL;
    for (size_t i = 0; i < QUERY_STATEMENTS; i++) {
        struct query_statement *s = &c->kept[i];
        if (s->stmt == NULL)
            return s;
        if (!s->busy && (best == NULL || s->used < best->used))
            best = s;
    }
    return best;
}

static struct query_statement *find(struct query_connection *c, struct odp_slice text)
{
    for (size_t i = 0; i < QUERY_STATEMENTS; i++) {
        struct query_statement *s = &c->kept[i];
        if (s->stmt != NULL && !s->busy && s->len == text.len && memcmp(s->text, text.ptr, text.len) == 0)
            return s;
    }
    return NULL;
}

static enum odp_status prepare(struct query_connection *c, struct odp_slice text, sqlite3_stmt **out)
{
    struct query_statement *s = find(c, text);
    *out = NULL;
    if (s == NULL) {
        sqlite3_stmt *stmt = NULL;
        if (text.len > (8 << 20))
            return ODP_BAD;
        int rc = sqlite3_prepare_v3(c->db, text.ptr, (int)text.len, SQLITE_PREPARE_PERSISTENT, &stmt, NULL);
        if (rc == SQLITE_ERROR || rc == SQLITE_TOOBIG)
            return ODP_BAD;
        if (rc != SQLITE_OK || stmt == NULL)
            return ODP_FAIL;
        s = oldest(c);
        char *copy = s != NULL ? odp_realloc_array(NULL, text.len + 1, 1) : NULL;
        if (s == NULL || copy == NULL) { /* not kept: done finalizes it */
            *out = stmt;
            return ODP_OK;
        }
        memcpy(copy, text.ptr, text.len);
        (void)sqlite3_finalize(s->stmt);
        free(s->text);
        *s = (struct query_statement){.stmt = stmt, .text = copy, .len = text.len, .plan = -1};
    }
    s->busy = true;
    s->used = ++c->clock;
    *out = s->stmt;
    return ODP_OK;
}

static void put_back(struct query_connection *c, sqlite3_stmt *stmt)
{
    for (size_t i = 0; i < QUERY_STATEMENTS; i++)
        if (c->kept[i].stmt == stmt) {
            (void)sqlite3_reset(stmt);
            (void)sqlite3_clear_bindings(stmt); /* they point into the query's arena */
            c->kept[i].busy = false;
            return;
        }
    (void)sqlite3_finalize(stmt);
}

/* ---- the index ---- */

/* Connections are made when needed, at most as many as queries may run at once; one that is given back keeps
 * its statements. */

enum { INFO_MAX = 16 << 20 }; /* bytes of the description */

/* The digits before ".sqlite" in the file's name. */
static bool id_of(const char *path, char id[ODP_SEARCH_ID + 1])
{
    static const char end[] = ".sqlite";
    size_t len = strlen(path), tail = sizeof end - 1;
    if (len < ODP_SEARCH_ID + tail + 1 || strcmp(path + len - tail, end) != 0)
        return false;
    const char *digits = path + len - tail - ODP_SEARCH_ID;
    if (digits[-1] != '-' || strspn(digits, "0123456789abcdef") != ODP_SEARCH_ID)
        return false;
    memcpy(id, digits, ODP_SEARCH_ID);
    id[ODP_SEARCH_ID] = '\0';
    return true;
}

static void add_columns(const struct odp_search_info *i, bool exact, struct odp_buffer *out)
{
    for (uint32_t k = 0; k < i->ncolumns; k++)
        if (!exact || odp_search_is_exact(i->columns[k].type))
            odp_buffer_printf(out, ",%s", i->columns[k].sql);
}

/* SELECT of each table and all its columns, one statement a line. */
static void add_looks(const struct odp_search_info *i, struct odp_buffer *out)
{
    bool words = false, labels = false;
    for (uint32_t k = 0; k < i->ncolumns; k++) {
        words = words || i->columns[k].text;
        labels = labels || i->columns[k].labels;
    }
    odp_buffer_add_str(out, "SELECT fid");
    add_columns(i, false, out);
    if (i->has_geometry)
        odp_buffer_printf(out, ",%s FROM %s;SELECT id, minx, maxx, miny, maxy FROM %s;", i->names.geometry,
                          i->names.table, i->names.rtree);
    else
        odp_buffer_printf(out, " FROM %s;", i->names.table);
    if (odp_search_has_exact(i)) {
        odp_buffer_add_str(out, "SELECT fid");
        add_columns(i, true, out);
        odp_buffer_add_str(out, " FROM odp_exact;");
    }
    odp_buffer_add_str(out,
                       odp_search_has_geometry(i) ? "SELECT fid, lon, lat, simple FROM odp_geometry;" : "");
    odp_buffer_add_str(out, words ? "SELECT rowid FROM odp_words;" : "");
    odp_buffer_add_str(out, labels ? "SELECT \"column\", code, id, en FROM odp_label;" : "");
    odp_buffer_add_str(out, "SELECT value FROM json_each('[]');");
}

/* Looks at each table once, so that a missing one is found now; this also opens the virtual ones, which
 * prepare statements of their own. */
static enum odp_status look_at_tables(struct query_connection *c, const struct odp_search_info *i,
                                      const char **why)
{
    struct odp_buffer looks = {0};
    sqlite3_stmt *stmt = NULL;
    int rc = SQLITE_OK;
    add_looks(i, &looks);
    enum odp_status status = odp_buffer_status(&looks);
    for (const char *at = status == ODP_OK ? odp_buffer_cstr(&looks) : ""; *at != '\0' && rc == SQLITE_OK;) {
        rc = sqlite3_prepare_v2(c->db, at, -1, &stmt, &at);
        (void)sqlite3_finalize(stmt);
    }
    odp_buffer_release(&looks);
    if (rc == SQLITE_OK || status != ODP_OK)
        return status;
    if ((rc & 0xff) == SQLITE_NOMEM)
        return query_connection_failed(c, NULL);
    *why = "a table is missing or damaged";
    return ODP_BAD;
}

/* Which columns have English names beside the others. */
static enum odp_status find_english(struct odp_index *ix, struct query_connection *c)
{
    sqlite3_stmt *stmt = NULL;
    int rc = SQLITE_OK;
    bool any = false;
    ix->english = odp_arena_zero(&ix->arena, ix->info.ncolumns, sizeof *ix->english);
    for (uint32_t k = 0; k < ix->info.ncolumns; k++)
        any = any || ix->info.columns[k].labels;
    if (any)
        rc = sqlite3_prepare_v2(c->db, "SELECT DISTINCT \"column\" FROM odp_label WHERE en<>id AND en<>''",
                                -1, &stmt, NULL);
    while (stmt != NULL && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        int k = name != NULL ? odp_search_find(&ix->info, odp_slice_of(name)) : -1;
        if (k >= 0)
            ix->english[k] = true;
    }
    (void)sqlite3_finalize(stmt);
    return rc == SQLITE_OK || rc == SQLITE_DONE ? ODP_OK : query_connection_failed(c, ix->path);
}

/* How conditions find the records. */
static void make_table(struct odp_index *ix)
{
    const struct odp_search_info *i = &ix->info;
    const char **columns = odp_arena_array(&ix->arena, i->ncolumns, sizeof *columns);
    bool *wide = odp_arena_array(&ix->arena, i->ncolumns, sizeof *wide);
    for (uint32_t k = 0; k < i->ncolumns; k++) {
        columns[k] = i->columns[k].sql;
        wide[k] = i->columns[k].wide;
    }
    ix->table = (struct odp_sql_table){.alias = "d",
                                       .columns = columns,
                                       .wide = wide,
                                       .name = i->names.table,
                                       .geometry = i->names.geometry,
                                       .rtree = i->names.rtree};
}

static enum odp_status read_info(struct odp_index *ix, struct query_connection *c, const char **why)
{
    struct odp_slice layout, info;
    *why = "its description cannot be read";
    enum odp_status status = odp_search_meta(c->db, "layout", ix->path, &ix->arena, &layout);
    if (status == ODP_OK && !odp_slice_is(layout, ODP_SEARCH_LAYOUT)) {
        *why = "it is of another layout";
        return ODP_BAD;
    }
    if (status == ODP_OK)
        status = odp_search_meta(c->db, "info", ix->path, &ix->arena, &info);
    if (status != ODP_OK)
        return status;
    *why = "its description is damaged";
    status = info.ptr != NULL && info.len <= INFO_MAX ? odp_search_info_read(&ix->info, info, &ix->arena)
                                                      : ODP_BAD;
    if (status != ODP_OK || ix->info.ncolumns == 0) /* the numbers in it were checked */
        return status == ODP_FAIL ? status : ODP_BAD;
    *why = "its name does not end in its digest";
    if (!id_of(ix->path, ix->info.id))
        return ODP_BAD;
    *why = NULL;
    make_table(ix);
    return odp_arena_status(&ix->arena);
}

enum odp_status odp_index_open(struct odp_index **out, const char *path, unsigned threads, const char **why)
{
    struct odp_index *ix = calloc(1, sizeof *ix);
    struct query_connection *c = NULL;
    const char *ignored = NULL;
    *out = NULL;
    why = why != NULL ? why : &ignored;
    *why = NULL;
    if (ix == NULL)
        return odp_failure_set("query", path, ENOMEM);
    (void)pthread_mutex_init(&ix->lock, NULL);
    (void)pthread_cond_init(&ix->freed, NULL);
    ix->most = threads > 0 ? threads : 1;
    ix->path = odp_arena_str(&ix->arena, path);
    ix->uri = odp_search_uri(path, &ix->arena);
    enum odp_status status = connect_to(&c, ix->uri, why);
    if (status == ODP_OK)
        status = read_info(ix, c, why);
    if (status == ODP_OK)
        status = look_at_tables(c, &ix->info, why);
    if (status == ODP_OK)
        status = find_english(ix, c);
    if (status != ODP_OK) {
        disconnect(c);
        odp_index_close(ix);
        return status;
    }
    allow_reading_only(c);
    ix->idle = c;
    ix->made = 1;
    *out = ix;
    return ODP_OK;
}

void odp_index_close(struct odp_index *ix)
{
    if (ix == NULL)
        return;
    for (struct query_connection *c = ix->idle, *next; c != NULL; c = next) {
        next = c->next;
        disconnect(c);
    }
    for (size_t i = 0; i < QUERY_COUNTS; i++)
        free(ix->counted[i].conditions);
    (void)pthread_cond_destroy(&ix->freed);
    (void)pthread_mutex_destroy(&ix->lock);
    odp_arena_release(&ix->arena);
    free(ix);
}

const struct odp_search_info *odp_index_info(const struct odp_index *ix)
{
    return &ix->info;
}

/* One more connection than there are. Where the file cannot be opened any more (an older build was
 * removed, or there are too many files), those that are open go on: then there are no more than these. */
static enum odp_status make_one(struct odp_index *ix, struct query_connection **out)
{
    const char *why = NULL;
    enum odp_status status = connect_to(out, ix->uri, &why);
    if (status == ODP_OK && (status = look_at_tables(*out, &ix->info, &why)) != ODP_OK) {
        disconnect(*out);
        *out = NULL;
    }
    if (status == ODP_OK)
        allow_reading_only(*out);
    return status;
}

static enum odp_status take_connection(struct odp_index *ix, struct query_connection **out)
{
    enum odp_status status = ODP_OK;
    *out = NULL;
    (void)pthread_mutex_lock(&ix->lock);
    while (*out == NULL) {
        if (ix->idle != NULL) {
            *out = ix->idle;
            ix->idle = (*out)->next;
            break;
        }
        if (ix->made >= ix->most) {
            (void)pthread_cond_wait(&ix->freed, &ix->lock);
            continue;
        }
        ix->made++;
        (void)pthread_mutex_unlock(&ix->lock);
        status = make_one(ix, out);
        (void)pthread_mutex_lock(&ix->lock);
        if (status == ODP_OK)
            break;
        ix->made--;
        if (ix->made == 0)
            break;
        ix->most = ix->made;
    }
    (void)pthread_mutex_unlock(&ix->lock);
    if (*out == NULL)
        return odp_failure_set("open", ix->path, 0);
    return ODP_OK;
}

static void give_connection(struct odp_index *ix, struct query_connection *c)
{
    (void)pthread_mutex_lock(&ix->lock);
    c->next = ix->idle;
    ix->idle = c;
    (void)pthread_cond_signal(&ix->freed);
    (void)pthread_mutex_unlock(&ix->lock);
}

/* ---- limits ---- */

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
    else if (odp_monotonic_ns() > r->deadline)
        r->stop = QUERY_OUT_OF_TIME;
    else if (scanned(r) > r->budget)
        r->stop = QUERY_OUT_OF_BUDGET;
    return r->stop != QUERY_GOES_ON;
}

void query_run_limit(struct odp_query *q, uint32_t time_ms)
{
    q->run.deadline = time_ms > 0 ? odp_monotonic_ns() + (int64_t)time_ms * 1000000 : INT64_MAX;
    q->run.rows = UINT64_MAX;
    q->run.budget = UINT64_MAX;
    q->run.stop = QUERY_GOES_ON;
}

enum odp_status query_run_begin(struct odp_query *q)
{
    const struct odp_query_limits *limits = q->call->limits;
    q->run = (struct query_run){.c = NULL};
    enum odp_status status = take_connection(q->call->index, &q->run.c);
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
    give_connection(q->call->index, q->run.c);
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
    if (prepare(q->run.c, odp_buffer_slice(&sql->text), out) != ODP_OK)
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
    put_back(r->c, stmt);
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
    return (struct odp_slice){odp_or_empty(bytes), (size_t)sqlite3_column_bytes(rows->stmt, column)};
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
