/* A file of tests: it includes this first, and ends with RUN. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants the first four before it */
#include <cmocka.h>

/* The file's main: runs the tests that are named, in their order. RUN_IN: between BEGIN and END (either may be
 * NULL), once for all. */
#define RUN(...) RUN_IN(NULL, NULL, __VA_ARGS__)
#define RUN_IN(begin, end, ...)                                                                              \
    int main(void)                                                                                           \
    {                                                                                                        \
        static void (*const tests[])(void **) = {__VA_ARGS__};                                               \
        static char names[] = #__VA_ARGS__;                                                                  \
        return run_named(names, tests, sizeof tests / sizeof *tests, begin, end);                            \
    }

/* NAMES: "a, b, c". */
static inline int run_named(char *names, void (*const *tests)(void **), size_t n, CMFixtureFunction begin,
                            CMFixtureFunction end)
{
    static struct CMUnitTest all[256];
    char *rest = NULL;
    size_t i = 0;
    for (char *name = strtok_r(names, ", ", &rest); name != NULL && i < n && i < 256;
         name = strtok_r(NULL, ", ", &rest))
        all[i] = (struct CMUnitTest){.name = name, .test_func = tests[i]}, i++;
    return _cmocka_run_group_tests("tests", all, i, begin, end);
}
