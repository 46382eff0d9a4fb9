/* Any bytes as what another machine, or somebody else, has put into Redis: whatever is taken must come out
 * the same when it is written again. */
#include "fuzz.h"
#include "service/cluster/redis.h"
#include "service/cluster/wire.h"

static void same(struct odp_slice in, const struct odp_buffer *out)
{
    NEED(odp_buffer_status(out) == ODP_OK && odp_slice_eq(in, odp_buffer_slice(out)));
}

static void key(struct odp_slice s, struct odp_buffer *b)
{
    struct odp_wire_key k;
    if (!odp_wire_key_read(s, &k))
        return;
    odp_wire_key_write(b, k.change, &k.record, k.tier);
    same(s, b);
}

static void marks(struct odp_slice s, struct odp_buffer *b)
{
    struct odp_wire_mark m;
    if (odp_wire_mark_read(s, &m)) {
        odp_wire_mark_write(b, &m);
        same(s, b);
    }
}

static void usage(struct odp_slice s, struct odp_buffer *b)
{
    struct odp_meter_usage u;
    if (!odp_wire_usage_read(s, ODP_LIT("1"), &u))
        return;
    odp_wire_usage_write(b, &u);
    same(s, b);
}

static void address(struct odp_slice s, struct odp_buffer *b)
{
    struct odp_redis_address a;
    odp_buffer_add_slice(b, s);
    NEED(!odp_redis_address(odp_buffer_cstr(b), &a) || (*a.host != '\0') != (*a.path != '\0'));
}

void fuzz_one(struct odp_slice in)
{
    static void (*const readers[])(struct odp_slice s, struct odp_buffer * b) = {key, marks, usage, address};
    struct odp_buffer b = {0};
    for (size_t i = 0; i < ODP_COUNT(readers); i++) {
        odp_buffer_clear(&b);
        readers[i](in, &b);
    }
    odp_buffer_release(&b);
}
