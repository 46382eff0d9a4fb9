/* What a body may say: each wrong thing is named, nothing is guessed. And deliveries: pages, attempts,
 * sending again, how often. */
#include "gateway_webhook_fixture.h"

#include "service/webhooks/deliver/standard.h"
#include "service/webhooks/endpoint_internal.h"

static int open_all(void **state)
{
    int e = hooks_setup(state);
    struct hooks *h = *state;
    fixture_register(&h->f, "sari@example.org");
    return e;
}

/* ---- bodies ---- */

struct wrong {
    const char *body, *code, *field, *says;
};
#define U "\"url\":\"" HOOK_URL "\","
#define E "\"events\":[\"release.published\"]"

static const struct wrong wrongs[] = {
    {"{", "invalid-json", "", "line 1"},
    {"[]", "invalid-json", "", ""},
    {"{" U E ",\"event\":1}", "field-unknown", "event", "Did you mean events?"},
    {"{" U E ",\"state\":\"active\"}", "field-unknown", "state", "Known fields"},
    {"{" E "}", "field-missing", "url", "https"},
    {"{\"url\":7," E "}", "field-invalid", "url", "text"},
    {"{\"url\":null," E "}", "field-invalid", "url", "text"},
    {"{\"url\":\"\"," E "}", "field-invalid", "url", "https"},
    {"{\"url\":\"http://hooks.example.go.id/\"," E "}", "field-invalid", "url", "https"},
    {"{\"url\":\"https://127.0.0.1/\"," E "}", "field-invalid", "url", ""},
    {"{\"url\":\"https://10.1.2.3/\"," E "}", "field-invalid", "url", ""},
    {"{\"url\":\"https://0x7f.1/\"," E "}", "field-invalid", "url", ""},
    {"{\"url\":\"https://localhost/\"," E "}", "field-invalid", "url", ""},
    {"{\"url\":\"https://a:b@example.org/\"," E "}", "field-invalid", "url", "password"},
    {"{\"url\":\"https://example.org/#x\"," E "}", "field-invalid", "url", "#"},
    {"{" U "\"datasets\":[]}", "field-missing", "events", "dataset.version.published"},
    {"{" U "\"events\":[]}", "field-missing", "events", ""},
    {"{" U "\"events\":null}", "field-missing", "events", ""},
    {"{" U "\"events\":\"release.published\"}", "field-invalid", "events", "list"},
    {"{" U "\"events\":[1]}", "field-invalid", "events", "list"},
    {"{" U "\"events\":[\"dataset.versions.published\"]}", "field-invalid", "events",
     "Did you mean dataset.version.published?"},
    {"{" U "\"events\":[\"x\"]}", "field-invalid", "events", "quota.warning"},
    {"{" U "\"events\":[\"webhook.test\"]}", "field-invalid", "events", "without being asked"},
    {"{" U "\"events\":[\"release.published\",\"release.published\"]}", "field-invalid", "events", "twice"},
    {"{" U "\"events\":[\"a\\u202eb\"]}", "field-invalid", "events", "\xE2\x80\x9C?\xE2\x80\x9D"},
    {"{" U E ",\"datasets\":\"uji\"}", "field-invalid", "datasets", "list"},
    {"{" U E ",\"datasets\":[\"ujii\"]}", "field-invalid", "datasets", "Did you mean uji?"},
    {"{" U E ",\"datasets\":[\"perumahan\"]}", "field-invalid", "datasets", "GET /v1/"},
    {"{" U E ",\"datasets\":[\"uji\",\"uji\"]}", "field-invalid", "datasets", "twice"},
    {"{" U E ",\"datasets\":[\"uji uji\"]}", "field-invalid", "datasets", ""},
    {"{" U E ",\"datasets\":[\"\"]}", "field-invalid", "datasets", ""},
    {"{" U E ",\"datasets\":[{}]}", "field-invalid", "datasets", "list"},
    {"{" U E ",\"filter\":\"luas > 1\"}", "field-invalid", "filter", "datasets"},
    {"{" U E ",\"datasets\":[\"uji\"],\"filter\":7}", "field-invalid", "filter", "CQL2"},
    {"{" U E ",\"datasets\":[\"uji\"],\"filter\":[]}", "field-invalid", "filter", "CQL2"},
    {"{" U E ",\"datasets\":[\"uji\"],\"filter\":\"luas >\"}", "filter-invalid", "filter", "uji: "},
    {"{" U E ",\"datasets\":[\"uji\"],\"filter\":\"luaas > 1\"}", "filter-invalid", "filter", "uji: "},
    {"{" U E ",\"datasets\":[\"uji\"],\"filter\":{\"op\":\"?\",\"args\":[]}}", "filter-invalid", "filter",
     "uji: "},
    {"{" U E ",\"datasets\":[\"uji\"],\"f\\u0069lter\":{\"op\":\"?\",\"args\":[]}}", "filter-invalid",
     "filter", "uji: "},
    {"{" U E ",\"description\":[]}", "field-invalid", "description", "text"},
    {"{" U E ",\"description\":\"a\\nb\"}", "field-invalid", "description", "line breaks"},
};

