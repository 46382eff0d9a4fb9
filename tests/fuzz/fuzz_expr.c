/* Any bytes as an expression, in text or (where they are a JSON document) in CQL2 JSON, over records with a
 * geometry: faults must point into the text; what compiles is evaluated, has a normal form, and as SQL it
 * finds the records for which it is true. */
#include <sqlite3.h>

#include "catalog/expr/expr.h"
#include "catalog/expr/sql.h"
#include "catalog/index/search.h"
#include "catalog/index/gpb.h"
#include "fuzz.h"
#include "service/queries/engine/functions.h"

enum { FIELDS = 10, ROWS = 4, COST = 20000 /* bytes of SQL that are still run */ };

static const struct {
    const char *name;
    enum odp_type type;
} names[FIELDS] = {
    {"a", ODP_TYPE_NUMBER},  {"b", ODP_TYPE_STRING},   {"d", ODP_TYPE_DATE}, {"t", ODP_TYPE_DATETIME},
    {"i", ODP_TYPE_INTEGER}, {"y", ODP_TYPE_BOOLEAN},  {"j", ODP_TYPE_TIME}, {"m", ODP_TYPE_YEARMONTH},
    {"th", ODP_TYPE_YEAR},   {"l", ODP_TYPE_DURATION},
};
static const bool wide[FIELDS] = {true, false, false, false, true};
static const char *const values[ROWS][FIELDS] = {
    {"12.5", "Kel. Caf\xc3\xa9", "2024-02-29", "2024-02-29T23:59:59.5+07:00", "7", "true", "23:00:00",
     "2024-02", "2024", "P1Y2M"},
    {"-99999999999999999999999999999999999999.9", "", "0001-01-01", "0001-01-01T00:00:00+14:00", "-1",
     "false", "00:00:00", "0001-01", "1", "PT0S"},
    {"1e-300", "%_\\", "9999-12-31", "9999-12-31T23:59:59-14:00", "9223372036854775808", "true",
     "12:00:00.123456789", "9999-12", "9999", "-P1D"},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};
static struct odp_field fields[FIELDS];
static const struct odp_schema schema = {.fields = fields, .n = FIELDS};
static const struct odp_expr_scope scope = {.schema = &schema, .geometry = "geometry"};
static double point[2] = {106.8, -6.2}, square[10] = {0, 0, 10, 0, 10, 10, 0, 10, 0, 0};
static uint32_t one[2] = {0, 1}, five[2] = {0, 5};
static const struct odp_geom shapes[2] = {
    {.type = ODP_GEOM_POINT,
     .npoints = 1,
     .nparts = 1,
     .xy = point,
     .part = one,
     .bbox = {106.8, -6.2, 106.8, -6.2},
     .label = {106.8, -6.2}},
    {.type = ODP_GEOM_POLYGON,
     .npoints = 5,
     .nparts = 1,
     .npolys = 1,
     .xy = square,
     .part = five,
     .poly = one,
     .bbox = {0, 0, 10, 10},
     .label = {5, 5}},
};
static const struct odp_geom *geometry[ROWS] = {&shapes[0], &shapes[1], NULL, NULL};

/* ---- the same records in SQLite ---- */

static void bind_value(sqlite3_stmt *s, int at, enum odp_type type, const char *text)
{
    char instant[ODP_DATETIME_SIZE], *end;
    double real;
    int scale, len = (int)strlen(text);
    if (type == ODP_TYPE_NUMBER && odp_search_real(odp_slice_of(text), &real, &scale))
        (void)sqlite3_bind_double(s, at, real);
    else if (type == ODP_TYPE_BOOLEAN)
        (void)sqlite3_bind_int(s, at, *text == 't');
    else if (type == ODP_TYPE_NUMBER || (type == ODP_TYPE_INTEGER && len > 18))
        (void)sqlite3_bind_blob(s, at, text, len, SQLITE_STATIC);
    else if (type == ODP_TYPE_INTEGER || type == ODP_TYPE_YEAR)
        (void)sqlite3_bind_int64(s, at, strtoll(text, &end, 10));
    else if (type == ODP_TYPE_DATETIME)
        (void)sqlite3_bind_text(s, at, instant, (int)odp_search_instant(odp_slice_of(text), instant),
                                SQLITE_TRANSIENT);
    else
        (void)sqlite3_bind_text(s, at, text, len, SQLITE_STATIC);
}

