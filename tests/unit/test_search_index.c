/* The query index, written and read back: every type, geometry, keys, labels, words, odp:queryables, odp:timeline; the same
 * bytes for batches of any size; a disk that is full. */
#include "emit_fixture.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <dirent.h>

#include "base/decimal.h"
#include "search/cells.h"
#include "search/reading.h"
#include "search/shape.h"
#include "search/writer.h"

#define PATH_SIZE 600

static void path_of(const struct fixture *fx, const char *name, char out[PATH_SIZE])
{
    assert_true(snprintf(out, PATH_SIZE, "%s/%s", fx->dir, name) < PATH_SIZE);
}

static void simplify(struct odp_buffer *out, const struct odp_geom *g)
{
    (void)g;
    odp_buffer_add_str(out, "{\"simple\":true}");
}

static struct odp_search_job job_of(const struct fixture *fx, const char *path)
{
    return (struct odp_search_job){.resource = &fx->resource,
                                   .version = "2024-03-15.1",
                                   .last_update = "2024-03-15",
                                   .geometry_name = NULL,
                                   .path = path,
                                   .simplify = simplify};
}

/* Appends CELLS in batches of STEP records and ends. */
static enum odp_status write_index(struct fixture *fx, const struct odp_search_job *job, const struct odp_slice *cells,
                                   uint32_t n, uint32_t step, const struct odp_geom **geometry)
{
    struct odp_search_writer *w;
    struct odp_batch b;
    struct odp_buffer packed;
    uint64_t rows = 0;
    enum odp_status status = odp_search_writer_new(&w, job);
    if (status != ODP_OK)
        return status;
    odp_buffer_init(&packed);
    assert_int_equal(odp_batch_init(&b, 10), ODP_OK);
    for (uint32_t i = 0; i < n && status == ODP_OK; i += step) {
        uint32_t count = n - i < step ? n - i : step;
        fx_batch(fx, &b, cells + (size_t)i * fx->resource.schema.n, count, i + 1);
        b.geometry = geometry != NULL ? geometry + i : NULL;
        odp_buffer_clear(&packed);
        assert_int_equal(odp_search_writer_pack(w, &b, &packed), ODP_OK);
        status = odp_search_writer_append(w, odp_buffer_slice(&packed));
    }
    b.geometry = NULL;
    odp_batch_release(&b);
    odp_buffer_release(&packed);
    if (status != ODP_OK) {
        odp_search_writer_abort(w);
        return status;
    }
    status = odp_search_writer_end(w, &rows);
    if (status == ODP_OK)
        assert_int_equal(rows, n);
    return status;
}

/* ---- reading back ----------------------------------------------------------------------------------------------------------
 */

static sqlite3 *open_index(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    return db;
}

/* Rows of SQL as text: values as literals of SQL (quote()), '|' between them, a line feed after each row. */
static char *ask(sqlite3 *db, const char *sql)
{
    static char text[65536];
    size_t n = 0;
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    int rc;
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        for (int k = 0; k < sqlite3_column_count(s); k++) {
            const char *value = (const char *)sqlite3_column_text(s, k);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", k > 0 ? "|" : "", value != NULL ? value : "NULL");
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
        assert_true(n < sizeof text);
    }
    if (rc != SQLITE_DONE)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_finalize(s);
    text[n] = '\0';
    return text;
}

static void expect(sqlite3 *db, const char *sql, const char *want)
{
    char *got = ask(db, sql);
    if (strcmp(got, want) != 0)
        fail_msg("%s\n--- got\n%s--- expected\n%s", sql, got, want);
}

/* The cells of record ID as "json,json,…"; null where a value has no bytes. */
static void expect_cells(sqlite3 *db, int id, uint32_t n, const char *want)
{
    sqlite3_stmt *s;
    struct odp_slice cells[64];
    char text[4096] = "";
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT cells FROM record WHERE id = ?", -1, &s, NULL), SQLITE_OK);
    sqlite3_bind_int(s, 1, id);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    struct odp_slice blob = {sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0)};
    assert_true(odp_cells_split(blob, cells, n));
    for (uint32_t k = 0; k < n; k++) {
        size_t len = strlen(text);
        if (cells[k].ptr == NULL)
            cells[k] = ODP_LIT("null");
        assert_true(snprintf(text + len, sizeof text - len, "%s%.*s", k > 0 ? "," : "", (int)cells[k].len, cells[k].ptr) <
                    (int)(sizeof text - len));
    }
    sqlite3_finalize(s);
    assert_string_equal(text, want);
}

static void read_info(const char *path, struct odp_search_info *info, struct odp_arena *a)
{
    const char *why = "";
    odp_arena_init(a);
    if (odp_search_info_open(info, path, a, &why) != ODP_OK)
        fail_msg("%s: %s", path, why);
}

/* Sound by SQLite's own checks; all but the plain tables are looked at, too. */
static void check_sound(sqlite3 *db)
{
    expect(db, "PRAGMA integrity_check", "ok\n");
    expect(db, "SELECT count(*) FROM pragma_freelist_count WHERE freelist_count > 0", "0\n");
}

/* ---- types -----------------------------------------------------------------------------------------------------------------
 */

