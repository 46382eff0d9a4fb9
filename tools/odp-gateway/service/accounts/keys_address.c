/* Who owns an address: the one who confirms it. A registration that nobody confirmed uses the address without
 * owning it, and blocks nobody: others may register with the same address, and each gets a link of
 * its own. With the first link that is used the others lose the address and run out. What an operator did (a
 * key made, a tier given) stays.
 *
 * And the one-time links themselves: only the SHA-256 of a token is stored; it is deleted by its use. */
#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "service/accounts/keys_internal.h"

/* From the holders of ?1's address those that nobody confirmed and no operator had a hand in; ?2: the tier of
 * registrations. */
#define STRANGERS                                                                                            \
    " FROM holder h WHERE h.email_fold <> '' AND h.email_fold = (SELECT email_fold FROM holder WHERE id = "  \
    "?1)"                                                                                                    \
    " AND h.email_confirmed = 0 AND NOT EXISTS"                                                              \
    " (SELECT 1 FROM key k WHERE k.holder = h.id AND k.state <> 4 AND (k.ends <> 0 OR k.tier <> ?2))"

const char *odp_public_tier(const struct odp_state *s)
{
    return s->settings.ntiers == 0 || odp_state_tier(s, "public") >= 0 ? "public" : s->settings.tiers[0].name;
}

static const char registered[] =
    "SELECT count(*) FROM holder h JOIN key k ON k.holder = h.id WHERE h.email_fold = ?1 AND h.email_fold <> "
    "''"
    " AND h.email_confirmed = 1 AND ((k.state = 1 AND (k.until = 0 OR k.until > ?2)) OR k.state = 3)";

void odp_address_check(struct odp_act *a, struct odp_slice email)
{
    char fold[256];
    odp_email_fold(email, fold);
    int64_t n = odp_sql_number(&a->q, registered, "ti", fold, a->now);
    odp_act_refuse_if(a, n > 0, ODP_PROBLEM_EMAIL_REGISTERED);
}

/* All but the newest SPARED strangers run out in some days. The deadline is that of --confirm-email: rotating
 * a key does not lengthen it, and confirming the address lifts it. */
static void run_out(struct odp_act *a, int64_t holder, int64_t spared)
{
    int64_t end = a->now + ODP_CONFIRM_TERM;
    odp_sql_run(&a->q,
                "UPDATE holder SET confirm_by = ?3 WHERE id IN (SELECT h.id" STRANGERS
                " AND (h.confirm_by = 0 OR h.confirm_by > ?3)"
                " AND EXISTS (SELECT 1 FROM key k WHERE k.holder = h.id AND k.state <> 4)"
                " ORDER BY h.id DESC LIMIT -1 OFFSET ?4)",
                "itii", holder, odp_public_tier(a->s), end, spared);
    int others = a->q.st == ODP_OK ? sqlite3_changes(a->s->db) : 0;
    if (others == 0)
        return;
    odp_key_change(
        a, "until = number",
        "state <> 4 AND (until = 0 OR until > ?2) AND holder IN (SELECT id FROM holder WHERE confirm_by = ?2"
        " AND email_fold <> '' AND email_fold = (SELECT email_fold FROM holder WHERE id = ?1))",
        holder, end);
    odp_act_note(a, "address.end", "", "\"holder\":%lld,\"others\":%d", (long long)holder, others);
}

void odp_address_crowded(struct odp_act *a, int64_t holder)
{
    run_out(a, holder, ODP_UNCONFIRMED_MAX);
}

/* HOLDER has shown that mail to the address arrives: it is confirmed, and no other holder's any more. */
static void own_address(struct odp_act *a, int64_t holder)
{
    const char *tier = odp_public_tier(a->s);
    odp_sql_run(&a->q, "UPDATE holder SET email_confirmed = 1, confirm_by = 0 WHERE id = ?", "i", holder);
    run_out(a, holder, 0);
    odp_sql_run(&a->q, "DELETE FROM token WHERE holder IN (SELECT h.id" STRANGERS ")", "it", holder, tier);
    odp_sql_run(&a->q, "UPDATE holder SET email = '', email_fold = '' WHERE id IN (SELECT h.id" STRANGERS ")",
                "it", holder, tier);
}

/* ---- links ---- */

