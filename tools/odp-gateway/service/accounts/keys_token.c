/* One-time links: confirming an address, recovering a key. Only the SHA-256 of a token is stored; it is
 * deleted by its use. */
#include <stdio.h>
#include <string.h>

#include "service/accounts/keys_internal.h"

/* A holder who has something to recover: keys in use or expired (of an address that nobody confirmed:
 * registered ones, not what an operator made), and no owner of the address is suspended. */
#define RECOVERABLE                                                                                          \
    "h.erased = 0 AND EXISTS (SELECT 1 FROM key k WHERE k.holder = h.id AND k.state IN (1, 2)"               \
    " AND (h.email_confirmed = 1 OR k.ends = 0)) AND NOT EXISTS (SELECT 1 FROM key k JOIN holder o ON o.id " \
    "= k.holder"                                                                                             \
    " WHERE o.email_fold = h.email_fold AND o.email_fold <> '' AND o.email_confirmed = 1 AND k.state = 3)"

static enum odp_status ask(struct odp_act *a, struct odp_slice email, struct odp_issued *out)
{
    char fold[256];
    int64_t holder = 0;
    sqlite3_stmt *row = NULL;
    odp_email_fold(email, fold);
    enum odp_status st = odp_store_prepare(
        a->s->db, &row,
        "SELECT h.id, h.email FROM holder h WHERE h.email_fold = ? AND h.email_fold <> '' AND " RECOVERABLE
        " ORDER BY h.email_confirmed DESC, h.id DESC LIMIT 1",
        "t", fold);
    if (st == ODP_OK)
        st = odp_store_step(a->s->db, row);
    if (st == ODP_OK) {
        holder = sqlite3_column_int64(row, 0);
        odp_store_text(row, 1, out->email, sizeof out->email);
    }
    sqlite3_finalize(row);
    if (st == ODP_OK)
        st = odp_token_add(a, "recover", holder, out->email, ODP_RECOVER_TERM, out->token);
    if (st == ODP_OK)
        st = odp_act_audit(a, "recover.ask", "", "\"holder\":%lld", (long long)holder);
    return st == ODP_DONE ? ODP_OK : st;
}

enum odp_status odp_keys_ask_recovery(struct odp_state *s, struct odp_slice email, int64_t now,
                                      struct odp_issued *out)
{
    struct odp_act a;
    enum odp_problem problem;
    memset(out, 0, sizeof *out);
    enum odp_status st = odp_act_begin(&a, s, "api", now, &problem);
    if (st != ODP_OK)
        return st;
    st = odp_act_end(&a, email.len < 256 ? ask(&a, email, out) : ODP_OK);
    if (st != ODP_OK)
        explicit_bzero(out, sizeof *out);
    return st;
}

/* ---- using them ---- */

