/* Acts on subscriptions tell what they do before it is done: where nobody could be told, nothing has
 * happened. */
#include "gateway_webhook_fixture.h"

#include "service/webhooks/send_internal.h"

enum { ACT_CREATE, ACT_CHANGE, ACT_MOVE, ACT_ROTATE, ACT_CONFIRM, ACT_TEST, ACT_AGAIN, ACTS };

struct told {
    struct hooks *h;
    bool fails;
    int times;
    bool woken;      /* the sender, when it was told */
    int64_t written; /* entries of the audit that others see then */
    struct odp_webhook_act act;
};

/* What another connection sees: only what is committed. */
static int64_t written(struct hooks *h)
{
    char path[256];
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    snprintf(path, sizeof path, "%s/store.sqlite", h->f.state_dir);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM audit", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return n;
}

static enum odp_status tell(void *ctx, const struct odp_issued *k)
{
    struct told *t = ctx;
    assert_null(k);
    t->times++;
    t->woken = atomic_load(&t->h->w->send->acted);
    t->written = written(t->h);
    return t->fails ? odp_failure_set("answer", NULL, ENOMEM) : ODP_OK;
}

/* All that acts could have left behind. */
static void picture(struct hooks *h, char *out, size_t cap)
{
    hooks_text(h,
               "SELECT coalesce((SELECT group_concat(id || name || state || reason || changed || round || "
               "place || hex(url) || hex(secret) || coalesce(hex(previous_secret), '') || events || "
               "verified) FROM webhook), '') || '/' || coalesce((SELECT group_concat(id || name || state || "
               "next || done || first) FROM webhook_delivery), '') || '/' || (SELECT count(*) FROM "
               "webhook_message) || '/' || (SELECT count(*) FROM audit)",
               out, cap);
}

static enum odp_status do_it(struct told *t, int act)
{
    static enum odp_status (*const run[ACTS])(struct odp_webhooks * w, struct odp_webhook_act * o) = {
        [ACT_CREATE] = odp_webhook_create,   [ACT_CHANGE] = odp_webhook_change,
        [ACT_MOVE] = odp_webhook_change,     [ACT_ROTATE] = odp_webhook_rotate,
        [ACT_CONFIRM] = odp_webhook_confirm, [ACT_TEST] = odp_webhook_test,
        [ACT_AGAIN] = odp_webhook_redeliver,
    };
    const struct odp_telling telling = {tell, t};
    const struct odp_key_info key = {.id = 1, .holder = 1, .account = 1, .tier = "public"};
    struct odp_webhook_change c = {.events = ODP_LIT("release.published")};
    char challenge[64];
    if (act == ACT_CREATE || act == ACT_MOVE)
        c.url = ODP_LIT("https://other.example.org/");
    t->act.name = t->h->id;
    t->act.account = 1;
    t->act.actor = "api";
    t->act.now_ms = FIXTURE_NOW * 1000LL + 5000;
    t->act.tell = &telling;
    t->act.key = &key;
    t->act.change = &c;
    t->act.grace = 3600;
    t->act.challenge = odp_slice_of(hooks_challenge(t->h, challenge));
    return run[act](t->h->w, &t->act);
}

