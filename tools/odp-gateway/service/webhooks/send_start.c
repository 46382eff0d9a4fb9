/* From a lane to a message under way: the oldest delivery that is due, opened, signed, given to the sender.
 */
#include <string.h>

#include "service/webhooks/send_internal.h"

struct loaded { /* one delivery; buffers are wiped */
    char name[ODP_WEBHOOK_ID], webhook[ODP_WEBHOOK_NAME], place[ODP_WEBHOOK_PLACE];
    int64_t id, due, not_before, round;
    bool first, special, challenge;
    bool closed;                                   /* it cannot be opened */
    struct odp_buffer body, url, secret, previous; /* PREVIOUS: empty: none signs beside */
};

static void loaded_release(struct loaded *m)
{
    odp_webhook_wipe(&m->body);
    odp_webhook_wipe(&m->url);
    odp_webhook_wipe(&m->secret);
    odp_webhook_wipe(&m->previous);
}

/* A sealed column of ROW; false where it cannot be opened. */
static bool open_column(struct odp_webhooks *w, struct webhook_sql *q, sqlite3_stmt *row, int column,
                        const char *what, const struct loaded *m, struct odp_buffer *clear)
{
    const void *sealed = sqlite3_column_blob(row, column);
    enum odp_status st =
        odp_webhook_unseal(w, what, m->webhook, sealed, sqlite3_column_bytes(row, column), clear);
    if (st == ODP_FAIL)
        q->st = st;
    return st == ODP_OK && clear->len > 0;
}

static void read_row(struct odp_webhooks *w, struct webhook_sql *q, sqlite3_stmt *row, struct loaded *m,
                     int64_t now)
{
    m->id = sqlite3_column_int64(row, 0);
    odp_store_text(row, 1, m->name, sizeof m->name);
    m->first = sqlite3_column_int64(row, 2) == 0;
    m->challenge = sqlite3_column_int(row, 3) != 0;
    odp_buffer_add(&m->body, sqlite3_column_text(row, 4), (size_t)sqlite3_column_bytes(row, 4));
    m->due = sqlite3_column_int64(row, 5);
    odp_store_text(row, 6, m->webhook, sizeof m->webhook);
    m->not_before = sqlite3_column_int64(row, 11);
    m->round = sqlite3_column_int64(row, 12);
    odp_store_text(row, 13, m->place, sizeof m->place);
    m->special = sqlite3_column_int(row, 14) != 0;
    m->closed =
        !open_column(w, q, row, 7, "url", m, &m->url) || !open_column(w, q, row, 8, "secret", m, &m->secret);
    if (sqlite3_column_int64(row, 10) > now / 1000 && !m->closed &&
        !open_column(w, q, row, 9, "secret", m, &m->previous))
        m->previous.len = 0; /* the current one signs, then, alone */
    if (q->st == ODP_OK)
        q->st = odp_buffer_status(&m->body);
}

/* What is under way of a lane, or not written yet: "[1,2]". */
static void list_busy(const struct webhook_send *t, const struct webhook_lane *l, struct odp_buffer *out)
{
    odp_buffer_add_str(out, "[0");
    for (unsigned i = 0; i < t->connections && l->flying > 0; i++)
        if (t->flights[i].used && t->flights[i].lane == l)
            odp_buffer_printf(out, ",%lld", (long long)t->flights[i].delivery);
    for (size_t i = 0; i < t->nresults && l->unwritten > 0; i++)
        if (t->results[i].lane == l)
            odp_buffer_printf(out, ",%lld", (long long)t->results[i].delivery);
    odp_buffer_add_char(out, ']');
}

#define DUE(condition)                                                                                       \
    "SELECT d.id, d.name, d.attempts, m.type = 'webhook.challenge', m.body,"                                 \
    " coalesce(CASE WHEN e.due - e.created > 1000 THEN e.due ELSE e.created END, 0), w.name, w.url, "        \
    "w.secret,"                                                                                              \
    " w.previous_secret, w.previous_until, w.not_before, w.round, w.place, d.special"                        \
    " FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message"                                    \
    " JOIN webhook w ON w.id = d.webhook LEFT JOIN webhook_event e ON e.id = m.event"                        \
    " WHERE d.webhook = ?1 AND d.state = 'pending' AND d.next <= ?2 AND " condition                          \
    " AND d.id NOT IN (SELECT value FROM json_each(?3)) ORDER BY d.next, d.id LIMIT 2"

