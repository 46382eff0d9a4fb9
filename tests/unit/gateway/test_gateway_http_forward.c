/* /forward-auth as nginx and Caddy ask it, and /problem. */
#include "gateway_http_fixture.h"

static int ask_nginx(struct fixture *f, const char *uri, const char *method, const char *key)
{
    char header[512];
    struct odp_call c = f->call;
    c.path = ODP_LIT("/forward-auth");
    c.original_uri = odp_slice_of(uri);
    c.original_method = odp_slice_of(method);
    if (key != NULL) {
        (void)snprintf(header, sizeof header, "Bearer %s", key);
        c.authorization = odp_slice_of(header);
    }
    return fixture_run(f, &c);
}

static int ask_caddy(struct fixture *f, const char *uri, const char *method, const char *key)
{
    char header[512];
    struct odp_call c = f->call;
    c.path = ODP_LIT("/forward-auth");
    c.forwarded_uri = odp_slice_of(uri);
    c.forwarded_method = odp_slice_of(method);
    if (key != NULL) {
        (void)snprintf(header, sizeof header, "Bearer %s", key);
        c.authorization = odp_slice_of(header);
    }
    return fixture_run(f, &c);
}

static void test_open_addresses(void **state)
{
    struct fixture *f = *state;
    static const char *const open[] = {
        "/",           "/index.html",    "/katalog/kumuh.html", "/data/kumuh/2024-03-15/kumuh.csv?x=1",
        "/v1/",        "/v1/index.json", "/v1/openapi.json",    "/api/v1/",
        "/a%20b.html", "/100%25.html",   "/data/../index.html"};
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        if (ask_nginx(f, open[i], "GET", NULL) != 204 || ask_caddy(f, open[i], "GET", NULL) != 204)
            fail_msg("%s", open[i]);
        assert_int_equal(f->a.body.len, 0);
    }
}

static void test_no_way_around(void **state)
{
    struct fixture *f = *state;
    static const char *const keyed[] = {"/v1/kumuh",
                                        "/api/v1/kumuh.json",
                                        "//v1/kumuh",
                                        "/v1//kumuh",
                                        "/./v1/kumuh",
                                        "/data/../v1/kumuh",
                                        "/data/%2e%2e/v1/kumuh",
                                        "/%76%31/kumuh",
                                        "/%76%31%2fkumuh",
                                        "/v1%2Fkumuh",
                                        "/V1/kumuh",
                                        "/API/V1/kumuh",
                                        "/api//v1/kumuh",
                                        "/api/./v1/kumuh",
                                        "/api%2fv1%2fkumuh",
                                        "/%2576%2531/kumuh",
                                        "/\\v1\\kumuh",
                                        "/v1;a=b/kumuh",
                                        "/v1/;x/kumuh",
                                        "/x/..;/v1/kumuh",
                                        "/v1/index.json/../kumuh",
                                        "/v1/kumuh/../index.json",
                                        "http://host/v1/kumuh",
                                        "",
                                        "v1/kumuh",
                                        "*",
                                        "/%",
                                        "/%zz",
                                        "/a%00/../v1/kumuh",
                                        "/%252576%252531/kumuh",
                                        "/v1/kumuh?a=/v1/",
                                        "/data/..%2f..%2fv1/kumuh",
                                        "/v1/%6bumuh",
                                        "/v1/openapi.json/x"};
    for (size_t i = 0; i < sizeof keyed / sizeof keyed[0]; i++)
        if (ask_nginx(f, keyed[i], "GET", NULL) != 401 || ask_caddy(f, keyed[i], "GET", NULL) != 401)
            fail_msg("%s", keyed[i]);
    char *longest = malloc(20001);
    assert_non_null(longest);
    memset(longest, 'a', 20000);
    longest[0] = '/';
    longest[20000] = '\0';
    assert_int_equal(ask_caddy(f, longest, "GET", NULL), 401);
    free(longest);
}

/* A client's own headers beside those that the recipe sets. */
static void test_forged_headers(void **state)
{
    struct fixture *f = *state;
    struct odp_call c = f->call;
    c.path = ODP_LIT("/forward-auth");
    c.forwarded_uri = ODP_LIT("/v1/kumuh");
    c.forwarded_method = ODP_LIT("GET");
    c.original_uri = ODP_LIT("/index.html");
    assert_int_equal(fixture_run(f, &c), 401);
    c.original_method = ODP_LIT("OPTIONS");
    assert_int_equal(fixture_run(f, &c), 401);
    c.original_uri = ODP_LIT("");
    assert_int_equal(fixture_run(f, &c), 401);
    c = f->call;
    c.path = ODP_LIT("/forward-auth");
    c.original_uri = ODP_LIT("/v1/kumuh");
    c.forwarded_method = ODP_LIT("OPTIONS");
    assert_int_equal(fixture_run(f, &c), 401);
    c.original_uri = ODP_LIT("/index.html");
    c.ambiguous = true;
    assert_int_equal(fixture_run(f, &c) / 100, 4);
    c = f->call; /* no address at all */
    c.path = ODP_LIT("/forward-auth");
    assert_int_equal(fixture_run(f, &c), 401);
    c.method = ODP_LIT("OPTIONS"); /* the method of the question is not that of the request */
    assert_int_equal(fixture_run(f, &c), 401);
}