static void expect_wrong(struct hooks *h, const char *method, const char *tail, const struct wrong *w)
{
    int status = hooks_call(h, method, tail, w->body);
    if (status != 400 || strcmp(fixture_problem(&h->f, "code"), w->code) != 0 ||
        strcmp(fixture_problem(&h->f, "field"), w->field) != 0 ||
        strstr(fixture_problem(&h->f, "detail"), w->says) == NULL)
        fail_msg("%s\n%d %s", w->body, status, odp_buffer_cstr(&h->f.a.body));
}

static void test_wrong_bodies(void **state)
{
    struct hooks *h = *state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
        expect_wrong(h, "POST", "", &wrongs[i]);
    counts(h, 0, "SELECT count(*) FROM webhook");
    /* In Indonesian, too. */
    h->f.call.accept_language = ODP_LIT("id");
    const struct wrong w = {"{" U "\"events\":[\"release.publish\"]}", "field-invalid", "events",
                            "Mungkin maksudnya release.published?"};
    expect_wrong(h, "POST", "", &w);
}

static void too_long(struct hooks *h, const char *before, const char *fill, size_t n, const char *after,
                     const char *field)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, before);
    for (size_t i = 0; i < n; i++)
        odp_buffer_add_str(&b, fill);
    odp_buffer_add_str(&b, after);
    int status = hooks_call(h, "POST", "", odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    if (field == NULL)
        assert_int_equal(status, 201);
    else if (status != 400 || strcmp(fixture_problem(&h->f, "field"), field) != 0)
        fail_msg("%s: %d %s", field, status, odp_buffer_cstr(&h->f.a.body));
}

static void test_lengths(void **state)
{
    struct hooks *h = *state;
    hooks_sql(h, "UPDATE key SET tier = 'government'");
    too_long(h, "{" U E ",\"description\":\"", "é", 200, "\"}", NULL);
    too_long(h, "{" U E ",\"description\":\"", "é", 201, "\"}", "description");
    too_long(h, "{" E ",\"url\":\"https://example.org/", "a", 2048 - 20, "\"}", NULL);
    too_long(h, "{" E ",\"url\":\"https://example.org/", "a", 2049 - 20, "\"}", "url");
    too_long(h, "{" U E ",\"datasets\":[\"uji\"", ",\"uji\"", 50, "]}", "datasets");
    assert_non_null(strstr(fixture_problem(&h->f, "detail"), "at most 50"));
    too_long(h, "{" U E ",\"datasets\":[\"uji\"],\"filter\":\"luas > 1", " ", 4096, "AND luas > 2\"}",
             "filter");
    assert_non_null(strstr(fixture_problem(&h->f, "detail"), "4096"));
    too_long(h, "{" U E ",\"datasets\":[\"uji\"],\"filter\":\"luas > 1", " ", 4096 - 20, "AND luas > 2\"}",
             NULL);
}

