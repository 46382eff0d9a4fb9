/* A text's parts, and its lines, one after another. */
#pragma once

#include "base/slice.h"

/* The text before the next C, or all of it; *REST: what follows. */
static inline struct odp_slice odp_slice_cut(struct odp_slice *rest, char c)
{
    if (rest->len == 0)
        return *rest;
    const char *end = (const char *)memchr(rest->ptr, c, rest->len);
    struct odp_slice part = {rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : rest->len};
    rest->ptr += part.len + (end != NULL);
    rest->len -= part.len + (end != NULL);
    return part;
}

static inline bool odp_slice_starts(struct odp_slice s, const char *with)
{
    size_t n = strlen(with);
    return s.len >= n && memcmp(s.ptr, with, n) == 0;
}

/* The line that *REST begins with, without its LF; *REST: what follows. The last line needs no LF. */
static inline struct odp_slice odp_line_next(struct odp_slice *rest)
{
    return odp_slice_cut(rest, '\n');
}