static void test_every_type(void **state)
{
    (void)state;
    struct fixture fx;
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        fx_field(&fx, odp_type_name((enum odp_type)t), (enum odp_type)t);
    const struct odp_slice cells[] = {S("Jalan \"Mawar\"\t\xE2\x80\xA8"), S("12.50"), S("-42"), S("true"), S("2024-02-29"),
                                      S("07:05:00.5"), S("2024-03-15T01:00:00.500+07:00"), S("2024"), S("2024-03"), S("P1Y2M"),
                                      S("[\"a\",\"b\"]"), S("[106.8,-6.2]"), S("{\"type\":\"Point\",\"coordinates\":[1,2]}"),
                                      S("{\"a\":1}"), S("[1,2]"), S("apa saja"),
                                      /* nothing at all, but an empty text */
                                      S(""), NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL,
                                      /* ends of ranges */
                                      S("z"), S("-0.0"), S("-9223372036854775808"), S("false"), S("0001-01-01"), S("00:00:00"),
                                      S("0001-01-01T00:00:00+07:00"), S("9999"), S("0001-01"), S("PT0S"), S("[]"), S("[0,0]"),
                                      S("{}"), S("{}"), S("[]"), S("x1"), S("\xC3\xA9"), S("1e22"), S("9223372036854775807"),
                                      S("false"), S("9999-12-31"), S("23:59:59"), S("9999-12-31T23:00:00-07:00"), S("1000"),
                                      S("9999-12"), S("P1D"), S("[]"), S("[0,0]"), S("{}"), S("{}"), S("[]"), S("x2")};
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(write_index(&fx, &job, cells, 4, 4, NULL), ODP_OK);
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db,
           "SELECT id, quote(c0), quote(c1), quote(c2), quote(c3), quote(c4), quote(c5), quote(c6), quote(c7), quote(c8) FROM "
           "data",
           "1|'Jalan \"Mawar\"\t\xE2\x80\xA8'|12.5|-42|1|'2024-02-29'|'07:05:00.5'|'2024-03-14T18:00:00.5'|2024|'2024-03'\n"
           "2|''|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n"
           "3|'z'|0.0|-9223372036854775808|0|'0001-01-01'|'00:00:00'|'0000-12-31T17:00:00'|9999|'0001-01'\n"
           "4|'\xC3\xA9'|1.0e+22|9223372036854775807|0|'9999-12-31'|'23:59:59'|':000-01-01T06:00:00'|1000|'9999-12'\n");
    expect(db, "SELECT id, c9, c10, c11, c12, c13, c14, c15 FROM data WHERE id < 3",
           "1|P1Y2M|[\"a\",\"b\"]|[106.8,-6.2]|{\"type\":\"Point\",\"coordinates\":[1,2]}|{\"a\":1}|[1,2]|apa saja\n"
           "2|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n");
    expect(db, "SELECT typeof(c0), typeof(c1), typeof(c2), typeof(c3), typeof(c7), typeof(c13) FROM data WHERE id = 1",
           "text|real|integer|integer|integer|text\n");
    expect_cells(
        db, 1, 16,
        "\"Jalan "
        "\\\"Mawar\\\"\\t\\u2028\",12.50,-42,true,\"2024-02-29\",\"07:05:00.5\",\"2024-03-15T01:00:00.500+07:00\",2024,\"2024-"
        "03\","
        "\"P1Y2M\",[\"a\",\"b\"],[106.8,-6.2],{\"type\":\"Point\",\"coordinates\":[1,2]},{\"a\":1},[1,2],\"apa saja\"");
    expect_cells(db, 2, 16, "\"\",null,null,null,null,null,null,null,null,null,null,null,null,null,null,null");
    expect(db, "SELECT name FROM sqlite_schema WHERE name IN ('shape', 'box')", "");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_string_equal(info.slug, "uji");
    assert_null(info.resource);
    assert_string_equal(info.version, "2024-03-15.1");
    assert_string_equal(info.last_update, "2024-03-15");
    assert_int_equal(info.rows, 4);
    assert_int_equal(info.ncolumns, 16);
    assert_int_equal(info.nfields, 16);
    assert_int_equal(info.nkey, 0);
    assert_int_equal(info.datetime[0], -1);
    assert_int_equal(info.project, -1);
    assert_false(info.has_geometry);
    assert_int_equal(info.schema.n, 16);
    for (uint32_t k = 0; k < 16; k++) {
        const struct odp_search_column *c = &info.columns[k];
        assert_string_equal(c->name, odp_type_name((enum odp_type)k));
        assert_int_equal(c->type, k);
        assert_true(c->of_record);
        assert_int_equal(c->required, k == 0);
        assert_false(c->wide);
        assert_int_equal(c->scale, k == ODP_TYPE_NUMBER ? 1 : k == ODP_TYPE_INTEGER ? 0 : -1);
        assert_int_equal(c->text, k == ODP_TYPE_STRING || k == ODP_TYPE_ANY);
        assert_int_equal(c->indexed,
                         k == ODP_TYPE_DATE || k == ODP_TYPE_DATETIME || k == ODP_TYPE_YEAR || k == ODP_TYPE_YEARMONTH);
        assert_int_equal(info.schema.fields[k].type, k);
        assert_true(info.schema.fields[k].is_public);
        assert_int_equal(odp_search_find(&info, odp_slice_of(c->name)), k);
    }
    odp_arena_release(&arena);
    fx_release(&fx);
}

static void test_wide_values(void **state)
{
    (void)state;
    struct fixture fx;
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "besar", ODP_TYPE_INTEGER)->constraints.unique = true;
    fx_field(&fx, "tepat", ODP_TYPE_NUMBER);
    fx_field(&fx, "kecil", ODP_TYPE_NUMBER);
    fx_field(&fx, "uang", ODP_TYPE_NUMBER);
    const struct odp_slice cells[] = {S("9223372036854775808"),
                                      S("0.1234567890123456"),
                                      S("0.0000000000000001"),
                                      S("123456789012345"),
                                      S("7"),
                                      S("1.5"),
                                      S("1.50"),
                                      S("0.25"),
                                      S("-1"),
                                      S("100000000000000000"),
                                      S("3"),
                                      S("-2.125000")};
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(write_index(&fx, &job, cells, 3, 1, NULL), ODP_OK);
    sqlite3 *db = open_index(path);
    expect(db, "SELECT typeof(c0), CAST(c0 AS TEXT), typeof(c1), CAST(c1 AS TEXT), quote(c2), quote(c3) FROM data",
           "blob|9223372036854775808|blob|0.1234567890123456|1.0e-16|123456789012345.0\n"
           "integer|7|real|1.5|1.5|0.25\n"
           "integer|-1|real|1.0e+17|3.0|-2.125\n");
    expect(db, "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'i[0-9]*'", "0\n"); /* bytes do not order what is wide */
    sqlite3_close(db);
    read_info(path, &info, &arena);
    const bool wide[] = {true, true, false, false};
    const int scale[] = {-1, -1, -1, 3};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(info.columns[k].wide, wide[k]);
        assert_int_equal(info.columns[k].scale, scale[k]);
        assert_false(info.columns[k].indexed);
    }
    odp_arena_release(&arena);
    fx_release(&fx);
}

static void test_reals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        double value;
        int scale;
    } cases[] = {{"0", true, 0, 0},
                 {"-0.000", true, 0, 0},
                 {"1.50", true, 1.5, 1},
                 {"1E3", true, 1000, 0},
                 {"1.5e-3", true, 0.0015, 4},
                 {"123456789012345", true, 123456789012345.0, 0},
                 {"0.000123456789012345", true, 0.000123456789012345, 18},
                 {"1234567890123456", false, 0, 0},
                 {"1234567890123450", true, 1234567890123450.0, 0},
                 {"12345678901234.5000", true, 12345678901234.5, 1},
                 {"0.1", true, 0.1, 1},
                 {"1e308", false, 0, 0},
                 {"9.9e306", true, 9.9e306, 0},
                 {"1e-310", false, 0, 0},
                 {"1e-300", true, 1e-300, 300},
                 {"1e99999999999999999999", false, 0, 0},
                 {"", false, 0, 0},
                 {"-", false, 0, 0},
                 {"1e", false, 0, 0},
                 {"1.2.3", false, 0, 0},
                 {"abc", false, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        int scale = -1;
        bool ok = odp_search_real(odp_slice_of(cases[i].text), &value, &scale);
        if (ok != cases[i].ok || (ok && (memcmp(&value, &cases[i].value, sizeof value) != 0 || scale != cases[i].scale)))
            fail_msg("%s: %d %.17g %d", cases[i].text, ok, value, scale);
    }
    /* Every decimal of 15 digits is the double that the C library reads, and printed with 15 digits it is itself again. */
    unsigned long long seed = 42;
    for (int i = 0; i < 200000; i++) {
        char text[64], back[64];
        double value;
        int scale;
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        unsigned long long digits = (seed >> 14) % 1000000000000000ull;
        int exponent = (int)(seed % 601) - 300;
        snprintf(text, sizeof text, "%s%llue%d", seed & 8192 ? "-" : "", digits, exponent);
        bool ok = odp_search_real(odp_slice_of(text), &value, &scale);
        if (!ok)
            continue;
        assert_true(value == strtod(text, NULL));
        snprintf(back, sizeof back, "%.14e", value);
        assert_int_equal(odp_decimal_cmp(odp_slice_of(back), odp_slice_of(text)), 0);
    }
}

static void test_instants(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"2024-03-15T10:00:00+07:00", "2024-03-15T03:00:00"},
                                           {"2024-03-15T03:00:00Z", "2024-03-15T03:00:00"},
                                           {"2024-03-15T03:00:00.500Z", "2024-03-15T03:00:00.5"},
                                           {"2024-03-15T03:00:00.000Z", "2024-03-15T03:00:00"},
                                           {"2024-03-15T03:00:00.000000001Z", "2024-03-15T03:00:00.000000001"},
                                           {"2024-03-01T01:00:00+09:30", "2024-02-29T15:30:00"},
                                           {"1969-12-31T23:59:59-00:30", "1970-01-01T00:29:59"},
                                           {"0001-01-01T00:00:00+00:01", "0000-12-31T23:59:00"},
                                           {"9999-12-31T23:59:59-00:01", ":000-01-01T00:00:59"},
                                           {"2024-03-15", ""},
                                           {"besok", ""},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[ODP_DATETIME_SIZE];
        size_t n = odp_search_instant(odp_slice_of(cases[i][0]), out);
        if (n != strlen(cases[i][1]) || memcmp(out, cases[i][1], n) != 0)
            fail_msg("%s: %.*s", cases[i][0], (int)n, out);
    }
}

