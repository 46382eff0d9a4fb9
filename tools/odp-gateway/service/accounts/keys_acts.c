/* Acts on keys: made, replaced, held, revoked, given another tier, forgotten. They act on the key's account:
 * all keys that follow each other by rotation. Else a suspended holder would go on with the key before. */
#include <stdio.h>
#include <string.h>

#include "service/accounts/keys_address.h"
#include "service/accounts/keys_rows.h"

/* ---- making ---- */

/* Returns the new holder. */
static int64_t issue(struct odp_act *a, const struct odp_registration *r, const struct odp_new_key *key,
                     int64_t confirm_by, struct odp_issued *out)
{
    struct odp_new_key n = *key;
    n.holder = odp_holder_add(a, r, confirm_by);
    n.until = odp_key_until(a, n.ends, confirm_by);
    (void)snprintf(out->email, sizeof out->email, "%.*s", (int)r->email.len, r->email.ptr);
    odp_key_add(a, &n, out);
    return n.holder;
}

static bool fits(const struct odp_registration *r)
{
    return r->name.len < sizeof((struct odp_key_info *)0)->name && r->email.len < 256 &&
           r->organisation.len < sizeof((struct odp_key_info *)0)->organisation &&
           r->purpose.len < sizeof((struct odp_key_info *)0)->purpose;
}

enum odp_status odp_keys_register(struct odp_state *s, const struct odp_registration *r, const char *actor,
                                  int64_t now, const struct odp_telling *tell, struct odp_issued *out,
                                  enum odp_problem *problem)
{
    struct odp_act a;
    const struct odp_service_options *o = s->options;
    const char *tier = odp_public_tier(s);
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, actor, now, problem) != ODP_OK)
        return a.st;
    if (!fits(r))
        (void)odp_act_refuse(&a, ODP_PROBLEM_FIELD_INVALID);
    odp_address_check(&a, r->email);
    int64_t confirm_by = o->confirm_email ? now + ODP_UNCONFIRMED_TERM : 0;
    int64_t holder = issue(&a, r, &(struct odp_new_key){.tier = tier}, confirm_by, out);
    if (o->sendmail != NULL || o->confirm_email) {
        odp_token_add(&a, "confirm", holder, out->email, ODP_CONFIRM_TERM, out->token);
        odp_address_crowded(&a, holder);
    }
    odp_act_note(&a, "register", out->record.shown, "\"key\":%lld,\"tier\":\"%s\"", (long long)out->record.id,
                 tier);
    return odp_act_end_telling(&a, a.st, tell, out);
}

enum odp_status odp_keys_create(struct odp_state *s, const struct odp_registration *r, const char *tier,
                                int64_t until, const char *actor, int64_t now, const struct odp_telling *tell,
                                struct odp_issued *out, enum odp_problem *problem)
{
    struct odp_act a;
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, actor, now, problem) != ODP_OK)
        return a.st;
    if (!fits(r) || !odp_state_tier_offered(s, tier) || until < 0 || (until != 0 && until <= now))
        (void)odp_act_refuse(&a, ODP_PROBLEM_FIELD_INVALID);
    (void)issue(&a, r, &(struct odp_new_key){.tier = tier, .ends = until == 0 ? ODP_KEY_FOR_EVER : until}, 0,
                out);
    odp_act_note(&a, "create", out->record.shown, "\"key\":%lld,\"tier\":\"%s\",\"until\":%lld",
                 (long long)out->record.id, tier, (long long)until);
    return odp_act_end_telling(&a, a.st, tell, out);
}

/* ---- successors ---- */

