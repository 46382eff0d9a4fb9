/* What every part of the exchange needs: its clock, whether it ends, its counters, and a word for what is
 * wrong in Redis. */
#include "service/cluster/cluster_internal.h"

#include <time.h>

#include "service/state/log.h"

int64_t odp_sync_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool odp_sync_stopped(const struct odp_sync *y)
{
    return atomic_load(&y->stop);
}

void odp_sync_add(struct odp_sync *y, uint64_t *counter, uint64_t n)
{
    pthread_mutex_lock(&y->mutex);
    *counter += n;
    pthread_mutex_unlock(&y->mutex);
}

void odp_sync_refuse(struct odp_sync *y, const char *what)
{
    odp_sync_add(y, &y->seen.refused, 1);
    if (y->seen.refused == 1)
        odp_log("warning", "Redis: %s is not of a form that this version knows; it is left out", what);
}
