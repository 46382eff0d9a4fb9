/* Open indexes: found, opened once, counted, closed when nobody holds them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "service/queries/queries_internal.h"
#include "words/queries.h"

enum { OPEN_MAX = 64, BUILDS_MAX = 256 };

static bool is_of(const struct queries_index *e, const struct odp_query_resource *r)
{
    const struct odp_search_info *info = odp_index_info(e->index);
    return strcmp(info->slug, r->slug) == 0 && (info->resource == NULL) == (r->resource == NULL) &&
           (r->resource == NULL || strcmp(info->resource, r->resource) == 0);
}

static bool is_withdrawn(const struct queries_index *e, const struct odp_query_site *site)
{
    const struct odp_search_info *info = odp_index_info(e->index);
    return odp_query_site_withdrew(site, info->slug, info->version);
}

/* The mutex is held. */
static struct queries_index *find_open(struct odp_queries *q, const char *id)
{
    for (struct queries_index *e = q->indexes; e != NULL; e = e->next)
        if (strcmp(e->id, id) == 0 && !e->leaving)
            return e;
    return NULL;
}

static void free_entries(struct queries_index *e)
{
    for (struct queries_index *next; e != NULL; e = next) {
        next = e->next;
        odp_index_close(e->index);
        free(e);
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

/* ---- opening ---- */

static enum odp_status open_at(struct odp_queries *q, const char *path, const char *id, bool linked,
                               struct queries_index **out, char why[ODP_WHY])
{
    const char *reason = "";
    struct queries_index *e = calloc(1, sizeof *e);
    if (e == NULL)
        return odp_failure_set("open", path, ENOMEM);
    enum odp_status st = odp_index_open(&e->index, path, q->threads, &reason);
    if (st == ODP_BAD)
        (void)snprintf(why, ODP_WHY, "%.300s: %.150s", path, reason);
    e->linked = linked;
    memcpy(e->id, id, sizeof e->id);
    if (st == ODP_OK)
        *out = e;
    else
        free(e);
    return st;
}

/* BUILD/search/<slug>/<any version>/<collection>-<id>.sqlite of a version that was not withdrawn, newest
 * first. *PATH NULL: none. */
static enum odp_status find_in_build(const struct odp_query_site *site, const struct odp_query_resource *r,
                                     const char *id, const char *build, struct odp_arena *a,
                                     const char **path)
{
    const char **versions = NULL, *folder = odp_arena_printf(a, "%s/search/%s", build, r->slug);
    size_t n = 0;
    enum odp_status st = odp_dir_list(folder, a, &versions, &n);
    for (size_t i = st == ODP_OK ? n : 0; i-- > 0 && *path == NULL;) {
        const char *file = odp_arena_printf(a, "%s/%s/%s-%s.sqlite", folder, versions[i], r->collection, id);
        if (versions[i][0] != '.' && !odp_query_site_withdrew(site, r->slug, versions[i]) &&
            odp_file_kind_of(file) == ODP_FILE_REGULAR)
            *path = file;
    }
    return st == ODP_FAIL ? st : ODP_OK;
}

/* R's index ID outside of STATE/indexes/: in the site's folders or in older builds. */
static enum odp_status find_file(const struct odp_query_site *site, const struct odp_query_resource *r,
                                 const char *id, struct odp_arena *a, const char **path)
{
    const char *slash = strrchr(site->dir, '/'), **builds = NULL;
    size_t n = 0;
    enum odp_status st = find_in_build(site, r, id, site->dir, a, path);
    if (st != ODP_OK || *path != NULL || slash == NULL || slash == site->dir)
        return st;
    const char *parent = odp_arena_printf(a, "%.*s", (int)(slash - site->dir), site->dir);
    if (odp_dir_list(parent, a, &builds, &n) == ODP_FAIL)
        return ODP_FAIL;
    for (size_t i = 0; st == ODP_OK && *path == NULL && i < n && i < BUILDS_MAX; i++)
        if (builds[i][0] != '.' && strcmp(builds[i], slash + 1) != 0)
            st = find_in_build(site, r, id, odp_arena_printf(a, "%s/%s", parent, builds[i]), a, path);
    return st;
}

const char *queries_index_path(const struct odp_service_options *o, const char *id, char out[ODP_PATH_MAX])
{
    char name[64];
    (void)snprintf(name, sizeof name, "indexes/index-%.*s.sqlite", ODP_SEARCH_ID, id);
    return odp_state_file(out, o->state_dir, name);
}

/* Wherever it lies. DONE: nowhere. */
static enum odp_status open_one(struct odp_queries *q, const struct odp_query_site *site,
                                const struct odp_query_resource *r, const char *id,
                                struct queries_index **out, char why[ODP_WHY])
{
    char kept[ODP_PATH_MAX], own[ODP_PATH_MAX];
    const char *path = NULL;
    struct odp_arena a = {0};
    if (odp_file_kind_of(queries_index_path(q->options, id, kept)) == ODP_FILE_REGULAR)
        return open_at(q, kept, id, true, out, why);
    if (strcmp(id, r->id) == 0 && odp_state_path(own, site->dir, r->file) &&
        odp_file_kind_of(own) == ODP_FILE_REGULAR)
        return open_at(q, own, id, false, out, why);
    enum odp_status st = find_file(site, r, id, &a, &path);
    if (st == ODP_OK && path != NULL)
        st = open_at(q, path, id, false, out, why);
    else if (st == ODP_OK)
        st = strcmp(id, r->id) == 0 ? odp_state_bad(why, W_queries_index_gone, r->file) : ODP_DONE;
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
            if (e->refs == 0 && (e->linked || e->superseded == 0) &&
                (oldest == NULL || e->used < oldest->used))
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

/* True: ID is open. *OUT: it is R's, and is held. */
static bool hold_open(struct odp_queries *q, const struct odp_query_resource *r, const char *id,
                      struct queries_index **out)
{
    pthread_mutex_lock(&q->mutex);
    struct queries_index *e = find_open(q, id);
    if (e != NULL && is_of(e, r)) {
        e->refs++;
        e->used = ++q->uses;
        *out = e;
    }
    pthread_mutex_unlock(&q->mutex);
    return e != NULL;
}

static enum odp_status open_held(struct odp_queries *q, const struct odp_query_site *site,
                                 const struct odp_query_resource *r, const char *id,
                                 struct queries_index **out, char why[ODP_WHY])
{
    enum odp_status st = ODP_OK;
    pthread_mutex_lock(&q->opening);
    if (!hold_open(q, r, id, out)) {
        struct queries_index *e = NULL;
        st = open_one(q, site, r, id, &e, why);
        bool mine = st == ODP_OK && is_of(e, r);
        if (mine && is_withdrawn(e, site))
            st = ODP_DONE;
        if (mine && st == ODP_OK) {
            e->refs = 1;
            insert(q, e);
            *out = e;
        } else {
            free_entries(e);
        }
    }
    pthread_mutex_unlock(&q->opening);
    return st;
}

enum odp_status odp_queries_lease(struct odp_queries *q, const struct odp_query_site *site,
                                  const struct odp_query_resource *r, const char *id,
                                  struct odp_query_lease *out, char why[ODP_WHY])
{
    struct queries_index *e = NULL;
    enum odp_status st = ODP_OK;
    *out = (struct odp_query_lease){0};
    why[0] = '\0';
    id = id != NULL ? id : r->id;
    if (!odp_query_id_ok(id))
        return ODP_DONE;
    if (!hold_open(q, r, id, &e))
        st = open_held(q, site, r, id, &e, why);
    if (st != ODP_OK)
        return st;
    if (e != NULL)
        *out = (struct odp_query_lease){e->index, e->id, e};
    else if (strcmp(id, r->id) != 0) /* another resource's: the engine will refuse the cursor */
        return odp_queries_lease(q, site, r, r->id, out, why);
    else
        st = odp_state_bad(why, W_queries_index_other, r->file);
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

/* ---- leaving ---- */

/* The mutex is held. */
static void leave(struct odp_queries *q, struct queries_index *e, struct queries_index **closing)
{
    e->leaving = true;
    if (e->refs == 0)
        take_out(q, e, closing);
}

void queries_indexes_switch(struct odp_queries *q, const struct odp_query_site *site, int64_t now)
{
    struct queries_index *closing = NULL;
    pthread_mutex_lock(&q->mutex);
    for (struct queries_index *e = q->indexes, *next; e != NULL; e = next) {
        next = e->next;
        if (odp_query_site_current(site, e->id))
            e->superseded = 0;
        else if (e->superseded == 0)
            e->superseded = now;
        bool withdrawn = is_withdrawn(e, site);
        /* Unused since the switch before; a cursor opens it again. Else each version would stay open for a
         * day. */
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
