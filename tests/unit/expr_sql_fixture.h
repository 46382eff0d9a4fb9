/* For tests of the SQL back end (catalog/expr/sql.h): a table of made-up records with a field of every kind
 * and a geometry, in memory for eval.c and in SQLite as an index stores it, and conditions that are asked of
 * both. */
#pragma once
#include "run.h"
#include "random.h"

#include <math.h>

#include <sqlite3.h>

#include "catalog/expr/expr.h"
#include "catalog/expr/sql.h"
#include "catalog/index/search.h"
#include "catalog/index/gpb.h"
#include "service/queries/engine/functions.h"

#define FIELD(n, t)                                                                                          \
    {                                                                                                        \
        .name = n, .source_name = n, .type = t                                                               \
    }
enum { A, B, W, I, V, T, U, D, S, J, Y, M, TH, L, O, K, NFIELDS };
static struct odp_field fields[] = {
    [A] = FIELD("a", ODP_TYPE_NUMBER),
    [B] = FIELD("b", ODP_TYPE_NUMBER),
    [W] = FIELD("w", ODP_TYPE_NUMBER),
    [I] = FIELD("i", ODP_TYPE_INTEGER),
    [V] = FIELD("v", ODP_TYPE_INTEGER),
    [T] = FIELD("t", ODP_TYPE_STRING),
    [U] = FIELD("Nama \"lain\"", ODP_TYPE_STRING),
    [D] = FIELD("d", ODP_TYPE_DATE),
    [S] = FIELD("s", ODP_TYPE_DATETIME),
    [J] = FIELD("j", ODP_TYPE_TIME),
    [Y] = FIELD("y", ODP_TYPE_BOOLEAN),
    [M] = FIELD("m", ODP_TYPE_YEARMONTH),
    [TH] = FIELD("th", ODP_TYPE_YEAR),
    [L] = FIELD("l", ODP_TYPE_DURATION),
    [O] = FIELD("o", ODP_TYPE_OBJECT),
    [K] = FIELD("k", ODP_TYPE_INTEGER),
};
static const struct odp_schema schema = {.fields = fields, .n = NFIELDS};
static const struct odp_expr_scope scope = {.schema = &schema, .geometry = "geometry"};
static const bool wide[NFIELDS] = {[W] = true, [V] = true};

/* Values a field may have; NULL is null. */
static const char *const numbers[] = {
    NULL,
    "0",
    "1",
    "-1",
    "12.5",
    "12.50",
    "0.1",
    "0.2",
    "0.3",
    "-0.0",
    "100000000000000",
    "123456789012345",
    "1e300",
    "1e-300",
    "0.000000000000001",
    "123456789012345000",
    "7",
    "7.1",
    "9007199254740990",
    "-12.5",
};
static const char *const wides[] = {
    NULL,
    "0",
    "1",
    "12.5",
    "0.1",
    "0.1000000000000000055511151231257827",
    "9007199254740993",
    "9007199254740992",
    "123456789012345678901234567890.5",
    "-123456789012345678901234567890.5",
    "123456789012345678901234567890123456789012345",
    "12.500000000000000000001",
    "1e300",
    "-7.1",
};
static const char *const integers[] = {
    NULL,
    "0",
    "1",
    "-1",
    "7",
    "12",
    "13",
    "9007199254740993",
    "9007199254740992",
    "123456789012345000",
    "9223372036854775807",
    "-9223372036854775808",
    "2024",
};
static const char *const huge[] = {
    NULL,
    "0",
    "7",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "12",
};
static const char *const texts[] = {
    NULL,
    "",
    "a",
    "abc",
    "abcd",
    "abd",
    "ABC",
    "Abc",
    "Caf\xc3\xa9",
    "CAF\xc3\x89",
    "50%",
    "500",
    "a_c",
    "a\\b",
    "it's",
    "ab\xf4\x8f\xbf\xbf",
    "ab\xf4\x8f\xbf\xbfz",
    "\xc3\xbf",
    "\xc3\xbfz",
    "\xc4\x80",
    "\xed\x9f\xbf"
    "x",
    "\xee\x80\x80",
    "Kel. Menteng",
    "kel. menteng",
    "'; DROP TABLE data; --",
    "x\"y",
};
static const char *const dates[] = {NULL,         "2024-03-15", "2024-02-29",
                                    "0001-01-01", "9999-12-31", "2024-03-16"};
