/* All documents of the API, made of the entries, the list of indexes and the published schemas; and their
 * templates. */
#include <errno.h>
#include <stdlib.h>

#include "base/json_load.h"
#include "published/parts.h"
#include "site/api/api_internal.h"
#include "site/versions/among.h"

/* The resource of ENTRY that INFO describes, or NULL. */
static const json_t *resource_of(const json_t *entry, const struct odp_search_info *info)
{
    const json_t *r;
    size_t i;
    json_array_foreach(json_object_get(entry, "resources"), i,
                       r) if (info->resource == NULL ||
                              strcmp(odp_text_of(r, "name"), info->resource) == 0) return r;
    return NULL;
}

static void set_resource(struct odp_api *a, struct api_resource *r, const struct odp_search_listed *listed)
{
    const struct odp_search_info *info = &listed->info;
    *r = (struct api_resource){.info = info,
                               .entry = listed->entry,
                               .resource = resource_of(listed->entry, info),
                               .id = listed->collection,
                               .path = info->slug,
                               .camel = api_camel(a, listed->collection)};
    if (info->resource != NULL)
        r->path = api_printf(a, "%s/%s", info->slug, info->resource);
    r->title = api_both(info->resource != NULL ? r->resource : r->entry, "title");
    if (odp_text_is_empty(&r->title))
        r->title = api_both(r->entry, "title");
    r->description = api_both(r->entry, "description");
}

/* ---- the set of templates ---- */

static bool is_template(const char *path)
{
    static const char *const folders[] = {"made/", "documents/", "pages/", "parts/", "words/"};
    bool found = false;
    for (size_t i = 0; i < ODP_COUNT(folders); i++)
        found = found || strncmp(path, folders[i], strlen(folders[i])) == 0;
    return found;
}

/* What a page may ask for besides what all may. */
static const json_t *shape_of(const json_t *model, const char *path)
{
    static const char *const shapes[][2] = {
        {"pages/collection.html", "collection"},  {"pages/queryables.html", "collection"},
        {"pages/collection-", "collection"},      {"pages/", "service_page"},
        {"documents/index.json", "service"},      {"documents/conformance.json", "service"},
        {"documents/collections.json", "service"}};
    for (size_t i = 0; i < ODP_COUNT(shapes); i++)
        if (strncmp(path, shapes[i][0], strlen(shapes[i][0])) == 0)
            return json_object_get(model, shapes[i][1]);
    return json_object_get(model, "resource");
}

/* The engine calls pages by their stem, documents by their path. */
static void open_templates(struct odp_api *a)
{
    enum { MOST = 100 };
    static const struct odp_template_text *const lists[] = {odp_ogc_templates, odp_openapi_templates};
    json_t *model = api_template(odp_ogc_templates, "model.json");
    struct odp_template_text *sources = odp_arena_zero(&a->arena, MOST, sizeof *sources);
    struct odp_template_model *models = odp_arena_zero(&a->arena, MOST, sizeof *models);
    struct odp_templates_options o = {.common = model, .texts = sources, .models = models, .proven = true};
    size_t n = 0;
    for (size_t l = 0; l < 2; l++)
        for (const struct odp_template_text *s = lists[l]; s->path != NULL && n + 1 < MOST; s++) {
            const char *stem = s->path;
            if (!is_template(s->path))
                continue;
            if (strncmp(s->path, "pages/", 6) == 0)
                stem = api_printf(a, "%.*s", (int)strcspn(s->path + 6, "."), s->path + 6);
            sources[n++] = *s;
            models[o.nmodels++] = (struct odp_template_model){stem, shape_of(model, s->path)};
        }
    if (a->status == ODP_OK)
        a->status = odp_templates_open(&a->templates, &o, a->job->diags);
    json_decref(model);
}

/* ---- one dataset ---- */

/* The files of R into the stage, its texts into TEXTS. */
static void make_resource(struct odp_api *a, struct api_resource *r, struct odp_buffer *texts)
{
    if (a->status == ODP_OK)
        a->status = odp_job_schema(a->job, r->info->slug, r->resource, &r->schema);
    r->model = api_resource_model(a, r);
    api_openapi_of_resource(a, r, texts);
    api_ogc_of_resource(a, r, texts);
    json_decref(r->schema);
    json_decref(r->model);
    r->schema = r->model = NULL;
}

