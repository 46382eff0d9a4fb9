/* LIKE and CASEI, for expressions and for the query index. */
#pragma once

#include "base/slice.h"

/* LIKE with % _ and \, by characters of valid UTF-8. */
bool expr_like(struct odp_slice text, struct odp_slice pattern);

#define EXPR_FOLD 3 /* folding may grow a text by this factor: two bytes may become six */
/* CASEI: Unicode's full case folding (OGC 21-065, /req/case-insensitive-comparison/casei-function), the same
 * in every locale. OUT has room for EXPR_FOLD * s.len bytes; returns the length. */
size_t expr_fold(struct odp_slice s, char *out);
