/* Administrative commands on webhooks: what `check` finds, and what is not written; the rest is in
 * webhooks/answers/admin.txt. */
#include "answer_lines.h"
#include "gateway_admin_fixture.h"

#include "service/admin/webhooks.h"

#define URL "https://hooks.example.org:8443/odp/masuk?token=rahasia-sekali"

struct hooks {
    struct fixture *f;
    struct odp_webhooks w; /* as a command has it: store and key file */
    char names[3][ODP_WEBHOOK_NAME], secrets[3][ODP_WEBHOOK_SECRET_TEXT];
    char key[ODP_KEY_LENGTH + 1]; /* of the first two */
};

/* {"command":"webhooks.ACT","id":NAME,MORE} */
static const char *of(const char *act, const char *name, const char *more)
{
    static char request_text[512];
    snprintf(request_text, sizeof request_text, "webhooks.%s 'id':'%s'%s", act, name, more);
    return request_text;
}

/* Commands find what a running service has. */
static void serve(struct hooks *h)
{
    must(odp_web_new(&h->f->s.web));
    h->f->s.web->webhooks = &h->w;
}

static void stop(struct hooks *h)
{
    if (h->f->s.web == NULL)
        return;
    h->f->s.web->webhooks = NULL;
    odp_web_free(h->f->s.web);
    h->f->s.web = NULL;
}

static void subscribe(struct hooks *h, int i, const char *key, const char *url, const char *filter)
{
    struct odp_key_info info = info_of(h->f, key);
    struct odp_webhook_change c = {
        .url = odp_slice_of(url),
        .events = ODP_LIT("dataset.version.published dataset.corrected"),
        .datasets = odp_slice_of(filter[0] != '\0' ? "kumuh" : ""),
        .filter = odp_slice_of(filter),
        .description = ODP_LIT("papan Jakarta"),
    };
    struct odp_webhook_act o = {.actor = "api", .now_ms = h->f->now * 1000, .key = &info, .change = &c};
    if (odp_webhook_create(&h->w, &o) != ODP_OK)
        fail_msg("create: %s %s", odp_problem_info(o.problem)->code, odp_failure_text());
    memcpy(h->names[i], o.made, sizeof o.made);
    memcpy(h->secrets[i], o.secret, sizeof o.secret);
}

static int hooks_setup(void **state)
{
    char why[ODP_SEAL_WHY] = "";
    struct hooks *h = calloc(1, sizeof *h);
    assert_non_null(h);
    assert_int_equal(setup((void **)&h->f), 0);
    h->w.s = &h->f->s;
    assert_int_equal(pthread_mutex_init(&h->w.lock, NULL), 0);
    if (odp_seal_new(&h->w.seal, in(h->f, h->f->state_dir, "webhook.key"), true, ODP_LANG_EN, why) != ODP_OK)
        fail_msg("seal: %s", why);
    struct odp_issued a = register_as(h->f, "a@example.org"), b = register_as(h->f, "b@example.org");
    snprintf(h->key, sizeof h->key, "%s", a.key);
    subscribe(h, 0, a.key, URL, "kode_provinsi = '31'");
    subscribe(h, 1, a.key, "https://hooks.example.net/", "");
    subscribe(h, 2, b.key, "https://other.example.com/x", "");
    *state = h;
    return 0;
}

static int hooks_teardown(void **state)
{
    struct hooks *h = *state;
    stop(h);
    odp_seal_free(h->w.seal);
    pthread_mutex_destroy(&h->w.lock);
    int e = teardown((void **)&h->f);
    free(h);
    return e;
}

static void sql(struct hooks *h, const char *statement)
{
    if (odp_store_run(h->f->s.db, statement, "") != ODP_OK)
        fail_msg("%s: %s", statement, odp_failure_text());
}

static void confirm(struct hooks *h, int i)
{
    struct odp_sql q = odp_sql_begin(h->f->s.db);
    assert_true(odp_webhook_set_verified(&q, i + 1, 1, h->f->now * 1000));
    must(odp_sql_commit(&q));
}

/* No reply has a secret in any form, a challenge, or what follows the '?' of an address. */
static void tells_no_secret(struct hooks *h)
{
    char *all = json_dumps(h->f->reply, 0);
    assert_non_null(all);
    assert_null(strstr(all, "whsec_"));
    assert_null(strstr(all, "rahasia-sekali"));
    assert_null(strstr(all, "token="));
    assert_null(strstr(all, "challenge\\\":"));
    for (int i = 0; i < 3; i++)
        assert_null(strstr(all, h->secrets[i] + strlen("whsec_")));
    assert_null(strstr(all, h->key + ODP_KEY_SHOWN));
    free(all);
}

