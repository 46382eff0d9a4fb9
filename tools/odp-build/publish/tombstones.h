/* Inside of publish: the withdrawn versions that the sites on this machine know of, and whether a site still
 * holds one. */
#pragma once

#include "published/builds.h"
#include "published/history.h"

struct tombstone {
    const char *slug, *version, *reason;
    uint8_t digest[ODP_SHA256_SIZE];
};
struct tombstones {
    struct tombstone *list; /* in the arena */
    size_t n;
    struct odp_arena *arena;
};

/* Adds those of SITE. BAD: a versions.json of it cannot be read (reported). */
enum odp_status tombstones_add_site(struct tombstones *t, const struct odp_site *site,
                                    struct odp_diags *diags) ODP_MUST_USE;
/* Adds those of every build that is there and can be read. */
enum odp_status tombstones_add_builds(struct tombstones *t, const struct odp_builds *b) ODP_MUST_USE;
/* *HELD is the first of them that SITE has files of, by name or by content; NULL: none. BAD: unreadable
 * (reported). */
enum odp_status tombstones_held(const struct tombstones *t, const struct odp_site *site,
                                const struct tombstone **held, struct odp_diags *diags) ODP_MUST_USE;
/* The same of the build at PATH. *READ false: it cannot be read, and *HELD says nothing. OK or FAIL. */
enum odp_status tombstones_held_by_build(const struct tombstones *t, const char *path, bool *read,
                                         bool *held) ODP_MUST_USE;
