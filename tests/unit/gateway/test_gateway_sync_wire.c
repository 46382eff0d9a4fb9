/* What machines say to each other, and how an operator names a Redis. */

#include "answer_lines.h"

#include "service/cluster/map.h"
#include "service/cluster/redis.h"
#include "service/cluster/wire.h"

/* gateway/answers/wire.txt: an address, a key (a digest follows), a mark, or usage of 17. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    const char *text = strchr(question.ptr, ' ') + 1;
    struct odp_redis_address a;
    struct odp_wire_key k;
    struct odp_wire_mark m;
    struct odp_meter_usage u;
    char line[300];
    snprintf(line, sizeof line, "%s%064d", text, 0);
    if (question.ptr[0] == 'a' && odp_redis_address(text, &a)) {
        odp_buffer_printf(out, "%s user \"%s\" password \"%s\" database %d", a.shown, a.user, a.password,
                          a.db);
        assert_true(a.password[0] == '\0' || strstr(a.shown, a.password) == NULL);
    } else if (question.ptr[0] == 'k' && odp_wire_key_read(odp_slice_of(line), &k)) {
        odp_buffer_printf(out, "%s %s", k.tier, k.record.shown);
    } else if (question.ptr[0] == 'm' && odp_wire_mark_read(odp_slice_of(text), &m)) {
        odp_buffer_printf(out, "%lld, change %lld%s", (long long)m.seq, (long long)m.change,
                          m.whole ? ", whole" : "");
    } else if (question.ptr[0] == 'u' && odp_wire_usage_read(odp_slice_of(text), ODP_LIT("17"), &u)) {
        odp_buffer_printf(out, "%s %lld", u.format, (long long)u.count);
    } else {
        odp_buffer_add_str(out, "no");
    }
}

TEST(answers)
{
    answer_lines("gateway/answers/wire.txt", answer, NULL);
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
    odp_buffer_release(&b);
}

TEST(wire_machines)
{
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
