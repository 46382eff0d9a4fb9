/* Who may ask for what. The order: CORS preflight; other methods (405); a key in the address; the key (401, 403, 429); then
 * what there is (410, 404). A moved address (308) needs no key. Whatever an upstream sends is prepared here too, because
 * proxy_pass answers in place of our content handler. */
#include "module/module.h"

#include <time.h>

uint64_t odp_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the request's state ---- */

static void release_ctx(void *data)
{
    struct odp_ctx *ctx = data;
    odp_file_release(ctx->file);
    ctx->file = NULL;
}

struct odp_ctx *odp_ctx_get(ngx_http_request_t *r)
{
    struct odp_ctx *ctx = ngx_http_get_module_ctx(r, ngx_http_odp_module);
    if (ctx != NULL || !(r->internal || r->filter_finalize || r->error_page) || r != r->main)
        return ctx;
    /* An internal redirect has cleared the contexts. */
    for (ngx_pool_cleanup_t *c = r->pool->cleanup; c != NULL; c = c->next) {
        if (c->handler == release_ctx) {
            ngx_http_set_ctx(r, c->data, ngx_http_odp_module);
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
    ngx_http_set_ctx(r, ctx, ngx_http_odp_module);
    return ctx;
}

/* ---- keys ---- */

static enum odp_problem hash_key(struct odp_ctx *ctx, struct odp_slice key)
{
    if (!odp_key_ok(key))
        return ODP_PROBLEM_KEY_MALFORMED;
    if (odp_key_digest(key, ctx->digest) != ODP_OK)
        return ODP_PROBLEM_INTERNAL;
    ctx->hashed = 1;
    return ODP_PROBLEM_COUNT;
}

void odp_access_begin(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_table_place *t = odp_conf_srv(r)->table;
    if (r->headers_in.authorization == NULL || t == NULL || t->table == NULL)
        return;
    ctx->bearer = odp_bearer_parse(odp_slice_from(&r->headers_in.authorization->value), &ctx->key);
    if (ctx->bearer == ODP_BEARER_OK && hash_key(ctx, ctx->key) == ODP_PROBLEM_COUNT)
        odp_keytable_warm(t->table, ctx->digest, 0);
    else if (ctx->bearer == ODP_BEARER_OK)
        odp_failure_clear(); /* it is tried again where the key is asked for */
}

/* The key that the request brings has its digest in CTX then, or the problem with it. Authorization goes before the address. */
static enum odp_problem find_key(ngx_http_request_t *r, struct odp_ctx *ctx, const struct odp_loc_conf *conf)
{
    ngx_str_t in_query = ngx_null_string;
    if (ctx->secret.len != 0 && conf->query_key.len != 0)
        (void)odp_redact_leaks(r, &ctx->secret, &conf->query_key, &in_query);
    ctx->from_query = in_query.data != NULL;
    if (ctx->hashed)
        return ODP_PROBLEM_COUNT;
    if (r->headers_in.authorization != NULL)
        ctx->bearer = odp_bearer_parse(odp_slice_from(&r->headers_in.authorization->value), &ctx->key);
    if (ctx->bearer == ODP_BEARER_MALFORMED)
        return ODP_PROBLEM_KEY_MALFORMED;
    if (ctx->bearer != ODP_BEARER_OK && in_query.data == NULL)
        return ODP_PROBLEM_KEY_MISSING;
    return hash_key(ctx, ctx->bearer == ODP_BEARER_OK ? ctx->key : odp_slice_from(&in_query));
}

/* ODP_PROBLEM_COUNT: the key is good and the request counted. */
static enum odp_problem check_key(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_table_place *t = odp_conf_srv(r)->table;
    struct odp_meter_place *m = odp_conf_srv(r)->meter;
    enum odp_problem p = find_key(r, ctx, odp_conf_loc(r));
    if (p != ODP_PROBLEM_COUNT)
        return p;
    if (t->table == NULL) {
        if (m != NULL && m->meter != NULL)
            odp_meter_source(m->meter, (unsigned)ngx_worker % ODP_METER_STRIPES, ODP_METER_NO_TABLE);
        return ODP_PROBLEM_UNAVAILABLE;
    }
    ngx_time_t *now = ngx_timeofday();
    enum odp_verdict v =
        odp_quota_take(t->table, &t->settings, ctx->digest, (int64_t)now->sec * 1000 + (int64_t)now->msec, &ctx->grant);
    ctx->table_generation = t->generation;
    ctx->graced = ctx->grant.record != UINT32_MAX;
    ctx->counted = v == ODP_PASS;
    if (v == ODP_PASS)
        return ODP_PROBLEM_COUNT;
    if (v == ODP_KEY_UNKNOWN)
        ctx->graced = 0;
    return odp_problem_of_verdict(v);
}

void odp_give_back(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_srv_conf *srv = odp_conf_srv(r);
    if (ctx->counted && srv->table != NULL && srv->table->table != NULL && srv->table->generation == ctx->table_generation)
        odp_quota_give_back(srv->table->table, &ctx->grant);
    ctx->counted = 0;
    if (ctx->slot >= 0 && srv->meter != NULL && srv->meter->meter != NULL && srv->meter->generation == ctx->meter_generation)
        odp_meter_unuse(srv->meter->meter, ctx->slot, ctx->slot_day);
    ctx->slot = -1;
}

/* ---- preflight ---- */

static ngx_int_t preflight(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    static const struct {
        const char *key, *value;
    } headers[] = {
        {"Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match, If-Range, Range"},
        {"Access-Control-Max-Age", "86400"},
    };
    ngx_str_t methods = odp_query_methods(r, odp_conf_loc(r));
    ngx_int_t rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK)
        return rc;
    ctx->addressed = 1;
    r->headers_out.status = NGX_HTTP_NO_CONTENT;
    if (odp_header_add(r, "Access-Control-Allow-Methods", methods) == NULL || odp_header_add(r, "Allow", methods) == NULL)
        return NGX_ERROR;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        if (odp_header_add(r, headers[i].key, odp_str(odp_slice_of(headers[i].value))) == NULL)
            return NGX_ERROR;
    }
    return ngx_http_send_header(r);
}

