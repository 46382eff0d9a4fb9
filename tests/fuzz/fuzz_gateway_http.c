/* A call of the gateway's service as lines of text, several of them divided by "\n--\n": METHOD TARGET, then
 * headers, an empty line, the body.
 * "\x01" in it is a key that is known, "\x02" one that never was, "\x03" the id of a webhook of the known
 * key. Every body that says JSON must be JSON, every header must be one line, and no call may make the
 * service fail (500). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "service/accounts/keys.h"
#include "service/dispatch.h"
#include "service/http/http.h"
#include "service/http/text.h"
#include "service/http/web.h"
#include "service/webhooks/webhooks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CALLS = 8, KEYS_MAX = 5000, STEP = 600 };
static struct odp_state state;
static struct odp_service_options options;
static char folder[64], state_dir[80], known[ODP_KEY_LENGTH + 1], unknown[ODP_KEY_LENGTH + 1],
    hook[ODP_WEBHOOK_NAME];

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s: %s\n", what, odp_failure_text());
    abort();
}

static void close_state(void)
{
    if (state.table == NULL)
        return;
    odp_webhooks_free(state.web->webhooks);
    odp_web_free(state.web);
    state.web = NULL;
    odp_state_close(&state);
    memset(&state, 0, sizeof state);
    check(odp_dir_remove(folder) == ODP_OK, "remove");
}

/* A webhook of the known key; nothing is sent, since no thread runs. */
static void open_webhooks(void)
{
    char why[ODP_WHY] = "";
    uint8_t digest[ODP_SHA256_SIZE];
    enum odp_problem problem;
    struct odp_key_info key;
    static const struct odp_webhook_change change = {.url = ODP_LIT("https://hooks.example.org/in"),
                                                     .events = ODP_LIT("release.published")};
    check(odp_webhooks_new(&state.web->webhooks, &state, why) == ODP_OK, why);
    check(odp_key_digest(odp_slice_of(known), digest) == ODP_OK, "digest");
    check(odp_keys_info(&state, digest, 1710468000, &key, &problem) == ODP_OK, "key");
    struct odp_webhook_act o = {.actor = "api", .now_ms = 1710468000000, .key = &key, .change = &change};
    check(odp_webhook_create(state.web->webhooks, &o) == ODP_OK, "webhook");
    memcpy(hook, o.made, sizeof o.made);
}

