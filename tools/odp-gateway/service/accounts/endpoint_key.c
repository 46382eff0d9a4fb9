/* /auth/key and /auth/rotate: a holder's own key. */
#include <string.h>

#include "service/accounts/accounts_internal.h"
#include "service/state/store.h"
#include "words/accounts.h"

/* Days without requests too; today's comes from the table, which is ahead of the store. */
enum odp_status odp_http_usage(struct odp_state *s, const struct odp_caller *who, uint64_t counts[ODP_USAGE_DAYS], int64_t *first)
{
    int64_t today = who->grant.day;
    sqlite3_stmt *st = NULL;
    *first = today - ODP_USAGE_DAYS + 1;
    memset(counts, 0, ODP_USAGE_DAYS * sizeof *counts);
    pthread_mutex_lock(&s->mutex);
    enum odp_status r = odp_store_prepare(
        s->db, &st, "SELECT day, sum(count) FROM usage_key WHERE account = ? AND day >= ? AND day <= ? GROUP BY day", "iii",
        who->info.account, *first, today);
    while (r == ODP_OK && (r = odp_store_step(s->db, st)) == ODP_OK)
        counts[sqlite3_column_int64(st, 0) - *first] = (uint64_t)sqlite3_column_int64(st, 1);
    sqlite3_finalize(st);
    pthread_mutex_unlock(&s->mutex);
    counts[ODP_USAGE_DAYS - 1] = who->info.used;
    return r == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static enum odp_status usage(struct odp_state *s, const struct odp_caller *who, json_t *row)
{
    uint64_t counts[ODP_USAGE_DAYS];
    int64_t first;
    if (odp_http_usage(s, who, counts, &first) != ODP_OK)
        return ODP_FAIL;
    json_t *list = json_array();
    int e = 0;
    for (int i = 0; i < ODP_USAGE_DAYS && e == 0; i++) {
        char date[ODP_TIME_SIZE];
        odp_day_iso(first + i, date);
        e = json_array_append_new(list, json_pack("{s:s, s:I}", "date", date, "requests", (json_int_t)counts[i]));
    }
    if (e == 0)
        return json_object_set_new(row, "usage", list) == 0 ? ODP_OK : odp_failure_set("answer", NULL, 0);
    json_decref(list);
    return odp_failure_set("answer", NULL, 0);
}

static json_t *row_of(const struct odp_call *c, const struct odp_caller *who)
{
    int32_t zone = who->settings.zone_minutes;
    const struct odp_key_info *k = &who->info;
    json_t *row = odp_http_key_row(&who->settings, who->grant.tier, k->used, c->now);
    int e = row == NULL ? -1
                        : json_object_set_new(row, "key", json_string(k->shown)) |
                              json_object_set_new(row, "state", json_string(k->state)) |
                              odp_json_time(row, "created", k->created, zone) | odp_json_time(row, "expires", k->until, zone) |
                              json_object_set_new(row, "email_confirmed", json_boolean(k->email_confirmed));
    if (e == 0)
        return row;
    json_decref(row);
    return NULL;
}

enum odp_status odp_endpoint_key(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    struct odp_caller who;
    enum odp_status st = odp_http_caller(s, c, a, &who);
    if (st != ODP_OK)
        return st;
    json_t *row = row_of(c, &who);
    if (row == NULL || usage(s, &who, row) != ODP_OK) {
        json_decref(row);
        return odp_failure_set("answer", NULL, 0);
    }
    odp_answer_header(a, "Cache-Control", "private, no-store");
    return odp_answer_data_take(a, 200, row);
}

enum odp_status odp_endpoint_revoke(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    struct odp_caller who;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = odp_http_caller(s, c, a, &who);
    if (st != ODP_OK)
        return st;
    /* The answer first: when there is no memory for it, nothing has happened. */
    st = odp_answer_data_take(a, 200, json_pack("{s:s, s:s}", "key", who.info.shown, "state", "revoked"));
    if (st == ODP_OK)
        st = odp_keys_set_state(s, who.info.id, ODP_KEY_REVOKED, "api", c->now, NULL, &problem);
    if (st == ODP_BAD)
        odp_answer_problem(a, s, c, problem, NULL, NULL);
    if (st == ODP_OK)
        odp_answer_header(a, "Cache-Control", "no-store");
    return st;
}

static enum odp_status answer_rotated(const struct odp_call *c, struct odp_answer *a, const struct odp_caller *who,
                                      const struct odp_issued *k, int64_t grace)
{
    int32_t zone = who->settings.zone_minutes;
    json_t *row = odp_http_key_row(&who->settings, k->record.tier, who->info.used, c->now);
    int e = row == NULL ? -1
                        : json_object_set_new(row, "key", json_string(k->key)) | odp_json_time(row, "created", c->now, zone) |
                              odp_json_time(row, "expires", k->record.until, zone) |
                              odp_json_time(row, "previous_valid_until", c->now + grace, zone);
    odp_answer_header(a, "Cache-Control", "no-store");
    if (e == 0)
        return odp_answer_data_take(a, 201, row);
    json_decref(row);
    return odp_failure_set("answer", NULL, 0);
}

enum odp_status odp_http_rotate(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, const struct odp_caller *who, int64_t grace,
                                const struct odp_telling *tell, struct odp_issued *k)
{
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    if (strcmp(who->info.state, "active") != 0) {
        odp_answer_problem(a, s, c, ODP_PROBLEM_CONFLICT, NULL,
                           odp_say(c, W_accounts_key_replaced_already_use_one));
        return ODP_BAD;
    }
    enum odp_status st = odp_keys_rotate(s, who->digest, grace, "api", c->now, tell, k, &problem);
    if (st == ODP_BAD)
        odp_answer_problem(a, s, c, problem, NULL, NULL);
    return st;
}

struct telling {
    const struct odp_call *c;
    struct odp_answer *a;
    const struct odp_caller *who;
    int64_t grace;
};

static enum odp_status tell(void *ctx, const struct odp_issued *k)
{
    const struct telling *t = ctx;
    return answer_rotated(t->c, t->a, t->who, k, t->grace);
}

static enum odp_status rotate(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, const struct odp_caller *who,
                              int64_t grace)
{
    struct odp_issued k = {0};
    struct telling t = {c, a, who, grace};
    enum odp_status st = odp_http_rotate(s, c, a, who, grace, &(struct odp_telling){tell, &t}, &k);
    explicit_bzero(&k, sizeof k);
    return st;
}

enum odp_status odp_endpoint_rotate(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    struct odp_caller who;
    struct odp_member_value value;
    json_t *doc = NULL;
    int64_t grace = s->options->grace > 0 ? s->options->grace : 0;
    const struct odp_member fields[] = {{"grace_hours", ODP_FIELD_NUMBER, false, (grace + 3599) / 3600}};
    enum odp_status st = odp_http_caller(s, c, a, &who);
    if (st == ODP_OK)
        st = odp_http_body(s, c, a, fields, 1, &value, &doc);
    if (st == ODP_OK && value.number >= 0 && value.number * 3600 < grace)
        grace = value.number * 3600;
    if (st == ODP_OK)
        st = rotate(s, c, a, &who, grace);
    json_decref(doc);
    return st;
}
