/* A call and its answer, without sockets: server_daemon.c joins them to libmicrohttpd, dispatch.h leads one
 * to the other. */
#pragma once

#include <jansson.h>

#include "core/problem.h"
#include "service/state/state.h"

#define ODP_BODY_MAX 16384
#define ODP_QUERY_BODY_MAX                                                                                   \
    65536 /* at the query door, where the options say nothing; see odp_query_body_max */
#define ODP_QUERY_BODY_MOST (1 << 20)
#define ODP_SEGMENTS        2 /* {…} in an endpoint's path, at most */

/* Where a call came in; an endpoint says at which doors it is. */
enum odp_door {
    ODP_DOOR_SERVICE = 1,
    ODP_DOOR_CONTROL = 2,
    ODP_DOOR_METRICS = 4,
    ODP_DOOR_AUTH = 8,
    ODP_DOOR_QUERY = 16
};

struct odp_call {                  /* all borrowed for the call */
    struct odp_slice method, path; /* path decoded, without the query */
    struct odp_slice
        raw_path; /* as it came, percent-encoded: a key in it may have an encoded slash. ptr NULL: as path */
    struct odp_slice query; /* raw, without '?' */
    struct odp_slice content_type, body;
    struct odp_slice authorization, accept_language;
    struct odp_slice client; /* address of the client as nginx saw it (X-Odp-Client), "" unknown */
    /* forward-auth: what was asked for, raw, as nginx (X-Original-…) and Caddy (X-Forwarded-…) say it */
    struct odp_slice original_uri, original_method, forwarded_uri, forwarded_method;
    struct odp_slice
        client_kind; /* X-Odp-Client-Kind: "nginx": the client knows no statuses but 401 and 403 */
    bool ambiguous;  /* a header that decides something came twice */
    /* GET /problem: X-Odp-Code, X-Odp-Retry-After, X-Odp-RateLimit, X-Odp-RateLimit-Policy; the query says it
     * too */
    struct odp_slice problem_code, problem_retry, problem_limit, problem_policy;
    /* the query door: who calls, as the module says (nobody else reaches the socket), and what is wanted */
    struct odp_slice account; /* X-Odp-Account: number of the account's record in the key table; "" unknown */
    struct odp_slice tier;    /* X-Odp-Tier: its name */
    struct odp_slice asked;   /* X-Odp-Origin: the beginning of absolute links; "": the site's own address */
    struct odp_slice accept, if_match, if_none_match;
    struct odp_slice host, origin, fetch_site; /* Host, Origin, Sec-Fetch-Site: where a form comes from */
    struct odp_slice
        segments[ODP_SEGMENTS]; /* the path's part at each {…} of the endpoint's; dispatch.c sets them */
    const char *actor;          /* of an administrative command: "command:sari"; NULL else */
    enum odp_door door;         /* 0: the service socket */
    enum odp_lang lang;
    int64_t now, now_ms; /* now_ms 0: now * 1000 */
};

struct odp_answer {
    struct odp_state *s;      /* who answers, */
    const struct odp_call *c; /* and what: both set by odp_http_answer, while it runs */
    int status;
    const char *content_type;  /* literal; "application/json; charset=utf-8" by default */
    struct odp_buffer headers; /* "Name: value\n" lines */
    struct odp_buffer body;
    int problem; /* enum odp_problem of the answer, -1: none */
};

void odp_answer_init(struct odp_answer *a);
void odp_answer_release(struct odp_answer *a); /* wipes the body: it may hold a key */
/* Characters that a header cannot have are left out. The first of a name counts. */
void odp_answer_header(struct odp_answer *a, const char *name, const char *value);
/* FAIL: something of it is missing, out of memory. OK: there is room for all that is added later, so an
 * answer before an act is committed needs no memory after it. */
enum odp_status odp_answer_whole(struct odp_answer *a) ODP_MUST_USE;
/* The envelope: {"data":[ROW],"status":"success"}; ROW is consumed (NULL: out of memory -> FAIL). */
enum odp_status odp_answer_data_take(struct odp_answer *a, int status, json_t *row) ODP_MUST_USE;
/* A problem document; FIELD (may be NULL) becomes member "field", DETAIL (may be NULL) replaces the general
 * one. */
void odp_answer_problem(struct odp_answer *a, enum odp_problem p, const char *field, const char *detail);
/* The same with MORE: further members as JSON text without braces, or NULL. */
void odp_answer_problem_more(struct odp_answer *a, enum odp_problem p, const char *more, const char *detail);

size_t odp_query_body_max(const struct odp_state *s); /* bytes that the body of a query may have */
/* The Content-Type is application/json, in UTF-8 if it names a charset. */
bool odp_http_is_json(const struct odp_call *c);
bool odp_http_is_form(const struct odp_call *c);
int64_t odp_call_ms(const struct odp_call *c);
/* A consistent copy. */
void odp_http_settings(const struct odp_state *s, struct odp_settings *out);
/* The text in the caller's language. */
const char *odp_say(const struct odp_call *c, const char *id, const char *en);
/* TEXT with {0}, {1}, {2} filled in; cut at CAP. */
/* Appends "a, b" to the USED bytes of OUT; returns how many it has now: what has no room is left out. */
size_t odp_say_names(char *out, size_t used, size_t cap, const char *const *names, size_t n);
void odp_say_with(char *out, size_t cap, const char *text, const char *arg0, const char *arg1,
                  const char *arg2);
/* "3600" as Retry-After, and the problem; SECONDS at least 1. */
void odp_answer_wait(struct odp_answer *a, enum odp_problem p, int64_t seconds);
