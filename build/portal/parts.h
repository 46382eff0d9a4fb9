/* Inside of build/portal: what pages and feed share. */
#ifndef ODP_PORTAL_PARTS_H
#define ODP_PORTAL_PARTS_H

#include <jansson.h>

#include "base/html.h"
#include "portal/portal.h"

/* Member KEY as text; "" when there is none. */
const char *portal_text(const json_t *o, const char *key);
/* Member KEY, {"id", "en"} or a string, in LANG. */
const char *portal_in(const json_t *o, const char *key, enum odp_lang lang);
/* The entries, those with the newest last_update first, then in the catalogue's order. NULL without memory. */
const json_t **portal_newest(const json_t *entries, size_t *n, struct odp_arena *a);

/* ---- news.c ---- */

enum portal_happening { PORTAL_VERSION, PORTAL_DEPRECATED, PORTAL_WITHDRAWN, PORTAL_REMOVED };
struct portal_news {
    enum portal_happening what;
    bool newest;                 /* the version that the index has */
    const char *slug, *version;  /* VERSION NULL: the dataset as a whole */
    const char *date;            /* of a version: its own; else of the line of the log: the newest date of that site */
    const char *reason;          /* of a withdrawn version, or NULL */
    const json_t *entry;         /* of the index, or NULL */
    const json_t *of;            /* of versions.json, or NULL: the version, or its tombstone */
};
struct portal_news_list {
    struct portal_news *items;   /* in the arena; newest versions first, then back through the log */
    size_t n;
    json_t *versions;            /* holds what items borrow: json_decref it, in every case */
};
/* What the staged releases.log and versions.json tell beside ENTRIES, which must outlive OUT. */
enum odp_status portal_news(struct portal_news_list *out, const struct odp_stage *s, const json_t *const *entries, size_t n,
                            const struct odp_site *previous, struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;

/* The whole document, appended. */
void portal_releases_page(struct odp_buffer *out, const struct odp_stage *s, const struct odp_catalog *c, const json_t *const *entries,
                          size_t n, enum odp_lang lang, struct odp_arena *a);
void portal_feed(struct odp_buffer *out, const struct odp_stage *s, const struct odp_catalog *c, const struct portal_news *news, size_t n, struct odp_arena *a);

#endif
