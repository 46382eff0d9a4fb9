/* Makes the documents of the whole site after its datasets are staged: for a build, and for a withdrawal. */
#pragma once

#include "site/versions/release.h"

/* Stages search/index.json, the documents of the API (site/api) and the pages for people (site/pages), of
 * what JOB has: its stage, catalogue, entries, and as far as there are, previous and frame. */
enum odp_status odp_site_pages(const struct odp_site_job *job) ODP_MUST_USE;
