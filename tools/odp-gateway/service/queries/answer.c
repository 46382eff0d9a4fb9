/* From a query to its answer: tag, memory, shares, running it. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "base/json.h"
#include "core/condition.h"
#include "service/queries/endpoint_internal.h"

enum { LINK_MAX = 8000, WAIT_SLACK_MS = 1500 };
#define ACCOUNT_UNKNOWN UINT64_MAX

/* ---- problems ---- */

static const enum odp_problem problems[] = {
    [ODP_QUERY_PARAMETER_UNKNOWN] = ODP_PROBLEM_PARAMETER_UNKNOWN,
    [ODP_QUERY_PARAMETER_INVALID] = ODP_PROBLEM_PARAMETER_INVALID,
    [ODP_QUERY_FILTER_INVALID] = ODP_PROBLEM_FILTER_INVALID,
    [ODP_QUERY_CURSOR_INVALID] = ODP_PROBLEM_CURSOR_INVALID,
    [ODP_QUERY_NOT_FOUND] = ODP_PROBLEM_RECORD_NOT_FOUND,
    [ODP_QUERY_NOT_ACCEPTABLE] = ODP_PROBLEM_NOT_ACCEPTABLE,
    [ODP_QUERY_TOO_EXPENSIVE] = ODP_PROBLEM_QUERY_TOO_EXPENSIVE,
};

/* Appends "NAME":"TEXT" to MORE; TEXT NULL: nothing. */
static void add_member(struct odp_buffer *more, const char *name, const char *text)
{
    if (text == NULL)
        return;
    odp_buffer_printf(more, "%s\"%s\":", more->len > 0 ? "," : "", name);
    odp_json_add_string(more, odp_slice_of(text));
}

/* What the engine says is a part of a sentence, as a console has it; a problem's detail stands alone. */
static const char *sentence(struct odp_buffer *b, const char *detail)
{
    if (detail == NULL || *detail == '\0')
        return NULL;
    odp_buffer_add_char(b, (char)toupper((unsigned char)*detail));
    odp_buffer_add_str(b, detail + 1);
    if (strchr(".?", detail[strlen(detail) - 1]) == NULL)
        odp_buffer_add_char(b, '.');
    return odp_buffer_cstr(b);
}

void queries_refuse(struct queries_request *x, enum odp_problem p, struct queries_place at,
                    const char *detail)
{
    struct odp_buffer more = {0}, text = {0};
    add_member(&more, "parameter", at.parameter);
    if (at.position > 0)
        odp_buffer_printf(&more, "%s\"position\":%u,\"length\":%u", more.len > 0 ? "," : "", at.position,
                          at.length);
    add_member(&more, "pointer", at.pointer);
    odp_answer_problem_more(x->a, p, more.len > 0 ? odp_buffer_cstr(&more) : NULL, sentence(&text, detail));
    x->a->body.failed = x->a->body.failed || more.failed || text.failed;
    odp_buffer_release(&text);
    odp_buffer_release(&more);
}

void queries_refuse_fault(struct queries_request *x, const struct odp_query_fault *f)
{
    queries_refuse(x, problems[f->problem],
                   (struct queries_place){f->parameter, f->pointer, f->position, f->length},
                   odp_text_get(&f->detail, x->c->lang));
}

bool queries_link_ok(const char *link)
{
    size_t n = 0;
    for (; link[n] != '\0'; n++)
        if ((unsigned char)link[n] <= ' ' || (unsigned char)link[n] >= 0x7f ||
            strchr("<>\"", link[n]) != NULL)
            return false;
    return n <= LINK_MAX;
}

/* ---- answers ---- */

static void add_headers(struct queries_request *x)
{
    bool html = x->call.form == ODP_QUERY_HTML;
    if (!x->post)
        odp_answer_header(x->a, "ETag", x->etag);
    odp_answer_header(x->a, "Cache-Control",
                      x->post || x->keyed ? "private, no-store" : "private, max-age=60");
    if (x->varies || html)
        odp_answer_header(x->a, "Vary",
                          x->varies && html ? "Accept, Accept-Language"
                          : html            ? "Accept-Language"
                                            : "Accept");
}

