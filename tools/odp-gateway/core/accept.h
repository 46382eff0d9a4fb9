/* Lists of choices with weights: Accept, Accept-Encoding, Accept-Language (RFC 9110, section 12.4.2). Never
 * an error: a member that is not well-formed is passed over. */
#pragma once

#include "base/slice.h"

/* The next member of *REST: NAME is part of it, Q its weight in thousandths (1000 where none is given).
 * False: no more. */
bool odp_accept_next(struct odp_slice *rest, struct odp_slice *name, int *q);
/* The weight of the media type TYPE by the range that names it best; -1: by none. */
int odp_accept_weight(struct odp_slice accept, const char *type);
/* What nearly every client of JSON sends: nothing, any type, or just JSON. */
bool odp_accept_is_usual(struct odp_slice accept);
/* S is WORD (in lower case), letters of either case. */
bool odp_accept_is(struct odp_slice s, const char *word);
