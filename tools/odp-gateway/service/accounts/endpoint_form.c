/* /auth/key/view, /auth/key/rotate, /auth/key/revoke: a holder's own key by forms, for browsers without scripts. The key travels
 * in the body, so that no address, history or log has it; what is answered is a page. Who has the key may do all of it, so there
 * is nothing that a foreign page could do in somebody's name; its posts are refused all the same. */
#include <stdio.h>
#include <string.h>

#include "core/page.h"
#include "service/accounts/page_key.h"
#include "words/accounts.h"

enum { KEY_TYPED = 200 };

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
static enum odp_status ask(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, const struct odp_member *fields, size_t n,
                           struct asked *q)
{
    json_t *doc = NULL;
    struct odp_call call = *c;
    if (odp_http_foreign(s, c)) {
        odp_answer_problem(a, s, c, ODP_PROBLEM_FORBIDDEN, NULL,
                           odp_say(c, W_accounts_form_sent_by_another_site));
        return ODP_BAD;
    }
    enum odp_status st = odp_http_body(s, c, a, fields, n, q->values, &doc);
    struct odp_slice key = st == ODP_OK ? bare(q->values[0].text) : (struct odp_slice){"", 0};
    if (st == ODP_OK && (key.len != ODP_KEY_LENGTH || !odp_key_ok(key))) {
        odp_answer_problem(a, s, c, ODP_PROBLEM_KEY_MALFORMED, "key", NULL);
        st = ODP_BAD;
    }
    if (st == ODP_OK) {
        (void)snprintf(q->key, sizeof q->key, "%.*s", (int)key.len, key.ptr);
        (void)snprintf(q->header, sizeof q->header, "Bearer %s", q->key);
        call.authorization = odp_slice_of(q->header);
        st = odp_http_caller(s, &call, a, &q->who);
    }
    /* What follows needs no texts but the key: of a confirmation only whether it is there. */
    q->values[0].text = (struct odp_slice){"", 0};
    for (size_t i = 1; i < n; i++)
        q->values[i].text = (struct odp_slice){"", q->values[i].text.len};
    json_decref(doc);
    return st;
}

/* What is left of it is wiped; a problem becomes a page. */
static enum odp_status end(struct odp_state *s, const struct odp_call *c, struct odp_answer *a, enum odp_status st, struct asked *q)
{
    explicit_bzero(q, sizeof *q);
    return st == ODP_BAD && a->problem >= 0 ? odp_page_key_again(a, s, c) : st;
}

enum odp_status odp_endpoint_form_view(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    static const struct odp_member fields[] = {{"key", ODP_FIELD_TEXT, true, KEY_TYPED}};
    struct asked q = {0};
    enum odp_status st = ask(s, c, a, fields, 1, &q);
    if (st == ODP_OK)
        st = odp_page_key(a, s, c, &q.who, q.key);
    return end(s, c, a, st, &q);
}

struct telling {
    struct odp_state *s;
    const struct odp_call *c;
    struct odp_answer *a;
    int64_t grace;
};

static enum odp_status tell_rotated(void *ctx, const struct odp_issued *k)
{
    const struct telling *t = ctx;
    return odp_answer_issued(
        t->a, t->s, t->c, 201,
        &(struct odp_issue_words){.why = ODP_ISSUE_ROTATED, .key = k, .previous_until = t->grace > 0 ? t->c->now + t->grace : 0});
}

enum odp_status odp_endpoint_form_rotate(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    int64_t grace = s->options->grace > 0 ? s->options->grace : 0;
    const struct odp_member fields[] = {{"key", ODP_FIELD_TEXT, true, KEY_TYPED},
                                        {"grace_hours", ODP_FIELD_NUMBER, false, (grace + 3599) / 3600}};
    struct asked q = {0};
    struct odp_issued k = {0};
    enum odp_status st = ask(s, c, a, fields, 2, &q);
    if (st == ODP_OK && q.values[1].number >= 0 && q.values[1].number * 3600 < grace)
        grace = q.values[1].number * 3600;
    struct telling t = {s, c, a, grace};
    if (st == ODP_OK)
        st = odp_http_rotate(s, c, a, &q.who, grace, &(struct odp_telling){tell_rotated, &t}, &k);
    explicit_bzero(&k, sizeof k);
    return end(s, c, a, st, &q);
}

enum odp_status odp_endpoint_form_revoke(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    static const struct odp_member fields[] = {{"key", ODP_FIELD_TEXT, true, KEY_TYPED}, {"confirm", ODP_FIELD_TEXT, false, 8}};
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    struct asked q = {0};
    enum odp_status st = ask(s, c, a, fields, 2, &q);
    if (st == ODP_OK && q.values[1].text.len == 0) {
        st = odp_page_revoke(a, s, c, &q.who, q.key);
        return end(s, c, a, st, &q);
    }
    if (st == ODP_OK) /* first: when there is no memory for it, nothing has happened */
        st = odp_page_revoked(a, s, c, &q.who);
    if (st == ODP_OK) {
        st = odp_keys_set_state(s, q.who.info.id, ODP_KEY_REVOKED, "api", c->now, NULL, &problem);
        if (st == ODP_BAD) {
            odp_buffer_reset(&a->headers);
            odp_answer_problem(a, s, c, problem, NULL, NULL);
        }
    }
    return end(s, c, a, st, &q);
}

/* ---- who comes without a form ---- */

bool odp_http_form_elsewhere(const struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    static const struct {
        const char *path, *id, *en;
    } forms[] = {{"/auth/register", "daftar.html", "en/register.html"},
                 {"/auth/key/view", "kunci-saya.html", "en/my-key.html"},
                 {"/auth/key/rotate", "kunci-saya.html", "en/my-key.html"},
                 {"/auth/key/revoke", "kunci-saya.html", "en/my-key.html"}};
    char to[64];
    if (!odp_slice_is(c->method, "GET") || !odp_page_wanted(ODP_LIT("/"), c->accept))
        return false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!odp_slice_is(c->path, forms[i].path))
            continue;
        const char *page = odp_page_link(s, c, forms[i].id, forms[i].en);
        if (page == NULL)
            return false;
        (void)snprintf(to, sizeof to, "%s%s", odp_page_root(c), page);
        a->status = 303;
        odp_answer_header(a, "Location", to);
        odp_answer_header(a, "Cache-Control", "no-store");
        return true;
    }
    return false;
}
