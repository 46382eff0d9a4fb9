/* v1/openapi.json: the frame and its words come from templates/openapi, everything that depends on the site
 * is put into it here.
 *
 * The catalogue is described as /v1/index.json, which every server has, and not as /v1/, which linters
 * dislike; both answer. x-unit, x-labels and x-tiers carry units, what codes mean, and quotas. */
#include "site/api/api_internal.h"

/* ---- pages that were made before ---- */

static bool has_further(const struct api *a)
{
    for (size_t i = 0; i < json_array_size(a->entries); i++)
        if (json_array_size(json_object_get(json_array_get(a->entries, i), "resources")) > 1)
            return true;
    return false;
}

/* The slugs; of the further resources their names, each once. */
static void set_choices(struct api *a, json_t *parameters)
{
    json_t *slugs = json_array(), *names = json_array();
    for (size_t i = 0; i < json_array_size(a->entries); i++) {
        const json_t *entry = json_array_get(a->entries, i), *list = json_object_get(entry, "resources");
        odp_doc_add(&a->doc, slugs, json_string(api_text(entry, "slug")));
        for (size_t k = 1; k < json_array_size(list); k++) {
            const char *name = api_text(json_array_get(list, k), "name");
            bool there = false;
            for (size_t m = 0; m < json_array_size(names); m++)
                there = there || strcmp(json_string_value(json_array_get(names, m)), name) == 0;
            if (!there)
                odp_doc_add(&a->doc, names, json_string(name));
        }
    }
    if (json_array_size(slugs) > 0)
        odp_doc_set(&a->doc, json_object_get(json_object_get(parameters, "slug"), "schema"), "enum",
                    json_incref(slugs));
    if (json_array_size(names) > 0)
        odp_doc_set(&a->doc, json_object_get(json_object_get(parameters, "resource"), "schema"), "enum",
                    json_incref(names));
    json_decref(slugs);
    json_decref(names);
}

static void set_ref(struct api *a, json_t *o, const char *key, const char *kind, const char *name)
{
    odp_doc_set(&a->doc, o, key, json_pack("{s:o}", "$ref", json_sprintf("#/components/%s/%s", kind, name)));
}

/* The answers of a page: made before, so nothing about parameters. */
static void set_page_responses(struct api *a, json_t *responses)
{
    static const char *const headers[] = {"ETag", "RateLimit", "RateLimit-Policy", "Deprecation", "Sunset"};
    static const char *const others[][2] = {
        {"304", "not-modified"}, {"400", "bad-request"}, {"401", "unauthorized"},      {"403", "forbidden"},
        {"404", "not-found"},    {"410", "gone"},        {"429", "too-many-requests"}, {"default", "error"}};
    json_t *ok = json_object(), *list = json_object(), *content = json_object(), *media = json_object();
    odp_doc_set_str(&a->doc, ok, "description", "Rekaman / records");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        set_ref(a, list, headers[i], "headers", headers[i]);
    odp_doc_set(&a->doc, ok, "headers", list);
    set_ref(a, media, "schema", "schemas", "envelope");
    odp_doc_set(&a->doc, content, "application/json", media);
    odp_doc_set(&a->doc, ok, "content", content);
    odp_doc_set(&a->doc, responses, "200", ok);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        set_ref(a, responses, others[i][0], "responses", others[i][1]);
}

static void set_static_pages(struct api *a, json_t *root)
{
    static const char *const paths[] = {"/v1/{slug}.json", "/v1/{slug}/v/{version}/p/{page}.json",
                                        "/v1/{slug}/{resource}.json",
                                        "/v1/{slug}/{resource}/v/{version}/p/{page}.json"};
    json_t *all = json_object_get(root, "paths"),
           *parameters = json_object_get(json_object_get(root, "components"), "parameters");
    size_t n = has_further(a) ? 4 : 2;
    for (size_t i = 0; i < n; i++)
        set_page_responses(
            a, json_object_get(json_object_get(json_object_get(all, paths[i]), "get"), "responses"));
    for (size_t i = n; i < 4; i++)
        (void)json_object_del(all, paths[i]);
    set_choices(a, parameters);
    if (n < 4)
        (void)json_object_del(parameters, "resource");
}

/* ITEM at PATH, under an operationId that ends in the name of ID. */
static void set_literal(struct api *a, json_t *paths, const json_t *item, const char *path, const char *verb,
                        const char *id, const char *tag)
{
    const char *camel = id != NULL ? api_camel(a, id) : NULL;
    a->doc.failed = a->doc.failed || camel == NULL || path == NULL;
    if (a->doc.failed)
        return;
    json_t *copy = json_deep_copy(item), *get = json_object_get(copy, "get");
    odp_doc_set(&a->doc, get, "operationId", json_sprintf("%s%s", verb, camel));
    odp_doc_set(&a->doc, get, "tags", json_pack("[s]", tag));
    odp_doc_set(&a->doc, paths, path, copy);
}

/* The versions of each dataset, and the first page of each further resource: a path of its own for each,
 * because /v1/{slug}/versions or /v1/{slug}/{resource}.json and /v1/webhooks/{id} could be one address. */
