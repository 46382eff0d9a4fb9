/* Sends a file of the site: from memory when it is small, else by sendfile from the folder of this very build. */
#include "module/module.h"

#include "module/condition.h"

/* ---- conditions ---- */

static struct odp_slice value_of(const ngx_table_elt_t *h)
{
    return h != NULL ? odp_slice_from(&h->value) : (struct odp_slice){NULL, 0};
}

/* Dates say nothing about files without a date of modification, and If-Modified-Since yields to If-None-Match anyway. */
int odp_conditions(ngx_http_request_t *r, const struct odp_file *f)
{
    int c = ODP_CONDITION_SEND;
    if (r->headers_in.if_match != NULL || r->headers_in.if_none_match != NULL)
        c = odp_condition_check(value_of(r->headers_in.if_match), value_of(r->headers_in.if_none_match), f->entry.etag);
    r->headers_in.if_match = r->headers_in.if_none_match = r->headers_in.if_modified_since = r->headers_in.if_unmodified_since =
        NULL;
    r->disable_not_modified = 1;
    return c;
}

/* ---- counting ---- */

void odp_count_use(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_srv_conf *srv = odp_conf_srv(r);
    struct odp_meter_place *m = srv->meter;
    struct odp_file *f = ctx->file;
    if (m == NULL || m->meter == NULL || ctx->slot >= 0 || f->entry.dataset.len == 0)
        return;
    if (f->slots_generation != m->generation)
        odp_cache_forget_slots(f, m->generation);
    const struct odp_settings *s = &srv->table->settings;
    unsigned tier =
        ctx->counted && ctx->grant.tier < s->ntiers && ctx->grant.tier < ODP_TIERS_MAX ? ctx->grant.tier : ODP_TIERS_MAX;
    if (f->slots[tier] == -2)
        f->slots[tier] =
            odp_meter_slot(m->meter, f->entry.dataset, f->entry.format, tier < ODP_TIERS_MAX ? s->tiers[tier].name : "-");
    if (f->slots[tier] < 0)
        return;
    ctx->slot = f->slots[tier];
    ctx->slot_day = ctx->counted ? ctx->grant.day : srv->table->day;
    ctx->meter_generation = m->generation;
    odp_meter_use(m->meter, ctx->slot, ctx->slot_day);
}

static void count_source(ngx_http_request_t *r, enum odp_meter_source source)
{
    struct odp_meter_place *m = odp_conf_srv(r)->meter;
    if (m != NULL && m->meter != NULL)
        odp_meter_source(m->meter, (unsigned)ngx_worker % ODP_METER_STRIPES, source);
}

/* ---- headers ---- */

/* Room for N headers in a row: at the end of the list's last part, as there is when nothing was added before, or in a new part.
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
    if (ctx->from_query) /* no shared cache is told by an Authorization header that this is private (RFC 9111, section 3.5) */
        h->value = odp_str(ODP_LIT("private, no-store"));
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
    /* With a Range it is nginx's filter that says Accept-Ranges, or the upstream; else it need not be asked. */
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
    count_source(r, ODP_METER_NOT_MODIFIED);
    r->headers_out.status = NGX_HTTP_NOT_MODIFIED;
    if (odp_put_headers(r, ctx, false) != NGX_OK)
        return NGX_ERROR;
    return ngx_http_send_header(r);
}

/* ---- bodies ---- */

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
                  "odp: \"%V\" is not there with the %uL bytes that control promises", &f->full, f->entry.size);
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
    if (f->body == NULL && odp_cache_load(odp_conf_main(r), f, odp_conf_loc(r)->cache_file, r->connection->log) != ODP_OK)
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
    count_source(r, f->body != NULL ? ODP_METER_MEMORY : ODP_METER_DISK);
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

static bool starts(struct odp_slice s, const char *with)
{
    return s.len >= strlen(with) && memcmp(s.ptr, with, strlen(with)) == 0;
}

/* What is heavy, downloads and the API's pages, comes from the CDN. The portal must come from the origin that the service is at (its pages post forms there, load
 * scripts by relative addresses and may load nothing from elsewhere), and it does where its files are here. */
static bool sends_elsewhere(const struct odp_loc_conf *conf, const struct odp_file *f)
{
    return conf->mode == ODP_MODE_REDIRECT &&
           (starts(f->entry.path, "data/") || starts(f->entry.path, "v1/") || !odp_page_on_disk(f));
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
        return sends_elsewhere(conf, ctx->file) ? odp_redirect_send(r, ctx, conf->redirect) : send_file(r, ctx);
    }
}
