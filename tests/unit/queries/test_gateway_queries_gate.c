/* How many queries run at a time, and answers that are kept and shared: the gate and the cache by themselves.
 */
#include "gateway_query_fixture.h"

#include <pthread.h>

struct runner {
    struct odp_gate *gate;
    struct odp_cache *cache;
    pthread_t thread;
    int state; /* 1: in, 2: refused */
};

/* ---- the gate ---- */

static void *enter(void *arg)
{
    struct runner *r = arg;
    bool in = odp_gate_enter(r->gate);
    __atomic_store_n(&r->state, in ? 1 : 2, __ATOMIC_RELEASE);
    return NULL;
}

static void wait_waiting(struct odp_gate *g, unsigned want)
{
    unsigned running = 0, waiting = 0;
    for (int i = 0; i < 3000 && (i == 0 || waiting != want); i++) {
        odp_gate_counts(g, &running, &waiting);
        usleep(1000);
    }
    assert_int_equal(waiting, want);
}

TEST(gate)
{
    struct odp_gate *g = NULL;
    struct runner r[3] = {{0}};
    unsigned running, waiting;
    must(odp_gate_new(&g, 2, 2, 60000));
    assert_true(odp_gate_enter(g));
    assert_true(odp_gate_enter(g));
    for (unsigned i = 0; i < 2; i++) {
        r[i].gate = g;
        assert_int_equal(pthread_create(&r[i].thread, NULL, enter, &r[i]), 0);
        wait_waiting(g, i + 1);
    }
    assert_false(odp_gate_enter(g)); /* at once: two wait already */
    odp_gate_leave(g);
    assert_int_equal(pthread_join(r[0].thread, NULL), 0); /* who came first */
    assert_int_equal(r[0].state, 1);
    odp_gate_counts(g, &running, &waiting);
    assert_int_equal(running, 2);
    assert_int_equal(waiting, 1);
    odp_gate_leave(g);
    assert_int_equal(pthread_join(r[1].thread, NULL), 0);
    odp_gate_leave(g);
    odp_gate_leave(g);
    odp_gate_counts(g, &running, &waiting);
    assert_int_equal(running + waiting, 0);
    odp_gate_free(g);
    must(odp_gate_new(&g, 1, 5, 30));
    assert_true(odp_gate_enter(g));
    assert_false(odp_gate_enter(g)); /* after its time */
    odp_gate_counts(g, &running, &waiting);
    assert_int_equal(waiting, 0);
    odp_gate_leave(g);
    for (uint64_t a = 0; a < 100; a++)
        assert_true(odp_gate_take(g, a, 1) && !odp_gate_take(g, a, 1) && odp_gate_take(g, a, 2) &&
                    odp_gate_take(g, a, 0));
    for (uint64_t a = 0; a < 100; a++) {
        odp_gate_give(g, a);
        odp_gate_give(g, a);
        assert_false(odp_gate_take(g, a, 1));
        odp_gate_give(g, a);
        assert_true(odp_gate_take(g, a, 1));
        odp_gate_give(g, a);
    }
    odp_gate_free(g);
}

/* ---- the cache ---- */

static const uint8_t key_one[ODP_SHA256_SIZE] = {1}, key_two[ODP_SHA256_SIZE] = {2},
                     key_three[ODP_SHA256_SIZE] = {3};

static struct odp_cached *make_kept(struct odp_cache *c, const uint8_t *key, const char *body, size_t size,
                                    bool keep)
{
    struct odp_cached *k = NULL;
    assert_int_equal(odp_cache_begin(c, key, 1000, &k), ODP_DONE);
    k = odp_cached_new();
    assert_non_null(k);
    char *room = odp_buffer_reserve(&k->body, size + 8);
    assert_non_null(room);
    memset(room, 'x', size);
    memcpy(room, body, strlen(body));
    k->body.len = size;
    snprintf(k->index, sizeof k->index, "%016d", key[0]);
    odp_cache_end(c, key, k, keep);
    odp_cache_drop(c, k);
    return k;
}

