/* Whose an address is: who confirms it owns it. A registration that nobody confirmed uses the address without
 * owning it, so it stands in nobody's way: others may register with the same address, and each gets a link of
 * its own. With the first link that is used the others lose the address and run out. What an operator had a
 * hand in (a key that he made, a tier that he gave) is his affair, and stays. */
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

enum odp_status odp_address_check(struct odp_act *a, struct odp_slice email)
{
    char fold[256];
    int64_t n = 0;
    odp_email_fold(email, fold);
    enum odp_status st = odp_store_number(
        a->s->db, &n,
        "SELECT count(*) FROM holder h JOIN key k ON k.holder = h.id WHERE h.email_fold = ?1 AND "
        "h.email_fold <> ''"
        " AND h.email_confirmed = 1 AND ((k.state = 1 AND (k.until = 0 OR k.until > ?2)) OR k.state = 3)",
        "ti", fold, a->now);
    return st == ODP_OK && n > 0 ? odp_act_refuse(a, ODP_PROBLEM_EMAIL_REGISTERED) : st;
}

/* All but the newest SPARED strangers run out in some days. The deadline is that of --confirm-email: rotating
 * a key does not lengthen it, and confirming the address lifts it. */
static enum odp_status run_out(struct odp_act *a, int64_t holder, int64_t spared)
{
    int64_t end = a->now + ODP_CONFIRM_TERM;
    enum odp_status st = odp_store_run(a->s->db,
                                       "UPDATE holder SET confirm_by = ?3 WHERE id IN (SELECT h.id" STRANGERS
                                       " AND (h.confirm_by = 0 OR h.confirm_by > ?3)"
                                       " AND EXISTS (SELECT 1 FROM key k WHERE k.holder = h.id AND k.state "
                                       "<> 4) ORDER BY h.id DESC LIMIT -1 OFFSET ?4)",
                                       "itii", holder, odp_public_tier(a->s), end, spared);
    int others = st == ODP_OK ? sqlite3_changes(a->s->db) : 0;
    if (others == 0)
        return st;
    st = odp_key_change(
        a, "until = ?2",
        "state <> 4 AND (until = 0 OR until > ?2) AND holder IN (SELECT id FROM holder WHERE confirm_by = ?2"
        " AND email_fold <> '' AND email_fold = (SELECT email_fold FROM holder WHERE id = ?1))",
        holder, NULL, end);
    return st == ODP_OK ? odp_act_audit(a, "address.end", "", "\"holder\":%lld,\"others\":%d",
                                        (long long)holder, others)
                        : st;
}

enum odp_status odp_address_crowded(struct odp_act *a, int64_t holder)
{
    return run_out(a, holder, ODP_UNCONFIRMED_MAX);
}

enum odp_status odp_address_owned(struct odp_act *a, int64_t holder)
{
    const char *tier = odp_public_tier(a->s);
    enum odp_status st = odp_store_run(
        a->s->db, "UPDATE holder SET email_confirmed = 1, confirm_by = 0 WHERE id = ?", "i", holder);
    if (st == ODP_OK)
        st = run_out(a, holder, 0);
    if (st == ODP_OK)
        st = odp_store_run(a->s->db, "DELETE FROM token WHERE holder IN (SELECT h.id" STRANGERS ")", "it",
                           holder, tier);
    if (st == ODP_OK)
        st = odp_store_run(
            a->s->db, "UPDATE holder SET email = '', email_fold = '' WHERE id IN (SELECT h.id" STRANGERS ")",
            "it", holder, tier);
    return st;
}
