/* Calls of /v1/webhooks: who calls, how often, what is wrong; and how answers are written. A body with a
 * secret is made in one piece of memory, which is wiped. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "service/webhooks/endpoint_internal.h"
#include "words/webhooks.h"

enum { DETAIL = 640 };

static bool name_ok(struct odp_slice name)
{
    if (name.len != ODP_WEBHOOK_NAME - 1 || memcmp(name.ptr, "wh_", 3) != 0)
        return false;
    for (size_t i = 3; i < name.len; i++)
        if (!isalnum((unsigned char)name.ptr[i]))
            return false;
    return true;
}

static void take(struct webhook_call *x, enum odp_limit_kind kind, int64_t hourly)
{
    char account[24];
    int64_t retry = 0;
    (void)snprintf(account, sizeof account, "%lld", (long long)x->who.info.account);
    if (x->st != ODP_OK || odp_limit_take(x->a->s->web->limit, kind, odp_slice_of(account), hourly,
                                          odp_call_ms(x->a->c), &retry))
        return;
    odp_answer_wait(x->a, ODP_PROBLEM_WEBHOOK_RATE, retry);
    x->st = ODP_BAD;
}

void webhook_call_count(struct webhook_call *x)
{
    take(x, ODP_LIMIT_WEBHOOK_TEST, ODP_WEBHOOK_TESTS);
}

/* A key is in the address, as the module judges (core/keys/key.h), or the module has found one and masked
 * it. */
static bool has_key(struct webhook_call *x, struct odp_slice query)
{
    char *copy = odp_arena_printf(&x->arena, "?%.*s", (int)query.len, query.len > 0 ? query.ptr : "");
    return odp_key_is_in(query) || (odp_key_redact(copy, strlen(copy)) > 0 && odp_slice_is(query, copy + 1));
}

static void begin(struct webhook_call *x, bool writes)
{
    struct odp_slice name = x->a->c->segments[0];
    if (x->w == NULL) {
        odp_answer_problem(x->a, ODP_PROBLEM_NOT_IMPLEMENTED, NULL,
                           odp_say(x->a->c, W_webhooks_portal_sends_no_webhooks_new));
        x->st = ODP_BAD;
        return;
    }
    if (has_key(x, x->a->c->query)) {
        webhook_call_refuse(x, ODP_PROBLEM_KEY_IN_QUERY, NULL);
        return;
    }
    x->st = odp_http_caller(x->a, &x->who);
    if (writes)
        take(x, ODP_LIMIT_WEBHOOK_CHANGE, ODP_WEBHOOK_CHANGES);
    else
        take(x, ODP_LIMIT_WEBHOOK_READ, ODP_WEBHOOK_READS);
    if (name.len > 0 && name_ok(name))
        memcpy(x->name, name.ptr, name.len);
    else if (name.len > 0)
        webhook_call_refuse(x, ODP_PROBLEM_NOT_FOUND, NULL);
    if (writes)
        webhook_call_parameters(x, NULL, NULL, 0);
}

enum odp_status webhook_call_run(struct webhook_call *x, bool writes, void (*f)(struct webhook_call *x))
{
    x->w = x->a->s->web != NULL ? x->a->s->web->webhooks : NULL;
    odp_arena_init(&x->arena);
    begin(x, writes);
    if (x->st == ODP_OK)
        f(x);
    json_decref(x->doc);
    odp_arena_release(&x->arena);
    explicit_bzero(x->act.secret, sizeof x->act.secret);
    return x->st;
}

static enum odp_status answer_early(void *ctx, const struct odp_issued *none)
{
    struct webhook_call *x = ctx;
    return x->answer(x);
}

