/* The key table used by threads and processes at once, and by writers that are killed: nothing acknowledged
 * is lost, nothing half done is seen. */
#include "gateway_table_fixture.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "core/quota/quota.h"

enum { BASE = 64, ADDED = 2000, TAKES = 20000, NOW = 1710460800 };

/* ---- threads and processes ---- */

struct part {
    struct odp_keytable *t;
    uint64_t from;
};

static void *insert_some(void *arg)
{
    const struct part *p = arg;
    for (uint64_t n = p->from; n < p->from + ADDED; n++) {
        struct odp_key_record r = fixture_key(n);
        CHILD_CHECK(odp_keytable_put(p->t, &r) == ODP_OK);
        CHILD_CHECK(odp_keytable_find(p->t, r.digest) >= 0);
    }
    return NULL;
}

static void *take_some(void *arg)
{
    const struct part *p = arg;
    static const struct odp_settings settings = {
        .tiers = {{"government", -1, 0, 0}}, .ntiers = 1, .zone_minutes = 420};
    for (uint64_t i = 0; i < TAKES; i++) {
        struct odp_key_record base = fixture_key(1 + (i + p->from) % BASE), got;
        struct odp_grant g;
        CHILD_CHECK(odp_quota_take(p->t, &settings, base.digest, NOW * INT64_C(1000), &g) == ODP_PASS);
        if (i % 4 == 3)
            odp_quota_give_back(p->t, &g);
        base = fixture_key(1000 + i * 7919 % (2 * ADDED)); /* perhaps there by now; if it is, then whole */
        enum odp_status status = odp_keytable_get(p->t, base.digest, &got);
        CHILD_CHECK(status == ODP_DONE ||
                    (status == ODP_OK && got.id == base.id && strcmp(got.shown, base.shown) == 0));
    }
    return NULL;
}

static pid_t in_child(void *(*work)(void *), uint64_t first, uint64_t second)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child != 0)
        return child;
    struct odp_keytable *t = NULL;
    pthread_t threads[2];
    CHILD_CHECK(odp_keytable_open(&t, fixture_path, NULL) == ODP_OK);
    struct part parts[2] = {{t, first}, {t, second}};
    for (int i = 0; i < 2; i++)
        CHILD_CHECK(pthread_create(&threads[i], NULL, work, &parts[i]) == 0);
    for (int i = 0; i < 2; i++)
        CHILD_CHECK(pthread_join(threads[i], NULL) == 0);
    odp_keytable_close(t);
    _exit(0);
}

TEST(all_at_once)
{
    struct odp_keytable *t = fixture_new(BASE + 2 * ADDED);
    fixture_put(t, 1, BASE + 1);
    pid_t children[3] = {in_child(insert_some, 1000, 1000 + ADDED), in_child(take_some, 0, 1),
                         in_child(take_some, 2, 3)};
    int ended = 0, status;
    while (ended < 3) {
        fixture_check(t);
        pid_t child = waitpid(-1, &status, WNOHANG);
        if (child <= 0)
            continue;
        assert_true(child == children[0] || child == children[1] || child == children[2]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        ended++;
    }
    uint64_t used = 0;
    for (uint32_t n = 0; n < BASE; n++)
        used += odp_keytable_used(t, n, odp_quota_day(NOW, 420));
    assert_int_equal(used, 4 * TAKES * 3 / 4);
    for (uint64_t n = 1000; n < 1000 + 2 * ADDED; n++)
        assert_true(fixture_find(t, n) >= 0);
    assert_int_equal(odp_keytable_count(t), BASE + 2 * ADDED);
    fixture_check(t);
    odp_keytable_close(t);
}

/* ---- changes that readers must see whole ---- */

static atomic_bool over;

static struct odp_settings settings_of(int which)
{
    struct odp_settings s;
    memset(&s, 'a' + which, sizeof s);
    s.ntiers = ODP_TIERS_MAX;
    s.zone_minutes = which;
    s.base_url[sizeof s.base_url - 1] = '\0';
    for (int i = 0; i < ODP_TIERS_MAX; i++)
        s.tiers[i].name[ODP_TIER_NAME - 1] = '\0';
    return s;
}

static void *read_settings(void *arg)
{
    const struct part *p = arg;
    const struct odp_settings expected[2] = {settings_of(0), settings_of(1)};
    struct odp_settings got;
    while (!atomic_load(&over)) {
        odp_keytable_settings(p->t, &got);
        if (got.zone_minutes != 0 && got.zone_minutes != 1)
            return arg;
        if (memcmp(&got, &expected[got.zone_minutes], sizeof got) != 0)
            return arg;
    }
    return NULL;
}

static void *read_record(void *arg)
{
    const struct part *p = arg;
    struct odp_key_record r = fixture_key(1), got;
    while (!atomic_load(&over)) {
        if (odp_keytable_get(p->t, r.digest, &got) != ODP_OK)
            return arg;
        bool active = got.state == ODP_KEY_ACTIVE && got.tier == 2 && got.until == 0;
        bool revoked = got.state == ODP_KEY_REVOKED && got.tier == 0 && got.until == 5;
        if (!active && !revoked)
            return arg;
    }
    return NULL;
}

TEST(changes_are_whole)
{
    struct odp_keytable *t = fixture_new(10);
    struct odp_key_record r = fixture_key(1);
    const struct odp_settings s[2] = {settings_of(0), settings_of(1)};
    struct part p = {t, 0};
    pthread_t threads[4];
    void *wrong;
    atomic_store(&over, false);
    odp_keytable_set_settings(t, &s[0]);
    r.tier = 2;
    must(odp_keytable_put(t, &r));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < 2 ? read_settings : read_record, &p), 0);
    for (int i = 0; i < 20000; i++) {
        odp_keytable_set_settings(t, &s[i & 1]);
        r.state = i & 1 ? ODP_KEY_ACTIVE : ODP_KEY_REVOKED;
        r.tier = i & 1 ? 2 : 0;
        r.until = i & 1 ? 0 : 5;
        must(odp_keytable_put(t, &r));
    }
    atomic_store(&over, true);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    odp_keytable_close(t);
}

