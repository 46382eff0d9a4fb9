/* pattern (ODP-B09), within limits of effort (B13). Most patterns are tables (pattern_table.h), which say what PCRE2 would; it is asked for the
 * others, and for values that a table does not know about. */
#include "check/pattern_match.h"

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    (void)diags;
    struct odp_pattern *compiled = odp_arena_zero(&v->arena, v->schema->n + 1u, sizeof *compiled);
    if (compiled == NULL)
        return ODP_FAIL;
    for (uint32_t f = 0; f < v->schema->n; f++) {
        const struct odp_constraints *k = &v->schema->fields[f].constraints;
        size_t size = 0;
        if (k->pattern_code == NULL)
            continue;
        if (odp_pattern_table_new(&v->arena, k->pattern, &compiled[f].table) != ODP_OK)
            return ODP_FAIL;
        compiled[f].jit = pcre2_pattern_info(k->pattern_code, PCRE2_INFO_JITSIZE, &size) == 0 && size > 0;
    }
    *state = compiled;
    return ODP_OK;
}

static bool applies(const struct odp_validator *v, uint32_t field)
{
    return v->schema->fields[field].constraints.pattern_code != NULL;
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_pattern *k = (const struct odp_pattern *)c->v->state[ODP_RULE_pattern] + field;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK || (k->table != NULL && odp_pattern_table_fits(k->table, c->text[i])))
            continue;
        int r = odp_pattern_match(c, f, k, c->text[i]);
        if (r > 0 || (r == 0 && odp_check_lost_zero(c, i, field)))
            continue;
        odp_check_fault(c, i, (int)field, r == 0 ? ODP_B09 : ODP_B13)->args[0] = f->constraints.pattern;
    }
}

const struct odp_rule_kind odp_rule_pattern = {.name = "pattern", .open = open_rule, .applies = applies, .column = check_column};
