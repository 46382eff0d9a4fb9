/* POST /auth/register: a public key at once. One-time links: asking for one, the pages behind them,
 * redeeming. */
#include <string.h>

#include "service/accounts/accounts_internal.h"
#include "service/accounts/mail.h"
#include "words/accounts.h"

static const struct odp_member fields[] = {
    {"name", ODP_FIELD_TEXT, true, 200},
    {"email", ODP_FIELD_EMAIL, true, 254},
    {"organisation", ODP_FIELD_TEXT, false, 200},
    {"purpose", ODP_FIELD_TEXT, false, 1000},
};
enum { FIELDS = ODP_COUNT(fields) };

static int32_t zone_of(const struct odp_state *s)
{
    struct odp_settings settings;
    odp_http_settings(s, &settings);
    return settings.zone_minutes;
}

static enum odp_status answer(const struct odp_reply *r, const struct odp_issued *k)
{
    int32_t zone = zone_of(r->a->s);
    if (odp_http_is_form(r->a->c))
        return odp_answer_issued(
            r->a, 201, &(struct odp_issue_words){.why = ODP_ISSUE_REGISTERED, .key = k, .mailed = r->mailed});
    return odp_answer_new_key(r, k,
                              json_pack("{s:s, s:o, s:o, s:b, s:b}", "key", k->key, "created",
                                        odp_json_time(r->a->c->now, zone), "expires",
                                        odp_json_time(k->record.until, zone), "email_confirmed", 0,
                                        "confirmation_sent", (int)r->mailed));
}

/* The answer says that a message was sent before it is: whether the queue takes it is known only at the end.
 */
static enum odp_status tell(void *ctx, const struct odp_issued *k)
{
    struct odp_reply *r = ctx;
    r->mailed = k->token[0] != '\0' && r->a->s->options->sendmail != NULL &&
                odp_http_mail_allowed(r->a, ODP_LIMIT_CONFIRM_EMAIL, odp_slice_of(k->email));
    return answer(r, k);
}

/* The answer anew: no message is sent. When out of memory the first answer stays: the key is worth more than
 * the truth about the message. */
static void unmailed(const struct odp_reply *r, const struct odp_issued *k)
{
    struct odp_answer other;
    odp_answer_init(&other);
    other.s = r->a->s;
    other.c = r->a->c;
    if (answer(&(struct odp_reply){&other, .mailed = false}, k) == ODP_OK) {
        struct odp_answer told = *r->a;
        *r->a = other;
        other = told;
    }
    odp_failure_clear();
    odp_answer_release(&other);
}

static enum odp_status issue(struct odp_answer *a, const struct odp_member_value *v)
{
    struct odp_registration who = {v[0].text, v[1].text, v[2].text, v[3].text};
    struct odp_issued k = {0};
    struct odp_reply r = {a, .mailed = false};
    struct odp_order o = {.actor = "api", .now = a->c->now, .telling = {tell, &r}};
    enum odp_status st = odp_keys_register(a->s, &o, &who, &k);
    if (st == ODP_BAD)
        odp_answer_problem(a, o.problem, o.problem == ODP_PROBLEM_EMAIL_REGISTERED ? "email" : NULL, NULL);
    if (st == ODP_OK && a->s->web != NULL)
        odp_web_count(&a->s->web->registrations);
    if (st == ODP_OK && r.mailed && odp_mail_link(a->s, "confirm", &k, a->c->lang) != ODP_OK)
        unmailed(&r, &k);
    explicit_bzero(&k, sizeof k);
    return st;
}

/* ---- the form again, with what was typed ---- */

/* ERROR: "email: …" begins with the name that programs know; the page puts the label in its place. */
static void set_field(json_t *page, const struct odp_call *c, const struct odp_member *m, const char *error)
{
    size_t n = strlen(m->name), kept = 0;
    struct odp_buffer typed = {0};
    odp_form_kept(c->body, m->name, (size_t)m->max * 2, &typed);
    for (size_t i = 0; i < typed.len; i++) /* of line ends LF is enough */
        if (typed.ptr[i] != '\r')
            typed.ptr[kept++] = typed.ptr[i];
    typed.len = kept;
    bool named = error != NULL && strncmp(error, m->name, n) == 0 && strchr(": ", error[n]) != NULL;
    json_object_set_new(page, m->name,
                        json_pack("{s:s, s:o, s:b, s:s*}", "value", odp_buffer_cstr(&typed), "max",
                                  json_sprintf("%d", (int)m->max), "named", (int)named, "error",
                                  named ? error + n : error));
    odp_form_release(&typed);
}

static enum odp_status form_again(struct odp_answer *a)
{
    char detail[ODP_PAGE_TEXT], field[48];
    json_t *v = json_object();
    struct odp_buffer email = {0};
    bool named = false;
    odp_page_problem(a, detail, field);
    for (size_t i = 0; i < FIELDS; i++) {
        bool guilty = strcmp(field, fields[i].name) == 0;
        set_field(v, a->c, &fields[i], guilty ? detail : NULL);
        named = named || guilty;
    }
    if (!named)
        odp_page_text(v, "detail", detail);
    odp_form_kept(a->c->body, "email", 254, &email);
    odp_page_text(v, "lost", odp_buffer_cstr(&email));
    odp_form_release(&email);
    /* Who has a key already gets the link to recover it, if this portal sends mail. */
    bool recovery = a->problem == ODP_PROBLEM_EMAIL_REGISTERED && a->s->options != NULL &&
                    a->s->options->sendmail != NULL;
    json_object_set_new(v, "recovery", json_boolean(recovery));
    return odp_answer_page(a, a->status, "register_again", v);
}

