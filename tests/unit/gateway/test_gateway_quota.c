/* Verdicts: states, the day's limit to the request, bursts, midnight in Jakarta, clocks that go back, and the
 * headers. */
#include "gateway_table_fixture.h"

#include <pthread.h>

#include "core/quota/quota.h"

#define MIDNIGHT INT64_C(1710435600) /* 2024-03-15 00:00:00 in Jakarta, 2024-03-14 17:00:00 UTC */
#define NOON     (MIDNIGHT + 43200)
enum { JAKARTA = 420, DAY = 19797 };

static struct odp_keytable *table;
static struct odp_settings settings;

static int set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    settings = (struct odp_settings){
        .tiers = {{"public", 10, 0, 0}, {"bursting", -1, 5, 0}, {"both", 8, 5, 0}, {"free", -1, 0, 0}},
        .ntiers = 4,
        .zone_minutes = JAKARTA};
    if (odp_keytable_create(fixture_path, 100, &settings) != ODP_OK ||
        odp_keytable_open(&table, fixture_path, NULL) != ODP_OK)
        return -1;
    for (uint8_t tier = 0; tier < 4; tier++) {
        struct odp_key_record r = fixture_key(tier);
        r.tier = tier;
        if (odp_keytable_put(table, &r) != ODP_OK)
            return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    odp_keytable_close(table);
    return fixture_tear_down(state);
}

static enum odp_verdict take_ms(uint64_t key, int64_t now_ms, struct odp_grant *g)
{
    struct odp_key_record r = fixture_key(key);
    enum odp_verdict v = odp_quota_take(table, &settings, r.digest, now_ms, g);
    assert_int_equal(v, g->verdict);
    assert_int_equal(g->counted, v == ODP_PASS);
    return v;
}

static enum odp_verdict take(uint64_t key, int64_t now, struct odp_grant *g)
{
    return take_ms(key, now * 1000, g);
}

static enum odp_verdict look(uint64_t key, int64_t now, struct odp_grant *g)
{
    struct odp_key_record r = fixture_key(key);
    enum odp_verdict v = odp_quota_look(table, &settings, r.digest, now * 1000, g);
    assert_false(g->counted);
    return v;
}

static void put(uint64_t key, uint8_t tier, enum odp_key_state state, int64_t until)
{
    struct odp_key_record r = fixture_key(key);
    r.tier = tier;
    r.state = (uint8_t)state;
    r.until = until;
    must(odp_keytable_put(table, &r));
}

TEST(days)
{
    assert_int_equal(odp_quota_day(0, 0), 0);
    assert_int_equal(odp_quota_day(86399, 0), 0);
    assert_int_equal(odp_quota_day(86400, 0), 1);
    assert_int_equal(odp_quota_day(MIDNIGHT - 1, JAKARTA), DAY - 1);
    assert_int_equal(odp_quota_day(MIDNIGHT, JAKARTA), DAY);
    assert_int_equal(odp_quota_day(MIDNIGHT, 0), DAY - 1);
    assert_int_equal(odp_quota_day(MIDNIGHT - 2 * 3600, 540), DAY); /* Jayapura */
    assert_int_equal(odp_quota_day(MIDNIGHT - 2 * 3600 - 1, 540), DAY - 1);
    assert_int_equal(odp_quota_day(3 * 3600, -180), 0);
    assert_int_equal(odp_quota_day(0, -180), 0); /* no day before the first */
    assert_int_equal(odp_quota_day(-1, 0), 0);
    assert_int_equal(odp_quota_reset(MIDNIGHT - 1, JAKARTA), 1);
    assert_int_equal(odp_quota_reset(MIDNIGHT, JAKARTA), 86400);
    assert_int_equal(odp_quota_reset(NOON, JAKARTA), 43200);
    for (int64_t now = MIDNIGHT - 200000; now < MIDNIGHT + 200000; now += 977)
        for (int32_t zone = -720; zone <= 840; zone += 105)
            assert_int_equal(odp_quota_day(now, zone), (now + zone * 60) / 86400);
}

