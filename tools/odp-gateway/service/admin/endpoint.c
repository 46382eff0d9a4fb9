/* POST /admin on the control socket: what `odp-gateway keys …` says to a running service. */
#include "base/json_load.h"
#include "service/admin/admin.h"
#include "service/http/endpoint.h"

static int dump(const char *bytes, size_t n, void *b)
{
    odp_buffer_add(b, bytes, n);
    return ((struct odp_buffer *)b)->failed ? -1 : 0;
}

/* Into a text of its own: where it fails, what was written before stays. */
static enum odp_status write_reply(void *ctx, const json_t *reply)
{
    struct odp_answer *a = ctx;
    struct odp_answer other;
    const json_t *status = json_object_get(reply, "status");
    odp_answer_init(&other);
    other.s = a->s;
    other.c = a->c;
    other.status = json_is_integer(status) ? (int)json_integer_value(status) : 200;
    if (other.status < 200 || other.status > 599)
        other.status = 500;
    if (other.status >= 400)
        other.content_type = "application/problem+json";
    odp_answer_header(&other, "Cache-Control", "no-store");
    /* Reserved at once: growing would leave copies of a key in freed memory. */
    char *room = odp_buffer_reserve(&other.body, ODP_BODY_MAX);
    bool ok = room != NULL && json_dump_callback(reply, dump, &other.body, JSON_COMPACT) == 0 &&
              odp_buffer_status(&other.headers) == ODP_OK;
    if (ok) {
        struct odp_answer before = *a;
        *a = other;
        other = before;
    }
    odp_answer_release(&other);
    return ok ? ODP_OK : odp_failure_set("answer", NULL, 0);
}

enum odp_status odp_endpoint_admin(struct odp_answer *a)
{
    json_error_t error;
    json_t *reply = NULL;
    json_t *request = odp_json_load(a->c->body.ptr, a->c->body.len, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(request)) {
        json_decref(request);
        odp_answer_problem(a, ODP_PROBLEM_JSON, NULL, NULL);
        return ODP_BAD;
    }
    enum odp_status st =
        odp_admin_run_writing(a->s, request, a->c->actor != NULL ? a->c->actor : "command:unknown", a->c->now,
                              &(struct odp_admin_writing){write_reply, a}, &reply);
    json_decref(request);
    json_decref(reply);
    return st;
}
