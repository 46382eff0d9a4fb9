/* Shows an edit of `odp-build fix` or apply. */
#pragma once

#include "commands/options.h"
#include "repair/repair.h"

struct fix_text {
    const struct invocation *inv;
    const struct odp_resource *resource;
    bool color;
    bool whole; /* texts are not cut */
    uint64_t shown;
};

/* An odp_edit_show: one edit as a line on standard output. Values of fields that are not public, and personal
 * identifiers, are masked. */
enum odp_status fix_text_show(void *ctx, const struct odp_edit_shown *e) ODP_MUST_USE;