static const char *const instants[] = {
    NULL,
    "2024-03-15T07:05:00+07:00",
    "2024-03-15T00:05:00Z",
    "2024-03-15T00:05:00.5Z",
    "0001-01-01T00:00:00+07:00",
    "9999-12-31T23:00:00-07:00",
    "2024-03-15T00:05:00.000000001Z",
    "2023-12-31T23:59:59-11:30",
};
static const char *const times[] = {NULL, "07:05:00", "07:05:00.5", "00:00:00", "23:59:59.999999999"};
static const char *const truths[] = {NULL, "true", "false"};
static const char *const months[] = {NULL, "2024-03", "0001-01", "2023-12"};
static const char *const years[] = {NULL, "2024", "1999", "1"};
static const char *const durations[] = {NULL, "P1Y", "P2Y", "PT5M"};
static const char *const objects[] = {NULL, "{}", "{\"a\":1}"};
#define SET(a)                                                                                               \
    {                                                                                                        \
        a, ODP_COUNT(a)                                                                                      \
    }
static const struct {
    const char *const *values;
    size_t n;
} sets[NFIELDS] = {
    [A] = SET(numbers),  [B] = SET(numbers),   [W] = SET(wides),   [I] = SET(integers),
    [V] = SET(huge),     [T] = SET(texts),     [U] = SET(texts),   [D] = SET(dates),
    [S] = SET(instants), [J] = SET(times),     [Y] = SET(truths),  [M] = SET(months),
    [TH] = SET(years),   [L] = SET(durations), [O] = SET(objects), [K] = SET(integers),
};

enum { ROWS = 260 };
static const char *values[ROWS][NFIELDS];
static struct odp_slice slices[NFIELDS][ROWS];
static uint8_t states[NFIELDS][ROWS];
static struct odp_column columns[NFIELDS];
static struct odp_geom geoms[ROWS];
static const struct odp_geom *geometry[ROWS];
static double corners[ROWS][10];
static struct odp_batch batch = {.nrecords = ROWS, .columns = columns, .geometry = geometry};
static sqlite3 *db;
static int searches; /* conditions that are a search of the R*Tree by themselves */

/* The values that the writer of an index stores (catalog/index/search.h), worked out here by other means. */
static inline void store(sqlite3_stmt *s, int at, enum odp_type type, const char *text)
{
    char *end;
    struct odp_slice canonical = odp_slice_of(text);
    char instant[ODP_DATETIME_SIZE];
    double real;
    int scale;
    int rc = SQLITE_ERROR;
    if (text == NULL) {
        rc = sqlite3_bind_null(s, at);
    } else if (type == ODP_TYPE_BOOLEAN) {
        rc = sqlite3_bind_int(s, at, *text == 't');
    } else if (type == ODP_TYPE_INTEGER || type == ODP_TYPE_YEAR) {
        sqlite3_int64 v = strtoll(text, &end, 10);
        char back[32];
        snprintf(back, sizeof back, "%lld", v);
        rc = strcmp(back, text) == 0 ? sqlite3_bind_int64(s, at, v)
                                     : sqlite3_bind_blob(s, at, text, (int)strlen(text), SQLITE_STATIC);
    } else if (type == ODP_TYPE_NUMBER) {
        rc = odp_search_real(canonical, &real, &scale)
                 ? sqlite3_bind_double(s, at, strtod(text, NULL))
                 : sqlite3_bind_blob(s, at, text, (int)strlen(text), SQLITE_STATIC);
    } else if (type == ODP_TYPE_DATETIME) {
        int n = (int)odp_search_instant(canonical, instant);
        assert_true(n > 0);
        rc = sqlite3_bind_text(s, at, instant, n, SQLITE_TRANSIENT);
    } else {
        rc = sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
    }
    assert_int_equal(rc, SQLITE_OK);
}

/* A point, a square, or a triangle or two points in its box, somewhere in -10 … 10 degrees; every seventh
 * record has none. */
