/* What a test needs and takes for granted: CALL returns ODP_OK, or the test ends there with what the failure
 * says. */
#pragma once

#include "base/status.h"

#define must(call) must_at((call), #call, __FILE__, __LINE__)

static inline void must_at(enum odp_status st, const char *call, const char *file, int line)
{
    if (st != ODP_OK) {
        print_error("%s: %d: %s\n", call, (int)st, odp_failure_text());
        _fail(file, line);
    }
}
