/* POST /admin on the control socket: what `odp-gateway keys …` says to a running service. */
#include "service/http_inside.h"
#include "base/json_load.h"

static int dump(const char *bytes, size_t n, void *b)
{
    odp_buffer_add(b, bytes, n);
    return ((struct odp_buffer *)b)->failed ? -1 : 0;
}

enum odp_status odp_endpoint_admin(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    json_error_t error;
    json_t *reply = NULL;
    json_t *request = odp_json_load(c->body.ptr, c->body.len, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(request)) {
        json_decref(request);
        odp_answer_problem(a, s, c, ODP_PROBLEM_JSON, NULL, NULL);
        return ODP_BAD;
    }
    enum odp_status st = odp_admin_run(s, request, c->actor != NULL ? c->actor : "command:unknown", c->now, &reply);
    json_decref(request);
    if (st == ODP_FAIL || reply == NULL) {
        json_decref(reply);
        return st == ODP_FAIL ? ODP_FAIL : odp_failure_set("admin", NULL, 0);
    }
    const json_t *status = json_object_get(reply, "status");
    a->status = json_is_integer(status) ? (int)json_integer_value(status) : 200;
    if (a->status < 200 || a->status > 599)
        a->status = 500;
    int e = json_dump_callback(reply, dump, &a->body, JSON_COMPACT);
    json_decref(reply);
    if (a->status >= 400)
        a->content_type = "application/problem+json";
    odp_answer_header(a, "Cache-Control", "no-store");
    return e == 0 ? odp_buffer_status(&a->body) : odp_failure_set("answer", NULL, 0);
}
