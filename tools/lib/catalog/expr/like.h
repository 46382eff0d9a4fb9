/* LIKE, as expressions and the query index have it. */
#pragma once

#include "base/slice.h"

/* LIKE with % _ and \, by characters of valid UTF-8. */
bool expr_like(struct odp_slice text, struct odp_slice pattern);