/* A new key after OLD, of the same account, tier and term. */
static void succeed(struct odp_act *a, const struct odp_key_row *old, struct odp_issued *out)
{
    int64_t confirm_by = 0;
    if (!odp_act_row(a, "SELECT email, confirm_by FROM holder WHERE id = ? AND erased = 0", "i", "ti",
                     old->holder, out->email, sizeof out->email, &confirm_by) &&
        a->st == ODP_OK)
        (void)odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
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
    int64_t valid = 0, made = 0;
    if (a->st == ODP_OK && k->state != ODP_KEY_ACTIVE)
        (void)odp_act_refuse(a, why[k->state]);
    if (a->st == ODP_OK && k->until != 0 && k->until <= a->now)
        (void)odp_act_refuse(a, ODP_PROBLEM_KEY_EXPIRED);
    (void)odp_act_row(a, "SELECT count(*) FROM key WHERE account = ? AND state = 2 AND until > ?", "ii", "i",
                      k->account, a->now, &valid);
    (void)odp_act_row(a, "SELECT count(*) FROM key WHERE account = ?1 AND id <> ?1 AND created > ?2", "ii",
                      "i", k->account, a->now - 86400, &made);
    if (a->st == ODP_OK && (valid >= ODP_ROTATIONS || made >= ODP_ROTATIONS_DAY))
        (void)odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
}

enum odp_status odp_keys_rotate(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE], int64_t grace,
                                const char *actor, int64_t now, const struct odp_telling *tell,
                                struct odp_issued *out, enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row old;
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, actor, now, problem) != ODP_OK)
        return a.st;
    odp_act_key(&a, &old, "digest = ?", "b", (const void *)digest);
    may_rotate(&a, &old);
    succeed(&a, &old, out);
    /* a grace never outlasts the key's own term; none at all is over at once */
    int64_t span = grace > 0 ? grace : 0, until = now + span;
    until = old.until != 0 && old.until < until ? old.until : until;
    odp_key_change(&a, "state = 2, until = ?2", "id = ?1", old.id, NULL, until);
    odp_act_note(&a, "rotate", old.shown, "\"key\":%lld,\"new\":%lld,\"grace\":%lld", (long long)old.id,
                 (long long)out->record.id, (long long)span);
    return odp_act_end_telling(&a, a.st, tell, out);
}

enum odp_status odp_keys_reissue(struct odp_state *s, int64_t id, const char *actor, int64_t now,
                                 const struct odp_telling *tell, struct odp_issued *out,
                                 enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row old;
    int64_t suspended = 0;
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, actor, now, problem) != ODP_OK)
        return a.st;
    odp_act_key(&a, &old, "id = ?", "i", id);
    (void)odp_act_row(&a, "SELECT count(*) FROM key WHERE account = ? AND state = 3", "i", "i", old.account,
                      &suspended);
    if (a.st == ODP_OK && (suspended > 0 || (old.ends > 0 && old.ends <= now)))
        (void)odp_act_refuse(&a, ODP_PROBLEM_CONFLICT);
    /* the others of the account were perhaps in the same hands */
    odp_key_change(&a, "state = 4", "account = ?1 AND state <> 4", old.account, NULL, 0);
    succeed(&a, &old, out);
    odp_act_note(&a, "reissue", old.shown, "\"key\":%lld,\"new\":%lld", (long long)old.id,
                 (long long)out->record.id);
    return odp_act_end_telling(&a, a.st, tell, out);
}

/* ---- states and tiers ---- */

/* Returns the act's name. Of those that were suspended together the newest is the one that was active. */
static const char *set_state(struct odp_act *a, const struct odp_key_row *k, enum odp_key_state state)
{
    if (a->st == ODP_OK && k->state == ODP_KEY_REVOKED && state != ODP_KEY_REVOKED)
        (void)odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
    switch (state) {
    case ODP_KEY_SUSPENDED:
        odp_key_change(a, "state = 3", "account = ?1 AND state IN (1, 2)", k->account, NULL, 0);
        return "suspend";
    case ODP_KEY_REVOKED:
        odp_key_change(a, "state = 4", "account = ?1 AND state <> 4", k->account, NULL, 0);
        return "revoke";
    case ODP_KEY_ACTIVE:
        if (a->st == ODP_OK && k->state == ODP_KEY_ROTATED)
            (void)odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
        odp_key_change(a,
                       "state = CASE WHEN key.id = (SELECT max(id) FROM key WHERE account = ?1 AND state "
                       "= 3) THEN 1 ELSE 2 END",
                       "account = ?1 AND state = 3", k->account, NULL, 0);
        return "resume";
    case ODP_KEY_ROTATED:
        break; /* is made by rotating */
    }
    if (a->st == ODP_OK)
        (void)odp_act_refuse(a, ODP_PROBLEM_FIELD_INVALID);
    return "";
}

