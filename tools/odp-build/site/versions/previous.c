/* What is taken of the previous site: the records of a resource, read back by its own schema
 * (published/version_reading.h) as the catalogue's fields; files, for a new site without its sources. */
#include "published/version_reading.h"
#include "site/versions/release.h"

struct records {
    const struct odp_resource *resource;
    struct odp_slice *text; /* by field of its schema */
    int *field_of;          /* by field of the published schema: index into the catalogue's, or -1 */
    void *ctx;
    enum odp_status (*record)(void *ctx, const struct odp_slice *text);
};

static const json_t *resource_of(const json_t *version, const char *name)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(version, "resources"), i,
                       one) if (strcmp(odp_text_of(one, "name"), name) == 0) return one;
    return NULL;
}

static void pair_fields(struct records *x, const struct odp_layout *l)
{
    for (uint32_t k = 0; k < l->n; k++) {
        int field = odp_schema_find(&x->resource->schema, odp_slice_of(l->fields[k].name));
        x->field_of[k] = field >= 0 && x->resource->schema.fields[field].is_public ? field : -1;
    }
}

static enum odp_status walk(struct records *x, struct odp_reading *reading, const struct odp_layout *l)
{
    struct odp_reading_record rec;
    enum odp_status status;
    while ((status = odp_reading_next(reading, &rec)) == ODP_OK) {
        for (uint32_t k = 0; k < l->n; k++)
            if (x->field_of[k] >= 0)
                x->text[x->field_of[k]] = rec.text[k];
        status = x->record(x->ctx, x->text);
        if (status != ODP_OK)
            return status == ODP_DONE ? ODP_OK : status; /* DONE: the callee had enough */
    }
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_site_records(const struct odp_site *site, const struct odp_resource *r,
                                 struct odp_diags *diags, void *ctx,
                                 enum odp_status (*record)(void *ctx, const struct odp_slice *text))
{
    struct odp_arena arena = {0};
    struct odp_reading *reading = NULL;
    struct odp_layout *layout = NULL;
    const json_t *entry = odp_site_entry(site, r->dataset->slug);
    json_t *version = odp_release_version_of(entry);
    const json_t *resource = resource_of(version, r->name);
    bool there = odp_site_find(site, odp_emit_api_path(r, &arena)) != NULL;
    enum odp_status status = there ? ODP_OK : ODP_DONE;
    if (there && resource == NULL)
        status = odp_site_complain(diags, odp_site_shown(site), "v1/index.json",
                                   "{\"resources\":[{\"schema\",\"files\"}]}");
    const struct odp_version_source source = {site, resource, .need_geometry = false};
    if (status == ODP_OK)
        status = odp_version_reading_open(&reading, &layout, &source, &arena, diags);
    if (status == ODP_OK) {
        struct records x = {.resource = r, .ctx = ctx, .record = record};
        x.text = odp_arena_zero(&arena, (size_t)r->schema.n + 1, sizeof *x.text);
        x.field_of = odp_arena_zero(&arena, (size_t)layout->n + 1, sizeof *x.field_of);
        pair_fields(&x, layout);
        status = walk(&x, reading, layout);
        if (status == ODP_BAD)
            status = odp_version_reading_complain(reading, site, resource, diags);
    }
    odp_version_reading_close(reading, layout);
    json_decref(version);
    odp_arena_release(&arena);
    return status;
}

/* ---- files ---- */

struct kept {
    const char *const *except;
    size_t n;
};

/* PATH is NAME or one of its twins. */
static bool is_file(const char *path, const char *name)
{
    size_t len = strlen(name);
    return strncmp(path, name, len) == 0 &&
           (path[len] == '\0' || strcmp(path + len, ".gz") == 0 || strcmp(path + len, ".br") == 0);
}

static bool is_kept(const void *ctx, const struct odp_site_file *f)
{
    static const char *const made[] = {"manifest.json", "control",       "gateway.json",
                                       "releases.log",  "v1/index.json", "datapackage.json"};
    const struct kept *k = ctx;
    bool kept = true;
    for (size_t i = 0; i < ODP_COUNT(made); i++)
        kept = kept && !is_file(f->path, made[i]);
    for (size_t i = 0; i < k->n; i++)
        kept = kept && strncmp(f->path, k->except[i], strlen(k->except[i])) != 0;
    return kept;
}

enum odp_status odp_site_restage(struct odp_stage *s, const struct odp_site *previous,
                                 const char *const *except_prefixes, size_t n, struct odp_diags *diags)
{
    const struct kept kept = {except_prefixes, n};
    return odp_stage_carry_if(s, previous, NULL, is_kept, &kept, diags);
}
