/* Acts that change keys: states, tiers, forgetting, requests for another tier. They act on the key's account:
 * all keys that follow each other by rotation. Else a suspended holder would go on with the key before. */
#include <stdio.h>
#include <string.h>

#include "service/accounts/keys_internal.h"

static enum odp_status find(struct odp_act *a, int64_t id, struct odp_key_row *k)
{
    enum odp_status st = odp_key_row_by_id(a->s->db, id, k);
    return st == ODP_DONE ? odp_act_refuse(a, ODP_PROBLEM_NOT_FOUND) : st;
}

/* Of those that were suspended together the newest is the one that was active. */
static enum odp_status resume(struct odp_act *a, int64_t account)
{
    return odp_key_change(a,
                          "state = CASE WHEN key.id = (SELECT max(id) FROM key WHERE account = ?1 AND state "
                          "= 3) THEN 1 ELSE 2 END",
                          "account = ?1 AND state = 3", account, NULL, 0);
}

static enum odp_status set_state(struct odp_act *a, const struct odp_key_row *k, enum odp_key_state state,
                                 const char **act)
{
    if (k->state == ODP_KEY_REVOKED && state != ODP_KEY_REVOKED)
        return odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
    switch (state) {
    case ODP_KEY_SUSPENDED:
        *act = "suspend";
        return odp_key_change(a, "state = 3", "account = ?1 AND state IN (1, 2)", k->account, NULL, 0);
    case ODP_KEY_REVOKED:
        *act = "revoke";
        return odp_key_change(a, "state = 4", "account = ?1 AND state <> 4", k->account, NULL, 0);
    case ODP_KEY_ACTIVE:
        *act = "resume";
        return k->state == ODP_KEY_ROTATED ? odp_act_refuse(a, ODP_PROBLEM_CONFLICT) : resume(a, k->account);
    case ODP_KEY_ROTATED:
        break; /* is made by rotating */
    }
    return odp_act_refuse(a, ODP_PROBLEM_FIELD_INVALID);
}

enum odp_status odp_keys_set_state(struct odp_state *s, int64_t id, enum odp_key_state state,
                                   const char *actor, int64_t now, const struct odp_telling *tell,
                                   enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row k;
    const char *act = "";
    enum odp_status st = odp_act_begin(&a, s, actor, now, problem);
    if (st != ODP_OK)
        return st;
    st = find(&a, id, &k);
    if (st == ODP_OK && k.state == state) /* nothing to do, nothing to record */
        return odp_act_end_telling(&a, ODP_OK, tell, NULL);
    if (st == ODP_OK)
        st = set_state(&a, &k, state, &act);
    if (st == ODP_OK)
        st = odp_act_audit(&a, act, k.shown, "\"key\":%lld,\"account\":%lld", (long long)k.id,
                           (long long)k.account);
    return odp_act_end_telling(&a, st, tell, NULL);
}

static enum odp_status set_tier(struct odp_act *a, const struct odp_key_row *k, const char *tier)
{
    if (k->state == ODP_KEY_REVOKED)
        return odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
    return odp_key_change(a, "tier = ?3", "account = ?1 AND state <> 4", k->account, tier, 0);
}

enum odp_status odp_keys_set_tier(struct odp_state *s, int64_t id, const char *tier, const char *actor,
                                  int64_t now, const struct odp_telling *tell, enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row k;
    enum odp_status st = odp_act_begin(&a, s, actor, now, problem);
    if (st != ODP_OK)
        return st;
    st = odp_state_tier_offered(s, tier) ? find(&a, id, &k) : odp_act_refuse(&a, ODP_PROBLEM_FIELD_INVALID);
    if (st == ODP_OK && k.state != ODP_KEY_REVOKED && strcmp(k.tier, tier) == 0)
        return odp_act_end_telling(&a, ODP_OK, tell, NULL);
    if (st == ODP_OK)
        st = set_tier(&a, &k, tier);
    if (st == ODP_OK)
        st = odp_act_audit(&a, "tier", k.shown, "\"key\":%lld,\"from\":\"%s\",\"to\":\"%s\"", (long long)k.id,
                           k.tier, tier);
    return odp_act_end_telling(&a, st, tell, NULL);
}

