/* What is done with texts, for expressions and for the query index. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

/* LIKE with % _ and \, by characters of valid UTF-8. */
bool expr_like(struct odp_slice text, struct odp_slice pattern);

/* Of whole texts, by Unicode, the same in every locale: CASEI folds case in full (OGC 21-065,
 * /req/case-insensitive-comparison/casei-function), ACCENTI takes marks off letters. */
enum expr_mapping { EXPR_CASEI, EXPR_ACCENTI, EXPR_UPPER, EXPR_LOWER };
#define EXPR_GROWTH 3 /* a text may grow by this factor: two bytes may become six */
/* OUT has room for EXPR_GROWTH * s.len bytes; returns the length. Bytes that are no UTF-8 stay. */
size_t expr_map(enum expr_mapping mapping, struct odp_slice s, char *out);
/* Without white space at its ends. */
struct odp_slice expr_trim(struct odp_slice s);
/* At most N characters from number FROM on: 1 is the first, -1 the last; what is outside of S is empty. */
struct odp_slice expr_substr(struct odp_slice s, int64_t from, int64_t n);