/* ---- names, keys, private fields -------------------------------------------------------------------------------------------
 */

static void test_names_and_private_fields(void **state)
{
    (void)state;
    struct fixture fx;
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    size_t len;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "id", ODP_TYPE_STRING);
    fx_field(&fx, "NIK", ODP_TYPE_STRING)->is_public = false;
    fx_field(&fx, "ID", ODP_TYPE_STRING);
    fx_field(&fx, "rowid", ODP_TYPE_INTEGER);
    fx_field(&fx, "rank", ODP_TYPE_STRING);
    fx_field(&fx, "a \"b\" 'c'; DROP TABLE data; --", ODP_TYPE_STRING);
    fx_field(&fx, "naïve ✓", ODP_TYPE_STRING);
    fx_key(&fx, 0, 2);
    const struct odp_slice cells[] = {S("b"), S("3171234567890001"), S("x"), S("1"), S("satu"), S("kutip"), S("ü"),
                                      S("a"), S("3171234567890002"), S("y"), S("2"), S("dua"),  S("'"),     NUL};
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(write_index(&fx, &job, cells, 2, 1, NULL), ODP_OK);
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db, "SELECT * FROM data ORDER BY c0, c1", "2|a|y|2|dua|'|NULL\n1|b|x|1|satu|kutip|ü\n");
    expect(db, "SELECT sql FROM sqlite_schema WHERE name = 'i0'", "CREATE UNIQUE INDEX i0 ON data(c0, c1)\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH 'dua'", "2\n");
    expect_cells(db, 1, 6, "\"b\",\"x\",1,\"satu\",\"kutip\",\"ü\"");
    sqlite3_close(db);
    char *bytes = fx_read(&fx, "a.sqlite", &len);
    assert_null(memmem(bytes, len, "317123", 6));
    assert_null(memmem(bytes, len, "NIK", 3));
    free(bytes);
    read_info(path, &info, &arena);
    assert_int_equal(info.ncolumns, 6);
    assert_int_equal(info.nkey, 2);
    assert_int_equal(info.key[0], 0);
    assert_int_equal(info.key[1], 1);
    assert_string_equal(info.columns[4].name, "a \"b\" 'c'; DROP TABLE data; --");
    assert_int_equal(odp_search_find(&info, ODP_LIT("naïve ✓")), 5);
    assert_int_equal(odp_search_find(&info, ODP_LIT("NIK")), -1);
    assert_true(info.columns[0].indexed);
    assert_false(info.columns[5].required);
    odp_arena_release(&arena);

    /* A key with a private part is none here. What is there is not written over. */
    fx_key(&fx, 0, 1);
    assert_int_equal(write_index(&fx, &job, cells, 2, 2, NULL), ODP_FAIL);
    odp_failure_clear();
    db = open_index(path);
    expect(db, "SELECT count(*) FROM data", "2\n");
    sqlite3_close(db);
    path_of(&fx, "b.sqlite", path);
    assert_int_equal(write_index(&fx, &job, cells, 2, 2, NULL), ODP_OK);
    read_info(path, &info, &arena);
    assert_int_equal(info.nkey, 0);
    odp_arena_release(&arena);
    fx_release(&fx);
}

/* Faults of keys may be let pass (odp:severity): such a key orders nothing. */
static void test_key_that_is_none(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        struct fixture fx;
        char path[PATH_SIZE];
        struct odp_search_info info;
        struct odp_arena arena;
        fx_init(&fx);
        path_of(&fx, "a.sqlite", path);
        fx_field(&fx, "kode", ODP_TYPE_STRING);
        fx_field(&fx, "nama", ODP_TYPE_STRING);
        fx_key(&fx, 0, -1);
        const struct odp_slice cells[] = {S("a"), S("satu"), S("b"), S("dua"), round == 0 ? S("a") : NUL, S("tiga")};
        struct odp_search_job job = job_of(&fx, path);
        assert_int_equal(write_index(&fx, &job, cells, 3, 3, NULL), ODP_OK);
        sqlite3 *db = open_index(path);
        check_sound(db);
        expect(db, "SELECT sql FROM sqlite_schema WHERE name = 'i0'", "CREATE INDEX i0 ON data(c0)\n");
        expect(db, "SELECT id, c1 FROM data", "1|satu\n2|dua\n3|tiga\n");
        sqlite3_close(db);
        read_info(path, &info, &arena);
        assert_int_equal(info.nkey, 0);
        odp_arena_release(&arena);
        fx_release(&fx);
    }
}

/* No records at all; records of which nothing is public. */
static void test_next_to_nothing(void **state)
{
    (void)state;
    struct fixture fx;
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "kode", ODP_TYPE_STRING);
    fx_field(&fx, "tanggal", ODP_TYPE_DATE);
    fx_key(&fx, 0, -1);
    fx.resource.datetime[0] = fx.resource.datetime[1] = 1;
    fx.resource.geometry.present = true;
    struct odp_search_job job = job_of(&fx, path);
    job.has_geometry = true;
    job.geometry_name = "geometry";
    assert_int_equal(write_index(&fx, &job, NULL, 0, 1, NULL), ODP_OK);
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db,
           "SELECT (SELECT count(*) FROM data), (SELECT count(*) FROM record), (SELECT count(*) FROM shape), (SELECT count(*) "
           "FROM box)",
           "0|0|0|0\n");
    expect(db, "SELECT rtreecheck('box')", "ok\n");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_int_equal(info.rows, 0);
    assert_int_equal(info.nkey, 1);
    assert_int_equal(info.datetime[0], 1);
    assert_null(info.interval[0]);
    assert_false(info.has_bbox);
    assert_false(info.columns[0].text);
    odp_arena_release(&arena);

    fx.fields[0].is_public = fx.fields[1].is_public = false;
    path_of(&fx, "b.sqlite", path);
    job.has_geometry = false;
    const struct odp_slice cells[] = {S("rahasia"), S("2024-01-01"), S("rahasia juga"), NUL};
    assert_int_equal(write_index(&fx, &job, cells, 2, 1, NULL), ODP_OK);
    db = open_index(path);
    check_sound(db);
    expect(db, "SELECT d.id, length(cells) FROM data d JOIN record r ON r.id = d.id", "1|0\n2|0\n");
    expect_cells(db, 2, 0, "");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_int_equal(info.rows, 2);
    assert_int_equal(info.ncolumns, 0);
    assert_int_equal(info.nkey, 0);
    assert_int_equal(info.datetime[0], -1);
    odp_arena_release(&arena);
    fx_release(&fx);
}

/* ---- indexes ---------------------------------------------------------------------------------------------------------------
 */

