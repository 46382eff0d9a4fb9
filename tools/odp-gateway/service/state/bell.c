#include "service/state/bell.h"

#include <errno.h>

#include "service/state/clock.h"

enum odp_status odp_bell_init(struct odp_bell *b)
{
    pthread_condattr_t a;
    b->ringing = false;
    int rc = pthread_mutex_init(&b->mutex, NULL);
    if (rc != 0)
        return odp_failure_set("pthread_mutex_init", NULL, rc);
    rc = pthread_condattr_init(&a);
    if (rc == 0)
        rc = pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    if (rc == 0)
        rc = pthread_cond_init(&b->rung, &a);
    (void)pthread_condattr_destroy(&a);
    if (rc == 0)
        return ODP_OK;
    pthread_mutex_destroy(&b->mutex);
    return odp_failure_set("pthread_cond_init", NULL, rc);
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
