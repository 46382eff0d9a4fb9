/* v1/ogc/api.json: OpenAPI 3.0 with a literal path for each collection, because QGIS and GDAL look there for what a collection
 * can be filtered by (parameters with style form, explode false and a simple type) and how long a page may be
 * (components.parameters.limit).
 *
 * QGIS takes as queryables exactly the parameters with style form, explode false and a type of one word; so
 * our other parameters (q, sortby …) say neither style nor explode here. */
#include "site/api/api_internal.h"

static const char words[] = "OGC API - Features. QGIS: Layer > Add Layer > Add WFS / OGC API - Features Layer. GDAL: OAPIF.";

static json_t *ref(const char *kind, const char *name)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/%s/%s", kind, name));
}

/* One way of reading a collection. */
struct reading {
    const char *after, *name, *answer; /* "/items", "Features": of the operation's name; the component that answers */
    bool open;                         /* without a key */
    struct odp_text description;
};

static json_t *make_get(struct api *a, const struct api_resource *r, const struct reading *reading)
{
    json_t *get = json_object(), *responses = json_object();
    odp_doc_set(&a->doc, get, "operationId", json_sprintf("get%s%s", r->camel, reading->name));
    odp_doc_set(&a->doc, get, "tags", json_pack("[s]", reading->open ? "capabilities" : "data"));
    odp_doc_set_str(&a->doc, get, "summary", api_joined(a, &r->title, " / "));
    odp_doc_set_str(&a->doc, get, "description", api_joined(a, &reading->description, " "));
    if (reading->open)
        odp_doc_set(&a->doc, get, "security", json_array());
    odp_doc_set(&a->doc, responses, "200", ref("responses", reading->answer));
    odp_doc_set(&a->doc, responses, "400", ref("responses", "bad-request"));
    if (!reading->open) {
        odp_doc_set(&a->doc, responses, "401", ref("responses", "unauthorized"));
        odp_doc_set(&a->doc, responses, "404", ref("responses", "not-found"));
        odp_doc_set(&a->doc, responses, "429", ref("responses", "too-many-requests"));
    }
    odp_doc_set(&a->doc, responses, "default", ref("responses", "error"));
    odp_doc_set(&a->doc, get, "responses", responses);
    return get;
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
    static const char *const common[] = {"limit",        "bbox",        "bbox-crs",   "crs",    "datetime",
                                         "filter",       "filter-lang", "filter-crs", "q",      "properties",
                                         "skipGeometry", "sortby",      "cursor",     "offset", "f"};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        odp_doc_add(&a->doc, list, ref("parameters", common[i]));
    add_queryables(a, list, r);
    return list;
}

static void add_collection(struct api *a, json_t *paths, const struct api_resource *r)
{
    static const struct reading readings[] = {
        {"", "Collection", "collection", true, {{"Keterangan koleksi.", "About the collection."}}},
        {"/queryables", "Queryables", "queryables", true, {{"Yang dapat disaring.", "What it can be filtered by."}}},
        {"/schema", "Schema", "schema", true, {{"JSON Schema sebuah rekaman.", "The JSON Schema of a record."}}},
        {"/items", "Features", "features", false, {{"Rekaman yang cocok.", "The records that match."}}},
        {"/items/{featureId}", "Feature", "feature", false, {{"Satu rekaman.", "One record."}}},
    };
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        const struct reading *reading = &readings[i];
        const char *path = odp_arena_printf(&a->arena, "/collections/%s%s", r->id, reading->after);
        json_t *get = make_get(a, r, reading);
        if (strcmp(reading->name, "Features") == 0)
            odp_doc_set(&a->doc, get, "parameters", list_parameters(a, r));
        else if (strcmp(reading->name, "Feature") == 0)
            odp_doc_set(&a->doc, get, "parameters",
                        json_pack("[o, o, o, o]", ref("parameters", "featureId"), ref("parameters", "properties"),
                                  ref("parameters", "skipGeometry"), ref("parameters", "f")));
        else
            odp_doc_set(&a->doc, get, "parameters", json_pack("[o]", ref("parameters", "f")));
        odp_doc_set(&a->doc, paths, path != NULL ? path : "", json_pack("{s:o}", "get", get));
        a->doc.failed = a->doc.failed || path == NULL;
    }
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