/* A filter comes back as it was sent: text as text, JSON with the digits that its numbers had. */
static void test_filters(void **state)
{
    struct hooks *h = *state;
    hooks_make(h, "\"datasets\":[\"uji\"],\"filter\":\" luas > 10.10 \"");
    assert_string_equal(fixture_text(&h->f, "filter"), "luas > 10.10");
    assert_string_equal(json_string_value(json_array_get(fixture_data(&h->f, "datasets"), 0)), "uji");
    const char *json = "{ \"op\":\">\", \"args\":[{\"property\":\"luas\"}, 0.1] }";
    char body[256], text[256];
    (void)snprintf(body, sizeof body, "{\"description\":\"} , \\\" {\", \"filter\" : %s }", json);
    calls(h, 200, "PATCH", "/{}", body);
    assert_non_null(strstr(odp_buffer_cstr(&h->f.a.body), json));
    assert_true(json_is_object(fixture_data(&h->f, "filter")));
    assert_string_equal(hooks_text(h, "SELECT filter FROM webhook", text, sizeof text), json);
    /* Kept while other things change; the datasets must fit it. */
    calls(h, 200, "PATCH", "/{}", "{\"description\":null}");
    assert_true(json_is_object(fixture_data(&h->f, "filter")));
    const struct wrong all = {"{\"datasets\":[]}", "field-invalid", "filter", "datasets"};
    expect_wrong(h, "PATCH", "/{}", &all);
    calls(h, 200, "PATCH", "/{}", "{\"datasets\":[],\"filter\":null}");
    assert_true(json_is_null(fixture_data(&h->f, "filter")));
    counts(h, 1, "SELECT filter_json = 0 AND filter = '' AND datasets = '' FROM webhook");
    calls(h, 200, "PATCH", "/{}", "{\"datasets\":[\"uji\"]}");
    calls(h, 200, "PATCH", "/{}", "{\"filter\":\"luas > 5\"}");
    const struct wrong pointer = {"{\"filter\":{\"op\":\">\",\"args\":[{\"property\":\"luaas\"},1]}}",
                                  "filter-invalid", "filter", ""};
    expect_wrong(h, "PATCH", "/{}", &pointer);
    assert_string_equal(fixture_problem(&h->f, "dataset"), "uji");
    assert_memory_equal(fixture_problem(&h->f, "pointer"), "/args/0", 7);
    const struct wrong place = {"{\"filter\":\"luas > 5 AND luaas < 3\"}", "filter-invalid", "filter", ""};
    expect_wrong(h, "PATCH", "/{}", &place);
    assert_int_equal(json_integer_value(json_object_get(h->f.doc, "position")), 14);
    assert_int_equal(json_integer_value(json_object_get(h->f.doc, "length")), 5);
}

static void test_wrong_changes(void **state)
{
    struct hooks *h = *state;
    static const struct wrong changes[] = {
        {"{\"url\":null}", "field-invalid", "url", "text"},
        {"{\"events\":[]}", "field-missing", "events", ""},
        {"{\"state\":\"activ\"}", "field-invalid", "state", "Did you mean active?"},
        {"{\"state\":\"disabled\"}", "field-invalid", "state", ""},
        {"{\"state\":null}", "field-invalid", "state", "active or paused"},
        {"{\"secret\":\"x\"}", "field-unknown", "secret", "Known fields"},
    };
    hooks_make(h, NULL);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        expect_wrong(h, "PATCH", "/{}", &changes[i]);
    counts(h, 1, "SELECT count(*) FROM audit WHERE act LIKE 'webhook.%'");
}

