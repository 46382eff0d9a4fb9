/* Bounds of numbers, for columns of short ones: no text is compared. */
#pragma once

#include "base/decimal_small.h"

/* Bounds made ready: M * 10^-SCALE is within all of them where least[SCALE] <= M <= most[SCALE], exactly. A
 * bound that is no short number itself lets nothing pass: then the texts have to be compared. */
struct odp_decimal_limits {
    int64_t least[ODP_DECIMAL_SMALL + 1], most[ODP_DECIMAL_SMALL + 1];
};
/* Bounds are canonical literals; ptr or NULL. */
void odp_decimal_limits_init(struct odp_decimal_limits *l, struct odp_slice minimum, struct odp_slice maximum,
                             struct odp_slice exclusive_minimum, struct odp_slice exclusive_maximum);
