/* What can be done with subscriptions. An act is one transaction with its audit entry, which has the name and the host, never
 * the address; what it puts into the outbox is part of it.
 *
 * Who may: the account's own keys, or an operator (account 0). What an operator paused, an owner cannot make active. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "service/http/web.h"
#include "service/webhooks/acts.h"

/* Challenges an hour to one host: keys cost nothing, so the limit of an account does not keep many of them from using us
 * against somebody who never asked for anything. Each is tried ten times at most. */
enum { HOST_HOURLY = 240 };

/* "wh_" and 20 characters, each of 62 equally likely: nobody finds another's by trying. */
static enum odp_status name_make(char out[ODP_WEBHOOK_NAME])
{
    static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    uint8_t bytes[64];
    size_t n = 3;
    memcpy(out, "wh_", n);
    while (n < ODP_WEBHOOK_NAME - 1) {
        if (getentropy(bytes, sizeof bytes) != 0)
            return odp_failure_set("read random bytes", NULL, errno);
        for (size_t i = 0; i < sizeof bytes && n < ODP_WEBHOOK_NAME - 1; i++)
            if (bytes[i] < 4 * 62)
                out[n++] = alphabet[bytes[i] % 62];
    }
    out[n] = '\0';
    return ODP_OK;
}

static enum odp_status find(struct odp_act *a, const char *name, int64_t account, struct odp_webhook_row *out)
{
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_store_prepare(a->s->db, &row,
                                           "SELECT id, account, round, filter_json, name, state, reason, place FROM webhook"
                                           " WHERE name = ?1 AND (?2 = 0 OR account = ?2)",
                                           "ti", name, account);
    if (st == ODP_OK)
        st = odp_store_step(a->s->db, row);
    if (st == ODP_OK) {
        *out = (struct odp_webhook_row){.id = sqlite3_column_int64(row, 0),
                                        .account = sqlite3_column_int64(row, 1),
                                        .round = sqlite3_column_int64(row, 2),
                                        .filter_json = sqlite3_column_int(row, 3) != 0};
        odp_store_text(row, 4, out->name, sizeof out->name);
        odp_store_text(row, 5, out->state, sizeof out->state);
        odp_store_text(row, 6, out->reason, sizeof out->reason);
        odp_store_text(row, 7, out->place, sizeof out->place);
    }
    sqlite3_finalize(row);
    return st == ODP_DONE ? odp_act_refuse(a, ODP_PROBLEM_NOT_FOUND) : st;
}

enum odp_status odp_webhook_act_begin(struct odp_act *a, struct odp_webhooks *w, const char *name, int64_t account,
                                      const char *actor, int64_t now_ms, enum odp_problem *problem, struct odp_webhook_row *out)
{
    enum odp_status st = odp_act_begin(a, w->s, actor, now_ms / 1000, problem);
    if (st != ODP_OK)
        return st;
    a->keyless = true;
    st = find(a, name, account, out);
    return st == ODP_OK ? st : odp_act_end(a, st);
}