/* Without a site datasets cannot be checked: nothing is taken on trust. */
static void test_without_a_site(void **state)
{
    struct hooks *h = *state;
    struct odp_webhook_site *site = h->w->site;
    char header[512];
    h->w->site = NULL;
    calls(h, 503, "POST", "", "{" U E ",\"datasets\":[\"uji\"]}");
    assert_string_equal(fixture_header(&h->f, "Retry-After", header), "5");
    hooks_make(h, NULL);
    /* Nor is it said of anybody that he has too many, before it is known how many he may have. */
    const char *configured = h->f.options.site;
    h->f.options.site = "/srv/site";
    h->w->started = true;
    calls(h, 503, "POST", "", "{" U E "}");
    assert_string_equal(fixture_header(&h->f, "Retry-After", header), "5");
    h->f.options.site = configured;
    h->w->started = false;
    h->w->site = site;
    calls(h, 200, "PATCH", "/{}", "{\"datasets\":[\"uji\"],\"filter\":\"luas > 5\"}");
    assert_int_equal(site->users, 0);
}

/* ---- how often ---- */

static void test_tests(void **state)
{
    struct hooks *h = *state;
    char first[64], second[64], header[512];
    hooks_make(h, NULL);
    calls(h, 202, "POST", "/{}/test", NULL); /* the challenge again */
    assert_string_equal(fixture_text(&h->f, "webhook"), h->id);
    (void)snprintf(first, sizeof first, "%s", fixture_text(&h->f, "delivery"));
    counts(h, 1, "SELECT count(*) FROM webhook_delivery");
    assert_string_equal(hooks_text(h, "SELECT name FROM webhook_delivery", second, sizeof second), first);
    hooks_confirm(h);
    calls(h, 202, "POST", "/{}/test", "{}");
    (void)snprintf(first, sizeof first, "%s", fixture_text(&h->f, "delivery"));
    calls(h, 202, "POST", "/{}/test", NULL);
    (void)snprintf(second, sizeof second, "%s", fixture_text(&h->f, "delivery"));
    assert_string_not_equal(first, second);
    assert_int_equal(strlen(first), ODP_WEBHOOK_ID - 1);
    counts(h, 2, "SELECT count(*) FROM webhook_message WHERE type = 'webhook.test'");
    /* One made, three tests: thirty an hour in all. */
    for (int i = 4; i < ODP_WEBHOOK_TESTS; i++)
        calls(h, 202, "POST", "/{}/test", NULL);
    calls(h, 429, "POST", "/{}/test", NULL);
    assert_string_equal(fixture_problem(&h->f, "code"), "webhook-rate");
    assert_string_equal(fixture_header(&h->f, "Retry-After", header), "120");
    calls(h, 429, "POST", "", "{" U E "}");
    calls(h, 429, "PATCH", "/{}", "{\"url\":\"https://other.example.org/\"}");
    calls(h, 429, "POST", "/{}/redeliver", "{\"since\":\"2024-01-01T00:00:00Z\"}");
    calls(h, 200, "PATCH", "/{}", "{\"state\":\"paused\"}"); /* sends nothing */
    calls(h, 429, "PATCH", "/{}", "{\"state\":\"active\"}"); /* sends all that waits */
    calls(h, 200, "GET", "/{}", NULL);
    int looks = 0; /* no quota counts them: they have a number of their own */
    while (looks < 2 * ODP_WEBHOOK_READS && hooks_call(h, "GET", "/wh_x", NULL) == 404)
        looks++;
    assert_in_range(looks, ODP_WEBHOOK_READS - 5, ODP_WEBHOOK_READS);
    assert_int_equal(h->f.a.status, 429);
    assert_string_equal(fixture_problem(&h->f, "code"), "webhook-rate");
    h->f.call.now += 120;
    calls(h, 202, "POST", "/{}/test", NULL);
    calls(h, 429, "POST", "/{}/test", NULL);
    fixture_register(&h->f, "budi@example.org");
    hooks_make(h, NULL);
}

/* ---- deliveries ---- */

