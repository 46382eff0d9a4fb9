/* Inside of service/accounts: what acts on keys share; acts on webhooks begin and end the same way. */
#pragma once

#include "service/accounts/keys.h"
#include "service/state/state_internal.h"

/* One act: begin, changes of the store, audit, end. Between begin and end the mutex is held and a transaction
 * is open. What is not OK latches in Q: later statements do nothing, and what they would have read is 0. */
struct odp_act {
    struct odp_sql q;
    struct odp_state *s;
    struct odp_order *order;
    int64_t now;
    int64_t before; /* newest change of the store when it began */
    bool erases;    /* what it deleted must leave the store's log too */
    bool keyless;   /* it changes no key: there is nothing for the table, so what is committed is done */
};
/* BAD: there is no store here (UNAVAILABLE). End must follow OK, and only OK. */
enum odp_status odp_act_begin(struct odp_act *a, struct odp_state *s, struct odp_order *o) ODP_MUST_USE;
/* The order's TELL answers (OUT: the key that the act made, or NULL); then commits, puts what changed into
 * the table, and rings for other machines. If anything was not OK, nothing has happened. Returns what the
 * whole act returns. */
enum odp_status odp_act_end(struct odp_act *a, const struct odp_issued *out) ODP_MUST_USE;
/* The act is BAD with this problem. */
void odp_act_refuse(struct odp_act *a, enum odp_problem p);
/* The same if WRONG, and if all was OK so far. */
void odp_act_refuse_if(struct odp_act *a, bool wrong, enum odp_problem p);
/* An entry of the audit. DETAIL: printf of the JSON object's members, which need no escaping. */
void odp_act_note(struct odp_act *a, const char *act, const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- rows ---- */

struct odp_key_row { /* one key of the store */
    int64_t id, holder, account, created, until, ends, state;
    char tier[ODP_TIER_NAME], shown[ODP_KEY_SHOWN + 1];
};
/* The key with that id, or digest; NOT_FOUND: refused. */
struct odp_key_row odp_act_key(struct odp_act *a, int64_t id);
struct odp_key_row odp_act_key_by(struct odp_act *a, const uint8_t digest[ODP_SHA256_SIZE]);

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
/* Changes keys that CONDITION (SQL, with ?1 = ID, ?2 = NUMBER) selects: each gets a new change number. SET:
 * SQL: "state = 4", "until = number". */
void odp_key_change(struct odp_act *a, const char *set, const char *condition, int64_t id, int64_t number);

/* In key.ends: the operator's word that it never ends, whatever term the service gives. */
#define ODP_KEY_FOR_EVER (-1)

/* ---- whose an address is (keys_address.c) ---- */

/* The tier that everybody may have. */
const char *odp_public_tier(const struct odp_state *s);
/* A one-time link for HOLDER; older ones for the same purpose stop working. */
void odp_token_add(struct odp_act *a, const char *purpose, int64_t holder, const char *email, int64_t term,
                   char token[64]);
/* EMAIL_REGISTERED: the address was confirmed by somebody who has a key that works, or one that was
 * suspended. */
void odp_address_check(struct odp_act *a, struct odp_slice email);
/* HOLDER has registered: of too many unconfirmed registrations of the address the oldest run out. */
void odp_address_crowded(struct odp_act *a, int64_t holder);

#define ODP_CONFIRM_TERM     (7 * 86400)
#define ODP_RECOVER_TERM     3600
#define ODP_UNCONFIRMED_TERM 86400
/* Unconfirmed registrations of one address that have no deadline; of more the oldest run out, where there is
 * mail to confirm by. */
#define ODP_UNCONFIRMED_MAX 10
/* How often an account may be rotated while the old keys are still valid, and within a day, so that nobody
 * fills the table. */
#define ODP_ROTATIONS     5
#define ODP_ROTATIONS_DAY 10
