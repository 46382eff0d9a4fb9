/* The query door: from a call to the engine's answer. What an address, a form and a parameter are is queries_address.c's
 * business; what a filter means is the engine's; this is the order of things: resource, method, parameters, index, form, query,
 * tag, share, answer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "service/http_inside.h"
#include "service/log.h"
#include "service/queries.h"
#include "service/queries_address.h"

enum { LINK_MAX = 8000, WAIT_SLACK_MS = 1500, DETAIL = 400 };
#define ACCOUNT_UNKNOWN UINT64_MAX

struct asking {
    struct odp_state *s;
    const struct odp_call *c;
    struct odp_answer *a;
    struct odp_queries *q;
    struct odp_arena arena;
    struct odp_query_site *site;
    const struct odp_query_resource *r;
    struct odp_query_address address;
    struct odp_query_params params;
    struct odp_query_lease lease;
    struct odp_query_call call;
    struct odp_query *query;
    json_t *body;
    struct odp_slice cursor;
    bool post, keyed;             /* keyed: a key is in the address */
    bool varies;                  /* the form is Accept's */
    uint8_t key[ODP_SHA256_SIZE]; /* of the answer, in the cache */
    char etag[ODP_QUERY_ETAG + 3];
};

/* ---- problems --------------------------------------------------------------------------------------------------------------
 */

static const enum odp_problem problems[] = {
    [ODP_QUERY_PARAMETER_UNKNOWN] = ODP_PROBLEM_PARAMETER_UNKNOWN,
    [ODP_QUERY_PARAMETER_INVALID] = ODP_PROBLEM_PARAMETER_INVALID,
    [ODP_QUERY_FILTER_INVALID] = ODP_PROBLEM_FILTER_INVALID,
    [ODP_QUERY_CURSOR_INVALID] = ODP_PROBLEM_CURSOR_INVALID,
    [ODP_QUERY_NOT_FOUND] = ODP_PROBLEM_RECORD_NOT_FOUND,
    [ODP_QUERY_NOT_ACCEPTABLE] = ODP_PROBLEM_NOT_ACCEPTABLE,
    [ODP_QUERY_TOO_EXPENSIVE] = ODP_PROBLEM_QUERY_TOO_EXPENSIVE,
};

static void add_member(struct odp_buffer *more, const char *name, const char *text)
{
    if (text == NULL)
        return;
    odp_buffer_printf(more, "%s\"%s\":", more->len > 0 ? "," : "", name);
    odp_json_add_string(more, odp_slice_of(text));
}

static void refuse_query(struct asking *x, enum odp_problem p, const char *parameter, const char *pointer, uint32_t position,
                         uint32_t length, const char *detail)
{
    struct odp_buffer more;
    odp_buffer_init(&more);
    add_member(&more, "parameter", parameter);
    if (position > 0)
        odp_buffer_printf(&more, "%s\"position\":%u,\"length\":%u", more.len > 0 ? "," : "", position, length);
    add_member(&more, "pointer", pointer);
    odp_answer_problem_more(x->a, x->s, x->c, p, more.len > 0 ? odp_buffer_cstr(&more) : NULL,
                            detail != NULL && *detail != '\0' ? detail : NULL);
    odp_buffer_release(&more);
}

static void refuse_fault(struct asking *x, const struct odp_query_fault *f)
{
    refuse_query(x, problems[f->problem], f->parameter, f->pointer, f->position, f->length,
                 odp_text_get(&f->detail, x->c->lang));
}

static void refuse_parameter(struct asking *x, const char *parameter, const char *id, const char *en)
{
    refuse_query(x, ODP_PROBLEM_PARAMETER_INVALID, parameter, NULL, 0, 0, odp_say(x->c, id, en));
}

/* ---- what is asked for -----------------------------------------------------------------------------------------------------
 */

