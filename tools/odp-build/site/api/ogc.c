/* v1/ogc/: OGC API - Features, Part 1 (OGC 17-069r4) and what we do of Part 3 (OGC 19-079) and CQL2 (OGC 21-065).
 *
 * Conformance is what holds: not property-property (a spatial function takes one property and one literal,
 * in either order), not arithmetic (no ^, %, div), no temporal, array or other functions.
 * basic-spatial-operators is a draft's name that QGIS looks for. CASEI folds ASCII and Latin letters up to
 * U+017F. There is no storageCrs: that would be Part 2, and GDAL would ask for other systems. Days of an
 * interval become whole days in UTC. */
#include "site/api/api_internal.h"

#define FEATURES "http://www.opengis.net/spec/ogcapi-features-"
#define CQL2     "http://www.opengis.net/spec/cql2/1.0/conf/"

/* What holds, no more. Not here: property-property (a spatial function takes one property and one literal), arithmetic (no ^,
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

/* self, and the pages in both languages. STEM: "v1/ogc/collections"; the landing page has another address than its file. */
static void add_self(struct api *a, json_t *links, const char *address, const char *stem)
{
    api_link(a, links, address, "self", "application/json", NULL, NULL);
    api_link(a, links, odp_arena_printf(&a->arena, "%s.html", stem), "alternate", "text/html", "id", NULL);
    api_link(a, links, odp_arena_printf(&a->arena, "%s.en.html", stem), "alternate", "text/html", "en", NULL);
}

static enum odp_status put_landing(struct api *a)
{
    const struct odp_portal *p = &a->catalog->portal;
    const struct odp_text description = api_both(p->json, "description");
    json_t *o = json_object(), *links = json_array();
    odp_doc_set_str(&a->doc, o, "title", api_joined(a, &p->title, " / "));
    odp_doc_set_str(&a->doc, o, "description", api_joined(a, &description, "\n\n"));
    odp_doc_set_str(&a->doc, o, "attribution", api_joined(a, &p->publisher, " / "));
    add_self(a, links, "v1/ogc/", "v1/ogc/index");
    api_link(a, links, "v1/ogc/api.json", "service-desc", "application/vnd.oai.openapi+json;version=3.0", NULL, "OpenAPI 3.0");
    api_link(a, links, "v1/ogc/index.html", "service-doc", "text/html", "id", "QGIS, GDAL");
    api_link(a, links, "v1/ogc/index.en.html", "service-doc", "text/html", "en", "QGIS, GDAL");
    api_link(a, links, "v1/ogc/conformance", "conformance", "application/json", NULL, NULL);
    api_link(a, links, "v1/ogc/conformance", "http://www.opengis.net/def/rel/ogc/1.0/conformance", "application/json", NULL,
             NULL);
    api_link(a, links, "v1/ogc/collections", "data", "application/json", NULL, NULL);
    api_link(a, links, "v1/ogc/collections", "http://www.opengis.net/def/rel/ogc/1.0/data", "application/json", NULL, NULL);
    if (p->license_path != NULL)
        odp_doc_add(&a->doc, links,
                    json_pack("{s:s, s:s, s:s}", "href", p->license_path, "rel", "license", "title", p->license_name));
    odp_doc_set(&a->doc, o, "links", links);
    return api_put_take(a, "v1/ogc/index.json", "application/json", o);
}

static enum odp_status put_conformance(struct api *a)
{
    json_t *o = json_object(), *links = json_array(), *list = json_array();
    for (const char *const *c = api_conformance; *c != NULL; c++)
        odp_doc_add(&a->doc, list, json_string(*c));
    odp_doc_set(&a->doc, o, "conformsTo", list);
    add_self(a, links, "v1/ogc/conformance", "v1/ogc/conformance");
    odp_doc_set(&a->doc, o, "links", links);
    return api_put_take(a, "v1/ogc/conformance.json", "application/json", o);
}

static enum odp_status put_collections(struct api *a)
{
    json_t *o = json_object(), *links = json_array(), *list = json_array();
    add_self(a, links, "v1/ogc/collections", "v1/ogc/collections");
    odp_doc_set(&a->doc, o, "links", links);
    for (size_t i = 0; i < a->n; i++)
        odp_doc_add(&a->doc, list, api_ogc_collection(a, &a->resources[i]));
    odp_doc_set(&a->doc, o, "collections", list);
    return api_put_take(a, "v1/ogc/collections.json", "application/json", o);
}

static enum odp_status put_collection(struct api *a, const struct api_resource *r)
{
    const char *stem = odp_arena_printf(&a->arena, "v1/ogc/collections/%s", r->id);
    if (stem == NULL)
        return ODP_FAIL;
    enum odp_status status =
        api_put_take(a, odp_arena_printf(&a->arena, "%s.json", stem), "application/json", api_ogc_collection(a, r));
    if (status == ODP_OK)
        status = api_put_take(a, odp_arena_printf(&a->arena, "%s/queryables.json", stem), "application/schema+json",
                              api_ogc_queryables(a, r));
    if (status == ODP_OK)
        status = api_put_take(a, odp_arena_printf(&a->arena, "%s/schema.json", stem), "application/schema+json",
                              api_ogc_schema(a, r));
    return status;
}

enum odp_status api_ogc(struct api *a)
{
    enum odp_status status = put_landing(a);
    if (status == ODP_OK)
        status = put_conformance(a);
    if (status == ODP_OK)
        status = put_collections(a);
    for (size_t i = 0; i < a->n && status == ODP_OK; i++)
        status = put_collection(a, &a->resources[i]);
    return status == ODP_OK ? api_ogc_openapi(a) : status;
}
