/* v1/ogc/: OGC API - Features, Part 1 (OGC 17-069r4) and what we do of Part 3 (OGC 19-079) and CQL2 (OGC
 * 21-065). The documents are in templates/ogc.
 *
 * Conformance is what holds: not property-property (a spatial function takes one property and one literal, in
 * either order), not arithmetic (no ^, %, div), no temporal, array or other functions.
 * basic-spatial-operators is a draft's name that QGIS looks for. CASEI folds ASCII and Latin letters up to
 * U+017F. Days of an interval become whole days in UTC.
 *
 * api.json is OpenAPI 3.0 with a literal path for each collection, because QGIS and GDAL look there for what
 * a collection can be filtered by (parameters with style form, explode false and a type of one word; so our
 * other parameters say neither style nor explode here) and how long a page may be
 * (components.parameters.limit). */
#include "site/api/api_internal.h"

#define FEATURES "http://www.opengis.net/spec/ogcapi-features-"
#define CQL2     "http://www.opengis.net/spec/cql2/1.0/conf/"

/* What holds, no more. Not here: property-property (a spatial function takes one property and one literal),
 * arithmetic (no ^,
 * %, div), accent-insensitive-comparison, temporal-functions, array-functions, functions. */
const char *const api_conformance[] = {
    FEATURES "1/1.0/conf/core",
    FEATURES "1/1.0/conf/oas30",
    FEATURES "1/1.0/conf/html",
    FEATURES "1/1.0/conf/geojson",
    FEATURES "3/1.0/conf/queryables",
    FEATURES "3/1.0/conf/queryables-query-parameters",
    FEATURES "3/1.0/conf/filter",
    FEATURES "3/1.0/conf/features-filter",
    CQL2 "cql2-text",
    CQL2 "cql2-json",
    CQL2 "basic-cql2",
    CQL2 "advanced-comparison-operators",
    CQL2 "case-insensitive-comparison",
    CQL2 "basic-spatial-functions",
    CQL2 "basic-spatial-functions-plus",
    CQL2 "spatial-functions",
    CQL2 "basic-spatial-operators", /* the name of a draft, which QGIS looks for */
    NULL,
};

/* What the documents of the service as a whole say. */
static json_t *make_service(struct api *a)
{
    const struct odp_portal *p = &a->catalog->portal;
    const struct odp_text description = api_both(p->json, "description");
    json_t *o = json_object(), *classes = json_array(), *collections = json_array();
    for (const char *const *c = api_conformance; *c != NULL; c++)
        odp_doc_add(&a->doc, classes, json_string(*c));
    for (size_t i = 0; i < a->n; i++)
        odp_doc_add(&a->doc, collections,
                    json_pack("{s:o}", "document",
                              api_document(a, "documents/collection.json", a->resources[i].model)));
    odp_doc_set_str(&a->doc, o, "title", api_joined(a, &p->title, " / "));
    odp_doc_set_str(&a->doc, o, "about", api_joined(a, &description, "\n\n"));
    odp_doc_set_str(&a->doc, o, "attribution", api_joined(a, &p->publisher, " / "));
    odp_doc_set_str(&a->doc, o, "license", p->license_path != NULL ? p->license_path : "");
    odp_doc_set_str(&a->doc, o, "license_name", p->license_name != NULL ? p->license_name : "");
    odp_doc_set(&a->doc, o, "conformance", classes);
    odp_doc_set(&a->doc, o, "collections", collections);
    return o;
}

static enum odp_status put_service(struct api *a)
{
    static const char *const names[] = {"index", "conformance", "collections"};
    json_t *service = make_service(a);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && status == ODP_OK; i++)
        status = api_put_take(
            a, odp_arena_printf(&a->arena, "v1/ogc/%s.json", names[i]), "application/json",
            api_document(a, odp_arena_printf(&a->arena, "documents/%s.json", names[i]), service));
    json_decref(service);
    return status;
}

static enum odp_status put_collection(struct api *a, const struct api_resource *r)
{
    static const struct {
        const char *page, *after, *type;
    } documents[] = {{"collection", "", "application/json"},
                     {"queryables", "/queryables", "application/schema+json"},
                     {"schema", "/schema", "application/schema+json"}};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < sizeof documents / sizeof *documents && status == ODP_OK; i++)
        status = api_put_take(
            a, odp_arena_printf(&a->arena, "v1/ogc/collections/%s%s.json", r->id, documents[i].after),
            documents[i].type,
            api_document(a, odp_arena_printf(&a->arena, "documents/%s.json", documents[i].page), r->model));
    return status;
}

static enum odp_status put_openapi(struct api *a)
{
    json_t *root = api_template(a, odp_openapi_templates, "ogc.json");
    odp_doc_set(&a->doc, root, "info", api_info(a, json_object_get(root, "info")));
    odp_doc_set(&a->doc, root, "servers", json_pack("[{s:o}]", "url", json_sprintf("%sv1/ogc", a->base)));
    for (size_t i = 0; i < a->n; i++)
        api_merge_take(a, root, api_document(a, "documents/paths.json", a->resources[i].model));
    return api_put_take(a, "v1/ogc/api.json", "application/vnd.oai.openapi+json;version=3.0", root);
}

enum odp_status api_ogc(struct api *a)
{
    enum odp_status status = put_service(a);
    for (size_t i = 0; i < a->n && status == ODP_OK; i++)
        status = put_collection(a, &a->resources[i]);
    return status == ODP_OK ? put_openapi(a) : status;
}
