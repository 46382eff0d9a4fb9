/* Conditional requests by entity tag alone (RFC 9110, section 13): the site's files and the engine's answers
 * have no date of modification, so conditions on dates do not apply to them. Pure. */
#pragma once

#include "base/slice.h"

enum odp_condition { ODP_CONDITION_SEND, ODP_CONDITION_NOT_MODIFIED, ODP_CONDITION_FAILED };

/* IF_MATCH and IF_NONE_MATCH: the header's value, or ptr NULL when it was not sent. ETAG: strong, with its
 * quotes. */
enum odp_condition odp_condition_check(struct odp_slice if_match, struct odp_slice if_none_match,
                                       struct odp_slice etag);
/* True when a Range is to be honoured: the header IF_RANGE names this very entity tag (strong comparison). */
bool odp_condition_range(struct odp_slice if_range, struct odp_slice etag);
