/* JSON Schemas of columns, from the published Table Schema (words, bounds, lists) and the index's own
 * description (types, what is null).
 *
 * API_FEATURE is for GDAL 3.6, which takes the type of a column only where "type" is one word (and that would
 * forbid null), and follows one $ref; draft-07 (8.3) ignores what stands beside a $ref. So a column that may
 * be null refers to a definition with the word beside a $ref to what holds: GDAL reads the word, a validator
 * what the $ref leads to. An integer whose bounds do not fit 32 bits is "number" with "multipleOf": 1, the
 * same to JSON Schema, since GDAL reads "integer" as 32 bits and cuts rupiah down without a word; doubles
 * hold whole numbers to 2^53. A pattern is carried over only where XSD and ECMA-262 read it alike. Whether a
 * field may be null is what the index has seen the schema promise (`required`), never a guess.
 *
 * Columns of type list, array, object, geopoint and geojson are no queryables: they have only IS NULL. */
#include "site/api/api_internal.h"

#include <ctype.h>

/* The published field, or NULL: the column is no field of the record. */
static const json_t *published(const struct api_resource *r, const char *name)
{
    const json_t *f;
    size_t i;
    json_array_foreach(json_object_get(r->schema, "fields"), i,
                       f) if (strcmp(odp_text_of(f, "name"), name) == 0) return f;
    return NULL;
}

bool api_is_queryable(const struct odp_search_column *c)
{
    const char *type = odp_field_type(c->type)->json_type;
    return strcmp(type, "array") != 0 && strcmp(type, "object") != 0;
}

bool api_is_parameter(const struct odp_search_column *c)
{
    static const char *const taken[] = {"filter",   "filter-lang",  "filter-crs", "q",         "bbox",
                                        "bbox-crs", "datetime",     "properties", "sortby",    "limit",
                                        "cursor",   "offset",       "facets",     "aggregate", "groupby",
                                        "view",     "skipGeometry", "labels",     "f",         "crs"};
    for (size_t i = 0; i < ODP_COUNT(taken); i++)
        if (strcmp(c->name, taken[i]) == 0)
            return false;
    return api_is_queryable(c);
}

/* ---- words ---- */

const char *api_column_title(struct odp_api *a, const struct odp_search_column *c)
{
    struct odp_text with = {{NULL, NULL}};
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *title = odp_text_get(&c->title, (enum odp_lang)lang),
                   *unit = odp_text_get(&c->unit, (enum odp_lang)lang);
        title = *title != '\0' ? title : c->name;
        with.in[lang] = *unit != '\0' ? api_printf(a, "%s (%s)", title, unit) : title;
    }
    return API_LINE(a, &with);
}

struct odp_text api_column_description(const struct api_resource *r, uint32_t column)
{
    const json_t *f = published(r, r->info->columns[column].name);
    struct odp_text t = api_both(f, "odp:description");
    return odp_text_is_empty(&t) ? api_both(f, "description") : t;
}

/* ---- values ---- */

/* The values of a closed list: categories, else the constraint. */
static void set_enum(json_t *o, const json_t *f, bool with_null)
{
    const json_t *list = json_object_get(f, "categories"), *item;
    json_t *out = json_array();
    size_t i;
    if (json_array_size(list) == 0)
        list = json_object_get(json_object_get(f, "constraints"), "enum");
    json_array_foreach(list, i, item)
    {
        const json_t *value = json_object_get(item, "value");
        odp_add(out, json_deep_copy(value != NULL ? value : item));
    }
    if (with_null)
        odp_add(out, json_null());
    if (json_array_size(list) > 0)
        odp_set(o, "enum", json_incref(out));
    json_decref(out);
}

/* The labels of `categories` by value, if they have any. */
static void set_labels(json_t *o, const json_t *f)
{
    const json_t *item;
    json_t *labels = json_object();
    size_t i;
    json_array_foreach(json_object_get(f, "categories"), i, item)
    {
        const json_t *value = json_object_get(item, "value");
        const struct odp_text label = api_both(item, "odp:label");
        char number[32] = "?";
        if (odp_text_is_empty(&label))
            continue;
        if (json_is_integer(value))
            (void)snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        odp_set(labels, json_is_string(value) ? json_string_value(value) : number, odp_doc_text(&label));
    }
    if (json_object_size(labels) > 0)
        odp_set(o, "x-labels", json_incref(labels));
    json_decref(labels);
}

/* Published patterns are XSD's, JSON Schema's are ECMA-262's: keeps what both read alike, anchored as XSD's
 * is. */
static void set_pattern(json_t *o, const char *pattern)
{
    static const char *const own[] = {"\\p", "\\P", "\\i", "\\I", "\\c", "\\C",
                                      "-[",  "(?",  "[^[", "&&",  "\\-"};
    for (size_t i = 0; i < ODP_COUNT(own); i++)
        if (strstr(pattern, own[i]) != NULL)
            return;
    for (const char *p = pattern; *p != '\0'; p++)
        if (!isascii((unsigned char)*p) || *p == '^' || *p == '$') /* anchors are plain characters in XSD */
            return;
    odp_set(o, "pattern", json_sprintf("^(?:%s)$", pattern));
}