/* The oldest one that is not under way; DONE: there is none, or it is not to be sent any more. L->more: there
 * is another one.
 */
static enum odp_status load(struct odp_webhooks *w, struct webhook_lane *l, struct loaded *m, int64_t now)
{
    static const char all[] = DUE("w.state = 'active'"),
                      special[] = DUE("d.special = 1 AND w.state <> 'disabled'");
    struct odp_buffer busy;
    odp_buffer_init(&busy);
    list_busy(w->send, l, &busy);
    struct webhook_sql q = {w->send->db, odp_buffer_status(&busy)};
    sqlite3_stmt *row =
        webhook_select(&q, l->special ? special : all, "iit", l->id, now, odp_buffer_cstr(&busy));
    l->more = false;
    if (webhook_next(&q, &row)) {
        read_row(w, &q, row, m, now);
        l->more = webhook_next(&q, &row);
    }
    sqlite3_finalize(row);
    odp_buffer_release(&busy);
    return q.st == ODP_OK && m->id == 0 ? ODP_DONE : q.st;
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
static void result_now(struct webhook_send *t, struct webhook_lane *l, const struct loaded *m, int64_t now,
                       enum odp_outcome outcome)
{
    t->results[t->nresults++] = (struct webhook_result){.delivery = m->id,
                                                        .webhook = l->id,
                                                        .at = now,
                                                        .end = now,
                                                        .retry_after = -1,
                                                        .lane = l,
                                                        .outcome = outcome,
                                                        .first = m->first,
                                                        .closed = m->closed && !m->special};
    l->unwritten++;
}

static enum odp_status sign(const struct loaded *m, int64_t now, char out[ODP_WEBHOOK_SIGNATURE + 1])
{
    struct odp_slice keys[2] = {odp_buffer_slice(&m->secret), odp_buffer_slice(&m->previous)};
    return odp_webhook_sign(out, m->name, now / 1000, odp_buffer_slice(&m->body), keys,
                            m->previous.len > 0 ? 2 : 1);
}

/* DONE: no room for it now. BAD: it may not go there (any more). */
static enum odp_status hand_over(struct odp_webhooks *w, struct webhook_lane *l, const struct loaded *m,
                                 int64_t now)
{
    struct webhook_send *t = w->send;
    char signature[ODP_WEBHOOK_SIGNATURE + 1];
    struct odp_target target;
    const struct odp_text *why = NULL;
    struct webhook_flight *f = free_flight(t);
    if (f == NULL)
        return ODP_DONE;
    *f = (struct webhook_flight){
        .delivery = m->id, .at = now, .due = m->due, .round = m->round, .lane = l, .first = m->first};
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
    if (st == ODP_OK)
        odp_webhook_flight_begin(t, f);
    return st;
}

static enum odp_status start_loaded(struct odp_webhooks *w, struct webhook_lane *l, const struct loaded *m,
                                    int64_t now)
{
    struct webhook_send *t = w->send;
    if (m->closed) {
        result_now(t, l, m, now, ODP_OUTCOME_UNSENT);
        return ODP_OK;
    }
    if (m->not_before > now) {
        l->when = m->not_before;
        t->earliest = l->when < t->earliest ? l->when : t->earliest;
        return ODP_OK;
    }
    enum odp_status st = odp_webhook_lane_move(t, l, m->place);
    if (st == ODP_OK)
        st = hand_over(w, l, m, now);
    if (st == ODP_BAD) { /* the operator allows less than when it was registered */
        result_now(t, l, m, now, ODP_OUTCOME_FORBIDDEN);
        st = ODP_OK;
    }
    if (st == ODP_DONE || (st == ODP_OK && l->more && l->flying < l->width))
        odp_webhook_lane_queue(t, l);
    return st;
}

enum odp_status odp_webhook_lane_start(struct odp_webhooks *w, struct webhook_lane *l, int64_t now)
{
    struct loaded m = {0};
    unsigned width = odp_webhook_lane_is_troubled(l) ? 1 : l->width;
    if (l->flying >= width) { /* when one of its messages has ended */
        l->more = true;
        return ODP_OK;
    }
    enum odp_status st = load(w, l, &m, now);
    if (st == ODP_OK)
        st = start_loaded(w, l, &m, now);
    else if (st == ODP_DONE) /* later, or when what is under way is written; what is due is seen with the next
                                round */
        st = l->flying + l->unwritten == 0 ? odp_webhook_lane_look(w->send, l->id, INT64_MIN) : ODP_OK;
    loaded_release(&m);
    return st;
}
