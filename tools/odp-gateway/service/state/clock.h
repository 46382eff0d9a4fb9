/* What time it is. */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

int64_t odp_now(void); /* Unix seconds */
int64_t odp_now_ms(void);
/* MS milliseconds from now by CLOCK_MONOTONIC: how long a condition of that clock waits. */
struct timespec odp_clock_after(int64_t ms);
/* Makes such a condition; returns an error number. */
int odp_clock_condition(pthread_cond_t *c);
