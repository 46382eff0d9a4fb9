/* search/index.json. What the index says of itself is taken from the file, or, where the file was carried
 * over from a site elsewhere and is not here, from that site's list. It is made anew by every build and by
 * `withdraw`, with the documents of the API. */
#include "site/versions/search.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/json_load.h"
#include "catalog/index/reading.h"
#include "published/parts.h"
#include "site/versions/versions_internal.h"

struct listing {
    const struct odp_site_job *job;
    json_t *before; /* of the previous site: its "resources"; NULL: none */
    json_t *resources;
    struct odp_search_listed *list;
    size_t n;
    const char *places; /* the code lists of places, in lines */
    struct odp_arena *arena;
};

/* The staged file that begins with PREFIX and goes on with a digest, or NULL. */
static const struct odp_site_file *find_index(const struct listing *l, const char *prefix)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_below(l->job->stage, prefix, l->arena, &n);
    for (size_t i = 0; i < n; i++) {
        const char *rest = files[i].path + strlen(prefix);
        if (strspn(rest, "0123456789abcdef") == ODP_SEARCH_ID && strcmp(rest + ODP_SEARCH_ID, ".sqlite") == 0)
            return &files[i];
    }
    return NULL;
}

/* INFO as the list of the site before has it, for an index that was carried over and is not here. */
static enum odp_status info_before(const struct listing *l, const char *file, struct odp_search_info *info)
{
    const json_t *o;
    size_t i;
    json_array_foreach(l->before, i,
                       o) if (strcmp(odp_text_of(o, "file"), file) == 0 &&
                              json_object_get(o, "info") !=
                                  NULL) return odp_search_info_of(info, json_object_get(o, "info"), l->arena);
    return ODP_BAD;
}

static enum odp_status info_of(const struct listing *l, const struct odp_site_file *f,
                               struct odp_search_info *info)
{
    const char *why = NULL, *disk = odp_stage_place(l->job->stage, f->path, l->arena);
    if (disk == NULL)
        return ODP_FAIL;
    if (f->absent)
        return info_before(l, f->path, info);
    enum odp_status status = odp_search_info_open(info, disk, l->arena, &why);
    return status == ODP_BAD ? odp_failure_set(why != NULL ? why : "read a query index", f->path, 0) : status;
}

/* The list of places that KEY, of odp:foreignKeys, leads into; NULL: it leads elsewhere, or has several
 * fields. */
static const json_t *places_of(const struct listing *l, const json_t *key)
{
    const char *slug = odp_text_of(json_object_get(key, "reference"), "dataset"), *slash = strrchr(slug, '/');
    const json_t *entry, *found = NULL;
    size_t i;
    json_array_foreach(l->job->entries, i,
                       entry) if (json_is_true(json_object_get(entry, "places")) &&
                                  strcmp(odp_text_of(entry, "slug"), slash != NULL ? slash + 1 : slug) == 0)
        found = entry;
    return json_array_size(json_object_get(key, "fields")) == 1 ? found : NULL;
}

/* Whether places of LIST lie in places of another one. */
static bool lies_in_others(const struct listing *l, const json_t *list)
{
    const json_t *key;
    json_t *schema = NULL;
    bool any = false;
    size_t i;
    if (odp_job_schema(l->job, odp_text_of(list, "slug"),
                       json_array_get(json_object_get(list, "resources"), 0), &schema) == ODP_OK)
        json_array_foreach(json_object_get(schema, "odp:foreignKeys"), i, key) any =
            any || (places_of(l, key) != NULL && places_of(l, key) != list);
    json_decref(schema);
    return any;
}

/* The column whose codes have pages (as odp_place_key of catalog/model.h has it), or NULL: lists have
 * places that no table has, too. */
static const char *place_column(const struct listing *l, const json_t *entry, const json_t *schema)
{
    const json_t *key;
    const char *found = NULL;
    bool finest =
        json_is_true(json_object_get(entry, "places")) || json_object_get(entry, "boundaries_of") != NULL;
    size_t i;
    json_array_foreach(json_object_get(schema, "odp:foreignKeys"), i, key)
    {
        const json_t *list = places_of(l, key);
        if (list == NULL || finest || (found != NULL && !lies_in_others(l, list)))
            continue;
        finest = found != NULL || lies_in_others(l, list);
        found = json_string_value(json_array_get(json_object_get(key, "fields"), 0));
    }
    return found;
}

