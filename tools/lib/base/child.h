/* A child process: arguments as an array (never a shell), input from memory, output and errors caught. It
 * dies with its parent. */
#pragma once

#include "base/buffer.h"

struct odp_child {
    const char *const *argv; /* argv[0]: path of the program; NULL at its end */
    struct odp_slice input;  /* its standard input */
    struct odp_buffer *out;  /* its standard output is appended; NULL: thrown away */
    size_t max;              /* more output than this ends it */
    bool (*watch)(
        void *ctx); /* called every few seconds: false ends it; NULL: it takes as long as it takes */
    void *ctx;
    struct odp_buffer errors; /* the beginning of its standard error; release it */
    int code;                 /* exit code; 128 + signal */
    bool too_large, given_up; /* we ended it: for MAX, for WATCH */
};
enum { ODP_CHILD_WATCH_MS = 3000 };

/* Runs it to its end. FAIL: it could not be started; errno says why, too. */
enum odp_status odp_child_run(struct odp_child *c) ODP_MUST_USE;
