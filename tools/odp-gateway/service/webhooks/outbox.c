/* The outbox: events, messages, deliveries, and what a change of state does to them. The mutex is held and a
 * transaction open. */
#include <stdio.h>

#include "core/random.h"
#include "service/state/log.h"
#include "service/webhooks/webhooks_internal.h"
#include "words/webhooks.h"

bool odp_webhook_event_add(struct odp_sql *q, const struct webhook_event *e, int64_t now)
{
    odp_sql_run(q,
                "INSERT INTO webhook_event(key, type, dataset, account, created, due, data, site, upto)"
                " VALUES(?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM webhook)) ON "
                "CONFLICT(key) DO NOTHING",
                "tttiiitt", e->key, odp_event_info(e->type)->name, e->dataset, e->account, now, e->due,
                e->data, e->site);
    return q->st == ODP_OK && sqlite3_changes(q->db) > 0;
}

int64_t odp_webhook_message_add(struct odp_sql *q, int64_t event, enum odp_event_type type, int64_t now,
                                struct odp_slice body)
{
    odp_sql_run(q, "INSERT INTO webhook_message(event, type, created, body) VALUES(nullif(?, 0), ?, ?, ?)",
                "itis", event, odp_event_info(type)->name, now, body);
    return q->st == ODP_OK ? sqlite3_last_insert_rowid(q->db) : 0;
}

void odp_webhook_delivery_add(struct odp_sql *q, const char *name, int64_t webhook, int64_t message,
                              int64_t now)
{
    odp_sql_run(q,
                "INSERT INTO webhook_delivery(name, webhook, message, state, next, created, special)"
                " VALUES(?1, ?2, ?3, 'pending', ?4, ?4, (SELECT type IN ('webhook.test', 'webhook.challenge')"
                " FROM webhook_message WHERE id = ?3)) ON CONFLICT(name) DO NOTHING",
                "tiii", name, webhook, message, now);
}

/* ---- challenges ---- */

static enum odp_status challenge_make(char out[ODP_WEBHOOK_CHALLENGE], const char *name, int64_t round)
{
    uint8_t bytes[ODP_WEBHOOK_SECRET];
    if (odp_random(bytes, sizeof bytes) != ODP_OK)
        return ODP_FAIL;
    enum odp_status st = odp_webhook_challenge(out, bytes, name, round);
    explicit_bzero(bytes, sizeof bytes);
    return st;
}

static enum odp_status challenge_body(struct odp_buffer *out, const char *name, int64_t round, int64_t now)
{
    static const struct odp_text words = {{W_webhooks_challenge_answer}};
    char challenge[ODP_WEBHOOK_CHALLENGE];
    enum odp_status st = challenge_make(challenge, name, round);
    if (st != ODP_OK)
        return st;
    json_t *data =
        json_pack("{s:s, s:s, s:{s:s, s:s}}", "webhook", name, "challenge", challenge, "answer", "id",
                  odp_text_get(&words, ODP_LANG_ID), "en", odp_text_get(&words, ODP_LANG_EN));
    st = odp_event_message(out, ODP_EVENT_CHALLENGE, now, data, NULL);
    json_decref(data);
    return st;
}

enum odp_status odp_webhook_challenge_name(char out[ODP_WEBHOOK_ID], const char *name, int64_t round)
{
    char event[40];
    (void)snprintf(event, sizeof event, "challenge/%lld", (long long)round);
    return odp_webhook_message_id(out, event, name);
}

void odp_webhook_challenge_add(struct odp_sql *q, int64_t id, const char *name, int64_t round, int64_t now,
                               char delivery[ODP_WEBHOOK_ID])
{
    struct odp_buffer body = {0};
    if (q->st == ODP_OK)
        q->st = odp_webhook_challenge_name(delivery, name, round);
    odp_sql_run(q, /* nobody waits for the answer to an older one */
                "UPDATE webhook_delivery SET state = 'cancelled', done = ? WHERE webhook = ? AND state = "
                "'pending' AND name <> ?"
                " AND message IN (SELECT id FROM webhook_message WHERE id = webhook_delivery.message"
                " AND type = 'webhook.challenge')",
                "iit", now, id, delivery);
    odp_sql_run(
        q,
        "UPDATE webhook_delivery SET state = 'pending', first = attempts, next = ?, done = 0 WHERE name = ?",
        "it", now, delivery);
    if (q->st != ODP_OK || sqlite3_changes(q->db) > 0)
        return;
    q->st = challenge_body(&body, name, round, now);
    int64_t message = odp_webhook_message_add(q, 0, ODP_EVENT_CHALLENGE, now, odp_buffer_slice(&body));
    odp_webhook_delivery_add(q, delivery, id, message, now);
    odp_buffer_release(&body);
}

