#include "service/state/clock.h"

#include <errno.h>
#include <sys/resource.h>

#include "base/monotonic.h"

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

int64_t odp_clock_ms(void)
{
    return odp_monotonic_ms();
}

int64_t odp_clock_us(void)
{
    return odp_monotonic_ns() / 1000;
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

enum odp_status odp_bell_init(struct odp_bell *b)
{
    b->ringing = false;
    int error = pthread_mutex_init(&b->mutex, NULL);
    if (error != 0)
        return odp_failure_set("pthread_mutex_init", NULL, error);
    error = odp_clock_condition(&b->rung);
    if (error == 0)
        return ODP_OK;
    pthread_mutex_destroy(&b->mutex);
    return odp_failure_set("pthread_cond_init", NULL, error);
}

void odp_bell_release(struct odp_bell *b)
{
    pthread_cond_destroy(&b->rung);
    pthread_mutex_destroy(&b->mutex);
}

void odp_bell_ring(struct odp_bell *b)
{
    pthread_mutex_lock(&b->mutex);
    b->ringing = true;
    pthread_cond_broadcast(&b->rung);
    pthread_mutex_unlock(&b->mutex);
}

void odp_bell_wait(struct odp_bell *b, int64_t ms)
{
    struct timespec until = odp_clock_after(ms);
    pthread_mutex_lock(&b->mutex);
    while (!b->ringing && pthread_cond_timedwait(&b->rung, &b->mutex, &until) != ETIMEDOUT)
        ;
    b->ringing = false;
    pthread_mutex_unlock(&b->mutex);
}

void odp_thread_stand_back(int less)
{
    int now = getpriority(PRIO_PROCESS, 0);
    (void)setpriority(PRIO_PROCESS, 0, now + less < 19 ? now + less : 19);
}
