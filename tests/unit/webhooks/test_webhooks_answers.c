/* /v1/webhooks, and operators' commands on subscriptions, as scripts: answers/api*.txt, answers/admin.txt.
 * Beside the lines of gateway_answers_fixture.h one is
 *
 *   METHOD [TAIL] [BODY]   of /v1/webhooks and what follows it, with the last key
 *   repeat N LINE          such a call N times; the last answer
 *   fresh                  another gateway, empty
 *   make [MEMBERS]         a subscription
 *   name WORD              {WORD} is the id of the last one
 *   confirm, remember      its address answers the challenge; the challenge is {old}
 *   operator STATE         an operator pauses it, or makes it active
 *   service STATE          gone: commands run alone; bare: one without webhooks runs; back
 *
 * "/{}" is the last one's id after a slash, {challenge} the last challenge that was sent. */
#include "gateway_answers_fixture.h"
#include "gateway_webhook_fixture.h"

struct script {
    struct play p;
    void *state; /* struct hooks */
    struct odp_web *web;
};

static void set_words(struct script *s)
{
    struct hooks *h = s->state;
    char text[64];
    s->p.f = &h->f;
    snprintf(text, sizeof text, "/%s", h->id);
    play_set(&s->p, "/{}", text);
    play_set(&s->p, "{challenge}", hooks_challenge(h, text));
}

static void call(struct script *s, const char *line, struct odp_buffer *out)
{
    struct hooks *h = s->state;
    struct odp_buffer filled;
    play_fill(&s->p, line, &filled);
    char *text = strdup(odp_buffer_cstr(&filled)), *rest = text, *method = play_next(&rest);
    char *tail = *rest == '/' || *rest == '?' ? play_next(&rest) : (char[]){""};
    int status = hooks_call(h, method, tail, *rest != '\0' ? rest : NULL);
    if (status == 201 &&
        json_object_get(json_array_get(json_object_get(h->f.doc, "data"), 0), "secret") != NULL)
        snprintf(h->id, sizeof h->id, "%s", fixture_text(&h->f, "id"));
    play_answer(out, &h->f);
    free(text);
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

static void serve(struct script *s, const char *how)
{
    struct hooks *h = s->state;
    s->web = h->f.s.web != NULL ? h->f.s.web : s->web;
    s->web->webhooks = strcmp(how, "bare") == 0 ? NULL : h->w;
    h->f.s.web = strcmp(how, "gone") == 0 ? NULL : s->web;
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct script *s = ctx;
    struct hooks *h = s->state;
    char word[64];
    size_t n = strcspn(question.ptr, " ");
    const char *rest = question.ptr + n + (question.ptr[n] == ' ');
    struct odp_slice verb = {question.ptr, n};
    set_words(s);
    if (question.ptr[0] >= 'A' && question.ptr[0] <= 'Z') {
        call(s, question.ptr, out);
    } else if (odp_slice_is(verb, "repeat")) {
        char *line;
        for (long times = strtol(rest, &line, 10); times > 0; times--) {
            odp_buffer_clear(out);
            call(s, line + 1, out);
        }
    } else if (odp_slice_is(verb, "fresh")) {
        hooks_teardown(&s->state);
        hooks_setup(&s->state);
    } else if (odp_slice_is(verb, "make")) {
        hooks_make(h, *rest != '\0' ? rest : NULL);
    } else if (odp_slice_is(verb, "name")) {
        snprintf(word, sizeof word, "{%s}", rest);
        play_set(&s->p, word, h->id);
    } else if (odp_slice_is(verb, "confirm")) {
        hooks_confirm(h);
    } else if (odp_slice_is(verb, "remember")) {
        play_set(&s->p, "{old}", hooks_challenge(h, word));
    } else if (odp_slice_is(verb, "operator")) {
        operate(h, rest, out);
    } else if (odp_slice_is(verb, "service")) {
        serve(s, rest);
    } else {
        play_line(&s->p, question.ptr, out);
    }
}

static void play(const char *name)
{
    struct script s = {0};
    hooks_setup(&s.state);
    answer_lines(name, answer, &s);
    hooks_teardown(&s.state);
}

TEST(acts)
{
    play("webhooks/answers/api.txt");
}

TEST(bodies)
{
    play("webhooks/answers/api_bodies.txt");
}

TEST(deliveries)
{
    play("webhooks/answers/api_deliveries.txt");
}

TEST(limits)
{
    play("webhooks/answers/limits.txt");
}

TEST(admin)
{
    play("webhooks/answers/admin.txt");
}
