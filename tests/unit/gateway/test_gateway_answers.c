/* Registration and keys, from call to answer, without sockets. */
#include "gateway_http_fixture.h"

static void test_registers(void **state)
{
    struct fixture *f = *state;
    char text[512];
    asks(f, "POST", "/auth/register",
         "{'name':' Sari ','email':'sari@example.org','organisation':null,'purpose':'peta'}", NULL, 201, "");
    const char *key = fixture_text(f, "key");
    assert_true(odp_key_ok(odp_slice_of(key)));
    assert_string_equal(fixture_text(f, "tier"), "public");
    assert_int_equal(json_integer_value(fixture_data(f, "limit")), 1000);
    assert_int_equal(json_integer_value(fixture_data(f, "used")), 0);
    assert_int_equal(json_integer_value(fixture_data(f, "burst")), 5);
    assert_string_equal(fixture_text(f, "reset"), "2024-03-16T00:00:00+07:00");
    assert_string_equal(fixture_header(f, "Cache-Control", text), "no-store");
    assert_string_equal(fixture_header(f, "Access-Control-Allow-Origin", text), "*");
    assert_string_equal(fixture_header(f, "Location", text), "");
    (void)snprintf(f->key, sizeof f->key, "%s", key);
    asks(f, "GET", "/auth/key", NULL, f->key, 200, "");
    static const char other[] = "{\"name\":\"S\",\"email\":\"SARI@example.org\"}";
    asks(f, "POST", "/auth/register", other, NULL, 201,
         ""); /* an address that nobody confirmed is nobody's */
    must(odp_store_run(f->s.db, "UPDATE holder SET email_confirmed = 1 WHERE id = 1", ""));
    asks(f, "POST", "/auth/register", other, NULL, 409, "'code': 'email-registered', 'field': 'email'");
}

struct bad {
    const char *body;
    int status;
    const char *code, *field, *detail;
};

