/* What a running service has besides its state: limits, the queue of mail, the site's control file, counters
 * for /metrics. odp_server_run makes it; without it (commands, some tests) nothing is limited or counted, and
 * mail is sent before the call returns. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "core/control/control.h"
#include "core/problem.h"
#include "service/cluster/sync.h"
#include "service/http/shell.h"
#include "service/state/held.h"
#include "service/state/limit.h"
#include "service/state/state.h"

struct odp_templates; /* service/http/pages.h */
struct odp_mailer;    /* service/accounts/mail.h */
struct odp_queries;   /* service/queries/queries.h */
struct odp_webhooks;  /* service/webhooks/webhooks.h */

/* Keys by tier and state, counted from the table now and then. */
enum { ODP_KEY_COUNT_STATES = 6 }; /* 0 unused, enum odp_key_state, 5 expired */
struct odp_key_counts {
    uint64_t by[ODP_TIERS_MAX][ODP_KEY_COUNT_STATES];
    int64_t at_ms, took_ms; /* when, how long it took */
};

struct odp_web {
    struct odp_limit *limit;
    struct odp_templates *pages;   /* the service's own */
    struct odp_mailer *mailer;     /* NULL: mail is sent by the caller itself */
    struct odp_queries *queries;   /* NULL: none are answered (503); freed with this */
    struct odp_webhooks *webhooks; /* NULL: not the writer, or the operator wants none; freed before this */
    struct odp_holder site;        /* struct odp_web_site */
    pthread_mutex_t mutex;         /* over what follows up to the counters */
    struct odp_key_counts keys;
    bool keys_busy;
    struct odp_sync_state sync; /* as the last round left it */
    bool settings_ok, flush_ok, ticking;
    const char *room; /* as odp_state_room says it, once a second */
    uint64_t left;    /* bytes that the state folder's disk has room for */
    int64_t ticked_ms;
    _Atomic uint64_t answered[600], refused[ODP_PROBLEM_COUNT];
    _Atomic uint64_t query_refused[ODP_PROBLEM_COUNT]; /* of these, at the query door */
    _Atomic uint64_t registrations, mail_sent, mail_failures;
    _Atomic bool writer_reachable, redis_reachable;
};

/* The site as nginx serves it, opened by its real path. */
struct odp_web_site {
    struct odp_held held;
    struct odp_control *control;
    struct odp_shell *shell;
};

enum odp_status odp_web_new(struct odp_web **out) ODP_MUST_USE;
void odp_web_free(struct odp_web *w); /* NULL is allowed; whoever made the mailer has freed it before */
/* Opens the site's control file if there is none yet or SITE now leads elsewhere. DONE: nothing to do. BAD:
 * the old one stays; *WHY says why. */
enum odp_status odp_web_site(struct odp_web *w, const char *site, const char **why) ODP_MUST_USE;

/* "ok" if keys can be changed here; else why not, a static word: as odp_state_room says, "failing" if the
 * store or the counts could not be written, "writer-unreachable" on a replica. */
const char *odp_web_writes(const struct odp_state *s);

static inline void odp_web_count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}
