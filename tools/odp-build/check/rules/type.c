/* The text of a cell becomes canonical text of its field's type (ODP-T01 to T17, S05). */
#include "check/types/types_internal.h"

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_field *f = &v->schema->fields[field];
    return f->type != ODP_TYPE_ANY && (f->type != ODP_TYPE_STRING || f->string_format != ODP_STRING_DEFAULT);
}

static void check_column(struct odp_check *c, uint32_t field)
{
    static void (*const checks[ODP_FAMILIES])(struct odp_check * c, uint32_t field) = {
        [ODP_FAMILY_TEXT] = odp_type_string,       [ODP_FAMILY_NUMBER] = odp_type_number,
        [ODP_FAMILY_TRUTH] = odp_type_boolean,     [ODP_FAMILY_DATE] = odp_type_date,
        [ODP_FAMILY_LIST] = odp_type_list,         [ODP_FAMILY_POINT] = odp_type_geopoint,
        [ODP_FAMILY_DURATION] = odp_type_duration, [ODP_FAMILY_JSON] = odp_type_json,
        [ODP_FAMILY_GEOJSON] = odp_type_geojson};
    checks[odp_type_family(odp_check_field(c, field)->type)](
        c, field); /* `any` has none, and the rule does not apply to it */
}

const struct odp_rule_kind odp_rule_type = {.name = "type", .applies = applies, .column = check_column};
