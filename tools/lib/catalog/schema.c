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

static bool has_field(const struct odp_key *key, uint32_t field)
{
    for (uint32_t i = 0; i < key->n; i++)
        if (key->fields[i] == field)
            return true;
    return false;
}

/* Integers without a unit named like a year, or bound to lie within 1800 and 2200: "tahun", "tahun_anggaran", "year_built". */
static bool is_year(const struct odp_field *f)
{
    if (f->type == ODP_TYPE_YEAR)
        return true;
    if (f->type != ODP_TYPE_INTEGER || odp_text_get(&f->unit, ODP_LANG_ID)[0] != '\0')
        return false;
    for (size_t i = 0; i < 2; i++) {
        const char *word = i == 0 ? "tahun" : "year";
        size_t n = strlen(word);
        if (strncmp(f->name, word, n) == 0 && (f->name[n] == '\0' || f->name[n] == '_'))
            return true;
    }
    const struct odp_slice low = f->constraints.minimum, high = f->constraints.maximum;
    return low.len == 4 && high.len == 4 && memcmp(low.ptr, "1800", 4) >= 0 && memcmp(high.ptr, "2200", 4) <= 0;
}

bool odp_schema_is_figure(const struct odp_schema *s, uint32_t field)
{
    const struct odp_field *f = &s->fields[field];
    if ((f->type != ODP_TYPE_NUMBER && f->type != ODP_TYPE_INTEGER) || f->constraints.unique || is_year(f) ||
        has_field(&s->primary, field))
        return false;
    for (size_t i = 0; i < s->nunique; i++)
        if (has_field(&s->unique[i], field))
            return false;
    return true;
}
