/* From a lane to a message under way: the oldest delivery that is due, opened, signed, given to the sender. */
#include <stdio.h>
#include <string.h>

#include "service/state/log.h"
#include "service/webhooks/send_internal.h"

struct loaded { /* one delivery; buffers are wiped */
    char name[ODP_WEBHOOK_ID], webhook[ODP_WEBHOOK_NAME], place[264];
    int64_t attempts, due, not_before, round;
    bool active, special, challenge;
    struct odp_buffer body, url, secret, previous; /* PREVIOUS: empty: none signs beside */
    bool closed;
};

static bool is_busy(const struct webhook_send *t, int64_t delivery)
{
    for (unsigned i = 0; i < t->connections; i++)
        if (t->flights[i].used && t->flights[i].delivery == delivery)
            return true;
    for (size_t i = 0; i < t->nresults; i++)
        if (t->results[i].delivery == delivery)
            return true;
    return false;
}

/* The oldest one that is not under way; DONE: there is none. L->more: there is another one. */
static enum odp_status pick(struct webhook_send *t, struct webhook_lane *l, int64_t now, int64_t *delivery)
{
    static const char all[] = "SELECT id FROM webhook_delivery WHERE webhook = ?1 AND state = 'pending' AND next <= ?2"
                              " ORDER BY next, id LIMIT ?3";
    static const char special[] = "SELECT id FROM webhook_delivery WHERE webhook = ?1 AND state = 'pending' AND special = 1"
                                  " AND next <= ?2 ORDER BY next, id LIMIT ?3";
    sqlite3_stmt **row = l->special ? &t->pick_special : &t->pick;
    enum odp_status st = *row == NULL ? odp_store_prepare(t->db, row, l->special ? special : all, "") : ODP_OK;
    *delivery = 0;
    l->more = false;
    if (st == ODP_OK)
        st = odp_store_again(t->db, *row, "iii", l->id, now, (int64_t)l->flying + l->unwritten + 2);
    while (st == ODP_OK && (st = odp_store_step(t->db, *row)) == ODP_OK) {
        int64_t id = sqlite3_column_int64(*row, 0);
        if (is_busy(t, id))
            continue;
        l->more = *delivery != 0;
        if (l->more)
            break;
        *delivery = id;
    }
    if (*row != NULL)
        (void)sqlite3_reset(*row); /* says again what step has said */
    if (st == ODP_FAIL)
        return st;
    return *delivery != 0 ? ODP_OK : ODP_DONE;
}

static void loaded_release(struct loaded *m)
{
    struct odp_buffer *all[] = {&m->body, &m->url, &m->secret, &m->previous};
    for (size_t i = 0; i < 4; i++) {
        if (all[i]->ptr != NULL)
            explicit_bzero(all[i]->ptr, all[i]->cap);
        odp_buffer_release(all[i]);
    }
}

/* A sealed column of ROW; BAD where it cannot be opened. */
static enum odp_status open_column(struct odp_webhooks *w, sqlite3_stmt *row, int column, const char *what, struct loaded *m,
                                   struct odp_buffer *clear)
{
    const void *sealed = sqlite3_column_blob(row, column);
    enum odp_status st = odp_webhook_unseal(w, what, m->webhook, sealed, sqlite3_column_bytes(row, column), clear);
    return st == ODP_OK && clear->len == 0 ? ODP_BAD : st;
}

static enum odp_status open_sealed(struct odp_webhooks *w, sqlite3_stmt *row, struct loaded *m, int64_t now)
{
    enum odp_status st = open_column(w, row, 7, "url", m, &m->url);
    if (st == ODP_OK)
        st = open_column(w, row, 8, "secret", m, &m->secret);
    m->closed = st == ODP_BAD;
    if (st != ODP_OK)
        return st == ODP_BAD ? ODP_OK : st;
    if (sqlite3_column_int64(row, 10) <= now / 1000)
        return ODP_OK;
    st = open_column(w, row, 9, "secret", m, &m->previous);
    if (st != ODP_OK)
        m->previous.len = 0; /* the current one signs, then, alone */
    return st == ODP_BAD ? ODP_OK : st;
}

