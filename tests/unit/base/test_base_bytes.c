/* Every form of base/bytes (and of what UTF-8 is checked with) against a loop over single bytes, at every length and alignment; texts end where their memory ends, so
 * that the sanitizer sees a byte read too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/utf8.h"

static uint64_t seed;

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

/* N bytes, mostly the ones of FEW, sometimes any. */
static char *random_text(size_t n, const char *few)
{
    char *p = malloc(n > 0 ? n : 1);
    assert_non_null(p);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(random_below(8) == 0 ? (int)random_below(256) : few[random_below((unsigned)strlen(few))]);
    return p;
}

static const enum odp_bytes_form forms[] = {ODP_BYTES_PLAIN, ODP_BYTES_SSE2, ODP_BYTES_AVX2};

static void masks_are_equal(void **state)
{
    static const char *const wanted[] = {",", "\n\r", "\n\r\"", ",\n\r\"", "\xFF\x80\x7F"};
    (void)state;
    seed = 1;
    for (size_t n = 0; n <= 330; n++) {
        char *p = random_text(n, "a,b\n\r\"\x7F\xFF\x80\x8A\x8D");
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
            uint64_t expect[8] = {0}, mask[8];
            size_t commas = 0;
            for (size_t i = 0; i < n; i++) {
                expect[i / 64] |= (uint64_t)(p[i] != '\0' && strchr(wanted[w], p[i]) != NULL) << (i % 64);
                commas += p[i] == wanted[w][0];
            }
            for (size_t f = 0; f < 3; f++) {
                odp_bytes_limit(forms[f]);
                memset(mask, 0x55, sizeof mask);
                odp_bytes_masks(p, n, wanted[w], (unsigned)strlen(wanted[w]), mask);
                assert_memory_equal(mask, expect, (n + 63) / 64 * 8);
                assert_int_equal(odp_bytes_count(p, n, wanted[w][0]), commas);
            }
        }
        free(p);
    }
    /* NUL is a byte like any other, also where the rest of a text is filled up. */
    uint64_t mask[2];
    odp_bytes_limit(ODP_BYTES_AVX2);
    odp_bytes_masks("a\0b", 3, "", 1, mask);
    assert_true(mask[0] == 2);
    char *large = calloc(3, ODP_BYTES_CHUNK);
    assert_non_null(large);
    assert_int_equal(odp_bytes_count(large, 3 * ODP_BYTES_CHUNK, '\0'), 3 * ODP_BYTES_CHUNK);
    free(large);
}

static void places(void **state)
{
    (void)state;
    seed = 6;
    for (unsigned round = 0; round < 2000; round++) {
        size_t n = random_below(round % 50 == 0 ? 10000 : 300), cap = random_below(4) == 0 ? random_below(100) : n, all = 0;
        char *p = random_text(n, round % 3 == 0 ? ",,,a" : "abcdefghi,");
        uint32_t *expect = calloc(n + 1, sizeof *expect), *found = calloc(cap + ODP_BYTES_SPARE, sizeof *found);
        assert_non_null(expect);
        assert_non_null(found);
        size_t looked_first = 0, count_first = 0;
        for (size_t i = 0; i < n; i++)
            if (p[i] == ',')
                expect[all++] = (uint32_t)i;
        for (size_t f = 0; f < 3; f++) {
            size_t looked = 0;
            odp_bytes_limit(forms[f]);
            size_t count = odp_bytes_places(p, n, ',', found, cap, &looked);
            assert_true(count <= cap && count <= all);
            assert_memory_equal(found, expect, count * sizeof *found);
            assert_true(looked == n ? count == all : looked % 64 == 0 && (count == all || expect[count] >= looked));
            if (cap == n)
                assert_int_equal(looked, n);
            if (f == 0)
                looked_first = looked, count_first = count;
            assert_true(looked == looked_first && count == count_first);
        }
        free(expect);
        free(found);
        free(p);
    }
}

static void ascii_and_sets(void **state)
{
    (void)state;
    seed = 2;
    for (unsigned round = 0; round < 3000; round++) {
        size_t n = random_below(round < 2000 ? 40 : 400), first_high = n, first_in = n;
        char *p = malloc(n > 0 ? n : 1);
        assert_non_null(p);
        for (size_t i = 0; i < n; i++)
            p[i] = (char)(random_below(n + 1 > 200 ? 600 : 60) == 0 ? random_below(256) : 'a' + random_below(26));
        struct odp_byteset set;
        bool has[256] = {false};
        odp_byteset_clear(&set);
        for (unsigned k = random_below(5); k > 0; k--) {
            unsigned from = random_below(256), to = from + random_below(random_below(20) == 0 ? 256 - from : 3 < 256 - from ? 3 : 256 - from);
            if (from < 'a' || from > 'z' || random_below(4) == 0) {
                odp_byteset_add(&set, (unsigned char)from, (unsigned char)to);
                for (unsigned b = from; b <= to; b++)
                    has[b] = true;
            }
        }
        for (unsigned b = 0; b < 256; b++)
            assert_int_equal(odp_byteset_has(&set, (char)b), has[b]);
        for (size_t i = n; i-- > 0;) {
            first_high = (p[i] & 0x80) != 0 ? i : first_high;
            first_in = has[(unsigned char)p[i]] ? i : first_in;
        }
        for (size_t f = 0; f < 3; f++) {
            odp_bytes_limit(forms[f]);
            assert_int_equal(odp_bytes_ascii(p, n), first_high);
            assert_int_equal(odp_bytes_until(p, n, &set), first_in);
        }
        free(p);
    }
}