/* All that acts on subscriptions could have left behind. */
static void picture(struct hooks *h, char out[8192])
{
    struct odp_sql q = {.db = h->f->s.db};
    assert_true(odp_sql_row(
        &q,
        "SELECT (SELECT group_concat(id || state || reason || changed || round) FROM webhook) || '/' || "
        "(SELECT group_concat(name || state || next || done || first) FROM webhook_delivery) || '/' || "
        "(SELECT count(*) FROM webhook_message) || '/' || (SELECT count(*) FROM audit)",
        "", "t", out, (size_t)8192));
}

/* What an operator could not be told has not happened. */
TEST(unwritten)
{
    static const struct {
        const char *act;
        int which;
        const char *more, *name, *says; /* a member of the reply, and its text */
    } acts[] = {
        {"test", 1, "", "sends", "webhook.challenge"},
        {"test", 0, "", "sends", "webhook.test"},
        {"pause", 0, "", "state", "paused"},
        {"resume", 0, "", "state", "active"},
        {"replay", 0, ",'since':'1970-01-02'", "state", "active"},
        {"delete", 0, "", "state", "deleted"},
    };
    struct hooks *h = *state;
    struct fixture *f = h->f;
    char before[8192], after[8192];
    serve(h);
    confirm(h, 0);
    for (size_t i = 0; i < ODP_COUNT(acts); i++) {
        const char *request_text = of(acts[i].act, h->names[acts[i].which], acts[i].more);
        struct paper p = {.f = f, .fails_at = 1};
        sql(h, "UPDATE webhook_delivery SET state = 'delivered', done = 1, attempts = 1");
        picture(h, before);
        assert_int_equal(run_writing(&p, request_text), ODP_FAIL);
        assert_null(f->reply);
        assert_int_equal(p.times, 1);
        picture(h, after);
        assert_string_equal(before, after);
        odp_failure_clear();
        int64_t had = fixture_audited(f);
        p = (struct paper){.f = f};
        must(run_writing(&p, request_text));
        assert_int_equal(p.times, 1);
        assert_int_equal(p.written, had); /* others see it afterwards */
        assert_int_equal(fixture_audited(f), had + 1);
        assert_string_equal(text(f, 0, acts[i].name), acts[i].says);
        picture(h, after);
        assert_string_not_equal(before, after);
        tells_no_secret(h);
    }
    audit_is_whole(f);
    struct paper p = {.f = f, .fails_at = 1};
    assert_int_equal(run_writing(&p, of("pause", "wh_tidakada", "")), ODP_FAIL);
    assert_null(f->reply);
}

/* ---- check ---- */

static const json_t *check(struct hooks *h, const char *name)
{
    does(h->f, "check 'lang':'en'");
    for (size_t i = 0; i < rows(h->f); i++)
        if (strcmp(text(h->f, i, "check"), name) == 0)
            return row(h->f, i);
    fail_msg("there is no check %s", name);
    return NULL;
}

static void agrees(struct hooks *h, const char *name, bool ok, const char *words)
{
    const json_t *r = check(h, name);
    if (json_is_true(json_object_get(r, "ok")) != ok || strstr(text_in(r, "detail"), words) == NULL)
        fail_msg("%s: %s", name, text_in(r, "detail"));
    tells_no_secret(h);
}

/* The question is done to the store, which is as before then. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct hooks *h = ctx;
    sql(h, "CREATE TEMP TABLE kept_w AS SELECT * FROM webhook");
    sql(h, "CREATE TEMP TABLE kept_d AS SELECT * FROM webhook_delivery");
    sql(h, question.ptr);
    const json_t *r = check(h, "webhooks");
    tells_no_secret(h);
    odp_buffer_printf(out, "%s %s", json_is_true(json_object_get(r, "ok")) ? "ok" : "wrong",
                      text_in(r, "detail"));
    static const char *const undo[] = {
        "DELETE FROM webhook",
        "DELETE FROM webhook_delivery",
        "DELETE FROM webhook_attempt",
        "DELETE FROM webhook_event",
        "DELETE FROM webhook_message WHERE created = 1",
        "INSERT INTO webhook SELECT * FROM kept_w",
        "INSERT INTO webhook_delivery SELECT * FROM kept_d",
        "DROP TABLE kept_w",
        "DROP TABLE kept_d",
    };
    for (size_t i = 0; i < ODP_COUNT(undo); i++)
        sql(h, undo[i]);
    agrees(h, "webhooks", true, "and they agree");
}

TEST(check_rows)
{
    struct hooks *h = *state;
    agrees(h, "webhooks", true, "3 subscriptions, 3 deliveries (3 wait), 3 messages");
    serve(h);
    sql(h, "PRAGMA foreign_keys = OFF");
    answer_lines("gateway/answers/check_webhooks.txt", answer, h);
    /* what a running announcer must have done is no fault where none runs */
    stop(h);
    sql(h, "INSERT INTO webhook_message(type, created, body) VALUES('webhook.test', 1, '{}')");
    agrees(h, "webhooks", true, "4 messages");
}

