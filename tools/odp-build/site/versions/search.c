/* search/index.json. What the index says of itself is taken from the file, or, where the file was carried
 * over from a site elsewhere and is not here, from that site's list. It is made anew by every build and by
 * `withdraw`, with the documents of the API. */
#include "site/versions/search.h"

#include "base/json_load.h"
#include "catalog/index/reading.h"
#include "published/doc.h"
#include "site/versions/release.h"
#include "site/versions/tombstone.h"

struct listing {
    struct odp_doc doc;
    struct odp_stage *stage;
    const struct odp_site_file *files; /* of the stage, by path */
    size_t nfiles;
    json_t *before; /* of the previous site: its "resources"; NULL: none */
    json_t *resources;
    struct odp_search_listed *list;
    size_t n;
    struct odp_arena *arena;
};

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

/* The staged file that begins with PREFIX and goes on with a digest, or NULL. */
static const struct odp_site_file *find_index(const struct listing *l, const char *prefix)
{
    size_t low = 0, high = l->nfiles, len = strlen(prefix);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(l->files[middle].path, prefix) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < l->nfiles && strncmp(l->files[low].path, prefix, len) == 0; low++) {
        const char *rest = l->files[low].path + len;
        if (strspn(rest, "0123456789abcdef") == ODP_SEARCH_ID && strcmp(rest + ODP_SEARCH_ID, ".sqlite") == 0)
            return &l->files[low];
    }
    return NULL;
}

/* INFO as the list of the site before has it, for an index that was carried over and is not here. */
static enum odp_status info_before(const struct listing *l, const char *file, struct odp_search_info *info)
{
    for (size_t i = 0; i < json_array_size(l->before); i++) {
        const json_t *o = json_array_get(l->before, i), *its = json_object_get(o, "info");
        const char *name = text_of(o, "file");
        if (name == NULL || strcmp(name, file) != 0 || its == NULL)
            continue;
        char *text = json_dumps(its, JSON_COMPACT);
        enum odp_status status =
            text != NULL ? odp_search_info_read(info, odp_slice_of(text), l->arena) : odp_failure_set("read JSON", file, 0);
        odp_json_free_text(text);
        return status;
    }
    return ODP_BAD;
}

static enum odp_status info_of(const struct listing *l, const struct odp_site_file *f, struct odp_search_info *info)
{
    const char *why = NULL, *disk = odp_stage_place(l->stage, f->path, l->arena);
    if (disk == NULL)
        return ODP_FAIL;
    enum odp_status status = f->absent ? info_before(l, f->path, info) : odp_search_info_open(info, disk, l->arena, &why);
    if (status == ODP_BAD && !f->absent)
        return odp_failure_set(why != NULL ? why : "read a query index", f->path, 0);
    return status;
}

static void describe(struct listing *l, const json_t *entry, const json_t *resource, const char *file,
                     const struct odp_search_listed *listed)
{
    const struct odp_search_info *info = &listed->info;
    struct odp_buffer text;
    odp_buffer_init(&text);
    json_t *o = json_object(), *its = NULL;
    const json_t *title = json_object_get(resource, info->resource != NULL ? "title" : "");
    if (title == NULL)
        title = json_object_get(entry, "title");
    odp_doc_set_str(&l->doc, o, "collection", listed->collection);
    odp_doc_copy(&l->doc, o, entry, "slug");
    odp_doc_set(&l->doc, o, "resource", info->resource != NULL ? json_string(info->resource) : json_null());
    if (title != NULL)
        odp_doc_set(&l->doc, o, "title", json_deep_copy(title));
    odp_doc_copy(&l->doc, o, entry, "version");
    odp_doc_copy(&l->doc, o, entry, "last_update");
    odp_doc_set(&l->doc, o, "rows", json_integer((json_int_t)info->rows));
    odp_doc_set_str(&l->doc, o, "file", file);
    if (odp_search_info_write(info, &text) == ODP_OK && odp_buffer_status(&text) == ODP_OK)
        its = odp_json_load(text.ptr, text.len, 0, NULL);
    odp_doc_set(&l->doc, o, "info", its);
    odp_doc_add(&l->doc, l->resources, o);
    odp_buffer_release(&text);
}