enum odp_status odp_keys_set_state(struct odp_state *s, int64_t id, enum odp_key_state state,
                                   const char *actor, int64_t now, const struct odp_telling *tell,
                                   enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row k;
    if (odp_act_begin(&a, s, actor, now, problem) != ODP_OK)
        return a.st;
    odp_act_key(&a, &k, "id = ?", "i", id);
    if (a.st == ODP_OK && k.state != (int64_t)state) { /* else there is nothing to do, nothing to record */
        const char *act = set_state(&a, &k, state);
        odp_act_note(&a, act, k.shown, "\"key\":%lld,\"account\":%lld", (long long)k.id,
                     (long long)k.account);
    }
    return odp_act_end_telling(&a, a.st, tell, NULL);
}

static void set_tier(struct odp_act *a, const struct odp_key_row *k, const char *tier)
{
    if (a->st == ODP_OK && k->state == ODP_KEY_REVOKED)
        (void)odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
    odp_key_change(a, "tier = ?3", "account = ?1 AND state <> 4", k->account, tier, 0);
}

enum odp_status odp_keys_set_tier(struct odp_state *s, int64_t id, const char *tier, const char *actor,
                                  int64_t now, const struct odp_telling *tell, enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row k;
    if (odp_act_begin(&a, s, actor, now, problem) != ODP_OK)
        return a.st;
    if (!odp_state_tier_offered(s, tier))
        (void)odp_act_refuse(&a, ODP_PROBLEM_FIELD_INVALID);
    odp_act_key(&a, &k, "id = ?", "i", id);
    if (a.st == ODP_OK && (k.state == ODP_KEY_REVOKED || strcmp(k.tier, tier) != 0)) {
        set_tier(&a, &k, tier);
        odp_act_note(&a, "tier", k.shown, "\"key\":%lld,\"from\":\"%s\",\"to\":\"%s\"", (long long)k.id,
                     k.tier, tier);
    }
    return odp_act_end_telling(&a, a.st, tell, NULL);
}

/* ---- forgetting ---- */

#define SAME_PERSON                                                                                          \
    "(SELECT id FROM holder WHERE id = ?1 OR (email_fold <> '' AND email_fold = (SELECT email_fold FROM "    \
    "holder WHERE id = "                                                                                     \
    "?1)))"

static void erase(struct odp_act *a, int64_t holder)
{
    odp_key_change(a, "state = 4", "state <> 4 AND holder IN " SAME_PERSON, holder, NULL, 0);
    odp_act_run(a,
                "UPDATE upgrade SET reason = '', state = CASE state WHEN 'open' THEN 'refused' ELSE state END"
                " WHERE key IN (SELECT id FROM key WHERE holder IN " SAME_PERSON ")",
                "i", holder);
    odp_act_run(a, "DELETE FROM token WHERE holder IN " SAME_PERSON, "i", holder);
    /* webhooks with what is sealed in them and their deliveries, and events of the accounts alone */
    odp_act_run(a, "DELETE FROM webhook WHERE holder IN " SAME_PERSON, "i", holder);
    odp_act_run(
        a,
        "DELETE FROM webhook_event WHERE account <> 0 AND account IN (SELECT account FROM key WHERE holder "
        "IN " SAME_PERSON ")",
        "i", holder);
    odp_act_run(
        a,
        "UPDATE holder SET name = '', email = '', organisation = '', purpose = '', email_confirmed = 0, "
        "confirm_by = 0, erased = ?2, email_fold = '' WHERE id IN " SAME_PERSON,
        "ii", holder, a->now);
    /* messages that nobody gets any more */
    odp_act_run(a,
                "DELETE FROM webhook_message WHERE event IS NULL"
                " AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message = webhook_message.id)",
                "");
    if (a->st == ODP_OK)
        a->st = odp_store_scrub_later(a->s->db);
}

