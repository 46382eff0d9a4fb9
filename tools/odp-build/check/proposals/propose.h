/* Proposals: what a cell that is wrong was probably meant to be. Never a repair; a person accepts it or not.
 *
 * A proposal is made for every fault of a cell whose intent can be computed, where its value may be shown. Candidates are made from the cell's
 * text by kinds of damage, from the surest to the least sure; each is put on trial: all rules of the column, and the code lists it refers to, must
 * accept it without a word. The first kind with one candidate that passes gives the proposal; where two different ones pass, nobody can tell, and
 * nothing is proposed.
 *
 * A proposal depends on the cell, the schema, the code lists, and for dates on the other dates of the batch (which day or month is written first):
 * never on the thread. Each distinct value is looked at once (the cache is a worker's own); the search for the nearest of a list is bounded by
 * PROPOSE_WORK comparisons a batch, counted so that the cache makes no difference. */
#ifndef ODP_CHECK_PROPOSALS_PROPOSE_H
#define ODP_CHECK_PROPOSALS_PROPOSE_H

#include "check/check_internal.h"

#define PROPOSE_WORK 200000u

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

enum odp_status odp_trials_new(struct odp_trials **out, uint32_t fields) ODP_MUST_USE;
void odp_trials_free(struct odp_trials *t);
void odp_trials_begin(struct odp_trials *t, uint64_t batch);

/* What is proposed for the cell of record I and FIELD, in which CODE was found: in the batch's arena, or ptr NULL. */
struct odp_slice odp_propose(struct odp_check *c, uint32_t i, uint32_t field, enum odp_code code);

/* S is a candidate: put on trial, and taken or not. */
void odp_offer(struct odp_proposer *p, struct odp_slice s);
static inline bool odp_settled(const struct odp_proposer *p)
{
    return p->found.ptr != NULL || p->ambiguous;
}
/* Would S be right in FIELD? *CANONICAL (or NULL) as typed; valid until the next trial. */
bool odp_accepts(struct odp_check *c, uint32_t field, struct odp_slice s, struct odp_slice *canonical);
/* Text in the proposer's arena; empty without memory. */
struct odp_slice odp_propose_copy(struct odp_proposer *p, struct odp_slice s);
/* S without white space at its ends, of any script; and without what cannot be seen. */
struct odp_slice odp_trim_unicode(struct odp_slice s);
bool odp_is_space(uint32_t cp);
/* Characters that cannot be seen and mean nothing: zero-width spaces, soft hyphens, byte order marks. */
bool odp_is_invisible(uint32_t cp);
/* May so many comparisons be made? */
bool odp_may_search(struct odp_proposer *p, uint64_t comparisons);

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
