/* Decimal numbers: reading, comparing, and doubles as fixed decimals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/decimal.h"

static const struct odp_decimal_form plain = {'.', '\0', true, false}, comma = {',', '.', true, false},
                                     comma_only = {',', '\0', true, false}, english = {'.', ',', true, false},
                                     spaces = {',', ' ', true, false}, integer = {'.', '\0', true, true},
                                     grouped = {'.', '.', true, true}, money = {',', '.', false, false},
                                     percent = {'.', '\0', false, false};

struct reading {
    const struct odp_decimal_form *form;
    const char *in, *out; /* out NULL: the fault */
    enum odp_decimal_fault fault;
};

static const struct reading readings[] = {
    {&plain, "0", "0", 0},
    {&plain, "123.45", "123.45", 0},
    {&plain, "-12.50", "-12.50", 0},
    {&plain, "-0", "-0", 0},
    {&plain, "+5", "5", 0},
    {&plain, "007", "7", 0},
    {&plain, "000.50", "0.50", 0},
    {&plain, "00", "0", 0},
    {&plain, ".5", "0.5", 0},
    {&plain, "-.5", "-0.5", 0},
    {&plain, "5.", "5", 0},
    {&plain, "1e5", "1e5", 0},
    {&plain, "1E+5", "1E+5", 0},
    {&plain, "+01.5e-03", "1.5e-3", 0},
    {&plain, "1e0", "1e0", 0},
    {&plain, "1e00", "1e0", 0},
    {&plain, "", NULL, ODP_DECIMAL_EMPTY},
    {&plain, "abc", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "-", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, ".", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "1e", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "1e+", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "1.2.3", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "--1", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "1 2", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "0x10", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "12a", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "1\0", "1", 0},
    {&plain, "12,5", NULL, ODP_DECIMAL_OTHER_MARK},
    {&plain, "1.234,5", NULL, ODP_DECIMAL_OTHER_MARK},
    {&plain, "1.234.567", NULL, ODP_DECIMAL_OTHER_MARK},
    {&plain, "1,234.5", NULL, ODP_DECIMAL_GROUP},
    {&plain, "1,234,567", NULL, ODP_DECIMAL_GROUP},
    {&comma_only, "1.5", NULL, ODP_DECIMAL_OTHER_MARK},
    {&plain, "NaN", NULL, ODP_DECIMAL_NOT_FINITE},
    {&plain, "-INF", NULL, ODP_DECIMAL_NOT_FINITE},
    {&plain, "inf", NULL, ODP_DECIMAL_NOT_FINITE},
    {&integer, "NaN", NULL, ODP_DECIMAL_SYNTAX},
    {&comma, "1.500", "1500", 0},
    {&comma, "1.500,75", "1500.75", 0},
    {&comma, "1500,75", "1500.75", 0},
    {&comma, "1500", "1500", 0},
    {&comma, "12.345.678", "12345678", 0},
    {&comma, "-1.000,5", "-1000.5", 0},
    {&comma, "1.5", NULL, ODP_DECIMAL_GROUP},
    {&comma, "12.34.567", NULL, ODP_DECIMAL_GROUP},
    {&comma, "1234.567", NULL, ODP_DECIMAL_GROUP},
    {&comma, ".500", NULL, ODP_DECIMAL_GROUP},
    {&comma, "1..500", NULL, ODP_DECIMAL_GROUP},
    {&comma, "1.500.", NULL, ODP_DECIMAL_GROUP},
    {&comma, "1,500.000", NULL, ODP_DECIMAL_GROUP},
    {&comma, "31.71.04.1001", NULL, ODP_DECIMAL_GROUP},
    {&comma, "0.500", "500", 0},
    {&comma, "1,5,5", NULL, ODP_DECIMAL_SYNTAX},
    {&english, "1,234.5", "1234.5", 0},
    {&english, "1.500", "1.500", 0},
    {&english, "1,5", NULL, ODP_DECIMAL_GROUP},
    {&spaces, "1 500,5", "1500.5", 0},
    {&spaces,
     "1\xC2\xA0"
     "500",
     "1500", 0},
    {&spaces,
     "1\xE2\x80\xAF"
     "500\xE2\x80\xAF"
     "000",
     "1500000", 0},
    {&spaces, "1.5", NULL, ODP_DECIMAL_OTHER_MARK},
    {&integer, "12", "12", 0},
    {&integer, "-0012", "-12", 0},
    {&integer, "12.0", NULL, ODP_DECIMAL_FRACTION},
    {&integer, "1e3", NULL, ODP_DECIMAL_FRACTION},
    {&integer, "12,5", NULL, ODP_DECIMAL_FRACTION},
    {&integer, "1,500", NULL, ODP_DECIMAL_GROUP},
    {&grouped, "1.500", "1500", 0},
    {&grouped, "1.5", NULL, ODP_DECIMAL_GROUP},
    {&grouped, "1,5", NULL, ODP_DECIMAL_FRACTION},
    {&money, "Rp 1.500", "1500", 0},
    {&money, "Rp1.500,50", "1500.50", 0},
    {&money, "Rp. 1.500", "1500", 0},
    {&money, "Rp.1.500,-", "1500", 0},
    {&money, "-Rp 1.500", "-1500", 0},
    {&money, "Rp -1.500", "-1500", 0},
    {&money, "1.500 juta", "1500", 0},
    {&money, "\xE2\x82\xAC 5", "5", 0},
    {&money, "(1.500)", NULL, ODP_DECIMAL_SYNTAX},
    {&money, "1.500-", NULL, ODP_DECIMAL_SYNTAX},
    {&money, "-Rp -5", NULL, ODP_DECIMAL_SYNTAX},
    {&money, "12 m2", NULL, ODP_DECIMAL_SYNTAX},
    {&money, "Rp", NULL, ODP_DECIMAL_SYNTAX},
    {&percent, "12.5 %", "12.5", 0},
    {&percent, "95%", "95", 0},
    {&percent, "1e5 m", "1e5", 0},
    {&percent, "USD .5", "0.5", 0},
    {&percent, "-5", "-5", 0},
    {&plain, "12%", NULL, ODP_DECIMAL_SYNTAX},
    {&plain, "1e1000", NULL, ODP_DECIMAL_TOO_LONG},
    {&plain, "1e99999999999999", NULL, ODP_DECIMAL_TOO_LONG},
    {&plain, "123456789012345678901234567890123456789012345678901234567890",
     "123456789012345678901234567890123456789012345678901234567890", 0},
    {&plain, "-12345678901234567890123456789012345678901234567890123456789.1",
     "-12345678901234567890123456789012345678901234567890123456789.1", 0},
    {&plain, "1234567890123456789012345678901234567890123456789012345678901", NULL, ODP_DECIMAL_TOO_LONG},
};