/* COUNT deliveries of one message, a second apart; the n-th is called "msg_…n" and has n % 3 attempts. */
static void deliver(struct hooks *h, int count)
{
    static const char *const states[] = {"delivered", "failed", "expired"};
    char sql[512];
    hooks_sql(h, "INSERT INTO webhook_message(id, type, created, body) VALUES(100, 'release.published', 1,"
                 " '{\"type\":\"release.published\",\"data\":{\"release\":\"2.5.0\"}}')");
    for (int i = 0; i < count; i++) {
        (void)snprintf(
            sql, sizeof sql,
            "INSERT INTO webhook_delivery(id, name, webhook, message, state, attempts, next, created, done)"
            " VALUES(%d, 'msg_%022d', 1, 100, '%s', %d, 0, %lld, %lld)",
            1000 + i, i, states[i % 3], i % 3, FIXTURE_NOW * 1000LL + i * 1000,
            FIXTURE_NOW * 1000LL + i * 1000 + 7);
        hooks_sql(h, sql);
        for (int n = 1; n <= i % 3; n++) {
            (void)snprintf(sql, sizeof sql, "INSERT INTO webhook_attempt VALUES(%d, %d, %lld, %d, %d, '%s')",
                           1000 + i, n, FIXTURE_NOW * 1000LL + n, 40 + n, n == 1 ? 500 : 0,
                           n == 1 ? "refused" : "timeout");
            hooks_sql(h, sql);
        }
    }
}

static json_t *row_at(struct hooks *h, size_t i)
{
    return json_array_get(json_object_get(h->f.doc, "data"), i);
}

/* By the link of an answer, which is relative to its address. */
static void follow(struct hooks *h, const char *next)
{
    char tail[200];
    assert_true(strlen(next) < 150);
    (void)snprintf(tail, sizeof tail, "/{}/%.150s", next);
    calls(h, 200, "GET", tail, NULL);
}

static void test_deliveries(void **state)
{
    struct hooks *h = *state;
    char header[512], next[512];
    hooks_make(h, NULL);
    hooks_confirm(h);
    deliver(h, 45);
    calls(h, 200, "GET", "/{}/deliveries", NULL);
    assert_int_equal(json_array_size(json_object_get(h->f.doc, "data")), 20);
    assert_string_equal(json_string_value(json_object_get(row_at(h, 0), "id")), "msg_0000000000000000000044");
    json_t *row = row_at(h, 0), *attempts = json_object_get(row, "attempts");
    assert_string_equal(json_string_value(json_object_get(row, "state")), "expired");
    assert_string_equal(json_string_value(json_object_get(row, "type")), "release.published");
    assert_string_equal(json_string_value(json_object_get(row, "created")), "2024-03-15T09:00:44.000+07:00");
    assert_string_equal(json_string_value(json_object_get(row, "ended")), "2024-03-15T09:00:44.007+07:00");
    assert_true(json_is_null(json_object_get(row, "next_attempt")));
    assert_null(json_object_get(row, "payload"));
    assert_int_equal(json_array_size(attempts), 2);
    json_t *first = json_array_get(attempts, 0), *second = json_array_get(attempts, 1);
    assert_int_equal(json_integer_value(json_object_get(first, "status")), 500);
    assert_int_equal(json_integer_value(json_object_get(first, "took_ms")), 41);
    assert_string_equal(json_string_value(json_object_get(first, "at")), "2024-03-15T09:00:00.001+07:00");
    assert_string_equal(json_string_value(json_object_get(first, "outcome")), "refused");
    assert_true(json_is_null(json_object_get(second, "status")));
    assert_string_equal(json_string_value(json_object_get(second, "meaning")),
                        "No answer within the time limit");
    /* The next pages, by the link. */
    (void)snprintf(next, sizeof next, "deliveries?limit=20&before=msg_0000000000000000000025");
    assert_string_equal(json_string_value(json_object_get(json_object_get(h->f.doc, "links"), "next")), next);
    assert_non_null(strstr(fixture_header(&h->f, "Link", header), next));
    follow(h, next);
    assert_string_equal(json_string_value(json_object_get(row_at(h, 0), "id")), "msg_0000000000000000000024");
    (void)snprintf(next, sizeof next, "%s",
                   json_string_value(json_object_get(json_object_get(h->f.doc, "links"), "next")));
    follow(h, next);
    assert_int_equal(json_array_size(json_object_get(h->f.doc, "data")), 6); /* and the challenge */
    assert_true(json_is_null(json_object_get(json_object_get(h->f.doc, "links"), "next")));
    calls(h, 200, "GET", "/{}/deliveries?state=failed&limit=15", NULL);
    assert_int_equal(json_array_size(json_object_get(h->f.doc, "data")), 15);
    assert_true(json_is_null(json_object_get(json_object_get(h->f.doc, "links"), "next")));
    calls(h, 200, "GET", "/{}/deliveries/msg_0000000000000000000003", NULL);
    assert_string_equal(json_string_value(json_object_get(
                            json_object_get(fixture_data(&h->f, "payload"), "data"), "release")),
                        "2.5.0");
    calls(h, 200, "GET", "/{}", NULL);
    assert_int_equal(json_integer_value(json_object_get(fixture_data(&h->f, "deliveries"), "failed")), 15);
    assert_int_equal(json_integer_value(json_object_get(fixture_data(&h->f, "deliveries"), "delivered")), 15);
}