/* ---- the phase ---- */

static ngx_int_t finish(ngx_http_request_t *r, ngx_int_t rc)
{
    ngx_http_finalize_request(r, rc);
    return NGX_DONE;
}

static bool leaks(ngx_http_request_t *r, struct odp_ctx *ctx, struct odp_loc_conf *conf)
{
    ngx_str_t value;
    return ctx->secret.len != 0 && odp_redact_leaks(r, &ctx->secret, &conf->query_key, &value);
}

/* Another handler answers here: only the key is ours to check, where the address needs one. */
static ngx_int_t guard(ngx_http_request_t *r, struct odp_ctx *ctx, struct odp_loc_conf *conf)
{
    if (r->method == NGX_HTTP_OPTIONS)
        return NGX_DECLINED;
    if (leaks(r, ctx, conf))
        return finish(r, odp_refuse(r, ctx, ODP_PROBLEM_KEY_IN_QUERY));
    if (!odp_control_needs_key(odp_slice_from(&r->uri)))
        return NGX_DECLINED;
    enum odp_problem p = check_key(r, ctx);
    return p == ODP_PROBLEM_COUNT ? NGX_OK : finish(r, odp_refuse(r, ctx, p));
}

/* ODP_PROBLEM_COUNT: there is what LOOK was for. */
static enum odp_problem problem_of(const struct odp_srv_conf *srv, const struct odp_loc_conf *conf, const struct odp_look *look)
{
    if (srv->site->control == NULL)
        return ODP_PROBLEM_UNAVAILABLE;
    if (look->gone)
        return ODP_PROBLEM_GONE;
    if (look->file == NULL)
        return ODP_PROBLEM_NOT_FOUND;
    return look->route == ODP_ROUTE_QUERY && conf->query.len == 0 ? ODP_PROBLEM_NOT_IMPLEMENTED : ODP_PROBLEM_COUNT;
}

