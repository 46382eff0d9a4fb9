#include "catalog/schema.h"

static const char *const type_names[ODP_TYPE_COUNT] = {[ODP_TYPE_STRING] = "string",       [ODP_TYPE_NUMBER] = "number",
                                                       [ODP_TYPE_INTEGER] = "integer",     [ODP_TYPE_BOOLEAN] = "boolean",
                                                       [ODP_TYPE_DATE] = "date",           [ODP_TYPE_TIME] = "time",
                                                       [ODP_TYPE_DATETIME] = "datetime",   [ODP_TYPE_YEAR] = "year",
                                                       [ODP_TYPE_YEARMONTH] = "yearmonth", [ODP_TYPE_DURATION] = "duration",
                                                       [ODP_TYPE_LIST] = "list",           [ODP_TYPE_GEOPOINT] = "geopoint",
                                                       [ODP_TYPE_GEOJSON] = "geojson",     [ODP_TYPE_OBJECT] = "object",
                                                       [ODP_TYPE_ARRAY] = "array",         [ODP_TYPE_ANY] = "any"};

const char *odp_type_name(enum odp_type t)
{
    return t >= 0 && t < ODP_TYPE_COUNT ? type_names[t] : "";
}

enum odp_repr odp_type_repr(enum odp_type t)
{
    switch (t) {
    case ODP_TYPE_NUMBER:
    case ODP_TYPE_INTEGER:
    case ODP_TYPE_BOOLEAN:
    case ODP_TYPE_YEAR: /* 1000 to 9999: a JSON number, as users compute with years */
        return ODP_REPR_LITERAL;
    case ODP_TYPE_LIST:
    case ODP_TYPE_GEOPOINT:
    case ODP_TYPE_GEOJSON:
    case ODP_TYPE_OBJECT:
    case ODP_TYPE_ARRAY:
        return ODP_REPR_JSON;
    default:
        return ODP_REPR_STRING;
    }
}

int odp_schema_find(const struct odp_schema *s, struct odp_slice name)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (odp_slice_is(name, s->fields[i].name))
            return (int)i;
    return -1;
}