static void test_wrong_parameters(void **state)
{
    struct hooks *h = *state;
    static const char *const bad[][3] = {
        {"?limit=0", "parameter-invalid", "limit"},
        {"?limit=101", "parameter-invalid", "limit"},
        {"?limit=", "parameter-invalid", "limit"},
        {"?limit=1x", "parameter-invalid", "limit"},
        {"?limit=1&limit=2", "parameter-invalid", "limit"},
        {"?limit=99999999999", "parameter-invalid", "limit"},
        {"?state=faled", "parameter-invalid", "state"},
        {"?state=%zz", "parameter-invalid", "state"},
        {"?before=1", "parameter-invalid", "before"},
        {"?before=msg_0000000000000000000000", "parameter-invalid", "before"},
        {"?page=2", "parameter-unknown", "page"},
        {"?stat=x", "parameter-unknown", "stat"},
    };
    char tail[128];
    hooks_make(h, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        (void)snprintf(tail, sizeof tail, "/{}/deliveries%s", bad[i][0]);
        if (hooks_call(h, "GET", tail, NULL) != 400 ||
            strcmp(fixture_problem(&h->f, "code"), bad[i][1]) != 0 ||
            strcmp(fixture_problem(&h->f, "parameter"), bad[i][2]) != 0)
            fail_msg("%s: %s", bad[i][0], odp_buffer_cstr(&h->f.a.body));
    }
    calls(h, 400, "GET", "/{}/deliveries?stat=x", NULL);
    assert_non_null(strstr(fixture_problem(&h->f, "detail"), "Did you mean state?"));
    calls(h, 400, "GET", "/{}/deliveries?state=faled", NULL);
    assert_non_null(strstr(fixture_problem(&h->f, "detail"), "Did you mean failed?"));
    calls(h, 404, "GET", "/{}/deliveries/msg_0000000000000000000000", NULL);
    calls(h, 404, "GET", "/{}/deliveries/x", NULL);
}

