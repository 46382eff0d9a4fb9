/* A service with webhooks and without a network: the fixture of gateway_http_fixture.h, a small site whose
 * dataset "uji" can be filtered, and no threads, so that nothing is sent but what a test sends itself. */
#pragma once

#define fixture emit_fixture /* both have one */
#include "emit_fixture.h"
#undef fixture
#include "gateway_http_fixture.h"

#include "service/webhooks/webhooks_internal.h"
#include "site/versions/release.h"

#define HOOK_URL "https://hooks.example.go.id/in?x=1"

struct hooks {
    struct fixture f; /* first: fixture_setup's kind */
    struct emit_fixture fx;
    struct odp_webhooks *w;
    char id[ODP_WEBHOOK_NAME], secret[ODP_WEBHOOK_SECRET_TEXT], msg[ODP_WEBHOOK_ID];
};

static inline void hooks_publish(struct hooks *h, char out[512])
{
    static const struct odp_slice rows[] = {S("31.71"), S("12.5"), S("32.01"), S("9.25")};
    static const char versions[] =
        "{\"data\":[{\"version\":\"2024-03-15\",\"date\":\"2024-03-15\",\"state\":\"published\",\"digest\":"
        "\"sha256:"
        "0000000000000000000000000000000000000000000000000000000000000000\",\"resources\":[{\"name\":\"uji\","
        "\"schema\":\"../../data/uji/2024-03-15/schema.json\",\"files\":[]}]}]}";
    struct odp_stage *stage = NULL;
    struct odp_diags *diags = NULL;
    struct odp_arena arena = {0};
    const char *build;
    must(odp_diags_new(&diags, 10));
    fx_init(&h->fx);
    fx_path(&h->fx, "site", out);
    fx_field(&h->fx, "kode", ODP_TYPE_STRING)->constraints.required = true;
    fx_field(&h->fx, "luas", ODP_TYPE_NUMBER);
    fx_key(&h->fx, 0, -1);
    struct odp_published_resource resource = {.resource = &h->fx.resource, .rows = 2};
    struct odp_published published = {
        .dataset = &h->fx.dataset, .version = "2024-03-15", .resources = &resource};
    must(odp_stage_open(&stage, out, diags));
    h->fx.job.output = odp_stage_output(stage);
    h->fx.catalog.portal.page_records = 100;
    struct odp_search_file searches[1] = {{0}};
    h->fx.job.searches = searches; /* filters are asked of the index */
    h->fx.job.arena = &arena;
    fx_emit(&h->fx, rows, 2, 2, NULL);
    memset(resource.logical, 0xab, sizeof resource.logical);
    must(odp_release_schemas(stage, &published));
    must(odp_release_latest(stage, &published));
    json_t *entries = odp_release_entries(stage, &h->fx.catalog, &published, 1);
    must(odp_release_index(stage, &h->fx.catalog, entries));
    json_decref(entries);
    must(odp_stage_put(stage, "data/uji/versions.json", "application/json", ODP_CLASS_PUBLIC,
                       (struct odp_slice){versions, sizeof versions - 1}));
    must(odp_stage_manifest(stage, &h->fx.catalog));
    must(odp_stage_switch(stage, 2, &arena, &build));
    odp_stage_close(stage);
    odp_diags_free(diags);
    odp_arena_release(&arena);
}

/* What the announcer does when it sees a site. */
static inline void hooks_site(struct hooks *h)
{
    struct odp_diags *diags = NULL;
    char out[512], why[ODP_WHY];
    struct odp_webhook_site *site = calloc(1, sizeof *site);
    assert_non_null(site);
    hooks_publish(h, out);
    must(odp_diags_new(&diags, 10));
    must(odp_site_open(&site->site, out, diags));
    odp_diags_free(diags);
    must(odp_site_settings_parse(
        &site->settings,
        ODP_LIT("{\"base_url\":\"https://data.example.go.id/\",\"zone_minutes\":420,\"tiers\":"
                "[{\"name\":\"public\",\"webhooks\":2},{\"name\":\"government\",\"webhooks\":null}]}"),
        why));
    odp_holder_set_take(&h->w->site, site);
}