static void test_indexes(void **state)
{
    (void)state;
    struct fixture fx;
    char path[PATH_SIZE];
    struct odp_slice choices[] = {S("a"), S("b")};
    struct odp_dataset other = {.slug = "lain"};
    struct odp_resource target = {.dataset = &other, .name = "lain"};
    uint32_t code[] = {1}, pair[] = {4, 1}, declared[][2] = {{5, 0}, {4, 0}};
    struct odp_foreign_key foreign[] = {{.local = {code, 1, NULL}, .target = &target},
                                        {.local = {pair, 2, NULL}, .target = &target}};
    struct odp_key indexes[] = {{declared[0], 1, NULL}, {declared[1], 1, NULL}};
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "kunci", ODP_TYPE_STRING);
    fx_field(&fx, "kode", ODP_TYPE_STRING);
    fx_field(&fx, "pilihan", ODP_TYPE_STRING)->constraints.enumeration = (struct odp_strings){choices, 2};
    fx_field(&fx, "tanggal", ODP_TYPE_DATE);
    fx_field(&fx, "luas", ODP_TYPE_NUMBER);
    fx_field(&fx, "harga", ODP_TYPE_NUMBER);
    fx_field(&fx, "unik", ODP_TYPE_STRING)->constraints.unique = true;
    fx_field(&fx, "biasa", ODP_TYPE_STRING);
    fx_field(&fx, "daftar", ODP_TYPE_LIST)->constraints.unique = true;
    fx_key(&fx, 0, -1);
    fx.resource.foreign = foreign;
    fx.resource.nforeign = 2;
    fx.resource.indexes = indexes;
    fx.resource.nindexes = 2;
    fx.resource.datetime[0] = fx.resource.datetime[1] = 3;
    const struct odp_slice cells[] = {S("k1"), S("31"), S("a"), S("2024-01-05"), S("1"), S("2"), S("u1"), S("b"), S("[\"x\"]")};
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(write_index(&fx, &job, cells, 1, 1, NULL), ODP_OK);
    sqlite3 *db = open_index(path);
    expect(db, "SELECT sql FROM sqlite_schema WHERE name GLOB 'i[0-9]*'",
           "CREATE UNIQUE INDEX i0 ON data(c0)\n"
           "CREATE INDEX i1 ON data(c5)\n"
           "CREATE INDEX i2 ON data(c4)\n"
           "CREATE INDEX i3 ON data(c1)\n"
           "CREATE INDEX i4 ON data(c4, c1)\n"
           "CREATE INDEX i5 ON data(c3)\n"
           "CREATE INDEX i6 ON data(c2, c0)\n"
           "CREATE INDEX i7 ON data(c6)\n");
    expect(db, "SELECT count(*) > 0 FROM sqlite_stat1", "1\n");
    sqlite3_close(db);
    fx_release(&fx);
}

static int64_t count_indexes(const char *path)
{
    sqlite3 *db = open_index(path);
    int64_t n = strtoll(ask(db, "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'i[0-9]*'"), NULL, 10);
    sqlite3_close(db);
    return n;
}

/* Twenty at most by default; what odp:index names is always made. */
static void test_how_many_indexes(void **state)
{
    (void)state;
    enum { FIELDS = 20, PAIRS = 25 };
    static const char *const names[FIELDS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                              "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};
    struct fixture fx;
    char path[PATH_SIZE];
    uint32_t pairs[PAIRS][2];
    struct odp_key keys[PAIRS];
    struct odp_slice cells[FIELDS];
    fx_init(&fx);
    for (uint32_t k = 0; k < FIELDS; k++) {
        fx_field(&fx, names[k], ODP_TYPE_STRING)->constraints.unique = true;
        cells[k] = S("x1");
    }
    fx.fields[2].type = ODP_TYPE_BOOLEAN;
    cells[2] = S("true");
    for (uint32_t k = 0; k < PAIRS; k++) {
        pairs[k][0] = k % FIELDS;
        pairs[k][1] = (k + 1 + k / FIELDS) % FIELDS;
        keys[k] = (struct odp_key){pairs[k], 2, NULL};
    }
    fx_key(&fx, 0, -1);
    fx.resource.schema.unique = keys;
    fx.resource.schema.nunique = PAIRS;
    path_of(&fx, "a.sqlite", path);
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(write_index(&fx, &job, cells, 1, 1, NULL), ODP_OK);
    assert_int_equal(count_indexes(path), 20);
    fx.resource.indexes = keys;
    fx.resource.nindexes = PAIRS;
    path_of(&fx, "b.sqlite", path);
    assert_int_equal(write_index(&fx, &job, cells, 1, 1, NULL), ODP_OK);
    assert_int_equal(count_indexes(path), 1 + PAIRS);
    /* One of a column with few values has the primary key behind it. */
    pairs[0][0] = 2;
    keys[0].n = 1;
    fx.resource.nindexes = 1;
    path_of(&fx, "c.sqlite", path);
    assert_int_equal(write_index(&fx, &job, cells, 1, 1, NULL), ODP_OK);
    sqlite3 *db = open_index(path);
    expect(db, "SELECT sql FROM sqlite_schema WHERE name = 'i1'", "CREATE INDEX i1 ON data(c2, c0)\n");
    sqlite3_close(db);
    fx_release(&fx);
}

/* ---- geometry --------------------------------------------------------------------------------------------------------------
 */

static struct odp_geom geom_of(enum odp_geom_type type, double *xy, uint32_t n, uint32_t *part, uint32_t *poly)
{
    struct odp_geom g = {.type = type, .npoints = n, .nparts = 1, .npolys = poly != NULL, .xy = xy, .part = part, .poly = poly};
    g.bbox[0] = g.bbox[2] = xy[0];
    g.bbox[1] = g.bbox[3] = xy[1];
    for (uint32_t i = 0; i < n; i++) {
        const double by[4] = {xy[2 * i], xy[2 * i + 1], xy[2 * i], xy[2 * i + 1]};
        bool has = true;
        odp_bbox_extend(g.bbox, &has, by);
    }
    g.label[0] = xy[0];
    g.label[1] = xy[1];
    return g;
}

static void test_geometry(void **state)
{
    (void)state;
    struct fixture fx;
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    double point[] = {106.8451234567, -6.2}, ring[] = {95, 5.5, 96, 5.5, 96, 6.25, 95, 6.25, 95, 5.5};
    uint32_t ends1[] = {0, 1}, ends5[] = {0, 5}, poly[] = {0, 1};
    struct odp_geom a = geom_of(ODP_GEOM_POINT, point, 1, ends1, NULL), b = geom_of(ODP_GEOM_POLYGON, ring, 5, ends5, poly);
    const struct odp_geom *geometry[] = {&a, NULL, &b};
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.resource.geometry = (struct odp_geometry_spec){.present = true, .api = ODP_GEOMETRY_SIMPLIFIED, .csv_wkt = true};
    const struct odp_slice cells[] = {S("satu"), S("dua"), S("tiga")};
    struct odp_search_job job = job_of(&fx, path);
    job.has_geometry = true;
    job.geometry_name = "geometry_geometry";
    assert_int_equal(write_index(&fx, &job, cells, 3, 2, geometry), ODP_OK);
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db, "SELECT id, west, east, south, north FROM box ORDER BY id",
           "1|1068451235|1068451235|-62000000|-62000000\n3|950000000|960000000|55000000|62500000\n");
    expect(db, "SELECT id, simple FROM shape", "1|{\"simple\":true}\n3|{\"simple\":true}\n");
    expect(db, "SELECT rtreecheck('box')", "ok\n");
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT shape FROM shape WHERE id = 3", -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    struct odp_buffer json;
    odp_buffer_init(&json);
    assert_int_equal(
        odp_shape_add_geojson(&json, (struct odp_slice){sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0)}),
        ODP_OK);
    assert_string_equal(odp_buffer_cstr(&json),
                        "{\"type\":\"Polygon\",\"coordinates\":[[[95,5.5],[96,5.5],[96,6.25],[95,6.25],[95,5.5]]]}");
    odp_buffer_release(&json);
    sqlite3_finalize(s);
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_true(info.has_geometry);
    assert_string_equal(info.geometry_name, "geometry_geometry");
    assert_int_equal(info.mode, ODP_GEOMETRY_SIMPLIFIED);
    assert_int_equal(info.geometry_types, ODP_GEOM_BIT_POINT | ODP_GEOM_BIT_POLYGON);
    assert_true(info.csv_wkt);
    assert_false(info.csv_points);
    assert_true(info.has_bbox);
    const double box[] = {95, -6.2, 106.8451235, 6.25};
    assert_memory_equal(info.bbox, box, sizeof box);
    odp_arena_release(&arena);

    /* Full: nothing simplified; no geometry in any record: no box. */
    fx.resource.geometry.api = ODP_GEOMETRY_FULL;
    path_of(&fx, "b.sqlite", path);
    job.path = path;
    const struct odp_geom *none[] = {NULL, NULL, &a};
    assert_int_equal(write_index(&fx, &job, cells, 2, 2, none), ODP_OK);
    db = open_index(path);
    expect(db, "SELECT count(*) FROM shape", "0\n");
    expect(db, "SELECT count(*) FROM box", "0\n");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_false(info.has_bbox);
    assert_int_equal(info.geometry_types, 0);
    odp_arena_release(&arena);
    path_of(&fx, "c.sqlite", path);
    assert_int_equal(write_index(&fx, &job, cells, 3, 3, none), ODP_OK);
    db = open_index(path);
    expect(db, "SELECT id, simple FROM shape", "3|NULL\n");
    sqlite3_close(db);
    fx_release(&fx);
}

