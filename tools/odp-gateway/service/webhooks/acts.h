/* What acts on subscriptions share: acts.c, change.c, redelivery.c. */
#ifndef ODP_SERVICE_WEBHOOKS_ACTS_H
#define ODP_SERVICE_WEBHOOKS_ACTS_H

#include "service/webhooks/webhooks_internal.h"

struct odp_webhook_row { /* what an act needs of one */
    int64_t id, account, round;
    bool filter_json;
    char name[ODP_WEBHOOK_NAME], state[12], reason[12], place[264];
};
/* As odp_act_begin, with the subscription: of ACCOUNT, or (0) any. BAD (NOT_FOUND) has ended the act already. */
enum odp_status odp_webhook_act_begin(struct odp_act *a, struct odp_webhooks *w, const char *name, int64_t account,
                                      const char *actor, int64_t now_ms, enum odp_problem *problem,
                                      struct odp_webhook_row *out) ODP_MUST_USE;
/* As odp_act_end_telling; where all is committed, the sender looks at once. */
enum odp_status odp_webhook_act_end(struct odp_act *a, struct odp_webhooks *w, enum odp_status st,
                                    const struct odp_telling *tell) ODP_MUST_USE;
/* The entry has the account, the host, and MEMBER (NULL: none) with N. */
enum odp_status odp_webhook_act_audit(struct odp_act *a, const char *act, const struct odp_webhook_row *b, const char *member,
                                      int64_t n) ODP_MUST_USE;
/* Before a challenge goes to PLACE. BAD (WEBHOOK_RATE): strangers have asked its host too often in this hour, all accounts together. */
enum odp_status odp_webhook_act_may_ask(struct odp_act *a, struct odp_webhooks *w, const char *place, int64_t now_ms) ODP_MUST_USE;
/* BAD: what column WHAT ("url", "secret") has cannot be opened. CLEAR (may be NULL) gets it. */
enum odp_status odp_webhook_act_opens(struct odp_act *a, struct odp_webhooks *w, const struct odp_webhook_row *b,
                                      const char *what, struct odp_buffer *clear) ODP_MUST_USE;

#endif
