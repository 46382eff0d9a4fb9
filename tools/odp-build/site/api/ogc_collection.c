/* One collection: its description, what it can be filtered by, the schema of its features. */
#include "site/api/api_internal.h"

#define CRS84    "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
#define TIME_TRS "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian"

/* An interval's end as RFC 3339 asks for it: a date alone is its first or last second in UTC. NULL: open. */
static json_t *make_end(const char *value, bool last)
{
    if (value == NULL || *value == '\0')
        return json_null();
    if (strlen(value) == 10)
        return json_sprintf("%sT%s", value, last ? "23:59:59Z" : "00:00:00Z");
    return json_string(value);
}

static json_t *make_extent(struct api *a, const struct odp_search_info *info)
{
    json_t *o = json_object();
    if (info->has_bbox)
        odp_doc_set(&a->doc, o, "spatial", json_pack("{s:[o], s:s}", "bbox", odp_doc_bbox(info->bbox), "crs", CRS84));
    if (info->datetime[0] >= 0 || info->datetime[1] >= 0)
        odp_doc_set(&a->doc, o, "temporal",
                    json_pack("{s:[[o, o]], s:s}", "interval", make_end(info->interval[0], false),
                              make_end(info->interval[1], true), "trs", TIME_TRS));
    return o;
}

static const char *at(struct api *a, const struct api_resource *r, const char *after)
{
    return odp_arena_printf(&a->arena, "v1/ogc/collections/%s%s", r->id, after);
}

/* Downloads and licence; addresses of the index begin with "../". */
static void add_elsewhere(struct api *a, json_t *links, const struct api_resource *r)
{
    const json_t *files = json_object_get(r->resource, "files"), *license = json_object_get(r->entry, "license");
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *f = json_array_get(files, i);
        const char *url = api_text(f, "url");
        if (strncmp(url, "../", 3) == 0)
            api_link(a, links, url + 3, "enclosure", api_text(f, "media_type"), NULL, api_text(f, "format"));
    }
    if (*api_text(license, "path") != '\0')
        odp_doc_add(&a->doc, links,
                    json_pack("{s:s, s:s, s:s}", "href", api_text(license, "path"), "rel", "license", "title",
                              api_text(license, "name")));
}

static json_t *make_links(struct api *a, const struct api_resource *r)
{
    static const char queryables[] = "http://www.opengis.net/def/rel/ogc/1.0/queryables", schema[] = "application/schema+json";
    json_t *links = json_array();
    api_link(a, links, at(a, r, ""), "self", "application/json", NULL, NULL);
    api_link(a, links, at(a, r, ".html"), "alternate", "text/html", "id", NULL);
    api_link(a, links, at(a, r, ".en.html"), "alternate", "text/html", "en", NULL);
    api_link(a, links, at(a, r, "/items"), "items", "application/geo+json", NULL, NULL);
    api_link(a, links, at(a, r, "/items?f=html"), "items", "text/html", NULL, NULL);
    api_link(a, links, at(a, r, "/queryables"), queryables, schema, NULL, NULL);
    api_link(a, links, at(a, r, "/queryables.html"), queryables, "text/html", "id", NULL);
    api_link(a, links, at(a, r, "/queryables.en.html"), queryables, "text/html", "en", NULL);
    api_link(a, links, at(a, r, "/schema"), "describedby", schema, NULL, NULL);
    api_link(a, links, at(a, r, "/schema"), "describedBy", schema, NULL, NULL); /* GDAL 3.6 compares letter by letter */
    add_elsewhere(a, links, r);
    return links;
}

json_t *api_ogc_collection(struct api *a, const struct api_resource *r)
{
    json_t *o = json_object(), *extent = make_extent(a, r->info);
    odp_doc_set_str(&a->doc, o, "id", r->id);
    odp_doc_set_str(&a->doc, o, "title", api_joined(a, &r->title, " / "));
    odp_doc_set_str(&a->doc, o, "description", api_joined(a, &r->description, "\n\n"));
    if (json_object_size(extent) > 0)
        odp_doc_set(&a->doc, o, "extent", json_incref(extent));
    json_decref(extent);
    odp_doc_set_str(&a->doc, o, "itemType", "feature");
    odp_doc_set(&a->doc, o, "itemCount", json_integer((json_int_t)r->info->rows));
    odp_doc_set(&a->doc, o, "crs",
                json_pack("[s]", CRS84)); /* no storageCrs: that would be Part 2, and GDAL would ask for other systems */
    odp_doc_set_str(&a->doc, o, "version", r->info->version);
    odp_doc_set(&a->doc, o, "links", make_links(a, r));
    return o;
}

/* ---- queryables
 * -------------------------------------------------------------------------------------------------------------- */

