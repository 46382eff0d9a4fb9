/* The limits of input, in one place: limits.def. They are portal.json's "limits"; readers ask odp_limits_of
 * or are given the struct. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct odp_limits {
#define ODP_LIMIT(member, name, usual, least, most, id, en) int64_t member;
#include "base/limits.def"
#undef ODP_LIMIT
};

/* The defaults. */
extern const struct odp_limits odp_limits_usual;

/* Archives and parts of workbooks that unpack to less are no bombs, whatever their ratio: blank rows compress
 * as well. */
#define ODP_RATIO_FROM (INT64_C(16) << 20)

/* A row of limits.def, for what reads or shows them all. */
struct odp_limit_row {
    const char *name;
    size_t offset; /* of the int64_t in struct odp_limits */
    int64_t least, most;
    struct odp_text message; /* of ODP-F15: the name, and what is bounded */
};
enum {
#define ODP_LIMIT(member, name, usual, least, most, id, en) ODP_LIMIT_##member,
#include "base/limits.def"
#undef ODP_LIMIT
    ODP_LIMITS
};
extern const struct odp_limit_row odp_limit_rows[ODP_LIMITS];

/* ODP-F15 of the limit at OFFSET (offsetof): D gets code, message, args and value (FOUND); its numbers' texts
 * stand in TEXT, which must outlive D. */
struct odp_limit_text {
    char most[24], found[24];
};
void odp_limit_diag(struct odp_diag *d, const struct odp_limits *limits, size_t offset, uint64_t found,
                    struct odp_limit_text *text);
