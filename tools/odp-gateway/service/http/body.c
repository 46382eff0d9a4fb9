/* Bodies: one flat JSON object whose members are known, or a form. The first thing that is wrong is named and
 * refused; nothing is guessed, but blanks around text are removed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/json_load.h"
#include "service/http/body.h"
#include "service/http/form.h"
#include "service/http/text.h"
#include "service/accounts/mail.h"
#include "words/http.h"

enum { DETAIL = 240 };

/* The name of the member that ends right before POSITION, if the caller may see it again. */
static bool name_before(struct odp_slice body, size_t position, char out[40])
{
    size_t end = position <= body.len ? position : body.len;
    while (end > 0 && body.ptr[end - 1] != '"')
        end--;
    if (end < 2)
        return false;
    size_t start = end - 1;
    while (start > 0 && body.ptr[start - 1] != '"')
        start--;
    size_t n = end - 1 - start;
    if (start == 0 || n == 0 || n >= 40)
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned char ch = (unsigned char)body.ptr[start + i];
        if (!isalnum(ch) && ch != '_' && ch != '-')
            return false;
        out[i] = (char)ch;
    }
    out[n] = '\0';
    return true;
}

static void refuse_json(struct odp_answer *a, const json_error_t *e)
{
    char detail[DETAIL], name[40], line[16], column[16];
    (void)snprintf(line, sizeof line, "%d", e->line > 0 ? e->line : 1);
    (void)snprintf(column, sizeof column, "%d", e->column > 0 ? e->column : 1);
    if (json_error_code(e) == json_error_duplicate_key && e->position > 0 &&
        name_before(a->c->body, (size_t)e->position, name)) {
        odp_say_with(detail, sizeof detail, odp_say(a->c, W_http_field_there_twice_line_column), name, line,
                     column);
        odp_answer_problem(a, ODP_PROBLEM_JSON, name, detail);
        return;
    }
    odp_say_with(detail, sizeof detail, odp_say(a->c, W_http_json_cannot_read_at_line), line, column, "");
    odp_answer_problem(a, ODP_PROBLEM_JSON, NULL, detail);
}

static void refuse_unknown(struct odp_answer *a, const struct odp_member *fields, size_t n, const char *name)
{
    const char *names[ODP_FIELDS_MAX];
    char detail[DETAIL], shown[48];
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        names[i] = fields[i].name;
    const char *near = odp_word_nearest(odp_slice_of(name), names, n);
    bool clean = odp_typed_ok(odp_slice_of(name)) && strlen(name) < sizeof shown;
    (void)snprintf(shown, sizeof shown, "%s", clean ? name : "?");
    if (near != NULL)
        used = (size_t)snprintf(detail, sizeof detail, "%s%s? ",
                                odp_say(a->c, "Mungkin maksudnya ", "Did you mean "), near);
    used += (size_t)snprintf(detail + used, sizeof detail - used, "%s",
                             n > 0 ? odp_say(a->c, "Bidang yang dikenal: ", "Known fields: ")
                                   : odp_say(a->c, W_http_there_none));
    used = odp_say_names(detail, used, sizeof detail, names, n);
    (void)snprintf(detail + used, sizeof detail - used, "%s", n > 0 ? "." : "");
    odp_answer_problem(a, ODP_PROBLEM_FIELD_UNKNOWN, shown, detail);
}

static enum odp_status invalid(struct odp_answer *a, const struct odp_member *f, const char *id,
                               const char *en)
{
    char detail[DETAIL];
    (void)snprintf(detail, sizeof detail, "%s: %s", f->name, odp_say(a->c, id, en));
    odp_answer_problem(a, ODP_PROBLEM_FIELD_INVALID, f->name, detail);
    return ODP_BAD;
}

