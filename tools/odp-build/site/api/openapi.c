/* v1/openapi.json: templates/openapi has the frame and its words; what depends on the site is put in here.
 *
 * The catalogue is described as /v1/index.json, which every server has, and not as /v1/, which linters
 * dislike; both answer. x-unit, x-labels and x-tiers hold units, labels of codes, and quotas. */
#include "base/problem_info.h"
#include "published/parts.h"
#include "site/api/api_internal.h"

static json_t *ref_to(const char *kind, const char *name)
{
    return json_pack("{s:s+++}", "$ref", "#/components/", kind, "/", name);
}

/* ---- pages that were made before ---- */

static bool names(const json_t *list, const char *text)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one) if (strcmp(json_string_value(one), text) == 0) return true;
    return false;
}

static void set_choice(json_t *parameters, const char *parameter, json_t *names_take)
{
    if (json_array_size(names_take) > 0)
        odp_set(json_object_get(json_object_get(parameters, parameter), "schema"), "enum",
                json_incref(names_take));
    json_decref(names_take);
}

/* The answers of a page: it was made before, so none is about parameters. */
static void set_page_responses(json_t *responses)
{
    static const char *const headers[] = {"ETag", "RateLimit", "RateLimit-Policy", "Deprecation", "Sunset"};
    static const char *const others[][2] = {
        {"304", "not-modified"}, {"400", "bad-request"}, {"401", "unauthorized"},      {"403", "forbidden"},
        {"404", "not-found"},    {"410", "gone"},        {"429", "too-many-requests"}, {"default", "error"}};
    json_t *list = json_object();
    for (size_t i = 0; i < ODP_COUNT(headers); i++)
        odp_set(list, headers[i], ref_to("headers", headers[i]));
    odp_set(responses, "200",
            json_pack("{s:s, s:o, s:{s:{s:o}}}", "description", "Rekaman / records", "headers", list,
                      "content", "application/json", "schema", ref_to("schemas", "envelope")));
    for (size_t i = 0; i < ODP_COUNT(others); i++)
        odp_set(responses, others[i][0], ref_to("responses", others[i][1]));
}

/* ITEM for a path of its own, with an operationId that ends in the name of ID. */
static json_t *literal(struct odp_api *a, const json_t *item, const char *verb, const char *id,
                       const char *tag)
{
    json_t *copy = json_deep_copy(item), *get = json_object_get(copy, "get");
    odp_set(get, "operationId", json_sprintf("%s%s", verb, api_camel(a, id)));
    odp_set(get, "tags", json_pack("[s]", tag));
    return copy;
}

static json_t *frame_of(struct odp_api *a)
{
    if (a->frame == NULL)
        a->frame = api_template(odp_openapi_templates, "api.json");
    return a->frame;
}

/* Versions of each dataset and the first page of each further resource have a path of their own, because
 * /v1/{slug}/versions or /v1/{slug}/{resource}.json and /v1/webhooks/{id} could be one address. Of these
 * the frame has one each, to copy. */
static const char *const frames[] = {"/v1/{slug}/versions", "/v1/{slug}/{resource}.json"};

static json_t *make_own_paths(struct odp_api *a, const json_t *entry)
{
    const char *slug = odp_text_of(entry, "slug");
    const json_t *r;
    json_t *own = json_object(), *items[2];
    size_t i;
    for (i = 0; i < 2; i++) {
        items[i] = json_copy(json_object_get(json_object_get(frame_of(a), "paths"), frames[i]));
        (void)json_object_del(items[i], "parameters");
    }
    set_page_responses(json_object_get(json_object_get(items[1], "get"), "responses"));
    odp_set(own, api_printf(a, "/v1/%s/versions", slug), literal(a, items[0], "versionsOf", slug, slug));
    json_array_foreach(json_object_get(entry, "resources"), i, r)
    {
        const char *name = odp_text_of(r, "name");
        if (i > 0)
            odp_set(own, api_printf(a, "/v1/%s/%s.json", slug, name),
                    literal(a, items[1], "firstPageOf", api_printf(a, "%s-%s", slug, name), slug));
    }
    json_decref(items[0]);
    json_decref(items[1]);
    return own;
}

/* Pages, then what each dataset has. */
static void set_pages(struct odp_api *a, json_t *all, json_t *parameters)
{
    static const char *const paths[] = {"/v1/{slug}.json", "/v1/{slug}/v/{version}/p/{page}.json",
                                        "/v1/{slug}/{resource}/v/{version}/p/{page}.json"};
    json_t *slugs = json_array(), *further = json_array();
    const json_t *entry, *r;
    size_t i, k;
    for (i = 0; i < 3; i++)
        set_page_responses(
            json_object_get(json_object_get(json_object_get(all, paths[i]), "get"), "responses"));
    for (i = 0; i < 2; i++)
        (void)json_object_del(all, frames[i]);
    json_array_foreach(a->job->entries, i, entry)
    {
        odp_add(slugs, json_string(odp_text_of(entry, "slug")));
        json_array_foreach(json_object_get(entry, "resources"), k,
                           r) if (k > 0 && !names(further, odp_text_of(r, "name")))
            odp_add(further, json_string(odp_text_of(r, "name")));
    }
    if (json_array_size(further) == 0) {
        (void)json_object_del(all, paths[2]);
        (void)json_object_del(parameters, "resource");
    }
    set_choice(parameters, "slug", slugs);
    set_choice(parameters, "resource", further);
    api_leave_place(a, all, API_OWN_PATHS);
}

