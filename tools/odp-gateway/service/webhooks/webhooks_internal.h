/* Inside of service/webhooks: what its parts share. */
#ifndef ODP_SERVICE_WEBHOOKS_WEBHOOKS_INTERNAL_H
#define ODP_SERVICE_WEBHOOKS_WEBHOOKS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "service/accounts/keys_internal.h"
#include "service/webhooks/webhooks.h"

struct odp_webhook_tier {
    char name[ODP_TIER_NAME];
    int64_t limit;                 /* -1: any number */
};
struct odp_webhook_pace {          /* odp:notifyEvery of a dataset */
    const char *slug;
    int64_t every;                 /* ms */
};
/* One build of the site as the teller opened it; counted. */
struct odp_webhook_site {
    struct odp_site *site;
    char dir[ODP_PATH_MAX], base_url[512];
    struct odp_arena arena;
    struct odp_webhook_tier tiers[ODP_TIERS_MAX];
    size_t ntiers;
    struct odp_webhook_pace *paces;
    size_t npaces;
    unsigned users;                /* under w->lock */
};

struct odp_webhooks {
    struct odp_state *s;
    struct odp_seal *seal;
    struct odp_sender *sender;
    struct odp_address_policy policy;
    char user_agent[256];
    pthread_mutex_t lock;          /* over what follows; never held while the store's mutex is taken */
    pthread_cond_t more;           /* the teller has something to do */
    char wanted[ODP_PATH_MAX];     /* the site that the ticker has seen; "" none */
    struct odp_webhook_site *site; /* the one whose log was read last; NULL: none yet */
    struct odp_webhook_figures figures;
    int64_t counted;               /* ms of a steady clock: when the store's figures were counted */
    bool counting, stop, tell_now;
    bool started;                  /* the threads are there, or about to be: set before them */
    pthread_t threads[2];
    unsigned nthreads;
    struct webhook_tell *tell;     /* the teller's own, teller_internal.h */
    struct webhook_send *send;     /* the sender's own, send_internal.h */
};

/* What is sealed, by name of the subscription: WHAT "url", "secret" (both secrets). BAD: there is no key file, or it does not have the key. */
enum odp_status odp_webhook_seal(struct odp_webhooks *w, const char *what, const char *name, struct odp_slice clear, struct odp_buffer *sealed) ODP_MUST_USE;
enum odp_status odp_webhook_unseal(struct odp_webhooks *w, const char *what, const char *name, const void *sealed, int n, struct odp_buffer *clear) ODP_MUST_USE;

/* ---- the outbox; the mutex is held and a transaction open ---- */

/* A message; *ID its number. EVENT 0: of none (tests, challenges). */
enum odp_status odp_webhook_message_add(sqlite3 *db, int64_t event, enum odp_event_type type, int64_t now, struct odp_slice body, int64_t *id) ODP_MUST_USE;
/* A delivery of it, due at NEXT. One of that name that is there stays as it is (DONE). */
enum odp_status odp_webhook_delivery_add(sqlite3 *db, const char *name, int64_t webhook, int64_t message, int64_t next, int64_t now) ODP_MUST_USE;
/* Challenge ROUND of a subscription as message and delivery, due now; the one of that round that is there is sent again, older ones are cancelled. It is made of random bytes that are
 * in the message's body alone: out of the secret, which an owner has, anybody could compute it and confirm an address that is not his. */
enum odp_status odp_webhook_challenge_add(sqlite3 *db, int64_t id, const char *name, int64_t round, int64_t now, char delivery[ODP_WEBHOOK_ID]) ODP_MUST_USE;
/* The webhook-id of challenge ROUND. */
enum odp_status odp_webhook_challenge_name(char out[ODP_WEBHOOK_ID], const char *name, int64_t round) ODP_MUST_USE;
/* The challenge that a message's BODY asks; BAD: it asks none. */
enum odp_status odp_webhook_challenge_of(struct odp_slice body, char out[ODP_WEBHOOK_CHALLENGE]) ODP_MUST_USE;
/* The address has answered challenge ROUND: active, its deliveries go. DONE: it waits for another one, or is not unverified. */
enum odp_status odp_webhook_set_verified(sqlite3 *db, int64_t id, int64_t round, int64_t now_ms) ODP_MUST_USE;
/* Sets state and reason; deliveries of a disabled one are cancelled, of others wait; of one that becomes active they go at once, by a schedule that begins anew. */
enum odp_status odp_webhook_set_state(sqlite3 *db, int64_t id, const char *state, const char *reason, int64_t now_ms) ODP_MUST_USE;

/* ---- the teller (teller.c) ---- */
enum odp_status odp_webhook_tell_new(struct odp_webhooks *w) ODP_MUST_USE;
void odp_webhook_tell_free(struct odp_webhooks *w);
/* ---- the sender (send.c) ---- */
enum odp_status odp_webhook_send_new(struct odp_webhooks *w) ODP_MUST_USE;
void odp_webhook_send_free(struct odp_webhooks *w);
/* The owner is told by mail (if there is any) that a subscription was paused or disabled, and what to do. */
enum odp_status odp_webhook_tell_owner(struct odp_webhooks *w, int64_t webhook, int64_t now_ms) ODP_MUST_USE;

#endif
