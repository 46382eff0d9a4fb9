/* The manifest of a site that is fetched. */
#pragma once

#include "base/arena.h"
#include "published/site.h"

struct pull_manifest {
    struct odp_arena arena;
    struct odp_buffer text; /* as it came */
    uint8_t sha256[ODP_SHA256_SIZE];
    struct odp_site_file *files;
    size_t n;
    uint64_t bytes;
};

void pull_manifest_init(struct pull_manifest *m);
void pull_manifest_release(struct pull_manifest *m);
/* M->text into files; BAD with WHY: not a manifest, unsafe or unordered paths, more than MAX_FILE or
 * MAX_SITE, no control or gateway.json. */
enum odp_status pull_manifest_parse(struct pull_manifest *m, uint64_t max_file, uint64_t max_site,
                                    char why[200]) ODP_MUST_USE;