/* The counts of the envelope's meta, for other forms. */
static void add_counts(struct queries_request *x, const struct odp_cached *k)
{
    char text[24];
    if (x->call.form == ODP_QUERY_ENVELOPE)
        return;
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)k->returned);
    odp_answer_header(x->a, "OGC-NumberReturned", text);
    (void)snprintf(text, sizeof text, "%lld", (long long)k->matched);
    if (k->matched >= 0)
        odp_answer_header(x->a, "OGC-NumberMatched", text);
}

static enum odp_status send_cached(struct queries_request *x, const struct odp_cached *k)
{
    if (k->problem >= 0) {
        if (k->problem == ODP_PROBLEM_BUSY)
            odp_answer_header(x->a, "Retry-After", "1");
        queries_refuse(x, (enum odp_problem)k->problem,
                       (struct queries_place){k->parameter, k->pointer, k->position, k->length},
                       k->detail[x->c->lang]);
        return ODP_BAD;
    }
    x->a->status = 200;
    /* as the files of the API go out */
    x->a->content_type =
        strcmp(k->media_type, "application/json") == 0 ? "application/json; charset=utf-8" : k->media_type;
    add_headers(x);
    if (k->link != NULL)
        odp_answer_header(x->a, "Link", k->link);
    add_counts(x, k);
    if (x->call.form == ODP_QUERY_HTML)
        odp_answer_header(x->a, "Content-Language", x->c->lang == ODP_LANG_EN ? "en" : "id");
    odp_buffer_add_slice(&x->a->body, odp_buffer_slice(&k->body));
    return odp_buffer_status(&x->a->body);
}

static void add_link(struct odp_buffer *b, const char *href, const char *rel)
{
    if (href != NULL && queries_link_ok(href) && b->len + strlen(href) < LINK_MAX)
        odp_buffer_printf(b, "%s<%s>; rel=\"%s\"", b->len > 0 ? ", " : "", href, rel);
}

/* TEXT for as long as the answer is kept; NULL stays NULL. */
static char *copy(const char *text, enum odp_status *st)
{
    char *out = text != NULL ? strdup(text) : NULL;
    if (text != NULL && out == NULL)
        *st = odp_failure_set("answer", NULL, ENOMEM);
    return out;
}

static enum odp_status cache_result(struct queries_request *x, struct odp_cached *k,
                                    const struct odp_query_result *r)
{
    struct odp_buffer link = {0};
    add_link(&link, r->next, "next");
    add_link(&link, r->previous, "prev");
    if (x->call.ogc)
        add_link(&link, odp_arena_printf(&x->arena, "%sogc/collections/%s", x->call.root, x->r->collection),
                 "collection");
    k->media_type = odp_query_media_type(x->query);
    k->matched = r->total;
    k->returned = r->returned;
    enum odp_status st = odp_buffer_status(&link);
    k->link = copy(link.len > 0 ? odp_buffer_cstr(&link) : NULL, &st);
    odp_buffer_release(&link);
    return st;
}

static enum odp_status cache_fault(struct odp_cached *k, const struct odp_query_fault *f)
{
    enum odp_status st = ODP_OK;
    k->problem = (int)problems[f->problem];
    k->parameter = copy(f->parameter, &st);
    k->pointer = copy(f->pointer, &st);
    k->position = f->position;
    k->length = f->length;
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
        k->detail[lang] = copy(odp_text_get(&f->detail, lang), &st);
    return st;
}

/* Within the gate. */
static enum odp_status run_query(struct queries_request *x, struct odp_cached *k)
{
    struct odp_query_result r = {0};
    struct odp_query_fault fault = {0};
    struct odp_query_counts *n = &x->q->counts;
    int64_t begin = odp_clock_us();
    enum odp_status st = odp_query_run(x->query, &r, &fault);
    atomic_fetch_add_explicit(&n->run, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&n->micros, (uint64_t)(odp_clock_us() - begin), memory_order_relaxed);
    atomic_fetch_add_explicit(&n->looked_at, r.looked_at, memory_order_relaxed);
    atomic_fetch_add_explicit(&n->returned, r.returned, memory_order_relaxed);
    if (st == ODP_OK)
        st = cache_result(x, k, &r);
    else if (st == ODP_BAD)
        st = cache_fault(k, &fault);
    k->body = r.body; /* its owner from now on, whatever it holds */
    return st;
}