void webhook_call_act(struct webhook_call *x,
                      enum odp_status (*f)(struct odp_webhooks *w, struct odp_webhook_act *o),
                      enum odp_status (*answer)(struct webhook_call *x), const char *conflict)
{
    const struct odp_telling telling = {answer_early, x};
    if (x->st != ODP_OK)
        return;
    x->answer = answer;
    x->act.name = x->name;
    x->act.account = x->who.info.account;
    x->act.actor = "api";
    x->act.now_ms = odp_call_ms(x->a->c);
    x->act.tell = answer != NULL ? &telling : NULL;
    x->st = f(x->w, &x->act);
    if (x->st != ODP_BAD)
        return;
    odp_buffer_reset(&x->a->headers); /* of an answer that came too early */
    x->st = ODP_OK;
    webhook_call_refuse(x, x->act.problem, conflict);
}

/* ---- refusals ---- */

static void refuse_limit(struct webhook_call *x)
{
    char more[32] = "";
    int64_t limit;
    if (odp_webhooks_limit(x->w, x->who.info.tier, &limit))
        (void)snprintf(more, sizeof more, "\"limit\":%lld", (long long)limit);
    odp_answer_problem_more(x->a, ODP_PROBLEM_WEBHOOK_LIMIT, more[0] != '\0' ? more : NULL, NULL);
}

void webhook_call_refuse(struct webhook_call *x, enum odp_problem p, const char *conflict)
{
    const char *detail = p == ODP_PROBLEM_CONFLICT ? conflict : NULL;
    if (x->st != ODP_OK)
        return;
    x->st = ODP_BAD;
    if (p == ODP_PROBLEM_NOT_FOUND)
        detail = odp_say(x->a->c, W_webhooks_keys_account_has_no_such);
    if (p == ODP_PROBLEM_WEBHOOK_LIMIT)
        refuse_limit(x);
    else if (p == ODP_PROBLEM_WEBHOOK_RATE) /* of the host, which others call, too */
        odp_answer_wait(x->a, p, 600);
    else if (p == ODP_PROBLEM_UNAVAILABLE) /* the site is still being read */
        odp_answer_wait(x->a, p, 5);
    else
        odp_answer_problem(x->a, p, NULL, detail);
}

void webhook_call_missing(struct webhook_call *x, const char *field, const char *detail)
{
    odp_answer_problem(x->a, ODP_PROBLEM_FIELD_MISSING, field, detail);
    x->st = ODP_BAD;
}

void webhook_call_invalid(struct webhook_call *x, const char *field, const char *text)
{
    char detail[DETAIL];
    (void)snprintf(detail, sizeof detail, "%s: %s", field, text);
    odp_answer_problem(x->a, ODP_PROBLEM_FIELD_INVALID, field, detail);
    x->st = ODP_BAD;
}

const char *webhook_shown(struct odp_slice text, char out[ODP_WEBHOOK_SHOWN])
{
    bool clean = text.len > 0 && text.len < ODP_WEBHOOK_SHOWN && odp_typed_ok(text);
    (void)snprintf(out, ODP_WEBHOOK_SHOWN, "%.*s", clean ? (int)text.len : 1, clean ? text.ptr : "?");
    return out;
}

void webhook_call_bad_parameter(struct webhook_call *x, enum odp_problem p, const char *name,
                                const char *detail)
{
    struct odp_buffer more = {0};
    odp_json_add_str(&more, "\"parameter\":", name);
    odp_answer_problem_more(x->a, p, odp_buffer_cstr(&more), detail);
    x->st = odp_buffer_status(&more) == ODP_OK ? ODP_BAD : ODP_FAIL;
    odp_buffer_release(&more);
}

/* ---- parameters ---- */

static void refuse_unknown(struct webhook_call *x, struct odp_slice name, const char *const *names, size_t n)
{
    char list[DETAIL] = "", detail[DETAIL + 160], shown[ODP_WEBHOOK_SHOWN];
    (void)odp_say_names(list, 0, sizeof list, names, n);
    const char *near = odp_word_nearest(name, names, n);
    const char *text = near != NULL ? odp_say(x->a->c, W_webhooks_did_mean_parameter)
                                    : odp_say(x->a->c, W_webhooks_known_parameters);
    odp_say_with(detail, sizeof detail, n > 0 ? text : odp_say(x->a->c, W_webhooks_address_has_no_parameters),
                 odp_or_empty(near), list, "");
    struct odp_slice cut = {name.ptr, name.len < 48 ? name.len : 0};
    webhook_call_bad_parameter(x, ODP_PROBLEM_PARAMETER_UNKNOWN, webhook_shown(cut, shown), detail);
}

