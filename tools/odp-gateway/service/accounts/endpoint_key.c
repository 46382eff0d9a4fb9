/* A holder's own key. /auth/key and /auth/rotate answer programs; /auth/key/view, /auth/key/rotate,
 * /auth/key/revoke are forms, for browsers without scripts: the key travels in the body, so that no address,
 * history or log has it, and what is answered is a page. Who has the key may do all of it, so there is
 * nothing that a foreign page could do in somebody's name; its posts are refused all the same. */
#include <stdio.h>
#include <string.h>

#include "core/page.h"
#include "service/accounts/page_key.h"
#include "words/accounts.h"

enum { KEY_TYPED = 200, HOUR = 3600 };

/* ---- for programs ---- */

enum odp_status odp_endpoint_key(struct odp_answer *a)
{
    struct odp_caller who;
    uint64_t counts[ODP_USAGE_DAYS];
    int64_t first;
    enum odp_status st = odp_http_caller(a, &who);
    if (st == ODP_OK)
        st = odp_http_usage(a->s, &who, counts, &first);
    if (st != ODP_OK)
        return st;
    json_t *usage = json_array();
    for (int i = 0; i < ODP_USAGE_DAYS; i++) {
        char date[ODP_TIME_SIZE];
        odp_day_iso(first + i, date);
        json_array_append_new(usage,
                              json_pack("{s:s, s:I}", "date", date, "requests", (json_int_t)counts[i]));
    }
    const struct odp_key_info *k = &who.info;
    int32_t zone = who.settings.zone_minutes;
    json_t *row = odp_http_key_row(&who.settings, who.grant.tier, k->used, a->c->now);
    json_object_update_new(row, json_pack("{s:s, s:s, s:o, s:o, s:b, s:o}", "key", k->shown, "state",
                                          k->state, "created", odp_json_time(k->created, zone), "expires",
                                          odp_json_time(k->until, zone), "email_confirmed",
                                          (int)k->email_confirmed, "usage", usage));
    odp_answer_header(a, "Cache-Control", "private, no-store");
    return odp_answer_data_take(a, 200, row);
}

enum odp_status odp_endpoint_revoke(struct odp_answer *a)
{
    struct odp_caller who;
    struct odp_order o = {.actor = "api", .now = a->c->now};
    enum odp_status st = odp_http_caller(a, &who);
    if (st != ODP_OK)
        return st;
    /* The answer first: when there is no memory for it, nothing has happened. */
    st = odp_answer_data_take(a, 200, json_pack("{s:s, s:s}", "key", who.info.shown, "state", "revoked"));
    if (st == ODP_OK)
        st = odp_keys_set_state(a->s, &o, who.info.id, ODP_KEY_REVOKED);
    if (st == ODP_BAD)
        odp_answer_problem(a, o.problem, NULL, NULL);
    if (st == ODP_OK)
        odp_answer_header(a, "Cache-Control", "no-store");
    return st;
}

enum odp_status odp_answer_new_key(const struct odp_reply *r, const struct odp_issued *k, json_t *more)
{
    struct odp_settings settings;
    odp_http_settings(r->a->s, &settings);
    json_t *row =
        odp_http_key_row(&settings, k->record.tier, r->who != NULL ? r->who->info.used : 0, r->a->c->now);
    json_object_update_new(row, more);
    odp_answer_header(r->a, "Cache-Control", "no-store");
    return odp_answer_data_take(r->a, 201, row);
}

static enum odp_status tell_rotated(void *ctx, const struct odp_issued *k)
{
    const struct odp_reply *r = ctx;
    int64_t now = r->a->c->now;
    int32_t zone = r->who->settings.zone_minutes;
    return odp_answer_new_key(r, k,
                              json_pack("{s:s, s:o, s:o, s:o}", "key", k->key, "created",
                                        odp_json_time(now, zone), "expires",
                                        odp_json_time(k->record.until, zone), "previous_valid_until",
                                        odp_json_time(now + r->grace, zone)));
}

/* A new key in place of R->who's, which goes on for R->grace seconds; TELL answers, and gets R. BAD:
 * answered. */
