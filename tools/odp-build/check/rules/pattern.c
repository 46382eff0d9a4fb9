/* pattern (ODP-B09), within limits of effort (B13). PCRE2's own compiler makes machine code of a pattern (catalog/pattern.c). */
#include "check/check_internal.h"

static bool applies(const struct odp_validator *v, uint32_t field)
{
    return v->schema->fields[field].constraints.pattern_code != NULL;
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        int r = odp_check_pattern(c, f, c->text[i]);
        if (r > 0 || (r == 0 && odp_check_lost_zero(c, i, field)))
            continue;
        odp_check_fault(c, i, (int)field, r == 0 ? ODP_B09 : ODP_B13)->args[0] = f->constraints.pattern;
    }
}

const struct odp_rule_kind odp_rule_pattern = {.name = "pattern", .applies = applies, .column = check_column};
