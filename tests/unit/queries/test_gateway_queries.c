/* Queries from call to answer, without sockets: doors, bodies, tags and memory, limits, many at once. The
 * answers themselves are in answers/calls.txt (test_gateway_query_answers.c), the gate and the cache in
 * test_gateway_queries_gate.c, sites that are switched in test_gateway_queries_switch.c. */
#include "gateway_query_fixture.h"

#include <pthread.h>

TEST(doors)
{
    struct fixture *f = *state;
    f->call.door = ODP_DOOR_SERVICE;
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 404); /* only its own address answers it */
    f->call.door = ODP_DOOR_QUERY;
    assert_int_equal(get(f, "/auth/tiers"), 404);
    f->call.ambiguous = true;
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 400);
}

TEST(posts)
{
    struct fixture *f = *state;
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filter\":\n \"x\""), 400);
    assert_string_equal(fixture_problem(f, "code"), "invalid-json");
    assert_non_null(strstr(fixture_problem(f, "detail"), "line 2"));
    char *large = malloc(ODP_QUERY_BODY_MAX + 2);
    assert_non_null(large);
    memset(large, ' ', ODP_QUERY_BODY_MAX + 1);
    memcpy(large, "{}", 2);
    large[ODP_QUERY_BODY_MAX] = '\0';
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", large), 200);
    large[ODP_QUERY_BODY_MAX] = ' ';
    large[ODP_QUERY_BODY_MAX + 1] = '\0';
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", large), 413);
    free(large);
}

/* ---- tags, memory and limits ---- */

TEST(tags_and_memory)
{
    struct fixture *f = *state;
    struct odp_cache_counts n;
    char tag[512], other[512];
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%3E23&sortby=kode"), 200);
    (void)fixture_header(f, "ETag", tag);
    assert_int_equal(get(f, "/v1/kumuh?sortby=kode&filter=(luas%20%3E%20%2023)"),
                     200); /* the same in other words */
    assert_string_equal(fixture_header(f, "ETag", other), tag);
    assert_string_equal(codes(f), "K-023 K-024 K-025");
    odp_cache_counts(queries_of(f)->cache, &n);
    assert_int_equal(n.hits, 1);
    assert_int_equal(n.misses, 1);
    assert_int_equal(atomic_load(&queries_of(f)->counts.run), 1);
    static const char *const others[] = {
        "/v1/kumuh?filter=luas%3E22&sortby=kode",         "/v1/kumuh?filter=luas%3E23&sortby=-kode",
        "/v1/kumuh?filter=luas%3E23&sortby=kode&limit=3", "/v1/kumuh.csv?filter=luas%3E23&sortby=kode",
        "/v1/kumuh/search?filter=luas%3E23&sortby=kode",  "/v1/proyek?filter=luas%3E23&sortby=kode"};
    for (size_t i = 0; i < ODP_COUNT(others); i++) {
        assert_int_equal(get(f, others[i]), 200);
        assert_string_not_equal(fixture_header(f, "ETag", other), tag);
    }
    snprintf(other, sizeof other, "\"x\", W/%.40s", tag);
    f->call.if_none_match = odp_slice_of(other);
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%3E23&sortby=kode"), 304);
    assert_int_equal(f->a.body.len, 0);
    char text[512];
    assert_string_equal(fixture_header(f, "ETag", text), tag);
    assert_string_equal(fixture_header(f, "Cache-Control", text), "private, max-age=60");
    assert_string_equal(fixture_header(f, "Vary", text), "Accept");
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%3E22&sortby=kode"), 200);
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filter\":\"luas > 23\"}"),
                     200); /* no condition of a POST */
}

TEST(release_changes_the_tag)
{
    struct fixture *f = *state;
    struct site_index one[] = SITE_ONE;
    char tag[512], other[512];
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    (void)fixture_header(f, "ETag", tag);
    make_site(build_dir(f, 'b'), one, 3, "2.6.0", "[]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    assert_string_equal(json_string_value(json_object_get(json_object_get(f->doc, "meta"), "release")),
                        "2.6.0");
    assert_string_not_equal(fixture_header(f, "ETag", other), tag);
}

TEST(concurrent)
{
    struct fixture *f = *state;
    struct odp_gate *g = queries_of(f)->gate;
    char text[512];
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    assert_true(odp_gate_take(g, 7, 2) && odp_gate_take(g, 7, 2));
    assert_int_equal(get(f, "/v1/kumuh?limit=2"), 429);
    assert_string_equal(fixture_problem(f, "code"), "too-many-queries");
    assert_string_equal(fixture_header(f, "Retry-After", text), "1");
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200); /* out of memory it costs nothing */
    f->call.tier = ODP_LIT("registered");               /* five */
    assert_int_equal(get(f, "/v1/kumuh?limit=3"), 200);
    f->call.tier = ODP_LIT("nobody knows it"); /* the least */
    assert_int_equal(get(f, "/v1/kumuh?limit=4"), 429);
    f->call.account = ODP_LIT("8");
    assert_int_equal(get(f, "/v1/kumuh?limit=5"), 200);
    f->call.account = ODP_LIT(""); /* all who are unknown are one, with the most that any tier has: 20 */
    for (int i = 0; i < 19; i++)
        assert_true(odp_gate_take(g, UINT64_MAX, 20));
    assert_int_equal(get(f, "/v1/kumuh?limit=6"), 200);
    assert_true(odp_gate_take(g, UINT64_MAX, 20));
    assert_int_equal(get(f, "/v1/kumuh?limit=7"), 429);
    f->call.account = ODP_LIT("99999999999999999999999");
    assert_int_equal(get(f, "/v1/kumuh?limit=7"), 429);
}

