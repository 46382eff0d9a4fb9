#include "base/decimal_limits.h"

static int64_t saturate(__int128 v)
{
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

/* The bound N * 10^-PLACES, without trailing zeros in N where PLACES > 0, in units of 10^-SCALE: *EXACT, or
 * rounded down. */
static __int128 in_units(int64_t n, unsigned places, unsigned scale, bool *exact)
{
    *exact = scale >= places;
    if (*exact)
        return (__int128)n * odp_decimal_power(scale - places);
    int64_t p = odp_decimal_power(places - scale), q = n / p;
    return n < 0 ? q - 1 : q; /* not divisible: there are no trailing zeros */
}

/* SIGN 1: a lower bound; -1: an upper one. */
static void take_bound(struct odp_decimal_limits *l, struct odp_slice bound, int sign, bool exclusive)
{
    char normal[ODP_DECIMAL_SIZE];
    int64_t n = 0;
    unsigned places = 0;
    if (bound.ptr == NULL)
        return;
    bool known =
        odp_decimal_small((struct odp_slice){normal, odp_decimal_normal(bound, normal)}, &n, &places);
    for (unsigned scale = 0; scale <= ODP_DECIMAL_SMALL; scale++) {
        bool exact;
        if (!known) {
            l->least[scale] = INT64_MAX;
            l->most[scale] = INT64_MIN;
            continue;
        }
        __int128 v = in_units(n, places, scale, &exact);
        if (sign > 0) {
            int64_t least = saturate(v + (exclusive || !exact));
            l->least[scale] = least > l->least[scale] ? least : l->least[scale];
        } else {
            int64_t most = saturate(v - (exclusive && exact));
            l->most[scale] = most < l->most[scale] ? most : l->most[scale];
        }
    }
}

void odp_decimal_limits_init(struct odp_decimal_limits *l, struct odp_slice minimum, struct odp_slice maximum,
                             struct odp_slice exclusive_minimum, struct odp_slice exclusive_maximum)
{
    for (unsigned scale = 0; scale <= ODP_DECIMAL_SMALL; scale++) {
        l->least[scale] = INT64_MIN;
        l->most[scale] = INT64_MAX;
    }
    take_bound(l, minimum, 1, false);
    take_bound(l, maximum, -1, false);
    take_bound(l, exclusive_minimum, 1, true);
    take_bound(l, exclusive_maximum, -1, true);
}
