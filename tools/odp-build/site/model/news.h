/* What has happened to datasets, for feed.xml and the portal's home page. */
#pragma once

#include "site/model/model.h"

enum odp_happening { ODP_NEWS_VERSION, ODP_NEWS_DEPRECATED, ODP_NEWS_WITHDRAWN, ODP_NEWS_REMOVED };
struct odp_news {
    enum odp_happening what;
    bool newest;                /* the version that the index has */
    const char *slug, *version; /* VERSION NULL: the dataset as a whole */
    const char
        *date; /* of a version: its own; else the newest date of the site whose line of the log it is */
    const char *reason;  /* of a withdrawn version, or NULL */
    const json_t *entry; /* of the index, or NULL */
    const json_t *of;    /* of versions.json, or NULL: the version, or its tombstone; of a newest version once
                            odp_news_read was called */
};
struct odp_news_list {
    struct odp_news *items; /* in the arena; newest versions first, then back through the log */
    size_t n;
    json_t *versions; /* holds what items borrow: always json_decref it */
};
/* Gathers news of ENTRIES, which must outlive OUT, and the newest EVENTS of the staged releases.log. */
enum odp_status odp_news_gather(struct odp_news_list *out, const struct odp_site_job *job,
                                const json_t *const *entries, size_t n, size_t events,
                                struct odp_arena *a) ODP_MUST_USE;
/* Reads `of` of item I. */
enum odp_status odp_news_read(struct odp_news_list *news, size_t i,
                              const struct odp_site_job *job) ODP_MUST_USE;
/* The dataset's title, or its slug if nothing knows the title any more. */
json_t *odp_news_title(const struct odp_catalog *c, const struct odp_news *news);