/* We wrote the body, so a search for the text is enough. */
enum odp_status odp_webhook_challenge_of(struct odp_slice body, char out[ODP_WEBHOOK_CHALLENGE])
{
    static const char member[] = "\"challenge\":\"";
    const size_t before = sizeof member - 1, n = ODP_WEBHOOK_CHALLENGE - 1;
    const char *at = body.len > 0 ? memmem(body.ptr, body.len, member, before) : NULL;
    size_t left = at != NULL ? body.len - (size_t)(at - body.ptr) - before : 0;
    if (left <= n || at[before + n] != '"' || memchr(at + before, '"', n) != NULL ||
        memchr(at + before, '\\', n) != NULL)
        return ODP_BAD;
    memcpy(out, at + before, n);
    out[n] = '\0';
    return ODP_OK;
}

/* ---- states ---- */

void odp_webhook_set_state(struct odp_sql *q, int64_t id, const char *state, const char *reason,
                           int64_t now_ms)
{
    odp_sql_run(q, "UPDATE webhook SET state = ?, reason = ?, changed = ? WHERE id = ?", "ttii", state,
                reason, now_ms / 1000, id);
    if (strcmp(state, "disabled") == 0)
        odp_sql_run(q,
                    "UPDATE webhook_delivery SET state = 'cancelled', done = ? WHERE webhook = ? AND state = "
                    "'pending'",
                    "ii", now_ms, id);
    if (strcmp(state, "active") != 0)
        return;
    odp_sql_run(q, "UPDATE webhook SET failing = 0, not_before = 0 WHERE id = ?", "i", id);
    odp_sql_run(q,
                "UPDATE webhook_delivery SET first = attempts, next = min(next, ?) WHERE webhook = ? AND "
                "state = 'pending'",
                "ii", now_ms, id);
}

bool odp_webhook_set_verified(struct odp_sql *q, int64_t id, int64_t round, int64_t now_ms)
{
    odp_sql_run(q, "UPDATE webhook SET verified = ? WHERE id = ? AND round = ? AND state = 'unverified'",
                "iii", now_ms / 1000, id, round);
    if (q->st != ODP_OK || sqlite3_changes(q->db) == 0)
        return false;
    odp_webhook_set_state(q, id, "active", "", now_ms);
    return true;
}

const char *odp_webhook_host(const char *place, char out[ODP_WEBHOOK_PLACE])
{
    (void)snprintf(out, ODP_WEBHOOK_PLACE, "%s", place);
    char *port = strrchr(out, ':');
    if (port != NULL)
        *port = '\0';
    for (size_t n; out[n = strspn(out, "abcdefghijklmnopqrstuvwxyz0123456789-._:[]?")] != '\0';)
        out[n] = '?';
    return out;
}

void odp_webhook_note(struct odp_sql *q, int64_t id, const char *act, const char *reason, int64_t now)
{
    char name[ODP_WEBHOOK_NAME], place[ODP_WEBHOOK_PLACE], host[ODP_WEBHOOK_PLACE], because[32] = "",
                                                                                    detail[400];
    int64_t account;
    if (!odp_sql_row(q, "SELECT account, name, place FROM webhook WHERE id = ?", "i", "itt", id, &account,
                     name, sizeof name, place, sizeof place))
        return;
    if (reason[0] != '\0')
        (void)snprintf(because, sizeof because, ",\"reason\":\"%s\"", reason);
    odp_log(reason[0] != '\0' ? "warning" : "info", "%s: %s (%s)%s%s", act, name, place,
            reason[0] != '\0' ? ": " : "", reason);
    (void)snprintf(detail, sizeof detail, "{\"account\":%lld,\"host\":\"%s\"%s}", (long long)account,
                   odp_webhook_host(place, host), because);
    q->st = odp_audit_add(q->db, now / 1000, "webhooks", act, name, detail);
}
