/* Errors as the API says them: RFC 9457 problem documents with a stable `code`. All of them are in problems.def; `type` is
 * <base_url>galat/<code>. */
#ifndef ODP_GATEWAY_CORE_PROBLEM_H
#define ODP_GATEWAY_CORE_PROBLEM_H

#include "base/buffer.h"
#include "base/diag.h" /* enum odp_lang, struct odp_text */
#include "core/quota/quota.h"

enum odp_problem {
#define ODP_PROBLEM(symbol, ...) ODP_PROBLEM_##symbol,
#include "contract/problems.def"
#undef ODP_PROBLEM
    ODP_PROBLEM_COUNT
};

struct odp_problem_info {
    const char *code;        /* "key-missing" */
    int status;              /* 401 */
    struct odp_text title;   /* "Kunci API tidak disertakan" */
    struct odp_text detail;  /* what to do */
};
const struct odp_problem_info *odp_problem_info(enum odp_problem p);
enum odp_problem odp_problem_of_verdict(enum odp_verdict v);
enum odp_problem odp_problem_of_status(int status); /* the general one of an HTTP status; INTERNAL for what has none */

/* The language of Accept-Language (RFC 9110, section 12.5.4: q-values, prefixes); Indonesian unless English is preferred. */
enum odp_lang odp_lang_accept(struct odp_slice accept_language);

/* The document. DETAIL replaces the table's detail when not NULL; MORE is further members as JSON text without braces ("\"field\":\"email\"")
 * or NULL. For 429 of a spent quota or burst the caller passes violated-policies there. */
void odp_problem_write(struct odp_buffer *out, enum odp_problem p, enum odp_lang lang, const char *base_url, const char *detail,
                       const char *more);
/* Value of WWW-Authenticate for a 401 (RFC 6750, section 3): without an error code when no key was sent; else NULL for others. */
const char *odp_problem_challenge(enum odp_problem p);

#endif
