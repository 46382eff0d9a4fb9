/* Inside of build/release. */
#ifndef ODP_RELEASE_GATEWAY_H
#define ODP_RELEASE_GATEWAY_H

#include "release/release.h"

/* gateway.json: what the gateway must know of the catalogue. Internal; the files of the datasets are staged. */
enum odp_status odp_release_gateway(struct odp_stage *s, const struct odp_catalog *c) ODP_MUST_USE;

#endif
