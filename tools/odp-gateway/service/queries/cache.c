#include "service/queries/cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "service/state/clock.h"

enum { BUCKETS = 4096, LARGEST_SHARE = 8, OVERHEAD = 512 };

struct place { /* of one kept answer */
    uint8_t key[ODP_SHA256_SIZE];
    struct odp_cached *kept;
    size_t size;
    struct place *chain;         /* of its bucket */
    struct place *newer, *older; /* by use */
};

/* An answer being made. Lives until its maker is done and nobody waits. */
struct flight {
    uint8_t key[ODP_SHA256_SIZE];
    struct odp_cached *kept;
    bool landed;
    unsigned waiting;
    pthread_cond_t cond;
    struct flight *next;
};

struct odp_cache {
    pthread_mutex_t mutex;
    size_t most, bytes, answers;
    unsigned most_waiting, waiting;
    uint64_t hits, misses, shared;
    struct place *bucket[BUCKETS], *newest, *oldest;
    struct flight *flights; /* no more than there are threads */
};

/* ---- answers ---- */

struct odp_cached *odp_cached_new(void)
{
    struct odp_cached *k = calloc(1, sizeof *k);
    if (k == NULL) {
        (void)odp_failure_set("answer", NULL, ENOMEM);
        return NULL;
    }
    k->problem = -1;
    k->refs = 1;
    return k;
}

static void cached_free(struct odp_cached *k)
{
    if (k == NULL)
        return;
    odp_buffer_release(&k->body);
    free(k->link);
    free(k->parameter);
    free(k->pointer);
    for (int i = 0; i < ODP_LANGS; i++)
        free(k->detail[i]);
    free(k);
}

/* The mutex is held. */
static void drop(struct odp_cached *k)
{
    if (--k->refs == 0)
        cached_free(k);
}

void odp_cache_drop(struct odp_cache *c, struct odp_cached *k)
{
    if (k == NULL)
        return;
    pthread_mutex_lock(&c->mutex);
    drop(k);
    pthread_mutex_unlock(&c->mutex);
}

/* ---- places ---- */

static struct place **bucket_of(struct odp_cache *c, const uint8_t *key)
{
    return &c->bucket[(size_t)(key[0] | key[1] << 8) % BUCKETS];
}

static struct place *find(struct odp_cache *c, const uint8_t *key)
{
    struct place *p = *bucket_of(c, key);
    while (p != NULL && memcmp(p->key, key, ODP_SHA256_SIZE) != 0)
        p = p->chain;
    return p;
}

static void take_out(struct odp_cache *c, struct place *p)
{
    *(p->newer != NULL ? &p->newer->older : &c->newest) = p->older;
    *(p->older != NULL ? &p->older->newer : &c->oldest) = p->newer;
}

static void put_first(struct odp_cache *c, struct place *p)
{
    p->newer = NULL;
    p->older = c->newest;
    *(c->newest != NULL ? &c->newest->newer : &c->oldest) = p;
    c->newest = p;
}

static void remove_place(struct odp_cache *c, struct place *p)
{
    struct place **at = bucket_of(c, p->key);
    while (*at != p)
        at = &(*at)->chain;
    *at = p->chain;
    take_out(c, p);
    c->bytes -= p->size;
    c->answers--;
    drop(p->kept);
    free(p);
}

static void keep(struct odp_cache *c, const uint8_t *key, struct odp_cached *k)
{
    size_t size = k->body.cap + OVERHEAD + (k->link != NULL ? strlen(k->link) : 0);
    if (size > c->most / LARGEST_SHARE || find(c, key) != NULL)
        return;
    struct place *p = calloc(1, sizeof *p);
    if (p == NULL)
        return; /* it is made anew next time */
    memcpy(p->key, key, ODP_SHA256_SIZE);
    p->kept = k;
    p->size = size;
    k->refs++;
    struct place **at = bucket_of(c, key);
    p->chain = *at;
    *at = p;
    put_first(c, p);
    c->bytes += size;
    c->answers++;
    while (c->bytes > c->most)
        remove_place(c, c->oldest);
}

static struct odp_cached *get(struct odp_cache *c, const uint8_t *key)
{
    struct place *p = find(c, key);
    if (p == NULL)
        return NULL;
    take_out(c, p);
    put_first(c, p);
    p->kept->refs++;
    c->hits++;
    return p->kept;
}

struct odp_cached *odp_cache_get(struct odp_cache *c, const uint8_t key[ODP_SHA256_SIZE])
{
    pthread_mutex_lock(&c->mutex);
    struct odp_cached *k = get(c, key);
    pthread_mutex_unlock(&c->mutex);
    return k;
}

