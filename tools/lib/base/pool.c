/* A run is a window of sequence numbers: `floor` <= `consumed` <= `next` <= `limit`, all under one mutex.
 *
 *   floor .. consumed-1   consumed, and not yet appended by every lane (without lanes: none)
 *   consumed .. next-1    in work, or done and waiting for their turn (ordered runs: slot = number % ring)
 *   next .. limit-1       ready for the next free thread
 *
 * In an ordered run produce moves `limit`, at most `ring` ahead of `floor`; in odp_pool_each the limit is n
 * from the start. The calling thread is worker 0: it consumes first, else produces, else appends (both free
 * slots or fill them), else works, else waits. The others append first, because a lane that lags holds the
 * slots of all, else work. */
#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/thread.h"

struct worker {
    struct odp_pool *pool;
    pthread_t thread;
    unsigned index;
};

struct odp_pool {
    unsigned jobs, started;
    size_t slots;
    struct worker *workers; /* jobs - 1 of them */
    bool *done;             /* by slot, ordered runs */
    pthread_mutex_t lock;
    pthread_cond_t ready;   /* to workers: there is work, or quit */
    pthread_cond_t changed; /* to the calling thread: some work ended */
    bool quit;
    /* the run */
    enum odp_status (*work)(void *ctx, size_t i, unsigned worker);
    void *ctx;
    bool ordered, failed;
    size_t ring; /* slots it uses */
    size_t consumed, next, limit, busy;
    struct odp_lanes lanes;
    size_t appended[ODP_POOL_LANES]; /* by lane: how many */
    bool appending[ODP_POOL_LANES];
};

/* The number of the first piece whose slot is still needed. */
static size_t floor_of(const struct odp_pool *p)
{
    size_t floor = p->consumed;
    for (size_t k = 0; k < p->lanes.n; k++)
        floor = p->appended[k] < floor ? p->appended[k] : floor;
    return floor;
}

/* Appends the next piece of the free lane that lags most; false: all are done. Called and returns with the
 * lock held. */
static bool append_one(struct odp_pool *p)
{
    size_t lane = p->lanes.n;
    for (size_t k = 0; k < p->lanes.n; k++)
        if (!p->appending[k] && p->appended[k] < p->consumed &&
            (lane == p->lanes.n || p->appended[k] < p->appended[lane]))
            lane = k;
    if (lane == p->lanes.n || p->failed)
        return false;
    p->appending[lane] = true;
    p->busy++;
    pthread_mutex_unlock(&p->lock);
    enum odp_status status = p->lanes.append(p->ctx, p->appended[lane] % p->ring, lane);
    pthread_mutex_lock(&p->lock);
    p->busy--;
    p->appending[lane] = false;
    p->appended[lane]++;
    if (status == ODP_FAIL)
        p->failed = true;
    return true;
}

