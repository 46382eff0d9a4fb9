/* The pure part: from a call to an answer. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "core/page.h"
#include "service/http/http_internal.h"
#include "service/state/log.h"

enum { HEADERS_MORE = 512 }; /* bytes: more than odp_http_answer adds */

static const struct odp_endpoint endpoints[] = {
#define ODP_ENDPOINT(method, path, doors, writer, body, run) {method, path, doors, writer, body, run},
#include "service/http/endpoints.def"
#undef ODP_ENDPOINT
};

const struct odp_endpoint *odp_endpoints(size_t *n)
{
    *n = sizeof endpoints / sizeof endpoints[0];
    return endpoints;
}

void odp_answer_init(struct odp_answer *a)
{
    *a = (struct odp_answer){.status = 500, .content_type = "application/json; charset=utf-8", .problem = -1};
    odp_buffer_init(&a->headers);
    odp_buffer_init(&a->body);
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

void odp_say_with(char *out, size_t cap, const char *text, const char *arg0, const char *arg1, const char *arg2)
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

void odp_answer_problem_more(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c, enum odp_problem p,
                             const char *more, const char *detail)
{
    struct odp_settings settings;
    odp_http_settings(s, &settings);
    a->status = odp_problem_info(p)->status;
    a->content_type = "application/problem+json";
    a->problem = (int)p;
    odp_buffer_reset(&a->body);
    odp_problem_write(&a->body, p, c->lang, settings.base_url, detail, more);
    const char *challenge = odp_problem_challenge(p);
    if (challenge != NULL)
        odp_answer_header(a, "WWW-Authenticate", challenge);
    odp_answer_header(a, "Cache-Control", "no-store");
    odp_answer_header(a, "Content-Language", c->lang == ODP_LANG_EN ? "en" : "id");
}

static void more_of(enum odp_problem p, const char *field, struct odp_buffer *more)
{
    if (field != NULL) {
        odp_buffer_add_str(more, "\"field\":");
        odp_json_add_string(more, odp_slice_of(field));
    } else if (p == ODP_PROBLEM_QUOTA_EXCEEDED) {
        odp_buffer_add_str(more, "\"violated-policies\":[\"daily\"]");
    } else if (p == ODP_PROBLEM_BURST_EXCEEDED) {
        odp_buffer_add_str(more, "\"violated-policies\":[\"burst\"]");
    }
}

void odp_answer_problem(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c, enum odp_problem p,
                        const char *field, const char *detail)
{
    struct odp_buffer more;
    odp_buffer_init(&more);
    more_of(p, field, &more);
    odp_answer_problem_more(a, s, c, p, more.len > 0 ? odp_buffer_cstr(&more) : NULL, detail);
    odp_buffer_release(&more);
}

void odp_answer_wait(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c, enum odp_problem p,
                     int64_t seconds)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%lld", (long long)(seconds > 0 ? seconds : 1));
    odp_answer_header(a, "Retry-After", text);
    odp_answer_problem(a, s, c, p, NULL, NULL);
}

/* SEGMENTS gets what stands at each {…}. */
static bool path_fits(const struct odp_endpoint *e, struct odp_slice path, struct odp_slice segments[ODP_SEGMENTS])
{
    size_t n = 0, i = 0;
    for (const char *p = e->path; *p != '\0'; p++) {
        if (*p == '*')
            return true;
        if (*p != '{') {
            if (i >= path.len || path.ptr[i++] != *p)
                return false;
            continue;
        }
        size_t start = i;
        while (i < path.len && path.ptr[i] != '/')
            i++;
        if (i == start || n == ODP_SEGMENTS)
            return false;
        segments[n++] = (struct odp_slice){path.ptr + start, i - start};
        p += strcspn(p, "}");
    }
    return i == path.len;
}

static bool method_fits(const struct odp_endpoint *e, struct odp_slice method)
{
    return e->method[0] == '*' || odp_slice_is(method, e->method) ||
           (odp_slice_is(method, "HEAD") && strcmp(e->method, "GET") == 0);
}

/* The methods of a path, "GET, HEAD, DELETE, OPTIONS"; false when there is no such path at this door. */
static bool allow_of(struct odp_slice path, unsigned door, char out[64])
{
    struct odp_slice segments[ODP_SEGMENTS];
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof endpoints / sizeof endpoints[0]; i++) {
        const struct odp_endpoint *e = &endpoints[i];
        if ((e->doors & door) == 0 || !path_fits(e, path, segments))
            continue;
        bool get = strcmp(e->method, "GET") == 0;
        n += (size_t)snprintf(out + n, 64 - n, "%s%s%s", n > 0 ? ", " : "", e->method, get ? ", HEAD" : "");
    }
    if (n > 0)
        (void)snprintf(out + n, 64 - n, ", OPTIONS");
    return n > 0;
}

