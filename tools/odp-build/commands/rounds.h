/* Builds, waits for a change, builds again, until SIGINT or SIGTERM: build --watch, serve. The first signal
 * lets the running build finish; a second one kills. */
#pragma once

#include "commands/options.h"

struct rounds {
    struct invocation *inv; /* its out, and report files, are not watched */
    /* One round. Returns an exit code, and sets *BUSY where another build held the site. */
    int (*round)(struct rounds *r, bool *busy);
    void *ctx;
    bool speaks; /* says which file changed, and that it waits */
};
/* Returns the exit code: that of the first round where there is no catalogue to watch. */
int rounds_run(struct rounds *r);