/* ---- errors: one component a status, with an example of each code ---- */

static json_t *make_example(struct odp_api *a, const struct odp_problem_info *p)
{
    const char *detail = odp_text_get(&p->words.detail, ODP_LANG_ID);
    return json_pack("{s:s, s:{s:s++, s:s, s:i, s:s, s:s*}}", "summary", API_LINE(a, &p->words.title),
                     "value", "type", a->base, "galat/", p->code, "title",
                     odp_text_get(&p->words.title, ODP_LANG_ID), "status", p->status, "code", p->code,
                     "detail", *detail != '\0' ? detail : NULL);
}

/* Codes of a status that no answer has are in the answer without a status. */
static bool is_of(const json_t *answer, const json_t *answers, int status)
{
    const json_t *other;
    size_t i;
    json_array_foreach(answers, i, other) if (json_integer_value(json_object_get(other, "status")) ==
                                              status) return other == answer;
    return json_integer_value(json_object_get(answer, "status")) == 0;
}

static json_t *make_answer(struct odp_api *a, const json_t *answers, const json_t *answer)
{
    const json_t *name;
    json_t *o = json_object(), *headers = json_object(), *examples = json_object(),
           *media = json_pack("{s:o}", "schema", ref_to("schemas", "Problem"));
    size_t i;
    odp_set_copy(o, answer, "description");
    json_array_foreach(json_object_get(answer, "headers"), i, name)
        odp_set(headers, json_string_value(name), ref_to("headers", json_string_value(name)));
    for (int k = 0; k < ODP_PROBLEM_COUNT; k++) {
        const struct odp_problem_info *p = odp_problem_info((enum odp_problem)k);
        if (is_of(answer, answers, p->status))
            odp_set(examples, p->code, make_example(a, p));
    }
    if (json_object_size(headers) > 0)
        odp_set(o, "headers", json_incref(headers));
    if (json_object_size(examples) > 0)
        odp_set(media, "examples", json_incref(examples));
    json_decref(headers);
    json_decref(examples);
    odp_set(o, "content", json_pack("{s:o}", "application/problem+json", media));
    return o;
}

/* From contract/problems.def, the gateway's own list, so that the document cannot name others. */
static void add_problems(struct odp_api *a, json_t *responses)
{
    json_t *answers = api_template(odp_openapi_templates, "answers.json"), *answer;
    size_t i;
    json_array_foreach(answers, i, answer)
        odp_set(responses, odp_text_of(answer, "name"), make_answer(a, answers, answer));
    json_decref(answers);
}

/* ---- the rest ---- */

/* A tag, which has the dataset's name in lists of operations. */
static json_t *make_tag(struct odp_api *a, const json_t *entry)
{
    const struct odp_text title = api_both(entry, "title"), description = api_both(entry, "description");
    const char *both = API_LINE(a, &title);
    return json_pack("{s:s, s:s++, s:s}", "name", odp_text_of(entry, "slug"), "description", both, "\n\n",
                     API_PARAGRAPHS(a, &description), "x-displayName", both);
}

static json_t *make_tiers(const struct odp_portal *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->ntiers; i++) {
        const struct odp_tier *t = &p->tiers[i];
        json_t *o = json_pack("{s:s, s:o, s:o, s:I, s:I}", "name", t->name, "title", odp_doc_text(&t->title),
                              "daily", t->daily < 0 ? json_null() : json_integer(t->daily), "burst",
                              (json_int_t)t->burst, "concurrent", (json_int_t)t->concurrent);
        if (t->webhooks != ODP_WEBHOOKS_UNSAID)
            odp_set(o, "webhooks", t->webhooks < 0 ? json_null() : json_integer(t->webhooks));
        odp_add(list, o);
    }
    return list;
}

static void set_head(struct odp_api *a, json_t *root)
{
    json_t *info = api_info(a, json_object_get(root, "info"));
    size_t len = strlen(a->base); /* paths begin with a slash */
    len -= len > 0 && a->base[len - 1] == '/';
    odp_set(info, "x-tiers", make_tiers(a->portal));
    odp_set(root, "info", info);
    odp_set(
        root, "externalDocs",
        json_pack("{s:s, s:s+}", "description", "OGC API - Features: QGIS, GDAL", "url", a->base, "v1/ogc/"));
    odp_add(json_object_get(root, "servers"), json_pack("{s:o}", "url", json_stringn(a->base, len)));
}

