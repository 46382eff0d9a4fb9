/* Calls at the gateway's service as text, for the fuzzers of its doors: METHOD TARGET (as it comes,
 * percent-encoded), then headers, an empty line, the body; several calls divided by "\n--\n".
 *
 * Every body that says JSON must be JSON, every header must be one line, and no call may make the service
 * fail (500; but for the control door, whose commands may). */
#pragma once

#include <stdio.h>

#include "fuzz.h"
#include "service/dispatch.h"
#include "service/http/http.h"
#include "service/http/text.h"
#include "service/http/web.h"

enum { CALLS = 8 };

/* The known headers of a call, and where they go. */
static const struct call_header {
    const char *name;
    size_t at;
} call_headers[] = {
    {"Authorization", offsetof(struct odp_call, authorization)},
    {"Content-Type", offsetof(struct odp_call, content_type)},
    {"Accept-Language", offsetof(struct odp_call, accept_language)},
    {"If-None-Match", offsetof(struct odp_call, if_none_match)},
    {"X-Odp-Account", offsetof(struct odp_call, account)},
    {"X-Odp-Tier", offsetof(struct odp_call, tier)},
    {"X-Odp-Client", offsetof(struct odp_call, client)},
    {"X-Odp-Client-Kind", offsetof(struct odp_call, client_kind)},
    {"X-Original-URI", offsetof(struct odp_call, original_uri)},
    {"X-Original-Method", offsetof(struct odp_call, original_method)},
    {"X-Forwarded-Uri", offsetof(struct odp_call, forwarded_uri)},
    {"X-Forwarded-Method", offsetof(struct odp_call, forwarded_method)},
    {"X-Odp-Code", offsetof(struct odp_call, problem_code)},
    {"X-Odp-Retry-After", offsetof(struct odp_call, problem_retry)},
    {"X-Odp-RateLimit", offsetof(struct odp_call, problem_limit)},
    {"X-Odp-RateLimit-Policy", offsetof(struct odp_call, problem_policy)},
    {"Accept", offsetof(struct odp_call, accept)},
    {"Host", offsetof(struct odp_call, host)},
    {"Origin", offsetof(struct odp_call, origin)},
    {"Sec-Fetch-Site", offsetof(struct odp_call, fetch_site)},
};

/* "Door: c" chooses another door: control, metrics, else auth. */
static inline void call_read_header(struct odp_call *c, struct odp_slice line)
{
    struct odp_slice name = fuzz_cut(&line, ODP_LIT(":")), value = odp_slice_trim(line);
    for (size_t i = 0; i < ODP_COUNT(call_headers); i++)
        if (odp_slice_is_nocase(name, call_headers[i].name)) {
            struct odp_slice *to = (struct odp_slice *)(void *)((char *)c + call_headers[i].at);
            c->ambiguous = c->ambiguous || (c->door != ODP_DOOR_QUERY && to->len > 0);
            *to = value;
        }
    if (odp_slice_is_nocase(name, "Door") && value.len == 1 && c->door != ODP_DOOR_QUERY)
        c->door = value.ptr[0] == 'c'   ? ODP_DOOR_CONTROL
                  : value.ptr[0] == 'm' ? ODP_DOOR_METRICS
                                        : ODP_DOOR_AUTH;
}

/* TEXT into C; PATH has room for the decoded one. False: its target cannot be decoded. */
static inline bool call_read(struct odp_slice text, struct odp_call *c, char path[8192])
{
    struct odp_slice line = fuzz_line(&text);
    size_t n = 0;
    c->method = fuzz_word(&line);
    c->raw_path = fuzz_cut(&line, ODP_LIT("?"));
    c->query = line;
    if (c->raw_path.len > 8192 || !odp_percent_decode(c->raw_path, path, &n))
        return false;
    c->path = (struct odp_slice){path, n};
    for (line = fuzz_line(&text); line.len > 0; line = fuzz_line(&text))
        call_read_header(c, line);
    c->body = text;
    return true;
}

/* The answer of C, checked; to be released. */
static inline void call_answer(struct odp_state *state, const struct odp_call *c, struct odp_answer *a)
{
    odp_answer_init(a);
    odp_http_answer(state, c, a);
    NEED(a->status >= 200 && a->status < 600 && (a->status != 500 || c->door == ODP_DOOR_CONTROL));
    NEED(odp_buffer_status(&a->body) == ODP_OK && odp_buffer_status(&a->headers) == ODP_OK);
    for (struct odp_slice headers = odp_buffer_slice(&a->headers); headers.len > 0;) {
        struct odp_slice line = fuzz_line(&headers), name = fuzz_cut(&line, ODP_LIT(":"));
        NEED(name.len > 0 && line.len > 0 && line.ptr[0] == ' ');
        for (size_t i = 0; i < line.len; i++)
            NEED((unsigned char)line.ptr[i] >= 0x20 && line.ptr[i] != 0x7f);
    }
    if (strstr(a->content_type, "json") != NULL && a->body.len > 0) {
        json_t *doc = fuzz_json(&a->body);
        NEED(json_is_object(doc));
        json_decref(doc);
    }
}
