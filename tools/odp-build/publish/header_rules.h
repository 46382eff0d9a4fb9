/* Inside of publish: rules that say of many paths at once which headers they have. */
#pragma once

#include "publish/control_lines.h"

/* "/data/kumuh/202" and everything that begins so (PREFIX), or that path alone. */
struct header_rule {
    struct odp_slice path;
    bool prefix;
    const char *value;
};
/* The fewest rules of this kind that give every line of LINES its value and no line two of them: no two rules
 * match the same path. A line whose value is "" gets none. In A. */
struct header_rule *header_rules(const struct header_line *lines, size_t n, size_t *nrules,
                                 struct odp_arena *a) ODP_MUST_USE;
