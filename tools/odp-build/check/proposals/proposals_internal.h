/* Inside of check/proposals: what the families of proposals share. propose.c asks them, one file a family; candidate.c and trial.c are below. */
#ifndef ODP_CHECK_PROPOSALS_PROPOSALS_INTERNAL_H
#define ODP_CHECK_PROPOSALS_PROPOSALS_INTERNAL_H

#include "check/check_internal.h"
#include "check/proposals/trial.h"

#define PROPOSE_WORK 200000u /* comparisons a batch */

/* The cache of proposals: an entry. */
struct odp_known_proposal {
    uint64_t hi, lo; /* hash of field, code, order and value; 0, 0: free */
    struct odp_slice proposal;
    uint64_t batch; /* in which it was last asked for, plus one */
    uint32_t work;
    bool denied;
};

struct odp_trials {
    struct odp_arena texts;      /* of the cache */
    struct odp_arena candidates; /* of the proposal in hand */
    struct odp_known_proposal *known;
    size_t cap, used; /* cap is a power of two */
    uint64_t batch, left;
    struct odp_batch single; /* one record of one cell, put on trial */
    struct odp_record record;
    struct odp_slice text;
    uint8_t state, traits, secret;
    int8_t *order; /* by field: of dates, plus 2; 0: not looked at yet */
    uint32_t fields;
};

struct odp_proposer {
    struct odp_check *c;
    uint32_t field;
    const struct odp_field *f;
    enum odp_code code;
    struct odp_slice raw;   /* the cell as it stands */
    struct odp_slice text;  /* without white space and quotes around it, single spaces inside */
    struct odp_arena *arena; /* of candidates */
    struct odp_slice found;
    bool ambiguous;
    int order;              /* dates: 1 the day comes first, -1 the month, 0 not known */
    uint64_t work, *left;   /* comparisons: used for this one, left in the batch */
    bool denied;            /* there were not enough left */
};

/* candidate.c. S is a candidate: put on trial, and taken or not. */
void odp_offer(struct odp_proposer *p, struct odp_slice s);
static inline bool odp_settled(const struct odp_proposer *p)
{
    return p->found.ptr != NULL || p->ambiguous;
}
/* Text in the proposer's arena; empty without memory. */
struct odp_slice odp_propose_copy(struct odp_proposer *p, struct odp_slice s);
/* May so many comparisons be made? */
bool odp_may_search(struct odp_proposer *p, uint64_t comparisons);

/* number.c, date.c, text.c, decoded.c */
void odp_propose_number(struct odp_proposer *p);
/* The whole number that a text in scientific notation stands for exactly, or ptr NULL. */
struct odp_slice odp_propose_whole(struct odp_proposer *p);
void odp_propose_date(struct odp_proposer *p);
int odp_date_order(const struct odp_check *c, uint32_t field);
void odp_propose_boolean(struct odp_proposer *p);
void odp_propose_choice(struct odp_proposer *p);
void odp_propose_code(struct odp_proposer *p);
void odp_propose_string(struct odp_proposer *p);
void odp_propose_point(struct odp_proposer *p);
/* Text that was decoded wrongly: UTF-8 taken for windows-1252, once or twice; windows-1252 taken for Latin-1. */
void odp_propose_decoded(struct odp_proposer *p);

#endif
