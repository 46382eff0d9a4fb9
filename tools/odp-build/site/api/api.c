/* All documents of the API, made of the entries, the list of indexes and the published schemas; and their
 * templates. */
#include "site/api/api_internal.h"

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

static void add_resource(struct api *a, const struct odp_search_listed *listed)
{
    struct api_resource *r = &a->resources[a->n++];
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
    if (a->status == ODP_OK)
        a->status = odp_job_schema(a->job, info->slug, r->resource, &r->schema);
    r->model = api_resource_model(a, r);
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
    static const char *const shapes[][2] = {{"pages/collection.html", "collection"},
                                            {"pages/queryables.html", "collection"},
                                            {"pages/", "service_page"},
                                            {"documents/index.json", "service"},
                                            {"documents/conformance.json", "service"},
                                            {"documents/collections.json", "service"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strncmp(path, shapes[i][0], strlen(shapes[i][0])) == 0)
            return json_object_get(model, shapes[i][1]);
    return json_object_get(model, "resource");
}

/* The engine calls pages by their stem, documents by their path. */
static void open_templates(struct api *a)
{
    enum { MOST = 100 };
    static const struct odp_template_text *const lists[] = {odp_ogc_templates, odp_openapi_templates};
    json_t *model = api_template(odp_ogc_templates, "model.json");
    struct odp_template_text *sources = odp_arena_zero(&a->arena, MOST, sizeof *sources);
    struct odp_template_model *models = odp_arena_zero(&a->arena, MOST, sizeof *models);
    struct odp_templates_options o = {.common = model, .texts = sources, .models = models};
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

/* ---- all of it ---- */

enum odp_status odp_api_documents(const struct odp_site_job *job, const struct odp_search_listed *list,
                                  size_t n)
{
    const struct odp_catalog *c = job->catalog;
    struct api a = {.job = job,
                    .portal = &c->portal,
                    .base = c->portal.base_url != NULL ? c->portal.base_url : "",
                    .release = c->nreleases > 0 ? c->releases[0].version : ""};
    odp_arena_init(&a.arena);
    a.model = json_pack("{s:s}", "base", a.base);
    a.resources = odp_arena_zero(&a.arena, n + 1, sizeof *a.resources);
    for (int geometry = 1; geometry >= 0; geometry--) /* programs for maps show the first one */
        for (size_t i = 0; i < n; i++)
            if (list[i].info.has_geometry == (geometry == 1))
                add_resource(&a, &list[i]);
    open_templates(&a);
    if (a.status == ODP_OK)
        api_openapi(&a);
    if (a.status == ODP_OK)
        api_events(&a);
    if (a.status == ODP_OK)
        api_ogc(&a);
    for (size_t i = 0; i < a.n; i++) {
        json_decref(a.resources[i].schema);
        json_decref(a.resources[i].model);
    }
    json_decref(a.model);
    odp_templates_close(a.templates);
    odp_arena_release(&a.arena);
    return a.status;
}
