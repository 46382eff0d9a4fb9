/* The paths and schemas of one resource.
 *
 *   /v1/<path>             whole records: filters, order, paging. One type of answer, so that a generated client has one, too
 *   /v1/<path>/search      the same, and what changes the form of the answer: properties, facets, aggregate, groupby, view; GET
 * and POST /v1/<path>/id/{key}    one record
 *
 * Schemas: <id>.fields (the fields, none of them required), <id>.part (with the geometry and what only `properties` can ask
 * for), <id> (a whole record: every field is there, null where it has no value), <id>.page (envelope of those), <id>.found (of
 * parts), <id>.feature, <id>.features.
 *
 * Equality parameters of numbers, booleans, dates and times are arrays without explode (tahun=2023,2024 is
 * one of them); of texts they are one text. A field whose name is a parameter's has none; it can be named in
 * `filter`. /v1/<slug>/versions and the first page of a further resource are literal paths, one for each:
 * with {slug} they would be the same address as /v1/webhooks/{id}. */
#include "site/api/api_internal.h"

static json_t *ref(struct api *a, const char *kind, const char *id, const char *part)
{
    json_t *o = json_object();
    odp_doc_set(&a->doc, o, "$ref", json_sprintf("#/components/%s/%s%s", kind, id, part));
    return o;
}

static void add_ref(struct api *a, json_t *list, const char *kind, const char *id, const char *part)
{
    odp_doc_add(&a->doc, list, ref(a, kind, id, part));
}

/* ---- schemas ----------------------------------------------------------------------------------------------------------------
 */

static void set_schema(struct api *a, json_t *root, const struct api_resource *r, const char *part, json_t *schema)
{
    json_t *schemas = json_object_get(json_object_get(root, "components"), "schemas");
    const char *name = odp_arena_printf(&a->arena, "%s%s", r->id, part);
    odp_doc_set(&a->doc, schemas, name != NULL ? name : "", schema);
    a->doc.failed = a->doc.failed || name == NULL;
}

static json_t *make_fields(struct api *a, const struct api_resource *r)
{
    json_t *o = json_object(), *properties = json_object();
    odp_doc_set_str(&a->doc, o, "type", "object");
    for (uint32_t k = 0; k < r->info->nfields; k++)
        odp_doc_set(&a->doc, properties, r->info->columns[k].name, api_field(a, r, k, API_RECORD));
    odp_doc_set(&a->doc, o, "properties", properties);
    return o;
}

static json_t *make_geometry(struct api *a, const struct odp_search_info *info)
{
    static const struct odp_text modes[] = {
        [ODP_GEOMETRY_FULL] = {{"Geometri lengkap, WGS 84", "The full geometry, WGS 84"}},
        [ODP_GEOMETRY_SIMPLIFIED] = {{"Geometri disederhanakan untuk peta dan daftar; yang lengkap ada di unduhan dan GeoJSON",
                                      "The geometry simplified for maps and lists; the full one is in downloads and GeoJSON"}},
        [ODP_GEOMETRY_NONE] = {{"", ""}}};
    unsigned n;
    const char *const *types = api_geometry_types(&n);
    json_t *o = json_object(), *any = json_array(), *object = json_object(), *names = json_array();
    for (unsigned t = 0; t < n; t++)
        if (info->geometry_types == 0 || (info->geometry_types & (1u << t)) != 0)
            odp_doc_add(&a->doc, names, json_string(types[t]));
    odp_doc_set_str(&a->doc, object, "type", "object");
    odp_doc_set(&a->doc, object, "required", json_pack("[s, s]", "type", "coordinates"));
    odp_doc_set(&a->doc, object, "properties",
                json_pack("{s:{s:s, s:o}, s:{s:s, s:{}}}", "type", "type", "string", "enum", names, "coordinates", "type",
                          "array", "items"));
    odp_doc_add(&a->doc, any, object);
    odp_doc_add(&a->doc, any, json_pack("{s:s}", "type", "null"));
    odp_doc_set_str(&a->doc, o, "title", "GeoJSON");
    odp_doc_set_str(&a->doc, o, "description", api_joined(a, &modes[info->mode], "\n\n"));
    odp_doc_set(&a->doc, o, "oneOf", any);
    return o;
}

static bool shows_geometry(const struct odp_search_info *info)
{
    return info->has_geometry && info->mode != ODP_GEOMETRY_NONE && info->geometry_name != NULL;
}

