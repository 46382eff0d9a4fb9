/* From a lane to a message under way: the oldest delivery that is due, opened, signed, given to the sender.
 */
#include <string.h>

#include "service/webhooks/send_internal.h"

struct loaded { /* one delivery; its buffers are wiped */
    char name[ODP_WEBHOOK_ID], webhook[ODP_WEBHOOK_NAME], place[ODP_WEBHOOK_PLACE];
    int64_t id, attempts, due, not_before, round, previous_until;
    bool special, challenge, closed;               /* CLOSED: it cannot be opened */
    struct odp_buffer body, url, secret, previous; /* PREVIOUS empty: the current secret signs alone */
};

static void loaded_release(struct loaded *m)
{
    odp_webhook_wipe(&m->body);
    odp_webhook_wipe(&m->url);
    odp_webhook_wipe(&m->secret);
    odp_webhook_wipe(&m->previous);
}

/* ---- the next one ---- */

enum { BODY = 10, URL, SECRET, PREVIOUS }; /* columns */
#define DUE(condition)                                                                                       \
    "SELECT d.id, d.attempts, d.name, m.type = 'webhook.challenge', coalesce(CASE WHEN e.due - e.created"    \
    " > 1000 THEN e.due ELSE e.created END, 0), w.name, w.previous_until, w.not_before, w.round, w.place,"   \
    " m.body, w.url, w.secret, w.previous_secret, d.special"                                                 \
    " FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message"                                    \
    " JOIN webhook w ON w.id = d.webhook LEFT JOIN webhook_event e ON e.id = m.event"                        \
    " WHERE d.webhook = ?1 AND d.state = 'pending' AND d.next <= ?2 AND " condition                          \
    " AND d.id NOT IN (SELECT value FROM json_each(?3)) ORDER BY d.next, d.id LIMIT 2"

/* A sealed column; false where it cannot be opened. */
static bool open_column(struct odp_webhooks *w, struct odp_sql *q, int column, const char *webhook,
                        struct odp_buffer *clear)
{
    const void *sealed = sqlite3_column_blob(q->row, column);
    enum odp_status st = odp_webhook_unseal(w, column == URL ? "url" : "secret", webhook, sealed,
                                            sqlite3_column_bytes(q->row, column), clear);
    if (st == ODP_FAIL)
        q->st = st;
    return st == ODP_OK && clear->len > 0;
}

static void read_sealed(struct odp_webhooks *w, struct odp_sql *q, struct loaded *m, int64_t now)
{
    m->special = sqlite3_column_int(q->row, PREVIOUS + 1) != 0;
    odp_buffer_add(&m->body, sqlite3_column_text(q->row, BODY), (size_t)sqlite3_column_bytes(q->row, BODY));
    m->closed =
        !open_column(w, q, URL, m->webhook, &m->url) || !open_column(w, q, SECRET, m->webhook, &m->secret);
    if (m->previous_until > now / 1000 && !m->closed &&
        !open_column(w, q, PREVIOUS, m->webhook, &m->previous))
        m->previous.len = 0;
    if (q->st == ODP_OK)
        q->st = odp_buffer_status(&m->body);
}

/* The oldest one that is not under way. DONE: there is none, or it is not to be sent any more. L->more: there
 * is another one. */
static enum odp_status load(struct odp_webhooks *w, struct webhook_lane *l, struct loaded *m, int64_t now)
{
    static const char all[] = DUE("w.state = 'active'"),
                      special[] = DUE("d.special = 1 AND w.state <> 'disabled'");
    const struct webhook_send *t = w->send;
    struct odp_buffer busy; /* "[0,1,2]" */
    odp_buffer_init(&busy);
    odp_buffer_add_str(&busy, "[0");
    for (size_t i = 0; i < t->nmessages && l->flying + l->unwritten > 0; i++)
        if (t->messages[i].stage != WEBHOOK_FREE && t->messages[i].webhook == l->id)
            odp_buffer_printf(&busy, ",%lld", (long long)t->messages[i].delivery);
    odp_buffer_add_char(&busy, ']');
    struct odp_sql q = {.db = t->db, .st = odp_buffer_status(&busy)};
    odp_sql_select(&q, l->special ? special : all, "iit", l->id, now, odp_buffer_cstr(&busy));
    l->more = false;
    if (odp_sql_next(&q, "iitfitiiit", &m->id, &m->attempts, m->name, sizeof m->name, &m->challenge, &m->due,
                     m->webhook, sizeof m->webhook, &m->previous_until, &m->not_before, &m->round, m->place,
                     sizeof m->place)) {
        read_sealed(w, &q, m, now);
        l->more = odp_sql_next(&q, "");
    }
    q.st = odp_sql_end(&q);
    odp_buffer_release(&busy);
    return q.st == ODP_OK && m->id == 0 ? ODP_DONE : q.st;
}

