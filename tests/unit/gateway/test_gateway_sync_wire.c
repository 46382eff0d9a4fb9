/* What machines say to each other, and how an operator names a Redis. */

#include "run.h"

#include "service/cluster/map.h"
#include "service/cluster/redis.h"
#include "service/cluster/wire.h"

TEST(addresses)
{
    static const struct {
        const char *text, *shown, *password, *user;
        int db;
    } good[] = {
        {"127.0.0.1:6380", "127.0.0.1:6380", "", "", 0},
        {"redis.dalam:6379", "redis.dalam:6379", "", "", 0},
        {"[::1]:6379", "[::1]:6379", "", "", 0},
        {"unix:/run/redis.sock", "unix:/run/redis.sock", "", "", 0},
        {"unix:///run/redis.sock", "unix:/run/redis.sock", "", "", 0},
        {"redis://h", "h:6379", "", "", 0},
        {"redis://h:1/3", "h:1", "", "", 3},
        {"redis://:r%40hasia@h:1", "h:1", "r@hasia", "", 0},
        {"redis://odp:p@ss@[fe80::1]:7/2", "[fe80::1]:7", "p@ss", "odp", 2},
    };
    static const char *const bad[] = {
        "",
        "h",
        "h:",
        "h:0",
        "h:65536",
        "h:1x",
        ":1",
        "[::1",
        "[::1]1",
        "unix:",
        "rediss://h",
        "redis://",
        "redis://p@h",
        "redis://:@h",
        "redis://:%zz@h",
        "redis://h:1/x",
        "redis://h/1/2",
        "a b:1",
        "http://h:1",
        "redis://:%00@h",
    };
    struct odp_redis_address a;
    const char *why;
    for (size_t i = 0; i < ODP_COUNT(good); i++) {
        if (odp_redis_address(good[i].text, &a, &why) != ODP_OK)
            fail_msg("%s: %s", good[i].text, why);
        assert_string_equal(a.shown, good[i].shown);
        assert_string_equal(a.password, good[i].password);
        assert_string_equal(a.user, good[i].user);
        assert_int_equal(a.db, good[i].db);
        assert_null(good[i].password[0] != '\0' ? strstr(a.shown, good[i].password) : NULL);
    }
    for (size_t i = 0; i < ODP_COUNT(bad); i++) {
        why = NULL;
        if (odp_redis_address(bad[i], &a, &why) != ODP_BAD)
            fail_msg("taken: %s", bad[i]);
        assert_non_null(why);
    }
}

TEST(wire_keys)
{
    struct odp_buffer b = {0};
    struct odp_wire_key k;
    struct odp_key_record r = {
        .id = 7, .account = 3, .until = 1710500000, .state = ODP_KEY_ROTATED, .shown = "odp_live_Ab3dE"};
    for (size_t i = 0; i < sizeof r.digest; i++)
        r.digest[i] = (uint8_t)(i * 9 + 1);
    odp_wire_key_write(&b, 41, &r, "registered");
    assert_true(odp_wire_key_read(odp_buffer_slice(&b), &k));
    assert_int_equal(k.change, 41);
    assert_string_equal(k.tier, "registered");
    assert_memory_equal(&k.record.digest, &r.digest, sizeof r.digest);
    assert_int_equal(k.record.id, 7);
    assert_int_equal(k.record.account, 3);
    assert_int_equal(k.record.until, 1710500000);
    assert_int_equal(k.record.state, ODP_KEY_ROTATED);
    assert_string_equal(k.record.shown, "odp_live_Ab3dE");
    for (size_t n = 0; n < b.len; n++) /* invalid wherever it is cut */
        assert_false(odp_wire_key_read((struct odp_slice){b.ptr, n}, &k));
    char digest[65];
    memset(digest, 'a', 64);
    digest[64] = '\0';
    static const char *const bad[] = {
        "2 1 1 1 0 1 public x ",
        "1 0 1 1 0 1 public x ",
        "1 1 0 1 0 1 public x ",
        "1 1 1 0 0 1 public x ",
        "1 1 1 1 -1 1 public x ",
        "1 1 1 1 0 0 public x ",
        "1 1 1 1 0 5 public x ",
        "1 1 1 1 0 1 pub/lic x ",
        "1 1 1 1 0 1  x ",
        "1 1 1 1 0 1 public odp_live_Ab3dEE ",
        "1 01 1 1 0 1 public x ",
        "1 1 1 1 0 1 public x y ",
        "1  1 1 1 0 1 public x ",
        "1 9223372036854775808 1 1 0 1 public x ",
        "1 18446744073709551616 1 1 0 1 public x ",
        "1 +1 1 1 0 1 public x ",
        "1 1 1 1 0 1 ppppppppppppppppppppppppppppppppp x ",
    };
    for (size_t i = 0; i < ODP_COUNT(bad); i++) {
        odp_buffer_clear(&b);
        odp_buffer_printf(&b, "%s%s", bad[i], digest);
        if (odp_wire_key_read(odp_buffer_slice(&b), &k))
            fail_msg("taken: %s", b.ptr);
    }
    odp_buffer_clear(&b);
    odp_buffer_printf(&b, "1 1 1 1 0 1 public - %s", digest);
    assert_true(odp_wire_key_read(odp_buffer_slice(&b), &k));
    assert_string_equal(k.record.shown, "");
    odp_buffer_release(&b);
}

