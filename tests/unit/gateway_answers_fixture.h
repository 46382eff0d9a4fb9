/* Calls of a service as scripts (answer_lines.h). A line is
 *
 *   [as KEY] METHOD TARGET [BODY]   a call; TARGET may have a query, BODY is JSON
 *   form TARGET BODY                a form is sent; its answer is a page that no cache keeps and no site embeds
 *   says TEXT, header NAME          of the last answer: whether the page has TEXT; the value of a header
 *   admin COMMAND [MEMBERS]         of an operator; MEMBERS with ' for "
 *   times N LINE                    N times LINE; the last answer
 *   register EMAIL                  somebody else, whose key is {key} from now on
 *   keep NAME                       {NAME} is {key} from now on
 *   stranger                        {stranger} is a key that nobody has
 *   uses N                          N requests with {key}
 *   sendmail, mails                 the portal sends mail from now on; how many it has sent
 *   token PURPOSE                   {token} is the one in the last mail, a link for PURPOSE
 *   later SECONDS, language LANG, client ADDRESS, type MEDIA, accept MEDIA, origin ADDRESS, from SITE,
 *   authorization TEXT, door NAME, registrations N, daily N, replica WORD, and words of servers that ask
 *   ambiguous                       the call has a header twice
 *   guards URI                      what nginx and Caddy are answered who ask without a key whether it may be read
 *   site TEXT                       its gateway.json
 *   sql STATEMENT, ask QUERY        to the store; its first column
 *
 * A new key that an answer has is {key}; {3*ab} is "ababab". What is random is left out of answers. */
#pragma once

#include "answer_lines.h"
#include "gateway_http_fixture.h"
#include <openssl/evp.h>

#include "core/quota/quota.h"
#include "service/admin/admin.h"

struct play {
    struct fixture *f;
    struct {
        char name[32], value[300];
    } words[12];
};

/* ---- words ---- */

static inline void play_set(struct play *p, const char *name, const char *value)
{
    size_t i = 0;
    while (p->words[i].name[0] != '\0' && strcmp(p->words[i].name, name) != 0)
        i++;
    assert_true(i < ODP_COUNT(p->words));
    snprintf(p->words[i].name, sizeof p->words[i].name, "%.31s", name);
    snprintf(p->words[i].value, sizeof p->words[i].value, "%.299s", value);
}

/* The word, or the "{3*ab}", that TEXT begins with; its length in TEXT, 0: none. */
static inline size_t play_word(const struct play *p, const char *text, struct odp_buffer *out)
{
    int times = 0, from = 0, to = 0;
    if (sscanf(text, "{%d*%n%*[^}]%n", &times, &from, &to) == 1 && to > 0 && text[to] == '}') {
        for (int i = 0; i < times; i++)
            odp_buffer_add(out, text + from, (size_t)(to - from));
        return (size_t)to + 1;
    }
    for (size_t i = 0; i < ODP_COUNT(p->words) && p->words[i].name[0] != '\0'; i++) {
        size_t n = strlen(p->words[i].name);
        if (strncmp(text, p->words[i].name, n) == 0) {
            odp_buffer_add_str(out, p->words[i].value);
            return n;
        }
    }
    return 0;
}

static inline void play_fill(struct play *p, const char *text, struct odp_buffer *out)
{
    play_set(p, "{key}", p->f->key);
    odp_buffer_init(out);
    while (*text != '\0') {
        size_t n = play_word(p, text, out);
        if (n == 0)
            odp_buffer_add_char(out, *text);
        text += n > 0 ? n : 1;
    }
}

/* ---- answers ---- */

/* Bytes of a day without requests that TEXT begins with: thirty of them follow each other. */
static inline size_t play_idle_day(const char *text)
{
    static const char day[] = "{\"date\":\"2024-00-00", idle[] = "\",\"requests\":0}";
    bool is = strncmp(text, day, 9) == 0 && strncmp(text + sizeof day - 1, idle, sizeof idle - 1) == 0;
    size_t n = sizeof day + sizeof idle - 2;
    return !is ? 0 : text[n] == ',' ? n + 1 : n;
}