static void make_dataset(struct odp_api *a, const struct api_dataset *d, struct odp_buffer *texts)
{
    api_openapi_of_dataset(a, d->entry, texts);
    for (size_t i = 0; i < d->n; i++)
        make_resource(a, &d->resources[i], texts);
    if (a->status == ODP_OK)
        a->status = odp_buffer_status(texts);
}

/* Leads N pointers to the texts at *AT, which moves on. */
static void take_texts(const char **texts, size_t n, const char **at)
{
    for (size_t i = 0; i < n; i++, *at += strlen(*at) + 1)
        texts[i] = *at;
}

/* Documents of the whole catalogue, each a part of the texts FROM to TO of all datasets. */
static const struct {
    const char *part;
    enum api_text from, to;
    void (*make)(struct odp_api *a);
} wholes[API_WHOLES] = {
    [API_OPENAPI] = {"api.openapi", API_TAG, API_SCHEMAS, api_openapi},
    [API_EVENTS] = {"api.events", API_TEXTS, API_TEXTS, api_events},
    [API_OGC] = {"api.ogc", API_OGC_PATHS, API_SECTION - 1, api_ogc},
    [API_COLLECTIONS] = {"api.collections", API_COLLECTION, API_TEXTS - 1, api_ogc_collections}};

/* Leads to what is in TEXTS, the part's text: the digests of its texts, then these. */
static void set_texts(struct api_dataset *d, const char *texts)
{
    memcpy(d->digests, texts, sizeof d->digests);
    texts += sizeof d->digests;
    take_texts(d->texts, API_OF_DATASET, &texts);
    for (size_t i = 0; i < d->n; i++)
        take_texts(d->resources[i].texts + API_OF_DATASET, API_TEXTS - API_OF_DATASET, &texts);
}

/* What document I is made of D: its texts, and their place (geometry comes first). */
static enum odp_status digest_texts(const struct api_dataset *d, size_t i, uint8_t out[ODP_SHA256_SIZE])
{
    struct odp_buffer all = {0};
    for (enum api_text text = wholes[i].from; text <= wholes[i].to && text < API_TEXTS; text++)
        for (size_t k = 0; k < (text < API_OF_DATASET ? 1 : d->n); k++) {
            const char *one = text < API_OF_DATASET ? d->texts[text] : d->resources[k].texts[text];
            odp_buffer_add(&all, one, strlen(one) + 1);
        }
    for (size_t k = 0; k < d->n; k++)
        odp_buffer_add_char(&all, (char)d->resources[k].info->has_geometry);
    enum odp_status status = odp_buffer_status(&all);
    if (status == ODP_OK)
        status = odp_digest_of(all.ptr, all.len, out);
    odp_buffer_release(&all);
    return status;
}

/* A part of what is known of the dataset alone. */
static void put_dataset(struct odp_api *a, struct api_dataset *d)
{
    struct odp_stage *stage = a->job->stage;
    a->status = odp_among_begin_alone(a->job, "api", d->entry);
    if (a->status == ODP_OK) {
        struct odp_buffer texts = {0};
        odp_buffer_add(&texts, d->digests, sizeof d->digests);
        make_dataset(a, d, &texts);
        if (a->status == ODP_OK)
            set_texts(d, texts.ptr);
        for (size_t i = 0; i < API_WHOLES && a->status == ODP_OK; i++)
            a->status = digest_texts(d, i, (uint8_t *)texts.ptr + i * ODP_SHA256_SIZE);
        odp_part_set_text(stage, odp_buffer_slice(&texts));
        a->status = odp_part_end(stage, a->status);
        odp_buffer_release(&texts);
    } else if (a->status == ODP_DONE) {
        a->status = ODP_OK;
    }
    if (a->status == ODP_OK)
        set_texts(d, odp_part_text(stage).ptr);
}

/* ---- all of it ---- */

