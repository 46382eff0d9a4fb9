/* What the files of service/webhooks share. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "service/accounts/keys_internal.h"
#include "service/state/held.h"
#include "service/state/site_settings.h"
#include "service/webhooks/webhooks.h"

#define ODP_WEBHOOK_PLACE 264 /* "host:port", NUL */

/* One build of the site, as the announcer opened it. */
struct odp_webhook_site {
    struct odp_held held;
    struct odp_site *site;
    char dir[ODP_PATH_MAX];
    struct odp_site_settings settings;
};

struct webhook_announcer {  /* the announcer's own: one thread, or a test's */
    sqlite3 *db;            /* reads only: never waits for the mutex */
    char dir[ODP_PATH_MAX]; /* the site that was tried last */
    bool taken;             /* its log is announced */
    int64_t again;          /* ms; when one that could not be read is tried again; 0: it was not tried yet */
    bool opened;            /* what older keys sealed is sealed anew */
    int64_t keys, quota, pruned; /* ms; when these were done last */
    size_t shut;                 /* subscriptions that the key file does not open */
    int failing;                 /* as last logged */
};

struct odp_webhooks {
    struct odp_state *s;
    struct odp_seal *seal;
    struct odp_sender *sender;
    struct odp_address_policy policy;
    char user_agent[256];
    struct odp_holder site;    /* struct odp_webhook_site: whose log was read last */
    pthread_mutex_t lock;      /* over what follows; never held while the store's mutex is taken */
    pthread_cond_t more;       /* the announcer has something to do */
    char wanted[ODP_PATH_MAX]; /* the site that the ticker has seen; "" none */
    struct odp_webhook_figures figures;
    int64_t counted; /* ms of a steady clock; when the store's figures were counted */
    bool counting, stop, tell_now;
    bool started; /* the threads run, or are about to */
    pthread_t threads[2];
    unsigned nthreads;
    struct webhook_announcer *announcer;
    struct webhook_send *send; /* the sender's own, send_internal.h */
};

/* ---- statements (sql.c) ---- */

/* Column of Q's row as text in A; null is "". */
const char *webhook_text(struct odp_sql *q, int column, struct odp_arena *a) ODP_MUST_USE;
/* A connection of its own that only reads. */
enum odp_status odp_webhook_open_copy(struct odp_webhooks *w, sqlite3 **db) ODP_MUST_USE;

/* Begins a transaction that changes the store, under its mutex; end must follow. */
struct odp_sql odp_webhook_begin(struct odp_webhooks *w) ODP_MUST_USE;
/* Commits if Q is OK, else rolls back; returns Q->st. */
enum odp_status odp_webhook_end(struct odp_webhooks *w, struct odp_sql *q) ODP_MUST_USE;

/* Changes rows some hundred at a time, each time in a transaction. SELECT gives numbers in their order, at
 * most :some, above :after; CHANGE gets them as WEBHOOK_IDS. Both may name :now, :before (ms), :text. */
struct webhook_sweep {
    const char *select, *change;
    const char *text;
    /* instead of CHANGE, for each number */
    void (*each)(struct odp_webhooks *w, struct odp_sql *q, int64_t id, int64_t now);
};
#define WEBHOOK_IDS "(SELECT value FROM json_each(:ids))"
enum odp_status odp_webhook_sweep(struct odp_webhooks *w, const struct webhook_sweep *s, int64_t now,
                                  int64_t before) ODP_MUST_USE;

/* SQL: the account of row w of webhook has a key that the gateway accepts at AT (seconds). */
#define ODP_WEBHOOK_HAS_KEY(at)                                                                              \
    "EXISTS (SELECT 1 FROM key k WHERE k.account = w.account AND ((k.state = 1 AND (k.until = 0 OR"          \
    " k.until > " at ")) OR (k.state = 2 AND k.until > " at ")))"

/* ---- what is sealed (seal.c) ---- */

/* WHAT: "url" or "secret" of the subscription NAME. BAD: there is no key file, or it does not have the key.
 */
enum odp_status odp_webhook_seal(struct odp_webhooks *w, const char *what, const char *name,
                                 struct odp_slice clear, struct odp_buffer *sealed) ODP_MUST_USE;
enum odp_status odp_webhook_unseal(struct odp_webhooks *w, const char *what, const char *name,
                                   const void *sealed, int n, struct odp_buffer *clear) ODP_MUST_USE;
void odp_webhook_wipe(struct odp_buffer *clear); /* and releases it */

/* ---- the outbox (outbox.c); the mutex is held and a transaction open ---- */

