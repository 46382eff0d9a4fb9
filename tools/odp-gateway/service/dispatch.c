/* From a call to an answer: finds the endpoint, and says what none of them has to say. */
#include "service/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "base/line.h"
#include "core/page.h"
#include "service/accounts/accounts_internal.h"
#include "service/http/endpoint.h"
#include "service/state/log.h"
#include "words/gateway.h"

static const struct odp_endpoint endpoints[] = {
#define ODP_ENDPOINT(method, path, doors, writer, body, run) {method, path, doors, writer, body, run},
#include "service/endpoints.def"
#undef ODP_ENDPOINT
};

/* SEGMENTS gets what the path has at each {…}. */
static bool path_fits(const struct odp_endpoint *e, struct odp_slice path,
                      struct odp_slice segments[ODP_SEGMENTS])
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
    for (size_t i = 0; i < ODP_COUNT(endpoints); i++) {
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
    for (size_t i = 0; i < ODP_COUNT(endpoints); i++) {
        memset(c->segments, 0, sizeof c->segments);
        if ((endpoints[i].doors & door) != 0 && method_fits(&endpoints[i], c->method) &&
            path_fits(&endpoints[i], c->path, c->segments))
            return &endpoints[i];
    }
    return NULL;
}

static bool takes_form(const struct odp_endpoint *e)
{
    return e->body == ODP_BODY_FORM || e->body == ODP_BODY_ONLY_FORM;
}

static bool body_ok(struct odp_answer *a, const struct odp_endpoint *e)
{
    if (e->body == ODP_BODY_NONE)
        return true;
    if (a->c->body.len > ODP_BODY_MAX) {
        odp_answer_problem(a, ODP_PROBLEM_TOO_LARGE, NULL, NULL);
        return false;
    }
    if (e->body == ODP_BODY_OPTIONAL && a->c->body.len == 0)
        return true;
    if (takes_form(e) && odp_http_is_form(a->c))
        return true;
    if (e->body != ODP_BODY_ONLY_FORM && odp_http_is_json(a->c))
        return true;
    odp_answer_header(a, odp_slice_is(a->c->method, "PATCH") ? "Accept-Patch" : "Accept-Post",
                      e->body == ODP_BODY_ONLY_FORM ? "application/x-www-form-urlencoded"
                                                    : "application/json");
    odp_answer_problem(a, ODP_PROBLEM_MEDIA_TYPE, NULL, NULL);
    return false;
}

static bool webhook_path(struct odp_slice path)
{
    return odp_slice_is(path, "/v1/webhooks") || odp_slice_starts(path, "/v1/webhooks/");
}

/* What scripts of other sites may call. */
static bool open_path(struct odp_slice path)
{
    return odp_slice_starts(path, "/auth/") || webhook_path(path);
}

/* The alias /api/v1/ of /v1/, and a slash at the end, for webhooks; the other addresses of the service have
 * neither. */
static struct odp_slice path_of(struct odp_slice path)
{
    struct odp_slice p = path;
    if (odp_slice_starts(p, "/api/v1/")) {
        p.ptr += 4;
        p.len -= 4;
    }
    if (p.len > 1 && p.ptr[p.len - 1] == '/')
        p.len--;
    return webhook_path(p) ? p : path;
}

static void refuse_method(struct odp_answer *a, unsigned door)
{
    char allow[64];
    if (!allow_of(a->c->path, door, allow)) {
        bool door_of_ours = door == ODP_DOOR_METRICS || door == ODP_DOOR_AUTH;
        const char *detail = door_of_ours ? odp_say(a->c, W_gateway_there_no_such_address_here) : NULL;
        odp_answer_problem(a, ODP_PROBLEM_NOT_FOUND, NULL, detail);
        return;
    }
    odp_answer_header(a, "Allow", allow);
    if (!odp_slice_is(a->c->method, "OPTIONS")) {
        odp_answer_problem(a, ODP_PROBLEM_METHOD, NULL, NULL);
        return;
    }
    a->status = 204;
    if (open_path(a->c->path)) {
        odp_answer_header(a, "Access-Control-Allow-Methods",
                          webhook_path(a->c->path) ? "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
                                                   : "GET, HEAD, POST, DELETE, OPTIONS");
        odp_answer_header(a, "Access-Control-Allow-Headers", ODP_CORS_HEADERS);
        odp_answer_header(a, "Access-Control-Max-Age", "86400");
    }
}

static void run_endpoint(struct odp_answer *a, const struct odp_endpoint *e)
{
    if (e->needs_writer && (!a->s->writer || a->s->db == NULL)) {
        odp_answer_wait(a, ODP_PROBLEM_UNAVAILABLE, 30);
        return;
    }
    if (!body_ok(a, e))
        return;
    enum odp_status st = e->run(a);
    /* An endpoint that writes has made room for its answer before it wrote. */
    if (st == ODP_FAIL || (!e->needs_writer && odp_answer_whole(a) != ODP_OK))
        odp_buffer_reset(&a->headers);
    else
        return;
    if (!e->needs_writer) {
        odp_log_failure(e->path);
        odp_answer_problem(a, ODP_PROBLEM_INTERNAL, NULL, NULL);
        return;
    }
    /* What failed has not happened, and may work in a moment: the disk is full, or memory is short. */
    odp_log("error",
            "%s: %s; refused with 503, reads go on: make room on the disk, or look at its quota and at the "
            "memory, no restart is needed",
            e->path, odp_failure_text());
    odp_failure_clear();
    odp_answer_wait(a, ODP_PROBLEM_UNAVAILABLE, 30);
}

/* Who sends a form reads pages: in the form's language, and also when something went wrong. */
static void run(struct odp_answer *a, struct odp_call *c, unsigned door)
{
    const struct odp_endpoint *e = find(c, door);
    if (e == NULL) {
        if (door != ODP_DOOR_SERVICE || !odp_http_form_elsewhere(a))
            refuse_method(a, door);
        return;
    }
    bool form = takes_form(e) && odp_http_is_form(c);
    if (form && c->body.len <= ODP_BODY_MAX)
        (void)odp_form_lang(c->body, &c->lang);
    run_endpoint(a, e);
    if (form && a->problem >= 0 && strcmp(a->content_type, "application/problem+json") == 0 &&
        odp_answer_problem_page(a) == ODP_FAIL) {
        odp_log_failure(e->path);
        odp_answer_problem(a, ODP_PROBLEM_INTERNAL, NULL, NULL);
    }
}

void odp_http_answer(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    struct odp_call call = *c;
    unsigned door = c->door != 0 ? (unsigned)c->door : ODP_DOOR_SERVICE;
    if (c->accept_language.len > 0)
        call.lang = odp_lang_accept(c->accept_language);
    call.path = path_of(c->path);
    a->s = s;
    a->c = &call;
    run(a, &call, door);
    a->c = NULL;
    bool page =
        odp_page_is(odp_slice_of(a->content_type)); /* a key's page is nothing for scripts of other sites */
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
