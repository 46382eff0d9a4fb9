/* Acts on keys: made, replaced, suspended, revoked, given another tier, forgotten. They act on the key's
 * account: all keys that follow each other by rotation. Else a suspended holder would go on with the key
 * before. */
#include <stdio.h>
#include <string.h>

#include "service/accounts/keys_internal.h"

/* ---- making ---- */

/* Returns the new holder. */
static int64_t issue(struct odp_act *a, const struct odp_registration *r, struct odp_new_key key,
                     int64_t confirm_by, struct odp_issued *out)
{
    const struct odp_key_info *k = NULL; /* for its sizes */
    odp_act_refuse_if(a,
                      r->name.len >= sizeof k->name || r->email.len >= sizeof k->email ||
                          r->organisation.len >= sizeof k->organisation ||
                          r->purpose.len >= sizeof k->purpose,
                      ODP_PROBLEM_FIELD_INVALID);
    key.holder = odp_holder_add(a, r, confirm_by);
    key.until = odp_key_until(a, key.ends, confirm_by);
    (void)snprintf(out->email, sizeof out->email, "%.*s", (int)r->email.len, r->email.ptr);
    odp_key_add(a, &key, out);
    return key.holder;
}

enum odp_status odp_keys_register(struct odp_state *s, struct odp_order *o, const struct odp_registration *r,
                                  struct odp_issued *out)
{
    struct odp_act a;
    const struct odp_service_options *options = s->options;
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    const char *tier = odp_public_tier(s);
    int64_t confirm_by = options->confirm_email ? o->now + ODP_UNCONFIRMED_TERM : 0;
    odp_address_check(&a, r->email);
    int64_t holder = issue(&a, r, (struct odp_new_key){.tier = tier}, confirm_by, out);
    if (options->sendmail != NULL || options->confirm_email) {
        odp_token_add(&a, "confirm", holder, out->email, ODP_CONFIRM_TERM, out->token);
        odp_address_crowded(&a, holder);
    }
    odp_act_note(&a, "register", out->record.shown, "\"key\":%lld,\"tier\":\"%s\"", (long long)out->record.id,
                 tier);
    return odp_act_end(&a, out);
}

enum odp_status odp_keys_create(struct odp_state *s, struct odp_order *o, const struct odp_registration *r,
                                const char *tier, int64_t until, struct odp_issued *out)
{
    struct odp_act a;
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    odp_act_refuse_if(&a, !odp_state_tier_offered(s, tier) || (until != 0 && until <= o->now),
                      ODP_PROBLEM_FIELD_INVALID);
    (void)issue(&a, r, (struct odp_new_key){.tier = tier, .ends = until == 0 ? ODP_KEY_FOR_EVER : until}, 0,
                out);
    odp_act_note(&a, "create", out->record.shown, "\"key\":%lld,\"tier\":\"%s\",\"until\":%lld",
                 (long long)out->record.id, tier, (long long)until);
    return odp_act_end(&a, out);
}

/* ---- successors ---- */

/* A new key after OLD, of the same account, tier and term. */
static void succeed(struct odp_act *a, const struct odp_key_row *old, struct odp_issued *out)
{
    int64_t confirm_by = 0;
    bool known = odp_sql_row(&a->q, "SELECT email, confirm_by FROM holder WHERE id = ? AND erased = 0", "i",
                             "ti", old->holder, out->email, sizeof out->email, &confirm_by);
    odp_act_refuse_if(a, !known, ODP_PROBLEM_CONFLICT);
    odp_key_add(a,
                &(struct odp_new_key){.holder = old->holder,
                                      .account = old->account,
                                      .tier = old->tier,
                                      .until = odp_key_until(a, old->ends, confirm_by),
                                      .ends = old->ends},
                out);
}

static void may_rotate(struct odp_act *a, const struct odp_key_row *k)
{
    static const enum odp_problem why[] = {[ODP_KEY_ROTATED] = ODP_PROBLEM_CONFLICT,
                                           [ODP_KEY_SUSPENDED] = ODP_PROBLEM_KEY_SUSPENDED,
                                           [ODP_KEY_REVOKED] = ODP_PROBLEM_KEY_REVOKED};
    if (a->q.st == ODP_OK && k->state != ODP_KEY_ACTIVE)
        odp_act_refuse(a, why[k->state]);
    odp_act_refuse_if(a, k->until != 0 && k->until <= a->now, ODP_PROBLEM_KEY_EXPIRED);
    int64_t valid =
        odp_sql_number(&a->q, "SELECT count(*) FROM key WHERE account = ? AND state = 2 AND until > ?", "ii",
                       k->account, a->now);
    int64_t made =
        odp_sql_number(&a->q, "SELECT count(*) FROM key WHERE account = ?1 AND id <> ?1 AND created > ?2",
                       "ii", k->account, a->now - 86400);
    odp_act_refuse_if(a, valid >= ODP_ROTATIONS || made >= ODP_ROTATIONS_DAY, ODP_PROBLEM_CONFLICT);
}