void odp_token_add(struct odp_act *a, const char *purpose, int64_t holder, const char *email, int64_t term,
                   char token[64])
{
    enum { CHARACTERS = 43 }; /* 256 bits */
    uint8_t digest[ODP_SHA256_SIZE];
    if (a->q.st == ODP_OK)
        a->q.st = odp_random_base62(token, CHARACTERS);
    if (a->q.st != ODP_OK)
        return;
    a->q.st = odp_digest_of(token, CHARACTERS, digest);
    odp_sql_run(&a->q, "DELETE FROM token WHERE holder = ? AND purpose = ?", "it", holder, purpose);
    odp_sql_run(
        &a->q, "INSERT INTO token(digest, purpose, holder, email, created, until) VALUES(?, ?, ?, ?, ?, ?)",
        "btitii", (const void *)digest, ODP_SHA256_SIZE, purpose, holder, email, a->now, a->now + term);
}

/* A holder who has something to recover: keys in use or expired (of an address that nobody confirmed:
 * registered ones, not what an operator made), and no owner of the address is suspended. */
#define RECOVERABLE                                                                                          \
    "h.erased = 0 AND EXISTS (SELECT 1 FROM key k WHERE k.holder = h.id AND k.state IN (1, 2)"               \
    " AND (h.email_confirmed = 1 OR k.ends = 0)) AND NOT EXISTS (SELECT 1 FROM key k JOIN holder o ON o.id " \
    "= k.holder"                                                                                             \
    " WHERE o.email_fold = h.email_fold AND o.email_fold <> '' AND o.email_confirmed = 1 AND k.state = 3)"

static void ask(struct odp_act *a, struct odp_slice email, struct odp_issued *out)
{
    char fold[256];
    int64_t holder = 0;
    odp_email_fold(email, fold);
    if (!odp_sql_row(&a->q,
                     "SELECT h.id, h.email FROM holder h WHERE h.email_fold = ? AND h.email_fold <> '' "
                     "AND " RECOVERABLE " ORDER BY h.email_confirmed DESC, h.id DESC LIMIT 1",
                     "t", "it", fold, &holder, out->email, sizeof out->email))
        return;
    odp_token_add(a, "recover", holder, out->email, ODP_RECOVER_TERM, out->token);
    odp_act_note(a, "recover.ask", "", "\"holder\":%lld", (long long)holder);
}

enum odp_status odp_keys_ask_recovery(struct odp_state *s, struct odp_slice email, int64_t now,
                                      struct odp_issued *out)
{
    struct odp_act a;
    struct odp_order order = {.actor = "api", .now = now};
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, &order) != ODP_OK)
        return a.q.st;
    if (email.len < 256)
        ask(&a, email, out);
    enum odp_status st = odp_act_end(&a, NULL);
    if (st != ODP_OK)
        explicit_bzero(out, sizeof *out);
    return st;
}

/* ---- using them ---- */

static int64_t take_token(struct odp_act *a, const char *purpose, struct odp_slice token)
{
    uint8_t digest[ODP_SHA256_SIZE];
    int64_t holder = 0, until = 0;
    if (a->q.st == ODP_OK)
        a->q.st = odp_digest_of(token.ptr, token.len, digest);
    bool found = odp_sql_row(&a->q,
                             "SELECT t.holder, t.until FROM token t JOIN holder h ON h.id = t.holder"
                             " WHERE t.digest = ? AND t.purpose = ? AND h.erased = 0",
                             "bt", "ii", (const void *)digest, ODP_SHA256_SIZE, purpose, &holder, &until);
    odp_act_refuse_if(a, !found || until <= a->now, ODP_PROBLEM_TOKEN);
    odp_sql_run(&a->q, "DELETE FROM token WHERE digest = ?", "b", (const void *)digest, ODP_SHA256_SIZE);
    return holder;
}

/* The newest key of HOLDER in one of the states that SQL names; id 0: there is none. */
static struct odp_key_row newest(struct odp_act *a, int64_t holder, const char *states)
{
    char sql[128];
    (void)snprintf(sql, sizeof sql,
                   "SELECT id FROM key WHERE holder = ? AND state IN (%s) ORDER BY id DESC LIMIT 1", states);
    int64_t id = odp_sql_number(&a->q, sql, "i", holder);
    return id != 0 ? odp_act_key(a, id) : (struct odp_key_row){0};
}

