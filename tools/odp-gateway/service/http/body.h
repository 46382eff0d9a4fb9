/* Bodies of calls: JSON, or a form, read by the members that they may have. */
#pragma once

#include "service/http/field.h"
#include "service/http/http.h"

#define ODP_FIELDS_MAX 8
/* The members that a body may have, and where their values go: N of each. */
struct odp_body_members {
    const struct odp_member *fields;
    size_t n;
    struct odp_member_value *values;
};
/* Parses c->body, JSON or a form, into the values of M (borrowed from *DOC, which the caller decrefs, also
 * after BAD). An empty body is an object without members if nothing is required. BAD: answered, with the
 * wrong field. */
enum odp_status odp_http_body(struct odp_answer *a, const struct odp_body_members *m,
                              json_t **doc) ODP_MUST_USE;
/* The value of one of them, by the same rules: of a V that is NULL or null it is left as it is. BAD:
 * answered. */
enum odp_status odp_http_member(struct odp_answer *a, const struct odp_member *field, const json_t *v,
                                struct odp_member_value *out) ODP_MUST_USE;
/* BAD: DOC has a member that FIELDS does not have; answered, with the nearest one. */
enum odp_status odp_http_known(struct odp_answer *a, const struct odp_member *fields, size_t n,
                               json_t *doc) ODP_MUST_USE;
/* The body as a JSON object; the caller decrefs *DOC, also after BAD (answered). */
enum odp_status odp_http_json(struct odp_answer *a, json_t **doc) ODP_MUST_USE;
/* The form's token, or the JSON body's. BAD: answered. */
enum odp_status odp_http_token(struct odp_answer *a, char token[64]) ODP_MUST_USE;
bool odp_token_ok(struct odp_slice token);
