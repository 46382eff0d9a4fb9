/* See resolve.h. One lock over the table and the queue; it is never held while a name is asked for. */
#include "service/webhooks/deliver/resolve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, BUCKETS = 512, HOSTS_MAX = 2048 };
static const int64_t slow_ms = 1000, farewell_ms = 1000;

enum phase { KNOWN, QUEUED, ASKED };

struct entry {
    struct entry *chain;         /* of the bucket */
    struct entry *older, *newer; /* of all; by when they were asked for last */
    struct entry *after;         /* in the queue */
    uint64_t hash;
    int64_t until;  /* KNOWN: good until then; 0: there is no answer */
    int64_t wanted; /* somebody waits until then */
    enum phase phase;
    bool slow;
    bool strange; /* only strangers have asked for it, and it was not answered yet */
    struct odp_resolve_answer answer;
    char host[];
};

struct odp_resolve {
    struct odp_address_policy policy;
    struct odp_resolver resolver;
    int64_t keep_ms;
    int wake; /* -1: nobody listens any longer */
    pthread_mutex_t lock;
    pthread_cond_t more, ended;
    struct entry *buckets[BUCKETS];
    struct entry *oldest, *newest, *first, *last;
    size_t count, queued;
    unsigned threads, idle, slow_asked;
    bool stop, orphan;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- what an answer says ---- */

static bool plain(union odp_resolve_address *out, const struct sockaddr_storage *found)
{
    memset(out, 0, sizeof *out);
    if (found->ss_family == AF_INET) {
        memcpy(&out->v4, found, sizeof out->v4);
        out->v4.sin_port = 0;
        return true;
    }
    if (found->ss_family == AF_INET6) {
        memcpy(&out->v6, found, sizeof out->v6);
        out->v6.sin6_port = 0;
        return out->v6.sin6_scope_id == 0;
    }
    return false;
}

void odp_resolve_judge(const struct odp_address_policy *policy, const struct sockaddr_storage *found, int count,
                       struct odp_resolve_answer *answer)
{
    bool taken[ODP_RESOLVE_MOST] = {false};
    size_t of[2] = {0, 0};
    *answer = (struct odp_resolve_answer){.state = count == 0 ? ODP_RESOLVE_NONE : ODP_RESOLVE_LATER};
    if (count <= 0 || count >= ODP_RESOLVE_MOST)
        return;
    for (int i = 0; i < count; i++) {
        union odp_resolve_address a;
        if (!plain(&a, &found[i]) || odp_address_refused(policy, &a.any) != NULL) {
            *answer = (struct odp_resolve_answer){.state = ODP_RESOLVE_FORBIDDEN};
            return;
        }
    }
    answer->state = ODP_RESOLVE_FOUND;
    /* Half of what is kept for each family, then whatever comes: eight addresses of IPv6 must not hide the only one of IPv4. */
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count && answer->n < ODP_RESOLVE_KEEP; i++) {
            size_t *family = &of[found[i].ss_family == AF_INET6];
            if (taken[i] || (round == 0 && *family >= ODP_RESOLVE_KEEP / 2))
                continue;
            (void)plain(&answer->addresses[answer->n], &found[i]);
            taken[i] = true;
            ++*family;
            answer->n++;
        }
    }
}

static bool is_address(const char *host, struct sockaddr_storage *out)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, host, &v4.sin_addr) == 1)
        memcpy(out, &v4, sizeof v4);
    else if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1)
        memcpy(out, &v6, sizeof v6);
    return out->ss_family != AF_UNSPEC;
}

/* Every family is asked for, also those this machine cannot reach: all are judged. */
static int by_system(void *ctx, const char *host, struct sockaddr_storage *out, size_t cap)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    size_t n = 0;
    (void)ctx;
    int rc = getaddrinfo(host, NULL, &hints, &list);
    if (rc == EAI_NONAME || rc == EAI_NODATA || rc == EAI_ADDRFAMILY)
        return 0;
    if (rc != 0)
        return -1;
    for (const struct addrinfo *a = list; a != NULL && n < cap; a = a->ai_next, n++) {
        memset(&out[n], 0, sizeof out[n]);
        if (a->ai_addr != NULL && a->ai_addrlen <= sizeof out[n])
            memcpy(&out[n], a->ai_addr, a->ai_addrlen);
    }
    freeaddrinfo(list);
    return (int)n;
}