/* The deadline is lifted: of the key that is in use, and of those that follow it. */
static void confirm(struct odp_act *a, int64_t holder, struct odp_issued *out)
{
    int64_t deadline = odp_sql_number(&a->q, "SELECT confirm_by FROM holder WHERE id = ?", "i", holder);
    own_address(a, holder);
    struct odp_key_row k = newest(a, holder, "1, 2, 3, 4");
    out->record.id = (uint64_t)k.id;
    if (k.id != 0 && deadline != 0 && k.state != ODP_KEY_REVOKED && k.until == deadline) {
        int64_t term =
            a->s->options->key_term; /* only registrations have a deadline: no term of an operator's */
        out->record.until = term > 0 ? k.created + term : 0;
        odp_key_change(a, "until = number", "id = ?1", k.id, out->record.until);
    }
    odp_act_note(a, "confirm", k.shown, "\"holder\":%lld", (long long)holder);
}

/* The first key of an address that nobody had confirmed. Of its holder the address is known, and nothing
 * else: name, account and webhooks of the registrations so far may be a stranger's. */
static void recover_unowned(struct odp_act *a, const char *email, struct odp_issued *out)
{
    const struct odp_registration r = {.name = odp_slice_of(email), .email = odp_slice_of(email)};
    odp_address_check(a, r.email);
    if (a->q.st == ODP_BAD) {
        odp_act_refuse(a, ODP_PROBLEM_TOKEN); /* somebody confirmed it since the link was sent */
        return;
    }
    int64_t holder = odp_holder_add(a, &r, 0);
    own_address(a, holder);
    odp_key_add(a,
                &(struct odp_new_key){
                    .holder = holder, .tier = odp_public_tier(a->s), .until = odp_key_until(a, 0, 0)},
                out);
    odp_act_note(a, "recover", out->record.shown, "\"new\":%lld", (long long)out->record.id);
}

/* The key of HOLDER, who owns the address. */
static void recover_owned(struct odp_act *a, int64_t holder, struct odp_issued *out)
{
    struct odp_key_row old = newest(a, holder, "1, 2");
    bool over = old.ends > 0 && old.ends <= a->now;
    odp_act_refuse_if(a, old.id == 0 || over, ODP_PROBLEM_TOKEN);
    odp_key_change(a, "state = 4", "holder = ?1 AND state IN (1, 2)", holder, 0);
    odp_key_add(a,
                &(struct odp_new_key){.holder = holder,
                                      .account = old.account,
                                      .tier = old.tier,
                                      .until = odp_key_until(a, old.ends, 0),
                                      .ends = old.ends},
                out);
    own_address(a, holder);
    odp_act_note(a, "recover", old.shown, "\"key\":%lld,\"new\":%lld", (long long)old.id,
                 (long long)out->record.id);
}

static void recover(struct odp_act *a, int64_t holder, struct odp_issued *out)
{
    char email[256] = "";
    bool owned = false;
    if (odp_sql_row(&a->q, "SELECT h.email, h.email_confirmed FROM holder h WHERE h.id = ? AND " RECOVERABLE,
                    "i", "tf", holder, email, sizeof email, &owned)) {
        if (owned)
            recover_owned(a, holder, out);
        else
            recover_unowned(a, email, out);
    } else { /* suspended or revoked since the link was sent */
        odp_act_refuse_if(a, true, ODP_PROBLEM_TOKEN);
    }
}

enum odp_status odp_keys_redeem(struct odp_state *s, struct odp_order *o, const char *purpose,
                                struct odp_slice token, struct odp_issued *out)
{
    struct odp_act a;
    bool again = strcmp(purpose, "recover") == 0;
    memset(out, 0, sizeof *out);
    if (odp_act_begin(&a, s, o) != ODP_OK)
        return a.q.st;
    odp_act_refuse_if(&a, !again && strcmp(purpose, "confirm") != 0, ODP_PROBLEM_TOKEN);
    int64_t holder = take_token(&a, purpose, token);
    if (a.q.st == ODP_OK)
        (again ? recover : confirm)(&a, holder, out);
    return odp_act_end(&a, out);
}