static const struct odp_endpoint *find(struct odp_call *c, unsigned door)
{
    for (size_t i = 0; i < sizeof endpoints / sizeof endpoints[0]; i++) {
        memset(c->segments, 0, sizeof c->segments);
        if ((endpoints[i].doors & door) != 0 && method_fits(&endpoints[i], c->method) &&
            path_fits(&endpoints[i], c->path, c->segments))
            return &endpoints[i];
    }
    return NULL;
}

/* The value of a charset parameter, if there is one, is UTF-8. */
static bool charset_ok(struct odp_slice parameters)
{
    while (parameters.len > 0) {
        const char *semi = memchr(parameters.ptr, ';', parameters.len);
        struct odp_slice one = {parameters.ptr, semi != NULL ? (size_t)(semi - parameters.ptr) : parameters.len};
        parameters.ptr += one.len + (semi != NULL);
        parameters.len -= one.len + (semi != NULL);
        one = odp_slice_trim(one);
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
    const char *semi = content_type.len > 0 ? memchr(content_type.ptr, ';', content_type.len) : NULL;
    size_t n = semi != NULL ? (size_t)(semi - content_type.ptr) : content_type.len;
    if (!odp_slice_is_nocase(odp_slice_trim((struct odp_slice){content_type.ptr, n}), type))
        return false;
    return semi == NULL || charset_ok((struct odp_slice){semi + 1, content_type.len - n - 1});
}

bool odp_http_is_json(const struct odp_call *c)
{
    return type_is(c->content_type, "application/json");
}

/* "curl -d {…}" without a Content-Type says that it is a form: who sends JSON wants to be told, in JSON. No browser writes a brace as it is. */
bool odp_http_is_form(const struct odp_call *c)
{
    struct odp_slice body = odp_slice_trim(c->body);
    bool json = body.len > 0 && (*body.ptr == '{' || *body.ptr == '[');
    return !json && type_is(c->content_type, "application/x-www-form-urlencoded");
}

static bool takes_form(const struct odp_endpoint *e)
{
    return e->body == ODP_BODY_FORM || e->body == ODP_BODY_ONLY_FORM;
}

static bool body_ok(const struct odp_state *s, const struct odp_call *c, const struct odp_endpoint *e, struct odp_answer *a)
{
    if (e->body == ODP_BODY_NONE)
        return true;
    if (c->body.len > ODP_BODY_MAX) {
        odp_answer_problem(a, s, c, ODP_PROBLEM_TOO_LARGE, NULL, NULL);
        return false;
    }
    if (e->body == ODP_BODY_OPTIONAL && c->body.len == 0)
        return true;
    if (takes_form(e) && odp_http_is_form(c))
        return true;
    if (e->body != ODP_BODY_ONLY_FORM && odp_http_is_json(c))
        return true;
    odp_answer_header(a, odp_slice_is(c->method, "PATCH") ? "Accept-Patch" : "Accept-Post",
                      e->body == ODP_BODY_ONLY_FORM ? "application/x-www-form-urlencoded" : "application/json");
    odp_answer_problem(a, s, c, ODP_PROBLEM_MEDIA_TYPE, NULL, NULL);
    return false;
}

static bool begins(struct odp_slice path, const char *with)
{
    size_t n = strlen(with);
    return path.len >= n && memcmp(path.ptr, with, n) == 0;
}

static bool webhook_path(struct odp_slice path)
{
    return odp_slice_is(path, "/v1/webhooks") || begins(path, "/v1/webhooks/");
}

/* What scripts of other sites may call. */
static bool open_path(struct odp_slice path)
{
    return begins(path, "/auth/") || webhook_path(path);
}

/* The alias /api/v1/ of /v1/, and a slash at the end, for webhooks; the other addresses of the service have neither. */
static struct odp_slice path_of(struct odp_slice path)
{
    struct odp_slice p = path;
    if (begins(p, "/api/v1/")) {
        p.ptr += 4;
        p.len -= 4;
    }
    if (p.len > 1 && p.ptr[p.len - 1] == '/')
        p.len--;
    return webhook_path(p) ? p : path;
}

static void refuse_method(struct odp_state *s, const struct odp_call *c, unsigned door, struct odp_answer *a)
{
    char allow[64];
    if (!allow_of(c->path, door, allow)) {
        bool door_of_ours = door == ODP_DOOR_METRICS || door == ODP_DOOR_AUTH;
        const char *detail =
            door_of_ours ? odp_say(c, "Tidak ada alamat seperti itu di sini.", "There is no such address here.") : NULL;
        odp_answer_problem(a, s, c, ODP_PROBLEM_NOT_FOUND, NULL, detail);
        return;
    }
    odp_answer_header(a, "Allow", allow);
    if (!odp_slice_is(c->method, "OPTIONS")) {
        odp_answer_problem(a, s, c, ODP_PROBLEM_METHOD, NULL, NULL);
        return;
    }
    a->status = 204;
    if (open_path(c->path)) {
        odp_answer_header(a, "Access-Control-Allow-Methods",
                          webhook_path(c->path) ? "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
                                                : "GET, HEAD, POST, DELETE, OPTIONS");
        odp_answer_header(a, "Access-Control-Allow-Headers", "Authorization, Content-Type");
        odp_answer_header(a, "Access-Control-Max-Age", "86400");
    }
}

static void run_endpoint(struct odp_state *s, const struct odp_call *c, const struct odp_endpoint *e, struct odp_answer *a)
{
    if (e->needs_writer && (!s->writer || s->db == NULL)) {
        odp_answer_wait(a, s, c, ODP_PROBLEM_UNAVAILABLE, 30);
        return;
    }
    if (!body_ok(s, c, e, a) || e->run(s, c, a) != ODP_FAIL)
        return;
    odp_buffer_reset(&a->headers);
    if (!e->needs_writer) {
        odp_log_failure(e->path);
        odp_answer_problem(a, s, c, ODP_PROBLEM_INTERNAL, NULL, NULL);
        return;
    }
    /* What failed has not happened, and may work in a moment: the disk is full, or memory is short. */
    odp_log("error", "%s: %s; refused with 503, reads go on: make room on the disk, or look at its quota and at the memory, no restart is needed", e->path,
            odp_failure_text());
    odp_failure_clear();
    odp_answer_wait(a, s, c, ODP_PROBLEM_UNAVAILABLE, 30);
}

/* Who sends a form reads pages: in the form's language, and also when something went wrong. */
static void run(struct odp_state *s, struct odp_call *c, unsigned door, struct odp_answer *a)
{
    const struct odp_endpoint *e = find(c, door);
    if (e == NULL) {
        if (door != ODP_DOOR_SERVICE || !odp_http_form_elsewhere(s, c, a))
            refuse_method(s, c, door, a);
        return;
    }
    bool form = takes_form(e) && odp_http_is_form(c);
    if (form && c->body.len <= ODP_BODY_MAX)
        (void)odp_form_lang(c->body, &c->lang);
    run_endpoint(s, c, e, a);
    if (form && a->problem >= 0 && strcmp(a->content_type, "application/problem+json") == 0 &&
        odp_answer_problem_page(a, s, c) == ODP_FAIL) {
        odp_log_failure(e->path);
        odp_answer_problem(a, s, c, ODP_PROBLEM_INTERNAL, NULL, NULL);
    }
}

void odp_http_answer(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    struct odp_call call = *c;
    unsigned door = c->door != 0 ? (unsigned)c->door : ODP_DOOR_SERVICE;
    if (c->accept_language.len > 0)
        call.lang = odp_lang_accept(c->accept_language);
    call.path = path_of(c->path);
    run(s, &call, door, a);
    bool page = odp_page_is(odp_slice_of(a->content_type)); /* a key's page is nothing for scripts of other sites */
    if (open_path(call.path) && page)
        odp_answer_header(a, "Vary", "Accept-Language");
    else if (open_path(call.path)) {
        odp_answer_header(a, "Access-Control-Allow-Origin", "*");
        odp_answer_header(a, "Access-Control-Expose-Headers",
                          webhook_path(call.path) ? "Retry-After, WWW-Authenticate, Allow, Location, Link"
                                                  : "Retry-After, WWW-Authenticate, Allow");
        odp_answer_header(a, "Vary", "Accept-Language");
    }
    odp_answer_header(a, "X-Content-Type-Options", "nosniff");
    if (s->web == NULL)
        return;
    if (a->status >= 0 && a->status < 600)
        odp_web_count(&s->web->answered[a->status]);
    if (a->problem >= 0 && a->problem < ODP_PROBLEM_COUNT)
        odp_web_count(&s->web->refused[a->problem]);
    if (a->problem >= 0 && a->problem < ODP_PROBLEM_COUNT && door == ODP_DOOR_QUERY)
        odp_web_count(&s->web->query_refused[a->problem]);
}
