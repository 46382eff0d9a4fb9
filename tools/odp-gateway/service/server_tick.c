#include <errno.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "service/queries/queries.h"
#include "service/server_internal.h"
#include "service/state/log.h"
#include "service/webhooks/webhooks.h"

static void flush(struct odp_state *s, struct odp_ticker *t)
{
    enum odp_status st = odp_state_flush(s);
    bool ok = st == ODP_OK || st == ODP_DONE;
    uint64_t left = 0;
    int e = odp_failure_errno();
    odp_log_fault(&t->flush, !ok, "counts", NULL,
                  "counts cannot be written; they are kept in the table and tried again",
                  "counts are written again");
    const char *room = odp_state_room(s, &left);
    odp_log_change(&t->room, strcmp(room, "ok") != 0,
                   "registrations are refused: the disk of the state folder or the key table is full, or it "
                   "cannot be written",
                   "there is room for registrations again");
    if (!ok && strcmp(room, "ok") == 0)
        room = e == ENOSPC || e == EDQUOT ? "no-space" : "failing";
    pthread_mutex_lock(&s->web->mutex);
    s->web->flush_ok = ok;
    s->web->room = room;
    s->web->left = left;
    pthread_mutex_unlock(&s->web->mutex);
}

static void read_settings(struct odp_state *s, struct odp_ticker *t)
{
    char why[ODP_WHY] = "";
    bool ok = odp_state_read_site(s, s->options->site, why) == ODP_OK;
    odp_log_fault(&t->settings, !ok, "site", why, "site: its gateway.json is not taken; the settings stay",
                  "site: its settings are taken");
    pthread_mutex_lock(&s->web->mutex);
    s->web->settings_ok = ok;
    pthread_mutex_unlock(&s->web->mutex);
}

/* Where the site lies that is served now; NULL: none is. */
static const char *site_dir(const struct odp_state *s)
{
    const struct odp_web_site *site = s->web->site.now;
    return site != NULL ? odp_control_dir(site->control) : NULL;
}

static void site(struct odp_state *s, struct odp_ticker *t)
{
    const char *why = "";
    if (s->options->site == NULL)
        return;
    enum odp_status st = odp_web_site(s->web, s->options->site, &why);
    if (st == ODP_OK)
        odp_log("info", "site: %s", strrchr(site_dir(s), '/') + 1);
    odp_log_fault(&t->site, st != ODP_OK && st != ODP_DONE, "site", st == ODP_FAIL ? NULL : why,
                  "site: cannot be opened; the one before stays", "site: can be opened");
    if (st == ODP_OK || (st == ODP_DONE && t->settings != 0))
        read_settings(s, t);
}

/* The announcer reads the site's log; a build that could not be opened here is not told either. */
static void webhooks(struct odp_state *s)
{
    if (s->web->webhooks != NULL && site_dir(s) != NULL)
        odp_webhooks_site(s->web->webhooks, site_dir(s));
}

/* The list of query indexes follows the control file: both are of one build. */
static void queries(struct odp_state *s, struct odp_ticker *t, int64_t now)
{
    char why[ODP_WHY] = "";
    struct odp_queries *q = s->web->queries;
    if (q != NULL)
        odp_queries_secret_look(q);
    if (q == NULL || site_dir(s) == NULL)
        return;
    enum odp_status st = odp_queries_switch(q, site_dir(s), now, why);
    bool ok = st == ODP_OK || st == ODP_DONE;
#ifdef __GLIBC__
    if (st == ODP_OK) /* what indexes and answers of the site before had taken goes back to the machine */
        (void)malloc_trim(0);
#endif
    odp_log_fault(&t->queries, !ok, "queries", st == ODP_FAIL ? NULL : why,
                  "queries: the site's list of indexes is not taken; the one before stays",
                  "queries: the list is taken");
    ok = odp_queries_prune(q, now) == ODP_OK;
    odp_log_fault(&t->prune, !ok, "indexes", NULL, "indexes: what was superseded cannot be noted",
                  "indexes: what was superseded is noted again");
}

static void exchange(struct odp_state *s, struct odp_ticker *t, int64_t now_ms)
{
    struct odp_sync_state y = {0};
    if (s->sync == NULL)
        return;
    enum odp_status st = odp_sync_round(s->sync, now_ms);
    odp_log_fault(&t->sync, st == ODP_FAIL, "exchange", NULL, "exchange with other machines fails",
                  "exchange with other machines works again");
    odp_sync_state(s->sync, &y);
    bool writer = s->writer || s->writer_reachable;
    odp_log_change(&t->redis, !y.connected, "Redis is not reachable: counts and keys of other machines wait",
                   "Redis is reachable");
    odp_log_change(&t->writer, !writer, "the writer is not reachable: registrations get 503",
                   "the writer is reachable");
    atomic_store(&s->web->redis_reachable, y.connected);
    atomic_store(&s->web->writer_reachable, writer);
    pthread_mutex_lock(&s->web->mutex);
    s->web->sync = y;
    pthread_mutex_unlock(&s->web->mutex);
}

void odp_tick(struct odp_state *s, struct odp_ticker *t, int64_t now_ms)
{
    flush(s, t);
    site(s, t);
    webhooks(s);
    queries(s, t, now_ms / 1000);
    exchange(s, t, now_ms);
    pthread_mutex_lock(&s->web->mutex);
    s->web->ticking = true;
    s->web->ticked_ms = now_ms;
    pthread_mutex_unlock(&s->web->mutex);
}

void odp_tick_look(struct odp_state *s, struct odp_ticker *t, int64_t now_ms)
{
    /* What went wrong is tried again once a second. */
    const struct odp_web_site *now = s->web->site.now;
    if (now == NULL || t->site != 0 || !odp_control_switched(now->control, s->options->site))
        return;
    site(s, t);
    webhooks(s);
    queries(s, t, now_ms / 1000);
}
