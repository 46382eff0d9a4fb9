/* <site>/search/index.json. The compiler writes it and it is never served, but a path in it is still not
 * believed: what does not look as it must refuses the whole list. */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json_load.h"
#include "service/queries/queries_internal.h"
#include "words/queries.h"

enum { LIST_MAX = 64 << 20, NAME_MAX_LEN = 128 };
#define LIST    "search/index.json"
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"

bool odp_query_id_ok(const char *id)
{
    return strlen(id) == ODP_SEARCH_ID && strspn(id, DIGITS "abcdef") == ODP_SEARCH_ID;
}

/* One segment of a path, of WORDS and '-', that begins with neither '-' nor '.'. */
static bool name_ok(const char *s, const char *words)
{
    size_t n = s != NULL ? strlen(s) : 0;
    return n > 0 && n <= NAME_MAX_LEN && s[0] != '-' && s[0] != '.' && strspn(s, words) == n;
}

static char *copy(struct odp_query_site *site, const char *s)
{
    return odp_arena_str(&site->arena, odp_or_empty(s));
}

/* "search/<slug>/<version>/<collection>-<id>.sqlite", and nothing else; Q gets the ID. */
static bool take_file(struct odp_query_site *site, struct odp_query_resource *q)
{
    const size_t tail = strlen(".sqlite"), n = strlen(q->file);
    if (n < ODP_SEARCH_ID + tail)
        return false;
    memcpy(q->id, q->file + n - tail - ODP_SEARCH_ID, ODP_SEARCH_ID);
    return strcmp(q->file, odp_arena_printf(&site->arena, "search/%s/%s/%s-%s.sqlite", q->slug, q->version,
                                            q->collection, q->id)) == 0;
}

static enum odp_status read_resource(struct odp_query_site *site, const json_t *o,
                                     struct odp_query_resource *q, char why[ODP_WHY])
{
    static const char names[] = LETTERS DIGITS "-_",
                      versions[] = LETTERS DIGITS "-_.+:ABCDEFGHIJKLMNOPQRSTUVWXYZ~";
    const char *resource = odp_json_text(o, "resource");
    const json_t *title = json_object_get(o, "title");
    bool first = json_is_null(json_object_get(o, "resource"));
    *q = (struct odp_query_resource){
        .collection = copy(site, odp_json_text(o, "collection")),
        .slug = copy(site, odp_json_text(o, "slug")),
        .resource = resource != NULL ? copy(site, resource) : NULL,
        .version = copy(site, odp_json_text(o, "version")),
        .file = copy(site, odp_json_text(o, "file")),
        .place = copy(site, odp_json_text(o, "place")),
        .title = {{copy(site, odp_json_text(title, "id")), copy(site, odp_json_text(title, "en"))}}};
    if (!name_ok(q->collection, names) || !name_ok(q->slug, names) || !(first || name_ok(resource, names)) ||
        !name_ok(q->version, versions) || odp_json_text(o, "file") == NULL)
        return odp_state_bad(why, W_queries_list_entry);
    if (!take_file(site, q))
        return odp_state_bad(why, W_queries_list_place, q->collection, q->file);
    return odp_query_id_ok(q->id) ? ODP_OK : odp_state_bad(why, W_queries_list_digest, q->collection);
}

