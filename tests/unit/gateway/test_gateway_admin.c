/* Administrative commands: each of admin.def once as it should be, and what is refused. */
#include "gateway_admin_fixture.h"

static void create(struct fixture *f, char key[ODP_KEY_LENGTH + 1], const char *email, const char *tier)
{
    char request_text[512];
    (void)snprintf(request_text, sizeof request_text, "keys.create 'name':'Sari','email':'%s','tier':'%s'",
                   email, tier);
    does(f, request_text);
    (void)snprintf(key, ODP_KEY_LENGTH + 1, "%s", text(f, 0, "key"));
    assert_true(odp_key_ok(odp_slice_of(key)));
}

static void with_key(struct fixture *f, const char *command, const char *key, const char *more)
{
    char request_text[512];
    (void)snprintf(request_text, sizeof request_text, "%s 'key':'%s'%s", command, key, more);
    does(f, request_text);
}

static void test_refuses(void **state)
{
    static const struct {
        const char *request, *code, *field;
    } cases[] = {
        {"[]", "invalid-json", NULL},
        {"{}", "field-missing", "command"},
        {"keys.steal", "field-invalid", "command"},
        {"{'command':7}", "field-invalid", "command"},
        {"{'command':null}", "field-invalid", "command"},
        {"status 'x':1", "field-unknown", "x"},
        {"status 'lang':'fr'", "field-invalid", "lang"},
        {"status 'lang':1", "field-invalid", "lang"},
        {"keys.show", "field-missing", "key"},
        {"keys.show 'key':1.5", "field-invalid", "key"},
        {"keys.show 'key':-1", "field-invalid", "key"},
        {"keys.show 'key':null", "field-invalid", "key"},
        {"keys.show 'key':'nobody@example.org'", "not-found", "key"},
        {"keys.list 'limit':'5'", "field-invalid", "limit"},
        {"keys.list 'limit':-5", "field-invalid", "limit"},
        {"keys.list 'state':'dead'", "field-invalid", "state"},
        {"keys.create 'name':'a','email':'a@b.id'", "field-missing", "tier"},
        {"keys.create 'name':'a','email':'a@b.id','tier':'royal'", "field-invalid", "tier"},
        {"keys.create 'name':'a','email':'a','tier':'public'", "field-invalid", "email"},
        {"keys.create 'name':' ','email':'a@b.id','tier':'public'", "field-invalid", "name"},
        {"keys.create 'name':'a\\nb','email':'a@b.id','tier':'public'", "field-invalid", "name"},
        {"keys.create 'name':'a','email':'a@b.id','tier':'public','until':'soon'", "field-invalid", "until"},
        {"keys.create 'name':'a','email':'a@b.id','tier':'public','until':'2001-01-01'", "field-invalid",
         "until"},
        {"keys.tier 'key':1", "field-missing", "tier"},
        {"keys.approve", "field-missing", "id"},
        {"keys.approve 'id':5", "not-found", "id"},
        {"keys.upgrades 'state':'x'", "field-invalid", "state"},
        {"usage 'by':'colour'", "field-invalid", "by"},
        {"usage 'by':''", "field-invalid", "by"},
        {"usage 'by':['day',3]", "field-invalid", "by"},
        {"usage 'by':'key,dataset'", "field-invalid", "by"},
        {"usage 'from':'2024-02-31'", "field-invalid", "from"},
        {"usage 'to':20240101", "field-invalid", "to"},
        {"backup", "field-missing", "path"},
        {"backup 'path':'here'", "field-invalid", "path"},
        {"backup 'path':'/nonexistent/there'", "field-invalid", "path"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refuses(f, cases[i].request, cases[i].code, cases[i].field);
    refuses(f, "status 'x':1,'lang':'en'", "field-unknown", "x");
    assert_string_equal(json_string_value(json_object_get(f->reply, "title")), "Unknown field");
    assert_int_equal(number(f, "SELECT count(*) FROM audit"), 0);
}

static void test_create_list_show(void **state)
{
    struct fixture *f = *state;
    char key[ODP_KEY_LENGTH + 1], other[ODP_KEY_LENGTH + 1];
    create(f, key, "sari@example.org", "government");
    assert_int_equal(look(f, key), ODP_PASS);
    does(f, "keys.create 'name':'Budi','email':'budi@example.org','tier':'public','until':'2999-12-31',"
            "'purpose':'uji'");
    (void)snprintf(other, sizeof other, "%s", text(f, 0, "key"));
    has(f, 0, "'expires': '3000-01-01T00:00:00+07:00'");
    does(f, "keys.list");
    assert_int_equal(rows(f), 2);
    has(f, 0, "'email': 'sari@example.org'");
    assert_memory_equal(text(f, 0, "key"), key, ODP_KEY_SHOWN);
    assert_int_equal(strlen(text(f, 0, "key")), ODP_KEY_SHOWN);
    has(f, 0, "'expires': null");
    char *all = json_dumps(f->reply, 0);
    assert_null(strstr(all, key + ODP_KEY_SHOWN));
    free(all);
    does(f, "keys.list 'tier':'public','state':'active'");
    assert_int_equal(rows(f), 1);
    does(f, "keys.list 'limit':1");
    assert_int_equal(rows(f), 1);
    assert_true(json_is_true(json_object_get(json_object_get(f->reply, "meta"), "more")));
    does(f, "keys.list 'limit':1,'after':1");
    has(f, 0, "'email': 'budi@example.org'");
    assert_true(json_is_false(json_object_get(json_object_get(f->reply, "meta"), "more")));
    struct odp_grant g;
    assert_int_equal(request(f, key, 0, &g), ODP_PASS);
    must(odp_state_flush(&f->s));
    with_key(f, "keys.show", key, "");
    has(f, 0, "'used': 1");
    assert_int_equal(json_array_size(json_object_get(row(f, 0), "chain")), 1);
    assert_int_equal(json_array_size(json_object_get(row(f, 0), "usage")), 1);
    with_key(f, "keys.show", "budi@example.org", "");
    has(f, 0, "'purpose': 'uji'");
    does(f, "keys.show 'key':1");
    has(f, 0, "'tier': 'government'");
}

static void test_states_and_tiers(void **state)
{
    struct fixture *f = *state;
    char key[ODP_KEY_LENGTH + 1];
    create(f, key, "sari@example.org", "public");
    with_key(f, "keys.suspend", key, "");
    has(f, 0, "'state': 'suspended'");
    assert_int_equal(look(f, key), ODP_KEY_IS_SUSPENDED);
    with_key(f, "keys.resume", key, "");
    assert_int_equal(look(f, key), ODP_PASS);
    with_key(f, "keys.tier", key, ",'tier':'registered'");
    has(f, 0, "'tier': 'registered'");
    refuses(f, "keys.tier 'key':1,'tier':'royal','lang':'en'", "field-invalid", "tier");
    assert_non_null(
        strstr(json_string_value(json_object_get(f->reply, "detail")), "public, registered, government"));
    with_key(f, "keys.reissue", key, "");
    assert_int_equal(look(f, key), ODP_KEY_IS_REVOKED);
    (void)snprintf(key, sizeof key, "%s", text(f, 0, "key"));
    assert_int_equal(look(f, key), ODP_PASS);
    has(f, 0, "'tier': 'registered'");
    with_key(f, "keys.revoke", key, "");
    assert_int_equal(look(f, key), ODP_KEY_IS_REVOKED);
    refuses(f, "keys.resume 'key':2", "conflict", "key");
    does(f, "audit.list");
    static const char *const acts[] = {"create", "suspend", "resume", "tier", "reissue", "revoke"};
    assert_int_equal(rows(f), 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(text(f, i, "act"), acts[i]);
        has(f, i, "'actor': 'command:sari'");
    }
    does(f, "audit.list 'limit':2");
    has(f, 1, "'act': 'revoke'");
    does(f, "audit.list 'after':1,'limit':2");
    has(f, 0, "'act': 'suspend'");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(f->reply, "meta"), "after")), 3);
    does(f, "audit.check");
    has(f, 0, "'ok': true, 'entries': 6");
}

