/* A published site, fetched by its manifest: every file is checked, nothing that the public sees changes until all of it is
 * here.
 *
 *   DIR                     the link that is switched        DIR.builds/<digest>/   builds, as odp-build makes them
 *   DIR.builds/.pull/<sha256>   files fetched by a run that did not come to its end; the next one takes them from there */
#ifndef ODP_COMMAND_PULL_PULL_H
#define ODP_COMMAND_PULL_PULL_H

#include "base/arena.h"
#include "command/options.h"
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
/* M->text into files; BAD with WHY: not a manifest, unsafe or unordered paths, more than MAX_FILE or MAX_SITE, no control or
 * gateway.json. */
enum odp_status pull_manifest_parse(struct pull_manifest *m, uint64_t max_file, uint64_t max_site, char why[200]) ODP_MUST_USE;

struct pull_count {
    size_t linked, resumed, fetched;
    uint64_t fetched_bytes;
};
/* The whole of it. Returns an exit code and has said why. */
int pull_run(struct invocation *inv, const char *url);

#endif
