/* The registry of outcomes; see outcomes.def. */
#include "base/diag.h"
#include "service/webhooks/deliver/outcome.h"

static const struct {
    const char *name;
    struct odp_text meaning;
} outcomes[ODP_OUTCOMES] = {
#define ODP_OUTCOME(symbol, word, id, en) [ODP_OUTCOME_##symbol] = {word, {{id, en}}},
#include "service/webhooks/deliver/outcomes.def"
#undef ODP_OUTCOME
};

const char *odp_outcome_name(enum odp_outcome o)
{
    return outcomes[o].name;
}

const struct odp_text *odp_outcome_meaning(enum odp_outcome o)
{
    return &outcomes[o].meaning;
}

int odp_outcome_find(struct odp_slice name)
{
    for (int i = 0; i < ODP_OUTCOMES; i++)
        if (odp_slice_is(name, outcomes[i].name))
            return i;
    return -1;
}
