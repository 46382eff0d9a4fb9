/* Facets and aggregates of many values: what is cut, what is refused, how averages are rounded. (Bodies are
 * in answers/.) */
#include "query_views_fixture.h"

/* The average of N CELLS. */
static void check_average(const char *const *cells, size_t n, int scale, const char *expected)
{
    char body[200];
    struct vf f;
    vf_start(&f);
    vf_column(&f, "x", ODP_TYPE_NUMBER)->scale = scale;
    f.columns[0].wide = scale < 0;
    vf_rows(&f, cells, n);
    snprintf(body, sizeof body, "avg_x\r\n%s\r\n", expected);
    vf_check(&f, ODP_QUERY_CSV, "aggregate=avg(x)", body);
    vf_finish(&f);
}

TEST(averages_are_rounded_half_even)
{
    static const struct {
        const char *cells[3];
        size_t n;
        int scale;
        const char *average;
    } cases[] = {
        {{"1", "1", "0"}, 3, 0, "0.666667"},
        {{"1", "0", "0"}, 3, 0, "0.333333"},
        {{"-1", "-1", "0"}, 3, 0, "-0.666667"},
        {{"1", "0", "0"}, 3, 2, "0.33333333"},
        {{"9.99", "9.99"}, 2, 2, "9.99"},
        {{"-0.5", "0.5"}, 2, 1, "0"},
        {{"1000000", "0"}, 2, 0, "500000"},
        {{"0.999999", "0.999999", "0.9999990"}, 3, 6, "0.999999"}, /* a carry through all digits */
        {{"12345678901234567890.5", "0"}, 2, -1, "6172839450617283945.25"},
    };
    /* FIRST and SECOND of 128, all others 0: n/128 has seven decimals, one more than are kept */
    static const struct {
        const char *first, *second, *average;
    } halves[] = {
        {"1", "0", "0.007812"}, {"1", "2", "0.023438"}, {"-1", "0", "-0.007812"}, {"127", "0", "0.992188"}};
    const char *half[128];
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        check_average(cases[i].cells, cases[i].n, cases[i].scale, cases[i].average);
    for (size_t i = 0; i < ODP_COUNT(halves); i++) {
        for (size_t k = 0; k < 128; k++)
            half[k] = k == 0 ? halves[i].first : k == 1 ? halves[i].second : "0";
        check_average(half, 128, 0, halves[i].average);
    }
}

/* An index of the numbers below N, and of 0 once more. */
static void make_numbers(struct vf *f, size_t n)
{
    enum { MOST = 10001 };
    static char texts[MOST][12];
    static const char *cells[MOST + 1];
    assert_true(n <= MOST);
    for (size_t i = 0; i < n; i++) {
        snprintf(texts[i], sizeof texts[i], "%zu", i);
        cells[i] = texts[i];
    }
    cells[n] = "0";
    vf_start(f);
    vf_column(f, "x", ODP_TYPE_INTEGER);
    vf_rows(f, cells, n + 1);
}

TEST(ten_thousand_groups_and_one_more)
{
    enum { MOST = 10000 };
    struct vf f;
    make_numbers(&f, MOST);
    must(vf_ask(&f, ODP_QUERY_CSV, "groupby=x"));
    assert_int_equal(f.r.returned, MOST);
    assert_int_equal(f.r.total, MOST + 1);
    vf_finish(&f);
    make_numbers(&f, MOST + 1);
    must_refuse(vf_ask(&f, ODP_QUERY_CSV, "groupby=x"));
    assert_int_equal(f.fault.problem, ODP_QUERY_TOO_EXPENSIVE);
    assert_string_equal(f.fault.parameter, "groupby");
    assert_string_equal(odp_text_get(&f.fault.detail, ODP_LANG_EN),
                        "more than 10,000 groups: filter the records, or group by columns with fewer values");
    vf_finish(&f);
}

TEST(a_hundred_values_and_more)
{
    for (size_t n = 100; n <= 101; n++) {
        struct vf f;
        make_numbers(&f, n);
        must(vf_ask(&f, ODP_QUERY_ENVELOPE, "facets=x"));
        const char *body = odp_buffer_cstr(&f.r.body);
        assert_non_null(strstr(body, "[{\"value\":0,\"count\":2},{\"value\":1,\"count\":1},"));
        assert_non_null(strstr(body, n == 100 ? "{\"value\":99,\"count\":1}],\"more\":false}"
                                              : "{\"value\":99,\"count\":1}],\"more\":true}"));
        assert_null(strstr(body, "\"value\":100"));
        assert_int_equal(f.r.total, n + 1); /* also where not all values are shown */
        vf_finish(&f);
    }
}
