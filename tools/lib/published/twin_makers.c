#include "published/twin_makers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread.h"

/* Pairs in the order in which they were asked for. */
struct queue {
    struct odp_twin_pair **items;
    size_t n, next;
};

struct odp_makers {
    const char *dir;
    pthread_mutex_t lock; /* guards everything below, and the states of pairs */
    pthread_cond_t work;  /* to the threads: there is something in a queue, or quit */
    pthread_cond_t idle;  /* to who waits: something has ended */
    atomic_bool quit;
    bool failed;
    unsigned busy; /* twins being made */
    struct queue large,
        others; /* large ones go first: they take longest, and the threads should end together */
    struct odp_twin_pair **pairs; /* by path, the first `nsorted` of them */
    size_t n, nsorted;
    uint64_t asked, done; /* bytes */
    struct odp_arena arena;
    struct odp_press *own; /* the calling thread's */
    pthread_t *threads;
    unsigned nthreads;
};

/* ---- one file ---- */

/* One twin of the file FROM. Without the lock: what it is about is BEGUN, so nobody else touches it. */
static enum odp_status make(struct odp_makers *m, struct odp_press *press, struct odp_twin_pair *pair,
                            enum odp_encoding e, const char *from, struct odp_arena *a)
{
    struct odp_file *to = NULL;
    enum odp_status status =
        odp_file_create(&to, odp_arena_printf(a, "%s%s", from, odp_encoding_suffixes[e]), 0444);
    if (status == ODP_OK)
        status = odp_press_file(press, from, pair->size, e, to, &m->quit);
    pair->made[e] = status == ODP_OK && odp_file_size(to) < pair->size;
    if (pair->made[e])
        status = odp_file_close(to, &pair->info[e]);
    else
        odp_file_discard(to);
    pair->made[e] = pair->made[e] && status == ODP_OK;
    return status;
}

/* ---- the queue; all of this with the lock held ---- */

static void push(struct odp_makers *m, struct queue *q, struct odp_twin_pair *pair)
{
    q->items = odp_arena_more(&m->arena, q->items, q->n, sizeof *q->items);
    q->items[q->n++] = pair;
}

static struct odp_twin_pair *pop(struct queue *q)
{
    return q->next < q->n ? q->items[q->next++] : NULL;
}

/* Takes the next file and makes what is asked for of it: of a large one a single twin, so that another thread
 * can make the other. False: there is none. */
static bool work_one(struct odp_makers *m, struct odp_press *press)
{
    struct odp_twin_pair *pair = pop(&m->large);
    if (pair == NULL && (pair = pop(&m->others)) == NULL)
        return false;
    struct odp_arena arena;
    odp_arena_init(&arena);
    const char *from = odp_path_join(
        &arena, m->dir, pair->path); /* one for both twins: what was read for the first is known by it */
    m->busy++;
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS; e++) {
        if (pair->state[e] != ODP_TWIN_ASKED || m->failed)
            continue;
        pair->state[e] = ODP_TWIN_BEGUN;
        pthread_mutex_unlock(&m->lock);
        enum odp_status status = make(m, press, pair, e, from, &arena);
        pthread_mutex_lock(&m->lock);
        pair->state[e] = ODP_TWIN_DONE;
        m->failed = m->failed || status != ODP_OK;
        m->done += pair->size;
        if (pair->size > ODP_PRESS_WHOLE)
            break;
    }
    odp_press_forget(press);
    odp_arena_release(&arena);
    m->busy--;
    pthread_cond_broadcast(&m->idle);
    return true;
}

static void *maker_main(void *arg)
{
    struct odp_makers *m = arg;
    char room[ODP_THREAD_ROOM];
    odp_thread_room(room);
    struct odp_press *press = NULL;
    enum odp_status status = odp_press_new(&press);
    pthread_mutex_lock(&m->lock);
    m->failed = m->failed || status != ODP_OK;
    while (!m->quit && press != NULL)
        if (!work_one(m, press))
            pthread_cond_wait(&m->work, &m->lock);
    pthread_mutex_unlock(&m->lock);
    odp_press_free(press);
    return NULL;
}

