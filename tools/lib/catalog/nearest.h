/* The name that was meant: the nearest of those there are. */
#ifndef ODP_CATALOG_NEAREST_H
#define ODP_CATALOG_NEAREST_H

#include "base/slice.h"

/* Text with the smallest edit distance (Damerau-Levenshtein, code points) to S among N, within MAX; index or -1. */
int odp_nearest(struct odp_slice s, const struct odp_slice *among, size_t n, size_t max);

/* How far a suggestion may be from a name of LEN bytes: for short ones everything is near. */
size_t odp_nearest_limit(size_t len);

#endif
