/* What the parts of struct odp_queries share (inside of service/queries). */
#pragma once

#include "service/queries/queries.h"
#include "service/state/state_internal.h"

struct queries_index { /* an open one */
    char id[ODP_SEARCH_ID + 1];
    struct odp_index *index;
    unsigned refs;
    bool leaving;       /* not given out any more; closed with its last reference */
    bool linked;        /* opened from STATE/indexes/: it can be closed and opened again */
    int64_t superseded; /* 0: it is current */
    uint64_t used;
    struct queries_index *next;
};

/* Reads the file of secrets; STATE/cursor.key is made where it is missing. BAD: WHY. */
enum odp_status queries_secret_open(struct odp_queries *q, char why[ODP_WHY]) ODP_MUST_USE;
/* STATE/indexes/index-<id>.sqlite. */
const char *queries_index_path(const struct odp_service_options *o, const char *id, char out[ODP_PATH_MAX]);
/* Marks indexes superseded by SITE; closes withdrawn ones, and superseded ones unused since the switch
 * before. */
void queries_indexes_switch(struct odp_queries *q, const struct odp_query_site *site, int64_t now);
/* Closes those that were superseded before OLDEST. */
void queries_indexes_prune(struct odp_queries *q, int64_t oldest);
/* True: ID is not open, or it was not in use and is closed now; else it leaves when it is given back. */
bool queries_indexes_remove(struct odp_queries *q, const char *id);
void queries_indexes_close(struct odp_queries *q);

enum odp_status queries_links_new(struct queries_links **out,
                                  const struct odp_service_options *o) ODP_MUST_USE;
void queries_links_free(struct queries_links *k); /* NULL is allowed */
/* Links current indexes, records superseded ones, removes withdrawn ones. */
enum odp_status queries_links_switch(struct odp_queries *q, const struct odp_query_site *site,
                                     int64_t now) ODP_MUST_USE;
enum odp_status queries_links_prune(struct odp_queries *q, int64_t now) ODP_MUST_USE;
