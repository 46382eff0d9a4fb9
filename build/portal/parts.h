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

/* The whole document, appended. */
void portal_releases_page(struct odp_buffer *out, const struct odp_stage *s, const struct odp_catalog *c, const json_t *const *entries,
                          size_t n, enum odp_lang lang, struct odp_arena *a);
void portal_feed(struct odp_buffer *out, const struct odp_catalog *c, const json_t *const *entries, size_t n);

#endif