TEST(busy)
{
    struct fixture *f = *state;
    struct odp_gate *g = queries_of(f)->gate;
    char text[512];
    assert_true(odp_gate_enter(g) && odp_gate_enter(g));
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 503);
    assert_string_equal(fixture_problem(f, "code"), "busy");
    assert_string_equal(fixture_header(f, "Retry-After", text), "1");
    odp_gate_leave(g);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    odp_gate_leave(g);
    f->call.method = ODP_LIT("GET");
    close_queries(f);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 503);
}

TEST(key_in_address)
{
    struct fixture *f = *state;
    char text[512], tag[512];
    assert_int_equal(get(f, "/v1/kumuh?limit=1&api_key=x"), 400);
    f->options.query_key = "api_key";
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    (void)fixture_header(f, "ETag", tag);
    assert_int_equal(get(f, "/v1/kumuh?limit=1&api_key=x"), 200);
    assert_string_equal(fixture_header(f, "ETag", text), tag);
    assert_string_equal(fixture_header(f, "Cache-Control", text), "private, no-store");
    assert_null(strstr(odp_buffer_cstr(&f->a.body), "api_key"));
}

TEST(expensive)
{
    struct fixture *f = *state;
    struct site_index large[] = {{"kumuh", NULL, "2024-03-15", 1, 9000, false, "", ""}};
    close_queries(f);
    f->options.query_rows = 1000;
    open_queries(f);
    make_site(build_dir(f, 'b'), large, 1, "2.5.0", "[]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW);
    assert_int_equal(get(f, "/v1/kumuh?filter=kode%20%3D%20%27K-777%27"), 200);
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%20*%202%20%3E%2018000"), 422);
    assert_string_equal(fixture_problem(f, "code"), "query-too-expensive");
    assert_true(fixture_problem(f, "detail")[0] != '\0');
}

TEST(metrics)
{
    struct fixture *f = *state;
    struct odp_buffer b = {0};
    assert_int_equal(get(f, "/v1/kumuh?limit=5"), 200);
    assert_int_equal(get(f, "/v1/kumuh?limit=5"), 200);
    assert_int_equal(get(f, "/v1/kumuh?nope=5"), 400);
    must(odp_metrics_write(&f->s, &b));
    const char *text = odp_buffer_cstr(&b);
    static const char *const lines[] = {
        "\nodp_query_seconds_count 1\n",
        "\nodp_query_seconds_sum 0.",
        "\nodp_query_records_returned_total 5\n",
        "\nodp_query_answers_total{source=\"memory\"} 1\n",
        "\nodp_query_answers_total{source=\"made\"} 1\n",
        "\nodp_query_refusals_total{code=\"parameter-unknown\"} 1\n",
        "\nodp_query_running 0\n",
        "\nodp_query_waiting 0\n",
        "\nodp_query_cache_answers 1\n",
        "\nodp_query_open_indexes 1\n",
    };
    for (size_t i = 0; i < ODP_COUNT(lines); i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("%s is not in %s", lines[i] + 1, strstr(text, "odp_query_seconds"));
    odp_buffer_release(&b);
}

/* ---- many at once ---- */

struct crowd {
    struct fixture *f;
    pthread_t thread;
    int number, wrong;
};

static void *crowd_asks(void *arg)
{
    struct crowd *x = arg;
    for (int i = 0; i < 40; i++) {
        char query[64], want[64];
        int k = (i * 7 + x->number) % 25 + 1;
        snprintf(query, sizeof query, "kode=K-%03d&luas=%d.5", k, k);
        snprintf(want, sizeof want, "\"nama\":\"%s%.0d\"", k == 7 ? "Tujuh, 7%" : "Kawasan ", k == 7 ? 0 : k);
        struct odp_call c = x->f->call;
        struct odp_answer a;
        c.path = c.raw_path = i % 2 == 0 ? ODP_LIT("/v1/kumuh") : ODP_LIT("/v1/kumuh/search");
        c.query = odp_slice_of(query);
        c.account = ODP_LIT("9");
        c.tier = ODP_LIT("government");
        odp_answer_init(&a);
        odp_http_answer(&x->f->s, &c, &a);
        x->wrong += a.status != 200 || strstr(odp_buffer_cstr(&a.body), want) == NULL;
        odp_answer_release(&a);
    }
    return NULL;
}

TEST(crowd)
{
    struct fixture *f = *state;
    struct crowd crowd[8];
    struct site_index one[] = SITE_ONE;
    make_site(build_dir(f, 'b'), one, 3, "2.6.0", "[]");
    for (int i = 0; i < 8; i++) {
        crowd[i] = (struct crowd){.f = f, .number = i / 2};
        assert_int_equal(pthread_create(&crowd[i].thread, NULL, crowd_asks, &crowd[i]), 0);
    }
    for (int i = 0; i < 20; i++) { /* the site goes back and forth meanwhile */
        switch_to(f, build_dir(f, i % 2 == 0 ? 'b' : 'a'), FIXTURE_NOW + i);
        must(odp_queries_prune(queries_of(f), FIXTURE_NOW + i));
        usleep(1000);
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(pthread_join(crowd[i].thread, NULL), 0);
        assert_int_equal(crowd[i].wrong, 0);
    }
    unsigned running, waiting;
    odp_gate_counts(queries_of(f)->gate, &running, &waiting);
    assert_int_equal(running + waiting, 0);
}

EACH(query_setup, fixture_teardown)
