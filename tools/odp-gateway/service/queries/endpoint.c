/* The query door: from a call to a query. What an address, a form and a parameter are is address.c's
 * business; what a filter means is the engine's; this is the order of things: resource, method, parameters,
 * index, form, query. */
#include <stdio.h>

#include "base/json.h"
#include "core/origin.h"
#include "service/queries/endpoint_internal.h"
#include "service/state/log.h"
#include "words/queries.h"

static void refuse_parameter(struct queries_request *x, const char *parameter, const char *id, const char *en)
{
    queries_refuse(x, ODP_PROBLEM_PARAMETER_INVALID, QUERIES_AT(parameter), odp_say(x->c, id, en));
}

/* ---- what is asked for ---- */

static void refuse_params(struct queries_request *x)
{
    static const struct odp_text texts[] = {
        [ODP_PARAMS_LONG] = {{W_queries_parameters_have_at_most_64}},
        [ODP_PARAMS_MANY] = {{W_queries_there_at_most_100_parameters}},
        [ODP_PARAMS_ESCAPE] = {{W_queries_there_two_hexadecimal_digits_do}},
        [ODP_PARAMS_UTF8] = {{W_queries_not_utf_8}},
    };
    const char *name = x->params.name.len > 0 ? x->params.name.ptr : NULL;
    queries_refuse(x, ODP_PROBLEM_PARAMETER_INVALID, QUERIES_AT(name),
                   odp_text_get(&texts[x->params.fault], x->c->lang));
}

/* An OGC document is a file that nginx sends; it comes here with an unknown parameter (OGC 17-069r4, 7.6), or
 * if it does not exist. */
static enum odp_status refuse_document(struct queries_request *x)
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
        queries_refuse(x, ODP_PROBLEM_PARAMETER_UNKNOWN, QUERIES_AT(x->params.list[0].name.ptr),
                       odp_say(x->c, W_queries_document_knows_no_parameter_but));
    else if (known && forms > 0)
        refuse_parameter(x, "f", W_queries_f_written_once_json_html);
    else
        odp_answer_problem(x->a, ODP_PROBLEM_NOT_FOUND, NULL, NULL);
    return ODP_BAD;
}

static enum odp_status read_address(struct queries_request *x)
{
    const struct odp_call *c = x->c;
    enum odp_status st =
        odp_query_address_read(&x->address, c->raw_path.ptr != NULL ? c->raw_path : c->path, &x->arena);
    if (st == ODP_BAD)
        odp_answer_problem(x->a, ODP_PROBLEM_BAD_REQUEST, NULL, NULL);
    if (st == ODP_OK) {
        const struct odp_query_address *d = &x->address;
        x->r = d->ogc ? odp_query_site_collection(x->site, d->collection)
                      : odp_query_site_find(x->site, d->slug, d->resource);
    }
    if (st == ODP_DONE && x->address.document)
        return refuse_document(x);
    if (st == ODP_DONE || (st == ODP_OK && x->r == NULL)) {
        odp_answer_problem(x->a, ODP_PROBLEM_NOT_FOUND, NULL, NULL);
        st = ODP_BAD;
    }
    return st;
}

