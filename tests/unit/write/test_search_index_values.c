/* The query index: what is stored of a value of every type, and how exact it is. */
#include "answer_lines.h"
#include "search_index_fixture.h"
#include "write/search_table.h"

#include "base/decimal.h"

TEST(every_type)
{
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        fx_field(&fx, odp_type_name((enum odp_type)t), (enum odp_type)t);
    const struct odp_slice cells[] = {
        S("Jalan \"Mawar\"\t\xE2\x80\xA8"), S("12.50"), S("-42"), S("true"), S("2024-02-29"), S("07:05:00.5"),
        S("2024-03-15T01:00:00.500+07:00"), S("2024"), S("2024-03"), S("P1Y2M"), S("[\"a\",\"b\"]"),
        S("[106.8,-6.2]"), S("{\"type\":\"Point\",\"coordinates\":[1,2]}"), S("{\"a\":1}"), S("[1,2]"),
        S("apa saja"),
        /* nothing at all, but an empty text */
        S(""), NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL, NUL,
        /* ends of ranges */
        S("z"), S("-0.0"), S("-9223372036854775808"), S("false"), S("0001-01-01"), S("00:00:00"),
        S("0001-01-01T00:00:00+07:00"), S("9999"), S("0001-01"), S("PT0S"), S("[]"), S("[0,0]"), S("{}"),
        S("{}"), S("[]"), S("x1"), S("\xC3\xA9"), S("1e22"), S("9223372036854775807"), S("false"),
        S("9999-12-31"), S("23:59:59"), S("9999-12-31T23:00:00-07:00"), S("1000"), S("9999-12"), S("P1D"),
        S("[]"), S("[0,0]"), S("{}"), S("{}"), S("[]"), S("x2")};
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, 4, 4, NULL));
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(
        db,
        "SELECT fid, quote(string), quote(number), quote(integer), quote(boolean), quote(date), quote(time), "
        "quote(datetime), quote(year), quote(yearmonth) FROM uji",
        "1|'Jalan "
        "\"Mawar\"\t\xE2\x80\xA8'|12.5|-42|1|'2024-02-29'|'07:05:00.5'|'2024-03-14T18:00:00.500Z'|2024|'2024-"
        "03'\n"
        "2|''|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n"
        "3|'z'|0.0|-9223372036854775808|0|'0001-01-01'|'00:00:00'|'0000-12-31T17:00:00.000Z'|9999|'0001-01'\n"
        "4|'\xC3\xA9'|1.0e+22|9223372036854775807|0|'9999-12-31'|'23:59:59'|':000-01-01T06:00:00.000Z'|1000|'"
        "9999-12'\n");
    expect(db, "SELECT fid, duration, list, geopoint, geojson, object, array, \"any\" FROM uji WHERE fid < 3",
           "1|P1Y2M|[\"a\",\"b\"]|[106.8,-6.2]|{\"type\":\"Point\",\"coordinates\":[1,2]}|{\"a\":1}|[1,2]|"
           "apa saja\n"
           "2|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n");
    expect(db,
           "SELECT typeof(string), typeof(number), typeof(integer), typeof(boolean), typeof(year), "
           "typeof(object) FROM uji WHERE fid = 1",
           "text|real|integer|integer|integer|text\n");
    expect(db, "SELECT * FROM odp_exact",
           "1|12.50|2024-03-15T01:00:00.500+07:00\n2|NULL|NULL\n3|-0.0|0001-01-01T00:00:00+07:00\n"
           "4|1e22|9999-12-31T23:00:00-07:00\n");
    expect(db,
           "SELECT name FROM sqlite_schema WHERE name GLOB 'gpkg*' OR name GLOB 'rtree*' OR name = "
           "'odp_geometry'",
           "");
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
        assert_int_equal(c->indexed, k == ODP_TYPE_DATE || k == ODP_TYPE_DATETIME || k == ODP_TYPE_YEAR ||
                                         k == ODP_TYPE_YEARMONTH);
        assert_int_equal(info.schema.fields[k].type, k);
        assert_true(info.schema.fields[k].is_public);
        assert_int_equal(odp_search_find(&info, odp_slice_of(c->name)), k);
    }
    odp_arena_release(&arena);
}

TEST(wide_values)
{
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "besar", ODP_TYPE_INTEGER)->constraints.unique = true;
    fx_field(&fx, "tepat", ODP_TYPE_NUMBER);
    fx_field(&fx, "kecil", ODP_TYPE_NUMBER);
    fx_field(&fx, "uang", ODP_TYPE_NUMBER);
    const struct odp_slice cells[] = {
        S("9223372036854775808"),
        S("0.1234567890123456"),
        S("0.0000000000000001"),
        S("123456789012345"),
        S("7"),
        S("1.5"),
        S("1.50"),
        S("0.25"),
        S("-0"),
        S("100000000000000000"),
        S("3"),
        S("-2.125000"),
    };
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, 3, 1, NULL));
    sqlite3 *db = open_index(path);
    expect(db,
           "SELECT typeof(besar), CAST(besar AS TEXT), typeof(tepat), CAST(tepat AS TEXT), quote(kecil), "
           "quote(uang) FROM uji",
           "blob|9223372036854775808|blob|0.1234567890123456|1.0e-16|123456789012345.0\n"
           "integer|7|real|1.5|1.5|0.25\n"
           "blob|-0|real|1.0e+17|3.0|-2.125\n");
    expect(db, "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'odp_index_*'",
           "0\n"); /* bytes do not order what is wide */
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
}

