/* Open indexes: found, opened once, counted, closed when nobody holds them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "service/queries/queries_internal.h"

enum { OPEN_MAX = 64, BUILDS_MAX = 256 };

/* Whether an index of SLUG and RESOURCE is R's. */
static bool is_of(const struct odp_query_resource *r, const char *slug, const char *resource)
{
    return strcmp(slug, r->slug) == 0 && (resource == NULL) == (r->resource == NULL) &&
           (resource == NULL || strcmp(resource, r->resource) == 0);
}

/* The mutex is held. */
static struct queries_index *find_open(struct odp_queries *q, const char *id)
{
    for (struct queries_index *e = q->indexes; e != NULL; e = e->next)
        if (strcmp(e->id, id) == 0 && !e->leaving)
            return e;
    return NULL;
}

static void free_entry(struct queries_index *e)
{
    odp_index_close(e->index);
    free(e->slug);
    free(e->resource);
    free(e->version);
    free(e);
}

static void free_entries(struct queries_index *e)
{
    for (struct queries_index *next; e != NULL; e = next) {
        next = e->next;
        free_entry(e);
    }
}

/* The mutex is held: takes E out and puts it before LIST, whose entries are closed without the mutex. */
static void take_out(struct odp_queries *q, struct queries_index *e, struct queries_index **list)
{
    struct queries_index **at = &q->indexes;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    q->nindexes--;
    e->next = *list;
    *list = e;
}

/* ---- where an index lies ---------------------------------------------------------------------------------------------------
 */

struct search {
    const struct odp_query_site *site;
    const struct odp_query_resource *r;
    const char *id;
    struct odp_arena *a;
    const char *path, *version;
};

/* BUILD/search/<slug>/<any version>/<collection>-<id>.sqlite, of a version that was not withdrawn. */
static enum odp_status find_in_build(struct search *f, const char *build)
{
    const char **versions = NULL, *folder = odp_arena_printf(f->a, "%s/search/%s", build, f->r->slug);
    size_t n = 0;
    enum odp_status st = odp_dir_list(folder, f->a, &versions, &n);
    if (st != ODP_OK)
        return st == ODP_FAIL ? st : ODP_DONE;
    for (size_t i = n; i-- > 0;) { /* the newest first */
        const char *path = odp_arena_printf(f->a, "%s/%s/%s-%s.sqlite", folder, versions[i], f->r->collection, f->id);
        if (versions[i][0] == '.' || odp_query_site_withdrew(f->site, f->r->slug, versions[i]) ||
            odp_file_kind_of(path) != ODP_FILE_REGULAR)
            continue;
        f->path = path;
        f->version = versions[i];
        return ODP_OK;
    }
    return ODP_DONE;
}

enum odp_status queries_find(const struct odp_query_site *site, const struct odp_query_resource *r, const char *id,
                             struct odp_arena *a, const char **path, const char **version)
{
    struct search f = {.site = site, .r = r, .id = id, .a = a};
    enum odp_status st = find_in_build(&f, site->dir);
    const char *slash = strrchr(site->dir, '/'), **builds = NULL;
    size_t n = 0;
    if (st == ODP_DONE && slash != NULL && slash != site->dir) {
        const char *parent = odp_arena_printf(a, "%.*s", (int)(slash - site->dir), site->dir);
        st = odp_dir_list(parent, a, &builds, &n);
        st = st == ODP_BAD ? ODP_DONE : st == ODP_OK ? ODP_DONE : st;
        for (size_t i = 0; st == ODP_DONE && i < n && i < BUILDS_MAX; i++) {
            const char *build = builds[i][0] != '.' ? odp_arena_printf(a, "%s/%s", parent, builds[i]) : "";
            st = *build == '\0' || strcmp(builds[i], slash + 1) == 0 ? ODP_DONE
                                                                       : find_in_build(&f, build);
        }
    }
    *path = f.path;
    *version = f.version;
    return st;
}

/* ---- opening ---------------------------------------------------------------------------------------------------------------
 */

static struct queries_index *new_entry(struct odp_index *index, const char *id, bool linked)
{
    const struct odp_search_info *info = odp_index_info(index);
    struct queries_index *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    *e = (struct queries_index){.index = index,
                                .slug = strdup(info->slug),
                                .resource = info->resource != NULL ? strdup(info->resource) : NULL,
                                .version = strdup(info->version),
                                .linked = linked};
    memcpy(e->id, id, sizeof e->id);
    if (e->slug != NULL && e->version != NULL && (info->resource == NULL || e->resource != NULL))
        return e;
    e->index = NULL;
    free_entry(e);
    return NULL;
}