/* What the list says of the index F of RESOURCE, appended to OUT. BAD: it lies elsewhere, and nothing is
 * known of it. */
static enum odp_status describe(const struct listing *l, const json_t *entry, const json_t *resource,
                                const struct odp_site_file *f, struct odp_buffer *out)
{
    struct odp_search_info info;
    struct odp_buffer text = {0};
    json_t *schema = NULL;
    enum odp_status status = info_of(l, f, &info);
    if (status == ODP_OK)
        status = odp_search_info_write(&info, &text);
    if (status == ODP_OK)
        status = odp_job_schema(l->job, odp_text_of(entry, "slug"), resource, &schema);
    if (status == ODP_OK) {
        const json_t *title = info.resource != NULL ? json_object_get(resource, "title") : NULL;
        json_t *one = json_pack(
            "{s:O, s:s, s:s?, s:O*, s:O*, s:O*, s:I, s:s, s:s*, s:o}", "collection",
            json_object_get(resource, "package_name"), "slug", odp_text_of(entry, "slug"), "resource",
            info.resource, "title", title != NULL ? title : json_object_get(entry, "title"), "version",
            json_object_get(entry, "version"), "last_update", json_object_get(entry, "last_update"), "rows",
            (json_int_t)info.rows, "file", f->path, "place", place_column(l, entry, schema), "info",
            odp_json_load(text.ptr, text.len, 0, NULL));
        status = odp_doc_print(out, one, ODP_DOC_LINE);
        json_decref(one);
    }
    json_decref(schema);
    odp_buffer_release(&text);
    return status;
}

/* All that describe() is made of, but for what is staged. */
static enum odp_status add_key(const struct listing *l, const json_t *entry, const struct odp_site_file *f,
                               struct odp_buffer *key)
{
    odp_buffer_printf(key, "%s\n%s\n", l->places, f->path);
    odp_buffer_add(key, f->sha256, sizeof f->sha256);
    odp_doc_key(key, entry);
    return odp_buffer_status(key);
}

/* The same from the site before, where it is made of the same: the text of a part (published/parts.h). An
 * index is opened only where it has changed. */
static enum odp_status describe_once(const struct listing *l, const json_t *entry, const json_t *resource,
                                     const struct odp_site_file *f)
{
    const char *name = odp_arena_printf(l->arena, "listing/%s", odp_text_of(resource, "package_name"));
    struct odp_buffer key = {0}, text = {0};
    enum odp_status status = add_key(l, entry, f, &key);
    if (status == ODP_OK)
        status = odp_part_begin(l->job->stage, name, odp_buffer_slice(&key));
    if (status == ODP_OK) {
        status = describe(l, entry, resource, f, &text);
        odp_part_set_text(l->job->stage, odp_buffer_slice(&text));
        status = odp_part_end(l->job->stage, status);
    }
    odp_buffer_release(&text);
    odp_buffer_release(&key);
    return status == ODP_DONE ? ODP_OK : status;
}

/* Whether one of the files DATA (of "data/<slug>/<version>/<name>") .csv, .json and .geojson is that
 * small, as it is sent: its .br twin, else its .gz twin, else itself. */
static bool reads_whole(const struct odp_stage *s, const char *data)
{
    static const char *const forms[] = {"csv", "json", "geojson"}, *const twins[] = {".br", ".gz", ""};
    struct odp_buffer path = {0};
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < ODP_COUNT(forms); i++) {
        const struct odp_site_file *f = NULL;
        for (size_t k = 0; k < ODP_COUNT(twins) && f == NULL; k++) {
            odp_buffer_clear(&path);
            odp_buffer_printf(&path, "%s.%s%s", data, forms[i], twins[k]);
            f = odp_stage_find(s, odp_buffer_cstr(&path));
        }
        least = f != NULL && f->size < least ? f->size : least;
    }
    odp_buffer_release(&path);
    return least <= ODP_READ_WHOLE;
}

