/* The headers of a file of the site, wherever its bytes come from: its headers, and the conditions of the
 * request against its ETag. */
#include "module/module_internal.h"

#include "core/condition.h"

static struct odp_slice value_of(const ngx_table_elt_t *h)
{
    return h != NULL ? odp_slice_from(&h->value) : (struct odp_slice){NULL, 0};
}

/* Dates say nothing about files without a date of modification, and If-Modified-Since yields to If-None-Match
 * anyway. */
int odp_conditions(ngx_http_request_t *r, const struct odp_file *f)
{
    int c = ODP_CONDITION_SEND;
    if (r->headers_in.if_match != NULL || r->headers_in.if_none_match != NULL)
        c = odp_condition_check(value_of(r->headers_in.if_match), value_of(r->headers_in.if_none_match),
                                f->entry.etag);
    r->headers_in.if_match = r->headers_in.if_none_match = r->headers_in.if_modified_since =
        r->headers_in.if_unmodified_since = NULL;
    r->disable_not_modified = 1;
    return c;
}

/* Room for N headers in a row: at the end of the list's last part, as there is when nothing was added before,
 * or in a new part.
 */
static ngx_table_elt_t *reserve(ngx_list_t *l, ngx_uint_t n)
{
    if (l->last->nelts + n > l->nalloc) {
        ngx_list_part_t *part = ngx_pcalloc(l->pool, sizeof *part);
        if (part == NULL || n > l->nalloc || (part->elts = ngx_palloc(l->pool, l->nalloc * l->size)) == NULL)
            return NULL;
        l->last->next = part;
        l->last = part;
    }
    l->last->nelts += n;
    return (ngx_table_elt_t *)l->last->elts + l->last->nelts - n;
}

static void own_cache_control(ngx_http_request_t *r, struct odp_ctx *ctx, ngx_table_elt_t *h)
{
    if (ctx->from_query) /* no Authorization header tells shared caches that this is private (RFC 9111,
                            section 3.5) */
        h->value = odp_str(ODP_LIT("private, no-store"));
    else if (ctx->graced && ngx_strncmp(ctx->file->entry.path.ptr, "data/", 5) ==
                                0) /* at an address of the API, which costs quota */
        h->value = odp_str(ODP_LIT("private, max-age=60"));
    ctx->cache_control = h;
#if nginx_version < 1023000
    r->headers_out.cache_control.elts = &ctx->cache_control;
    r->headers_out.cache_control.nelts = r->headers_out.cache_control.nalloc = 1;
    r->headers_out.cache_control.size = sizeof ctx->cache_control;
    r->headers_out.cache_control.pool = r->pool;
#else
    r->headers_out.cache_control = h;
#endif
}

ngx_int_t odp_put_headers(ngx_http_request_t *r, struct odp_ctx *ctx, bool full)
{
    struct odp_file *f = ctx->file;
    ngx_uint_t n = full ? f->nheaders : f->nshared;
    /* With a Range it is nginx's filter that says Accept-Ranges, or the upstream; else it is not needed. */
    if (full && (r->allow_ranges || ctx->proxied))
        n--;
    ngx_table_elt_t *h = reserve(&r->headers_out.headers, n);
    if (h == NULL)
        return NGX_ERROR;
    ngx_memcpy(h, f->headers, n * sizeof *h);
    r->headers_out.etag = &h[0];
    own_cache_control(r, ctx, &h[1]);
    if (full && f->entry.coding != ODP_CODING_NONE)
        r->headers_out.content_encoding = &h[f->nshared];
    ctx->headers_done = 1;
    return odp_header_rate(r, ctx);
}

ngx_int_t odp_send_not_modified(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    odp_give_back(r, ctx);
    odp_count_source(r, ODP_METER_NOT_MODIFIED);
    r->headers_out.status = NGX_HTTP_NOT_MODIFIED;
    if (odp_put_headers(r, ctx, false) != NGX_OK)
        return NGX_ERROR;
    return ngx_http_send_header(r);
}