enum odp_status odp_keys_rotate(struct odp_state *s, struct odp_order *o,
                                const uint8_t digest[ODP_SHA256_SIZE], int64_t grace, struct odp_issued *out)
{
    struct odp_act a;
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    struct odp_key_row old = odp_act_key_by(&a, digest);
    may_rotate(&a, &old);
    succeed(&a, &old, out);
    /* a grace never outlasts the key's own term; none at all is over at once */
    int64_t span = grace > 0 ? grace : 0, until = o->now + span;
    until = old.until != 0 && old.until < until ? old.until : until;
    odp_key_change(&a, "state = 2, until = number", "id = ?1", old.id, until);
    odp_act_note(&a, "rotate", old.shown, "\"key\":%lld,\"new\":%lld,\"grace\":%lld", (long long)old.id,
                 (long long)out->record.id, (long long)span);
    return odp_act_end(&a, out);
}

enum odp_status odp_keys_reissue(struct odp_state *s, struct odp_order *o, int64_t id, struct odp_issued *out)
{
    struct odp_act a;
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    struct odp_key_row old = odp_act_key(&a, id);
    int64_t suspended =
        odp_sql_number(&a.q, "SELECT count(*) FROM key WHERE account = ? AND state = 3", "i", old.account);
    odp_act_refuse_if(&a, suspended > 0 || (old.ends > 0 && old.ends <= o->now), ODP_PROBLEM_CONFLICT);
    /* the others of the account were perhaps in the same hands */
    odp_key_change(&a, "state = 4", "account = ?1 AND state <> 4", old.account, 0);
    succeed(&a, &old, out);
    odp_act_note(&a, "reissue", old.shown, "\"key\":%lld,\"new\":%lld", (long long)old.id,
                 (long long)out->record.id);
    return odp_act_end(&a, out);
}

/* ---- states and tiers ---- */

/* What sets a state; of keys that were suspended together the newest is the one that was active. */
static const struct {
    const char *act, *set, *which;
} states[] = {
    [ODP_KEY_ACTIVE] = {"resume",
                        "state = CASE WHEN key.id = (SELECT max(id) FROM key WHERE account = ?1 AND state "
                        "= 3) THEN 1 ELSE 2 END",
                        "account = ?1 AND state = 3"},
    [ODP_KEY_ROTATED] = {NULL, NULL, NULL}, /* is made by rotating */
    [ODP_KEY_SUSPENDED] = {"suspend", "state = 3", "account = ?1 AND state IN (1, 2)"},
    [ODP_KEY_REVOKED] = {"revoke", "state = 4", "account = ?1 AND state <> 4"},
};

enum odp_status odp_keys_set_state(struct odp_state *s, struct odp_order *o, int64_t id,
                                   enum odp_key_state state)
{
    struct odp_act a;
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    struct odp_key_row k = odp_act_key(&a, id);
    bool same = k.state == (int64_t)state; /* there is nothing to do, nothing to record */
    odp_act_refuse_if(
        &a, !same && (k.state == ODP_KEY_REVOKED || (state == ODP_KEY_ACTIVE && k.state == ODP_KEY_ROTATED)),
        ODP_PROBLEM_CONFLICT);
    odp_act_refuse_if(&a, !same && states[state].act == NULL, ODP_PROBLEM_FIELD_INVALID);
    if (a.q.st == ODP_OK && !same) {
        odp_key_change(&a, states[state].set, states[state].which, k.account, 0);
        odp_act_note(&a, states[state].act, k.shown, "\"key\":%lld,\"account\":%lld", (long long)k.id,
                     (long long)k.account);
    }
    return odp_act_end(&a, NULL);
}

static void set_tier(struct odp_act *a, const struct odp_key_row *k, const char *tier)
{
    odp_act_refuse_if(a, k->state == ODP_KEY_REVOKED, ODP_PROBLEM_CONFLICT);
    odp_sql_run(&a->q, "UPDATE key SET tier = ? WHERE account = ? AND state <> 4", "ti", tier, k->account);
    odp_key_change(a, "tier = tier", "account = ?1 AND state <> 4", k->account, 0);
}

enum odp_status odp_keys_set_tier(struct odp_state *s, struct odp_order *o, int64_t id, const char *tier)
{
    struct odp_act a;
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    odp_act_refuse_if(&a, !odp_state_tier_offered(s, tier), ODP_PROBLEM_FIELD_INVALID);
    struct odp_key_row k = odp_act_key(&a, id);
    if (k.state == ODP_KEY_REVOKED || strcmp(k.tier, tier) != 0) {
        set_tier(&a, &k, tier);
        odp_act_note(&a, "tier", k.shown, "\"key\":%lld,\"from\":\"%s\",\"to\":\"%s\"", (long long)k.id,
                     k.tier, tier);
    }
    return odp_act_end(&a, NULL);
}

/* ---- forgetting ---- */

#define SAME_PERSON                                                                                          \
    "(SELECT id FROM holder WHERE id = ?1 OR (email_fold <> '' AND email_fold = (SELECT email_fold FROM "    \
    "holder WHERE id = "                                                                                     \
    "?1)))"