static void test_sent_again(void **state)
{
    struct hooks *h = *state;
    static const struct wrong bad[] = {
        {"{}", "field-missing", "delivery", "one of the two"},
        {"{\"delivery\":\"msg_1\",\"since\":\"2024-01-01T00:00:00Z\"}", "field-invalid", "since",
         "one of the two"},
        {"{\"delivery\":\"msg_1\",\"only_failed\":true}", "field-invalid", "only_failed", "since"},
        {"{\"since\":\"2024-01-01\"}", "field-invalid", "since", "RFC 3339"},
        {"{\"since\":\"2024-01-01T00:00:00\"}", "field-invalid", "since", "RFC 3339"},
        {"{\"since\":\"2024-01-01T00:00:00Z\",\"only_failed\":1}", "field-invalid", "only_failed",
         "true or false"},
        {"{\"deliveri\":\"msg_1\"}", "field-unknown", "deliveri", "Did you mean delivery?"},
    };
    hooks_make(h, NULL);
    calls(h, 409, "POST", "/{}/redeliver", "{\"since\":\"2024-01-01T00:00:00Z\"}");
    hooks_confirm(h);
    deliver(h, 9);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_wrong(h, "POST", "/{}/redeliver", &bad[i]);
    calls(h, 202, "POST", "/{}/redeliver", "{\"delivery\":\"msg_0000000000000000000004\"}");
    assert_int_equal(json_integer_value(fixture_data(&h->f, "redelivered")), 1);
    counts(h, 1,
           "SELECT count(*) FROM webhook_delivery WHERE name = 'msg_0000000000000000000004' AND state = "
           "'pending' AND first = "
           "1 AND attempts = 1 AND next = 1710468000000 AND done = 0");
    calls(h, 404, "POST", "/{}/redeliver", "{\"delivery\":\"msg_0000000000000000000009\"}");
    char body[128], name[64];
    hooks_text(h, "SELECT name FROM webhook_delivery ORDER BY id LIMIT 1", name, sizeof name);
    (void)snprintf(body, sizeof body, "{\"delivery\":\"%s\"}", name); /* the challenge */
    calls(h, 409, "POST", "/{}/redeliver", body);
    /* From the fourth second on there are 5 that ended: of these 5 and 8 expired, 7 failed. */
    calls(h, 202, "POST", "/{}/redeliver", "{\"since\":\"2024-03-15T09:00:04+07:00\",\"only_failed\":true}");
    assert_int_equal(json_integer_value(fixture_data(&h->f, "redelivered")), 3);
    calls(h, 202, "POST", "/{}/redeliver", "{\"since\":\"2024-03-15T02:00:04Z\"}");
    assert_int_equal(json_integer_value(fixture_data(&h->f, "redelivered")), 1);
    calls(h, 202, "POST", "/{}/redeliver", "{\"since\":\"2024-03-15T02:00:00.001Z\",\"only_failed\":false}");
    assert_int_equal(json_integer_value(fixture_data(&h->f, "redelivered")), 3);
    counts(h, 8, "SELECT count(*) FROM webhook_delivery WHERE state = 'pending'");
    counts(h, 4, "SELECT count(*) FROM audit WHERE act = 'webhook.redeliver'");
}

/* Many accounts, each within its own limit, and one host that never asked for anything. */
static void test_challenges_of_a_host(void **state)
{
    struct hooks *h = *state;
    char email[40], header[512];
    int asked = 0;
    for (int i = 0; i < 8; i++) { /* thirty each */
        (void)snprintf(email, sizeof email, "a%d@example.org", i);
        fixture_register(&h->f, email);
        hooks_make(h, NULL);
        asked++;
        for (int k = 1; k < ODP_WEBHOOK_TESTS && hooks_call(h, "POST", "/{}/test", NULL) == 202; k++)
            asked++;
    }
    assert_int_equal(asked, 240);
    fixture_register(&h->f, "one.more@example.org");
    calls(h, 429, "POST", "", "{\"url\":\"" HOOK_URL "\",\"events\":[\"release.published\"]}");
    assert_string_equal(fixture_problem(&h->f, "code"), "webhook-rate");
    assert_string_equal(fixture_header(&h->f, "Retry-After", header), "600");
    /* Its other ports are the same host; another host is not. */
    fixture_register(&h->f, "b@example.org");
    calls(h, 429, "POST", "",
          "{\"url\":\"https://hooks.example.go.id:8443/x\",\"events\":[\"release.published\"]}");
    calls(h, 201, "POST", "",
          "{\"url\":\"https://elsewhere.example.org/x\",\"events\":[\"release.published\"]}");
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, open_all, hooks_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_wrong_bodies),         TEST(test_lengths),          TEST(test_filters),
        TEST(test_wrong_changes),        TEST(test_without_a_site),   TEST(test_tests),
        TEST(test_deliveries),           TEST(test_wrong_parameters), TEST(test_sent_again),
        TEST(test_challenges_of_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
