/* The announcer: its thread, and the small steps. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "service/state/log.h"
#include "service/webhooks/webhooks_internal.h"

enum { STEP_MS = 1000, KEYS_MS = 60000, QUOTA_MS = 5000, PRUNE_MS = 3600000 };

enum odp_status odp_webhook_announcer_new(struct odp_webhooks *w)
{
    w->announcer = calloc(1, sizeof *w->announcer);
    return w->announcer != NULL ? odp_webhook_open_copy(w, &w->announcer->db)
                                : odp_failure_set("webhooks", NULL, ENOMEM);
}

void odp_webhook_announcer_free(struct odp_webhooks *w)
{
    if (w->announcer != NULL)
        odp_store_close(w->announcer->db);
    free(w->announcer);
    w->announcer = NULL;
}

/* ---- accounts without a key ---- */

#define ORPHANS(now)                                                                                         \
    "SELECT w.id FROM webhook w WHERE w.state <> 'disabled' AND NOT " ODP_WEBHOOK_HAS_KEY(now)

/* Asked again under the mutex: it may have got a key since. */
static void disable(struct odp_webhooks *w, struct odp_sql *q, int64_t id, int64_t now)
{
    if (odp_sql_number(q, ORPHANS("?1") " AND w.id = ?2", "ii", now / 1000, id) == 0)
        return;
    odp_webhook_set_state(q, id, "disabled", "key", now);
    odp_webhook_note(q, id, "webhook.disable", "key", now);
}

static enum odp_status disable_orphans(struct odp_webhooks *w, int64_t now)
{
    static const struct webhook_sweep orphans = {
        .select = ORPHANS("(:now / 1000)") " AND w.id > :after ORDER BY w.id LIMIT :some", .each = disable};
    return odp_webhook_sweep(w, &orphans, now, 0);
}

/* ---- one step ---- */

/* Steps that need not be done all the time; without threads (tests) they always are. */
static bool is_time(struct odp_webhooks *w, int64_t *last, int64_t now, int64_t every)
{
    if (w->started && now - *last < every && now >= *last)
        return false;
    *last = now;
    return true;
}

enum odp_status odp_webhooks_announce(struct odp_webhooks *w, int64_t now)
{
    struct webhook_announcer *t = w->announcer;
    int64_t began = odp_clock_ms();
    const struct {
        bool due;
        enum odp_status (*run)(struct odp_webhooks *w, int64_t now);
    } steps[] = {{!t->opened, odp_webhook_renew_seals},
                 {true, odp_webhook_read_site},
                 {is_time(w, &t->keys, now, KEYS_MS), disable_orphans},
                 {is_time(w, &t->quota, now, QUOTA_MS), odp_webhook_warn_quota},
                 {true, odp_webhook_fan_out},
                 {is_time(w, &t->pruned, now, PRUNE_MS), odp_webhook_prune}};
    enum odp_status worst = ODP_OK;
    /* A step that fails does not hold up the others. */
    for (size_t i = 0; i < ODP_COUNT(steps); i++)
        if (steps[i].due && steps[i].run(w, now) == ODP_FAIL)
            worst = ODP_FAIL;
    pthread_mutex_lock(&w->lock);
    w->figures.told = now + odp_clock_ms() - began;
    pthread_mutex_unlock(&w->lock);
    return worst;
}

/* ---- the thread ---- */

/* Milliseconds until an event is due, or the next step. */
static int64_t next_in(struct odp_webhooks *w)
{
    struct odp_sql q = {.db = w->announcer->db};
    int64_t due = odp_sql_number(
                &q, "SELECT coalesce(min(due), 9223372036854775807) FROM webhook_event WHERE done = 0", ""),
            now = odp_now_ms();
    if (due <= now)
        return 1;
    return due - now < STEP_MS ? due - now : STEP_MS;
}

static void wait_for_more(struct odp_webhooks *w, bool failed)
{
    struct timespec until = odp_clock_after(failed ? STEP_MS : next_in(w));
    pthread_mutex_lock(&w->lock);
    while (!w->stop && !w->tell_now && pthread_cond_timedwait(&w->more, &w->lock, &until) == 0)
        continue;
    w->tell_now = false;
    pthread_mutex_unlock(&w->lock);
}

void *odp_webhook_announcer_main(void *arg)
{
    struct odp_webhooks *w = arg;
    odp_webhook_lower_priority();
    while (!odp_webhook_stopped(w)) {
        bool failed = odp_webhooks_announce(w, odp_now_ms()) == ODP_FAIL;
        odp_log_fault(&w->announcer->failing, failed, "webhooks: telling", NULL,
                      "webhooks: what happened cannot be told; it is tried again",
                      "webhooks: telling works again");
        wait_for_more(w, failed);
    }
    return NULL;
}