static void erase(struct odp_act *a, int64_t holder)
{
    odp_key_change(a, "state = 4", "state <> 4 AND holder IN " SAME_PERSON, holder, 0);
    odp_sql_run(&a->q,
                "UPDATE upgrade SET reason = '', state = CASE state WHEN 'open' THEN 'refused' ELSE state END"
                " WHERE key IN (SELECT id FROM key WHERE holder IN " SAME_PERSON ")",
                "i", holder);
    odp_sql_run(&a->q, "DELETE FROM token WHERE holder IN " SAME_PERSON, "i", holder);
    /* webhooks with what is sealed in them and their deliveries, and events of the accounts alone */
    odp_sql_run(&a->q, "DELETE FROM webhook WHERE holder IN " SAME_PERSON, "i", holder);
    odp_sql_run(
        &a->q,
        "DELETE FROM webhook_event WHERE account <> 0 AND account IN (SELECT account FROM key WHERE holder "
        "IN " SAME_PERSON ")",
        "i", holder);
    odp_sql_run(
        &a->q,
        "UPDATE holder SET name = '', email = '', organisation = '', purpose = '', email_confirmed = 0, "
        "confirm_by = 0, erased = ?2, email_fold = '' WHERE id IN " SAME_PERSON,
        "ii", holder, a->now);
    /* messages that nobody gets any more */
    odp_sql_run(&a->q,
                "DELETE FROM webhook_message WHERE event IS NULL"
                " AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message = webhook_message.id)",
                "");
    if (a->q.st == ODP_OK)
        a->q.st = odp_store_scrub_later(a->s->db);
    a->erases = a->q.st == ODP_OK;
}

enum odp_status odp_keys_forget(struct odp_state *s, struct odp_order *o, int64_t holder)
{
    struct odp_act a;
    int64_t erased = 0;
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    bool known = odp_sql_row(&a.q, "SELECT erased FROM holder WHERE id = ?", "i", "i", holder, &erased);
    odp_act_refuse_if(&a, !known, ODP_PROBLEM_NOT_FOUND);
    if (erased == 0) {
        erase(&a, holder);
        odp_act_note(&a, "forget", "", "\"holder\":%lld", (long long)holder);
    }
    return odp_act_end(&a, NULL);
}

/* ---- requests for another tier ---- */

enum odp_status odp_keys_ask_upgrade(struct odp_state *s, struct odp_order *o,
                                     const uint8_t digest[ODP_SHA256_SIZE], const char *tier,
                                     struct odp_slice reason, int64_t *id)
{
    struct odp_act a;
    *id = 0;
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    struct odp_key_row k = odp_act_key_by(&a, digest);
    odp_act_refuse_if(&a, !odp_state_tier_offered(s, tier), ODP_PROBLEM_FIELD_INVALID);
    int64_t open = odp_sql_number(&a.q,
                                  "SELECT count(*) FROM upgrade WHERE state = 'open'"
                                  " AND key IN (SELECT id FROM key WHERE account = ?)",
                                  "i", k.account);
    odp_act_refuse_if(&a, open > 0 || k.state != ODP_KEY_ACTIVE, ODP_PROBLEM_CONFLICT);
    *id = odp_sql_number(
        &a.q,
        "INSERT INTO upgrade(key, tier, reason, created, state) VALUES(?, ?, ?, ?, 'open') RETURNING id",
        "itsi", k.id, tier, reason, o->now);
    odp_act_note(&a, "upgrade.ask", k.shown, "\"request\":%lld,\"key\":%lld,\"tier\":\"%s\"", (long long)*id,
                 (long long)k.id, tier);
    return odp_act_end(&a, NULL);
}

enum odp_status odp_keys_decide_upgrade(struct odp_state *s, struct odp_order *o, int64_t id, bool approve)
{
    struct odp_act a;
    int64_t key = 0;
    char tier[ODP_TIER_NAME] = "", state[12] = "";
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    bool known = odp_sql_row(&a.q, "SELECT key, tier, state FROM upgrade WHERE id = ?", "i", "itt", id, &key,
                             tier, sizeof tier, state, sizeof state);
    odp_act_refuse_if(&a, !known, ODP_PROBLEM_NOT_FOUND);
    odp_act_refuse_if(&a, strcmp(state, "open") != 0, ODP_PROBLEM_CONFLICT);
    struct odp_key_row k = odp_act_key(&a, key);
    odp_act_refuse_if(&a, approve && !odp_state_tier_offered(s, tier), ODP_PROBLEM_CONFLICT);
    if (approve)
        set_tier(&a, &k, tier);
    odp_sql_run(&a.q, "UPDATE upgrade SET state = ?, decided = ? WHERE id = ?", "tii",
                approve ? "approved" : "refused", o->now, id);
    odp_act_note(&a, approve ? "upgrade.approve" : "upgrade.refuse", k.shown,
                 "\"request\":%lld,\"key\":%lld,\"tier\":\"%s\"", (long long)id, (long long)k.id, tier);
    return odp_act_end(&a, NULL);
}
