/* The thread pool: order, failure, odd numbers of everything. */
#include "run.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/pool.h"

enum { SLOTS = 64, LANES = 3 };

struct job {
    size_t total, produced, consumed;
    size_t value[SLOTS]; /* the number in each slot, doubled by work */
    pthread_t producer[SLOTS];
    size_t appended[LANES];
    size_t fail_produce, fail_work, fail_consume; /* at which number; SIZE_MAX never */
    unsigned jobs;
    atomic_size_t worked;
    atomic_bool wrong, producing;
};

/* One at a time, on whatever thread. */
static enum odp_status produce(void *ctx, size_t slot)
{
    struct job *j = ctx;
    if (atomic_exchange(&j->producing, true))
        j->wrong = true;
    enum odp_status status = j->produced == j->total          ? ODP_DONE
                             : j->produced == j->fail_produce ? ODP_FAIL
                                                              : ODP_OK;
    if (status == ODP_OK)
        j->value[slot] = j->produced++;
    j->producer[slot] = pthread_self();
    j->producing = false;
    return status;
}

static enum odp_status work(void *ctx, size_t slot, unsigned worker)
{
    struct job *j = ctx;
    if (worker >= j->jobs || !pthread_equal(j->producer[slot], pthread_self()))
        j->wrong = true; /* a piece stays in the cache of the thread that has read it */
    size_t n = j->value[slot];
    volatile unsigned spin = (unsigned)(n * 2654435761u % 3000); /* uneven work */
    while (spin > 0)
        spin--;
    j->value[slot] = n * 2;
    j->worked++;
    if (n == j->fail_work)
        return ODP_FAIL;
    return n % 3 == 0 ? ODP_BAD : ODP_OK;
}

static enum odp_status consume(void *ctx, size_t slot)
{
    struct job *j = ctx;
    if (j->value[slot] != 2 * j->consumed)
        j->wrong = true;
    return j->consumed++ == j->fail_consume ? ODP_FAIL : ODP_OK;
}

/* In each lane in order, after the work. */
static enum odp_status append(void *ctx, size_t slot, size_t lane)
{
    struct job *j = ctx;
    if (j->value[slot] != 2 * j->appended[lane]++)
        j->wrong = true;
    return ODP_OK;
}

static struct job job_of(size_t total, unsigned jobs)
{
    return (struct job){
        .total = total,
        .jobs = jobs,
        .fail_produce = SIZE_MAX,
        .fail_work = SIZE_MAX,
        .fail_consume = SIZE_MAX,
    };
}

TEST(ordered)
{
    static const unsigned counts[] = {1, 2, 3, 7};
    static const size_t totals[] = {0, 1, 5, 17, 3000};
    for (size_t c = 0; c < ODP_COUNT(counts); c++) {
        struct odp_pool *p;
        must(odp_pool_new(&p, counts[c]));
        assert_int_equal(odp_pool_jobs(p), counts[c]);
        assert_int_equal(odp_pool_slots(p), counts[c] == 1 ? 1 : 2 * counts[c]);
        for (size_t t = 0; t < ODP_COUNT(totals); t++) {
            struct job j = job_of(totals[t], counts[c]);
            struct odp_ordered run = {&j, produce, work, consume};
            must(odp_pool_ordered(p, &run));
            assert_int_equal(j.consumed, totals[t]);
            assert_int_equal(j.worked, totals[t]);
            assert_false(j.wrong);
            j = job_of(totals[t], counts[c]);
            must(odp_pool_ordered_lanes(p, &run, &(struct odp_lanes){LANES, append}));
            for (size_t lane = 0; lane < LANES; lane++)
                assert_int_equal(j.appended[lane], totals[t]);
            assert_false(j.wrong);
        }
        odp_pool_free(p);
    }
    odp_pool_free(NULL);
}

TEST(failures)
{
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        struct odp_pool *p;
        must(odp_pool_new(&p, jobs));
        for (int round = 0; round < 60; round++) {
            struct job j = job_of(200, jobs);
            size_t at = (size_t)round * 3;
            *(round % 3 == 0 ? &j.fail_produce : round % 3 == 1 ? &j.fail_work : &j.fail_consume) = at;
            struct odp_ordered run = {&j, produce, work, consume};
            must_fail(odp_pool_ordered(p, &run), "");
            assert_true(j.consumed <= at + 1);
            assert_false(j.wrong);
            struct job again = job_of(20, jobs); /* the pool is usable afterwards */
            run.ctx = &again;
            must(odp_pool_ordered(p, &run));
            assert_int_equal(again.consumed, 20);
        }
        odp_pool_free(p);
    }
}

struct each {
    atomic_uint seen[1000];
    size_t fail;
};

static enum odp_status visit(void *ctx, size_t i, unsigned worker)
{
    struct each *e = ctx;
    e->seen[i]++;
    return i == e->fail ? ODP_FAIL : ODP_OK;
}

TEST(each)
{
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        static struct each e;
        struct odp_pool *p;
        must(odp_pool_new(&p, jobs));
        for (size_t n = 0; n <= 1000; n += 250) {
            for (size_t i = 0; i < 1000; i++)
                e.seen[i] = 0;
            e.fail = SIZE_MAX;
            must(odp_pool_each(p, n, &e, visit));
            for (size_t i = 0; i < 1000; i++)
                assert_int_equal(e.seen[i], i < n);
        }
        e.fail = 10;
        must_fail(odp_pool_each(p, 1000, &e, visit), "");
        odp_pool_free(p);
    }
}
