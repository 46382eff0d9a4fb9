/* What must hold, for fuzzers and for the unit tests that share their checks: else the process ends, which is
 * how libFuzzer learns of it. No cmocka. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define NEED(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)