/* NGX_DECLINED: a file is found and may be sent, or the query engine asked (ctx->file, ctx->query). */
static ngx_int_t decide(ngx_http_request_t *r, struct odp_ctx *ctx, struct odp_loc_conf *conf, struct odp_ask *ask, bool *keyed)
{
    struct odp_srv_conf *srv = odp_conf_srv(r);
    struct odp_look look = {.keyed = odp_control_needs_key(odp_slice_from(&r->uri))};
    ngx_str_t accept = ngx_string("");
    enum odp_status st = ODP_OK;
    if (r->headers_in.accept_encoding != NULL)
        accept = r->headers_in.accept_encoding->value;
    if (ctx->hashed && srv->table->table != NULL)
        odp_keytable_warm(srv->table->table, ctx->digest, 1);
    if (!odp_query_ask(r, ctx, conf, ask))
        st = odp_failure_set("read a query", NULL, ENOMEM);
    else if (srv->site->control != NULL)
        st = odp_cache_look(odp_conf_main(r), srv->site, ask, &accept, &look);
    *keyed = look.keyed;
    if (st != ODP_OK)
        return odp_refuse(r, ctx, ODP_PROBLEM_INTERNAL);
    bool leaked = ctx->secret.len != 0 && leaks(r, ctx, conf);
    /* Where a dataset has gone is no data: no key is asked for, nothing counted. */
    if (look.moved && !leaked)
        return odp_redirect_moved(r, ctx, &look.entry);
    enum odp_problem p = leaked ? ODP_PROBLEM_KEY_IN_QUERY : look.keyed ? check_key(r, ctx) : ODP_PROBLEM_COUNT;
    if (p == ODP_PROBLEM_COUNT)
        p = problem_of(srv, conf, &look);
    enum odp_slash slash = p == ODP_PROBLEM_COUNT && look.file != NULL
                               ? odp_control_slash(odp_slice_from(&r->uri), &look.file->entry)
                               : ODP_SLASH_RIGHT;
    if (slash != ODP_SLASH_RIGHT)
        return odp_redirect_slash(r, ctx, slash == ODP_SLASH_MISSING, look.route == ODP_ROUTE_FILE);
    if (p == ODP_PROBLEM_COUNT) {
        ctx->query = look.route == ODP_ROUTE_QUERY;
        ctx->file = look.file;
        odp_file_hold(ctx->file);
        return NGX_DECLINED;
    }
    ngx_int_t rc = p == ODP_PROBLEM_NOT_FOUND ? odp_page_explain(r, ctx) : NGX_DECLINED;
    return rc != NGX_DECLINED ? rc : odp_refuse_link(r, ctx, p, look.link);
}

ngx_int_t odp_access_handler(ngx_http_request_t *r)
{
    struct odp_loc_conf *conf = odp_conf_loc(r);
    struct odp_ask ask = {0};
    bool keyed = false;
    if (!conf->enable || conf->problem) {
        odp_redact_restore(r, odp_ctx_get(r));
        return NGX_DECLINED;
    }
    struct odp_ctx *ctx = odp_ctx_make(r);
    if (ctx == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    if (ctx->checked)
        return NGX_DECLINED;
    ctx->checked = 1;
    odp_places_refresh(r);
    if (conf->foreign && conf->mode == ODP_MODE_LOCAL)
        return guard(r, ctx, conf);
    if (r->method == NGX_HTTP_OPTIONS)
        return finish(r, preflight(r, ctx));
    if (!odp_query_takes(r, conf))
        return finish(r, odp_refuse(r, ctx, ODP_PROBLEM_METHOD));
    ngx_int_t rc = decide(r, ctx, conf, &ask, &keyed);
    if (rc != NGX_DECLINED)
        return finish(r, rc);
    if (ctx->query)
        return finish(r, odp_query_send(r, ctx, conf, &ask));
    if (conf->mode == ODP_MODE_CONTROL && conf->foreign) {
        rc = odp_upstream_prepare(r, ctx);
        if (rc != NGX_DECLINED)
            return finish(r, rc);
    }
    return keyed ? NGX_OK : NGX_DECLINED;
}
