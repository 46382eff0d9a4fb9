/* The first phase: keys are masked in the address before any other module sees the request. */
#include "base/monotonic.h"
#include "module/module_internal.h"

ngx_int_t odp_redact_handler(ngx_http_request_t *r)
{
    struct odp_srv_conf *srv = odp_conf_srv(r);
    if (r != r->main || (srv->table == NULL && srv->site == NULL && srv->meter == NULL))
        return NGX_DECLINED;
    struct odp_ctx *ctx = odp_ctx_make(r);
    if (ctx == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    ctx->started = odp_monotonic_ns();
    if (!odp_redact_request(r, ctx)) { /* the address is lost: another page would be the answer */
        ngx_log_error(NGX_LOG_CRIT, r->connection->log, 0,
                      "odp: no memory to read a request's address: it is refused");
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
    return NGX_DECLINED;
}