static void test_refuses_bodies(void **state)
{
    struct fixture *f = *state;
    static const struct bad cases[] = {
        {"", 400, "field-missing", "name", "name is required"},
        {"{", 400, "invalid-json", "", "line 1, column"},
        {"{\"name\":\"a\",\n \"email\" \"b\"}", 400, "invalid-json", "", "line 2, column"},
        {"[]", 400, "invalid-json", "", "object"},
        {"\"text\"", 400, "invalid-json", "", ""},
        {"{\"name\":\"a\",\"name\":\"b\",\"email\":\"a@b.id\"}", 400, "invalid-json", "name", "twice"},
        {"{\"name\":\"\xff\",\"email\":\"a@b.id\"}", 400, "invalid-json", "", ""},
        {"{\"name\":\"a\\u0000b\",\"email\":\"a@b.id\"}", 400, "invalid-json", "", ""},
        {"{\"nama\":\"a\",\"email\":\"a@b.id\"}", 400, "field-unknown", "nama", "Did you mean name?"},
        {"{\"name\":\"a\",\"email\":\"a@b.id\",\"xyzzyxyzzy\":1}", 400, "field-unknown", "xyzzyxyzzy",
         "Known fields: name, email"},
        {"{\"name\":\"a\",\"email\":\"a@b.id\",\"\\u202e\":1}", 400, "field-unknown", "?", "Known fields"},
        {"{\"name\":1,\"email\":\"a@b.id\"}", 400, "field-invalid", "name", "text"},
        {"{\"name\":[\"a\"],\"email\":\"a@b.id\"}", 400, "field-invalid", "name", "text"},
        {"{\"name\":\"\",\"email\":\"a@b.id\"}", 400, "field-missing", "name", ""},
        {"{\"name\":\"   \",\"email\":\"a@b.id\"}", 400, "field-missing", "name", ""},
        {"{\"name\":null,\"email\":\"a@b.id\"}", 400, "field-missing", "name", ""},
        {"{\"name\":\"a\"}", 400, "field-missing", "email", "email is required"},
        {"{\"name\":\"a\\nb\",\"email\":\"a@b.id\"}", 400, "field-invalid", "name", "control"},
        {"{\"name\":\"a\\u202eb\",\"email\":\"a@b.id\"}", 400, "field-invalid", "name", "direction"},
        {"{\"name\":\"a\",\"email\":\"a@b\"}", 400, "field-invalid", "email", "e-mail"},
        {"{\"name\":\"a\",\"email\":\"a@b.id,c@d.id\"}", 400, "field-invalid", "email", ""},
        {"{\"name\":\"a\",\"email\":\"a@b.id\\nBcc: x@y.id\"}", 400, "field-invalid", "email", ""},
        {"{\"name\":\"a\",\"email\":{\"a\":\"a@b.id\"}}", 400, "field-invalid", "email", "text"},
        {"{\"name\":\"a\",\"email\":\"a@b.id\",\"purpose\":true}", 400, "field-invalid", "purpose", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status = fixture_call(f, "POST", "/auth/register", cases[i].body, NULL);
        if (status != cases[i].status || strcmp(fixture_problem(f, "code"), cases[i].code) != 0 ||
            strcmp(fixture_problem(f, "field"), cases[i].field) != 0 ||
            strstr(fixture_problem(f, "detail"), cases[i].detail) == NULL)
            fail_msg("%s: %d %.*s", cases[i].body, status, (int)f->a.body.len, f->a.body.ptr);
    }
}

static void test_lengths(void **state)
{
    struct fixture *f = *state;
    char body[4096], name[820];
    for (size_t i = 0; i < 200; i++) /* two bytes each: characters count, not bytes */
        memcpy(name + 2 * i, "\xc3\xa9", 2);
    name[400] = '\0';
    (void)snprintf(body, sizeof body, "{\"name\":\"%s\",\"email\":\"panjang@example.org\"}", name);
    asks(f, "POST", "/auth/register", body, NULL, 201, "");
    (void)snprintf(body, sizeof body, "{\"name\":\"%sx\",\"email\":\"lebih@example.org\"}", name);
    asks(f, "POST", "/auth/register", body, NULL, 400, "'field': 'name'");
    assert_non_null(strstr(fixture_problem(f, "detail"), "200"));
    char *large = malloc(ODP_BODY_MAX + 2);
    assert_non_null(large);
    memset(large, ' ', ODP_BODY_MAX + 1);
    large[ODP_BODY_MAX + 1] = '\0';
    asks(f, "POST", "/auth/register", large, NULL, 413, "'code': 'body-too-large'");
    free(large);
}

static void test_languages(void **state)
{
    struct fixture *f = *state;
    f->call.accept_language = ODP_LIT("");
    asks(f, "POST", "/auth/register", "{}", NULL, 400, "'detail': 'name wajib diisi.'");
    f->call.accept_language = ODP_LIT("en-GB,en;q=0.9");
    asks(f, "POST", "/auth/register", "{}", NULL, 400,
         "'detail': 'name is required.', 'type': 'https://data.example.go.id/galat/field-missing'");
}

static void test_media_types(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *type;
        int status;
    } cases[] = {
        {"application/json", 400},
        {"Application/JSON; charset=UTF-8", 400},
        {"application/json;charset=\"utf-8\"", 400},
        {"application/json; charset=utf-16", 415},
        {"text/plain", 415},
        {"application/x-www-form-urlencoded", 415}, /* as curl -d says; forms: test_gateway_forms.c */
        {"application/jsonx", 415},
        {"", 415}};
    char text[512];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct odp_call c = f->call;
        c.method = ODP_LIT("POST");
        c.path = ODP_LIT("/auth/register");
        c.content_type = odp_slice_of(cases[i].type);
        c.body = ODP_LIT("{}");
        assert_int_equal(fixture_run(f, &c), cases[i].status);
    }
    assert_string_equal(fixture_header(f, "Accept-Post", text), "application/json");
}

static void test_paths_and_methods(void **state)
{
    struct fixture *f = *state;
    char text[512];
    asks(f, "GET", "/auth/keys", NULL, NULL, 404, "");
    asks(f, "GET", "/auth/key/", NULL, NULL, 404, "");
    asks(f, "GET", "/metrics", NULL, NULL, 404, "");
    asks(f, "GET", "/healthz", NULL, NULL, 404, "");
    asks(f, "POST", "/admin", "{}", NULL, 404, "");
    asks(f, "PUT", "/auth/key", NULL, NULL, 405, "");
    assert_string_equal(fixture_header(f, "Allow", text), "GET, HEAD, DELETE, OPTIONS");
    asks(f, "GET", "/auth/register", NULL, NULL, 405, "");
    assert_string_equal(fixture_header(f, "Allow", text), "POST, OPTIONS");
    asks(f, "OPTIONS", "/auth/register", NULL, NULL, 204, "");
    assert_int_equal(f->a.body.len, 0);
    assert_non_null(strstr(fixture_header(f, "Access-Control-Allow-Methods", text), "POST, DELETE"));
    assert_string_equal(fixture_header(f, "Access-Control-Allow-Headers", text), ODP_CORS_HEADERS);
    assert_string_equal(fixture_header(f, "Access-Control-Allow-Origin", text), "*");
    asks(f, "OPTIONS", "/auth/nothing", NULL, NULL, 404, "");
    asks(f, "HEAD", "/auth/tiers", NULL, NULL, 200, "");
}

