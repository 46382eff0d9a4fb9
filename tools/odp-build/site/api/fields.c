/* JSON Schemas of columns, from the published Table Schema (words, bounds, lists) and the index's own
 * description (types, what is null).
 *
 * API_FEATURE is for GDAL, which takes a type only where "type" is one word, and that would forbid null. It
 * follows one $ref, and draft-07 (8.3) ignores what stands beside a $ref: so a column that may be null
 * refers to a definition with the word beside a $ref to what holds. An integer whose bounds do not fit 32
 * bits is "number" with "multipleOf": 1, since GDAL reads "integer" as 32 bits and cuts rupiah down without
 * a word. A pattern is carried over only where XSD and ECMA-262 read it alike. Whether a field may be null
 * is what the index has seen the schema promise (`required`), never a guess.
 *
 * Columns of type list, array, object, geopoint and geojson are no queryables: they have only IS NULL. */
#include "site/api/api_internal.h"

#include <ctype.h>

/* The field as published, or NULL: a column that is no field of the record. */
static const json_t *published(const struct api_resource *r, const char *name)
{
    const json_t *fields = json_object_get(r->schema, "fields");
    for (size_t i = 0; i < json_array_size(fields); i++)
        if (strcmp(api_text(json_array_get(fields, i), "name"), name) == 0)
            return json_array_get(fields, i);
    return NULL;
}

bool api_is_queryable(const struct odp_search_column *c)
{
    return strcmp(odp_field_type(c->type)->json_type, "array") != 0 &&
           strcmp(odp_field_type(c->type)->json_type, "object") != 0;
}

bool api_is_parameter(const struct odp_search_column *c)
{
    static const char *const taken[] = {"filter",   "filter-lang",  "filter-crs", "q",         "bbox",
                                        "bbox-crs", "datetime",     "properties", "sortby",    "limit",
                                        "cursor",   "offset",       "facets",     "aggregate", "groupby",
                                        "view",     "skipGeometry", "f",          "crs"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(c->name, taken[i]) == 0)
            return false;
    return api_is_queryable(c);
}

/* ---- words ---- */

const char *api_column_title(struct api *a, const struct odp_search_column *c)
{
    struct odp_text with = {{NULL, NULL}};
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *title = odp_text_get(&c->title, (enum odp_lang)lang),
                   *unit = odp_text_get(&c->unit, (enum odp_lang)lang);
        title = *title != '\0' ? title : c->name;
        with.in[lang] = *unit != '\0' ? odp_arena_printf(&a->arena, "%s (%s)", title, unit) : title;
        if (with.in[lang] == NULL)
            return NULL;
    }
    return api_joined(a, &with, " / ");
}

struct odp_text api_column_description(const struct api_resource *r, uint32_t column)
{
    const json_t *f = published(r, r->info->columns[column].name);
    struct odp_text t = api_both(f, "odp:description");
    return odp_text_is_empty(&t) ? api_both(f, "description") : t;
}

static void set_words(struct api *a, json_t *o, const struct api_resource *r, uint32_t column)
{
    const struct odp_search_column *c = &r->info->columns[column];
    const struct odp_text description = api_column_description(r, column);
    odp_doc_set_str(&a->doc, o, "title", api_column_title(a, c));
    if (!odp_text_is_empty(&description))
        odp_doc_set_str(&a->doc, o, "description", api_joined(a, &description, "\n\n"));
}

/* ---- values ---- */

/* The values of a closed list: categories, else the constraint. Not one whose value is no JSON of the type.
 * NULL: none. */
static json_t *make_enum(struct api *a, const json_t *f, bool with_null)
{
    const json_t *list = json_object_get(f, "categories");
    if (json_array_size(list) == 0)
        list = json_object_get(json_object_get(f, "constraints"), "enum");
    if (json_array_size(list) == 0)
        return NULL;
    json_t *out = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i), *value = json_object_get(item, "value");
        odp_doc_add(&a->doc, out, json_deep_copy(value != NULL ? value : item));
    }
    if (with_null)
        odp_doc_add(&a->doc, out, json_null());
    return out;
}

/* What the values of `categories` mean, by value; nothing where they have no labels. */
static void set_labels(struct api *a, json_t *o, const json_t *f)
{
    const json_t *list = json_object_get(f, "categories");
    json_t *labels = json_object();
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i), *value = json_object_get(item, "value");
        const struct odp_text label = api_both(item, "odp:label");
        char number[32];
        if (odp_text_is_empty(&label))
            continue;
        if (json_is_integer(value))
            (void)snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        odp_doc_set(&a->doc, labels,
                    json_is_string(value)    ? json_string_value(value)
                    : json_is_integer(value) ? number
                                             : "?",
                    odp_doc_text(&label));
    }
    if (json_object_size(labels) > 0)
        odp_doc_set(&a->doc, o, "x-labels", labels);
    else
        json_decref(labels);
}

/* The published pattern is XSD's, JSON Schema's is ECMA-262's: what both read alike is kept, anchored as
 * XSD's is. */
static void set_pattern(struct api *a, json_t *o, const char *pattern)
{
    static const char *const own[] = {"\\p", "\\P", "\\i", "\\I", "\\c", "\\C",
                                      "-[",  "(?",  "[^[", "&&",  "\\-"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strstr(pattern, own[i]) != NULL)
            return;
    for (const char *p = pattern; *p != '\0'; p++)
        if (!isascii((unsigned char)*p) || *p == '^' || *p == '$') /* anchors are plain characters in XSD */
            return;
    odp_doc_set(&a->doc, o, "pattern", json_sprintf("^(?:%s)$", pattern));
}

