/* What acts on subscriptions share: acts.c, change.c. */
#pragma once

#include "service/webhooks/webhooks_internal.h"

struct webhook_acting { /* an act under way, and the subscription as it was */
    struct odp_act a;
    struct odp_webhooks *w;
    struct odp_webhook_act *o;
    const struct odp_target *target; /* create, change: the new address; NULL: none */
    bool silent;                     /* nothing has happened: there is no audit entry */
    int64_t id, account, round;
    char name[ODP_WEBHOOK_NAME], state[12], reason[12], place[ODP_WEBHOOK_PLACE];
};
/* The act AUDITED: F in its transaction, for the subscription that is wanted, or (T has a name already) for a
 * new one. Its audit entry has MEMBER (NULL: none) with T->o->n. */
enum odp_status webhook_act_run(struct webhook_acting *t, const char *audited, const char *member,
                                void (*f)(struct webhook_acting *t)) ODP_MUST_USE;
/* The act ends with P, unless it has ended already. */
void webhook_act_refuse(struct webhook_acting *t, enum odp_problem p);
/* Before a challenge goes to T's place. Refuses (WEBHOOK_RATE): strangers have asked its host too often in
 * this hour, all accounts together. */
void webhook_act_may_ask(struct webhook_acting *t);
/* CLEAR as it is stored. Refuses (CONFLICT): there is no key. */
void webhook_act_seal(struct webhook_acting *t, const char *what, struct odp_slice clear,
                      struct odp_buffer *sealed);
/* False: what column WHAT ("url", "secret") has cannot be opened. SAME (ptr NULL: anything): nor is it that.
 */
bool webhook_act_opens(struct webhook_acting *t, const char *what, struct odp_slice same);