/* Returns a message's number. EVENT 0: of none (tests, challenges). */
int64_t odp_webhook_message_add(struct odp_sql *q, int64_t event, enum odp_event_type type, int64_t now,
                                struct odp_slice body);
/* A delivery of it, due now. One of that name stays as it is. */
void odp_webhook_delivery_add(struct odp_sql *q, const char *name, int64_t webhook, int64_t message,
                              int64_t now);
/* Challenge ROUND of a subscription as message and delivery, due now; sends it again if it exists, and
 * cancels older ones. Its random bytes are in the message's body alone: from the secret, which an owner has,
 * he could compute it and confirm an address that is not his. */
void odp_webhook_challenge_add(struct odp_sql *q, int64_t id, const char *name, int64_t round, int64_t now,
                               char delivery[ODP_WEBHOOK_ID]);
/* The webhook-id of challenge ROUND. */
enum odp_status odp_webhook_challenge_name(char out[ODP_WEBHOOK_ID], const char *name,
                                           int64_t round) ODP_MUST_USE;
/* The challenge of a message's BODY. BAD: it has none. */
enum odp_status odp_webhook_challenge_of(struct odp_slice body, char out[ODP_WEBHOOK_CHALLENGE]) ODP_MUST_USE;
/* The address has answered challenge ROUND: makes it active. False: it waits for another one, or is not
 * unverified. */
bool odp_webhook_set_verified(struct odp_sql *q, int64_t id, int64_t round, int64_t now_ms);
/* Sets state and reason. Disabled: cancels its deliveries. Active: sends them at once, by a schedule that
 * begins anew. */
void odp_webhook_set_state(struct odp_sql *q, int64_t id, const char *state, const char *reason,
                           int64_t now_ms);
/* PLACE without its port, in characters that need no escaping. Returns OUT. */
const char *odp_webhook_host(const char *place, char out[ODP_WEBHOOK_PLACE]);
/* Writes what the machine itself changed of a subscription into audit and log. ACT: "webhook.pause" … */
void odp_webhook_note(struct odp_sql *q, int64_t id, const char *act, const char *reason, int64_t now);

/* ---- threads.c ---- */
int64_t odp_webhook_keep(const struct odp_webhooks *w);         /* seconds that deliveries are kept */
unsigned odp_webhook_connections(const struct odp_webhooks *w); /* at once */
bool odp_webhook_stopped(struct odp_webhooks *w);
/* Lets others have the mutex, which is not fair, between two transactions. */
void odp_webhook_yield(void);
/* Gives the calling thread less priority than the service. */
void odp_webhook_lower_priority(void);
/* Milliseconds of a clock that never goes back. */
/* Wakes the sender to look for new deliveries. */
void odp_webhook_new_deliveries(struct odp_webhooks *w);

/* ---- sites (site.c) ---- */
/* BAD: DIR is no site; *OUT NULL. */
enum odp_status odp_webhook_site_open(struct odp_webhook_site **out, const char *dir) ODP_MUST_USE;
void odp_webhook_site_free(void *site); /* nobody uses it; NULL is allowed */

/* ---- the teller; steps that FAIL are tried again with the next one ---- */
enum odp_status odp_webhook_announcer_new(struct odp_webhooks *w) ODP_MUST_USE;
void odp_webhook_announcer_free(struct odp_webhooks *w);
void *odp_webhook_announcer_main(void *w); /* the thread */

struct webhook_event { /* one to be stored */
    enum odp_event_type type;
    const char *key, *dataset; /* DATASET "": of none */
    int64_t account, due;
    const char *data, *site;
};
/* False: it exists already. */
bool odp_webhook_event_add(struct odp_sql *q, const struct webhook_event *e, int64_t now);
void odp_webhook_event_count(struct odp_webhooks *w, enum odp_event_type type);
/* Takes the keys of DATASET's records out of what is stored (withdrawn.c). May be repeated. */
enum odp_status odp_webhook_forget_keys(struct odp_webhooks *w, const char *dataset) ODP_MUST_USE;

enum odp_status odp_webhook_renew_seals(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhook_read_site(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhook_warn_quota(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhook_fan_out(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhook_prune(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;

/* ---- the sender (send.c, send_mail.c) ---- */
enum odp_status odp_webhook_send_new(struct odp_webhooks *w) ODP_MUST_USE;
void odp_webhook_send_free(struct odp_webhooks *w);
/* Mail to the owner (if there is any) of a subscription that was paused or disabled. DONE: none is sent. */
enum odp_status odp_webhook_mail_owner(struct odp_webhooks *w, int64_t webhook, int64_t now_ms) ODP_MUST_USE;
