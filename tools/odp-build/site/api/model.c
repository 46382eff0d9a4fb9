/* What the templates of documents (templates/openapi, templates/ogc) are filled with, and documents out of
 * them. A member that is an array of names or a schema is made here; what stands around it, in the templates.
 */
#include "site/api/api_internal.h"

#include <errno.h>

#include "base/json_load.h"

/* ---- the model of a resource ---- */

/* The component of a column's parameter: "kumuh.luas_ha"; what a component's name cannot hold becomes '_',
 * and the column's number keeps it apart. */
static const char *component_of(struct api *a, const struct api_resource *r, uint32_t k)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const char *name = r->info->columns[k].name;
    if (name[strspn(name, plain)] == '\0')
        return odp_arena_printf(&a->arena, "%s.%s", r->id, name);
    char *copy = odp_arena_str(&a->arena, name);
    for (char *p = copy; *p != '\0'; p++)
        if (strchr(plain, *p) == NULL)
            *p = '_';
    return odp_arena_printf(&a->arena, "%s.%s.%u", r->id, copy, (unsigned)k);
}

static json_t *make_fields(struct api *a, const struct api_resource *r)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < r->info->nfields; k++)
        odp_doc_add(&a->doc, list,
                    json_pack("{s:s, s:o, s:o}", "name", r->info->columns[k].name, "record",
                              api_field(a, r, k, API_RECORD), "feature", api_field(a, r, k, API_FEATURE)));
    return list;
}

/* Columns that are there only where `properties` names them. */
static json_t *make_more(struct api *a, const struct api_resource *r)
{
    json_t *list = json_array();
    for (uint32_t k = r->info->nfields; k < r->info->ncolumns; k++)
        odp_doc_add(&a->doc, list,
                    json_pack("{s:s, s:o}", "name", r->info->columns[k].name, "record",
                              api_field(a, r, k, API_RECORD)));
    return list;
}

static json_t *make_required(struct api *a, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    json_t *list = json_array();
    for (uint32_t k = 0; k < info->nfields; k++)
        odp_doc_add(&a->doc, list, json_string(info->columns[k].name));
    if (info->has_geometry && info->mode != ODP_GEOMETRY_NONE && info->geometry_name != NULL)
        odp_doc_add(&a->doc, list, json_string(info->geometry_name));
    return list;
}

/* Several values, separated by commas, where a value has none: as the engine has it. */
static json_t *make_parameters(struct api *a, const struct api_resource *r)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < r->info->ncolumns; k++) {
        const struct odp_search_column *c = &r->info->columns[k];
        if (api_is_parameter(c))
            odp_doc_add(&a->doc, list,
                        json_pack("{s:s, s:s, s:s, s:o, s:b}", "component", component_of(a, r, k), "name",
                                  c->name, "title", api_column_title(a, c), "value",
                                  api_field(a, r, k, API_VALUE), "list", (int)!odp_type_is_text(c->type)));
    }
    return list;
}

static json_t *make_queryables(struct api *a, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    json_t *list = json_array();
    if (info->has_geometry && info->geometry_name != NULL)
        odp_doc_add(&a->doc, list,
                    json_pack("{s:s, s:{s:s, s:s, s:s}}", "name", info->geometry_name, "value", "title",
                              "Geometri / Geometry", "x-ogc-role", "primary-geometry", "format",
                              api_geometry_format(info->geometry_types)));
    for (uint32_t k = 0; k < info->ncolumns; k++) {
        const struct odp_text description = api_column_description(r, k);
        if (!api_is_queryable(&info->columns[k]))
            continue;
        json_t *value = json_pack("{s:s}", "title", api_column_title(a, &info->columns[k])),
               *field = api_field(a, r, k, API_VALUE);
        if (!odp_text_is_empty(&description))
            odp_doc_set_str(&a->doc, value, "description", api_joined(a, &description, "\n\n"));
        a->doc.failed = a->doc.failed || json_object_update_missing(value, field) != 0;
        json_decref(field);
        odp_doc_add(&a->doc, list, json_pack("{s:s, s:o}", "name", info->columns[k].name, "value", value));
    }
    return list;
}