static void test_upgrades(void **state)
{
    struct fixture *f = *state;
    int64_t id = 0;
    struct odp_issued a = register_as(f, "a@example.org"), b = register_as(f, "b@example.org");
    must(odp_keys_ask_upgrade(&f->s, &(struct odp_order){.actor = "api", .now = f->now}, a.record.digest,
                              "registered", ODP_LIT("aplikasi"), &id));
    must(odp_keys_ask_upgrade(&f->s, &(struct odp_order){.actor = "api", .now = f->now}, b.record.digest,
                              "government", ODP_LIT("dinas"), &id));
    does(f, "keys.upgrades");
    assert_int_equal(rows(f), 2);
    has(f, 0, "'reason': 'aplikasi'");
    has(f, 1, "'email': 'b@example.org'");
    does(f, "keys.approve 'id':1");
    does(f, "keys.refuse 'id':2");
    refuses(f, "keys.approve 'id':2", "conflict", "id");
    assert_string_equal(info_of(f, a.key).tier, "registered");
    assert_string_equal(info_of(f, b.key).tier, "public");
    does(f, "keys.upgrades");
    assert_int_equal(rows(f), 0);
    does(f, "keys.upgrades 'state':'all'");
    assert_int_equal(rows(f), 2);
}

static void test_export_and_forget(void **state)
{
    struct fixture *f = *state;
    char key[ODP_KEY_LENGTH + 1];
    create(f, key, "ratna@example.net", "public");
    does(f, "keys.export");
    assert_int_equal(rows(f), 1);
    char *all = json_dumps(f->reply, 0);
    assert_non_null(strstr(all, "ratna@example.net"));
    assert_null(strstr(all, "digest"));
    assert_null(strstr(all, key + ODP_KEY_SHOWN));
    free(all);
    assert_int_equal(number(f, "SELECT count(*) FROM audit WHERE act = 'export'"), 1);
    with_key(f, "keys.forget", "ratna@example.net", "");
    has(f, 0, "'erased': true");
    assert_false(store_has(f, "ratna@example.net"));
    assert_int_equal(look(f, key), ODP_KEY_IS_REVOKED);
    does(f, "keys.export 'state':'revoked'");
    has(f, 0, "'email': ''");
}

