/* Does a text match a field's pattern? */
#ifndef ODP_CHECK_PATTERN_MATCH_H
#define ODP_CHECK_PATTERN_MATCH_H

#include "check/check_internal.h"
#include "check/pattern_table.h"

/* A field's pattern, compiled: state of the rule `pattern`, by field. */
struct odp_pattern {
    const struct odp_pattern_table *table; /* or NULL */
    bool jit;                              /* the code has a machine's form: nothing need be checked before each match */
};

/* 1 yes, 0 no, -1 beyond the limits. For what odp_pattern_table_fits does not know to match: not inline, so that the loop that asks it first
 * stays short. */
int odp_pattern_match(struct odp_check *c, const struct odp_field *f, const struct odp_pattern *k, struct odp_slice s);
/* Does S match F's pattern? 1 yes, 0 no, -1 beyond the limits (or memory: then c->failed). */
int odp_check_pattern(struct odp_check *c, const struct odp_field *f, struct odp_slice s);

#endif
