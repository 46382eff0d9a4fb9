/* Inside of service/webhooks: the teller's parts. All of it runs on one thread (or in a test's). */
#ifndef ODP_SERVICE_WEBHOOKS_TELLER_INTERNAL_H
#define ODP_SERVICE_WEBHOOKS_TELLER_INTERNAL_H

#include "service/webhooks/webhooks_internal.h"

struct webhook_tell {
    sqlite3 *db;            /* reads only: never waits for the mutex */
    char dir[ODP_PATH_MAX]; /* the site that was tried last */
    bool taken;             /* its log is told */
    int64_t again;          /* ms: when one that could not be read is tried again; 0: it was not tried yet */
    bool opened;            /* what older keys sealed was looked at */
    int64_t keys, quota, pruned; /* ms: when these were done last */
    int failing;            /* as last logged */
};

void *odp_webhook_tell_main(void *w); /* the thread */

/* ---- threads.c ---- */
bool odp_webhook_stopped(struct odp_webhooks *w);
/* A moment for others between two transactions: the mutex is not fair. */
void odp_webhook_breathe(void);
/* The calling thread works with less priority than the service. */
void odp_webhook_stand_back(void);
/* Milliseconds of a clock that never goes back. */
int64_t odp_webhook_clock(void);
/* The sender looks for new deliveries. */
void odp_webhook_new_deliveries(struct odp_webhooks *w);

/* ---- transaction.c ---- */
/* Mutex and transaction around what changes the store. End commits where ST is OK, else nothing has happened; returns ST. */
enum odp_status odp_webhook_begin(struct odp_webhooks *w) ODP_MUST_USE;
enum odp_status odp_webhook_end(struct odp_webhooks *w, enum odp_status st) ODP_MUST_USE;
/* What the machine itself changed of a subscription, into the audit, and into the log. The mutex is held. ACT: "webhook.pause" … */
enum odp_status odp_webhook_note(struct odp_webhooks *w, int64_t id, const char *act, const char *reason, int64_t now) ODP_MUST_USE;

/* SQL: the account of row w of webhook has a key that the gateway accepts at ?N (seconds). */
#define ODP_WEBHOOK_HAS_KEY(n)                                                                                                 \
    "EXISTS (SELECT 1 FROM key k WHERE k.account = w.account AND ((k.state = 1 AND (k.until = 0 OR k.until > ?" #n             \
    ")) OR (k.state = 2 AND k.until > ?" #n ")))"

/* ---- sites (site.c) ---- */
/* BAD: reported to the log; *OUT NULL. */
enum odp_status odp_webhook_site_open(struct odp_webhook_site **out, const char *dir) ODP_MUST_USE;
void odp_webhook_site_free(struct odp_webhook_site *site); /* nobody uses it; NULL is allowed */
/* SITE, which is taken, is the one that is held from now on. */
void odp_webhook_site_set_take(struct odp_webhooks *w, struct odp_webhook_site *site);
/* The held one as the teller needs it; NULL: none. Drop must follow. */
struct odp_webhook_site *odp_webhook_site_hold(struct odp_webhooks *w);

/* ---- events (event.c) ---- */
struct webhook_event { /* one to be stored */
    enum odp_event_type type;
    const char *key, *dataset; /* DATASET "": of none */
    int64_t account, due;
    const char *data, *site;
};
/* OK: stored. DONE: it is known. The mutex is held. */
enum odp_status odp_webhook_event_add(sqlite3 *db, const struct webhook_event *e, int64_t now) ODP_MUST_USE;
/* Keys of records of DATASET leave what is stored (withdrawn.c). May be repeated. */
enum odp_status odp_webhook_tell_forget(struct odp_webhooks *w, const char *dataset) ODP_MUST_USE;
void odp_webhook_event_count(struct odp_webhooks *w, enum odp_event_type type);

/* ---- the steps; FAIL: tried again with the next one ---- */
enum odp_status odp_webhook_tell_seals(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhook_tell_site(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhook_tell_keys(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhook_tell_quota(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhook_fan_out(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
enum odp_status odp_webhook_tell_prune(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;

#endif