static void refuse_params(struct asking *x)
{
    static const struct odp_text texts[] = {
        [ODP_PARAMS_LONG] = {{"Parameter paling banyak 64 KiB; kirim filter yang panjang dengan POST …/search.",
                              "Parameters have at most 64 KiB; send a long filter by POST …/search."}},
        [ODP_PARAMS_MANY] = {{"Paling banyak 100 parameter.", "There are at most 100 parameters."}},
        [ODP_PARAMS_ESCAPE] = {{"Ada % yang tidak diikuti dua digit heksadesimal, atau %00. Tulis % sebagai %25.",
                                "There is a % that two hexadecimal digits do not follow, or %00. Write % as %25."}},
        [ODP_PARAMS_UTF8] = {{"Isinya bukan UTF-8.", "It is not UTF-8."}},
    };
    const char *name = x->params.name.len > 0 ? x->params.name.ptr : NULL;
    refuse_query(x, ODP_PROBLEM_PARAMETER_INVALID, name, NULL, 0, 0, odp_text_get(&texts[x->params.fault], x->c->lang));
}

/* An OGC document is a file, which nginx sends; it comes here with a parameter that it does not have (OGC 17-069r4, 7.6), or
 * when there is none. */
static enum odp_status refuse_document(struct asking *x)
{
    struct odp_slice f;
    const struct odp_slice collection = x->address.collection;
    enum odp_status st = odp_query_params_read(&x->params, x->c->query, &x->arena);
    if (st == ODP_BAD)
        refuse_params(x);
    if (st != ODP_OK)
        return st;
    size_t forms = odp_query_params_get(&x->params, "f", true, &f);
    bool known = collection.len == 0 || odp_query_site_collection(x->site, collection) != NULL;
    if (known && x->params.n > 0)
        refuse_query(x, ODP_PROBLEM_PARAMETER_UNKNOWN, x->params.list[0].name.ptr, NULL, 0, 0,
                     odp_say(x->c, "Dokumen ini hanya mengenal parameter f.", "This document knows no parameter but f."));
    else if (known && forms > 0)
        refuse_parameter(x, "f", "f ditulis sekali: json atau html.", "f is written once: json or html.");
    else
        odp_answer_problem(x->a, x->s, x->c, ODP_PROBLEM_NOT_FOUND, NULL, NULL);
    return ODP_BAD;
}

static enum odp_status read_address(struct asking *x)
{
    const struct odp_call *c = x->c;
    enum odp_status st = odp_query_address_read(&x->address, c->raw_path.ptr != NULL ? c->raw_path : c->path, &x->arena);
    if (st == ODP_BAD)
        odp_answer_problem(x->a, x->s, c, ODP_PROBLEM_BAD_REQUEST, NULL, NULL);
    if (st == ODP_OK) {
        const struct odp_query_address *d = &x->address;
        x->r = d->ogc ? odp_query_site_collection(x->site, d->collection) : odp_query_site_find(x->site, d->slug, d->resource);
    }
    if (st == ODP_DONE && x->address.document)
        return refuse_document(x);
    if (st == ODP_DONE || (st == ODP_OK && x->r == NULL)) {
        odp_answer_problem(x->a, x->s, c, ODP_PROBLEM_NOT_FOUND, NULL, NULL);
        st = ODP_BAD;
    }
    return st;
}