/* ---- forgetting ---- */

#define SAME_PERSON                                                                                          \
    "(SELECT id FROM holder WHERE id = ?1 OR (email_fold <> '' AND email_fold = (SELECT email_fold FROM "    \
    "holder WHERE id = "                                                                                     \
    "?1)))"

static enum odp_status erase(struct odp_act *a, int64_t holder)
{
    static const char *const steps[] = {
        "UPDATE upgrade SET reason = '', state = CASE state WHEN 'open' THEN 'refused' ELSE state END"
        " WHERE key IN (SELECT id FROM key WHERE holder IN " SAME_PERSON ")",
        "DELETE FROM token WHERE holder IN " SAME_PERSON,
        /* webhooks with what is sealed in them and their deliveries, and events of the accounts alone */
        "DELETE FROM webhook WHERE holder IN " SAME_PERSON,
        "DELETE FROM webhook_event WHERE account <> 0 AND account IN (SELECT account FROM key WHERE holder "
        "IN " SAME_PERSON ")",
        "UPDATE holder SET name = '', email = '', organisation = '', purpose = '', email_confirmed = 0, "
        "confirm_by = 0, erased "
        "= ?2, email_fold = ''"
        " WHERE id IN " SAME_PERSON,
    };
    sqlite3_stmt *stmt = NULL;
    enum odp_status st =
        odp_key_change(a, "state = 4", "state <> 4 AND holder IN " SAME_PERSON, holder, NULL, 0);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && st == ODP_OK; i++) {
        st = odp_store_prepare(a->s->db, &stmt, steps[i], "i", holder);
        if (st == ODP_OK && sqlite3_bind_parameter_count(stmt) == 2)
            (void)sqlite3_bind_int64(stmt, 2, a->now);
        if (st == ODP_OK)
            st = odp_store_step(a->s->db, stmt);
        sqlite3_finalize(stmt);
        stmt = NULL;
        st = st == ODP_DONE ? ODP_OK : st;
    }
    if (st == ODP_OK) /* messages that nobody gets any more */
        st = odp_store_run(
            a->s->db,
            "DELETE FROM webhook_message WHERE event IS NULL"
            " AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message = webhook_message.id)",
            "");
    return st == ODP_OK ? odp_store_scrub_later(a->s->db) : st;
}

enum odp_status odp_keys_forget(struct odp_state *s, int64_t holder, const char *actor, int64_t now,
                                const struct odp_telling *tell, enum odp_problem *problem)
{
    struct odp_act a;
    int64_t erased = 0;
    enum odp_status st = odp_act_begin(&a, s, actor, now, problem);
    if (st != ODP_OK)
        return st;
    st = odp_store_number(s->db, &erased, "SELECT erased FROM holder WHERE id = ?", "i", holder);
    if (st == ODP_DONE)
        st = odp_act_refuse(&a, ODP_PROBLEM_NOT_FOUND);
    if (st == ODP_OK && erased != 0)
        return odp_act_end_telling(&a, ODP_OK, tell, NULL);
    if (st == ODP_OK)
        st = erase(&a, holder);
    if (st == ODP_OK)
        st = odp_act_audit(&a, "forget", "", "\"holder\":%lld", (long long)holder);
    a.erases = st == ODP_OK;
    return odp_act_end_telling(&a, st, tell, NULL);
}

/* ---- another tier ---- */