TEST(wire_rest)
{
    struct odp_wire_mark m;
    struct odp_meter_usage u;
    static const char *const bad[] = {
        "0123456789abcdef 7 0123456789abcdef0123456789abcdeF 12 1",
        "0123456789abcdef 7 0123456789abcdef0123456789abcdef 12 2",
        "0123456789abcdef 7 0123456789abcdef0123456789abcdef 12",
        "0123456789abcdef 7 0123456789abcdef0123456789abcdef 12 1 ",
        "0123456789abcdef -1",
        "",
    };
    assert_true(odp_wire_mark_read(ODP_LIT("0123456789abcdef 7 0123456789abcdef0123456789abcdef 12 1"), &m));
    assert_true(m.seq == 7 && m.change == 12 && m.whole);
    for (size_t i = 0; i < ODP_COUNT(bad); i++)
        if (odp_wire_mark_read(odp_slice_of(bad[i]), &m))
            fail_msg("taken: '%s'", bad[i]);
    assert_true(odp_wire_mark_read(ODP_LIT("0123456789abcdef 0"), &m));
    assert_false(odp_wire_mark_read(ODP_LIT("0123456789abcdef 0 "), &m));
    assert_true(odp_wire_usage_read(ODP_LIT("public/kumuh/excel.csv"), ODP_LIT("17"), &u));
    assert_string_equal(u.format, "excel.csv");
    assert_int_equal(u.count, 17);
    assert_false(odp_wire_usage_read(ODP_LIT("public/kumuh"), ODP_LIT("17"), &u));
    assert_false(odp_wire_usage_read(ODP_LIT("public/kumuh/a/b"), ODP_LIT("17"), &u));
    assert_false(odp_wire_usage_read(ODP_LIT("public/kumuh/"), ODP_LIT("17"), &u));
    char name[ODP_WIRE_MACHINE];
    odp_wire_machine(name, "simpul a/b:c", "0123456789abcdef");
    assert_string_equal(name, "simpul-a-b-c~0123456789abcdef");
    assert_true(odp_wire_machine_ok(odp_slice_of(name)));
}

TEST(maps)
{
    struct odp_sync_map m;
    uint64_t v;
    odp_sync_map_init(&m);
    assert_false(odp_sync_map_get(&m, 1, &v));
    for (uint64_t i = 1; i <= 20000; i++)
        must(odp_sync_map_put(&m, i * 1048576, i));
    for (uint64_t i = 1; i <= 20000; i++)
        assert_true(odp_sync_map_get(&m, i * 1048576, &v) && v == i);
    assert_false(odp_sync_map_get(&m, 3, &v));
    must(odp_sync_map_put(&m, 1048576, 9));
    assert_true(odp_sync_map_get(&m, 1048576, &v) && v == 9);
    assert_int_equal(m.n, 20000);
    odp_sync_map_release(&m);
}
