/* Pages that the service answers with: the shell of the portal, and what stands in it. */
#ifndef ODP_SERVICE_HTTP_PAGE_H
#define ODP_SERVICE_HTTP_PAGE_H

#include "service/http/http.h"

#define ODP_PAGE_TEXT 512
/* CONTENT (HTML, beginning with its h1) in the site's shell, or in a plain page where there is none. Nothing of it is stored, framed, or told to others. */
enum odp_status odp_answer_html(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c, int status, const char *title,
                                const struct odp_buffer *content) ODP_MUST_USE;
/* The problem that A is, as a page. */
enum odp_status odp_answer_problem_page(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c) ODP_MUST_USE;
/* What A says is wrong: the sentence and the field, "" for none. Before A's body is replaced. */
void odp_page_problem(const struct odp_answer *a, const struct odp_call *c, char detail[ODP_PAGE_TEXT], char field[48]);

/* Parts of a page. TEXT is escaped. */
void odp_page_text(struct odp_buffer *b, const char *before, const char *text, const char *after);
void odp_page_say(struct odp_buffer *b, const struct odp_call *c, const char *before, const char *id, const char *en, const char *after);
/* "../", "../../": from the address asked to the site's root. */
const char *odp_page_root(const struct odp_call *c);
/* A page of the portal by its path in each language; NULL where the site has no such page. */
const char *odp_page_link(const struct odp_state *s, const struct odp_call *c, const char *id, const char *en);
/* <form> to auth/PATH with the language, and the key if not NULL; the caller closes it. */
void odp_page_form(struct odp_buffer *b, const struct odp_call *c, const char *path, const char *key);
void odp_page_number(struct odp_buffer *b, const struct odp_call *c, uint64_t n);
void odp_page_time(struct odp_buffer *b, const struct odp_call *c, int64_t t, int32_t zone_minutes);

/* Pages for people who open a link from a mail. */
enum odp_page { ODP_PAGE_CONFIRM, ODP_PAGE_RECOVER, ODP_PAGE_CONFIRMED, ODP_PAGE_PROBLEM };
/* TEXT: the token of a form, or the problem's detail. */
enum odp_status odp_answer_page(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c, int status, enum odp_page page,
                                const char *text) ODP_MUST_USE;

#endif
