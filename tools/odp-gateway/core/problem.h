/* Errors as the API says them: RFC 9457 problem documents with a stable `code`. All of them are in
 * base/problem_info.h; `type` is <base_url>galat/<code>. */
#pragma once

#include "base/buffer.h"
#include "base/problem_info.h"
#include "base/diag.h" /* enum odp_lang, struct odp_text */
#include "core/quota/quota.h"

enum odp_problem odp_problem_of_verdict(enum odp_verdict v);
enum odp_problem
odp_problem_of_status(int status); /* the general one of an HTTP status; INTERNAL for what has none */

/* The language of Accept-Language (RFC 9110, section 12.5.4: q-values, prefixes); Indonesian unless English
 * is preferred. */
enum odp_lang odp_lang_accept(struct odp_slice accept_language);

/* The document. DETAIL replaces the table's detail when not NULL; MORE is further members as JSON text
 * without braces ("\"field\":\"email\"") or NULL. For 429 of a spent quota or burst the caller passes
 * violated-policies there. */
void odp_problem_write(struct odp_buffer *out, enum odp_problem p, enum odp_lang lang, const char *base_url,
                       const char *detail, const char *more);
/* Value of WWW-Authenticate for a 401 (RFC 6750, section 3): without an error code when no key was sent; else
 * NULL for others. */
enum { ODP_CHALLENGE_MAX = 256 };
/* BUF is where it is written, if it is. */
const char *odp_problem_challenge(enum odp_problem p, char buf[ODP_CHALLENGE_MAX]);