static enum odp_status add_resource(struct listing *l, const json_t *entry, const json_t *resource)
{
    const char *slug = odp_text_of(entry, "slug"), *version = odp_text_of(entry, "version"),
               *name = odp_text_of(resource, "package_name");
    if (*version == '\0' || *name == '\0')
        return ODP_OK; /* nothing of it is current */
    const struct odp_site_file *f =
        find_index(l, odp_arena_printf(l->arena, "search/%s/%s/%s-", slug, version, name));
    if (f == NULL)
        return ODP_OK;
    struct odp_search_listed *listed = &l->list[l->n];
    *listed = (struct odp_search_listed){.collection = name, .entry = entry};
    enum odp_status status = describe_once(l, entry, resource, f);
    const struct odp_slice text = odp_part_text(l->job->stage);
    json_t *one = status == ODP_OK ? odp_json_load(text.ptr, text.len, 0, NULL) : NULL;
    if (status == ODP_OK)
        status = odp_search_info_of(&listed->info, json_object_get(one, "info"), l->arena);
    if (status == ODP_OK) {
        l->n++;
        odp_add(l->resources, json_incref(one));
        const char *data = odp_arena_printf(l->arena, "data/%s/%s/%s", slug, version, name);
        bool whole = reads_whole(l->job->stage, data);
        odp_stage_set_class(l->job->stage, f->path, whole ? ODP_CLASS_INTERNAL : ODP_CLASS_PUBLIC);
    }
    json_decref(one);
    return status == ODP_BAD ? ODP_OK : status; /* not listed */
}

/* "slug/version" of every version that was taken back. */
static enum odp_status list_withdrawn(const struct listing *l, json_t *list)
{
    struct odp_gone gone = {.arena = l->arena};
    enum odp_status status = odp_gone_tombstones(&gone, l->job->stage);
    for (size_t i = 0; status == ODP_OK && i < gone.n; i++) {
        const char *path = gone.paths[i].path,
                   *version = path + strlen("data/") + strlen(gone.paths[i].slug) + 1;
        if (strncmp(path, "data/", 5) == 0 && path[strlen(path) - 1] == '/' &&
            strcmp(version, "latest/") != 0)
            odp_add(list, json_sprintf("%s/%.*s", gone.paths[i].slug, (int)strlen(version) - 1, version));
    }
    free(gone.paths);
    return status;
}

static const char *list_places(const struct listing *l)
{
    struct odp_buffer lines = {0};
    const json_t *entry;
    size_t i;
    json_array_foreach(l->job->entries, i, entry) if (json_is_true(json_object_get(entry, "places")))
        odp_buffer_printf(&lines, "%s\n", odp_text_of(entry, "slug"));
    return odp_buffer_keep(&lines, l->arena);
}

/* "resources" of the previous site's list, where there is one, and what is carried over is not here. */
static enum odp_status read_before(struct listing *l)
{
    const struct odp_site *previous = l->job->previous;
    const struct odp_site_file *f = previous != NULL ? odp_site_find(previous, "search/index.json") : NULL;
    struct odp_buffer text = {0};
    if (f == NULL || odp_site_origin(previous) == NULL || odp_site_is_public_only(previous))
        return ODP_OK;
    enum odp_status status = odp_site_read(previous, f, &text, l->job->diags);
    json_t *root = status == ODP_OK ? odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (status == ODP_OK && root == NULL) /* the manifest says that it is what odp wrote */
        status = odp_failure_set("read JSON", f->path, 0);
    l->before = json_incref(json_object_get(root, "resources"));
    json_decref(root);
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_release_search(struct odp_site_job *job, struct odp_search_listed **list, size_t *n,
                                   struct odp_arena *a)
{
    struct listing l = {.job = job, .arena = a, .resources = json_array()};
    const json_t *entry, *resource;
    json_t *withdrawn = json_array();
    size_t i, k, most = 1;
    json_array_foreach(job->entries, i, entry) most += json_array_size(json_object_get(entry, "resources"));
    l.list = odp_arena_zero(a, most, sizeof *l.list);
    l.places = list_places(&l);
    enum odp_status status = read_before(&l);
    json_array_foreach(job->entries, i, entry)
        json_array_foreach(json_object_get(entry, "resources"), k, resource) if (status == ODP_OK) status =
            add_resource(&l, entry, resource);
    if (status == ODP_OK)
        status = list_withdrawn(&l, withdrawn);
    const struct odp_catalog *c = job->catalog;
    json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:o}", "odp", "1", "release",
                             c->nreleases > 0 ? c->releases[0].version : "", "base_url",
                             c->portal.base_url != NULL ? c->portal.base_url : "", "resources", l.resources,
                             "withdrawn", withdrawn);
    if (status == ODP_OK)
        status = odp_doc_put_as_take(job->stage, "search/index.json", "application/json", ODP_CLASS_INTERNAL,
                                     ODP_DOC_PRETTY, json_incref(root));
    json_decref(l.before);
    job->searches = root;
    *list = l.list;
    *n = l.n;
    return status;
}
