/* Holders and keys in the store: made, and changed. What is changed gets the store's next change numbers, by
 * which the table and other machines follow. */
#include "service/accounts/keys_rows.h"

#include <stdio.h>
#include <string.h>

static int64_t earliest(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

int64_t odp_key_until(const struct odp_act *a, int64_t ends, int64_t confirm_by)
{
    int64_t term = a->s->options->key_term;
    if (ends == ODP_KEY_FOR_EVER)
        return confirm_by;
    return earliest(earliest(ends, confirm_by), term > 0 ? a->now + term : 0);
}

int64_t odp_holder_add(struct odp_act *a, const struct odp_registration *r, int64_t confirm_by)
{
    char fold[256];
    odp_email_fold(r->email, fold);
    odp_act_run(a,
                "INSERT INTO holder(name, email, email_fold, organisation, purpose, confirm_by, created)"
                " VALUES(?, ?, ?, ?, ?, ?, ?)",
                "sstssii", r->name, r->email, fold, r->organisation, r->purpose, confirm_by, a->now);
    return sqlite3_last_insert_rowid(a->s->db);
}

void odp_key_add(struct odp_act *a, const struct odp_new_key *n, struct odp_issued *out)
{
    int64_t id = 0, change = 0;
    struct odp_key_record *r = &out->record;
    if (a->st == ODP_OK && odp_keytable_count(a->s->table) >= odp_keytable_capacity(a->s->table))
        (void)odp_act_refuse(a, ODP_PROBLEM_UNAVAILABLE);
    if (a->st != ODP_OK)
        return;
    memset(r, 0, sizeof *r);
    a->st = odp_key_make(out->key);
    struct odp_slice key = odp_slice_of(out->key);
    if (a->st == ODP_OK)
        a->st = odp_key_digest(key, r->digest);
    /* The next number of a kind that is never used twice. */
    (void)odp_act_row(a, "SELECT seq FROM sqlite_sequence WHERE name = 'key'", "", "i", &id);
    id++;
    (void)odp_act_row(a, "UPDATE setting SET value = value + 1 WHERE name = 'change' RETURNING value", "",
                      "i", &change);
    if (a->st == ODP_OK)
        a->st = odp_state_tier_need(a->s, n->tier, &r->tier);
    if (a->st != ODP_OK) {
        a->st = ODP_FAIL;
        return;
    }
    odp_key_shown(key, r->shown);
    r->id = (uint64_t)id;
    r->account = (uint64_t)(n->account != 0 ? n->account : id);
    r->until = n->until;
    r->state = ODP_KEY_ACTIVE;
    odp_act_run(
        a,
        "INSERT INTO key(id, holder, digest, shown, account, tier, state, created, until, ends, changed)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "iibtitiiiii", id, n->holder, (const void *)r->digest, ODP_SHA256_SIZE, r->shown, (int64_t)r->account,
        n->tier, (int64_t)ODP_KEY_ACTIVE, a->now, n->until, n->ends, change);
}

void odp_key_change(struct odp_act *a, const char *set, const char *condition, int64_t id, const char *text,
                    int64_t number)
{
    char sql[512];
    sqlite3 *db = a->s->db;
    sqlite3_stmt *stmt = NULL;
    if (a->st != ODP_OK)
        return;
    /* The subquery numbers the selected keys; it is evaluated before anything is written. */
    int n = snprintf(
        sql, sizeof sql,
        "WITH chosen(id, nth) AS MATERIALIZED (SELECT id, row_number() OVER (ORDER BY id) FROM key WHERE %s)"
        " UPDATE key SET %s, changed = (SELECT value FROM setting WHERE name = 'change') + chosen.nth"
        " FROM chosen WHERE key.id = chosen.id",
        condition, set);
    a->st = n < 0 || (size_t)n >= sizeof sql ? odp_failure_set("change keys", NULL, 0)
                                             : odp_store_prepare(db, &stmt, sql, "");
    if (a->st != ODP_OK)
        return;
    (void)sqlite3_bind_int64(stmt, 1, id);
    if (sqlite3_bind_parameter_count(stmt) >= 2)
        (void)sqlite3_bind_int64(stmt, 2, number);
    if (sqlite3_bind_parameter_count(stmt) >= 3)
        (void)sqlite3_bind_text(stmt, 3, text, -1, SQLITE_TRANSIENT);
    while (a->st == ODP_OK)
        a->st = odp_store_step(db, stmt);
    sqlite3_finalize(stmt);
    a->st = a->st == ODP_DONE ? ODP_OK : a->st;
    odp_act_run(a,
                "UPDATE setting SET value = max(value, (SELECT coalesce(max(changed), 0) FROM key)) "
                "WHERE name = 'change'",
                "");
}
