/* Decimal numbers compared, and doubles as fixed decimals, against printf. (Reading: answers/decimals.txt.)
 */
#include "run.h"
#include "random.h"

#include "base/decimal.h"

TEST(compare)
{
    /* ascending; equal ones together, divided by '=' */
    static const char *const order[] = {
        "-1e300",
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
        "1e300",
    };
    enum { N = ODP_COUNT(order) };
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

TEST(fixed_random)
{
    for (int i = 0; i < 1000000; i++) {
        double v = (random_unit() - 0.5) * 360;
        expect_printf(v, 7);
    }
    for (int i = 0; i < 200000; i++) {
        int places = (int)(random_bits() % 16);
        double v = (double)(int64_t)random_bits() * 0x1p-63; /* all magnitudes up to 1e15 */
        for (uint64_t e = random_bits() % 30; e > 0; e--)
            v *= (random_bits() & 1) != 0 ? 10 : 0.7;
        if (v > -1e15 && v < 1e15 && !is_tie(v, places))
            expect_printf(v, places);
    }
    for (int i = 0; i < 200000;
         i++) { /* decimals and their neighbours: as near to a tie as a double can be */
        double v = ((double)(random_bits() % 2000000000) + 0.5) / 1e7;
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        bits += random_bits() % 3 - 1;
        memcpy(&v, &bits, sizeof bits);
        if (!is_tie(v, 7))
            expect_printf(v, 7);
    }
}

/* Coordinates written with seven decimals come back from their text and give the same text again. */
TEST(fixed_round_trip)
{
    for (int i = 0; i < 200000; i++) {
        char first[40], second[40];
        double v = (random_unit() - 0.5) * 360;
        first[odp_decimal_fixed(v, 7, first)] = '\0';
        second[odp_decimal_fixed(strtod(first, NULL), 7, second)] = '\0';
        assert_string_equal(first, second);
    }
}

/* Units are the text without its point: the same rounding, however large. Many of these are ties, or were
 * before they were rounded. */
TEST(units_are_the_text)
{
    int64_t units;
    for (int i = 0; i < 200000; i++) {
        char text[40], digits[48];
        double v = (double)((int64_t)(random_bits() % 36000000000u) - 18000000000) / 1e8;
        if (i % 4 == 3)
            v *= (double)(random_bits() % 2000000000u);
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