static enum odp_status take_token(struct odp_act *a, const char *purpose, struct odp_slice token,
                                  int64_t *holder)
{
    uint8_t digest[ODP_SHA256_SIZE];
    int64_t until = 0;
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_digest_of(token.ptr, token.len, digest);
    if (st == ODP_OK)
        st = odp_store_prepare(a->s->db, &row,
                               "SELECT t.holder, t.until FROM token t JOIN holder h ON h.id = t.holder"
                               " WHERE t.digest = ? AND t.purpose = ? AND h.erased = 0",
                               "bt", (const void *)digest, ODP_SHA256_SIZE, purpose);
    if (st == ODP_OK)
        st = odp_store_step(a->s->db, row);
    if (st == ODP_OK) {
        *holder = sqlite3_column_int64(row, 0);
        until = sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    if (st == ODP_DONE || (st == ODP_OK && until <= a->now))
        return odp_act_refuse(a, ODP_PROBLEM_TOKEN);
    return st == ODP_OK ? odp_store_run(a->s->db, "DELETE FROM token WHERE digest = ?", "b",
                                        (const void *)digest, ODP_SHA256_SIZE)
                        : st;
}

/* The newest key of HOLDER in one of the states that SQL names. DONE: none. */
static enum odp_status newest(struct odp_act *a, int64_t holder, const char *states, struct odp_key_row *k)
{
    char sql[128];
    int64_t id = 0;
    (void)snprintf(sql, sizeof sql,
                   "SELECT id FROM key WHERE holder = ? AND state IN (%s) ORDER BY id DESC LIMIT 1", states);
    enum odp_status st = odp_store_number(a->s->db, &id, sql, "i", holder);
    return st == ODP_OK ? odp_key_row_by_id(a->s->db, id, k) : st;
}

/* The deadline is lifted: of the key that is in use, and of those that follow it. */
static enum odp_status confirm(struct odp_act *a, int64_t holder, struct odp_issued *out)
{
    struct odp_key_row k = {0};
    int64_t deadline = 0;
    enum odp_status st =
        odp_store_number(a->s->db, &deadline, "SELECT confirm_by FROM holder WHERE id = ?", "i", holder);
    if (st == ODP_OK)
        st = odp_address_owned(a, holder);
    if (st != ODP_OK)
        return st;
    st = newest(a, holder, "1, 2, 3, 4", &k);
    if (st == ODP_FAIL)
        return st;
    out->record.id = (uint64_t)k.id;
    if (st == ODP_OK && deadline != 0 && k.state != ODP_KEY_REVOKED && k.until == deadline) {
        int64_t term = a->s->options->key_term,
                end =
                    term > 0 ? k.created + term : 0; /* only registrations have a deadline: no term of ours */
        st = odp_key_change(a, "until = ?2", "id = ?1", k.id, NULL, end);
        out->record.until = end;
    } else {
        st = ODP_OK;
    }
    return st == ODP_OK ? odp_act_audit(a, "confirm", k.shown, "\"holder\":%lld", (long long)holder) : st;
}

/* The first key of an address that nobody had confirmed. Of its holder the address is known, and nothing
 * else: name, account and webhooks of the registrations so far may be a stranger's. */
static enum odp_status recover_unowned(struct odp_act *a, const char *email, struct odp_issued *out)
{
    const struct odp_registration r = {.name = odp_slice_of(email), .email = odp_slice_of(email)};
    int64_t holder = 0, confirm_by = 0;
    enum odp_status st = odp_address_check(a, r.email);
    if (st == ODP_BAD)
        return odp_act_refuse(a, ODP_PROBLEM_TOKEN); /* somebody confirmed it since the link was sent */
    if (st == ODP_OK)
        st = odp_holder_add(a, &r, false, &holder, &confirm_by);
    if (st == ODP_OK)
        st = odp_address_owned(a, holder);
    if (st == ODP_OK)
        st = odp_key_add(a, holder, 0, odp_public_tier(a->s), odp_key_until(a, 0, 0), 0, out);
    return st == ODP_OK
               ? odp_act_audit(a, "recover", out->record.shown, "\"new\":%lld", (long long)out->record.id)
               : st;
}

/* The key of HOLDER, who owns the address. */
static enum odp_status recover_owned(struct odp_act *a, int64_t holder, struct odp_issued *out)
{
    struct odp_key_row old;
    enum odp_status st = newest(a, holder, "1, 2", &old);
    if (st == ODP_DONE || (st == ODP_OK && old.ends > 0 && old.ends <= a->now))
        return odp_act_refuse(a, ODP_PROBLEM_TOKEN); /* its term is over */
    if (st == ODP_OK)
        st = odp_key_change(a, "state = 4", "holder = ?1 AND state IN (1, 2)", holder, NULL, 0);
    if (st == ODP_OK)
        st = odp_key_add(a, holder, old.account, old.tier, odp_key_until(a, old.ends, 0), old.ends, out);
    if (st == ODP_OK)
        st = odp_address_owned(a, holder);
    if (st == ODP_OK)
        st = odp_act_audit(a, "recover", old.shown, "\"key\":%lld,\"new\":%lld", (long long)old.id,
                           (long long)out->record.id);
    return st;
}

static enum odp_status recover(struct odp_act *a, int64_t holder, struct odp_issued *out)
{
    char email[256] = "";
    bool owned = false;
    sqlite3_stmt *row = NULL;
    enum odp_status st = odp_store_prepare(
        a->s->db, &row, "SELECT h.email, h.email_confirmed FROM holder h WHERE h.id = ? AND " RECOVERABLE,
        "i", holder);
    if (st == ODP_OK)
        st = odp_store_step(a->s->db, row);
    if (st == ODP_OK) {
        odp_store_text(row, 0, email, sizeof email);
        owned = sqlite3_column_int(row, 1) != 0;
    }
    sqlite3_finalize(row);
    if (st == ODP_DONE) /* suspended or revoked since the link was sent */
        return odp_act_refuse(a, ODP_PROBLEM_TOKEN);
    if (st != ODP_OK)
        return st;
    return owned ? recover_owned(a, holder, out) : recover_unowned(a, email, out);
}

enum odp_status odp_keys_redeem(struct odp_state *s, const char *purpose, struct odp_slice token, int64_t now,
                                const struct odp_telling *tell, struct odp_issued *out,
                                enum odp_problem *problem)
{
    struct odp_act a;
    int64_t holder = 0;
    memset(out, 0, sizeof *out);
    enum odp_status st = odp_act_begin(&a, s, "api", now, problem);
    if (st != ODP_OK)
        return st;
    bool again = strcmp(purpose, "recover") == 0;
    st = again || strcmp(purpose, "confirm") == 0 ? take_token(&a, purpose, token, &holder)
                                                  : odp_act_refuse(&a, ODP_PROBLEM_TOKEN);
    if (st == ODP_OK)
        st = again ? recover(&a, holder, out) : confirm(&a, holder, out);
    return odp_act_end_telling(&a, st, tell, out);
}
