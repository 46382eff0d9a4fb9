/* Queries from call to answer, without sockets: answers, links, faults, methods, tags and memory, limits,
 * many at once. Addresses are tested in test_gateway_queries_address.c, the gate and the cache by themselves
 * in test_gateway_queries_gate.c, sites that are switched in test_gateway_queries_switch.c. */
#include "gateway_query_fixture.h"

#include <pthread.h>

/* ---- answers ---- */

static void test_answers(void **state)
{
    struct fixture *f = *state;
    char text[512];
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%20%3E%2023&sortby=-kode"), 200);
    assert_string_equal(codes(f), "K-025 K-024 K-023");
    assert_string_equal(json_string_value(json_object_get(f->doc, "status")), "success");
    const json_t *meta = json_object_get(f->doc, "meta");
    assert_string_equal(json_string_value(json_object_get(meta, "version")), "2024-03-15");
    assert_string_equal(json_string_value(json_object_get(meta, "release")), "2.5.0");
    assert_int_equal(json_integer_value(json_object_get(meta, "total")), 3);
    assert_non_null(strstr(f->a.content_type, "application/json"));
    assert_string_equal(fixture_header(f, "Cache-Control", text), "private, max-age=60");
    assert_string_equal(fixture_header(f, "Vary", text), "Accept");
    assert_string_equal(fixture_header(f, "Access-Control-Allow-Origin", text), "");
    assert_int_equal(strlen(fixture_header(f, "ETag", text)), 34);
    assert_string_equal(fixture_header(f, "Link", text), "");
    assert_int_equal(get(f, "/api/v1/kumuh.csv?kode=K-003"), 200);
    assert_string_equal(f->a.content_type, "text/csv; charset=utf-8");
    assert_string_equal(odp_buffer_cstr(&f->a.body), "kode,nama,luas\r\nK-003,Kawasan 3,3.5\r\n");
    assert_string_equal(fixture_header(f, "Vary", text), "");
    assert_int_equal(get(f, "/v1/kumuh?kode=K-003&f=csv"), 200);
    assert_string_equal(f->a.content_type, "text/csv; charset=utf-8");
    assert_int_equal(get(f, "/v1/proyek/timeline"), 200);
    assert_string_equal(codes(f), "K-005 K-006 K-007 K-008 K-009");
    assert_int_equal(get(f, "/v1/kumuh/id/K-011"), 200);
    assert_string_equal(codes(f), "K-011");
    assert_int_equal(get(f, "/v1/proyek/timeline/id/K-007,Tujuh%2C%207%25"), 200);
    assert_string_equal(codes(f), "K-007");
    assert_int_equal(get(f, "/v1/proyek/timeline/id/K-007,Tujuh"), 404);
    assert_string_equal(fixture_problem(f, "code"), "record-not-found");
    assert_int_equal(get(f, "/v1/ogc/collections/proyek-timeline/items/K-007%2CTujuh%252C%207%2525"), 200);
    assert_non_null(strstr(f->a.content_type, "application/geo+json"));
    assert_string_equal(json_string_value(json_object_get(f->doc, "type")), "Feature");
    assert_int_equal(ask(f, "HEAD", "/v1/kumuh?limit=2", NULL), 200);
}

static void test_links(void **state)
{
    struct fixture *f = *state;
    char text[512], want[600];
    assert_int_equal(get(f, "/v1/kumuh/search.json?limit=10"), 200);
    const char *next = json_string_value(json_object_get(json_object_get(f->doc, "links"), "next"));
    assert_non_null(next);
    assert_memory_equal(next, "search?", 7);
    (void)snprintf(want, sizeof want, "<%s>; rel=\"next\"", next);
    assert_non_null(strstr(fixture_header(f, "Link", text), want));
    assert_int_equal(get(f, "/v1/ogc/collections/kumuh/items?limit=10"), 200);
    assert_non_null(strstr(fixture_header(f, "Link", text),
                           "<https://data.example.go.id/v1/ogc/collections/kumuh/items?"));
    assert_non_null(
        strstr(text, "<https://data.example.go.id/v1/ogc/collections/kumuh>; rel=\"collection\""));
    assert_int_equal(json_integer_value(json_object_get(f->doc, "numberReturned")), 10);
}

struct fault {
    const char *target;
    int status;
    const char *code, *parameter;
    int position;
};