/* ---- the table ---- */

static uint64_t hash_of(const char *host)
{
    uint64_t h = 14695981039346656037u;
    for (const unsigned char *p = (const unsigned char *)host; *p != '\0'; p++)
        h = (h ^ *p) * 1099511628211u;
    return h;
}

static struct entry *find(const struct odp_resolve *r, const char *host, uint64_t hash)
{
    struct entry *e = r->buckets[hash % BUCKETS];
    while (e != NULL && (e->hash != hash || strcmp(e->host, host) != 0))
        e = e->chain;
    return e;
}

static void age_remove(struct odp_resolve *r, struct entry *e)
{
    *(e->older != NULL ? &e->older->newer : &r->oldest) = e->newer;
    *(e->newer != NULL ? &e->newer->older : &r->newest) = e->older;
}

static void age_add(struct odp_resolve *r, struct entry *e)
{
    e->older = r->newest;
    e->newer = NULL;
    *(r->newest != NULL ? &r->newest->newer : &r->oldest) = e;
    r->newest = e;
}

static void forget(struct odp_resolve *r, struct entry *e)
{
    struct entry **at = &r->buckets[e->hash % BUCKETS];
    while (*at != e)
        at = &(*at)->chain;
    *at = e->chain;
    age_remove(r, e);
    r->count--;
    free(e);
}

/* A new entry; NULL: everything we have room for is being asked for, or there is no memory. */
static struct entry *add(struct odp_resolve *r, const char *host, uint64_t hash)
{
    size_t len = strlen(host) + 1;
    struct entry *victim = r->count >= HOSTS_MAX ? r->oldest : NULL;
    while (victim != NULL && victim->phase != KNOWN)
        victim = victim->newer;
    if (r->count >= HOSTS_MAX && victim == NULL)
        return NULL;
    struct entry *e = malloc(sizeof *e + len);
    if (e == NULL)
        return NULL;
    if (victim != NULL)
        forget(r, victim);
    *e = (struct entry){.hash = hash, .chain = r->buckets[hash % BUCKETS]};
    memcpy(e->host, host, len);
    r->buckets[hash % BUCKETS] = e;
    age_add(r, e);
    r->count++;
    return e;
}

/* ---- the threads ---- */

/* It may hold a thread for long. */
static bool may_be_slow(const struct entry *e)
{
    return e->slow || e->strange;
}

/* Off the queue: the first that may be asked for now; those that nobody waits for any longer go on the way. */
static struct entry *next(struct odp_resolve *r)
{
    int64_t now = now_ms();
    struct entry *before = NULL;
    for (struct entry *e = r->first, *after; e != NULL; e = after) {
        after = e->after;
        bool dropped = e->wanted < now;
        if (!dropped && may_be_slow(e) && r->slow_asked >= THREADS / 2) {
            before = e;
            continue;
        }
        *(before != NULL ? &before->after : &r->first) = after;
        if (r->last == e)
            r->last = before;
        r->queued--;
        if (!dropped) {
            e->phase = ASKED;
            r->slow_asked += may_be_slow(e);
            return e;
        }
        e->phase = KNOWN;
        e->until = 0;
    }
    return NULL;
}

static void ask(struct odp_resolve *r, struct entry *e)
{
    struct sockaddr_storage found[ODP_RESOLVE_MOST];
    struct odp_resolve_answer answer;
    bool slow = may_be_slow(e);
    int64_t began = now_ms();
    pthread_mutex_unlock(&r->lock);
    int n = r->resolver.resolve(r->resolver.ctx, e->host, found, ODP_RESOLVE_MOST);
    odp_resolve_judge(&r->policy, found, n, &answer);
    int64_t ended = now_ms();
    pthread_mutex_lock(&r->lock);
    r->slow_asked -= slow;
    e->slow = ended - began >= slow_ms;
    e->strange = false;
    e->answer = answer;
    e->until = ended + r->keep_ms;
    e->phase = KNOWN;
    if (r->wake >= 0)
        (void)eventfd_write(r->wake, 1);
    if (slow)
        pthread_cond_signal(&r->more); /* another slow one may go */
}

