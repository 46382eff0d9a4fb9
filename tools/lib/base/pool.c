/* A run is a window of sequence numbers: `floor` <= `consumed` <= `limit`, all under one mutex.
 *
 *   floor .. consumed-1   consumed, and not yet appended by every lane (without lanes: none)
 *   consumed .. limit-1   in work, or done and waiting for their turn; at most `slots` behind `floor`
 *
 * The thread that produced a piece works on it, too, in a slot that it had before, if one is free: what it
 * has read is in its own cache. (Where one thread produced for all, and a slot went to whoever came, `check`
 * of 1,000,000 rows took 10 to 30 % more CPU on 2 threads than on one.) There are two slots a thread: the one
 * it works on, and one that waits for its turn. (Two more cost 4 % of CPU: memory that is new to the process
 * and to the cache.) In odp_pool_each the limit is n from
 * the start, and `next` the first number that nobody has begun.
 *
 * The calling thread is worker 0: it consumes first. Then all append, because a lane that lags holds the
 * slots of all, else produce and work, else wait. */
#include "base/pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/thread.h"

struct worker {
    struct odp_pool *pool;
    pthread_t thread;
    unsigned index;
};

struct slot {
    size_t after;  /* the number of its last piece plus one */
    unsigned user; /* the thread that worked on it */
    bool done;     /* it has */
};

