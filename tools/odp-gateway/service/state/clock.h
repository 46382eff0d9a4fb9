/* Time, waiting for it, and which threads come first on a busy machine. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/status.h"

int64_t odp_now(void); /* Unix seconds */
int64_t odp_now_ms(void);
/* Milliseconds by CLOCK_MONOTONIC: for spans of time. */
int64_t odp_clock_ms(void);
int64_t odp_clock_us(void); /* microseconds */
/* MS milliseconds from now by CLOCK_MONOTONIC: how long a condition of that clock waits. */
struct timespec odp_clock_after(int64_t ms);
/* Makes such a condition; returns an error number. */
int odp_clock_condition(pthread_cond_t *c);

/* A bell: one thread sleeps until somebody rings it. Ringing does not wait, and needs not know who listens.
 */
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

/* Lowers the calling thread's priority by LESS, for those that send files to come first (on Linux a priority
 * is the thread's own; threads and processes that it starts inherit it). */
void odp_thread_stand_back(int less);
