/* Which proposals of `odp-build fix` are applied: those that --yes names, or that a person accepts: by
 * rule, by column, by value. */
#pragma once

#include "commands/options.h"
#include "repair/fix.h"

/* What lasts longer than a round. */
struct fix_choice {
    const struct invocation *inv;
    struct odp_arena *arena;
    bool asks; /* a person answers */
    bool color;
    const char **declined; /* "slug/resource ODP-T03", or that and a value: not asked again */
    size_t ndeclined;
};
struct fix_offered {
    uint64_t proposed, open; /* open: neither accepted nor declined */
};

/* Refuses, with a line on standard error, a --yes that can never apply: rules and fields that do not
 * exist. */
bool fix_choice_known(const struct invocation *inv, const struct odp_catalog *c);
/* Shows the proposals of X, rule by rule, asks, and marks what is accepted. DONE: end of input. */
enum odp_status fix_choose(struct fix_choice *c, struct odp_fix *x, const struct odp_resource *r,
                           const char *path, struct fix_offered *offered) ODP_MUST_USE;
