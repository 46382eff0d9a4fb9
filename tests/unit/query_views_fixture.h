/* For tests of facets, aggregates and the gantt view: a small index, its tables filled by hand (catalog/index/search.h says how they look), and questions. */
#ifndef ODP_TESTS_QUERY_VIEWS_FIXTURE_H
#define ODP_TESTS_QUERY_VIEWS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "catalog/index/cells.h"
#include "service/queries/engine/query.h"

#define VF_COLUMNS 12
#define VF_PARAMS  12

struct vf {
    struct odp_search_column columns[VF_COLUMNS];
    struct odp_search_info info;
    uint32_t key[2];
    sqlite3 *db;
    char dir[32], path[80];
    struct odp_index *index;
    struct odp_query_limits limits;
    struct odp_query_call call;
    /* of the last question */
    struct odp_arena arena;
    struct odp_query_result r;
    struct odp_query_fault fault;
    char text[1024];
    struct odp_query_param params[VF_PARAMS];
};

static inline void vf_sql(struct vf *f, const char *sql)
{
    if (sqlite3_exec(f->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(f->db));
}

static inline struct odp_search_column *vf_column(struct vf *f, const char *name, enum odp_type type)
{
    struct odp_search_column *c = &f->columns[f->info.ncolumns++];
    *c = (struct odp_search_column){.name = name, .type = type, .of_record = true, .scale = -1};
    if (type == ODP_TYPE_INTEGER)
        c->scale = 0;
    f->info.nfields = f->info.ncolumns;
    return c;
}

/* Columns follow, then vf_rows. */
static inline void vf_start(struct vf *f)
{
    memset(f, 0, sizeof *f);
    strcpy(f->dir, "/tmp/odp-views-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    (void)snprintf(f->path, sizeof f->path, "%s/uji-0123456789abcdef.sqlite", f->dir);
    assert_int_equal(sqlite3_open(f->path, &f->db), SQLITE_OK);
    vf_sql(f, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN"); /* else every row is a transaction of its own */
    f->info = (struct odp_search_info){.slug = "uji",
                                       .version = "2024-03-15",
                                       .last_update = "2024-03-15",
                                       .columns = f->columns,
                                       .key = f->key,
                                       .datetime = {-1, -1},
                                       .project = -1,
                                       .milestone = -1,
                                       .planned = -1,
                                       .actual = -1,
                                       .date = -1,
                                       .delay = -1};
    f->limits = (struct odp_query_limits){.time_ms = 10000, .count_ms = 10000, .rows = 1000000, .page = 10, .page_file = 10, .page_max = 100, .bytes = 1 << 20};
}

static inline void vf_label(struct vf *f, const char *column, const char *code, const char *id, const char *en)
{
    char *sql = sqlite3_mprintf("CREATE TABLE IF NOT EXISTS label(\"column\" TEXT, code TEXT, id TEXT, en TEXT); "
                                "INSERT INTO label VALUES(%Q,%Q,%Q,%Q)",
                                column, code, id, en);
    assert_non_null(sql);
    vf_sql(f, sql);
    sqlite3_free(sql);
}

/* CELL is a JSON text without escapes. */
static inline void vf_bind(sqlite3_stmt *stmt, int at, const struct odp_search_column *c, const char *cell)
{
    if (cell == NULL)
        return;
    if (cell[0] == '"')
        assert_int_equal(sqlite3_bind_text(stmt, at, cell + 1, (int)strlen(cell) - 2, SQLITE_TRANSIENT), SQLITE_OK);
    else if (c->wide && strlen(cell) > 15)
        assert_int_equal(sqlite3_bind_blob(stmt, at, cell, (int)strlen(cell), SQLITE_TRANSIENT), SQLITE_OK);
    else if (c->type == ODP_TYPE_NUMBER)
        assert_int_equal(sqlite3_bind_double(stmt, at, strtod(cell, NULL)), SQLITE_OK);
    else if (c->type == ODP_TYPE_BOOLEAN)
        assert_int_equal(sqlite3_bind_int(stmt, at, cell[0] == 't'), SQLITE_OK);
    else
        assert_int_equal(sqlite3_bind_int64(stmt, at, strtoll(cell, NULL, 10)), SQLITE_OK);
}

/* The tables of an index with N rows of ncolumns CELLS. */
static inline void vf_rows(struct vf *f, const char *const *cells, size_t n)
{
    struct odp_buffer b;
    sqlite3_stmt *data, *record;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, "CREATE TABLE record(id INTEGER PRIMARY KEY, cells BLOB); CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT); "
                           "CREATE TABLE data(id INTEGER PRIMARY KEY");
    for (uint32_t k = 0; k < f->info.ncolumns; k++)
        odp_buffer_printf(&b, ",c%u", k);
    odp_buffer_add_str(&b, ")");
    vf_sql(f, odp_buffer_cstr(&b));
    odp_buffer_clear(&b);
    odp_buffer_add_str(&b, "INSERT INTO data VALUES(?");
    for (uint32_t k = 0; k < f->info.ncolumns; k++)
        odp_buffer_add_str(&b, ",?");
    odp_buffer_add_str(&b, ")");
    assert_int_equal(sqlite3_prepare_v2(f->db, odp_buffer_cstr(&b), -1, &data, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(f->db, "INSERT INTO record VALUES(?,?)", -1, &record, NULL), SQLITE_OK);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_clear(&b);
        assert_int_equal(sqlite3_bind_int64(data, 1, (int64_t)i + 1), SQLITE_OK);
        for (uint32_t k = 0; k < f->info.ncolumns; k++) {
            const char *cell = cells[i * f->info.ncolumns + k];
            assert_int_equal(sqlite3_bind_null(data, (int)k + 2), SQLITE_OK);
            vf_bind(data, (int)k + 2, &f->columns[k], cell);
            odp_cells_add(&b, odp_slice_of(cell));
        }
        assert_int_equal(sqlite3_step(data), SQLITE_DONE);
        assert_int_equal(sqlite3_bind_int64(record, 1, (int64_t)i + 1), SQLITE_OK);
        assert_int_equal(sqlite3_bind_blob(record, 2, b.ptr, (int)b.len, SQLITE_TRANSIENT), SQLITE_OK);
        assert_int_equal(sqlite3_step(record), SQLITE_DONE);
        sqlite3_reset(data);
        sqlite3_reset(record);
    }
    sqlite3_finalize(data);
    sqlite3_finalize(record);
    odp_buffer_clear(&b);
    f->info.rows = n;
    assert_int_equal(odp_search_info_write(&f->info, &b), ODP_OK);
    char *sql = sqlite3_mprintf("INSERT INTO meta VALUES('layout',%Q),('info',%Q)", ODP_SEARCH_LAYOUT, odp_buffer_cstr(&b));
    vf_sql(f, sql);
    sqlite3_free(sql);
    vf_sql(f, "COMMIT");
    odp_buffer_release(&b);
    assert_int_equal(sqlite3_close(f->db), SQLITE_OK);
    const char *why = NULL;
    if (odp_index_open(&f->index, f->path, 1, &why) != ODP_OK)
        fail_msg("index: %s %s", why != NULL ? why : "", odp_failure_text());
    odp_arena_init(&f->arena);
    odp_buffer_init(&f->r.body);
}

/* QUERY is "a=b&c=d", nothing in it is decoded. */
static inline enum odp_status vf_ask(struct vf *f, enum odp_query_form form, const char *query)
{
    static const uint8_t secret[32] = "a secret of the tests' own, 32 b";
    struct odp_query *q = NULL;
    odp_arena_reset(&f->arena);
    odp_buffer_clear(&f->r.body);
    memset(&f->fault, 0, sizeof f->fault);
    f->r.next = f->r.previous = NULL;
    f->call = (struct odp_query_call){.index = f->index,
                                      .form = form,
                                      .params = f->params,
                                      .self = "uji",
                                      .root = "https://data.example.go.id/v1/",
                                      .release = "2.5.0",
                                      .secret = secret,
                                      .limits = &f->limits};
    assert_true(strlen(query) < sizeof f->text);
    strcpy(f->text, query);
    char *rest = f->text, *part;
    while ((part = strsep(&rest, "&")) != NULL && *part != '\0') {
        char *value = strchr(part, '=');
        *value++ = '\0';
        f->params[f->call.nparams++] = (struct odp_query_param){odp_slice_of(part), odp_slice_of(value)};
    }
    enum odp_status status = odp_query_new(&q, &f->call, &f->arena, &f->fault);
    if (status == ODP_OK)
        status = odp_query_run(q, &f->r, &f->fault);
    if (status == ODP_FAIL)
        fail_msg("%s: %s", query, odp_failure_text());
    odp_query_free(q);
    return status;
}

/* The body up to and without its meta (of a whole envelope), or the whole body. */
static inline void vf_check(struct vf *f, enum odp_query_form form, const char *query, const char *expected)
{
    if (vf_ask(f, form, query) != ODP_OK)
        fail_msg("%s: %s", query, odp_text_get(&f->fault.detail, ODP_LANG_EN));
    char *body = (char *)(uintptr_t)odp_buffer_cstr(&f->r.body), *meta = strstr(body, ",\"status\":\"success\"");
    if (form == ODP_QUERY_ENVELOPE) {
        assert_non_null(meta);
        *meta = '\0';
    }
    assert_string_equal(body, expected);
}

static inline void vf_finish(struct vf *f)
{
    odp_index_close(f->index);
    odp_buffer_release(&f->r.body);
    odp_arena_release(&f->arena);
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(rmdir(f->dir), 0);
}

#endif
