/* The service's side of HTTP, without sockets: an endpoint takes a call and fills an answer. The fuzzer and
 * the unit tests call it as it is. The registry is endpoints.def: adding one is a function and a line. */
#pragma once

#include "service/http/http.h"

enum odp_body_kind {
    ODP_BODY_NONE,
    ODP_BODY_JSON,
    ODP_BODY_OPTIONAL,
    ODP_BODY_FORM /* JSON or a form */,
    ODP_BODY_ONLY_FORM
};

struct odp_endpoint {
    const char *method,
        *path; /* path exact, {…} one segment, or with '*' at its end: all that begins so; method "*": any */
    unsigned doors;    /* of enum odp_door */
    bool needs_writer; /* 503 on a replica */
    enum odp_body_kind body;
    enum odp_status (*run)(struct odp_answer *a);
};
/* Finds the endpoint and runs it; 404, 405 (with Allow), 413, 415, preflights (OPTIONS) are answered here;
 * FAIL becomes 500 without detail. HEAD is answered as GET; the caller leaves the body away. */
void odp_http_answer(struct odp_state *s, const struct odp_call *c, struct odp_answer *a);
