/* Coordinates written many at a time (catalog/records/degrees.h), against the plain way. */

#include "run.h"
#include "random.h"

#include <math.h>

#include "base/decimal.h"
#include "catalog/records/degrees.h"

static double any_degrees(uint32_t kind)
{
    static const double edges[] = {
        0,           -0.0,         4.9e-8,      -4.9e-8,     5e-8,         -5e-8,  99.99999995,
        9.999999949, 998.99999999, -999 + 1e-7, 106.8271520, 106.00000005, 1e-300,
    };
    double v = (random_unit() - 0.5) * 1998;
    switch (kind % 5) {
    case 0: /* decimals, many with few digits */
        return (double)(int64_t)(random_bits() % 3600000000u) / 1e7 - 180;
    case 1: /* as near to a tie as a double can be */
        return ((double)(random_bits() % 2000000000) + 0.5) / 1e7;
    case 2: /* ties */
        return (double)(int64_t)(random_bits() % 4000) / 4096 * (kind % 2 != 0 ? -1 : 1);
    case 3:
        return edges[random_bits() % (ODP_COUNT(edges))];
    default:
        return v;
    }
}

/* Many at a time are the same text as one by one. */
TEST(degrees_are_the_same)
{
    static struct odp_degrees d;
    double v[ODP_DEGREES_MANY];
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t n = round % ODP_DEGREES_MANY + 1;
        for (uint32_t i = 0; i < n; i++)
            v[i] = any_degrees((uint32_t)random_bits());
        assert_true(odp_degrees_of(v, n, &d));
        for (uint32_t i = 0; i < n; i++) {
            char got[ODP_DEGREES_ROOM], want[40];
            size_t len = odp_decimal_fixed(v[i], 7, want);
            if ((size_t)(odp_degrees_put(got, &d, i) - got) != len || memcmp(got, want, len) != 0)
                fail_msg("%a: %.*s, not %.*s", v[i], (int)len, got, (int)len, want);
        }
        static const double beyond[] = {999, -1e300, INFINITY, NAN};
        v[random_bits() % n] = beyond[round % 4];
        assert_false(odp_degrees_of(v, n, &d));
    }
}
