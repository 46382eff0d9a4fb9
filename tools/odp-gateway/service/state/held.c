#include "service/state/held.h"

#include <stdbool.h>

enum odp_status odp_holder_init(struct odp_holder *h, void (*free_value)(void *value))
{
    *h = (struct odp_holder){.free = free_value};
    int e = pthread_mutex_init(&h->lock, NULL);
    return e == 0 ? ODP_OK : odp_failure_set("mutex", NULL, e);
}

void odp_holder_release(struct odp_holder *h)
{
    odp_holder_drop(h, h->now);
    h->now = NULL;
    pthread_mutex_destroy(&h->lock);
}

void odp_holder_set_take(struct odp_holder *h, void *value)
{
    ((struct odp_held *)value)->users = 1;
    pthread_mutex_lock(&h->lock);
    void *before = h->now;
    h->now = value;
    pthread_mutex_unlock(&h->lock);
    odp_holder_drop(h, before);
}

void *odp_holder_acquire(struct odp_holder *h)
{
    pthread_mutex_lock(&h->lock);
    struct odp_held *held = h->now;
    if (held != NULL)
        held->users++;
    pthread_mutex_unlock(&h->lock);
    return held;
}

void odp_holder_drop(struct odp_holder *h, void *value)
{
    struct odp_held *held = value;
    if (held == NULL)
        return;
    pthread_mutex_lock(&h->lock);
    bool last = --held->users == 0;
    pthread_mutex_unlock(&h->lock);
    if (last)
        h->free(value);
}
