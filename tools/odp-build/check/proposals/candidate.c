/* Candidates of a proposal: put on trial, taken or not, within the work that a batch may do. */
#include "check/proposals/proposals_internal.h"

struct odp_slice odp_propose_copy(struct odp_proposer *p, struct odp_slice s)
{
    return odp_arena_copy(p->arena, s);
}

void odp_offer(struct odp_proposer *p, struct odp_slice s)
{
    if (p->ambiguous || s.ptr == NULL || s.len == 0 || odp_slice_eq(s, p->raw) ||
        (p->found.ptr != NULL && odp_slice_eq(s, p->found)))
        return;
    if (!odp_accepts(p->c, p->field, s, NULL))
        return;
    if (p->found.ptr != NULL)
        odp_offer_none(p);
    else
        p->found = odp_propose_copy(p, s);
}

void odp_offer_none(struct odp_proposer *p)
{
    p->ambiguous = true;
    p->found = (struct odp_slice){NULL, 0};
}

bool odp_may_search(struct odp_proposer *p, uint64_t comparisons)
{
    if (comparisons > *p->left - p->work) {
        p->denied = true;
        return false;
    }
    p->work += comparisons;
    return true;
}