/* Boxes of many records: every one of them is found again, and no other. */
static void test_many_boxes(void **state)
{
    (void)state;
    enum { N = 5000 };
    static double xy[N][2];
    static struct odp_geom geoms[N];
    static const struct odp_geom *geometry[N];
    static struct odp_slice cells[N];
    static uint32_t ends[] = {0, 1};
    struct fixture fx;
    char path[PATH_SIZE], sql[256];
    uint32_t seed = 7, inside = 0, present = 0;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.resource.geometry.present = true;
    for (uint32_t i = 0; i < N; i++) {
        seed = seed * 1664525 + 1013904223;
        xy[i][0] = 95 + (seed >> 8) % 4600 / 100.0;
        seed = seed * 1664525 + 1013904223;
        xy[i][1] = -11 + (seed >> 8) % 1700 / 100.0;
        geoms[i] = geom_of(ODP_GEOM_POINT, xy[i], 1, ends, NULL);
        geometry[i] = i % 7 == 3 ? NULL : &geoms[i];
        present += geometry[i] != NULL;
        inside += geometry[i] != NULL && xy[i][0] >= 106 && xy[i][0] <= 110 && xy[i][1] >= -8 && xy[i][1] <= -6;
        cells[i] = S("a");
    }
    struct odp_search_job job = job_of(&fx, path);
    job.has_geometry = true;
    job.geometry_name = "geometry";
    assert_int_equal(write_index(&fx, &job, cells, N, 1000, geometry), ODP_OK);
    sqlite3 *db = open_index(path);
    expect(db, "SELECT rtreecheck('box')", "ok\n");
    snprintf(sql, sizeof sql, "%u\n", present);
    expect(db, "SELECT count(*) FROM box", sql);
    snprintf(sql, sizeof sql, "%u\n", inside);
    expect(db,
           "SELECT count(*) FROM box WHERE west <= 1100000000 AND east >= 1060000000 AND south <= -60000000 AND north >= "
           "-80000000",
           sql);
    for (uint32_t i = 0; i < N; i += 97) {
        char want[64];
        long x = (long)(xy[i][0] * 1e7 + 0.5), y = (long)(xy[i][1] * 1e7 + (xy[i][1] < 0 ? -0.5 : 0.5));
        snprintf(sql, sizeof sql, "SELECT west, east, south, north FROM box WHERE id = %u", i + 1);
        snprintf(want, sizeof want, "%ld|%ld|%ld|%ld\n", x, x, y, y);
        expect(db, sql, geometry[i] != NULL ? want : "");
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM box WHERE id = %u AND west <= %ld AND east >= %ld AND south <= %ld AND north >= %ld",
                 i + 1, x, x, y, y);
        expect(db, sql, geometry[i] != NULL ? "1\n" : "0\n");
    }
    sqlite3_close(db);
    fx_release(&fx);
}

/* ---- words and labels ------------------------------------------------------------------------------------------------------
 */

static void test_words(void **state)
{
    (void)state;
    struct fixture fx;
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    struct odp_category levels[] = {{S("1"), {{"Ringan", "Light"}}}, {S("2"), {{"Berat sekali", ""}}}, {S("3"), {{"", ""}}}};
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "kode", ODP_TYPE_STRING);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    struct odp_field *level = fx_field(&fx, "tingkat", ODP_TYPE_STRING);
    level->categories = levels;
    level->ncategories = 3;
    fx_field(&fx, "surel", ODP_TYPE_STRING)->string_format = ODP_STRING_UUID;
    const struct odp_slice cells[] = {S("31.71-0001"),
                                      S("Kampung Sukaramé, José"),
                                      S("1"),
                                      S("satu dua"),
                                      S("31.71-0002"),
                                      S("Jalan Mawar Melati"),
                                      S("2"),
                                      S("tiga"),
                                      S("PRJ-3"),
                                      NUL,
                                      S("3"),
                                      NUL,
                                      NUL,
                                      S("Melati Mawar"),
                                      NUL,
                                      NUL};
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(write_index(&fx, &job, cells, 4, 4, NULL), ODP_OK);
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db, "SELECT sql FROM sqlite_schema WHERE name = 'words'",
           "CREATE VIRTUAL TABLE words USING fts5(content='', c1, c2, tokenize=\"unicode61 remove_diacritics 2\", prefix='2 "
           "3')\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH 'sukarame'", "1\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH 'JOSÉ'", "1\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH '\"mawar melati\"'", "2\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH 'mela*'", "2\n4\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH 'me*'", "2\n4\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH 'light'", "1\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH 'ringan'", "1\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH '\"berat sekali\"'", "2\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH '3'", "3\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH '71'", "");  /* only codes */
    expect(db, "SELECT rowid FROM words WHERE words MATCH 'dua'", ""); /* an identifier's format */
    expect(db, "SELECT * FROM label", "tingkat|1|Ringan|Light\ntingkat|2|Berat sekali|\n");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    const bool text[] = {false, true, true, false}, labels[] = {false, false, true, false};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(info.columns[k].text, text[k]);
        assert_int_equal(info.columns[k].labels, labels[k]);
    }
    odp_arena_release(&arena);

    /* Nothing to search for words in: no such table. */
    path_of(&fx, "b.sqlite", path);
    const struct odp_slice codes[] = {S("31.71-0001"), NUL, NUL, NUL};
    assert_int_equal(write_index(&fx, &job, codes, 1, 1, NULL), ODP_OK);
    db = open_index(path);
    expect(db, "SELECT name FROM sqlite_schema WHERE name GLOB 'words*'", "");
    sqlite3_close(db);
    fx_release(&fx);
}

/* ---- columns that are no fields -------------------------------------------------------------------------------------------
 */

/* proyek (kode, nama, kode_kabkota, mulai) and its milestones. */
struct projects {
    struct fixture main, steps;
    char main_path[PATH_SIZE], steps_path[PATH_SIZE];
    struct odp_search_file searches[2];
    uint32_t local[1], remote[1];
    struct odp_foreign_key foreign;
    struct odp_queryable queryables[4];
    struct odp_timeline timeline;
    struct odp_category regions[1];
};