static void test_authorization(void **state)
{
    struct fixture *f = *state;
    char text[512], other[ODP_KEY_LENGTH + 1];
    asks(f, "GET", "/auth/key", NULL, NULL, 401, "'code': 'key-missing'");
    assert_null(strstr(fixture_header(f, "WWW-Authenticate", text), "error"));
    assert_int_equal(fixture_call(f, "GET", "/auth/key", NULL, "odp_live_short"), 401);
    assert_string_equal(fixture_problem(f, "code"), "key-malformed");
    assert_non_null(strstr(fixture_header(f, "WWW-Authenticate", text), "invalid_token"));
    must(odp_key_make(other));
    asks(f, "GET", "/auth/key", NULL, other, 401, "'code': 'key-unknown'");
    struct odp_call c = f->call;
    c.path = ODP_LIT("/auth/key");
    c.authorization = ODP_LIT("Basic c2FyaTpyYWhhc2lh");
    assert_int_equal(fixture_run(f, &c), 401);
    assert_string_equal(fixture_problem(f, "code"), "key-missing");
    fixture_register(f, "sari@example.org");
    struct odp_key_info info;
    enum odp_problem problem;
    must(odp_keys_find(&f->s, f->key, FIXTURE_NOW, &info, &problem));
    must(odp_keys_set_state(&f->s, &(struct odp_order){.actor = "command:test", .now = FIXTURE_NOW}, info.id,
                            ODP_KEY_SUSPENDED));
    asks(f, "GET", "/auth/key", NULL, f->key, 403, "'code': 'key-suspended'");
}

static void test_shows_a_key(void **state)
{
    struct fixture *f = *state;
    struct odp_settings settings = fixture_settings();
    struct odp_grant g;
    uint8_t digest[ODP_SHA256_SIZE];
    fixture_register(f, "sari@example.org");
    must(odp_key_digest(odp_slice_of(f->key), digest));
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            odp_quota_take(f->s.table, &settings, digest, (int64_t)FIXTURE_NOW * 1000 + i * 1000, &g),
            ODP_PASS);
    must(odp_state_flush(&f->s));
    for (int i = 0; i < 2; i++) { /* asking does not count */
        asks(f, "GET", "/auth/key", NULL, f->key, 200, "");
        assert_int_equal(json_integer_value(fixture_data(f, "used")), 3);
    }
    assert_null(memmem(f->a.body.ptr, f->a.body.len, f->key, strlen(f->key)));
    assert_memory_equal(fixture_text(f, "key"), f->key, ODP_KEY_SHOWN);
    assert_int_equal(strlen(fixture_text(f, "key")), ODP_KEY_SHOWN);
    assert_string_equal(fixture_text(f, "state"), "active");
    assert_string_equal(fixture_text(f, "created"), "2024-03-15T09:00:00+07:00");
    assert_true(json_is_null(fixture_data(f, "expires")));
    assert_true(json_is_false(fixture_data(f, "email_confirmed")));
    json_t *usage = fixture_data(f, "usage");
    assert_int_equal(json_array_size(usage), 30);
    assert_string_equal(json_string_value(json_object_get(json_array_get(usage, 0), "date")), "2024-02-15");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(usage, 28), "requests")), 0);
    assert_string_equal(json_string_value(json_object_get(json_array_get(usage, 29), "date")), "2024-03-15");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(usage, 29), "requests")), 3);
}

