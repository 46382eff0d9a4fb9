/* The key table: what is put is found, nothing else is, accounts, settings, replacement, counters by day. */
#include "gateway_table_fixture.h"

#include <fcntl.h>

TEST(hundred_thousand)
{
    enum { N = 100000 };
    struct odp_keytable *t = fixture_new(N);
    struct odp_key_record r;
    assert_int_equal(odp_keytable_count(t), 0);
    assert_int_equal(odp_keytable_capacity(t), N);
    assert_int_equal(fixture_find(t, 1), -1);
    fixture_put(t, 1, N + 1);
    assert_int_equal(odp_keytable_count(t), N);
    for (uint64_t n = 1; n <= N; n++) {
        assert_int_equal(fixture_find(t, n), n - 1);
        assert_int_equal(fixture_find(t, n + N), -1);
    }
    struct odp_key_record more = fixture_key(N + 1);
    assert_int_equal(odp_keytable_put(t, &more), ODP_FAIL);
    assert_non_null(strstr(odp_failure_text(), "no room"));
    odp_failure_clear();
    more = fixture_key(7); /* a full table can still be changed */
    more.state = ODP_KEY_REVOKED;
    must(odp_keytable_put(t, &more));
    must(odp_keytable_get(t, more.digest, &r));
    assert_int_equal(r.state, ODP_KEY_REVOKED);
    fixture_check(t);
    must(odp_keytable_sync(t));
    odp_keytable_close(t);
    t = fixture_open();
    assert_int_equal(odp_keytable_count(t), N);
    assert_int_equal(fixture_find(t, N), N - 1);
    fixture_check(t);
    odp_keytable_close(t);
}

static void assert_same(const struct odp_key_record *a, const struct odp_key_record *b)
{
    assert_memory_equal(a->digest, b->digest, sizeof a->digest);
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->account, b->account);
    assert_int_equal(a->until, b->until);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->tier, b->tier);
    assert_string_equal(a->shown, b->shown);
}

TEST(records_come_back_as_they_were)
{
    struct odp_keytable *t = fixture_new(10);
    struct odp_key_record r = fixture_key(UINT64_MAX), got;
    r.tier = ODP_TIERS_MAX - 1;
    r.until = 1034567890123;
    for (uint8_t s = ODP_KEY_ACTIVE; s <= ODP_KEY_REVOKED; s++) {
        r.state = s;
        must(odp_keytable_put(t, &r));
        must(odp_keytable_get(t, r.digest, &got));
        assert_same(&got, &r);
        must(odp_keytable_at(t, 0, &got));
        assert_same(&got, &r);
    }
    assert_int_equal(odp_keytable_count(t), 1);
    assert_int_equal(odp_keytable_at(t, 1, &got), ODP_DONE);
    assert_int_equal(odp_keytable_at(t, UINT32_MAX, &got), ODP_DONE);
    struct odp_key_record other = fixture_key(2);
    assert_int_equal(odp_keytable_get(t, other.digest, &got), ODP_DONE);
    /* What does not fit 40 bits is far away in the same direction. */
    r.until = INT64_MAX;
    must(odp_keytable_put(t, &r));
    must(odp_keytable_get(t, r.digest, &got));
    assert_int_equal(got.until, (INT64_C(1) << 40) - 1);
    r.until = -5;
    must(odp_keytable_put(t, &r));
    must(odp_keytable_get(t, r.digest, &got));
    assert_int_equal(got.until, 1);
    /* Another text for the same digest, as after a mended store. */
    r.until = 0;
    r.id = r.account = 77;
    strcpy(r.shown, "");
    must(odp_keytable_put(t, &r));
    must(odp_keytable_get(t, r.digest, &got));
    assert_same(&got, &r);
    fixture_check(t);
    odp_keytable_close(t);
}

TEST(what_cannot_be_put)
{
    struct odp_keytable *t = fixture_new(10);
    struct odp_key_record r = fixture_key(1);
    fixture_put(t, 1, 2);
    for (int i = 0; i < 4; i++) {
        r = fixture_key((uint64_t)(i % 2) + 1); /* one that is there, one that is not */
        if (i < 2)
            r.state = i == 0 ? 0 : ODP_KEY_REVOKED + 1;
        else
            r.tier = ODP_TIERS_MAX;
        assert_int_equal(odp_keytable_put(t, &r), ODP_FAIL);
        odp_failure_clear();
    }
    for (uint64_t n = 1; n < 3; n++) {
        r = fixture_key(n);
        r.account = 99;
        assert_int_equal(odp_keytable_put(t, &r), ODP_FAIL);
        assert_non_null(strstr(odp_failure_text(), "account"));
        odp_failure_clear();
    }
    assert_int_equal(odp_keytable_count(t), 1);
    r = fixture_key(1);
    struct odp_key_record got;
    must(odp_keytable_get(t, r.digest, &got));
    assert_same(&got, &r);
    fixture_check(t);
    odp_keytable_close(t);
}

