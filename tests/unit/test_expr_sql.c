/* The SQL back end: for thousands of made-up expressions over made-up rows, the rows that SQLite finds are those for which eval.c says TRUE. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "expr/expr.h"
#include "expr/sql.h"
#include "query/functions.h"
#include "search/search.h"
#include "search/shape.h"

#define FIELD(n, t) {.name = n, .source_name = n, .type = t}
enum { A, B, W, I, V, T, U, D, S, J, Y, M, TH, L, O, K, NFIELDS };
static struct odp_field fields[] = {
    [A] = FIELD("a", ODP_TYPE_NUMBER),     [B] = FIELD("b", ODP_TYPE_NUMBER),   [W] = FIELD("w", ODP_TYPE_NUMBER),    [I] = FIELD("i", ODP_TYPE_INTEGER),
    [V] = FIELD("v", ODP_TYPE_INTEGER),    [T] = FIELD("t", ODP_TYPE_STRING),   [U] = FIELD("Nama \"lain\"", ODP_TYPE_STRING), [D] = FIELD("d", ODP_TYPE_DATE),
    [S] = FIELD("s", ODP_TYPE_DATETIME),   [J] = FIELD("j", ODP_TYPE_TIME),     [Y] = FIELD("y", ODP_TYPE_BOOLEAN),   [M] = FIELD("m", ODP_TYPE_YEARMONTH),
    [TH] = FIELD("th", ODP_TYPE_YEAR),     [L] = FIELD("l", ODP_TYPE_DURATION), [O] = FIELD("o", ODP_TYPE_OBJECT),    [K] = FIELD("k", ODP_TYPE_INTEGER),
};
static const struct odp_schema schema = {.fields = fields, .n = NFIELDS};
static const struct odp_expr_scope scope = {.schema = &schema, .geometry = "geometry"};
static const bool wide[NFIELDS] = {[W] = true, [V] = true};

/* Values a field may have; NULL is null. */
static const char *const numbers[] = {NULL, "0", "1", "-1", "12.5", "12.50", "0.1", "0.2", "0.3", "-0.0", "100000000000000", "123456789012345", "1e300", "1e-300",
                                      "0.000000000000001", "123456789012345000", "7", "7.1", "9007199254740990", "-12.5"};
static const char *const wides[] = {NULL, "0", "1", "12.5", "0.1", "0.1000000000000000055511151231257827", "9007199254740993", "9007199254740992", "123456789012345678901234567890.5",
                                    "-123456789012345678901234567890.5", "123456789012345678901234567890123456789012345", "12.500000000000000000001", "1e300", "-7.1"};
static const char *const integers[] = {NULL, "0", "1", "-1", "7", "12", "13", "9007199254740993", "9007199254740992", "123456789012345000", "9223372036854775807", "-9223372036854775808", "2024"};
static const char *const huge[] = {NULL, "0", "7", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "12"};
static const char *const texts[] = {NULL, "", "a", "abc", "abcd", "abd", "ABC", "Abc", "Caf\xc3\xa9", "CAF\xc3\x89", "50%", "500", "a_c", "a\\b", "it's", "ab\xf4\x8f\xbf\xbf", "ab\xf4\x8f\xbf\xbfz",
                                    "\xc3\xbf", "\xc3\xbfz", "\xc4\x80", "\xed\x9f\xbf" "x", "\xee\x80\x80", "Kel. Menteng", "kel. menteng", "'; DROP TABLE data; --", "x\"y"};
static const char *const dates[] = {NULL, "2024-03-15", "2024-02-29", "0001-01-01", "9999-12-31", "2024-03-16"};
static const char *const instants[] = {NULL, "2024-03-15T07:05:00+07:00", "2024-03-15T00:05:00Z", "2024-03-15T00:05:00.5Z", "0001-01-01T00:00:00+07:00", "9999-12-31T23:00:00-07:00", "2024-03-15T00:05:00.000000001Z", "2023-12-31T23:59:59-11:30"};
static const char *const times[] = {NULL, "07:05:00", "07:05:00.5", "00:00:00", "23:59:59.999999999"};
static const char *const truths[] = {NULL, "true", "false"};
static const char *const months[] = {NULL, "2024-03", "0001-01", "2023-12"};
static const char *const years[] = {NULL, "2024", "1999", "1"};
static const char *const durations[] = {NULL, "P1Y", "P2Y", "PT5M"};
static const char *const objects[] = {NULL, "{}", "{\"a\":1}"};
#define SET(a) {a, sizeof(a) / sizeof *(a)}
static const struct {
    const char *const *values;
    size_t n;
} sets[NFIELDS] = {[A] = SET(numbers), [B] = SET(numbers), [W] = SET(wides), [I] = SET(integers), [V] = SET(huge), [T] = SET(texts), [U] = SET(texts), [D] = SET(dates), [S] = SET(instants), [J] = SET(times),
                   [Y] = SET(truths),  [M] = SET(months),  [TH] = SET(years), [L] = SET(durations), [O] = SET(objects), [K] = SET(integers)};

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

static uint64_t seed = 20241122;
static size_t pick(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((seed >> 33) % n);
}

/* What the writer of an index stores (search/search.h), worked out here by other means. */
static void store(sqlite3_stmt *s, int at, enum odp_type type, const char *text)
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
        rc = strcmp(back, text) == 0 ? sqlite3_bind_int64(s, at, v) : sqlite3_bind_blob(s, at, text, (int)strlen(text), SQLITE_STATIC);
    } else if (type == ODP_TYPE_NUMBER) {
        rc = odp_search_real(canonical, &real, &scale) ? sqlite3_bind_double(s, at, strtod(text, NULL)) : sqlite3_bind_blob(s, at, text, (int)strlen(text), SQLITE_STATIC);
    } else if (type == ODP_TYPE_DATETIME) {
        int n = (int)odp_search_instant(canonical, instant);
        assert_true(n > 0);
        rc = sqlite3_bind_text(s, at, instant, n, SQLITE_TRANSIENT);
    } else {
        rc = sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
    }
    assert_int_equal(rc, SQLITE_OK);
}

