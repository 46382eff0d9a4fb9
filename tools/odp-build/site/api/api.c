/* All documents of the API, and what they are made of: the entries, the list of
 * indexes, the published schemas. */
#include "site/api/api_internal.h"

#include <errno.h>

#include "base/json_load.h"

enum { SCHEMA_MAX = 64 << 20 };

/* The resource of ENTRY that INFO is about, or NULL. */
static const json_t *resource_of(const json_t *entry, const struct odp_search_info *info)
{
    const json_t *list = json_object_get(entry, "resources");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        if (info->resource == NULL ? i == 0 : strcmp(api_text(r, "name"), info->resource) == 0)
            return r;
    }
    return NULL;
}

/* data/<slug>/latest/ has the version's schema in today's words; a dataset without it has the version's own.
 */
static enum odp_status read_schema(struct api *a, struct api_resource *r)
{
    const char *url = api_text(r->resource, "schema"),
               *name = strrchr(url, '/'); /* "../data/kumuh/2024-03-15/schema.json" */
    struct odp_buffer text;
    if (strncmp(url, "../", 3) != 0 || name == NULL)
        return ODP_OK; /* a site of another make: what the index says must do */
    const char *latest = odp_arena_printf(&a->arena, "data/%s/latest%s", r->info->slug, name);
    odp_buffer_init(&text);
    enum odp_status status = odp_stage_read(a->stage, latest, SCHEMA_MAX, a->previous, &text, a->diags);
    if (status == ODP_DONE)
        status = odp_stage_read(a->stage, url + 3, SCHEMA_MAX, a->previous, &text, a->diags);
    if (status == ODP_OK) {
        json_error_t error;
        r->schema = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
        if (r->schema == NULL)
            status = json_error_code(&error) == json_error_out_of_memory
                         ? odp_failure_set("read JSON", url, ENOMEM)
                         : odp_failure_set("read JSON", url, 0);
    }
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status init_resource(struct api *a, struct api_resource *r,
                                     const struct odp_search_listed *listed)
{
    const struct odp_search_info *info = &listed->info;
    *r = (struct api_resource){.info = info,
                               .entry = listed->entry,
                               .resource = resource_of(listed->entry, info),
                               .id = listed->collection,
                               .path = info->resource == NULL
                                           ? info->slug
                                           : odp_arena_printf(&a->arena, "%s/%s", info->slug, info->resource),
                               .camel = api_camel(a, listed->collection)};
    r->title = api_both(info->resource != NULL ? r->resource : r->entry, "title");
    if (odp_text_is_empty(&r->title))
        r->title = api_both(r->entry, "title");
    r->description = api_both(r->entry, "description");
    if (r->path == NULL || r->camel == NULL)
        return ODP_FAIL;
    return read_schema(a, r);
}

/* Those with a geometry first: that is what programs for maps show first. */
static enum odp_status init_resources(struct api *a, const struct odp_search_listed *list, size_t n)
{
    a->resources = odp_arena_zero(&a->arena, n + 1, sizeof *a->resources);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            if (list[i].info.has_geometry != (pass == 0))
                continue;
            enum odp_status status = init_resource(a, &a->resources[a->n++], &list[i]);
            if (status != ODP_OK)
                return status;
        }
    return ODP_OK;
}

/* ---- all of them ---- */

enum odp_status odp_api_documents(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries,
                                  const struct odp_search_listed *list, size_t n,
                                  const struct odp_site *previous, struct odp_diags *diags)
{
    struct api a = {.stage = s,
                    .catalog = c,
                    .entries = entries,
                    .base = c->portal.base_url != NULL ? c->portal.base_url : "",
                    .release = c->nreleases > 0 ? c->releases[0].version : "",
                    .previous = previous,
                    .diags = diags};
    odp_arena_init(&a.arena);
    enum odp_status status = init_resources(&a, list, n);
    if (status == ODP_OK)
        status = api_templates_open(&a);
    if (status == ODP_OK)
        status = api_openapi(&a);
    if (status == ODP_OK)
        status = api_events(&a);
    if (status == ODP_OK)
        status = api_ogc(&a);
    if (status == ODP_OK)
        status = api_pages(&a);
    for (size_t i = 0; i < a.n; i++) {
        json_decref(a.resources[i].schema);
        json_decref(a.resources[i].model);
    }
    json_decref(a.model);
    odp_templates_close(a.templates);
    odp_arena_release(&a.arena);
    return status;
}