static void use(struct fixture *f, const char *dataset, const char *format, const char *tier, uint32_t day,
                int n)
{
    int32_t slot = odp_meter_slot(f->s.meter, odp_slice_of(dataset), odp_slice_of(format), tier);
    for (int i = 0; i < n; i++)
        odp_meter_use(f->s.meter, slot, day);
}

static void test_usage(void **state)
{
    struct fixture *f = *state;
    struct odp_grant g;
    char key[ODP_KEY_LENGTH + 1];
    uint32_t day = odp_quota_day(f->now, 420);
    create(f, key, "sari@example.org", "government");
    for (int i = 0; i < 4; i++)
        assert_int_equal(request(f, key, i * 100, &g), ODP_PASS);
    use(f, "kumuh", "csv", "-", day, 3);
    use(f, "kumuh", "api", "government", day, 4);
    use(f, "proyek", "api", "government", day - 1, 5);
    does(f, "usage"); /* by day */
    assert_int_equal(rows(f), 2);
    has(f, 0, "'count': 5");
    has(f, 1, "'count': 7");
    assert_true(strcmp(text(f, 0, "day"), text(f, 1, "day")) < 0);
    char today[32], request_text[128];
    (void)snprintf(today, sizeof today, "%s", text(f, 1, "day"));
    does(f, "usage 'by':'dataset,format,tier'");
    assert_int_equal(rows(f), 3);
    has(f, 0, "'dataset': 'kumuh', 'format': 'api'");
    has(f, 1, "'tier': '-'");
    does(f, "usage 'by':['machine','dataset','machine']");
    assert_int_equal(rows(f), 2);
    has(f, 0, "'machine': 'one'");
    (void)snprintf(request_text, sizeof request_text, "usage 'by':'dataset','from':'%s','to':'%s'", today,
                   today);
    does(f, request_text);
    assert_int_equal(rows(f), 1);
    has(f, 0, "'count': 7");
    does(f, "usage 'by':'key,day'");
    assert_int_equal(rows(f), 1);
    has(f, 0, "'count': 4");
    assert_memory_equal(text(f, 0, "key"), key, ODP_KEY_SHOWN);
    assert_string_equal(text(f, 0, "day"), today);
    with_key(f, "usage", key, "");
    has(f, 0, "'count': 4");
    refuses(f, "usage 'key':1,'by':'tier'", "field-invalid", "by");
}

