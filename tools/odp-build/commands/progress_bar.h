/* A progress bar on standard error, with rate and time left; none if standard error is not a terminal. */
#pragma once

#include "commands/options.h"

struct progress_bar {
    struct odp_progress progress; /* pass its address to the run */
    const struct invocation *inv;
    double started, drawn; /* seconds, monotonic */
    bool visible;          /* the bar is on the line now */
};

void progress_bar_init(struct progress_bar *bar, const struct invocation *inv);
/* Clears the line. */
void progress_bar_finish(struct progress_bar *bar);
