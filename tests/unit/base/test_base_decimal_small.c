/* Short numbers: the way of whole words against the way of single digits, limits against comparisons, at every length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/decimal_limits.h"

static uint64_t seed;

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

/* N bytes whose memory ends where they end, so that the sanitizer sees a byte read too many. */
static char *end_of(const char *text, size_t n)
{
    char *p = malloc(n > 0 ? n : 1);
    assert_non_null(p);
    memcpy(p, text, n);
    return p;
}

/* What odp_decimal_read must say, byte by byte. */
static bool read_slowly(const char *p, size_t n, char mark, int64_t *m, unsigned *scale)
{
    size_t marks = 0;
    *m = 0;
    *scale = 0;
    if (n < 1 || n > 16)
        return false;
    for (size_t k = 0; k < n; k++) {
        if (p[k] >= '0' && p[k] <= '9') {
            *m = *m * 10 + (p[k] - '0');
            continue;
        }
        if (p[k] != mark || marks++ > 0 || k == 0 || k == n - 1)
            return false;
        *scale = (unsigned)(n - 1 - k);
    }
    return true;
}

static void same_reading(const char *text, size_t n, char mark)
{
    char *p = end_of(text, n);
    int64_t m = 0, slow_m = 0;
    unsigned scale = 0, slow_scale = 0;
    bool expect = read_slowly(p, n, mark, &slow_m, &slow_scale), got = odp_decimal_read(p, n, mark, &m, &scale);
    if (got != expect || (got && (m != slow_m || scale != slow_scale)))
        fail_msg("read [%.*s] mark %c: %d %lld %u, not %d %lld %u", (int)n, p, mark, got, (long long)m, scale, expect, (long long)slow_m, slow_scale);
    uint32_t value = 0;
    bool whole = odp_decimal_read_whole(p, n, &value);
    if (whole != (expect && slow_scale == 0 && n <= 8) || (whole && value != slow_m))
        fail_msg("whole [%.*s]: %d %u", (int)n, p, whole, value);
    free(p);
}

static void reads_as_digits_do(void **state)
{
    static const char few[] = "0123456789019.,-/:+eE \0\x80\xB0\xFF";
    char text[24];
    (void)state;
    seed = 3;
    for (int i = 0; i < 300000; i++) {
        size_t n = random_below(20);
        unsigned strange = random_below(3) == 0 ? 4 : 40;
        for (size_t k = 0; k < n; k++)
            text[k] = random_below(strange) == 0 ? few[random_below(sizeof few - 1)] : (char)('0' + random_below(10));
        if (n > 0 && random_below(2) == 0)
            text[random_below((unsigned)n)] = random_below(2) == 0 ? '.' : ',';
        same_reading(text, n, i % 2 == 0 ? '.' : ',');
    }
    /* Every byte at every place of every length. */
    for (size_t n = 1; n <= 17; n++)
        for (size_t k = 0; k < n; k++)
            for (int b = 0; b < 256; b++) {
                memset(text, '7', n);
                text[k] = (char)b;
                same_reading(text, n, '.');
                same_reading(text, n, ',');
            }
}

/* A canonical literal of up to 22 digits, sometimes with an exponent. */
static size_t literal(char *out)
{
    size_t n = 0, whole = 1 + random_below(random_below(4) == 0 ? 20 : 6), places = random_below(2) == 0 ? 0 : random_below(random_below(4) == 0 ? 12 : 4);
    if (random_below(4) == 0)
        out[n++] = '-';
    if (random_below(6) == 0) {
        out[n++] = '0';
    } else {
        out[n++] = (char)('1' + random_below(9));
        for (size_t k = 1; k < whole; k++)
            out[n++] = (char)('0' + (random_below(3) == 0 ? 0 : random_below(10)));
    }
    if (places > 0)
        out[n++] = '.';
    for (size_t k = 0; k < places; k++)
        out[n++] = (char)('0' + (random_below(2) == 0 ? 0 : random_below(10)));
    if (random_below(20) == 0) {
        out[n++] = 'e';
        out[n++] = (char)('0' + random_below(10));
    }
    return n;
}

