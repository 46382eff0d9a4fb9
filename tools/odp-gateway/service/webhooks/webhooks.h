/* Webhooks (Standard Webhooks 1.0.0): subscriptions, the outbox, and two threads. Only the writer has them.
 *
 *   announcer  sees that the site was switched: new lines of its release log become events, in one
 *              transaction with the lines (webhook_line), so each line is announced once; warns of quotas;
 *              turns events that are due into messages and deliveries (fan-out, in batches); prunes
 *   sender     signs and sends deliveries that are due (deliver/sender.h), writes attempts and what follows
 *
 * Everything that must survive is in the store: after a kill both go on where they were, and what was being
 * sent is sent again with the same webhook-id. Order is not promised.
 *
 *   webhook           a subscription. unverified: its address has not answered the challenge; active;
 *                     paused (reason owner, failing, operator, sealed): its deliveries wait; disabled (gone:
 *                     the address answered 410; key: the account has no key): it misses what happens
 *   webhook_line      lines of the log that are announced, or were there before the first start
 *   webhook_event     what happened, once. due: later than created where odp:notifyEvery joins events;
 *                     told: subscriptions up to that number have it; upto: the newest one when it happened;
 *                     site: real path of the build that shows it
 *   webhook_message   a body, shared by all deliveries with the same filter
 *   webhook_delivery  a message to a subscription. name: the webhook-id; first: attempts before it was sent
 *                     anew, since the schedule begins again then; next: when it is due; special: a test or a
 *                     challenge, which goes unless the subscription is disabled
 *   webhook_attempt   one request. status 0: there was no answer; outcome: deliver/outcomes.def
 *
 * The caller gives each function the time, so tests turn the clock. Milliseconds, unless a name says
 * otherwise. */
#pragma once

#include "service/accounts/keys.h"
#include "service/webhooks/deliver/seal.h"
#include "service/webhooks/deliver/sender.h"
#include "service/webhooks/deliver/standard.h"
#include "service/webhooks/events/match.h"

#define ODP_WEBHOOK_NAME 24 /* "wh_" + 20 base62, NUL */
#define ODP_WEBHOOK_KEEP                                                                                     \
    (30 * 86400) /* seconds: ended deliveries, and waiting ones of a paused subscription */
#define ODP_WEBHOOK_FAILING                                                                                  \
    (3 * 86400 + 43200)               /* seconds without a success, with a delivery that has failed: paused */
#define ODP_WEBHOOK_GRACE (24 * 3600) /* seconds that a replaced secret signs, too; at most 7 days */
#define ODP_WEBHOOK_TESTS 30          /* challenges, tests and redeliveries of an account in an hour */

struct odp_webhooks;
/* Opens the sender and the key file (options->webhook_key, else STATE/webhook.key, which is made). Starts no
 * threads. BAD: WHY. */
enum odp_status odp_webhooks_new(struct odp_webhooks **out, struct odp_state *s,
                                 char why[ODP_WHY]) ODP_MUST_USE;
enum odp_status odp_webhooks_start(struct odp_webhooks *w) ODP_MUST_USE; /* the two threads */
/* Stops the threads (what is being sent has half a second) and wipes keys. NULL is allowed. */
void odp_webhooks_free(struct odp_webhooks *w);

/* The site is at DIR (its real path) now. Returns at once; the announcer reads it. */
void odp_webhooks_site(struct odp_webhooks *w, const char *dir);
void odp_webhooks_wake(struct odp_webhooks *w); /* wakes the sender */

/* One step of each, for threads and tests. ANNOUNCE: all that is to do at NOW. SEND: starts what is due at
 * NOW, and takes and writes results for up to WAIT_MS; *BUSY: messages under way. FAIL: the store; the next
 * step tries again. */
