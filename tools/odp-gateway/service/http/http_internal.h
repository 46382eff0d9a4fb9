/* What endpoints share: who asks, what the body says, times and settings. Not for others than service/endpoint_*.c and http*.c.
 */
#ifndef ODP_SERVICE_HTTP_HTTP_INTERNAL_H
#define ODP_SERVICE_HTTP_HTTP_INTERNAL_H

#include "service/accounts/keys.h"
#include "service/http/http.h"
#include "service/http/text.h"
#include "service/http/web.h"

#define ODP_ENDPOINT(method, path, doors, writer, body, run)                                                                   \
    enum odp_status run(struct odp_state *s, const struct odp_call *c, struct odp_answer *a) ODP_MUST_USE;
#include "service/http/endpoints.def"
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
#define ODP_PAGE_TEXT  512
/* Parses c->body, JSON or a form, by FIELDS into VALUES (N of each; borrowed from *DOC, which the caller decrefs, also after BAD). An empty body
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

/* A new key in place of WHO's, which goes on for GRACE seconds; TELL answers. BAD: answered. The caller wipes *K. */
enum odp_status odp_http_rotate(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, const struct odp_caller *who, int64_t grace,
                                const struct odp_telling *tell, struct odp_issued *k) ODP_MUST_USE;

/* One key as the answers show it: tier, limit (null: unlimited), burst, used, reset, created, expires (null: never), state. */
json_t *odp_http_key_row(const struct odp_settings *settings, unsigned tier, uint64_t used, int64_t now);
int odp_json_time(json_t *row, const char *name, int64_t t, int32_t zone_minutes); /* 0: null */

/* Title of the tier NAME in LANG (its name where the site says none), and how many webhooks it allows. */
void odp_http_tier_words(const struct odp_state *s, const char *name, enum odp_lang lang, char title[120], int64_t *webhooks);

/* ---- forms (form.c) ---- */

/* BODY as a JSON object of the members FIELDS and whatever else is in it; "lang" is left out. The caller decrefs *DOC in every case. BAD: it cannot be read; *GUILTY is
 * the field in which, if it is one of FIELDS. */
enum odp_status odp_form_doc(struct odp_slice body, const struct odp_member *fields, size_t n, json_t **doc, const char **guilty) ODP_MUST_USE;
/* What was typed into NAME, for the form that is shown again; empty where it cannot be read or has more than MAX characters. */
void odp_form_kept(struct odp_slice body, const char *name, size_t max, struct odp_buffer *out);
/* The language that the form's page was in. */
bool odp_form_lang(struct odp_slice body, enum odp_lang *lang);
void odp_form_release(struct odp_buffer *b); /* wiped first: it may have held a key */
/* A browser that opens the address of a form (a bookmark, a reload) is sent to the page that has it: 303. False: not answered. */
bool odp_http_form_elsewhere(const struct odp_state *s, const struct odp_call *c, struct odp_answer *a);
/* The form was sent by a page of another site. */
bool odp_http_foreign(const struct odp_state *s, const struct odp_call *c);

/* ---- pages (page.c) ---- */

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

/* The page that shows a new key, once (page_issued.c). */
enum odp_issue { ODP_ISSUE_REGISTERED, ODP_ISSUE_ROTATED, ODP_ISSUE_RECOVERED };
struct odp_issue_words {
    enum odp_issue why;
    const struct odp_issued *key;
    int64_t previous_until; /* rotated: when the old key stops; 0: it has */
    bool mailed;            /* registered: a link to confirm the address was sent */
};
enum odp_status odp_answer_issued(struct odp_answer *a, struct odp_state *s, const struct odp_call *c, int status,
                                  const struct odp_issue_words *words) ODP_MUST_USE;
/* Requests of the last ODP_USAGE_DAYS days, the oldest first, the last one today's; FIRST gets the number of the first day. */
enum { ODP_USAGE_DAYS = 30 };
enum odp_status odp_http_usage(struct odp_state *s, const struct odp_caller *who, uint64_t counts[ODP_USAGE_DAYS], int64_t *first) ODP_MUST_USE;

#endif
