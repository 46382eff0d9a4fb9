/* A text's lines, one after another. */
#pragma once

#include "base/slice.h"

/* The line that *REST begins with, without its LF; *REST: what follows. The last line needs no LF. */
static inline struct odp_slice odp_line_next(struct odp_slice *rest)
{
    const char *end = rest->len > 0 ? (const char *)memchr(rest->ptr, '\n', rest->len) : NULL;
    struct odp_slice line = {rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : rest->len};
    rest->ptr += line.len + (end != NULL);
    rest->len -= line.len + (end != NULL);
    return line;
}