static void insert(sqlite3 *db, int row)
{
    sqlite3_stmt *s;
    struct odp_buffer shape = {0};
    double box[4];
    if (geometry[row] != NULL)
        odp_gpb_add(&shape, geometry[row]);
    NEED(sqlite3_prepare_v2(db, "INSERT INTO data VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", -1, &s, NULL) ==
         SQLITE_OK);
    (void)sqlite3_bind_int(s, 1, row + 1);
    for (int f = 0; f < FIELDS; f++)
        if (values[row][f] != NULL)
            bind_value(s, f + 2, names[f].type, values[row][f]);
    if (geometry[row] != NULL)
        (void)sqlite3_bind_blob(s, FIELDS + 2, shape.ptr, (int)shape.len, SQLITE_TRANSIENT);
    NEED(sqlite3_step(s) == SQLITE_DONE);
    (void)sqlite3_finalize(s);
    if (geometry[row] != NULL) {
        NEED(odp_gpb_box(odp_buffer_slice(&shape), box));
        NEED(sqlite3_prepare_v2(db, "INSERT INTO box VALUES (?,?,?,?,?)", -1, &s, NULL) == SQLITE_OK);
        (void)sqlite3_bind_int(s, 1, row + 1);
        for (int k = 0; k < 4; k++)
            (void)sqlite3_bind_double(s, k + 2, box[k % 2 * 2 + k / 2]);
        NEED(sqlite3_step(s) == SQLITE_DONE);
        (void)sqlite3_finalize(s);
    }
    odp_buffer_release(&shape);
}

static sqlite3 *database(void)
{
    static sqlite3 *db;
    if (db != NULL)
        return db;
    NEED(sqlite3_open(":memory:", &db) == SQLITE_OK);
    NEED(sqlite3_exec(db,
                      "CREATE TABLE data (fid INTEGER PRIMARY KEY, c0, c1 TEXT, c2 TEXT, c3 TEXT, c4, c5 "
                      "INTEGER, c6 TEXT, c7 TEXT, c8 INTEGER, c9 TEXT, geom BLOB);"
                      "CREATE VIRTUAL TABLE box USING rtree(id, minx, maxx, miny, maxy)",
                      NULL, NULL, NULL) == SQLITE_OK);
    NEED(odp_query_functions(db) == ODP_OK);
    for (int row = 0; row < ROWS; row++)
        insert(db, row);
    return db;
}

static void bind(sqlite3_stmt *s, const struct odp_sql *sql)
{
    for (uint32_t i = 0; i < sql->n; i++) {
        const struct odp_sql_value *v = &sql->values[i];
        int at = (int)i + 1;
        if (v->kind == ODP_SQL_INT)
            (void)sqlite3_bind_int64(s, at, v->i);
        else if (v->kind == ODP_SQL_REAL)
            (void)sqlite3_bind_double(s, at, v->r);
        else if (v->kind == ODP_SQL_TEXT)
            (void)sqlite3_bind_text(s, at, v->text.ptr, (int)v->text.len, SQLITE_STATIC);
        else if (v->kind == ODP_SQL_BLOB)
            (void)sqlite3_bind_blob(s, at, v->text.ptr, (int)v->text.len, SQLITE_STATIC);
        else if (v->kind == ODP_SQL_POINTER)
            (void)sqlite3_bind_pointer(s, at, (void *)(uintptr_t)v->pointer, v->pointer_type, NULL);
    }
}

static void as_sql(const struct odp_expr *expr, struct odp_arena *arena, const uint8_t *truth)
{
    static const char *const sql_columns[FIELDS] = {"c0", "c1", "c2", "c3", "c4",
                                                    "c5", "c6", "c7", "c8", "c9"};
    static const struct odp_sql_table table = {
        .alias = "d",
        .columns = sql_columns,
        .geometry = "geom",
        .rtree = "box",
        .name = "data",
        .wide = wide,
    };
    struct odp_sql sql;
    sqlite3_stmt *s = NULL;
    uint8_t found[ROWS] = {0};
    odp_sql_init(&sql, arena);
    odp_buffer_add_str(&sql.text, "SELECT fid FROM data d WHERE ");
    NEED(odp_expr_sql(expr, &table, &sql) == ODP_OK);
    NEED(sqlite3_prepare_v2(database(), odp_buffer_cstr(&sql.text), -1, &s, NULL) == SQLITE_OK);
    NEED(sqlite3_bind_parameter_count(s) == (int)sql.n);
    bind(s, &sql);
    int rc = SQLITE_DONE;
    bool run = sql.text.len < COST;
    while (run && (rc = sqlite3_step(s)) == SQLITE_ROW)
        found[sqlite3_column_int(s, 0) - 1] = 1;
    NEED(rc == SQLITE_DONE);
    for (int i = 0; run && i < ROWS; i++)
        NEED(found[i] == (truth[i] == ODP_TRUE));
    (void)sqlite3_finalize(s);
    odp_sql_release(&sql);
}