enum odp_status odp_keys_forget(struct odp_state *s, int64_t holder, const char *actor, int64_t now,
                                const struct odp_telling *tell, enum odp_problem *problem)
{
    struct odp_act a;
    int64_t erased = 0;
    if (odp_act_begin(&a, s, actor, now, problem) != ODP_OK)
        return a.st;
    if (!odp_act_row(&a, "SELECT erased FROM holder WHERE id = ?", "i", "i", holder, &erased) &&
        a.st == ODP_OK)
        (void)odp_act_refuse(&a, ODP_PROBLEM_NOT_FOUND);
    if (erased == 0) {
        erase(&a, holder);
        odp_act_note(&a, "forget", "", "\"holder\":%lld", (long long)holder);
        a.erases = a.st == ODP_OK;
    }
    return odp_act_end_telling(&a, a.st, tell, NULL);
}

/* ---- requests for another tier ---- */

enum odp_status odp_keys_ask_upgrade(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE],
                                     const char *tier, struct odp_slice reason, int64_t now,
                                     const struct odp_telling *tell, int64_t *id, enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row k;
    int64_t open = 0;
    *id = 0;
    if (odp_act_begin(&a, s, "api", now, problem) != ODP_OK)
        return a.st;
    odp_act_key(&a, &k, "digest = ?", "b", (const void *)digest);
    if (a.st == ODP_OK && !odp_state_tier_offered(s, tier))
        (void)odp_act_refuse(&a, ODP_PROBLEM_FIELD_INVALID);
    (void)odp_act_row(
        &a,
        "SELECT count(*) FROM upgrade WHERE state = 'open' AND key IN (SELECT id FROM key WHERE account = ?)",
        "i", "i", k.account, &open);
    if (a.st == ODP_OK && (open > 0 || k.state != ODP_KEY_ACTIVE))
        (void)odp_act_refuse(&a, ODP_PROBLEM_CONFLICT);
    odp_act_run(&a, "INSERT INTO upgrade(key, tier, reason, created, state) VALUES(?, ?, ?, ?, 'open')",
                "itsi", k.id, tier, reason, now);
    if (a.st == ODP_OK)
        *id = sqlite3_last_insert_rowid(s->db);
    odp_act_note(&a, "upgrade.ask", k.shown, "\"request\":%lld,\"key\":%lld,\"tier\":\"%s\"", (long long)*id,
                 (long long)k.id, tier);
    return odp_act_end_telling(&a, a.st, tell, NULL);
}

enum odp_status odp_keys_decide_upgrade(struct odp_state *s, int64_t id, bool approve, const char *actor,
                                        int64_t now, const struct odp_telling *tell,
                                        enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row k = {0};
    int64_t key = 0;
    char tier[ODP_TIER_NAME] = "", state[12] = "";
    if (odp_act_begin(&a, s, actor, now, problem) != ODP_OK)
        return a.st;
    if (!odp_act_row(&a, "SELECT key, tier, state FROM upgrade WHERE id = ?", "i", "itt", id, &key, tier,
                     sizeof tier, state, sizeof state) &&
        a.st == ODP_OK)
        (void)odp_act_refuse(&a, ODP_PROBLEM_NOT_FOUND);
    if (a.st == ODP_OK && strcmp(state, "open") != 0)
        (void)odp_act_refuse(&a, ODP_PROBLEM_CONFLICT);
    if (a.st == ODP_OK)
        odp_act_key(&a, &k, "id = ?", "i", key);
    if (a.st == ODP_OK && approve && !odp_state_tier_offered(s, tier))
        (void)odp_act_refuse(&a, ODP_PROBLEM_CONFLICT);
    if (approve)
        set_tier(&a, &k, tier);
    odp_act_run(&a, "UPDATE upgrade SET state = ?, decided = ? WHERE id = ?", "tii",
                approve ? "approved" : "refused", now, id);
    odp_act_note(&a, approve ? "upgrade.approve" : "upgrade.refuse", k.shown,
                 "\"request\":%lld,\"key\":%lld,\"tier\":\"%s\"", (long long)id, (long long)k.id, tier);
    return odp_act_end_telling(&a, a.st, tell, NULL);
}
