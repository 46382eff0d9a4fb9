/* Inside of build/release: names of things that schema.json, index.json and datapackage.json must agree on. */
#ifndef ODP_RELEASE_NAMES_H
#define ODP_RELEASE_NAMES_H

#include "release/release.h"

/* A resource's name in the site's data package: "kumuh", "proyek-timeline". */
#define ODP_RESOURCE_NAME         "%s%s%s"
#define ODP_RESOURCE_NAME_ARGS(r) (r)->dataset->slug, (r)->primary ? "" : "-", (r)->primary ? "" : (r)->name

/* "data/<slug>/<version>/schema[-<resource>].json" in A. */
char *odp_schema_path(const struct odp_resource *r, const char *version, struct odp_arena *a);

#endif