TEST(check_key)
{
    struct hooks *h = *state;
    struct fixture *f = h->f;
    char why[ODP_SEAL_WHY], other[512];
    agrees(h, "webhook-key", true, "opens all 3 subscriptions");
    /* a key of another machine */
    assert_int_equal(rename(in(f, f->state_dir, "webhook.key"), in(f, f->dir, "kept.key")), 0);
    agrees(h, "webhook-key", false, "it is in no backup");
    assert_int_equal(access(in(f, f->state_dir, "webhook.key"), F_OK), -1); /* looking makes none */
    does(f, "webhooks.list");
    has(f, 0, "'url': null, 'place': 'hooks.example.org:8443'");
    struct odp_seal *seal = NULL;
    snprintf(other, sizeof other, "%s", in(f, f->dir, "other.key"));
    must(odp_seal_new(&seal, other, true, ODP_LANG_EN, why));
    odp_seal_free(seal);
    f->options.webhook_key = other;
    agrees(h, "webhook-key", false, "3 of 3 subscriptions were sealed with a key that");
    /* both keys, the new one first: all opens, and still needs the old one */
    struct odp_buffer b = {0}, kept = {0};
    must(odp_file_read(other, 4096, &b, NULL));
    must(odp_file_read(in(f, f->dir, "kept.key"), 4096, &kept, NULL));
    odp_buffer_add_char(&b, '\n');
    odp_buffer_add(&b, kept.ptr, kept.len);
    assert_int_equal(unlink(other), 0);
    must(odp_file_put(other, odp_buffer_slice(&b), 0600, NULL));
    odp_buffer_release(&b);
    odp_buffer_release(&kept);
    agrees(h, "webhook-key", true, "3 of 3 subscriptions still need a key that is not its first");
    sql(h, "UPDATE webhook SET state = 'paused', reason = 'sealed' WHERE id = 1");
    agrees(h, "webhook-key", false, "1 of 3 subscriptions");
    sql(h, "DELETE FROM webhook");
    agrees(h, "webhook-key", true, "nothing is sealed yet");
}

TEST(backup_says_how_many)
{
    struct hooks *h = *state;
    struct fixture *f = h->f;
    char request_text[512], why[ODP_WHY];
    int64_t n = 0;
    snprintf(request_text, sizeof request_text, "backup 'path':'%s/backup'", f->dir);
    does(f, request_text);
    has(f, 0, "'webhooks': 3");
    must(odp_webhooks_in_store(in(f, f->dir, "backup"), &n, why));
    assert_int_equal(n, 3);
    sqlite3 *db = NULL; /* of an older program */
    assert_int_equal(sqlite3_open(in(f, f->dir, "backup"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA foreign_keys = OFF; DROP TABLE webhook; PRAGMA user_version = 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    must(odp_webhooks_in_store(in(f, f->dir, "backup"), &n, why));
    assert_int_equal(n, 0);
    must_refuse(odp_webhooks_in_store(in(f, f->dir, "nothing"), &n, why));
}

TEST(replica)
{
    static const char *const acts[] = {"show", "test", "pause", "resume", "delete"};
    struct hooks *h = *state;
    struct fixture *f = h->f;
    close_state(f);
    snprintf(f->state_dir, sizeof f->state_dir, "%s/replica", f->dir);
    f->options.writer = "http://writer.example/";
    open_state(f);
    for (size_t i = 0; i < ODP_COUNT(acts); i++)
        refuses(f, of(acts[i], h->names[0], ""), "unavailable", NULL);
    refuses(f, "webhooks.list", "unavailable", NULL);
    refuses(f, of("replay", h->names[0], ",'since':'2024-03-15'"), "unavailable", NULL);
}

EACH(hooks_setup, hooks_teardown)
