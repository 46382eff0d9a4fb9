/* minimum, maximum and their exclusive forms (ODP-B05 to B08), exact: decimals by value, dates and times by instant. */
#include "base/datetime.h"
#include "base/decimal.h"
#include "validate/rule.h"

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_constraints *k = &v->schema->fields[field].constraints;
    return k->minimum.ptr != NULL || k->maximum.ptr != NULL || k->exclusive_minimum.ptr != NULL ||
           k->exclusive_maximum.ptr != NULL;
}

static int compare(enum odp_type type, struct odp_slice a, struct odp_slice b)
{
    struct odp_datetime x, y;
    if (type == ODP_TYPE_NUMBER || type == ODP_TYPE_INTEGER)
        return odp_decimal_cmp(a, b);
    if (type == ODP_TYPE_DATETIME && odp_date_parse(a, ODP_DATETIME, NULL, NULL, &x) == ODP_DATE_OK &&
        odp_date_parse(b, ODP_DATETIME, NULL, NULL, &y) == ODP_DATE_OK)
        return odp_date_cmp(&x, &y);
    return odp_slice_cmp(a, b); /* canonical dates, times and years compare as bytes */
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_constraints *k = &f->constraints;
    /* A value breaks a bound where compare * SIGN < LEAST. */
    const struct {
        struct odp_slice bound;
        int sign, least;
        enum odp_code code;
    } bounds[] = {{k->minimum, 1, 0, ODP_B05},
                  {k->maximum, -1, 0, ODP_B06},
                  {k->exclusive_minimum, 1, 1, ODP_B07},
                  {k->exclusive_maximum, -1, 1, ODP_B08}};
    for (uint32_t i = 0; i < c->n; i++)
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds && c->state[i] == ODP_VALUE_OK; b++) {
            if (bounds[b].bound.ptr == NULL)
                continue;
            int order = compare(f->type, c->text[i], bounds[b].bound);
            order = ((order > 0) - (order < 0)) * bounds[b].sign;
            if (order < bounds[b].least)
                odp_check_fault(c, i, (int)field, bounds[b].code)->args[0] = bounds[b].bound;
        }
}

const struct odp_rule_kind odp_rule_bounds = {.name = "bounds", .applies = applies, .column = check_column};
