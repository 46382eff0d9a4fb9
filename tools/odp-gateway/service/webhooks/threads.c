/* What the two threads ask of the machine and of each other. */
#include <time.h>

#include "service/state/clock.h"
#include "service/webhooks/send_internal.h"

int64_t odp_webhook_keep(const struct odp_webhooks *w)
{
    int64_t keep = w->s->options->webhook_keep;
    return keep > 0 ? keep : ODP_WEBHOOK_KEEP;
}

unsigned odp_webhook_connections(const struct odp_webhooks *w)
{
    int64_t n = w->s->options->webhook_connections;
    return n <= 0 ? ODP_WEBHOOK_CONNECTIONS : n < 4096 ? (unsigned)n : 4096;
}

/* Files come first, and matching and TLS take long; but these threads hold the mutex now and then, so not
 * much less. */
void odp_webhook_lower_priority(void)
{
    odp_thread_stand_back(5);
}

void odp_webhook_yield(void)
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