/* ---- pairs by path ---- */

static int by_path(const void *a, const void *b)
{
    const struct odp_twin_pair *const *x = a, *const *y = b;
    return strcmp((*x)->path, (*y)->path);
}

/* Pairs are looked for and added by turns (without threads to ask ahead all are): a few new ones are put in
 * their places, and only many are worth sorting all. */
static void sort_pairs(struct odp_makers *m)
{
    enum { FEW = 16 };
    if (m->n - m->nsorted > FEW) {
        qsort(m->pairs, m->n, sizeof *m->pairs, by_path);
        m->nsorted = m->n;
    }
    for (; m->nsorted < m->n; m->nsorted++) {
        struct odp_twin_pair *pair = m->pairs[m->nsorted];
        size_t from = 0, to = m->nsorted;
        while (from < to) {
            size_t middle = from + (to - from) / 2;
            if (strcmp(m->pairs[middle]->path, pair->path) <= 0)
                from = middle + 1;
            else
                to = middle;
        }
        memmove(m->pairs + from + 1, m->pairs + from, (m->nsorted - from) * sizeof pair);
        m->pairs[from] = pair;
    }
}

static struct odp_twin_pair **find(struct odp_makers *m, const char *path)
{
    const struct odp_twin_pair key = {.path = path}, *at = &key;
    sort_pairs(m);
    return m->n > 0 ? bsearch(&at, m->pairs, m->n, sizeof *m->pairs, by_path) : NULL;
}

static struct odp_twin_pair *add(struct odp_makers *m, const char *path, uint64_t size)
{
    m->pairs = odp_arena_more(&m->arena, m->pairs, m->n, sizeof *m->pairs);
    struct odp_twin_pair *pair = odp_arena_zero(&m->arena, 1, sizeof *pair);
    pair->path = odp_arena_str(&m->arena, path);
    pair->size = size;
    return m->pairs[m->n++] = pair;
}

/* ---- public ---- */

static void start_threads(struct odp_makers *m, unsigned threads)
{
    while (m->nthreads < threads && odp_thread_start(&m->threads[m->nthreads], maker_main, m))
        m->nthreads++;
}

enum odp_status odp_makers_new(struct odp_makers **out, const char *dir, unsigned threads)
{
    *out = NULL;
    struct odp_makers *m = calloc(1, sizeof *m);
    if (m == NULL)
        return odp_failure_set("compress", dir, ENOMEM);
    m->dir = dir;
    atomic_init(&m->quit, false);
    odp_arena_init(&m->arena);
    pthread_mutex_init(&m->lock, NULL); /* these cannot fail with default attributes */
    pthread_cond_init(&m->work, NULL);
    pthread_cond_init(&m->idle, NULL);
    m->threads = calloc(threads + 1, sizeof *m->threads);
    if (m->threads == NULL || odp_press_new(&m->own) != ODP_OK) {
        odp_makers_free(m);
        return odp_failure_set("compress", dir, ENOMEM);
    }
    start_threads(m, threads);
    *out = m;
    return ODP_OK;
}

void odp_makers_free(struct odp_makers *m)
{
    if (m == NULL)
        return;
    pthread_mutex_lock(&m->lock);
    m->quit = true;
    pthread_cond_broadcast(&m->work);
    pthread_mutex_unlock(&m->lock);
    for (unsigned i = 0; i < m->nthreads; i++)
        pthread_join(m->threads[i], NULL);
    pthread_cond_destroy(&m->work);
    pthread_cond_destroy(&m->idle);
    pthread_mutex_destroy(&m->lock);
    odp_press_free(m->own);
    odp_arena_release(&m->arena);
    free(m->threads);
    free(m);
}

bool odp_makers_have_threads(const struct odp_makers *m)
{
    return m->nthreads > 0;
}

