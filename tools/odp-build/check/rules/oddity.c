/* Cells of a workbook that are not what their field wants, marked by the source (enum odp_cell_oddity): codes
 * that became numbers (ODP-S20) or dates (S21), dates where none belong (S22), cells under a merged one
 * (S23), formulas without a value (S25). Nothing is repaired; what was meant is proposed by
 * proposals/oddity.c. */
#include "check/check_internal.h"

static void say(struct odp_check *c, uint32_t i, uint32_t field, const struct odp_cell *cell)
{
    const struct odp_field *f = odp_check_field(c, field);
    bool string = f->type == ODP_TYPE_STRING;
    switch ((enum odp_cell_oddity)cell->oddity) {
    case ODP_ODD_NUMBER:
        if (string)
            odp_check_fault(c, i, (int)field, ODP_S20);
        else
            odp_check_untyped(c, i, (int)field, ODP_S05)->args[0] =
                odp_slice_of(f->date_pattern != NULL ? f->date_pattern : "YYYY-MM-DD");
        break;
    case ODP_ODD_DATE:
        odp_check_untyped(c, i, (int)field, string ? ODP_S21 : ODP_S22);
        break;
    case ODP_ODD_MERGED:
        odp_check_untyped(c, i, (int)field, ODP_S23);
        break;
    default:
        odp_check_untyped(c, i, (int)field, ODP_S25);
        break;
    }
}

static void check_column(struct odp_check *c, uint32_t field)
{
    if (c->trial || !c->odd)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct odp_cell *cell = c->state[i] == ODP_VALUE_OK ? odp_check_cell(c, i, field) : NULL;
        if (cell != NULL && cell->oddity != ODP_ODD_NONE)
            say(c, i, field, cell);
    }
}

const struct odp_rule_kind odp_rule_oddity = {.name = "oddity", .column = check_column};
