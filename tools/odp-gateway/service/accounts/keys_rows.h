/* Inside of service/accounts: holders and keys in the store, as acts write them. All of it latches (struct
 * odp_act). */
#pragma once

#include "service/accounts/keys_internal.h"

/* When a key that is made now runs out: the earliest of the operator's term, the service's, and the day to
 * confirm the address; 0: never. */
int64_t odp_key_until(const struct odp_act *a, int64_t ends, int64_t confirm_by);
/* A new holder's id. CONFIRM_BY: when the address must be confirmed, or 0. */
int64_t odp_holder_add(struct odp_act *a, const struct odp_registration *r, int64_t confirm_by);

struct odp_new_key {
    int64_t holder, account; /* account 0: its own */
    const char *tier;
    int64_t until, ends;
};
/* A new active key into the store and into OUT. */
void odp_key_add(struct odp_act *a, const struct odp_new_key *n, struct odp_issued *out);
/* Changes keys that CONDITION (SQL, with ?1 = ID, ?2 = NUMBER, ?3 = TEXT) selects: each gets a new change
 * number. SET: "state = 4". */
void odp_key_change(struct odp_act *a, const char *set, const char *condition, int64_t id, const char *text,
                    int64_t number);