static void set_bounds(json_t *o, const json_t *f, enum odp_type type)
{
    static const char *const numbers[] = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
    const json_t *c = json_object_get(f, "constraints");
    for (size_t i = 0; i < ODP_COUNT(numbers); i++)
        if (json_is_number(json_object_get(c, numbers[i])))
            odp_set_copy(o, c, numbers[i]);
    if (type != ODP_TYPE_STRING)
        return;
    odp_set_copy(o, c, "minLength");
    odp_set_copy(o, c, "maxLength");
    if (*odp_text_of(c, "pattern") != '\0')
        set_pattern(o, odp_text_of(c, "pattern"));
}

static void set_format(json_t *o, const json_t *f, const struct odp_search_column *c)
{
    const char *format = odp_text_of(f, "format"), *own = odp_field_type(c->type)->json_format;
    bool text = c->type == ODP_TYPE_STRING;
    if (own != NULL)
        odp_set_str(o, "format", own);
    else if (text &&
             (strcmp(format, "email") == 0 || strcmp(format, "uri") == 0 || strcmp(format, "uuid") == 0))
        odp_set_str(o, "format", format);
    if (text && strcmp(format, "binary") == 0)
        odp_set_str(o, "contentEncoding", "base64");
    if (c->type == ODP_TYPE_INTEGER && !c->wide)
        odp_set_str(o, "format", "int64");
}

static bool fits_32_bits(const json_t *f, enum odp_type type)
{
    const json_t *c = json_object_get(f, "constraints"), *low = json_object_get(c, "minimum"),
                 *high = json_object_get(c, "maximum");
    return type == ODP_TYPE_YEAR ||
           (json_is_integer(low) && json_is_integer(high) && json_integer_value(low) >= INT32_MIN &&
            json_integer_value(high) <= INT32_MAX);
}

static json_t *feature_field(const json_t *f, const struct odp_search_column *c)
{
    const char *type = odp_field_type(c->type)->json_type, *definition = type;
    bool whole = strcmp(type, "integer") == 0 && !fits_32_bits(f, c->type),
         moment = c->type == ODP_TYPE_DATE || c->type == ODP_TYPE_DATETIME;
    if (moment)
        definition = c->type == ODP_TYPE_DATE ? "date" : "datetime";
    else if (whole)
        definition = "whole";
    if (!c->required)
        return json_pack("{s:s+}", "$ref", "#/definitions/", definition);
    json_t *o = json_pack("{s:s}", "type", whole ? "number" : type);
    if (whole)
        odp_set_number(o, "multipleOf", 1);
    if (moment)
        odp_set_str(o, "format", odp_field_type(c->type)->json_format);
    return o;
}

static void set_type(json_t *o, const struct odp_search_column *c, bool nullable)
{
    const char *type = odp_field_type(c->type)->json_type;
    odp_set(o, "type", nullable ? json_pack("[s, s]", type, "null") : json_string(type));
    if (strcmp(type, "array") == 0)
        odp_set(o, "items",
                c->type == ODP_TYPE_GEOPOINT ? json_pack("{s:s}", "type", "number") : json_object());
}

json_t *api_field(struct odp_api *a, const struct api_resource *r, uint32_t column, enum api_dialect dialect)
{
    const struct odp_search_column *c = &r->info->columns[column];
    const json_t *f = published(r, c->name);
    const char *pattern = odp_field_type(c->type)->json_pattern;
    const bool record = dialect == API_RECORD, nullable = record && !c->required;
    if (dialect == API_FEATURE)
        return feature_field(f, c);
    json_t *o = json_object();
    const struct odp_text description = api_column_description(r, column);
    if (record)
        odp_set_str(o, "title", api_column_title(a, c));
    if (record && !odp_text_is_empty(&description))
        odp_set_str(o, "description", API_PARAGRAPHS(a, &description));
    set_type(o, c, nullable);
    set_format(o, f, c);
    set_enum(o, f, nullable);
    if (pattern != NULL) /* of values, too: no time is a fault, and a client must be able to know */
        odp_set_str(o, "pattern", pattern);
    if (!record)
        return o;
    set_bounds(o, f, c->type);
    set_labels(o, f);
    if (!odp_text_is_empty(&c->unit))
        odp_set(o, "x-unit", odp_doc_text(&c->unit));
    if (json_object_get(f, "odp:deprecated") != NULL)
        odp_set_flag(o, "deprecated", true);
    return o;
}

const char *api_geometry_format(unsigned types)
{
    static const struct {
        unsigned types;
        const char *format;
    } formats[] = {
        {ODP_GEOM_BIT_POINT, "geometry-point"},
        {ODP_GEOM_BIT_MULTIPOINT, "geometry-multipoint"},
        {ODP_GEOM_BIT_LINE, "geometry-linestring"},
        {ODP_GEOM_BIT_MULTILINE, "geometry-multilinestring"},
        {ODP_GEOM_BIT_POLYGON, "geometry-polygon"},
        {ODP_GEOM_BIT_MULTIPOLYGON, "geometry-multipolygon"},
        {ODP_GEOM_BIT_POINT | ODP_GEOM_BIT_MULTIPOINT, "geometry-point-or-multipoint"},
        {ODP_GEOM_BIT_LINE | ODP_GEOM_BIT_MULTILINE, "geometry-linestring-or-multilinestring"},
        {ODP_GEOM_BIT_POLYGON | ODP_GEOM_BIT_MULTIPOLYGON, "geometry-polygon-or-multipolygon"},
    };
    for (size_t i = 0; i < ODP_COUNT(formats); i++)
        if (formats[i].types == types)
            return formats[i].format;
    return "geometry-any";
}
