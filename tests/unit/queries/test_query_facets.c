/* facets=: exact bodies. */
#include "query_views_fixture.h"

#define CELLS 4
/* kode, tingkat, luas, tahun */
static const char *const rows[] = {
    "\"31.71\"", "\"Ringan\"", "12.50", "2023", /* 1 */
    "\"31.71\"", "\"Berat\"",  "12.5",  "2024", /* 2 */
    "\"32.73\"", "\"Ringan\"", "7",     NULL,   /* 3 */
    "\"31.72\"", "\"Sedang\"", "-0.25", "2024", /* 4 */
    "\"32.73\"", NULL,         NULL,    "2023", /* 5 */
    "\"11.01\"", "\"Ringan\"", "7.00",  NULL,   /* 6 */
};

static void make(struct vf *f)
{
    vf_start(f);
    struct odp_search_column *c = vf_column(f, "kode", ODP_TYPE_STRING);
    c->title = (struct odp_text){{"Kode wilayah", "Region code"}};
    c->labels = true;
    vf_column(f, "tingkat", ODP_TYPE_STRING)->title = (struct odp_text){{"Tingkat", ""}};
    vf_column(f, "luas", ODP_TYPE_NUMBER)->scale = 2;
    vf_column(f, "tahun", ODP_TYPE_YEAR);
    vf_label(f, "kode", "31.71", "Jakarta \"Pusat\"", "Central Jakarta");
    vf_label(f, "kode", "32.73", "Bandung", "");
    vf_label(f, "tingkat", "Ringan", "salah", "wrong");
    vf_rows(f, rows, sizeof rows / sizeof *rows / CELLS);
}

static void test_most_frequent_first_then_by_value(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_ENVELOPE, "facets=tingkat",
             "{\"data\":[\n{\"facet\":\"tingkat\",\"title\":{\"id\":\"Tingkat\",\"en\":\"Tingkat\"},\"values\":[{\"value\":"
             "\"Ringan\",\"count\":3},"
             "{\"value\":\"Berat\",\"count\":1},{\"value\":\"Sedang\",\"count\":1},{\"value\":null,\"count\":1}],\"more\":"
             "false}\n]");
    assert_int_equal(f.r.total, 6);
    assert_int_equal(f.r.returned, 1);
    vf_check(&f, ODP_QUERY_ENVELOPE, "facets=tahun",
             "{\"data\":[\n{\"facet\":\"tahun\",\"title\":{\"id\":\"tahun\",\"en\":\"tahun\"},\"values\":[{\"value\":2023,"
             "\"count\":2},"
             "{\"value\":2024,\"count\":2},{\"value\":null,\"count\":2}],\"more\":false}\n]");
    vf_finish(&f);
}

static void test_equal_numbers_are_one_value_as_first_published(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(
        &f, ODP_QUERY_ENVELOPE, "facets=luas",
        "{\"data\":[\n{\"facet\":\"luas\",\"title\":{\"id\":\"luas\",\"en\":\"luas\"},\"values\":[{\"value\":7,\"count\":2},"
        "{\"value\":12.50,\"count\":2},{\"value\":-0.25,\"count\":1},{\"value\":null,\"count\":1}],\"more\":false}\n]");
    vf_finish(&f);
}

static void test_labels_stand_beside_codes(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_ENVELOPE, "facets=kode,tingkat&tingkat=Ringan",
             "{\"data\":[\n{\"facet\":\"kode\",\"title\":{\"id\":\"Kode wilayah\",\"en\":\"Region code\"},\"values\":["
             "{\"value\":\"11.01\",\"label\":null,\"count\":1},"
             "{\"value\":\"31.71\",\"label\":{\"id\":\"Jakarta \\\"Pusat\\\"\",\"en\":\"Central Jakarta\"},\"count\":1},"
             "{\"value\":\"32.73\",\"label\":{\"id\":\"Bandung\",\"en\":\"Bandung\"},\"count\":1}],\"more\":false},\n"
             "{\"facet\":\"tingkat\",\"title\":{\"id\":\"Tingkat\",\"en\":\"Tingkat\"},\"values\":[{\"value\":\"Ringan\","
             "\"count\":3}],\"more\":false}\n]");
    assert_int_equal(f.r.total, 3);
    vf_finish(&f);
}

