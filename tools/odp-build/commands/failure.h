/* Reports a failure of the machine in one sentence: what failed, where, why, and what to do. */
#pragma once

#include "commands/options.h"

/* "odp-build: WHAT: write build/site.builds/log: No space left on device; make room there, then run this
 * command again", to standard error. WHAT (what came of it) may be NULL. */
void failure_say(const struct invocation *inv, const char *what);
