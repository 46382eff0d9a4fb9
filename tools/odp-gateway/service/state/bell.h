/* A bell: one thread sleeps until somebody rings it. Who rings knows nothing of who listens, and does not
 * wait. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct odp_bell {
    pthread_mutex_t mutex;
    pthread_cond_t rung;
    bool ringing; /* under mutex: rung since the last wait ended */
};

enum odp_status odp_bell_init(struct odp_bell *b) ODP_MUST_USE;
void odp_bell_release(struct odp_bell *b);
void odp_bell_ring(struct odp_bell *b);
/* Returns at once if it was rung since the last wait, else when it is rung, or after MS milliseconds. */
void odp_bell_wait(struct odp_bell *b, int64_t ms);