void odp_cache_forget(struct odp_cache *c, const char *index)
{
    pthread_mutex_lock(&c->mutex);
    for (struct place *p = c->newest, *older; p != NULL; p = older) {
        older = p->older;
        if (strcmp(p->kept->index, index) == 0)
            remove_place(c, p);
    }
    pthread_mutex_unlock(&c->mutex);
}

/* ---- answers being made ---- */

static struct flight **find_flight(struct odp_cache *c, const uint8_t *key)
{
    struct flight **at = &c->flights;
    while (*at != NULL && memcmp((*at)->key, key, ODP_SHA256_SIZE) != 0)
        at = &(*at)->next;
    return at;
}

static void free_flight(struct flight *f)
{
    if (f->kept != NULL)
        drop(f->kept);
    pthread_cond_destroy(&f->cond);
    free(f);
}

static enum odp_status lead(struct odp_cache *c, const uint8_t *key)
{
    struct flight *f = calloc(1, sizeof *f);
    if (f == NULL)
        return odp_failure_set("flight", NULL, ENOMEM);
    int e = odp_clock_condition(&f->cond);
    if (e != 0) {
        free(f);
        return odp_failure_set("cond", NULL, e);
    }
    memcpy(f->key, key, ODP_SHA256_SIZE);
    f->next = c->flights;
    c->flights = f;
    c->misses++;
    return ODP_DONE;
}

static enum odp_status wait_for(struct odp_cache *c, struct flight *f, uint32_t wait_ms,
                                struct odp_cached **out)
{
    struct timespec until = odp_clock_after(wait_ms);
    if (c->waiting >= c->most_waiting)
        return ODP_BAD;
    c->waiting++;
    f->waiting++;
    for (int e = 0; !f->landed && e == 0;)
        e = pthread_cond_timedwait(&f->cond, &c->mutex, &until);
    c->waiting--;
    f->waiting--;
    if (f->landed && f->kept != NULL) {
        *out = f->kept;
        (*out)->refs++;
        c->shared++;
    }
    if (f->landed && f->waiting == 0)
        free_flight(f);
    return *out != NULL ? ODP_OK : ODP_BAD;
}

enum odp_status odp_cache_begin(struct odp_cache *c, const uint8_t key[ODP_SHA256_SIZE], uint32_t wait_ms,
                                struct odp_cached **out)
{
    pthread_mutex_lock(&c->mutex);
    *out = get(c, key);
    enum odp_status st = ODP_OK;
    if (*out == NULL) {
        struct flight *f = *find_flight(c, key);
        st = f != NULL ? wait_for(c, f, wait_ms, out) : lead(c, key);
    }
    pthread_mutex_unlock(&c->mutex);
    return st;
}

void odp_cache_end(struct odp_cache *c, const uint8_t key[ODP_SHA256_SIZE], struct odp_cached *k,
                   bool keep_it)
{
    pthread_mutex_lock(&c->mutex);
    struct flight **at = find_flight(c, key), *f = *at;
    if (f != NULL) {
        *at = f->next;
        f->landed = true;
        f->kept = k;
        if (k != NULL)
            k->refs++;
        if (f->waiting == 0)
            free_flight(f);
        else
            pthread_cond_broadcast(&f->cond);
    }
    if (k != NULL && keep_it)
        keep(c, key, k);
    pthread_mutex_unlock(&c->mutex);
}

/* ---- the cache ---- */

enum odp_status odp_cache_new(struct odp_cache **out, size_t bytes, unsigned waiting)
{
    *out = NULL;
    struct odp_cache *c = calloc(1, sizeof *c);
    if (c == NULL)
        return odp_failure_set("cache", NULL, ENOMEM);
    (void)pthread_mutex_init(&c->mutex, NULL); /* cannot fail with the default attributes */
    c->most = bytes;
    c->most_waiting = waiting;
    *out = c;
    return ODP_OK;
}

void odp_cache_free(struct odp_cache *c)
{
    if (c == NULL)
        return;
    while (c->oldest != NULL)
        remove_place(c, c->oldest);
    pthread_mutex_destroy(&c->mutex);
    free(c);
}

void odp_cache_counts(struct odp_cache *c, struct odp_cache_counts *out)
{
    pthread_mutex_lock(&c->mutex);
    *out = (struct odp_cache_counts){c->hits, c->misses, c->shared, c->bytes, c->answers, c->waiting};
    pthread_mutex_unlock(&c->mutex);
}
