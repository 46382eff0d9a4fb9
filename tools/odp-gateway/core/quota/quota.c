#include "core/quota/quota.h"

#include <stdio.h>

#include "core/keys/keytable_internal.h"

enum { DAY_SECONDS = 86400, JITTER_SECONDS = 300 };
#define SECOND     INT64_C(1000000000) /* bursts are counted in nanoseconds */
#define SKEW       (SECOND / 10)
#define NOW_MS_MAX INT64_C(9000000000000) /* the year 2255: nanoseconds still fit */

static int64_t local_time(int64_t now, int32_t zone_minutes)
{
    int64_t local = now + (int64_t)zone_minutes * 60;
    return local < 0 ? 0 : local;
}

uint32_t odp_quota_day(int64_t now, int32_t zone_minutes)
{
    return (uint32_t)(local_time(now, zone_minutes) / DAY_SECONDS) & 0xFFFFFF;
}

int64_t odp_quota_reset(int64_t now, int32_t zone_minutes)
{
    return DAY_SECONDS - local_time(now, zone_minutes) % DAY_SECONDS;
}

/* Steady for an account and day: the clients of a spent day come back spread over five minutes, not all at
 * midnight. */
static int64_t jitter(uint64_t account, uint32_t day)
{
    uint64_t x = (account ^ (uint64_t)day << 40) + UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (int64_t)((x ^ x >> 31) % (JITTER_SECONDS + 1));
}

/* ---- burst ---- */

#define WAIT (ODP_QUOTA_WAIT_MS * (SECOND / 1000))

/* Generic cell rate algorithm. The word is the time at which the bucket is full again; one request takes a
 * step out of it, and it holds a second: more than that waits, up to PATIENCE. Returns how long, -1: too
 * long. The word can be ahead by more than any queue only when the clock was set back; then it is forgotten:
 * no request waits for a time that was never right. The workers' clocks differ by some milliseconds, which
 * must not look like that: hence SKEW. */
static int64_t burst_next(uint64_t word, int64_t step, int64_t now, int64_t patience, uint64_t *next)
{
    int64_t full =
        word > (uint64_t)(now + SECOND + WAIT + SKEW) || word < (uint64_t)now ? now : (int64_t)word;
    *next = (uint64_t)(full + step);
    int64_t wait = full + step - (now + SECOND);
    return wait <= 0 ? 0 : wait <= patience ? wait : -1;
}

/* Nanoseconds to wait; -1: the burst is exceeded. QUEUE: waiting is possible. */
static int64_t burst_take(table_word *word, int64_t burst, int64_t now, bool queue)
{
    int64_t step = SECOND / burst > 0 ? SECOND / burst : 1, patience = 0, wait;
    uint64_t old = word_get(word), next;
    if (queue)
        patience = step < WAIT / ODP_QUOTA_QUEUE ? step * ODP_QUOTA_QUEUE : WAIT;
    while ((wait = burst_next(old, step, now, patience, &next)) >= 0)
        if (atomic_compare_exchange_weak_explicit(word, &old, next, memory_order_relaxed,
                                                  memory_order_relaxed))
            break;
    return wait;
}

/* ---- the day ---- */

/* The day that WORD counts at the time of DAY. A clock set back over midnight, or a worker whose clock is a
 * little behind, finds the next day's count: it goes on counting there, since starting DAY anew would forget
 * what the next day has already seen. A word still further ahead was written by a clock that was wrong, and
 * is not waited for. */
static uint32_t counting_day(uint64_t word, uint32_t day)
{
    return count_day(word) == day + 1 ? day + 1 : day;
}

/* One more. *COUNT gets all requests of that day on all machines, this one included, also when refused. */
static bool day_take(table_word *used, uint64_t elsewhere, uint32_t *day, int64_t limit, uint64_t *count)
{
    const uint32_t today = *day;
    uint64_t old = word_get(used);
    for (;;) {
        *day = counting_day(old, today);
        uint64_t mine = count_of(old, *day);
        *count = mine + count_of(elsewhere, *day);
        if (limit >= 0 && *count >= (uint64_t)limit)
            return false;
        if (atomic_compare_exchange_weak_explicit(used, &old, count_pack(*day, mine + 1),
                                                  memory_order_relaxed, memory_order_relaxed)) {
            ++*count;
            return true;
        }
    }
}