/* TEXT without such days, and with what is random after one of these heads left out. */
static inline void play_mask(struct odp_buffer *out, const char *text)
{
    static const char alphanumeric[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/=";
    static const char *const heads[] = {"wh_", "msg_", "whsec_", "odp_live_", "sha256-"};
    while (*text != '\0') {
        size_t head = play_idle_day(text);
        text += head;
        if (head > 0)
            continue;
        for (size_t i = 0; i < 5 && head == 0; i++)
            if (strncmp(text, heads[i], strlen(heads[i])) == 0)
                head = strlen(heads[i]);
        odp_buffer_add(out, text, head > 0 ? head : 1);
        text += head > 0 ? head : 1;
        size_t random = head > 0 ? strspn(text, alphanumeric) : 0;
        if (random == 5 || (random >= 20 && strncmp(text, "0000", 4) != 0)) {
            odp_buffer_add_str(out, random == 5 ? "5…" : "…");
            text += random;
        }
    }
}

/* How long a whole day's quota is waited for is not the same twice. */
static inline void play_headers(struct odp_buffer *out, struct fixture *f)
{
    static const char *const names[] = {
        "Retry-After",
        "Location",
        "Link",
        "Allow",
        "Access-Control-Allow-Methods",
        "Accept-Post",
        "Accept-Patch",
        "Cache-Control",
        "RateLimit",
        "RateLimit-Policy",
        "X-Odp-Key",
        "X-Odp-Tier",
        "WWW-Authenticate",
        "X-Odp-Status",
        "X-Odp-Code",
    };
    char value[512];
    for (size_t i = 0; i < ODP_COUNT(names); i++) {
        fixture_header(f, names[i], value);
        if (i == 0 && strtol(value, NULL, 10) >= 3600)
            odp_buffer_add_str(out, "Retry-After: hours\n");
        else if (value[0] != '\0')
            odp_buffer_printf(out, "%s: %s\n", names[i], value);
    }
}

/* Shows a problem without what all of its kind share, and a page not at all. */
static inline void play_answer(struct odp_buffer *out, struct fixture *f)
{
    static const char *const general[] = {"type", "title", "status", "code", "instance"};
    struct odp_buffer text = {0};
    const char *code = fixture_problem(f, "code");
    odp_buffer_printf(&text, *code != '\0' ? "%d %s\n" : "%d\n", f->a.status, code);
    play_headers(&text, f);
    for (size_t i = 0; i < 5; i++)
        (void)json_object_del(f->doc, general[i]);
    char *rest = json_dumps(f->doc, JSON_COMPACT);
    bool page = strncmp(f->a.content_type, "text/html", 9) == 0;
    if (!page)
        odp_buffer_add_str(&text, f->a.status < 400 ? odp_buffer_cstr(&f->a.body) : rest);
    free(rest);
    play_mask(out, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
}

static inline void play_take_key(struct fixture *f)
{
    for (const char *at = odp_buffer_cstr(&f->a.body); (at = strstr(at, ODP_KEY_PREFIX)) != NULL; at++)
        if (odp_key_ok((struct odp_slice){at, strnlen(at, ODP_KEY_LENGTH)})) {
            snprintf(f->key, sizeof f->key, "%.*s", ODP_KEY_LENGTH, at);
            return;
        }
}

/* ---- what lines do ---- */

/* The first word of *TEXT, which goes on after it. */
static inline char *play_next(char **text)
{
    char *word = strsep(text, " ");
    *text = *text != NULL ? *text : word + strlen(word);
    return word;
}

static inline void play_call(struct play *p, char *line, struct odp_buffer *out)
{
    const char *key = NULL, *method = play_next(&line);
    if (strcmp(method, "as") == 0) {
        key = play_next(&line);
        method = play_next(&line);
    }
    const char *target = play_next(&line);
    (void)fixture_call(p->f, method, target, *line != '\0' ? line : NULL, key);
    play_take_key(p->f);
    play_answer(out, p->f);
}

static inline void play_form(struct play *p, char *line, struct odp_buffer *out)
{
    struct fixture *f = p->f;
    struct odp_call c = f->call;
    char value[512], *target = play_next(&line), *query = target;
    c.method = ODP_LIT("POST");
    c.path = odp_slice_of(strsep(&query, "?"));
    c.query = odp_slice_of(query != NULL ? query : "");
    c.content_type = ODP_LIT("application/x-www-form-urlencoded");
    c.body = odp_slice_of(line);
    c.host = ODP_LIT("127.0.0.1:8080");
    (void)fixture_run(f, &c);
    assert_string_equal(f->a.content_type, "text/html; charset=utf-8");
    assert_string_equal(fixture_header(f, "Cache-Control", value), "no-store");
    assert_string_equal(fixture_header(f, "Referrer-Policy", value), "no-referrer");
    assert_string_equal(fixture_header(f, "Access-Control-Allow-Origin", value), "");
    play_take_key(f);
    odp_buffer_printf(out, "%d\n", f->a.status);
}

/* A row a line; what was refused: code, field, detail. */
static inline void play_admin(struct play *p, const char *line, struct odp_buffer *out)
{
    size_t n = strcspn(line, " "), i;
    char command[80];
    json_t *reply = NULL, *row;
    snprintf(command, sizeof command, "{'command':'%.*s'%s", (int)n, line, line[n] != '\0' ? "," : "");
    char *text = *line == '{' || *line == '[' ? quoted("", line, "") : quoted(command, line + n, "}");
    json_t *request = json_loads(text, 0, NULL);
    assert_non_null(request);
    free(text);
    enum odp_status st = odp_admin_run(&p->f->s, request, "command:sari", p->f->call.now, &reply);
    json_decref(request);
    if (st == ODP_BAD) {
        const char *field = json_string_value(json_object_get(reply, "field")),
                   *detail = json_string_value(json_object_get(reply, "detail"));
        odp_buffer_printf(out, "%s %s: %s\n", json_string_value(json_object_get(reply, "code")),
                          field != NULL ? field : "-", detail != NULL ? detail : "-");
        assert_string_equal(odp_failure_text(), "");
    }
    json_array_foreach(json_object_get(reply, "data"), i, row)
    {
        text = json_dumps(row, JSON_COMPACT);
        play_mask(out, text);
        odp_buffer_add_char(out, '\n');
        free(text);
    }
    text = json_dumps(json_object_get(reply, "meta"), JSON_COMPACT);
    if (text != NULL)
        odp_buffer_printf(out, "%s\n", text);
    free(text);
    row = json_object_get(json_array_get(json_object_get(reply, "data"), 0), "key");
    if (row != NULL && json_string_length(row) == ODP_KEY_LENGTH)
        snprintf(p->f->key, sizeof p->f->key, "%s", json_string_value(row));
    json_decref(reply);
}

static inline void play_guards(struct play *p, const char *uri, struct odp_buffer *out)
{
    struct odp_call nginx = p->f->call, caddy = nginx;
    nginx.path = caddy.path = ODP_LIT("/forward-auth");
    nginx.original_uri = caddy.forwarded_uri = odp_slice_of(uri);
    nginx.original_method = caddy.forwarded_method = ODP_LIT("GET");
    int status = fixture_run(p->f, &nginx);
    odp_buffer_printf(out, "%d %d\n", status, fixture_run(p->f, &caddy));
}

static inline void play_daily(struct play *p, int64_t daily)
{
    struct odp_settings settings = fixture_settings();
    settings.tiers[0].daily = daily;
    odp_keytable_set_settings(p->f->s.table, &settings);
}

static inline void play_uses(struct play *p, int n)
{
    struct odp_settings settings = fixture_settings();
    struct odp_grant g;
    uint8_t digest[ODP_SHA256_SIZE];
    must(odp_key_digest(odp_slice_of(p->f->key), digest));
    for (int i = 0; i < n; i++)
        assert_int_equal(
            odp_quota_take(p->f->s.table, &settings, digest, p->f->call.now * 1000 + i * 1000, &g), ODP_PASS);
    must(odp_state_flush(&p->f->s));
}

/* The body of the last mail, which is base64 behind an empty line. */
static inline void play_token(struct play *p, const char *purpose)
{
    char link[128], body[8192] = "", text[8192] = "";
    struct odp_buffer mails = {0};
    fixture_read(p->f->mails, &mails);
    const char *at = odp_buffer_cstr(&mails), *last = NULL;
    while ((at = strstr(at, "\n\n")) != NULL)
        last = at += 2;
    assert_non_null(last);
    size_t n = 0;
    for (; strncmp(last, "--end--", 7) != 0 && n < sizeof text - 4; last++)
        if (*last != '\n')
            text[n++] = *last;
    assert_true(EVP_DecodeBlock((unsigned char *)body, (const unsigned char *)text, (int)n) > 0);
    snprintf(link, sizeof link, "https://data.example.go.id/auth/%s?token=", purpose);
    at = strstr(body, link);
    assert_non_null(at);
    at += strlen(link);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "\n"), at);
    play_set(p, "{token}", text);
    odp_buffer_release(&mails);
}