/* RULE has the name, what is the most, and the UNIT. */
static enum odp_status beyond(struct odp_answer *a, const struct odp_member *f, const char *rule,
                              const char *unit)
{
    char detail[DETAIL], number[24];
    (void)snprintf(number, sizeof number, "%lld", (long long)f->max);
    odp_say_with(detail, sizeof detail, rule, f->name, number, unit);
    odp_answer_problem(a, ODP_PROBLEM_FIELD_INVALID, f->name, detail);
    return ODP_BAD;
}

/* In a text a key would be in the store, its backups and lists. */
static bool has_key(struct odp_slice t)
{
    for (size_t i = 0; i + ODP_KEY_LENGTH <= t.len; i++)
        if (odp_key_ok((struct odp_slice){t.ptr + i, ODP_KEY_LENGTH}))
            return true;
    return false;
}

static enum odp_status read_text(struct odp_answer *a, const struct odp_member *f, const json_t *v,
                                 struct odp_member_value *value)
{
    if (!json_is_string(v))
        return invalid(a, f, W_http_must_text);
    struct odp_slice t = odp_slice_trim((struct odp_slice){json_string_value(v), json_string_length(v)});
    value->text = t;
    if (t.len == 0)
        return ODP_OK;
    if (!odp_typed_ok(t))
        return invalid(a, f, W_http_must_not_have_control_characters);
    if (strcmp(f->name, "key") != 0 && has_key(t)) /* the forms about a key ask for it */
        return invalid(a, f, W_http_must_not_have_api_key);
    if ((int64_t)odp_utf8_count(t) > f->max)
        return beyond(a, f, odp_say(a->c, W_http_at_most), odp_say(a->c, "karakter", "characters"));
    if (f->kind == ODP_FIELD_EMAIL && !odp_mail_address_ok(t))
        return invalid(a, f, W_http_not_e_mail_address_such);
    if (f->kind == ODP_FIELD_TOKEN && !odp_token_ok(t))
        return invalid(a, f, W_http_not_token_link);
    return ODP_OK;
}

static enum odp_status read_number(struct odp_answer *a, const struct odp_member *f, const json_t *v,
                                   struct odp_member_value *value)
{
    if (json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) <= f->max) {
        value->number = json_integer_value(v);
        return ODP_OK;
    }
    return beyond(a, f, odp_say(a->c, W_http_whole_number_from_0), "");
}

static enum odp_status read_bool(struct odp_answer *a, const struct odp_member *f, const json_t *v,
                                 struct odp_member_value *value)
{
    if (!json_is_boolean(v))
        return invalid(a, f, W_http_must_true_false);
    value->number = json_is_true(v);
    return ODP_OK;
}

enum odp_status odp_http_known(struct odp_answer *a, const struct odp_member *fields, size_t n, json_t *doc)
{
    const char *name;
    json_t *v;
    json_object_foreach(doc, name, v) if (odp_member_find(fields, n, name) == NULL)
    {
        refuse_unknown(a, fields, n, name);
        return ODP_BAD;
    }
    return ODP_OK;
}

static enum odp_status read_member(struct odp_answer *a, const struct odp_member *f, const json_t *v,
                                   struct odp_member_value *value)
{
    if (v == NULL || json_is_null(v))
        return ODP_OK;
    switch (f->kind) {
    case ODP_FIELD_NUMBER:
        return read_number(a, f, v, value);
    case ODP_FIELD_BOOL:
        return read_bool(a, f, v, value);
    default:
        return read_text(a, f, v, value);
    }
}

enum odp_status odp_http_member(struct odp_answer *a, const struct odp_member *field, const json_t *v,
                                struct odp_member_value *out)
{
    return read_member(a, field, v, out);
}

