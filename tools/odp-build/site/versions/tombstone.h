/* What answers 410 for ever, told from the tombstones of the staged versions.json files: for each withdrawn version its folder and its
 * pages; and where the newest version was withdrawn and no other has taken its place, the API's and latest/'s addresses too. */
#ifndef ODP_SITE_VERSIONS_TOMBSTONE_H
#define ODP_SITE_VERSIONS_TOMBSTONE_H

#include "site/versions/release.h"

struct odp_tombstone_path {
    const char *path, *slug; /* one that ends in '/' stands for everything below it */
};
/* In A, in no order. */
enum odp_status odp_tombstone_paths(const struct odp_stage *s, struct odp_tombstone_path **paths, size_t *n, struct odp_arena *a) ODP_MUST_USE;

#endif
