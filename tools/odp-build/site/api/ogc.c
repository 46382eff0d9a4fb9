/* v1/ogc/: OGC API - Features, Part 1 (OGC 17-069r4) and what we do of Part 3 (OGC 19-079) and CQL2 (OGC
 * 21-065), for programs (.json) and people (.html, .en.html: what this is and how to open it). Documents,
 * pages and words are in templates/ogc; links of pages are relative, with full names, so that they work from
 * a folder, too.
 *
 * Days of an interval become whole days in UTC.
 *
 * api.json is OpenAPI 3.0 with a literal path for each collection, because QGIS and GDAL look there for what
 * a collection can be filtered by (parameters with style form, explode false and a type of one word; so our
 * other parameters say neither style nor explode here) and how long a page may be
 * (components.parameters.limit). GDAL 3.6 asks for 10 records at a time unless told -oo PAGE_SIZE=1000: pages
 * say so, since each request costs quota. */
#include "site/api/api_internal.h"

#include <math.h>

#include "catalog/expr/expr.h"

#define FEATURES "http://www.opengis.net/spec/ogcapi-features-"
#define CQL2     "http://www.opengis.net/spec/cql2/1.0/conf/"

/* The classes that hold. Not these: property-property (a spatial function takes one property and one
 * literal, in either order), arithmetic (no ^, %, div), temporal-functions, array-functions. */
static const char *const conformance[] = {
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
    CQL2 "accent-insensitive-comparison",
    CQL2 "functions",
    CQL2 "basic-spatial-functions",
    CQL2 "basic-spatial-functions-plus",
    CQL2 "spatial-functions",
    CQL2 "basic-spatial-operators", /* a draft's name, which QGIS looks for */
};

/* ---- for programs ---- */

/* What the documents of the service as a whole say. */
static json_t *make_service(struct odp_api *a)
{
    const struct odp_portal *p = a->portal;
    const struct odp_text description = api_both(p->json, "description");
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "title", API_LINE(a, &p->title), "about",
                     API_PARAGRAPHS(a, &description), "attribution", API_LINE(a, &p->publisher), "license",
                     p->license_path != NULL ? p->license_path : "", "license_name",
                     p->license_name != NULL ? p->license_name : "");
}

/* PAGE of the service, filled. */
static void put_document(struct odp_api *a, const char *page)
{
    json_t *service = make_service(a),
           *root = api_document(a, api_printf(a, "documents/%s.json", page), service);
    if (json_object_get(root, "collections") != NULL)
        api_leave_place(a, json_object_get(root, "collections"), API_COLLECTION);
    api_put_filled_take(a, api_printf(a, "v1/ogc/%s.json", page), "application/json", root);
    json_decref(service);
}

/* The documents of one collection; the first one is in the list of all, too. */
static void put_collection(struct odp_api *a, const struct api_resource *r, struct odp_buffer *texts)
{
    static const struct {
        const char *page, *after, *type;
    } documents[] = {{"collection", "", "application/json"},
                     {"queryables", "/queryables", "application/schema+json"},
                     {"schema", "/schema", "application/schema+json"}};
    for (size_t i = 0; i < ODP_COUNT(documents); i++) {
        json_t *made = api_document(a, api_printf(a, "documents/%s.json", documents[i].page), r->model);
        if (i == 0)
            api_add_text(a, texts, API_COLLECTION, made);
        api_put_take(a, api_printf(a, "v1/ogc/collections/%s%s.json", r->id, documents[i].after),
                     documents[i].type, made);
    }
}

/* A letter of an expression's function, as the names of types that OGC 21-065 has for them. */
static json_t *types_of(char letter)
{
    switch (letter) {
    case 's':
        return json_pack("[s]", "string");
    case 'n':
        return json_pack("[s]", "number");
    case 'i':
        return json_pack("[s]", "integer");
    case 'b':
        return json_pack("[s]", "boolean");
    case 'd':
        return json_pack("[s]", "datetime");
    default:
        return json_pack("[s, s, s, s]", "string", "number", "datetime", "boolean");
    }
}

/* What filters can call. Of those that take any number of arguments, as many as there must be. */
static void put_functions(struct odp_api *a)
{
    const struct odp_expr_function *f;
    json_t *list = json_array();
    for (size_t i = 0; (f = odp_expr_function(i)) != NULL; i++) {
        json_t *arguments = json_array();
        for (size_t k = 0; k < strlen(f->arguments); k++)
            odp_add(arguments, json_pack("{s:o}", "type", types_of(f->arguments[k])));
        odp_add(list, json_pack("{s:s, s:s, s:o, s:o}", "name", f->name, "description", f->form, "arguments",
                                arguments, "returns", types_of(f->returns)));
    }
    api_put_take(a, "v1/ogc/functions.json", "application/json",
                 json_pack("{s:o, s:[{s:o, s:s, s:s}]}", "functions", list, "links", "href",
                           json_sprintf("%sv1/ogc/functions", a->base), "rel", "self", "type",
                           "application/json"));
}

