/* Who may ask for what. The order: CORS preflight; other methods (405); a key in the address; the key (401,
 * 403, 429); then what there is (410, 404). A moved address (308) needs no key. Whatever an upstream sends is
 * prepared here too, because proxy_pass answers in place of our content handler. */
#include "module/module_internal.h"

#include "core/origin.h"

/* ---- preflight ---- */

static ngx_int_t preflight(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    static const struct {
        const char *key, *value;
    } headers[] = {
        {"Access-Control-Allow-Headers", ODP_CORS_HEADERS},
        {"Access-Control-Max-Age", "86400"},
    };
    ngx_str_t methods = odp_query_methods(r, odp_conf_loc(r));
    ngx_int_t rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK)
        return rc;
    ctx->addressed = 1;
    r->headers_out.status = NGX_HTTP_NO_CONTENT;
    if (odp_header_add(r, "Access-Control-Allow-Methods", methods) == NULL ||
        odp_header_add(r, "Allow", methods) == NULL)
        return NGX_ERROR;
    for (size_t i = 0; i < ODP_COUNT(headers); i++) {
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
    enum odp_problem p = odp_key_check(r, ctx);
    if (p == ODP_PROBLEM_COUNT)
        return ctx->grant.wait_ms > 0 ? NGX_BUSY : NGX_OK;
    return finish(r, odp_refuse(r, ctx, p));
}

/* ODP_PROBLEM_COUNT: there is what LOOK was for. */
static enum odp_problem problem_of(const struct odp_srv_conf *srv, const struct odp_loc_conf *conf,
                                   const struct odp_look *look)
{
    if (srv->site->control == NULL)
        return ODP_PROBLEM_UNAVAILABLE;
    if (look->gone)
        return ODP_PROBLEM_GONE;
    if (look->file == NULL)
        return ODP_PROBLEM_NOT_FOUND;
    return look->route == ODP_ROUTE_QUERY && conf->query.len == 0 ? ODP_PROBLEM_NOT_IMPLEMENTED
                                                                  : ODP_PROBLEM_COUNT;
}

/* NGX_DECLINED: a file is found and may be sent, or the query engine asked (ctx->file, ctx->query). NGX_BUSY:
 * its turn is to come. */
static ngx_int_t decide(ngx_http_request_t *r, struct odp_ctx *ctx, struct odp_loc_conf *conf,
                        struct odp_ask *ask, bool *keyed)
{
    struct odp_srv_conf *srv = odp_conf_srv(r);
    struct odp_look look = {.keyed = odp_control_needs_key(odp_slice_from(&r->uri))};
    ngx_str_t accept = ngx_string("");
    enum odp_status st = ODP_OK;
    struct odp_slice origin =
        odp_origin_concerns(odp_slice_from(&r->uri)) ? odp_origin_of(r) : (struct odp_slice){"", 0};
    if (r->headers_in.accept_encoding != NULL && origin.len == 0) /* a twin's links cannot be changed */
        accept = r->headers_in.accept_encoding->value;
    if (!odp_query_ask(r, ctx, conf, ask))
        st = odp_failure_set("read a query", NULL, ENOMEM);
    else if (srv->site->control != NULL)
        st = odp_cache_look(odp_conf_main(r), srv->site, ask, &accept, &look);
    *keyed = look.keyed;
    if (st != ODP_OK)
        return odp_refuse(r, ctx, ODP_PROBLEM_INTERNAL);
    bool leaked = ctx->secret.len != 0 && leaks(r, ctx, conf);
    /* The new address of a dataset is no data: it needs no key and does not count. */
    if (look.moved && !leaked)
        return odp_moved_send(r, ctx, &look.entry);
    enum odp_problem p = leaked       ? ODP_PROBLEM_KEY_IN_QUERY
                         : look.keyed ? odp_key_check(r, ctx)
                                      : ODP_PROBLEM_COUNT;
    if (p == ODP_PROBLEM_COUNT && ctx->grant.wait_ms > 0)
        return NGX_BUSY;
    if (p == ODP_PROBLEM_COUNT)
        p = problem_of(srv, conf, &look);
    enum odp_slash slash = p == ODP_PROBLEM_COUNT && look.file != NULL
                               ? odp_control_slash(odp_slice_from(&r->uri), &look.file->entry)
                               : ODP_SLASH_RIGHT;
    if (slash != ODP_SLASH_RIGHT)
        return odp_moved_slash(r, ctx, slash == ODP_SLASH_MISSING, look.route == ODP_ROUTE_FILE);
    if (p == ODP_PROBLEM_COUNT) {
        ctx->query = look.route == ODP_ROUTE_QUERY;
        ctx->file = origin.len != 0 && !ctx->query ? odp_origin_file(r, look.file, origin) : look.file;
        if (ctx->file == NULL)
            return odp_refuse(r, ctx, ODP_PROBLEM_INTERNAL);
        odp_file_hold(ctx->file);
        return NGX_DECLINED;
    }
    ngx_int_t rc = p == ODP_PROBLEM_NOT_FOUND ? odp_page_explain(r, ctx) : NGX_DECLINED;
    return rc != NGX_DECLINED ? rc : odp_refuse_link(r, ctx, p, look.link);
}

static ngx_int_t handle(ngx_http_request_t *r, struct odp_ctx *ctx, struct odp_loc_conf *conf)
{
    struct odp_ask ask = {0};
    bool keyed = false;
    if (conf->foreign && conf->mode == ODP_MODE_LOCAL)
        return guard(r, ctx, conf);
    if (r->method == NGX_HTTP_OPTIONS)
        return finish(r, preflight(r, ctx));
    if (!odp_query_takes(r, conf))
        return finish(r, odp_refuse(r, ctx, ODP_PROBLEM_METHOD));
    ngx_int_t rc = decide(r, ctx, conf, &ask, &keyed);
    if (rc == NGX_BUSY)
        return rc;
    if (rc != NGX_DECLINED)
        return finish(r, rc);
    if (ctx->query)
        return finish(r, odp_query_send(r, ctx, conf, &ask));
    if (conf->mode == ODP_MODE_CONTROL && conf->foreign) {
        rc = ctx->file->readdressed ? odp_content_handler(r) : odp_upstream_prepare(r, ctx);
        if (rc != NGX_DECLINED)
            return finish(r, rc);
    }
    return keyed ? NGX_OK : NGX_DECLINED;
}

ngx_int_t odp_access_handler(ngx_http_request_t *r)
{
    struct odp_loc_conf *conf = odp_conf_loc(r);
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
    ngx_int_t rc = handle(r, ctx, conf);
    if (rc != NGX_BUSY)
        return rc;
    ctx->checked = 0;
    return odp_turn_wait(r, ctx);
}