static json_t *make_part(struct api *a, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    json_t *o = json_object(), *more = json_object();
    odp_doc_set(&a->doc, o, "allOf", json_pack("[o]", ref(a, "schemas", r->id, ".fields")));
    if (info->has_geometry && info->geometry_name != NULL)
        odp_doc_set(&a->doc, more, info->geometry_name, make_geometry(a, info));
    for (uint32_t k = info->nfields; k < info->ncolumns; k++) /* only where `properties` names them */
        odp_doc_set(&a->doc, more, info->columns[k].name, api_field(a, r, k, API_RECORD));
    odp_doc_set_str(&a->doc, o, "type", "object");
    if (json_object_size(more) > 0)
        odp_doc_set(&a->doc, o, "properties", json_incref(more));
    json_decref(more);
    return o;
}

static json_t *make_record(struct api *a, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    json_t *o = json_object(), *required = json_array();
    odp_doc_set_str(&a->doc, o, "title", api_joined(a, &r->title, " / "));
    odp_doc_set_str(&a->doc, o, "description", api_joined(a, &r->description, "\n\n"));
    odp_doc_set(&a->doc, o, "allOf", json_pack("[o]", ref(a, "schemas", r->id, ".part")));
    odp_doc_set_str(&a->doc, o, "type", "object");
    for (uint32_t k = 0; k < info->nfields; k++)
        odp_doc_add(&a->doc, required, json_string(info->columns[k].name));
    if (shows_geometry(info))
        odp_doc_add(&a->doc, required, json_string(info->geometry_name));
    odp_doc_set(&a->doc, o, "required", required);
    return o;
}

/* The envelope with items of <id><PART>. */
static json_t *make_envelope(struct api *a, const struct api_resource *r, const char *part)
{
    json_t *o = json_object(), *properties = json_object(), *data = json_object();
    odp_doc_set_str(&a->doc, o, "type", "object");
    odp_doc_set(&a->doc, o, "required", json_pack("[s, s]", "data", "status"));
    odp_doc_set_str(&a->doc, data, "type", "array");
    odp_doc_set(&a->doc, data, "items", ref(a, "schemas", r->id, part));
    odp_doc_set(&a->doc, properties, "data", data);
    odp_doc_set(&a->doc, properties, "status", ref(a, "schemas", "Status", ""));
    odp_doc_set(&a->doc, properties, "meta", ref(a, "schemas", "Meta", ""));
    odp_doc_set(&a->doc, properties, "links", ref(a, "schemas", "Links", ""));
    odp_doc_set(&a->doc, o, "properties", properties);
    return o;
}

/* GeoJSON's own schemas, told what the properties are. */
static void set_features(struct api *a, json_t *root, const struct api_resource *r)
{
    json_t *feature = json_object(), *all = json_object();
    odp_doc_set(&a->doc, feature, "allOf", json_pack("[o]", ref(a, "schemas", "Feature", "")));
    odp_doc_set_str(&a->doc, feature, "type", "object");
    odp_doc_set(&a->doc, feature, "properties", json_pack("{s:o}", "properties", ref(a, "schemas", r->id, ".fields")));
    set_schema(a, root, r, ".feature", feature);
    odp_doc_set(&a->doc, all, "allOf", json_pack("[o]", ref(a, "schemas", "FeatureCollection", "")));
    odp_doc_set_str(&a->doc, all, "type", "object");
    odp_doc_set(&a->doc, all, "properties",
                json_pack("{s:{s:s, s:o}}", "features", "type", "array", "items", ref(a, "schemas", r->id, ".feature")));
    set_schema(a, root, r, ".features", all);
}

static void set_schemas(struct api *a, json_t *root, const struct api_resource *r)
{
    set_schema(a, root, r, ".fields", make_fields(a, r));
    set_schema(a, root, r, ".part", make_part(a, r));
    set_schema(a, root, r, "", make_record(a, r));
    set_schema(a, root, r, ".page", make_envelope(a, r, ""));
    set_schema(a, root, r, ".found", make_envelope(a, r, ".part"));
    if (r->info->has_geometry)
        set_features(a, root, r);
}

/* ---- parameters -------------------------------------------------------------------------------------------------------------
 */

/* The component of a column's parameter: "kumuh.luas_ha"; what a component's name cannot hold becomes '_', and the column's
 * number keeps it apart. */