static void words(void **state)
{
    (void)state;
    seed = 3;
    for (unsigned round = 0; round < 20000; round++) {
        char p[8];
        uint64_t digits = 0, equal = 0;
        unsigned number = 0;
        bool all = random_below(2) == 0;
        char c = (char)random_below(256);
        for (unsigned i = 0; i < 8; i++) {
            p[i] = all ? (char)('0' + random_below(10)) : "09/:\xB0\xB5\xFF\x00"[random_below(8)];
            if (random_below(9) == 0 && !all)
                p[i] = c;
            digits |= (uint64_t)(p[i] >= '0' && p[i] <= '9' ? 0x80 : 0) << (8 * i);
            equal |= (uint64_t)(p[i] == c ? 0x80 : 0) << (8 * i);
            number = number * 10 + (unsigned)(p[i] - '0');
        }
        uint64_t w = odp_bytes_load8(p);
        assert_true(odp_bytes_digits(w) == digits);
        assert_true(odp_bytes_equal(w, c) == equal);
        if (all)
            assert_int_equal(odp_bytes_number8(w), number);
        size_t n = random_below(9);
        char *exact = malloc(n > 0 ? n : 1);
        assert_non_null(exact);
        memcpy(exact, p, n);
        assert_true(odp_bytes_load(exact, n) == (w & odp_bits_below((unsigned)(8 * n))));
        free(exact);
        uint64_t inside = 0;
        bool in = false;
        for (unsigned i = 0; i < 64; i++) {
            in ^= (w >> i & 1) != 0;
            inside |= (uint64_t)in << i;
        }
        assert_true(odp_bits_inside(w) == inside);
    }
    assert_true(odp_bits_below(0) == 0 && odp_bits_below(63) == UINT64_MAX >> 1 && odp_bits_below(64) == UINT64_MAX);
}

/* What RFC 3629 says of each four bytes that may matter, wherever vectors meet. */
static void utf8_of_four_bytes(void **state)
{
    static const unsigned char some[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF,
                                         0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
    enum { N = sizeof some, LEN = 100 };
    char text[LEN];
    (void)state;
    seed = 4;
    memset(text, 'x', LEN);
    for (unsigned k = 0; k < N * N * N * N; k++) {
        size_t at = 26 + random_below(42);
        for (unsigned i = 0, rest = k; i < 4; i++, rest /= N)
            text[at + i] = (char)some[rest % N];
        size_t valid[3];
        for (size_t f = 0; f < 3; f += 2) {
            odp_bytes_limit(forms[f]);
            valid[f] = odp_utf8_valid((struct odp_slice){text, LEN});
        }
        if (valid[0] != valid[2])
            fail_msg("%02X %02X %02X %02X at %zu: %zu, %zu", text[at] & 255, text[at + 1] & 255, text[at + 2] & 255, text[at + 3] & 255, at, valid[0], valid[2]);
        memset(text + at, 'x', 4);
    }
}

/* Long texts of characters of all lengths, and with one byte wrong. */
static void utf8_of_texts(void **state)
{
    (void)state;
    seed = 5;
    for (unsigned round = 0; round < 20000; round++) {
        size_t n = random_below(500), len = 0;
        unsigned ascii = random_below(3) == 0 ? 100 : 2;
        char *p = malloc(n + 4);
        assert_non_null(p);
        while (len < n) {
            uint32_t cp = random_below(ascii) != 0 ? random_below(0x80) : random_below(1u << (7 + random_below(14)));
            if (cp < 0x110000 && (cp < 0xD800 || cp > 0xDFFF))
                len += odp_utf8_encode(cp, p + len);
        }
        bool wrong = random_below(2) == 0 && len > 0;
        if (wrong && random_below(2) == 0)
            p[random_below((unsigned)len)] = (char)random_below(256);
        else if (wrong)
            len = random_below((unsigned)len); /* cut, perhaps in a character */
        char *exact = malloc(len > 0 ? len : 1);
        assert_non_null(exact);
        memcpy(exact, p, len);
        size_t valid[3];
        for (size_t f = 0; f < 3; f++) {
            odp_bytes_limit(forms[f]);
            valid[f] = odp_utf8_valid((struct odp_slice){exact, len});
            assert_int_equal(valid[f], valid[0]);
        }
        if (!wrong)
            assert_int_equal(valid[0], len);
        free(exact);
        free(p);
    }
}

static void the_best_form_is_taken(void **state)
{
    (void)state;
    assert_int_equal(odp_bytes_limit(ODP_BYTES_PLAIN), ODP_BYTES_PLAIN);
    assert_int_equal(odp_bytes_form(), ODP_BYTES_PLAIN);
#if defined(__x86_64__) && !defined(ODP_BYTES_ONLY_PLAIN)
    enum odp_bytes_form want = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt") ? ODP_BYTES_AVX2 : ODP_BYTES_SSE2;
    assert_int_equal(odp_bytes_limit(ODP_BYTES_SSE2), ODP_BYTES_SSE2);
    assert_int_equal(odp_bytes_limit(ODP_BYTES_AVX2), want);
    assert_int_equal(odp_bytes_form(), want);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_equal),
        cmocka_unit_test(places),
        cmocka_unit_test(ascii_and_sets),
        cmocka_unit_test(words),
        cmocka_unit_test(utf8_of_four_bytes),
        cmocka_unit_test(utf8_of_texts),
        cmocka_unit_test(the_best_form_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
