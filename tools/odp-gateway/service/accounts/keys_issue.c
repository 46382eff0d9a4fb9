/* Acts that make keys. */
#include <stdio.h>
#include <string.h>

#include "service/accounts/keys_internal.h"

static enum odp_status issue(struct odp_act *a, const struct odp_registration *r, const char *tier,
                             int64_t ends, bool confirm, struct odp_issued *out)
{
    int64_t holder = 0, confirm_by = 0;
    enum odp_status st = odp_holder_add(a, r, confirm, &holder, &confirm_by);
    (void)snprintf(out->email, sizeof out->email, "%.*s", (int)r->email.len, r->email.ptr);
    if (st == ODP_OK)
        st = odp_key_add(a, holder, 0, tier, odp_key_until(a, ends, confirm_by), ends, out);
    return st;
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
    memset(out, 0, sizeof *out);
    enum odp_status st = odp_act_begin(&a, s, actor, now, problem);
    if (st != ODP_OK)
        return st;
    st = fits(r) ? odp_address_check(&a, r->email) : odp_act_refuse(&a, ODP_PROBLEM_FIELD_INVALID);
    if (st == ODP_OK)
        st = issue(&a, r, odp_public_tier(s), 0, s->options->confirm_email, out);
    if (st == ODP_OK && (s->options->sendmail != NULL || s->options->confirm_email)) {
        int64_t holder = 0;
        st = odp_store_number(s->db, &holder, "SELECT holder FROM key WHERE id = ?", "i",
                              (int64_t)out->record.id);
        if (st == ODP_OK)
            st = odp_token_add(&a, "confirm", holder, out->email, ODP_CONFIRM_TERM, out->token);
        if (st == ODP_OK)
            st = odp_address_crowded(&a, holder);
    }
    if (st == ODP_OK)
        st = odp_act_audit(&a, "register", out->record.shown, "\"key\":%lld,\"tier\":\"%s\"",
                           (long long)out->record.id, odp_public_tier(s));
    return odp_act_end_telling(&a, st, tell, out);
}

enum odp_status odp_keys_create(struct odp_state *s, const struct odp_registration *r, const char *tier,
                                int64_t until, const char *actor, int64_t now, const struct odp_telling *tell,
                                struct odp_issued *out, enum odp_problem *problem)
{
    struct odp_act a;
    memset(out, 0, sizeof *out);
    enum odp_status st = odp_act_begin(&a, s, actor, now, problem);
    if (st != ODP_OK)
        return st;
    if (!fits(r) || !odp_state_tier_offered(s, tier) || until < 0 || (until != 0 && until <= now))
        st = odp_act_refuse(&a, ODP_PROBLEM_FIELD_INVALID);
    if (st == ODP_OK)
        st = issue(&a, r, tier, until == 0 ? ODP_KEY_FOR_EVER : until, false, out);
    if (st == ODP_OK)
        st = odp_act_audit(&a, "create", out->record.shown, "\"key\":%lld,\"tier\":\"%s\",\"until\":%lld",
                           (long long)out->record.id, tier, (long long)until);
    return odp_act_end_telling(&a, st, tell, out);
}

/* ---- successors ---- */