static enum odp_status ask(struct odp_act *a, const struct odp_key_row *k, const char *tier,
                           struct odp_slice reason, int64_t *id)
{
    int64_t open = 0;
    if (!odp_state_tier_offered(a->s, tier))
        return odp_act_refuse(a, ODP_PROBLEM_FIELD_INVALID);
    enum odp_status st = odp_store_number(
        a->s->db, &open,
        "SELECT count(*) FROM upgrade WHERE state = 'open' AND key IN (SELECT id FROM key WHERE account = ?)",
        "i", k->account);
    if (st != ODP_OK)
        return st;
    if (open > 0 || k->state != ODP_KEY_ACTIVE)
        return odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
    st = odp_store_run(a->s->db,
                       "INSERT INTO upgrade(key, tier, reason, created, state) VALUES(?, ?, ?, ?, 'open')",
                       "itsi", k->id, tier, reason, a->now);
    *id = sqlite3_last_insert_rowid(a->s->db);
    return st;
}

enum odp_status odp_keys_ask_upgrade(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE],
                                     const char *tier, struct odp_slice reason, int64_t now,
                                     const struct odp_telling *tell, int64_t *id, enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row k;
    *id = 0;
    enum odp_status st = odp_act_begin(&a, s, "api", now, problem);
    if (st != ODP_OK)
        return st;
    st = odp_key_row_by_digest(s->db, digest, &k);
    st = st == ODP_DONE ? odp_act_refuse(&a, ODP_PROBLEM_NOT_FOUND)
         : st == ODP_OK ? ask(&a, &k, tier, reason, id)
                        : st;
    if (st == ODP_OK)
        st = odp_act_audit(&a, "upgrade.ask", k.shown, "\"request\":%lld,\"key\":%lld,\"tier\":\"%s\"",
                           (long long)*id, (long long)k.id, tier);
    return odp_act_end_telling(&a, st, tell, NULL);
}

struct request {
    int64_t key;
    char tier[ODP_TIER_NAME], state[12];
};

static enum odp_status find_request(struct odp_act *a, int64_t id, struct request *r)
{
    sqlite3_stmt *row = NULL;
    enum odp_status st =
        odp_store_prepare(a->s->db, &row, "SELECT key, tier, state FROM upgrade WHERE id = ?", "i", id);
    if (st == ODP_OK)
        st = odp_store_step(a->s->db, row);
    if (st == ODP_OK) {
        r->key = sqlite3_column_int64(row, 0);
        odp_store_text(row, 1, r->tier, sizeof r->tier);
        odp_store_text(row, 2, r->state, sizeof r->state);
    }
    sqlite3_finalize(row);
    return st == ODP_DONE ? odp_act_refuse(a, ODP_PROBLEM_NOT_FOUND) : st;
}

enum odp_status odp_keys_decide_upgrade(struct odp_state *s, int64_t id, bool approve, const char *actor,
                                        int64_t now, const struct odp_telling *tell,
                                        enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row k;
    struct request r;
    enum odp_status st = odp_act_begin(&a, s, actor, now, problem);
    if (st != ODP_OK)
        return st;
    st = find_request(&a, id, &r);
    if (st == ODP_OK && strcmp(r.state, "open") != 0)
        st = odp_act_refuse(&a, ODP_PROBLEM_CONFLICT);
    if (st == ODP_OK)
        st = find(&a, r.key, &k);
    if (st == ODP_OK && approve)
        st = odp_state_tier_offered(s, r.tier) ? set_tier(&a, &k, r.tier)
                                               : odp_act_refuse(&a, ODP_PROBLEM_CONFLICT);
    if (st == ODP_OK)
        st = odp_store_run(s->db, "UPDATE upgrade SET state = ?, decided = ? WHERE id = ?", "tii",
                           approve ? "approved" : "refused", now, id);
    if (st == ODP_OK)
        st = odp_act_audit(&a, approve ? "upgrade.approve" : "upgrade.refuse", k.shown,
                           "\"request\":%lld,\"key\":%lld,\"tier\":\"%s\"", (long long)id, (long long)k.id,
                           r.tier);
    return odp_act_end_telling(&a, st, tell, NULL);
}
