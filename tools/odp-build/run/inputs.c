#include "run/inputs.h"

#include <sys/stat.h>

#include "base/json_load.h"
#include "catalog/cross.h"
#include "published/seals.h"
#include "published/stamps.h"
#include "site/pages/portal.h"

/* ---- recipes ---- */

/* R: whose source it is, or NULL. What a check would refuse unread is not read here either: a pipe (which can
 * be read but once), a device without end, a link out of the catalogue. */
static enum odp_status add_file(struct odp_buffer *into, const struct odp_resource *r, const char *path,
                                bool *known)
{
    struct odp_file_info info;
    bool fit = odp_file_kind_of(path) == ODP_FILE_REGULAR;
    if (r != NULL)
        fit = fit && odp_file_size_of(path) <= (uint64_t)odp_limits_of(r)->source_bytes &&
              odp_source_may_be(r, path);
    enum odp_status status = fit ? odp_file_digest(path, &info) : ODP_BAD;
    if (status == ODP_BAD) {
        *known = false;
        return ODP_OK;
    }
    if (status == ODP_OK)
        odp_buffer_add(into, info.sha256, sizeof info.sha256);
    return status;
}

/* A shapefile is several files of one name: every one beside it counts. */
static enum odp_status add_siblings(struct odp_buffer *into, const struct odp_resource *r, const char *path,
                                    struct odp_arena *a, bool *known)
{
    const char **files;
    size_t n;
    enum odp_status status = odp_dir_siblings(path, a, &files, &n);
    if (status != ODP_OK) {
        *known = false;
        return ODP_OK;
    }
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const char *name = odp_path_last(files[i]);
        odp_buffer_add(into, name, strlen(name) + 1);
        status = add_file(into, r, files[i], known);
    }
    return status;
}

static enum odp_status add_source(struct odp_buffer *into, const struct run *r,
                                  const struct odp_resource *resource, bool *known)
{
    struct odp_arena arena = {0};
    const char *path = odp_resource_source(resource, r->options->sources, &arena);
    enum odp_status status = odp_path_ends(path, ".shp") ? add_siblings(into, resource, path, &arena, known)
                                                         : add_file(into, resource, path, known);
    odp_arena_release(&arena);
    return status;
}

/* The files that values of odp:document may name, by their stamps: they may be large, and are not read again
 * to learn that they are the same. */
static enum odp_status add_documents(struct odp_buffer *into, const struct run *r,
                                     const struct odp_resource *resource, bool *known)
{
    struct odp_arena a = {0};
    struct odp_stamps stamps = {0};
    enum odp_status status = ODP_OK;
    const char *dir = odp_dataset_source_dir(resource->dataset, r->options->sources, &a);
    for (uint32_t f = 0; f < resource->schema.n && status == ODP_OK; f++) {
        const struct odp_document_spec *spec = resource->schema.fields[f].document;
        if (spec != NULL)
            status = odp_stamps_tree(&stamps, odp_path_join(&a, dir, spec->folder), &a);
    }
    *known = *known && !stamps.too_many;
    odp_buffer_add(into, stamps.bytes.ptr, stamps.bytes.len);
    if (status == ODP_OK)
        status = odp_buffer_status(&stamps.bytes);
    odp_stamps_release(&stamps);
    odp_arena_release(&a);
    return status;
}

/* Entry and sources of one dataset. */
static enum odp_status digest_sources(const struct run *r, const struct odp_dataset *d,
                                      uint8_t out[ODP_SHA256_SIZE], bool *known)
{
    struct odp_buffer all = {0};
    enum odp_status status = ODP_OK;
    odp_buffer_add_slice(&all, d->text);
    for (size_t i = 0; i < d->nresources && status == ODP_OK; i++) {
        status = odp_run_source_stays(r, &d->resources[i]);
        if (status == ODP_OK)
            status = add_source(&all, r, &d->resources[i], known);
        if (status == ODP_OK)
            status = add_documents(&all, r, &d->resources[i], known);
    }
    return odp_run_digest_of(status, &all, out);
}

/* What counts for every dataset: the program (by inode, size and time: this file never leaves the machine),
 * portal and options. */