/* BAD: answered, which a preflight is, too. */
static enum odp_status read_method(struct queries_request *x)
{
    struct odp_slice m = x->c->method;
    x->post = odp_slice_is(m, "POST") && x->address.search;
    if (x->post || odp_slice_is(m, "GET") || odp_slice_is(m, "HEAD"))
        return ODP_OK;
    odp_answer_header(x->a, "Allow", x->address.search ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS");
    if (odp_slice_is(m, "OPTIONS"))
        x->a->status = 204;
    else
        odp_answer_problem(x->a, ODP_PROBLEM_METHOD, NULL, NULL);
    return ODP_BAD;
}

/* A POST's parameters are in its body, and in its address. */
static enum odp_status read_body(struct queries_request *x)
{
    if (!x->post)
        return ODP_OK;
    const size_t most = odp_query_body_max(x->s);
    if (x->c->body.len > most) {
        char number[24], detail[64];
        (void)snprintf(number, sizeof number, "%zu", most / 1024);
        odp_say_with(detail, sizeof detail, odp_say(x->c, W_queries_send_at_most_kib), number, NULL, NULL);
        odp_answer_problem(x->a, ODP_PROBLEM_TOO_LARGE, NULL, detail);
        return ODP_BAD;
    }
    if (!odp_http_is_json(x->c)) {
        odp_answer_header(x->a, "Accept-Post", "application/json");
        odp_answer_problem(x->a, ODP_PROBLEM_MEDIA_TYPE, NULL, NULL);
        return ODP_BAD;
    }
    enum odp_status st = odp_http_json(x->a, &x->body);
    const json_t *cursor = json_object_get(x->body, "cursor");
    if (st == ODP_OK && json_is_string(cursor))
        x->cursor = (struct odp_slice){json_string_value(cursor), json_string_length(cursor)};
    return st;
}

static enum odp_status read_params(struct queries_request *x)
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

/* ---- the index ---- */

/* 410, with the address where the first page is. */
static enum odp_status refuse_cursor(struct queries_request *x)
{
    struct odp_slice path = x->c->raw_path.ptr != NULL ? x->c->raw_path : x->c->path;
    const char *rest = odp_query_without(x->c->query, "cursor", x->q->options->query_key, &x->arena);
    struct odp_buffer more = {0};
    while (path.len > 0 && memchr(path.ptr, '/', path.len) != NULL)
        path.ptr++, path.len--;
    const char *first =
        odp_arena_printf(&x->arena, "%.*s%s%s", (int)path.len, path.ptr, *rest != '\0' ? "?" : "", rest);
    if (queries_link_ok(first))
        odp_answer_header(x->a, "Link", odp_arena_printf(&x->arena, "<%s>; rel=\"first\"", first));
    odp_json_add_str(&more, "\"parameter\":\"cursor\",\"links\":{\"first\":", first);
    odp_buffer_add_char(&more, '}');
    odp_answer_problem_more(x->a, ODP_PROBLEM_CURSOR_EXPIRED, odp_buffer_cstr(&more), NULL);
    odp_buffer_release(&more);
    return ODP_BAD;
}

static enum odp_status lease_index(struct queries_request *x)
{
    char id[ODP_SEARCH_ID + 1], why[ODP_WHY];
    const int64_t now = odp_call_ms(x->c) / 1000;
    odp_queries_secret(x->q, now, x->secret);
    enum odp_status made =
        x->cursor.len > 0 ? odp_queries_cursor(x->q, x->cursor, now, x->opens, id) : ODP_BAD;
    bool pinned = made == ODP_OK;
    if (made == ODP_DONE) /* its secret was replaced, and the time of grace is over */
        return refuse_cursor(x);
    x->call.opens = pinned ? x->opens : NULL;
    enum odp_status st = odp_queries_lease(x->q, x->site, x->r, pinned ? id : NULL, &x->lease, why);
    if (st == ODP_DONE)
        return refuse_cursor(x);
    if (st == ODP_BAD) {
        odp_log("error", "query: %s", why);
        odp_answer_problem(x->a, ODP_PROBLEM_INTERNAL, NULL, NULL);
    }
    return st;
}

/* ---- the form ---- */

/* f= of the address, or of a POST's body; taken off, since the form is no business of the query. */
static size_t take_form(struct queries_request *x, struct odp_slice *word)
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

static enum odp_status choose_form(struct queries_request *x)
{
    struct odp_slice word;
    size_t n = take_form(x, &word);
    bool geometry = odp_index_info(x->lease.index)->has_geometry;
    int form = n == 1 ? odp_query_form_of(word, x->address.ogc) : -1;
    if (n > 1 || (n == 1 && form < 0)) {
        refuse_parameter(x, "f", W_queries_f_written_once_json_geojson);
        return ODP_BAD;
    }
    if (x->address.form >= 0)
        form = x->address.form;
    x->varies = form < 0;
    if (form < 0)
        form = odp_query_form_accepted(x->c->accept, x->address.ogc, geometry);
    if (form < 0) {
        odp_answer_header(x->a, "Vary", "Accept");
        queries_refuse(x, ODP_PROBLEM_NOT_ACCEPTABLE, QUERIES_AT(NULL),
                       odp_say(x->c, W_queries_accept_refuses_all_forms_there));
        return ODP_BAD;
    }
    x->call.form = (enum odp_query_form)form;
    return ODP_OK;
}

/* ---- the query ---- */

static const char *self_of(struct queries_request *x)
{
    const struct odp_query_address *d = &x->address;
    if (!d->ogc)
        return d->last;
    bool item = d->kind == ODP_QUERY_ITEM;
    return odp_arena_printf(&x->arena, "%sogc/collections/%s/items%s%s", x->call.root, x->r->collection,
                            item ? "/" : "", item ? d->last : "");
}

static enum odp_status make_query(struct queries_request *x)
{
    const struct odp_query_address *d = &x->address;
    const struct odp_slice asked = x->c->asked;
    struct odp_query_fault fault = {0};
    struct odp_query_call *call = &x->call;
    call->index = x->lease.index;
    call->kind = d->kind;
    call->ogc = d->ogc;
    call->key = odp_index_info(x->lease.index)->nkey > 1 ? d->key : d->key_text;
    call->params = x->params.list;
    call->nparams = x->params.n;
    call->body = x->body;
    call->root = odp_origin_ok(asked) ? odp_arena_printf(&x->arena, "%.*s/v1/", (int)asked.len, asked.ptr)
                                      : x->site->root;
    call->self = self_of(x);
    call->release = x->site->release;
    /* What programs read does not depend on the caller's language. */
    call->dataset_title = odp_text_get(&x->r->title, call->form == ODP_QUERY_HTML ? x->c->lang : ODP_LANG_ID);
    call->place = x->r->place;
    call->secret = x->secret;
    call->limits = &x->q->limits;
    call->lang = x->c->lang;
    enum odp_status st = odp_query_new(&x->query, call, &x->arena, &fault);
    if (st == ODP_BAD)
        queries_refuse_fault(x, &fault);
    return st;
}

static enum odp_status ask(struct queries_request *x)
{
    static enum odp_status (*const steps[])(struct queries_request *) = {
        read_address, read_method, read_params, lease_index, choose_form, make_query, queries_answer};
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i < ODP_COUNT(steps) && st == ODP_OK; i++)
        st = steps[i](x);
    return st;
}