static void read_parameter(struct webhook_call *x, const char *name, struct odp_slice *value)
{
    struct odp_buffer text = {0};
    int times = odp_form_get(x->a->c->query, name, &text);
    x->st = odp_buffer_status(&text);
    *value = (struct odp_slice){NULL, 0};
    if (times == 1)
        *value = odp_arena_copy(&x->arena, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    if (x->st == ODP_OK && times != 0 && times != 1)
        webhook_call_bad_parameter(x, ODP_PROBLEM_PARAMETER_INVALID, name,
                                   odp_say(x->a->c, W_webhooks_send_parameter_once_with_whole));
}

void webhook_call_parameters(struct webhook_call *x, const char *const *names, struct odp_slice *values,
                             size_t n)
{
    struct odp_slice rest = x->a->c->query, name, value;
    while (x->st == ODP_OK && odp_form_next(&rest, &name, &value))
        if (name.len > 0 && odp_word_index(name, names, n) < 0)
            refuse_unknown(x, name, names, n);
    for (size_t i = 0; i < n && x->st == ODP_OK; i++)
        read_parameter(x, names[i], &values[i]);
}

void webhook_call_find(struct webhook_call *x, struct odp_webhook *out)
{
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    enum odp_status st = ODP_OK;
    if (x->st == ODP_OK)
        st = odp_webhook_find(x->w, x->name, x->who.info.account, out, &x->arena, &problem);
    if (st == ODP_BAD)
        webhook_call_refuse(x, problem, NULL);
    else if (st != ODP_OK)
        x->st = st;
}

/* ---- answers ---- */

void webhook_body_begin(struct webhook_call *x, int status)
{
    x->a->status = status;
    odp_answer_header(x->a, "Cache-Control", "private, no-store");
    odp_buffer_reset(&x->a->body);
    char *room = odp_buffer_reserve(&x->a->body, 2 * ODP_BODY_MAX);
    (void)room; /* the buffer keeps a failure */
    odp_buffer_add_str(&x->a->body, "{\"data\":[");
}

/* A comma, but not after a bracket. */
static void next(struct odp_buffer *b)
{
    if (b->len > 0 && b->ptr[b->len - 1] != '[' && b->ptr[b->len - 1] != '{')
        odp_buffer_add_char(b, ',');
}

void webhook_body_open(struct webhook_call *x)
{
    next(&x->a->body);
    odp_buffer_add_char(&x->a->body, '{');
}

void webhook_body_close(struct webhook_call *x)
{
    odp_buffer_add_char(&x->a->body, '}');
}

void webhook_body_name(struct webhook_call *x, const char *name)
{
    next(&x->a->body);
    odp_buffer_printf(&x->a->body, "\"%s\":", name);
}

void webhook_body_text(struct webhook_call *x, const char *name, const char *text)
{
    webhook_body_name(x, name);
    if (text != NULL)
        odp_json_add_string(&x->a->body, odp_slice_of(text));
    else
        odp_buffer_add_str(&x->a->body, "null");
}

static void body_time(struct webhook_call *x, const char *name, int64_t seconds)
{
    char text[ODP_TIME_SIZE];
    odp_time_iso(seconds, x->who.settings.zone_minutes, text);
    webhook_body_text(x, name, seconds != 0 ? text : NULL);
}

void webhook_body_ms(struct webhook_call *x, const char *name, int64_t ms)
{
    char text[ODP_TIME_SIZE], whole[ODP_TIME_SIZE + 8];
    odp_time_iso(ms / 1000, x->who.settings.zone_minutes, text);
    size_t n = strcspn(text, "T") == 10 ? 19 : 0; /* the fraction stands between seconds and offset */
    (void)snprintf(whole, sizeof whole, "%.*s.%03d%s", (int)n, text, (int)(ms % 1000), text + n);
    webhook_body_text(x, name, ms > 0 && n > 0 ? whole : NULL);
}

static void add_words(struct webhook_call *x, const char *name, const char *words)
{
    struct odp_buffer *b = &x->a->body;
    webhook_body_name(x, name);
    odp_buffer_add_char(b, '[');
    while (*words != '\0') {
        size_t n = strcspn(words, " ");
        next(b);
        odp_json_add_string(b, (struct odp_slice){words, n});
        words += n + (words[n] == ' ');
    }
    odp_buffer_add_char(b, ']');
}

static const char *or_null(const char *text)
{
    return *text != '\0' ? text : NULL;
}

void webhook_body_row(struct webhook_call *x, const struct odp_webhook *h)
{
    struct odp_buffer *b = &x->a->body;
    int64_t now = x->a->c->now;
    webhook_body_text(x, "id", h->name);
    webhook_body_text(x, "url", h->url);
    add_words(x, "events", h->events);
    add_words(x, "datasets", h->datasets);
    if (h->filter_json && *h->filter != '\0') { /* as it was sent, and accepted as JSON */
        webhook_body_name(x, "filter");
        odp_buffer_add_str(b, h->filter);
    } else {
        webhook_body_text(x, "filter", or_null(h->filter));
    }
    webhook_body_text(x, "description", h->description);
    webhook_body_text(x, "state", h->state);
    webhook_body_text(x, "reason", or_null(h->reason));
    body_time(x, "created", h->created);
    body_time(x, "changed", h->changed);
    body_time(x, "verified", h->verified);
    webhook_body_ms(x, "failing_since", h->failing);
    webhook_body_ms(x, "waits_until", h->not_before > odp_call_ms(x->a->c) ? h->not_before : 0);
    body_time(x, "previous_secret_valid_until", h->previous_until > now ? h->previous_until : 0);
    webhook_body_name(x, "deliveries");
    odp_buffer_printf(b, "{\"pending\":%lld,\"delivered\":%lld,\"failed\":%lld}", (long long)h->pending,
                      (long long)h->delivered, (long long)h->failed);
}

enum odp_status webhook_body_end(struct webhook_call *x, const char *more)
{
    odp_buffer_add_str(&x->a->body, "],\"status\":\"success\"");
    odp_buffer_add_str(&x->a->body, more);
    odp_buffer_add_str(&x->a->body, "}\n");
    return odp_answer_whole(x->a);
}

enum odp_status webhook_answer_take(struct webhook_call *x, int status, json_t *row)
{
    odp_answer_header(x->a, "Cache-Control", "private, no-store");
    return odp_answer_data_take(x->a, status, row);
}

static enum odp_status answer_one(struct webhook_call *x, int status, const struct odp_webhook *h,
                                  const char *secret)
{
    webhook_body_begin(x, status);
    webhook_body_open(x);
    webhook_body_row(x, h);
    if (secret != NULL)
        webhook_body_text(x, "secret", secret);
    webhook_body_close(x);
    return webhook_body_end(x, "");
}

void webhook_answer(struct webhook_call *x)
{
    struct odp_webhook h;
    webhook_call_find(x, &h);
    if (x->st == ODP_OK)
        x->st = answer_one(x, 200, &h, NULL);
}

static enum odp_status answer_changing(struct webhook_call *x, int status, const char *secret)
{
    struct odp_webhook h;
    enum odp_status st = odp_webhook_changing(x->w, x->name, &h, &x->arena);
    return st == ODP_OK ? answer_one(x, status, &h, secret) : st;
}

enum odp_status webhook_answer_changed(struct webhook_call *x)
{
    return answer_changing(x, 200, NULL);
}

enum odp_status webhook_answer_secret(struct webhook_call *x)
{
    return answer_changing(x, 200, x->act.secret);
}

enum odp_status webhook_answer_made(struct webhook_call *x)
{
    char location[64];
    memcpy(x->name, x->act.made, sizeof x->name);
    (void)snprintf(location, sizeof location, "/v1/webhooks/%s", x->name);
    odp_answer_header(x->a, "Location", location);
    return answer_changing(x, 201, x->act.secret);
}
