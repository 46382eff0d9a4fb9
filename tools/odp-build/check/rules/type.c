/* The text of a cell becomes canonical text of its field's type (ODP-T01 to T17, S05). */
#include "check/types/types_internal.h"

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_field *f = &v->schema->fields[field];
    return f->type != ODP_TYPE_ANY && (f->type != ODP_TYPE_STRING || f->string_format != ODP_STRING_DEFAULT);
}

static void check_column(struct odp_check *c, uint32_t field)
{
    switch (odp_check_field(c, field)->type) {
    case ODP_TYPE_STRING:
        odp_type_string(c, field);
        break;
    case ODP_TYPE_NUMBER:
    case ODP_TYPE_INTEGER:
        odp_type_number(c, field);
        break;
    case ODP_TYPE_BOOLEAN:
        odp_type_boolean(c, field);
        break;
    case ODP_TYPE_DATE:
    case ODP_TYPE_TIME:
    case ODP_TYPE_DATETIME:
    case ODP_TYPE_YEAR:
    case ODP_TYPE_YEARMONTH:
        odp_type_date(c, field);
        break;
    case ODP_TYPE_DURATION:
        odp_type_duration(c, field);
        break;
    case ODP_TYPE_LIST:
        odp_type_list(c, field);
        break;
    case ODP_TYPE_GEOPOINT:
        odp_type_geopoint(c, field);
        break;
    case ODP_TYPE_GEOJSON:
        odp_type_geojson(c, field);
        break;
    case ODP_TYPE_OBJECT:
    case ODP_TYPE_ARRAY:
        odp_type_json(c, field);
        break;
    case ODP_TYPE_ANY:
    case ODP_TYPE_COUNT:
        break;
    }
}

const struct odp_rule_kind odp_rule_type = {.name = "type", .applies = applies, .column = check_column};
