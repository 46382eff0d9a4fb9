/* What became of an attempt: one of outcomes.def. */
#pragma once

#include "base/diag.h"
#include "base/slice.h"

enum odp_outcome {
#define ODP_OUTCOME(symbol, name, id, en) ODP_OUTCOME_##symbol,
#include "service/webhooks/deliver/outcomes.def"
#undef ODP_OUTCOME
    ODP_OUTCOMES
};
const char *odp_outcome_name(enum odp_outcome o);
const struct odp_text *odp_outcome_meaning(enum odp_outcome o);
int odp_outcome_find(struct odp_slice name); /* or -1 */
