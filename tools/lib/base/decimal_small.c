#include "base/decimal_small.h"

int odp_decimal_small_cmp(int64_t m, unsigned scale, int64_t n, unsigned scale2)
{
    if (scale == scale2)
        return (m > n) - (m < n);
    __int128 a = m, b = n;
    if (scale < scale2)
        a *= odp_decimal_power(scale2 - scale);
    else
        b *= odp_decimal_power(scale - scale2);
    return (a > b) - (a < b);
}
