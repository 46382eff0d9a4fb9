/* Inside of publish: the parts of a bundle. */
#ifndef ODP_PUBLISH_BUNDLE_INTERNAL_H
#define ODP_PUBLISH_BUNDLE_INTERNAL_H

#include "publish/publish.h"

bool bundle_takes(const struct odp_site_file *f);
/* True if PATH of SITE is in the bundle. */
bool bundle_has(const struct odp_site *site, const char *path);
/* The page at the top of a bundle whose site has no portal: every dataset with its downloads, in both languages. */
enum odp_status bundle_start(struct odp_buffer *out, const struct odp_site *site) ODP_MUST_USE;

#endif