static const json_t *find_check(const struct fixture *f, const char *name)
{
    for (size_t i = 0; i < rows(f); i++)
        if (strcmp(text(f, i, "check"), name) == 0)
            return json_object_get(row(f, i), "ok");
    fail_msg("there is no check %s", name);
    return NULL;
}

static void test_check_and_status(void **state)
{
    static const char *const checks[] = {"table", "fill",      "queries",  "counts",     "store",
                                         "audit", "agreement", "webhooks", "webhook-key"};
    struct fixture *f = *state;
    register_as(f, "a@example.org");
    does(f, "check");
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        assert_true(json_is_true(find_check(f, checks[i])));
    assert_int_equal(rows(f), sizeof checks / sizeof checks[0]);
    does(f, "status");
    has(f, 0, "'role': 'writer', 'keys': 1");
    assert_int_equal(count(f, 0, "capacity"), ODP_KEYTABLE_CAPACITY);
    assert_int_equal(json_array_size(json_object_get(row(f, 0), "tiers")), 3);
    /* what is wrong is found */
    must(odp_store_run(f->s.db, "UPDATE key SET state = 4", ""));
    must(odp_store_run(f->s.db, "DROP TRIGGER audit_no_update", ""));
    must(odp_store_run(f->s.db, "UPDATE audit SET actor = 'eve'", ""));
    does(f, "check");
    assert_true(json_is_false(find_check(f, "agreement")));
    assert_true(json_is_false(find_check(f, "audit")));
    assert_true(json_is_true(find_check(f, "store")));
    does(f, "audit.check");
    has(f, 0, "'ok': false, 'broken_at': 1");
}

static void test_backup(void **state)
{
    struct fixture *f = *state;
    char request_text[512], why[ODP_WHY];
    struct odp_grant g;
    struct odp_issued k = register_as(f, "a@example.org");
    assert_int_equal(request(f, k.key, 0, &g), ODP_PASS);
    (void)snprintf(request_text, sizeof request_text, "backup 'path':'%s/backup'", f->dir);
    does(f, request_text);
    assert_true(count(f, 0, "bytes") > 4096);
    assert_int_equal(number(f, "SELECT count(*) FROM audit WHERE act = 'backup'"), 1);
    close_state(f);
    must(odp_dir_remove(f->state_dir));
    must(odp_state_restore(f->state_dir, in(f, f->dir, "backup"), false, why));
    open_state(f);
    assert_int_equal(info_of(f, k.key).used, 1); /* counted a moment before */
}

/* All that acts on keys could have left behind. */
static void picture(struct fixture *f, char out[4096])
{
    sqlite3_stmt *st = NULL;
    int n = snprintf(out, 64, "%llu ", (unsigned long long)odp_keytable_count(f->s.table));
    must(odp_store_prepare(
        f->s.db, &st,
        "SELECT (SELECT group_concat(id || shown || state || tier || changed || until || ends) FROM key)"
        " || '/' || (SELECT group_concat(id || name || email || erased) FROM holder) || '/' ||"
        " (SELECT coalesce(group_concat(id || state), '') FROM upgrade) || '/' ||"
        " (SELECT group_concat(name || value) FROM setting) || '/' || (SELECT count(*) FROM audit)",
        ""));
    must(odp_store_step(f->s.db, st));
    odp_store_text(st, 0, out + n, (size_t)(4096 - n));
    sqlite3_finalize(st);
}