/* The formats that a dataset can list. */
static void set_formats(json_t *schemas)
{
    json_t *formats = json_object_get(
               json_object_get(json_object_get(json_object_get(schemas, "dataset"), "properties"), "formats"),
               "items"),
           *list = json_array();
    for (size_t i = 0; i < ODP_FORMATS; i++)
        odp_add(list, json_string(odp_format_names[i]));
    odp_set(formats, "enum", list);
}

/* ---- all of it ---- */

static void add_text_take(struct odp_api *a, struct odp_buffer *texts, enum api_text text, json_t *value)
{
    api_add_text(a, texts, text, value);
    json_decref(value);
}

void api_openapi_of_dataset(struct odp_api *a, const json_t *entry, struct odp_buffer *texts)
{
    add_text_take(a, texts, API_TAG, make_tag(a, entry));
    add_text_take(a, texts, API_OWN_PATHS, make_own_paths(a, entry));
}

/* What templates/openapi/made/resource.json makes, and where the document has it. */
static const struct {
    enum api_text text;
    const char *name;
} components[] = {{API_PARAMETERS, "parameters"}, {API_RESPONSES, "responses"}, {API_SCHEMAS, "schemas"}};

void api_openapi_of_resource(struct odp_api *a, const struct api_resource *r, struct odp_buffer *texts)
{
    json_t *made = api_document(a, "made/resource.json", r->model),
           *parts = json_object_get(made, "components");
    api_add_text(a, texts, API_PATHS, json_object_get(made, "paths"));
    for (size_t i = 0; i < ODP_COUNT(components); i++)
        api_add_text(a, texts, components[i].text, json_object_get(parts, components[i].name));
    json_decref(made);
}

void api_openapi(struct odp_api *a)
{
    json_t *root = json_incref(frame_of(a)), *keys = api_template(odp_openapi_templates, "auth.json"),
           *parts = json_object_get(root, "components"), *schemas = json_object_get(parts, "schemas"),
           *paths = json_object_get(root, "paths"), *parameters = json_object_get(parts, "parameters");
    struct odp_buffer frame = {0};
    bool timeline = false;
    set_head(a, root);
    set_formats(schemas);
    api_leave_place(a, json_object_get(root, "tags"), API_TAG);
    set_pages(a, paths, parameters);
    add_problems(a, json_object_get(parts, "responses"));
    api_leave_place(a, paths, API_PATHS);
    for (size_t i = 0; i < ODP_COUNT(components); i++)
        api_leave_place(a, json_object_get(parts, components[i].name), components[i].text);
    for (size_t i = 0; i < a->n; i++)
        timeline = timeline || a->resources[i].info->project >= 0;
    json_object_update_missing(paths, json_object_get(keys, "paths"));
    json_object_update_missing(schemas, json_object_get(keys, "schemas"));
    json_decref(keys);
    api_openapi_webhooks(a, root);
    if (!timeline) /* nothing refers to the parameter */
        (void)json_object_del(parameters, "view");
    if (a->status == ODP_OK)
        a->status = odp_doc_print(&frame, root, ODP_DOC_NARROW);
    odp_part_set_text(a->job->stage, odp_buffer_slice(&frame));
    api_openapi_keep(a, odp_buffer_slice(&frame));
    api_put_filled(a, "v1/openapi.json", "application/json", a->openapi);
    odp_buffer_release(&frame);
    json_decref(root);
}

void api_openapi_keep(struct odp_api *a, struct odp_slice frame)
{
    a->openapi = odp_arena_printf(&a->arena, "%.*s", (int)frame.len, frame.len > 0 ? frame.ptr : "");
    if (a->status == ODP_OK)
        a->status = odp_digest_of(frame.ptr, frame.len, a->digest);
}

/* Appends BETWEEN and the texts TEXT of D, divided by commas, in the order of the document. */
static void add_texts_of(const struct api_dataset *d, enum api_text text, const char *between,
                         struct odp_buffer *out)
{
    for (int geometry = 1; geometry >= 0; geometry--)
        for (size_t i = 0; i < d->n; i++) {
            const struct api_resource *r = &d->resources[i];
            if (r->info->has_geometry != (geometry == 1) || *r->texts[text] == '\0')
                continue;
            odp_buffer_add_str(out, between);
            odp_buffer_add_str(out, r->texts[text]);
            between = ",";
        }
}

void api_openapi_alone(const struct api_dataset *d, struct odp_buffer *out)
{
    odp_buffer_printf(out, "{\"tags\":[%s],\"paths\":{%s", d->texts[API_TAG], d->texts[API_OWN_PATHS]);
    add_texts_of(d, API_PATHS, ",", out);
    odp_buffer_add_str(out, "},\"components\":{");
    for (size_t i = 0; i < ODP_COUNT(components); i++) {
        odp_buffer_printf(out, "%s\"%s\":{", i > 0 ? "," : "", components[i].name);
        add_texts_of(d, components[i].text, "", out);
        odp_buffer_add_char(out, '}');
    }
    odp_buffer_add_str(out, "}}");
}
