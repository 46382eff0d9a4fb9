/* Requests for the query engine: what of a request makes it one, the way to the location that asks the
 * service, and the headers of its answers. The key was checked and the request counted before; what turns out
 * not to count is given back by the answer's status, as everywhere. */
#include "module/module_internal.h"

#include "core/accept.h"

bool odp_query_ask(ngx_http_request_t *r, const struct odp_ctx *ctx, const struct odp_loc_conf *conf,
                   struct odp_ask *ask)
{
    ngx_str_t query;
    *ask = (struct odp_ask){.uri = odp_slice_from(&r->uri), .engine = conf->query.len != 0};
    if (!odp_control_asks(ask->uri, r->args.len != 0)) {
        struct odp_slice accept = ask->engine && odp_control_forms(ask->uri) ? odp_header_in(r, "accept")
                                                                             : (struct odp_slice){"", 0};
        if (!odp_accept_is_usual(accept)) /* else the path alone decides, and the cache knows it */
            ask->accept = accept;
        return true;
    }
    /* Without a query engine parameters mean nothing. */
    if (conf->query.len != 0) {
        if (!odp_redact_query(r, ctx, &conf->query_key, &query))
            return false;
        ask->query = odp_slice_from(&query);
    }
    ask->accept = odp_header_in(r, "accept");
    ask->accept_language = odp_header_in(r, "accept-language");
    return true;
}

ngx_str_t odp_query_methods(ngx_http_request_t *r, const struct odp_loc_conf *conf)
{
    return conf->query.len != 0 && odp_control_takes_post(odp_slice_from(&r->uri))
               ? odp_str(ODP_LIT("GET, HEAD, POST, OPTIONS"))
               : odp_str(ODP_LIT("GET, HEAD, OPTIONS"));
}

bool odp_query_takes(ngx_http_request_t *r, const struct odp_loc_conf *conf)
{
    if (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
        return true;
    return r->method == NGX_HTTP_POST && conf->query.len != 0 &&
           odp_control_takes_post(odp_slice_from(&r->uri));
}

/* ---- the way there ---- */

static bool write_address(ngx_http_request_t *r, struct odp_ctx *ctx, const struct odp_ask *ask)
{
    struct odp_buffer b = {0};
    odp_control_query_path(ask->uri, odp_slice_from(ctx->secret.len != 0 ? &ctx->secret : &r->unparsed_uri),
                           &b);
    if (ask->query.len != 0) {
        odp_buffer_add_char(&b, '?');
        odp_buffer_add_slice(&b, ask->query);
    }
    ctx->query_uri = odp_pool_take(r, &b);
    return ctx->query_uri.data != NULL;
}

ngx_int_t odp_query_send(ngx_http_request_t *r, struct odp_ctx *ctx, struct odp_loc_conf *conf,
                         const struct odp_ask *ask)
{
    if (!write_address(r, ctx, ask)) {
        ngx_log_error(NGX_LOG_CRIT, r->connection->log, 0,
                      "odp: no memory for the address of a query: it is refused");
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
    odp_count_use(r, ctx);
    ctx->addressed = 1;
    /* Answers have tags and no dates: nginx would judge by the lack of one. */
    r->headers_in.if_modified_since = r->headers_in.if_unmodified_since = NULL;
    return ngx_http_named_location(r, &conf->query);
}

/* ---- the answer ---- */

/* The problem that the service names, for the log and the meter. */
static void take_code(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    ngx_table_elt_t *h = odp_header_find(r, "X-Odp-Code");
    if (h == NULL)
        return;
    for (int p = 0; p < ODP_PROBLEM_COUNT; p++) {
        if (odp_slice_is(odp_slice_from(&h->value), odp_problem_info((enum odp_problem)p)->code))
            ctx->problem = (enum odp_problem)p;
    }
    odp_header_drop(r, "X-Odp-Code");
}

/* An answer to a key in the address is not cached at all; one that says nothing of caches is cached by none
 * that is shared. */
static ngx_int_t settle_cache(ngx_http_request_t *r, const struct odp_ctx *ctx)
{
    ngx_table_elt_t *h = odp_header_find(r, "Cache-Control");
    if (h == NULL)
        return odp_header_add(r, "Cache-Control", odp_str(ODP_LIT("private, no-store"))) != NULL ? NGX_OK
                                                                                                 : NGX_ERROR;
    if (!ctx->from_query)
        return NGX_OK;
    odp_header_drop(r, "Cache-Control");
    odp_header_drop(r, "Expires");
    r->headers_out.expires = NULL;
    h->hash = 1;
    h->value = odp_str(ODP_LIT("private, no-store"));
    return NGX_OK;
}

static ngx_int_t add(ngx_http_request_t *r, const char *key, struct odp_slice value)
{
    return value.len == 0 || odp_header_add(r, key, odp_str(value)) != NULL ? NGX_OK : NGX_ERROR;
}

ngx_int_t odp_query_headers(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    static const char *const ours[] = {"RateLimit",
                                       "RateLimit-Policy",
                                       "Access-Control-Allow-Origin",
                                       "Access-Control-Expose-Headers",
                                       "X-Content-Type-Options",
                                       "Deprecation",
                                       "Sunset",
                                       "Set-Cookie"};
    const struct odp_entry *e = &ctx->file->entry; /* held by the request, so are its texts */
    for (size_t i = 0; i < ODP_COUNT(ours); i++)
        odp_header_drop(r, ours[i]);
    take_code(r, ctx);
    if (settle_cache(r, ctx) != NGX_OK || add(r, "Deprecation", e->deprecation) != NGX_OK ||
        add(r, "Sunset", e->sunset) != NGX_OK)
        return NGX_ERROR;
    return add(r, "Link", e->link);
}