static void set_bounds(struct api *a, json_t *o, const json_t *f, enum odp_type type)
{
    static const char *const numbers[] = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
                             *const lengths[] = {"minLength", "maxLength"};
    const json_t *c = json_object_get(f, "constraints");
    const char *pattern = api_text(c, "pattern");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (json_is_number(json_object_get(c, numbers[i])))
            odp_doc_copy(&a->doc, o, c, numbers[i]);
    if (type != ODP_TYPE_STRING)
        return;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        odp_doc_copy(&a->doc, o, c, lengths[i]);
    if (*pattern != '\0')
        set_pattern(a, o, pattern);
}

static void set_format(struct api *a, json_t *o, const json_t *f, enum odp_type type)
{
    const char *format = api_text(f, "format");
    if (odp_field_type(type)->json_format != NULL)
        odp_doc_set_str(&a->doc, o, "format", odp_field_type(type)->json_format);
    else if (type == ODP_TYPE_STRING &&
             (strcmp(format, "email") == 0 || strcmp(format, "uri") == 0 || strcmp(format, "uuid") == 0))
        odp_doc_set_str(&a->doc, o, "format", format);
    if (type == ODP_TYPE_STRING && strcmp(format, "binary") == 0)
        odp_doc_set_str(&a->doc, o, "contentEncoding", "base64");
}

/* "integer", or where a value may be beyond 32 bits, "number" with multipleOf 1, the same to JSON Schema:
 * GDAL reads "integer" as 32 bits and would cut larger values down without a word; doubles hold whole numbers
 * to 2^53. */
static bool fits_32_bits(const json_t *f, enum odp_type type)
{
    const json_t *c = json_object_get(f, "constraints"), *low = json_object_get(c, "minimum"),
                 *high = json_object_get(c, "maximum");
    return type == ODP_TYPE_YEAR ||
           (json_is_integer(low) && json_is_integer(high) && json_integer_value(low) >= INT32_MIN &&
            json_integer_value(high) <= INT32_MAX);
}

/* GDAL 3.6 takes the type of a column from "type" only where that is one word, and follows one $ref. In
 * draft-07 what stands beside a $ref is ignored (section 8.3). So of a column that may be null, GDAL reads
 * the word beside the $ref, and a validator what the $ref leads to. */
static json_t *feature_field(struct api *a, const json_t *f, const struct odp_search_column *c)
{
    const char *type = odp_field_type(c->type)->json_type, *format = odp_field_type(c->type)->json_format;
    bool whole = strcmp(type, "integer") == 0 && !fits_32_bits(f, c->type);
    json_t *o = json_object();
    if (!c->required) {
        odp_doc_set(&a->doc, o, "$ref",
                    json_sprintf("#/definitions/%s", c->type == ODP_TYPE_DATE       ? "date"
                                                     : c->type == ODP_TYPE_DATETIME ? "datetime"
                                                     : whole                        ? "whole"
                                                                                    : type));
        return o;
    }
    odp_doc_set_str(&a->doc, o, "type", whole ? "number" : type);
    if (whole)
        odp_doc_set(&a->doc, o, "multipleOf", json_integer(1));
    if (c->type == ODP_TYPE_DATE || c->type == ODP_TYPE_DATETIME)
        odp_doc_set_str(&a->doc, o, "format", format);
    return o;
}

static void set_type(struct api *a, json_t *o, const struct odp_search_column *c, bool nullable)
{
    const char *type = odp_field_type(c->type)->json_type;
    odp_doc_set(&a->doc, o, "type", nullable ? json_pack("[s, s]", type, "null") : json_string(type));
    if (strcmp(type, "array") == 0)
        odp_doc_set(&a->doc, o, "items",
                    c->type == ODP_TYPE_GEOPOINT ? json_pack("{s:s}", "type", "number") : json_object());
}

json_t *api_field(struct api *a, const struct api_resource *r, uint32_t column, enum api_dialect dialect)
{
    const struct odp_search_column *c = &r->info->columns[column];
    const json_t *f = published(r, c->name);
    bool nullable = dialect == API_RECORD && !c->required;
    if (dialect == API_FEATURE)
        return feature_field(a, f, c);
    json_t *o = json_object();
    if (dialect == API_RECORD)
        set_words(a, o, r, column);
    set_type(a, o, c, nullable);
    set_format(a, o, f, c->type);
    if (c->type == ODP_TYPE_INTEGER && !c->wide)
        odp_doc_set_str(&a->doc, o, "format", "int64");
    json_t *values = make_enum(a, f, nullable);
    if (values != NULL)
        odp_doc_set(&a->doc, o, "enum", values);
    if (odp_field_type(c->type)->json_pattern !=
        NULL) /* of values, too: what is no time is a fault, and a client must be able to know */
        odp_doc_set_str(&a->doc, o, "pattern", odp_field_type(c->type)->json_pattern);
    if (dialect == API_VALUE)
        return o;
    set_bounds(a, o, f, c->type);
    set_labels(a, o, f);
    if (!odp_text_is_empty(&c->unit))
        odp_doc_set(&a->doc, o, "x-unit", odp_doc_text(&c->unit));
    if (json_object_get(f, "odp:deprecated") != NULL)
        odp_doc_set(&a->doc, o, "deprecated", json_true());
    return o;
}

/* ---- geometry ---- */

const char *const *api_geometry_types(unsigned *n)
{
    static const char *const types[] = {"Point",           "MultiPoint", "LineString",
                                        "MultiLineString", "Polygon",    "MultiPolygon"};
    *n = sizeof types / sizeof *types;
    return types;
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
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].types == types)
            return formats[i].format;
    return "geometry-any";
}
