/* Permanent redirects: a dataset that has another slug, a slash that is missing or too many, the page that
 * explains a problem. */
#include "module/module_internal.h"

#include "base/line.h"

static ngx_int_t add_moved(ngx_http_request_t *r, struct odp_ctx *ctx, const struct odp_entry *e)
{
    /* The address as it came: with a key in the parameter where the operator allows one, since the next
     * request needs it, too.
     */
    ngx_str_t raw = ctx->secret.len != 0 ? ctx->secret : r->unparsed_uri;
    struct odp_buffer b = {0};
    odp_control_moved(e, odp_slice_from(&r->uri), odp_slice_from(&raw), &b);
    /* Not as headers_out.location: nginx would put a scheme, host and port before it, which may not be those
     * that the client sees. */
    if (odp_header_add(r, "Location", odp_pool_take(r, &b)) == NULL)
        return NGX_ERROR;
    struct odp_slice cache = ctx->secret.len != 0        ? ODP_LIT("private, no-store")
                             : e->cache_control.len != 0 ? e->cache_control
                                                         : ODP_LIT("no-cache");
    if (odp_header_add(r, "Cache-Control", odp_pool_copy(r, cache)) == NULL)
        return NGX_ERROR;
    return e->sunset.len == 0 || odp_header_add(r, "Sunset", odp_pool_copy(r, e->sunset)) != NULL ? NGX_OK
                                                                                                  : NGX_ERROR;
}

/* The address with a slash more, or without the one at its end. Of a folder of pages relative to the address
 * itself: those work under any base path that a server before us takes off. */
static void write_slash(struct odp_buffer *b, struct odp_slice raw, bool more, bool relative)
{
    struct odp_slice rest = raw, path = odp_slice_cut(&rest, '?');
    rest = (struct odp_slice){raw.ptr + path.len, raw.len - path.len}; /* with its question mark */
    if (relative) {
        size_t last = path.len;
        while (last > 0 && path.ptr[last - 1] != '/')
            last--;
        odp_buffer_add_str(b, "./");
        path.ptr += last;
        path.len -= last;
    } else {
        /* "//name/..%2fv1/…" is a path to us, and the address of another host to a browser that follows it
         * ("/\" too) */
        while (path.len > 1 && (path.ptr[1] == '/' || path.ptr[1] == '\\')) {
            path.ptr++;
            path.len--;
        }
        path.len -= !more && path.len > 0;
    }
    odp_buffer_add_str(b, !relative && path.len > 0 && path.ptr[0] == '\\' ? "/" : "");
    odp_buffer_add_slice(b, path);
    odp_buffer_add_str(b, more ? "/" : "");
    odp_buffer_add_slice(b, rest);
}

/* 308 to TO, which is taken. */
static ngx_int_t send_permanent(ngx_http_request_t *r, struct odp_ctx *ctx, struct odp_buffer *to,
                                const char *vary, const char *cache)
{
    ctx->addressed = 1;
    r->headers_out.status = NGX_HTTP_PERMANENT_REDIRECT;
    r->headers_out.content_length_n = 0;
    if (odp_header_add(r, "Location", odp_pool_take(r, to)) == NULL ||
        odp_header_add(r, "Cache-Control", odp_str(odp_slice_of(cache))) == NULL ||
        (vary != NULL && odp_header_add(r, "Vary", odp_str(odp_slice_of(vary))) == NULL))
        return NGX_ERROR;
    ngx_int_t rc = ngx_http_send_header(r);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only)
        return rc;
    return ngx_http_send_special(r, NGX_HTTP_LAST);
}

ngx_int_t odp_moved_slash(ngx_http_request_t *r, struct odp_ctx *ctx, bool more, bool page)
{
    struct odp_buffer b = {0};
    write_slash(&b, odp_slice_from(ctx->secret.len != 0 ? &ctx->secret : &r->unparsed_uri), more, page);
    const char *cache = ctx->secret.len != 0 ? "private, no-store"
                        : page               ? "public, max-age=300"
                                             : "no-cache"; /* the key is in the address, then */
    return send_permanent(r, ctx, &b, page ? NULL : "Accept", cache);
}

ngx_int_t odp_moved_explained(ngx_http_request_t *r, struct odp_ctx *ctx, enum odp_lang lang,
                              struct odp_slice code)
{
    struct odp_buffer b = {0};
    odp_page_explained(&b, lang, code);
    return send_permanent(r, ctx, &b, "Accept-Language", "public, max-age=300");
}

ngx_int_t odp_moved_send(ngx_http_request_t *r, struct odp_ctx *ctx, const struct odp_entry *e)
{
    ngx_int_t rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK)
        return rc;
    ctx->addressed = 1;
    r->headers_out.status = NGX_HTTP_PERMANENT_REDIRECT;
    r->headers_out.content_length_n = 0;
    if (add_moved(r, ctx, e) != NGX_OK)
        return NGX_ERROR;
    rc = ngx_http_send_header(r);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only)
        return rc;
    return ngx_http_send_special(r, NGX_HTTP_LAST);
}