static enum odp_status read_list(struct odp_query_site *site, const json_t *root, char why[ODP_WHY])
{
    const char *odp = odp_json_text(root, "odp"), *base = odp_json_text(root, "base_url");
    const json_t *resources = json_object_get(root, "resources"),
                 *withdrawn = json_object_get(root, "withdrawn");
    enum odp_status st = ODP_OK;
    if (odp == NULL || strcmp(odp, "1") != 0)
        return odp_state_bad(why, W_queries_list_kind);
    if (base == NULL || !json_is_array(resources) || (withdrawn != NULL && !json_is_array(withdrawn)))
        return odp_state_bad(why, W_queries_list_members);
    site->release = copy(site, odp_json_text(root, "release"));
    site->root = odp_arena_printf(&site->arena, "%sv1/", base);
    site->resources = odp_arena_zero(&site->arena, json_array_size(resources) + 1, sizeof *site->resources);
    site->withdrawn = odp_arena_zero(&site->arena, json_array_size(withdrawn) + 1, sizeof *site->withdrawn);
    for (; st == ODP_OK && site->n < json_array_size(resources); site->n++)
        st = read_resource(site, json_array_get(resources, site->n), &site->resources[site->n], why);
    for (; st == ODP_OK && site->nwithdrawn < json_array_size(withdrawn); site->nwithdrawn++) {
        const char *text = json_string_value(json_array_get(withdrawn, site->nwithdrawn));
        if (text == NULL)
            return odp_state_bad(why, W_queries_list_withdrawn);
        site->withdrawn[site->nwithdrawn] = copy(site, text);
    }
    return st == ODP_OK ? odp_arena_status(&site->arena) : st;
}

static enum odp_status read_text(struct odp_query_site *site, struct odp_slice text, char why[ODP_WHY])
{
    json_error_t error;
    json_t *root = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        return odp_state_bad(why, W_queries_list_json, error.line, error.column);
    enum odp_status st = read_list(site, root, why);
    json_decref(root);
    return st;
}

enum odp_status odp_query_site_read(struct odp_query_site **out, const char *dir, char why[ODP_WHY])
{
    char path[ODP_PATH_MAX];
    struct odp_buffer text = {0};
    int e = 0;
    *out = NULL;
    struct odp_query_site *site = calloc(1, sizeof *site);
    if (site == NULL)
        return odp_failure_set("site", dir, ENOMEM);
    site->release = site->root = "";
    site->dir = odp_arena_str(&site->arena, dir);
    enum odp_status st = ODP_OK;
    if (!odp_state_path(path, dir, LIST))
        st = odp_failure_set("open", dir, ENAMETOOLONG);
    if (st == ODP_OK)
        st = odp_file_read(path, LIST_MAX, &text, &e);
    if (st == ODP_OK)
        st = read_text(site, odp_buffer_slice(&text), why);
    else if (st == ODP_BAD && e == ENOENT)
        st = ODP_DONE;
    else if (st == ODP_BAD)
        st = odp_state_bad(why, W_queries_not_read, path);
    odp_buffer_release(&text);
    if (st == ODP_OK || st == ODP_DONE)
        *out = site;
    else
        odp_query_site_free(site);
    return st;
}

void odp_query_site_free(void *value)
{
    struct odp_query_site *site = value;
    if (site == NULL)
        return;
    odp_arena_release(&site->arena);
    free(site);
}

const struct odp_query_resource *odp_query_site_find(const struct odp_query_site *site, struct odp_slice slug,
                                                     struct odp_slice resource)
{
    for (size_t i = 0; i < site->n; i++) {
        const struct odp_query_resource *q = &site->resources[i];
        if (odp_slice_is(slug, q->slug) &&
            (q->resource != NULL ? odp_slice_is(resource, q->resource) : resource.len == 0))
            return q;
    }
    return NULL;
}

const struct odp_query_resource *odp_query_site_collection(const struct odp_query_site *site,
                                                           struct odp_slice collection)
{
    for (size_t i = 0; i < site->n; i++)
        if (odp_slice_is(collection, site->resources[i].collection))
            return &site->resources[i];
    return NULL;
}

bool odp_query_site_withdrew(const struct odp_query_site *site, const char *slug, const char *version)
{
    size_t n = strlen(slug);
    for (size_t i = 0; i < site->nwithdrawn; i++)
        if (strncmp(site->withdrawn[i], slug, n) == 0 && site->withdrawn[i][n] == '/' &&
            strcmp(site->withdrawn[i] + n + 1, version) == 0)
            return true;
    return false;
}

bool odp_query_site_current(const struct odp_query_site *site, const char *id)
{
    for (size_t i = 0; i < site->n; i++)
        if (strcmp(site->resources[i].id, id) == 0)
            return true;
    return false;
}
