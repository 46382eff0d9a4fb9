/* What the teller and the sender ask of each other and of the machine: the clock, whether it ends, whether
 * there is something to do. */
#include <time.h>

#include "service/state/clock.h"
#include "service/webhooks/send_internal.h"

int64_t odp_webhook_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Files come first, and reading versions, matching and TLS take long; not much less, though: calls wait for a
 * mutex that these threads hold now and then. */
void odp_webhook_stand_back(void)
{
    odp_thread_stand_back(5);
}

void odp_webhook_breathe(void)
{
    struct timespec t = {.tv_nsec = 500000};
    nanosleep(&t, NULL);
}

bool odp_webhook_stopped(struct odp_webhooks *w)
{
    pthread_mutex_lock(&w->lock);
    bool stop = w->stop;
    pthread_mutex_unlock(&w->lock);
    return stop;
}

void odp_webhooks_wake(struct odp_webhooks *w)
{
    if (w->send != NULL)
        atomic_store(&w->send->acted, true);
    if (w->sender != NULL)
        odp_sender_wake(w->sender);
}

void odp_webhook_new_deliveries(struct odp_webhooks *w)
{
    if (w->send != NULL)
        atomic_store(&w->send->fresh, true);
    if (w->sender != NULL)
        odp_sender_wake(w->sender);
}
