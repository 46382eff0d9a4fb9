/* search/index.json: the query indexes of the site, for the service that answers queries (class internal).
 *
 *   {"odp":"1","release":"2.5.0","base_url":"https://…/",
 *    "resources":[{"collection":"kumuh","slug":"kumuh","resource":null,"title":{"id","en"},"version":"2024-03-15","last_update":"2024-03-15",
 *      "rows":1204,"file":"search/kumuh/2024-03-15/kumuh-<16 hex>.sqlite","info":{…}}],
 *    "withdrawn":["kumuh/2023-09-15"]}
 *
 * RESOURCES: what can be queried now; "info" is the index's own (catalog/index/search.h), so it can be
 * told of an index that lies elsewhere. The index of a table whose published files are too large to be
 * read whole is public: the page that explores the table reads the parts it needs.
 * WITHDRAWN: versions that were taken back, whose indexes must not be kept anywhere. Indexes of superseded
 * versions stay in the site beside the pages of their versions; they are not listed. */
#pragma once

#include "site/versions/release.h"

/* One resource that can be queried. */
struct odp_search_listed {
    const char *collection; /* "kumuh", "proyek-timeline" */
    const json_t *entry;    /* the dataset's entry of v1/index.json */
    struct odp_search_info info;
};
/* Bytes on the way that a page may read as a whole. */
enum { ODP_READ_WHOLE = 2000000 };
/* Stages search/index.json, which JOB->searches becomes (the caller's). *LIST, in A, by the order of the
 * entries and of their resources. */
enum odp_status odp_release_search(struct odp_site_job *job, struct odp_search_listed **list, size_t *n,
                                   struct odp_arena *a) ODP_MUST_USE;
