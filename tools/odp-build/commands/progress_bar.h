/* A bar on standard error for long work, with rate and time left; nothing where standard error is no
 * terminal. */
#pragma once

#include "commands/options.h"

struct progress_bar {
    struct odp_progress progress; /* give its address to the run */
    const struct invocation *inv;
    double started, drawn; /* seconds, monotonic */
    bool visible;          /* something stands on the line now */
};

void progress_bar_init(struct progress_bar *bar, const struct invocation *inv);
/* Wipes the line. */
void progress_bar_finish(struct progress_bar *bar);
/* Seconds on the monotonic clock. */
double monotonic_seconds(void);
