/* v1/ogc/api.json: OpenAPI 3.0 with a literal path for each collection, because QGIS and GDAL look there for what a collection
 * can be filtered by (parameters with style form, explode false and a simple type) and how long a page may be
 * (components.parameters.limit). */
#include "api/parts.h"

static const char words[] = "OGC API - Features. QGIS: Layer > Add Layer > Add WFS / OGC API - Features Layer. GDAL: OAPIF.";

static json_t *ref(const char *kind, const char *name)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/%s/%s", kind, name));
}

static json_t *make_get(struct api *a, const struct api_resource *r, const char *verb, const char *after, bool open,
                        const char *answer)
{
    json_t *get = json_object(), *responses = json_object();
    odp_doc_set(&a->doc, get, "operationId", json_sprintf("%s%s%s", verb, r->camel, after));
    odp_doc_set(&a->doc, get, "tags", json_pack("[s]", open ? "capabilities" : "data"));
    odp_doc_set_str(&a->doc, get, "summary", api_joined(a, &r->title, " / "));
    if (open)
        odp_doc_set(&a->doc, get, "security", json_array());
    odp_doc_set(&a->doc, responses, "200", ref("responses", answer));
    if (!open) {
        odp_doc_set(&a->doc, responses, "400", ref("responses", "bad-request"));
        odp_doc_set(&a->doc, responses, "401", ref("responses", "unauthorized"));
        odp_doc_set(&a->doc, responses, "404", ref("responses", "not-found"));
        odp_doc_set(&a->doc, responses, "429", ref("responses", "too-many-requests"));
    }
    odp_doc_set(&a->doc, responses, "default", ref("responses", "error"));
    odp_doc_set(&a->doc, get, "responses", responses);
    return get;
}

/* PARAMETERS (taken, may be NULL) go before the answers. */
static void set_path(struct api *a, json_t *paths, const struct api_resource *r, const char *after, json_t *get,
                     json_t *parameters)
{
    const char *path = odp_arena_printf(&a->arena, "/collections/%s%s", r->id, after);
    a->doc.failed = a->doc.failed || path == NULL;
    if (parameters != NULL)
        odp_doc_set(&a->doc, get, "parameters", parameters);
    odp_doc_set(&a->doc, paths, path != NULL ? path : "", json_pack("{s:o}", "get", get));
}

/* One for each queryable that is compared with a value; its type is one word, as 3.0 and QGIS want it. */
static void add_queryables(struct api *a, json_t *list, const struct api_resource *r)
{
    for (uint32_t k = 0; k < r->info->ncolumns; k++) {
        const struct odp_search_column *c = &r->info->columns[k];
        if (!api_is_parameter(c))
            continue;
        json_t *o = json_object();
        odp_doc_set_str(&a->doc, o, "name", c->name);
        odp_doc_set_str(&a->doc, o, "in", "query");
        odp_doc_set_str(&a->doc, o, "description", api_column_title(a, c));
        odp_doc_set(&a->doc, o, "required", json_false());
        odp_doc_set_str(&a->doc, o, "style", "form");
        odp_doc_set(&a->doc, o, "explode", json_false());
        odp_doc_set(&a->doc, o, "schema", api_field(a, r, k, API_VALUE));
        odp_doc_add(&a->doc, list, o);
    }
}

static json_t *list_parameters(struct api *a, const struct api_resource *r)
{
    static const char *const common[] = {"limit", "bbox",       "datetime", "filter", "filter-lang", "filter-crs",
                                         "q",     "properties", "sortby",   "cursor", "offset",      "f"};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        odp_doc_add(&a->doc, list, ref("parameters", common[i]));
    add_queryables(a, list, r);
    return list;
}

static void add_collection(struct api *a, json_t *paths, const struct api_resource *r)
{
    json_t *item = json_pack("[o, o]", ref("parameters", "featureId"), ref("parameters", "f"));
    set_path(a, paths, r, "", make_get(a, r, "get", "Collection", true, "collection"), NULL);
    set_path(a, paths, r, "/queryables", make_get(a, r, "get", "Queryables", true, "queryables"), NULL);
    set_path(a, paths, r, "/schema", make_get(a, r, "get", "Schema", true, "schema"), NULL);
    set_path(a, paths, r, "/items", make_get(a, r, "get", "Features", false, "features"), list_parameters(a, r));
    set_path(a, paths, r, "/items/{featureId}", make_get(a, r, "get", "Feature", false, "feature"), item);
}

enum odp_status api_ogc_openapi(struct api *a)
{
    json_t *root = api_template(a, odp_openapi_ogc);
    odp_doc_set(&a->doc, root, "info", api_info(a, api_joined(a, &a->catalog->portal.title, " / "), words));
    odp_doc_set(&a->doc, root, "servers", json_pack("[{s:o}]", "url", json_sprintf("%sv1/ogc", a->base)));
    for (size_t i = 0; i < a->n; i++)
        add_collection(a, json_object_get(root, "paths"), &a->resources[i]);
    return api_put_take(a, "v1/ogc/api.json", "application/vnd.oai.openapi+json;version=3.0", root);
}