static void test_nothing_matches(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_ENVELOPE, "facets=tingkat&kode=99.99",
             "{\"data\":[\n{\"facet\":\"tingkat\",\"title\":{\"id\":\"Tingkat\",\"en\":\"Tingkat\"},\"values\":[],\"more\":"
             "false}\n]");
    assert_int_equal(f.r.total, 0);
    vf_finish(&f);
}

static void test_whole_body(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    assert_int_equal(vf_ask(&f, ODP_QUERY_ENVELOPE, "facets=tahun&tingkat=Berat"), ODP_OK);
    assert_string_equal(
        odp_buffer_cstr(&f.r.body),
        "{\"data\":[\n{\"facet\":\"tahun\",\"title\":{\"id\":\"tahun\",\"en\":\"tahun\"},\"values\":[{\"value\":2024,\"count\":"
        "1}],\"more\":"
        "false}\n],\"status\":\"success\",\"meta\":{\"dataset\":\"uji\",\"resource\":null,\"version\":\"2024-03-15\",\"release\":\"2.5.0\","
        "\"total\":1,"
        "\"returned\":1,\"limit\":null,\"page\":null,\"pages\":null,\"last_update\":\"2024-03-15\"},\"links\":{\"self\":\"uji?facets=tahun&tingkat=Berat\",\"next\":null,"
        "\"prev\":null,\"first\":\"uji?facets=tahun&tingkat=Berat\",\"last\":null}}\n");
    vf_finish(&f);
}

static void test_csv(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_CSV, "facets=kode,tahun&luas=12.5",
             "facet,value,label_id,label_en,count\r\nkode,31.71,\"Jakarta \"\"Pusat\"\"\",Central Jakarta,2\r\n"
             "tahun,2023,,,1\r\ntahun,2024,,,1\r\n");
    vf_finish(&f);
}

static void test_a_hundred_values_and_more(void **state)
{
    (void)state;
    enum { N = 101 };
    static char texts[N + 1][16];
    static const char *cells[N + 1];
    for (int n = N - 1; n <= N; n++) {
        struct vf f;
        vf_start(&f);
        vf_column(&f, "kode", ODP_TYPE_STRING);
        for (int i = 0; i < n; i++) {
            (void)snprintf(texts[i], sizeof texts[i], "\"k%03d\"", i);
            cells[i] = texts[i];
        }
        cells[n] = "\"k000\"";
        vf_rows(&f, cells, (size_t)n + 1);
        assert_int_equal(vf_ask(&f, ODP_QUERY_ENVELOPE, "facets=kode"), ODP_OK);
        const char *body = odp_buffer_cstr(&f.r.body);
        assert_non_null(strstr(body, "[{\"value\":\"k000\",\"count\":2},{\"value\":\"k001\",\"count\":1},"));
        assert_non_null(strstr(body, n == N ? "{\"value\":\"k099\",\"count\":1}],\"more\":true}"
                                            : "{\"value\":\"k099\",\"count\":1}],\"more\":false}"));
        assert_null(strstr(body, "k100"));
        assert_int_equal(f.r.total, n + 1); /* also where not all values are shown */
        vf_finish(&f);
    }
}

static void test_wide_numbers(void **state)
{
    (void)state;
    static const char *const wide[] = {"12345678901234567.25", "12345678901234567.250", "3", "-12345678901234567.25", "3.0"};
    struct vf f;
    vf_start(&f);
    struct odp_search_column *c = vf_column(&f, "x", ODP_TYPE_NUMBER);
    c->wide = true;
    vf_rows(&f, wide, 5);
    vf_check(&f, ODP_QUERY_CSV, "facets=x",
             "facet,value,label_id,label_en,count\r\nx,3,,,2\r\nx,12345678901234567.25,,,2\r\nx,-12345678901234567.25,,,1\r\n");
    vf_finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_most_frequent_first_then_by_value),
        cmocka_unit_test(test_equal_numbers_are_one_value_as_first_published),
        cmocka_unit_test(test_labels_stand_beside_codes),
        cmocka_unit_test(test_nothing_matches),
        cmocka_unit_test(test_whole_body),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_a_hundred_values_and_more),
        cmocka_unit_test(test_wide_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