static enum odp_status add_resource(struct listing *l, const json_t *entry, const json_t *resource)
{
    const char *slug = text_of(entry, "slug"), *version = text_of(entry, "version"), *name = text_of(resource, "package_name");
    if (slug == NULL || version == NULL || name == NULL)
        return ODP_OK; /* nothing of it is current */
    const char *prefix = odp_arena_printf(l->arena, "search/%s/%s/%s-", slug, version, name);
    const struct odp_site_file *f = find_index(l, prefix);
    if (f == NULL)
        return ODP_OK;
    struct odp_search_listed *listed = &l->list[l->n];
    *listed = (struct odp_search_listed){.collection = odp_arena_str(l->arena, name), .entry = entry};
    enum odp_status status = listed->collection != NULL ? info_of(l, f, &listed->info) : ODP_FAIL;
    if (status != ODP_OK)
        return status == ODP_BAD ? ODP_OK : status; /* it lies elsewhere, and nothing is known of it: not listed */
    describe(l, entry, resource, f->path, listed);
    l->n++;
    return ODP_OK;
}

/* "slug/version" of every version that was taken back. */
static enum odp_status add_withdrawn(struct listing *l, json_t *root)
{
    struct odp_tombstone_path *paths;
    size_t n;
    json_t *list = json_array();
    enum odp_status status = odp_tombstone_paths(l->stage, &paths, &n, l->arena);
    for (size_t i = 0; status == ODP_OK && i < n; i++) {
        const char *path = paths[i].path, *version = path + strlen("data/") + strlen(paths[i].slug) + 1;
        size_t len = strlen(path);
        bool folder = strncmp(path, "data/", 5) == 0 && path[len - 1] == '/' && strcmp(version, "latest/") != 0;
        if (folder)
            odp_doc_add(&l->doc, list, json_sprintf("%s/%.*s", paths[i].slug, (int)strlen(version) - 1, version));
    }
    odp_doc_set(&l->doc, root, "withdrawn", list);
    return status;
}

static size_t count_resources(const json_t *entries)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(entries); i++)
        n += json_array_size(json_object_get(json_array_get(entries, i), "resources"));
    return n;
}

/* "resources" of the previous site's list, where there is one. */
static enum odp_status read_before(struct listing *l, const struct odp_site *previous, struct odp_diags *diags)
{
    const struct odp_site_file *f = previous != NULL ? odp_site_find(previous, "search/index.json") : NULL;
    struct odp_buffer text;
    if (f == NULL || odp_site_origin(previous) == NULL)
        return ODP_OK; /* what is carried over is here */
    odp_buffer_init(&text);
    enum odp_status status = odp_site_is_public_only(previous) ? ODP_DONE : odp_site_read(previous, f, &text, diags);
    json_t *root = status == ODP_OK ? odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (status == ODP_OK && root == NULL) /* the manifest says that it is what odp wrote */
        status = odp_failure_set("read JSON", f->path, 0);
    l->before = json_incref(json_object_get(root, "resources"));
    json_decref(root);
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_release_search(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries,
                                   const struct odp_site *previous, struct odp_search_listed **list, size_t *n,
                                   struct odp_arena *a, struct odp_diags *diags)
{
    struct listing l = {.stage = s, .arena = a, .list = odp_arena_zero(a, count_resources(entries) + 1, sizeof *l.list)};
    json_t *root = json_object();
    l.files = odp_stage_files(s, &l.nfiles);
    l.resources = json_array();
    enum odp_status status = l.list != NULL ? read_before(&l, previous, diags) : ODP_FAIL;
    for (size_t i = 0; i < json_array_size(entries) && status == ODP_OK; i++) {
        const json_t *entry = json_array_get(entries, i), *resources = json_object_get(entry, "resources");
        for (size_t k = 0; k < json_array_size(resources) && status == ODP_OK; k++)
            status = add_resource(&l, entry, json_array_get(resources, k));
    }
    odp_doc_set_str(&l.doc, root, "odp", "1");
    odp_doc_set_str(&l.doc, root, "release", c->nreleases > 0 ? c->releases[0].version : "");
    odp_doc_set_str(&l.doc, root, "base_url", c->portal.base_url);
    odp_doc_set(&l.doc, root, "resources", l.resources);
    if (status == ODP_OK)
        status = add_withdrawn(&l, root);
    if (status == ODP_OK)
        status = odp_doc_put_as_take(s, "search/index.json", ODP_CLASS_INTERNAL, &l.doc, json_incref(root));
    json_decref(l.before);
    json_decref(root);
    *list = l.list;
    *n = l.n;
    return status;
}