static int64_t left_of(int64_t limit, uint64_t count)
{
    return limit < 0 ? -1 : count < (uint64_t)limit ? limit - (int64_t)count : 0;
}

/* ---- verdicts ---- */

static enum odp_verdict of_state(uint64_t status, int64_t now)
{
    int64_t until = status_until(status);
    if (!status_ok(status))
        return ODP_KEY_UNKNOWN; /* torn: it lets nothing in */
    switch (status_state(status)) {
    case ODP_KEY_ACTIVE:
        return until != 0 && now >= until ? ODP_KEY_EXPIRED : ODP_PASS;
    case ODP_KEY_ROTATED: /* always has an end */
        return now >= until ? ODP_KEY_EXPIRED : ODP_PASS;
    case ODP_KEY_SUSPENDED:
        return ODP_KEY_IS_SUSPENDED;
    default:
        return ODP_KEY_IS_REVOKED;
    }
}

/* All but the counters. *LIMITS: of the key's tier. */
static enum odp_verdict identify(const struct odp_keytable *t, const struct odp_settings *s,
                                 const uint8_t digest[ODP_SHA256_SIZE], int64_t now, struct odp_grant *g,
                                 const struct odp_tier_limits **limits)
{
    static const struct odp_tier_limits nothing = {.daily = 0};
    int64_t n = odp_keytable_find(t, digest);
    memset(g, 0, sizeof *g);
    g->record = g->account_record = UINT32_MAX;
    g->limit = -1;
    g->day = odp_quota_day(now, s->zone_minutes);
    g->reset = odp_quota_reset(now, s->zone_minutes);
    g->verdict = ODP_KEY_UNKNOWN;
    if (n < 0)
        return g->verdict;
    const struct table_record *r = &t->records[n];
    uint64_t status = atomic_load_explicit(&r->status, memory_order_acquire);
    uint64_t shown[2] = {word_get(&r->shown[0]), word_get(&r->shown[1])};
    g->verdict = of_state(status, now);
    if (g->verdict == ODP_KEY_UNKNOWN)
        return g->verdict;
    g->record = (uint32_t)n;
    g->account_record = table_account(t, g->record);
    g->account = word_get(&t->records[g->account_record].id);
    /* A site may have lost a tier since: its keys get the first one's limits until the service has put them
     * right. */
    g->tier = status_tier(status) < s->ntiers && s->ntiers <= ODP_TIERS_MAX ? status_tier(status) : 0;
    *limits = s->ntiers > 0 ? &s->tiers[g->tier] : &nothing;
    g->limit = (*limits)->daily;
    memcpy(g->shown, shown, ODP_KEY_SHOWN);
    return g->verdict;
}

static enum odp_verdict settle(struct odp_grant *g, uint32_t today, enum odp_verdict v, uint64_t count)
{
    g->verdict = v;
    g->remaining = left_of(g->limit, count);
    g->reset += (int64_t)(g->day - today) * DAY_SECONDS; /* see counting_day */
    if (v == ODP_BURST_EXCEEDED)
        g->retry_after = 1;
    else if (v == ODP_QUOTA_EXCEEDED)
        g->retry_after = g->reset + jitter(g->account, g->day);
    return v;
}

static int64_t sane_ms(int64_t now_ms)
{
    return now_ms < 0 ? 0 : now_ms > NOW_MS_MAX ? NOW_MS_MAX : now_ms;
}

static enum odp_verdict take(struct odp_keytable *t, const struct odp_settings *settings,
                             const uint8_t digest[ODP_SHA256_SIZE], int64_t now_ms, bool queue,
                             struct odp_grant *g)
{
    const struct odp_tier_limits *limits;
    now_ms = sane_ms(now_ms);
    enum odp_verdict v = identify(t, settings, digest, now_ms / 1000, g, &limits);
    if (v != ODP_PASS)
        return v;
    struct table_record *account = &t->records[table_account(t, g->record)];
    uint64_t elsewhere = word_get(&account->elsewhere), count;
    uint32_t today = g->day;
    int64_t wait =
        limits->burst > 0 ? burst_take(&account->burst, limits->burst, now_ms * (SECOND / 1000), queue) : 0;
    if (wait < 0) {
        uint64_t used = word_get(&account->used);
        g->day = counting_day(used, today);
        return settle(g, today, ODP_BURST_EXCEEDED, count_of(used, g->day) + count_of(elsewhere, g->day));
    }
    g->counted = day_take(&account->used, elsewhere, &g->day, limits->daily, &count);
    if (g->counted)
        g->wait_ms = (wait + SECOND / 1000 - 1) / (SECOND / 1000);
    return settle(g, today, g->counted ? ODP_PASS : ODP_QUOTA_EXCEEDED, count);
}

