/* Inside of site/versions: datapackage.json, made from the entries of the index. */
#ifndef ODP_SITE_VERSIONS_DATAPACKAGE_H
#define ODP_SITE_VERSIONS_DATAPACKAGE_H

#include "site/versions/release.h"

enum odp_status odp_release_package(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries) ODP_MUST_USE;

#endif
