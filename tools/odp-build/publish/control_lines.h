/* Inside of publish: control, read line by line. */
#pragma once

#include "base/arena.h"

/* A line of control. */
struct header_line {
    struct odp_slice path, type, encoding, cls, deprecation, sunset, cache, link; /* ptr NULL: "-", nothing */
    bool gone;         /* no file, an address that is withdrawn */
    bool folder;       /* gone: everything below it */
    const char *value; /* what the rules are about; set by the form */
};
/* All lines of CONTROL in A, sorted by path, as in the file. BAD: it is not a control file of ours. */
enum odp_status header_lines(struct odp_slice control, struct header_line **lines, size_t *n,
                             struct odp_arena *a) ODP_MUST_USE;
