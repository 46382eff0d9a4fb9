/* STATE/indexes/: a hard link to every index of the site from the moment it is current to 24 hours after it was superseded.
 * record.json there says since when. What lies there and is not in the record was left by a killed service, and is removed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_load.h"
#include "service/queries/queries_internal.h"
#include "service/state/log.h"

enum { RECORD_MAX = 16 << 20, CLOCK_SLACK = 3600 };

struct kept_index {
    char id[ODP_SEARCH_ID + 1];
    char *slug, *version;
    int64_t superseded; /* Unix seconds; 0: it is current */
};
struct queries_links {
    const struct odp_service_options *options;
    struct kept_index *list;
    size_t n, room;
    bool changed; /* since the record was written */
    int unlinked; /* for the log: links cannot be made */
};

static struct kept_index *find(struct queries_links *k, const char *id)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->list[i].id, id) == 0)
            return &k->list[i];
    return NULL;
}

static void forget(struct queries_links *k, struct kept_index *x)
{
    free(x->slug);
    free(x->version);
    *x = k->list[--k->n];
    k->changed = true;
}

static enum odp_status add(struct queries_links *k, const char *id, const char *slug, const char *version, int64_t superseded)
{
    if (k->n == k->room) {
        struct kept_index *more = odp_realloc_array(k->list, k->room * 2 + 32, sizeof *more);
        if (more == NULL)
            return ODP_FAIL;
        k->list = more;
        k->room = k->room * 2 + 32;
    }
    struct kept_index x = {.slug = strdup(slug), .version = strdup(version), .superseded = superseded};
    if (x.slug == NULL || x.version == NULL) {
        free(x.slug);
        free(x.version);
        return odp_failure_set("record", NULL, ENOMEM);
    }
    (void)snprintf(x.id, sizeof x.id, "%s", id);
    k->list[k->n++] = x;
    k->changed = true;
    return ODP_OK;
}

static void remove_file(const struct queries_links *k, const char *id)
{
    char path[ODP_PATH_MAX];
    if (queries_index_path(k->options, id, path) && unlink(path) != 0 && errno != ENOENT)
        odp_log("warning", "indexes/index-%s.sqlite cannot be removed: %s", id, strerror(errno));
}

/* ---- the record ------------------------------------------------------------------------------------------------------------
 */

static enum odp_status write_record(struct queries_links *k)
{
    if (!k->changed)
        return ODP_OK;
    json_t *list = json_array();
    for (size_t i = 0; i < k->n; i++)
        (void)json_array_append_new(list,
                                    json_pack("{s:s, s:s, s:s, s:I}", "id", k->list[i].id, "slug", k->list[i].slug, "version",
                                              k->list[i].version, "superseded", (json_int_t)k->list[i].superseded));
    bool whole = json_array_size(list) == k->n;
    json_t *root = json_pack("{s:s, s:o}", "odp", "1", "indexes", list);
    char *text = root != NULL && whole ? json_dumps(root, JSON_INDENT(1)) : NULL;
    json_decref(root);
    enum odp_status st = text != NULL ? odp_state_put_file(k->options->state_dir, "indexes/record.json", odp_slice_of(text))
                                      : odp_failure_set("record", NULL, ENOMEM);
    odp_json_free_text(text);
    k->changed = k->changed && st != ODP_OK;
    return st;
}

static enum odp_status read_record(struct queries_links *k)
{
    char path[ODP_PATH_MAX];
    struct odp_buffer text;
    json_error_t error;
    if (!odp_state_path(path, k->options->state_dir, "indexes/record.json"))
        return odp_failure_set("open", k->options->state_dir, ENAMETOOLONG);
    odp_buffer_init(&text);
    enum odp_status st = odp_file_read(path, RECORD_MAX, &text, NULL);
    json_t *root = st == ODP_OK ? odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error) : NULL;
    odp_buffer_release(&text);
    if (st == ODP_OK && root == NULL)
        odp_log("warning", "indexes/record.json cannot be read: superseded indexes are forgotten");
    const json_t *list = json_object_get(root, "indexes");
    for (size_t i = 0; st == ODP_OK && i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i), *at = json_object_get(o, "superseded");
        const char *id = json_string_value(json_object_get(o, "id")), *slug = json_string_value(json_object_get(o, "slug"));
        const char *version = json_string_value(json_object_get(o, "version"));
        if (id != NULL && odp_query_id_ok(id) && slug != NULL && version != NULL && json_is_integer(at) &&
            find(k, id) == NULL && queries_index_path(k->options, id, path) && odp_file_kind_of(path) == ODP_FILE_REGULAR)
            st = add(k, id, slug, version, json_integer_value(at));
    }
    json_decref(root);
    k->changed = false;
    return st == ODP_BAD ? ODP_OK : st;
}