/* ---- invariants of an expression ---- */

static void evaluate(const struct odp_expr *expr, uint8_t truth[ROWS])
{
    static struct odp_slice text[FIELDS][ROWS];
    static uint8_t state[FIELDS][ROWS];
    struct odp_column columns[FIELDS];
    struct odp_batch b = {.nrecords = ROWS, .columns = columns, .geometry = geometry};
    struct odp_arena scratch;
    size_t n;
    const uint32_t *used = odp_expr_fields(expr, &n);
    for (size_t i = 0; i < n; i++)
        NEED(used[i] < FIELDS);
    for (int f = 0; f < FIELDS; f++) {
        columns[f] = (struct odp_column){text[f], state[f]};
        for (int i = 0; i < ROWS; i++) {
            text[f][i] = odp_slice_of(values[i][f]);
            state[f][i] = values[i][f] == NULL ? ODP_VALUE_NULL : ODP_VALUE_OK;
        }
    }
    odp_arena_init(&scratch);
    NEED(odp_expr_eval(expr, &b, &scratch, truth) == ODP_OK);
    for (int i = 0; i < ROWS; i++)
        NEED(truth[i] <= ODP_UNKNOWN);
    state[0][2] = ODP_VALUE_BAD; /* what was reported says nothing */
    uint8_t bad[ROWS];
    NEED(odp_expr_eval(expr, &b, &scratch, bad) == ODP_OK);
    for (size_t i = 0; i < n; i++)
        NEED(used[i] != 0 || bad[2] == ODP_UNKNOWN);
    odp_arena_release(&scratch);
}

static void check(const struct odp_expr *expr, struct odp_arena *arena)
{
    uint8_t truth[ROWS] = {9, 9, 9, 9};
    const struct odp_expr *twice;
    struct odp_buffer normal = {0};
    evaluate(expr, truth);
    NEED(odp_expr_normal(expr, &normal) == ODP_OK && normal.len > 0);
    odp_buffer_release(&normal);
    as_sql(expr, arena, truth);
    NEED(odp_expr_and(arena, expr, expr, &twice) == ODP_OK);
    as_sql(twice, arena, truth);
    odp_expr_release(twice);
    odp_expr_release(expr);
}

static void as_json(struct odp_slice text, struct odp_arena *arena)
{
    const struct odp_expr *expr = NULL;
    struct odp_expr_json_fault fault = {0};
    json_t *json = json_loadb(text.ptr, text.len, JSON_DECODE_ANY, NULL);
    if (json == NULL)
        return;
    enum odp_status status = odp_expr_compile_json(arena, json, &scope, &expr, &fault);
    json_decref(json);
    NEED(status == ODP_OK || (status == ODP_BAD && fault.pointer != NULL && fault.message.in[0] != NULL &&
                              fault.message.in[1] != NULL));
    if (status == ODP_OK)
        check(expr, arena);
}

void fuzz_one(struct odp_slice in)
{
    struct odp_arena arena;
    const struct odp_expr *expr = NULL;
    struct odp_expr_fault fault = {0};
    for (int f = 0; f < FIELDS; f++)
        fields[f] =
            (struct odp_field){.name = names[f].name, .source_name = names[f].name, .type = names[f].type};
    odp_arena_init(&arena);
    enum odp_status status = odp_expr_compile_in(&arena, in, &scope, &expr, &fault);
    NEED(status == ODP_OK || (status == ODP_BAD && fault.at <= in.len && fault.len <= in.len - fault.at &&
                              fault.message.in[0] != NULL && fault.message.in[1] != NULL));
    if (status == ODP_OK)
        check(expr, &arena);
    if (in.len > 0 && strchr("{[\"", *in.ptr) != NULL)
        as_json(in, &arena);
    odp_arena_release(&arena);
}
