/* Lanes of the pool: each appends every slot, once, in order and never at two places at a time, whatever the
 * threads do. */
#include "run.h"

#include <stdatomic.h>

#include "base/pool.h"

enum { SLOTS = 64, LANES = 5, NEVER = 1 << 30 };

struct job {
    size_t total, produced, consumed;
    size_t lanes, value[SLOTS];
    atomic_uint held[SLOTS]; /* lanes that have not appended it */
    size_t appended[LANES];  /* each is its lane's alone */
    atomic_bool inside[LANES];
    size_t fail_at, fail_lane;
    atomic_size_t work;
    atomic_bool wrong;
};

static void spin(size_t n)
{
    volatile unsigned left = (unsigned)(n * 2654435761u % 4000);
    while (left > 0)
        left--;
}

static enum odp_status produce(void *ctx, size_t slot)
{
    struct job *j = ctx;
    if (j->produced == j->total)
        return ODP_DONE;
    for (size_t k = 0; k < j->lanes; k++) /* a slot comes again when every lane has had it */
        if (j->held[slot] != 0)
            j->wrong = true;
    j->held[slot] = (unsigned)j->lanes;
    j->value[slot] = j->produced++;
    return ODP_OK;
}

static enum odp_status work(void *ctx, size_t slot, unsigned worker)
{
    struct job *j = ctx;
    spin(j->value[slot]);
    j->value[slot] *= 2;
    j->work++;
    return ODP_OK;
}

static enum odp_status consume(void *ctx, size_t slot)
{
    struct job *j = ctx;
    if (j->value[slot] != 2 * j->consumed)
        j->wrong = true;
    j->value[slot]++; /* lanes come after it */
    j->consumed++;
    return ODP_OK;
}

static enum odp_status append(void *ctx, size_t slot, size_t lane)
{
    struct job *j = ctx;
    if (atomic_exchange(&j->inside[lane], true) || j->value[slot] != 2 * j->appended[lane] + 1)
        j->wrong = true;
    spin(j->appended[lane] * (lane + 1));
    size_t at = j->appended[lane]++;
    j->held[slot]--;
    atomic_store(&j->inside[lane], false);
    return lane == j->fail_lane && at == j->fail_at ? ODP_FAIL : ODP_OK;
}

TEST(order)
{
    static const unsigned threads[] = {1, 2, 3, 8};
    static const size_t totals[] = {0, 1, 4, 19, 1500};
    for (size_t c = 0; c < ODP_COUNT(threads); c++) {
        struct odp_pool *p;
        must(odp_pool_new(&p, threads[c]));
        for (size_t t = 0; t < ODP_COUNT(totals); t++)
            for (size_t n = 0; n <= LANES; n++) {
                struct job j = {.total = totals[t], .lanes = n, .fail_at = NEVER};
                const struct odp_ordered run = {&j, produce, work, consume};
                const struct odp_lanes lanes = {n, append};
                must(odp_pool_ordered_lanes(p, &run, &lanes));
                assert_int_equal(j.consumed, totals[t]);
                for (size_t k = 0; k < LANES; k++)
                    assert_int_equal(j.appended[k], k < n ? totals[t] : 0);
                assert_false(j.wrong);
            }
        odp_pool_free(p);
    }
}

TEST(failure)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct odp_pool *p;
        must(odp_pool_new(&p, threads));
        for (size_t at = 0; at < 100; at += 7) {
            struct job j = {.total = 200, .lanes = LANES, .fail_at = at, .fail_lane = at % LANES};
            struct odp_ordered run = {&j, produce, work, consume};
            const struct odp_lanes lanes = {LANES, append};
            must_fail(odp_pool_ordered_lanes(p, &run, &lanes), "");
            assert_int_equal(j.appended[j.fail_lane], at + 1);
            assert_false(j.wrong);
            struct job again = {.total = 30,
                                .fail_at = NEVER}; /* the pool is usable afterwards, without lanes too */
            run.ctx = &again;
            must(odp_pool_ordered(p, &run));
            assert_int_equal(again.consumed, 30);
            assert_int_equal(again.appended[0], 0);
        }
        odp_pool_free(p);
    }
}
