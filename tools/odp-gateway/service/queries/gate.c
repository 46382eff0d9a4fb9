#include "service/queries/gate.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/room.h"
#include "service/state/clock.h"

/* Lives on the stack of who waits. */
struct waiter {
    pthread_cond_t turn;
    bool granted;
    struct waiter *next;
};

struct account {
    uint64_t id;
    int64_t n;
};

struct odp_gate {
    pthread_mutex_t mutex;
    unsigned threads, most_waiting, running, waiting;
    uint32_t wait_ms;
    struct waiter *first, *last;
    struct account *accounts; /* of those that have queries now: no more than there are connections */
    size_t naccounts, room;
};

enum odp_status odp_gate_new(struct odp_gate **out, unsigned threads, unsigned waiting, uint32_t wait_ms)
{
    *out = NULL;
    struct odp_gate *g = calloc(1, sizeof *g);
    if (g == NULL)
        return odp_failure_set("gate", NULL, ENOMEM);
    (void)pthread_mutex_init(&g->mutex, NULL); /* cannot fail with the default attributes */
    g->threads = threads > 0 ? threads : 1;
    g->most_waiting = waiting;
    g->wait_ms = wait_ms;
    *out = g;
    return ODP_OK;
}

void odp_gate_free(struct odp_gate *g)
{
    if (g == NULL)
        return;
    pthread_mutex_destroy(&g->mutex);
    free(g->accounts);
    free(g);
}

static void append(struct odp_gate *g, struct waiter *w)
{
    if (g->last != NULL)
        g->last->next = w;
    else
        g->first = w;
    g->last = w;
    g->waiting++;
}

static void take_off(struct odp_gate *g, struct waiter *w)
{
    struct waiter **at = &g->first, *before = NULL;
    while (*at != w) {
        before = *at;
        at = &before->next;
    }
    *at = w->next;
    if (g->last == w)
        g->last = before;
    g->waiting--;
}

/* The mutex is held. */
static bool wait_turn(struct odp_gate *g)
{
    struct waiter w = {.granted = false};
    struct timespec until = odp_clock_after(g->wait_ms);
    if (odp_clock_condition(&w.turn) != 0)
        return false;
    append(g, &w);
    int e = 0;
    while (!w.granted && e == 0)
        e = pthread_cond_timedwait(&w.turn, &g->mutex, &until);
    if (!w.granted)
        take_off(g, &w);
    pthread_cond_destroy(&w.turn);
    return w.granted;
}

bool odp_gate_enter(struct odp_gate *g)
{
    bool in = false;
    pthread_mutex_lock(&g->mutex);
    if (g->running < g->threads) {
        g->running++;
        in = true;
    } else if (g->waiting < g->most_waiting) {
        in = wait_turn(g);
    }
    pthread_mutex_unlock(&g->mutex);
    return in;
}

void odp_gate_leave(struct odp_gate *g)
{
    pthread_mutex_lock(&g->mutex);
    struct waiter *w = g->first;
    if (w != NULL) { /* its place goes to the first who waits */
        take_off(g, w);
        w->granted = true;
        pthread_cond_signal(&w->turn);
    } else {
        g->running--;
    }
    pthread_mutex_unlock(&g->mutex);
}

void odp_gate_counts(struct odp_gate *g, unsigned *running, unsigned *waiting)
{
    pthread_mutex_lock(&g->mutex);
    *running = g->running;
    *waiting = g->waiting;
    pthread_mutex_unlock(&g->mutex);
}

static struct account *find(struct odp_gate *g, uint64_t id)
{
    for (size_t i = 0; i < g->naccounts; i++)
        if (g->accounts[i].id == id)
            return &g->accounts[i];
    return NULL;
}

static struct account *add(struct odp_gate *g, uint64_t id)
{
    if (!odp_room(g->accounts, g->naccounts, g->room))
        return NULL;
    g->accounts[g->naccounts] = (struct account){.id = id};
    return &g->accounts[g->naccounts++];
}

bool odp_gate_take(struct odp_gate *g, uint64_t account, int64_t limit)
{
    pthread_mutex_lock(&g->mutex);
    struct account *a = find(g, account);
    bool ok = limit <= 0 || a == NULL || a->n < limit;
    if (ok && a == NULL)
        a = add(g, account);
    ok = ok && a != NULL;
    if (ok)
        a->n++;
    pthread_mutex_unlock(&g->mutex);
    return ok;
}

void odp_gate_give(struct odp_gate *g, uint64_t account)
{
    pthread_mutex_lock(&g->mutex);
    struct account *a = find(g, account);
    if (a != NULL && --a->n == 0)
        *a = g->accounts[--g->naccounts];
    pthread_mutex_unlock(&g->mutex);
}
