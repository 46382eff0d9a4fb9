/* Answers of endpoints: problems, envelopes, texts in the caller's language; and what a call says of its
 * body. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/line.h"
#include "service/http/http.h"
#include "service/http/text.h"

enum { HEADERS_MORE = 512 }; /* bytes: more than dispatch.c adds */

void odp_answer_init(struct odp_answer *a)
{
    *a = (struct odp_answer){.status = 500, .content_type = "application/json; charset=utf-8", .problem = -1};
}

void odp_answer_release(struct odp_answer *a)
{
    if (a->body.ptr != NULL)
        explicit_bzero(a->body.ptr, a->body.cap);
    odp_buffer_release(&a->headers);
    odp_buffer_release(&a->body);
}

void odp_answer_header(struct odp_answer *a, const char *name, const char *value)
{
    odp_buffer_add_str(&a->headers, name);
    odp_buffer_add_str(&a->headers, ": ");
    for (; *value != '\0'; value++)
        if ((unsigned char)*value >= 0x20 && *value != 0x7f)
            odp_buffer_add_char(&a->headers, *value);
    odp_buffer_add_char(&a->headers, '\n');
}

enum odp_status odp_answer_whole(struct odp_answer *a)
{
    if (odp_buffer_reserve(&a->headers, HEADERS_MORE) == NULL || odp_buffer_status(&a->body) != ODP_OK)
        return odp_failure_set("answer", NULL, 0);
    return ODP_OK;
}

static int add_json(const char *bytes, size_t n, void *b)
{
    odp_buffer_add(b, bytes, n);
    return ((struct odp_buffer *)b)->failed ? -1 : 0;
}

enum odp_status odp_answer_data_take(struct odp_answer *a, int status, json_t *row)
{
    if (row == NULL)
        return odp_failure_set("answer", NULL, 0);
    a->status = status;
    odp_buffer_reset(&a->body);
    /* Reserved at once: growing would leave copies of a key in freed memory. */
    char *room = odp_buffer_reserve(&a->body, ODP_BODY_MAX);
    odp_buffer_add_str(&a->body, "{\"data\":[");
    int e = room == NULL ? -1 : json_dump_callback(row, add_json, &a->body, JSON_COMPACT);
    json_decref(row);
    odp_buffer_add_str(&a->body, "],\"status\":\"success\"}\n");
    return e == 0 ? odp_answer_whole(a) : odp_failure_set("answer", NULL, 0);
}

void odp_http_settings(const struct odp_state *s, struct odp_settings *out)
{
    if (s->table != NULL)
        odp_keytable_settings(s->table, out);
    else
        *out = (struct odp_settings){0};
}

int64_t odp_call_ms(const struct odp_call *c)
{
    return c->now_ms != 0 ? c->now_ms : c->now * 1000;
}

const char *odp_say(const struct odp_call *c, const char *id, const char *en)
{
    return c->lang == ODP_LANG_EN ? en : id;
}

size_t odp_say_names(char *out, size_t used, size_t cap, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n && used < cap; i++)
        used += (size_t)snprintf(out + used, cap - used, "%s%s", i > 0 ? ", " : "", names[i]);
    return used < cap ? used : cap - 1;
}

void odp_say_with(char *out, size_t cap, const char *text, const char *arg0, const char *arg1,
                  const char *arg2)
{
    const char *const args[] = {arg0, arg1, arg2};
    size_t n = 0;
    out[0] = '\0';
    while (*text != '\0' && n + 1 < cap) {
        if (text[0] == '{' && text[1] >= '0' && text[1] <= '2' && text[2] == '}') {
            n += (size_t)snprintf(out + n, cap - n, "%s", args[text[1] - '0']);
            text += 3;
        } else {
            out[n++] = *text++;
            out[n] = '\0';
        }
    }
}

void odp_answer_problem_more(struct odp_answer *a, enum odp_problem p, const char *more, const char *detail)
{
    struct odp_settings settings;
    odp_http_settings(a->s, &settings);
    a->status = odp_problem_info(p)->status;
    a->content_type = "application/problem+json";
    a->problem = (int)p;
    odp_buffer_reset(&a->body);
    odp_problem_write(&a->body, p, a->c->lang, settings.base_url, detail, more);
    char room[ODP_CHALLENGE_MAX];
    const char *challenge = odp_problem_challenge(p, room);
    if (challenge != NULL)
        odp_answer_header(a, "WWW-Authenticate", challenge);
    odp_answer_header(a, "Cache-Control", "no-store");
    odp_answer_header(a, "Content-Language", a->c->lang == ODP_LANG_EN ? "en" : "id");
}

static void more_of(enum odp_problem p, const char *field, struct odp_buffer *more)
{
    if (field != NULL) {
        odp_json_add_str(more, "\"field\":", field);
    } else if (p == ODP_PROBLEM_QUOTA_EXCEEDED) {
        odp_buffer_add_str(more, "\"violated-policies\":[\"daily\"]");
    } else if (p == ODP_PROBLEM_BURST_EXCEEDED) {
        odp_buffer_add_str(more, "\"violated-policies\":[\"burst\"]");
    }
}

void odp_answer_problem(struct odp_answer *a, enum odp_problem p, const char *field, const char *detail)
{
    struct odp_buffer more = {0};
    more_of(p, field, &more);
    odp_answer_problem_more(a, p, more.len > 0 ? odp_buffer_cstr(&more) : NULL, detail);
    odp_buffer_release(&more);
}

void odp_answer_wait(struct odp_answer *a, enum odp_problem p, int64_t seconds)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%lld", (long long)(seconds > 0 ? seconds : 1));
    odp_answer_header(a, "Retry-After", text);
    odp_answer_problem(a, p, NULL, NULL);
}

/* The charset parameter, if there is one, is UTF-8. */
static bool charset_ok(struct odp_slice parameters)
{
    while (parameters.len > 0) {
        struct odp_slice one = odp_slice_trim(odp_slice_cut(&parameters, ';'));
        if (one.len < 8 || !odp_slice_is_nocase((struct odp_slice){one.ptr, 8}, "charset="))
            continue;
        struct odp_slice value = {one.ptr + 8, one.len - 8};
        if (!odp_slice_is_nocase(value, "utf-8") && !odp_slice_is_nocase(value, "\"utf-8\""))
            return false;
    }
    return true;
}

static bool type_is(struct odp_slice content_type, const char *type)
{
    struct odp_slice its = odp_slice_trim(odp_slice_cut(&content_type, ';'));
    return odp_slice_is_nocase(its, type) && charset_ok(content_type);
}

bool odp_http_is_json(const struct odp_call *c)
{
    return type_is(c->content_type, "application/json");
}

/* "curl -d {…}" without a Content-Type says that it is a form: whoever sends JSON wants to read it, in JSON.
 * No browser writes a brace as it is. */
bool odp_http_is_form(const struct odp_call *c)
{
    struct odp_slice body = odp_slice_trim(c->body);
    bool json = body.len > 0 && (*body.ptr == '{' || *body.ptr == '[');
    return !json && type_is(c->content_type, "application/x-www-form-urlencoded");
}

size_t odp_query_body_max(const struct odp_state *s)
{
    return s->options != NULL && s->options->query_size > 0 ? (size_t)s->options->query_size
                                                            : ODP_QUERY_BODY_MAX;
}
