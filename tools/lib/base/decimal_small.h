/* Short numbers as integers: M * 10^-SCALE, exact. Nearly every number of a table is one; a longer one, or
 * one with an exponent, is compared as text (base/decimal.h). */
#pragma once

#include "base/bytes.h"
#include "base/decimal.h"

#define ODP_DECIMAL_SMALL 18 /* the most digits of a short number */

/* The values of N characters at P, 1 to 8, with zeros in front: as many as odp_bytes_number8 takes. */
static inline uint64_t odp_decimal_eight(const char *p, size_t n)
{
    return odp_bytes_values(odp_bytes_load(p, n)) << (64 - 8 * n);
}

/* The N characters at P are 1 to ODP_DECIMAL_SMALL digits, perhaps with one MARK among them, which is neither
 * first nor last: their value is *M * 10^-*SCALE. Leading zeros are not looked at. */
static inline bool odp_decimal_read(const char *p, size_t n, char mark, int64_t *m, unsigned *scale)
{
    uint64_t value = 0;
    size_t point = 0; /* none */
    if (n - 1 > ODP_DECIMAL_SMALL)
        return false;
    *scale = 0; /* whole numbers, mostly: eight digits at once */
    if (n <= 8) {
        uint64_t digits = odp_decimal_eight(p, n);
        *m = odp_bytes_number8(digits);
        if (odp_bytes_are_digits(digits))
            return true;
    } else if (n <= 16) {
        uint64_t first = odp_decimal_eight(p, n - 8), last = odp_decimal_eight(p + n - 8, 8);
        *m = (int64_t)odp_bytes_number8(first) * 100000000 + odp_bytes_number8(last);
        if (odp_bytes_are_digits(first) && odp_bytes_are_digits(last))
            return true;
    }
    for (size_t k = 0; k < n; k++) {
        unsigned digit = (unsigned)(p[k] - '0');
        if (digit <= 9)
            value = value * 10 + digit;
        else if (p[k] == mark && point == 0 && k > 0)
            point = k;
        else
            return false;
    }
    *scale = point > 0 ? (unsigned)(n - 1 - point) : 0;
    *m = (int64_t)value;
    return point > 0 ? *scale > 0 : n <= ODP_DECIMAL_SMALL;
}

/* The canonical literal S is M * 10^-SCALE. False: it has an exponent, or more than ODP_DECIMAL_SMALL digits.
 */
static inline bool odp_decimal_small(struct odp_slice s, int64_t *m, unsigned *scale)
{
    bool negative = s.len > 0 && *s.ptr == '-';
    if (negative)
        s = (struct odp_slice){s.ptr + 1, s.len - 1};
    if (!odp_decimal_read(s.ptr, s.len, '.', m, scale))
        return false;
    *m = negative ? -*m : *m;
    return true;
}

/* 10^N of every N that has room. */
enum { ODP_DECIMAL_POWERS = 20 };
extern const uint64_t odp_decimal_powers[ODP_DECIMAL_POWERS];

/* 10^N, N from 0 to ODP_DECIMAL_SMALL. */
static inline int64_t odp_decimal_power(unsigned n)
{
    return (int64_t)odp_decimal_powers[n];
}

/* M * 10^-SCALE compared with N * 10^-SCALE2, both as odp_decimal_small gives them. */
int odp_decimal_small_cmp(int64_t m, unsigned scale, int64_t n, unsigned scale2);
