#include "service/cluster/cluster_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/quota/quota.h"
#include "service/state/log.h"

static const int64_t first_wait_ms = 1000;

/* Redis is another one than before, or the first: nothing of what was sent is certain to be there. */
static void reset(struct odp_sync *y)
{
    odp_sync_counts_reset(y);
    odp_sync_keys_reset(y);
    odp_sync_usage_reset(y);
}

static void hello(struct odp_sync *y)
{
    char epoch[ODP_WIRE_ID + 1];
    if (!odp_sync_did(y, odp_random_hex(epoch, ODP_WIRE_ID)))
        return;
    odp_redis_command(y->redis, "SET", "odp:epoch", epoch, "NX", NULL);
    odp_redis_command(y->redis, "GET", "odp:epoch", NULL);
    odp_sync_skip(y, 1);
    struct odp_slice now = odp_redis_text(odp_sync_reply(y));
    if (y->st == ODP_OK && !odp_wire_hex(now, ODP_WIRE_ID))
        odp_sync_odd(y);
    if (y->st == ODP_OK && !odp_slice_is(now, y->epoch)) {
        memcpy(y->epoch, now.ptr, ODP_WIRE_ID);
        reset(y);
    }
}

/* Keys come first: a revocation is what others wait for. */
static void exchange(struct odp_sync *y, int64_t now_ms)
{
    odp_keytable_settings(y->s->table, &y->settings);
    y->busy = false;
    hello(y);
    odp_sync_counts_day(y, odp_quota_day(now_ms / 1000, y->settings.zone_minutes));
    (y->s->writer ? odp_sync_keys_publish : odp_sync_keys_receive)(y);
    odp_sync_index_grow(y, false);
    odp_sync_counts_send(y);
    odp_sync_counts_receive(y, now_ms);
    if (y->st == ODP_OK && odp_clock_ms() >= y->usage.next_at) {
        y->usage.next_at = odp_clock_ms() + ODP_SYNC_USAGE_MS;
        (y->s->writer ? odp_sync_usage_collect : odp_sync_usage_send)(y);
    }
}

static void lost(struct odp_sync *y, const char *why)
{
    if (why[0] != '\0' && strcmp(y->said_why, why) != 0)
        odp_log("warning", "Redis at %s: %s", y->address.shown, why);
    (void)snprintf(y->said_why, sizeof y->said_why, "%s", why);
    odp_redis_close(y->redis);
    y->redis = NULL;
    y->pause = y->pause == 0 ? ODP_SYNC_PAUSE_MS : y->pause * 2;
    y->pause = y->pause > ODP_SYNC_RETRY_MAX_MS ? ODP_SYNC_RETRY_MAX_MS : y->pause;
    y->retry_at = odp_clock_ms() + y->pause;
    reset(y);
}

enum odp_status odp_sync_turn(struct odp_sync *y, int64_t now_ms)
{
    char why[ODP_REDIS_WHY] = "";
    if (y->redis == NULL && odp_clock_ms() < y->retry_at)
        return ODP_BAD;
    bool again = y->redis == NULL;
    int64_t begun = odp_clock_ms();
    y->st = again ? odp_redis_open(&y->redis, &y->address, y->s->options->redis_secret, why) : ODP_OK;
    if (y->st == ODP_OK)
        exchange(y, now_ms);
    enum odp_status st = y->st;
    if (st != ODP_OK)
        lost(y, y->redis != NULL && odp_redis_why(y->redis)[0] != '\0' ? odp_redis_why(y->redis) : why);
    else if (y->said_why[0] != '\0') {
        odp_log("info", "Redis at %s: exchange works again", y->address.shown);
        y->said_why[0] = '\0';
    }
    if (st == ODP_OK)
        y->pause = 0;
    pthread_mutex_lock(&y->mutex);
    y->seen.connected = st == ODP_OK;
    y->seen.failures += st != ODP_OK;
    y->seen.rounds += st == ODP_OK;
    y->seen.reconnects += st == ODP_OK && again && y->seen.rounds > 1;
    y->seen.keys_complete = y->keys.complete;
    if (st == ODP_OK)
        y->seen.last_round_ms = now_ms;
    else
        y->seen.machines = 1;
    if (st == ODP_OK && y->begun != 0 && odp_clock_ms() - y->begun > y->seen.longest_ms)
        y->seen.longest_ms = odp_clock_ms() - y->begun;
    pthread_mutex_unlock(&y->mutex);
    y->begun = st == ODP_OK ? begun : 0;
    return st;
}

static void *run(void *ctx)
{
    struct odp_sync *y = ctx;
    while (!odp_sync_stopped(y)) {
        if (odp_sync_turn(y, odp_now_ms()) == ODP_FAIL)
            odp_log_failure("exchange");
        int64_t pause = y->redis != NULL && y->busy ? 0 : ODP_SYNC_PAUSE_MS;
        pthread_mutex_lock(&y->mutex);
        y->round_made = y->round_made || !y->busy;
        pthread_cond_broadcast(&y->done);
        pthread_mutex_unlock(&y->mutex);
        odp_bell_wait(&y->s->keys_changed, pause);
    }
    if (y->redis != NULL)
        odp_sync_counts_send(y);
    if (y->redis != NULL && y->st == ODP_FAIL)
        odp_log_failure("exchange");
    return NULL;
}

