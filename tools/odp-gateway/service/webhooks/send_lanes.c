/* Lanes and places: who is next. See send_internal.h. */
#include <stdio.h>

#include "base/room.h"
#include "service/webhooks/send_internal.h"

enum {
    DUE_MS = 25,
    NEW_ROWS = 2000,
    NEW_LANES = 64,
    SCAN_MS = 1000,
    SCAN_SHARE = 20,
    SCAN_ALWAYS_MS = 60000
};

int64_t odp_webhook_send_now(const struct webhook_send *t)
{
    return t->base + odp_clock_ms() - t->base_clock;
}

/* ---- places ---- */

static enum odp_status place_get(struct webhook_send *t, const char *name, size_t *out)
{
    size_t unused = t->nplaces;
    for (size_t i = 0; i < t->nplaces; i++) {
        const struct webhook_place *p = &t->places[i];
        *out = i;
        if (p->lanes + p->flying == 0)
            unused = i;
        else if (strcmp(p->name, name) == 0)
            return ODP_OK;
    }
    if (unused == t->nplaces) {
        struct webhook_place *more = odp_realloc_array(t->places, t->nplaces + 1, sizeof *more);
        if (more == NULL)
            return ODP_FAIL;
        t->places = more;
        t->nplaces++;
    }
    t->places[unused] = (struct webhook_place){0};
    (void)snprintf(t->places[unused].name, sizeof t->places[unused].name, "%s", name);
    *out = unused;
    return ODP_OK;
}

enum odp_status odp_webhook_lane_move(struct webhook_send *t, struct webhook_lane *l, const char *name)
{
    size_t place;
    if (l->queued || strcmp(t->places[l->place].name, name) == 0)
        return ODP_OK;
    if (place_get(t, name, &place) != ODP_OK)
        return ODP_FAIL;
    t->places[l->place].lanes--;
    t->places[place].lanes++;
    l->place = place;
    return ODP_OK;
}

/* ---- lanes ---- */

bool odp_webhook_lane_is_troubled(const struct webhook_lane *l)
{
    return l->failing || l->slow ||
           l->special; /* SPECIAL: nobody has confirmed it, or somebody has paused it */
}