static void open_state(void)
{
    char why[ODP_WHY] = "";
    static const struct odp_settings settings = {.tiers = {{"public", 1000, 5, 2}, {"registered", -1, 0, 0}},
                                                 .ntiers = 2,
                                                 .zone_minutes = 420,
                                                 .base_url = "https://data.example.go.id/"};
    snprintf(folder, sizeof folder, "%s/odp-fuzz-http-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    check(mkdtemp(folder) != NULL, "mkdtemp");
    snprintf(state_dir, sizeof state_dir, "%s/state", folder);
    check(mkdir(state_dir, 0700) == 0, "mkdir");
    options = (struct odp_service_options){
        .state_dir = state_dir, .registrations = 0, .grace = 3600, .machine = "fuzz"};
    check(odp_state_open(&state, &options, why) == ODP_OK, why);
    odp_keytable_set_settings(state.table, &settings);
    state.settings = settings;
    state.writer = true;
    check(odp_web_new(&state.web) == ODP_OK, "web");
    struct odp_registration r = {ODP_LIT("Sari"), ODP_LIT("sari@example.org"), {"", 0}, {"", 0}};
    struct odp_issued k;
    check(odp_keys_register(&state, &(struct odp_order){.actor = "api", .now = 1710468000}, &r, &k) == ODP_OK,
          "register");
    memcpy(known, k.key, sizeof known);
    check(odp_key_make(unknown) == ODP_OK, "key");
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

/* The next line of TEXT, taken off it. */
static struct odp_slice line_of(struct odp_slice *text)
{
    const char *end = text->len > 0 ? memchr(text->ptr, '\n', text->len) : NULL;
    struct odp_slice line = {text->ptr, end != NULL ? (size_t)(end - text->ptr) : text->len};
    size_t taken = line.len + (end != NULL);
    text->ptr += taken;
    text->len -= taken;
    return line;
}

static struct odp_slice word_of(struct odp_slice *line, char end)
{
    const char *at = line->len > 0 ? memchr(line->ptr, end, line->len) : NULL;
    struct odp_slice word = {line->ptr, at != NULL ? (size_t)(at - line->ptr) : line->len};
    size_t taken = word.len + (at != NULL);
    line->ptr += taken;
    line->len -= taken;
    return word;
}

static void read_header(struct odp_call *c, struct odp_slice line)
{
    struct odp_slice name = word_of(&line, ':');
    struct odp_slice value = odp_slice_trim(line);
    struct {
        const char *name;
        struct odp_slice *at;
    } known_headers[] = {{"Authorization", &c->authorization},
                         {"Content-Type", &c->content_type},
                         {"Accept-Language", &c->accept_language},
                         {"X-Odp-Client", &c->client},
                         {"X-Odp-Client-Kind", &c->client_kind},
                         {"X-Original-URI", &c->original_uri},
                         {"X-Original-Method", &c->original_method},
                         {"X-Forwarded-Uri", &c->forwarded_uri},
                         {"X-Forwarded-Method", &c->forwarded_method},
                         {"X-Odp-Code", &c->problem_code},
                         {"X-Odp-Retry-After", &c->problem_retry},
                         {"X-Odp-RateLimit", &c->problem_limit},
                         {"X-Odp-RateLimit-Policy", &c->problem_policy},
                         {"Accept", &c->accept},
                         {"Host", &c->host},
                         {"Origin", &c->origin},
                         {"Sec-Fetch-Site", &c->fetch_site}};
    for (size_t i = 0; i < sizeof known_headers / sizeof known_headers[0]; i++)
        if (odp_slice_is_nocase(name, known_headers[i].name)) {
            c->ambiguous = c->ambiguous || known_headers[i].at->len > 0;
            *known_headers[i].at = value;
        }
    if (odp_slice_is_nocase(name, "Door") && value.len == 1)
        c->door = value.ptr[0] == 'c'   ? ODP_DOOR_CONTROL
                  : value.ptr[0] == 'm' ? ODP_DOOR_METRICS
                                        : ODP_DOOR_AUTH;
}

static void check_headers(struct odp_slice headers)
{
    while (headers.len > 0) {
        struct odp_slice line = line_of(&headers), name = word_of(&line, ':');
        check(name.len > 0 && line.len > 0 && line.ptr[0] == ' ', "header");
        for (size_t i = 0; i < line.len; i++)
            check((unsigned char)line.ptr[i] >= 0x20 && line.ptr[i] != 0x7f, "header byte");
    }
}

static void run(struct odp_slice text, int64_t now)
{
    char path[8192];
    struct odp_slice line = line_of(&text);
    struct odp_call c = {.method = word_of(&line, ' '), .now = now, .actor = "command:fuzz"};
    struct odp_answer a;
    size_t n = 0;
    struct odp_slice target = word_of(&line, '?');
    if (target.len > sizeof path || !odp_percent_decode(target, path, &n))
        return;
    c.path = (struct odp_slice){path, n};
    c.query = line;
    for (line = line_of(&text); line.len > 0; line = line_of(&text))
        read_header(&c, line);
    c.body = text;
    /* Looking for who asked for a recovery runs a command each time: only where that is what is tried. */
    options.sendmail = odp_slice_is(c.path, "/auth/recover") ? "/bin/true" : NULL;
    odp_answer_init(&a);
    odp_http_answer(&state, &c, &a);
    check(a.status >= 200 && a.status < 600 && (a.status != 500 || c.door == ODP_DOOR_CONTROL), "status");
    check(odp_buffer_status(&a.body) == ODP_OK && odp_buffer_status(&a.headers) == ODP_OK, "buffers");
    check_headers(odp_buffer_slice(&a.headers));
    if (strstr(a.content_type, "json") != NULL && a.body.len > 0) {
        json_t *doc = json_loadb(a.body.ptr, a.body.len, JSON_REJECT_DUPLICATES, NULL);
        check(json_is_object(doc), "json");
        json_decref(doc);
    }
    if (strstr(a.content_type, "text/html") != NULL && a.body.len > 0) {
        /* Whatever was typed, a page has one title, one heading, no script, and is UTF-8. */
        const char *page = odp_buffer_cstr(&a.body), *heading = strstr(page, "<h1>");
        check(odp_utf8_valid(odp_buffer_slice(&a.body)) == a.body.len && strlen(page) == a.body.len, "page");
        check(heading != NULL && strstr(heading + 1, "<h1>") == NULL && strstr(page, "<script") == NULL,
              "page");
    }
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

/* DATA with keys and id put in, as calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int64_t now = 1710468000;
    struct odp_buffer text;
    if (state.table != NULL && worn(now))
        close_state();
    static bool registered;
    if (state.table == NULL)
        open_state();
    if (!registered)
        registered = atexit(close_state) == 0;
    now += STEP;
    odp_buffer_init(&text);
    for (size_t i = 0; i < size; i++) {
        if (data[i] >= 1 && data[i] <= 3)
            odp_buffer_add_str(&text, data[i] == 1 ? known : data[i] == 2 ? unknown : hook);
        else
            odp_buffer_add_char(&text, (char)data[i]);
    }
    struct odp_slice rest = odp_buffer_slice(&text);
    for (int i = 0; i < CALLS && rest.len > 0; i++) {
        const char *cut = memmem(rest.ptr, rest.len, "\n--\n", 4);
        struct odp_slice one = {rest.ptr, cut != NULL ? (size_t)(cut - rest.ptr) : rest.len};
        size_t taken = one.len + (cut != NULL ? 4 : 0);
        rest.ptr += taken;
        rest.len -= taken;
        run(one, now);
    }
    odp_buffer_release(&text);
    return 0;
}
