/* White space at the ends of a cell (ODP-W01). Numbers, dates and other values with a fixed form lose it; a
 * string keeps it unless the field says odp:trim. No-break spaces and zero-width marks from web pages count
 * too. */
#include "base/white_space.h"
#include "check/check_internal.h"

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    if ((c->any & ODP_TRAIT_EDGE) == 0)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK || (c->traits[i] & ODP_TRAIT_EDGE) == 0)
            continue;
        struct odp_slice t = odp_trim_unicode(c->text[i]);
        if (t.len == c->text[i].len)
            continue;
        if (!f->trim)
            (void)odp_check_fault(c, i, (int)field, ODP_W01);
        if (f->trim || (f->type != ODP_TYPE_STRING && f->type != ODP_TYPE_ANY))
            c->text[i] = t;
    }
}

const struct odp_rule_kind odp_rule_space = {.name = "space", .column = check_column};
