/* For fuzzers that let a source be changed in a folder of their own: what lies there, and what must be so. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/file.h"

static inline void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "fuzz: %s (%s)\n", what, odp_failure_text());
    abort();
}

/* The bytes of a file, to be released. */
static inline struct odp_buffer get(const char *from)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    must(odp_file_read(from, 1 << 24, &b, NULL) == ODP_OK, from);
    return b;
}

static inline size_t files_in(const char *dir)
{
    struct odp_arena a;
    const char **names;
    size_t n;
    odp_arena_init(&a);
    must(odp_dir_list(dir, &a, &names, &n) == ODP_OK, dir);
    odp_arena_release(&a);
    return n;
}