/* The place without its port, in characters that need no escaping. */
static const char *host_of(const char *place, char out[264])
{
    size_t n = strlen(place);
    while (n > 0 && place[n - 1] != ':')
        n--;
    n = n > 0 ? n - 1 : strlen(place);
    if (n > 263)
        n = 263;
    for (size_t i = 0; i < n; i++) {
        char c = place[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || strchr("-._:[]", c) != NULL;
        out[i] = plain ? c : '?';
    }
    out[n] = '\0';
    return out;
}

enum odp_status odp_webhook_act_may_ask(struct odp_act *a, struct odp_webhooks *w, const char *place, int64_t now_ms)
{
    char host[264];
    int64_t retry = 0;
    if (a->s->web == NULL || w->policy.loopback || strcmp(a->actor, "api") != 0) /* commands; trials */
        return ODP_OK;
    return odp_limit_take(a->s->web->limit, ODP_LIMIT_WEBHOOK_HOST, odp_slice_of(host_of(place, host)), HOST_HOURLY, now_ms,
                          &retry)
               ? ODP_OK
               : odp_act_refuse(a, ODP_PROBLEM_WEBHOOK_RATE);
}

enum odp_status odp_webhook_act_audit(struct odp_act *a, const char *act, const struct odp_webhook_row *b, const char *member,
                                      int64_t n)
{
    char host[264], more[64] = "";
    if (member != NULL)
        (void)snprintf(more, sizeof more, ",\"%s\":%lld", member, (long long)n);
    return odp_act_audit(a, act, b->name, "\"account\":%lld,\"host\":\"%s\"%s", (long long)b->account, host_of(b->place, host),
                         more);
}

enum odp_status odp_webhook_act_end(struct odp_act *a, struct odp_webhooks *w, enum odp_status st,
                                    const struct odp_telling *tell)
{
    st = odp_act_end_telling(a, st, tell, NULL);
    if (st == ODP_OK)
        odp_webhooks_wake(w);
    return st;
}

static enum odp_status seal(struct odp_webhooks *w, const char *what, const char *name, struct odp_slice clear,
                            struct odp_buffer *sealed, enum odp_problem *problem)
{
    enum odp_status st = odp_webhook_seal(w, what, name, clear, sealed);
    if (st == ODP_BAD)
        *problem = ODP_PROBLEM_CONFLICT;
    return st;
}

static int size_of(const struct odp_buffer *b) /* a sealed address or secret: some hundred bytes */
{
    return b->len < 65536 ? (int)b->len : 0;
}

/* ---- create ---- */

struct newcomer {
    struct odp_target target;
    uint8_t secret[ODP_WEBHOOK_SECRET];
    struct odp_buffer url, sealed_secret;
};

static enum odp_status newcomer_make(struct newcomer *m, struct odp_webhooks *w, const struct odp_webhook_change *c,
                                     const char *name, enum odp_problem *problem)
{
    const struct odp_text *why = NULL;
    *problem = ODP_PROBLEM_FIELD_INVALID;
    enum odp_status st = odp_target_parse(&m->target, c->url, odp_webhooks_policy(w), &why);
    if (st == ODP_OK)
        st = odp_webhook_secret_new(m->secret);
    if (st == ODP_OK)
        st = seal(w, "url", name, odp_slice_of(m->target.url), &m->url, problem);
    if (st == ODP_OK)
        st = seal(w, "secret", name, (struct odp_slice){(const char *)m->secret, sizeof m->secret}, &m->sealed_secret, problem);
    return st;
}

/* The holder is asked for again: it may have been forgotten since the key was looked at. */
static enum odp_status may_create(struct odp_act *a, const struct odp_key_info *key, int64_t limit)
{
    int64_t erased = 1, n = 0;
    enum odp_status st = odp_store_number(a->s->db, &erased, "SELECT erased FROM holder WHERE id = ?", "i", key->holder);
    if (st != ODP_FAIL && erased != 0)
        return odp_act_refuse(a, ODP_PROBLEM_KEY_REVOKED);
    if (st == ODP_OK)
        st = odp_store_number(a->s->db, &n, "SELECT count(*) FROM webhook WHERE account = ?", "i", key->account);
    return st == ODP_OK && limit >= 0 && n >= limit ? odp_act_refuse(a, ODP_PROBLEM_WEBHOOK_LIMIT) : st;
}

static enum odp_status insert(struct odp_act *a, const struct odp_key_info *key, const struct odp_webhook_change *c,
                              const struct newcomer *m, struct odp_webhook_row *b)
{
    enum odp_status st = odp_store_run(
        a->s->db,
        "INSERT INTO webhook(name, account, holder, url, place, events, datasets, filter, filter_json, description, secret,"
        " state, created, changed) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'unverified', ?, ?)",
        "tiibtsssisbii", b->name, key->account, key->holder, (const void *)m->url.ptr, size_of(&m->url), m->target.place,
        c->events, c->datasets, c->filter, (int64_t)(c->filter_json ? 1 : 0), c->description,
        (const void *)m->sealed_secret.ptr, size_of(&m->sealed_secret), a->now, a->now);
    b->id = st == ODP_OK ? sqlite3_last_insert_rowid(a->s->db) : 0;
    return st;
}

static enum odp_status create(struct odp_webhooks *w, const struct odp_key_info *key, const struct odp_webhook_change *c,
                              const struct newcomer *m, struct odp_webhook_row *b, int64_t now_ms,
                              const struct odp_telling *tell, enum odp_problem *problem)
{
    struct odp_act a;
    char delivery[ODP_WEBHOOK_ID];
    int64_t limit;
    if (!odp_webhooks_limit(w, key->tier, &limit)) {
        *problem = ODP_PROBLEM_UNAVAILABLE;
        return ODP_BAD;
    }
    enum odp_status st = odp_act_begin(&a, w->s, "api", now_ms / 1000, problem);
    if (st != ODP_OK)
        return st;
    a.keyless = true;
    st = may_create(&a, key, limit);
    if (st == ODP_OK)
        st = odp_webhook_act_may_ask(&a, w, b->place, now_ms);
    if (st == ODP_OK)
        st = insert(&a, key, c, m, b);
    if (st == ODP_OK)
        st = odp_webhook_challenge_add(a.s->db, b->id, b->name, 1, now_ms, delivery);
    if (st == ODP_OK)
        st = odp_webhook_act_audit(&a, "webhook.create", b, NULL, 0);
    return odp_webhook_act_end(&a, w, st, tell);
}

enum odp_status odp_webhook_create(struct odp_webhooks *w, const struct odp_key_info *key, const struct odp_webhook_change *c,
                                   int64_t now_ms, const struct odp_telling *tell, char name[ODP_WEBHOOK_NAME],
                                   char secret[ODP_WEBHOOK_SECRET_TEXT], enum odp_problem *problem)
{
    struct newcomer m;
    struct odp_webhook_row b = {.account = key->account};
    *problem = ODP_PROBLEM_INTERNAL;
    odp_buffer_init(&m.url);
    odp_buffer_init(&m.sealed_secret);
    enum odp_status st = name_make(b.name);
    if (st == ODP_OK)
        st = newcomer_make(&m, w, c, b.name, problem);
    if (st == ODP_OK) {
        (void)snprintf(b.place, sizeof b.place, "%s", m.target.place);
        memcpy(name, b.name, sizeof b.name);
        odp_webhook_secret_text(m.secret, secret);
        st = create(w, key, c, &m, &b, now_ms, tell, problem);
    }
    if (st != ODP_OK) {
        name[0] = '\0';
        explicit_bzero(secret, ODP_WEBHOOK_SECRET_TEXT);
    }
    odp_buffer_release(&m.url);
    odp_buffer_release(&m.sealed_secret);
    explicit_bzero(&m, sizeof m);
    return st;
}

/* ---- delete ---- */

enum odp_status odp_webhook_delete(struct odp_webhooks *w, const char *name, int64_t account, const char *actor, int64_t now_ms,
                                   enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_webhook_row b;
    enum odp_status st = odp_webhook_act_begin(&a, w, name, account, actor, now_ms, problem, &b);
    if (st != ODP_OK)
        return st;
    st = odp_store_run(a.s->db, "DELETE FROM webhook WHERE id = ?", "i", b.id);
    if (st == ODP_OK)
        st = odp_webhook_act_audit(&a, "webhook.delete", &b, NULL, 0);
    return odp_webhook_act_end(&a, w, st, NULL);
}

/* ---- secrets ---- */

enum odp_status odp_webhook_act_opens(struct odp_act *a, struct odp_webhooks *w, const struct odp_webhook_row *b,
                                      const char *what, struct odp_buffer *clear)
{
    sqlite3_stmt *row = NULL;
    struct odp_buffer own;
    odp_buffer_init(&own);
    enum odp_status st = odp_store_prepare(
        a->s->db, &row, "SELECT CASE ? WHEN 'url' THEN url ELSE secret END FROM webhook WHERE id = ?", "ti", what, b->id);
    if (st == ODP_OK)
        st = odp_store_step(a->s->db, row);
    if (st == ODP_OK)
        st = odp_webhook_unseal(w, what, b->name, sqlite3_column_blob(row, 0), sqlite3_column_bytes(row, 0),
                                clear != NULL ? clear : &own);
    if (own.ptr != NULL)
        explicit_bzero(own.ptr, own.cap);
    odp_buffer_release(&own);
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_BAD : st;
}

/* The one that is replaced is kept sealed as it is, if it can still sign. */
static enum odp_status replace_secret(struct odp_act *a, struct odp_webhooks *w, const struct odp_webhook_row *b,
                                      const struct odp_buffer *sealed, int64_t *until)
{
    enum odp_status st = *until > a->now ? odp_webhook_act_opens(a, w, b, "secret", NULL) : ODP_BAD;
    if (st == ODP_FAIL)
        return st;
    if (st == ODP_BAD)
        *until = 0;
    return odp_store_run(
        a->s->db,
        "UPDATE webhook SET previous_secret = CASE WHEN ?1 > 0 THEN secret END, previous_until = ?1, secret = ?2,"
        " changed = ?3 WHERE id = ?4",
        "ibii", *until, (const void *)sealed->ptr, size_of(sealed), a->now, b->id);
}

static enum odp_status rotate(struct odp_webhooks *w, const char *name, int64_t account,
                              const uint8_t fresh[ODP_WEBHOOK_SECRET], int64_t now_ms, const struct odp_telling *tell,
                              int64_t *until, enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_webhook_row b;
    struct odp_buffer sealed;
    odp_buffer_init(&sealed);
    enum odp_status st = seal(w, "secret", name, (struct odp_slice){(const char *)fresh, ODP_WEBHOOK_SECRET}, &sealed, problem);
    if (st == ODP_OK)
        st = odp_webhook_act_begin(&a, w, name, account, "api", now_ms, problem, &b);
    if (st == ODP_OK) {
        st = replace_secret(&a, w, &b, &sealed, until);
        if (st == ODP_OK)
            st = odp_webhook_act_audit(&a, "webhook.rotate", &b, "previous_until", *until);
        st = odp_webhook_act_end(&a, w, st, tell);
    }
    odp_buffer_release(&sealed);
    return st;
}

enum odp_status odp_webhook_rotate(struct odp_webhooks *w, const char *name, int64_t account, int64_t grace, int64_t now_ms,
                                   const struct odp_telling *tell, char secret[ODP_WEBHOOK_SECRET_TEXT], int64_t *until,
                                   enum odp_problem *problem)
{
    uint8_t fresh[ODP_WEBHOOK_SECRET];
    *problem = ODP_PROBLEM_INTERNAL;
    *until = grace > 0 ? now_ms / 1000 + grace : 0;
    enum odp_status st = odp_webhook_secret_new(fresh);
    if (st == ODP_OK) {
        odp_webhook_secret_text(fresh, secret);
        st = rotate(w, name, account, fresh, now_ms, tell, until, problem);
    }
    if (st != ODP_OK)
        explicit_bzero(secret, ODP_WEBHOOK_SECRET_TEXT);
    explicit_bzero(fresh, sizeof fresh);
    return st;
}
