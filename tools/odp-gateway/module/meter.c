/* The end of a request: the last look for keys before the access log is written, and the totals. */
#include "base/monotonic.h"
#include "module/module_internal.h"

static int status_of(const ngx_http_request_t *r)
{
    ngx_uint_t s = r->err_status != 0 ? r->err_status : r->headers_out.status;
    return s < 600 ? (int)s : 0;
}

ngx_int_t odp_meter_handler(ngx_http_request_t *r)
{
    struct odp_srv_conf *srv = odp_conf_srv(r);
    struct odp_ctx *ctx = odp_ctx_get(r);
    if (srv->table == NULL && srv->site == NULL && srv->meter == NULL)
        return NGX_OK;
    /* The head could not be read, or the address was given back its token for an upstream. */
    if (ctx == NULL || !ctx->redacted || ctx->secret.len != 0)
        (void)odp_redact_request(r, ctx);
    if (srv->meter == NULL || r != r->main)
        return NGX_OK;
    odp_places_refresh(r);
    if (srv->meter->meter == NULL)
        return NGX_OK;
    unsigned stripe = (unsigned)ngx_worker % ODP_METER_STRIPES;
    uint64_t micros =
        ctx != NULL && ctx->started != 0 ? (uint64_t)(odp_monotonic_ns() - ctx->started) / 1000 : 0;
    odp_meter_request(srv->meter->meter, stripe, status_of(r), micros, (uint64_t)r->connection->sent);
    if (ctx != NULL && ctx->problem != ODP_PROBLEM_COUNT)
        odp_meter_refusal(srv->meter->meter, stripe, ctx->problem);
    return NGX_OK;
}
