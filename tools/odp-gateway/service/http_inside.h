/* What endpoints share: who asks, what the body says, times and settings. Not for others than service/endpoint_*.c and http*.c.
 */
#ifndef ODP_GATEWAY_SERVICE_HTTP_INSIDE_H
#define ODP_GATEWAY_SERVICE_HTTP_INSIDE_H

#include "service/http.h"
#include "service/http_text.h"
#include "service/http_web.h"
#include "service/keys.h"

#define ODP_ENDPOINT(method, path, doors, writer, body, run)                                                                   \
    enum odp_status run(struct odp_state *s, const struct odp_call *c, struct odp_answer *a) ODP_MUST_USE;
#include "service/endpoints.def"
#undef ODP_ENDPOINT

int64_t odp_call_ms(const struct odp_call *c);
/* A consistent copy. */
void odp_http_settings(const struct odp_state *s, struct odp_settings *out);
/* The text in the caller's language. */
const char *odp_say(const struct odp_call *c, const char *id, const char *en);
/* TEXT with {0}, {1}, {2} filled in; cut at CAP. */
void odp_say_with(char *out, size_t cap, const char *text, const char *arg0, const char *arg1, const char *arg2);
/* "3600" as Retry-After, and the problem; SECONDS at least 1. */
void odp_answer_wait(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c, enum odp_problem p,
                     int64_t seconds);
/* Who calls, of the three limits of /auth/: false and answered (429) when there were too many. FAILED_LOOK only looks. */
bool odp_http_allowed(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, enum odp_limit_kind kind,
                      bool count);

/* The key of an Authorization header, known and not refused (a spent quota does not matter here). BAD: answered. */
struct odp_caller {
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_grant grant;
    struct odp_key_info info;
    struct odp_settings settings;
};
enum odp_status odp_http_caller(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                                struct odp_caller *who) ODP_MUST_USE;
/* The problem of an Authorization header's form, or -1; *KEY is its key. */
int odp_http_bearer(const struct odp_call *c, struct odp_slice *key);

/* A member that a body may have. Text is trimmed; empty optional text, null and absent are the same. */
enum odp_field_kind { ODP_FIELD_TEXT, ODP_FIELD_EMAIL, ODP_FIELD_NUMBER, ODP_FIELD_TOKEN, ODP_FIELD_BOOL };
struct odp_member {
    const char *name;
    enum odp_field_kind kind;
    bool required;
    int64_t max; /* characters; of a number its largest value (its least is 0) */
};
struct odp_member_value {
    struct odp_slice text; /* "" when absent */
    int64_t number;        /* -1 when absent; of a bool 0 or 1 */
};
#define ODP_FIELDS_MAX 8
/* Parses c->body by FIELDS into VALUES (N of each; borrowed from *DOC, which the caller decrefs, also after BAD). An empty body
 * is an object without members if nothing is required. BAD: answered, the guilty field named. */
enum odp_status odp_http_body(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                              const struct odp_member *fields, size_t n, struct odp_member_value *values, json_t **doc) ODP_MUST_USE;
/* BAD: DOC has a member that is none of FIELDS; answered, with the nearest that is. */
enum odp_status odp_http_known(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                               const struct odp_member *fields, size_t n, json_t *doc) ODP_MUST_USE;
/* The body as a JSON object; the caller decrefs *DOC, also after BAD (answered: where it cannot be read). */
enum odp_status odp_http_json(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, json_t **doc) ODP_MUST_USE;
/* The Content-Type is application/json, in UTF-8 where it says a charset. */
bool odp_http_is_json(const struct odp_call *c);
/* The form's token, or the JSON body's. BAD: answered. */
enum odp_status odp_http_token(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                               char token[64]) ODP_MUST_USE;
bool odp_token_ok(struct odp_slice token);
bool odp_http_is_form(const struct odp_call *c);

/* One key as the answers show it: tier, limit (null: unlimited), burst, used, reset, created, expires (null: never), state. */
json_t *odp_http_key_row(const struct odp_settings *settings, unsigned tier, uint64_t used, int64_t now);
int odp_json_time(json_t *row, const char *name, int64_t t, int32_t zone_minutes); /* 0: null */

/* Pages for people who open a link from a mail. No scripts, nothing from elsewhere, not stored, not framed. */
enum odp_page { ODP_PAGE_CONFIRM, ODP_PAGE_RECOVER, ODP_PAGE_CONFIRMED, ODP_PAGE_NEW_KEY, ODP_PAGE_PROBLEM };
/* TEXT: the token of a form, the key to show, or the problem's detail. */
enum odp_status odp_answer_page(struct odp_answer *a, const struct odp_call *c, int status, enum odp_page page,
                                const char *text) ODP_MUST_USE;

#endif