static inline void play_mails(const struct play *p, struct odp_buffer *out)
{
    struct odp_buffer mails = {0};
    int n = 0;
    fixture_read(p->f->mails, &mails);
    for (const char *at = odp_buffer_cstr(&mails); (at = strstr(at, "--end--")) != NULL; at++)
        n++;
    odp_buffer_printf(out, "%d\n", n);
    odp_buffer_release(&mails);
}

static inline void play_sql(struct play *p, const char *sql, bool tell, struct odp_buffer *out)
{
    char text[2048] = "";
    struct odp_sql q = {.db = p->f->s.db};
    if (tell)
        (void)odp_sql_row(&q, sql, "", "t", text, sizeof text);
    else
        odp_sql_run(&q, sql, "");
    if (q.st != ODP_OK)
        fail_msg("%s: %s", sql, odp_failure_text());
    play_mask(out, text);
}

/* Words that the calls after this borrow. */
static inline bool play_call_word(struct play *p, const char *verb, const char *rest)
{
    static char texts[16][20100];
    struct odp_call *c = &p->f->call;
    const struct {
        const char *verb;
        struct odp_slice *word;
    } words[] = {
        {"original-uri", &c->original_uri},
        {"original-method", &c->original_method},
        {"forwarded-uri", &c->forwarded_uri},
        {"forwarded-method", &c->forwarded_method},
        {"client-kind", &c->client_kind},
        {"problem-code", &c->problem_code},
        {"problem-retry", &c->problem_retry},
        {"problem-limit", &c->problem_limit},
        {"language", &c->accept_language},
        {"client", &c->client},
        {"type", &c->content_type},
        {"accept", &c->accept},
        {"origin", &c->origin},
        {"from", &c->fetch_site},
        {"authorization", &c->authorization},
    };
    for (size_t i = 0; i < ODP_COUNT(words); i++)
        if (strcmp(words[i].verb, verb) == 0) {
            snprintf(texts[i], sizeof texts[i], "%s", rest);
            *words[i].word = odp_slice_of(texts[i]);
            return true;
        }
    return false;
}