static void destroy(struct odp_resolve *r)
{
    while (r->oldest != NULL)
        forget(r, r->oldest);
    pthread_cond_destroy(&r->ended);
    pthread_cond_destroy(&r->more);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static void *work(void *ctx)
{
    struct odp_resolve *r = ctx;
    pthread_mutex_lock(&r->lock);
    while (!r->stop) {
        struct entry *e = next(r);
        if (e != NULL) {
            ask(r, e);
            continue;
        }
        r->idle++;
        pthread_cond_wait(&r->more, &r->lock);
        r->idle--;
    }
    bool last = --r->threads == 0;
    bool mine = last && r->orphan;
    if (last)
        pthread_cond_signal(&r->ended);
    pthread_mutex_unlock(&r->lock);
    if (mine)
        destroy(r);
    return NULL;
}

/* Signals are main's. */
static bool start_thread(struct odp_resolve *r)
{
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started =
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0 && pthread_create(&thread, &attr, work, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    r->threads += started;
    return started;
}

/* ---- what the sender calls ---- */

enum odp_status odp_resolve_new(struct odp_resolve **out, const struct odp_address_policy *policy,
                                const struct odp_resolver *resolver, int64_t keep_ms, int wake)
{
    pthread_condattr_t monotonic;
    struct odp_resolve *r = calloc(1, sizeof *r);
    *out = NULL;
    if (r == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    r->policy = *policy;
    r->resolver = resolver != NULL ? *resolver : (struct odp_resolver){.resolve = by_system};
    r->keep_ms = keep_ms;
    r->wake = wake;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->more, NULL);
    pthread_cond_init(&r->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    *out = r;
    return ODP_OK;
}

void odp_resolve_free(struct odp_resolve *r)
{
    if (r == NULL)
        return;
    int64_t until = now_ms() + farewell_ms;
    struct timespec end = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    int rc = 0;
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    r->wake = -1;
    pthread_cond_broadcast(&r->more);
    while (r->threads > 0 && rc != ETIMEDOUT) {
        if (r->resolver.resolve == by_system)
            rc = pthread_cond_timedwait(&r->ended, &r->lock, &end);
        else
            pthread_cond_wait(&r->ended, &r->lock);
    }
    r->orphan = r->threads > 0;
    bool mine = !r->orphan;
    pthread_mutex_unlock(&r->lock);
    if (mine)
        destroy(r);
}

/* Under the lock: E is asked for by a thread, of which there is at least one. */
static bool enqueue(struct odp_resolve *r, struct entry *e)
{
    if (r->queued >= r->idle && r->threads < THREADS && !start_thread(r) && r->threads == 0)
        return false;
    e->phase = QUEUED;
    e->after = NULL;
    *(r->last != NULL ? &r->last->after : &r->first) = e;
    r->last = e;
    r->queued++;
    age_remove(r, e);
    age_add(r, e);
    pthread_cond_signal(&r->more);
    return true;
}

enum odp_status odp_resolve_ask(struct odp_resolve *r, const char *host, int64_t since, int64_t until, bool stranger,
                                struct odp_resolve_answer *answer)
{
    struct sockaddr_storage literal;
    enum odp_status st = ODP_OK;
    if (is_address(host, &literal)) {
        odp_resolve_judge(&r->policy, &literal, 1, answer);
        return ODP_OK;
    }
    uint64_t hash = hash_of(host);
    *answer = (struct odp_resolve_answer){.state = ODP_RESOLVE_LATER};
    pthread_mutex_lock(&r->lock);
    struct entry *e = find(r, host, hash);
    if (e == NULL && (e = add(r, host, hash)) != NULL)
        e->strange = stranger;
    if (e != NULL && e->strange && !stranger) { /* it is somebody else's, too */
        e->strange = false;
        pthread_cond_signal(&r->more);
    }
    if (e != NULL && until > e->wanted)
        e->wanted = until;
    if (e != NULL && e->phase == KNOWN && e->until >= since)
        *answer = e->answer;
    else if (e != NULL && (e->phase != KNOWN || enqueue(r, e)))
        st = ODP_DONE;
    pthread_mutex_unlock(&r->lock);
    return st;
}
