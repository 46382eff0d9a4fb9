/* Verdicts: states, the day's limit to the request, bursts, midnight in Jakarta, clocks that go back, and the
 * headers. */
#include "answer_lines.h"
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

static void put(uint64_t key, uint8_t tier, enum odp_key_state state, int64_t until)
{
    struct odp_key_record r = fixture_key(key);
    r.tier = tier;
    r.state = (uint8_t)state;
    r.until = until;
    must(odp_keytable_put(table, &r));
}

/* ---- scripts ---- */

/* answers/quota.txt: requests with keys 0 to 3 of tiers 0 to 3, at times like "noon-5" or "midnight+1d+0.2"
 * (of a day in Jakarta, in seconds, "d": days). A line is one of
 *
 *   KEY take|look|queue TIME [TIMES]   what remains of the day, or why it is refused; queue: the wait in ms;
 *                                      of more than forty requests only how many passed and the last answer
 *   MEMBER, header, shown              of the last grant; "late": how much later than the reset to retry
 *   back                               gives it back: what remains. keep: "back kept" gives this one back;
 *                                      replaced: it is of another table
 *   put KEY TIER STATE UNTIL ACCOUNT, elsewhere KEY COUNT, daily|burst TIER LIMIT, tiers N, fresh
 *   used KEY DAY, number TIME ZONE (of the day), midnight TIME ZONE (how far it is), policy DAILY BURST
 *
 * DAY: 0 is the day of these times. */
struct script {
    struct odp_grant g, kept;
    char words[6][24];
};

static int64_t number_at(const struct script *s, int word)
{
    return strtoll(s->words[word], NULL, 10);
}

/* In milliseconds. */
static int64_t time_at(const struct script *s, int word)
{
    const char *text = s->words[word];
    int64_t ms = (strncmp(text, "noon", 4) == 0 ? NOON : strncmp(text, "mid", 3) == 0 ? MIDNIGHT : 0) * 1000;
    for (text += strspn(text, "abcdefghijklmnopqrstuvwxyz"); *text != '\0';) {
        char *end;
        double step = strtod(text, &end) * 1000;
        ms += (int64_t)(*end == 'd' ? step * 86400 : step);
        text = end + (*end == 'd');
    }
    return ms;
}

static void ask(struct script *s, uint64_t key, struct odp_buffer *out)
{
    static const char *const verdicts[] = {NULL,      "unknown", "revoked", "suspended",
                                           "expired", "burst",   "quota"};
    struct odp_key_record r = fixture_key(key);
    struct odp_grant *g = &s->g;
    bool look = strcmp(s->words[1], "look") == 0, queue = strcmp(s->words[1], "queue") == 0;
    int64_t now = time_at(s, 2), times = s->words[3][0] != '\0' ? number_at(s, 3) : 1, passed = 0;
    for (int64_t i = 1; i <= times; i++) {
        enum odp_verdict v = look    ? odp_quota_look(table, &settings, r.digest, now, g)
                             : queue ? odp_quota_queue(table, &settings, r.digest, now, g)
                                     : odp_quota_take(table, &settings, r.digest, now, g);
        assert_int_equal(v, g->verdict);
        assert_int_equal(g->counted, v == ODP_PASS && !look);
        passed += v == ODP_PASS;
        if (times > 40 && i < times)
            continue;
        if (times > 40)
            odp_buffer_printf(out, "%lld passed: ", (long long)passed);
        if (v == ODP_PASS)
            odp_buffer_printf(out, "%lld", (long long)(queue ? g->wait_ms : g->remaining));
        else
            odp_buffer_add_str(out, verdicts[v]);
        odp_buffer_add_char(out, i < times ? ' ' : '\n');
    }
}

static bool tell_member(const struct script *s, struct odp_buffer *out)
{
    const struct odp_grant *g = &s->g;
    const struct {
        const char *name;
        int64_t value;
    } members[] = {
        {"record", g->record == UINT32_MAX ? -1 : (int64_t)g->record},
        {"account", g->account_record == UINT32_MAX ? -1 : (int64_t)g->account_record},
        {"day", (int64_t)g->day - DAY},
        {"tier", g->tier},
        {"limit", g->limit},
        {"remaining", g->remaining},
        {"reset", g->reset},
        {"retry", g->retry_after},
        {"late", g->retry_after >= g->reset && g->retry_after <= g->reset + 300},
        {"wait", g->wait_ms},
    };
    for (size_t i = 0; i < ODP_COUNT(members); i++)
        if (strcmp(members[i].name, s->words[0]) == 0)
            return odp_buffer_printf(out, "%lld\n", (long long)members[i].value), true;
    return false;
}