/* Keys that follow each other count for the first one, also when the table was opened anew in between. */
TEST(accounts)
{
    enum { N = 3000, DAY = 20000 };
    struct odp_keytable *t = fixture_new(3 * N);
    struct odp_key_record r, got;
    fixture_put(t, 1, N + 1);
    for (uint64_t n = N + 1; n <= 3 * N; n++) {
        r = fixture_key(n);
        r.account = (n - 1) % N + 1;
        if (n == 2 * N) {
            odp_keytable_close(t);
            t = fixture_open();
        }
        must(odp_keytable_put(t, &r));
        must(odp_keytable_get(t, r.digest, &got));
        assert_same(&got, &r);
    }
    for (uint32_t n = 0; n < N; n++)
        odp_keytable_raise(t, n + (n % 3) * N, DAY, n + 1);
    for (uint32_t n = 0; n < 3 * N; n++)
        assert_int_equal(odp_keytable_used(t, n, DAY), n % N + 1);
    /* The account of a key that is there may change: counters go with it. */
    r = fixture_key(N + 1);
    r.account = r.id;
    must(odp_keytable_put(t, &r));
    assert_int_equal(odp_keytable_used(t, N, DAY), 0);
    assert_int_equal(odp_keytable_used(t, 0, DAY), 1);
    r.account = 5;
    must(odp_keytable_put(t, &r));
    assert_int_equal(odp_keytable_used(t, N, DAY), 5);
    fixture_check(t);
    odp_keytable_close(t);
}

TEST(counters_know_their_day)
{
    enum { DAY = 20000 };
    struct odp_keytable *t = fixture_new(10);
    fixture_put(t, 1, 3);
    assert_int_equal(odp_keytable_used(t, 0, DAY), 0);
    odp_keytable_raise(t, 0, DAY, 10);
    odp_keytable_raise(t, 0, DAY, 7); /* never down */
    assert_int_equal(odp_keytable_used(t, 0, DAY), 10);
    assert_int_equal(odp_keytable_used(t, 0, DAY - 1), 0);
    assert_int_equal(odp_keytable_used(t, 0, DAY + 1), 0);
    assert_int_equal(odp_keytable_used(t, 1, DAY), 0);
    odp_keytable_raise(t, 0, DAY - 1, 99); /* late news of yesterday */
    assert_int_equal(odp_keytable_used(t, 0, DAY), 10);
    odp_keytable_raise(t, 0, DAY + 1, 2);
    assert_int_equal(odp_keytable_used(t, 0, DAY), 0);
    assert_int_equal(odp_keytable_used(t, 0, DAY + 1), 2);
    odp_keytable_raise(t, 1, DAY, UINT64_MAX);
    assert_int_equal(odp_keytable_used(t, 1, DAY), (UINT64_C(1) << 40) - 1);

    odp_keytable_set_elsewhere(t, 0, DAY, 10);
    odp_keytable_set_elsewhere(t, 0, DAY, 7); /* as told */
    assert_int_equal(odp_keytable_used_elsewhere(t, 0, DAY), 7);
    assert_int_equal(odp_keytable_used_elsewhere(t, 0, DAY + 1), 0);
    odp_keytable_set_elsewhere(t, 0, DAY - 1, 99);
    assert_int_equal(odp_keytable_used_elsewhere(t, 0, DAY), 7);
    odp_keytable_set_elsewhere(t, 0, DAY + 9, 1); /* a clock that was wrong, and then right again */
    odp_keytable_set_elsewhere(t, 0, DAY, 8);
    assert_int_equal(odp_keytable_used_elsewhere(t, 0, DAY), 8);
    for (uint32_t n = 2; n != 0; n = n == 2 ? UINT32_MAX : 0) { /* numbers that are none */
        odp_keytable_raise(t, n, DAY, 5);
        odp_keytable_set_elsewhere(t, n, DAY, 5);
        assert_int_equal(odp_keytable_used(t, n, DAY) + odp_keytable_used_elsewhere(t, n, DAY), 0);
    }
    struct odp_key_record r = fixture_key(1);
    r.state = ODP_KEY_SUSPENDED;
    must(odp_keytable_put(t, &r)); /* counters stay */
    assert_int_equal(odp_keytable_used(t, 0, DAY + 1), 2);
    assert_int_equal(odp_keytable_used_elsewhere(t, 0, DAY), 8);
    odp_keytable_close(t);
}