static const char *parameter_name(struct api *a, const struct api_resource *r, uint32_t k)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const char *name = r->info->columns[k].name;
    if (name[strspn(name, plain)] == '\0')
        return odp_arena_printf(&a->arena, "%s.%s", r->id, name);
    char *copy = odp_arena_str(&a->arena, name);
    for (char *p = copy; p != NULL && *p != '\0'; p++)
        if (strchr(plain, *p) == NULL)
            *p = '_';
    return copy != NULL ? odp_arena_printf(&a->arena, "%s.%s.%u", r->id, copy, (unsigned)k) : NULL;
}

/* Several values, separated by commas, where a value has none: as the engine has it. */
static bool may_be_list(enum odp_type t)
{
    return t != ODP_TYPE_STRING && t != ODP_TYPE_ANY;
}

static void set_parameters(struct api *a, json_t *root, const struct api_resource *r)
{
    json_t *parameters = json_object_get(json_object_get(root, "components"), "parameters");
    for (uint32_t k = 0; k < r->info->ncolumns; k++) {
        const struct odp_search_column *c = &r->info->columns[k];
        const char *name = parameter_name(a, r, k);
        if (!api_is_parameter(c))
            continue;
        json_t *o = json_object();
        odp_doc_set_str(&a->doc, o, "name", c->name);
        odp_doc_set_str(&a->doc, o, "in", "query");
        odp_doc_set_str(&a->doc, o, "description", api_column_title(a, c));
        json_t *value = api_field(a, r, k, API_VALUE);
        if (may_be_list(c->type)) {
            odp_doc_set_str(&a->doc, o, "style", "form");
            odp_doc_set(&a->doc, o, "explode", json_false());
            value = json_pack("{s:s, s:o, s:i}", "type", "array", "items", value, "minItems", 1);
        }
        odp_doc_set(&a->doc, o, "schema", value);
        odp_doc_set(&a->doc, parameters, name != NULL ? name : "", o);
        a->doc.failed = a->doc.failed || name == NULL;
    }
}

static bool has_dates(const struct odp_search_info *info)
{
    return info->datetime[0] >= 0 || info->datetime[1] >= 0;
}