static enum odp_status remove_strays(struct queries_links *k)
{
    char path[ODP_PATH_MAX], id[ODP_SEARCH_ID + 1];
    struct odp_arena a;
    const char **names = NULL;
    size_t n = 0;
    odp_arena_init(&a);
    enum odp_status st = odp_state_path(path, k->options->state_dir, "indexes") ? odp_dir_list(path, &a, &names, &n) : ODP_DONE;
    for (size_t i = 0; st == ODP_OK && i < n; i++) {
        if (strncmp(names[i], "index-", 6) != 0)
            continue;
        (void)snprintf(id, sizeof id, "%.*s", ODP_SEARCH_ID, names[i] + 6);
        if (odp_query_id_ok(id) && strcmp(names[i] + 6 + ODP_SEARCH_ID, ".sqlite") == 0 && find(k, id) == NULL)
            remove_file(k, id);
    }
    odp_arena_release(&a);
    return st == ODP_FAIL ? st : ODP_OK;
}

enum odp_status queries_links_new(struct queries_links **out, const struct odp_service_options *o)
{
    char path[ODP_PATH_MAX];
    *out = NULL;
    struct queries_links *k = calloc(1, sizeof *k);
    if (k == NULL)
        return odp_failure_set("indexes", NULL, ENOMEM);
    k->options = o;
    enum odp_status st = ODP_OK;
    if (!odp_state_path(path, o->state_dir, "indexes"))
        st = odp_failure_set("mkdir", o->state_dir, ENAMETOOLONG);
    else if (mkdir(path, 0700) != 0 && errno != EEXIST)
        st = odp_failure_set("mkdir", path, errno);
    if (st == ODP_OK)
        st = read_record(k);
    if (st == ODP_OK)
        st = remove_strays(k);
    if (st == ODP_OK)
        *out = k;
    else
        queries_links_free(k);
    return st;
}

void queries_links_free(struct queries_links *k)
{
    if (k == NULL)
        return;
    while (k->n > 0)
        forget(k, &k->list[k->n - 1]);
    free(k->list);
    free(k);
}

/* ---- what comes and goes ---------------------------------------------------------------------------------------------------
 */

/* 0: it lies in STATE/indexes/ now. */
static int link_one(const struct queries_links *k, const struct odp_query_site *site, const struct odp_query_resource *r)
{
    char from[ODP_PATH_MAX], to[ODP_PATH_MAX];
    if (!odp_state_path(from, site->dir, r->file) || !queries_index_path(k->options, r->id, to))
        return ENAMETOOLONG;
    return link(from, to) == 0 || errno == EEXIST ? 0 : errno;
}

static enum odp_status take_current(struct queries_links *k, const struct odp_query_site *site, int *unlinked)
{
    enum odp_status st = ODP_OK;
    for (size_t i = 0; st == ODP_OK && i < site->n; i++) {
        const struct odp_query_resource *r = &site->resources[i];
        struct kept_index *x = find(k, r->id);
        int e = link_one(k, site, r);
        if (e == ENOENT)
            odp_log("error", "%s is listed and not there", r->file);
        else if (e != 0)
            *unlinked = e;
        if (e != 0)
            continue;
        if (x == NULL) {
            st = add(k, r->id, r->slug, r->version, 0);
        } else if (x->superseded != 0) {
            x->superseded = 0;
            k->changed = true;
        }
    }
    return st;
}

static bool is_current(const struct odp_query_site *site, const char *id)
{
    for (size_t i = 0; i < site->n; i++)
        if (strcmp(site->resources[i].id, id) == 0)
            return true;
    return false;
}

enum odp_status queries_links_switch(struct odp_queries *q, const struct odp_query_site *site, int64_t now)
{
    struct queries_links *k = q->keep;
    int unlinked = 0;
    for (size_t i = k->n; i-- > 0;) { /* forget puts the last one, which was looked at already, in its place */
        struct kept_index *x = &k->list[i];
        if (odp_query_site_withdrew(site, x->slug, x->version)) {
            remove_file(k, x->id);
            odp_cache_forget(q->cache, x->id);
            forget(k, x);
        } else if (x->superseded == 0 && !is_current(site, x->id)) {
            x->superseded = now;
            k->changed = true;
        }
    }
    enum odp_status st = take_current(k, site, &unlinked);
    if (unlinked != 0 && k->unlinked == 0)
        odp_log("warning",
                "indexes of the site cannot be linked into the state folder (%s): superseded ones are kept while they are open",
                strerror(unlinked));
    k->unlinked = unlinked;
    enum odp_status written = write_record(k);
    return st == ODP_OK ? written : st;
}

enum odp_status queries_links_prune(struct odp_queries *q, int64_t now)
{
    struct queries_links *k = q->keep;
    for (size_t i = k->n; i-- > 0;) {
        struct kept_index *x = &k->list[i];
        if (x->superseded > now + CLOCK_SLACK) { /* the clock was wrong */
            x->superseded = now;
            k->changed = true;
        }
        if (x->superseded == 0 || now - x->superseded < ODP_INDEX_KEPT || !queries_indexes_remove(q, x->id))
            continue;
        remove_file(k, x->id);
        forget(k, x);
    }
    return write_record(k);
}
