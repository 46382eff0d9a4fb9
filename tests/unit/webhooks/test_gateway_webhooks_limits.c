/* /v1/webhooks: how long, how often, and without a site. The rest of what calls say is in
 * test_webhooks_answers.c. */
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

#define U "\"url\":\"" HOOK_URL "\","
#define E "\"events\":[\"release.published\"]"

static void too_long(struct hooks *h, const char *before, const char *fill, size_t n, const char *after,
                     const char *field)
{
    struct odp_buffer b = {0};
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
    /* Nobody has too many before the limit is known. */
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
        TEST(test_lengths),
        TEST(test_without_a_site),
        TEST(test_tests),
        TEST(test_challenges_of_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