enum odp_status odp_endpoint_query(struct odp_answer *a)
{
    struct queries_request x = {.s = a->s,
                                .c = a->c,
                                .a = a,
                                .q = a->s->web != NULL ? a->s->web->queries : NULL,
                                .cursor = ODP_LIT("")};
    enum odp_status st = ODP_BAD;
    x.site = x.q != NULL ? odp_holder_acquire(&x.q->site) : NULL;
    if (a->c->ambiguous)
        odp_answer_problem(a, ODP_PROBLEM_BAD_REQUEST, NULL, NULL);
    else if (x.site == NULL) /* the first site is still being read */
        odp_answer_wait(a, ODP_PROBLEM_BUSY, 1);
    else
        st = ask(&x);
    if (a->problem >= 0) /* for access log and counts upstream */
        odp_answer_header(a, "X-Odp-Code", odp_problem_info((enum odp_problem)a->problem)->code);
    odp_query_free(x.query);
    odp_queries_return(x.q, &x.lease);
    if (x.site != NULL)
        odp_holder_drop(&x.q->site, x.site);
    json_decref(x.body);
    explicit_bzero(x.secret, sizeof x.secret);
    explicit_bzero(x.opens, sizeof x.opens);
    odp_arena_release(&x.arena);
    return st;
}
