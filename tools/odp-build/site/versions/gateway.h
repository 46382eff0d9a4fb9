/* Inside of site/versions. */
#ifndef ODP_SITE_VERSIONS_GATEWAY_H
#define ODP_SITE_VERSIONS_GATEWAY_H

#include "site/versions/release.h"

/* gateway.json: what the gateway must know of the catalogue. Internal; the files of the datasets are staged. */
enum odp_status odp_release_gateway(struct odp_stage *s, const struct odp_catalog *c) ODP_MUST_USE;

#endif
