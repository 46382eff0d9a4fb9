/* The outbox: messages, deliveries, and what a change of state does to those that wait. The mutex is held and a transaction
 * open. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "service/webhooks/webhooks_internal.h"

enum odp_status odp_webhook_message_add(sqlite3 *db, int64_t event, enum odp_event_type type, int64_t now,
                                        struct odp_slice body, int64_t *id)
{
    enum odp_status st =
        odp_store_run(db, "INSERT INTO webhook_message(event, type, created, body) VALUES(nullif(?, 0), ?, ?, ?)", "itis",
                      event, odp_event_info(type)->name, now, body);
    *id = st == ODP_OK ? sqlite3_last_insert_rowid(db) : 0;
    return st;
}

enum odp_status odp_webhook_delivery_add(sqlite3 *db, const char *name, int64_t webhook, int64_t message, int64_t next,
                                         int64_t now)
{
    enum odp_status st =
        odp_store_run(db,
                      "INSERT INTO webhook_delivery(name, webhook, message, state, next, created, special)"
                      " VALUES(?1, ?2, ?3, 'pending', ?4, ?5, (SELECT type IN ('webhook.test',"
                      " 'webhook.challenge') FROM webhook_message WHERE id = ?3)) ON CONFLICT(name) DO NOTHING",
                      "tiiii", name, webhook, message, next, now);
    return st == ODP_OK && sqlite3_changes(db) == 0 ? ODP_DONE : st;
}

/* ---- challenges ---- */

static enum odp_status challenge_make(char out[ODP_WEBHOOK_CHALLENGE], const char *name, int64_t round)
{
    uint8_t bytes[ODP_WEBHOOK_SECRET];
    if (getentropy(bytes, sizeof bytes) != 0)
        return odp_failure_set("read random bytes", NULL, errno);
    enum odp_status st = odp_webhook_challenge(out, bytes, name, round);
    explicit_bzero(bytes, sizeof bytes);
    return st;
}

static enum odp_status challenge_body(struct odp_buffer *out, const char *name, int64_t round, int64_t now)
{
    char challenge[ODP_WEBHOOK_CHALLENGE];
    enum odp_status st = challenge_make(challenge, name, round);
    if (st != ODP_OK)
        return st;
    json_t *data = json_pack("{s:s, s:s, s:{s:s, s:s}}", "webhook", name, "challenge", challenge, "answer", "id",
                             "Jawab 2xx dengan isi challenge ini saja, atau dengan objek JSON {\"challenge\": …}.", "en",
                             "Answer 2xx with this challenge alone as the body, or with a JSON object {\"challenge\": …}.");
    st = data != NULL ? odp_event_message(out, ODP_EVENT_CHALLENGE, now, data, NULL)
                      : odp_failure_set("challenge", NULL, ENOMEM);
    json_decref(data);
    return st;
}

enum odp_status odp_webhook_challenge_name(char out[ODP_WEBHOOK_ID], const char *name, int64_t round)
{
    char event[40];
    (void)snprintf(event, sizeof event, "challenge/%lld", (long long)round);
    return odp_webhook_message_id(out, event, name);
}

#define IS_CHALLENGE                                                                                                           \
    "message IN (SELECT id FROM webhook_message WHERE id = webhook_delivery.message AND type = 'webhook.challenge')"

enum odp_status odp_webhook_challenge_add(sqlite3 *db, int64_t id, const char *name, int64_t round, int64_t now,
                                          char delivery[ODP_WEBHOOK_ID])
{
    struct odp_buffer body;
    int64_t message = 0;
    enum odp_status st = odp_webhook_challenge_name(delivery, name, round);
    if (st == ODP_OK) /* what an older one would ask is of no use any more */
        st = odp_store_run(db,
                           "UPDATE webhook_delivery SET state = 'cancelled', done = ? WHERE webhook = ? AND state = 'pending'"
                           " AND name <> ? AND " IS_CHALLENGE,
                           "iit", now, id, delivery);
    if (st == ODP_OK)
        st = odp_store_run(db,
                           "UPDATE webhook_delivery SET state = 'pending', first = attempts, next = ?, done = 0 WHERE name = ?",
                           "it", now, delivery);
    if (st != ODP_OK || sqlite3_changes(db) > 0)
        return st;
    odp_buffer_init(&body);
    st = challenge_body(&body, name, round, now);
    if (st == ODP_OK)
        st = odp_webhook_message_add(db, 0, ODP_EVENT_CHALLENGE, now, odp_buffer_slice(&body), &message);
    if (st == ODP_OK)
        st = odp_webhook_delivery_add(db, delivery, id, message, now, now);
    odp_buffer_release(&body);
    return st == ODP_DONE ? ODP_OK : st;
}

/* The body is of our own writing, so the text is looked for: reading JSON takes memory, and jansson does not always say that it
 * was that which there was not. */
enum odp_status odp_webhook_challenge_of(struct odp_slice body, char out[ODP_WEBHOOK_CHALLENGE])
{
    static const char member[] = "\"challenge\":\"";
    const size_t before = sizeof member - 1, n = ODP_WEBHOOK_CHALLENGE - 1;
    const char *at = body.len > 0 ? memmem(body.ptr, body.len, member, before) : NULL;
    size_t left = at != NULL ? body.len - (size_t)(at - body.ptr) - before : 0;
    if (left <= n || at[before + n] != '"' || memchr(at + before, '"', n) != NULL || memchr(at + before, '\\', n) != NULL)
        return ODP_BAD;
    memcpy(out, at + before, n);
    out[n] = '\0';
    return ODP_OK;
}

/* ---- states ---- */

enum odp_status odp_webhook_set_state(sqlite3 *db, int64_t id, const char *state, const char *reason, int64_t now_ms)
{
    enum odp_status st = odp_store_run(db, "UPDATE webhook SET state = ?, reason = ?, changed = ? WHERE id = ?", "ttii", state,
                                       reason, now_ms / 1000, id);
    if (st == ODP_OK && strcmp(state, "disabled") == 0)
        return odp_store_run(
            db, "UPDATE webhook_delivery SET state = 'cancelled', done = ? WHERE webhook = ? AND state = 'pending'", "ii",
            now_ms, id);
    if (st != ODP_OK || strcmp(state, "active") != 0)
        return st;
    st = odp_store_run(db, "UPDATE webhook SET failing = 0, not_before = 0 WHERE id = ?", "i", id);
    if (st == ODP_OK)
        st = odp_store_run(
            db, "UPDATE webhook_delivery SET first = attempts, next = min(next, ?) WHERE webhook = ? AND state = 'pending'",
            "ii", now_ms, id);
    return st;
}

enum odp_status odp_webhook_set_verified(sqlite3 *db, int64_t id, int64_t round, int64_t now_ms)
{
    enum odp_status st =
        odp_store_run(db, "UPDATE webhook SET verified = ? WHERE id = ? AND round = ? AND state = 'unverified'", "iii",
                      now_ms / 1000, id, round);
    if (st != ODP_OK)
        return st;
    if (sqlite3_changes(db) == 0)
        return ODP_DONE;
    return odp_webhook_set_state(db, id, "active", "", now_ms);
}