TEST(states)
{
    struct odp_grant g;
    static const struct {
        enum odp_key_state state;
        int64_t until;
        enum odp_verdict verdict;
    } cases[] = {
        {ODP_KEY_ACTIVE, 0, ODP_PASS},
        {ODP_KEY_ACTIVE, NOON + 1, ODP_PASS},
        {ODP_KEY_ACTIVE, NOON, ODP_KEY_EXPIRED},
        {ODP_KEY_ACTIVE, 1, ODP_KEY_EXPIRED},
        {ODP_KEY_ROTATED, NOON + 1, ODP_PASS},
        {ODP_KEY_ROTATED, NOON, ODP_KEY_EXPIRED},
        {ODP_KEY_ROTATED, 0, ODP_KEY_EXPIRED}, /* no grace */
        {ODP_KEY_SUSPENDED, 0, ODP_KEY_IS_SUSPENDED},
        {ODP_KEY_SUSPENDED, 1, ODP_KEY_IS_SUSPENDED},
        {ODP_KEY_REVOKED, NOON + 1, ODP_KEY_IS_REVOKED},
    };
    uint64_t passed = 0;
    char text[128];
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        put(0, 0, cases[i].state, cases[i].until);
        assert_int_equal(look(0, NOON, &g), cases[i].verdict);
        assert_int_equal(take(0, NOON, &g), cases[i].verdict);
        assert_int_equal(g.record, 0);
        assert_int_equal(g.limit, 10);
        assert_string_equal(g.shown, "odp_live_00000");
        assert_int_equal(g.reset, 43200);
        assert_int_equal(g.retry_after, 0);
        passed += cases[i].verdict == ODP_PASS;
        assert_int_equal(g.remaining, cases[i].verdict == ODP_PASS ? 10 - (int64_t)passed : 0);
        assert_int_equal(odp_quota_header(&g, text, sizeof text) > 0, cases[i].verdict == ODP_PASS);
    }
    assert_int_equal(odp_keytable_used(table, 0, DAY), passed);
    assert_int_equal(take(50, NOON, &g), ODP_KEY_UNKNOWN);
    assert_int_equal(g.record, UINT32_MAX);
    assert_string_equal(g.shown, "");
    assert_int_equal(odp_quota_header(&g, text, sizeof text), 0);
    odp_quota_give_back(table, &g); /* nothing to give */
    assert_int_equal(look(50, NOON, &g), ODP_KEY_UNKNOWN);
}

TEST(limit_and_midnight)
{
    struct odp_grant g;
    for (int i = 1; i <= 10; i++) {
        assert_int_equal(take(0, MIDNIGHT - 20 + i, &g), ODP_PASS);
        assert_int_equal(g.day, DAY - 1);
        assert_int_equal(g.limit, 10);
        assert_int_equal(g.remaining, 10 - i);
        assert_int_equal(g.reset, 20 - i);
        assert_int_equal(look(0, MIDNIGHT - 20 + i, &g), i < 10 ? ODP_PASS : ODP_QUOTA_EXCEEDED);
        assert_int_equal(g.remaining, 10 - i);
    }
    for (int64_t now = MIDNIGHT - 9; now < MIDNIGHT; now++) {
        assert_int_equal(take(0, now, &g), ODP_QUOTA_EXCEEDED);
        assert_int_equal(g.remaining, 0);
    }
    assert_int_equal(odp_keytable_used(table, 0, DAY - 1), 10);
    assert_int_equal(take_ms(0, MIDNIGHT * 1000 - 1, &g), ODP_QUOTA_EXCEEDED);
    assert_int_equal(g.reset, 1);
    assert_int_equal(take_ms(0, MIDNIGHT * 1000, &g), ODP_PASS); /* to the millisecond */
    assert_int_equal(g.remaining, 9);
    assert_int_equal(g.reset, 86400);
    assert_int_equal(odp_keytable_used(table, 0, DAY), 1);
}

TEST(others_count_too)
{
    struct odp_grant g;
    odp_keytable_set_elsewhere(table, 0, DAY, 7);
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(0, NOON, &g), ODP_PASS);
    assert_int_equal(g.remaining, 0);
    assert_int_equal(take(0, NOON, &g), ODP_QUOTA_EXCEEDED);
    odp_keytable_set_elsewhere(table, 0, DAY, 5);
    assert_int_equal(take(0, NOON, &g), ODP_PASS);
    assert_int_equal(g.remaining, 1);
    odp_keytable_set_elsewhere(table, 0, DAY, 500);
    assert_int_equal(look(0, NOON, &g), ODP_QUOTA_EXCEEDED);
    assert_int_equal(g.remaining, 0);
    assert_int_equal(take(0, NOON + 86400, &g), ODP_PASS); /* theirs are of yesterday */
    assert_int_equal(g.remaining, 9);
    odp_keytable_set_elsewhere(table, 3, DAY, 500);
    assert_int_equal(take(3, NOON, &g), ODP_PASS);
    assert_int_equal(g.limit, -1);
    assert_int_equal(g.remaining, -1);
    assert_int_equal(odp_keytable_used(table, 3, DAY), 1); /* counted all the same */
}

