/* May this key make this request now? One look-up, two compare-and-swaps, no lock, no system call.
 *
 * Order: unknown, revoked, suspended, expired (also: grace over), burst, daily quota. Only a request that
 * passes is counted. The burst limit is the generic cell rate algorithm in one 64-bit word of the account: N
 * requests a second, N of them at once. Who can wait takes its turn in the same word, in the order of asking:
 * at most ODP_QUOTA_WAIT_MS ahead, and ODP_QUOTA_QUEUE of an account, so that no number of connections makes
 * the queue longer.
 *
 * The daily limit is exact: of any number of takers at once on this machine, as many pass as the limit says.
 * When the clock is set back over midnight the counts already made for the next day go on; a clock that was
 * wrong by days leaves nothing that must be waited for, and the burst's bucket is out for about a second at
 * most, longer only by what the clock was set back, if that is less than the queue is long. Retry-After of a
 * spent day is midnight and 0 to 300 s, steady for an account and day: not all clients come back at once. A
 * grant remembers its account and whether it counted: giving back twice, on another day, or to a table that
 * was replaced does nothing. */
#pragma once

#include "core/keys/keytable.h"

enum odp_verdict {
    ODP_PASS,
    ODP_KEY_UNKNOWN,
    ODP_KEY_IS_REVOKED,
    ODP_KEY_IS_SUSPENDED,
    ODP_KEY_EXPIRED,
    ODP_BURST_EXCEEDED,
    ODP_QUOTA_EXCEEDED
};

struct odp_grant {
    uint32_t record; /* number in the table; UINT32_MAX when unknown */
    uint32_t day;    /* since 1970-01-01 in the portal's zone; where it counts (the next one if the clock went
                        back) */
    uint64_t account;         /* id of the key whose counters count */
    uint32_t account_record;  /* and its number in the table; UINT32_MAX when unknown */
    enum odp_verdict verdict; /* what the call returned */
    bool counted;             /* give_back takes it off again, once */
    uint8_t tier;
    int64_t limit; /* of the day; -1: unlimited */
    int64_t
        remaining; /* after this request; the rest of the day when the burst was exceeded; -1: unlimited */
    int64_t reset; /* seconds to midnight, at least 1 */
    int64_t retry_after; /* seconds, for 429; on a spent day up to 300 s past midnight, steady for an account
                            and day */
    int64_t wait_ms;     /* until it is this request's turn; 0: it is */
    char shown[ODP_KEY_SHOWN + 1];
};

/* Days since 1970-01-01, and seconds left of the day, at NOW (Unix seconds) in a zone ZONE_MINUTES east of
 * UTC. */
uint32_t odp_quota_day(int64_t now, int32_t zone_minutes);
int64_t odp_quota_reset(int64_t now, int32_t zone_minutes);

/* NOW_MS: Unix milliseconds. G is filled as far as known in every case. SETTINGS: a copy the caller refreshes
 * about once a second. */
enum odp_verdict odp_quota_take(struct odp_keytable *t, const struct odp_settings *settings,
                                const uint8_t digest[ODP_SHA256_SIZE], int64_t now_ms, struct odp_grant *g);
/* The same for callers that can wait: a request over the burst passes, counted, with G->wait_ms where its
 * turn comes soon enough. */
enum { ODP_QUOTA_WAIT_MS = 5000, ODP_QUOTA_QUEUE = 100 };
enum odp_verdict odp_quota_queue(struct odp_keytable *t, const struct odp_settings *settings,
                                 const uint8_t digest[ODP_SHA256_SIZE], int64_t now_ms, struct odp_grant *g);
/* The same without counting, for usage: it judges by the day's limit only. */
enum odp_verdict odp_quota_look(const struct odp_keytable *t, const struct odp_settings *settings,
                                const uint8_t digest[ODP_SHA256_SIZE], int64_t now_ms, struct odp_grant *g);
/* The request turned out not to count (304, 5xx): takes it off again if the day is still the same, and
 * corrects G. */
void odp_quota_give_back(struct odp_keytable *t, struct odp_grant *g);

/* Header values (draft-ietf-httpapi-ratelimit-headers-10): "daily";q=1000;w=86400, "burst";q=5;w=1 and
 * "daily";r=999;t=36000 (followed by "burst";r=0;t=1 when that was exceeded). Empty without a limit, for
 * unknown keys and for those that are not valid. Return their length; room for 128 is enough, and what does
 * not fit is left out altogether. */
size_t odp_quota_policy_header(const struct odp_tier_limits *tier, char *out, size_t cap);
size_t odp_quota_header(const struct odp_grant *g, char *out, size_t cap);