/* A point, a square, or a triangle or two points in its box, somewhere in -10 … 10 degrees; every seventh record has none. */
static void make_geometry(int row)
{
    static uint32_t part_point[] = {0, 1}, part_square[] = {0, 5}, part_triangle[] = {0, 4}, part_two[] = {0, 2}, poly[] = {0, 1};
    int size = pick(3) == 0 ? 0 : 50 + 100 * (int)pick(4), left = (int)pick(2000) - 1000, low = (int)pick(2000) - 1000;
    if (row % 7 == 0)
        return;
    /* the doubles nearest to what is published, as in an index: one may lie on a literal's edge */
    double *c = corners[row], x = left / 100.0, y = low / 100.0, east = (left + size) / 100.0, north = (low + size) / 100.0;
    const double square[] = {x, y, east, y, east, north, x, north, x, y};
    memcpy(c, square, sizeof square);
    geoms[row] = (struct odp_geom){.type = size > 0 ? ODP_GEOM_POLYGON : ODP_GEOM_POINT, .npoints = size > 0 ? 5 : 1, .nparts = 1, .npolys = size > 0 ? 1 : 0, .xy = c,
                                   .part = size > 0 ? part_square : part_point, .poly = size > 0 ? poly : NULL, .bbox = {x, y, east, north}, .label = {x, y}};
    if (size > 0 && row % 5 == 1) {
        const double triangle[] = {x, y, east, y, x, north, x, y};
        memcpy(c, triangle, sizeof triangle);
        geoms[row].npoints = 4;
        geoms[row].part = part_triangle;
    } else if (size > 0 && row % 5 == 2) {
        const double two[] = {x, north, east, y};
        memcpy(c, two, sizeof two);
        geoms[row] = (struct odp_geom){.type = ODP_GEOM_MULTIPOINT, .npoints = 2, .nparts = 1, .xy = c, .part = part_two, .bbox = {x, y, east, north}, .label = {x, north}};
    }
    geometry[row] = &geoms[row];
}

static void insert_geometry(int row)
{
    struct odp_buffer shape;
    int32_t box[4];
    sqlite3_stmt *s;
    if (geometry[row] == NULL)
        return;
    odp_buffer_init(&shape);
    odp_shape_add(&shape, geometry[row]);
    assert_true(odp_shape_box(odp_buffer_slice(&shape), box));
    assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO shape VALUES (?, ?)", -1, &s, NULL), SQLITE_OK);
    sqlite3_bind_int(s, 1, row + 1);
    sqlite3_bind_blob(s, 2, shape.ptr, (int)shape.len, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
    assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO box VALUES (?, ?, ?, ?, ?)", -1, &s, NULL), SQLITE_OK);
    sqlite3_bind_int(s, 1, row + 1);
    sqlite3_bind_int(s, 2, box[0]);
    sqlite3_bind_int(s, 3, box[2]);
    sqlite3_bind_int(s, 4, box[1]);
    sqlite3_bind_int(s, 5, box[3]);
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
    odp_buffer_release(&shape);
}

static int make_table(void **state)
{
    static const char tables[] = "CREATE TABLE data (id INTEGER PRIMARY KEY, c0 REAL, c1 REAL, c2, c3 INTEGER, c4, c5 TEXT, c6 TEXT, c7 TEXT, c8 TEXT, c9 TEXT, c10 INTEGER, c11 TEXT, c12 INTEGER, c13 TEXT, c14 TEXT, c15 INTEGER);"
                                 "CREATE TABLE shape (id INTEGER PRIMARY KEY, shape BLOB);"
                                 "CREATE VIRTUAL TABLE box USING rtree_i32(id, west, east, south, north);"
                                 "CREATE INDEX x5 ON data (c5); CREATE INDEX x0 ON data (c0); CREATE INDEX x3 ON data (c3); CREATE INDEX x7 ON data (c7);";
    sqlite3_stmt *s;
    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, tables, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(odp_query_functions(db), ODP_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO data VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1, &s, NULL), SQLITE_OK);
    for (int f = 0; f < NFIELDS; f++)
        columns[f] = (struct odp_column){slices[f], states[f]};
    for (int r = 0; r < ROWS; r++) {
        sqlite3_bind_int(s, 1, r + 1);
        for (int f = 0; f < NFIELDS; f++) {
            values[r][f] = sets[f].values[pick(sets[f].n)];
            slices[f][r] = odp_slice_of(values[r][f]);
            states[f][r] = values[r][f] == NULL ? ODP_VALUE_NULL : ODP_VALUE_OK;
            store(s, f + 2, fields[f].type, values[r][f]);
        }
        assert_int_equal(sqlite3_step(s), SQLITE_DONE);
        sqlite3_reset(s);
        make_geometry(r);
        insert_geometry(r);
    }
    sqlite3_finalize(s);
    assert_int_equal(sqlite3_exec(db, "ANALYZE", NULL, NULL, NULL), SQLITE_OK);
    return 0;
}

static int drop_table(void **state)
{
    (void)state;
    sqlite3_close(db);
    return 0;
}

/* ---- running a condition ---- */

static void bind(sqlite3_stmt *s, const struct odp_sql *sql)
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