TEST(keys_of_one_account)
{
    struct odp_grant g;
    struct odp_key_record second = fixture_key(20);
    second.account = 0;
    must(odp_keytable_put(table, &second));
    for (int i = 9; i >= 0; i--) {
        assert_int_equal(take(i % 2 ? 20 : 0, NOON, &g), ODP_PASS);
        assert_int_equal(g.remaining, i);
        assert_int_equal(g.account_record, 0);
        assert_int_equal(g.record, i % 2 ? odp_keytable_find(table, second.digest) : 0);
    }
    assert_int_equal(take(20, NOON, &g), ODP_QUOTA_EXCEEDED);
    assert_int_equal(take(0, NOON, &g), ODP_QUOTA_EXCEEDED);
    second.state = ODP_KEY_REVOKED;
    must(odp_keytable_put(table, &second));
    assert_int_equal(take(20, NOON + 86400, &g), ODP_KEY_IS_REVOKED);
    assert_int_equal(take(0, NOON + 86400, &g), ODP_PASS);
}

/* ---- exact under load ---- */

enum { THREADS = 8, TRIES = 150000, LIMIT = 765432 };

static pthread_barrier_t start;

static void *take_many(void *arg)
{
    uint64_t *passed = arg;
    struct odp_key_record r = fixture_key(0);
    struct odp_grant g;
    (void)pthread_barrier_wait(&start);
    for (int i = 0; i < TRIES; i++) {
        bool pass = odp_quota_take(table, &settings, r.digest, NOON * 1000 + i, &g) == ODP_PASS;
        if (pass && i % 3 == 0) {
            odp_quota_give_back(table, &g);
            odp_quota_give_back(table, &g); /* the second does nothing */
            pass = false;
        }
        *passed += pass;
    }
    return NULL;
}

TEST(limit_is_exact)
{
    pthread_t threads[THREADS];
    uint64_t passed[THREADS][16] = {0}, all = 0; /* a cache line each */
    settings.tiers[0].daily = LIMIT;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_many, passed[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        all += passed[i][0];
    }
    assert_int_equal(pthread_barrier_destroy(&start), 0);
    assert_int_equal(all, odp_keytable_used(table, 0, DAY));
    struct odp_grant g;
    while (take(0, NOON, &g) == ODP_PASS)
        all++;
    assert_int_equal(all, LIMIT);
    assert_int_equal(odp_keytable_used(table, 0, DAY), LIMIT);
}

/* ---- bursts ---- */

TEST(burst)
{
    struct odp_grant g;
    int64_t now = NOON * 1000;
    for (int i = 0; i < 5; i++)
        assert_int_equal(take_ms(1, now, &g), ODP_PASS);
    assert_int_equal(take_ms(1, now, &g), ODP_BURST_EXCEEDED);
    assert_int_equal(g.retry_after, 1);
    assert_int_equal(take_ms(1, now + 199, &g), ODP_BURST_EXCEEDED);
    assert_int_equal(take_ms(1, now + 200, &g), ODP_PASS); /* one each fifth of a second from now on */
    assert_int_equal(take_ms(1, now + 399, &g), ODP_BURST_EXCEEDED);
    assert_int_equal(take_ms(1, now + 400, &g), ODP_PASS);
    assert_int_equal(odp_keytable_used(table, 1, DAY), 7); /* what was refused did not count */
    for (int i = 0; i < 5; i++)
        assert_int_equal(take_ms(1, now + 1400, &g), ODP_PASS); /* a second's rest fills the bucket again */
    assert_int_equal(take_ms(1, now + 1400, &g), ODP_BURST_EXCEEDED);
    assert_int_equal(take_ms(0, now + 1400, &g), ODP_PASS); /* nobody else is touched */
}

static enum odp_verdict queue_ms(uint64_t key, int64_t now_ms, struct odp_grant *g)
{
    struct odp_key_record r = fixture_key(key);
    return odp_quota_queue(table, &settings, r.digest, now_ms, g);
}

