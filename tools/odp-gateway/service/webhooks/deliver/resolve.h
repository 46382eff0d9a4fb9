/* Addresses of hosts for the sender, asked for on a small pool of threads, judged before anyone sees them, and kept for some
 * seconds.
 *
 * An answer is about ALL addresses of the host: one that the policy refuses makes the whole answer FORBIDDEN. So a name that
 * led to a public address once and leads elsewhere the next time (rebinding) is refused as soon as the answer is asked for
 * anew; between, only addresses that were judged are given.
 *
 * Bounded: threads, hosts known (the oldest that nobody waits for go first), addresses kept of an answer. A name server that
 * lets us wait holds one thread; hosts that are known to be slow, and new ones of strangers, hold at most half of them. What nobody waits for any longer is
 * not asked for. */
#ifndef ODP_SERVICE_WEBHOOKS_DELIVER_RESOLVE_H
#define ODP_SERVICE_WEBHOOKS_DELIVER_RESOLVE_H

#include <netinet/in.h>

#include "service/webhooks/deliver/address.h"

#define ODP_RESOLVE_KEEP 8   /* of one answer, both families where it has both */
#define ODP_RESOLVE_MOST 256 /* an answer with so many (or more) is none: it could not be judged whole */

/* All addresses of HOST (no port in them), at most CAP; returns how many, 0: none found, -1: failed for now. */
struct odp_resolver {
    void *ctx;
    int (*resolve)(void *ctx, const char *host, struct sockaddr_storage *out, size_t cap);
};

union odp_resolve_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6; /* no scope; the port is 0 */
};

enum odp_resolve_state {
    ODP_RESOLVE_FOUND,
    ODP_RESOLVE_NONE,      /* there is no such name, or it has no address */
    ODP_RESOLVE_LATER,     /* could not be asked for */
    ODP_RESOLVE_FORBIDDEN, /* one of them is refused */
};
struct odp_resolve_answer {
    enum odp_resolve_state state;
    size_t n; /* FOUND: 1 … */
    union odp_resolve_address addresses[ODP_RESOLVE_KEEP];
};

struct odp_resolve;
/* POLICY is copied; RESOLVER NULL: getaddrinfo. Answers are kept for KEEP_MS. Each that comes in is told by a write to WAKE, an
 * eventfd, which is the caller's. */
enum odp_status odp_resolve_new(struct odp_resolve **out, const struct odp_address_policy *policy,
                                const struct odp_resolver *resolver, int64_t keep_ms, int wake) ODP_MUST_USE;
/* Waits for a RESOLVER that is asked; getaddrinfo is waited for for a second, then left to end by itself. NULL is allowed. */
void odp_resolve_free(struct odp_resolve *r);
/* OK: ANSWER is there; it was good at SINCE_MS or came later. DONE: it is being asked for; ask again after WAKE. The caller
 * waits until UNTIL_MS. Both are ms of CLOCK_MONOTONIC. STRANGER: for an address that has not confirmed yet; what only
 * strangers ask for counts as slow until it is answered. A host that is an address is judged at once. */
enum odp_status odp_resolve_ask(struct odp_resolve *r, const char *host, int64_t since_ms, int64_t until_ms,
                                bool stranger, struct odp_resolve_answer *answer) ODP_MUST_USE;
/* As above, but for what is asked of threads: the answer that COUNT addresses make. */
void odp_resolve_judge(const struct odp_address_policy *policy, const struct sockaddr_storage *found, int count,
                       struct odp_resolve_answer *answer);

#endif