static void test_counts(void **state)
{
    struct fixture *f = *state;
    char text[512];
    fixture_register(f, "sari@example.org");
    assert_int_equal(ask_nginx(f, "/v1/kumuh", "GET", f->key), 204);
    assert_string_equal(fixture_header(f, "RateLimit", text), "\"daily\";r=999;t=54000");
    assert_non_null(strstr(fixture_header(f, "RateLimit-Policy", text), "\"daily\";q=1000;w=86400"));
    assert_string_equal(fixture_header(f, "X-Odp-Tier", text), "public");
    assert_memory_equal(fixture_header(f, "X-Odp-Key", text), f->key, ODP_KEY_SHOWN);
    assert_int_equal(strlen(text), ODP_KEY_SHOWN);
    assert_int_equal(ask_caddy(f, "/api/v1/kumuh", "GET", f->key), 204);
    assert_string_equal(fixture_header(f, "RateLimit", text), "\"daily\";r=998;t=54000");
    assert_int_equal(ask_caddy(f, "/v1/kumuh", "OPTIONS", f->key), 204); /* a preflight counts nothing */
    assert_int_equal(ask_nginx(f, "/v1/kumuh", "OPTIONS", NULL), 204);
    assert_int_equal(ask_caddy(f, "/index.html", "GET", f->key), 204);
    assert_int_equal(ask_caddy(f, "/v1/kumuh", "GET", f->key), 204);
    assert_string_equal(fixture_header(f, "RateLimit", text), "\"daily\";r=997;t=54000");
}

static void test_refusals(void **state)
{
    struct fixture *f = *state;
    char text[512];
    fixture_register(f, "sari@example.org");
    for (int i = 0; i < 5; i++)
        assert_int_equal(ask_caddy(f, "/v1/kumuh", "GET", f->key), 204);
    assert_int_equal(ask_caddy(f, "/v1/kumuh", "GET", f->key), 429);
    assert_string_equal(fixture_problem(f, "code"), "burst-exceeded");
    assert_string_equal(fixture_header(f, "Retry-After", text), "1");
    assert_string_equal(fixture_header(f, "X-Odp-Status", text), "429");
    assert_int_equal(ask_nginx(f, "/v1/kumuh", "GET", f->key), 403);
    assert_string_equal(fixture_header(f, "X-Odp-Status", text), "429");
    assert_string_equal(fixture_header(f, "X-Odp-Code", text), "burst-exceeded");
    assert_string_equal(fixture_header(f, "Retry-After", text), "1");
    assert_int_equal(ask_nginx(f, "/v1/kumuh", "GET", NULL), 401);
    assert_non_null(strstr(fixture_header(f, "WWW-Authenticate", text), "Bearer"));
    f->call.client_kind = ODP_LIT("nginx");
    f->call.now++;
    assert_int_equal(ask_caddy(f, "/index.html?api_key=ODP%5flive_x", "GET", f->key), 403);
    assert_string_equal(fixture_header(f, "X-Odp-Code", text), "key-in-query");
    f->call.client_kind = ODP_LIT("");
    (void)snprintf(text, sizeof text, "/v1/kumuh?f=%s", f->key);
    assert_int_equal(ask_caddy(f, text, "GET", NULL), 400);
    assert_string_equal(fixture_problem(f, "code"), "key-in-query");
}

static void test_quota_spent(void **state)
{
    struct fixture *f = *state;
    char text[512];
    struct odp_settings settings = fixture_settings();
    settings.tiers[0].daily = 2;
    odp_keytable_set_settings(f->s.table, &settings);
    fixture_register(f, "sari@example.org");
    assert_int_equal(ask_caddy(f, "/v1/kumuh", "GET", f->key), 204);
    assert_int_equal(ask_caddy(f, "/v1/kumuh", "GET", f->key), 204);
    assert_int_equal(ask_caddy(f, "/v1/kumuh", "GET", f->key), 429);
    assert_string_equal(fixture_problem(f, "code"), "quota-exceeded");
    assert_non_null(json_object_get(f->doc, "violated-policies"));
    assert_true(atol(fixture_header(f, "Retry-After", text)) >= 54000);
    assert_string_equal(fixture_header(f, "RateLimit", text), "\"daily\";r=0;t=54000");
    asks(f, "GET", "/auth/key", NULL, f->key, 200, ""); /* one's own key can still be read */
    assert_int_equal(json_integer_value(fixture_data(f, "used")), 2);
    f->call.now += 54000;
    assert_int_equal(ask_caddy(f, "/v1/kumuh", "GET", f->key), 204);
}

static void test_problem_pages(void **state)
{
    struct fixture *f = *state;
    char text[512];
    asks(f, "GET", "/problem?code=quota-exceeded&retry-after=60", NULL, NULL, 429,
         "'code': 'quota-exceeded'");
    assert_string_equal(fixture_header(f, "Retry-After", text), "60");
    asks(f, "GET", "/problem?code=nonsense", NULL, NULL, 404, "");
    asks(f, "GET", "/problem", NULL, NULL, 404, "");
    struct odp_call c = f->call;
    c.path = ODP_LIT("/problem");
    c.problem_code = ODP_LIT("burst-exceeded");
    c.problem_retry = ODP_LIT("1\r\nSet-Cookie: a=b");
    c.problem_limit = ODP_LIT("\"daily\";r=0;t=54000");
    assert_int_equal(fixture_run(f, &c), 429);
    assert_string_equal(fixture_header(f, "Retry-After", text), "");
    assert_string_equal(fixture_header(f, "Set-Cookie", text), "");
    assert_string_equal(fixture_header(f, "RateLimit", text), "\"daily\";r=0;t=54000");
    f->call.door = ODP_DOOR_AUTH;
    asks(f, "GET", "/problem?code=key-missing", NULL, NULL, 401, "");
    asks(f, "POST", "/auth/register", "{}", NULL, 404, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
        TEST(test_open_addresses), TEST(test_no_way_around), TEST(test_forged_headers), TEST(test_counts),
        TEST(test_refusals),       TEST(test_quota_spent),   TEST(test_problem_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
