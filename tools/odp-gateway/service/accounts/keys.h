/* What can be done with keys. Each act is one transaction in the store with its audit entry, and then a put
 * into the table: a key is acknowledged only when both have it. Callers need not hold the mutex.
 *
 * Results: OK; BAD, and the order's problem says why; FAIL. */
#pragma once

#include "core/problem.h"
#include "service/state/state.h"

struct odp_registration {                                /* checked by the caller; UTF-8 */
    struct odp_slice name, email, organisation, purpose; /* the last two may be empty */
};

struct odp_issued {
    char key[ODP_KEY_LENGTH + 1]; /* shown once */
    struct odp_key_record record;
    char email[256];
    char token[64]; /* of a confirmation or recovery link, or "" */
};

/* TELL writes the answer before the act is committed. Where it fails nothing has happened: a key that nobody
 * could be told would only be in the way, and who reads a refusal takes it that nothing changed. K: the new
 * key, NULL of an act that makes none. It has the mutex, and must not act on keys itself. */
struct odp_telling {
    enum odp_status (*tell)(void *ctx, const struct odp_issued *k);
    void *ctx;
};

/* Who orders an act, and what comes of it. */
struct odp_order {
    const char *actor; /* as in odp_audit_add */
    int64_t now;
    struct odp_telling telling; /* tell NULL: no answer is written */
    enum odp_problem problem;   /* why it was BAD */
};

/* What a key is, for people: its line in lists and GET /auth/key. */
struct odp_key_info {
    int64_t id, holder, account, created, until;
    char shown[ODP_KEY_SHOWN + 1], tier[ODP_TIER_NAME];
    char state[12];                                   /* active rotated suspended revoked expired */
    char name[804], organisation[804], purpose[4004]; /* as registration allows: 200, 200, 1000 characters */
    char email[256];
    bool email_confirmed;
    uint64_t used; /* today, on all machines as far as known */
};

/* EMAIL_REGISTERED: the address (letter case ignored) belongs to somebody who confirmed it. One that nobody
 * confirmed is in nobody's way. */
enum odp_status odp_keys_register(struct odp_state *s, struct odp_order *o, const struct odp_registration *r,
                                  struct odp_issued *out) ODP_MUST_USE;
/* A new key for the holder of DIGEST, same tier and account; the old one is rotated and valid until now +
 * grace. */
enum odp_status odp_keys_rotate(struct odp_state *s, struct odp_order *o,
                                const uint8_t digest[ODP_SHA256_SIZE], int64_t grace,
                                struct odp_issued *out) ODP_MUST_USE;
/* A new key at once and the old one revoked at once: for a leaked key, by an operator. */
enum odp_status odp_keys_reissue(struct odp_state *s, struct odp_order *o, int64_t id,
                                 struct odp_issued *out) ODP_MUST_USE;
/* These act on the whole account: the key and those it replaced or was replaced by, as far as they are not
 * revoked. STATE: suspended, revoked, and active again (not from revoked). */
enum odp_status odp_keys_set_state(struct odp_state *s, struct odp_order *o, int64_t id,
                                   enum odp_key_state state) ODP_MUST_USE;
enum odp_status odp_keys_set_tier(struct odp_state *s, struct odp_order *o, int64_t id,
                                  const char *tier) ODP_MUST_USE;
/* For an operator: any tier, any term (UNTIL 0: for ever), without the limit of one per address. */
enum odp_status odp_keys_create(struct odp_state *s, struct odp_order *o, const struct odp_registration *r,
                                const char *tier, int64_t until, struct odp_issued *out) ODP_MUST_USE;
/* Erases name, address, organisation, purpose, reasons and webhooks of a holder, and of others of the same
 * address, and revokes the keys; counts and audit stay, without the person. The bytes are gone from the
 * store's file when it returns; OK with s->unerased set: from its log a little later, when nobody reads it
 * any more. */
enum odp_status odp_keys_forget(struct odp_state *s, struct odp_order *o, int64_t holder) ODP_MUST_USE;

/* By digest, or by what an operator types: an id, a shown part, a whole key, an e-mail address.
 * BAD/NOT_FOUND; BAD/CONFLICT: more than one. */
enum odp_status odp_keys_info(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE], int64_t now,
                              struct odp_key_info *out, enum odp_problem *problem) ODP_MUST_USE;
enum odp_status odp_keys_find(struct odp_state *s, const char *what, int64_t now, struct odp_key_info *out,
                              enum odp_problem *problem) ODP_MUST_USE;
/* For a telling, which has the mutex: a key as the act leaves it. */
enum odp_status odp_keys_changing(struct odp_state *s, int64_t id, int64_t now,
                                  struct odp_key_info *out) ODP_MUST_USE;
/* Those with ids above AFTER, by id. F is called without the mutex; what it returns other than OK ends the
 * walk and is returned. */
struct odp_keys_wanted {
    int64_t after, now;
    int64_t account;          /* 0: any */
    const char *tier, *state; /* NULL: any */
};
enum odp_status odp_keys_each(struct odp_state *s, const struct odp_keys_wanted *w, void *ctx,
                              enum odp_status (*f)(void *ctx, const struct odp_key_info *k)) ODP_MUST_USE;

/* POST /auth/upgrade: at most one open request a key (CONFLICT). *ID is there for TELL. Approving sets the
 * tier. */
enum odp_status odp_keys_ask_upgrade(struct odp_state *s, struct odp_order *o,
                                     const uint8_t digest[ODP_SHA256_SIZE], const char *tier,
                                     struct odp_slice reason, int64_t *id) ODP_MUST_USE;
enum odp_status odp_keys_decide_upgrade(struct odp_state *s, struct odp_order *o, int64_t id,
                                        bool approve) ODP_MUST_USE;

/* ASCII letters lowered, what addresses are compared by. */
void odp_email_fold(struct odp_slice email, char out[256]);
/* One-time links. ASK_RECOVERY: OK also when nobody has that address (OUT->token is "" then): answers never
 * tell who is registered. REDEEM: confirms the address ("confirm"), or gives a new key and confirms the
 * address, too ("recover"): the owner's, whose old key is revoked, or, where the address had no owner, one of
 * a new account, since any of those that have used the address may be a stranger's. */
enum odp_status odp_keys_ask_recovery(struct odp_state *s, struct odp_slice email, int64_t now,
                                      struct odp_issued *out) ODP_MUST_USE;
enum odp_status odp_keys_redeem(struct odp_state *s, struct odp_order *o, const char *purpose,
                                struct odp_slice token, struct odp_issued *out) ODP_MUST_USE;

/* The next MOST records of those that changed after number AFTER, in order, for other machines. C->list is
 * the caller's to free, and used again. */
struct odp_key_changes {
    struct odp_key_change {
        uint64_t number;
        struct odp_key_record record;
    } * list;
    size_t n, cap;
};
enum odp_status odp_keys_changed(struct odp_state *s, int64_t after, size_t most,
                                 struct odp_key_changes *c) ODP_MUST_USE;