static void test_faults(void **state)
{
    struct fixture *f = *state;
    static const struct fault cases[] = {
        {"/v1/kumuhh?a=b", 404, "not-found", "", 0},
        {"/v1/kumuh/timeline?a=b", 404, "not-found", "", 0},
        {"/v1/kumuh/", 404, "not-found", "", 0},
        {"/v1/kumuh/id/x/y", 404, "not-found", "", 0},
        {"/v1/ogc/collections/nope/items", 404, "not-found", "", 0},
        {"/v1/ogc/nope", 404, "not-found", "", 0},
        {"/v1/ogc/conformance?x=1", 400, "parameter-unknown", "x", 0},
        {"/v1/ogc/collections/kumuh?f=xml", 400, "parameter-invalid", "f", 0},
        {"/v1/ogc/collections/nope?f=xml", 404, "not-found", "", 0},
        {"/v1/kumuh?lua=1", 400, "parameter-unknown", "lua", 0},
        {"/v1/kumuh?limit=x", 400, "parameter-invalid", "limit", 0},
        {"/v1/kumuh?f=xml", 400, "parameter-invalid", "f", 0},
        {"/v1/kumuh?f=csv&f=csv", 400, "parameter-invalid", "f", 0},
        {"/v1/kumuh?nama=%ff", 400, "parameter-invalid", "nama", 0},
        {"/v1/kumuh?nama=%", 400, "parameter-invalid", "nama", 0},
        {"/v1/kumuh/id/%00", 400, "bad-request", "", 0},
        {"/v1/kumuh?filter=luas%20%3E%20%27x%27", 400, "filter-invalid", "filter", 8},
        {"/v1/kumuh?filter=kode%20%3D%20%27a%27%20AND%20luass%20%3E%203", 400, "filter-invalid", "filter",
         16},
        {"/v1/kumuh?cursor=abc", 400, "cursor-invalid", "cursor", 0},
        {"/v1/kumuh/id/nope", 404, "record-not-found", "", 0},
        {"/v1/kumuh.geojson", 406, "not-acceptable", "", 0},
    };
    for (int lang = 0; lang < 2; lang++) {
        f->call.accept_language = lang == 0 ? ODP_LIT("en") : ODP_LIT("id");
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct fault *c = &cases[i];
            char text[512];
            int status = get(f, c->target);
            const json_t *position = json_object_get(f->doc, "position");
            if (status != c->status || strcmp(fixture_problem(f, "code"), c->code) != 0 ||
                (c->parameter[0] != '\0' && strcmp(fixture_problem(f, "parameter"), c->parameter) != 0) ||
                (c->position > 0 && json_integer_value(position) != c->position))
                fail_msg("%s: %d %s", c->target, status, odp_buffer_cstr(&f->a.body));
            assert_string_equal(fixture_header(f, "X-Odp-Code", text), c->code);
            assert_string_equal(fixture_header(f, "Cache-Control", text), "no-store");
            assert_string_equal(fixture_header(f, "Content-Language", text), lang == 0 ? "en" : "id");
            assert_true(fixture_problem(f, "detail")[0] != '\0');
        }
    }
    assert_int_equal(get(f, "/v1/kumuh?luaas=1"), 400);
    assert_non_null(strstr(fixture_problem(f, "detail"), "luas"));
}

static void test_methods(void **state)
{
    struct fixture *f = *state;
    char text[512];
    assert_int_equal(ask(f, "POST", "/v1/kumuh", "{}"), 405);
    assert_string_equal(fixture_header(f, "Allow", text), "GET, HEAD, OPTIONS");
    assert_int_equal(ask(f, "DELETE", "/v1/kumuh/search", NULL), 405);
    assert_string_equal(fixture_header(f, "Allow", text), "GET, HEAD, POST, OPTIONS");
    assert_int_equal(ask(f, "OPTIONS", "/v1/kumuh/search", NULL), 204);
    assert_int_equal(ask(f, "POST", "/v1/kumuh/id/K-001", "{}"), 405);
    assert_int_equal(ask(f, "POST", "/v1/ogc/collections/kumuh/items", "{}"), 405);
    f->call.door = ODP_DOOR_SERVICE;
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 404); /* it stands at its own door alone */
    f->call.door = ODP_DOOR_QUERY;
    assert_int_equal(get(f, "/auth/tiers"), 404);
    f->call.ambiguous = true;
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 400);
}

