/* aggregate= and groupby=: exact bodies, exact sums and averages. */
#include "query_views_fixture.h"

#define CELLS 5
/* prov, tingkat, luas, jiwa, tanggal */
static const char *const rows[] = {
    "\"31\"",
    "\"Ringan\"",
    "12.50",
    "9007199254740993",
    "\"2024-01-02\"", /* 1 */
    "\"32\"",
    "\"Berat\"",
    "0.10",
    "2",
    "\"2023-12-31\"", /* 2 */
    "\"31\"",
    "\"Berat\"",
    "0.20",
    "5",
    NULL, /* 3 */
    NULL,
    "\"Ringan\"",
    "0.1",
    NULL,
    "\"2024-02-29\"", /* 4 */
    "\"32\"",
    "\"Berat\"",
    "-3",
    "-7",
    "\"2023-12-31\"", /* 5 */
    "\"31\"",
    "\"Ringan\"",
    NULL,
    "0",
    "\"2024-01-01\"", /* 6 */
};

static void make(struct vf *f)
{
    vf_start(f);
    vf_column(f, "prov", ODP_TYPE_STRING)->labels = true;
    vf_column(f, "tingkat", ODP_TYPE_STRING);
    vf_column(f, "luas", ODP_TYPE_NUMBER)->scale = 2;
    vf_column(f, "jiwa", ODP_TYPE_INTEGER);
    vf_column(f, "tanggal", ODP_TYPE_DATE);
    vf_label(f, "prov", "32", "Jawa Barat", "West Java");
    vf_label(f, "prov", "31", "DKI Jakarta", "Jakarta");
    vf_label(f, "prov", "33", "Jawa Tengah", "Central Java");
    vf_rows(f, rows, sizeof rows / sizeof *rows / CELLS);
}

static void test_all_records_are_one_group(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(
        &f, ODP_QUERY_ENVELOPE,
        "aggregate=count(),sum(luas),avg(luas),min(luas),max(luas),sum(jiwa),avg(jiwa),min(tanggal),max(tanggal),min(tingkat)",
        "{\"data\":[\n{\"count\":6,\"sum_luas\":9.9,\"avg_luas\":1.98,\"min_luas\":-3,\"max_luas\":12.50,\"sum_jiwa\":"
        "9007199254740993,"
        "\"avg_jiwa\":1801439850948198.6,\"min_tanggal\":\"2023-12-31\",\"max_tanggal\":\"2024-02-29\",\"min_tingkat\":"
        "\"Berat\"}\n]");
    assert_int_equal(f.r.total, 6);
    assert_int_equal(f.r.returned, 1);
    vf_finish(&f);
}

static void test_nothing_matches(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_ENVELOPE, "prov=99&aggregate=count(),sum(luas),avg(luas),min(luas)",
             "{\"data\":[\n{\"count\":0,\"sum_luas\":null,\"avg_luas\":null,\"min_luas\":null}\n]");
    assert_int_equal(f.r.total, 0);
    vf_check(&f, ODP_QUERY_ENVELOPE, "prov=99&aggregate=count()&groupby=prov", "{\"data\":[]");
    assert_int_equal(f.r.returned, 0);
    vf_finish(&f);
}

static void test_groups_in_their_order(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_ENVELOPE, "aggregate=sum(luas),count(),max(jiwa)&groupby=prov,tingkat",
             "{\"data\":[\n{\"prov\":\"31\",\"tingkat\":\"Berat\",\"sum_luas\":0.2,\"count\":1,\"max_jiwa\":5},\n"
             "{\"prov\":\"31\",\"tingkat\":\"Ringan\",\"sum_luas\":12.5,\"count\":2,\"max_jiwa\":9007199254740993},\n"
             "{\"prov\":\"32\",\"tingkat\":\"Berat\",\"sum_luas\":-2.9,\"count\":2,\"max_jiwa\":2},\n"
             "{\"prov\":null,\"tingkat\":\"Ringan\",\"sum_luas\":0.1,\"count\":1,\"max_jiwa\":null}\n]");
    assert_int_equal(f.r.total, 6);
    assert_int_equal(f.r.returned, 4);
    vf_finish(&f);
}

static void test_labels_are_told_once(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    assert_int_equal(vf_ask(&f, ODP_QUERY_ENVELOPE, "aggregate=count()&groupby=tingkat,prov"), ODP_OK);
    assert_string_equal(
        odp_buffer_cstr(&f.r.body),
        "{\"data\":[\n{\"tingkat\":\"Berat\",\"prov\":\"31\",\"count\":1},\n{\"tingkat\":\"Berat\",\"prov\":\"32\",\"count\":2}"
        ",\n"
        "{\"tingkat\":\"Ringan\",\"prov\":\"31\",\"count\":2},\n{\"tingkat\":\"Ringan\",\"prov\":null,\"count\":1}\n],"
        "\"status\":"
        "\"success\",\"meta\":{\"dataset\":\"uji\",\"resource\":null,\"version\":\"2024-03-15\",\"release\":\"2.5.0\",\"total\":6,\"returned\":4,"
        "\"limit\":null,\"page\":null,\"pages\":null,\"labels\":"
        "{\"prov\":{\"31\":{\"id\":\"DKI Jakarta\",\"en\":\"Jakarta\"},\"32\":{\"id\":\"Jawa Barat\",\"en\":\"West Java\"}}},"
        "\"last_update\":\"2024-03-15\"},\"links\":{\"self\":\"uji?aggregate=count()&groupby=tingkat,prov\",\"next\":"
        "null,"
        "\"prev\":null,\"first\":\"uji?aggregate=count()&groupby=tingkat,prov\",\"last\":null}}\n");
    vf_finish(&f);
}