/* BAD: answered, which a preflight is, too. */
static enum odp_status read_method(struct asking *x)
{
    struct odp_slice m = x->c->method;
    x->post = odp_slice_is(m, "POST") && x->address.search;
    if (x->post || odp_slice_is(m, "GET") || odp_slice_is(m, "HEAD"))
        return ODP_OK;
    odp_answer_header(x->a, "Allow", x->address.search ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS");
    if (odp_slice_is(m, "OPTIONS"))
        x->a->status = 204;
    else
        odp_answer_problem(x->a, x->s, x->c, ODP_PROBLEM_METHOD, NULL, NULL);
    return ODP_BAD;
}

/* A POST's parameters stand in its body; those of the address are taken, too. */
static enum odp_status read_body(struct asking *x)
{
    if (!x->post)
        return ODP_OK;
    if (x->c->body.len > ODP_QUERY_BODY_MAX) {
        odp_answer_problem(x->a, x->s, x->c, ODP_PROBLEM_TOO_LARGE, NULL,
                           odp_say(x->c, "Kirim paling banyak 64 KiB.", "Send at most 64 KiB."));
        return ODP_BAD;
    }
    if (!odp_http_is_json(x->c)) {
        odp_answer_header(x->a, "Accept-Post", "application/json");
        odp_answer_problem(x->a, x->s, x->c, ODP_PROBLEM_MEDIA_TYPE, NULL, NULL);
        return ODP_BAD;
    }
    enum odp_status st = odp_http_json(x->s, x->c, x->a, &x->body);
    const json_t *cursor = json_object_get(x->body, "cursor");
    if (st == ODP_OK && json_is_string(cursor))
        x->cursor = (struct odp_slice){json_string_value(cursor), json_string_length(cursor)};
    return st;
}

static enum odp_status read_params(struct asking *x)
{
    struct odp_slice value;
    enum odp_status st = odp_query_params_read(&x->params, x->c->query, &x->arena);
    if (st == ODP_BAD)
        refuse_params(x);
    if (st != ODP_OK)
        return st;
    if (x->q->options->query_key != NULL)
        x->keyed = odp_query_params_get(&x->params, x->q->options->query_key, true, &value) > 0;
    (void)odp_query_params_get(&x->params, "cursor", false, &x->cursor);
    return read_body(x);
}

/* ---- the index -------------------------------------------------------------------------------------------------------------
 */

static bool link_ok(const char *link)
{
    size_t n = 0;
    for (; link[n] != '\0'; n++)
        if ((unsigned char)link[n] <= ' ' || (unsigned char)link[n] >= 0x7f || strchr("<>\"", link[n]) != NULL)
            return false;
    return n <= LINK_MAX;
}

/* 410, with the address where the first page is. */
static enum odp_status refuse_cursor(struct asking *x)
{
    struct odp_slice path = x->c->raw_path.ptr != NULL ? x->c->raw_path : x->c->path;
    const char *rest = odp_query_without(x->c->query, "cursor", x->q->options->query_key, &x->arena);
    struct odp_buffer more;
    while (path.len > 0 && memchr(path.ptr, '/', path.len) != NULL)
        path.ptr++, path.len--;
    const char *first =
        rest != NULL ? odp_arena_printf(&x->arena, "%.*s%s%s", (int)path.len, path.ptr, *rest != '\0' ? "?" : "", rest) : NULL;
    if (first == NULL)
        return ODP_FAIL;
    if (link_ok(first)) {
        const char *header = odp_arena_printf(&x->arena, "<%s>; rel=\"first\"", first);
        odp_answer_header(x->a, "Link", header != NULL ? header : "");
    }
    odp_buffer_init(&more);
    odp_buffer_add_str(&more, "\"parameter\":\"cursor\",\"links\":{");
    struct odp_buffer member;
    odp_buffer_init(&member);
    add_member(&member, "first", first);
    odp_buffer_add_slice(&more, odp_buffer_slice(&member));
    odp_buffer_add_char(&more, '}');
    odp_answer_problem_more(x->a, x->s, x->c, ODP_PROBLEM_CURSOR_EXPIRED, odp_buffer_cstr(&more), NULL);
    odp_buffer_release(&member);
    odp_buffer_release(&more);
    return ODP_BAD;
}

static enum odp_status lease_index(struct asking *x)
{
    char id[ODP_SEARCH_ID + 1], why[ODP_WHY];
    bool pinned = x->cursor.len > 0 && odp_query_cursor_index(x->cursor, x->q->secret, id);
    enum odp_status st = odp_queries_lease(x->q, x->site, x->r, pinned ? id : NULL, &x->lease, why);
    if (st == ODP_DONE)
        return refuse_cursor(x);
    if (st == ODP_BAD) {
        odp_log("error", "query: %s", why);
        odp_answer_problem(x->a, x->s, x->c, ODP_PROBLEM_INTERNAL, NULL, NULL);
    }
    return st;
}

/* ---- the form --------------------------------------------------------------------------------------------------------------
 */

/* f= of the address, or of a POST's body; taken off, since the form is no business of the query. */
static size_t take_form(struct asking *x, struct odp_slice *word)
{
    size_t n = odp_query_params_get(&x->params, "f", true, word);
    const json_t *f = json_object_get(x->body, "f");
    if (json_is_string(f)) {
        *word = odp_arena_copy(&x->arena, (struct odp_slice){json_string_value(f), json_string_length(f)});
        (void)json_object_del(x->body, "f");
        n++;
    }
    return n;
}

static enum odp_status choose_form(struct asking *x)
{
    struct odp_slice word;
    size_t n = take_form(x, &word);
    bool geometry = odp_index_info(x->lease.index)->has_geometry;
    int form = n == 1 ? odp_query_form_of(word, x->address.ogc) : -1;
    if (n > 1 || (n == 1 && form < 0)) {
        refuse_parameter(x, "f", "f ditulis sekali: json, geojson, csv, atau html.",
                         "f is written once: json, geojson, csv or html.");
        return ODP_BAD;
    }
    if (x->address.form >= 0)
        form = x->address.form;
    x->varies = form < 0;
    if (form < 0)
        form = odp_query_form_accepted(x->c->accept, x->address.ogc, geometry);
    if (form < 0) {
        odp_answer_header(x->a, "Vary", "Accept");
        refuse_query(x, ODP_PROBLEM_NOT_ACCEPTABLE, NULL, NULL, 0, 0,
                     odp_say(x->c,
                             "Accept menolak semua bentuk yang ada: application/json, application/geo+json (bila ada "
                             "geometri), text/csv, text/html.",
                             "Accept refuses all forms there are: application/json, application/geo+json (where there is "
                             "geometry), text/csv, text/html."));
        return ODP_BAD;
    }
    x->call.form = (enum odp_query_form)form;
    return ODP_OK;
}

/* ---- the query -------------------------------------------------------------------------------------------------------------
 */

static const char *self_of(struct asking *x)
{
    const struct odp_query_address *d = &x->address;
    if (!d->ogc)
        return d->last;
    bool item = d->kind == ODP_QUERY_ITEM;
    return odp_arena_printf(&x->arena, "%sogc/collections/%s/items%s%s", x->site->root, x->r->collection, item ? "/" : "",
                            item ? d->last : "");
}

static enum odp_status make_query(struct asking *x)
{
    struct odp_query_fault fault = {0};
    bool html = x->call.form == ODP_QUERY_HTML;
    x->call.index = x->lease.index;
    x->call.kind = x->address.kind;
    x->call.ogc = x->address.ogc;
    x->call.key = x->address.key;
    x->call.params = x->params.list;
    x->call.nparams = x->params.n;
    x->call.body = x->body;
    x->call.self = self_of(x);
    x->call.root = x->site->root;
    x->call.release = x->site->release;
    /* What programs read does not depend on the caller's language. */
    x->call.dataset_title = odp_text_get(&x->r->title, html ? x->c->lang : ODP_LANG_ID);
    x->call.secret = x->q->secret;
    x->call.limits = &x->q->limits;
    x->call.lang = x->c->lang;
    if (x->call.self == NULL)
        return ODP_FAIL;
    enum odp_status st = odp_query_new(&x->query, &x->call, &x->arena, &fault);
    if (st == ODP_BAD)
        refuse_fault(x, &fault);
    return st;
}

static void add_part(struct odp_buffer *b, struct odp_slice s)
{
    odp_buffer_add_slice(b, s);
    odp_buffer_add_char(b, '\0');
}

/* The engine's tag says which records in which form; the answer also has links, the release and signed cursors. */
static enum odp_status make_tag(struct asking *x)
{
    char tag[ODP_QUERY_ETAG + 1], hex[ODP_SHA256_HEX];
    struct odp_buffer b;
    odp_query_etag(x->query, tag);
    odp_buffer_init(&b);
    add_part(&b, odp_slice_of(tag));
    add_part(&b, x->cursor);
    add_part(&b, x->call.key);
    add_part(&b, odp_slice_of(x->call.self));
    add_part(&b, odp_slice_of(x->call.root));
    add_part(&b, odp_slice_of(x->call.release));
    add_part(&b, odp_slice_of(x->call.dataset_title));
    odp_buffer_printf(&b, "%d%d%d%d", (int)x->call.form, (int)x->call.kind, (int)x->call.ogc,
                      x->call.form == ODP_QUERY_HTML ? (int)x->c->lang : 0);
    odp_buffer_add(&b, x->q->secret, sizeof x->q->secret);
    enum odp_status st = odp_buffer_status(&b);
    if (st == ODP_OK)
        st = odp_digest_of(b.ptr, b.len, x->key);
    if (b.ptr != NULL)
        explicit_bzero(b.ptr, b.cap);
    odp_buffer_release(&b);
    odp_digest_hex(x->key, hex);
    (void)snprintf(x->etag, sizeof x->etag, "\"%.*s\"", ODP_QUERY_ETAG, hex);
    return st;
}

/* ---- answers ---------------------------------------------------------------------------------------------------------------
 */

static void add_headers(struct asking *x)
{
    bool html = x->call.form == ODP_QUERY_HTML;
    if (!x->post)
        odp_answer_header(x->a, "ETag", x->etag);
    odp_answer_header(x->a, "Cache-Control", x->post || x->keyed ? "private, no-store" : "private, max-age=60");
    if (x->varies || html)
        odp_answer_header(x->a, "Vary", x->varies && html ? "Accept, Accept-Language" : html ? "Accept-Language" : "Accept");
}

static enum odp_status answer_kept(struct asking *x, const struct odp_kept *k)
{
    if (k->problem >= 0) {
        if (k->problem == ODP_PROBLEM_BUSY)
            odp_answer_header(x->a, "Retry-After", "1");
        refuse_query(x, (enum odp_problem)k->problem, k->parameter, k->pointer, k->position, k->length, k->detail[x->c->lang]);
        return ODP_BAD;
    }
    x->a->status = 200;
    x->a->content_type = k->media_type;
    add_headers(x);
    if (k->link != NULL)
        odp_answer_header(x->a, "Link", k->link);
    if (x->call.form == ODP_QUERY_HTML)
        odp_answer_header(x->a, "Content-Language", x->c->lang == ODP_LANG_EN ? "en" : "id");
    odp_buffer_add_slice(&x->a->body, odp_buffer_slice(&k->body));
    return odp_buffer_status(&x->a->body);
}

static enum odp_status answer_busy(struct asking *x)
{
    odp_answer_wait(x->a, x->s, x->c, ODP_PROBLEM_BUSY, 1);
    return ODP_BAD;
}

static int64_t micros(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void add_link(struct odp_buffer *b, const char *href, const char *rel)
{
    if (href != NULL && link_ok(href) && b->len + strlen(href) < LINK_MAX)
        odp_buffer_printf(b, "%s<%s>; rel=\"%s\"", b->len > 0 ? ", " : "", href, rel);
}

static enum odp_status keep_result(struct asking *x, struct odp_kept *k, const struct odp_query_result *r)
{
    struct odp_buffer link;
    odp_buffer_init(&link);
    add_link(&link, r->next, "next");
    add_link(&link, r->previous, "prev");
    if (x->call.ogc)
        add_link(&link, odp_arena_printf(&x->arena, "%sogc/collections/%s", x->site->root, x->r->collection), "collection");
    k->media_type = odp_query_media_type(x->query);
    enum odp_status st = odp_buffer_status(&link);
    if (st == ODP_OK && link.len > 0 && (k->link = strdup(odp_buffer_cstr(&link))) == NULL)
        st = odp_failure_set("answer", NULL, ENOMEM);
    odp_buffer_release(&link);
    return st;
}

static char *copy(const char *text, bool *failed)
{
    char *out = text != NULL ? strdup(text) : NULL;
    *failed = *failed || (text != NULL && out == NULL);
    return out;
}

static enum odp_status keep_fault(struct odp_kept *k, const struct odp_query_fault *f)
{
    bool failed = false;
    k->problem = (int)problems[f->problem];
    k->parameter = copy(f->parameter, &failed);
    k->pointer = copy(f->pointer, &failed);
    k->position = f->position;
    k->length = f->length;
    for (int i = 0; i < ODP_LANGS; i++)
        k->detail[i] = copy(odp_text_get(&f->detail, (enum odp_lang)i), &failed);
    return failed ? odp_failure_set("answer", NULL, ENOMEM) : ODP_OK;
}

/* Within the gate. */
static enum odp_status run_query(struct asking *x, struct odp_kept *k)
{
    struct odp_query_result r = {0};
    struct odp_query_fault fault = {0};
    struct odp_query_counts *n = &x->q->counts;
    odp_buffer_init(&r.body);
    int64_t begin = micros();
    enum odp_status st = odp_query_run(x->query, &r, &fault);
    atomic_fetch_add_explicit(&n->run, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&n->micros, (uint64_t)(micros() - begin), memory_order_relaxed);
    atomic_fetch_add_explicit(&n->looked_at, r.looked_at, memory_order_relaxed);
    atomic_fetch_add_explicit(&n->returned, r.returned, memory_order_relaxed);
    if (st == ODP_OK && odp_buffer_status(&r.body) != ODP_OK)
        st = ODP_FAIL;
    if (st == ODP_OK)
        st = keep_result(x, k, &r);
    else if (st == ODP_BAD)
        st = keep_fault(k, &fault);
    k->body = r.body; /* its owner from now on, whatever it holds */
    return st;
}

/* Nobody else makes it: so this call does, and others get it, too. */
static enum odp_status make_answer(struct asking *x)
{
    struct odp_kept *k = odp_kept_new();
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
        st = answer_kept(x, k);
    odp_cache_drop(x->q->cache, k);
    return st;
}

/* ---- who asks --------------------------------------------------------------------------------------------------------------
 */

static uint64_t account_of(struct odp_slice text)
{
    uint64_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || n > (UINT64_MAX - 9) / 10)
            return ACCOUNT_UNKNOWN;
        n = n * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    return text.len > 0 ? n : ACCOUNT_UNKNOWN;
}

/* Queries at once, 0: any number. Of an unknown account, who is everybody, the largest that any tier has; of an unknown tier
 * the smallest. */
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

static enum odp_status answer_shared(struct asking *x)
{
    struct odp_settings settings;
    struct odp_kept *k = NULL;
    uint64_t account = account_of(x->c->account);
    uint32_t wait = x->q->limits.time_ms + x->q->limits.count_ms + WAIT_SLACK_MS;
    odp_http_settings(x->s, &settings);
    if (!odp_gate_take(x->q->gate, account, limit_of(&settings, account, x->c->tier))) {
        odp_answer_wait(x->a, x->s, x->c, ODP_PROBLEM_TOO_MANY_QUERIES, 1);
        return ODP_BAD;
    }
    enum odp_status st = odp_cache_begin(x->q->cache, x->key, wait, &k);
    if (st == ODP_DONE)
        st = make_answer(x);
    else if (st == ODP_OK)
        st = answer_kept(x, k);
    else if (st == ODP_BAD)
        st = answer_busy(x);
    odp_cache_drop(x->q->cache, k);
    odp_gate_give(x->q->gate, account);
    return st;
}

static enum odp_status answer(struct asking *x)
{
    enum odp_status st = make_tag(x);
    if (st != ODP_OK)
        return st;
    if (!x->post && odp_query_etag_matches(x->c->if_none_match, x->etag)) {
        x->a->status = 304;
        add_headers(x);
        return ODP_OK;
    }
    struct odp_kept *k = odp_cache_get(x->q->cache, x->key);
    if (k == NULL)
        return answer_shared(x);
    st = answer_kept(x, k);
    odp_cache_drop(x->q->cache, k);
    return st;
}

static enum odp_status ask(struct asking *x)
{
    enum odp_status st = read_address(x);
    if (st == ODP_OK)
        st = read_method(x);
    if (st == ODP_OK)
        st = read_params(x);
    if (st == ODP_OK)
        st = lease_index(x);
    if (st == ODP_OK)
        st = choose_form(x);
    if (st == ODP_OK)
        st = make_query(x);
    return st == ODP_OK ? answer(x) : st;
}

enum odp_status odp_endpoint_query(struct odp_state *s, const struct odp_call *c, struct odp_answer *a)
{
    struct asking x = {.s = s, .c = c, .a = a, .q = s->web != NULL ? s->web->queries : NULL};
    if (c->ambiguous) {
        odp_answer_problem(a, s, c, ODP_PROBLEM_BAD_REQUEST, NULL, NULL);
        return ODP_BAD;
    }
    x.site = x.q != NULL ? odp_queries_hold(x.q) : NULL;
    if (x.site == NULL) {
        odp_answer_wait(a, s, c, ODP_PROBLEM_BUSY, 1);
        return ODP_BAD;
    }
    x.cursor = ODP_LIT("");
    odp_arena_init(&x.arena);
    enum odp_status st = ask(&x);
    if (a->problem >= 0) /* for the access log and the counts of who sent us the call */
        odp_answer_header(a, "X-Odp-Code", odp_problem_info((enum odp_problem)a->problem)->code);
    odp_query_free(x.query);
    odp_queries_return(x.q, &x.lease);
    odp_queries_drop(x.q, x.site);
    json_decref(x.body);
    odp_arena_release(&x.arena);
    return st;
}