TEST(settings)
{
    struct odp_keytable *t = fixture_new(10);
    struct odp_settings s = fixture_settings(), got;
    odp_keytable_settings(t, &got);
    assert_memory_equal(&got, &s, sizeof s);
    for (int i = 0; i < 5; i++) {
        s.tiers[0].daily = 100 + i;
        s.zone_minutes = -60 * i;
        odp_keytable_set_settings(t, &s);
        odp_keytable_settings(t, &got);
        assert_memory_equal(&got, &s, sizeof s);
    }
    /* Nothing that is too long or too many comes back. */
    s.ntiers = 99;
    memset(s.base_url, 'x', sizeof s.base_url);
    memset(s.tiers[3].name, 'y', ODP_TIER_NAME);
    odp_keytable_set_settings(t, &s);
    odp_keytable_settings(t, &got);
    assert_int_equal(got.ntiers, ODP_TIERS_MAX);
    assert_int_equal(strlen(got.base_url), sizeof got.base_url - 1);
    assert_int_equal(strlen(got.tiers[3].name), ODP_TIER_NAME - 1);
    odp_keytable_close(t);
    must(odp_keytable_create(fixture_path, 5, NULL));
    t = fixture_open();
    odp_keytable_settings(t, &got);
    assert_int_equal(got.ntiers, 0);
    odp_keytable_close(t);
}

TEST(replaced)
{
    char beside[128];
    struct odp_settings s = fixture_settings();
    struct odp_keytable *old = fixture_new(10), *new = NULL;
    fixture_put(old, 1, 5);
    assert_false(odp_keytable_replaced(old, fixture_path));
    snprintf(beside, sizeof beside, "%s/rebuilt", fixture_dir);
    must(odp_keytable_create(beside, 20, &s));
    must(odp_keytable_open(&new, beside, NULL));
    fixture_put(new, 3, 9);
    assert_false(odp_keytable_replaced(old, fixture_path));
    must(odp_file_rename(beside, fixture_path));
    assert_true(odp_keytable_replaced(old, fixture_path));
    assert_false(odp_keytable_replaced(new, fixture_path));
    assert_int_equal(fixture_find(old, 1), 0); /* goes on as it was until it is closed */
    odp_keytable_close(old);
    old = fixture_open();
    assert_int_equal(fixture_find(old, 1), -1);
    assert_int_equal(fixture_find(old, 8), 5);
    assert_int_equal(unlink(fixture_path), 0);
    assert_false(odp_keytable_replaced(old, fixture_path));
    odp_keytable_close(old);
    odp_keytable_close(new);
    odp_keytable_close(NULL);
}

TEST(the_file)
{
    struct stat st;
    char left[128];
    mode_t mask = umask(0);
    struct odp_settings s = fixture_settings();
    snprintf(left, sizeof left, "%s.new",
             fixture_path); /* of a writer that was killed; as a link it could hit any file */
    assert_int_equal(symlink("/nowhere/at/all", left), 0);
    must(odp_keytable_create(fixture_path, ODP_KEYTABLE_CAPACITY, &s));
    umask(mask);
    assert_int_equal(lstat(left, &st), -1);
    assert_int_equal(stat(fixture_path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(st.st_size, 4096 + 8388608 * INT64_C(4) + 4000000 * INT64_C(128));
    assert_in_range(st.st_blocks * 512, 8388608 * 4,
                    8388608 * 4 + 65536); /* the index is on the disk, the records are not */
    struct odp_keytable *t = fixture_open();
    fixture_put(t, 1, 100);
    must(odp_keytable_sync(t));
    assert_int_equal(stat(fixture_path, &st), 0);
    assert_in_range(st.st_blocks * 512, 8388608 * 4, 8388608 * 4 + 131072);
    odp_keytable_close(t);
    assert_int_equal(odp_keytable_create(fixture_path, 0, &s), ODP_FAIL);
    odp_failure_clear();
    assert_int_equal(odp_keytable_create(fixture_path, UINT32_MAX, &s), ODP_FAIL);
    odp_failure_clear();
    snprintf(left, sizeof left, "%s/no/such/folder", fixture_dir);
    assert_int_equal(odp_keytable_create(left, 10, &s), ODP_FAIL);
    t = fixture_open(); /* none of these touched the table */
    assert_int_equal(odp_keytable_count(t), 99);
    odp_keytable_close(t);
}

EACH(fixture_set_up, fixture_tear_down)