/* Turns are a step apart, in the order of asking, and the queue has an end: in time, and in number. */
TEST(queue)
{
    struct odp_grant g;
    int64_t now = NOON * 1000;
    for (int64_t i = 0; i < 5 + 25; i++) {
        assert_int_equal(queue_ms(1, now, &g), ODP_PASS);
        assert_int_equal(g.wait_ms, i < 5 ? 0 : (i - 4) * 200);
        assert_true(g.counted);
    }
    assert_int_equal(queue_ms(1, now, &g), ODP_BURST_EXCEEDED);
    assert_int_equal(take_ms(1, now + 1000, &g),
                     ODP_BURST_EXCEEDED); /* who cannot wait has no turn before those */
    assert_int_equal(odp_keytable_used(table, 1, DAY), 30);
    assert_int_equal(queue_ms(1, now + 4000, &g), ODP_PASS);
    assert_int_equal(g.wait_ms, 1200);
    assert_int_equal(queue_ms(0, now, &g), ODP_PASS); /* nobody else waits */
    assert_int_equal(g.wait_ms, 0);
    settings.tiers[1].burst = 1000;
    put(31, 1, ODP_KEY_ACTIVE, 0);
    for (int64_t i = 0; i < 1000 + ODP_QUOTA_QUEUE; i++)
        assert_int_equal(queue_ms(31, now, &g), ODP_PASS);
    assert_int_equal(g.wait_ms, ODP_QUOTA_QUEUE);
    assert_int_equal(queue_ms(31, now, &g), ODP_BURST_EXCEEDED);
    /* A spent day is refused at once. */
    for (int i = 0; i < 8; i++)
        assert_int_equal(queue_ms(2, now, &g), ODP_PASS);
    assert_int_equal(queue_ms(2, now, &g), ODP_QUOTA_EXCEEDED);
    assert_int_equal(g.wait_ms, 0);
}

/* Ten requests each 10 ms for 20 s: five at once, and then five a second. */
TEST(burst_rate)
{
    static const int64_t rates[] = {1, 3, 5, 7, 100, 999};
    struct odp_grant g;
    for (size_t r = 0; r < ODP_COUNT(rates); r++) {
        int64_t passed = 0, first = 0;
        settings.tiers[1].burst = rates[r];
        for (int64_t ms = 0; ms <= 20000; ms += 10)
            for (int i = 0; i < 1000; i++) {
                bool pass = take_ms(1, (NOON + (int64_t)r * 100) * 1000 + ms, &g) == ODP_PASS;
                passed += pass;
                first += pass && ms == 0;
                if (!pass)
                    break;
            }
        assert_int_equal(first, rates[r]);
        assert_in_range(passed, 21 * rates[r] - 1, 21 * rates[r] + 1);
    }
}

TEST(burst_before_quota)
{
    struct odp_grant g;
    char text[128];
    for (int i = 0; i < 5; i++)
        assert_int_equal(take(2, NOON, &g), ODP_PASS);
    assert_int_equal(take(2, NOON, &g), ODP_BURST_EXCEEDED);
    assert_int_equal(g.remaining, 3); /* the day is not over */
    assert_int_equal(odp_quota_header(&g, text, sizeof text), 36);
    assert_string_equal(text, "\"daily\";r=3;t=43200, \"burst\";r=0;t=1");
    assert_int_equal(look(2, NOON, &g), ODP_PASS); /* says nothing about bursts */
    assert_int_equal(g.remaining, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(2, NOON + 10, &g), ODP_PASS);
    assert_int_equal(take(2, NOON + 10, &g), ODP_QUOTA_EXCEEDED);
    assert_true(g.retry_after >= g.reset);
}

/* ---- clocks ---- */

TEST(give_back)
{
    struct odp_grant g, h;
    assert_int_equal(take(0, MIDNIGHT - 1, &g), ODP_PASS);
    assert_int_equal(take(0, MIDNIGHT - 1, &h), ODP_PASS);
    odp_quota_give_back(table, &h);
    assert_int_equal(h.remaining, 9);
    odp_quota_give_back(table, &h);
    assert_int_equal(h.remaining, 9);
    assert_int_equal(odp_keytable_used(table, 0, DAY - 1), 1);
    assert_int_equal(take(0, MIDNIGHT, &h), ODP_PASS);
    odp_quota_give_back(table, &g); /* of yesterday: today's count stays */
    assert_int_equal(g.remaining, 9);
    assert_int_equal(odp_keytable_used(table, 0, DAY), 1);
    odp_quota_give_back(table, &h);
    assert_int_equal(odp_keytable_used(table, 0, DAY), 0);
    assert_int_equal(h.remaining, 10);
    assert_int_equal(take(3, NOON, &g), ODP_PASS);
    odp_quota_give_back(table, &g);
    assert_int_equal(g.remaining, -1);
    assert_int_equal(odp_keytable_used(table, 3, DAY), 0);
    for (int i = 0; i < 10; i++)
        assert_int_equal(take(0, NOON, &g), ODP_PASS);
    assert_int_equal(take(0, NOON, &g), ODP_QUOTA_EXCEEDED);
    odp_quota_give_back(table, &g); /* was not counted */
    assert_int_equal(odp_keytable_used(table, 0, DAY), 10);
    /* Of a table that was replaced meanwhile: the number is another key's there. */
    assert_int_equal(take(3, NOON, &g), ODP_PASS);
    g.record = 0;
    odp_quota_give_back(table, &g);
    assert_int_equal(odp_keytable_used(table, 0, DAY), 10);
}