static void set_literals(struct api *a, json_t *root)
{
    static const char *const frames[] = {"/v1/{slug}/versions", "/v1/{slug}/{resource}.json"};
    json_t *all = json_object_get(root, "paths"), *items[2];
    for (size_t k = 0; k < 2; k++) {
        items[k] = json_incref(json_object_get(all, frames[k]));
        (void)json_object_del(all, frames[k]);
        (void)json_object_del(items[k], "parameters");
    }
    for (size_t i = 0; i < json_array_size(a->entries); i++) {
        const json_t *entry = json_array_get(a->entries, i), *list = json_object_get(entry, "resources");
        const char *slug = api_text(entry, "slug");
        set_literal(a, all, items[0], odp_arena_printf(&a->arena, "/v1/%s/versions", slug), "versionsOf",
                    slug, slug);
        for (size_t k = 1; k < json_array_size(list); k++) {
            const char *name = api_text(json_array_get(list, k), "name");
            set_literal(a, all, items[1], odp_arena_printf(&a->arena, "/v1/%s/%s.json", slug, name),
                        "firstPageOf", odp_arena_printf(&a->arena, "%s-%s", slug, name), slug);
        }
    }
    json_decref(items[0]);
    json_decref(items[1]);
}

/* ---- the rest ---- */

/* One tag a dataset, in the order of the index, before those of keys and pages. */
static void add_tags(struct api *a, json_t *root)
{
    json_t *tags = json_object_get(root, "tags");
    for (size_t i = 0; i < json_array_size(a->entries); i++) {
        const json_t *entry = json_array_get(a->entries, i);
        const struct odp_text title = api_both(entry, "title"), description = api_both(entry, "description");
        const char *both = api_joined(a, &title, " / "), *more = api_joined(a, &description, "\n\n");
        json_t *tag = json_object();
        odp_doc_set_str(&a->doc, tag, "name", api_text(entry, "slug"));
        odp_doc_set(&a->doc, tag, "description",
                    json_sprintf("%s\n\n%s", both != NULL ? both : "", more != NULL ? more : ""));
        if (both != NULL)
            odp_doc_set_str(&a->doc, tag, "x-displayName", both);
        odp_doc_add(&a->doc, tags, tag);
    }
}

/* Members of FROM that TO lacks, as they stand. */
static void take_over(struct api *a, json_t *to, json_t *from)
{
    if (json_object_update_missing(to, from) != 0)
        a->doc.failed = true;
}

static void add_keys(struct api *a, json_t *root)
{
    json_t *auth = api_template(a, odp_openapi_templates, "auth.json"),
           *components = json_object_get(root, "components");
    take_over(a, json_object_get(root, "paths"), json_object_get(auth, "paths"));
    take_over(a, json_object_get(components, "schemas"), json_object_get(auth, "schemas"));
    json_decref(auth);
}

static json_t *make_tiers(struct api *a)
{
    const struct odp_portal *p = &a->catalog->portal;
    json_t *list = json_array();
    for (size_t i = 0; i < p->ntiers; i++) {
        const struct odp_tier *t = &p->tiers[i];
        json_t *o = json_pack("{s:s, s:o, s:o, s:I, s:I}", "name", t->name, "title", odp_doc_text(&t->title),
                              "daily", t->daily < 0 ? json_null() : json_integer(t->daily), "burst",
                              (json_int_t)t->burst, "concurrent", (json_int_t)t->concurrent);
        if (t->webhooks != ODP_WEBHOOKS_UNSAID)
            odp_doc_set(&a->doc, o, "webhooks", t->webhooks < 0 ? json_null() : json_integer(t->webhooks));
        odp_doc_add(&a->doc, list, o);
    }
    return list;
}

static void set_head(struct api *a, json_t *root)
{
    json_t *server = json_object(), *more = json_object(), *info = api_info(a, json_object_get(root, "info"));
    odp_doc_set(&a->doc, info, "x-tiers", make_tiers(a));
    odp_doc_set(&a->doc, root, "info", info);
    odp_doc_set_str(&a->doc, more, "description", "OGC API - Features: QGIS, GDAL");
    odp_doc_set(&a->doc, more, "url", json_sprintf("%sv1/ogc/", a->base));
    odp_doc_set(&a->doc, root, "externalDocs", more);
    size_t len = strlen(a->base); /* paths begin with a slash */
    odp_doc_set(&a->doc, server, "url",
                json_stringn(a->base, len > 0 && a->base[len - 1] == '/' ? len - 1 : len));
    odp_doc_add(&a->doc, json_object_get(root, "servers"), server);
}

/* What a dataset of the catalogue can list in "formats". */
static void set_formats(struct api *a, json_t *schemas)
{
    json_t *formats = json_object_get(json_object_get(json_object_get(schemas, "dataset"), "properties"), "formats"), *names = json_array();
    for (size_t i = 0; i < ODP_FORMATS; i++)
        odp_doc_add(&a->doc, names, json_string(odp_format_names[i]));
    odp_doc_set(&a->doc, json_object_get(formats, "items"), "enum", names);
}

/* A parameter that nothing refers to says nothing. */
static void drop_unused(struct api *a, json_t *root)
{
    json_t *parameters = json_object_get(json_object_get(root, "components"), "parameters");
    bool timeline = false;
    for (size_t i = 0; i < a->n; i++)
        timeline = timeline || a->resources[i].info->project >= 0;
    if (!timeline)
        (void)json_object_del(parameters, "view");
}

enum odp_status api_openapi(struct api *a)
{
    json_t *root = api_template(a, odp_openapi_templates, "api.json"),
           *components = json_object_get(root, "components");
    set_head(a, root);
    set_formats(a, json_object_get(components, "schemas"));
    add_tags(a, root);
    set_static_pages(a, root);
    set_literals(a, root);
    api_openapi_problems(a, json_object_get(components, "responses"));
    for (size_t i = 0; i < a->n; i++)
        api_merge_take(a, root, api_document(a, "made/resource.json", a->resources[i].model));
    add_keys(a, root);
    api_openapi_webhooks(a, root);
    drop_unused(a, root);
    return api_put_take(a, "v1/openapi.json", "application/json", root);
}
