/* White space of any script, and characters that cannot be seen: for rules that find them and proposals
 * without them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* S without white space at its ends, of any script; and without what cannot be seen. */
struct odp_slice odp_trim_unicode(struct odp_slice s);
bool odp_is_space(uint32_t cp);
/* Characters that cannot be seen and mean nothing: zero-width spaces, soft hyphens, byte order marks. */
bool odp_is_invisible(uint32_t cp);
