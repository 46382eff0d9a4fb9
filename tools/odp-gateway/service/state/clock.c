#include "service/state/clock.h"

#include <time.h>

int64_t odp_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t odp_now(void)
{
    return odp_now_ms() / 1000;
}
