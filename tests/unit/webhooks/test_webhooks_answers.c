/* /v1/webhooks as scripts: answers/api*.txt have calls and their answers. A line is
 *
 *   METHOD [TAIL] [BODY]   of /v1/webhooks and what follows it, with the last key. {} is the id of the last
 *                          subscription, {challenge} the last one its address got, {old} the remembered one,
 *                          {key} the key
 *   fresh                  another gateway, empty
 *   register EMAIL         another account, whose key counts from now on
 *   make [MEMBERS]         a subscription
 *   confirm, remember      its address answers the challenge; the challenge is {old}
 *   operator STATE         an operator pauses it, or makes it active
 *   later SECONDS, language LANG
 *   sql STATEMENT, ask QUERY
 *
 * Names, keys and secrets are random, and left out of answers. */
#include "answer_lines.h"
#include "gateway_webhook_fixture.h"

struct script {
    void *state; /* struct hooks */
    char old[64];
};

static const char alphanumeric[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/=";

/* TEXT with what is random after one of these heads left out. */
static void add_masked(struct odp_buffer *out, const char *text)
{
    static const char *const heads[] = {"wh_", "msg_", "whsec_", "odp_live_"};
    while (*text != '\0') {
        size_t head = 0;
        for (size_t i = 0; i < 4 && head == 0; i++)
            if (strncmp(text, heads[i], strlen(heads[i])) == 0)
                head = strlen(heads[i]);
        odp_buffer_add(out, text, head > 0 ? head : 1);
        text += head > 0 ? head : 1;
        size_t random = head > 0 ? strspn(text, alphanumeric) : 0;
        if (random >= 20 && strncmp(text, "0000", 4) != 0) {
            odp_buffer_add_str(out, "…");
            text += random;
        }
    }
}

static void add_filled(struct odp_buffer *out, struct script *s, const char *text)
{
    struct hooks *h = s->state;
    char challenge[64], id[ODP_WEBHOOK_NAME + 1];
    (void)snprintf(id, sizeof id, "/%s", h->id);
    const struct {
        const char *name, *value;
    } words[] = {
        {"/{}", id}, {"{challenge}", hooks_challenge(h, challenge)}, {"{old}", s->old}, {"{key}", h->f.key}};
    while (*text != '\0') {
        size_t i = 0;
        while (i < 4 && strncmp(text, words[i].name, strlen(words[i].name)) != 0)
            i++;
        odp_buffer_add(out, i < 4 ? words[i].value : text, i < 4 ? strlen(words[i].value) : 1);
        text += i < 4 ? strlen(words[i].name) : 1;
    }
}

static void add_headers(struct odp_buffer *out, struct hooks *h)
{
    static const char *const names[] = {"Retry-After", "Location", "Link", "Allow", "Cache-Control"};
    char value[512];
    for (size_t i = 0; i < 5; i++)
        if (fixture_header(&h->f, names[i], value)[0] != '\0')
            odp_buffer_printf(out, "%s: %s\n", names[i], value);
}

/* A row a line; of a problem what is not the same in all of its kind. */
static void add_answer(struct odp_buffer *out, struct hooks *h)
{
    static const char *const general[] = {"type", "title", "status", "code", "instance"};
    const char *code = fixture_problem(&h->f, "code");
    odp_buffer_printf(out, *code != '\0' ? "%d %s\n" : "%d\n", h->f.a.status, code);
    add_headers(out, h);
    for (size_t i = 0; i < 5; i++)
        (void)json_object_del(h->f.doc, general[i]);
    const char *body = odp_buffer_cstr(&h->f.a.body);
    char *rest = json_dumps(h->f.doc, JSON_COMPACT);
    odp_buffer_add_str(out, h->f.a.status < 400 ? body : rest);
    free(rest);
}

static void call(struct script *s, const char *line, struct odp_buffer *out)
{
    struct hooks *h = s->state;
    struct odp_buffer filled, answer;
    char method[16], tail[256];
    odp_buffer_init(&filled);
    odp_buffer_init(&answer);
    size_t n = strcspn(line, " ");
    (void)snprintf(method, sizeof method, "%.*s", (int)n, line);
    line += n + (line[n] == ' ');
    add_filled(&filled, s, line);
    const char *text = odp_buffer_cstr(&filled);
    n = *text == '/' || *text == '?' ? strcspn(text, " ") : 0;
    (void)snprintf(tail, sizeof tail, "%.*s", (int)n, text);
    text += n + (text[n] == ' ');
    (void)hooks_call(h, method, tail, *text != '\0' ? text : NULL);
    add_answer(&answer, h);
    add_masked(out, odp_buffer_cstr(&answer));
    odp_buffer_release(&answer);
    odp_buffer_release(&filled);
}

static void operate(struct hooks *h, const char *state, struct odp_buffer *out)
{
    const struct odp_webhook_change change = {.state = state};
    struct odp_webhook_act o = {
        .name = h->id, .actor = "command:adi", .now_ms = FIXTURE_NOW * 1000LL, .change = &change};
    must(odp_webhook_change(h->w, &o));
    odp_buffer_add_str(out, "done");
}

static void ask(struct hooks *h, const char *query, struct odp_buffer *out)
{
    char text[2048];
    add_masked(out, hooks_text(h, query, text, sizeof text));
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct script *s = ctx;
    struct hooks *h = s->state;
    size_t n = strcspn(question.ptr, " ");
    const char *rest = question.ptr + n + (question.ptr[n] == ' ');
    struct odp_slice verb = {question.ptr, n};
    if (odp_slice_is(verb, "fresh")) {
        hooks_teardown(&s->state);
        hooks_setup(&s->state);
    } else if (odp_slice_is(verb, "register")) {
        fixture_register(&h->f, rest);
    } else if (odp_slice_is(verb, "make")) {
        hooks_make(h, *rest != '\0' ? rest : NULL);
    } else if (odp_slice_is(verb, "confirm")) {
        hooks_confirm(h);
    } else if (odp_slice_is(verb, "remember")) {
        hooks_challenge(h, s->old);
    } else if (odp_slice_is(verb, "operator")) {
        operate(h, rest, out);
    } else if (odp_slice_is(verb, "later")) {
        h->f.call.now += strtol(rest, NULL, 10);
    } else if (odp_slice_is(verb, "language")) {
        h->f.call.accept_language = odp_slice_is(odp_slice_of(rest), "id") ? ODP_LIT("id") : ODP_LIT("en");
    } else if (odp_slice_is(verb, "sql")) {
        hooks_sql(h, rest);
    } else if (odp_slice_is(verb, "ask")) {
        ask(h, rest, out);
    } else {
        call(s, question.ptr, out);
    }
}

static void play(const char *name)
{
    struct script s = {0};
    hooks_setup(&s.state);
    answer_lines(name, answer, &s);
    hooks_teardown(&s.state);
}

static void test_acts(void **state)
{
    play("webhooks/answers/api.txt");
}

static void test_bodies(void **state)
{
    play("webhooks/answers/api_bodies.txt");
}

static void test_deliveries(void **state)
{
    play("webhooks/answers/api_deliveries.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_acts), cmocka_unit_test(test_bodies),
                                       cmocka_unit_test(test_deliveries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
