#include "service/queries/queries.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "service/queries/queries_internal.h"

enum {
    TIME_MS = 2000,
    COUNT_MS = 50, /* a total is worth less than the answer it delays */
    ROWS = 5000000,
    PAGE = 100,
    PAGE_FILE = 1000,
    PAGE_MAX = 1000,
    PAGE_BYTES = 4 << 20,
    CACHE = 32 << 20,
    WAITING_A_THREAD = 64,
    WAITING_MAX = 256,
    WAIT_MS = 1000
};

/* ---- beginning and end ---- */

static void set_limits(struct odp_queries *q)
{
    const struct odp_service_options *o = q->options;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    q->threads = o->query_threads > 0 ? (unsigned)o->query_threads : cores > 0 ? (unsigned)cores : 1;
    q->limits = (struct odp_query_limits){.time_ms = o->query_time > 0 ? (uint32_t)o->query_time : TIME_MS,
                                          .count_ms = COUNT_MS,
                                          .rows = o->query_rows > 0 ? (uint64_t)o->query_rows : ROWS,
                                          .page = PAGE,
                                          .page_file = PAGE_FILE,
                                          .page_max = PAGE_MAX,
                                          .bytes = PAGE_BYTES};
}

enum odp_status odp_queries_new(struct odp_queries **out, const struct odp_service_options *o,
                                char why[ODP_WHY])
{
    *out = NULL;
    struct odp_queries *q = calloc(1, sizeof *q);
    if (q == NULL)
        return odp_failure_set("queries", NULL, ENOMEM);
    if (odp_holder_init(&q->site, odp_query_site_free) != ODP_OK) {
        free(q);
        return ODP_FAIL;
    }
    q->options = o;
    set_limits(q);
    int e = pthread_mutex_init(&q->mutex, NULL);
    if (e == 0 && (e = pthread_mutex_init(&q->opening, NULL)) != 0)
        pthread_mutex_destroy(&q->mutex);
    if (e != 0) {
        odp_holder_release(&q->site);
        free(q);
        return odp_failure_set("mutex", NULL, e);
    }
    unsigned waiting =
        q->threads * WAITING_A_THREAD < WAITING_MAX ? q->threads * WAITING_A_THREAD : WAITING_MAX;
    size_t cache = o->query_cache > 0 ? (size_t)o->query_cache : o->query_cache < 0 ? 0 : CACHE;
    enum odp_status st = queries_secret_open(q, why);
    if (st == ODP_OK)
        st = odp_gate_new(&q->gate, q->threads, waiting, WAIT_MS);
    if (st == ODP_OK)
        st = odp_cache_new(&q->cache, cache, waiting);
    if (st == ODP_OK)
        st = queries_links_new(&q->keep, o);
    if (st == ODP_OK)
        *out = q;
    else
        odp_queries_free(q);
    return st;
}

void odp_queries_free(struct odp_queries *q)
{
    if (q == NULL)
        return;
    queries_indexes_close(q);
    queries_links_free(q->keep);
    odp_holder_release(&q->site);
    odp_cache_free(q->cache);
    odp_gate_free(q->gate);
    pthread_mutex_destroy(&q->opening);
    pthread_mutex_destroy(&q->mutex);
    odp_secrets_wipe(&q->secrets);
    free(q);
}

/* ---- the site ---- */

enum odp_status odp_queries_switch(struct odp_queries *q, const char *dir, int64_t now, char why[ODP_WHY])
{
    struct odp_query_site *site = NULL;
    why[0] = '\0';
    const struct odp_query_site *before = q->site.now;
    if (before != NULL && strcmp(before->dir, dir) == 0)
        return ODP_DONE;
    enum odp_status st = odp_query_site_read(&site, dir, why);
    if (st != ODP_OK && st != ODP_DONE)
        return st;
    /* Current indexes are linked before anybody gets a cursor to them. */
    st = queries_links_switch(q, site, now);
    odp_holder_set_take(&q->site, site);
    queries_indexes_switch(q, site, now);
    return st == ODP_DONE ? ODP_OK : st;
}

enum odp_status odp_queries_prune(struct odp_queries *q, int64_t now)
{
    queries_indexes_prune(q, now - ODP_INDEX_KEPT);
    return queries_links_prune(q, now);
}
