/* Short numbers as integers: M * 10^-SCALE, exact. Nearly every number of a table is one; what is longer, or has an exponent, is
 * compared as text (base/decimal.h).
 *
 * Digits are read eight at a time. A number of at most 16 characters is laid right-aligned into two words; a decimal sign is taken
 * out by moving what stands in front of it up by one byte. */
#ifndef ODP_BASE_DECIMAL_SMALL_H
#define ODP_BASE_DECIMAL_SMALL_H

#include "base/bytes.h"
#include "base/decimal.h"

#define ODP_DECIMAL_SMALL 18 /* the most digits of a short number */

#define ODP_DECIMAL_ZEROS (ODP_BYTES_ONES * '0')

/* Bit 7 of every byte of X that is more than 9; nothing else is set. */
static inline uint64_t odp_decimal_odd(uint64_t x)
{
    return (((x & ~ODP_BYTES_HIGHS) + (0x80 - 10) * ODP_BYTES_ONES) | x) & ODP_BYTES_HIGHS;
}

/* The N characters at P are 1 to 8 digits: their value. The shortest way, for loops. */
static inline bool odp_decimal_read_whole(const char *p, size_t n, uint32_t *value)
{
    if (n - 1 >= 8)
        return false;
    uint64_t x = (odp_bytes_load(p, n) ^ ODP_DECIMAL_ZEROS) << (64 - 8 * n); /* 0 to 9, and zeros in front */
    *value = odp_bytes_number8(x);
    return ((x | (x + (0x80 - 10) * ODP_BYTES_ONES)) & ODP_BYTES_HIGHS) == 0; /* a carry comes from a byte that is too large itself */
}

/* Byte AT / 8 is taken out of X; those in front of it (the lower ones) move up. */
static inline uint64_t odp_decimal_close_up(uint64_t x, unsigned at)
{
    uint64_t before = ((uint64_t)1 << at) - 1;
    return (x & ~(before << 8 | 0xFF)) | (x & before) << 8;
}

/* The N characters at P are 1 to 16 digits, or fewer and one MARK among them, which is neither first nor last: *M * 10^-*SCALE is their
 * value. Leading zeros are not looked at. */
static inline bool odp_decimal_read(const char *p, size_t n, char mark, int64_t *m, unsigned *scale)
{
    uint64_t front = 0, back, odd, odd_front = 0; /* digits as 0 to 9, and zeros in front */
    if (n - 1 < 8) {
        back = (odp_bytes_load(p, n) ^ ODP_DECIMAL_ZEROS) << (64 - 8 * n);
    } else if (n - 1 < 16) {
        front = (odp_bytes_load8(p) ^ ODP_DECIMAL_ZEROS) << (128 - 8 * n);
        back = odp_bytes_load8(p + n - 8) ^ ODP_DECIMAL_ZEROS;
        odd_front = odp_decimal_odd(front);
    } else {
        return false;
    }
    *scale = 0;
    odd = odp_decimal_odd(back);
    if ((odd | odd_front) != 0) {
        if ((odd != 0) == (odd_front != 0) || ((odd | odd_front) & ((odd | odd_front) - 1)) != 0)
            return false;
        unsigned at = (unsigned)__builtin_ctzll(odd | odd_front) & 56u;
        *scale = 7 - at / 8 + (odd_front != 0 ? 8u : 0u);
        if (p[n - 1 - *scale] != mark || *scale == 0 || *scale == n - 1)
            return false;
        if (odd_front != 0) {
            front = odp_decimal_close_up(front, at);
        } else {
            back = odp_decimal_close_up(back, at) | front >> 56;
            front <<= 8;
        }
    }
    uint64_t value = odp_bytes_number8(back);
    if (n > 8)
        value += (uint64_t)odp_bytes_number8(front) * 100000000u;
    *m = (int64_t)value;
    return true;
}

/* The same of any canonical literal, digit by digit. */
bool odp_decimal_small_slow(struct odp_slice s, int64_t *m, unsigned *scale);

/* The canonical literal S is M * 10^-SCALE. False: it has an exponent, or more than ODP_DECIMAL_SMALL digits. */
static inline bool odp_decimal_small(struct odp_slice s, int64_t *m, unsigned *scale)
{
    size_t sign = s.len > 0 && *s.ptr == '-';
    if (!odp_decimal_read(s.ptr + sign, s.len - sign, '.', m, scale))
        return odp_decimal_small_slow(s, m, scale);
    *m = sign ? -*m : *m;
    return true;
}

/* 10^N, N from 0 to ODP_DECIMAL_SMALL. */
static inline int64_t odp_decimal_power(unsigned n)
{
    int64_t p = 1;
    while (n-- > 0)
        p *= 10;
    return p;
}

/* M * 10^-SCALE compared with N * 10^-SCALE2, both as odp_decimal_small gives them. */
int odp_decimal_small_cmp(int64_t m, unsigned scale, int64_t n, unsigned scale2);

#endif