/* A header of N bytes, its text and no more in all smaller rooms. */
static void tell_header(const struct odp_grant *g, struct odp_buffer *out)
{
    char text[128], part[128];
    size_t n = odp_quota_header(g, text, sizeof text);
    assert_int_equal(n, strlen(text));
    assert_int_equal(odp_quota_header(g, NULL, 0), 0);
    for (size_t cap = 1; cap <= n; cap++) { /* half a value is not a value */
        memset(part, 'x', sizeof part);
        assert_int_equal(odp_quota_header(g, part, cap), 0);
        assert_string_equal(part, "");
        assert_int_equal(part[cap], 'x');
    }
    assert_int_equal(odp_quota_header(g, part, n + 1), n);
    odp_buffer_printf(out, "%s\n", n > 0 ? text : "-");
}

static void tell_policy(int64_t daily, int64_t burst, struct odp_buffer *out)
{
    char text[128];
    const struct odp_tier_limits limits = {"any", daily, burst, 2};
    size_t n = odp_quota_policy_header(&limits, text, sizeof text);
    assert_int_equal(n, strlen(text));
    odp_buffer_printf(out, "%s\n", text[0] != '\0' ? text : "-");
}

static void put_line(const struct script *s)
{
    static const char *const names[] = {"", "active", "rotated", "suspended", "revoked"};
    struct odp_key_record r = fixture_key((uint64_t)number_at(s, 1));
    r.tier = (uint8_t)number_at(s, 2);
    for (r.state = 1; strcmp(names[r.state], s->words[3]) != 0; r.state++)
        assert_true(r.state < ODP_KEY_REVOKED);
    r.until = time_at(s, 4) / 1000;
    r.account = (uint64_t)number_at(s, 5);
    must(odp_keytable_put(table, &r));
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct script *s = ctx;
    const char *verb = s->words[0];
    void *state = NULL;
    memset(s->words, 0, sizeof s->words);
    (void)sscanf(question.ptr, "%23s %23s %23s %23s %23s %23s", s->words[0], s->words[1], s->words[2],
                 s->words[3], s->words[4], s->words[5]);
    int64_t first = number_at(s, 1), second = number_at(s, 2);
    if (*verb >= '0' && *verb <= '9') {
        ask(s, (uint64_t)number_at(s, 0), out);
    } else if (strcmp(verb, "fresh") == 0) {
        (void)tear_down(&state);
        assert_int_equal(set_up(&state), 0);
    } else if (strcmp(verb, "keep") == 0) {
        s->kept = s->g;
    } else if (strcmp(verb, "back") == 0) {
        struct odp_grant *g = s->words[1][0] != '\0' ? &s->kept : &s->g;
        odp_quota_give_back(table, g);
        odp_buffer_printf(out, "%lld\n", (long long)g->remaining);
    } else if (strcmp(verb, "replaced") == 0) {
        s->g.record = 0;
    } else if (strcmp(verb, "put") == 0) {
        put_line(s);
    } else if (strcmp(verb, "elsewhere") == 0) {
        odp_keytable_set_elsewhere(table, (uint32_t)first, DAY, (uint32_t)second);
    } else if (strcmp(verb, "daily") == 0) {
        settings.tiers[first].daily = second;
    } else if (strcmp(verb, "burst") == 0) {
        settings.tiers[first].burst = second;
    } else if (strcmp(verb, "tiers") == 0) {
        settings.ntiers = (uint32_t)first;
    } else if (strcmp(verb, "used") == 0) {
        odp_buffer_printf(out, "%u\n",
                          (unsigned)odp_keytable_used(table, (uint32_t)first, (uint32_t)(DAY + second)));
    } else if (strcmp(verb, "number") == 0) {
        odp_buffer_printf(out, "%u\n", odp_quota_day(time_at(s, 1) / 1000, (int32_t)second));
    } else if (strcmp(verb, "midnight") == 0) {
        odp_buffer_printf(out, "%lld\n", (long long)odp_quota_reset(time_at(s, 1) / 1000, (int32_t)second));
    } else if (strcmp(verb, "policy") == 0) {
        tell_policy(first, second, out);
    } else if (strcmp(verb, "header") == 0) {
        tell_header(&s->g, out);
    } else if (strcmp(verb, "shown") == 0) {
        odp_buffer_printf(out, "%s\n", s->g.shown[0] != '\0' ? s->g.shown : "-");
    } else {
        assert_true(tell_member(s, out));
    }
}

TEST(answers)
{
    struct script s = {0};
    answer_lines("gateway/answers/quota.txt", answer, &s);
}

TEST(days)
{
    for (int64_t now = MIDNIGHT - 200000; now < MIDNIGHT + 200000; now += 977)
        for (int32_t zone = -720; zone <= 840; zone += 105)
            assert_int_equal(odp_quota_day(now, zone), (now + zone * 60) / 86400);
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

/* ---- clocks ---- */

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

EACH(set_up, tear_down)
