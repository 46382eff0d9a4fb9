/* Inside of service/accounts: what acts on keys share. */
#ifndef ODP_SERVICE_ACCOUNTS_KEYS_INTERNAL_H
#define ODP_SERVICE_ACCOUNTS_KEYS_INTERNAL_H

#include "service/accounts/keys.h"
#include "service/state/state_internal.h"

/* One act: begin, changes of the store, audit, end. Between begin and end the mutex is held and a transaction
 * is open. */
struct odp_act {
    struct odp_state *s;
    const char *actor;
    int64_t now;
    enum odp_problem *problem;
    int64_t before; /* newest change of the store when it began */
    bool erases;    /* what it deleted must leave the store's log too */
    bool keyless;   /* it changes no key: there is nothing for the table, so what is committed is done */
};
/* BAD: there is no store here (UNAVAILABLE). End must follow OK, and only OK. */
enum odp_status odp_act_begin(struct odp_act *a, struct odp_state *s, const char *actor, int64_t now,
                              enum odp_problem *problem) ODP_MUST_USE;
/* ST OK: commits, puts what changed into the table, tells the others. Else: nothing has happened. Returns
 * what the whole act returns. */
enum odp_status odp_act_end(struct odp_act *a, enum odp_status st) ODP_MUST_USE;
/* The same, and what TELL (NULL: nobody) says comes before the commit; OUT: the key that the act made, or
 * NULL. */
enum odp_status odp_act_end_telling(struct odp_act *a, enum odp_status st, const struct odp_telling *tell,
                                    const struct odp_issued *out) ODP_MUST_USE;
/* Sets the problem; always BAD. */
enum odp_status odp_act_refuse(struct odp_act *a, enum odp_problem p);
/* DETAIL: printf of the JSON object's members, which need no escaping. */
enum odp_status odp_act_audit(struct odp_act *a, const char *act, const char *subject, const char *format,
                              ...) ODP_MUST_USE __attribute__((format(printf, 4, 5)));

struct odp_key_row { /* one key of the store */
    int64_t id, holder, account, created, until, ends;
    enum odp_key_state state;
    char tier[ODP_TIER_NAME], shown[ODP_KEY_SHOWN + 1];
};
/* DONE: not there. */
enum odp_status odp_key_row_by_id(sqlite3 *db, int64_t id, struct odp_key_row *k) ODP_MUST_USE;
enum odp_status odp_key_row_by_digest(sqlite3 *db, const uint8_t digest[ODP_SHA256_SIZE],
                                      struct odp_key_row *k) ODP_MUST_USE;

/* The tier that everybody may have. */
const char *odp_public_tier(const struct odp_state *s);
/* BAD, EMAIL_REGISTERED: the address was confirmed by somebody who has a key that works, or one that was
 * suspended. */
enum odp_status odp_address_check(struct odp_act *a, struct odp_slice email) ODP_MUST_USE;
/* HOLDER has registered: of too many unconfirmed registrations of the address the oldest run out. */
enum odp_status odp_address_crowded(struct odp_act *a, int64_t holder) ODP_MUST_USE;
/* HOLDER has shown that mail to the address arrives: confirmed, and the address is no other's any more. */
enum odp_status odp_address_owned(struct odp_act *a, int64_t holder) ODP_MUST_USE;

/* In key.ends: the operator's word that it never ends, whatever term the service gives. */
#define ODP_KEY_FOR_EVER (-1)
/* When a key that is made now runs out: the earliest of the operator's term, the service's, and the day to
 * confirm the address; 0: never. */
int64_t odp_key_until(const struct odp_act *a, int64_t ends, int64_t confirm_by);

/* A new holder's id. CONFIRM: the address must be confirmed within a day. */
enum odp_status odp_holder_add(struct odp_act *a, const struct odp_registration *r, bool confirm, int64_t *id,
                               int64_t *confirm_by) ODP_MUST_USE;
/* A new active key into the store and into OUT. ACCOUNT 0: its own. */
enum odp_status odp_key_add(struct odp_act *a, int64_t holder, int64_t account, const char *tier,
                            int64_t until, int64_t ends, struct odp_issued *out) ODP_MUST_USE;
/* Changes keys that CONDITION (SQL, with ?1 = ID) selects: each gets a new change number. SET: "state = 4".
 */
enum odp_status odp_key_change(struct odp_act *a, const char *set, const char *condition, int64_t id,
                               const char *text, int64_t number) ODP_MUST_USE;
/* A one-time link for HOLDER; older ones for the same purpose stop working. */
enum odp_status odp_token_add(struct odp_act *a, const char *purpose, int64_t holder, const char *email,
                              int64_t term, char token[64]) ODP_MUST_USE;

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

#endif
