/* Time from a start that no change of the clock moves: for waits, and for what took how long. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t odp_monotonic_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t odp_monotonic_ms(void)
{
    return odp_monotonic_ns() / 1000000;
}

static inline double odp_monotonic_seconds(void)
{
    return (double)odp_monotonic_ns() * 1e-9;
}
