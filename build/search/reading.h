/* What an index says of itself, for those who do not query it. */
#ifndef ODP_SEARCH_READING_H
#define ODP_SEARCH_READING_H

#include "search/search.h"

/* The texts of I live in A. BAD: PATH is no index, or one of another layout; *WHY gets a literal. FAIL: it cannot be read. */
enum odp_status odp_search_info_open(struct odp_search_info *i, const char *path, struct odp_arena *a, const char **why) ODP_MUST_USE;

#endif