static enum odp_status rotate(struct odp_reply *r,
                              enum odp_status (*tell)(void *ctx, const struct odp_issued *k))
{
    struct odp_order o = {.actor = "api", .now = r->a->c->now, .telling = {tell, r}};
    struct odp_issued k = {0};
    if (strcmp(r->who->info.state, "active") != 0) {
        odp_answer_problem(r->a, ODP_PROBLEM_CONFLICT, NULL,
                           odp_say(r->a->c, W_accounts_key_replaced_already_use_one));
        return ODP_BAD;
    }
    enum odp_status st = odp_keys_rotate(r->a->s, &o, r->who->digest, r->grace, &k);
    if (st == ODP_BAD)
        odp_answer_problem(r->a, o.problem, NULL, NULL);
    explicit_bzero(&k, sizeof k);
    return st;
}

/* The operators' grace in seconds, and how many hours a body may ask for at most. */
static int64_t longest_grace(const struct odp_state *s)
{
    return s->options->grace > 0 ? s->options->grace : 0;
}

static struct odp_member grace_field(const struct odp_state *s)
{
    return (struct odp_member){"grace_hours", ODP_FIELD_NUMBER, false, (longest_grace(s) + HOUR - 1) / HOUR};
}

static int64_t grace_of(const struct odp_state *s, const struct odp_member_value *asked)
{
    int64_t grace = longest_grace(s);
    return asked->number >= 0 && asked->number * HOUR < grace ? asked->number * HOUR : grace;
}

enum odp_status odp_endpoint_rotate(struct odp_answer *a)
{
    struct odp_caller who;
    struct odp_member_value value;
    json_t *doc = NULL;
    const struct odp_member field = grace_field(a->s);
    enum odp_status st = odp_http_caller(a, &who);
    if (st == ODP_OK)
        st = odp_http_body(a, &(struct odp_body_members){&field, 1, &value}, &doc);
    if (st == ODP_OK)
        st = rotate(&(struct odp_reply){a, .who = &who, .grace = grace_of(a->s, &value)}, tell_rotated);
    json_decref(doc);
    return st;
}

/* ---- by forms ---- */

struct asked {
    char key[ODP_KEY_LENGTH + 1], header[ODP_KEY_LENGTH + 16];
    struct odp_caller who;
    struct odp_member_value values[2]; /* the key, and what else the form has */
};

/* A key as it is pasted: blanks around it were taken off, and it may come with its "Bearer ". */
static struct odp_slice bare(struct odp_slice typed)
{
    static const char scheme[] = "Bearer ";
    size_t n = sizeof scheme - 1;
    if (typed.len <= n || !odp_slice_is_nocase((struct odp_slice){typed.ptr, n}, scheme))
        return typed;
    return odp_slice_trim((struct odp_slice){typed.ptr + n, typed.len - n});
}

/* The form's key, found and not refused. FIELDS: the key first, N in all. BAD: answered. */
static enum odp_status ask(struct odp_answer *a, const struct odp_member *fields, size_t n, struct asked *q)
{
    json_t *doc = NULL;
    const struct odp_call *sent = a->c;
    struct odp_call call = *sent;
    if (odp_http_foreign(a)) {
        odp_answer_problem(a, ODP_PROBLEM_FORBIDDEN, NULL,
                           odp_say(a->c, W_accounts_form_sent_by_another_site));
        return ODP_BAD;
    }
    enum odp_status st = odp_http_body(a, &(struct odp_body_members){fields, n, q->values}, &doc);
    struct odp_slice key = st == ODP_OK ? bare(q->values[0].text) : (struct odp_slice){"", 0};
    if (st == ODP_OK && (key.len != ODP_KEY_LENGTH || !odp_key_ok(key))) {
        odp_answer_problem(a, ODP_PROBLEM_KEY_MALFORMED, "key", NULL);
        st = ODP_BAD;
    }
    if (st == ODP_OK) {
        (void)snprintf(q->key, sizeof q->key, "%.*s", (int)key.len, key.ptr);
        (void)snprintf(q->header, sizeof q->header, "Bearer %s", q->key);
        call.authorization = odp_slice_of(q->header);
        a->c = &call;
        st = odp_http_caller(a, &q->who);
        a->c = sent;
    }
    /* What follows needs no texts but the key: of a confirmation only whether it is there. */
    q->values[0].text = (struct odp_slice){"", 0};
    for (size_t i = 1; i < n; i++)
        q->values[i].text = (struct odp_slice){"", q->values[i].text.len};
    json_decref(doc);
    return st;
}

