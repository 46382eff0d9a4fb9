/* What every part of the exchange needs: whether it ends, its counters, and a word for what is wrong in
 * Redis. */
#include "service/cluster/cluster_internal.h"

#include "service/state/log.h"

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
