/* odp_content control: the bytes come through proxy_pass, all their headers come from control. The upstream
 * sees no conditions (it would judge by an ETag of its own) and gets no key; what it sends must be as long as
 * control says. */
#include "module/module_internal.h"

#include "core/condition.h"

/* ---- the request ---- */

/* If-Range is judged here: when it does not hold, or on a HEAD, there is no Range (RFC 9110, sections 13.1.5
 * and 14.2). */
static void settle_range(ngx_http_request_t *r, const struct odp_file *f)
{
    ngx_table_elt_t *h = r->headers_in.if_range;
    bool holds = r->method == NGX_HTTP_GET &&
                 (h == NULL || odp_condition_range(odp_slice_from(&h->value), f->entry.etag));
    r->headers_in.if_range = NULL;
    if (r->headers_in.range == NULL || holds)
        return;
    r->headers_in.range = NULL;
    odp_header_keep(r, "range");
}

ngx_int_t odp_upstream_prepare(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    static const char *const ours[] = {"if-none-match",       "if-match", "if-modified-since",
                                       "if-unmodified-since", "if-range", "accept-encoding",
                                       "authorization"};
    odp_count_use(r, ctx);
    int c = odp_conditions(r, ctx->file);
    if (c != ODP_CONDITION_SEND) {
        ngx_int_t rc = ngx_http_discard_request_body(r);
        if (rc != NGX_OK)
            return rc;
        return c == ODP_CONDITION_FAILED ? odp_refuse(r, ctx, ODP_PROBLEM_PRECONDITION)
                                         : odp_send_not_modified(r, ctx);
    }
    settle_range(r, ctx->file);
    for (size_t i = 0; i < ODP_COUNT(ours); i++)
        odp_header_keep(r, ours[i]);
    r->headers_in.accept_encoding = NULL;
    r->headers_in.authorization = NULL;
    ctx->proxied = 1;
    return NGX_DECLINED;
}

/* ---- the answer ---- */

/* Bytes of the whole representation by the upstream; -1: unknown. */
static off_t full_size(ngx_http_request_t *r)
{
    if (r->headers_out.status == NGX_HTTP_OK)
        return r->headers_out.content_length_n;
    ngx_table_elt_t *h = odp_header_find(r, "Content-Range");
    u_char *slash = h != NULL ? ngx_strlchr(h->value.data, h->value.data + h->value.len, '/') : NULL;
    return slash != NULL ? ngx_atoof(slash + 1, (size_t)(h->value.data + h->value.len - slash - 1)) : -1;
}

static ngx_int_t reject(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    ngx_uint_t status = r->headers_out.status;
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "odp: the upstream answered %ui for \"%*s\", which control lists", status,
                  ctx->file->entry.path.len, ctx->file->entry.path.ptr);
    ngx_http_clean_header(r);
    return status == NGX_HTTP_SERVICE_UNAVAILABLE || status == NGX_HTTP_GATEWAY_TIME_OUT
               ? (ngx_int_t)status
               : NGX_HTTP_BAD_GATEWAY;
}

ngx_int_t odp_upstream_headers(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    static const char *const theirs[] = {"ETag",
                                         "Cache-Control",
                                         "Expires",
                                         "Last-Modified",
                                         "Vary",
                                         "Link",
                                         "Deprecation",
                                         "Sunset",
                                         "RateLimit",
                                         "RateLimit-Policy",
                                         "Access-Control-Allow-Origin",
                                         "Access-Control-Expose-Headers",
                                         "X-Content-Type-Options",
                                         "Content-Security-Policy",
                                         "Cross-Origin-Opener-Policy",
                                         "Permissions-Policy",
                                         "Referrer-Policy",
                                         "Set-Cookie"};
    struct odp_file *f = ctx->file;
    if (r->headers_out.status == NGX_HTTP_RANGE_NOT_SATISFIABLE)
        return NGX_HTTP_RANGE_NOT_SATISFIABLE;
    if (r->headers_out.status != NGX_HTTP_OK && r->headers_out.status != NGX_HTTP_PARTIAL_CONTENT)
        return reject(r, ctx);
    off_t size = full_size(r);
    bool same = size == (off_t)f->entry.size;
    for (size_t i = 0; i < ODP_COUNT(theirs); i++)
        odp_header_drop(r, theirs[i]);
    r->headers_out.etag = r->headers_out.last_modified = r->headers_out.expires = NULL;
    r->headers_out.last_modified_time = -1;
    if (same || f->entry.coding != ODP_CODING_NONE) {
        odp_header_drop(r, "Content-Encoding");
        r->headers_out.content_encoding = NULL;
    }
    r->headers_out.content_type = odp_str(f->entry.type);
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;
    r->headers_out.charset.len = 0;
    if (odp_put_headers(r, ctx, true) != NGX_OK)
        return NGX_ERROR;
    if (!same) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "odp: the upstream has %O bytes for \"%*s\", control says %uL", size, f->entry.path.len,
                      f->entry.path.ptr, f->entry.size);
        r->headers_out.etag->hash = 0;
        r->headers_out.etag = NULL;
        ctx->cache_control->value = odp_str(ODP_LIT("no-store"));
    }
    return NGX_OK;
}
