#include "catalog/records/degrees.h"

#include "base/bytes.h"

typedef double doubles __attribute__((vector_size(32)));
typedef int64_t mask __attribute__((vector_size(32))); /* all ones where a comparison holds */
typedef int32_t ints __attribute__((vector_size(32)));
typedef uint16_t shorts __attribute__((vector_size(32)));
typedef int32_t half __attribute__((vector_size(16)));
#define INLINE static inline __attribute__((always_inline))
#define WHOLE  0x1.8p52 /* added to a number: its lowest bits are the nearest whole one */
#define MINUS  1024     /* a bit above the whole number */

/* Four numbers as integers. */
struct four {
    half whole;    /* and MINUS where the number is negative */
    mask decimals; /* its seven digits, the first one in byte 1 */
    mask near;     /* they can be written so */
};

INLINE doubles where(mask yes, double v)
{
    const doubles all = {v, v, v, v};
    return (doubles)(yes & (mask)all);
}

/* |V| in units of the last decimal, rounded half up on its exact value. TOP has 26 bits of |V|, so its
 * product and that of the rest are exact, and ERROR is what their sum lost (T. J. Dekker 1971). N is the
 * result or one less, and what it lacks, REST + ERROR, says which: 0.5 - REST is exact where it is near 0. */
INLINE doubles units(doubles a)
{
    doubles top = (doubles)((mask)a & ~(int64_t)0x7FFFFFF), x = top * 1e7, y = (a - top) * 1e7;
    doubles sum = x + y, error = y - (sum - x);
    doubles n = sum - 0.25 + WHOLE - WHOLE, rest = sum - n;
    return n + where(0.5 - rest <= error, 1);
}

/* The digits of numbers below 10,000, the first one in the lowest byte. Each step halves numbers of four and
 * of two digits, in lanes that do not touch. */
INLINE ints digits(ints n)
{
    ints hundreds = n * 5243 >> 19;
    shorts twos = (shorts)((n << 16) - hundreds * ((100 << 16) - 1)), tens = twos * 103 >> 10;
    return (ints)((twos << 8) - tens * ((10 << 8) - 1));
}

/* WHOLE and the whole number of N / D, ONE being 1 / D: MIDDLE is half of the largest fraction that such a
 * quotient can have, so that without it all are far from a half. */
INLINE doubles quotient(doubles n, double one, double middle)
{
    return n * one - middle + WHOLE;
}

INLINE struct four take(const double *p)
{
    doubles v;
    memcpy(&v, p, sizeof v);
    doubles a = (doubles)((mask)v & INT64_MAX), n = units(a);
    doubles whole = quotient(n, 1e-7, 0.49999995) - WHOLE, decimals = n - whole * 1e7;
    doubles high = quotient(decimals, 1e-4, 0.49995), low = decimals - (high - WHOLE) * 1e4 + WHOLE;
    mask both = ((mask)high & UINT32_MAX) | (mask)low << 32;
    whole += where((v < 0) & (n > 0), MINUS);
    return (struct four){__builtin_convertvector(whole, half), (mask)digits((ints)both), a < 999};
}

/* Eight numbers at P. Returns which of them can be written so. */
INLINE mask take_eight(const double *p, struct odp_degrees *d, uint32_t i)
{
    const struct four a = take(p), b = take(p + 4);
    ints whole = __builtin_shufflevector(a.whole, b.whole, 0, 1, 2, 3, 4, 5, 6, 7), sign = whole / MINUS;
    whole &= MINUS - 1;
    ints fewer = -((whole < 100) + (whole < 10)), start = 3 - fewer + sign;
    ints text = (digits(whole) >> 8 | 0x303030) >> 8 * fewer;
    memcpy(d->sign + i, &sign, sizeof sign);
    memcpy(d->start + i, &start, sizeof start);
    memcpy(d->whole + i, &text, sizeof text);
    memcpy(d->decimals + i, &a.decimals, sizeof a.decimals);
    memcpy(d->decimals + i + 4, &b.decimals, sizeof b.decimals);
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