/* The secret that signs, as its owner has it. */
static void signing(struct hooks *h, char out[ODP_WEBHOOK_SECRET_TEXT])
{
    struct odp_buffer clear = {0};
    sqlite3_stmt *st = NULL;
    assert_int_equal(
        sqlite3_prepare_v2(h->f.s.db, "SELECT secret FROM webhook WHERE name = ?", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_bind_text(st, 1, h->id, -1, SQLITE_STATIC), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    must(odp_webhook_unseal(h->w, "secret", h->id, sqlite3_column_blob(st, 0), sqlite3_column_bytes(st, 0),
                            &clear));
    assert_int_equal(clear.len, ODP_WEBHOOK_SECRET);
    odp_webhook_secret_text((const uint8_t *)clear.ptr, out);
    sqlite3_finalize(st);
    odp_buffer_release(&clear);
}

/* One that waits for its challenge (ACT_CONFIRM), else an active one with a test that was delivered. */
static void prepare(struct hooks *h, int act)
{
    fixture_register(&h->f, "sari@example.org");
    hooks_make(h, NULL);
    if (act == ACT_CONFIRM)
        return;
    hooks_confirm(h);
    assert_int_equal(hooks_call(h, "POST", "/{}/test", NULL), 202);
    hooks_sql(
        h, "UPDATE webhook_delivery SET state = 'delivered', done = 1, attempts = 1 WHERE state = 'pending'");
}

static const char nothing[ODP_WEBHOOK_SECRET_TEXT];

static void undone(struct hooks *h, int act)
{
    static char before[65536], after[65536];
    struct told t = {.h = h, .fails = true, .act = {.made = "wh_x", .secret = "x"}};
    prepare(h, act);
    atomic_store(&h->w->send->acted, false);
    picture(h, before, sizeof before);
    assert_int_equal(do_it(&t, act), ODP_FAIL);
    picture(h, after, sizeof after);
    assert_string_equal(before, after);
    assert_int_equal(t.times, 1);
    assert_false(atomic_load(&h->w->send->acted));
    if (act == ACT_CREATE)
        assert_string_equal(t.act.made, "");
    if (act == ACT_CREATE || act == ACT_ROTATE)
        assert_memory_equal(t.act.secret, nothing, sizeof t.act.secret);
    char secret[ODP_WEBHOOK_SECRET_TEXT];
    signing(h, secret);
    assert_string_equal(secret, h->secret); /* the old one still signs */
    odp_failure_clear();
    /* The same act once more, told: whole, and others see it, and the sender is woken, only afterwards. */
    int64_t had = written(h);
    t = (struct told){.h = h};
    must(do_it(&t, act));
    assert_int_equal(t.times, 1);
    assert_false(t.woken);
    assert_int_equal(t.written, had);
    assert_int_equal(written(h), had + 1);
    assert_true(atomic_load(&h->w->send->acted));
    picture(h, after, sizeof after);
    assert_string_not_equal(before, after);
    if (act == ACT_CREATE)
        snprintf(h->id, sizeof h->id, "%s", t.act.made);
    if (act == ACT_CREATE || act == ACT_ROTATE) {
        signing(h, secret);
        assert_string_equal(secret, t.act.secret);
    }
}

TEST(create)
{
    undone(*state, ACT_CREATE);
}

TEST(change)
{
    undone(*state, ACT_CHANGE);
}

TEST(move)
{
    undone(*state, ACT_MOVE);
}

TEST(rotate)
{
    undone(*state, ACT_ROTATE);
}

TEST(confirm)
{
    undone(*state, ACT_CONFIRM);
}

TEST(test)
{
    undone(*state, ACT_TEST);
}

TEST(again)
{
    undone(*state, ACT_AGAIN);
}

/* What cannot be committed was answered too early: the answer is a problem, without a trace of the secret,
 * and nothing is there. */
TEST(commit_fails)
{
    static char before[65536], after[65536];
    static const struct {
        const char *method, *tail, *body;
    } calls[] = {
        {"POST", "", "{\"url\":\"" HOOK_URL "\",\"events\":[\"release.published\"]}"},
        {"POST", "/{}/rotate-secret", NULL},
        {"PATCH", "/{}", "{\"description\":\"x\"}"},
        {"POST", "/{}/test", NULL},
        {"POST", "/{}/redeliver", "{\"since\":\"2024-01-01T00:00:00+07:00\"}"},
        {"DELETE", "/{}", NULL},
    };
    struct hooks *h = *state;
    char header[512];
    prepare(h, ACT_CHANGE);
    /* A row that must lead somewhere when the transaction ends, and does not. */
    hooks_sql(h, "PRAGMA foreign_keys = ON");
    hooks_sql(h, "CREATE TABLE parent(id INTEGER PRIMARY KEY)");
    hooks_sql(h, "CREATE TABLE child(parent INTEGER REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED)");
    hooks_sql(h, "CREATE TRIGGER late AFTER INSERT ON audit BEGIN INSERT INTO child VALUES(7); END");
    picture(h, before, sizeof before);
    for (size_t i = 0; i < ODP_COUNT(calls); i++) {
        assert_int_equal(hooks_call(h, calls[i].method, calls[i].tail, calls[i].body), 503);
        assert_string_equal(fixture_problem(&h->f, "code"), "unavailable");
        assert_string_equal(fixture_header(&h->f, "Retry-After", header), "30");
        assert_string_equal(fixture_header(&h->f, "Cache-Control", header), "no-store");
        assert_null(strstr(odp_buffer_cstr(&h->f.a.headers), "Location: "));
        assert_null(strstr(odp_buffer_cstr(&h->f.a.body), "whsec_"));
        picture(h, after, sizeof after);
        assert_string_equal(before, after);
    }
    hooks_sql(h, "DROP TRIGGER late");
    assert_int_equal(hooks_call(h, "POST", "/{}/rotate-secret", NULL), 200);
    snprintf(h->secret, sizeof h->secret, "%s", fixture_text(&h->f, "secret"));
    char secret[ODP_WEBHOOK_SECRET_TEXT];
    signing(h, secret);
    assert_string_equal(secret, h->secret);
}

EACH(hooks_setup, hooks_teardown)