static void test_csv(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_CSV, "aggregate=avg(luas),min(tanggal),count()&groupby=prov",
             "prov,avg_luas,min_tanggal,count\r\n31,6.35,2024-01-01,3\r\n32,-1.45,2023-12-31,2\r\n,0.1,2024-02-29,1\r\n");
    vf_finish(&f);
}

static void check_average(const char *const *cells, size_t n, int scale, const char *expected)
{
    char body[200];
    struct vf f;
    vf_start(&f);
    vf_column(&f, "x", ODP_TYPE_NUMBER)->scale = scale;
    f.columns[0].wide = scale < 0;
    vf_rows(&f, cells, n);
    (void)snprintf(body, sizeof body, "avg_x\r\n%s\r\n", expected);
    vf_check(&f, ODP_QUERY_CSV, "aggregate=avg(x)", body);
    vf_finish(&f);
}

static void test_averages_are_rounded_half_even(void **state)
{
    (void)state;
    check_average((const char *const[]){"1", "1", "0"}, 3, 0, "0.666667");
    check_average((const char *const[]){"1", "0", "0"}, 3, 0, "0.333333");
    check_average((const char *const[]){"-1", "-1", "0"}, 3, 0, "-0.666667");
    check_average((const char *const[]){"1", "0", "0"}, 3, 2, "0.33333333");
    check_average((const char *const[]){"9.99", "9.99"}, 2, 2, "9.99");
    check_average((const char *const[]){"-0.5", "0.5"}, 2, 1, "0");
    check_average((const char *const[]){"1000000", "0"}, 2, 0, "500000");
    /* 1/128 = 0.0078125: seven decimals, one more than are kept; 2 and 8 before the 5 */
    static const char *half[128];
    for (size_t i = 0; i < 128; i++)
        half[i] = "0";
    half[0] = "1";
    check_average(half, 128, 0, "0.007812");
    half[1] = "2"; /* 3/128 = 0.0234375 */
    check_average(half, 128, 0, "0.023438");
    half[0] = "-1"; /* -1/128 … */
    half[1] = "0";
    check_average(half, 128, 0, "-0.007812");
    half[0] = "127"; /* 127/128 = 0.9921875 */
    check_average(half, 128, 0, "0.992188");
    /* a carry through all digits: (2999999 + 0 + 0 … ) */
    check_average((const char *const[]){"0.999999", "0.999999", "0.9999990"}, 3, 6, "0.999999");
    check_average((const char *const[]){"12345678901234567890.5", "0"}, 2, -1, "6172839450617283945.25");
}

static void test_wide_numbers(void **state)
{
    (void)state;
    static const char *const wide[] = {"12345678901234567.25", "12345678901234567.24", "3", "-12345678901234567.25"};
    struct vf f;
    vf_start(&f);
    vf_column(&f, "x", ODP_TYPE_NUMBER)->wide = true;
    vf_rows(&f, wide, 4);
    vf_check(&f, ODP_QUERY_CSV, "aggregate=min(x),max(x),sum(x)",
             "min_x,max_x,sum_x\r\n-12345678901234567.25,12345678901234567.25,12345678901234570.24\r\n");
    vf_finish(&f);
}

static void test_ten_thousand_groups_and_one_more(void **state)
{
    (void)state;
    enum { N = 10001 };
    static char texts[N][12];
    static const char *cells[N];
    for (int i = 0; i < N; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "%d", i);
        cells[i] = texts[i];
    }
    for (size_t n = N - 1; n <= N; n++) {
        struct vf f;
        vf_start(&f);
        vf_column(&f, "x", ODP_TYPE_INTEGER);
        vf_rows(&f, cells, n);
        enum odp_status status = vf_ask(&f, ODP_QUERY_CSV, "groupby=x");
        if (n == N) {
            assert_int_equal(status, ODP_BAD);
            assert_int_equal(f.fault.problem, ODP_QUERY_TOO_EXPENSIVE);
            assert_string_equal(f.fault.parameter, "groupby");
            assert_string_equal(odp_text_get(&f.fault.detail, ODP_LANG_EN),
                                "more than 10,000 groups: filter the records, or group by columns with fewer values");
        } else {
            assert_int_equal(status, ODP_OK);
            assert_int_equal(f.r.returned, N - 1);
        }
        vf_finish(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_records_are_one_group),
        cmocka_unit_test(test_nothing_matches),
        cmocka_unit_test(test_groups_in_their_order),
        cmocka_unit_test(test_labels_are_told_once),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_averages_are_rounded_half_even),
        cmocka_unit_test(test_wide_numbers),
        cmocka_unit_test(test_ten_thousand_groups_and_one_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
