/* A published site, fetched by its manifest: every file is checked, nothing that the public sees changes
 * until all of it is here.
 *
 *   DIR                     the link that is switched        DIR.builds/<digest>/   builds, as odp-build
 * makes them DIR.builds/.pull/<sha256>   files fetched by a run that did not come to its end; the next one
 * takes them from there */
#pragma once

#include "command/invocation.h"

struct pull_count {
    size_t linked, resumed, fetched;
    uint64_t fetched_bytes;
};
/* The whole of it. Returns an exit code and has said why. */
int pull_run(struct invocation *inv, const char *url);
