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

static enum odp_status answer(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, const struct odp_issued *k,
                              bool mailed)
{
    struct odp_settings settings;
    if (odp_http_is_form(c))
        return odp_answer_issued(a, s, c, 201, &(struct odp_issue_words){.why = ODP_ISSUE_REGISTERED, .key = k, .mailed = mailed});
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

/* That a message was sent is said where one is going to be: whether the queue takes it is known when all is done. */
static enum odp_status tell(void *ctx, const struct odp_issued *k)
{
    struct telling *t = ctx;
    t->mailed = k->token[0] != '\0' && t->s->options->sendmail != NULL &&
                odp_http_mail_allowed(t->s, t->c, ODP_LIMIT_CONFIRM_EMAIL, odp_slice_of(k->email));
    return answer(t->s, t->c, t->a, k, t->mailed);
}

/* The answer anew: no message is sent. Where there is no memory for that, the key is worth more than the truth about the message. */
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

static enum odp_status issue(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, const struct odp_member_value *v)
{
    struct odp_registration r = {v[0].text, v[1].text, v[2].text, v[3].text};
    struct odp_issued k = {0};
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    struct telling t = {s, c, a, false};
    enum odp_status st = odp_keys_register_telling(s, &r, "api", c->now, &(struct odp_telling){tell, &t}, &k, &problem);
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

struct input {
    const struct odp_member *member;
    struct odp_text label, help;
    const char *attributes;
};

static const struct input inputs[] = {
    {&fields[0], {{"Nama", "Name"}}, {{"", ""}}, "type=\"text\" autocomplete=\"name\""},
    {&fields[1],
     {{"Alamat surel", "E-mail address"}},
     {{"Hanya untuk mengurus kunci Anda, misalnya memulihkannya.", "Only to look after your key, for example to recover it."}},
     "type=\"email\" autocomplete=\"email\" spellcheck=\"false\""},
    {&fields[2], {{"Instansi atau organisasi (boleh kosong)", "Organisation (optional)"}}, {{"", ""}}, "type=\"text\" autocomplete=\"organization\""},
    {&fields[3],
     {{"Keperluan (boleh kosong)", "Purpose (optional)"}},
     {{"Membantu kami memahami siapa memakai data ini.", "Helps us to understand who uses the data."}},
     NULL}, /* a textarea */
};

/* "email: …" begins with the name that programs know; people know the label. */
static void write_error(struct odp_buffer *b, const struct odp_call *c, const struct input *in, const char *detail)
{
    const char *label = odp_text_get(&in->label, c->lang), *end = strstr(label, " (");
    size_t n = strlen(in->member->name);
    odp_buffer_printf(b, "<p class=\"error\" id=\"%s-error\">", in->member->name);
    if (strncmp(detail, in->member->name, n) == 0 && strchr(": ", detail[n]) != NULL) {
        odp_buffer_add(b, label, end != NULL ? (size_t)(end - label) : strlen(label));
        detail += n;
    }
    odp_page_text(b, "", detail, "</p>\n");
}

static void write_input(struct odp_buffer *b, const struct odp_call *c, const struct input *in, const char *error)
{
    const struct odp_member *m = in->member;
    const char *help = odp_text_get(&in->help, c->lang);
    struct odp_buffer typed;
    odp_buffer_init(&typed);
    odp_form_kept(c->body, m->name, (size_t)m->max * 2, &typed);
    odp_buffer_printf(b, "<div class=\"field\"><label for=\"%s\">", m->name);
    odp_page_text(b, "", odp_text_get(&in->label, c->lang), "</label>\n");
    odp_buffer_printf(b, in->attributes != NULL ? "<input %s" : "<textarea rows=\"4\"%s", in->attributes != NULL ? in->attributes : "");
    odp_buffer_printf(b, " id=\"%s\" name=\"%s\" maxlength=\"%d\"%s", m->name, m->name, (int)m->max, m->required ? " required" : "");
    if (error != NULL || help[0] != '\0')
        odp_buffer_printf(b, " aria-describedby=\"%s%s%s%s%s\"", help[0] != '\0' ? m->name : "", help[0] != '\0' ? "-help" : "",
                          error != NULL && help[0] != '\0' ? " " : "", error != NULL ? m->name : "", error != NULL ? "-error" : "");
    odp_buffer_add_str(b, error != NULL ? " aria-invalid=\"true\"" : "");
    odp_buffer_add_str(b, in->attributes != NULL ? " value=\"" : ">\n"); /* the first line end of a textarea is not its text */
    odp_html_add(b, odp_buffer_slice(&typed));
    odp_buffer_add_str(b, in->attributes != NULL ? "\">\n" : "</textarea>\n");
    if (help[0] != '\0') {
        odp_buffer_printf(b, "<p class=\"help\" id=\"%s-help\">", m->name);
        odp_page_text(b, "", help, "</p>\n");
    }
    if (error != NULL)
        write_error(b, c, in, error);
    odp_buffer_add_str(b, "</div>\n");
    odp_form_release(&typed);
}

/* Who has a key already gets the link to recover it, if this portal sends mail. */
static void write_recovery(struct odp_buffer *b, const struct odp_state *s, const struct odp_call *c)
{
    struct odp_buffer email;
    if (s->options == NULL || s->options->sendmail == NULL)
        return;
    odp_buffer_init(&email);
    odp_form_kept(c->body, "email", 254, &email);
    odp_page_say(b, c, "<h2>", "Kuncinya hilang?", "Lost the key?", "</h2>\n");
    odp_page_form(b, c, "recover", NULL);
    odp_page_text(b, "<input type=\"hidden\" name=\"email\" value=\"", odp_buffer_cstr(&email), "\">\n");
    odp_page_say(b, c, "<p><button type=\"submit\" class=\"button-secondary\">", "Kirim tautan pemulihan ke alamat ini",
                 "Send a link to recover it to this address", "</button></p>\n</form>\n");
    odp_buffer_release(&email);
}

static enum odp_status page_of_problem(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, enum odp_status st)
{
    char detail[ODP_PAGE_TEXT], field[48];
    struct odp_buffer b;
    const char *title = odp_say(c, "Pendaftaran belum berhasil", "Not registered yet");
    bool named = false;
    if (st == ODP_FAIL)
        return st;
    odp_page_problem(a, c, detail, field);
    odp_buffer_init(&b);
    odp_page_text(&b, "<h1>", title, "</h1>\n");
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        named |= strcmp(field, inputs[i].member->name) == 0;
    if (named)
        odp_page_say(&b, c, "<p class=\"notice notice-error\" role=\"alert\">", "Satu isian perlu diperbaiki; yang lain tetap tersimpan di bawah ini.",
                     "One field needs mending; what you typed into the others is still there.", "</p>\n");
    else
        odp_page_text(&b, "<p class=\"notice notice-error\" role=\"alert\">", detail, "</p>\n");
    odp_page_form(&b, c, "register", NULL);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        write_input(&b, c, &inputs[i], strcmp(field, inputs[i].member->name) == 0 ? detail : NULL);
    odp_page_say(&b, c, "<p><button type=\"submit\">", "Daftar", "Register", "</button></p>\n</form>\n");
    if (a->problem == ODP_PROBLEM_EMAIL_REGISTERED)
        write_recovery(&b, s, c);
    st = odp_answer_html(a, s, c, a->status, title, &b);
    odp_form_release(&b);
    return st;
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