void odp_makers_ask(struct odp_makers *m, const char *path, uint64_t size, enum odp_encoding e)
{
    bool large = size > ODP_PRESS_WHOLE, queued = false;
    pthread_mutex_lock(&m->lock);
    /* Who asks for all has a new file: looking for it would sort all that there are for each. */
    struct odp_twin_pair **found = e < ODP_ENCODINGS ? find(m, path) : NULL;
    struct odp_twin_pair *pair = found != NULL ? *found : add(m, path, size);
    for (enum odp_encoding k = 0; k < ODP_ENCODINGS; k++) {
        bool waits = pair->state[k] == ODP_TWIN_ASKED; /* a small file's other twin: one turn does for both */
        queued = queued || (waits && !large);
        if ((e < ODP_ENCODINGS && k != e) || pair->state[k] != ODP_TWIN_NOT_ASKED)
            continue;
        if (!queued)
            push(m, large ? &m->large : &m->others, pair);
        queued = !large;
        pair->state[k] = ODP_TWIN_ASKED;
        m->asked += size;
    }
    pthread_cond_signal(&m->work);
    pthread_mutex_unlock(&m->lock);
}

bool odp_makers_asked(struct odp_makers *m, const char *path, enum odp_encoding e)
{
    pthread_mutex_lock(&m->lock);
    struct odp_twin_pair **found = find(m, path);
    bool asked = found != NULL && (*found)->state[e] != ODP_TWIN_NOT_ASKED;
    pthread_mutex_unlock(&m->lock);
    return asked;
}

struct odp_twin_pair *odp_makers_find(struct odp_makers *m, const char *path)
{
    pthread_mutex_lock(&m->lock);
    struct odp_twin_pair **found = find(m, path);
    pthread_mutex_unlock(&m->lock);
    return found != NULL ? *found : NULL;
}

enum odp_status odp_makers_finish(struct odp_makers *m, const struct odp_progress *progress)
{
    pthread_mutex_lock(&m->lock);
    pthread_cond_broadcast(&m->work);
    for (;;) {
        uint64_t done = m->done, asked = m->asked;
        pthread_mutex_unlock(&m->lock);
        odp_progress_update(progress, ODP_PHASE_PUBLISH, "", done, asked, 0);
        pthread_mutex_lock(&m->lock);
        if (work_one(m, m->own))
            continue;
        if (m->busy == 0)
            break;
        pthread_cond_wait(&m->idle, &m->lock);
    }
    bool failed = m->failed;
    pthread_mutex_unlock(&m->lock);
    return failed ? ODP_FAIL : ODP_OK;
}

void odp_makers_pause(struct odp_makers *m)
{
    pthread_mutex_lock(&m->lock);
    m->large.next = m->large.n;
    m->others.next = m->others.n;
    for (size_t i = 0; i < m->n; i++)
        for (enum odp_encoding e = 0; e < ODP_ENCODINGS; e++)
            if (m->pairs[i]->state[e] == ODP_TWIN_ASKED) {
                m->pairs[i]->state[e] = ODP_TWIN_NOT_ASKED;
                m->asked -= m->pairs[i]->size;
            }
    while (m->busy > 0)
        pthread_cond_wait(&m->idle, &m->lock);
    pthread_mutex_unlock(&m->lock);
}

void odp_makers_forget(struct odp_makers *m, const char *path)
{
    pthread_mutex_lock(&m->lock);
    struct odp_twin_pair **at = find(m, path);
    const struct odp_twin_pair *pair = at != NULL ? *at : NULL;
    if (at != NULL) {
        size_t i = (size_t)(at - m->pairs);
        memmove(at, at + 1, (m->n - i - 1) * sizeof *at);
        m->n = --m->nsorted;
    }
    pthread_mutex_unlock(&m->lock);
    for (enum odp_encoding e = 0; pair != NULL && e < ODP_ENCODINGS; e++) {
        struct odp_arena arena;
        odp_arena_init(&arena);
        const char *twin = odp_arena_printf(&arena, "%s/%s%s", m->dir, pair->path, odp_encoding_suffixes[e]);
        if (pair->made[e] && !pair->entered[e])
            (void)unlink(twin);
        odp_arena_release(&arena);
    }
}
