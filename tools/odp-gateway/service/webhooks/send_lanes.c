/* Lanes and places: who is next. See send_internal.h. */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "service/webhooks/send_internal.h"

enum { DUE_MS = 25, NEW_ROWS = 2000, SCAN_MS = 1000, SCAN_SHARE = 20, SCAN_ALWAYS_MS = 60000 };

static int by_id(const void *a, const void *b)
{
    const struct webhook_lane *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_name(const void *a, const void *b)
{
    const struct webhook_place *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* ITEM, which is on the heap, into the tree; NULL (and freed) without memory. */
static void *keep(void *item, void **tree, int (*order)(const void *, const void *))
{
    if (item != NULL && tsearch(item, tree, order) != NULL)
        return item;
    free(item);
    (void)odp_failure_set("webhooks", NULL, ENOMEM);
    return NULL;
}

/* ---- places ---- */

static struct webhook_place *place_get(struct webhook_send *t, const char *name)
{
    struct webhook_place wanted;
    (void)snprintf(wanted.name, sizeof wanted.name, "%s", name);
    void *const *found = tfind(&wanted, &t->by_name, by_name);
    if (found != NULL)
        return *found;
    struct webhook_place *p = calloc(1, sizeof *p);
    if (p != NULL) {
        memcpy(p->name, wanted.name, sizeof p->name);
        TAILQ_INIT(&p->queue[0]);
        TAILQ_INIT(&p->queue[1]);
    }
    return keep(p, &t->by_name, by_name);
}

static void ring_remove(struct webhook_send *t, struct webhook_place *p, int kind)
{
    if (p->in_ring[kind])
        TAILQ_REMOVE(&t->rings[kind], p, turn[kind]);
    p->in_ring[kind] = false;
}

static void place_drop(struct webhook_send *t, struct webhook_place *p)
{
    if (--p->users > 0)
        return;
    ring_remove(t, p, 0);
    ring_remove(t, p, 1);
    (void)tdelete(p, &t->by_name, by_name);
    free(p);
}

static void ring_add(struct webhook_send *t, struct webhook_place *p, int kind)
{
    if (p->in_ring[kind] || TAILQ_EMPTY(&p->queue[kind]) || p->flying >= ODP_WEBHOOK_PER_PLACE)
        return;
    TAILQ_INSERT_TAIL(&t->rings[kind], p, turn[kind]);
    p->in_ring[kind] = true;
}

/* ---- lanes ---- */

bool odp_webhook_lane_is_troubled(const struct webhook_lane *l)
{
    return l->failing || l->slow || l->special; /* SPECIAL: a stranger, or one that somebody has paused */
}

static struct webhook_lane *find(struct webhook_send *t, int64_t id)
{
    const struct webhook_lane wanted = {.id = id};
    void *const *found = tfind(&wanted, &t->by_id, by_id);
    return found != NULL ? *found : NULL;
}

struct webhook_lane *odp_webhook_lane_get(struct webhook_send *t, int64_t id, const char *place)
{
    struct webhook_lane *l = find(t, id);
    struct webhook_place *p = l == NULL ? place_get(t, place) : NULL;
    if (p == NULL)
        return l;
    p->users++;
    l = calloc(1, sizeof *l);
    if (l != NULL)
        *l = (struct webhook_lane){.id = id, .when = WEBHOOK_NEVER, .width = 1, .place = p};
    l = keep(l, &t->by_id, by_id);
    if (l != NULL)
        TAILQ_INSERT_TAIL(&t->lanes, l, all);
    else
        place_drop(t, p);
    return l;
}

/* Forgets one that has nothing to do; that it was slow is remembered. */
static void lane_drop(struct webhook_send *t, struct webhook_lane *l)
{
    if (l->queued || l->flying > 0 || l->unwritten > 0 || l->slow)
        return;
    TAILQ_REMOVE(&t->lanes, l, all);
    (void)tdelete(l, &t->by_id, by_id);
    place_drop(t, l->place);
    free(l);
}

void odp_webhook_lane_queue(struct webhook_send *t, struct webhook_lane *l)
{
    int kind = odp_webhook_lane_is_troubled(l);
    if (l->queued)
        return;
    l->queued = true;
    TAILQ_INSERT_TAIL(&l->place->queue[kind], l, turn);
    ring_add(t, l->place, kind);
}

static struct webhook_lane *take(struct webhook_send *t, int kind)
{
    for (struct webhook_place *p; (p = TAILQ_FIRST(&t->rings[kind])) != NULL;) {
        ring_remove(t, p, kind);
        if (p->flying >= ODP_WEBHOOK_PER_PLACE) /* it comes back when one of its messages has ended */
            continue;
        struct webhook_lane *l = TAILQ_FIRST(&p->queue[kind]);
        TAILQ_REMOVE(&p->queue[kind], l, turn);
        l->queued = false;
        ring_add(t, p, kind);
        if ((int)odp_webhook_lane_is_troubled(l) == kind)
            return l;
        odp_webhook_lane_queue(t, l); /* it has changed since it was queued */
    }
    return NULL;
}

struct webhook_lane *odp_webhook_lane_next(struct webhook_send *t)
{
    unsigned share = t->connections / 4 > 0 ? t->connections / 4 : 1;
    struct webhook_lane *l = NULL;
    if (t->nflights >= t->connections || t->nflights + t->nresults >= WEBHOOK_RESULTS)
        return NULL;
    if (t->troubled < share)
        l = take(t, 1);
    return l != NULL ? l : take(t, 0);
}

enum odp_status odp_webhook_lane_move(struct webhook_send *t, struct webhook_lane *l, const char *place)
{
    if (l->queued || strcmp(l->place->name, place) == 0)
        return ODP_OK;
    struct webhook_place *p = place_get(t, place);
    if (p == NULL)
        return ODP_FAIL;
    p->users++;
    place_drop(t, l->place);
    l->place = p;
    return ODP_OK;
}

void odp_webhook_flight_begin(struct webhook_send *t, struct webhook_flight *f)
{
    f->used = true;
    f->troubled = odp_webhook_lane_is_troubled(f->lane);
    f->place = f->lane->place;
    f->place->users++;
    f->place->flying++;
    f->lane->flying++;
    t->troubled += f->troubled;
    t->nflights++;
}

void odp_webhook_flight_end(struct webhook_send *t, struct webhook_flight *f)
{
    f->used = false;
    f->place->flying--;
    f->lane->flying--;
    t->troubled -= f->troubled;
    t->nflights--;
    ring_add(t, f->place, 0);
    ring_add(t, f->place, 1);
    place_drop(t, f->place);
}

void odp_webhook_lanes_init(struct webhook_send *t)
{
    TAILQ_INIT(&t->lanes);
    TAILQ_INIT(&t->rings[0]);
    TAILQ_INIT(&t->rings[1]);
    t->scan = true;
    t->earliest = WEBHOOK_NEVER;
}

void odp_webhook_lanes_free(struct webhook_send *t)
{
    tdestroy(t->by_id, free);
    tdestroy(t->by_name, free);
}

/* ---- from the store ---- */

/* What a subscription has now: WHEN it is due (NEVER: nothing). */
static enum odp_status set(struct webhook_send *t, int64_t id, const char *place, bool special,
                           int64_t failing, int64_t when, int64_t now)
{
    struct webhook_lane *l = when != WEBHOOK_NEVER ? odp_webhook_lane_get(t, id, place) : find(t, id);
    if (l == NULL)
        return when != WEBHOOK_NEVER ? ODP_FAIL : ODP_OK;
    if (now > 0 && l->rest - now > WEBHOOK_REST_MS) /* the clock went back */
        l->rest = 0;
    l->special = special;
    l->failing = failing != 0;
    l->since = failing;
    l->when = when < l->rest ? l->rest : when;
    if (l->when == WEBHOOK_NEVER) {
        lane_drop(t, l);
    } else if (l->when <= now) {
        l->when = WEBHOOK_NEVER; /* it is queued instead */
        odp_webhook_lane_queue(t, l);
    } else if (l->when < t->earliest) {
        t->earliest = l->when;
    }
    return ODP_OK;
}

void odp_webhook_lanes_due(struct webhook_send *t, int64_t now)
{
    struct webhook_lane *l;
    if (now < t->earliest)
        return;
    t->earliest = WEBHOOK_NEVER;
    TAILQ_FOREACH(l, &t->lanes, all)
    {
        if (l->when <= now) {
            l->when = WEBHOOK_NEVER;
            odp_webhook_lane_queue(t, l);
        } else if (l->when < t->earliest) {
            t->earliest = l->when;
        }
    }
    if (t->earliest < now + DUE_MS) /* all of them are walked: not for each message of thousands that wait */
        t->earliest = now + DUE_MS;
}

#define HEAD "SELECT w.id, w.place, w.state <> 'active', w.failing, "
/* When something is due that DUE gives (null: nothing), not before it asked for. */
#define WHEN(due) "CASE w.state WHEN 'disabled' THEN NULL ELSE max(" due ", w.not_before) END FROM "
#define DUE                                                                                                  \
    "(SELECT d.next FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'pending' ORDER BY d.next " \
    "LIMIT 1)"
/* Of one that is not active: tests and challenges only. */
#define DUE_SPECIAL                                                                                          \
    "(SELECT min(d.next) FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'pending' AND "        \
    "d.special = 1)"

/* All rows of HEAD, WHEN. */
static void set_rows(struct webhook_send *t, struct webhook_sql *q, sqlite3_stmt *row, int64_t now)
{
    while (webhook_next(q, &row)) {
        const char *place = (const char *)sqlite3_column_text(row, 1);
        bool nothing = sqlite3_column_type(row, 4) == SQLITE_NULL;
        q->st = place == NULL ? odp_failure_set("read a webhook", NULL, ENOMEM)
                              : set(t, sqlite3_column_int64(row, 0), place, sqlite3_column_int(row, 2) != 0,
                                    sqlite3_column_int64(row, 3),
                                    nothing ? WEBHOOK_NEVER : sqlite3_column_int64(row, 4), now);
    }
}

enum odp_status odp_webhook_lane_look(struct webhook_send *t, int64_t id, int64_t now)
{
    struct webhook_sql q = {t->db, ODP_OK};
    sqlite3_stmt *row = webhook_select(&q,
                                       HEAD WHEN("CASE w.state WHEN 'active' THEN " DUE " ELSE " DUE_SPECIAL
                                                 " END") "webhook w WHERE w.id = ?",
                                       "i", id);
    set_rows(t, &q, row, now);
    struct webhook_lane *l = find(t, id);
    if (l == NULL || q.st != ODP_OK ||
        webhook_number(&q, 0, "SELECT 1 FROM webhook WHERE id = ?", "i", id) != 0)
        return q.st;
    l->slow = false; /* it was deleted: nothing of it is to be remembered */
    return q.st == ODP_OK ? set(t, id, "", false, 0, WEBHOOK_NEVER, 0) : q.st;
}

/* Everything that is pending and may go. */
static enum odp_status scan(struct webhook_send *t, int64_t now)
{
    struct webhook_sql q = {t->db, ODP_OK};
    t->seen = webhook_number(&q, 0, "SELECT coalesce(max(id), 0) FROM webhook_delivery", "");
    set_rows(t, &q, webhook_select(&q, HEAD WHEN(DUE) "webhook w WHERE w.state = 'active'", ""), now);
    set_rows(t, &q,
             webhook_select(
                 &q,
                 HEAD WHEN("min(d.next)") "webhook_delivery d CROSS JOIN webhook w ON w.id = d.webhook WHERE"
                                          " d.state = 'pending' AND d.special = 1 AND w.state <> 'active'"
                                          " GROUP BY d.webhook",
                 ""),
             now);
    return q.st;
}

/* What was added since. */
static enum odp_status look_new(struct webhook_send *t, int64_t now)
{
    int64_t ids[64], upto = t->seen;
    size_t n = 0, rows = 0;
    struct webhook_sql q = {t->db, ODP_OK};
    sqlite3_stmt *row =
        webhook_select(&q, "SELECT id, webhook FROM webhook_delivery WHERE id > ? ORDER BY id LIMIT ?", "ii",
                       t->seen, (int64_t)NEW_ROWS);
    while (n < 64 && webhook_next(&q, &row)) {
        int64_t id = sqlite3_column_int64(row, 1);
        const struct webhook_lane *l = find(t, id);
        upto = sqlite3_column_int64(row, 0);
        rows++;
        if (l == NULL || !l->queued)
            ids[n++] = id;
    }
    sqlite3_finalize(row);
    for (size_t i = 0; i < n && q.st == ODP_OK; i++)
        q.st = odp_webhook_lane_look(t, ids[i], now);
    if (q.st != ODP_OK)
        return q.st;
    t->seen = upto;
    if (n == 64 || rows == NEW_ROWS)
        atomic_store(&t->fresh, true);
    return ODP_OK;
}

enum odp_status odp_webhook_lanes_refresh(struct odp_webhooks *w, int64_t now)
{
    struct webhook_send *t = w->send;
    int64_t clock = odp_webhook_clock();
    bool fresh = atomic_exchange(&t->fresh, false);
    enum odp_status st = ODP_OK;
    if (atomic_exchange(&t->acted, false)) {
        t->scan = true;
        fresh = true; /* what an act has added is seen at once, however long all of them take */
    }
    if (clock - t->scanned > SCAN_ALWAYS_MS || !w->started)
        t->scan = true;
    /* Without threads (tests) with each step; else not more often than its cost allows. */
    if (t->scan && (t->scanned == 0 || !w->started ||
                    (clock - t->scanned >= SCAN_MS && clock - t->scanned >= SCAN_SHARE * t->scan_took))) {
        st = scan(t, now);
        t->scanned = odp_webhook_clock();
        t->scan_took = t->scanned - clock;
        t->scan = st != ODP_OK;
    } else if (fresh) {
        st = look_new(t, now);
        if (st != ODP_OK)
            atomic_store(&t->fresh, true);
    }
    return st;
}