static enum odp_status open_at(struct odp_queries *q, const char *path, const char *id, bool linked, struct queries_index **out,
                               char why[ODP_WHY])
{
    const char *reason = "";
    struct odp_index *index = NULL;
    enum odp_status st = odp_index_open(&index, path, q->threads, &reason);
    if (st == ODP_BAD)
        return odp_state_bad(why, "%.300s: %.150s", path, reason);
    if (st != ODP_OK)
        return st;
    if ((*out = new_entry(index, id, linked)) != NULL)
        return ODP_OK;
    odp_index_close(index);
    return odp_failure_set("open", path, ENOMEM);
}

bool queries_index_path(const struct odp_service_options *o, const char *id, char out[ODP_PATH_MAX])
{
    char name[64];
    (void)snprintf(name, sizeof name, "indexes/index-%.*s.sqlite", ODP_SEARCH_ID, id);
    return odp_state_path(out, o->state_dir, name);
}

/* Wherever it lies. */
static enum odp_status open_one(struct odp_queries *q, const struct odp_query_site *site, const struct odp_query_resource *r,
                                const char *id, struct queries_index **out, char why[ODP_WHY])
{
    char kept[ODP_PATH_MAX], own[ODP_PATH_MAX];
    struct odp_arena a;
    if (queries_index_path(q->options, id, kept) && odp_file_kind_of(kept) == ODP_FILE_REGULAR)
        return open_at(q, kept, id, true, out, why);
    if (strcmp(id, r->id) == 0 && odp_state_path(own, site->dir, r->file) && odp_file_kind_of(own) == ODP_FILE_REGULAR)
        return open_at(q, own, id, false, out, why);
    const char *path = NULL, *version = NULL;
    odp_arena_init(&a);
    enum odp_status st = queries_find(site, r, id, &a, &path, &version);
    if (st == ODP_OK)
        st = open_at(q, path, id, false, out, why);
    else if (st == ODP_DONE && strcmp(id, r->id) == 0)
        st = odp_state_bad(why, "%.300s is listed and not there", r->file);
    odp_arena_release(&a);
    return st;
}

/* The mutex is held: one that was not used for longest makes room. */
static struct queries_index *make_room(struct odp_queries *q)
{
    struct queries_index *list = NULL;
    while (q->nindexes >= OPEN_MAX) {
        struct queries_index *oldest = NULL;
        for (struct queries_index *e = q->indexes; e != NULL; e = e->next)
            if (e->refs == 0 && (e->linked || e->superseded == 0) && (oldest == NULL || e->used < oldest->used))
                oldest = e;
        if (oldest == NULL)
            break;
        take_out(q, oldest, &list);
    }
    return list;
}

static void insert(struct odp_queries *q, struct queries_index *e)
{
    pthread_mutex_lock(&q->mutex);
    struct queries_index *closing = make_room(q);
    e->next = q->indexes;
    q->indexes = e;
    q->nindexes++;
    pthread_mutex_unlock(&q->mutex);
    free_entries(closing);
}

/* True: ID is open; it is held, and R's if *MINE. */
static bool hold_open(struct odp_queries *q, const struct odp_query_resource *r, const char *id, struct queries_index **out,
                      bool *mine)
{
    pthread_mutex_lock(&q->mutex);
    struct queries_index *e = find_open(q, id);
    *mine = e != NULL && is_of(r, e->slug, e->resource);
    if (*mine) {
        e->refs++;
        e->used = ++q->uses;
        *out = e;
    }
    pthread_mutex_unlock(&q->mutex);
    return e != NULL;
}

static enum odp_status open_held(struct odp_queries *q, const struct odp_query_site *site, const struct odp_query_resource *r,
                                 const char *id, struct queries_index **out, bool *mine, char why[ODP_WHY])
{
    enum odp_status st = ODP_OK;
    pthread_mutex_lock(&q->opening);
    if (!hold_open(q, r, id, out, mine)) {
        struct queries_index *e = NULL;
        st = open_one(q, site, r, id, &e, why);
        *mine = st == ODP_OK && is_of(r, e->slug, e->resource);
        if (*mine && odp_query_site_withdrew(site, e->slug, e->version))
            st = ODP_DONE;
        if (*mine && st == ODP_OK) {
            e->refs = 1;
            insert(q, e);
            *out = e;
        } else if (e != NULL) {
            free_entry(e);
        }
    }
    pthread_mutex_unlock(&q->opening);
    return st;
}