/* Where the lane of that subscription is, or would be. */
static size_t index_of(const struct webhook_send *t, int64_t id)
{
    size_t low = 0, high = t->nlanes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->lanes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct webhook_lane *odp_webhook_lane_find(struct webhook_send *t, int64_t id)
{
    size_t i = index_of(t, id);
    return i < t->nlanes && t->lanes[i].id == id ? &t->lanes[i] : NULL;
}

struct webhook_lane *odp_webhook_lane_get(struct webhook_send *t, int64_t id, const char *name)
{
    size_t place, i = index_of(t, id);
    if (i < t->nlanes && t->lanes[i].id == id)
        return &t->lanes[i];
    if (!odp_room(t->lanes, t->nlanes, t->lanes_room) || place_get(t, name, &place) != ODP_OK)
        return NULL;
    struct webhook_lane *l = &t->lanes[i];
    memmove(l + 1, l, (t->nlanes++ - i) * sizeof *l);
    *l = (struct webhook_lane){.id = id, .when = WEBHOOK_NEVER, .width = 1, .place = place};
    t->places[place].lanes++;
    return l;
}

/* Forgets one that has nothing to do; that it was slow is remembered. */
static void lane_drop(struct webhook_send *t, struct webhook_lane *l)
{
    if (l->queued || l->flying > 0 || l->unwritten > 0 || l->slow)
        return;
    t->places[l->place].lanes--;
    t->nlanes--;
    memmove(l, l + 1, (size_t)(t->lanes + t->nlanes - l) * sizeof *l);
}

void odp_webhook_lane_queue(struct webhook_send *t, struct webhook_lane *l)
{
    if (l->queued)
        return;
    l->queued = true;
    l->turn = ++t->turns;
    t->nqueued++;
}

struct webhook_lane *odp_webhook_lane_next(struct webhook_send *t)
{
    unsigned share = t->connections / 4 > 0 ? t->connections / 4 : 1;
    struct webhook_lane *best[2] = {NULL, NULL}; /* a sound one, a troubled one */
    if (t->nqueued == 0 || t->nflying >= t->connections || t->nflying + t->nended >= WEBHOOK_RESULTS)
        return NULL;
    for (size_t i = 0; i < t->nlanes; i++) {
        struct webhook_lane *l = &t->lanes[i], **b = &best[odp_webhook_lane_is_troubled(l)];
        const struct webhook_place *p = &t->places[l->place];
        if (!l->queued || p->flying >= ODP_WEBHOOK_PER_PLACE)
            continue;
        int64_t others = *b != NULL ? t->places[(*b)->place].turn : WEBHOOK_NEVER;
        if (p->turn < others || (p->turn == others && l->turn < (*b)->turn))
            *b = l;
    }
    struct webhook_lane *l = best[1] != NULL && t->troubled < share ? best[1] : best[0];
    if (l == NULL)
        return NULL;
    l->queued = false;
    t->nqueued--;
    t->places[l->place].turn = ++t->turns;
    return l;
}

/* ---- from the store ---- */

/* What the store says of a subscription. */
struct found {
    int64_t id, failing, when; /* WHEN: something is due; NEVER: nothing is */
    bool special;
    char place[ODP_WEBHOOK_PLACE];
};

static enum odp_status set(struct webhook_send *t, const struct found *f, int64_t now)
{
    struct webhook_lane *l =
        f->when != WEBHOOK_NEVER ? odp_webhook_lane_get(t, f->id, f->place) : odp_webhook_lane_find(t, f->id);
    if (l == NULL)
        return f->when != WEBHOOK_NEVER ? ODP_FAIL : ODP_OK;
    if (now > 0 && l->rest - now > WEBHOOK_REST_MS) /* the clock went back */
        l->rest = 0;
    l->special = f->special;
    l->failing = f->failing != 0;
    l->since = f->failing;
    l->when = f->when < l->rest ? l->rest : f->when;
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
    if (now < t->earliest)
        return;
    t->earliest = WEBHOOK_NEVER;
    for (size_t i = 0; i < t->nlanes; i++) {
        struct webhook_lane *l = &t->lanes[i];
        if (l->when <= now) {
            l->when = WEBHOOK_NEVER;
            odp_webhook_lane_queue(t, l);
        } else if (l->when < t->earliest) {
            t->earliest = l->when;
        }
    }
    if (t->earliest < now + DUE_MS) /* not for each message of thousands that wait */
        t->earliest = now + DUE_MS;
}

/* Rows for struct found. DUE: when something is due (null: nothing), not before the receiver asked for it. */
#define FOUND(due)                                                                                           \
    "SELECT w.id, w.failing, coalesce(CASE w.state WHEN 'disabled' THEN NULL ELSE max(" due                  \
    ", w.not_before) END, 9223372036854775807), w.state <> 'active', w.place FROM "
#define DUE                                                                                                  \
    "(SELECT d.next FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'pending' ORDER BY d.next " \
    "LIMIT 1)"
/* Of one that is not active: tests and challenges only. */
#define DUE_SPECIAL                                                                                          \
    "(SELECT min(d.next) FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'pending' AND "        \
    "d.special = 1)"

/* True: there was a row. */
static bool set_rows(struct webhook_send *t, struct odp_sql *q, int64_t now)
{
    struct found f;
    bool any = false;
    while (odp_sql_next(q, "iiift", &f.id, &f.failing, &f.when, &f.special, f.place, sizeof f.place)) {
        q->st = set(t, &f, now);
        any = true;
    }
    return any;
}

enum odp_status odp_webhook_lane_look(struct webhook_send *t, int64_t id, int64_t now)
{
    static const char sql[] =
        FOUND("CASE w.state WHEN 'active' THEN " DUE " ELSE " DUE_SPECIAL " END") "webhook w WHERE w.id = ?";
    struct odp_sql q = {.db = t->db};
    odp_sql_select(&q, sql, "i", id);
    bool any = set_rows(t, &q, now);
    struct webhook_lane *l = odp_webhook_lane_find(t, id);
    if (any || l == NULL || q.st != ODP_OK)
        return q.st;
    l->slow = false; /* it was deleted: nothing of it is to be remembered */
    return set(t, &(struct found){.id = id, .when = WEBHOOK_NEVER}, 0);
}

/* Everything that is pending and may go. */
static enum odp_status scan(struct webhook_send *t, int64_t now)
{
    static const char active[] = FOUND(DUE) "webhook w WHERE w.state = 'active'",
                      others[] = FOUND("min(d.next)") "webhook_delivery d CROSS JOIN webhook w ON w.id = "
                                                      "d.webhook WHERE d.state = 'pending' AND d.special = 1"
                                                      " AND w.state <> 'active' GROUP BY d.webhook";
    struct odp_sql q = {.db = t->db};
    t->seen = odp_sql_number(&q, "SELECT coalesce(max(id), 0) FROM webhook_delivery", "");
    odp_sql_select(&q, active, "");
    (void)set_rows(t, &q, now);
    odp_sql_select(&q, others, "");
    (void)set_rows(t, &q, now);
    return q.st;
}

/* What was added since. */
static enum odp_status look_new(struct webhook_send *t, int64_t now)
{
    int64_t ids[NEW_LANES], upto = t->seen;
    size_t n = 0, rows = 0;
    struct odp_sql q = {.db = t->db};
    odp_sql_select(&q, "SELECT id, webhook FROM webhook_delivery WHERE id > ? ORDER BY id LIMIT ?", "ii",
                   t->seen, (int64_t)NEW_ROWS);
    while (n < NEW_LANES && odp_sql_next(&q, "ii", &upto, &ids[n])) {
        rows++;
        const struct webhook_lane *l = odp_webhook_lane_find(t, ids[n]);
        n += l == NULL || !l->queued;
    }
    q.st = odp_sql_end(&q);
    for (size_t i = 0; i < n && q.st == ODP_OK; i++)
        q.st = odp_webhook_lane_look(t, ids[i], now);
    if (q.st != ODP_OK)
        return q.st;
    t->seen = upto;
    if (n == NEW_LANES || rows == NEW_ROWS)
        atomic_store(&t->fresh, true);
    return ODP_OK;
}

enum odp_status odp_webhook_lanes_refresh(struct odp_webhooks *w, int64_t now)
{
    struct webhook_send *t = w->send;
    int64_t clock = odp_clock_ms(), passed = clock - t->scanned;
    bool acted = atomic_exchange(&t->acted, false);
    bool fresh = atomic_exchange(&t->fresh, false) || acted; /* what an act has added is seen at once */
    enum odp_status st = ODP_OK;
    t->scan = t->scan || acted || passed > SCAN_ALWAYS_MS || !w->started;
    /* Without threads (tests) with each step; else not more often than its cost allows. */
    if (t->scan &&
        (t->scanned == 0 || !w->started || (passed >= SCAN_MS && passed >= SCAN_SHARE * t->scan_took))) {
        st = scan(t, now);
        t->scanned = odp_clock_ms();
        t->scan_took = t->scanned - clock;
        t->scan = st != ODP_OK;
    } else if (fresh) {
        st = look_new(t, now);
        if (st != ODP_OK)
            atomic_store(&t->fresh, true);
    }
    return st;
}
