/* Sends a file of the site: from memory when it is small, else by sendfile from the folder of this very
 * build. */
#include "module/module_internal.h"

#include "base/line.h"
#include "core/condition.h"

static ngx_int_t open_file(ngx_http_request_t *r, struct odp_file *f, ngx_open_file_info_t *of)
{
    ngx_http_core_loc_conf_t *core = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    ngx_memzero(of, sizeof *of);
    of->read_ahead = core->read_ahead;
    of->directio = core->directio;
    of->valid = core->open_file_cache_valid;
    of->min_uses = core->open_file_cache_min_uses;
    of->errors = (unsigned)core->open_file_cache_errors & 1u;
    of->events = (unsigned)core->open_file_cache_events & 1u;
    if (ngx_http_set_disable_symlinks(r, core, &f->full, of) != NGX_OK)
        return NGX_ERROR;
    if (ngx_open_cached_file(core->open_file_cache, &f->full, of, r->pool) == NGX_OK && of->is_file &&
        of->size == (off_t)f->entry.size)
        return NGX_OK;
    ngx_log_error(NGX_LOG_CRIT, r->connection->log, of->err,
                  "odp: \"%V\" is not there with the %uL bytes that control promises", &f->full,
                  f->entry.size);
    return NGX_ERROR;
}

static ngx_buf_t *disk_buffer(ngx_http_request_t *r, const struct odp_file *f, const ngx_open_file_info_t *of)
{
    ngx_buf_t *b = ngx_calloc_buf(r->pool);
    if (b == NULL || (b->file = ngx_pcalloc(r->pool, sizeof *b->file)) == NULL)
        return NULL;
    b->file_last = of->size;
    b->in_file = b->file_last != 0;
    b->file->fd = of->fd;
    b->file->name = f->full;
    b->file->log = r->connection->log;
    b->file->directio = of->is_directio;
    return b;
}

static ngx_buf_t *memory_buffer(ngx_http_request_t *r, const struct odp_file *f)
{
    ngx_buf_t *b = ngx_calloc_buf(r->pool);
    if (b == NULL)
        return NULL;
    b->pos = b->start = f->body;
    b->last = b->end = f->body + f->entry.size;
    b->memory = f->entry.size != 0;
    return b;
}

static ngx_int_t send_file(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_file *f = ctx->file;
    ngx_open_file_info_t of;
    if (f->body == NULL &&
        odp_cache_load(odp_conf_main(r), f, odp_conf_loc(r)->cache_file, r->connection->log) != ODP_OK)
        return odp_refuse(r, ctx, ODP_PROBLEM_INTERNAL);
    if (f->body == NULL && open_file(r, f, &of) != NGX_OK)
        return odp_refuse(r, ctx, ODP_PROBLEM_INTERNAL);
    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = (off_t)f->entry.size;
    r->headers_out.content_type = odp_str(f->entry.type);
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->allow_ranges = r->headers_in.range != NULL && r->method == NGX_HTTP_GET;
    if (odp_put_headers(r, ctx, true) != NGX_OK)
        return NGX_ERROR;
    ngx_int_t rc = ngx_http_send_header(r);
    if (rc == NGX_HTTP_RANGE_NOT_SATISFIABLE)
        return odp_refuse(r, ctx, ODP_PROBLEM_RANGE);
    odp_count_source(r, f->body != NULL ? ODP_METER_MEMORY : ODP_METER_DISK);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only)
        return rc;
    ngx_buf_t *b = f->body != NULL ? memory_buffer(r, f) : disk_buffer(r, f, &of);
    if (b == NULL)
        return NGX_ERROR;
    b->last_buf = r == r->main;
    b->last_in_chain = 1;
    b->sync = !b->memory && !b->in_file; /* an empty file */
    ngx_chain_t out = {b, NULL};
    return ngx_http_output_filter(r, &out);
}

/* Heavy files, downloads and the API's pages, come from the CDN. The portal must come from the origin that
 * the service is at (its pages post forms there, load scripts by relative addresses and may load nothing from
 * elsewhere), and it does where its files are here. */
static bool sends_elsewhere(const struct odp_loc_conf *conf, const struct odp_file *f)
{
    return conf->mode == ODP_MODE_REDIRECT && !f->readdressed &&
           (odp_slice_starts(f->entry.path, "data/") || odp_slice_starts(f->entry.path, "v1/") ||
            !odp_page_on_disk(f));
}

ngx_int_t odp_content_handler(ngx_http_request_t *r)
{
    struct odp_loc_conf *conf = odp_conf_loc(r);
    struct odp_ctx *ctx = odp_ctx_get(r);
    /* Subrequests and redirects into here are not checked, so they have no file. */
    if (ctx == NULL || ctx->file == NULL || r != r->main)
        return NGX_HTTP_NOT_FOUND;
    ngx_int_t rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK)
        return rc;
    odp_count_use(r, ctx);
    switch (odp_conditions(r, ctx->file)) {
    case ODP_CONDITION_NOT_MODIFIED:
        return odp_send_not_modified(r, ctx);
    case ODP_CONDITION_FAILED:
        return odp_refuse(r, ctx, ODP_PROBLEM_PRECONDITION);
    default:
        return sends_elsewhere(conf, ctx->file) ? odp_redirect_send(r, ctx, conf->redirect)
                                                : send_file(r, ctx);
    }
}
