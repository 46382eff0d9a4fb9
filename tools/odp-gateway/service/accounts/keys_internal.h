/* Inside of service/accounts: what acts on keys share; acts on webhooks begin and end the same way. */
#pragma once

#include "service/accounts/keys.h"
#include "service/state/state_internal.h"

/* One act: begin, changes of the store, audit, end. Between begin and end the mutex is held and a transaction
 * is open. What is not OK latches in ST: the functions that return nothing do nothing after that, and what
 * they would have read is 0. */
struct odp_act {
    struct odp_state *s;
    const char *actor;
    int64_t now;
    enum odp_problem *problem;
    enum odp_status st;
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

/* ---- that latch ---- */

void odp_act_note(struct odp_act *a, const char *act, const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5))); /* as odp_act_audit */
void odp_act_run(struct odp_act *a, const char *sql, const char *types, ...);
/* As odp_store_row. False: no row. */
bool odp_act_row(struct odp_act *a, const char *sql, const char *types, const char *columns, ...);

struct odp_key_row { /* one key of the store */
    int64_t id, holder, account, created, until, ends, state;
    char tier[ODP_TIER_NAME], shown[ODP_KEY_SHOWN + 1];
};
/* The key that the parameters of CONDITION (types "i" or "b") name; NOT_FOUND: refused. */
void odp_act_key(struct odp_act *a, struct odp_key_row *k, const char *condition, const char *types, ...);

/* In key.ends: the operator's word that it never ends, whatever term the service gives. */
#define ODP_KEY_FOR_EVER (-1)

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
