/* NEED(condition): what must hold, for fuzzers and for the unit tests that share their checks. Else the
 * process ends, which is how libFuzzer learns of it. No cmocka. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"

#define NEED(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, odp_failure_text());         \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)
