/* Inside of publish: a bundle's first page. */
#pragma once

#include "publish/publish.h"

/* Whether F, or PATH of SITE, is in a bundle. */
bool bundle_takes(const struct odp_site_file *f);
bool bundle_has(const struct odp_site *site, const char *path);
/* The page at the top of a bundle whose site has no portal: every dataset with its downloads, in both
 * languages. */
enum odp_status bundle_start(struct odp_buffer *out, const struct odp_site *site) ODP_MUST_USE;
