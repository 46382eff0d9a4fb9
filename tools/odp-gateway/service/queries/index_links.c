/* STATE/indexes/: a hard link to each index of the site, from when it becomes current to 24 hours after it
 * was superseded, as record.json has it. Other files there were left by a killed service, and are removed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_load.h"
#include "service/queries/queries_internal.h"
#include "service/state/log.h"

#define RECORD "indexes/record.json"

enum { RECORD_MAX = 16 << 20, CLOCK_SLACK = 3600 };

/* By id: {"id", "slug", "version", "superseded" (Unix seconds; 0: it is current)}, as the record has them. */
struct queries_links {
    const struct odp_service_options *options;
    json_t *kept;
    bool changed; /* since the record was written */
    int unlinked; /* for the log: links cannot be made */
};

static int64_t superseded_of(const json_t *x)
{
    return json_integer_value(json_object_get(x, "superseded"));
}

static void supersede(struct queries_links *k, json_t *x, int64_t at)
{
    (void)json_object_set_new(x, "superseded", json_integer(at));
    k->changed = true;
}

static void remove_file(const struct queries_links *k, const char *id)
{
    char path[ODP_PATH_MAX];
    if (unlink(queries_index_path(k->options, id, path)) != 0 && errno != ENOENT)
        odp_log("warning", "indexes/index-%s.sqlite cannot be removed: %s", id, strerror(errno));
}

static void forget(struct queries_links *k, const char *id)
{
    remove_file(k, id);
    (void)json_object_del(k->kept, id);
    k->changed = true;
}

/* ---- the record ---- */

static enum odp_status write_record(struct queries_links *k)
{
    const char *id;
    json_t *x, *list;
    if (!k->changed)
        return ODP_OK;
    list = json_array();
    json_object_foreach(k->kept, id, x)(void) json_array_append(list, x);
    json_t *root = json_pack("{s:s, s:o}", "odp", "1", "indexes", list);
    char *text = json_dumps(root, JSON_INDENT(1));
    enum odp_status st = odp_state_put_file(k->options->state_dir, RECORD, odp_slice_of(text));
    odp_json_free_text(text);
    json_decref(root);
    k->changed = st != ODP_OK;
    return st;
}

static bool is_valid(const struct queries_links *k, const json_t *x)
{
    char path[ODP_PATH_MAX];
    const char *id = odp_json_text(x, "id");
    return id != NULL && odp_query_id_ok(id) && odp_json_text(x, "slug") != NULL &&
           odp_json_text(x, "version") != NULL && json_is_integer(json_object_get(x, "superseded")) &&
           odp_file_kind_of(queries_index_path(k->options, id, path)) == ODP_FILE_REGULAR;
}

static enum odp_status read_record(struct queries_links *k)
{
    char path[ODP_PATH_MAX];
    struct odp_buffer text = {0};
    size_t i;
    json_t *x;
    enum odp_status st =
        odp_file_read(odp_state_file(path, k->options->state_dir, RECORD), RECORD_MAX, &text, NULL);
    json_t *root = st == ODP_OK ? odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    odp_buffer_release(&text);
    if (st == ODP_OK && root == NULL)
        odp_log("warning", RECORD " cannot be read: superseded indexes are forgotten");
    json_array_foreach(json_object_get(root, "indexes"), i,
                       x) if (is_valid(k, x) &&
                              json_object_get(k->kept, odp_json_text(x, "id")) == NULL)(void)
        json_object_set(k->kept, odp_json_text(x, "id"), x);
    json_decref(root);
    return st == ODP_FAIL ? st : ODP_OK;
}

static enum odp_status remove_strays(struct queries_links *k)
{
    char path[ODP_PATH_MAX], id[ODP_SEARCH_ID + 1];
    struct odp_arena a = {0};
    const char **names = NULL;
    size_t n = 0;
    enum odp_status st = odp_dir_list(odp_state_file(path, k->options->state_dir, "indexes"), &a, &names, &n);
    for (size_t i = 0; st == ODP_OK && i < n; i++) {
        if (strncmp(names[i], "index-", 6) != 0)
            continue;
        (void)snprintf(id, sizeof id, "%.*s", ODP_SEARCH_ID, names[i] + 6);
        if (odp_query_id_ok(id) && strcmp(names[i] + 6 + ODP_SEARCH_ID, ".sqlite") == 0 &&
            json_object_get(k->kept, id) == NULL)
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
    k->kept = json_object();
    enum odp_status st = ODP_OK;
    if (mkdir(odp_state_file(path, o->state_dir, "indexes"), 0700) != 0 && errno != EEXIST)
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
    json_decref(k->kept);
    free(k);
}

/* ---- what comes and goes ---- */

/* 0: it is in STATE/indexes/ now. */
static int link_one(const struct queries_links *k, const struct odp_query_site *site,
                    const struct odp_query_resource *r)
{
    char from[ODP_PATH_MAX], to[ODP_PATH_MAX];
    if (!odp_state_path(from, site->dir, r->file))
        return ENAMETOOLONG;
    return link(from, queries_index_path(k->options, r->id, to)) == 0 || errno == EEXIST ? 0 : errno;
}

static void take_current(struct queries_links *k, const struct odp_query_site *site, int *unlinked)
{
    for (size_t i = 0; i < site->n; i++) {
        const struct odp_query_resource *r = &site->resources[i];
        json_t *x = json_object_get(k->kept, r->id);
        int e = link_one(k, site, r);
        if (e == ENOENT)
            odp_log("error", "%s is listed and not there", r->file);
        else if (e != 0)
            *unlinked = e;
        if (e != 0 || (x != NULL && superseded_of(x) == 0))
            continue;
        if (x == NULL) {
            x = json_pack("{s:s, s:s, s:s}", "id", r->id, "slug", r->slug, "version", r->version);
            (void)json_object_set_new(k->kept, r->id, x);
        }
        supersede(k, x, 0);
    }
}

enum odp_status queries_links_switch(struct odp_queries *q, const struct odp_query_site *site, int64_t now)
{
    struct queries_links *k = q->keep;
    int unlinked = 0;
    const char *id;
    json_t *x;
    void *next;
    json_object_foreach_safe(k->kept, next, id, x)
    {
        if (odp_query_site_withdrew(site, odp_json_text(x, "slug"), odp_json_text(x, "version"))) {
            odp_cache_forget(q->cache, id);
            forget(k, id);
        } else if (superseded_of(x) == 0 && !odp_query_site_current(site, id)) {
            supersede(k, x, now);
        }
    }
    take_current(k, site, &unlinked);
    if (unlinked != 0 && k->unlinked == 0)
        odp_log("warning",
                "indexes of the site cannot be linked into the state folder (%s): superseded ones are kept "
                "while they are open",
                strerror(unlinked));
    k->unlinked = unlinked;
    return write_record(k);
}

enum odp_status queries_links_prune(struct odp_queries *q, int64_t now)
{
    struct queries_links *k = q->keep;
    const char *id;
    json_t *x;
    void *next;
    json_object_foreach_safe(k->kept, next, id, x)
    {
        if (superseded_of(x) > now + CLOCK_SLACK) /* the clock was wrong */
            supersede(k, x, now);
        int64_t at = superseded_of(x);
        if (at != 0 && now - at >= ODP_INDEX_KEPT && queries_indexes_remove(q, id))
            forget(k, id);
    }
    return write_record(k);
}