/* ---- kill -9 ---- */

enum { KILLS = 200, A_LIFE = 901 };

/* Inserts, changes, counts, sets settings, and says on the pipe which keys are in: until it is killed. */
static void live(int pipe, uint64_t first)
{
    struct odp_keytable *t = NULL;
    struct odp_settings s = fixture_settings();
    CHILD_CHECK(odp_keytable_open(&t, fixture_path, NULL) == ODP_OK);
    for (uint64_t n = first; n < first + A_LIFE; n++) {
        struct odp_key_record r = fixture_key(n);
        r.account = n % 3 == 2 && n > first ? n - 1 : n;
        CHILD_CHECK(odp_keytable_put(t, &r) == ODP_OK);
        CHILD_CHECK(write(pipe, &n, sizeof n) == sizeof n);
        odp_keytable_raise(t, odp_keytable_count(t) - 1, 20000, n);
        s.zone_minutes = (int32_t)(n % 1000);
        odp_keytable_set_settings(t, &s);
        r.state = ODP_KEY_ROTATED;
        CHILD_CHECK(odp_keytable_put(t, &r) == ODP_OK);
    }
    for (;;)
        pause();
}

/* Kills one life at a random moment; returns the last number that it acknowledged, or BEFORE. */
static uint64_t one_life(uint64_t first, uint64_t before, unsigned microseconds)
{
    int ends[2], status;
    uint64_t n, last = before;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)close(ends[0]);
        live(ends[1], first);
    }
    assert_int_equal(close(ends[1]), 0);
    if (first % 2 == 0) /* every other life gets as far as its first key, on the slowest machine */
        assert_int_equal(poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 60000), 1);
    (void)nanosleep(&(struct timespec){0, (long)microseconds * 1000}, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status)); /* it did not stop by itself over a failed check */
    while (read(ends[0], &n, sizeof n) == (ssize_t)sizeof n) {
        assert_int_equal(n, last == before ? first : last + 1);
        last = n;
    }
    assert_int_equal(close(ends[0]), 0);
    return last;
}

TEST(killed_writers)
{
    static uint64_t firsts[KILLS], lasts[KILLS];
    struct odp_keytable *t = fixture_new(KILLS * A_LIFE), *mine = t;
    struct odp_settings s;
    unsigned random = 12345;
    uint64_t acknowledged = 0;
    for (uint64_t i = 0; i < KILLS; i++) {
        random = random * 1103515245 + 12345;
        firsts[i] = 1 + i * A_LIFE;
        lasts[i] = one_life(firsts[i], firsts[i] - 1, (random >> 16) % 4000);
        acknowledged += lasts[i] + 1 - firsts[i];
        t = fixture_open();
        fixture_check(t);
        for (uint64_t n = firsts[i]; n <= lasts[i]; n++)
            assert_true(fixture_find(t, n) >= 0 && fixture_find(mine, n) >= 0);
        odp_keytable_settings(t, &s);
        assert_int_equal(s.ntiers, 3);
        odp_keytable_close(t);
    }
    t = fixture_open();
    for (uint64_t i = 0; i < KILLS; i++)
        for (uint64_t n = firsts[i]; n <= lasts[i]; n++)
            assert_true(fixture_find(t, n) >= 0);
    /* At most one more a life than it could say. */
    assert_true(acknowledged >= KILLS / 2);
    assert_in_range(odp_keytable_count(t), acknowledged, acknowledged + KILLS);
    fixture_put(t, KILLS * A_LIFE + 10, KILLS * A_LIFE + 11);
    uint32_t found = 0;
    struct odp_key_record r;
    for (uint32_t n = 0; n < odp_keytable_count(t); n++) {
        must(odp_keytable_at(t, n, &r));
        found += odp_keytable_find(t, r.digest) == (int64_t)n;
    }
    assert_int_equal(found, odp_keytable_count(t));
    odp_keytable_close(t);
    odp_keytable_close(mine);
}

EACH(fixture_set_up, fixture_tear_down)
