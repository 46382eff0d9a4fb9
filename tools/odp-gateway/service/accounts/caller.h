/* Who calls: the key of the Authorization header, how often an address may try, how a key looks in an answer,
 * and its usage. */
#pragma once

#include "core/quota/quota.h"
#include "service/accounts/keys.h"
#include "service/http/http.h"
#include "service/state/limit.h"

/* Whether the client may try again: false and answered (429): too often. COUNT false only looks. */
bool odp_http_allowed(struct odp_answer *a, enum odp_limit_kind kind, bool count);

/* Counts a wrong key or token, so that guessing slows down. */
void odp_http_failed_attempt(const struct odp_answer *a);

/* Whether another mail of KIND may go to that address, no matter who asks for it. Counted. */
bool odp_http_mail_allowed(const struct odp_answer *a, enum odp_limit_kind kind, struct odp_slice email);

/* The key of an Authorization header, known and not refused (a spent quota does not matter here). BAD:
 * answered. */
struct odp_caller {
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_grant grant;
    struct odp_key_info info;
    struct odp_settings settings;
};
enum odp_status odp_http_caller(struct odp_answer *a, struct odp_caller *who) ODP_MUST_USE;
/* The problem of an Authorization header's form, or -1; *KEY is its key. */
int odp_http_bearer(const struct odp_call *c, struct odp_slice *key);

/* The limits of the tier NUMBER; of one that does not exist: a tier named "unknown". */
const struct odp_tier_limits *odp_http_tier(const struct odp_settings *settings, unsigned number);
/* One key as the answers show it: tier, limit (null: unlimited), used, burst, concurrent, reset. */
json_t *odp_http_key_row(const struct odp_settings *settings, unsigned tier, uint64_t used, int64_t now);
/* N, or null where that means no limit. */
json_t *odp_json_limit(int64_t n, bool unlimited);
json_t *odp_json_time(int64_t t, int32_t zone_minutes); /* RFC 3339; 0: null */

/* Requests of the last ODP_USAGE_DAYS days, the oldest first, the last one today's; FIRST gets the number of
 * the first day. */
enum { ODP_USAGE_DAYS = 30 };
enum odp_status odp_http_usage(struct odp_state *s, const struct odp_caller *who,
                               uint64_t counts[ODP_USAGE_DAYS], int64_t *first) ODP_MUST_USE;