enum odp_verdict odp_quota_take(struct odp_keytable *t, const struct odp_settings *settings,
                                const uint8_t digest[ODP_SHA256_SIZE], int64_t now_ms, struct odp_grant *g)
{
    return take(t, settings, digest, now_ms, false, g);
}

enum odp_verdict odp_quota_queue(struct odp_keytable *t, const struct odp_settings *settings,
                                 const uint8_t digest[ODP_SHA256_SIZE], int64_t now_ms, struct odp_grant *g)
{
    return take(t, settings, digest, now_ms, true, g);
}

enum odp_verdict odp_quota_look(const struct odp_keytable *t, const struct odp_settings *settings,
                                const uint8_t digest[ODP_SHA256_SIZE], int64_t now_ms, struct odp_grant *g)
{
    const struct odp_tier_limits *limits;
    now_ms = sane_ms(now_ms);
    enum odp_verdict v = identify(t, settings, digest, now_ms / 1000, g, &limits);
    if (g->record == UINT32_MAX)
        return v;
    const struct table_record *account = &t->records[table_account(t, g->record)];
    uint64_t used = word_get(&account->used);
    uint32_t today = g->day;
    g->day = counting_day(used, today);
    uint64_t count = count_of(used, g->day) + count_of(word_get(&account->elsewhere), g->day);
    if (v == ODP_PASS && g->limit >= 0 && count >= (uint64_t)g->limit)
        v = ODP_QUOTA_EXCEEDED;
    return settle(g, today, v, count);
}

void odp_quota_give_back(struct odp_keytable *t, struct odp_grant *g)
{
    if (!g->counted || g->record >= table_count(t))
        return;
    g->counted = false;
    struct table_record *account = &t->records[table_account(t, g->record)];
    if (word_get(&account->id) != g->account)
        return; /* another table by now */
    uint64_t old = word_get(&account->used);
    while (count_day(old) == g->day && (old & COUNT_MASK) > 0)
        if (atomic_compare_exchange_weak_explicit(&account->used, &old, old - 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            g->remaining += g->limit >= 0 && g->remaining < g->limit;
            return;
        }
}

/* ---- headers ---- */

/* RFC 9651: 15 digits. */
static long long header_number(int64_t v)
{
    return v < 0 ? 0 : v > INT64_C(999999999999999) ? INT64_C(999999999999999) : v;
}

/* N of snprintf; a value that does not fit is no value: half of one would mean something else. */
static size_t whole(int n, char *out, size_t cap)
{
    if (n >= 0 && (size_t)n < cap)
        return (size_t)n;
    if (cap > 0)
        out[0] = '\0';
    return 0;
}

size_t odp_quota_policy_header(const struct odp_tier_limits *tier, char *out, size_t cap)
{
    char daily[64] = "", burst[64] = "";
    if (tier->daily >= 0)
        (void)snprintf(daily, sizeof daily, "\"daily\";q=%lld;w=86400", header_number(tier->daily));
    if (tier->burst > 0)
        (void)snprintf(burst, sizeof burst, "\"burst\";q=%lld;w=1", header_number(tier->burst));
    return whole(snprintf(out, cap, "%s%s%s", daily, *daily != '\0' && *burst != '\0' ? ", " : "", burst),
                 out, cap);
}

size_t odp_quota_header(const struct odp_grant *g, char *out, size_t cap)
{
    const bool judged =
        g->verdict == ODP_PASS || g->verdict == ODP_BURST_EXCEEDED || g->verdict == ODP_QUOTA_EXCEEDED;
    const char *burst = g->verdict != ODP_BURST_EXCEEDED ? "" : "\"burst\";r=0;t=1";
    if (!judged || g->limit < 0)
        return whole(snprintf(out, cap, "%s", burst), out, cap);
    return whole(snprintf(out, cap, "\"daily\";r=%lld;t=%lld%s%s", header_number(g->remaining),
                          header_number(g->reset), *burst != '\0' ? ", " : "", burst),
                 out, cap);
}
