/* The version before, as far as a comparison needs it: one small file a resource, so that neither the old
 * data nor (in a check) a whole manifest is read. */
#include "run/profiles.h"

#include <stdlib.h>

#include "base/json_load.h"
#include "published/stage.h"

enum { PROFILE_MAX = 16 << 20, INDEX_MAX = 256 << 20 };

/* ---- the bytes ---- */

/* The file at PATH of the published site, in OUT. DONE: it is not there, or cannot be believed; a comparison
 * is no reason to complain of it. */
static enum odp_status read_site(struct run *r, const char *path, size_t max, struct odp_buffer *out)
{
    enum odp_status status;
    if (r->previous != NULL) {
        const struct odp_site_file *f = odp_site_find(r->previous, path);
        struct odp_diags *unsaid = NULL;
        if (f == NULL || f->size > max)
            return ODP_DONE;
        status = odp_diags_new(&unsaid, 0);
        if (status == ODP_OK)
            status = odp_site_read(r->previous, f, out, unsaid);
        odp_diags_free(unsaid);
        return status == ODP_BAD ? ODP_DONE : status;
    }
    if (r->stage != NULL || r->options->previous != NULL)
        return ODP_DONE;
    status = odp_file_read(odp_path_join(r->arena, r->options->out, path), max, out, NULL);
    return status == ODP_BAD ? ODP_DONE : status;
}

static const json_t *find_entry(const json_t *index, const char *slug)
{
    const json_t *entries = json_object_get(index, "data");
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(entries, i), "slug"));
        if (name != NULL && strcmp(name, slug) == 0)
            return json_array_get(entries, i);
    }
    return NULL;
}

/* The entry of SLUG in the published index. Of a check it is read once, and only where a profile is missing.
 */
static enum odp_status find_published(struct run *r, const char *slug, const json_t **entry)
{
    struct odp_buffer text;
    enum odp_status status = ODP_OK;
    if (r->previous != NULL) {
        *entry = odp_site_entry(r->previous, slug);
        return ODP_OK;
    }
    if (!r->index_read) {
        r->index_read = true;
        odp_buffer_init(&text);
        status = read_site(r, "v1/index.json", INDEX_MAX, &text);
        if (status == ODP_OK)
            r->index = odp_json_load(text.ptr, text.len, 0, NULL);
        odp_buffer_release(&text);
    }
    *entry = find_entry(r->index, slug);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- what it was before ---- */

static enum odp_status read_profile(struct run *r, const char *slug, const struct odp_resource *resource,
                                    struct odp_arena *a, struct odp_drift_before *out)
{
    struct odp_buffer text;
    const char *path = odp_profile_path(slug, resource->primary ? NULL : resource->name, "latest", a);
    odp_buffer_init(&text);
    enum odp_status status = read_site(r, path, PROFILE_MAX, &text);
    if (status == ODP_OK)
        status = odp_profile_read(odp_buffer_slice(&text), a, &out->profile, &out->version);
    odp_buffer_release(&text);
    return status == ODP_BAD ? ODP_DONE : status;
}

/* Of a version that was made before there were profiles: the index knows its rows. */
static enum odp_status read_rows(struct run *r, const char *slug, const struct odp_resource *resource,
                                 struct odp_arena *a, struct odp_drift_before *out)
{
    const json_t *entry = NULL;
    enum odp_status status = find_published(r, slug, &entry);
    const json_t *resources = json_object_get(entry, "resources");
    const char *version = json_string_value(json_object_get(entry, "version"));
    for (size_t i = 0; status == ODP_OK && version != NULL && i < json_array_size(resources); i++) {
        const json_t *o = json_array_get(resources, i);
        const char *name = json_string_value(json_object_get(o, "name"));
        if (resource->primary ? i != 0 : i == 0 || name == NULL || strcmp(name, resource->name) != 0)
            continue;
        if (!json_is_integer(json_object_get(o, "rows")))
            return ODP_DONE;
        *out = (struct odp_drift_before){
            .profile = {.rows = (uint64_t)json_integer_value(json_object_get(o, "rows"))},
            .version = odp_arena_str(a, version)};
        return ODP_OK;
    }
    return status == ODP_OK ? ODP_DONE : status;
}

enum odp_status odp_run_before(struct run *r, const struct odp_resource *resource, struct odp_arena *a,
                               struct odp_drift_before *out)
{
    const struct odp_dataset *d = resource->dataset;
    enum odp_status status = ODP_DONE;
    for (size_t i = 0; i <= d->nformer && status == ODP_DONE; i++) {
        const char *slug = i == 0 ? d->slug : d->former[i - 1].slug;
        status = read_profile(r, slug, resource, a, out);
        if (status == ODP_DONE)
            status = read_rows(r, slug, resource, a, out);
    }
    return status;
}

/* ---- of a site elsewhere ---- */

static bool is_profile(const void *ctx, const struct odp_site_file *f)
{
    const char *name = strrchr(f->path, '/');
    return strncmp(f->path, "data/", 5) == 0 && strstr(f->path, "/latest/profile") != NULL &&
           f->encoding == NULL && name != NULL && strncmp(name, "/profile", 8) == 0;
}

enum odp_status odp_run_before_prefetch(struct run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->catalog->nresources; i++)
        any = any || (r->tasks[i].role == ROLE_SELECTED && !r->catalog->resources[i]->dataset->reference);
    return any && r->previous != NULL ? odp_site_prefetch(r->previous, is_profile, NULL, r->result->diags)
                                      : ODP_OK;
}

/* ---- what is kept of it ---- */

enum odp_status odp_run_put_profile(struct run *r, const struct odp_resource *resource, const char *version,
                                    const struct odp_profile *p)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    const char *path = odp_profile_path(resource->dataset->slug, resource->primary ? NULL : resource->name,
                                        version, &r->tasks[resource->index].arena);
    enum odp_status status = odp_profile_json(&text, p, resource, version);
    if (status == ODP_OK)
        status = odp_stage_put(r->stage, path, "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return status;
}
