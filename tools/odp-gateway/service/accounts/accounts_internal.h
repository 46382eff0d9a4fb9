/* Inside of service/accounts: what its endpoints and pages share. */
#pragma once

#include "service/accounts/caller.h"
#include "service/http/endpoint.h"
#include "service/http/page.h"

/* What a telling answers with: the call, and what its act is about. */
struct odp_reply {
    struct odp_answer *a;
    const struct odp_caller *who; /* NULL: nobody that is known */
    int64_t grace;                /* of a rotated key, seconds */
    bool recover, mailed;
};

/* Title of the tier NAME in LANG (its name where the site says none), and how many webhooks it allows; -1:
 * any number. */
void odp_http_tier_words(const struct odp_state *s, const char *name, enum odp_lang lang, char title[120],
                         int64_t *webhooks);

/* A browser that opens the address of a form (a bookmark, a reload) is sent to the page that has it: 303.
 * False: not answered. */
bool odp_http_form_elsewhere(struct odp_answer *a);

/* The page that shows a new key, once. */
enum odp_issue { ODP_ISSUE_REGISTERED, ODP_ISSUE_ROTATED, ODP_ISSUE_RECOVERED };
struct odp_issue_words {
    enum odp_issue why;
    const struct odp_issued *key;
    int64_t previous_until; /* rotated: when the old key stops; 0: it has */
    bool mailed;            /* registered: a link to confirm the address was sent */
};
enum odp_status odp_answer_issued(struct odp_answer *a, int status,
                                  const struct odp_issue_words *words) ODP_MUST_USE;
/* A new key as JSON: its limits, and what MORE (taken) has. */
enum odp_status odp_answer_new_key(const struct odp_reply *r, const struct odp_issued *k,
                                   json_t *more) ODP_MUST_USE;

/* COUNTS, the first of them day FIRST, as the template `key` draws them. */
void odp_page_usage(json_t *page, const struct odp_call *c, const uint64_t counts[ODP_USAGE_DAYS],
                    int64_t first);
