/* Exact sums of canonical literals (base/decimal.h), of any size and in any order: the result is the same
 * however the numbers were split over threads. A plain value of some two kilobytes; all zero is an empty sum.
 */
#pragma once

#include <stdint.h>

#include "base/decimal_small.h"

#define ODP_DECIMAL_SUM_SIZE 2400 /* room for the text of any sum */

struct odp_decimal_sum {
    __int128 small[ODP_DECIMAL_SMALL + 1]; /* short numbers, by their decimals: added without further ado */
    int64_t limb[256];                     /* the others: base 10^9 with sign, from 10^-1152 on */
    uint64_t added;                        /* since the limbs were carried */
    bool wide;                             /* there are others */
};

void odp_decimal_sum_add(struct odp_decimal_sum *sum, struct odp_slice literal);
/* The same for a number that odp_decimal_small has read. */
static inline void odp_decimal_sum_add_small(struct odp_decimal_sum *sum, int64_t m, unsigned scale)
{
    sum->small[scale] += m;
}
void odp_decimal_sum_merge(struct odp_decimal_sum *sum, const struct odp_decimal_sum *other);
/* The sum as the shortest plain literal, without exponent: "-1204.5". Returns its length. */
size_t odp_decimal_sum_text(const struct odp_decimal_sum *sum, char out[ODP_DECIMAL_SUM_SIZE]);
/* The sum divided by N (> 0), in at most PLACES decimals, half away from zero. */
size_t odp_decimal_sum_mean(const struct odp_decimal_sum *sum, uint64_t n, unsigned places,
                            char out[ODP_DECIMAL_SUM_SIZE]);