static inline void make_geometry(int row)
{
    static uint32_t part_point[] = {0, 1}, part_square[] = {0, 5}, part_triangle[] = {0, 4},
                    part_two[] = {0, 2}, poly[] = {0, 1};
    int size = dice(3) == 0 ? 0 : 50 + 100 * (int)dice(4), left = (int)dice(2000) - 1000,
        low = (int)dice(2000) - 1000;
    if (row % 7 == 0)
        return;
    /* the doubles nearest to what is published, as in an index: one may lie on a literal's edge */
    double *c = corners[row], x = left / 100.0, y = low / 100.0, east = (left + size) / 100.0,
           north = (low + size) / 100.0;
    const double square[] = {x, y, east, y, east, north, x, north, x, y};
    memcpy(c, square, sizeof square);
    geoms[row] = (struct odp_geom){
        .type = size > 0 ? ODP_GEOM_POLYGON : ODP_GEOM_POINT,
        .npoints = size > 0 ? 5 : 1,
        .nparts = 1,
        .npolys = size > 0 ? 1 : 0,
        .xy = c,
        .part = size > 0 ? part_square : part_point,
        .poly = size > 0 ? poly : NULL,
        .bbox = {x, y, east, north},
        .label = {x, y},
    };
    if (size > 0 && row % 5 == 1) {
        const double triangle[] = {x, y, east, y, x, north, x, y};
        memcpy(c, triangle, sizeof triangle);
        geoms[row].npoints = 4;
        geoms[row].part = part_triangle;
    } else if (size > 0 && row % 5 == 2) {
        const double two[] = {x, north, east, y};
        memcpy(c, two, sizeof two);
        geoms[row] = (struct odp_geom){
            .type = ODP_GEOM_MULTIPOINT,
            .npoints = 2,
            .nparts = 1,
            .xy = c,
            .part = part_two,
            .bbox = {x, y, east, north},
            .label = {x, north},
        };
    }
    geometry[row] = &geoms[row];
}

static inline void bind_geometry(sqlite3_stmt *s, int at, int row)
{
    struct odp_buffer shape = {0};
    double box[4];
    sqlite3_stmt *boxes;
    if (geometry[row] == NULL) {
        sqlite3_bind_null(s, at);
        return;
    }
    odp_gpb_add(&shape, geometry[row]);
    assert_true(odp_gpb_box(odp_buffer_slice(&shape), box));
    sqlite3_bind_blob(s, at, shape.ptr, (int)shape.len, SQLITE_TRANSIENT);
    odp_buffer_release(&shape);
    assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO box VALUES (?, ?, ?, ?, ?)", -1, &boxes, NULL),
                     SQLITE_OK);
    sqlite3_bind_int(boxes, 1, row + 1);
    for (int k = 0; k < 4; k++)
        sqlite3_bind_double(boxes, 2 + k, box[k % 2 * 2 + k / 2]);
    assert_int_equal(sqlite3_step(boxes), SQLITE_DONE);
    sqlite3_finalize(boxes);
}

static const char *const sql_columns[NFIELDS] = {"c0", "c1", "c2",  "c3",  "c4",  "c5",  "c6",  "c7",
                                                 "c8", "c9", "c10", "c11", "c12", "c13", "c14", "c15"};
static const struct odp_sql_table sql_table = {
    .alias = "d", .columns = sql_columns, .geometry = "geom", .rtree = "box", .name = "data", .wide = wide};