/* Takes the next piece and works on it; called and returns with the lock held. */
static void work_one(struct odp_pool *p, unsigned worker)
{
    size_t slot = p->ordered ? p->next % p->ring : p->next;
    p->next++;
    p->busy++;
    pthread_mutex_unlock(&p->lock);
    enum odp_status status = p->work(p->ctx, slot, worker);
    pthread_mutex_lock(&p->lock);
    p->busy--;
    if (status == ODP_FAIL)
        p->failed = true;
    if (p->ordered)
        p->done[slot] = true;
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct odp_pool *p = w->pool;
    char room[ODP_THREAD_ROOM];
    odp_thread_room(room);
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        if (append_one(p)) {
            pthread_cond_signal(&p->changed);
        } else if (p->next < p->limit && !p->failed) {
            work_one(p, w->index);
            pthread_cond_signal(&p->changed);
        } else {
            pthread_cond_wait(&p->ready, &p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Where the system gives no more threads the work is done by those there are: the result is the same on any
 * number. */
static void start_workers(struct odp_pool *p)
{
    bool more = true;
    while (more && p->started < p->jobs - 1) {
        struct worker *w = &p->workers[p->started];
        w->pool = p;
        w->index = p->started + 1;
        more = odp_thread_start(&w->thread, worker_main, w);
        p->started += more;
    }
    p->jobs = p->started + 1;
}

enum odp_status odp_pool_new(struct odp_pool **out, unsigned jobs)
{
    *out = NULL;
    struct odp_pool *p = calloc(1, sizeof *p);
    if (p == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    p->jobs = jobs > 0 ? jobs : 1;
    pthread_mutex_init(&p->lock, NULL); /* these cannot fail with default attributes */
    pthread_cond_init(&p->ready, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->workers = calloc(p->jobs, sizeof *p->workers);
    if (p->workers == NULL)
        goto fail;
    start_workers(p);
    p->slots = p->jobs == 1 ? 1 : 2 * (size_t)p->jobs + 2;
    p->done = calloc(p->slots, sizeof *p->done); /* no worker looks at it before a run begins */
    if (p->done == NULL)
        goto fail;
    *out = p;
    return ODP_OK;
fail:
    odp_pool_free(p);
    return odp_failure_set("allocate memory", NULL, ENOMEM);
}

void odp_pool_free(struct odp_pool *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->ready);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_cond_destroy(&p->ready);
    pthread_mutex_destroy(&p->lock);
    free(p->done);
    free(p->workers);
    free(p);
}

unsigned odp_pool_jobs(const struct odp_pool *p)
{
    return p->jobs;
}

size_t odp_pool_slots(const struct odp_pool *p)
{
    return p->slots;
}

static void begin(struct odp_pool *p, void *ctx, enum odp_status (*work)(void *, size_t, unsigned),
                  bool ordered, size_t limit)
{
    p->ctx = ctx;
    p->work = work;
    p->ordered = ordered;
    p->failed = false;
    p->consumed = p->next = p->busy = 0;
    p->limit = limit;
    p->lanes.n = 0;
}

/* Waits until no worker touches the run any more, and closes it; the lock is held. */
static enum odp_status finish(struct odp_pool *p)
{
    p->limit = p->next; /* after a failure: what was not begun never is */
    while (p->busy > 0)
        pthread_cond_wait(&p->changed, &p->lock);
    p->lanes.n = 0;
    return p->failed ? ODP_FAIL : ODP_OK;
}

static enum odp_status run_inline(const struct odp_ordered *run, const struct odp_lanes *lanes)
{
    for (;;) {
        enum odp_status status = run->produce(run->ctx, 0);
        if (status == ODP_DONE)
            return ODP_OK;
        if (status == ODP_FAIL || run->work(run->ctx, 0, 0) == ODP_FAIL ||
            run->consume(run->ctx, 0) == ODP_FAIL)
            return ODP_FAIL;
        for (size_t k = 0; k < lanes->n; k++)
            if (lanes->append(run->ctx, 0, k) == ODP_FAIL)
                return ODP_FAIL;
    }
}

/* Without lanes a slot is free once it is consumed: one for each thread and one that is ready will do. More
 * would only take the caches away (check of 1,000,000 rows on 2 threads: 0.31 s of CPU, not 0.33). */
static void begin_lanes(struct odp_pool *p, const struct odp_lanes *lanes)
{
    p->ring = lanes->n > 0 ? p->slots : (size_t)p->jobs + 1;
    p->lanes = *lanes;
    for (size_t k = 0; k < lanes->n; k++) {
        p->appended[k] = 0;
        p->appending[k] = false;
    }
}

enum odp_status odp_pool_ordered_lanes(struct odp_pool *p, const struct odp_ordered *run,
                                       const struct odp_lanes *lanes)
{
    if (p->jobs == 1)
        return run_inline(run, lanes);
    bool ended = false;
    pthread_mutex_lock(&p->lock);
    begin(p, run->ctx, run->work, true, 0);
    begin_lanes(p, lanes);
    while (!p->failed && !(ended && floor_of(p) == p->limit)) {
        size_t head = p->consumed % p->ring;
        enum odp_status status = ODP_OK;
        if (p->consumed < p->next && p->done[head]) {
            p->done[head] = false;
            pthread_mutex_unlock(&p->lock);
            status = run->consume(run->ctx, head);
            pthread_mutex_lock(&p->lock);
            p->consumed++;
            if (p->lanes.n > 0)
                pthread_cond_broadcast(&p->ready);
        } else if (!ended && p->limit - floor_of(p) < p->ring) {
            size_t slot = p->limit % p->ring;
            pthread_mutex_unlock(&p->lock);
            status = run->produce(run->ctx, slot);
            pthread_mutex_lock(&p->lock);
            if (status == ODP_DONE)
                ended = true;
            else if (status != ODP_FAIL)
                p->limit++;
            pthread_cond_signal(&p->ready);
        } else if (append_one(p)) {
            continue;
        } else if (p->next < p->limit) {
            work_one(p, 0);
        } else {
            pthread_cond_wait(&p->changed, &p->lock);
        }
        if (status == ODP_FAIL)
            p->failed = true;
    }
    enum odp_status status = finish(p);
    for (size_t i = 0; i < p->ring; i++)
        p->done[i] = false;
    pthread_mutex_unlock(&p->lock);
    return status;
}

enum odp_status odp_pool_ordered(struct odp_pool *p, const struct odp_ordered *run)
{
    const struct odp_lanes none = {0, NULL};
    return odp_pool_ordered_lanes(p, run, &none);
}

enum odp_status odp_pool_each(struct odp_pool *p, size_t n, void *ctx,
                              enum odp_status (*work)(void *ctx, size_t i, unsigned worker))
{
    if (p->jobs == 1) {
        for (size_t i = 0; i < n; i++)
            if (work(ctx, i, 0) == ODP_FAIL)
                return ODP_FAIL;
        return ODP_OK;
    }
    pthread_mutex_lock(&p->lock);
    begin(p, ctx, work, false, n);
    pthread_cond_broadcast(&p->ready);
    while (p->next < p->limit && !p->failed)
        work_one(p, 0);
    enum odp_status status = finish(p);
    pthread_mutex_unlock(&p->lock);
    return status;
}
