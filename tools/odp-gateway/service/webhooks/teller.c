/* The teller: what its thread does, one step after the other, and the small steps. */
#include "service/webhooks/teller_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/state/log.h"

enum { STEP_MS = 1000, KEYS_MS = 60000, QUOTA_MS = 5000, PRUNE_MS = 3600000, BATCH = 100 };

enum odp_status odp_webhook_tell_new(struct odp_webhooks *w)
{
    char why[ODP_WHY] = "";
    w->tell = calloc(1, sizeof *w->tell);
    if (w->tell == NULL)
        return odp_failure_set("webhooks", NULL, ENOMEM);
    enum odp_status st = odp_store_open_copy(&w->tell->db, sqlite3_db_filename(w->s->db, "main"), why);
    return st == ODP_BAD ? odp_failure_set("webhooks: open the store to read", NULL, 0) : st;
}

void odp_webhook_tell_free(struct odp_webhooks *w)
{
    if (w->tell != NULL)
        odp_store_close(w->tell->db);
    free(w->tell);
    w->tell = NULL;
}

/* ---- accounts without a key ---- */

#define ORPHAN "SELECT w.id FROM webhook w WHERE w.state <> 'disabled' AND NOT " ODP_WEBHOOK_HAS_KEY(1)

/* Looked at again under the mutex: it may have got a key since. */
static enum odp_status disable(struct odp_webhooks *w, const int64_t *ids, size_t n, int64_t now)
{
    enum odp_status st = odp_webhook_begin(w);
    if (st != ODP_OK)
        return st;
    for (size_t i = 0; i < n && st == ODP_OK; i++) {
        int64_t still = 0;
        st = odp_store_number(w->s->db, &still, ORPHAN " AND w.id = ?2", "ii", now / 1000, ids[i]);
        if (st == ODP_OK)
            st = odp_webhook_set_state(w->s->db, ids[i], "disabled", "key", now);
        if (st == ODP_OK)
            st = odp_webhook_note(w, ids[i], "webhook.disable", "key", now);
        st = st == ODP_DONE ? ODP_OK : st;
    }
    return odp_webhook_end(w, st);
}

enum odp_status odp_webhook_tell_keys(struct odp_webhooks *w, int64_t now)
{
    int64_t ids[BATCH], last = 0;
    size_t n = BATCH;
    enum odp_status st = ODP_OK;
    while (n == BATCH && st == ODP_OK && !odp_webhook_stopped(w)) {
        sqlite3_stmt *row = NULL;
        st = odp_store_prepare(w->tell->db, &row, ORPHAN " AND w.id > ?2 ORDER BY w.id LIMIT ?3", "iii", now / 1000, last,
                               (int64_t)BATCH);
        for (n = 0; n < BATCH && st == ODP_OK && (st = odp_store_step(w->tell->db, row)) == ODP_OK; n++)
            ids[n] = last = sqlite3_column_int64(row, 0);
        sqlite3_finalize(row);
        st = st == ODP_DONE ? ODP_OK : st;
        if (n > 0 && st == ODP_OK)
            st = disable(w, ids, n, now);
    }
    return st;
}

/* ---- one step ---- */

/* Steps that are not worth doing all the time; in tests, where no thread runs, they are done whenever one asks. */
static bool is_time(struct odp_webhooks *w, int64_t *last, int64_t now, int64_t every)
{
    if (w->started && now - *last < every && now >= *last)
        return false;
    *last = now;
    return true;
}

enum odp_status odp_webhooks_tell(struct odp_webhooks *w, int64_t now)
{
    struct webhook_tell *t = w->tell;
    int64_t began = odp_webhook_clock();
    enum odp_status worst = ODP_OK;
    /* Each does what it can: that one fails does not keep the others waiting. */
    if (!t->opened && odp_webhook_tell_seals(w, now) == ODP_FAIL)
        worst = ODP_FAIL;
    if (odp_webhook_tell_site(w, now) == ODP_FAIL)
        worst = ODP_FAIL;
    if (is_time(w, &t->keys, now, KEYS_MS) && odp_webhook_tell_keys(w, now) == ODP_FAIL)
        worst = ODP_FAIL;
    if (is_time(w, &t->quota, now, QUOTA_MS) && odp_webhook_tell_quota(w, now) == ODP_FAIL)
        worst = ODP_FAIL;
    if (odp_webhook_fan_out(w, now) == ODP_FAIL)
        worst = ODP_FAIL;
    if (is_time(w, &t->pruned, now, PRUNE_MS) && odp_webhook_tell_prune(w, now) == ODP_FAIL)
        worst = ODP_FAIL;
    pthread_mutex_lock(&w->lock);
    w->figures.told = now + odp_webhook_clock() - began;
    pthread_mutex_unlock(&w->lock);
    return worst;
}

/* ---- the thread ---- */

/* Milliseconds until there is something to do: an event is due, or the next step. */
static int64_t next_in(struct odp_webhooks *w)
{
    int64_t due = 0;
    if (odp_store_number(w->tell->db, &due, "SELECT min(due) FROM webhook_event WHERE done = 0 HAVING count(*) > 0", "") !=
        ODP_OK)
        return STEP_MS;
    due -= odp_now_ms();
    return due < 1 ? 1 : due < STEP_MS ? due : STEP_MS;
}

static void wait_for_more(struct odp_webhooks *w, bool failed)
{
    struct timespec until;
    int64_t wait = failed ? STEP_MS : next_in(w);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += wait * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&w->lock);
    while (!w->stop && !w->tell_now && pthread_cond_timedwait(&w->more, &w->lock, &until) == 0)
        continue;
    w->tell_now = false;
    pthread_mutex_unlock(&w->lock);
}

void *odp_webhook_tell_main(void *arg)
{
    struct odp_webhooks *w = arg;
    odp_webhook_stand_back();
    while (!odp_webhook_stopped(w)) {
        bool failed = odp_webhooks_tell(w, odp_now_ms()) == ODP_FAIL;
        if (failed && w->tell->failing == 0)
            odp_log_failure("webhooks: telling");
        odp_failure_clear();
        odp_log_change(&w->tell->failing, failed, "webhooks: what happened cannot be told; it is tried again",
                       "webhooks: telling works again");
        wait_for_more(w, failed);
    }
    return NULL;
}