static inline int make_table(void **state)
{
    static const char tables[] =
        "CREATE TABLE data (fid INTEGER PRIMARY KEY, c0 REAL, c1 REAL, c2, c3 INTEGER, c4, c5 TEXT, c6 TEXT, "
        "c7 TEXT, c8 TEXT, c9 TEXT, c10 INTEGER, c11 TEXT, c12 INTEGER, c13 TEXT, c14 TEXT, c15 INTEGER, "
        "geom BLOB);CREATE VIRTUAL TABLE box USING rtree(id, minx, maxx, miny, maxy);CREATE INDEX x5 ON data "
        "(c5); CREATE INDEX x0 ON data (c0); CREATE INDEX x3 ON data (c3); CREATE INDEX x7 ON data (c7);";
    sqlite3_stmt *s;
    random_seed = 51; /* some rows answer the first question of expr/exact.txt */
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, tables, NULL, NULL, NULL), SQLITE_OK);
    must(odp_query_functions(db));
    assert_int_equal(
        sqlite3_prepare_v2(db, "INSERT INTO data VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1, &s, NULL),
        SQLITE_OK);
    for (int f = 0; f < NFIELDS; f++)
        columns[f] = (struct odp_column){slices[f], states[f]};
    for (int r = 0; r < ROWS; r++) {
        sqlite3_bind_int(s, 1, r + 1);
        for (int f = 0; f < NFIELDS; f++) {
            values[r][f] = sets[f].values[dice(sets[f].n)];
            slices[f][r] = odp_slice_of(values[r][f]);
            states[f][r] = values[r][f] == NULL ? ODP_VALUE_NULL : ODP_VALUE_OK;
            store(s, f + 2, fields[f].type, values[r][f]);
        }
        make_geometry(r);
        bind_geometry(s, NFIELDS + 2, r);
        assert_int_equal(sqlite3_step(s), SQLITE_DONE);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    assert_int_equal(sqlite3_exec(db, "ANALYZE", NULL, NULL, NULL), SQLITE_OK);
    return 0;
}

static inline int drop_table(void **state)
{
    sqlite3_close(db);
    return 0;
}

/* ---- running a condition ---- */

static inline void bind(sqlite3_stmt *s, const struct odp_sql *sql)
{
    assert_int_equal(sqlite3_bind_parameter_count(s), (int)sql->n);
    for (uint32_t i = 0; i < sql->n; i++) {
        const struct odp_sql_value *v = &sql->values[i];
        int at = (int)i + 1;
        if (v->kind == ODP_SQL_INT)
            sqlite3_bind_int64(s, at, v->i);
        else if (v->kind == ODP_SQL_REAL)
            sqlite3_bind_double(s, at, v->r);
        else if (v->kind == ODP_SQL_TEXT)
            sqlite3_bind_text(s, at, v->text.ptr, (int)v->text.len, SQLITE_STATIC);
        else if (v->kind == ODP_SQL_BLOB)
            sqlite3_bind_blob(s, at, v->text.ptr, (int)v->text.len, SQLITE_STATIC);
        else if (v->kind == ODP_SQL_POINTER)
            sqlite3_bind_pointer(s, at, (void *)(uintptr_t)v->pointer, v->pointer_type, NULL);
    }
}

/* The condition of E over the table; FOUND by row. Returns its SQL in *TEXT (to be freed) if TEXT is not
 * NULL. */
static inline void select_rows(const struct odp_expr *e, struct odp_arena *a, uint8_t found[ROWS],
                               char **text)
{
    struct odp_sql sql;
    sqlite3_stmt *s;
    odp_sql_init(&sql, a);
    odp_buffer_add_str(&sql.text, "SELECT fid FROM data d WHERE (1 AND ");
    must(odp_expr_sql(e, &sql_table, &sql));
    odp_buffer_add_str(&sql.text, ") ORDER BY d.fid");
    if (sqlite3_prepare_v2(db, odp_buffer_cstr(&sql.text), -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", odp_buffer_cstr(&sql.text), sqlite3_errmsg(db));
    bind(s, &sql);
    memset(found, 0, ROWS);
    int rc;
    while ((rc = sqlite3_step(s)) == SQLITE_ROW)
        found[sqlite3_column_int(s, 0) - 1] = 1;
    if (rc != SQLITE_DONE)
        fail_msg("%s: %s", odp_buffer_cstr(&sql.text), sqlite3_errmsg(db));
    sqlite3_finalize(s);
    if (text != NULL)
        *text = strdup(odp_buffer_cstr(&sql.text));
    odp_sql_release(&sql);
}

/* Where E is a search, too: the rows it finds are FOUND's, each once. */
static inline void check_search(const struct odp_expr *e, struct odp_arena *a, const uint8_t found[ROWS],
                                const char *what)
{
    uint8_t often[ROWS] = {0};
    struct odp_sql sql;
    sqlite3_stmt *s;
    bool is = false;
    odp_sql_init(&sql, a);
    must(odp_expr_sql_search(e, &sql_table, &sql, &is));
    if (is) {
        if (sqlite3_prepare_v2(db, odp_buffer_cstr(&sql.text), -1, &s, NULL) != SQLITE_OK)
            fail_msg("%s: %s", odp_buffer_cstr(&sql.text), sqlite3_errmsg(db));
        bind(s, &sql);
        while (sqlite3_step(s) == SQLITE_ROW)
            often[sqlite3_column_int(s, 0) - 1]++;
        assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
        if (memcmp(often, found, ROWS) != 0)
            fail_msg("%s: other rows by a search alone", what);
        searches++;
    } else {
        assert_int_equal(sql.text.len, 0);
        assert_int_equal(sql.n, 0);
    }
    odp_sql_release(&sql);
}

/* SQL's rows are those that eval.c finds true. Returns how many. */
static inline int compare(const struct odp_expr *e, struct odp_arena *a, const char *what)
{
    uint8_t truth[ROWS], found[ROWS];
    struct odp_arena scratch;
    char *text = NULL;
    int count = 0;
    odp_arena_init(&scratch);
    must(odp_expr_eval(e, &batch, &scratch, truth));
    odp_arena_release(&scratch);
    select_rows(e, a, found, &text);
    for (int r = 0; r < ROWS; r++) {
        count += truth[r] == ODP_TRUE;
        if (found[r] != (truth[r] == ODP_TRUE)) {
            print_message("row %d:", r);
            for (int f = 0; f < NFIELDS; f++)
                print_message(" %s=%s", fields[f].name, values[r][f] == NULL ? "NULL" : values[r][f]);
            fail_msg("%s\n%s\n: SQL %d, eval %d", what, text, found[r], truth[r]);
        }
    }
    check_search(e, a, found, what);
    free(text);
    return count;
}

/* BAD expressions are left out; returns -1 for them. */
static inline int check(const char *text)
{
    struct odp_arena arena;
    const struct odp_expr *e;
    struct odp_expr_fault fault;
    int count = -1;
    odp_arena_init(&arena);
    enum odp_status status = odp_expr_compile_in(&arena, odp_slice_of(text), &scope, &e, &fault);
    assert_int_not_equal(status, ODP_FAIL);
    if (status == ODP_OK) {
        count = compare(e, &arena, text);
        odp_expr_release(e);
    }
    odp_arena_release(&arena);
    return count;
}

/* The SQL of TEXT's condition alone, to be freed. */
static inline char *sql_of(const char *text)
{
    struct odp_arena arena;
    const struct odp_expr *e;
    struct odp_expr_fault fault;
    uint8_t found[ROWS];
    char *sql;
    odp_arena_init(&arena);
    if (odp_expr_compile_in(&arena, odp_slice_of(text), &scope, &e, &fault) != ODP_OK)
        fail_msg("%s: %s", text, fault.message.in[ODP_LANG_EN]);
    select_rows(e, &arena, found, &sql);
    odp_expr_release(e);
    odp_arena_release(&arena);
    return sql;
}

/* ---- making texts ---- */

struct words {
    char text[6000];
    size_t len;
};

static inline void say(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void say(struct words *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(w->text + w->len, sizeof w->text - w->len, fmt, args);
    va_end(args);
    w->len += n > 0 ? (size_t)n : 0;
    assert_true(w->len < sizeof w->text);
}

static inline void say_text(struct words *w, const char *s)
{
    say(w, "'");
    for (; *s != '\0'; s++)
        say(w, *s == '\'' ? "''" : *s == '\\' ? "\\\\" : "%c", *s);
    say(w, "'");
}

/* HEAD, N times PART, TAIL. */
static inline char *repeat(const char *head, const char *part, size_t n, const char *tail)
{
    size_t len = strlen(part);
    char *s = malloc(strlen(head) + len * n + strlen(tail) + 1), *p = s;
    assert_non_null(s);
    p += sprintf(p, "%s", head);
    for (size_t i = 0; i < n; i++, p += len)
        memcpy(p, part, len);
    strcpy(p, tail);
    return s;
}
