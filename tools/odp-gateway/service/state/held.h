/* A value that one thread exchanges while others use it: whoever lets go of it last frees it. */
#pragma once

#include <pthread.h>

#include "base/status.h"

/* The first member of such a value. */
struct odp_held {
    unsigned users; /* the holder itself is one; under its lock */
};
struct odp_holder {
    pthread_mutex_t lock;
    void *now; /* NULL: none yet. Who exchanges it may read it without the lock */
    void (*free)(void *value);
};
enum odp_status odp_holder_init(struct odp_holder *h, void (*free_value)(void *value)) ODP_MUST_USE;
void odp_holder_release(struct odp_holder *h); /* nobody uses the value any more */
/* VALUE takes the place of the one before. */
void odp_holder_set_take(struct odp_holder *h, void *value);
/* The present value, which stays whole until it is dropped; NULL: there is none. */
void *odp_holder_acquire(struct odp_holder *h);
void odp_holder_drop(struct odp_holder *h, void *value); /* NULL is allowed */