static void projects_init(struct projects *p)
{
    memset(p, 0, sizeof *p);
    fx_init(&p->main);
    fx_init(&p->steps);
    path_of(&p->main, "main.sqlite", p->main_path);
    path_of(&p->steps, "steps.sqlite", p->steps_path);
    fx_field(&p->main, "kode", ODP_TYPE_STRING);
    fx_field(&p->main, "nama", ODP_TYPE_STRING);
    struct odp_field *region = fx_field(&p->main, "kode_kabkota", ODP_TYPE_STRING);
    p->regions[0] = (struct odp_category){S("31.71"), {{"Kota Jakarta Pusat", "Central Jakarta"}}};
    region->categories = p->regions;
    region->ncategories = 1;
    fx_field(&p->main, "pagu", ODP_TYPE_NUMBER)->unit = (struct odp_text){{"rupiah", "rupiah"}};
    fx_key(&p->main, 0, -1);
    p->steps.resource.index = 1;
    p->steps.resource.primary = false;
    p->steps.resource.name = "timeline";
    fx_field(&p->steps, "proyek", ODP_TYPE_STRING);
    fx_field(&p->steps, "tahap", ODP_TYPE_STRING);
    fx_field(&p->steps, "rencana", ODP_TYPE_DATE);
    fx_field(&p->steps, "realisasi", ODP_TYPE_DATE);
    fx_key(&p->steps, 0, 1);
    p->foreign =
        (struct odp_foreign_key){.local = {p->local, 1, NULL}, .target = &p->main.resource, .remote = {p->remote, 1, NULL}};
    p->steps.resource.foreign = &p->foreign;
    p->steps.resource.nforeign = 1;
    p->queryables[0] = (struct odp_queryable){.name = "kode_kabkota",
                                              .kind = ODP_QUERYABLE_TAKEN,
                                              .type = ODP_TYPE_STRING,
                                              .field = -1,
                                              .queryable = -1,
                                              .key = &p->foreign,
                                              .take = 2};
    p->queryables[1] = (struct odp_queryable){.name = "kode_provinsi",
                                              .title = {{"Provinsi", "Province"}},
                                              .kind = ODP_QUERYABLE_PREFIX,
                                              .type = ODP_TYPE_STRING,
                                              .field = -1,
                                              .queryable = 0,
                                              .prefix = 2};
    p->queryables[2] = (struct odp_queryable){.name = "pagu",
                                              .kind = ODP_QUERYABLE_TAKEN,
                                              .type = ODP_TYPE_NUMBER,
                                              .field = -1,
                                              .queryable = -1,
                                              .key = &p->foreign,
                                              .take = 3};
    p->queryables[3] = (struct odp_queryable){
        .name = "awal", .kind = ODP_QUERYABLE_PREFIX, .type = ODP_TYPE_STRING, .field = 1, .queryable = -1, .prefix = 3};
    p->steps.resource.queryables = p->queryables;
    p->steps.resource.nqueryables = 4;
    p->timeline = (struct odp_timeline){
        .project = 0, .milestone = 1, .planned = 2, .actual = 3, .date = "tanggal", .delay = "terlambat_hari"};
    p->steps.resource.timeline = &p->timeline;
    p->steps.resource.datetime[0] = p->steps.resource.datetime[1] = -1;
    p->main.resource.datetime[0] = p->main.resource.datetime[1] = -1;
    p->searches[0].disk = p->main_path;
}

static void projects_release(struct projects *p)
{
    fx_release(&p->main);
    fx_release(&p->steps);
}

static void test_queryables_and_timeline(void **state)
{
    (void)state;
    static struct projects p;
    struct odp_search_info info;
    struct odp_arena arena;
    projects_init(&p);
    const struct odp_slice projects[] = {S("P1"), S("Saluran air"),     S("31.71"), S("12.50"),
                                         S("P2"), S("Jalan \"Mawar\""), S("é1.02"), S("99999999999999999999"),
                                         S("P3"), S("Taman"),           NUL,        NUL};
    const struct odp_slice steps[] = {S("P1"),
                                      S("Lelang"),
                                      S("2024-01-10"),
                                      S("2024-01-15"), /* late by 5 */
                                      S("P1"),
                                      S("Mulai"),
                                      S("2024-03-01"),
                                      NUL, /* 14 days after, not reached */
                                      S("P2"),
                                      S("Été 1"),
                                      S("2024-02-10"),
                                      S("2024-02-01"), /* 9 days early */
                                      S("P3"),
                                      S("x"),
                                      S("2024-12-31"),
                                      NUL, /* not due yet */
                                      S("P3"),
                                      S("yz"),
                                      S("2024-03-15"),
                                      NUL, /* due on the day */
                                      S("P9"),
                                      S("tak ada"),
                                      NUL,
                                      S("2023-02-28"), /* unplanned, unknown */
                                      NUL,
                                      NUL,
                                      NUL,
                                      NUL};
    struct odp_search_job job = job_of(&p.main, p.main_path);
    assert_int_equal(write_index(&p.main, &job, projects, 3, 2, NULL), ODP_OK);
    job = job_of(&p.steps, p.steps_path);
    job.searches = p.searches;
    assert_int_equal(write_index(&p.steps, &job, steps, 7, 3, NULL), ODP_OK);
    sqlite3 *db = open_index(p.steps_path);
    check_sound(db);
    expect(db, "SELECT id, quote(c4), quote(c5), typeof(c6), CAST(c6 AS TEXT), quote(c7), quote(c8), quote(c9) FROM data",
           "1|'31.71'|'31'|real|12.5|'Lel'|'2024-01-15'|5\n"
           "2|'31.71'|'31'|real|12.5|'Mul'|'2024-03-01'|14\n"
           "3|'é1.02'|'é1'|blob|99999999999999999999|'Été'|'2024-02-01'|-9\n"
           "4|NULL|NULL|null|NULL|'x'|'2024-12-31'|NULL\n"
           "5|NULL|NULL|null|NULL|'yz'|'2024-03-15'|NULL\n"
           "6|NULL|NULL|null|NULL|'tak'|'2023-02-28'|NULL\n"
           "7|NULL|NULL|null|NULL|NULL|NULL|NULL\n");
    expect_cells(db, 1, 10, "\"P1\",\"Lelang\",\"2024-01-10\",\"2024-01-15\",\"31.71\",\"31\",12.50,\"Lel\",\"2024-01-15\",5");
    expect_cells(
        db, 3, 10,
        "\"P2\",\"Été 1\",\"2024-02-10\",\"2024-02-01\",\"é1.02\",\"é1\",99999999999999999999,\"Été\",\"2024-02-01\",-9");
    expect_cells(db, 7, 10, "null,null,null,null,null,null,null,null,null,null");
    expect(db, "SELECT * FROM label", "kode_kabkota|31.71|Kota Jakarta Pusat|Central Jakarta\n");
    expect(db, "SELECT rowid FROM words WHERE words MATCH 'jakarta'", "1\n2\n");
    sqlite3_close(db);
    read_info(p.steps_path, &info, &arena);
    assert_string_equal(info.resource, "timeline");
    assert_int_equal(info.nfields, 4);
    assert_int_equal(info.ncolumns, 10);
    assert_int_equal(info.nkey, 0); /* a record without its key */
    const int timeline[] = {info.project, info.milestone, info.planned, info.actual, info.date, info.delay};
    for (int k = 0; k < 6; k++)
        assert_int_equal(timeline[k], k < 4 ? k : k + 4);
    assert_int_equal(info.datetime[0], 8);
    assert_int_equal(info.datetime[1], 8);
    assert_string_equal(info.interval[0], "2023-02-28");
    assert_string_equal(info.interval[1], "2024-12-31");
    assert_string_equal(info.columns[5].title.in[ODP_LANG_EN], "Province");
    assert_string_equal(info.columns[6].unit.in[ODP_LANG_ID], "rupiah");
    assert_string_equal(info.columns[9].unit.in[ODP_LANG_EN], "days");
    assert_true(info.columns[6].wide);
    assert_int_equal(info.columns[9].type, ODP_TYPE_INTEGER);
    for (uint32_t k = 0; k < 10; k++)
        assert_int_equal(info.columns[k].of_record, k < 4);
    odp_arena_release(&arena);

    /* Without the other index there is nothing to take from. */
    assert_int_equal(unlink(p.steps_path), 0);
    p.searches[0].disk = NULL;
    assert_int_equal(write_index(&p.steps, &job, steps, 7, 3, NULL), ODP_FAIL);
    assert_non_null(strstr(odp_failure_text(), "has no index"));
    odp_failure_clear();
    assert_int_equal(access(p.steps_path, F_OK), -1);
    p.searches[0].disk = "/nonexistent/index.sqlite";
    assert_int_equal(write_index(&p.steps, &job, steps, 7, 3, NULL), ODP_FAIL);
    odp_failure_clear();
    projects_release(&p);
}

