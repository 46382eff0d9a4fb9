/* What people read of a site: the page of releases in both languages, and its feed.
 *
 * Made of the catalogue's history and the index's entries alone, so equal sites have equal pages, and a dataset that is carried over looks
 * as it did. No clock: what is about to go stands there with its day as long as it is in the catalogue. */
#ifndef ODP_PORTAL_PORTAL_H
#define ODP_PORTAL_PORTAL_H

#include "release/release.h"

/* Stages rilis.html, en/releases.html and feed.xml. ENTRIES: the array `data` of v1/index.json. Files that are staged already
 * (data/<slug>/<version>/changes.html) are linked to: call it when the datasets are there. */
enum odp_status odp_portal_releases(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries) ODP_MUST_USE;

#endif