/* The condition of E over the table; FOUND by row. Returns its SQL in *TEXT (to be freed) if TEXT is not NULL. */
static void select_rows(const struct odp_expr *e, struct odp_arena *a, uint8_t found[ROWS], char **text)
{
    static const struct odp_sql_table table = {.alias = "d", .wide = wide};
    struct odp_sql sql;
    sqlite3_stmt *s;
    odp_sql_init(&sql, a);
    odp_buffer_add_str(&sql.text, "SELECT id FROM data d WHERE (1 AND ");
    assert_int_equal(odp_expr_sql(e, &table, &sql), ODP_OK);
    odp_buffer_add_str(&sql.text, ") ORDER BY d.id");
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
static void check_search(const struct odp_expr *e, struct odp_arena *a, const uint8_t found[ROWS], const char *what)
{
    uint8_t often[ROWS] = {0};
    struct odp_sql sql;
    sqlite3_stmt *s;
    bool is = false;
    odp_sql_init(&sql, a);
    assert_int_equal(odp_expr_sql_search(e, &sql, &is), ODP_OK);
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
static int compare(const struct odp_expr *e, struct odp_arena *a, const char *what)
{
    uint8_t truth[ROWS], found[ROWS];
    struct odp_arena scratch;
    char *text = NULL;
    int count = 0;
    odp_arena_init(&scratch);
    assert_int_equal(odp_expr_eval(e, &batch, &scratch, truth), ODP_OK);
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
static int check(const char *text)
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
static char *sql_of(const char *text)
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

/* ---- made-up expressions ---- */

struct words {
    char text[6000];
    size_t len;
};

static void say(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct words *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(w->text + w->len, sizeof w->text - w->len, fmt, args);
    va_end(args);
    w->len += n > 0 ? (size_t)n : 0;
    assert_true(w->len < sizeof w->text);
}

static void say_text(struct words *w, const char *s)
{
    say(w, "'");
    for (; *s != '\0'; s++)
        say(w, *s == '\'' ? "''" : *s == '\\' ? "\\\\" : "%c", *s);
    say(w, "'");
}

static const char *some(int field)
{
    const char *v;
    do
        v = sets[field].values[pick(sets[field].n)];
    while (v == NULL);
    return v;
}

static void say_number(struct words *w, int depth)
{
    static const int number_fields[] = {A, B, W, I, V, K, TH};
    static const char *const odd[] = {"7.5", "12.500000000000000000000000001", "0.30000000000000004", "1e400", "9007199254740992.5", "1e20", "9223372036854775807.0", "0.1000000000000000055511151231257827", "12e0"};
    switch (pick(depth > 0 ? 9 : 7)) {
    case 0:
        say(w, "%s", odd[pick(sizeof odd / sizeof *odd)]);
        return;
    case 1:
    case 2:
        say(w, "%s", some(number_fields[pick(7)]));
        return;
    case 7:
    case 8:
        say(w, "(");
        say_number(w, depth - 1);
        say(w, " %c ", "+-*/"[pick(4)]);
        say_number(w, depth - 1);
        say(w, ")");
        return;
    default:
        say(w, "%s", fields[number_fields[pick(7)]].name);
    }
}

static void say_string(struct words *w)
{
    switch (pick(5)) {
    case 0:
        say_text(w, some(T));
        break;
    case 1:
        say(w, "CASEI(t)");
        break;
    case 2:
        say(w, "CASEI('ABC')");
        break;
    case 3:
        say(w, "\"Nama \"\"lain\"\"\"");
        break;
    default:
        say(w, "t");
    }
}

static const char *const comparisons[] = {"=", "<>", "<", "<=", ">", ">="};

static void say_moment(struct words *w)
{
    static const int moment_fields[] = {D, S, J, M};
    int f = moment_fields[pick(4)];
    switch (pick(3)) {
    case 0:
        say(w, "%s %s '%s'", fields[f].name, comparisons[pick(6)], some(f));
        break;
    case 1:
        say(w, "%s %sBETWEEN '%s' AND '%s'", fields[f].name, pick(2) ? "NOT " : "", some(f), some(f));
        break;
    default:
        say(w, "'%s' %s %s AND %s %sIN ('%s', '%s')", some(f), comparisons[pick(6)], fields[f].name, fields[f].name, pick(2) ? "NOT " : "", some(f), some(f));
    }
}

static void say_spatial(struct words *w)
{
    static const char *const functions[] = {"S_INTERSECTS", "S_WITHIN", "S_CONTAINS", "S_DISJOINT", "S_TOUCHES", "S_EQUALS", "S_OVERLAPS", "S_CROSSES"};
    char literal[200];
    int x = (int)pick(20) - 10, y = (int)pick(20) - 10, size = 1 + (int)pick(8);
    switch (pick(4)) {
    case 0:
        snprintf(literal, sizeof literal, "POINT(%d.25 %d)", x, y);
        break;
    case 1:
        snprintf(literal, sizeof literal, "POLYGON((%d %d, %d %d, %d.5 %d, %d %d))", x, y, x + size, y, x, y + size, x, y);
        break;
    case 2: /* across 180° */
        snprintf(literal, sizeof literal, "BBOX(%d, %d, %d, %d)", 170 + (int)pick(9), y, -170 + (int)pick(170), y + size);
        break;
    default:
        snprintf(literal, sizeof literal, "BBOX(%d, %d, %d, %d)", x, y, x + size, y + size);
    }
    if (pick(3) == 0)
        say(w, "%s(%s, geometry)", functions[pick(8)], literal);
    else
        say(w, "%s(geometry, %s)", functions[pick(8)], literal);
}

static void say_condition(struct words *w, int depth);

static void say_leaf(struct words *w)
{
    static const char *const patterns[] = {"abc%", "a%", "%", "", "ab_", "_bc", "ab\xf4\x8f\xbf\xbf%", "\xc3\xbf%", "\xed\x9f\xbf%", "abc", "50\\%", "50\\%%", "a\\_c%", "a\\\\b%", "kel%", "Kel.%g", "%n%", "ab%c_", "\xf4\x8f\xbf\xbf%"};
    switch (pick(12)) {
    case 0:
        say(w, "%s IS %sNULL", pick(4) == 0 ? "geometry" : pick(9) == 0 ? "(a + i)" : pick(2) ? fields[pick(6)].name : fields[7 + pick(9)].name, pick(2) ? "NOT " : "");
        break;
    case 1:
        say_string(w);
        say(w, pick(2) ? " LIKE " : " NOT LIKE ");
        say_text(w, patterns[pick(sizeof patterns / sizeof *patterns)]);
        break;
    case 2:
    case 3:
        say_moment(w);
        break;
    case 4:
        say_string(w);
        say(w, " %s ", comparisons[pick(6)]);
        say_string(w);
        break;
    case 5:
        say_string(w);
        say(w, pick(2) ? " IN (" : " NOT IN (");
        for (size_t n = pick(4); n > 0; n--) {
            say_string(w);
            say(w, ", ");
        }
        say_string(w);
        say(w, ")");
        break;
    case 6:
        say(w, "%s", pick(3) == 0 ? "TRUE" : "y");
        break;
    case 7:
        say_spatial(w);
        break;
    case 8:
        say_number(w, 1);
        say(w, pick(2) ? " IN (" : " NOT IN (");
        for (size_t n = pick(4); n > 0; n--) {
            say_number(w, 0);
            say(w, ", ");
        }
        say_number(w, 0);
        say(w, ")");
        break;
    case 9:
        say_number(w, 1);
        say(w, pick(2) ? " BETWEEN " : " NOT BETWEEN ");
        say_number(w, 0);
        say(w, " AND ");
        say_number(w, 0);
        break;
    default:
        say_number(w, 2);
        say(w, " %s ", comparisons[pick(6)]);
        say_number(w, 1);
    }
}

static void say_condition(struct words *w, int depth)
{
    if (depth == 0) {
        say_leaf(w);
        return;
    }
    switch (pick(7)) {
    case 0:
        say(w, "NOT (");
        say_condition(w, depth - 1);
        say(w, ")");
        break;
    case 1:
    case 2:
        say(w, "(");
        say_condition(w, depth - 1);
        say(w, ") AND (");
        say_condition(w, depth - 1);
        say(w, ")");
        break;
    case 3:
    case 4:
        say(w, "(");
        say_condition(w, depth - 1);
        say(w, ") OR (");
        say_condition(w, depth - 1);
        say(w, ")");
        break;
    case 5:
        say(w, "(");
        say_condition(w, depth - 1);
        say(w, ") %s (", comparisons[pick(6)]);
        say_condition(w, depth - 1);
        say(w, ")");
        break;
    default:
        say_leaf(w);
    }
}

static void test_random(void **state)
{
    int good = 0, some_rows = 0, rounds = 0;
    const char *more = getenv("ODP_EXPR_ROUNDS");
    int most = more != NULL ? atoi(more) : 2000;
    (void)state;
    for (; rounds < most; rounds++) {
        struct words w = {.len = 0};
        say_condition(&w, (int)pick(4));
        int count = check(w.text);
        good += count >= 0;
        some_rows += count > 0 && count < ROWS;
    }
    assert_true(good > most / 2);
    assert_true(some_rows > most / 4);
}

/* Rectangles and triangles whose sides lie on those of records, or a little beside them. */
static void test_sides(void **state)
{
    static const double beside[] = {0, 0, 1e-7, -1e-7, 2e-7, -2e-7, 0.4e-7, -0.4e-7, 0.25, -0.25};
    int some_rows = 0, before = searches;
    (void)state;
    for (int round = 0; round < 1500; round++) {
        double side[4];
        char text[400];
        for (int k = 0; k < 4; k++) {
            int row;
            do
                row = (int)pick(ROWS);
            while (geometry[row] == NULL);
            side[k] = geoms[row].bbox[pick(2) * 2 + (size_t)k % 2] + beside[pick(sizeof beside / sizeof *beside)];
        }
        double w = fmin(side[0], side[2]), e = fmax(side[0], side[2]), s = fmin(side[1], side[3]), n = fmax(side[1], side[3]);
        if (w == e || s == n)
            continue;
        if (round % 3 > 0)
            (void)snprintf(text, sizeof text, "S_INTERSECTS(geometry, BBOX(%.9f,%.9f,%.9f,%.9f))", w, s, e, n);
        else
            (void)snprintf(text, sizeof text, "%s(geometry, POLYGON((%.9f %.9f,%.9f %.9f,%.9f %.9f,%.9f %.9f)))", round % 2 == 0 ? "S_INTERSECTS" : "S_WITHIN", w, s, e, s, w, n, w, s);
        some_rows += check(text) > 0;
    }
    assert_true(some_rows > 500);
    assert_true(searches - before > 1000);
}

/* ---- what is written in SQL ---- */

static void test_forms(void **state)
{
    static const struct {
        const char *text, *sql;
    } cases[] = {
        {"a > 12.5", "(d.c0 > ?)"}, {"12.50 = a", "(? = d.c0)"}, {"a > b", "(d.c0 > d.c1)"}, {"i = 7 AND k <= i", "((d.c3 = ?) AND (d.c15 <= d.c3))"},
        {"a > i", "odp_eval(?, d.c0, d.c3)"}, {"w = 1", "odp_eval(?, d.c2)"}, {"v <> 1", "odp_eval(?, d.c4)"}, {"a + 1 > b", "odp_eval(?, d.c0, d.c1)"}, {"a > 0.1234567890123456", "odp_eval(?, d.c0)"},
        {"i > 7.5", "(d.c3 > ?)"}, {"i > 9007199254740993", "(d.c3 > ?)"}, {"a IN (1, 2)", "(d.c0 IN (?, ?))"}, {"a NOT IN (1, 2.5)", "(d.c0 NOT IN (?, ?))"}, {"i BETWEEN 1 AND 5", "(d.c3 BETWEEN ? AND ?)"},
        {"t = 'x'", "(d.c5 = ?)"}, {"CASEI(t) = CASEI('X')", "(odp_casei(d.c5) = ?)"}, {"CASEI(t) LIKE 'x%'", "odp_like(odp_casei(d.c5), ?)"}, {"t LIKE 'abc%'", "(d.c5 >= ? AND d.c5 < ?)"},
        {"t LIKE 'abc%d'", "(d.c5 >= ? AND d.c5 < ? AND odp_like(d.c5, ?))"}, {"t LIKE 'abc'", "(d.c5 = ?)"}, {"t NOT LIKE 'abc%'", "(NOT odp_like(d.c5, ?))"}, {"t LIKE '%x'", "odp_like(d.c5, ?)"},
        {"t IS NULL", "(d.c5 IS NULL)"}, {"w IS NOT NULL", "(d.c2 IS NOT NULL)"}, {"o IS NULL", "(d.c14 IS NULL)"}, {"geometry IS NULL", "(NOT EXISTS (SELECT 1 FROM shape WHERE id = d.id))"},
        {"y", "d.c10"}, {"NOT y", "(NOT d.c10)"}, {"y = FALSE", "(d.c10 = 0)"}, {"1 < 2", "1"}, {"1 / 0 = 1", "NULL"}, {"NOT (d > '2024-01-01')", "(NOT (d.c7 > ?))"},
        {"S_INTERSECTS(geometry, BBOX(1,2,3,4))", "(d.id IN (SELECT id FROM box WHERE (west <= ? AND east >= ? AND south <= ? AND north >= ?) AND ((west >= ? AND east <= ? AND (south BETWEEN ? AND ? OR north BETWEEN ? AND ?)) OR (south >= ? AND north <= ? AND (west BETWEEN ? AND ? OR east BETWEEN ? AND ?)) OR odp_spatial(?, (SELECT shape FROM shape WHERE shape.id = box.id)))))"},
        {"S_WITHIN(geometry, BBOX(1,2,3,4))", "(d.id IN (SELECT id FROM box WHERE (west <= ? AND east >= ? AND south <= ? AND north >= ?)) AND odp_spatial(?, (SELECT shape FROM shape WHERE id = d.id)))"},
        {"NOT S_INTERSECTS(geometry, BBOX(1,2,3,4))", "(NOT (odp_spatial(?, (SELECT shape FROM shape WHERE id = d.id))))"},
        {"S_DISJOINT(geometry, BBOX(1,2,3,4))", "(odp_spatial(?, (SELECT shape FROM shape WHERE id = d.id)))"},
        {"a = 1 OR (b = 2 OR a = 3) OR y", "((d.c0 = ?) OR (d.c1 = ?) OR (d.c0 = ?) OR d.c10)"},
    };
    static const char head[] = "SELECT id FROM data d WHERE (1 AND ", tail[] = ") ORDER BY d.id";
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *sql = sql_of(cases[i].text);
        size_t len = strlen(sql);
        assert_true(len > sizeof head + sizeof tail - 2);
        sql[len - (sizeof tail - 1)] = '\0';
        if (strcmp(sql + sizeof head - 1, cases[i].sql) != 0)
            fail_msg("%s:\n%s instead of\n%s", cases[i].text, sql + sizeof head - 1, cases[i].sql);
        free(sql);
        assert_true(check(cases[i].text) >= 0);
    }
}

/* What SQLite would answer otherwise if it were asked in the plain way. */
static void test_exact(void **state)
{
    static const struct {
        const char *text;
        int rows; /* -1: any */
    } cases[] = {
        {"a + b = 0.3 AND a = 0.1 AND b = 0.2", -1}, {"a = 0.30000000000000004", 0}, {"i = 9007199254740993", -1}, {"i < 9007199254740992.5 AND i > 9007199254740991.5", -1}, {"i = 9223372036854775808", 0},
        {"i <= 9223372036854775807.5", -1}, {"i > 1e19", 0}, {"i > -1e19", -1}, {"w = 0.1", -1}, {"w > 0.1 AND w < 0.1000000000000001", -1}, {"v > 9223372036854775807", -1}, {"a = i", -1}, {"a = k OR a <> k", -1},
        {"a / 0 IS NULL", ROWS}, {"t LIKE 'ABC%'", -1}, {"t = 'ABC' OR t = 'abc'", -1}, {"-a = 12.5", -1}, {"a = -0", -1}, {"s >= '0001-01-01T00:00:00Z'", -1}, {"s < '0001-01-01T00:00:00Z'", -1},
        {"s > '9999-12-31T23:59:59Z'", -1}, {"s + 1 = 2", -2}, {"i / 3 * 3 = i", -1}, {"i * i > 0", -1}, {"a < 1e-299 AND a > 0", -1}, {"t > 'a' AND t < 'b'", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int count = check(cases[i].text);
        if (cases[i].rows == -2 ? count != -1 : count < 0 || (cases[i].rows >= 0 && count != cases[i].rows))
            fail_msg("%s: %d rows", cases[i].text, count);
    }
    assert_true(check("s < '0001-01-01T00:00:00Z'") > 0); /* 0000-12-31 in UTC */
    assert_true(check("s > '9999-12-31T23:59:59Z'") > 0);
    assert_true(check("w > 0.1 AND w < 0.1000000000000001") > 0);
    assert_true(check("v > 9223372036854775807") > 0);
    assert_true(check("t LIKE 'ab\xf4\x8f\xbf\xbf%'") > 0);
}

/* HEAD, N times PART, TAIL. */
static char *repeat(const char *head, const char *part, size_t n, const char *tail)
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

static void test_size(void **state)
{
    static const struct {
        const char *head, *part, *tail;
        size_t n;
    } cases[] = {
        {"a = 1", " OR a=2", "", 2000}, {"a > -1e9", " AND a<2e9", "", 1200}, {"i IN (1", ",7", ")", 32000}, {"i IN (1", ",7", ")", 12000}, {"t IN ('a'", ",'b'", ")", 3000}, {"a > 0", " AND b<>1 OR a=2", "", 600},
        {"", "NOT ", "y", 99}, {"", "(y OR NOT ", "y))))))))))))))))))))))))))))))))))))))))", 40}, {"a = 1", " + 1", "", 2000}, {"S_INTERSECTS(geometry, BBOX(0,0,5,5))", " OR i=2", "", 1000},
        {"S_INTERSECTS(geometry, BBOX(0,0,5,5)) AND geometry IS NOT NULL AND (", "y AND (", "y))))))))))))))))))))))))))))))", 29}, {"y = (", "y = (", "y))))))))))))))))))))))))))))))", 29},
        {"a = 1", " OR a=2", "", 395}, {"a = 1", " OR t LIKE 'a%'", "", 395}, {"y IN (y", ",y", ")", 1000}, {"i BETWEEN ", "(", "1)))))))))))))))))))))))))))) AND 9", 28},
        {"a = 1", " OR (a = 2 AND b = 3)", "", 190}, {"S_INTERSECTS(geometry, POINT(1 1))", " OR S_INTERSECTS(geometry, POINT(1 1))", "", 100},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeat(cases[i].head, cases[i].part, cases[i].n, cases[i].tail);
        if (check(text) < 0)
            fail_msg("case %zu is not compiled", i);
        free(text);
    }
}

/* No value becomes part of the text. */
static void test_injection(void **state)
{
    static const char *const evil[] = {"'; DROP TABLE data; --", "x' OR '1'='1", "\"; DELETE FROM data", "a/*b*/c", "?1", ":x", "%' UNION SELECT 1 --", "a\\", "Robert'); DROP TABLE data;--"};
    (void)state;
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++) {
        static const char *const forms[] = {"t = ", "t LIKE ", "CASEI(t) = ", "t IN ('a', "};
        for (size_t k = 0; k < 4; k++) {
            struct words w = {.len = 0};
            say(&w, "%s", forms[k]);
            say_text(&w, evil[i]);
            say(&w, k == 3 ? ")" : "");
            char *sql = sql_of(w.text);
            for (const char *p = sql; *p != '\0'; p++)
                if (strchr("';\"-/:1", *p) != NULL && strncmp(p, "1 AND", 5) != 0)
                    fail_msg("%s: %s", w.text, sql);
            free(sql);
        }
        struct odp_arena arena;
        const struct odp_expr *e;
        struct odp_text expected;
        const struct odp_slice value = odp_slice_of(evil[i]);
        odp_arena_init(&arena);
        assert_int_equal(odp_expr_equal(&arena, &scope, T, &value, 1, &e, &expected), ODP_OK);
        assert_int_equal(compare(e, &arena, evil[i]), check(i == 0 ? "t = '''; DROP TABLE data; --'" : "t = 'nothing like it'"));
        odp_arena_release(&arena);
    }
    assert_true(check("t = '''; DROP TABLE data; --'") > 0);
}

/* Equality parameters, boxes and their conjunction. */
static void test_makers(void **state)
{
    static const struct {
        int field;
        const char *value, *text;
    } cases[] = {
        {A, "12.50", "a = 12.5"}, {W, "0.1", "w = 0.1"}, {I, "7", "i = 7"}, {I, "7.0", "i = 7"}, {V, "9223372036854775808", "v = 9223372036854775808"}, {T, "it's", "t = 'it''s'"}, {T, "", "t = ''"}, {D, "2024-03-15", "d = '2024-03-15'"},
        {S, "2024-03-15T08:05:00+08:00", "s = '2024-03-15T00:05:00Z'"}, {J, "07:05:00.500", "j = '07:05:00.5'"}, {Y, "true", "y"}, {Y, "FALSE", "NOT y"}, {M, "2024-03", "m = '2024-03'"}, {TH, "2024", "th = 2024"}, {L, "P1Y", "l = 'P1Y'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_arena arena;
        const struct odp_expr *e, *two, *both, *box;
        struct odp_text expected;
        const struct odp_slice value[2] = {odp_slice_of(cases[i].value), odp_slice_of(cases[i].value)};
        const double corner[4] = {-5, -5, 5, 5};
        odp_arena_init(&arena);
        assert_int_equal(odp_expr_equal(&arena, &scope, (uint32_t)cases[i].field, value, 1, &e, &expected), ODP_OK);
        assert_int_equal(odp_expr_equal(&arena, &scope, (uint32_t)cases[i].field, value, 2, &two, &expected), ODP_OK);
        int count = compare(e, &arena, cases[i].value);
        assert_true(count > 0);
        assert_int_equal(count, check(cases[i].text));
        assert_int_equal(count, compare(two, &arena, cases[i].value));
        assert_int_equal(odp_expr_box(&arena, &scope, corner, &box), ODP_OK);
        assert_int_equal(odp_expr_and(&arena, e, box, &both), ODP_OK);
        char text[200];
        snprintf(text, sizeof text, "%s AND S_INTERSECTS(geometry, BBOX(-5,-5,5,5))", cases[i].text);
        assert_int_equal(compare(both, &arena, text), check(text));
        odp_expr_release(both);
        odp_expr_release(box);
        assert_int_equal(odp_expr_and(&arena, NULL, e, &both), ODP_OK);
        assert_int_equal(compare(both, &arena, cases[i].text), count);
        assert_int_equal(odp_expr_and(&arena, NULL, NULL, &both), ODP_OK);
        assert_null(both);
        odp_arena_release(&arena);
    }
    static const struct {
        int field;
        const char *value, *expected;
    } faults[] = {{A, "x", "a number"}, {A, "", "a number"}, {I, "1,5", "a number"}, {Y, "1", "true or false"}, {D, "15/03/2024", "a date such as"}, {S, "2024-03-15T00:00:00", "a date and time"}, {J, "7", "a time"},
                  {M, "2024", "a year and month"}, {O, "{}", "another column"}, {TH, "MMXXIV", "a number"}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct odp_arena arena;
        const struct odp_expr *e;
        struct odp_sql_value value;
        struct odp_text expected = {{NULL, NULL}};
        const struct odp_slice text = odp_slice_of(faults[i].value);
        odp_arena_init(&arena);
        assert_int_equal(odp_expr_equal(&arena, &scope, (uint32_t)faults[i].field, &text, 1, &e, &expected), ODP_BAD);
        assert_non_null(expected.in[ODP_LANG_ID]);
        if (strstr(expected.in[ODP_LANG_EN], faults[i].expected) == NULL)
            fail_msg("%s: %s", faults[i].value, expected.in[ODP_LANG_EN]);
        assert_int_equal(odp_sql_literal(text, fields[faults[i].field].type, &arena, &value, &expected), ODP_BAD);
        odp_arena_release(&arena);
    }
}

static void test_literals(void **state)
{
    static const struct {
        enum odp_type type;
        const char *text;
        enum odp_sql_kind kind;
        const char *want;
    } cases[] = {
        {ODP_TYPE_NUMBER, "12.50", ODP_SQL_REAL, "12.5"}, {ODP_TYPE_NUMBER, "7", ODP_SQL_REAL, "7"}, {ODP_TYPE_NUMBER, "0.1234567890123456", ODP_SQL_BLOB, "0.1234567890123456"}, {ODP_TYPE_INTEGER, "9223372036854775807", ODP_SQL_INT, "9223372036854775807"},
        {ODP_TYPE_INTEGER, "9223372036854775808", ODP_SQL_BLOB, "9223372036854775808"}, {ODP_TYPE_INTEGER, "1e3", ODP_SQL_INT, "1000"}, {ODP_TYPE_INTEGER, "1.5", ODP_SQL_BLOB, "1.5"}, {ODP_TYPE_YEAR, "2024", ODP_SQL_INT, "2024"},
        {ODP_TYPE_BOOLEAN, "true", ODP_SQL_INT, "1"}, {ODP_TYPE_BOOLEAN, "false", ODP_SQL_INT, "0"}, {ODP_TYPE_STRING, "a'b", ODP_SQL_TEXT, "a'b"}, {ODP_TYPE_STRING, "", ODP_SQL_TEXT, ""}, {ODP_TYPE_DATE, "2024-03-15", ODP_SQL_TEXT, "2024-03-15"},
        {ODP_TYPE_DATETIME, "2024-03-15T07:05:00.500+07:00", ODP_SQL_TEXT, "2024-03-15T00:05:00.5"}, {ODP_TYPE_TIME, "07:05:00.50", ODP_SQL_TEXT, "07:05:00.5"}, {ODP_TYPE_YEARMONTH, "2024-03", ODP_SQL_TEXT, "2024-03"}, {ODP_TYPE_DURATION, "P1Y", ODP_SQL_TEXT, "P1Y"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_arena arena;
        struct odp_sql_value v;
        struct odp_text expected;
        char got[64];
        odp_arena_init(&arena);
        assert_int_equal(odp_sql_literal(odp_slice_of(cases[i].text), cases[i].type, &arena, &v, &expected), ODP_OK);
        assert_int_equal(v.kind, cases[i].kind);
        if (v.kind == ODP_SQL_INT)
            snprintf(got, sizeof got, "%lld", (long long)v.i);
        else if (v.kind == ODP_SQL_REAL)
            snprintf(got, sizeof got, "%.17g", v.r);
        else
            snprintf(got, sizeof got, "%.*s", (int)v.text.len, v.text.ptr);
        assert_string_equal(got, cases[i].want);
        odp_arena_release(&arena);
    }
}

/* More columns than a function may have arguments. */
static void test_pack(void **state)
{
    enum { N = 200 };
    struct odp_field many[N];
    static char names[N][16];
    struct odp_schema big = {.fields = many, .n = N};
    const struct odp_expr_scope big_scope = {.schema = &big};
    struct odp_buffer text, create, insert;
    sqlite3 *other;
    (void)state;
    odp_buffer_init(&text);
    odp_buffer_init(&create);
    odp_buffer_init(&insert);
    odp_buffer_add_str(&create, "CREATE TABLE data (id INTEGER PRIMARY KEY");
    odp_buffer_add_str(&insert, "INSERT INTO data VALUES (1");
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        many[i] = (struct odp_field){.name = names[i], .source_name = names[i], .type = i % 3 == 0 ? ODP_TYPE_STRING : ODP_TYPE_NUMBER};
        odp_buffer_printf(&create, ", c%d", i);
        odp_buffer_printf(&insert, i % 3 == 0 ? ", 't%d'" : i % 3 == 1 ? ", %d.5" : ", %d", i);
        odp_buffer_printf(&text, i % 3 == 0 ? "%sCASEI(f%d) = 't%d'" : i % 3 == 1 ? "%sf%d + 0 = %d.5" : "%sf%d + 0 = %d", i > 0 ? " AND " : "", i, i);
    }
    odp_buffer_add_str(&create, ");");
    odp_buffer_add_str(&insert, ")");
    for (int i = 0; i < 300; i++)
        odp_buffer_printf(&text, " AND f%d IS NOT NULL", i % N);
    struct odp_arena arena;
    const struct odp_expr *e;
    struct odp_expr_fault fault;
    struct odp_sql sql;
    sqlite3_stmt *s;
    odp_arena_init(&arena);
    assert_int_equal(odp_expr_compile_in(&arena, odp_buffer_slice(&text), &big_scope, &e, &fault), ODP_OK);
    odp_sql_init(&sql, &arena);
    odp_buffer_add_str(&sql.text, "SELECT count(*) FROM data d WHERE ");
    assert_int_equal(odp_expr_sql(e, &(struct odp_sql_table){.alias = "d"}, &sql), ODP_OK);
    assert_non_null(strstr(odp_buffer_cstr(&sql.text), "odp_eval(?, odp_pack(d.c0, "));
    assert_int_equal(sqlite3_open(":memory:", &other), SQLITE_OK);
    assert_int_equal(sqlite3_limit(other, SQLITE_LIMIT_FUNCTION_ARG, 100), 127);
    assert_int_equal(odp_query_functions(other), ODP_OK);
    assert_int_equal(sqlite3_exec(other, odp_buffer_cstr(&create), NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, odp_buffer_cstr(&insert), NULL, NULL, NULL), SQLITE_OK);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(sqlite3_prepare_v2(other, odp_buffer_cstr(&sql.text), -1, &s, NULL), SQLITE_OK);
        bind(s, &sql);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(s, 0), round == 0);
        sqlite3_finalize(s);
        assert_int_equal(sqlite3_exec(other, "UPDATE data SET c199 = 198.5", NULL, NULL, NULL), SQLITE_OK);
    }
    sqlite3_close(other);
    odp_sql_release(&sql);
    odp_arena_release(&arena);
    odp_buffer_release(&text);
    odp_buffer_release(&create);
    odp_buffer_release(&insert);
}

/* A statement is kept and used again for another expression of the same text: what odp_eval and odp_spatial keep beside it must not be the first one's. */
static void test_again(void **state)
{
    static const char *const texts_of[][2] = {{"a + 1 > 5", "a + 1 > 100"}, {"NOT S_INTERSECTS(geometry, BBOX(-9,-9,0,0))", "NOT S_INTERSECTS(geometry, BBOX(0,0,9,9))"}, {"w > 1 OR y", "w > 12.4 OR y"}};
    (void)state;
    for (size_t i = 0; i < sizeof texts_of / sizeof *texts_of; i++) {
        sqlite3_stmt *s = NULL;
        char *first = NULL;
        for (int round = 0; round < 6; round++) {
            static const struct odp_sql_table table = {.alias = "d", .wide = wide};
            struct odp_arena arena;
            const struct odp_expr *e;
            struct odp_expr_fault fault;
            struct odp_sql sql;
            uint8_t truth[ROWS];
            int want = 0, got = 0;
            odp_arena_init(&arena);
            assert_int_equal(odp_expr_compile_in(&arena, odp_slice_of(texts_of[i][round % 2]), &scope, &e, &fault), ODP_OK);
            odp_sql_init(&sql, &arena);
            odp_buffer_add_str(&sql.text, "SELECT id FROM data d WHERE ");
            assert_int_equal(odp_expr_sql(e, &table, &sql), ODP_OK);
            if (s == NULL) {
                first = strdup(odp_buffer_cstr(&sql.text));
                assert_int_equal(sqlite3_prepare_v2(db, first, -1, &s, NULL), SQLITE_OK);
            }
            assert_string_equal(odp_buffer_cstr(&sql.text), first);
            bind(s, &sql);
            assert_int_equal(odp_expr_eval(e, &batch, &arena, truth), ODP_OK);
            for (int r = 0; r < ROWS; r++)
                want += truth[r] == ODP_TRUE;
            while ((round < 2 || got < 3) && sqlite3_step(s) == SQLITE_ROW) /* later rounds are given up after three */
                got++;
            assert_int_equal(got, round < 2 ? want : 3);
            sqlite3_reset(s);
            odp_sql_release(&sql);
            odp_expr_release(e);
            odp_arena_release(&arena);
        }
        sqlite3_finalize(s);
        free(first);
    }
}

/* ---- odp_order, odp_sum ---- */

static char *one_text(const char *sql)
{
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    int rc = sqlite3_step(s);
    char *out = rc != SQLITE_ROW ? strdup("error") : sqlite3_column_text(s, 0) != NULL ? strdup((const char *)sqlite3_column_text(s, 0)) : NULL;
    sqlite3_finalize(s);
    return out;
}

static void test_order(void **state)
{
    static const char *const rising[] = {"-1e300", "-123456789012345678901234567890.5", "-100", "-12.51", "-12.5", "-12.49", "-1", "-0.51", "-0.5", "-0.05", "-1e-300", "0", "1e-300", "0.0000000000000000000001", "0.05", "0.1",
                                         "0.1000000000000000055511151231257827", "0.5", "0.51", "1", "9.9", "10", "12.5", "12.500000000000000000001", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808", "1e300"};
    enum { N = sizeof rising / sizeof *rising };
    unsigned char key[N][200];
    int len[N];
    sqlite3_stmt *s;
    (void)state;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT odp_order(?)", -1, &s, NULL), SQLITE_OK);
    for (int i = 0; i < N; i++) {
        for (int as = 0; as < 3; as++) { /* as BLOB, and as INTEGER or REAL where that is the same number */
            double real;
            int scale;
            char *end, whole[32];
            sqlite3_int64 v = strtoll(rising[i], &end, 10);
            snprintf(whole, sizeof whole, "%lld", v);
            if (as == 0)
                sqlite3_bind_blob(s, 1, rising[i], (int)strlen(rising[i]), SQLITE_STATIC);
            else if (as == 1 && strcmp(whole, rising[i]) == 0)
                sqlite3_bind_int64(s, 1, v);
            else if (as == 2 && odp_search_real(odp_slice_of(rising[i]), &real, &scale))
                sqlite3_bind_double(s, 1, real);
            else
                continue;
            assert_int_equal(sqlite3_step(s), SQLITE_ROW);
            int n = sqlite3_column_bytes(s, 0);
            assert_in_range(n, 1, 199);
            if (as == 0) {
                memcpy(key[i], sqlite3_column_blob(s, 0), (size_t)n);
                len[i] = n;
            } else {
                assert_int_equal(n, len[i]);
                assert_memory_equal(key[i], sqlite3_column_blob(s, 0), (size_t)n);
            }
            sqlite3_reset(s);
        }
        if (i > 0) {
            int cmp = memcmp(key[i - 1], key[i], (size_t)(len[i - 1] < len[i] ? len[i - 1] : len[i]));
            if (cmp > 0 || (cmp == 0 && len[i - 1] >= len[i]))
                fail_msg("%s is not before %s", rising[i - 1], rising[i]);
        }
    }
    sqlite3_finalize(s);
    static const char *const same[][2] = {{"1.50", "1.5"}, {"1e2", "100"}, {"-0", "0"}, {"0.00", "0"}, {"1E+2", "100.0"}, {"12e-1", "1.2"}, {"0.0012e3", "1.2"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char sql[200];
        snprintf(sql, sizeof sql, "SELECT odp_order(CAST('%s' AS BLOB)) = odp_order(CAST('%s' AS BLOB))", same[i][0], same[i][1]);
        char *got = one_text(sql);
        assert_string_equal(got, "1");
        free(got);
    }
    assert_null(one_text("SELECT odp_order(NULL)"));
    char *bad = one_text("SELECT odp_order('x')");
    assert_string_equal(bad, "error");
    free(bad);
}

static void test_sum(void **state)
{
    static const struct {
        const char *values;
        int scale;
        const char *sum; /* NULL: null */
    } cases[] = {
        {"(0.1),(0.2),(0.3)", 1, "0.6"}, {"(0.1),(0.2),(0.3)", -1, "0.6"}, {"(1),(2),(3)", 0, "6"}, {"(9223372036854775807),(9223372036854775807)", 0, "18446744073709551614"}, {"(1),(2.5)", 1, "3.5"}, {"(NULL)", 1, NULL}, {"(NULL),(5)", 0, "5"},
        {"(0.01),(-0.01)", 2, "0"}, {"(999999999999.999),(0.001)", 3, "1000000000000"}, {"(123456789012.345),(1e14)", 3, "100123456789012.345"}, {"(CAST('12345678901234567890.5' AS BLOB)),(0.25)", -1, "12345678901234567890.75"},
        {"(CAST('99999999999999999999999999999999999999' AS BLOB)),(1)", -1, NULL}, {"(1e300),(1)", 0, NULL}, {"('x')", 0, "error"}, {"(-0.0)", 2, "0"}, {"(900000000000000.0),(0.00001)", 5, "900000000000000.00001"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[400];
        snprintf(sql, sizeof sql, "SELECT odp_sum(column1, %d) FROM (VALUES %s)", cases[i].scale, cases[i].values);
        char *got = one_text(sql);
        if ((got == NULL) != (cases[i].sum == NULL) || (got != NULL && strcmp(got, cases[i].sum) != 0))
            fail_msg("%s: %s", sql, got == NULL ? "NULL" : got);
        free(got);
    }
    /* a million tenths and hundredths of an integer's range */
    char *got = one_text("WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 100000) SELECT odp_sum(x / 10.0, 1) FROM n");
    assert_string_equal(got, "500005000");
    free(got);
}

/* LIKE is SQLite's own where that is made to be case-sensitive and to know the escape. */
static void test_like(void **state)
{
    static const char *const parts[] = {"a", "b", "aa", "ab", "\xc3\xa9", "\xc3\xa8", "\xe2\x82\xac", "A", " "}, *const wild[] = {"%", "_", "\\%", "\\_", "\\\\", "%%", "\\a", "\\\xc3\xa9"};
    sqlite3_stmt *s;
    int yes = 0;
    (void)state;
    assert_int_equal(sqlite3_exec(db, "PRAGMA case_sensitive_like = ON", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT ?1 LIKE ?2 ESCAPE '\\', odp_like(?1, ?2)", -1, &s, NULL), SQLITE_OK);
    for (int round = 0; round < 40000; round++) {
        char text[100] = "", pattern[100] = "";
        for (size_t n = pick(9); n > 0; n--)
            strcat(text, pick(8) == 0 ? "%" : pick(8) == 0 ? "_" : pick(8) == 0 ? "\\" : parts[pick(sizeof parts / sizeof *parts)]);
        strcat(pattern, pick(2) ? "%" : "");
        for (size_t n = pick(5); n > 0; n--)
            strcat(pattern, pick(2) ? wild[pick(sizeof wild / sizeof *wild)] : parts[pick(sizeof parts / sizeof *parts)]);
        strcat(pattern, pick(2) ? "%" : "");
        sqlite3_bind_text(s, 1, text, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 2, pattern, -1, SQLITE_STATIC);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        if (sqlite3_column_int(s, 0) != sqlite3_column_int(s, 1))
            fail_msg("'%s' LIKE '%s' is %d", text, pattern, sqlite3_column_int(s, 0));
        yes += sqlite3_column_int(s, 0);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    assert_true(yes > 4000);
}

/* Values that no statement of ours gives. */
static void test_misuse(void **state)
{
    static const char *const wrong[] = {"SELECT odp_eval(1)", "SELECT odp_eval()", "SELECT odp_spatial(x'00', x'00')", "SELECT odp_spatial(NULL, NULL)", "SELECT odp_sum(x'', 0)", "SELECT odp_order(x'')"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *got = one_text(wrong[i]);
        if (got == NULL || strcmp(got, "error") != 0)
            fail_msg("%s: %s", wrong[i], got == NULL ? "NULL" : got);
        free(got);
    }
    assert_null(one_text("SELECT odp_like(NULL, 'a')"));
    assert_null(one_text("SELECT odp_like('a', NULL)"));
    assert_null(one_text("SELECT odp_casei(NULL)"));
    char *folded = one_text("SELECT odp_casei('\xc3\x89T\xc3\x89 ABC')");
    assert_string_equal(folded, "\xc3\xa9t\xc3\xa9 abc");
    free(folded);
    char *text = repeat("SELECT length(odp_casei('", "ABC", 1000, "'))");
    char *got = one_text(text);
    assert_string_equal(got, "3000");
    free(got);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),  cmocka_unit_test(test_exact),    cmocka_unit_test(test_random), cmocka_unit_test(test_sides), cmocka_unit_test(test_size), cmocka_unit_test(test_injection),
        cmocka_unit_test(test_makers), cmocka_unit_test(test_literals), cmocka_unit_test(test_pack), cmocka_unit_test(test_again),   cmocka_unit_test(test_order), cmocka_unit_test(test_sum), cmocka_unit_test(test_like),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, make_table, drop_table);
}