/* FORMS: also what changes the form of the answer. */
static json_t *list_parameters(struct api *a, const struct api_resource *r, bool forms)
{
    static const struct {
        const char *name;
        bool forms, geometry, dates;
    } common[] = {{"filter", false, false, false},    {"filter-lang", false, false, false}, {"filter-crs", false, true, false},
                  {"q", false, false, false},         {"bbox", false, true, false},         {"bbox-crs", false, true, false},
                  {"datetime", false, false, true},   {"sortby", false, false, false},      {"limit", false, false, false},
                  {"cursor", false, false, false},    {"offset", false, false, false},      {"crs", false, true, false},
                  {"properties", true, false, false}, {"skipGeometry", true, true, false},  {"facets", true, false, false},
                  {"aggregate", true, false, false},  {"groupby", true, false, false},      {"f", false, false, false}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if ((forms || !common[i].forms) && (r->info->has_geometry || !common[i].geometry) &&
            (has_dates(r->info) || !common[i].dates))
            add_ref(a, list, "parameters", common[i].name, "");
    if (forms && r->info->project >= 0)
        add_ref(a, list, "parameters", "view", "");
    for (uint32_t k = 0; k < r->info->ncolumns; k++)
        if (api_is_parameter(&r->info->columns[k])) {
            const char *name = parameter_name(a, r, k);
            add_ref(a, list, "parameters", name != NULL ? name : "", "");
        }
    return list;
}

/* ---- answers ----------------------------------------------------------------------------------------------------------------
 */

static void set_media(struct api *a, json_t *content, const char *type, json_t *schema)
{
    odp_doc_set(&a->doc, content, type, json_pack("{s:o}", "schema", schema));
}

static json_t *make_success(struct api *a, const char *description, json_t *content)
{
    static const char *const headers[] = {"ETag", "RateLimit",         "RateLimit-Policy",   "Link",
                                          "OGC-NumberMatched", "OGC-NumberReturned", "Deprecation", "Sunset"};
    json_t *o = json_object(), *list = json_object();
    odp_doc_set_str(&a->doc, o, "description", description);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        odp_doc_set(&a->doc, list, headers[i], ref(a, "headers", headers[i], ""));
    odp_doc_set(&a->doc, o, "headers", list);
    odp_doc_set(&a->doc, o, "content", content);
    return o;
}

static void set_errors(struct api *a, json_t *responses)
{
    static const char *const others[][2] = {{"304", "not-modified"}, {"400", "bad-request"},   {"401", "unauthorized"},
                                            {"403", "forbidden"},    {"404", "not-found"},     {"406", "not-acceptable"},
                                            {"410", "gone"},         {"422", "unprocessable"}, {"429", "too-many-requests"},
                                            {"default", "error"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        odp_doc_set(&a->doc, responses, others[i][0], ref(a, "responses", others[i][1], ""));
}

static json_t *plain_text(struct api *a)
{
    json_t *o = json_object();
    odp_doc_set_str(&a->doc, o, "type", "string");
    return o;
}

/* Records in every form: JSON of SCHEMA (taken), GeoJSON, CSV, a page. ONE: of one record, which is never CSV. */
static json_t *make_content(struct api *a, const struct api_resource *r, json_t *schema, bool one)
{
    json_t *content = json_object();
    set_media(a, content, "application/json", schema);
    if (r->info->has_geometry)
        set_media(a, content, "application/geo+json", ref(a, "schemas", r->id, one ? ".feature" : ".features"));
    if (!one)
        set_media(a, content, "text/csv", plain_text(a));
    set_media(a, content, "text/html", plain_text(a));
    return content;
}

/* ---- operations
 * -------------------------------------------------------------------------------------------------------------- */

/* VERB and CAMEL make the operation's name; SUMMARY's %s is the title. */
static json_t *make_operation(struct api *a, const struct api_resource *r, const char *verb, const char *after,
                              const struct odp_text *summary, const struct odp_text *description)
{
    json_t *o = json_object();
    odp_doc_set(&a->doc, o, "operationId", json_sprintf("%s%s%s", verb, r->camel, after));
    odp_doc_set(&a->doc, o, "tags", json_pack("[s]", r->info->slug));
    odp_doc_set(&a->doc, o, "summary",
                json_sprintf("%s: %s / %s: %s", odp_text_get(summary, ODP_LANG_ID), odp_text_get(&r->title, ODP_LANG_ID),
                             odp_text_get(summary, ODP_LANG_EN), odp_text_get(&r->title, ODP_LANG_EN)));
    odp_doc_set_str(&a->doc, o, "description", api_joined(a, description, "\n\n"));
    return o;
}

static json_t *make_list(struct api *a, const struct api_resource *r)
{
    static const struct odp_text
        summary = {{"Rekaman", "Records"}},
        description = {
            {"Tanpa parameter: halaman pertama, siap pakai; sebagai GeoJSON atau CSV (akhiran .geojson, .csv, atau Accept) seluruh "
             "berkas terbitan. Dengan parameter: yang cocok. Nama kolom apa pun dapat menjadi "
             "parameter (`kolom=nilai`). Parameter yang mengubah bentuk jawaban dijelaskan pada alamat `/search`, "
             "dan diterima di sini juga.",
             "Without parameters: the first page, ready-made; as GeoJSON or CSV (extension .geojson, .csv, or Accept) the whole "
             "published file. With parameters: what matches. Any field's name can be a "
             "parameter (`field=value`). Parameters that change the form of the answer are described at `/search`; they "
             "are taken here, too."}};
    json_t *o = make_operation(a, r, "list", "", &summary, &description), *responses = json_object();
    odp_doc_set(&a->doc, o, "parameters", list_parameters(a, r, false));
    odp_doc_set(&a->doc, responses, "200",
                make_success(a, "Rekaman / records", make_content(a, r, ref(a, "schemas", r->id, ".page"), false)));
    set_errors(a, responses);
    odp_doc_set(&a->doc, o, "responses", responses);
    return o;
}

/* Records, whole or in part, or what `facets`, `aggregate` and `view` make of them; shared by GET and POST. */
static void set_found(struct api *a, json_t *root, const struct api_resource *r)
{
    json_t *responses = json_object_get(json_object_get(root, "components"), "responses"), *any = json_array(),
           *schema = json_object();
    const char *name = odp_arena_printf(&a->arena, "%s.found", r->id);
    add_ref(a, any, "schemas", r->id, ".found");
    add_ref(a, any, "schemas", "Facets", "");
    add_ref(a, any, "schemas", "Figures", "");
    if (r->info->project >= 0)
        add_ref(a, any, "schemas", "Gantt", "");
    odp_doc_set(&a->doc, schema, "anyOf", any);
    odp_doc_set(&a->doc, responses, name != NULL ? name : "",
                make_success(a, "Yang cocok / what matches", make_content(a, r, schema, false)));
    a->doc.failed = a->doc.failed || name == NULL;
}

static json_t *make_search_responses(struct api *a, const struct api_resource *r)
{
    json_t *responses = json_object();
    odp_doc_set(&a->doc, responses, "200", ref(a, "responses", r->id, ".found"));
    set_errors(a, responses);
    return responses;
}

static json_t *make_search(struct api *a, const struct api_resource *r)
{
    static const struct odp_text
        summary = {{"Mencari", "Search"}},
        description = {{"Seperti tanpa `/search`, tetapi selalu kueri; juga sebagian kolom, hitungan, dan pengelompokan.",
                        "Like without `/search`, but always a query; also some of the fields, figures and groups."}};
    json_t *o = make_operation(a, r, "search", "", &summary, &description);
    odp_doc_set(&a->doc, o, "parameters", list_parameters(a, r, true));
    odp_doc_set(&a->doc, o, "responses", make_search_responses(a, r));
    return o;
}

static json_t *make_post(struct api *a, const struct api_resource *r)
{
    static const struct odp_text summary = {{"Mencari dengan isi JSON", "Search with a JSON body"}},
                                 description = {{"Parameternya di dalam isi. CQL2 JSON dikirim apa adanya sebagai `filter`.",
                                                 "The parameters are in the body. CQL2 JSON is sent as it is as `filter`."}};
    json_t *o = make_operation(a, r, "search", "ByBody", &summary, &description);
    json_t *media = json_pack("{s:o}", "schema", ref(a, "schemas", "Search", ""));
    odp_doc_set(&a->doc, o, "requestBody", json_pack("{s:b, s:{s:o}}", "required", 1, "content", "application/json", media));
    odp_doc_set(&a->doc, o, "responses", make_search_responses(a, r));
    return o;
}

static json_t *make_item(struct api *a, const struct api_resource *r)
{
    static const struct odp_text summary = {{"Satu rekaman", "One record"}};
    struct odp_text description = {{"Kuncinya: nomor rekaman, mulai dari 1.", "Its key: the number of the record, from 1."}};
    if (r->info->nkey > 0) {
        const char *names = r->info->columns[r->info->key[0]].name;
        for (uint32_t k = 1; k < r->info->nkey && names != NULL; k++)
            names = odp_arena_printf(&a->arena, "%s, %s", names, r->info->columns[r->info->key[k]].name);
        description.in[ODP_LANG_ID] = odp_arena_printf(&a->arena, "Kuncinya: `%s`.", names != NULL ? names : "");
        description.in[ODP_LANG_EN] = odp_arena_printf(&a->arena, "Its key: `%s`.", names != NULL ? names : "");
    }
    json_t *o = make_operation(a, r, "get", "", &summary, &description), *responses = json_object(), *parameters = json_array();
    add_ref(a, parameters, "parameters", "key", "");
    add_ref(a, parameters, "parameters", "f", "");
    odp_doc_set(&a->doc, o, "parameters", parameters);
    odp_doc_set(&a->doc, responses, "200",
                make_success(a, "Larik dengan satu rekaman / an array of one record",
                             make_content(a, r, ref(a, "schemas", r->id, ".page"), true)));
    set_errors(a, responses);
    odp_doc_set(&a->doc, o, "responses", responses);
    return o;
}

static void set_path(struct api *a, json_t *root, const struct api_resource *r, const char *after, json_t *item)
{
    const char *path = odp_arena_printf(&a->arena, "/v1/%s%s", r->path, after);
    odp_doc_set(&a->doc, json_object_get(root, "paths"), path != NULL ? path : "", item);
    a->doc.failed = a->doc.failed || path == NULL;
}

void api_openapi_resource(struct api *a, json_t *root, const struct api_resource *r)
{
    set_schemas(a, root, r);
    set_parameters(a, root, r);
    set_found(a, root, r);
    set_path(a, root, r, "", json_pack("{s:o}", "get", make_list(a, r)));
    set_path(a, root, r, "/search", json_pack("{s:o, s:o}", "get", make_search(a, r), "post", make_post(a, r)));
    set_path(a, root, r, "/id/{key}", json_pack("{s:o}", "get", make_item(a, r)));
}