/* Downloads; addresses of the index begin with "../". */
static json_t *make_files(struct api *a, const struct api_resource *r)
{
    const json_t *files = json_object_get(r->resource, "files"), *f;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(files, i, f) if (strncmp(api_text(f, "url"), "../", 3) == 0)
        odp_doc_add(&a->doc, list,
                    json_pack("{s:s, s:s, s:s}", "path", api_text(f, "url") + 3, "type",
                              api_text(f, "media_type"), "format", api_text(f, "format")));
    return list;
}

/* An interval's end as RFC 3339 asks for it: a date alone is its first or last second in UTC. null: open. */
static json_t *make_end(const char *value, bool last)
{
    if (value == NULL || *value == '\0')
        return json_null();
    return strlen(value) == 10 ? json_sprintf("%sT%s", value, last ? "23:59:59Z" : "00:00:00Z")
                               : json_string(value);
}

static void set_extent(struct api *a, json_t *o, const struct odp_search_info *info)
{
    bool dates = info->datetime[0] >= 0 || info->datetime[1] >= 0;
    odp_doc_set(&a->doc, o, "dates", json_boolean(dates));
    odp_doc_set(&a->doc, o, "has_extent", json_boolean(dates || info->has_bbox));
    odp_doc_set(&a->doc, o, "interval",
                json_pack("[o, o]", make_end(info->interval[0], false), make_end(info->interval[1], true)));
    if (info->has_bbox)
        odp_doc_set(&a->doc, o, "bbox", odp_doc_bbox(info->bbox));
}

static void set_geometry(struct api *a, json_t *o, const struct odp_search_info *info)
{
    unsigned n;
    const char *const *types = api_geometry_types(&n);
    json_t *names = json_array();
    bool named = info->has_geometry && info->geometry_name != NULL, more = info->ncolumns > info->nfields;
    for (unsigned t = 0; t < n; t++)
        if (info->geometry_types == 0 || (info->geometry_types & (1u << t)) != 0)
            odp_doc_add(&a->doc, names, json_string(types[t]));
    odp_doc_set(&a->doc, o, "geo", json_boolean(info->has_geometry));
    odp_doc_set(&a->doc, o, "geometry_types", names);
    if (named)
        odp_doc_set(&a->doc, o, "geometry",
                    json_pack("{s:s, s:b, s:b}", "name", info->geometry_name, "full",
                              (int)(info->mode == ODP_GEOMETRY_FULL), "simplified",
                              (int)(info->mode == ODP_GEOMETRY_SIMPLIFIED)));
    odp_doc_set(&a->doc, o, "has_more", json_boolean(more));
    odp_doc_set(&a->doc, o, "has_part", json_boolean(named || more));
}

static void set_key(struct api *a, json_t *o, const struct odp_search_info *info)
{
    const char *names = info->nkey > 0 ? info->columns[info->key[0]].name : "";
    for (uint32_t k = 1; k < info->nkey; k++)
        names = odp_arena_printf(&a->arena, "%s, %s", names, info->columns[info->key[k]].name);
    odp_doc_set(&a->doc, o, "keyed", json_boolean(info->nkey > 0));
    odp_doc_set_str(&a->doc, o, "key", names);
}

static json_t *make_resource(struct api *a, const struct api_resource *r)
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
                 {"title", api_joined(a, &r->title, " / ")},
                 {"title_id", odp_text_get(&r->title, ODP_LANG_ID)},
                 {"title_en", odp_text_get(&r->title, ODP_LANG_EN)},
                 {"about", api_joined(a, &r->description, "\n\n")},
                 {"license", api_text(license, "path")},
                 {"license_name", api_text(license, "name")}};
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        odp_doc_set_str(&a->doc, o, texts[i].key, texts[i].text);
    odp_doc_set(&a->doc, o, "rows", json_integer((json_int_t)info->rows));
    odp_doc_set(&a->doc, o, "project", json_boolean(info->project >= 0));
    odp_doc_set(&a->doc, o, "fields", make_fields(a, r));
    odp_doc_set(&a->doc, o, "more", make_more(a, r));
    odp_doc_set(&a->doc, o, "required", make_required(a, r));
    odp_doc_set(&a->doc, o, "parameters", make_parameters(a, r));
    odp_doc_set(&a->doc, o, "queryables", make_queryables(a, r));
    odp_doc_set(&a->doc, o, "files", make_files(a, r));
    set_extent(a, o, info);
    set_geometry(a, o, info);
    set_key(a, o, info);
    return o;
}

