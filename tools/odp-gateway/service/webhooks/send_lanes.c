/* Lanes and places: who is next. See send_internal.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/webhooks/send_internal.h"
#include "service/webhooks/teller_internal.h"

enum { DUE_MS = 25, NEW_ROWS = 2000, SCAN_MS = 1000, SCAN_SHARE = 20, SCAN_ALWAYS_MS = 60000 };

/* ---- places ---- */

static size_t bucket_of(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h % WEBHOOK_BUCKETS;
}

static struct webhook_place *place_get(struct webhook_send *t, const char *name)
{
    struct webhook_place **at = &t->places[bucket_of(name)];
    for (struct webhook_place *p = *at; p != NULL; p = p->next)
        if (strcmp(p->name, name) == 0)
            return p;
    struct webhook_place *p = strlen(name) < sizeof p->name ? calloc(1, sizeof *p) : NULL;
    if (p == NULL) {
        (void)odp_failure_set("webhooks", NULL, ENOMEM);
        return NULL;
    }
    memcpy(p->name, name, strlen(name) + 1);
    p->next = *at;
    *at = p;
    return p;
}

static void place_drop(struct webhook_send *t, struct webhook_place *p)
{
    if (--p->users > 0 || p->in_ring[0] || p->in_ring[1]) /* out of the ring it goes with its turn */
        return;
    struct webhook_place **at = &t->places[bucket_of(p->name)];
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    free(p);
}

static void ring_add(struct webhook_send *t, struct webhook_place *p, int kind)
{
    struct webhook_ring *r = &t->rings[kind];
    if (p->in_ring[kind] || p->first[kind] == NULL || p->flying >= ODP_WEBHOOK_PER_PLACE)
        return;
    p->in_ring[kind] = true;
    p->after[kind] = NULL;
    if (r->last != NULL)
        r->last->after[kind] = p;
    else
        r->first = p;
    r->last = p;
}

static struct webhook_place *ring_take(struct webhook_send *t, int kind)
{
    struct webhook_ring *r = &t->rings[kind];
    struct webhook_place *p = r->first;
    if (p == NULL)
        return NULL;
    r->first = p->after[kind];
    if (r->first == NULL)
        r->last = NULL;
    p->in_ring[kind] = false;
    return p;
}

/* ---- lanes ---- */

bool odp_webhook_lane_is_troubled(const struct webhook_lane *l)
{
    return l->failing || l->slow || l->special; /* SPECIAL: a stranger, or one that somebody has paused */
}

static struct webhook_lane **lane_at(struct webhook_send *t, int64_t id)
{
    struct webhook_lane **at = &t->lanes[(uint64_t)id % WEBHOOK_BUCKETS];
    while (*at != NULL && (*at)->id != id)
        at = &(*at)->next;
    return at;
}

struct webhook_lane *odp_webhook_lane_find(struct webhook_send *t, int64_t id)
{
    return *lane_at(t, id);
}

static struct webhook_lane *lane_get(struct webhook_send *t, int64_t id, const char *place)
{
    struct webhook_lane **at = lane_at(t, id);
    if (*at != NULL)
        return *at;
    struct webhook_place *p = place_get(t, place);
    struct webhook_lane *l = p != NULL ? calloc(1, sizeof *l) : NULL;
    if (p != NULL && l == NULL)
        (void)odp_failure_set("webhooks", NULL, ENOMEM);
    if (l == NULL)
        return NULL;
    l->id = id;
    l->when = WEBHOOK_NEVER;
    l->width = 1;
    l->place = p;
    p->users++;
    *at = l;
    t->nlanes++;
    return l;
}

/* Forgets one that has nothing to do; that it was slow is remembered. */
static void lane_drop(struct webhook_send *t, struct webhook_lane *l)
{
    if (l->queued || l->flying > 0 || l->unwritten > 0 || l->slow)
        return;
    struct webhook_lane **at = lane_at(t, l->id);
    *at = l->next;
    t->nlanes--;
    place_drop(t, l->place);
    free(l);
}

