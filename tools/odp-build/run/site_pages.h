/* Makes the documents of the whole site after its datasets are staged: for a build, and for a withdrawal. */
#pragma once

#include "site/versions/release.h"

/* Stages search/index.json, the documents of the API (site/api) and the pages for people (site/pages).
 * ENTRIES: the array `data` of v1/index.json. PREVIOUS: the site before, or NULL. */
enum odp_status odp_site_pages(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries,
                               const struct odp_site *previous, struct odp_diags *diags) ODP_MUST_USE;