static void parse(void **state)
{
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        const struct reading *r = &readings[i];
        char out[ODP_DECIMAL_SIZE];
        size_t n;
        bool same, zeros;
        enum odp_decimal_fault fault =
            odp_decimal_parse(odp_slice_of(r->in), r->form, out, &n, &same, &zeros);
        if (fault != r->fault || (r->out != NULL && (n != strlen(r->out) || memcmp(out, r->out, n) != 0)))
            fail_msg("%s: fault %d, %.*s", r->in, (int)fault, (int)n, out);
        if (r->out != NULL)
            assert_true(same == (strcmp(r->in, r->out) == 0));
    }
}

static void leading_zeros(void **state)
{
    static const struct {
        const char *in;
        bool zeros;
    } cases[] = {{"007", true},  {"0", false},  {"00", true},  {"0.5", false},
                 {"00.5", true}, {"-01", true}, {"10", false}, {".5", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[ODP_DECIMAL_SIZE];
        size_t n;
        bool same, zeros;
        assert_int_equal(odp_decimal_parse(odp_slice_of(cases[i].in), &plain, out, &n, &same, &zeros),
                         ODP_DECIMAL_OK);
        assert_true(zeros == cases[i].zeros);
    }
}

static void compare(void **state)
{
    /* ascending; equal ones stand together, divided by '=' */
    static const char *const order[] = {"-1e300",
                                        "-1000.5",
                                        "-1000.49",
                                        "-10",
                                        "-9.99",
                                        "-1e-300",
                                        "0=-0=0.000=0e5",
                                        "1e-300",
                                        "0.001=1e-3",
                                        "0.0010000001",
                                        "0.01",
                                        "0.1=0.10",
                                        "0.9",
                                        "1=1.0=10e-1",
                                        "1.5=1.50",
                                        "2",
                                        "9",
                                        "10",
                                        "99.99",
                                        "100=1e2=1E+2=0.1e3",
                                        "100.0000000000000000000000000001",
                                        "1e300"};
    enum { N = sizeof order / sizeof order[0] };
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            for (const char *a = order[i]; *a != '\0'; a += strcspn(a, "=") + (a[strcspn(a, "=")] == '='))
                for (const char *b = order[j]; *b != '\0';
                     b += strcspn(b, "=") + (b[strcspn(b, "=")] == '=')) {
                    struct odp_slice x = {a, strcspn(a, "=")}, y = {b, strcspn(b, "=")};
                    int c = odp_decimal_cmp(x, y), want = (i > j) - (i < j);
                    if ((c > 0) - (c < 0) != want)
                        fail_msg("%.*s and %.*s: %d", (int)x.len, x.ptr, (int)y.len, y.ptr, c);
                    char p[ODP_DECIMAL_SIZE], q[ODP_DECIMAL_SIZE];
                    struct odp_slice m = {p, odp_decimal_normal(x, p)}, n = {q, odp_decimal_normal(y, q)};
                    assert_true(odp_slice_eq(m, n) == (i == j));
                    assert_int_equal(odp_decimal_cmp(m, x), 0);
                }
}

static void normal(void **state)
{
    static const char *const cases[][2] = {
        {"1.50", "1.5"},          {"-0", "0"},       {"1e2", "100"},
        {"1.25e300", "1.25e300"}, {"0.00", "0"},     {"100", "100"},
        {"-12.340e-1", "-1.234"}, {"1e-3", "0.001"}, {"125e298", "1.25e300"},
        {"1e-200", "1e-200"},     {"10.0", "10"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[ODP_DECIMAL_SIZE];
        out[odp_decimal_normal(odp_slice_of(cases[i][0]), out)] = '\0';
        assert_string_equal(out, cases[i][1]);
    }
}

static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* printf rounds the exact value too, ties to even: those are left out by the caller. */
static void expect_printf(double v, int places)
{
    char got[64], want[64];
    got[odp_decimal_fixed(v, places, got)] = '\0';
    int n = snprintf(want, sizeof want, "%.*f", places, v);
    if (places > 0) {
        while (want[n - 1] == '0')
            n--;
        n -= want[n - 1] == '.';
        want[n] = '\0';
    }
    if (strcmp(want, "-0") == 0)
        memcpy(want, "0", 2);
    if (strcmp(got, want) != 0)
        fail_msg("%a in %d places: %s, not %s", v, places, got, want);
}

/* An exact tie: v * 10^places has the fraction one half, exactly. */
static bool is_tie(double v, int places)
{
    char text[1200];
    int n = snprintf(text, sizeof text, "%.*f", 1100, v);
    const char *after = text + n - 1100 + places;
    return *after == '5' && strspn(after + 1, "0") == strlen(after + 1);
}

static void fixed_random(void **state)
{
    for (int i = 0; i < 1000000; i++) {
        double v = ((double)(next_random() >> 11) * 0x1p-53 - 0.5) * 360;
        expect_printf(v, 7);
    }
    for (int i = 0; i < 200000; i++) {
        int places = (int)(next_random() % 16);
        double v = (double)(int64_t)next_random() * 0x1p-63; /* all magnitudes up to 1e15 */
        for (uint64_t e = next_random() % 30; e > 0; e--)
            v *= (next_random() & 1) != 0 ? 10 : 0.7;
        if (v > -1e15 && v < 1e15 && !is_tie(v, places))
            expect_printf(v, places);
    }
    for (int i = 0; i < 200000;
         i++) { /* decimals and their neighbours: as near to a tie as a double can be */
        double v = ((double)(next_random() % 2000000000) + 0.5) / 1e7;
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        bits += next_random() % 3 - 1;
        memcpy(&v, &bits, sizeof bits);
        if (!is_tie(v, 7))
            expect_printf(v, 7);
    }
}

static void fixed_cases(void **state)
{
    static const struct {
        double v;
        int places;
        const char *text;
    } cases[] = {
        {0, 7, "0"},
        {-0.0, 7, "0"},
        {-1e-9, 7, "0"},
        {1.5, 7, "1.5"},
        {106.8272, 7, "106.8272"},
        {-6.1751, 7, "-6.1751"},
        {0.5, 0, "1"},
        {-0.5, 0, "-1"},
        {2.5, 0, "3"},
        {0.125, 2, "0.13"},
        {-0.375, 2, "-0.38"},
        {0.0078125, 6, "0.007813"},
        {5e-8, 7, "0"},
        {1.0000001, 7, "1.0000001"},
        {0.99999999, 7, "1"},
        {123456789, 7, "123456789"},
        {99999999.99999999, 7, "100000000"},
        {999999999999999.875, 2, "999999999999999.88"},
        {999999999999999.875, 0, "1000000000000000"},
        {4.5, 15, "4.5"},
        {123456789012.34567, 15, "123456789012.345672607421875"},
        {0.1, 15, "0.1"},
        {0.3, 1, "0.3"},
        {10, 3, "10"},
        {5e-324, 15, "0"},
    };
    char out[40];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        out[odp_decimal_fixed(cases[i].v, cases[i].places, out)] = '\0';
        assert_string_equal(out, cases[i].text);
    }
    assert_int_equal(odp_decimal_fixed(1e15, 7, out), 0);
    assert_int_equal(odp_decimal_fixed(strtod("nan", NULL), 7, out), 0);
    assert_int_equal(odp_decimal_fixed(strtod("-inf", NULL), 7, out), 0);
}

/* Coordinates written with seven decimals come back from their text and give the same text again. */
static void fixed_round_trip(void **state)
{
    for (int i = 0; i < 200000; i++) {
        char first[40], second[40];
        double v = ((double)(next_random() >> 11) * 0x1p-53 - 0.5) * 360;
        first[odp_decimal_fixed(v, 7, first)] = '\0';
        second[odp_decimal_fixed(strtod(first, NULL), 7, second)] = '\0';
        assert_string_equal(first, second);
    }
}

/* Units are the text without its point: the same rounding, however large. Many of these are ties, or were
 * before they were rounded. */
static void units_are_the_text(void **state)
{
    int64_t units;
    for (int i = 0; i < 200000; i++) {
        char text[40], digits[48];
        double v = (double)((int64_t)(next_random() % 36000000000u) - 18000000000) / 1e8;
        if (i % 4 == 3)
            v *= (double)(next_random() % 2000000000u);
        size_t len = odp_decimal_fixed(v, 7, text), n = 0, places = 0;
        for (size_t k = 0; k < len; k++) {
            if (text[k] != '.')
                digits[n++] = text[k];
            else
                places = len - k - 1;
        }
        for (; places < 7; places++)
            digits[n++] = '0';
        digits[n] = '\0';
        assert_true(odp_decimal_units(v, 7, &units));
        assert_true(units == strtoll(digits, NULL, 10));
    }
    assert_true(odp_decimal_units(-1e-9, 7, &units) && units == 0);
    assert_false(odp_decimal_units(1e12, 7, &units));
    assert_false(odp_decimal_units(strtod("nan", NULL), 7, &units));
    assert_false(odp_decimal_units(strtod("-inf", NULL), 7, &units));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse),
        cmocka_unit_test(leading_zeros),
        cmocka_unit_test(compare),
        cmocka_unit_test(normal),
        cmocka_unit_test(fixed_random),
        cmocka_unit_test(fixed_cases),
        cmocka_unit_test(fixed_round_trip),
        cmocka_unit_test(units_are_the_text),
    };
    return cmocka_run_group_tests_name("base decimal", tests, NULL, NULL);
}