static enum odp_status read_row(struct odp_webhooks *w, sqlite3_stmt *row, struct loaded *m, int64_t now)
{
    char state[16], type[40];
    odp_store_text(row, 0, m->name, sizeof m->name);
    m->attempts = sqlite3_column_int64(row, 1);
    odp_store_text(row, 3, type, sizeof type);
    odp_buffer_add(&m->body, sqlite3_column_text(row, 4), (size_t)sqlite3_column_bytes(row, 4));
    m->due = sqlite3_column_int64(row, 5);
    odp_store_text(row, 6, m->webhook, sizeof m->webhook);
    odp_store_text(row, 11, state, sizeof state);
    m->not_before = sqlite3_column_int64(row, 12);
    m->round = sqlite3_column_int64(row, 13);
    odp_store_text(row, 14, m->place, sizeof m->place);
    m->active = strcmp(state, "active") == 0;
    m->challenge = strcmp(type, odp_event_info(ODP_EVENT_CHALLENGE)->name) == 0;
    m->special = m->challenge || strcmp(type, odp_event_info(ODP_EVENT_TEST)->name) == 0;
    if (!m->active && (!m->special || strcmp(state, "disabled") == 0))
        return ODP_DONE;
    enum odp_status st = odp_buffer_status(&m->body);
    return st == ODP_OK ? open_sealed(w, row, m, now) : st;
}

/* DONE: it is not to be sent (any more). */
static enum odp_status load(struct odp_webhooks *w, int64_t delivery, struct loaded *m, int64_t now)
{
    struct webhook_send *t = w->send;
    enum odp_status st = ODP_OK;
    if (t->load == NULL)
        st = odp_store_prepare(
            t->db, &t->load,
            "SELECT d.name, d.attempts, d.first, m.type, m.body,"
            " coalesce(CASE WHEN e.due - e.created > 1000 THEN e.due ELSE e.created END, 0), w.name, w.url, w.secret,"
            " w.previous_secret, w.previous_until, w.state, w.not_before, w.round, w.place"
            " FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message"
            " JOIN webhook w ON w.id = d.webhook LEFT JOIN webhook_event e ON e.id = m.event"
            " WHERE d.id = ? AND d.state = 'pending'",
            "");
    if (st == ODP_OK)
        st = odp_store_again(t->db, t->load, "i", delivery);
    if (st == ODP_OK)
        st = odp_store_step(t->db, t->load);
    if (st == ODP_OK)
        st = read_row(w, t->load, m, now);
    if (t->load != NULL) {
        (void)sqlite3_reset(t->load);
        (void)sqlite3_clear_bindings(t->load);
    }
    return st;
}

/* ---- sending ---- */

static struct webhook_flight *free_flight(struct webhook_send *t)
{
    for (unsigned i = 0; i < t->connections; i++)
        if (!t->flights[i].used)
            return &t->flights[i];
    return NULL; /* the lane would not have had its turn */
}

/* It ended before it began. */
static void result_now(struct webhook_send *t, struct webhook_lane *l, const struct loaded *m, int64_t delivery, int64_t now,
                       enum odp_outcome outcome)
{
    struct webhook_result *r = &t->results[t->nresults++];
    *r = (struct webhook_result){.delivery = delivery,
                                 .webhook = l->id,
                                 .at = now,
                                 .end = now,
                                 .retry_after = -1,
                                 .lane = l,
                                 .outcome = outcome,
                                 .first = m->attempts == 0,
                                 .closed = m->closed && !m->special};
    l->unwritten++;
}

static enum odp_status sign(const struct loaded *m, int64_t now, char out[ODP_WEBHOOK_SIGNATURE + 1])
{
    struct odp_slice keys[2] = {odp_buffer_slice(&m->secret), odp_buffer_slice(&m->previous)};
    return odp_webhook_sign(out, m->name, now / 1000, odp_buffer_slice(&m->body), keys, m->previous.len > 0 ? 2 : 1);
}