enum odp_status odp_endpoint_register(struct odp_answer *a)
{
    struct odp_member_value values[FIELDS];
    json_t *doc = NULL;
    enum odp_status st = odp_http_body(a, &(struct odp_body_members){fields, FIELDS, values}, &doc);
    if (st == ODP_OK && odp_http_allowed(a, ODP_LIMIT_REGISTER, true))
        st = issue(a, values);
    json_decref(doc);
    return a->problem >= 0 && st != ODP_FAIL && odp_http_is_form(a->c) ? form_again(a) : st;
}

/* ---- asking for a link ---- */

/* The same answer, as fast, whether or not the address is registered: the mailer does the work later. */
static enum odp_status ask(struct odp_answer *a, struct odp_slice email)
{
    if (a->s->options->sendmail == NULL) {
        odp_answer_problem(a, ODP_PROBLEM_NOT_IMPLEMENTED, NULL,
                           odp_say(a->c, W_accounts_portal_sends_no_mail_write));
        return ODP_BAD;
    }
    if (odp_http_mail_allowed(a, ODP_LIMIT_RECOVER_EMAIL, email) &&
        odp_mail_recovery(a->s, email, a->c->lang, a->c->now) == ODP_FAIL)
        return ODP_FAIL;
    const char *message = odp_page_word(a, "asked_text");
    if (odp_http_is_form(a->c)) {
        const struct odp_notice notice = {202, odp_page_word(a, "asked_title"), message, .error = false};
        return odp_answer_notice(a, &notice);
    }
    odp_answer_header(a, "Cache-Control", "no-store");
    return odp_answer_data_take(a, 202, json_pack("{s:s}", "message", message));
}

enum odp_status odp_endpoint_recover(struct odp_answer *a)
{
    static const struct odp_member email[] = {{"email", ODP_FIELD_EMAIL, true, 254}};
    struct odp_member_value value;
    json_t *doc = NULL;
    enum odp_status st = odp_http_body(a, &(struct odp_body_members){email, 1, &value}, &doc);
    if (st == ODP_OK && odp_http_allowed(a, ODP_LIMIT_RECOVER, true))
        st = ask(a, value.text);
    json_decref(doc);
    return st;
}

/* ---- the pages that links lead to ---- */

static enum odp_status bad_link(struct odp_answer *a, int status)
{
    const struct odp_text *detail = &odp_problem_info(ODP_PROBLEM_TOKEN)->words.detail;
    const struct odp_notice notice = {status, odp_page_word(a, "link_title"),
                                      odp_text_get(detail, a->c->lang), .error = true};
    return odp_answer_notice(a, &notice);
}

static enum odp_status page(struct odp_answer *a, const char *which)
{
    struct odp_buffer token = {0};
    bool good = odp_form_get(a->c->query, "token", &token) == 1 && odp_token_ok(odp_buffer_slice(&token));
    enum odp_status st =
        good ? odp_answer_page(a, 200, which, json_pack("{s:s}", "token", odp_buffer_cstr(&token)))
             : bad_link(a, 400);
    odp_form_release(&token);
    return st;
}

enum odp_status odp_endpoint_recover_page(struct odp_answer *a)
{
    return page(a, "recover");
}

enum odp_status odp_endpoint_confirm_page(struct odp_answer *a)
{
    return page(a, "confirm");
}

/* ---- redeeming ---- */

static enum odp_status tell_redeemed(void *ctx, const struct odp_issued *k)
{
    const struct odp_reply *r = ctx;
    bool form = odp_http_is_form(r->a->c);
    if (form && r->recover)
        return odp_answer_issued(r->a, 200, &(struct odp_issue_words){.why = ODP_ISSUE_RECOVERED, .key = k});
    if (form)
        return odp_answer_page(r->a, 200, "confirmed", json_object());
    if (r->recover)
        return odp_answer_new_key(r, k,
                                  json_pack("{s:s, s:o, s:b}", "key", k->key, "expires",
                                            odp_json_time(k->record.until, zone_of(r->a->s)),
                                            "email_confirmed", 1));
    odp_answer_header(r->a, "Cache-Control", "no-store");
    return odp_answer_data_take(r->a, 200, json_pack("{s:b}", "email_confirmed", 1));
}

static enum odp_status redeem(struct odp_answer *a, const char *purpose)
{
    char token[64] = "";
    struct odp_issued k = {0};
    if (!odp_http_allowed(a, ODP_LIMIT_FAILED, false))
        return ODP_BAD;
    enum odp_status st = odp_http_token(a, token);
    if (st == ODP_OK) {
        struct odp_reply r = {a, .recover = strcmp(purpose, "recover") == 0};
        struct odp_order o = {.actor = "api", .now = a->c->now, .telling = {tell_redeemed, &r}};
        st = odp_keys_redeem(a->s, &o, purpose, odp_slice_of(token), &k);
        if (st == ODP_BAD) {
            odp_http_failed_attempt(a);
            odp_answer_problem(a, o.problem, NULL, NULL);
        }
    }
    explicit_bzero(&k, sizeof k);
    explicit_bzero(token, sizeof token);
    /* A person with a form gets a page also when it went wrong; what is wrong with a link has a page of its
     * own. */
    return st == ODP_BAD && odp_http_is_form(a->c) && a->problem == ODP_PROBLEM_TOKEN ? bad_link(a, a->status)
                                                                                      : st;
}

enum odp_status odp_endpoint_redeem(struct odp_answer *a)
{
    return redeem(a, "recover");
}

enum odp_status odp_endpoint_confirm(struct odp_answer *a)
{
    return redeem(a, "confirm");
}