json_t *api_ogc_queryables(struct api *a, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    json_t *o = json_object(), *properties = json_object();
    odp_doc_set_str(&a->doc, o, "$schema", "https://json-schema.org/draft/2020-12/schema");
    odp_doc_set(&a->doc, o, "$id", json_sprintf("%sv1/ogc/collections/%s/queryables", a->base, r->id));
    odp_doc_set_str(&a->doc, o, "type", "object");
    odp_doc_set_str(&a->doc, o, "title", api_joined(a, &r->title, " / "));
    odp_doc_set_str(&a->doc, o, "description", api_joined(a, &r->description, "\n\n"));
    if (info->has_geometry && info->geometry_name != NULL) {
        json_t *g = json_object();
        odp_doc_set_str(&a->doc, g, "title", "Geometri / Geometry");
        odp_doc_set_str(&a->doc, g, "x-ogc-role", "primary-geometry");
        odp_doc_set_str(&a->doc, g, "format", api_geometry_format(info->geometry_types));
        odp_doc_set(&a->doc, properties, info->geometry_name, g);
    }
    for (uint32_t k = 0; k < info->ncolumns; k++) {
        const struct odp_text description = api_column_description(r, k);
        if (!api_is_queryable(&info->columns[k]))
            continue;
        json_t *f = json_object();
        odp_doc_set_str(&a->doc, f, "title", api_column_title(a, &info->columns[k]));
        if (!odp_text_is_empty(&description))
            odp_doc_set_str(&a->doc, f, "description", api_joined(a, &description, "\n\n"));
        json_t *value = api_field(a, r, k, API_VALUE);
        if (json_object_update_missing(f, value) != 0)
            a->doc.failed = true;
        json_decref(value);
        odp_doc_set(&a->doc, properties, info->columns[k].name, f);
    }
    odp_doc_set(&a->doc, o, "properties", properties);
    odp_doc_set(&a->doc, o, "additionalProperties", json_false());
    return o;
}

/* ---- the schema of a feature
 * --------------------------------------------------------------------------------------------------- */

/* For each word that GDAL is to read, what a validator reads (fields.c): what stands beside a $ref counts for the former alone.
 */
static json_t *make_definitions(struct api *a)
{
    static const struct {
        const char *name, *type, *format;
        bool whole;
    } words[] = {{"string", "string", NULL, false},          {"number", "number", NULL, false},
                 {"integer", "integer", NULL, false},        {"whole", "number", NULL, true},
                 {"boolean", "boolean", NULL, false},        {"date", "string", "date", false},
                 {"datetime", "string", "date-time", false}, {"array", "array", NULL, false},
                 {"object", "object", NULL, false}};
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        json_t *word = json_object(), *null = json_object();
        const char *name = odp_arena_printf(&a->arena, "%sOrNull", words[i].name);
        odp_doc_set(&a->doc, word, "$ref", json_sprintf("#/definitions/%s", name != NULL ? name : ""));
        odp_doc_set_str(&a->doc, word, "type", words[i].type);
        odp_doc_set(&a->doc, null, "type", json_pack("[s, s]", words[i].type, "null"));
        if (words[i].whole)
            odp_doc_set(&a->doc, null, "multipleOf", json_integer(1));
        if (words[i].format != NULL) {
            odp_doc_set_str(&a->doc, word, "format", words[i].format);
            odp_doc_set_str(&a->doc, null, "format", words[i].format);
        }
        odp_doc_set(&a->doc, o, words[i].name, word);
        odp_doc_set(&a->doc, o, name != NULL ? name : "", null);
    }
    return o;
}

static json_t *make_geometry(struct api *a, const struct odp_search_info *info)
{
    unsigned n;
    const char *const *types = api_geometry_types(&n);
    json_t *any = json_array(), *names = json_array();
    if (!info->has_geometry) {
        json_decref(any);
        json_decref(names);
        return json_pack("{s:s}", "type", "null");
    }
    for (unsigned t = 0; t < n; t++)
        if (info->geometry_types == 0 || (info->geometry_types & (1u << t)) != 0)
            odp_doc_add(&a->doc, names, json_string(types[t]));
    odp_doc_add(&a->doc, any, json_pack("{s:s}", "type", "null"));
    odp_doc_add(&a->doc, any,
                json_pack("{s:s, s:[s, s], s:{s:{s:o}, s:{s:s}}}", "type", "object", "required", "type", "coordinates",
                          "properties", "type", "enum", names, "coordinates", "type", "array"));
    return json_pack("{s:o}", "oneOf", any);
}

json_t *api_ogc_schema(struct api *a, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    json_t *o = json_object(), *members = json_object(), *fields = json_object();
    odp_doc_set_str(&a->doc, o, "$schema", "http://json-schema.org/draft-07/schema#");
    odp_doc_set(&a->doc, o, "$id", json_sprintf("%sv1/ogc/collections/%s/schema", a->base, r->id));
    odp_doc_set_str(&a->doc, o, "title", api_joined(a, &r->title, " / "));
    odp_doc_set_str(&a->doc, o, "type", "object");
    odp_doc_set(&a->doc, o, "required", json_pack("[s, s, s]", "type", "geometry", "properties"));
    odp_doc_set(&a->doc, members, "type", json_pack("{s:s, s:[s]}", "type", "string", "enum", "Feature"));
    odp_doc_set(&a->doc, members, "id", json_pack("{s:[s, s]}", "type", "string", "integer"));
    odp_doc_set(&a->doc, members, "geometry", make_geometry(a, info));
    for (uint32_t k = 0; k < info->nfields; k++)
        odp_doc_set(&a->doc, fields, info->columns[k].name, api_field(a, r, k, API_FEATURE));
    odp_doc_set(&a->doc, members, "properties", json_pack("{s:s, s:o}", "type", "object", "properties", fields));
    odp_doc_set(&a->doc, o, "properties", members);
    odp_doc_set(&a->doc, o, "definitions", make_definitions(a));
    return o;
}