/* What an operator could not be told has not happened. */
static void test_unwritten(void **state)
{
    static const struct {
        const char *request;
        enum odp_verdict before, after; /* of the key whose number it names */
        int key;
    } acts[] = {
        {"keys.create 'name':'Budi','email':'b@example.org','tier':'public'", ODP_PASS, ODP_PASS, 1},
        {"keys.suspend 'key':1", ODP_PASS, ODP_KEY_IS_SUSPENDED, 1},
        {"keys.resume 'key':1", ODP_KEY_IS_SUSPENDED, ODP_PASS, 1},
        {"keys.tier 'key':1,'tier':'registered'", ODP_PASS, ODP_PASS, 1},
        {"keys.approve 'id':1", ODP_PASS, ODP_PASS, 1},
        {"keys.refuse 'id':2", ODP_PASS, ODP_PASS, 2},
        {"keys.reissue 'key':2", ODP_PASS, ODP_KEY_IS_REVOKED, 2},
        {"keys.revoke 'key':1", ODP_PASS, ODP_KEY_IS_REVOKED, 1},
        {"keys.forget 'key':1", ODP_KEY_IS_REVOKED, ODP_KEY_IS_REVOKED, 1},
    };
    struct fixture *f = *state;
    char before[4096], after[4096];
    struct odp_issued keys[2] = {register_as(f, "a@example.org"), register_as(f, "c@example.org")};
    int64_t id = 0;
    for (int i = 0; i < 2; i++)
        must(odp_keys_ask_upgrade(&f->s, &(struct odp_order){.actor = "api", .now = f->now},
                                  keys[i].record.digest, "government", ODP_LIT("uji"), &id));
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        const char *key = keys[acts[i].key - 1].key;
        struct paper p = {.f = f, .fails_at = 1};
        picture(f, before);
        assert_int_equal(run_writing(&p, acts[i].request), ODP_FAIL);
        assert_null(f->reply);
        assert_int_equal(p.times, 1);
        picture(f, after);
        assert_string_equal(before, after);
        assert_int_equal(look(f, key), acts[i].before);
        odp_failure_clear();
        /* Written, it happens: others see it afterwards. */
        int64_t had = fixture_audited(f);
        p = (struct paper){.f = f};
        must(run_writing(&p, acts[i].request));
        assert_true(p.times >= 1);
        assert_int_equal(p.written, had);
        assert_int_equal(fixture_audited(f), had + 1);
        assert_int_equal(look(f, key), acts[i].after);
    }
    audit_is_whole(f);
    /* Erasing again reports that it is erased; if that cannot be written, the first record stays. */
    struct paper p = {.f = f, .fails_at = 2};
    must(run_writing(&p, "keys.forget 'key':2"));
    assert_int_equal(p.times, 2);
    assert_non_null(f->reply);
    assert_string_equal(odp_failure_text(), "");
    /* A refusal that cannot be written is a failure, too. */
    p.fails_at = 1;
    assert_int_equal(run_writing(&p, "keys.suspend 'key':99"), ODP_FAIL);
    assert_null(f->reply);
}

static void test_replica(void **state)
{
    static const char *const refused[] = {"keys.list",
                                          "keys.show 'key':1",
                                          "keys.create 'name':'a','email':'a@b.id','tier':'public'",
                                          "keys.upgrades",
                                          "keys.approve 'id':1",
                                          "keys.export",
                                          "usage",
                                          "audit.list",
                                          "audit.check",
                                          "backup 'path':'/tmp/x'"};
    struct fixture *f = *state;
    close_state(f);
    (void)snprintf(f->state_dir, sizeof f->state_dir, "%s/replica", f->dir);
    f->options.writer = "http://writer.example/";
    open_state(f);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        refuses(f, refused[i], "unavailable", NULL);
    does(f, "status");
    has(f, 0, "'role': 'replica'");
    does(f, "check");
    assert_true(json_is_true(find_check(f, "table")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_refuses),           TEST(test_create_list_show),
        TEST(test_states_and_tiers),  TEST(test_upgrades),
        TEST(test_export_and_forget), TEST(test_usage),
        TEST(test_check_and_status),  TEST(test_backup),
        TEST(test_unwritten),         TEST(test_replica),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