TEST(clock_set_back)
{
    struct odp_grant g;
    for (int i = 0; i < 6; i++)
        assert_int_equal(take(0, MIDNIGHT + 5, &g), ODP_PASS);
    /* Ten seconds back, over midnight: goes on where it was; nothing is forgotten and no second quota is
     * given. */
    assert_int_equal(take(0, MIDNIGHT - 5, &g), ODP_PASS);
    assert_int_equal(g.day, DAY);
    assert_int_equal(g.remaining, 3);
    assert_int_equal(g.reset, 86405); /* until that day's end */
    assert_int_equal(look(0, MIDNIGHT - 5, &g), ODP_PASS);
    assert_int_equal(g.remaining, 3);
    odp_keytable_set_elsewhere(table, 0, DAY, 2);
    assert_int_equal(take(0, MIDNIGHT - 5, &g), ODP_PASS);
    assert_int_equal(g.remaining, 0);
    assert_int_equal(take(0, MIDNIGHT - 5, &g), ODP_QUOTA_EXCEEDED);
    assert_in_range(g.retry_after, 86405, 86405 + 300);
    assert_int_equal(take(0, MIDNIGHT + 6, &g), ODP_QUOTA_EXCEEDED);
    assert_int_equal(odp_keytable_used(table, 0, DAY), 8);
    assert_int_equal(take(0, MIDNIGHT + 86400, &g), ODP_PASS);
    assert_int_equal(g.remaining, 9);

    /* A clock that was years ahead and is right again: nobody waits for those years. */
    for (int i = 0; i < 10; i++)
        assert_int_equal(take(2, NOON + 86400 * 3650 + i * 10, &g), i < 8 ? ODP_PASS : ODP_QUOTA_EXCEEDED);
    assert_int_equal(take(2, NOON, &g), ODP_PASS);
    assert_int_equal(g.day, DAY);
    assert_int_equal(g.remaining, 7);
}

TEST(burst_when_clock_is_set_back)
{
    struct odp_grant g;
    static const int64_t back_ms[] = {1, 50, 99, 101, 500, 1000, 5000, 86400000, 315360000000};
    uint64_t key = 40; /* another for each case */
    for (int64_t rate = 1; rate <= 100; rate = rate * 3 + 1)
        for (size_t b = 0; b < ODP_COUNT(back_ms); b++, key++) {
            int64_t now = (NOON + 1000000 * (int64_t)b) * 1000, waited = 0;
            int64_t queue = back_ms[b] <= ODP_QUOTA_WAIT_MS
                                ? back_ms[b]
                                : 0; /* so far ahead may be turns that are waited for */
            settings.tiers[1].burst = rate;
            put(key, 1, ODP_KEY_ACTIVE, 0);
            while (take_ms(key, now, &g) == ODP_PASS)
                continue;
            while (take_ms(key, now - back_ms[b] + waited, &g) == ODP_BURST_EXCEEDED)
                waited++;
            assert_in_range(waited, 0, queue + 1000);
        }
    /* Workers' clocks differ by some milliseconds: that is no clock set back, and fills no bucket. */
    settings.tiers[1].burst = 100;
    int passed = 0;
    for (int i = 0; i < 1000; i++)
        passed += take_ms(1, NOON * 1000 + i % 2 * 60, &g) == ODP_PASS;
    assert_int_equal(passed, 101); /* one, and the bucket that is full again 60 ms later */
}