/* A new key after OLD, of the same account, tier and term. */
static enum odp_status succeed(struct odp_act *a, const struct odp_key_row *old, struct odp_issued *out)
{
    int64_t confirm_by = 0;
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_store_prepare(
        a->s->db, &row, "SELECT email, confirm_by FROM holder WHERE id = ? AND erased = 0", "i", old->holder);
    if (st == ODP_OK)
        st = odp_store_step(a->s->db, row);
    if (st == ODP_OK) {
        odp_store_text(row, 0, out->email, sizeof out->email);
        confirm_by = sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    if (st == ODP_DONE)
        return odp_act_refuse(a, ODP_PROBLEM_CONFLICT);
    if (st != ODP_OK)
        return st;
    return odp_key_add(a, old->holder, old->account, old->tier, odp_key_until(a, old->ends, confirm_by),
                       old->ends, out);
}

static enum odp_status may_rotate(struct odp_act *a, const struct odp_key_row *k)
{
    static const enum odp_problem why[] = {[ODP_KEY_ROTATED] = ODP_PROBLEM_CONFLICT,
                                           [ODP_KEY_SUSPENDED] = ODP_PROBLEM_KEY_SUSPENDED,
                                           [ODP_KEY_REVOKED] = ODP_PROBLEM_KEY_REVOKED};
    int64_t valid = 0, made = 0;
    if (k->state != ODP_KEY_ACTIVE)
        return odp_act_refuse(a, why[k->state]);
    if (k->until != 0 && k->until <= a->now)
        return odp_act_refuse(a, ODP_PROBLEM_KEY_EXPIRED);
    enum odp_status st = odp_store_number(
        a->s->db, &valid, "SELECT count(*) FROM key WHERE account = ? AND state = 2 AND until > ?", "ii",
        k->account, a->now);
    if (st == ODP_OK)
        st = odp_store_number(a->s->db, &made,
                              "SELECT count(*) FROM key WHERE account = ?1 AND id <> ?1 AND created > ?2",
                              "ii", k->account, a->now - 86400);
    if (st != ODP_OK)
        return st;
    return valid >= ODP_ROTATIONS || made >= ODP_ROTATIONS_DAY ? odp_act_refuse(a, ODP_PROBLEM_CONFLICT)
                                                               : ODP_OK;
}

enum odp_status odp_keys_rotate(struct odp_state *s, const uint8_t digest[ODP_SHA256_SIZE], int64_t grace,
                                const char *actor, int64_t now, const struct odp_telling *tell,
                                struct odp_issued *out, enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row old;
    memset(out, 0, sizeof *out);
    enum odp_status st = odp_act_begin(&a, s, actor, now, problem);
    if (st != ODP_OK)
        return st;
    st = odp_key_row_by_digest(s->db, digest, &old);
    st = st == ODP_DONE ? odp_act_refuse(&a, ODP_PROBLEM_NOT_FOUND)
         : st == ODP_OK ? may_rotate(&a, &old)
                        : st;
    if (st == ODP_OK)
        st = succeed(&a, &old, out);
    if (st == ODP_OK) { /* a grace never outlasts the key's own term; none at all is over at once */
        int64_t until = now + (grace > 0 ? grace : 0);
        until = old.until != 0 && old.until < until ? old.until : until;
        st = odp_key_change(&a, "state = 2, until = ?2", "id = ?1", old.id, NULL, until);
    }
    if (st == ODP_OK)
        st = odp_act_audit(&a, "rotate", old.shown, "\"key\":%lld,\"new\":%lld,\"grace\":%lld",
                           (long long)old.id, (long long)out->record.id, (long long)(grace > 0 ? grace : 0));
    return odp_act_end_telling(&a, st, tell, out);
}

enum odp_status odp_keys_reissue(struct odp_state *s, int64_t id, const char *actor, int64_t now,
                                 const struct odp_telling *tell, struct odp_issued *out,
                                 enum odp_problem *problem)
{
    struct odp_act a;
    struct odp_key_row old;
    int64_t suspended = 0;
    memset(out, 0, sizeof *out);
    enum odp_status st = odp_act_begin(&a, s, actor, now, problem);
    if (st != ODP_OK)
        return st;
    st = odp_key_row_by_id(s->db, id, &old);
    if (st == ODP_DONE)
        st = odp_act_refuse(&a, ODP_PROBLEM_NOT_FOUND);
    if (st == ODP_OK)
        st = odp_store_number(s->db, &suspended, "SELECT count(*) FROM key WHERE account = ? AND state = 3",
                              "i", old.account);
    if (st == ODP_OK && (suspended > 0 || (old.ends > 0 && old.ends <= now)))
        st = odp_act_refuse(&a, ODP_PROBLEM_CONFLICT);
    if (st == ODP_OK) /* the others of the account were perhaps in the same hands */
        st = odp_key_change(&a, "state = 4", "account = ?1 AND state <> 4", old.account, NULL, 0);
    if (st == ODP_OK)
        st = succeed(&a, &old, out);
    if (st == ODP_OK)
        st = odp_act_audit(&a, "reissue", old.shown, "\"key\":%lld,\"new\":%lld", (long long)old.id,
                           (long long)out->record.id);
    return odp_act_end_telling(&a, st, tell, out);
}