/* Start and end in two columns of instants: by the instant, told as published. */
static void test_interval(void **state)
{
    (void)state;
    struct fixture fx;
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "dari", ODP_TYPE_DATETIME);
    fx_field(&fx, "sampai", ODP_TYPE_DATE);
    fx.resource.datetime[0] = 0;
    fx.resource.datetime[1] = 1;
    const struct odp_slice cells[] = {
        S("2024-03-15T01:00:00+07:00"), S("2024-03-16"), S("2024-03-14T20:00:00Z"), S("2024-03-20"), NUL, NUL,
        S("2024-03-15T03:00:00+09:00"), S("2024-03-17")};
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(write_index(&fx, &job, cells, 4, 2, NULL), ODP_OK);
    read_info(path, &info, &arena);
    assert_int_equal(info.datetime[0], 0);
    assert_int_equal(info.datetime[1], 1);
    assert_string_equal(info.interval[0], "2024-03-15T01:00:00+07:00"); /* the first of two that are the same instant */
    assert_string_equal(info.interval[1], "2024-03-20");
    odp_arena_release(&arena);
    fx_release(&fx);
}

/* ---- determinism, failures --------------------------------------------------------------------------------------------------
 */

enum { MANY = 3000 };

/* MANY milestones of a few projects, into TEXT. */
static void many_steps(struct odp_slice *cells, char (*text)[64])
{
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "Tahap %u pembangunan saluran", i);
        cells[4 * i] = i / 7 % 3 == 0 ? S("P1") : i / 7 % 3 == 1 ? S("P2") : S("P3");
        cells[4 * i + 1] = odp_slice_of(text[i]);
        cells[4 * i + 2] = i % 5 == 0 ? NUL : S("2024-01-10");
        cells[4 * i + 3] = i % 3 == 0 ? NUL : S("2024-02-28");
    }
}

static const struct odp_slice three_projects[] = {S("P1"),    S("Saluran"), S("31.71"), S("12.50"), S("P2"), S("Jalan"),
                                                  S("31.72"), S("3"),       S("P3"),    S("Taman"), NUL,     NUL};

static void test_same_bytes(void **state)
{
    (void)state;
    static struct projects p;
    static struct odp_slice cells[4 * MANY];
    static char text[MANY][64];
    static const uint32_t steps[] = {1, 7, 1000, MANY, 7};
    size_t len[5];
    char *bytes[5];
    projects_init(&p);
    many_steps(cells, text);
    struct odp_search_job job = job_of(&p.main, p.main_path);
    assert_int_equal(write_index(&p.main, &job, three_projects, 3, 1, NULL), ODP_OK);
    job = job_of(&p.steps, p.steps_path);
    job.searches = p.searches;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(write_index(&p.steps, &job, cells, MANY, steps[k], NULL), ODP_OK);
        bytes[k] = fx_read(&p.steps, "steps.sqlite", &len[k]);
        assert_int_equal(unlink(p.steps_path), 0);
        assert_int_equal(len[k], len[0]);
        assert_memory_equal(bytes[k], bytes[0], len[0]);
        if (k > 0)
            free(bytes[k]);
    }
    free(bytes[0]);
    projects_release(&p);
}

static size_t files_in(const char *dir)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* Files cannot grow beyond LIMIT bytes. */
static void limit_files(rlim_t limit)
{
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = limit;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void test_full_disk(void **state)
{
    (void)state;
    static struct odp_slice cells[4 * MANY];
    static char text[MANY][64];
    struct fixture fx;
    char path[PATH_SIZE];
    size_t len;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "proyek", ODP_TYPE_STRING);
    fx_field(&fx, "tahap", ODP_TYPE_STRING);
    fx_field(&fx, "rencana", ODP_TYPE_DATE);
    fx_field(&fx, "realisasi", ODP_TYPE_DATE);
    many_steps(cells, text);
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(write_index(&fx, &job, cells, MANY, 500, NULL), ODP_OK);
    free(fx_read(&fx, "a.sqlite", &len));
    assert_int_equal(unlink(path), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    unsigned failed = 0;
    for (size_t limit = 0; limit < len; limit += len / 12 + 1) {
        limit_files(limit);
        enum odp_status status = write_index(&fx, &job, cells, MANY, 500, NULL);
        limit_files(RLIM_INFINITY);
        assert_int_equal(status, ODP_FAIL);
        assert_non_null(strstr(odp_failure_text(), path));
        odp_failure_clear();
        (void)unlink(path); /* after end it may be there in part */
        assert_int_equal(files_in(fx.dir), 0);
        failed++;
    }
    assert_true(failed >= 10);
    assert_int_equal(write_index(&fx, &job, cells, MANY, 500, NULL), ODP_OK);
    fx_release(&fx);
}

/* ---- pages that SQLite has not made ------------------------------------------------------------------------------------------
 */

/* What ANALYZE finds is what was entered. */
static void check_statistics(const char *path)
{
    static const char all[] = "SELECT tbl, idx, stat FROM sqlite_stat1 WHERE tbl IS NOT 'meta' ORDER BY 1, 2";
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    char *entered = strdup(ask(db, all));
    assert_non_null(entered);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM sqlite_stat1; ANALYZE", NULL, NULL, NULL), SQLITE_OK);
    expect(db, all, entered);
    free(entered);
    sqlite3_close(db);
}

enum { HOSTILE = 3000, HOSTILE_COLUMNS = 5 };

/* Texts that begin alike, are empty, hold zero bytes, or are longer than a page; numbers of every length, of both signs, and zero without one. */
static void hostile_values(struct odp_slice *cells, char **memory)
{
    static const size_t lengths[] = {0, 1, 7, 8, 9, 15, 16, 40, 4000, 4070, 4090, 8200, 16330, 16349, 16350, 40000};
    static const char *const integers[] = {"0", "1", "-1", "127", "128", "-128", "-129", "32768", "-8388609", "2147483648", "140737488355327",
                                           "140737488355328", "-140737488355329", "9223372036854775807", "-9223372036854775808"};
    static const char *const reals[] = {"0", "-0.0", "0.5", "-0.5", "1", "100000", "1e15", "-1e15", "2.5e-10", "140737488355328", "-140737488355327"};
    uint32_t x = 7;
    size_t used = 0, cap = (size_t)HOSTILE * 2 * 64 + HOSTILE * 2500;
    char *text = malloc(cap);
    assert_non_null(text);
    *memory = text;
    for (size_t i = 0; i < HOSTILE; i++) {
        for (size_t k = 0; k < 2; k++) {
            x = x * 1664525u + 1013904223u;
            size_t len = (x >> 24) % 50 == 0 ? lengths[(x >> 16) % 16] : lengths[(x >> 16) % 8];
            assert_true(used + len + 16 < cap);
            char *at = text + used;
            memset(at, 'a' + (int)((x >> 20) % 2), len);
            for (size_t z = 0; z < len && z < 3; z++)
                at[len - 1 - z] = (char)((x >> (8 + z)) % 4 == 0 ? 0 : 'a' + (x >> (4 * z)) % 3);
            used += len;
            cells[i * HOSTILE_COLUMNS + k] = (x >> 12) % 9 == 0 ? NUL : (struct odp_slice){at, len};
        }
        x = x * 1664525u + 1013904223u;
        cells[i * HOSTILE_COLUMNS + 2] = odp_slice_of(integers[(x >> 24) % 15]);
        cells[i * HOSTILE_COLUMNS + 3] = (x >> 16) % 7 == 0 ? NUL : odp_slice_of(reals[(x >> 20) % 11]);
        int n = snprintf(text + used, 16, "%u", (unsigned)((i * 7919) % HOSTILE));
        cells[i * HOSTILE_COLUMNS + 4] = (struct odp_slice){text + used, (size_t)n};
        used += (size_t)n;
    }
}

/* The same file whether the keys are sorted at once or merged from many pieces; SQLite finds it sound, every value as it was given, and the same
 * statistics. */
static void test_hostile_values(void **state)
{
    (void)state;
    static struct odp_slice cells[HOSTILE * HOSTILE_COLUMNS];
    static const size_t pieces[] = {0, 1, 3000, 100000};
    uint32_t declared[] = {0, 1, 2, 3}, pair[] = {1, 3, 0}, turned[] = {3, 2};
    struct odp_key indexes[] = {{&declared[0], 1, NULL}, {&declared[1], 1, NULL}, {&declared[2], 1, NULL}, {&declared[3], 1, NULL},
                                {pair, 3, NULL},         {turned, 2, NULL}};
    struct fixture fx;
    char path[PATH_SIZE], *memory, *first = NULL;
    size_t len = 0;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "satu", ODP_TYPE_STRING);
    fx_field(&fx, "dua", ODP_TYPE_STRING);
    fx_field(&fx, "bulat", ODP_TYPE_INTEGER);
    fx_field(&fx, "pecahan", ODP_TYPE_NUMBER);
    fx_field(&fx, "kunci", ODP_TYPE_INTEGER);
    fx_key(&fx, 4, -1);
    fx.resource.indexes = indexes;
    fx.resource.nindexes = sizeof indexes / sizeof *indexes;
    hostile_values(cells, &memory);
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        size_t again;
        struct odp_search_job job = job_of(&fx, path);
        job.sorted_at_once = pieces[k];
        assert_int_equal(write_index(&fx, &job, cells, HOSTILE, k == 0 ? 1 : 700, NULL), ODP_OK);
        char *bytes = fx_read(&fx, "a.sqlite", &again);
        if (first != NULL) {
            assert_int_equal(again, len);
            assert_memory_equal(bytes, first, len);
        }
        free(first);
        first = bytes;
        len = again;
        if (k + 1 < sizeof pieces / sizeof *pieces)
            assert_int_equal(unlink(path), 0);
    }
    free(first);
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db, "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'i[0-9]*'", "7\n");
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT c0, c1 FROM data ORDER BY id", -1, &s, NULL), SQLITE_OK);
    for (size_t i = 0; i < HOSTILE; i++) {
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        for (int k = 0; k < 2; k++) {
            struct odp_slice want = cells[i * HOSTILE_COLUMNS + (size_t)k];
            assert_int_equal(sqlite3_column_type(s, k), want.ptr == NULL ? SQLITE_NULL : SQLITE_TEXT);
            assert_int_equal(sqlite3_column_bytes(s, k), want.len);
            if (want.len > 0)
                assert_memory_equal(sqlite3_column_text(s, k), want.ptr, want.len);
        }
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    check_statistics(path);
    free(memory);
    fx_release(&fx);
}

