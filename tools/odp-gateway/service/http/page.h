/* Pages that the service answers with: a template of templates/service filled in, in the portal's shell where
 * the site has one. */
#pragma once

#include <jansson.h>

#include "service/http/http.h"

/* What a page is given (templates/service/model.json) is a JSON object; these fill it. */
void odp_page_text(json_t *v, const char *name, const char *text);
/* "1.204"; below 0: nothing. */
void odp_page_number(json_t *v, const struct odp_call *c, const char *name, int64_t n);
/* {"iso","text"}; 0: nothing. */
void odp_page_time(json_t *v, const struct odp_call *c, const char *name, int64_t t, int32_t zone_minutes);
/* The words' KEY ("" where it has none), until the service ends. */
const char *odp_page_word(const struct odp_state *s, const struct odp_call *c, const char *key);
/* The title is the word <PAGE>_title, where V has none. V is taken, and wiped. Nothing of the page is stored,
 * framed, or told to others. */
enum odp_status odp_answer_page(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c,
                                int status, const char *page, json_t *v) ODP_MUST_USE;
/* A sentence with its title; ERROR: it says what is wrong. */
enum odp_status odp_answer_notice(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c,
                                  int status, const char *title, const char *text, bool error) ODP_MUST_USE;
/* The problem that A is, as a page. */
enum odp_status odp_answer_problem_page(struct odp_answer *a, const struct odp_state *s,
                                        const struct odp_call *c) ODP_MUST_USE;
#define ODP_PAGE_TEXT 512
/* What A says is wrong: the sentence and the field, "" for none. Before A's body is replaced. */
void odp_page_problem(const struct odp_answer *a, const struct odp_state *s, const struct odp_call *c,
                      char detail[ODP_PAGE_TEXT], char field[48]);

/* "../", "../../": from the address asked to the site's root. */
const char *odp_page_root(const struct odp_call *c);
/* A page of the portal by its path in each language; NULL where the site has no such page. */
const char *odp_page_link(const struct odp_state *s, const struct odp_call *c, const char *id,
                          const char *en);