static inline void play_line(struct play *p, const char *line, struct odp_buffer *out)
{
    struct fixture *f = p->f;
    struct odp_buffer filled;
    char value[512];
    play_fill(p, line, &filled);
    char *whole = strdup(odp_buffer_cstr(&filled)), *verb = strdup(whole), *space = strchr(verb, ' '),
         *rest = space != NULL ? space + 1 : verb + strlen(verb);
    if (space != NULL)
        *space = '\0';
    if (strcmp(verb, "times") == 0) {
        for (long n = strtol(rest, &rest, 10); n > 0; n--) {
            odp_buffer_clear(out);
            play_line(p, rest + 1, out);
        }
    } else if (strcmp(verb, "form") == 0) {
        play_form(p, rest, out);
    } else if (strcmp(verb, "says") == 0) {
        odp_buffer_add_str(out, strstr(odp_buffer_cstr(&f->a.body), rest) != NULL ? "yes" : "no");
    } else if (strcmp(verb, "header") == 0) {
        odp_buffer_printf(out, "%s\n", fixture_header(f, rest, value));
    } else if (strcmp(verb, "admin") == 0) {
        play_admin(p, rest, out);
    } else if (strcmp(verb, "register") == 0) {
        (void)fixture_register(f, rest);
    } else if (strcmp(verb, "keep") == 0) {
        snprintf(value, sizeof value, "{%s}", rest);
        play_set(p, value, f->key);
    } else if (strcmp(verb, "stranger") == 0) {
        must(odp_key_make(value));
        play_set(p, "{stranger}", value);
    } else if (strcmp(verb, "uses") == 0) {
        play_uses(p, (int)strtol(rest, NULL, 10));
    } else if (strcmp(verb, "sendmail") == 0) {
        fixture_sendmail(f);
        f->options.confirm_email = true;
    } else if (strcmp(verb, "site") == 0) {
        snprintf(value, sizeof value, "%s/gateway.json", f->state_dir);
        must(odp_file_put(value, odp_slice_of(rest), 0600, NULL));
    } else if (strcmp(verb, "mails") == 0) {
        play_mails(p, out);
    } else if (strcmp(verb, "token") == 0) {
        play_token(p, rest);
    } else if (strcmp(verb, "later") == 0) {
        f->call.now += strtol(rest, NULL, 10);
    } else if (strcmp(verb, "door") == 0) {
        f->call.door = strcmp(rest, "control") == 0 ? ODP_DOOR_CONTROL : ODP_DOOR_AUTH;
    } else if (strcmp(verb, "registrations") == 0) {
        f->options.registrations = strtol(rest, NULL, 10);
    } else if (strcmp(verb, "daily") == 0) {
        play_daily(p, strtol(rest, NULL, 10));
    } else if (strcmp(verb, "guards") == 0) {
        play_guards(p, rest, out);
    } else if (strcmp(verb, "ambiguous") == 0) {
        f->call.ambiguous = true;
    } else if (strcmp(verb, "replica") == 0) {
        f->s.writer = strcmp(rest, "no") == 0;
    } else if (strcmp(verb, "sql") == 0 || strcmp(verb, "ask") == 0) {
        play_sql(p, rest, verb[0] == 'a', out);
    } else if (strcmp(verb, "as") == 0 || (*verb >= 'A' && *verb <= 'Z')) {
        play_call(p, whole, out);
    } else if (!play_call_word(p, verb, rest)) {
        fail_msg("no such line: %s", line);
    }
    free(verb);
    free(whole);
    odp_buffer_release(&filled);
}
