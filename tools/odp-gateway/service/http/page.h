/* Pages of the service: a template of templates/service filled in, in the portal's shell if the site has one.
 */
#pragma once

#include <jansson.h>

#include "service/http/http.h"

/* These fill the JSON object that a page gets (templates/service/model.json). */
void odp_page_text(json_t *v, const char *name, const char *text);
/* "1.204"; below 0: nothing. */
void odp_page_number(json_t *v, const struct odp_call *c, const char *name, int64_t n);
/* {"iso","text"}; 0: nothing. */
void odp_page_time(json_t *v, const struct odp_call *c, const char *name, int64_t t, int32_t zone_minutes);
/* The word KEY ("" if there is none), until the service ends. */
const char *odp_page_word(const struct odp_answer *a, const char *key);
/* The title is the word <PAGE>_title, unless V has one. V is taken, and wiped. Nobody stores or frames the
 * page, or learns its address. */
enum odp_status odp_answer_page(struct odp_answer *a, int status, const char *page, json_t *v) ODP_MUST_USE;
/* A sentence with its title. */
struct odp_notice {
    int status;
    const char *title, *text;
    bool error; /* the text says what is wrong */
};
enum odp_status odp_answer_notice(struct odp_answer *a, const struct odp_notice *n) ODP_MUST_USE;
/* The problem of A, as a page. */
enum odp_status odp_answer_problem_page(struct odp_answer *a) ODP_MUST_USE;
#define ODP_PAGE_TEXT 512
/* What is wrong, by A: the sentence and the field, or "". To be called before A's body is replaced. */
void odp_page_problem(const struct odp_answer *a, char detail[ODP_PAGE_TEXT], char field[48]);

/* "../", "../../": from the address of the call to the site's root. */
const char *odp_page_root(const struct odp_call *c);
/* A page of the portal by its path in each language; NULL: the site does not have it. */
const char *odp_page_link(const struct odp_answer *a, const char *id, const char *en);
