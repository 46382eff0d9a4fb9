/* /v1/webhooks: making, looking, changing, confirming, deleting; whose they are; what the store has of them.
 */
#include "gateway_webhook_fixture.h"

static void expect_problem(struct hooks *h, int status, const char *code)
{
    const char *headers = odp_buffer_cstr(&h->f.a.headers),
               *cache = strstr(headers, "Cache-Control: no-store\n");
    assert_string_equal(fixture_problem(&h->f, "code"), code);
    assert_int_equal(h->f.a.status, status);
    assert_non_null(cache);
    assert_ptr_equal(strstr(headers, "Cache-Control"), cache);
    assert_null(strstr(cache + 1, "Cache-Control"));
}

static enum odp_status change_as(struct hooks *h, int64_t account, const struct odp_webhook_change *change,
                                 const char *actor, enum odp_problem *problem)
{
    struct odp_webhook_act o = {
        .name = h->id, .account = account, .actor = actor, .now_ms = FIXTURE_NOW * 1000LL, .change = change};
    enum odp_status st = odp_webhook_change(h->w, &o);
    *problem = o.problem;
    return st;
}

/* ---- made ---- */

static void test_created(void **state)
{
    struct hooks *h = *state;
    char header[512], text[256], key[ODP_KEY_LENGTH + 1];
    (void)snprintf(key, sizeof key, "%s", fixture_register(&h->f, "sari@example.org"));
    hooks_make(h, "\"description\":\"  Kantor Sari  \"");
    assert_int_equal(strlen(h->id), 23);
    assert_memory_equal(h->id, "wh_", 3);
    assert_int_equal(strlen(h->secret), 50);
    assert_memory_equal(h->secret, "whsec_", 6);
    (void)snprintf(text, sizeof text, "/v1/webhooks/%s", h->id);
    assert_string_equal(fixture_header(&h->f, "Location", header), text);
    assert_string_equal(fixture_header(&h->f, "Cache-Control", header), "private, no-store");
    hooks_expect(
        h, "url=" HOOK_URL
           "|description=Kantor Sari|state=unverified|created=2024-03-15T09:00:00+07:00|filter=null"
           "|reason=null|verified=null|failing_since=null|waits_until=null|previous_secret_valid_until=null"
           "|deliveries.pending=1");
    assert_int_equal(json_array_size(fixture_data(&h->f, "events")), 1);
    assert_int_equal(json_array_size(fixture_data(&h->f, "datasets")), 0);
    assert_int_equal(json_object_size(json_array_get(json_object_get(h->f.doc, "data"), 0)), 16);
    /* The secret was said once. */
    STEPS(h, {"GET", "/{}", NULL, 200, "secret=null|url=" HOOK_URL});
    assert_int_equal(json_object_size(json_array_get(json_object_get(h->f.doc, "data"), 0)), 15);
    calls(h, 200, "HEAD", "/{}", NULL);
    (void)snprintf(text, sizeof text, "/api/v1/webhooks/%s/", h->id);
    assert_int_equal(fixture_call(&h->f, "GET", text, NULL, key), 200);
    assert_string_equal(fixture_text(&h->f, "id"), h->id);
    assert_int_equal(fixture_call(&h->f, "GET", "/api/v1/webhooks", NULL, key), 200);
    assert_string_equal(fixture_text(&h->f, "id"), h->id);
}