/* Nobody else makes it: so this call does, and others get it, too. */
static enum odp_status make_answer(struct queries_request *x)
{
    struct odp_cached *k = odp_cached_new();
    enum odp_status st = k != NULL ? ODP_OK : ODP_FAIL;
    if (k != NULL) {
        memcpy(k->index, x->lease.id, sizeof k->index);
        if (odp_gate_enter(x->q->gate)) {
            st = run_query(x, k);
            odp_gate_leave(x->q->gate);
        } else {
            k->problem = ODP_PROBLEM_BUSY;
        }
    }
    odp_cache_end(x->q->cache, x->key, st == ODP_OK ? k : NULL, st == ODP_OK && k->problem < 0);
    if (st == ODP_OK)
        st = send_cached(x, k);
    odp_cache_drop(x->q->cache, k);
    return st;
}

/* ---- who asks ---- */

static uint64_t account_of(struct odp_slice text)
{
    uint64_t n;
    return odp_number_read(text, &n) ? n : ACCOUNT_UNKNOWN;
}

/* How many queries at once; 0: any number. An unknown account, which is all callers without one, has the
 * largest limit of any tier; an unknown tier the smallest. */
static int64_t limit_of(const struct odp_settings *settings, uint64_t account, struct odp_slice tier)
{
    int64_t largest = settings->ntiers > 0 ? 1 : 0, smallest = 0;
    for (uint32_t i = 0; i < settings->ntiers; i++) {
        int64_t n = settings->tiers[i].concurrent;
        if (account != ACCOUNT_UNKNOWN && odp_slice_is(tier, settings->tiers[i].name))
            return n;
        largest = largest == 0 || n == 0 ? 0 : n > largest ? n : largest;
        smallest = n > 0 && (smallest == 0 || n < smallest) ? n : smallest;
    }
    return account == ACCOUNT_UNKNOWN ? largest : smallest;
}

static enum odp_status answer_shared(struct queries_request *x)
{
    struct odp_settings settings;
    struct odp_cached *k = NULL;
    uint64_t account = account_of(x->c->account);
    uint32_t wait = x->q->limits.time_ms + x->q->limits.count_ms + WAIT_SLACK_MS;
    odp_http_settings(x->s, &settings);
    if (!odp_gate_take(x->q->gate, account, limit_of(&settings, account, x->c->tier))) {
        odp_answer_wait(x->a, ODP_PROBLEM_TOO_MANY_QUERIES, 1);
        return ODP_BAD;
    }
    enum odp_status st = odp_cache_begin(x->q->cache, x->key, wait, &k);
    if (st == ODP_DONE)
        st = make_answer(x);
    else if (st == ODP_OK)
        st = send_cached(x, k);
    else if (st == ODP_BAD)
        odp_answer_wait(x->a, ODP_PROBLEM_BUSY, 1);
    odp_cache_drop(x->q->cache, k);
    odp_gate_give(x->q->gate, account);
    return st;
}

enum odp_status queries_answer(struct queries_request *x)
{
    char tag[ODP_QUERY_ETAG + 1];
    enum odp_status st = odp_query_etag(x->query, x->key, tag);
    if (st != ODP_OK)
        return st;
    (void)snprintf(x->etag, sizeof x->etag, "\"%s\"", tag);
    enum odp_condition condition =
        x->post ? ODP_CONDITION_SEND
                : odp_condition_check(x->c->if_match, x->c->if_none_match, odp_slice_of(x->etag));
    if (condition == ODP_CONDITION_FAILED) {
        odp_answer_problem(x->a, ODP_PROBLEM_PRECONDITION, NULL, NULL);
        return ODP_BAD;
    }
    if (condition == ODP_CONDITION_NOT_MODIFIED) {
        x->a->status = 304;
        add_headers(x);
        return ODP_OK;
    }
    struct odp_cached *k = odp_cache_get(x->q->cache, x->key);
    if (k == NULL)
        return answer_shared(x);
    st = send_cached(x, k);
    odp_cache_drop(x->q->cache, k);
    return st;
}