/* DONE: no room for it now. */
static enum odp_status hand_over(struct odp_webhooks *w, struct webhook_lane *l, const struct loaded *m, int64_t delivery,
                                 int64_t now)
{
    struct webhook_send *t = w->send;
    char signature[ODP_WEBHOOK_SIGNATURE + 1];
    struct odp_target target;
    const struct odp_text *why = NULL;
    struct webhook_flight *f = free_flight(t);
    if (f == NULL)
        return ODP_DONE;
    *f = (struct webhook_flight){.delivery = delivery, .at = now, .due = m->due, .round = m->round, .first = m->attempts == 0};
    enum odp_status st = odp_target_parse(&target, odp_buffer_slice(&m->url), &w->policy, &why);
    if (st == ODP_OK && m->challenge)
        st = odp_webhook_challenge_of(odp_buffer_slice(&m->body), f->challenge);
    if (st == ODP_OK)
        st = sign(m, now, signature);
    if (st != ODP_OK)
        return st;
    const struct odp_sending s = {.token = f,
                                  .target = &target,
                                  .id = m->name,
                                  .signature = signature,
                                  .timestamp = now / 1000,
                                  .body = odp_buffer_slice(&m->body),
                                  .answer_max = m->challenge ? 4096 : 0};
    st = odp_sender_add(w->sender, &s);
    explicit_bzero(&target, sizeof target); /* what follows '?' is often a password */
    if (st != ODP_OK)
        return st;
    f->lane = l;
    odp_webhook_flight_begin(t, f);
    return ODP_OK;
}

static enum odp_status start_loaded(struct odp_webhooks *w, struct webhook_lane *l, const struct loaded *m, int64_t delivery,
                                    int64_t now)
{
    struct webhook_send *t = w->send;
    if (m->closed) {
        result_now(t, l, m, delivery, now, ODP_OUTCOME_UNSENT);
        return ODP_OK;
    }
    if (m->not_before > now) {
        l->when = m->not_before;
        t->earliest = l->when < t->earliest ? l->when : t->earliest;
        return ODP_OK;
    }
    enum odp_status st = odp_webhook_lane_move(t, l, m->place);
    if (st == ODP_OK)
        st = hand_over(w, l, m, delivery, now);
    if (st == ODP_BAD) { /* the operator allows less than when it was registered */
        result_now(t, l, m, delivery, now, ODP_OUTCOME_FORBIDDEN);
        st = ODP_OK;
    }
    if (st == ODP_DONE || (st == ODP_OK && l->more && l->flying < l->width))
        odp_webhook_lane_queue(t, l);
    return st;
}

enum odp_status odp_webhook_lane_start(struct odp_webhooks *w, struct webhook_lane *l, int64_t now)
{
    struct webhook_send *t = w->send;
    struct loaded m = {0};
    int64_t delivery = 0;
    unsigned width = odp_webhook_lane_is_troubled(l) ? 1 : l->width;
    if (l->flying >= width) { /* when one of its messages has ended */
        l->more = true;
        return ODP_OK;
    }
    enum odp_status st = pick(t, l, now, &delivery);
    if (st == ODP_DONE) /* later, or when what is under way is written; what is due is seen with the next round */
        return l->flying + l->unwritten == 0 ? odp_webhook_lane_look(t, l->id, INT64_MIN) : ODP_OK;
    if (st != ODP_OK)
        return st;
    odp_buffer_init(&m.body);
    odp_buffer_init(&m.url);
    odp_buffer_init(&m.secret);
    odp_buffer_init(&m.previous);
    st = load(w, delivery, &m, now);
    if (st == ODP_DONE) /* it is not active any more, or there is nothing: what it has is looked up */
        st = odp_webhook_lane_look(t, l->id, INT64_MIN);
    else if (st == ODP_OK)
        st = start_loaded(w, l, &m, delivery, now);
    loaded_release(&m);
    return st;
}