static void test_posts(void **state)
{
    struct fixture *f = *state;
    char text[512];
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filter\":\"luas > 23\",\"sortby\":\"-kode\"}"),
                     200);
    assert_string_equal(codes(f), "K-025 K-024 K-023");
    assert_string_equal(fixture_header(f, "ETag", text), "");
    assert_string_equal(fixture_header(f, "Cache-Control", text), "private, no-store");
    assert_int_equal(
        ask(f, "POST", "/v1/kumuh/search",
            "{\"filter\":{\"op\":\">\",\"args\":[{\"property\":\"luas\"},24]},\"limit\":1,\"f\":\"csv\"}"),
        200);
    assert_string_equal(odp_buffer_cstr(&f->a.body), "kode,nama,luas\r\nK-024,Kawasan 24,24.5\r\n");
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search",
                         "{\"filter\":{\"op\":\">\",\"args\":[{\"property\":\"luass\"},24]}}"),
                     400);
    assert_string_equal(fixture_problem(f, "code"), "filter-invalid");
    assert_memory_equal(fixture_problem(f, "pointer"), "/", 1);
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filtr\":\"x\"}"), 400);
    assert_string_equal(fixture_problem(f, "code"), "parameter-unknown");
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filter\":\n \"x\""), 400);
    assert_string_equal(fixture_problem(f, "code"), "invalid-json");
    assert_non_null(strstr(fixture_problem(f, "detail"), "line 2"));
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "[]"), 400);
    assert_string_equal(fixture_problem(f, "code"), "invalid-json");
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", ""), 400);
    assert_string_equal(fixture_problem(f, "code"), "invalid-json");
    f->call.content_type = ODP_LIT("text/plain");
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{}"), 415);
    assert_string_equal(fixture_header(f, "Accept-Post", text), "application/json");
    f->call.content_type = ODP_LIT("application/json");
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

static void test_tags_and_memory(void **state)
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
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(get(f, others[i]), 200);
        assert_string_not_equal(fixture_header(f, "ETag", other), tag);
    }
    (void)snprintf(other, sizeof other, "\"x\", W/%.40s", tag);
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

static void test_release_changes_the_tag(void **state)
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

static void test_concurrent(void **state)
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

static void test_busy(void **state)
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

static void test_key_in_address(void **state)
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

static void test_expensive(void **state)
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

static void test_metrics(void **state)
{
    struct fixture *f = *state;
    struct odp_buffer b;
    assert_int_equal(get(f, "/v1/kumuh?limit=5"), 200);
    assert_int_equal(get(f, "/v1/kumuh?limit=5"), 200);
    assert_int_equal(get(f, "/v1/kumuh?nope=5"), 400);
    odp_buffer_init(&b);
    odp_metrics_write(&f->s, &b);
    const char *text = odp_buffer_cstr(&b);
    static const char *const lines[] = {"\nodp_query_seconds_count 1\n",
                                        "\nodp_query_seconds_sum 0.",
                                        "\nodp_query_records_returned_total 5\n",
                                        "\nodp_query_answers_total{source=\"memory\"} 1\n",
                                        "\nodp_query_answers_total{source=\"made\"} 1\n",
                                        "\nodp_query_refusals_total{code=\"parameter-unknown\"} 1\n",
                                        "\nodp_query_running 0\n",
                                        "\nodp_query_waiting 0\n",
                                        "\nodp_query_cache_answers 1\n",
                                        "\nodp_query_open_indexes 1\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
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
        (void)snprintf(query, sizeof query, "kode=K-%03d&luas=%d.5", k, k);
        (void)snprintf(want, sizeof want, "\"nama\":\"%s%.0d\"", k == 7 ? "Tujuh, 7%" : "Kawasan ",
                       k == 7 ? 0 : k);
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

static void test_crowd(void **state)
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
        assert_int_equal(odp_queries_prune(queries_of(f), FIXTURE_NOW + i), ODP_OK);
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, query_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_answers),
        TEST(test_links),
        TEST(test_faults),
        TEST(test_methods),
        TEST(test_posts),
        TEST(test_tags_and_memory),
        TEST(test_release_changes_the_tag),
        TEST(test_concurrent),
        TEST(test_busy),
        TEST(test_key_in_address),
        TEST(test_expensive),
        TEST(test_crowd),
        TEST(test_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