static void put_openapi(struct odp_api *a)
{
    json_t *root = api_template(odp_openapi_templates, "ogc.json");
    odp_set(root, "info", api_info(a, json_object_get(root, "info")));
    odp_set(root, "servers", json_pack("[{s:o}]", "url", json_sprintf("%sv1/ogc", a->base)));
    api_leave_place(a, json_object_get(root, "paths"), API_OGC_PATHS);
    api_put_filled_take(a, "v1/ogc/api.json", "application/vnd.oai.openapi+json;version=3.0", root);
}

/* ---- for people ---- */

static const char *const endings[ODP_LANGS] = {[ODP_LANG_ID] = ".html", [ODP_LANG_EN] = ".en.html"};

/* Three decimals, about a hundred metres, with a real minus sign unless it is 0. */
static json_t *make_degrees(double v)
{
    char text[32], comma[32];
    (void)snprintf(text, sizeof text, "%.3f", fabs(v));
    (void)snprintf(comma, sizeof comma, "%.*s,%s", (int)strcspn(text, "."), text, strchr(text, '.') + 1);
    const char *sign = v < 0 && strpbrk(text, "123456789") != NULL ? "−" : "";
    return json_pack("{s:s+, s:s+}", "id", sign, comma, "en", sign, text);
}

/* Title, description and type; no description if it only repeats the title. */
static json_t *make_column(const struct api_resource *r, uint32_t k)
{
    const struct odp_search_column *c = &r->info->columns[k];
    const struct odp_text more = api_column_description(r, k);
    bool again = true, key = false;
    for (int lang = 0; lang < ODP_LANGS; lang++)
        again = again && strcmp(odp_text_get(&more, (enum odp_lang)lang),
                                odp_text_get(&c->title, (enum odp_lang)lang)) == 0;
    for (uint32_t i = 0; i < r->info->nkey; i++)
        key = key || r->info->key[i] == k;
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:b, s:[]}", "name", c->name, "title",
                     odp_text_is_empty(&c->title) ? json_string(c->name) : odp_doc_text(&c->title), "more",
                     again ? json_string("") : odp_doc_text(&more), "type",
                     odp_doc_text(&odp_field_type(c->type)->label), "unit", odp_doc_text(&c->unit), "key",
                     (int)key, "values");
}

/* The values of a closed list, as texts. */
static void add_values(struct odp_api *a, const struct api_resource *r, uint32_t k, json_t *list)
{
    json_t *schema = api_field(a, r, k, API_VALUE), *v;
    size_t i;
    json_array_foreach(json_object_get(schema, "enum"), i, v)
        odp_add(list, json_is_string(v) ? json_incref(v)
                                        : json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(v)));
    json_decref(schema);
}

static json_t *make_columns(struct odp_api *a, const struct api_resource *r, bool queryable)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < (queryable ? r->info->ncolumns : r->info->nfields); k++) {
        if (queryable && !api_is_queryable(&r->info->columns[k]))
            continue;
        json_t *column = make_column(r, k);
        if (queryable)
            add_values(a, r, k, json_object_get(column, "values"));
        odp_add(list, column);
    }
    return list;
}

/* The files of the version; addresses of the index begin with "../" and are relative to v1/. */
static json_t *make_files(const struct api_resource *r)
{
    const json_t *f;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(r->resource, "files"), i, f)
    {
        const char *url = odp_text_of(f, "url"), *name = strrchr(url, '/');
        odp_add(list, json_pack("{s:s, s:s, s:s}", "url", url, "name", name != NULL ? name + 1 : url,
                                "format", odp_text_of(f, "format")));
    }
    return list;
}

