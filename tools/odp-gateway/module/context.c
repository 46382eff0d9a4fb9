/* The state of a request, and our slot in nginx's arrays. */
#include "module/module_internal.h"

struct odp_module_slot odp_module_slot;

ngx_str_t odp_pool_copy(ngx_http_request_t *r, struct odp_slice s)
{
    ngx_str_t made = {0, ngx_pnalloc(r->pool, s.len + 1)};
    if (made.data != NULL && s.len != 0)
        ngx_memcpy(made.data, s.ptr, made.len = s.len);
    return made;
}

ngx_str_t odp_pool_take(ngx_http_request_t *r, struct odp_buffer *b)
{
    ngx_str_t made = ngx_null_string;
    if (odp_buffer_status(b) == ODP_OK)
        made = odp_pool_copy(r, odp_buffer_slice(b));
    odp_buffer_release(b);
    return made;
}

static void release_ctx(void *data)
{
    struct odp_ctx *ctx = data;
    odp_file_release(ctx->file);
    ctx->file = NULL;
}

struct odp_ctx *odp_ctx_get(ngx_http_request_t *r)
{
    struct odp_ctx *ctx = ngx_http_get_module_ctx(r, odp_module_slot);
    if (ctx != NULL || !(r->internal || r->filter_finalize || r->error_page) || r != r->main)
        return ctx;
    /* An internal redirect has cleared the contexts. */
    for (ngx_pool_cleanup_t *c = r->pool->cleanup; c != NULL; c = c->next) {
        if (c->handler == release_ctx) {
            ngx_http_set_ctx(r, c->data, odp_module_slot);
            return c->data;
        }
    }
    return NULL;
}

struct odp_ctx *odp_ctx_make(ngx_http_request_t *r)
{
    struct odp_ctx *ctx = odp_ctx_get(r);
    if (ctx != NULL)
        return ctx;
    ngx_pool_cleanup_t *cln = ngx_pool_cleanup_add(r->pool, sizeof *ctx);
    if (cln == NULL) {
        ngx_log_error(NGX_LOG_CRIT, r->connection->log, 0, "odp: no memory for a request: it is refused");
        return NULL;
    }
    ctx = cln->data;
    ngx_memzero(ctx, offsetof(struct odp_ctx, rate));
    ctx->request = r;
    ctx->problem = ODP_PROBLEM_COUNT;
    ctx->slot = -1;
    cln->handler = release_ctx;
    ngx_http_set_ctx(r, ctx, odp_module_slot);
    return ctx;
}
