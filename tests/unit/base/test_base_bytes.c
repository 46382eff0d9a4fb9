/* base/bytes against a loop over single bytes, at every length; texts end where their memory ends, so that
 * the sanitizer sees a byte read too many. */
#include "run.h"
#include "random.h"

#include "base/bytes.h"

/* N bytes, mostly the ones of FEW, sometimes any. */
static char *random_text(size_t n, const char *few)
{
    char *p = malloc(n > 0 ? n : 1);
    assert_non_null(p);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(dice(8) == 0 ? (int)dice(256) : few[dice(strlen(few))]);
    return p;
}

TEST(masks_are_equal)
{
    static const char *const wanted[] = {",", "\n\r", "\n\r\"", ",\n\r\"", "\xFF\x80\x7F"};
    random_seed = 1;
    for (size_t n = 0; n <= 330; n++) {
        char *p = random_text(n, "a,b\n\r\"\x7F\xFF\x80\x8A\x8D");
        for (size_t w = 0; w < ODP_COUNT(wanted); w++) {
            uint64_t expect[8] = {0}, mask[8];
            for (size_t i = 0; i < n; i++)
                expect[i / 64] |= (uint64_t)(p[i] != '\0' && strchr(wanted[w], p[i]) != NULL) << (i % 64);
            memset(mask, 0x55, sizeof mask);
            odp_bytes_masks(p, n, wanted[w], (unsigned)strlen(wanted[w]), mask);
            assert_memory_equal(mask, expect, (n + 63) / 64 * 8);
        }
        free(p);
    }
    /* NUL is a byte like any other, also where the rest of a text is filled up. */
    uint64_t mask[2];
    odp_bytes_masks("a\0b", 3, "", 1, mask);
    assert_true(mask[0] == 2);
}

TEST(words)
{
    random_seed = 3;
    for (unsigned round = 0; round < 20000; round++) {
        char p[8];
        unsigned number = 0, digits = 0;
        bool all = dice(2) == 0;
        char c = (char)dice(256);
        for (unsigned i = 0; i < 8; i++) {
            p[i] = all ? (char)('0' + dice(10)) : "09/:\xB0\xB5\xFF\x00"[dice(8)];
            if (dice(9) == 0 && !all)
                p[i] = c;
            digits += p[i] >= '0' && p[i] <= '9';
            number = number * 10 + (unsigned)(p[i] - '0');
        }
        uint64_t w = odp_bytes_load8(p);
        assert_int_equal(odp_bytes_are_digits(odp_bytes_values(w)), digits == 8);
        if (all)
            assert_int_equal(odp_bytes_number8(odp_bytes_values(w)), number);
        size_t n = dice(9);
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
    assert_true(odp_bits_below(0) == 0 && odp_bits_below(63) == UINT64_MAX >> 1 &&
                odp_bits_below(64) == UINT64_MAX);
}