static enum odp_status read_fields(struct odp_answer *a, const struct odp_body_members *m, json_t *doc)
{
    struct odp_member_value *values = m->values;
    if (odp_http_known(a, m->fields, m->n, doc) != ODP_OK)
        return ODP_BAD;
    for (size_t i = 0; i < m->n; i++) {
        const struct odp_member *f = &m->fields[i];
        enum odp_status st = read_member(a, f, json_object_get(doc, f->name), &values[i]);
        if (st != ODP_OK)
            return st;
        if (f->required && values[i].text.len == 0 && values[i].number < 0) {
            char detail[DETAIL];
            (void)snprintf(detail, sizeof detail, "%s%s", f->name,
                           odp_say(a->c, " wajib diisi.", " is required."));
            odp_answer_problem(a, ODP_PROBLEM_FIELD_MISSING, f->name, detail);
            return ODP_BAD;
        }
    }
    return ODP_OK;
}

enum odp_status odp_http_json(struct odp_answer *a, json_t **doc)
{
    json_error_t error;
    *doc = odp_json_load(a->c->body.len > 0 ? a->c->body.ptr : "", a->c->body.len, JSON_REJECT_DUPLICATES,
                         &error);
    if (*doc == NULL) {
        if (json_error_code(&error) == json_error_out_of_memory)
            return odp_failure_set("json", NULL, 0);
        refuse_json(a, &error);
        return ODP_BAD;
    }
    if (!json_is_object(*doc)) {
        odp_answer_problem(a, ODP_PROBLEM_JSON, NULL, odp_say(a->c, W_http_send_json_object_from_line));
        return ODP_BAD;
    }
    return ODP_OK;
}

static enum odp_status read_form(struct odp_answer *a, const struct odp_member *fields, size_t n,
                                 json_t **doc)
{
    const char *guilty = NULL;
    enum odp_status st = odp_form_doc(a->c->body, fields, n, doc, &guilty);
    if (st == ODP_BAD)
        odp_answer_problem(a, ODP_PROBLEM_BAD_REQUEST, guilty,
                           odp_say(a->c, W_http_form_cannot_read_broken_characters));
    return st;
}

enum odp_status odp_http_body(struct odp_answer *a, const struct odp_body_members *m, json_t **doc)
{
    for (size_t i = 0; i < m->n; i++)
        m->values[i] = (struct odp_member_value){.text = {"", 0}, .number = -1};
    enum odp_status st = ODP_OK;
    if (odp_http_is_form(a->c))
        st = read_form(a, m->fields, m->n, doc);
    else if (a->c->body.len > 0)
        st = odp_http_json(a, doc);
    else if ((*doc = json_object()) == NULL)
        st = odp_failure_set("json", NULL, 0);
    return st == ODP_OK ? read_fields(a, m, *doc) : st;
}

bool odp_token_ok(struct odp_slice token)
{
    if (token.len < 8 || token.len > 63)
        return false;
    for (size_t i = 0; i < token.len; i++)
        if (!isalnum((unsigned char)token.ptr[i]) && token.ptr[i] != '-' && token.ptr[i] != '_')
            return false;
    return true;
}

enum odp_status odp_http_token(struct odp_answer *a, char token[64])
{
    static const struct odp_member fields[] = {{"token", ODP_FIELD_TOKEN, true, 63}};
    struct odp_member_value value;
    struct odp_buffer text = {0};
    json_t *doc = NULL;
    token[0] = '\0';
    if (!odp_http_is_form(a->c)) {
        enum odp_status st = odp_http_body(a, &(struct odp_body_members){fields, 1, &value}, &doc);
        if (st == ODP_OK)
            (void)snprintf(token, 64, "%.*s", (int)value.text.len, value.text.ptr);
        json_decref(doc);
        return st;
    }
    if (odp_form_get(a->c->body, "token", &text) == 1 && odp_token_ok(odp_buffer_slice(&text)))
        (void)snprintf(token, 64, "%s", odp_buffer_cstr(&text));
    enum odp_status st = odp_buffer_status(&text);
    odp_buffer_release(&text);
    if (st == ODP_OK && token[0] == '\0') {
        odp_answer_problem(a, ODP_PROBLEM_TOKEN, NULL, NULL);
        return ODP_BAD;
    }
    return st;
}
