/* POST /auth/register: a public key at once. */
#include <string.h>

#include "service/accounts/mail.h"
#include "service/accounts/accounts_internal.h"

static const struct odp_member fields[] = {
    {"name", ODP_FIELD_TEXT, true, 200},
    {"email", ODP_FIELD_EMAIL, true, 254},
    {"organisation", ODP_FIELD_TEXT, false, 200},
    {"purpose", ODP_FIELD_TEXT, false, 1000},
};

static enum odp_status answer(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                              const struct odp_issued *k, bool mailed)
{
    struct odp_settings settings;
    if (odp_http_is_form(c))
        return odp_answer_issued(
            a, s, c, 201, &(struct odp_issue_words){.why = ODP_ISSUE_REGISTERED, .key = k, .mailed = mailed});
    odp_http_settings(s, &settings);
    json_t *row = odp_http_key_row(&settings, k->record.tier, 0, c->now);
    int e = row == NULL ? -1 : json_object_set_new(row, "key", json_string(k->key));
    if (e == 0)
        e = odp_json_time(row, "created", c->now, settings.zone_minutes) |
            odp_json_time(row, "expires", k->record.until, settings.zone_minutes) |
            json_object_set_new(row, "email_confirmed", json_false()) |
            json_object_set_new(row, "confirmation_sent", json_boolean(mailed));
    odp_answer_header(a, "Cache-Control", "no-store");
    if (e == 0)
        return odp_answer_data_take(a, 201, row);
    json_decref(row);
    return odp_failure_set("answer", NULL, 0);
}

struct telling {
    struct odp_state *s;
    const struct odp_call *c;
    struct odp_answer *a;
    bool mailed;
};

/* That a message was sent is said where one is going to be: whether the queue takes it is known when all is
 * done. */
static enum odp_status tell(void *ctx, const struct odp_issued *k)
{
    struct telling *t = ctx;
    t->mailed = k->token[0] != '\0' && t->s->options->sendmail != NULL &&
                odp_http_mail_allowed(t->s, t->c, ODP_LIMIT_CONFIRM_EMAIL, odp_slice_of(k->email));
    return answer(t->s, t->c, t->a, k, t->mailed);
}

/* The answer anew: no message is sent. Where there is no memory for that, the key is worth more than the
 * truth about the message. */
static enum odp_status unmailed(struct telling *t, const struct odp_issued *k)
{
    struct odp_answer other;
    odp_answer_init(&other);
    if (answer(t->s, t->c, &other, k, false) == ODP_OK) {
        struct odp_answer told = *t->a;
        *t->a = other;
        other = told;
    }
    odp_failure_clear();
    odp_answer_release(&other);
    return ODP_OK;
}

static enum odp_status issue(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                             const struct odp_member_value *v)
{
    struct odp_registration r = {v[0].text, v[1].text, v[2].text, v[3].text};
    struct odp_issued k = {0};
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    struct telling t = {s, c, a, false};
    enum odp_status st =
        odp_keys_register(s, &r, "api", c->now, &(struct odp_telling){tell, &t}, &k, &problem);
    if (st == ODP_BAD)
        odp_answer_problem(a, s, c, problem, problem == ODP_PROBLEM_EMAIL_REGISTERED ? "email" : NULL, NULL);
    if (st == ODP_OK && s->web != NULL)
        odp_web_count(&s->web->registrations);
    if (st == ODP_OK && t.mailed && odp_mail_link(s, "confirm", &k, c->lang) != ODP_OK)
        st = unmailed(&t, &k);
    explicit_bzero(&k, sizeof k);
    return st;
}

/* ---- the form again, with what was typed ---- */

/* ERROR: "email: …" begins with the name that programs know; the page puts the label in its place. */
static void set_field(struct odp_page_values *page, const struct odp_call *c, const struct odp_member *m,
                      const char *error)
{
    size_t n = strlen(m->name);
    struct odp_page_values v;
    struct odp_buffer typed;
    odp_buffer_init(&typed);
    odp_form_kept(c->body, m->name, (size_t)m->max * 2, &typed);
    odp_page_begin(&v);
    size_t kept = 0;
    for (size_t i = 0; i < typed.len; i++) /* of line ends LF is enough */
        if (typed.ptr[i] != '\r')
            typed.ptr[kept++] = typed.ptr[i];
    typed.len = kept;
    odp_page_text(&v, "value", odp_buffer_cstr(&typed));
    odp_page_set(&v, "max", json_sprintf("%d", (int)m->max));
    bool named = error != NULL && strncmp(error, m->name, n) == 0 && strchr(": ", error[n]) != NULL;
    odp_page_flag(&v, "named", named);
    if (error != NULL)
        odp_page_text(&v, "error", named ? error + n : error);
    page->failed = page->failed || v.failed;
    odp_page_set(page, m->name, v.json);
    odp_form_release(&typed);
}

static enum odp_status page_of_problem(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                                       enum odp_status st)
{
    char detail[ODP_PAGE_TEXT], field[48];
    struct odp_page_values v;
    struct odp_buffer email;
    bool named = false;
    if (st == ODP_FAIL)
        return st;
    odp_page_problem(a, s, c, detail, field);
    odp_page_begin(&v);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        bool guilty = strcmp(field, fields[i].name) == 0;
        set_field(&v, c, &fields[i], guilty ? detail : NULL);
        named = named || guilty;
    }
    if (!named)
        odp_page_text(&v, "detail", detail);
    odp_buffer_init(&email);
    odp_form_kept(c->body, "email", 254, &email);
    odp_page_text(&v, "lost", odp_buffer_cstr(&email));
    /* Who has a key already gets the link to recover it, if this portal sends mail. */
    odp_page_flag(&v, "recovery",
                  a->problem == ODP_PROBLEM_EMAIL_REGISTERED && s->options != NULL &&
                      s->options->sendmail != NULL);
    odp_form_release(&email);
    return odp_answer_page(a, s, c, a->status, "register_again", &v);
}

enum odp_status odp_endpoint_register(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    struct odp_member_value values[sizeof fields / sizeof fields[0]];
    json_t *doc = NULL;
    enum odp_status st = odp_http_body(s, c, a, fields, sizeof fields / sizeof fields[0], values, &doc);
    if (st == ODP_OK && odp_http_allowed(s, c, a, ODP_LIMIT_REGISTER, true))
        st = issue(s, c, a, values);
    json_decref(doc);
    return a->problem >= 0 && odp_http_is_form(c) ? page_of_problem(s, c, a, st) : st;
}
