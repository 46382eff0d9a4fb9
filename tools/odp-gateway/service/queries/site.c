/* <site>/search/index.json. The compiler writes it and it is never served, but a path in it is still not believed: what does
 * not look as it must refuses the whole list. */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json_load.h"
#include "service/queries/queries_internal.h"

enum { LIST_MAX = 64 << 20, NAME_MAX_LEN = 128 };
#define LIST    "search/index.json"
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"

struct reading {
    struct odp_query_site *site;
    char *why;
};

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

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static char *copy(struct reading *r, const char *s)
{
    return odp_arena_str(&r->site->arena, s != NULL ? s : "");
}

/* "search/<slug>/<version>/<collection>-<id>.sqlite", and nothing else. */
static bool file_ok(const struct odp_query_resource *q)
{
    char want[4 * NAME_MAX_LEN];
    const char *dot = strrchr(q->file, '.');
    size_t n = strlen(q->file);
    if (dot == NULL || strcmp(dot, ".sqlite") != 0 || n < ODP_SEARCH_ID + 7)
        return false;
    const char *id = dot - ODP_SEARCH_ID;
    int m = snprintf(want, sizeof want, "search/%s/%s/%s-%.*s.sqlite", q->slug, q->version, q->collection, ODP_SEARCH_ID, id);
    return m > 0 && (size_t)m < sizeof want && strcmp(want, q->file) == 0;
}

static enum odp_status read_resource(struct reading *r, const json_t *o, struct odp_query_resource *q)
{
    const char *collection = text_of(o, "collection"), *slug = text_of(o, "slug"), *resource = text_of(o, "resource");
    const char *version = text_of(o, "version"), *file = text_of(o, "file");
    const json_t *title = json_object_get(o, "title");
    static const char names[] = LETTERS DIGITS "-_", versions[] = LETTERS DIGITS "-_.+:ABCDEFGHIJKLMNOPQRSTUVWXYZ~";
    bool resource_ok = resource != NULL ? name_ok(resource, names) : json_is_null(json_object_get(o, "resource"));
    if (!name_ok(collection, names) || !name_ok(slug, names) || !resource_ok || !name_ok(version, versions) || file == NULL)
        return odp_state_bad(r->why, LIST ": an entry without collection, slug, resource, version or file as they must be");
    q->collection = copy(r, collection);
    q->slug = copy(r, slug);
    q->resource = resource != NULL ? copy(r, resource) : NULL;
    q->version = copy(r, version);
    q->file = copy(r, file);
    q->title.in[ODP_LANG_ID] = copy(r, text_of(title, "id"));
    q->title.in[ODP_LANG_EN] = copy(r, text_of(title, "en"));
    if (q->collection == NULL || q->slug == NULL || (resource != NULL && q->resource == NULL) || q->version == NULL ||
        q->file == NULL || q->title.in[ODP_LANG_ID] == NULL || q->title.in[ODP_LANG_EN] == NULL)
        return ODP_FAIL;
    if (!file_ok(q))
        return odp_state_bad(r->why, LIST ": the file of %s is not where it must be: %.200s", q->collection, q->file);
    memcpy(q->id, q->file + strlen(q->file) - 7 - ODP_SEARCH_ID, ODP_SEARCH_ID);
    return odp_query_id_ok(q->id) ? ODP_OK
                                  : odp_state_bad(r->why, LIST ": the file of %s has no digest in its name", q->collection);
}

static enum odp_status read_resources(struct reading *r, const json_t *list)
{
    struct odp_query_site *site = r->site;
    site->resources = odp_arena_zero(&site->arena, json_array_size(list) + 1, sizeof *site->resources);
    enum odp_status st = ODP_OK;
    for (size_t i = 0; st == ODP_OK && i < json_array_size(list); i++) {
        st = read_resource(r, json_array_get(list, i), &site->resources[i]);
        site->n = i + 1;
    }
    return st;
}

static enum odp_status read_withdrawn(struct reading *r, const json_t *list)
{
    struct odp_query_site *site = r->site;
    site->withdrawn = odp_arena_zero(&site->arena, json_array_size(list) + 1, sizeof *site->withdrawn);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text == NULL)
            return odp_state_bad(r->why, LIST ": a withdrawn version that is no text");
        if ((site->withdrawn[site->nwithdrawn++] = copy(r, text)) == NULL)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status read_list(struct reading *r, const json_t *root)
{
    const char *odp = text_of(root, "odp"), *base = text_of(root, "base_url");
    const json_t *resources = json_object_get(root, "resources"), *withdrawn = json_object_get(root, "withdrawn");
    if (odp == NULL || strcmp(odp, "1") != 0)
        return odp_state_bad(r->why, LIST ": not a list of this kind (\"odp\" is not \"1\")");
    if (base == NULL || !json_is_array(resources) || (withdrawn != NULL && !json_is_array(withdrawn)))
        return odp_state_bad(r->why, LIST ": base_url, resources or withdrawn are not as they must be");
    r->site->release = copy(r, text_of(root, "release"));
    r->site->root = odp_arena_printf(&r->site->arena, "%sv1/", base);
    if (r->site->release == NULL)
        return ODP_FAIL;
    enum odp_status st = read_resources(r, resources);
    return st == ODP_OK ? read_withdrawn(r, withdrawn) : st;
}

static enum odp_status read_text(struct reading *r, struct odp_slice text)
{
    json_error_t error;
    json_t *root = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
    enum odp_status st = ODP_BAD;
    if (root != NULL)
        st = read_list(r, root);
    else if (json_error_code(&error) == json_error_out_of_memory)
        st = odp_failure_set("read JSON", LIST, ENOMEM);
    else
        (void)odp_state_bad(r->why, LIST ": it is no JSON (line %d, column %d)", error.line, error.column);
    json_decref(root);
    return st;
}

enum odp_status odp_query_site_read(struct odp_query_site **out, const char *dir, char why[ODP_WHY])
{
    char path[ODP_PATH_MAX];
    struct odp_buffer text;
    int e = 0;
    *out = NULL;
    struct odp_query_site *site = calloc(1, sizeof *site);
    if (site == NULL)
        return odp_failure_set("site", dir, ENOMEM);
    struct reading r = {site, why};
    odp_buffer_init(&text);
    odp_arena_init(&site->arena);
    site->release = site->root = "";
    site->dir = odp_arena_str(&site->arena, dir);
    enum odp_status st = ODP_OK;
    if (!odp_state_path(path, dir, LIST))
        st = odp_failure_set("open", dir, ENAMETOOLONG);
    if (st == ODP_OK)
        st = odp_file_read(path, LIST_MAX, &text, &e);
    if (st == ODP_OK)
        st = read_text(&r, odp_buffer_slice(&text));
    else if (st == ODP_BAD && e == ENOENT)
        st = ODP_DONE;
    else if (st == ODP_BAD)
        st = odp_state_bad(why, "%.400s cannot be read", path);
    odp_buffer_release(&text);
    if (st == ODP_OK || st == ODP_DONE)
        *out = site;
    else
        odp_query_site_free(site);
    return st;
}

void odp_query_site_free(struct odp_query_site *site)
{
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
        if (odp_slice_is(slug, q->slug) && (q->resource != NULL ? odp_slice_is(resource, q->resource) : resource.len == 0))
            return q;
    }
    return NULL;
}

const struct odp_query_resource *odp_query_site_collection(const struct odp_query_site *site, struct odp_slice collection)
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