static json_t *make_collection(struct odp_api *a, const struct api_resource *r)
{
    static const char *const sides[] = {"west", "south", "east", "north"}, *const ends[] = {"from", "to"};
    const struct odp_search_info *info = r->info;
    const json_t *license = json_object_get(r->entry, "license");
    const struct odp_text named = api_both(license, "title"), producer = api_both(r->entry, "producer");
    json_t *extent = json_array(),
           *types = info->geometry_types != 0 ? api_geometry_types(info->geometry_types) : json_array();
    json_t *o = json_pack(
        "{s:s, s:o, s:o, s:I, s:b, s:b, s:o, s:s, s:o, s:s, s:o, s:o, s:o}", "id", r->id, "title",
        odp_doc_text(&r->title), "description", odp_doc_text(&r->description), "rows", (json_int_t)info->rows,
        "geo", (int)info->has_geometry, "typed", (int)(json_array_size(types) > 0), "geometry_types", types,
        "version", info->version, "producer", odp_doc_text(&producer), "license",
        odp_text_of(license, "path"), "license_title",
        odp_text_is_empty(&named) ? json_string(odp_text_of(license, "name")) : odp_doc_text(&named),
        "fields", make_columns(a, r, false), "queryables", make_columns(a, r, true));
    for (size_t k = 0; k < 4 && info->has_bbox; k++)
        odp_add(extent, json_pack("{s:s, s:o}", "side", sides[k], "degrees", make_degrees(info->bbox[k])));
    odp_set_flag(o, "has_extent", info->has_bbox);
    odp_set(o, "extent", extent);
    odp_set_flag(o, "dated", info->interval[0] != NULL || info->interval[1] != NULL);
    for (size_t k = 0; k < 2; k++)
        odp_set_str(o, ends[k], info->interval[k]);
    odp_set_str(o, "geometry", info->has_geometry ? info->geometry_name : NULL);
    odp_set(o, "files", make_files(r));
    odp_set_flag(o, "has_files", json_array_size(json_object_get(o, "files")) > 0);
    return o;
}

/* Where a page is within v1/ogc/; UP leads back there. */
struct page_at {
    const char *stem, *up;
};

/* Appends PAGE about MODEL, as the page that is AT has it, to OUT. */
static void render(struct odp_api *a, const char *page, const json_t *model, struct page_at at,
                   enum odp_lang lang, struct odp_buffer *out)
{
    json_t *place =
        json_pack("{s:s, s:s+++, s:s, s:b}", "up", at.up, "other", at.up, at.stem, endings[1 - lang], "",
                  "ending", endings[lang], "indonesian", (int)(lang == ODP_LANG_ID));
    const json_t *const scopes[] = {a->model, place, model};
    if (a->status == ODP_OK)
        a->status = odp_templates_render(a->templates, page, lang, scopes, 3, out);
    json_decref(place);
}

/* Puts PAGE about MODEL in LANG. */
static void put_page(struct odp_api *a, const char *page, const json_t *model, struct page_at at,
                     enum odp_lang lang)
{
    struct odp_buffer html = {0};
    render(a, page, model, at, lang, &html);
    if (a->status == ODP_OK)
        a->status = odp_stage_put(a->job->stage, api_printf(a, "v1/ogc/%s%s", at.stem, endings[lang]),
                                  "text/html; charset=utf-8", ODP_CLASS_PUBLIC, odp_buffer_slice(&html));
    odp_buffer_release(&html);
}

/* A page of the service, with what each collection has for it. */
static void put_service_page(struct odp_api *a, const char *page, enum api_text row)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        json_t *model = json_pack("{s:s, s:o}", "first", a->n > 0 ? a->shown[0]->id : "koleksi", "rows",
                                  row != API_TEXTS ? api_texts(a, row + (enum api_text)lang) : json_array());
        put_page(a, page, model, (struct page_at){page, ""}, (enum odp_lang)lang);
        json_decref(model);
    }
}

/* PAGE of MODEL, in both languages, as texts for pages of the service. */
static void add_rows(struct odp_api *a, const char *page, const json_t *model, struct odp_buffer *texts)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        render(a, page, model, (struct page_at){"", ""}, (enum odp_lang)lang, texts);
        odp_buffer_add_char(texts, '\0');
    }
}

/* ---- all of it ---- */

void api_ogc_of_resource(struct odp_api *a, const struct api_resource *r, struct odp_buffer *texts)
{
    const struct page_at page = {api_printf(a, "collections/%s", r->id), "../"},
                         queryables = {api_printf(a, "%s/queryables", page.stem), "../../"};
    json_t *model = make_collection(a, r), *made;
    put_collection(a, r, texts);
    made = api_document(a, "documents/paths.json", r->model);
    api_add_text(a, texts, API_OGC_PATHS, json_object_get(made, "paths"));
    json_decref(made);
    add_rows(a, "collection-row", model, texts);
    add_rows(a, "collection-section", model, texts);
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        put_page(a, "collection", model, page, (enum odp_lang)lang);
        put_page(a, "queryables", model, queryables, (enum odp_lang)lang);
    }
    json_decref(model);
}

void api_ogc(struct odp_api *a)
{
    json_t *classes = json_array();
    for (size_t i = 0; i < ODP_COUNT(conformance); i++)
        odp_add(classes, json_string(conformance[i]));
    odp_set(a->model, "conformance", classes);
    put_document(a, "index");
    put_document(a, "conformance");
    put_functions(a);
    put_openapi(a);
    put_service_page(a, "index", API_ROW);
    put_service_page(a, "conformance", API_TEXTS);
}

void api_ogc_collections(struct odp_api *a)
{
    put_document(a, "collections");
    put_service_page(a, "collections", API_SECTION);
}
