/* /v1/webhooks: what the store has of subscriptions, and what calls cannot see. What they see: answers/
 * (test_webhooks_answers.c). */
#include "gateway_webhook_fixture.h"

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

/* Neither address nor secret can be read in the store or the audit. */
TEST(sealed_in_the_store)
{
    struct hooks *h = *state;
    char text[2048];
    struct odp_buffer clear = {0};
    sqlite3_stmt *st = NULL;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    assert_int_equal(sqlite3_prepare_v2(h->f.s.db, "SELECT url, secret FROM webhook", -1, &st, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_int_equal(sqlite3_column_bytes(st, 0), strlen(HOOK_URL) + ODP_SEAL_EXTRA);
    assert_null(memmem(sqlite3_column_blob(st, 0), strlen(HOOK_URL) + ODP_SEAL_EXTRA, "example", 7));
    assert_int_equal(sqlite3_column_bytes(st, 1), ODP_WEBHOOK_SECRET + ODP_SEAL_EXTRA);
    must(odp_webhook_unseal(h->w, "secret", h->id, sqlite3_column_blob(st, 1), sqlite3_column_bytes(st, 1),
                            &clear));
    assert_int_equal(clear.len, ODP_WEBHOOK_SECRET);
    char shown[ODP_WEBHOOK_SECRET_TEXT];
    odp_webhook_secret_text((const uint8_t *)clear.ptr, shown);
    assert_string_equal(shown, h->secret);
    /* Of another kind, or of another subscription, it does not open. */
    must_refuse(odp_webhook_unseal(h->w, "url", h->id, sqlite3_column_blob(st, 1),
                                   sqlite3_column_bytes(st, 1), &clear));
    must_refuse(odp_webhook_unseal(h->w, "secret", "wh_00000000000000000000", sqlite3_column_blob(st, 1),
                                   sqlite3_column_bytes(st, 1), &clear));
    sqlite3_finalize(st);
    odp_buffer_release(&clear);
    hooks_text(
        h,
        "SELECT act || ' ' || actor || ' ' || subject || ' ' || detail FROM audit ORDER BY seq DESC LIMIT 1",
        text, sizeof text);
    char want[256];
    snprintf(want, sizeof want, "webhook.create api %s {\"account\":1,\"host\":\"hooks.example.go.id\"}",
             h->id);
    assert_string_equal(text, want);
    assert_string_equal(hooks_text(h, "SELECT place FROM webhook", text, sizeof text),
                        "hooks.example.go.id:443");
    counts(h, 1, "SELECT count(*) FROM webhook_message WHERE type = 'webhook.challenge' AND event IS NULL");
    counts(h, 1, "SELECT count(*) FROM webhook_delivery WHERE state = 'pending' AND next = 1710468000000");
    counts(h, 0, "SELECT count(*) FROM webhook_message WHERE instr(body, 'example') > 0");
}

/* ---- confirmed ---- */

/* An owner knows the secret and everything that the API says: that is not enough to confirm an address that
 * is not his. */
TEST(owner_cannot_make_the_challenge)
{
    struct hooks *h = *state;
    char challenge[64], made[ODP_WEBHOOK_CHALLENGE], body[128];
    struct odp_buffer clear = {0};
    sqlite3_stmt *st = NULL;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_challenge(h, challenge);
    assert_int_equal(sqlite3_prepare_v2(h->f.s.db, "SELECT secret FROM webhook", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    must(odp_webhook_unseal(h->w, "secret", h->id, sqlite3_column_blob(st, 0), sqlite3_column_bytes(st, 0),
                            &clear));
    sqlite3_finalize(st);
    for (int64_t round = 0; round < 3; round++) {
        must(odp_webhook_challenge(made, (const uint8_t *)clear.ptr, h->id, round));
        assert_string_not_equal(made, challenge);
        snprintf(body, sizeof body, "{\"challenge\":\"%s\"}", made);
        calls(h, 409, "POST", "/{}/confirm", body);
    }
    odp_buffer_release(&clear);
    char target[160];
    hooks_text(h, "SELECT name FROM webhook_delivery", h->msg, sizeof h->msg);
    snprintf(target, sizeof target, "/{}/deliveries/%s", h->msg);
    calls(h, 200, "GET", target, NULL);
    assert_string_equal(fixture_text(&h->f, "type"), "webhook.challenge");
    assert_null(strstr(odp_buffer_cstr(&h->f.a.body), challenge));
    json_t *data = json_object_get(fixture_data(&h->f, "payload"), "data");
    assert_true(json_is_null(json_object_get(data, "challenge")));
    assert_string_equal(json_string_value(json_object_get(data, "webhook")), h->id);
}

/* ---- changed ---- */

TEST(disabled)
{
    struct hooks *h = *state;
    struct odp_sql q = {.db = h->f.s.db};
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_confirm(h);
    calls(h, 202, "POST", "/{}/test", NULL);
    odp_webhook_set_state(&q, 1, "disabled", "gone", FIXTURE_NOW * 1000LL);
    must(q.st);
    counts(h, 0, "SELECT count(*) FROM webhook_delivery WHERE state = 'pending'");
    counts(h, 0, "SELECT count(*) FROM webhook_delivery WHERE state = 'cancelled' AND done = 0");
}

/* An answer to the challenge of an earlier round changes nothing. */
TEST(earlier_round)
{
    struct hooks *h = *state;
    struct odp_sql q = {.db = h->f.s.db};
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_sql(h, "UPDATE webhook SET round = 2");
    assert_false(odp_webhook_set_verified(&q, 1, 1, 5000));
    assert_true(odp_webhook_set_verified(&q, 1, 2, 5000));
    assert_false(odp_webhook_set_verified(&q, 1, 2, 5000)); /* it is active already */
    counts(h, 1, "SELECT state = 'active' AND verified = 5 FROM webhook");
}

/* Two calls at once, each right by itself. */
TEST(filter_needs_datasets)
{
    struct hooks *h = *state;
    enum odp_problem problem;
    struct odp_webhook_change change = {.filter = ODP_LIT("luas > 1")};
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    must_refuse(change_as(h, 1, &change, "api", &problem));
    assert_int_equal(problem, ODP_PROBLEM_CONFLICT);
    counts(h, 1, "SELECT filter = '' FROM webhook");
    change.datasets = ODP_LIT("uji");
    must(change_as(h, 1, &change, "api", &problem));
}

TEST(without_a_key_file)
{
    struct hooks *h = *state;
    struct odp_webhooks bare = {.s = &h->f.s};
    struct odp_buffer out = {0};
    struct odp_webhook one;
    struct odp_arena a = {0};
    enum odp_problem problem;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    must_refuse(odp_webhook_seal(&bare, "url", h->id, ODP_LIT("x"), &out));
    must_refuse(odp_webhook_unseal(&bare, "url", h->id, "x", 1, &out));
    must(odp_webhook_find(&bare, h->id, 0, &one, &a, &problem));
    assert_null(one.url);
    assert_string_equal(one.place, "hooks.example.go.id:443");
    odp_arena_release(&a);
    odp_buffer_release(&out);
}

/* ---- secrets ---- */

static int secrets_open(struct hooks *h)
{
    struct odp_buffer clear = {0};
    sqlite3_stmt *st = NULL;
    int n = 0;
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

TEST(rotated_secret)
{
    struct hooks *h = *state;
    char first[ODP_WEBHOOK_SECRET_TEXT];
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    snprintf(first, sizeof first, "%s", h->secret);
    assert_int_equal(secrets_open(h), 1);
    calls(h, 200, "POST", "/{}/rotate-secret", NULL);
    assert_int_equal(strlen(fixture_text(&h->f, "secret")), 50);
    assert_string_not_equal(fixture_text(&h->f, "secret"), first);
    assert_int_equal(secrets_open(h), 2);
    calls(h, 200, "POST", "/{}/rotate-secret", "{\"grace_hours\":0}");
    assert_int_equal(secrets_open(h), 1);
}

/* ---- keys ---- */

TEST(forgotten)
{
    struct hooks *h = *state;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    hooks_sql(h, "INSERT INTO webhook_event(key, type, dataset, account, created, due, data, site, upto) "
                 "VALUES('quota/1/2/80', 'quota.warning', '', 1, 1, 1, '{}', '', 9), ('x/1', "
                 "'release.published', '', 0, 1, 1, '{}', '', 9)");
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
    must_refuse(odp_webhook_create(h->w, &o));
    assert_int_equal(o.problem, ODP_PROBLEM_KEY_REVOKED);
}

/* A backup has them, sealed as they are; another machine opens them with the same key file. */
TEST(restored)
{
    struct hooks *h = *state;
    char dir[192], backup[192], why[ODP_WHY] = "";
    struct odp_state other;
    struct odp_webhook one;
    struct odp_arena a;
    enum odp_problem problem;
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    snprintf(backup, sizeof backup, "%s/backup.sqlite", h->f.dir);
    must(odp_store_backup(h->f.s.db, backup, why));
    for (int promote = 0; promote < 2; promote++) {
        struct odp_service_options options = h->f.options;
        snprintf(dir, sizeof dir, "%s/other-%d", h->f.dir, promote);
        assert_int_equal(mkdir(dir, 0700), 0);
        if (odp_state_restore(dir, backup, promote != 0, why) != ODP_OK)
            fail_msg("%s %s", why, odp_failure_text());
        options.state_dir = dir;
        must(odp_state_open(&other, &options, why));
        struct odp_webhooks bare = {.s = &other, .seal = h->w->seal};
        odp_arena_init(&a);
        must(odp_webhook_find(&bare, h->id, 1, &one, &a, &problem));
        assert_string_equal(one.url, HOOK_URL);
        assert_int_equal(one.pending, 1);
        odp_arena_release(&a);
        odp_state_close(&other);
    }
}

/* ---- without a site ---- */

/* Without a site datasets cannot be checked: nothing is taken on trust. */
TEST(without_a_site)
{
    struct hooks *h = *state;
    struct odp_webhook_site *site = h->w->site.now;
    char header[512];
    fixture_register(&h->f, "sari@example.org");
    h->w->site.now = NULL;
    calls(h, 503, "POST", "",
          "{\"url\":\"" HOOK_URL "\",\"events\":[\"release.published\"],\"datasets\":[\"uji\"]}");
    assert_string_equal(fixture_header(&h->f, "Retry-After", header), "5");
    hooks_make(h, NULL);
    /* Nobody has too many before the limit is known. */
    const char *configured = h->f.options.site;
    h->f.options.site = "/srv/site";
    h->w->started = true;
    calls(h, 503, "POST", "", "{\"url\":\"" HOOK_URL "\",\"events\":[\"release.published\"]}");
    assert_string_equal(fixture_header(&h->f, "Retry-After", header), "5");
    h->f.options.site = configured;
    h->w->started = false;
    h->w->site.now = site;
    calls(h, 200, "PATCH", "/{}", "{\"datasets\":[\"uji\"],\"filter\":\"luas > 5\"}");
    assert_int_equal(site->held.users, 1); /* the holder */
}

EACH(hooks_setup, hooks_teardown)