/* Keys so long that a page has five of them: from one page to a tree of five levels. */
static void test_tall_trees(void **state)
{
    (void)state;
    enum { TALL = 2400, LONG = 3000 };
    static struct odp_slice cells[TALL];
    struct fixture fx;
    char path[PATH_SIZE], *text = malloc((size_t)TALL * 16);
    uint32_t declared[] = {0};
    struct odp_key index = {declared, 1, NULL};
    assert_non_null(text);
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "kode", ODP_TYPE_STRING);
    fx.resource.indexes = &index;
    fx.resource.nindexes = 1;
    static char tail[LONG];
    memset(tail, 'x', sizeof tail);
    struct odp_search_job job = job_of(&fx, path);
    for (uint32_t n = 1; n <= TALL; n = n < 40 ? n + 1 : n * 7 + 1) {
        char *long_text = malloc((size_t)n * LONG);
        assert_non_null(long_text);
        for (uint32_t i = 0; i < n; i++) {
            memcpy(long_text + (size_t)i * LONG, tail, LONG);
            int k = snprintf(text, 16, "%08u", (i * 7919u) % 99991u);
            memcpy(long_text + (size_t)i * LONG, text, (size_t)k);
            cells[i] = (struct odp_slice){long_text + (size_t)i * LONG, LONG};
        }
        assert_int_equal(write_index(&fx, &job, cells, n, 500, NULL), ODP_OK);
        sqlite3 *db = open_index(path);
        check_sound(db);
        sqlite3_close(db);
        check_statistics(path);
        assert_int_equal(unlink(path), 0);
        free(long_text);
    }
    free(text);
    fx_release(&fx);
}

/* ---- the emitter -----------------------------------------------------------------------------------------------------------
 */

static void test_emitter(void **state)
{
    (void)state;
    struct fixture fx;
    struct odp_search_file searches[1] = {{0}};
    struct odp_arena arena;
    struct odp_file_info digest;
    char hex[ODP_SHA256_HEX], want[512];
    const struct odp_slice cells[] = {S("a"), S("b")};
    fx_init(&fx);
    odp_arena_init(&arena);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.formats[0] = S("CSV");
    fx.dataset.formats.n = 1;
    fx_emit(&fx, cells, 2, 2, NULL); /* none are made */
    assert_false(fx_exists(&fx, "search"));
    fx_release(&fx);
    fx_init(&fx);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.formats[0] = S("CSV");
    fx.dataset.formats.n = 1;
    fx.job.searches = searches;
    fx.job.arena = &arena;
    fx_emit(&fx, cells, 2, 1, NULL);
    assert_non_null(searches[0].path);
    assert_int_equal(searches[0].rows, 2);
    assert_int_equal(odp_file_digest(searches[0].disk, &digest), ODP_OK);
    odp_digest_hex(digest.sha256, hex);
    hex[ODP_SEARCH_ID] = '\0';
    snprintf(want, sizeof want, "search/uji/2024-03-15/uji-%s.sqlite", hex);
    assert_string_equal(searches[0].path, want);
    assert_true(fx_exists(&fx, searches[0].path));
    fx_path(&fx, "search/uji/2024-03-15", want);
    assert_int_equal(files_in(want), 1);
    assert_false(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));

    /* Given up: nothing is left. */
    struct odp_emit_set set = {0};
    fx_release(&fx);
    fx_init(&fx);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.dataset.formats.n = 0;
    fx.job.searches = searches;
    fx.job.arena = &arena;
    assert_int_equal(odp_emit_set_begin(&set, &fx.job), ODP_OK);
    assert_true(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    odp_emit_set_abort(&set);
    assert_false(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    fx.resource.no_search = true;
    assert_int_equal(odp_emit_set_begin(&set, &fx.job), ODP_OK);
    assert_false(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    odp_emit_set_abort(&set);
    odp_arena_release(&arena);
    fx_release(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_wide_values),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_instants),
        cmocka_unit_test(test_names_and_private_fields),
        cmocka_unit_test(test_key_that_is_none),
        cmocka_unit_test(test_next_to_nothing),
        cmocka_unit_test(test_indexes),
        cmocka_unit_test(test_how_many_indexes),
        cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_many_boxes),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_queryables_and_timeline),
        cmocka_unit_test(test_interval),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_hostile_values),
        cmocka_unit_test(test_tall_trees),
        cmocka_unit_test(test_emitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