struct odp_pool {
    unsigned jobs, started;
    size_t slots;
    struct worker *workers; /* jobs - 1 of them */
    struct slot *slot;      /* ordered runs */
    pthread_mutex_t lock;
    pthread_cond_t ready;   /* to workers: there is work, or quit */
    pthread_cond_t changed; /* to the calling thread: some work ended */
    bool quit;
    /* the run */
    struct odp_ordered run; /* of odp_pool_each: ctx and work */
    bool producing, ended;  /* somebody is at it; there is no more */
    bool failed;
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

/* There may be something to do for a thread that waits. */
static void wake(struct odp_pool *p)
{
    pthread_cond_signal(&p->ready);
    pthread_cond_signal(&p->changed);
}

/* The slot of a piece between floor and limit. */
static size_t slot_of(const struct odp_pool *p, size_t number)
{
    size_t slot = 0;
    while (p->slot[slot].after != number + 1)
        slot++;
    return slot;
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
    size_t slot = slot_of(p, p->appended[lane]);
    p->appending[lane] = true;
    p->busy++;
    pthread_mutex_unlock(&p->lock);
    enum odp_status status = p->lanes.append(p->run.ctx, slot, lane);
    pthread_mutex_lock(&p->lock);
    p->busy--;
    p->appending[lane] = false;
    p->appended[lane]++;
    if (status == ODP_FAIL)
        p->failed = true;
    return true;
}

/* A slot that is free: one that WORKER had before, if there is one. */
static size_t choose_slot(const struct odp_pool *p, unsigned worker)
{
    size_t slot = p->slots, floor = floor_of(p);
    for (size_t i = 0; i < p->slots && (slot == p->slots || p->slot[slot].user != worker); i++)
        if (p->slot[i].after <= floor)
            slot = i;
    return slot;
}

/* Produces the next piece and works on it. */
static void produce_one(struct odp_pool *p, unsigned worker)
{
    size_t slot = choose_slot(p, worker);
    p->producing = true;
    pthread_mutex_unlock(&p->lock);
    enum odp_status status = p->run.produce(p->run.ctx, slot);
    pthread_mutex_lock(&p->lock);
    p->producing = false;
    p->ended = p->ended || status == ODP_DONE;
    p->failed = p->failed || status == ODP_FAIL;
    if (p->ended || p->failed)
        return;
    p->slot[slot] = (struct slot){.after = ++p->limit, .user = worker};
    wake(p); /* another thread may produce now */
    pthread_mutex_unlock(&p->lock);
    status = p->run.work(p->run.ctx, slot, worker);
    pthread_mutex_lock(&p->lock);
    p->failed = p->failed || status == ODP_FAIL;
    p->slot[slot].done = true;
}

/* Takes the next number of odp_pool_each. */
static void work_one(struct odp_pool *p, unsigned worker)
{
    size_t i = p->next++;
    pthread_mutex_unlock(&p->lock);
    enum odp_status status = p->run.work(p->run.ctx, i, worker);
    pthread_mutex_lock(&p->lock);
    p->failed = p->failed || status == ODP_FAIL;
}

/* Does what there is to do, but for consuming; false: nothing. Called and returns with the lock held. */
static bool step(struct odp_pool *p, unsigned worker)
{
    const bool ordered = p->run.produce != NULL;
    if (append_one(p)) {
        wake(p);
        return true;
    }
    if (p->failed ||
        (ordered ? p->producing || p->ended || p->limit - floor_of(p) == p->slots : p->next == p->limit))
        return false;
    p->busy++;
    (ordered ? produce_one : work_one)(p, worker);
    p->busy--;
    wake(p);
    return true;
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct odp_pool *p = w->pool;
    char room[ODP_THREAD_ROOM];
    odp_thread_room(room);
    pthread_mutex_lock(&p->lock);
    while (!p->quit)
        if (!step(p, w->index))
            pthread_cond_wait(&p->ready, &p->lock);
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
        return odp_failure_memory();
    p->jobs = jobs > 0 ? jobs : 1;
    pthread_mutex_init(&p->lock, NULL); /* these cannot fail with default attributes */
    pthread_cond_init(&p->ready, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->workers = calloc(p->jobs, sizeof *p->workers);
    if (p->workers == NULL)
        goto fail;
    start_workers(p);
    p->slots = p->jobs == 1 ? 1 : 2 * (size_t)p->jobs;
    p->slot = calloc(p->slots, sizeof *p->slot); /* no worker looks at it before a run begins */
    if (p->slot == NULL)
        goto fail;
    *out = p;
    return ODP_OK;
fail:
    odp_pool_free(p);
    return odp_failure_memory();
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
    free(p->slot);
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

static void begin(struct odp_pool *p, const struct odp_ordered *run, size_t limit)
{
    p->run = *run;
    p->failed = p->ended = false;
    p->consumed = p->next = 0;
    p->limit = limit;
}

/* Waits until no worker touches the run any more, and closes it; the lock is held. */
static enum odp_status finish(struct odp_pool *p)
{
    p->next = p->limit; /* after a failure: what was not begun never is */
    p->ended = true;
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

static void begin_lanes(struct odp_pool *p, const struct odp_lanes *lanes)
{
    p->lanes = *lanes;
    for (size_t k = 0; k < lanes->n; k++) {
        p->appended[k] = 0;
        p->appending[k] = false;
    }
    for (size_t i = 0; i < p->slots; i++)
        p->slot[i].after = 0;
}

enum odp_status odp_pool_ordered_lanes(struct odp_pool *p, const struct odp_ordered *run,
                                       const struct odp_lanes *lanes)
{
    if (p->jobs == 1)
        return run_inline(run, lanes);
    pthread_mutex_lock(&p->lock);
    begin(p, run, 0);
    begin_lanes(p, lanes);
    while (!p->failed && !(p->ended && !p->producing && floor_of(p) == p->limit)) {
        size_t head = p->consumed < p->limit ? slot_of(p, p->consumed) : p->slots;
        if (head < p->slots && p->slot[head].done) {
            pthread_mutex_unlock(&p->lock);
            enum odp_status status = run->consume(run->ctx, head);
            pthread_mutex_lock(&p->lock);
            p->failed = p->failed || status == ODP_FAIL;
            p->consumed++;
            pthread_cond_broadcast(&p->ready);
        } else if (!step(p, 0)) {
            pthread_cond_wait(&p->changed, &p->lock);
        }
    }
    enum odp_status status = finish(p);
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
    begin(p, &(struct odp_ordered){.ctx = ctx, .work = work}, n);
    pthread_cond_broadcast(&p->ready);
    while (step(p, 0))
        continue;
    enum odp_status status = finish(p);
    pthread_mutex_unlock(&p->lock);
    return status;
}
