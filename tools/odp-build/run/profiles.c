/* The version before, as far as a comparison needs it: one small file a resource. Where the content has
 * changed, its records, too: so an unchanged one costs nothing more. */
#include "run/profiles.h"

#include "base/json_load.h"
#include "published/doc.h"
#include "published/history.h"
#include "published/version_reading.h"

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
    *entry = odp_json_find(json_object_get(r->index, "data"), "slug", slug);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- what it was before ---- */

static enum odp_status read_profile(struct run *r, const char *slug, const struct odp_resource *resource,
                                    struct odp_arena *a, struct odp_drift_before *out)
{
    struct odp_buffer text = {0};
    const char *path = odp_profile_path(slug, resource->primary ? NULL : resource->name, "latest", a);
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
    const char *version = odp_json_text(entry, "version");
    for (size_t i = 0; status == ODP_OK && version != NULL && i < json_array_size(resources); i++) {
        const json_t *o = json_array_get(resources, i);
        const char *name = odp_json_text(o, "name");
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

/* ---- its records ---- */

struct records {
    const struct run_records *what;
    struct odp_arena *arena;
    struct odp_diags *unsaid; /* a comparison is no reason to complain of the site */
    struct odp_site *own;     /* opened for this: a file that is tried out is compared with no site else */
    const struct odp_site *site;
    struct odp_history history;
    const json_t *published; /* the resource in versions.json */
    struct odp_drift_rows *rows;
};

/* The current version of the resource. DONE: none, or its content is that of the source. */
static enum odp_status find_records(struct run *r, struct records *x)
{
    const struct odp_resource *resource = x->what->resource;
    const struct odp_dataset *d = resource->dataset;
    uint8_t digest[ODP_SHA256_SIZE];
    enum odp_status status = r->previous != NULL ? ODP_OK : odp_site_open_quietly(&x->own, r->options->out);
    x->site = r->previous != NULL ? r->previous : x->own;
    if (status != ODP_OK || x->site == NULL)
        return status == ODP_FAIL ? ODP_FAIL : ODP_DONE;
    status = ODP_DONE;
    for (size_t i = 0; i <= d->nformer && status == ODP_DONE; i++) {
        odp_history_release(&x->history);
        status = odp_history_read(&x->history, x->site, i == 0 ? d->slug : d->former[i - 1].slug, x->arena,
                                  x->unsaid);
    }
    const struct odp_version *v = status == ODP_OK ? odp_history_current(&x->history) : NULL;
    const json_t *list = v != NULL ? json_object_get(v->json, "resources") : NULL;
    for (size_t i = 0; i < json_array_size(list) && x->published == NULL; i++) {
        const json_t *o = json_array_get(list, i);
        if (resource->primary ? i == 0 : strcmp(odp_text_of(o, "name"), resource->name) == 0)
            x->published = o;
    }
    const bool same = x->published != NULL && x->what->logical != NULL &&
                      odp_doc_read_digest(x->published, "digest", digest) &&
                      memcmp(digest, x->what->logical, sizeof digest) == 0;
    return status == ODP_FAIL ? ODP_FAIL : x->published == NULL || same ? ODP_DONE : ODP_OK;
}

static enum odp_status begin_rows(struct records *x, const struct odp_layout *l)
{
    const char **names = odp_arena_array(x->arena, (size_t)l->n + 1, sizeof *names);
    enum odp_type *types = odp_arena_array(x->arena, (size_t)l->n + 1, sizeof *types);
    const json_t *rows = json_object_get(x->published, "rows");
    for (uint32_t k = 0; k < l->n; k++) {
        names[k] = l->fields[k].name;
        types[k] = l->fields[k].type;
    }
    const struct odp_drift_columns before = {
        names, types, l->n,
        json_is_integer(rows) && json_integer_value(rows) > 0 ? (uint64_t)json_integer_value(rows) : 0};
    return odp_drift_rows_new(&x->rows, x->what->resource, &before, ODP_DRIFT_MEMORY);
}

/* All published records to TAKE, or as many as it wants. DONE: they cannot be read. */
static enum odp_status read_published(struct run *r, struct records *x, bool again)
{
    struct odp_reading *reading = NULL;
    struct odp_layout *layout = NULL;
    struct odp_reading_record rec;
    const struct odp_version_source source = {x->site, x->published, false};
    pthread_mutex_lock(&r->lock); /* of the site */
    enum odp_status status = odp_version_reading_open(&reading, &layout, &source, x->arena, x->unsaid);
    pthread_mutex_unlock(&r->lock);
    if (status == ODP_OK && !again)
        status = begin_rows(x, layout);
    bool begun = status == ODP_OK;
    while (status == ODP_OK && (status = odp_reading_next(reading, &rec)) == ODP_OK)
        status = again ? odp_drift_rows_again(x->rows, rec.text) : odp_drift_rows_before(x->rows, rec.text);
    odp_version_reading_close(reading, layout);
    if (status == ODP_DONE && begun)
        return ODP_OK;
    return status == ODP_BAD ? ODP_DONE : status;
}

/* The source once more, by one thread: what is wrong with it was said, keys and geometries were checked. */
static enum odp_status read_source(struct run *r, struct records *x)
{
    const struct run_records *what = x->what;
    struct odp_resource plain = *what->resource;
    struct odp_source_info info = *what->info;
    struct odp_source *source = NULL;
    struct odp_validator *validator = NULL;
    struct odp_keyring *keys = NULL;
    struct odp_batch batch;
    plain.geometry = (struct odp_geometry_spec){0};
    info.dir = NULL;
    enum odp_status status = odp_batch_init(&batch, 0);
    if (status == ODP_OK)
        status = odp_keyring_new(&keys, r->catalog);
    if (status == ODP_OK)
        status = odp_source_open(&source, what->resource, what->path, what->file, 1, x->unsaid);
    if (status == ODP_OK)
        status = odp_validator_new(&validator, &plain, &info, keys, 1, x->unsaid);
    for (uint64_t n = 0; status == ODP_OK; n++) {
        odp_batch_reset(&batch, what->resource);
        batch.index = n;
        status = odp_source_read(source, &batch);
        if (status == ODP_OK && odp_source_slice(source, &batch, 0) == ODP_FAIL)
            status = ODP_FAIL;
        if (status == ODP_OK && odp_validator_batch(validator, &batch, 0) == ODP_FAIL)
            status = ODP_FAIL;
        if (status == ODP_OK)
            status = odp_drift_rows_now(x->rows, &batch, &info);
    }
    odp_validator_free(validator);
    odp_source_close(source);
    odp_keyring_free(keys);
    odp_batch_release(&batch);
    return status == ODP_DONE ? ODP_OK : status == ODP_BAD ? ODP_DONE : status;
}

enum odp_status odp_run_records(struct run *r, const struct run_records *what, struct odp_arena *a,
                                struct odp_drift_rows **out)
{
    struct records x = {.what = what, .arena = a};
    enum odp_status status = what->resource->schema.primary.n > 0 ? odp_diags_new(&x.unsaid, 0) : ODP_DONE;
    *out = NULL;
    if (status == ODP_OK)
        status = find_records(r, &x);
    if (status == ODP_OK)
        status = read_published(r, &x, false);
    if (status == ODP_OK)
        status = read_source(r, &x);
    if (status == ODP_OK && odp_drift_rows_asks(x.rows))
        status = read_published(r, &x, true);
    if (status == ODP_OK)
        *out = x.rows;
    else
        odp_drift_rows_free(x.rows);
    odp_history_release(&x.history);
    odp_site_close(x.own);
    odp_diags_free(x.unsaid);
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
    struct odp_buffer text = {0};
    const char *path = odp_profile_path(resource->dataset->slug, resource->primary ? NULL : resource->name,
                                        version, &r->tasks[resource->index].arena);
    enum odp_status status = odp_profile_json(&text, p, resource, version);
    if (status == ODP_OK)
        status = odp_stage_put(r->stage, path, "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return status;
}