enum odp_status odp_webhooks_announce(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhooks_send(struct odp_webhooks *w, int64_t now, int wait_ms,
                                  size_t *busy) ODP_MUST_USE;

/* ---- subscriptions ---- */

struct odp_webhook { /* texts live in the arena they were read with */
    int64_t id, account, holder;
    char name[ODP_WEBHOOK_NAME];
    const char *url, *place;       /* NULL: its key is not in the key file (reason sealed) */
    const char *events, *datasets; /* words joined by ' '; datasets "": all */
    const char *filter;            /* "": none */
    bool filter_json;
    const char *description;
    char state[12], reason[12];
    int64_t created, changed, verified; /* seconds */
    int64_t previous_until;             /* seconds; 0: no replaced secret */
    int64_t failing;                    /* ms; nothing was delivered since; 0: not failing */
    int64_t not_before;                 /* ms; the receiver asked to wait */
    int64_t round;                      /* of the challenge */
    int64_t pending, delivered, failed; /* that the store still has */
};

/* What may be set. A slice with ptr NULL: stays as it is. */
struct odp_webhook_change {
    struct odp_slice url, events, datasets, filter,
        description; /* words joined by ' ', checked and different */
    bool filter_json;
    const char *state; /* "active", "paused" or NULL */
};
/* An act on a subscription, and its result. */
struct odp_webhook_act {
    const char *name;  /* of the subscription; create sets it */
    int64_t account;   /* its owner; 0: an operator may act on any account's */
    const char *actor; /* as in odp_audit_add */
    int64_t now_ms;
    const struct odp_telling *tell; /* as with keys, but K is NULL */
    const struct odp_key_info *key; /* create: who makes it */
    const struct odp_webhook_change
        *change;                /* create, change; the caller has checked url, filter and words */
    int64_t grace;              /* rotate: seconds that the old secret signs, too */
    struct odp_slice challenge; /* confirm: as the address got it */
    const char *delivery;       /* redeliver: a webhook-id; NULL: all that ended, made since SINCE (ms) */
    int64_t since;
    bool only_failed;                     /* of these only the ones that were not delivered */
    enum odp_problem problem;             /* of BAD: NOT_FOUND, WEBHOOK_LIMIT, WEBHOOK_RATE, CONFLICT … */
    char made[ODP_WEBHOOK_NAME];          /* create */
    char secret[ODP_WEBHOOK_SECRET_TEXT]; /* create, rotate: the caller wipes it */
    char sent[ODP_WEBHOOK_ID];            /* test: its webhook-id */
    int64_t n;                            /* redeliver: how many */
};
/* Each act is one transaction with its audit entry ("webhook.create" …). After the commit it wakes the
 * sender. */
enum odp_status odp_webhook_create(struct odp_webhooks *w, struct odp_webhook_act *o) ODP_MUST_USE;
/* Another url: unverified, with a challenge. */
enum odp_status odp_webhook_change(struct odp_webhooks *w, struct odp_webhook_act *o) ODP_MUST_USE;
enum odp_status odp_webhook_delete(struct odp_webhooks *w, struct odp_webhook_act *o) ODP_MUST_USE;
enum odp_status odp_webhook_rotate(struct odp_webhooks *w, struct odp_webhook_act *o) ODP_MUST_USE;
/* Makes it active, if the challenge is right; else CONFLICT. */
enum odp_status odp_webhook_confirm(struct odp_webhooks *w, struct odp_webhook_act *o) ODP_MUST_USE;
/* Sends a test, or a challenge again to an address that has not confirmed. */
enum odp_status odp_webhook_test(struct odp_webhooks *w, struct odp_webhook_act *o) ODP_MUST_USE;
/* Sends again, at once, with the same ids. */
enum odp_status odp_webhook_redeliver(struct odp_webhooks *w, struct odp_webhook_act *o) ODP_MUST_USE;

/* For a telling, which has the mutex: the subscription as the act leaves it. */
enum odp_status odp_webhook_changing(struct odp_webhooks *w, const char *name, struct odp_webhook *out,
                                     struct odp_arena *a) ODP_MUST_USE;
enum odp_status odp_webhook_find(struct odp_webhooks *w, const char *name, int64_t account,
                                 struct odp_webhook *out, struct odp_arena *a,
                                 enum odp_problem *problem) ODP_MUST_USE;
struct odp_webhooks_wanted {
    int64_t account;   /* 0: of all */
    const char *state; /* NULL: any */
    int64_t after;     /* numbers above it */
    size_t limit;
};
/* In the order of their numbers, in A. */
enum odp_status odp_webhook_list(struct odp_webhooks *w, const struct odp_webhooks_wanted *wanted,
                                 struct odp_webhook **out, size_t *n, struct odp_arena *a) ODP_MUST_USE;

struct odp_webhook_attempt {
    int64_t at, took; /* ms */
    int status;
    const char *outcome; /* a name of outcomes.def */
};
struct odp_webhook_delivery {
    int64_t id;
    char name[ODP_WEBHOOK_ID];
    const char *type, *state, *body;
    int64_t created, next, done; /* ms; next 0: none */
    struct odp_webhook_attempt *attempts;
    size_t nattempts;
};
struct odp_deliveries_wanted {
    int64_t webhook;
    const char *state, *delivery; /* NULL: any; the one with that webhook-id */
    int64_t before;               /* numbers below it; 0: from the newest */
    size_t limit;
};
/* Newest first, in A. */
enum odp_status odp_webhook_deliveries(struct odp_webhooks *w, const struct odp_deliveries_wanted *wanted,
                                       struct odp_webhook_delivery **out, size_t *n,
                                       struct odp_arena *a) ODP_MUST_USE;

/* How many subscriptions an account of TIER may have; -1: any number. False: the site is still being read. */
bool odp_webhooks_limit(struct odp_webhooks *w, const char *tier, int64_t *limit) ODP_MUST_USE;
/* The current site, for checking filters; NULL: none. Drop must follow. */
struct odp_webhook_site;
const struct odp_site *odp_webhooks_acquire(struct odp_webhooks *w, struct odp_webhook_site **held);
void odp_webhooks_release(struct odp_webhooks *w, struct odp_webhook_site *held); /* NULL is allowed */
const struct odp_address_policy *odp_webhooks_policy(const struct odp_webhooks *w);

/* How many subscriptions the store file PATH (a backup, or one that no service holds) has: whoever moves it
 * must move the key file, too. */
enum odp_status odp_webhooks_in_store(const char *path, int64_t *n, char why[ODP_WHY]) ODP_MUST_USE;

/* For /metrics and /healthz. */
struct odp_webhook_figures {
    uint64_t outcomes[ODP_OUTCOMES];  /* attempts since the start, by outcome */
    uint64_t events[ODP_EVENT_TYPES]; /* since the start */
    uint64_t subscriptions[4];        /* unverified, active, paused, disabled */
    uint64_t pending;                 /* deliveries */
    int64_t oldest;                   /* ms; when the oldest that is due became due; 0: none is */
    uint64_t busy;
    int64_t told; /* ms; when a step of the announcer, of the sender last ended */
    int64_t sent;
    bool site_ok; /* the last site's log was read */
    /* From the switch to the end of the first attempt, delivered: <= 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60 s,
     * and all. */
    uint64_t latency[10];
    uint64_t latency_ms; /* sum */
};
void odp_webhooks_figures(struct odp_webhooks *w,
                          struct odp_webhook_figures *out); /* asks the store at most once in ten seconds */