/* ---- the set of templates ---- */

static bool is_template(const char *path)
{
    static const char *const folders[] = {"made/", "documents/", "pages/", "parts/", "words/"};
    bool found = false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        found = found || strncmp(path, folders[i], strlen(folders[i])) == 0;
    return found;
}

/* What a page may ask for besides what all may. */
static const json_t *shape_of(const json_t *model, const char *path)
{
    static const char *const of_service[] = {"documents/index.json", "documents/conformance.json",
                                             "documents/collections.json"};
    if (strcmp(path, "pages/collection.html") == 0 || strcmp(path, "pages/queryables.html") == 0)
        return json_array_get(json_object_get(model, "collections"), 0);
    for (size_t i = 0; i < sizeof of_service / sizeof *of_service; i++)
        if (strcmp(path, of_service[i]) == 0)
            return json_object_get(model, "service");
    return json_object_get(model, strncmp(path, "pages/", 6) == 0 ? "none" : "resource");
}

/* What the engine calls it: pages by their stem, documents by their path. */
static const char *name_of(struct api *a, const char *path)
{
    return strncmp(path, "pages/", 6) == 0
               ? odp_arena_printf(&a->arena, "%.*s", (int)strcspn(path + 6, "."), path + 6)
               : path;
}

enum odp_status api_templates_open(struct api *a)
{
    static const struct odp_template_text *const lists[] = {odp_ogc_templates, odp_openapi_templates};
    json_t *model = api_template(a, odp_ogc_templates, "model.json");
    struct odp_template_text *sources;
    struct odp_template_model *models;
    struct odp_templates_options o = {.common = model};
    size_t n = 0, nsources = 0;
    for (size_t l = 0; l < 2; l++)
        for (const struct odp_template_text *s = lists[l]; s->path != NULL; s++)
            n++;
    o.texts = sources = odp_arena_zero(&a->arena, n + 1, sizeof *sources);
    o.models = models = odp_arena_zero(&a->arena, n + 1, sizeof *models);
    for (size_t l = 0; l < 2; l++)
        for (const struct odp_template_text *s = lists[l]; s->path != NULL; s++) {
            if (!is_template(s->path))
                continue;
            sources[nsources++] = *s;
            if (shape_of(model, s->path) != NULL)
                models[o.nmodels++] =
                    (struct odp_template_model){name_of(a, s->path), shape_of(model, s->path)};
        }
    enum odp_status status = model != NULL ? odp_templates_open(&a->templates, &o, a->diags)
                                           : odp_failure_set("read", "templates/ogc/model.json", EINVAL);
    for (size_t i = 0; i < a->n && status == ODP_OK; i++)
        a->resources[i].model = make_resource(a, &a->resources[i]);
    json_decref(model);
    a->model = json_pack("{s:s, s:[]}", "base", a->base, "conformance");
    return status;
}

json_t *api_document(struct api *a, const char *page, const json_t *about)
{
    struct odp_buffer text;
    json_error_t error;
    json_t *root = NULL;
    odp_buffer_init(&text);
    if (a->doc.failed || odp_templates_render(a->templates, page, ODP_LANG_EN,
                                              (const json_t *const[]){a->model, about}, 2, &text) != ODP_OK)
        a->doc.failed = true;
    else if ((root = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error)) == NULL)
        a->doc.failed = odp_failure_set(odp_arena_printf(&a->arena, "read what is made of %s (line %d)", page,
                                                         error.line),
                                        NULL, 0) == ODP_FAIL;
    odp_buffer_release(&text);
    return root;
}
