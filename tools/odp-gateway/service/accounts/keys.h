/* What can be done with keys. Each act is one transaction in the store with its audit entry, and then a put
 * into the table: a key is acknowledged only when both have it. Callers need not hold the mutex. ACTOR as in
 * odp_audit_add.
 *
 * Results: OK; BAD with *PROBLEM (enum odp_problem) saying why; FAIL. */
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

/* TELL writes the answer, before the act is committed: where it fails nothing has happened, for a key that
 * nobody could be told would only be in the way, and who reads a refusal takes it that nothing changed. K:
 * the new key, NULL of an act that makes none. It has the mutex, and must not act on keys itself. NULL:
 * nobody is told. */
struct odp_telling {
    enum odp_status (*tell)(void *ctx, const struct odp_issued *k);
    void *ctx;
};

/* What a key is, for people: its line in lists and GET /auth/key. */
struct odp_key_info {
    int64_t id, holder, account, created, until;
    char shown[ODP_KEY_SHOWN + 1], tier[ODP_TIER_NAME],
        state[12]; /* active rotated suspended revoked expired */
    char name[804], email[256], organisation[804],
        purpose[4004]; /* what registration allows: 200, 200, 1000 characters */
    bool email_confirmed;
    uint64_t used; /* today, on all machines as far as known */
};

/* EMAIL_REGISTERED: the address (letter case ignored) belongs to somebody who confirmed it. Who has not
 * confirmed it is in nobody's way. */
enum odp_status odp_keys_register(struct odp_state *s, const struct odp_registration *r, const char *actor,
                                  int64_t now, const struct odp_telling *tell, struct odp_issued *out,
                                  enum odp_problem *problem) ODP_MUST_USE;
/* A new key for the holder of DIGEST, same tier and account; the old one is rotated and valid until now +
 * grace. */
enum odp_status odp_keys_rotate(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE], int64_t grace,
                                const char *actor, int64_t now, const struct odp_telling *tell,
                                struct odp_issued *out, enum odp_problem *problem) ODP_MUST_USE;
/* A new key at once and the old one revoked at once: for a leaked key, by an operator. */
enum odp_status odp_keys_reissue(struct odp_state *s, int64_t id, const char *actor, int64_t now,
                                 const struct odp_telling *tell, struct odp_issued *out,
                                 enum odp_problem *problem) ODP_MUST_USE;
/* These act on the whole account: the key and those it replaced or was replaced by, as far as they are not
 * revoked. STATE: suspended, revoked, and active again (not from revoked). */
enum odp_status odp_keys_set_state(struct odp_state *s, int64_t id, enum odp_key_state state,
                                   const char *actor, int64_t now, const struct odp_telling *tell,
                                   enum odp_problem *problem) ODP_MUST_USE;
enum odp_status odp_keys_set_tier(struct odp_state *s, int64_t id, const char *tier, const char *actor,
                                  int64_t now, const struct odp_telling *tell,
                                  enum odp_problem *problem) ODP_MUST_USE;
/* For an operator: any tier, any term (UNTIL 0: for ever), without the limit of one per address. */
enum odp_status odp_keys_create(struct odp_state *s, const struct odp_registration *r, const char *tier,
                                int64_t until, const char *actor, int64_t now, const struct odp_telling *tell,
                                struct odp_issued *out, enum odp_problem *problem) ODP_MUST_USE;
/* Erases name, address, organisation, purpose, reasons and webhooks of a holder, and of others of the same
 * address, and revokes the keys; counts and audit stay, without the person. The bytes are gone from the
 * store's file when it returns; OK with s->unerased set: from its log a little later, when nobody reads it
 * any more. */
enum odp_status odp_keys_forget(struct odp_state *s, int64_t holder, const char *actor, int64_t now,
                                const struct odp_telling *tell, enum odp_problem *problem) ODP_MUST_USE;

/* By digest, or by what an operator types: an id, a shown part, a whole key, an e-mail address.
 * BAD/NOT_FOUND; BAD/CONFLICT: more than one. */
enum odp_status odp_keys_info(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE], int64_t now,
                              struct odp_key_info *out, enum odp_problem *problem) ODP_MUST_USE;
enum odp_status odp_keys_find(struct odp_state *s, const char *what, int64_t now, struct odp_key_info *out,
                              enum odp_problem *problem) ODP_MUST_USE;
/* For a telling, which has the mutex: a key as the act leaves it. */
enum odp_status odp_keys_changing(struct odp_state *s, int64_t id, int64_t now,
                                  struct odp_key_info *out) ODP_MUST_USE;
/* The keys of one account, by id. */
enum odp_status odp_keys_account(struct odp_state *s, int64_t account, int64_t now, void *ctx,
                                 enum odp_status (*f)(void *ctx, const struct odp_key_info *k)) ODP_MUST_USE;
/* All with ids above AFTER, by id; what F returns other than OK ends it and is returned. F is called without
 * the mutex. TIER, STATE: only those, or NULL. */
enum odp_status odp_keys_each(struct odp_state *s, int64_t after, const char *tier, const char *state,
                              int64_t now, void *ctx,
                              enum odp_status (*f)(void *ctx, const struct odp_key_info *k)) ODP_MUST_USE;

/* POST /auth/upgrade: at most one open request a key (CONFLICT). Approving sets the tier. */
enum odp_status odp_keys_ask_upgrade(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE],
                                     const char *tier, struct odp_slice reason, int64_t now,
                                     const struct odp_telling *tell, int64_t *id,
                                     enum odp_problem *problem) ODP_MUST_USE; /* *ID is there for TELL */
enum odp_status odp_keys_decide_upgrade(struct odp_state *s, int64_t id, bool approve, const char *actor,
                                        int64_t now, const struct odp_telling *tell,
                                        enum odp_problem *problem) ODP_MUST_USE;

/* ASCII letters lowered, what addresses are compared by. */
void odp_email_fold(struct odp_slice email, char out[256]);
/* One-time links. ASK_RECOVERY: OK also when nobody has that address (OUT->token is "" then): answers never
 * tell who is registered. REDEEM: confirms the address ("confirm"), or gives a new key and confirms the
 * address, too ("recover"): the owner's, whose old key is revoked, or, where the address had no owner, one of
 * a new account, since any of those that have used the address may be a stranger's. */
enum odp_status odp_keys_ask_recovery(struct odp_state *s, struct odp_slice email, int64_t now,
                                      struct odp_issued *out) ODP_MUST_USE;
enum odp_status odp_keys_redeem(struct odp_state *s, const char *purpose, struct odp_slice token, int64_t now,
                                const struct odp_telling *tell, struct odp_issued *out,
                                enum odp_problem *problem) ODP_MUST_USE;

/* Records changed after number AFTER, in order, for other machines; F gets the change's number. It is called
 * without the mutex, for some hundred records of one moment at a time. What F returns other than OK ends it
 * and is returned. */
enum odp_status odp_keys_changed(struct odp_state *s, int64_t after, void *ctx,
                                 enum odp_status (*f)(void *ctx, int64_t change,
                                                      const struct odp_key_record *r)) ODP_MUST_USE;
