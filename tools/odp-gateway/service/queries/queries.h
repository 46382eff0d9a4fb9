/* The query indexes of the site being served.
 *
 * <site>/search/index.json lists them; it is read at the start and when the site is switched. An index is
 * opened at its first use, and closed when nobody holds it and others need the room. A cursor is pinned to
 * its index (its id, 16 hex digits of the file's digest), which may no longer be current. It is looked for:
 *
 *   1. among open indexes
 *   2. in STATE/indexes/index-<id>.sqlite: each index of the site is hard-linked there when it becomes
 * current, and stays for 24 hours after it was superseded, by our own record (STATE/indexes/record.json).
 * Without hard links (another file system, another owner) an open index stays open for as long
 *   3. in <site>/search/<slug>/<version>/, where the compiler leaves superseded versions
 *   4. in the same folder of older builds next to the site's real path
 *
 * A version withdrawn by law ("withdrawn" of index.json) is in none of them once the site is switched: its
 * link is removed, its answers are forgotten, and it is closed when its queries are done.
 *
 * One thread (the ticker) switches and prunes; all others hold and lease. */
#pragma once

#include "core/secrets/secret.h"
#include "service/queries/cache.h"
#include "service/queries/engine/query.h"
#include "service/queries/gate.h"
#include "service/state/held.h"
#include "service/state/state.h"

#define ODP_INDEX_KEPT (24 * 3600) /* seconds after it was superseded */

/* ---- what a site offers; immutable, counted ---- */

struct odp_query_resource {
    const char *collection, *slug, *resource; /* resource NULL: the dataset's first */
    struct odp_text title;
    const char *version, *file; /* of the site: "search/kumuh/2024-03-15/kumuh-<id>.sqlite" */
    const char *place;          /* the column with codes of places that have pages; "": none */
    char id[ODP_SEARCH_ID + 1];
};
struct odp_query_site {
    struct odp_held held;
    struct odp_arena arena;
    const char *dir;            /* real path */
    const char *release, *root; /* root: <base_url>v1/ */
    struct odp_query_resource *resources;
    size_t n;
    const char **withdrawn; /* "slug/version" */
    size_t nwithdrawn;
};
/* Reads DIR/search/index.json. DONE: none (*OUT offers nothing). BAD: WHY. Its paths are checked: below
 * search/, no dots, of their slug and version. */
enum odp_status odp_query_site_read(struct odp_query_site **out, const char *dir,
                                    char why[ODP_WHY]) ODP_MUST_USE;
void odp_query_site_free(void *site); /* NULL is allowed */
/* RESOURCE empty: the dataset's first. NULL: there is none. */
const struct odp_query_resource *odp_query_site_find(const struct odp_query_site *site, struct odp_slice slug,
                                                     struct odp_slice resource);
const struct odp_query_resource *odp_query_site_collection(const struct odp_query_site *site,
                                                           struct odp_slice collection);
bool odp_query_site_withdrew(const struct odp_query_site *site, const char *slug, const char *version);
bool odp_query_site_current(const struct odp_query_site *site, const char *id);
bool odp_query_id_ok(const char *id); /* 16 hex digits */

/* ---- all of it ---- */

struct odp_query_counts {
    _Atomic uint64_t run, micros, looked_at, returned;
};
struct queries_stamp { /* of a file, to see that it is another one */
    uint64_t inode;
    int64_t size;
    struct timespec changed;
};
struct odp_queries {
    const struct odp_service_options *options;
    struct odp_secrets secrets; /* under mutex */
    struct queries_stamp secrets_stamp;
    struct odp_query_limits limits;
    unsigned threads;
    struct odp_gate *gate;
    struct odp_cache *cache;
    struct odp_query_counts counts;
    struct odp_holder site;        /* struct odp_query_site */
    pthread_mutex_t mutex;         /* over indexes */
    pthread_mutex_t opening;       /* one index at a time; taken before mutex */
    struct queries_index *indexes; /* open ones */
    unsigned nindexes;
    uint64_t uses, switched;    /* uses of indexes, and their number at the last switch */
    struct queries_links *keep; /* the ticker's: the files in STATE/indexes/ */
};
/* BAD: WHY (a secret that cannot be read). */
enum odp_status odp_queries_new(struct odp_queries **out, const struct odp_service_options *o,
                                char why[ODP_WHY]) ODP_MUST_USE;
void odp_queries_free(struct odp_queries *q); /* NULL is allowed; no call may be running */

/* The ticker: the site at DIR (its real path). OK: it is another one now. DONE: nothing to do. BAD: its list
 * cannot be used, the one before stays; WHY. */
enum odp_status odp_queries_switch(struct odp_queries *q, const char *dir, int64_t now,
                                   char why[ODP_WHY]) ODP_MUST_USE;
/* The ticker: removes what was superseded long enough ago. */
enum odp_status odp_queries_prune(struct odp_queries *q, int64_t now) ODP_MUST_USE;

/* ---- what cursors are signed with ---- */

#define ODP_CURSOR_COMMENT                                                                                   \
    "Signs cursors (odp-gateway secrets replace cursor). The same on all machines behind one name."
/* The ticker: reads the file anew where it is another one; one that cannot be taken changes nothing and is
 * logged. */
void odp_queries_secret_look(struct odp_queries *q);
/* The one that signs now. The caller wipes OUT. */
void odp_queries_secret(struct odp_queries *q, int64_t now, uint8_t out[ODP_SECRET_BYTES]);
/* Which secret made CURSOR, and the index it is pinned to. DONE: one that has ended. BAD: none. The caller
 * wipes OPENS. */
enum odp_status odp_queries_cursor(struct odp_queries *q, struct odp_slice cursor, int64_t now,
                                   uint8_t opens[ODP_SECRET_BYTES], char id[ODP_SEARCH_ID + 1]) ODP_MUST_USE;

/* An index in use; it stays open until it is given back. */
struct odp_query_lease {
    struct odp_index *index;
    const char *id;
    struct queries_index *entry;
};
/* Of R, its index ID (NULL: the current one). DONE: it is nowhere any more. BAD: it is there and cannot be
 * opened, WHY. */
enum odp_status odp_queries_lease(struct odp_queries *q, const struct odp_query_site *site,
                                  const struct odp_query_resource *r, const char *id,
                                  struct odp_query_lease *out, char why[ODP_WHY]) ODP_MUST_USE;
void odp_queries_return(struct odp_queries *q, struct odp_query_lease *lease); /* of nothing: nothing */
unsigned odp_queries_open(struct odp_queries *q);                              /* indexes */