static void test_rotates(void **state)
{
    struct fixture *f = *state;
    char old[ODP_KEY_LENGTH + 1], first[ODP_KEY_LENGTH + 1];
    (void)snprintf(first, sizeof first, "%s", fixture_register(f, "sari@example.org"));
    asks(f, "POST", "/auth/rotate", "{'grace_hours':169}", first, 400, "'field': 'grace_hours'");
    asks(f, "POST", "/auth/rotate", "{'grace_hours':-1}", first, 400, "");
    asks(f, "POST", "/auth/rotate", "{'grace_hours':1.5}", first, 400, "");
    asks(f, "POST", "/auth/rotate", "{'grace_hours':2}", first, 201,
         "'previous_valid_until': '2024-03-15T11:00:00+07:00'");
    (void)snprintf(old, sizeof old, "%s", fixture_text(f, "key"));
    assert_true(odp_key_ok(odp_slice_of(old)) && strcmp(old, first) != 0);
    asks(f, "GET", "/auth/key", NULL, first, 200, "'state': 'rotated'");
    asks(f, "POST", "/auth/rotate", NULL, first, 409, "'code': 'conflict'");
    f->call.now = FIXTURE_NOW + 2 * 3600 + 1;
    asks(f, "GET", "/auth/key", NULL, first, 401, "'code': 'key-expired'");
    asks(f, "POST", "/auth/rotate", NULL, old, 201, ""); /* no body at all */
    assert_string_equal(fixture_text(f, "previous_valid_until"), "2024-03-22T11:00:01+07:00");
}

static void test_revokes(void **state)
{
    struct fixture *f = *state;
    fixture_register(f, "sari@example.org");
    asks(f, "DELETE", "/auth/key", NULL, f->key, 200, "'state': 'revoked'");
    asks(f, "GET", "/auth/key", NULL, f->key, 401, "'code': 'key-revoked'");
    fixture_register(f, "sari@example.org"); /* and may come again */
}

static void test_upgrades(void **state)
{
    struct fixture *f = *state;
    fixture_register(f, "sari@example.org");
    asks(f, "POST", "/auth/upgrade", "{'tier':'gold','reason':'riset'}", f->key, 400, "'field': 'tier'");
    assert_non_null(strstr(fixture_problem(f, "detail"), "public, registered, government"));
    asks(f, "POST", "/auth/upgrade", "{'tier':'registered'}", f->key, 400, "'field': 'reason'");
    asks(f, "POST", "/auth/upgrade", "{'tier':'public','reason':'riset'}", f->key, 409, "");
    asks(f, "POST", "/auth/upgrade", "{'tier':'registered','reason':'riset','organisation':'UI'}", f->key,
         202, "");
    assert_true(json_integer_value(fixture_data(f, "id")) > 0);
    int64_t id = json_integer_value(fixture_data(f, "id"));
    asks(f, "POST", "/auth/upgrade", "{'tier':'registered','reason':'lagi'}", f->key, 409, "");
    must(odp_keys_decide_upgrade(&f->s, &(struct odp_order){.actor = "command:test", .now = FIXTURE_NOW}, id,
                                 true));
    asks(f, "GET", "/auth/key", NULL, f->key, 200, "'tier': 'registered', 'limit': 10000");
    asks(f, "POST", "/auth/upgrade", "{'tier':'registered','reason':'x'}", NULL, 401, "");
}

static void test_tiers(void **state)
{
    struct fixture *f = *state;
    char path[256];
    (void)snprintf(path, sizeof path, "%s/gateway.json", f->state_dir);
    static const char text[] =
        "{\"tiers\":[{\"name\":\"public\",\"title\":{\"id\":\"Publik\",\"en\":\"Public\"},\"webhooks\":7},"
        "{\"name\":\"registered\",\"webhooks\":null}]}";
    must(odp_file_put(path, odp_slice_of(text), 0600, NULL));
    asks(f, "GET", "/auth/tiers", NULL, NULL, 200, "");
    json_t *data = json_object_get(f->doc, "data");
    assert_int_equal(json_array_size(data), 3);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(json_array_get(data, 0), "title"), "id")),
        "Publik");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(data, 0), "limit")), 1000);
    assert_true(json_is_null(json_object_get(json_array_get(data, 2), "limit")));
    assert_true(json_is_null(json_object_get(json_array_get(data, 2), "title")));
    assert_int_equal(json_integer_value(json_object_get(json_array_get(data, 0), "webhooks")), 7);
    assert_true(json_is_null(json_object_get(json_array_get(data, 1), "webhooks")));
    assert_int_equal(json_integer_value(json_object_get(json_array_get(data, 2), "webhooks")),
                     5); /* the site says nothing of it */
}

