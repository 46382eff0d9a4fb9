/* LIKE, as expressions and the query index have it. */
#ifndef ODP_CATALOG_EXPR_LIKE_H
#define ODP_CATALOG_EXPR_LIKE_H

#include "base/slice.h"

/* LIKE with % _ and \, by characters of valid UTF-8. */
bool expr_like(struct odp_slice text, struct odp_slice pattern);

#endif
