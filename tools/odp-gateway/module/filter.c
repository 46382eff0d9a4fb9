/* The headers of every answer at an address of ours. Files bring their own (content.c); this is for all others, and for the
 * account. */
#include "module/module.h"

const char odp_exposed[] =
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Deprecation, Sunset, Repr-Digest, Content-Range";

static ngx_http_output_header_filter_pt next_header_filter;

ngx_table_elt_t *odp_header_add(ngx_http_request_t *r, const char *key, ngx_str_t value)
{
    if (value.data == NULL)
        return NULL;
    ngx_table_elt_t *h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL)
        return NULL;
    ngx_memzero(h, sizeof *h);
    h->hash = 1;
    h->key = odp_str(odp_slice_of(key));
    h->value = value;
    return h;
}

static ngx_table_elt_t *find(ngx_list_t *list, const char *name)
{
    for (ngx_list_part_t *part = &list->part; part != NULL; part = part->next) {
        ngx_table_elt_t *h = part->elts;
        for (ngx_uint_t i = 0; i < part->nelts; i++) {
            if (h[i].hash != 0 && h[i].key.len == strlen(name) &&
                ngx_strncasecmp(h[i].key.data, (u_char *)(uintptr_t)name, h[i].key.len) == 0)
                return &h[i];
        }
    }
    return NULL;
}

struct odp_slice odp_header_in(ngx_http_request_t *r, const char *name)
{
    ngx_table_elt_t *h = find(&r->headers_in.headers, name);
    return h != NULL ? odp_slice_from(&h->value) : (struct odp_slice){"", 0};
}

ngx_table_elt_t *odp_header_find(ngx_http_request_t *r, const char *name)
{
    return find(&r->headers_out.headers, name);
}

void odp_header_drop(ngx_http_request_t *r, const char *name)
{
    ngx_table_elt_t *h;
    while ((h = odp_header_find(r, name)) != NULL)
        h->hash = 0;
}

static ngx_int_t add_missing(ngx_http_request_t *r, const char *key, const char *value)
{
    return odp_header_find(r, key) != NULL || odp_header_add(r, key, odp_str(odp_slice_of(value))) != NULL ? NGX_OK : NGX_ERROR;
}

ngx_int_t odp_header_rate(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_table_place *t = odp_conf_srv(r)->table;
    if (!ctx->graced || t == NULL || ctx->grant.tier >= ODP_TIERS_MAX)
        return NGX_OK;
    /* The place's own text: nginx copies headers before anything else can happen. */
    ngx_str_t policy = {t->policy[ctx->grant.tier].len, t->policy[ctx->grant.tier].text};
    if (policy.len != 0 && odp_header_add(r, "RateLimit-Policy", policy) == NULL)
        return NGX_ERROR;
    ngx_str_t rate = {odp_quota_header(&ctx->grant, (char *)ctx->rate, sizeof ctx->rate), ctx->rate};
    return rate.len == 0 || odp_header_add(r, "RateLimit", rate) != NULL ? NGX_OK : NGX_ERROR;
}

/* Of HTML that is no file: answers of the query engine, the page for what is not there. */
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
    if (r->headers_out.status >= NGX_HTTP_INTERNAL_SERVER_ERROR || r->headers_out.status == NGX_HTTP_NOT_MODIFIED ||
        r->headers_out.status == NGX_HTTP_TOO_MANY_REQUESTS)
        odp_give_back(r, ctx);
    if (ctx->query && r->upstream != NULL && r->err_status == 0 && odp_query_headers(r, ctx) != NGX_OK)
        return NGX_ERROR;
    if (ctx->addressed || odp_conf_loc(r)->enable) {
        if (add_missing(r, "Access-Control-Allow-Origin", "*") != NGX_OK ||
            add_missing(r, "Access-Control-Expose-Headers", odp_exposed) != NGX_OK ||
            add_missing(r, "X-Content-Type-Options", "nosniff") != NGX_OK || add_page_headers(r) != NGX_OK)
            return NGX_ERROR;
    }
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
