/* Inside of check/proposals: what the families of proposals share. propose.c asks them, one file a family;
 * candidate.c and trial.c are below. */
#pragma once

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

/* What the numbers of a column say of their signs, in one batch. [0]: '.', [1]: ','. Counts of cells; no
 * padding, for it is hashed. */
struct odp_number_evidence {
    uint64_t batch;             /* in which it was gathered, plus one */
    uint32_t decimal[2];        /* it can only be a decimal sign there: 12.5, 0.125, 12.00 */
    uint32_t fraction[2];       /* of these: those whose fraction is not 0 */
    uint32_t many[2], parts[2]; /* it can only part thousands: 1.234.567; 1.234,5 */
    uint32_t round[2];          /* of MANY: those that end in 000 */
    uint32_t open[2];           /* either: 1.250 */
    uint32_t dates;
    uint32_t sized; /* there are values: places in front of the point of the least and the greatest */
    int32_t least, greatest;
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
    int8_t *order;                        /* by field: of dates, plus 2; 0: not looked at yet */
    struct odp_number_evidence *evidence; /* by field */
    uint32_t fields;
};

struct odp_proposer {
    struct odp_check *c;
    uint32_t field;
    const struct odp_field *f;
    enum odp_code code;
    struct odp_slice raw;    /* the cell as it stands */
    struct odp_slice text;   /* without white space and quotes around it, single spaces inside */
    struct odp_arena *arena; /* of candidates */
    struct odp_slice found;
    bool ambiguous;
    int order;            /* dates: 1 the day comes first, -1 the month, 0 not known */
    uint64_t work, *left; /* comparisons: used for this one, left in the batch */
    bool denied;          /* there were not enough left */
};

/* candidate.c. S is a candidate: put on trial, and taken or not. */
void odp_offer(struct odp_proposer *p, struct odp_slice s);
/* Nobody can tell: what was offered, and whatever else will be, is nothing. */
void odp_offer_none(struct odp_proposer *p);
static inline bool odp_settled(const struct odp_proposer *p)
{
    return p->found.ptr != NULL || p->ambiguous;
}
/* Text in the proposer's arena; empty when out of memory. */
struct odp_slice odp_propose_copy(struct odp_proposer *p, struct odp_slice s);
/* May so many comparisons be made? */
bool odp_may_search(struct odp_proposer *p, uint64_t comparisons);

/* evidence.c. A number as read, with its signs ('\0': none); NAMED: a unit or currency stands beside it. */
struct odp_number_reading {
    char decimal, group;
    bool named;
    const char *number;
    size_t len;
};
const struct odp_number_evidence *odp_number_evidence(const struct odp_check *c, uint32_t field);
/* Does the column write numbers so? */
bool odp_number_agrees(const struct odp_check *c, uint32_t field, const struct odp_number_reading *r);

/* number.c, date.c, text.c, decoded.c */
void odp_propose_number(struct odp_proposer *p);
/* The exact whole number of a text in scientific notation, or ptr NULL. */
struct odp_slice odp_propose_whole(struct odp_proposer *p);
void odp_propose_date(struct odp_proposer *p);
/* With a month by name, or of three parts as dates have them: 12-Mei, Dec-05, 5/12/2024. */
bool odp_reads_as_date(struct odp_slice s);
int odp_date_order(const struct odp_check *c, uint32_t field);
void odp_propose_boolean(struct odp_proposer *p);
void odp_propose_choice(struct odp_proposer *p);
void odp_propose_code(struct odp_proposer *p);
void odp_propose_string(struct odp_proposer *p);
void odp_propose_point(struct odp_proposer *p);
/* Text that was decoded wrongly: UTF-8 taken for windows-1252, once or twice; windows-1252 taken for Latin-1.
 */
void odp_propose_decoded(struct odp_proposer *p);