static void put_whole(struct odp_api *a, size_t i)
{
    struct odp_buffer all = {0};
    for (size_t k = 0; k < a->ndatasets; k++)
        odp_buffer_add(&all, a->datasets[k].digests[i], ODP_SHA256_SIZE);
    a->status = odp_buffer_status(&all);
    if (a->status == ODP_OK)
        a->status = odp_part_begin(a->job->stage, wholes[i].part, odp_buffer_slice(&all));
    odp_buffer_release(&all);
    if (a->status == ODP_OK) {
        wholes[i].make(a);
        a->status = odp_part_end(a->job->stage, a->status);
    } else if (a->status == ODP_DONE) {
        a->status = ODP_OK;
        if (i == API_OPENAPI)
            api_openapi_keep(a, odp_part_text(a->job->stage));
    }
}

/* The entries with their resources of LIST, which has the same order. */
static void set_datasets(struct odp_api *a, const struct odp_search_listed *list, size_t n)
{
    const json_t *entry;
    size_t i, at = 0;
    a->resources = odp_arena_zero(&a->arena, n + 1, sizeof *a->resources);
    a->shown = odp_arena_zero(&a->arena, n + 1, sizeof *a->shown);
    a->datasets = odp_arena_zero(&a->arena, json_array_size(a->job->entries) + 1, sizeof *a->datasets);
    json_array_foreach(a->job->entries, i, entry)
    {
        struct api_dataset *d = &a->datasets[a->ndatasets++];
        *d = (struct api_dataset){.entry = entry, .resources = &a->resources[at]};
        for (; at < n && list[at].entry == entry; at++, d->n++)
            set_resource(a, &a->resources[at], &list[at]);
    }
    for (int geometry = 1; geometry >= 0; geometry--) /* programs for maps show the first one */
        for (i = 0; i < at; i++)
            if (a->resources[i].info->has_geometry == (geometry == 1))
                a->shown[a->n++] = &a->resources[i];
}

/* The documents are made; what pages ask for stays. */
static enum odp_status make_all(struct odp_api *a)
{
    open_templates(a);
    for (size_t i = 0; i < a->ndatasets && a->status == ODP_OK; i++)
        put_dataset(a, &a->datasets[i]);
    for (size_t i = 0; i < API_WHOLES && a->status == ODP_OK; i++)
        put_whole(a, i);
    odp_templates_close(a->templates);
    json_decref(a->frame);
    json_decref(a->model);
    return a->status == ODP_OK ? odp_arena_status(&a->arena) : a->status;
}

enum odp_status odp_api_documents(struct odp_api **out, const struct odp_site_job *job,
                                  const struct odp_search_listed *list, size_t n)
{
    const struct odp_catalog *c = job->catalog;
    struct odp_api *a = *out = calloc(1, sizeof *a);
    if (a == NULL)
        return odp_failure_set("make", "documents of the API", ENOMEM);
    *a = (struct odp_api){.job = job,
                          .portal = &c->portal,
                          .base = c->portal.base_url != NULL ? c->portal.base_url : "",
                          .release = c->nreleases > 0 ? c->releases[0].version : ""};
    odp_arena_init(&a->arena);
    a->model = json_pack("{s:s, s:o, s:o}", "base", a->base, "portal", odp_doc_text(&c->portal.title),
                         "publisher", odp_doc_text(&c->portal.publisher));
    set_datasets(a, list, n);
    return make_all(a);
}

void odp_api_close(struct odp_api *a)
{
    if (a == NULL)
        return;
    odp_arena_release(&a->arena);
    free(a);
}

/* ---- for pages ---- */

static const struct api_dataset *dataset_of(const struct odp_api *a, const char *slug)
{
    return &a->datasets[odp_job_number(a->job, slug)];
}

json_t *odp_api_openapi(const struct odp_api *a, const char *slug)
{
    struct odp_buffer text = {0};
    if (slug != NULL)
        api_openapi_alone(dataset_of(a, slug), &text);
    else
        odp_buffer_add_str(&text, a->openapi);
    json_t *document = odp_json_load(text.ptr, text.len, 0, NULL);
    odp_buffer_release(&text);
    return document;
}

const uint8_t *odp_api_openapi_digest(const struct odp_api *a, const char *slug)
{
    return slug != NULL ? dataset_of(a, slug)->digests[API_OPENAPI] : a->digest;
}
