/* A connection to an index: read-only and immutable, the whole file mapped, nothing but reading allowed,
 * statements kept by their text. PRAGMA cell_size_check stays off: with a mapped file SQLite sets up pages
 * at each visit, and the check made everything ten times slower. A file of ours may be damaged, and then
 * SQLite may say so at any step: it is a failure or a fault, never more. */
#include <errno.h>
#include <stdlib.h>

#include "catalog/index/reading.h"
#include "service/queries/engine/engine_internal.h"
#include "service/queries/engine/functions.h"

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
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        ok = sqlite3_db_config(db, switches[i].what, switches[i].value, (int *)NULL) == SQLITE_OK && ok;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
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

void query_connection_lock(struct query_connection *c)
{
    (void)sqlite3_set_authorizer(c->db, authorize, NULL);
}

enum odp_status query_connection_failed(const struct query_connection *c, const char *path)
{
    if (sqlite3_errcode(c->db) == SQLITE_NOMEM)
        return odp_failure_set("query", path, ENOMEM);
    return odp_failure_set(sqlite3_errmsg(c->db), path, 0);
}

enum odp_status query_connection_open(struct query_connection **out, const char *uri, const char **why)
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
        query_connection_close(c);
    else
        *out = c;
    return status;
}

void query_connection_close(struct query_connection *c)
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

enum odp_status query_connection_prepare(struct query_connection *c, struct odp_slice text,
                                         sqlite3_stmt **out)
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

void query_connection_done(struct query_connection *c, sqlite3_stmt *stmt)
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
