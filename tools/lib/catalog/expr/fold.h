/* CASEI, as expressions and the query index have it. */
#pragma once

#include "base/slice.h"

#define EXPR_FOLD 3 /* what folding may grow a text by: two bytes may become six */
/* The full case folding of Unicode (fold.c). OUT has room for EXPR_FOLD * s.len bytes; returns the length. */
size_t expr_fold(struct odp_slice s, char *out);
