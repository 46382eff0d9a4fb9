/* odp_content control: the bytes come through proxy_pass, all their headers come from control. The upstream
 * sees no conditions (it would judge by an ETag of its own) and gets no key; what it sends must be as long as
 * control says. */
#include "module/module_internal.h"

#include "module/condition.h"

/* ---- the request ---- */

static bool is(const ngx_str_t *s, const char *name)
{
    return s->len == strlen(name) && ngx_strncasecmp(s->data, (u_char *)(uintptr_t)name, s->len) == 0;
}

/* PART has become empty, which nginx's loops over lists allow of the first part only. */
static void unlink_part(ngx_list_t *l, ngx_list_part_t *part)
{
    ngx_list_part_t *before = &l->part;
    while (before->next != part)
        before = before->next;
    before->next = part->next;
    if (l->last != part)
        return;
    l->last = before;
    if (before->nelts != 0)
        l->nalloc = before->nelts; /* full: later headers get a part of their own */
    else
        before->elts = part->elts; /* the first part, empty too: goes on where this one had its room */
}

/* Takes element I out of PART. Elements are pointed to, so none may move: a part is cut in two instead. */
static ngx_int_t cut(ngx_http_request_t *r, ngx_list_part_t *part, ngx_uint_t i)
{
    ngx_list_t *l = &r->headers_in.headers;
    if (i + 1 == part->nelts) {
        part->nelts--;
        if (part->nelts == 0 && part != &l->part)
            unlink_part(l, part);
        return NGX_OK;
    }
    ngx_list_part_t *rest = ngx_palloc(r->pool, sizeof *rest);
    if (rest == NULL)
        return NGX_ERROR;
    rest->elts = (ngx_table_elt_t *)part->elts + i + 1;
    rest->nelts = part->nelts - i - 1;
    rest->next = part->next;
    if (l->last == part) { /* later headers go after the second half, which has that much less room */
        l->last = rest;
        l->nalloc -= i + 1;
    }
    if (i == 0 && part != &l->part) {
        *part = *rest;
        l->last = l->last == rest ? part : l->last;
        return NGX_OK;
    }
    part->nelts = i;
    part->next = rest;
    return NGX_OK;
}

/* The first header of that name. DONE: none (any more). */
static ngx_int_t remove_one(ngx_http_request_t *r, const char *name)
{
    for (ngx_list_part_t *part = &r->headers_in.headers.part; part != NULL; part = part->next) {
        ngx_table_elt_t *h = part->elts;
        for (ngx_uint_t i = 0; i < part->nelts; i++) {
            if (is(&h[i].key, name))
                return cut(r, part, i);
        }
    }
    return NGX_DONE;
}

static ngx_int_t remove_header(ngx_http_request_t *r, const char *name)
{
    ngx_int_t rc;
    while ((rc = remove_one(r, name)) == NGX_OK)
        ;
    return rc == NGX_DONE ? NGX_OK : rc;
}

/* If-Range is judged here: when it does not hold, or on a HEAD, there is no Range (RFC 9110, sections 13.1.5
 * and 14.2). */
static ngx_int_t settle_range(ngx_http_request_t *r, const struct odp_file *f)
{
    ngx_table_elt_t *h = r->headers_in.if_range;
    bool holds = r->method == NGX_HTTP_GET &&
                 (h == NULL || odp_condition_range(odp_slice_from(&h->value), f->entry.etag));
    r->headers_in.if_range = NULL;
    if (r->headers_in.range == NULL || holds)
        return NGX_OK;
    r->headers_in.range = NULL;
    return remove_header(r, "range");
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
    if (settle_range(r, ctx->file) != NGX_OK)
        return NGX_ERROR;
    for (size_t i = 0; i < ODP_COUNT(ours); i++) {
        if (remove_header(r, ours[i]) != NGX_OK)
            return NGX_ERROR;
    }
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
