/* Inside of tools/odp-build/publish: rules that say of many paths at once which headers they have. */
#ifndef ODP_PUBLISH_HEADERS_H
#define ODP_PUBLISH_HEADERS_H

#include "base/arena.h"
#include "base/buffer.h"

/* A line of control. */
struct header_line {
    struct odp_slice path, type, encoding, cls, deprecation, sunset, cache, link; /* ptr NULL: "-", nothing */
    bool gone;       /* no file, an address that is withdrawn */
    bool folder;     /* gone: everything below it */
    const char *value; /* what the rules are about; set by the form */
};
/* All lines of CONTROL in A, sorted by path as they stand there. BAD: it is not a control file of ours. */
enum odp_status header_lines(struct odp_slice control, struct header_line **lines, size_t *n, struct odp_arena *a) ODP_MUST_USE;

/* "/data/kumuh/202" and everything that begins so (PREFIX), or that path alone. */
struct header_rule {
    struct odp_slice path;
    bool prefix;
    const char *value;
};
/* The fewest rules of this kind that give every line of LINES its value and no line two of them: no two rules match the same path. A line
 * whose value is "" gets none. In A. */
enum odp_status header_rules(const struct header_line *lines, size_t n, struct header_rule **rules, size_t *nrules,
                             struct odp_arena *a) ODP_MUST_USE;

#endif
