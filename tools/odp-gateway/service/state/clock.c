#include "service/state/clock.h"

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

struct timespec odp_clock_after(int64_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

int odp_clock_condition(pthread_cond_t *c)
{
    pthread_condattr_t a;
    int error = pthread_condattr_init(&a);
    if (error != 0)
        return error;
    error = pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    if (error == 0)
        error = pthread_cond_init(c, &a);
    (void)pthread_condattr_destroy(&a);
    return error;
}