static inline int hooks_setup(void **state)
{
    char why[ODP_WHY] = "";
    struct hooks *h = calloc(1, sizeof *h);
    assert_non_null(h);
    fixture_open(&h->f);
    if (odp_webhooks_new(&h->w, &h->f.s, why) != ODP_OK)
        fail_msg("odp_webhooks_new: %s %s", why, odp_failure_text());
    hooks_site(h);
    h->f.s.web->webhooks = h->w;
    *state = h;
    return 0;
}

static inline int hooks_teardown(void **state)
{
    struct hooks *h = *state;
    h->f.s.web->webhooks = NULL;
    odp_webhooks_free(h->w);
    fx_release(&h->fx);
    fixture_close(&h->f);
    free(h);
    return 0;
}

/* METHOD of /v1/webhooks and what follows it (TAIL; "{}" is the id of the last one made), with the last key.
 */
static inline int hooks_call(struct hooks *h, const char *method, const char *tail, const char *body)
{
    char target[512];
    const char *at = strstr(tail, "{}");
    if (at != NULL)
        snprintf(target, sizeof target, "/v1/webhooks%.*s%s%s", (int)(at - tail), tail, h->id, at + 2);
    else
        snprintf(target, sizeof target, "/v1/webhooks%s", tail);
    return fixture_call(&h->f, method, target, body, h->f.key);
}

static inline void calls(struct hooks *h, int status, const char *method, const char *tail, const char *body)
{
    int have = hooks_call(h, method, tail, body);
    if (have != status)
        fail_msg("%s %s %s: %d, not %d\n%s", method, tail, body != NULL ? body : "", have, status,
                 odp_buffer_cstr(&h->f.a.body));
}

/* Makes one of MEMBERS (JSON members, or NULL); its id and secret stay. */
static inline void hooks_make(struct hooks *h, const char *members)
{
    char body[1024];
    snprintf(body, sizeof body, "{\"url\":\"" HOOK_URL "\",\"events\":[\"dataset.version.published\"]%s%s}",
             members != NULL ? "," : "", members != NULL ? members : "");
    if (hooks_call(h, "POST", "", body) != 201)
        fail_msg("%s", odp_buffer_cstr(&h->f.a.body));
    snprintf(h->id, sizeof h->id, "%s", fixture_text(&h->f, "id"));
    snprintf(h->secret, sizeof h->secret, "%s", fixture_text(&h->f, "secret"));
}

static inline int64_t hooks_number(struct hooks *h, const char *sql)
{
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_prepare_v2(h->f.s.db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static inline void counts(struct hooks *h, int64_t n, const char *sql)
{
    int64_t have = hooks_number(h, sql);
    if (have != n)
        fail_msg("%s: %lld, not %lld", sql, (long long)have, (long long)n);
}

/* The first column of the first row, "" without rows. */
static inline const char *hooks_text(struct hooks *h, const char *sql, char *out, size_t cap)
{
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_prepare_v2(h->f.s.db, sql, -1, &st, NULL), SQLITE_OK);
    out[0] = '\0';
    if (sqlite3_step(st) == SQLITE_ROW)
        odp_store_text(st, 0, out, cap);
    sqlite3_finalize(st);
    return out;
}

static inline void hooks_sql(struct hooks *h, const char *sql)
{
    char *why = NULL;
    if (sqlite3_exec(h->f.s.db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
}

/* The challenge as the newest message asks it: what the address reads. */
static inline const char *hooks_challenge(struct hooks *h, char out[64])
{
    return hooks_text(
        h,
        "SELECT json_extract(m.body, '$.data.challenge') FROM webhook_delivery d JOIN webhook_message m ON "
        "m.id = d.message"
        " WHERE m.type = 'webhook.challenge' AND d.state = 'pending' ORDER BY d.id DESC LIMIT 1",
        out, 64);
}

static inline void hooks_confirm(struct hooks *h)
{
    char challenge[64], body[128];
    snprintf(body, sizeof body, "{\"challenge\":\"%s\"}", hooks_challenge(h, challenge));
    if (hooks_call(h, "POST", "/{}/confirm", body) != 200)
        fail_msg("%s", odp_buffer_cstr(&h->f.a.body));
    assert_string_equal(fixture_text(&h->f, "state"), "active");
}
