/* What people read of a site: the page of releases in both languages, and its feed.
 *
 * Made of the catalogue's history, the index's entries and the staged site alone, so equal sites have equal pages, and a dataset that is carried over looks
 * as it did. No clock: what is about to go stands there with its day as long as it is in the catalogue. */
#ifndef ODP_PORTAL_PORTAL_H
#define ODP_PORTAL_PORTAL_H

#include "release/release.h"

/* Stages rilis.html, en/releases.html and feed.xml. ENTRIES: the array `data` of v1/index.json. Files that are staged already
 * (data/<slug>/<version>/changes.html) are linked to, and the feed tells what releases.log and versions.json tell: call it when the datasets and the log are
 * there. PREVIOUS (or NULL): where bytes are that a sparse build does not hold. BAD: they have changed (reported). */
enum odp_status odp_portal_releases(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries, const struct odp_site *previous,
                                    struct odp_diags *diags) ODP_MUST_USE;

#endif