/* How often each value of an indexed column occurs; of equal moments the first's text. */
TEST(counts)
{
    enum { ROWS = 20000, MONTHS = 1001 };
    static struct odp_slice cells[3 * ROWS];
    static char months[MONTHS][8];
    char path[PATH_SIZE];
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "tahun", ODP_TYPE_YEAR);
    fx_field(&fx, "saat", ODP_TYPE_DATETIME);
    fx_field(&fx, "bulan", ODP_TYPE_YEARMONTH);
    for (int i = 0; i < MONTHS; i++)
        snprintf(months[i], sizeof months[i], "%04d-%02d", 1900 + i / 12, 1 + i % 12);
    for (size_t i = 0; i < ROWS; i++) {
        cells[3 * i] = i % 4 == 0 ? NUL : i % 4 == 1 ? S("2023") : S("2024");
        cells[3 * i + 1] = i == 0 ? S("2024-03-15T10:00:00+07:00") : S("2024-03-15T03:00:00Z");
        cells[3 * i + 2] = odp_slice_of(months[i % MONTHS]);
    }
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, ROWS, 1000, NULL));
    sqlite3 *db = open_index(path);
    expect(db, "SELECT \"column\", value, n, text FROM odp_count",
           "tahun|NULL|5000|NULL\ntahun|2023|5000|NULL\ntahun|2024|10000|NULL\n"
           "saat|2024-03-15T03:00:00.000Z|20000|2024-03-15T10:00:00+07:00\n");
    sqlite3_close(db);
}

/* Pages search the same of a table whether its values are counted in the index or were not. */
TEST(what_pages_search)
{
    enum { MANY = 20000 };
    static const uint32_t sizes[] = {MANY / 2, MANY};
    static struct odp_slice cells[2 * MANY];
    struct odp_category kinds[] = {{S("1"), {{"Ringan", "Light"}}}, {S("2"), {{"Berat", "Berat"}}}};
    FX(fx);
    struct odp_field *kind = fx_field(&fx, "jenis", ODP_TYPE_STRING);
    kind->categories = kinds;
    kind->ncategories = 2;
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    for (size_t i = 0; i < MANY; i++) {
        cells[2 * i] = i % 4 == 0 ? S("1") : S("2");
        cells[2 * i + 1] = i % 2 == 0 ? S("Rusun A 7") : S("rusun Ámin");
    }
    for (size_t k = 0; k < ODP_COUNT(sizes); k++) {
        char path[PATH_SIZE], want[256];
        const int n = (int)sizes[k];
        struct odp_buffer text = {0};
        path_of(&fx, k == 0 ? "a.sqlite" : "b.sqlite", path);
        struct odp_search_job job = job_of(&fx, path);
        must(write_index(&fx, &job, cells, sizes[k], 1000, NULL));
        sqlite3 *db = open_index(path);
        expect(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'odp_count'", k == 0 ? "0\n" : "1\n");
        sqlite3_close(db);
        must(odp_search_table_print(path, &text));
        snprintf(want, sizeof want,
                 "{\"values\":[[\"jenis\",[[\"1\",\"Ringan\",\"Light\",%d],[\"2\",\"Berat\",\"Berat\",%d]]]],"
                 "\"words\":{\"rusun\":%d,\"berat\":%d,\"amin\":%d,\"light\":%d,\"ringan\":%d}}\n",
                 n / 4, n * 3 / 4, n, n * 3 / 4, n / 2, n / 4, n / 4);
        assert_string_equal(odp_buffer_cstr(&text), want);
        odp_buffer_release(&text);
    }
}

TEST(reals)
{
    /* Every decimal of 15 digits is the double that the C library reads, and printed with 15 digits it is
     * itself again. */
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

/* Questions of index_values.txt. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    const struct odp_slice value = odp_slice_of(strchr(question.ptr, ' ') + 1);
    char instant[ODP_DATETIME_SIZE], text[ODP_DATETIME_SIZE];
    double real;
    int scale;
    if (*question.ptr == 'i') {
        const size_t n = odp_search_instant(value, instant);
        odp_buffer_add(out, instant, n);
        odp_buffer_add_str(out, " says ");
        odp_buffer_add(out, text, odp_search_instant_text((struct odp_slice){instant, n}, text));
    } else if (odp_search_real(value, &real, &scale))
        odp_buffer_printf(out, "%.17g, %d", real, scale);
    else
        odp_buffer_add_str(out, "not exact");
}

TEST(values)
{
    answer_lines("write/index_values.txt", answer, NULL);
}