static enum odp_status digest_common(const struct run *r, uint8_t out[ODP_SHA256_SIZE])
{
    static const char *const files[] = {"portal.json", "changes.json", "keys.json"};
    struct odp_buffer all = {0};
    struct odp_arena arena = {0};
    struct stat st = {0};
    bool ignored;
    if (stat("/proc/self/exe", &st) != 0)
        st.st_ino = 0;
    odp_buffer_printf(&all, "odp-inputs-1 %llu %llu %lld %lld %d", (unsigned long long)st.st_ino,
                      (unsigned long long)st.st_size, (long long)st.st_mtim.tv_sec,
                      (long long)st.st_mtim.tv_nsec, r->options->strict);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < ODP_COUNT(files) && status == ODP_OK; i++)
        status = add_file(&all, NULL, odp_path_join(&arena, r->catalog->dir, files[i]), &ignored);
    uint8_t portal[ODP_SHA256_SIZE] = {0};
    if (status == ODP_OK)
        status = odp_portal_inputs(r->catalog, portal);
    odp_buffer_add(&all, portal, sizeof portal);
    odp_arena_release(&arena);
    return odp_run_digest_of(status, &all, out);
}

static struct input *input_of(const struct inputs *in, const struct odp_catalog *c,
                              const struct odp_dataset *d)
{
    return &in->datasets[d - c->datasets];
}

/* The rules across datasets that can reject D, and the sources of all tables that take part in them. */
static void mix_rules(const struct odp_catalog *c, const struct odp_dataset *d, struct odp_buffer *into,
                      const struct inputs *sources, bool *known)
{
    for (size_t i = 0; i < c->ncross; i++) {
        const struct odp_cross_rule *rule = &c->cross[i];
        if (rule->owner != d)
            continue;
        odp_buffer_add_slice(into, rule->text);
        for (size_t k = 0; k <= rule->njoins; k++) {
            const struct odp_dataset *table = (k == 0 ? rule->each : rule->joins[k - 1]).resource->dataset;
            const struct input *source = input_of(sources, c, table);
            *known = *known && source->known;
            odp_buffer_add(into, source->recipe, ODP_SHA256_SIZE);
        }
    }
}

/* COMMON, its own sources, and those of what its keys point into. SOURCES holds the digests of all datasets.
 */
static enum odp_status mix(struct inputs *in, const struct run *r, const struct odp_dataset *d,
                           const uint8_t *common, const struct inputs *sources)
{
    struct odp_buffer all = {0};
    struct input *input = input_of(in, r->catalog, d);
    const struct input *own = input_of(sources, r->catalog, d);
    input->known = own->known;
    odp_buffer_add(&all, common, ODP_SHA256_SIZE);
    odp_buffer_add(&all, own->recipe, ODP_SHA256_SIZE);
    for (size_t i = 0; i < d->nresources; i++)
        for (size_t k = 0; k < d->resources[i].nforeign; k++) {
            const struct input *target =
                input_of(sources, r->catalog, d->resources[i].foreign[k].target->dataset);
            input->known = input->known && target->known;
            odp_buffer_add(&all, target->recipe, ODP_SHA256_SIZE);
        }
    for (size_t i = 0; i < d->nresources; i++)
        if (odp_place_through(&d->resources[i]) != NULL) { /* the list of places is no target of its own */
            const struct odp_dataset *list = odp_place_of(&d->resources[i])->target->dataset;
            odp_buffer_add(&all, input_of(sources, r->catalog, list)->recipe, ODP_SHA256_SIZE);
        }
    mix_rules(r->catalog, d, &all, sources, &input->known);
    return odp_run_digest_of(ODP_OK, &all, input->recipe);
}

