/* Administrative commands: what is counted, erased, copied, and not written; the rest is in answers/admin.txt
 * (test_gateway_answers.c). */
#include "gateway_admin_fixture.h"

static void create(struct fixture *f, char key[ODP_KEY_LENGTH + 1], const char *email, const char *tier)
{
    char request_text[512];
    snprintf(request_text, sizeof request_text, "keys.create 'name':'Sari','email':'%s','tier':'%s'", email,
             tier);
    does(f, request_text);
    snprintf(key, ODP_KEY_LENGTH + 1, "%s", text(f, 0, "key"));
    assert_true(odp_key_ok(odp_slice_of(key)));
}

static void with_key(struct fixture *f, const char *command, const char *key, const char *more)
{
    char request_text[512];
    snprintf(request_text, sizeof request_text, "%s 'key':'%s'%s", command, key, more);
    does(f, request_text);
}

TEST(forget)
{
    struct fixture *f = *state;
    char key[ODP_KEY_LENGTH + 1];
    create(f, key, "ratna@example.net", "public");
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

TEST(usage)
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
    snprintf(today, sizeof today, "%s", text(f, 1, "day"));
    does(f, "usage 'by':'dataset,format,tier'");
    assert_int_equal(rows(f), 3);
    has(f, 0, "'dataset': 'kumuh', 'format': 'api'");
    has(f, 1, "'tier': '-'");
    does(f, "usage 'by':['machine','dataset','machine']");
    assert_int_equal(rows(f), 2);
    has(f, 0, "'machine': 'one'");
    snprintf(request_text, sizeof request_text, "usage 'by':'dataset','from':'%s','to':'%s'", today, today);
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

TEST(backup)
{
    struct fixture *f = *state;
    char request_text[512], why[ODP_WHY];
    struct odp_grant g;
    struct odp_issued k = register_as(f, "a@example.org");
    assert_int_equal(request(f, k.key, 0, &g), ODP_PASS);
    does(f, "status");
    has(f, 0, "'role': 'writer', 'keys': 1");
    assert_int_equal(count(f, 0, "capacity"), ODP_KEYTABLE_CAPACITY);
    assert_int_equal(json_array_size(json_object_get(row(f, 0), "tiers")), 3);
    snprintf(request_text, sizeof request_text, "backup 'path':'%s/backup'", f->dir);
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
    struct odp_sql q = {.db = f->s.db};
    int n = snprintf(out, 64, "%llu ", (unsigned long long)odp_keytable_count(f->s.table));
    assert_true(odp_sql_row(
        &q,
        "SELECT (SELECT group_concat(id || shown || state || tier || changed || until || ends) FROM key)"
        " || '/' || (SELECT group_concat(id || name || email || erased) FROM holder) || '/' ||"
        " (SELECT coalesce(group_concat(id || state), '') FROM upgrade) || '/' ||"
        " (SELECT group_concat(name || value) FROM setting) || '/' || (SELECT count(*) FROM audit)",
        "", "t", out + n, (size_t)(4096 - n)));
}

/* What an operator could not be told has not happened. */
TEST(unwritten)
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
    for (size_t i = 0; i < ODP_COUNT(acts); i++) {
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

TEST(replica)
{
    static const char *const refused[] = {
        "keys.list",
        "keys.show 'key':1",
        "keys.create 'name':'a','email':'a@b.id','tier':'public'",
        "keys.upgrades",
        "keys.approve 'id':1",
        "keys.export",
        "usage",
        "audit.list",
        "audit.check",
        "backup 'path':'/tmp/x'",
    };
    struct fixture *f = *state;
    close_state(f);
    snprintf(f->state_dir, sizeof f->state_dir, "%s/replica", f->dir);
    f->options.writer = "http://writer.example/";
    open_state(f);
    for (size_t i = 0; i < ODP_COUNT(refused); i++)
        refuses(f, refused[i], "unavailable", NULL);
    does(f, "status");
    has(f, 0, "'role': 'replica'");
    does(f, "check");
    assert_int_equal(rows(f), 3);
    has(f, 0, "'check': 'table', 'ok': true");
    has(f, 2, "'check': 'queries', 'ok': true");
}

EACH(setup, teardown)
