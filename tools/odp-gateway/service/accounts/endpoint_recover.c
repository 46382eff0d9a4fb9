/* One-time links: asking for one, the pages behind them, redeeming. */
#include <stdio.h>
#include <string.h>

#include "service/accounts/mail.h"
#include "service/accounts/accounts_internal.h"
#include "words/accounts.h"

/* The same answer, as fast, whoever is registered: what is to be done is done by the mailer, later. */
static enum odp_status ask(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                           struct odp_slice email)
{
    if (s->options->sendmail == NULL) {
        odp_answer_problem(a, s, c, ODP_PROBLEM_NOT_IMPLEMENTED, NULL,
                           odp_say(c, W_accounts_portal_sends_no_mail_write));
        return ODP_BAD;
    }
    if (odp_http_mail_allowed(s, c, ODP_LIMIT_RECOVER_EMAIL, email) &&
        odp_mail_recovery(s, email, c->lang, c->now) == ODP_FAIL)
        return ODP_FAIL;
    const char *message = odp_page_word(s, c, "asked_text");
    if (odp_http_is_form(c))
        return odp_answer_notice(a, s, c, 202, odp_page_word(s, c, "asked_title"), message, false);
    odp_answer_header(a, "Cache-Control", "no-store");
    return odp_answer_data_take(a, 202, json_pack("{s:s}", "message", message));
}

enum odp_status odp_endpoint_recover(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    static const struct odp_member fields[] = {{"email", ODP_FIELD_EMAIL, true, 254}};
    struct odp_member_value value;
    json_t *doc = NULL;
    enum odp_status st = odp_http_body(s, c, a, fields, 1, &value, &doc);
    if (st == ODP_OK && odp_http_allowed(s, c, a, ODP_LIMIT_RECOVER, true))
        st = ask(s, c, a, value.text);
    json_decref(doc);
    return st;
}

static enum odp_status bad_link(const struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                                int status)
{
    return odp_answer_notice(a, s, c, status, odp_page_word(s, c, "link_title"),
                             odp_text_get(&odp_problem_info(ODP_PROBLEM_TOKEN)->words.detail, c->lang), true);
}

static enum odp_status page(const struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                            const char *which)
{
    struct odp_page_values v;
    struct odp_buffer token;
    odp_buffer_init(&token);
    enum odp_status st;
    if (odp_form_get(c->query, "token", &token) == 1 && odp_token_ok(odp_buffer_slice(&token))) {
        odp_page_begin(&v);
        odp_page_text(&v, "token", odp_buffer_cstr(&token));
        st = odp_answer_page(a, s, c, 200, which, &v);
    } else {
        st = bad_link(s, c, a, 400);
    }
    odp_form_release(&token);
    return st;
}

enum odp_status odp_endpoint_recover_page(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return page(s, c, a, "recover");
}

enum odp_status odp_endpoint_confirm_page(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return page(s, c, a, "confirm");
}

/* Whoever guesses tokens is slowed down like whoever guesses keys. */
static void count_failed(struct odp_state *s, const struct odp_call *c)
{
    struct odp_answer unused;
    odp_answer_init(&unused);
    (void)odp_http_allowed(s, c, &unused, ODP_LIMIT_FAILED, true);
    odp_answer_release(&unused);
}

static enum odp_status answer_redeemed(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                                       bool recover, const struct odp_issued *k)
{
    struct odp_settings settings;
    struct odp_page_values v;
    if (odp_http_is_form(c) && recover)
        return odp_answer_issued(a, s, c, 200,
                                 &(struct odp_issue_words){.why = ODP_ISSUE_RECOVERED, .key = k});
    if (odp_http_is_form(c)) {
        odp_page_begin(&v);
        return odp_answer_page(a, s, c, 200, "confirmed", &v);
    }
    odp_answer_header(a, "Cache-Control", "no-store");
    if (!recover)
        return odp_answer_data_take(a, 200, json_pack("{s:b}", "email_confirmed", 1));
    odp_http_settings(s, &settings);
    json_t *row = odp_http_key_row(&settings, k->record.tier, 0, c->now);
    int e = row == NULL ? -1
                        : json_object_set_new(row, "key", json_string(k->key)) |
                              odp_json_time(row, "expires", k->record.until, settings.zone_minutes) |
                              json_object_set_new(row, "email_confirmed", json_true());
    if (e == 0)
        return odp_answer_data_take(a, 201, row);
    json_decref(row);
    return odp_failure_set("answer", NULL, 0);
}

/* A person with a form gets a page also when it went wrong; what is wrong with a link has a page of its own.
 */
static enum odp_status page_of_problem(const struct odp_state *s, const struct odp_call *c,
                                       struct odp_answer *a, enum odp_status st)
{
    if (st != ODP_BAD || !odp_http_is_form(c) || a->problem != ODP_PROBLEM_TOKEN)
        return st;
    return bad_link(s, c, a, a->status);
}

struct telling {
    struct odp_state *s;
    const struct odp_call *c;
    struct odp_answer *a;
    bool recover;
};

static enum odp_status tell(void *ctx, const struct odp_issued *k)
{
    const struct telling *t = ctx;
    return answer_redeemed(t->s, t->c, t->a, t->recover, k);
}

static enum odp_status redeem(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                              const char *purpose)
{
    char token[64] = "";
    struct odp_issued k = {0};
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    if (!odp_http_allowed(s, c, a, ODP_LIMIT_FAILED, false))
        return ODP_BAD;
    enum odp_status st = odp_http_token(s, c, a, token);
    if (st == ODP_OK) {
        struct telling t = {s, c, a, strcmp(purpose, "recover") == 0};
        st = odp_keys_redeem(s, purpose, odp_slice_of(token), c->now, &(struct odp_telling){tell, &t},
                                     &k, &problem);
        if (st == ODP_BAD) {
            count_failed(s, c);
            odp_answer_problem(a, s, c, problem, NULL, NULL);
        }
    }
    explicit_bzero(&k, sizeof k);
    explicit_bzero(token, sizeof token);
    return page_of_problem(s, c, a, st);
}

enum odp_status odp_endpoint_redeem(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return redeem(s, c, a, "recover");
}

enum odp_status odp_endpoint_confirm(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    return redeem(s, c, a, "confirm");
}