/* ---- sending ---- */

void odp_webhook_message_fly(struct webhook_send *t, struct webhook_lane *l, struct webhook_message *m)
{
    m->stage = WEBHOOK_FLYING;
    m->place = l->place;
    m->troubled = odp_webhook_lane_is_troubled(l);
    t->places[l->place].flying++;
    l->flying++;
    t->troubled += m->troubled;
    t->nflying++;
}

void odp_webhook_message_end(struct webhook_send *t, struct webhook_message *m)
{
    struct webhook_lane *l = odp_webhook_lane_find(t, m->webhook);
    if (m->stage == WEBHOOK_FLYING) {
        t->places[m->place].flying--;
        l->flying--;
        t->troubled -= m->troubled;
        t->nflying--;
    }
    m->stage = WEBHOOK_ENDED;
    l->unwritten++;
    if (t->nended == 0)
        t->oldest = odp_clock_ms();
    t->ended[t->nended++] = m; /* there is room: lane_next has seen to it */
}

static enum odp_status sign(const struct loaded *m, int64_t now, char out[ODP_WEBHOOK_SIGNATURE + 1])
{
    struct odp_slice keys[2] = {odp_buffer_slice(&m->secret), odp_buffer_slice(&m->previous)};
    return odp_webhook_sign(out, m->name, now / 1000, odp_buffer_slice(&m->body), keys,
                            m->previous.len > 0 ? 2 : 1);
}

/* DONE: no room for it now. BAD: it may not go there (any more). */
static enum odp_status hand_over(struct odp_webhooks *w, struct webhook_message *f, const struct loaded *m,
                                 int64_t now)
{
    char signature[ODP_WEBHOOK_SIGNATURE + 1];
    struct odp_target target;
    const struct odp_text *why = NULL;
    enum odp_status st = odp_target_parse(&target, odp_buffer_slice(&m->url), &w->policy, &why);
    if (st == ODP_OK && m->challenge)
        st = odp_webhook_challenge_of(odp_buffer_slice(&m->body), f->asked);
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
    return st;
}

static enum odp_status start_loaded(struct odp_webhooks *w, struct webhook_lane *l, const struct loaded *m,
                                    int64_t now)
{
    struct webhook_send *t = w->send;
    struct webhook_message *f = t->messages;
    if (m->not_before > now && !m->closed) {
        l->when = m->not_before;
        t->earliest = l->when < t->earliest ? l->when : t->earliest;
        return ODP_OK;
    }
    while (f->stage != WEBHOOK_FREE) /* one is: lane_next has seen to it */
        f++;
    *f = (struct webhook_message){.delivery = m->id,
                                  .webhook = l->id,
                                  .round = m->round,
                                  .at = now,
                                  .end = now,
                                  .retry_after = -1,
                                  .due = m->due,
                                  .first = m->attempts == 0,
                                  .challenge = m->challenge,
                                  .closed = m->closed && !m->special};
    enum odp_status st = m->closed ? ODP_BAD : odp_webhook_lane_move(t, l, m->place);
    if (st == ODP_OK)
        st = hand_over(w, f, m, now);
    if (st == ODP_OK) {
        odp_webhook_message_fly(t, l, f);
    } else if (st == ODP_BAD) { /* or the operator allows less than when it was registered */
        f->outcome = m->closed ? ODP_OUTCOME_UNSENT : ODP_OUTCOME_FORBIDDEN;
        odp_webhook_message_end(t, f);
    }
    if (st == ODP_DONE || (st != ODP_FAIL && !m->closed && l->more && l->flying < l->width))
        odp_webhook_lane_queue(t, l);
    return st == ODP_BAD ? ODP_OK : st;
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
    else if (st ==
             ODP_DONE) /* later, or when what is under way is written; the next round sees what is due */
        st = l->flying + l->unwritten == 0 ? odp_webhook_lane_look(w->send, l->id, INT64_MIN) : ODP_OK;
    loaded_release(&m);
    return st;
}
