/* The headers of every answer at an address of ours. Files bring their own (content.c); this is for all
 * others, and for the account. */
#include "module/module_internal.h"

static ngx_http_output_header_filter_pt next_header_filter;

static ngx_int_t add_missing(ngx_http_request_t *r, const char *key, const char *value)
{
    return odp_header_find(r, key) != NULL || odp_header_add(r, key, odp_str(odp_slice_of(value))) != NULL
               ? NGX_OK
               : NGX_ERROR;
}

/* HTML that is no file: answers of the query engine, the page for missing addresses. */
static ngx_int_t add_page_headers(ngx_http_request_t *r)
{
    if (r->headers_out.content_type.len == 0 || !odp_page_is(odp_slice_from(&r->headers_out.content_type)))
        return NGX_OK;
    for (size_t i = 0; i < ODP_PAGE_HEADERS; i++)
        if (add_missing(r, odp_page_headers[i].name, odp_page_headers[i].value) != NGX_OK)
            return NGX_ERROR;
    return NGX_OK;
}

static ngx_int_t header_filter(ngx_http_request_t *r)
{
    struct odp_ctx *ctx = r == r->main ? odp_ctx_get(r) : NULL;
    if (ctx == NULL || ctx->headers_done)
        return next_header_filter(r);
    if (ctx->proxied && r->upstream != NULL && r->err_status == 0) {
        ngx_int_t rc = odp_upstream_headers(r, ctx);
        return rc == NGX_OK ? next_header_filter(r) : rc;
    }
    if (r->headers_out.status >= NGX_HTTP_INTERNAL_SERVER_ERROR ||
        r->headers_out.status == NGX_HTTP_NOT_MODIFIED || r->headers_out.status == NGX_HTTP_TOO_MANY_REQUESTS)
        odp_give_back(r, ctx);
    if (ctx->query && r->upstream != NULL && r->err_status == 0 && odp_query_headers(r, ctx) != NGX_OK)
        return NGX_ERROR;
    if (ctx->addressed || odp_conf_loc(r)->enable) {
        if (add_missing(r, "Access-Control-Allow-Origin", "*") != NGX_OK ||
            add_missing(r, "Access-Control-Expose-Headers", odp_exposed) != NGX_OK ||
            add_missing(r, "X-Content-Type-Options", "nosniff") != NGX_OK || add_page_headers(r) != NGX_OK)
            return NGX_ERROR;
    }
    if (r->headers_out.status == 431 && r->headers_out.status_line.len == 0) /* nginx has no phrase for it */
        r->headers_out.status_line = odp_str(ODP_LIT("431 Request Header Fields Too Large"));
    ctx->headers_done = 1;
    if (odp_header_find(r, "RateLimit") == NULL && odp_header_rate(r, ctx) != NGX_OK)
        return NGX_ERROR;
    return next_header_filter(r);
}

void odp_filter_install(void)
{
    next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = header_filter;
}