TEST(strange_times)
{
    struct odp_grant g;
    static const int64_t times[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    for (size_t i = 0; i < ODP_COUNT(times); i++) {
        (void)take_ms(2, times[i], &g);
        assert_true(g.reset >= 1);
        (void)take_ms(1, times[i], &g);
    }
    settings.zone_minutes = INT32_MIN;
    (void)take_ms(0, 0, &g);
    settings.zone_minutes = INT32_MAX;
    (void)take_ms(0, 0, &g);
    settings.zone_minutes = JAKARTA;
    settings.tiers[1].burst = INT64_MAX;
    assert_int_equal(take(1, NOON, &g), ODP_PASS);
}

TEST(lost_tiers)
{
    struct odp_grant g;
    settings.ntiers = 2; /* the site has no third tier any more */
    assert_int_equal(take(2, NOON, &g), ODP_PASS);
    assert_int_equal(g.tier, 0);
    assert_int_equal(g.limit, 10);
    settings.ntiers = 0;
    assert_int_equal(take(2, NOON, &g), ODP_QUOTA_EXCEEDED);
    assert_int_equal(g.tier, 0);
    settings.ntiers = 4;
    settings.tiers[0].daily = 0;
    assert_int_equal(take(0, NOON, &g), ODP_QUOTA_EXCEEDED);
}

/* ---- headers ---- */

TEST(jitter)
{
    enum { KEYS = 60, DAYS = 20 };
    struct odp_grant g;
    bool seen[301] = {false};
    int different = 0, low = 300, high = 0, last = -1;
    settings.tiers[0].daily = 0;
    for (uint64_t key = 20; key < 20 + KEYS; key++) {
        put(key, 0, ODP_KEY_ACTIVE, 0);
        for (int day = 0; day < DAYS; day++) {
            assert_int_equal(take(key, NOON + day * 86400, &g), ODP_QUOTA_EXCEEDED);
            int64_t jitter = g.retry_after - g.reset;
            assert_in_range(jitter, 0, 300);
            assert_int_equal(take(key, NOON + day * 86400 + 40000, &g), ODP_QUOTA_EXCEEDED);
            assert_int_equal(g.retry_after - g.reset, jitter); /* the same all day long */
            seen[jitter] = true;
            low = (int)jitter < low ? (int)jitter : low;
            high = (int)jitter > high ? (int)jitter : high;
            different += last != (int)jitter;
            last = (int)jitter;
        }
    }
    int values = 0;
    for (int i = 0; i <= 300; i++)
        values += seen[i];
    assert_true(values > 250 && low < 10 && high > 290 && different > KEYS * DAYS * 9 / 10);
}

TEST(headers)
{
    char text[128];
    static const struct {
        struct odp_tier_limits limits;
        const char *policy;
    } cases[] = {
        {{"public", 1000, 5, 2}, "\"daily\";q=1000;w=86400, \"burst\";q=5;w=1"},
        {{"public", 1000, 0, 0}, "\"daily\";q=1000;w=86400"},
        {{"government", -1, 100, 0}, "\"burst\";q=100;w=1"},
        {{"free", -1, 0, 9}, ""},
        {{"none", 0, 0, 0}, "\"daily\";q=0;w=86400"},
        {{"large", INT64_MAX, INT64_MAX, 0},
         "\"daily\";q=999999999999999;w=86400, \"burst\";q=999999999999999;w=1"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        assert_int_equal(odp_quota_policy_header(&cases[i].limits, text, sizeof text),
                         strlen(cases[i].policy));
        assert_string_equal(text, cases[i].policy);
    }
    struct odp_grant g;
    assert_int_equal(take(0, NOON + 7200, &g), ODP_PASS);
    assert_int_equal(odp_quota_header(&g, text, sizeof text), 19);
    assert_string_equal(text, "\"daily\";r=9;t=36000");
    for (size_t cap = 1; cap <= 19; cap++) { /* half a value is not a value */
        memset(text, 'x', sizeof text);
        assert_int_equal(odp_quota_header(&g, text, cap), 0);
        assert_string_equal(text, "");
        assert_int_equal(text[cap], 'x');
    }
    assert_int_equal(odp_quota_header(&g, text, 20), 19);
    assert_int_equal(odp_quota_header(&g, NULL, 0), 0);
    assert_int_equal(take(3, NOON, &g), ODP_PASS);
    assert_int_equal(odp_quota_header(&g, text, sizeof text), 0);
    for (int i = 0; i < 6; i++)
        (void)take(1, NOON, &g);
    assert_int_equal(odp_quota_header(&g, text, sizeof text), strlen("\"burst\";r=0;t=1"));
    assert_string_equal(text, "\"burst\";r=0;t=1");
}

EACH(set_up, tear_down)
