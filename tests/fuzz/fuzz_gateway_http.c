/* Calls of the gateway's service (gateway_calls.h). "\x01" in a call is a key that is known, "\x02" one that
 * never was, "\x03" the id of a webhook of the known key. */
#include <sys/stat.h>

#include "base/utf8.h"
#include "gateway_calls.h"
#include "service/accounts/keys.h"
#include "service/webhooks/webhooks.h"

enum { KEYS_MAX = 5000, STEP = 600 };
static struct odp_state state;
static struct odp_service_options options;
static char state_dir[80], known[ODP_KEY_LENGTH + 1], unknown[ODP_KEY_LENGTH + 1], hook[ODP_WEBHOOK_NAME];

static void close_state(void)
{
    if (state.table == NULL)
        return;
    odp_webhooks_free(state.web->webhooks);
    odp_web_free(state.web);
    state.web = NULL;
    odp_state_close(&state);
    memset(&state, 0, sizeof state);
    NEED(odp_dir_remove(state_dir) == ODP_OK);
}

/* A webhook of the known key; nothing is sent, since no thread runs. */
static void open_webhooks(void)
{
    char why[ODP_WHY] = "";
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_key_info key;
    enum odp_problem problem;
    static const struct odp_webhook_change change = {.url = ODP_LIT("https://hooks.example.org/in"),
                                                     .events = ODP_LIT("release.published")};
    NEED(odp_webhooks_new(&state.web->webhooks, &state, why) == ODP_OK);
    NEED(odp_key_digest(odp_slice_of(known), digest) == ODP_OK);
    NEED(odp_keys_info(&state, digest, 1710468000, &key, &problem) == ODP_OK);
    struct odp_webhook_act o = {.actor = "api", .now_ms = 1710468000000, .key = &key, .change = &change};
    NEED(odp_webhook_create(state.web->webhooks, &o) == ODP_OK);
    memcpy(hook, o.made, sizeof o.made);
}

static void open_state(void)
{
    static const struct odp_settings settings = {
        .tiers = {{"public", 1000, 5, 2}, {"registered", -1, 0, 0}},
        .ntiers = 2,
        .zone_minutes = 420,
        .base_url = "https://data.example.go.id/",
    };
    const struct odp_registration r = {ODP_LIT("Sari"), ODP_LIT("sari@example.org"), {"", 0}, {"", 0}};
    struct odp_issued k;
    char why[ODP_WHY] = "";
    snprintf(state_dir, sizeof state_dir, "%s", fuzz_folder("state"));
    NEED(chmod(state_dir, 0700) == 0);
    options = (struct odp_service_options){.state_dir = state_dir, .grace = 3600, .machine = "fuzz"};
    NEED(odp_state_open(&state, &options, why) == ODP_OK);
    odp_keytable_set_settings(state.table, &settings);
    state.settings = settings;
    state.writer = true;
    NEED(odp_web_new(&state.web) == ODP_OK);
    NEED(odp_keys_register(&state, &(struct odp_order){.actor = "api", .now = 1710468000}, &r, &k) == ODP_OK);
    memcpy(known, k.key, sizeof known);
    NEED(odp_key_make(unknown) == ODP_OK);
    open_webhooks();
}

static bool has_hook(void)
{
    struct odp_webhook h;
    struct odp_arena a;
    enum odp_problem problem;
    odp_arena_init(&a);
    bool found = odp_webhook_find(state.web->webhooks, hook, 0, &h, &a, &problem) == ODP_OK;
    odp_arena_release(&a);
    return found;
}

/* Whatever was typed, a page has one title, one heading, no script, and is UTF-8. */
static void check_page(struct odp_answer *a)
{
    const char *page = odp_buffer_cstr(&a->body), *heading = strstr(page, "<h1>");
    NEED(odp_utf8_valid(odp_buffer_slice(&a->body)) == a->body.len && strlen(page) == a->body.len);
    NEED(heading != NULL && strstr(heading + 1, "<h1>") == NULL && strstr(page, "<script") == NULL);
}

static void run(struct odp_slice text, int64_t now)
{
    char path[8192];
    struct odp_call c = {.now = now, .actor = "command:fuzz"};
    struct odp_answer a;
    if (!call_read(text, &c, path))
        return;
    c.raw_path = (struct odp_slice){NULL, 0};
    /* Looking for who asked for a recovery runs a command each time: only where that is what is tried. */
    options.sendmail = odp_slice_is(c.path, "/auth/recover") ? "/bin/true" : NULL;
    call_answer(&state, &c, &a);
    if (strstr(a.content_type, "text/html") != NULL && a.body.len > 0)
        check_page(&a);
    odp_answer_release(&a);
}

/* The known key was revoked or rotated, its webhook deleted, or there are very many keys by now. */
static bool worn(int64_t now)
{
    struct odp_grant g;
    uint8_t digest[ODP_SHA256_SIZE];
    if (odp_keytable_count(state.table) > KEYS_MAX || odp_key_digest(odp_slice_of(known), digest) != ODP_OK ||
        !has_hook())
        return true;
    enum odp_verdict v = odp_quota_look(state.table, &state.settings, digest, now * 1000, &g);
    return v != ODP_PASS && v != ODP_BURST_EXCEEDED && v != ODP_QUOTA_EXCEEDED;
}

void fuzz_one(struct odp_slice in)
{
    static int64_t now = 1710468000;
    static bool registered;
    struct odp_buffer text = {0};
    if (state.table != NULL && worn(now))
        close_state();
    if (state.table == NULL)
        open_state();
    if (!registered)
        registered = atexit(close_state) == 0;
    now += STEP;
    fuzz_fill_in(in, (const char *const[]){known, unknown, hook, NULL}, &text);
    struct odp_slice rest = odp_buffer_slice(&text);
    for (int i = 0; i < CALLS && rest.len > 0; i++)
        run(fuzz_cut(&rest, ODP_LIT("\n--\n")), now);
    odp_buffer_release(&text);
}
