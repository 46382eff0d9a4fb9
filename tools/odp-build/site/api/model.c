/* A resource as the templates of documents (templates/openapi, templates/ogc) see it. Arrays of names and
 * schemas are made here, the rest in the templates. */
#include "site/api/api_internal.h"

/* The component of a column's parameter: "kumuh.luas_ha"; signs that a component's name cannot hold become
 * '_', and the column's number makes it unique. */
static const char *component_of(struct odp_api *a, const struct api_resource *r, uint32_t k)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    char *name = odp_arena_str(&a->arena, r->info->columns[k].name);
    if (name[strspn(name, plain)] == '\0')
        return api_printf(a, "%s.%s", r->id, name);
    for (char *p = name; *p != '\0'; p++)
        if (strchr(plain, *p) == NULL)
            *p = '_';
    return api_printf(a, "%s.%s.%u", r->id, name, (unsigned)k);
}

/* Columns from FROM to BEFORE, as records and as features have them. */
static json_t *make_fields(struct odp_api *a, const struct api_resource *r, uint32_t from, uint32_t before)
{
    json_t *list = json_array();
    for (uint32_t k = from; k < before; k++)
        odp_add(list, json_pack("{s:s, s:o, s:o}", "name", r->info->columns[k].name, "record",
                                api_field(a, r, k, API_RECORD), "feature", api_field(a, r, k, API_FEATURE)));
    return list;
}

static json_t *make_required(const struct odp_search_info *info)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < info->nfields; k++)
        odp_add(list, json_string(info->columns[k].name));
    if (info->has_geometry && info->mode != ODP_GEOMETRY_NONE && info->geometry_name != NULL)
        odp_add(list, json_string(info->geometry_name));
    return list;
}

/* A parameter takes several values, separated by commas, if its values have no commas: as in the engine. */
static json_t *make_parameters(struct odp_api *a, const struct api_resource *r)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < r->info->ncolumns; k++) {
        const struct odp_search_column *c = &r->info->columns[k];
        if (api_is_parameter(c))
            odp_add(list, json_pack("{s:s, s:s, s:s, s:o, s:b}", "component", component_of(a, r, k), "name",
                                    c->name, "title", api_column_title(a, c), "value",
                                    api_field(a, r, k, API_VALUE), "list", (int)!odp_type_is_text(c->type)));
    }
    return list;
}

static json_t *make_queryables(struct odp_api *a, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    json_t *list = json_array();
    if (info->has_geometry && info->geometry_name != NULL)
        odp_add(list, json_pack("{s:s, s:{s:s, s:s, s:s}}", "name", info->geometry_name, "value", "title",
                                "Geometri / Geometry", "x-ogc-role", "primary-geometry", "format",
                                api_geometry_format(info->geometry_types)));
    for (uint32_t k = 0; k < info->ncolumns; k++) {
        const struct odp_text description = api_column_description(r, k);
        if (!api_is_queryable(&info->columns[k]))
            continue;
        json_t *value = json_pack("{s:s}", "title", api_column_title(a, &info->columns[k])),
               *field = api_field(a, r, k, API_VALUE);
        if (!odp_text_is_empty(&description))
            odp_set_str(value, "description", API_PARAGRAPHS(a, &description));
        json_object_update_missing(value, field);
        json_decref(field);
        odp_add(list, json_pack("{s:s, s:o}", "name", info->columns[k].name, "value", value));
    }
    return list;
}

/* Downloads; addresses of the index begin with "../". */
static json_t *make_files(const struct api_resource *r)
{
    const json_t *f;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(r->resource, "files"), i,
                       f) if (strncmp(odp_text_of(f, "url"), "../", 3) == 0)
        odp_add(list, json_pack("{s:s, s:s, s:s}", "path", odp_text_of(f, "url") + 3, "type",
                                odp_text_of(f, "media_type"), "format", odp_text_of(f, "format")));
    return list;
}

/* An interval's end in RFC 3339's form: a date alone is its first or last second in UTC. null: open. */
static json_t *make_end(const char *value, bool last)
{
    if (value == NULL || *value == '\0')
        return json_null();
    return strlen(value) == 10 ? json_sprintf("%sT%s", value, last ? "23:59:59Z" : "00:00:00Z")
                               : json_string(value);
}

json_t *api_geometry_types(unsigned bits)
{
    json_t *names = json_array();
    for (unsigned t = 0; t <= ODP_GEOM_MULTIPOLYGON; t++)
        if (bits == 0 || (bits & (1u << t)) != 0)
            odp_add(names, json_string(odp_geom_type_name((enum odp_geom_type)t)));
    return names;
}

static void set_space_and_time(json_t *o, const struct odp_search_info *info)
{
    bool dates = info->datetime[0] >= 0 || info->datetime[1] >= 0,
         named = info->has_geometry && info->geometry_name != NULL, more = info->ncolumns > info->nfields;
    odp_set_flag(o, "dates", dates);
    odp_set_flag(o, "has_extent", dates || info->has_bbox);
    odp_set(o, "interval",
            json_pack("[o, o]", make_end(info->interval[0], false), make_end(info->interval[1], true)));
    if (info->has_bbox)
        odp_set(o, "bbox", odp_doc_bbox(info->bbox));
    odp_set_flag(o, "geo", info->has_geometry);
    odp_set(o, "geometry_types", api_geometry_types(info->geometry_types));
    if (named)
        odp_set(o, "geometry",
                json_pack("{s:s, s:b, s:b}", "name", info->geometry_name, "full",
                          (int)(info->mode == ODP_GEOMETRY_FULL), "simplified",
                          (int)(info->mode == ODP_GEOMETRY_SIMPLIFIED)));
    odp_set_flag(o, "has_more", more);
    odp_set_flag(o, "has_part", named || more);
}

json_t *api_resource_model(struct odp_api *a, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    const json_t *license = json_object_get(r->entry, "license");
    const struct {
        const char *key, *text;
    } texts[] = {{"id", r->id},
                 {"path", r->path},
                 {"camel", r->camel},
                 {"slug", info->slug},
                 {"version", info->version},
                 {"title", API_LINE(a, &r->title)},
                 {"title_id", odp_text_get(&r->title, ODP_LANG_ID)},
                 {"title_en", odp_text_get(&r->title, ODP_LANG_EN)},
                 {"about", API_PARAGRAPHS(a, &r->description)},
                 {"license", odp_text_of(license, "path")},
                 {"license_name", odp_text_of(license, "name")}};
    const char *names = info->nkey > 0 ? info->columns[info->key[0]].name : "";
    json_t *o = json_object();
    for (size_t i = 0; i < ODP_COUNT(texts); i++)
        odp_set_str(o, texts[i].key, texts[i].text);
    for (uint32_t k = 1; k < info->nkey; k++)
        names = api_printf(a, "%s, %s", names, info->columns[info->key[k]].name);
    odp_set_number(o, "rows", (json_int_t)info->rows);
    odp_set_flag(o, "project", info->project >= 0);
    odp_set(o, "fields", make_fields(a, r, 0, info->nfields));
    odp_set(o, "more",
            make_fields(a, r, info->nfields, info->ncolumns)); /* present only if `properties` names them */
    odp_set(o, "required", make_required(info));
    odp_set(o, "parameters", make_parameters(a, r));
    odp_set(o, "queryables", make_queryables(a, r));
    odp_set(o, "files", make_files(r));
    odp_set_flag(o, "keyed", info->nkey > 0);
    odp_set_str(o, "key", names);
    set_space_and_time(o, info);
    return o;
}