enum odp_status odp_sync_make(struct odp_sync **out, struct odp_state *s)
{
    char host[65] = "";
    *out = NULL;
    struct odp_sync *y = calloc(1, sizeof *y);
    if (y == NULL)
        return odp_failure_set("calloc", NULL, 0);
    y->s = s;
    y->seen.writer_reachable = s->writer;
    y->seen.machines = 1;
    atomic_store(&y->writer_reachable, s->writer);
    int rc = pthread_mutex_init(&y->mutex, NULL);
    if (rc == 0)
        rc = odp_clock_condition(&y->stopping);
    if (rc == 0)
        rc = odp_clock_condition(&y->done);
    enum odp_status st = rc == 0 ? ODP_OK : odp_failure_set("exchange", NULL, rc);
    for (int i = 0; i < 2; i++) {
        odp_buffer_init(&y->usage.sent[i]);
        odp_buffer_init(&y->usage.now[i]);
    }
    if (st == ODP_OK && !odp_redis_address(s->options->redis, &y->address)) /* command/options.c has looked */
        st = odp_failure_set("read --redis", NULL, EINVAL);
    if (st == ODP_OK)
        st = odp_sync_identity_read(y);
    if (st != ODP_OK) {
        odp_sync_free(y);
        return st;
    }
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    odp_wire_machine(y->machine, s->options->machine != NULL ? s->options->machine : host, y->id);
    reset(y);
    *out = y;
    return ODP_OK;
}

/* Threads get no signals: those are main's, and a lost connection must not be one. */
static enum odp_status thread(pthread_t *out, void *(*f)(void *), struct odp_sync *y)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(out, NULL, f, y);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0 ? ODP_OK : odp_failure_set("pthread_create", NULL, rc);
}

enum odp_status odp_sync_start(struct odp_sync *y)
{
    enum odp_status st = thread(&y->thread, run, y);
    y->threaded = st == ODP_OK;
    if (st == ODP_OK && !y->s->writer && y->s->options->writer != NULL) {
        st = thread(&y->prober, odp_sync_probe, y);
        y->probing = st == ODP_OK;
    }
    struct timespec until = odp_clock_after(first_wait_ms);
    int rc = 0;
    pthread_mutex_lock(&y->mutex);
    while (st == ODP_OK && rc == 0 && (!y->round_made || (y->probing && !y->probe_made)))
        rc = pthread_cond_timedwait(&y->done, &y->mutex, &until);
    pthread_mutex_unlock(&y->mutex);
    return st;
}

enum odp_status odp_sync_new(struct odp_sync **out, struct odp_state *s)
{
    enum odp_status st = odp_sync_make(out, s);
    if (st == ODP_OK)
        st = odp_sync_start(*out);
    if (st != ODP_OK) {
        odp_sync_free(*out);
        *out = NULL;
    }
    return st;
}

void odp_sync_free(struct odp_sync *y)
{
    if (y == NULL)
        return;
    pthread_mutex_lock(&y->mutex);
    atomic_store(&y->stop, true);
    pthread_cond_broadcast(&y->stopping);
    pthread_mutex_unlock(&y->mutex);
    odp_bell_ring(&y->s->keys_changed); /* the thread that waits for the next round */
    if (y->threaded)
        pthread_join(y->thread, NULL);
    if (y->probing)
        pthread_join(y->prober, NULL);
    odp_redis_close(y->redis);
    odp_sync_counts_release(y);
    odp_sync_keys_release(y);
    odp_sync_usage_release(y);
    odp_sync_index_release(&y->index);
    pthread_cond_destroy(&y->stopping);
    pthread_cond_destroy(&y->done);
    pthread_mutex_destroy(&y->mutex);
    explicit_bzero(&y->address, sizeof y->address);
    free(y);
}

enum odp_status odp_sync_round(struct odp_sync *y, int64_t now_ms)
{
    enum odp_status st = ODP_OK;
    if (!y->threaded)
        st = odp_sync_turn(y, now_ms);
    pthread_mutex_lock(&y->mutex);
    y->s->redis_reachable = y->seen.connected;
    pthread_mutex_unlock(&y->mutex);
    y->s->writer_reachable = y->s->writer || atomic_load(&y->writer_reachable);
    return st == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

void odp_sync_state(const struct odp_sync *y, struct odp_sync_state *out)
{
    struct odp_sync *locked =
        (struct odp_sync *)(uintptr_t)y; /* the mutex is not part of what is promised to stay */
    pthread_mutex_lock(&locked->mutex);
    *out = y->seen;
    pthread_mutex_unlock(&locked->mutex);
    out->writer_reachable = y->s->writer || atomic_load(&y->writer_reachable);
}