void odp_webhook_lane_queue(struct webhook_send *t, struct webhook_lane *l)
{
    struct webhook_place *p = l->place;
    int kind = odp_webhook_lane_is_troubled(l);
    if (l->queued)
        return;
    l->queued = true;
    l->after = NULL;
    if (p->last[kind] != NULL)
        p->last[kind]->after = l;
    else
        p->first[kind] = l;
    p->last[kind] = l;
    ring_add(t, p, kind);
}

static struct webhook_lane *queue_take(struct webhook_place *p, int kind)
{
    struct webhook_lane *l = p->first[kind];
    if (l == NULL)
        return NULL;
    p->first[kind] = l->after;
    if (p->first[kind] == NULL)
        p->last[kind] = NULL;
    l->queued = false;
    return l;
}

/* A place whose ring turn found it unused. */
static bool is_unused(const struct webhook_place *p)
{
    return p->users == 0 && !p->in_ring[0] && !p->in_ring[1];
}

static struct webhook_lane *take(struct webhook_send *t, int kind)
{
    for (struct webhook_place *p = ring_take(t, kind); p != NULL; p = ring_take(t, kind)) {
        if (is_unused(p)) {
            p->users = 1;
            place_drop(t, p);
            continue;
        }
        if (p->flying >= ODP_WEBHOOK_PER_PLACE) /* it comes back when one of its messages has ended */
            continue;
        struct webhook_lane *l = queue_take(p, kind);
        ring_add(t, p, kind);
        if (l == NULL)
            continue;
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
    struct webhook_place *p = f->place;
    f->used = false;
    p->flying--;
    f->lane->flying--;
    t->troubled -= f->troubled;
    t->nflights--;
    ring_add(t, p, 0);
    ring_add(t, p, 1);
    place_drop(t, p);
}

void odp_webhook_lanes_free(struct webhook_send *t)
{
    for (size_t i = 0; i < WEBHOOK_BUCKETS; i++) {
        for (struct webhook_lane *l = t->lanes != NULL ? t->lanes[i] : NULL, *next; l != NULL; l = next) {
            next = l->next;
            free(l);
        }
        for (struct webhook_place *p = t->places != NULL ? t->places[i] : NULL, *next; p != NULL; p = next) {
            next = p->next;
            free(p);
        }
    }
    free(t->lanes);
    free(t->places);
}

/* ---- from the store ---- */

/* What a subscription has now: WHEN it is due (NEVER: nothing). */
static enum odp_status set(struct webhook_send *t, int64_t id, const char *place, bool special, int64_t failing, int64_t when,
                           int64_t now)
{
    struct webhook_lane *l = odp_webhook_lane_find(t, id);
    if (l != NULL && now > 0 && l->rest - now > WEBHOOK_REST_MS) /* the clock went back */
        l->rest = 0;
    if (l != NULL && when != WEBHOOK_NEVER && when < l->rest)
        when = l->rest;
    if (l == NULL && when == WEBHOOK_NEVER)
        return ODP_OK;
    if (l == NULL && (l = lane_get(t, id, place)) == NULL)
        return ODP_FAIL;
    l->special = special;
    l->failing = failing != 0;
    l->since = failing;
    l->when = when;
    if (when == WEBHOOK_NEVER) {
        lane_drop(t, l);
    } else if (when <= now) {
        l->when = WEBHOOK_NEVER; /* it is queued instead */
        odp_webhook_lane_queue(t, l);
    } else if (when < t->earliest) {
        t->earliest = when;
    }
    return ODP_OK;
}

/* It was deleted: nothing of it is to be remembered. */
static enum odp_status forget(struct webhook_send *t, int64_t id)
{
    struct webhook_lane *l = odp_webhook_lane_find(t, id);
    if (l != NULL)
        l->slow = false;
    return set(t, id, "", false, 0, WEBHOOK_NEVER, 0);
}

void odp_webhook_lanes_due(struct webhook_send *t, int64_t now)
{
    if (now < t->earliest)
        return;
    t->earliest = WEBHOOK_NEVER;
    for (size_t i = 0; i < WEBHOOK_BUCKETS; i++)
        for (struct webhook_lane *l = t->lanes[i]; l != NULL; l = l->next) {
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

/* A row of number, place, state, failing, not_before, due (null: nothing). */
static enum odp_status set_row(struct webhook_send *t, sqlite3_stmt *row, int64_t now)
{
    const char *place = (const char *)sqlite3_column_text(row, 1), *state = (const char *)sqlite3_column_text(row, 2);
    int64_t not_before = sqlite3_column_int64(row, 4), due = sqlite3_column_int64(row, 5);
    if (place == NULL || state == NULL)
        return odp_failure_set("read a webhook", NULL, ENOMEM);
    if (sqlite3_column_type(row, 5) == SQLITE_NULL || strcmp(state, "disabled") == 0)
        due = WEBHOOK_NEVER;
    else if (due < not_before)
        due = not_before;
    return set(t, sqlite3_column_int64(row, 0), place, strcmp(state, "active") != 0, sqlite3_column_int64(row, 3), due, now);
}

/* Rows of ST are set; its status at the end: OK. */
static enum odp_status set_rows(struct webhook_send *t, sqlite3_stmt *rows, enum odp_status st, int64_t now)
{
    while (st == ODP_OK && (st = odp_store_step(t->db, rows)) == ODP_OK)
        st = set_row(t, rows, now);
    return st == ODP_DONE ? ODP_OK : st;
}

#define HEAD "SELECT w.id, w.place, w.state, w.failing, w.not_before, "
#define DUE  "(SELECT d.next FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'pending' ORDER BY d.next LIMIT 1)"
/* Of one that is not active: tests and challenges only. */
#define DUE_SPECIAL                                                                                                            \
    "(SELECT min(d.next) FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'pending' AND d.special = 1)"

enum odp_status odp_webhook_lane_look(struct webhook_send *t, int64_t id, int64_t now)
{
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_store_prepare(
        t->db, &row, HEAD "CASE w.state WHEN 'active' THEN " DUE " ELSE " DUE_SPECIAL " END FROM webhook w WHERE w.id = ?", "i",
        id);
    if (st == ODP_OK)
        st = odp_store_step(t->db, row);
    if (st == ODP_OK)
        st = set_row(t, row, now);
    else if (st == ODP_DONE)
        st = forget(t, id);
    sqlite3_finalize(row);
    return st;
}

/* Everything that is pending and may go. */
static enum odp_status scan(struct webhook_send *t, int64_t now)
{
    sqlite3_stmt *rows = NULL;
    enum odp_status st = odp_store_number(t->db, &t->seen, "SELECT coalesce(max(id), 0) FROM webhook_delivery", "");
    if (st == ODP_OK)
        st = odp_store_prepare(t->db, &rows, HEAD DUE " FROM webhook w WHERE w.state = 'active'", "");
    st = set_rows(t, rows, st, now);
    sqlite3_finalize(rows);
    rows = NULL;
    if (st == ODP_OK)
        st = odp_store_prepare(t->db, &rows,
                               HEAD "min(d.next) FROM webhook_delivery d CROSS JOIN webhook w ON w.id = d.webhook WHERE d.state"
                                    " = 'pending' AND d.special = 1 AND w.state <> 'active' GROUP BY d.webhook",
                               "");
    st = set_rows(t, rows, st, now);
    sqlite3_finalize(rows);
    return st;
}

/* What was added since. */
static enum odp_status look_new(struct webhook_send *t, int64_t now)
{
    int64_t ids[64], upto = t->seen;
    size_t n = 0, rows = 0;
    sqlite3_stmt *row = NULL;
    enum odp_status st =
        odp_store_prepare(t->db, &row, "SELECT id, webhook FROM webhook_delivery WHERE id > ? ORDER BY id LIMIT ?", "ii",
                          t->seen, (int64_t)NEW_ROWS);
    while (st == ODP_OK && n < 64 && (st = odp_store_step(t->db, row)) == ODP_OK) {
        int64_t id = sqlite3_column_int64(row, 1);
        struct webhook_lane *l = odp_webhook_lane_find(t, id);
        upto = sqlite3_column_int64(row, 0);
        rows++;
        if (l == NULL || !l->queued)
            ids[n++] = id;
    }
    bool more = st == ODP_OK || rows == NEW_ROWS;
    sqlite3_finalize(row);
    if (st == ODP_FAIL)
        return st;
    st = ODP_OK;
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        st = odp_webhook_lane_look(t, ids[i], now);
    if (st != ODP_OK)
        return st;
    t->seen = upto;
    if (more)
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
