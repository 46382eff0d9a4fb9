/* Who calls: the key of the Authorization header, how a key looks in an answer, and its usage by day. */
#include <string.h>

#include "service/accounts/caller.h"
#include "service/http/text.h"
#include "service/http/web.h"
#include "service/state/store.h"

enum { ATTEMPTS_HOURLY = 100, RECOVER_HOURLY = 20, EMAIL_HOURLY = 3 };

/* How often an address may try in an hour. Limits of accounts: webhooks/endpoint_call.c. */
static int64_t hourly(const struct odp_state *s, enum odp_limit_kind kind)
{
    const struct odp_service_options *o = s->options;
    switch (kind) {
    case ODP_LIMIT_REGISTER:
        return o != NULL ? o->registrations : 0;
    case ODP_LIMIT_RECOVER:
        return RECOVER_HOURLY;
    case ODP_LIMIT_RECOVER_EMAIL:
    case ODP_LIMIT_CONFIRM_EMAIL:
        return EMAIL_HOURLY;
    case ODP_LIMIT_FAILED:
        return o != NULL && o->attempts > 0 ? o->attempts : ATTEMPTS_HOURLY;
    default:
        return 0;
    }
}

/* Takes one of the client's tries, or (COUNT false) only looks whether there is one. */
static bool attempt(const struct odp_answer *a, enum odp_limit_kind kind, bool count, int64_t *retry)
{
    char client[ODP_CLIENT_SIZE];
    if (a->s->web == NULL)
        return true;
    struct odp_slice who = {client, odp_limit_client(a->c->client, client)};
    return (count ? odp_limit_take : odp_limit_look)(a->s->web->limit, kind, who, hourly(a->s, kind),
                                                     odp_call_ms(a->c), retry);
}

bool odp_http_allowed(struct odp_answer *a, enum odp_limit_kind kind, bool count)
{
    int64_t retry = 0;
    if (attempt(a, kind, count, &retry))
        return true;
    odp_answer_wait(a, kind == ODP_LIMIT_REGISTER ? ODP_PROBLEM_REGISTRATION_RATE : ODP_PROBLEM_ATTEMPT_RATE,
                    retry);
    return false;
}

void odp_http_failed_attempt(const struct odp_answer *a)
{
    int64_t retry;
    (void)attempt(a, ODP_LIMIT_FAILED, true, &retry);
}

bool odp_http_mail_allowed(const struct odp_answer *a, enum odp_limit_kind kind, struct odp_slice email)
{
    char fold[256];
    int64_t retry = 0;
    odp_email_fold(email, fold);
    return a->s->web == NULL || odp_limit_take(a->s->web->limit, kind, odp_slice_of(fold), hourly(a->s, kind),
                                               odp_call_ms(a->c), &retry);
}

int odp_http_bearer(const struct odp_call *c, struct odp_slice *key)
{
    if (c->ambiguous)
        return ODP_PROBLEM_BAD_REQUEST;
    switch (odp_bearer_parse(c->authorization, key)) {
    case ODP_BEARER_NONE:
    case ODP_BEARER_OTHER:
        return ODP_PROBLEM_KEY_MISSING;
    case ODP_BEARER_MALFORMED:
        return ODP_PROBLEM_KEY_MALFORMED;
    case ODP_BEARER_OK:
        break;
    }
    return odp_key_ok(*key) ? -1 : ODP_PROBLEM_KEY_MALFORMED;
}

static enum odp_status refuse(struct odp_answer *a, enum odp_problem p)
{
    if (p != ODP_PROBLEM_KEY_MISSING)
        odp_http_failed_attempt(a);
    odp_answer_problem(a, p, NULL, NULL);
    return ODP_BAD;
}

enum odp_status odp_http_caller(struct odp_answer *a, struct odp_caller *who)
{
    struct odp_slice key;
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    if (!odp_http_allowed(a, ODP_LIMIT_FAILED, false))
        return ODP_BAD;
    int p = odp_http_bearer(a->c, &key);
    if (p >= 0)
        return refuse(a, (enum odp_problem)p);
    if (odp_key_digest(key, who->digest) != ODP_OK)
        return ODP_FAIL;
    odp_http_settings(a->s, &who->settings);
    enum odp_verdict v =
        odp_quota_look(a->s->table, &who->settings, who->digest, odp_call_ms(a->c), &who->grant);
    if (v != ODP_PASS && v != ODP_BURST_EXCEEDED && v != ODP_QUOTA_EXCEEDED)
        return refuse(a, odp_problem_of_verdict(v));
    enum odp_status st = odp_keys_info(a->s, who->digest, a->c->now, &who->info, &problem);
    if (st == ODP_BAD)
        return refuse(a, problem == ODP_PROBLEM_NOT_FOUND ? ODP_PROBLEM_KEY_UNKNOWN : problem);
    return st;
}

json_t *odp_json_time(int64_t t, int32_t zone_minutes)
{
    char text[ODP_TIME_SIZE];
    odp_time_iso(t, zone_minutes, text);
    return t != 0 ? json_string(text) : json_null();
}

json_t *odp_json_limit(int64_t n, bool unlimited)
{
    return unlimited ? json_null() : json_integer(n);
}

const struct odp_tier_limits *odp_http_tier(const struct odp_settings *settings, unsigned number)
{
    static const struct odp_tier_limits unknown = {.name = "unknown"};
    return number < settings->ntiers && number < ODP_TIERS_MAX ? &settings->tiers[number] : &unknown;
}

json_t *odp_http_key_row(const struct odp_settings *settings, unsigned tier, uint64_t used, int64_t now)
{
    const struct odp_tier_limits *t = odp_http_tier(settings, tier);
    int32_t zone = settings->zone_minutes;
    return json_pack("{s:s, s:o, s:I, s:o, s:o, s:o}", "tier", t->name, "limit",
                     odp_json_limit(t->daily, t->daily < 0), "used", (json_int_t)used, "burst",
                     odp_json_limit(t->burst, t->burst <= 0), "concurrent",
                     odp_json_limit(t->concurrent, t->concurrent <= 0), "reset",
                     odp_json_time(now + odp_quota_reset(now, zone), zone));
}

/* Days without requests too; today's comes from the table, which is ahead of the store. */
enum odp_status odp_http_usage(struct odp_state *s, const struct odp_caller *who,
                               uint64_t counts[ODP_USAGE_DAYS], int64_t *first)
{
    int64_t today = who->grant.day, day, count;
    struct odp_sql q = {.db = s->db};
    *first = today - ODP_USAGE_DAYS + 1;
    memset(counts, 0, ODP_USAGE_DAYS * sizeof *counts);
    pthread_mutex_lock(&s->mutex);
    odp_sql_select(
        &q, "SELECT day, sum(count) FROM usage_key WHERE account = ? AND day >= ? AND day <= ? GROUP BY day",
        "iii", who->info.account, *first, today);
    while (odp_sql_next(&q, "ii", &day, &count))
        counts[day - *first] = (uint64_t)count;
    pthread_mutex_unlock(&s->mutex);
    counts[ODP_USAGE_DAYS - 1] = who->info.used;
    return q.st;
}
