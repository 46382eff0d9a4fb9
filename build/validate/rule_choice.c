/* enum (ODP-B10) and categories (B11): the value is one of those listed. */
#include "base/decimal.h"
#include "validate/rule.h"

struct choice {
    struct odp_slice *values; /* by field of the schema: its categories */
};

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    (void)diags;
    struct choice *choices = odp_arena_zero(&v->arena, v->schema->n + 1u, sizeof *choices);
    if (choices == NULL)
        return ODP_FAIL;
    for (uint32_t f = 0; f < v->schema->n; f++) {
        const struct odp_field *field = &v->schema->fields[f];
        if (field->ncategories == 0)
            continue;
        choices[f].values = odp_arena_array(&v->arena, field->ncategories, sizeof(struct odp_slice));
        if (choices[f].values == NULL)
            return ODP_FAIL;
        for (size_t k = 0; k < field->ncategories; k++)
            choices[f].values[k] = field->categories[k].value;
    }
    *state = choices;
    return ODP_OK;
}

static bool applies(const struct odp_validator *v, uint32_t field)
{
    return v->schema->fields[field].ncategories > 0 || v->schema->fields[field].constraints.enumeration.n > 0;
}

static bool is_among(enum odp_type type, struct odp_slice s, const struct odp_slice *values, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (odp_slice_eq(s, values[k]))
            return true;
    if (type == ODP_TYPE_NUMBER || type == ODP_TYPE_INTEGER) /* 1.50 is 1.5 */
        for (size_t k = 0; k < n; k++)
            if (odp_decimal_cmp(s, values[k]) == 0)
                return true;
    return false;
}

static void check_values(struct odp_check *c, uint32_t field, const struct odp_slice *values, size_t n, enum odp_code code)
{
    enum odp_type type = odp_check_field(c, field)->type;
    struct odp_slice all = {NULL, 0}, last = {NULL, 0};
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        struct odp_slice s = c->text[i];
        if (last.ptr != NULL && odp_slice_eq(s, last)) /* values often repeat */
            continue;
        if (is_among(type, s, values, n)) {
            last = s;
            continue;
        }
        if (all.ptr == NULL && !c->trial)
            all = odp_check_join(c, values, n);
        odp_check_fault(c, i, (int)field, code)->args[0] = all;
    }
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct choice *choices = c->v->state[ODP_RULE_choice];
    if (f->constraints.enumeration.n > 0)
        check_values(c, field, f->constraints.enumeration.item, f->constraints.enumeration.n, ODP_B10);
    if (f->ncategories > 0)
        check_values(c, field, choices[field].values, f->ncategories, ODP_B11);
}

const struct odp_rule_kind odp_rule_choice = {.name = "choice", .open = open_rule, .applies = applies, .column = check_column};
