/* Names of things that schema.json, index.json and datapackage.json must agree on. */
#pragma once

#include "site/versions/release.h"

/* A resource's name in the site's data package: "kumuh", "proyek-timeline". */
#define ODP_RESOURCE_NAME         "%s%s%s"
#define ODP_RESOURCE_NAME_ARGS(r) (r)->dataset->slug, (r)->primary ? "" : "-", (r)->primary ? "" : (r)->name

/* "data/<slug>/<version>/schema[-<resource>].json" in A. */
char *odp_schema_path(const struct odp_resource *r, const char *version, struct odp_arena *a);

/* The Table Schema that schema.json of R would be today: without version, rows and what only a build knows.
 */
json_t *odp_schema_document(const struct odp_resource *r) ODP_MUST_USE;

/* One digest for a whole dataset: over name, NUL, digest of each of its resources. */
enum odp_status odp_dataset_digest(const char *const *names, const uint8_t (*digests)[ODP_SHA256_SIZE],
                                   size_t n, uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;