/* What is left of it is wiped; a problem becomes a page. */
static enum odp_status end(struct odp_answer *a, enum odp_status st, struct asked *q)
{
    explicit_bzero(q, sizeof *q);
    return st == ODP_BAD && a->problem >= 0 ? odp_page_key_again(a) : st;
}

enum odp_status odp_endpoint_form_view(struct odp_answer *a)
{
    static const struct odp_member fields[] = {{"key", ODP_FIELD_TEXT, true, KEY_TYPED}};
    struct asked q = {0};
    enum odp_status st = ask(a, fields, 1, &q);
    if (st == ODP_OK)
        st = odp_page_key(a, &q.who, q.key);
    return end(a, st, &q);
}

static enum odp_status show_rotated(void *ctx, const struct odp_issued *k)
{
    const struct odp_reply *r = ctx;
    return odp_answer_issued(
        r->a, 201,
        &(struct odp_issue_words){.why = ODP_ISSUE_ROTATED,
                                  .key = k,
                                  .previous_until = r->grace > 0 ? r->a->c->now + r->grace : 0});
}

enum odp_status odp_endpoint_form_rotate(struct odp_answer *a)
{
    const struct odp_member fields[] = {{"key", ODP_FIELD_TEXT, true, KEY_TYPED}, grace_field(a->s)};
    struct asked q = {0};
    enum odp_status st = ask(a, fields, 2, &q);
    if (st == ODP_OK)
        st = rotate(&(struct odp_reply){a, .who = &q.who, .grace = grace_of(a->s, &q.values[1])},
                    show_rotated);
    return end(a, st, &q);
}

enum odp_status odp_endpoint_form_revoke(struct odp_answer *a)
{
    static const struct odp_member fields[] = {{"key", ODP_FIELD_TEXT, true, KEY_TYPED},
                                               {"confirm", ODP_FIELD_TEXT, false, 8}};
    struct odp_order o = {.actor = "api", .now = a->c->now};
    struct asked q = {0};
    enum odp_status st = ask(a, fields, 2, &q);
    if (st == ODP_OK && q.values[1].text.len == 0) {
        st = odp_page_revoke(a, &q.who, q.key);
        return end(a, st, &q);
    }
    if (st == ODP_OK) /* first: when there is no memory for it, nothing has happened */
        st = odp_page_revoked(a, &q.who);
    if (st == ODP_OK) {
        st = odp_keys_set_state(a->s, &o, q.who.info.id, ODP_KEY_REVOKED);
        if (st == ODP_BAD) {
            odp_buffer_reset(&a->headers);
            odp_answer_problem(a, o.problem, NULL, NULL);
        }
    }
    return end(a, st, &q);
}

/* ---- who comes without a form ---- */

bool odp_http_form_elsewhere(struct odp_answer *a)
{
    static const struct {
        const char *path, *id, *en;
    } forms[] = {{"/auth/register", "daftar.html", "en/register.html"},
                 {"/auth/key/view", "kunci-saya.html", "en/my-key.html"},
                 {"/auth/key/rotate", "kunci-saya.html", "en/my-key.html"},
                 {"/auth/key/revoke", "kunci-saya.html", "en/my-key.html"}};
    char to[64];
    if (!odp_slice_is(a->c->method, "GET") || !odp_page_wanted(ODP_LIT("/"), a->c->accept))
        return false;
    for (size_t i = 0; i < ODP_COUNT(forms); i++) {
        if (!odp_slice_is(a->c->path, forms[i].path))
            continue;
        const char *page = odp_page_link(a, forms[i].id, forms[i].en);
        if (page == NULL)
            return false;
        (void)snprintf(to, sizeof to, "%s%s", odp_page_root(a->c), page);
        a->status = 303;
        odp_answer_header(a, "Location", to);
        odp_answer_header(a, "Cache-Control", "no-store");
        return true;
    }
    return false;
}
