/* No part of a primary key may be empty (ODP-K05). Where the field is required too, that has been said (B01).
 */
#include "check/check_internal.h"

static void check_rows(struct odp_check *c, void *state, void **part)
{
    const struct odp_key *key = &c->v->schema->primary;
    for (uint32_t k = 0; k < key->n; k++) {
        uint32_t f = key->fields[k];
        if (c->v->info->column_of_field[f] < 0)
            continue;
        const uint8_t *states = c->b->columns[f].state;
        for (uint32_t i = 0; i < c->n; i++)
            if (states[i] == ODP_VALUE_NULL && !odp_check_field(c, f)->constraints.required)
                odp_check_fault(c, i, (int)f, ODP_K05)->where = key->where;
    }
}

const struct odp_rule_kind odp_rule_primary = {.name = "primary", .rows = check_rows};