enum odp_status odp_queries_lease(struct odp_queries *q, const struct odp_query_site *site, const struct odp_query_resource *r,
                                  const char *id, struct odp_query_lease *out, char why[ODP_WHY])
{
    struct queries_index *e = NULL;
    bool mine = false;
    enum odp_status st = ODP_OK;
    *out = (struct odp_query_lease){0};
    why[0] = '\0';
    id = id != NULL ? id : r->id;
    if (!odp_query_id_ok(id))
        return ODP_DONE;
    if (!hold_open(q, r, id, &e, &mine))
        st = open_held(q, site, r, id, &e, &mine, why);
    if (st == ODP_OK && !mine &&
        strcmp(id, r->id) != 0) /* of another resource: the engine says that the cursor is none of this one's */
        return odp_queries_lease(q, site, r, r->id, out, why);
    if (st == ODP_OK && !mine)
        return odp_state_bad(why, "%.300s is an index of something else", r->file);
    if (st == ODP_OK)
        *out = (struct odp_query_lease){e->index, e->id, e};
    return st;
}

void odp_queries_return(struct odp_queries *q, struct odp_query_lease *lease)
{
    struct queries_index *e = lease->entry, *closing = NULL;
    *lease = (struct odp_query_lease){0};
    if (e == NULL)
        return;
    pthread_mutex_lock(&q->mutex);
    if (--e->refs == 0 && e->leaving)
        take_out(q, e, &closing);
    pthread_mutex_unlock(&q->mutex);
    free_entries(closing);
}

/* ---- leaving ---------------------------------------------------------------------------------------------------------------
 */

/* The mutex is held. */
static void leave(struct odp_queries *q, struct queries_index *e, struct queries_index **closing)
{
    e->leaving = true;
    if (e->refs == 0)
        take_out(q, e, closing);
}

static bool is_current(const struct odp_query_site *site, const char *id)
{
    for (size_t i = 0; i < site->n; i++)
        if (strcmp(site->resources[i].id, id) == 0)
            return true;
    return false;
}

void queries_indexes_switch(struct odp_queries *q, const struct odp_query_site *site, int64_t now)
{
    struct queries_index *closing = NULL;
    pthread_mutex_lock(&q->mutex);
    for (struct queries_index *e = q->indexes, *next; e != NULL; e = next) {
        next = e->next;
        if (is_current(site, e->id))
            e->superseded = 0;
        else if (e->superseded == 0)
            e->superseded = now;
        bool withdrawn = odp_query_site_withdrew(site, e->slug, e->version);
        /* Nobody has asked for it since the switch before: whose cursor leads to it opens it again. Else each version would
         * stay open for a day. */
        if (!withdrawn && !(e->superseded != 0 && e->linked && e->refs == 0 && e->used <= q->switched))
            continue;
        if (withdrawn)
            odp_cache_forget(q->cache, e->id);
        leave(q, e, &closing);
    }
    q->switched = q->uses;
    pthread_mutex_unlock(&q->mutex);
    free_entries(closing);
}

void queries_indexes_prune(struct odp_queries *q, int64_t oldest)
{
    struct queries_index *closing = NULL;
    pthread_mutex_lock(&q->mutex);
    for (struct queries_index *e = q->indexes, *next; e != NULL; e = next) {
        next = e->next;
        if (e->superseded != 0 && e->superseded <= oldest)
            leave(q, e, &closing);
    }
    pthread_mutex_unlock(&q->mutex);
    free_entries(closing);
}

bool queries_indexes_remove(struct odp_queries *q, const char *id)
{
    struct queries_index *closing = NULL;
    bool held = false;
    pthread_mutex_lock(&q->mutex);
    for (struct queries_index *e = q->indexes, *next; e != NULL; e = next) {
        next = e->next;
        if (strcmp(e->id, id) != 0)
            continue;
        held = held || e->refs > 0;
        leave(q, e, &closing);
    }
    pthread_mutex_unlock(&q->mutex);
    free_entries(closing);
    return !held;
}

void queries_indexes_close(struct odp_queries *q)
{
    free_entries(q->indexes);
    q->indexes = NULL;
    q->nindexes = 0;
}

unsigned odp_queries_open(struct odp_queries *q)
{
    pthread_mutex_lock(&q->mutex);
    unsigned n = q->nindexes;
    pthread_mutex_unlock(&q->mutex);
    return n;
}
