#include "base/decimal_small.h"

bool odp_decimal_small_slow(struct odp_slice s, int64_t *m, unsigned *scale)
{
    const char *p = s.ptr, *end = s.ptr + s.len, *point = NULL;
    bool negative = p < end && *p == '-';
    p += negative;
    if (end - p > ODP_DECIMAL_SMALL + 1)
        return false;
    uint64_t value = 0;
    const char *first = p;
    for (; p < end; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (digit <= 9)
            value = value * 10 + digit;
        else if (*p == '.' && point == NULL)
            point = p;
        else
            return false;
    }
    if (end - first - (point != NULL) > ODP_DECIMAL_SMALL || end == first)
        return false;
    *m = negative ? -(int64_t)value : (int64_t)value;
    *scale = point != NULL ? (unsigned)(end - point - 1) : 0;
    return true;
}

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