static enum odp_status compute(struct inputs *in, struct run *r)
{
    const struct odp_catalog *c = r->catalog;
    size_t n = c->ndatasets;
    struct inputs sources = {0};
    struct odp_buffer whole = {0};
    in->datasets = odp_arena_zero(r->arena, n + 1, sizeof *in->datasets);
    sources.datasets = odp_arena_zero(r->arena, n + 1, sizeof *in->datasets);
    enum odp_status status = digest_common(r, in->common);
    if (status == ODP_OK) /* after the digest: what came between is not taken for what was read */
        status = odp_run_catalog_stays(r);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        struct input *s = &sources.datasets[i];
        s->known = true;
        status = digest_sources(r, &c->datasets[i], s->recipe, &s->known);
    }
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        status = mix(in, r, &c->datasets[i], in->common, &sources);
        odp_buffer_add(&whole, in->datasets[i].recipe, ODP_SHA256_SIZE);
    }
    return odp_run_digest_of(status, &whole, in->whole);
}

/* ---- the last build's ---- */

static bool digest_is(const json_t *o, const char *key, const uint8_t digest[ODP_SHA256_SIZE])
{
    char hex[ODP_SHA256_HEX];
    const char *text = odp_json_text(o, key);
    odp_digest_hex(digest, hex);
    return text != NULL && strcmp(text, hex) == 0;
}

static void compare(struct inputs *in, const struct run *r)
{
    const struct odp_catalog *c = r->catalog;
    const json_t *datasets = json_object_get(in->last, "datasets");
    in->all_same = digest_is(in->last, "whole", in->whole);
    for (size_t i = 0; i < c->ndatasets; i++) {
        struct input *input = &in->datasets[i];
        const json_t *o = json_object_get(datasets, c->datasets[i].slug);
        input->same = input->known && digest_is(o, "recipe", input->recipe);
        input->rows = (uint64_t)json_integer_value(json_object_get(o, "rows"));
        input->warnings = (uint64_t)json_integer_value(json_object_get(o, "warnings"));
        in->all_same = in->all_same && input->same;
    }
}

enum odp_status odp_inputs_read(struct inputs *in, struct run *r, const struct odp_site *site)
{
    struct odp_buffer text = {0};
    enum odp_status status = compute(in, r);
    if (status != ODP_OK || site == NULL || odp_site_dir(site) == NULL)
        return status;
    const char *path = odp_arena_printf(r->arena, "%s.inputs", odp_site_dir(site));
    status = odp_file_read(path, 64 << 20, &text, NULL);
    if (status == ODP_OK)
        in->last = odp_json_load(text.ptr, text.len, 0, NULL);
    odp_buffer_release(&text);
    if (in->last != NULL)
        compare(in, r);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

void odp_inputs_release(struct inputs *in)
{
    json_decref(in->last);
    in->last = NULL;
}

/* ---- for the next build ---- */

static json_t *make_input(const struct run *r, const struct odp_dataset *d, const struct input *input)
{
    char hex[ODP_SHA256_HEX];
    uint64_t rows = input->rows, warnings = input->warnings;
    odp_digest_hex(input->recipe, hex);
    for (size_t k = 0; k < d->nresources && !input->same; k++) {
        const struct task *t = &r->tasks[d->resources[k].index];
        rows = k == 0 ? t->rows : rows + t->rows;
        warnings = k == 0 ? t->warnings : warnings + t->warnings;
    }
    return json_pack("{s:s, s:I, s:I}", "recipe", hex, "rows", (json_int_t)rows, "warnings",
                     (json_int_t)warnings);
}

enum odp_status odp_inputs_write(const struct inputs *in, const struct run *r, const char *build,
                                 const bool *good)
{
    const struct odp_catalog *c = r->catalog;
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(in->whole, hex);
    json_t *datasets = json_object(), *root = json_pack("{s:s, s:O}", "whole", hex, "datasets", datasets);
    for (size_t i = 0; i < c->ndatasets; i++)
        if (good[i] && in->datasets[i].known)
            json_object_set_new(datasets, c->datasets[i].slug,
                                make_input(r, &c->datasets[i], &in->datasets[i]));
    char *text = json_dumps(root, JSON_COMPACT);
    const struct odp_slice whole = odp_slice_of(text);
    enum odp_status status = odp_beside_put(build, "inputs", &whole, 1);
    odp_json_free_text(text);
    json_decref(datasets);
    json_decref(root);
    return status;
}
