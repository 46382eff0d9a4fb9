#include "catalog/records/degrees.h"

#include "base/bytes.h"

typedef double doubles __attribute__((vector_size(32)));
typedef int64_t mask __attribute__((vector_size(32))); /* all ones where a comparison holds */
typedef int32_t ints __attribute__((vector_size(32)));
typedef int32_t half __attribute__((vector_size(16)));
#define INLINE  static inline __attribute__((always_inline))
#define ZEROS   0x30303030
#define NO_SIGN 0xFFFF /* bits of the whole number */

/* Four numbers as integers. */
struct four {
    half whole;     /* and a bit above it where the number is negative */
    half high, low; /* of its decimals: four, and three with a 0 after them */
    mask near;      /* they can be written so */
};

/* |V| in units of the last decimal, rounded half up on its exact value. TOP has 26 bits of |V|, so its
 * product and that of the rest are exact, and ERROR is what their sum lost: it decides where the sum is a tie
 * (T. J. Dekker 1971). */
INLINE doubles units(doubles a)
{
    doubles top = (doubles)((mask)a & ~(int64_t)0x7FFFFFF), x = top * 1e7, y = (a - top) * 1e7;
    doubles sum = x + y, error = y - (sum - x);
    doubles n = sum + 0x1p52 - 0x1p52, rest = sum - n; /* ties went to even */
    const doubles one = {1, 1, 1, 1};
    n += (doubles)((mask)one & (rest == 0.5) & (error >= 0));
    return n - (doubles)((mask)one & (rest == -0.5) & (error < 0));
}

INLINE struct four take(const double *p)
{
    doubles v;
    memcpy(&v, p, sizeof v);
    doubles a = (doubles)((mask)v & INT64_MAX), n = units(a);
    /* Half a unit more, so that a quotient that is rounded down is still above the whole number it is. */
    half whole = __builtin_convertvector((n + 0.5) * 1e-7, half);
    doubles decimals = n - __builtin_convertvector(whole, doubles) * 1e7;
    half high = __builtin_convertvector((decimals + 0.5) * 1e-3, half);
    doubles low = (decimals - __builtin_convertvector(high, doubles) * 1e3) * 10;
    half negative = __builtin_convertvector((v < 0) & (n > 0), half) & (NO_SIGN + 1);
    return (struct four){whole | negative, high, __builtin_convertvector(low, half), a < 999};
}

/* The digits of N < 10,000, the first one in the lowest byte. Each step halves numbers of four and of two
 * digits, in lanes that do not touch. */
INLINE ints digits(ints n)
{
    ints high = n * 5243 >> 19, twos = high | (n - 100 * high) << 16;
    high = (twos * 103 >> 10) & 0x000F000F;
    return high | (twos - 10 * high) << 8;
}

INLINE void put(int32_t *to, ints v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int i = 0; i < 8; i++)
        v[i] = (int32_t)__builtin_bswap32((uint32_t)v[i]);
#endif
    memcpy(to, &v, sizeof v);
}

#define BOTH(member) __builtin_shufflevector(a.member, b.member, 0, 1, 2, 3, 4, 5, 6, 7)

/* Eight numbers at P. Returns which of them can be written so. */
INLINE mask take_eight(const double *p, struct odp_degrees *d, uint32_t i)
{
    const struct four a = take(p), b = take(p + 4);
    ints whole = BOTH(whole), high = digits(BOTH(high)), low = digits(BOTH(low));
    ints sign = whole >> 16;
    whole &= NO_SIGN;
    ints fewer = -((whole < 100) + (whole < 10)), start = 4 - fewer + sign;
    ints text = (digits(whole) >> 8 | 0x2E303030) >> 8 * fewer;
    ints last = low | (high & (low == 0));
    ints kept = (4 & (low != 0)) - (last > 0) - (last > 0xFF) - (last > 0xFFFF) - (last > 0xFFFFFF);
    kept += last == 0;
    memcpy(d->sign + i, &sign, sizeof sign);
    memcpy(d->start + i, &start, sizeof start);
    memcpy(d->kept + i, &kept, sizeof kept);
    put(d->whole + i, text);
    put(d->high + i, high | ZEROS);
    put(d->low + i, low | ZEROS);
    return a.near & b.near;
}

ODP_WIDE bool odp_degrees_of(const double *v, uint32_t n, struct odp_degrees *d)
{
    mask near = {-1, -1, -1, -1};
    for (uint32_t i = 0; i < n; i += 8) {
        double some[8] = {0}; /* the last ones are fewer */
        near &= take_eight(n - i >= 8 ? v + i : memcpy(some, v + i, (n - i) * sizeof *v), d, i);
    }
    return (near[0] & near[1] & near[2] & near[3]) != 0;
}