static void small_numbers_are_equal(void **state)
{
    (void)state;
    seed = 5;
    unsigned shorts = 0;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        size_t n = literal(text);
        char *p = end_of(text, n);
        int64_t m = 0, slow_m = 0;
        unsigned scale = 0, slow_scale = 0;
        struct odp_slice s = {p, n};
        bool got = odp_decimal_small(s, &m, &scale), expect = odp_decimal_small_slow(s, &slow_m, &slow_scale);
        if (got != expect || (got && (m != slow_m || scale != slow_scale)))
            fail_msg("small [%.*s]", (int)n, p);
        shorts += got;
        free(p);
    }
    assert_in_range(shorts, 100000, 199999); /* both ways were gone */
}

/* The sign of A compared with B by their digits alone: both as whole numbers of 10^-12, which 16 digits and an exponent below 10 fit into. */
static int compare_exactly(const char *a, size_t na, const char *b, size_t nb)
{
    const char *text[2] = {a, b};
    const size_t len[2] = {na, nb};
    __int128 value[2];
    for (int i = 0; i < 2; i++) {
        int places = -1, exponent = 0;
        bool negative = text[i][0] == '-';
        value[i] = 0;
        for (size_t k = negative; k < len[i]; k++) {
            if (text[i][k] == '.')
                places = 0;
            else if (text[i][k] == 'e') {
                exponent = text[i][k + 1] - '0';
                break;
            } else {
                value[i] = value[i] * 10 + (text[i][k] - '0');
                places += places >= 0;
            }
        }
        for (int k = places < 0 ? 0 : places; k < 12 + exponent; k++)
            value[i] *= 10;
        value[i] = negative ? -value[i] : value[i];
    }
    return (value[0] > value[1]) - (value[0] < value[1]);
}

static void compares_exactly(void **state)
{
    (void)state;
    seed = 7;
    for (int i = 0; i < 200000; i++) {
        char a[64], b[64];
        size_t na = literal(a), nb = literal(b);
        if (random_below(3) == 0) { /* the same but for one digit */
            memcpy(b, a, na);
            nb = na;
            size_t at = random_below((unsigned)na);
            if (b[at] >= '1' && b[at] <= '9')
                b[at] = (char)('1' + random_below(9));
        }
        if (na > 18 || nb > 18) /* with an exponent and 12 places they fill the 38 digits of __int128 */
            continue;
        int got = odp_decimal_cmp((struct odp_slice){a, na}, (struct odp_slice){b, nb}), expect = compare_exactly(a, na, b, nb);
        if ((got > 0) - (got < 0) != expect)
            fail_msg("cmp [%.*s] [%.*s]: %d", (int)na, a, (int)nb, b, got);
    }
}

static void limits_are_comparisons(void **state)
{
    (void)state;
    seed = 11;
    unsigned inside = 0, outside = 0;
    for (int i = 0; i < 60000; i++) {
        char text[4][64], value[64];
        struct odp_slice bound[4];
        bool known = true;
        for (int k = 0; k < 4; k++) {
            size_t n = literal(text[k]);
            int64_t m;
            unsigned scale;
            char normal[ODP_DECIMAL_SIZE];
            bound[k] = random_below(3) == 0 ? (struct odp_slice){text[k], n} : (struct odp_slice){NULL, 0};
            known = known && (bound[k].ptr == NULL || odp_decimal_small((struct odp_slice){normal, odp_decimal_normal(bound[k], normal)}, &m, &scale));
        }
        struct odp_decimal_limits l;
        odp_decimal_limits_init(&l, bound[0], bound[1], bound[2], bound[3]);
        for (int k = 0; k < 8; k++) {
            int64_t m;
            unsigned scale;
            struct odp_slice s = {value, literal(value)};
            if (k < 4 && bound[k].ptr != NULL) /* the bound itself */
                s = bound[k];
            if (!odp_decimal_small(s, &m, &scale))
                continue;
            bool within = (bound[0].ptr == NULL || odp_decimal_cmp(s, bound[0]) >= 0) && (bound[1].ptr == NULL || odp_decimal_cmp(s, bound[1]) <= 0) &&
                          (bound[2].ptr == NULL || odp_decimal_cmp(s, bound[2]) > 0) && (bound[3].ptr == NULL || odp_decimal_cmp(s, bound[3]) < 0);
            bool got = m >= l.least[scale] && m <= l.most[scale];
            if (known ? got != within : got)
                fail_msg("limits of [%.*s]: %d, not %d", (int)s.len, s.ptr, got, within);
            inside += got;
            outside += !got;
        }
    }
    assert_true(inside > 1000 && outside > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_digits_do),
        cmocka_unit_test(small_numbers_are_equal),
        cmocka_unit_test(compares_exactly),
        cmocka_unit_test(limits_are_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