static void *share(void *arg)
{
    struct runner *r = arg;
    struct odp_cached *k = NULL;
    enum odp_status st = odp_cache_begin(r->cache, key_two, 60000, &k);
    r->state = st == ODP_OK && memcmp(k->body.ptr, "two", 3) == 0 ? 1 : st == ODP_BAD ? 2 : 3;
    odp_cache_drop(r->cache, k);
    return NULL;
}

static void wait_shared(struct odp_cache *c, unsigned want)
{
    struct odp_cache_counts n = {0};
    for (int i = 0; i < 3000 && (i == 0 || n.waiting != want); i++) {
        odp_cache_counts(c, &n);
        usleep(1000);
    }
    assert_int_equal(n.waiting, want);
}

TEST(cache)
{
    struct odp_cache *c = NULL;
    struct odp_cache_counts n;
    struct odp_cached *k;
    must(odp_cache_new(&c, 64000, 2));
    make_kept(c, key_one, "one", 100, true);
    k = odp_cache_get(c, key_one);
    assert_non_null(k);
    assert_memory_equal(k->body.ptr, "one", 3);
    odp_cache_drop(c, k);
    assert_null(odp_cache_get(c, key_two));
    make_kept(c, key_two, "two", 9000, true); /* more than its share */
    assert_null(odp_cache_get(c, key_two));
    make_kept(c, key_two, "two", 100, false);
    assert_null(odp_cache_get(c, key_two));
    odp_cache_counts(c, &n);
    assert_int_equal(n.answers, 1);
    assert_int_equal(n.hits, 1);
    assert_int_equal(n.misses, 3);
    for (uint8_t i = 10; i < 40; i++) { /* what was not asked for longest leaves */
        uint8_t key[ODP_SHA256_SIZE] = {i};
        make_kept(c, key, "many", 4000, true);
        k = odp_cache_get(c, key_one);
        assert_non_null(k);
        odp_cache_drop(c, k);
    }
    odp_cache_counts(c, &n);
    assert_in_range(n.bytes, 50000, 64000);
    assert_null(odp_cache_get(c, (uint8_t[ODP_SHA256_SIZE]){10}));
    k = odp_cache_get(c, key_one);
    odp_cache_forget(c, "0000000000000001");
    assert_null(odp_cache_get(c, key_one));
    assert_memory_equal(k->body.ptr, "one", 3); /* who holds it has it */
    odp_cache_drop(c, k);
    odp_cache_free(c);
}

TEST(shares_one_answer)
{
    struct odp_cache *c = NULL;
    struct runner r[2] = {{0}};
    struct odp_cached *k = NULL;
    struct odp_cache_counts n;
    must(odp_cache_new(&c, 0, 2));
    for (int failed = 0; failed < 2; failed++) {
        assert_int_equal(odp_cache_begin(c, key_two, 1000, &k), ODP_DONE);
        for (unsigned i = 0; i < 2; i++) {
            r[i].cache = c;
            assert_int_equal(pthread_create(&r[i].thread, NULL, share, &r[i]), 0);
            wait_shared(c, i + 1);
        }
        must_refuse(odp_cache_begin(c, key_two, 1000, &k));                  /* at once: two wait already */
        assert_int_equal(odp_cache_begin(c, key_three, 1000, &k), ODP_DONE); /* another one is not held up */
        odp_cache_end(c, key_three, NULL, false);
        k = failed ? NULL : odp_cached_new();
        if (k != NULL)
            odp_buffer_add_str(&k->body, "two");
        odp_cache_end(c, key_two, k, true);
        odp_cache_drop(c, k);
        k = NULL;
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(r[i].thread, NULL), 0);
            assert_int_equal(r[i].state, failed ? 2 : 1);
        }
    }
    odp_cache_counts(c, &n);
    assert_int_equal(n.shared, 2);
    assert_int_equal(n.answers, 0);
    assert_int_equal(odp_cache_begin(c, key_two, 1000, &k), ODP_DONE);
    must_refuse(odp_cache_begin(c, key_two, 20, &k)); /* waited in vain */
    odp_cache_end(c, key_two, NULL, false);
    odp_cache_free(c);
}
