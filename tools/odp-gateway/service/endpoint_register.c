/* POST /auth/register: a public key at once. */
#include <string.h>

#include "service/http_inside.h"
#include "service/mail.h"

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

static enum odp_status issue(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, const struct odp_member_value *v)
{
    struct odp_registration r = {v[0].text, v[1].text, v[2].text, v[3].text};
    struct odp_issued k = {0};
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    bool mailed = false;
    enum odp_status st = odp_keys_register(s, &r, "api", c->now, &k, &problem);
    if (st == ODP_BAD)
        odp_answer_problem(a, s, c, problem, problem == ODP_PROBLEM_EMAIL_REGISTERED ? "email" : NULL, NULL);
    if (st == ODP_OK && s->web != NULL)
        odp_web_count(&s->web->registrations);
    if (st == ODP_OK && k.token[0] != '\0')
        mailed = odp_mail_link(s, k.email, "confirm", k.token, c->lang) == ODP_OK;
    if (st == ODP_OK)
        st = answer(s, c, a, &k, mailed);
    explicit_bzero(&k, sizeof k);
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
    return st;
}