static void test_limits(void **state)
{
    struct fixture *f = *state;
    char text[512], email[128], body[256];
    f->options.registrations = 3;
    for (int i = 0; i < 3; i++) {
        (void)snprintf(email, sizeof email, "orang%d@example.org", i);
        fixture_register(f, email);
    }
    asks(f, "POST", "/auth/register", "{'name':'a','email':'d@example.org'}", NULL, 429,
         "'code': 'registration-rate'");
    assert_string_equal(fixture_header(f, "Retry-After", text), "1200");
    f->call.client = ODP_LIT("::ffff:192.0.2.1");
    asks(f, "POST", "/auth/register", "{'name':'a','email':'d@example.org'}", NULL, 429, "");
    for (int i = 0; i < 4; i++) { /* a /64 is one, the unknown are one, another is another */
        char client[64];
        (void)snprintf(client, sizeof client, "2001:db8:0:1::%x", i + 1);
        f->call.client = odp_slice_of(client);
        (void)snprintf(body, sizeof body, "{\"name\":\"a\",\"email\":\"six%d@example.org\"}", i);
        assert_int_equal(fixture_call(f, "POST", "/auth/register", body, NULL), i < 3 ? 201 : 429);
    }
    f->call.client = ODP_LIT("2001:db8:0:2::1");
    fixture_register(f, "lain@example.org");
    f->call.client = ODP_LIT("192.0.2.1");
    f->call.now += 1200;
    fixture_register(f, "d@example.org");
    f->call.client = ODP_LIT("198.51.100.7");
    char other[ODP_KEY_LENGTH + 1];
    must(odp_key_make(other));
    for (int i = 0; i < 100; i++)
        asks(f, "GET", "/auth/key", NULL, other, 401, "");
    asks(f, "GET", "/auth/key", NULL, other, 429, "'code': 'attempt-rate'");
    f->call.client = ODP_LIT("198.51.100.8");
    asks(f, "GET", "/auth/key", NULL, f->key, 200, "");
}

static void test_replica(void **state)
{
    struct fixture *f = *state;
    char text[512];
    f->s.writer = false;
    asks(f, "POST", "/auth/register", "{'name':'a','email':'d@example.org'}", NULL, 503,
         "'code': 'unavailable'");
    assert_string_equal(fixture_header(f, "Retry-After", text), "30");
    asks(f, "GET", "/auth/tiers", NULL, NULL, 200, "");
    f->s.writer = true;
}

/* Status and body of /healthz and /readyz. */
static void expect_health(struct fixture *f, int health, int ready, const char *status, const char *writes)
{
    f->call.door = ODP_DOOR_METRICS;
    assert_int_equal(fixture_call(f, "GET", "/readyz", NULL, NULL), ready);
    assert_int_equal(fixture_call(f, "GET", "/healthz", NULL, NULL), health);
    assert_string_equal(json_string_value(json_object_get(f->doc, "status")), status);
    assert_string_equal(json_string_value(json_object_get(f->doc, "writes")), writes);
}

static void test_health(void **state)
{
    struct fixture *f = *state;
    expect_health(f, 200, 200, "ok", "ok");
    f->s.web->flush_ok = false;
    expect_health(f, 503, 200, "degraded", "failing");
    assert_true(json_is_false(json_object_get(json_object_get(f->doc, "checks"), "counts")));
    f->s.web->room = "no-space";
    expect_health(f, 503, 200, "degraded", "no-space");
    f->s.web->flush_ok = true;
    expect_health(f, 503, 200, "degraded", "no-space"); /* nothing was counted, so nothing failed yet */
    f->s.web->room = "ok";
    f->s.writer = false;
    atomic_store(&f->s.web->writer_reachable, false);
    expect_health(f, 200, 200, "degraded", "writer-unreachable"); /* the fault is another machine's */
    f->s.writer = true;
    f->s.web->ticking = true;
    f->s.web->ticked_ms = (int64_t)FIXTURE_NOW * 1000 - 60000;
    expect_health(f, 503, 503, "fail", "ok");
    asks(f, "GET", "/auth/key", NULL, NULL, 404, "");
}

static void test_admin(void **state)
{
    struct fixture *f = *state;
    f->call.door = ODP_DOOR_CONTROL;
    f->call.actor = "command:test";
    asks(f, "POST", "/admin", "[]", NULL, 400, "");
    assert_int_equal(fixture_call(f, "POST", "/admin", "{\"command\":\"no.such\"}", NULL) / 100, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
        TEST(test_registers),     TEST(test_refuses_bodies), TEST(test_lengths),
        TEST(test_languages),     TEST(test_media_types),    TEST(test_paths_and_methods),
        TEST(test_authorization), TEST(test_shows_a_key),    TEST(test_rotates),
        TEST(test_revokes),       TEST(test_upgrades),       TEST(test_tiers),
        TEST(test_limits),        TEST(test_replica),        TEST(test_health),
        TEST(test_admin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