/* Neither address nor secret can be read in the store or the audit. */
static void test_sealed_in_the_store(void **state)
{
    struct hooks *h = *state;
    char text[2048];
    struct odp_buffer clear;
    sqlite3_stmt *st = NULL;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    odp_buffer_init(&clear);
    assert_int_equal(sqlite3_prepare_v2(h->f.s.db, "SELECT url, secret FROM webhook", -1, &st, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_int_equal(sqlite3_column_bytes(st, 0), strlen(HOOK_URL) + ODP_SEAL_EXTRA);
    assert_null(memmem(sqlite3_column_blob(st, 0), strlen(HOOK_URL) + ODP_SEAL_EXTRA, "example", 7));
    assert_int_equal(sqlite3_column_bytes(st, 1), ODP_WEBHOOK_SECRET + ODP_SEAL_EXTRA);
    assert_int_equal(odp_webhook_unseal(h->w, "secret", h->id, sqlite3_column_blob(st, 1),
                                        sqlite3_column_bytes(st, 1), &clear),
                     ODP_OK);
    assert_int_equal(clear.len, ODP_WEBHOOK_SECRET);
    char shown[ODP_WEBHOOK_SECRET_TEXT];
    odp_webhook_secret_text((const uint8_t *)clear.ptr, shown);
    assert_string_equal(shown, h->secret);
    /* Of another kind, or of another subscription, it does not open. */
    assert_int_equal(odp_webhook_unseal(h->w, "url", h->id, sqlite3_column_blob(st, 1),
                                        sqlite3_column_bytes(st, 1), &clear),
                     ODP_BAD);
    assert_int_equal(odp_webhook_unseal(h->w, "secret", "wh_00000000000000000000", sqlite3_column_blob(st, 1),
                                        sqlite3_column_bytes(st, 1), &clear),
                     ODP_BAD);
    sqlite3_finalize(st);
    odp_buffer_release(&clear);
    hooks_text(
        h,
        "SELECT act || ' ' || actor || ' ' || subject || ' ' || detail FROM audit ORDER BY seq DESC LIMIT 1",
        text, sizeof text);
    char want[256];
    (void)snprintf(want, sizeof want,
                   "webhook.create api %s {\"account\":1,\"host\":\"hooks.example.go.id\"}", h->id);
    assert_string_equal(text, want);
    assert_string_equal(hooks_text(h, "SELECT place FROM webhook", text, sizeof text),
                        "hooks.example.go.id:443");
    counts(h, 1, "SELECT count(*) FROM webhook_message WHERE type = 'webhook.challenge' AND event IS NULL");
    counts(h, 1, "SELECT count(*) FROM webhook_delivery WHERE state = 'pending' AND next = 1710468000000");
    counts(h, 0, "SELECT count(*) FROM webhook_message WHERE instr(body, 'example') > 0");
}

static void test_limit_of_the_tier(void **state)
{
    struct hooks *h = *state;
    const char *body = "{\"url\":\"" HOOK_URL "\",\"events\":[\"release.published\"]}";
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_make(h, NULL);
    STEPS(h, {"POST", "", body, 409, "limit=2"});
    expect_problem(h, 409, "webhook-limit");
    calls(h, 200, "GET", "", NULL);
    assert_int_equal(json_array_size(json_object_get(h->f.doc, "data")), 2);
    STEPS(h, {"DELETE", "/{}", NULL, 200, "state=deleted"}, {"GET", "/{}", NULL, 404, NULL},
          {"DELETE", "/{}", NULL, 404, NULL}, {"IS", "SELECT count(*) FROM webhook_delivery", NULL, 1, NULL});
    hooks_make(h, NULL);
    /* Another account has its own two; one without a limit any number. */
    fixture_register(&h->f, "budi@example.org");
    hooks_make(h, NULL);
    hooks_sql(h, "UPDATE key SET tier = 'government' WHERE id = 2");
    for (int i = 0; i < 4; i++)
        hooks_make(h, NULL);
}

static void test_of_another_account(void **state)
{
    struct hooks *h = *state;
    char before[2048], after[2048];
    static const char all[] =
        "SELECT group_concat(name || hex(secret) || hex(url) || state || changed) FROM webhook";
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_text(h, all, before, sizeof before);
    fixture_register(&h->f, "budi@example.org");
    STEPS(h, {"GET", "/{}", NULL, 404, "code=not-found"},
          {"PATCH", "/{}", "{\"description\":\"x\"}", 404, "code=not-found"},
          {"DELETE", "/{}", NULL, 404, "code=not-found"},
          {"POST", "/{}/confirm", "{\"challenge\":\"x\"}", 404, "code=not-found"},
          {"POST", "/{}/test", NULL, 404, "code=not-found"},
          {"POST", "/{}/rotate-secret", NULL, 404, "code=not-found"},
          {"GET", "/{}/deliveries", NULL, 404, "code=not-found"},
          {"POST", "/{}/redeliver", "{\"since\":\"2024-01-01T00:00:00Z\"}", 404, "code=not-found"},
          {"GET", "/wh_00000000000000000000", NULL, 404, "code=not-found"},
          {"GET", "/wh_x", NULL, 404, "code=not-found"}, {"GET", "/1", NULL, 404, "code=not-found"},
          {"GET", "", NULL, 200, NULL});
    assert_int_equal(json_array_size(json_object_get(h->f.doc, "data")), 0);
    assert_string_equal(hooks_text(h, all, after, sizeof after), before);
    assert_int_equal(fixture_call(&h->f, "GET", "/v1/webhooks", NULL, NULL), 401);
    expect_problem(h, 401, "key-missing");
}

/* ---- confirmed ---- */

static void test_confirmed(void **state)
{
    struct hooks *h = *state;
    char challenge[64], body[128];
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    assert_int_equal(strlen(hooks_challenge(h, challenge)), ODP_WEBHOOK_CHALLENGE - 1);
    (void)snprintf(body, sizeof body, "{\"challenge\":\"%s\"}", challenge);
    STEPS(
        h, {"POST", "/{}/confirm", "{\"challenge\":\"00000000000000000000000000000000\"}", 409, NULL},
        {"POST", "/{}/confirm", "{}", 400, "field=challenge"},
        {"IS", "SELECT state = 'unverified' AND verified = 0 FROM webhook", NULL, 1, NULL},
        {"POST", "/{}/confirm", body, 200, "state=active|verified=2024-03-15T09:00:00+07:00"},
        {"IS", "SELECT count(*) FROM webhook_delivery WHERE state = 'cancelled' AND done > 0", NULL, 1, NULL},
        {"POST", "/{}/confirm", body, 200, NULL}, /* said twice is no fault */
        {"IS", "SELECT count(*) FROM audit WHERE act = 'webhook.confirm'", NULL, 1, NULL});
}

/* An owner knows the secret and everything that the API says: that is not enough to confirm an address that
 * is not his. */
static void test_owner_cannot_make_the_challenge(void **state)
{
    struct hooks *h = *state;
    char challenge[64], made[ODP_WEBHOOK_CHALLENGE], body[128];
    struct odp_buffer clear;
    sqlite3_stmt *st = NULL;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_challenge(h, challenge);
    odp_buffer_init(&clear);
    assert_int_equal(sqlite3_prepare_v2(h->f.s.db, "SELECT secret FROM webhook", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_int_equal(odp_webhook_unseal(h->w, "secret", h->id, sqlite3_column_blob(st, 0),
                                        sqlite3_column_bytes(st, 0), &clear),
                     ODP_OK);
    sqlite3_finalize(st);
    for (int64_t round = 0; round < 3; round++) {
        assert_int_equal(odp_webhook_challenge(made, (const uint8_t *)clear.ptr, h->id, round), ODP_OK);
        assert_string_not_equal(made, challenge);
        (void)snprintf(body, sizeof body, "{\"challenge\":\"%s\"}", made);
        calls(h, 409, "POST", "/{}/confirm", body);
    }
    odp_buffer_release(&clear);
    char target[160];
    hooks_text(h, "SELECT name FROM webhook_delivery", h->msg, sizeof h->msg);
    (void)snprintf(target, sizeof target, "/{}/deliveries/%s", h->msg);
    calls(h, 200, "GET", target, NULL);
    hooks_expect(h, "type=webhook.challenge");
    assert_null(strstr(odp_buffer_cstr(&h->f.a.body), challenge));
    json_t *data = json_object_get(fixture_data(&h->f, "payload"), "data");
    assert_true(json_is_null(json_object_get(data, "challenge")));
    assert_string_equal(json_string_value(json_object_get(data, "webhook")), h->id);
}

/* ---- changed ---- */

static void test_states(void **state)
{
    struct hooks *h = *state;
    enum odp_problem problem;
    struct odp_webhook_change change = {.state = "paused"};
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    STEPS(h, {"PATCH", "/{}", "{\"state\":\"active\"}", 409, "code=conflict"},
          {"PATCH", "/{}", "{\"state\":\"paused\"}", 409, NULL}, {"CONFIRM", NULL, NULL, 0, NULL},
          {"PATCH", "/{}", "{\"state\":\"paused\"}", 200, "reason=owner"},
          {"SQL", "INSERT INTO webhook_message(type, created, body) VALUES('release.published', 1, '{}')",
           NULL, 0, NULL},
          {"SQL",
           "INSERT INTO webhook_delivery(name, webhook, message, state, next, created, attempts)"
           " VALUES('msg_0000000000000000000000', 1, last_insert_rowid(), 'pending', 9000000000000, 1, 7)",
           NULL, 0, NULL},
          {"SQL", "UPDATE webhook SET failing = 5, not_before = 9000000000000", NULL, 0, NULL},
          {"GET", "/{}", NULL, 200,
           "failing_since=1970-01-01T07:00:00.005+07:00|waits_until=2255-03-14T23:00:00.000+07:00"},
          /* Active again: what waits goes at once, and has ten attempts again. */
          {"PATCH", "/{}", "{\"state\":\"active\"}", 200, "reason=null|failing_since=null"},
          {"IS",
           "SELECT next = 1710468000000 AND first = 7 AND attempts = 7 FROM webhook_delivery WHERE name LIKE "
           "'msg_000%'",
           NULL, 1, NULL},
          {"IS", "SELECT failing = 0 AND not_before = 0 FROM webhook", NULL, 1, NULL});
    /* What an operator paused. */
    assert_int_equal(change_as(h, 0, &change, "command:adi", &problem), ODP_OK);
    STEPS(h, {"PATCH", "/{}", "{\"state\":\"active\"}", 409, "detail~operators"},
          {"PATCH", "/{}", "{\"url\":\"https://other.example.org/\",\"description\":\"x\"}", 409, NULL},
          {"PATCH", "/{}", "{\"state\":\"paused\"}", 200,
           "reason=operator|description="}); /* a refused change changes nothing */
    change.state = "active";
    assert_int_equal(change_as(h, 0, &change, "command:adi", &problem), ODP_OK);
    char text[128];
    assert_string_equal(
        hooks_text(h, "SELECT act || ' ' || actor FROM audit ORDER BY seq DESC LIMIT 1", text, sizeof text),
        "webhook.resume command:adi");
    assert_int_equal(change_as(h, 77, &change, "api", &problem), ODP_BAD);
    assert_int_equal(problem, ODP_PROBLEM_NOT_FOUND);
}

static void test_disabled(void **state)
{
    struct hooks *h = *state;
    struct webhook_sql q = {h->f.s.db, ODP_OK};
    char old[64], fresh[64], body[128];
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_challenge(h, old);
    hooks_confirm(h);
    calls(h, 202, "POST", "/{}/test", NULL);
    odp_webhook_set_state(&q, 1, "disabled", "gone", FIXTURE_NOW * 1000LL);
    assert_int_equal(q.st, ODP_OK);
    (void)snprintf(body, sizeof body, "{\"challenge\":\"%s\"}", old);
    STEPS(
        h, {"IS", "SELECT count(*) FROM webhook_delivery WHERE state = 'pending'", NULL, 0, NULL},
        {"IS", "SELECT count(*) FROM webhook_delivery WHERE state = 'cancelled' AND done = 0", NULL, 0, NULL},
        {"GET", "/{}", NULL, 200, "reason=gone"}, {"POST", "/{}/confirm", body, 409, NULL},
        {"POST", "/{}/test", NULL, 409, NULL}, {"PATCH", "/{}", "{\"state\":\"paused\"}", 409, NULL},
        {"PATCH", "/{}", "{\"state\":\"active\"}", 200, "state=unverified|verified=null"});
    assert_string_not_equal(hooks_challenge(h, fresh), old);
    calls(h, 409, "POST", "/{}/confirm", body); /* the old one counts no more */
    hooks_confirm(h);
}

static void test_another_url(void **state)
{
    struct hooks *h = *state;
    struct webhook_sql q = {h->f.s.db, ODP_OK};
    char old[64], fresh[64], text[128];
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_challenge(h, old);
    STEPS(h, {"CONFIRM", NULL, NULL, 0, NULL}, {"POST", "/{}/test", NULL, 202, NULL},
          {"PATCH", "/{}", "{\"url\":\"" HOOK_URL "\"}", 200, "state=active"}, /* the same */
          {"PATCH", "/{}", "{\"url\":\"https://Other.Example.org:8443/x\",\"state\":\"active\"}", 200,
           "state=unverified|url~:8443/x"});
    assert_string_equal(hooks_text(h, "SELECT place FROM webhook", text, sizeof text),
                        "other.example.org:8443");
    assert_string_not_equal(hooks_challenge(h, fresh), old);
    STEPS(h, {"IS", "SELECT round FROM webhook", NULL, 2, NULL},
          {"IS", "SELECT count(*) FROM webhook_delivery WHERE state = 'pending'", NULL, 2,
           NULL}, /* the test waits */
          {"PATCH", "/{}", "{\"url\":\"https://third.example.org/\",\"state\":\"paused\"}", 409, NULL},
          {"IS", "SELECT round FROM webhook", NULL, 2, NULL}, {"CONFIRM", NULL, NULL, 0, NULL},
          {"PATCH", "/{}", "{}", 200, NULL});
    /* An answer to the challenge of an earlier round changes nothing. */
    assert_false(odp_webhook_set_verified(&q, 1, 2, 5000));
    odp_webhook_set_state(&q, 1, "unverified", "", 5000);
    assert_false(odp_webhook_set_verified(&q, 1, 1, 5000));
    assert_true(odp_webhook_set_verified(&q, 1, 2, 5000));
    counts(h, 1, "SELECT state = 'active' AND verified = 5 FROM webhook");
}

/* Its key file was lost: it can be healed by a new secret and the address. */
static void test_what_cannot_be_opened(void **state)
{
    struct hooks *h = *state;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    STEPS(h, {"CONFIRM", NULL, NULL, 0, NULL},
          {"SQL", "UPDATE webhook SET url = x'0102', secret = x'0304', state = 'paused', reason = 'sealed'",
           NULL, 0, NULL},
          {"GET", "/{}", NULL, 200, "url=null"},
          {"PATCH", "/{}", "{\"state\":\"active\"}", 409, "detail~rotate-secret"},
          {"POST", "/{}/rotate-secret", NULL, 200,
           "previous_secret_valid_until=null"}, /* the old one cannot sign */
          {"PATCH", "/{}", "{\"state\":\"active\"}", 409, NULL},
          {"PATCH", "/{}", "{\"url\":\"" HOOK_URL "\",\"state\":\"active\"}", 200, "url=" HOOK_URL},
          {"CONFIRM", NULL, NULL, 0, NULL});
}

/* Two calls at once, each right by itself. */
static void test_filter_needs_datasets(void **state)
{
    struct hooks *h = *state;
    enum odp_problem problem;
    struct odp_webhook_change change = {.filter = ODP_LIT("luas > 1")};
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    assert_int_equal(change_as(h, 1, &change, "api", &problem), ODP_BAD);
    assert_int_equal(problem, ODP_PROBLEM_CONFLICT);
    counts(h, 1, "SELECT filter = '' FROM webhook");
    change.datasets = ODP_LIT("uji");
    assert_int_equal(change_as(h, 1, &change, "api", &problem), ODP_OK);
}

static void test_without_a_key_file(void **state)
{
    struct hooks *h = *state;
    struct odp_webhooks bare = {.s = &h->f.s};
    struct odp_buffer out;
    struct odp_webhook one;
    struct odp_arena a;
    enum odp_problem problem;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    odp_buffer_init(&out);
    odp_arena_init(&a);
    assert_int_equal(odp_webhook_seal(&bare, "url", h->id, ODP_LIT("x"), &out), ODP_BAD);
    assert_int_equal(odp_webhook_unseal(&bare, "url", h->id, "x", 1, &out), ODP_BAD);
    assert_int_equal(odp_webhook_find(&bare, h->id, 0, &one, &a, &problem), ODP_OK);
    assert_null(one.url);
    assert_string_equal(one.place, "hooks.example.go.id:443");
    odp_arena_release(&a);
    odp_buffer_release(&out);
}

/* ---- secrets ---- */

static int secrets_open(struct hooks *h)
{
    struct odp_buffer clear;
    sqlite3_stmt *st = NULL;
    int n = 0;
    odp_buffer_init(&clear);
    assert_int_equal(
        sqlite3_prepare_v2(h->f.s.db, "SELECT secret, previous_secret FROM webhook", -1, &st, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    for (int i = 0; i < 2; i++)
        n += odp_webhook_unseal(h->w, "secret", h->id, sqlite3_column_blob(st, i),
                                sqlite3_column_bytes(st, i), &clear) == ODP_OK;
    sqlite3_finalize(st);
    odp_buffer_release(&clear);
    return n;
}

static void test_rotated_secret(void **state)
{
    struct hooks *h = *state;
    char first[ODP_WEBHOOK_SECRET_TEXT];
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    (void)snprintf(first, sizeof first, "%s", h->secret);
    assert_int_equal(secrets_open(h), 1);
    STEPS(h,
          {"POST", "/{}/rotate-secret", NULL, 200, "previous_secret_valid_until=2024-03-16T09:00:00+07:00"});
    assert_int_equal(strlen(fixture_text(&h->f, "secret")), 50);
    assert_string_not_equal(fixture_text(&h->f, "secret"), first);
    assert_int_equal(secrets_open(h), 2);
    STEPS(h, {"POST", "/{}/rotate-secret", "{\"grace_hours\":168}", 200,
              "previous_secret_valid_until=2024-03-22T09:00:00+07:00"});
    h->f.call.now += 169 * 3600;
    STEPS(h, {"GET", "/{}", NULL, 200, "previous_secret_valid_until=null"},
          {"POST", "/{}/rotate-secret", "{\"grace_hours\":0}", 200, "previous_secret_valid_until=null"});
    assert_int_equal(secrets_open(h), 1);
    STEPS(h, {"POST", "/{}/rotate-secret", "{\"grace_hours\":169}", 400, "field=grace_hours"},
          {"POST", "/{}/rotate-secret", "{\"grace_hours\":-1}", 400, "field=grace_hours"},
          {"POST", "/{}/rotate-secret", "{\"grace_hours\":\"1\"}", 400, "field=grace_hours"},
          {"POST", "/{}/rotate-secret", "{\"grace_hours\":1.5}", 400, "field=grace_hours"},
          {"POST", "/{}/rotate-secret", "{\"grace\":1}", 400, "code=field-unknown|detail~grace_hours"});
}

/* ---- keys ---- */

static void test_keys_come_and_go(void **state)
{
    struct hooks *h = *state;
    char first[ODP_KEY_LENGTH + 1];
    (void)snprintf(first, sizeof first, "%s", fixture_register(&h->f, "sari@example.org"));
    hooks_make(h, NULL);
    assert_int_equal(fixture_call(&h->f, "POST", "/auth/rotate", "{}", first), 201);
    (void)snprintf(h->f.key, sizeof h->f.key, "%s", fixture_text(&h->f, "key"));
    calls(h, 200, "GET", "/{}", NULL); /* the account's */
    assert_int_equal(odp_keys_set_state(&h->f.s,
                                        &(struct odp_order){.actor = "command:adi", .now = FIXTURE_NOW}, 1,
                                        ODP_KEY_SUSPENDED),
                     ODP_OK);
    calls(h, 403, "GET", "/{}", NULL);
    assert_int_equal(odp_keys_set_state(&h->f.s,
                                        &(struct odp_order){.actor = "command:adi", .now = FIXTURE_NOW}, 2,
                                        ODP_KEY_ACTIVE),
                     ODP_OK);
    calls(h, 200, "GET", "/{}", NULL);
    assert_int_equal(odp_keys_set_state(&h->f.s,
                                        &(struct odp_order){.actor = "command:adi", .now = FIXTURE_NOW}, 1,
                                        ODP_KEY_REVOKED),
                     ODP_OK);
    calls(h, 401, "GET", "/{}", NULL);
    counts(h, 1, "SELECT count(*) FROM webhook");
}

static void test_forgotten(void **state)
{
    struct hooks *h = *state;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_sql(h, "INSERT INTO webhook_event(key, type, dataset, account, created, due, data, site, upto)"
                 " VALUES('quota/1/2/80', 'quota.warning', '', 1, 1, 1, '{}', '', 9), ('x/1', "
                 "'release.published', '', 0, 1, "
                 "1, '{}', '', 9)");
    fixture_register(&h->f, "budi@example.org");
    hooks_make(h, NULL);
    if (odp_keys_forget(&h->f.s, &(struct odp_order){.actor = "command:adi", .now = FIXTURE_NOW}, 1) !=
        ODP_OK)
        fail_msg("%s", odp_failure_text());
    counts(h, 2, "SELECT group_concat(holder) FROM webhook");
    counts(h, 1, "SELECT count(*) FROM webhook_delivery");
    counts(h, 1, "SELECT count(*) FROM webhook_message");
    counts(h, 1, "SELECT count(*) FROM webhook_event");
    calls(h, 200, "GET", "/{}", NULL);
    /* A key that was looked at before its holder was forgotten makes nothing any more. */
    struct odp_key_info key = {.id = 1, .holder = 1, .account = 1, .tier = "public"};
    struct odp_webhook_change c = {.url = ODP_LIT(HOOK_URL), .events = ODP_LIT("release.published")};
    struct odp_webhook_act o = {.actor = "api", .now_ms = 1, .key = &key, .change = &c};
    assert_int_equal(odp_webhook_create(h->w, &o), ODP_BAD);
    assert_int_equal(o.problem, ODP_PROBLEM_KEY_REVOKED);
}

/* A backup has them, sealed as they are; another machine opens them with the same key file. */
static void test_restored(void **state)
{
    struct hooks *h = *state;
    char dir[192], backup[192], why[ODP_WHY] = "";
    struct odp_state other;
    struct odp_webhook one;
    struct odp_arena a;
    enum odp_problem problem;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    (void)snprintf(backup, sizeof backup, "%s/backup.sqlite", h->f.dir);
    assert_int_equal(odp_store_backup(h->f.s.db, backup, why), ODP_OK);
    for (int promote = 0; promote < 2; promote++) {
        struct odp_service_options options = h->f.options;
        (void)snprintf(dir, sizeof dir, "%s/other-%d", h->f.dir, promote);
        assert_int_equal(mkdir(dir, 0700), 0);
        if (odp_state_restore(dir, backup, promote != 0, why) != ODP_OK)
            fail_msg("%s %s", why, odp_failure_text());
        options.state_dir = dir;
        assert_int_equal(odp_state_open(&other, &options, why), ODP_OK);
        struct odp_webhooks bare = {.s = &other, .seal = h->w->seal};
        odp_arena_init(&a);
        assert_int_equal(odp_webhook_find(&bare, h->id, 1, &one, &a, &problem), ODP_OK);
        assert_string_equal(one.url, HOOK_URL);
        assert_int_equal(one.pending, 1);
        odp_arena_release(&a);
        odp_state_close(&other);
    }
}

/* ---- HTTP ---- */

static void test_methods(void **state)
{
    struct hooks *h = *state;
    char header[512];
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    calls(h, 405, "PUT", "/{}", "{}");
    assert_string_equal(fixture_header(&h->f, "Allow", header), "GET, HEAD, PATCH, DELETE, OPTIONS");
    calls(h, 405, "DELETE", "", NULL);
    assert_string_equal(fixture_header(&h->f, "Allow", header), "POST, GET, HEAD, OPTIONS");
    calls(h, 405, "GET", "/{}/test", NULL);
    assert_int_equal(fixture_call(&h->f, "OPTIONS", "/api/v1/webhooks/wh_x/test", NULL, NULL), 204);
    assert_string_equal(fixture_header(&h->f, "Access-Control-Allow-Methods", header),
                        "GET, HEAD, POST, PATCH, DELETE, OPTIONS");
    assert_string_equal(fixture_header(&h->f, "Access-Control-Allow-Headers", header), ODP_CORS_HEADERS);
    assert_string_equal(fixture_header(&h->f, "Access-Control-Allow-Origin", header), "*");
    assert_string_equal(fixture_header(&h->f, "Allow", header), "POST, OPTIONS");
    static const char *const nothing[] = {"/{}/nothing", "/{}/deliveries/a/b", "//", "/{}//deliveries", "x"};
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++)
        calls(h, 404, "GET", nothing[i], NULL);
    h->f.call.content_type = ODP_LIT("text/plain");
    calls(h, 415, "PATCH", "/{}", "{}");
    assert_string_equal(fixture_header(&h->f, "Accept-Patch", header), "application/json");
    h->f.call.content_type = (struct odp_slice){NULL, 0};
    char query[160];
    (void)snprintf(query, sizeof query, "/{}?x=%s", h->f.key);
    calls(h, 400, "GET", query, NULL);
    expect_problem(h, 400, "key-in-query");
    assert_null(strstr(odp_buffer_cstr(&h->f.a.body), h->f.key));
    assert_int_equal(fixture_call(&h->f, "GET", "/v1/webhooks?key=x", NULL, NULL), 400);
    expect_problem(h, 400, "key-in-query");
    calls(h, 400, "GET", "/{}?x=1", NULL);
    expect_problem(h, 400, "parameter-unknown");
}

static void test_where_there_are_none(void **state)
{
    struct hooks *h = *state;
    char header[512];
    fixture_register(&h->f, "sari@example.org");
    h->f.s.web->webhooks = NULL;
    calls(h, 501, "GET", "", NULL);
    expect_problem(h, 501, "not-implemented");
    assert_non_null(strstr(fixture_problem(&h->f, "detail"), "feed.xml"));
    h->f.s.writer = false;
    calls(h, 503, "GET", "", NULL);
    assert_string_equal(fixture_header(&h->f, "Retry-After", header), "30");
    h->f.s.writer = true;
    h->f.s.web->webhooks = h->w;
}

/* A key whose quota is spent manages its webhooks all the same, and pays nothing. */
static void test_costs_no_quota(void **state)
{
    struct hooks *h = *state;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    assert_int_equal(fixture_call(&h->f, "GET", "/auth/key", NULL, h->f.key), 200);
    assert_int_equal(json_integer_value(fixture_data(&h->f, "used")), 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, hooks_setup, hooks_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_created),
        TEST(test_sealed_in_the_store),
        TEST(test_limit_of_the_tier),
        TEST(test_of_another_account),
        TEST(test_confirmed),
        TEST(test_owner_cannot_make_the_challenge),
        TEST(test_states),
        TEST(test_disabled),
        TEST(test_another_url),
        TEST(test_what_cannot_be_opened),
        TEST(test_filter_needs_datasets),
        TEST(test_without_a_key_file),
        TEST(test_rotated_secret),
        TEST(test_keys_come_and_go),
        TEST(test_forgotten),
        TEST(test_restored),
        TEST(test_methods),
        TEST(test_where_there_are_none),
        TEST(test_costs_no_quota),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
