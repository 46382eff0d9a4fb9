/* A request whose burst is spent waits for its turn, as nginx's own limit_req lets requests wait: in a timer
 * of its connection, without a worker. How long and how many of one account is core/quota's; of all accounts
 * together it is a quarter of the worker's connections. It was counted when it came; a client that leaves
 * before its turn gets that back. */
#include "module/module_internal.h"

static ngx_uint_t waiting; /* in this worker */

bool odp_turn_room(void)
{
    return waiting < ngx_cycle->connection_n / 4;
}

static void leave(struct odp_ctx *ctx)
{
    waiting -= ctx->waits;
    ctx->waits = 0;
}

static void gone(void *data)
{
    struct odp_ctx *ctx = data;
    if (ctx->waits)
        odp_give_back(ctx->request, ctx);
    leave(ctx);
}

static void go_on(ngx_http_request_t *r)
{
    ngx_event_t *write = r->connection->write;
    bool early = write->delayed; /* something else woke us */
    ngx_int_t rc = early ? ngx_handle_write_event(write, 0) : ngx_handle_read_event(r->connection->read, 0);
    if (rc != NGX_OK) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
        return;
    }
    if (early)
        return;
    leave(odp_ctx_get(r));
    r->read_event_handler = ngx_http_block_reading;
    r->write_event_handler = ngx_http_core_run_phases;
    ngx_http_core_run_phases(r);
}

ngx_int_t odp_turn_wait(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    ngx_pool_cleanup_t *cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL || ngx_handle_read_event(r->connection->read, 0) != NGX_OK)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    cln->handler = gone;
    cln->data = ctx;
    waiting++;
    ctx->waits = 1;
    r->read_event_handler = ngx_http_test_reading; /* a closed connection is noticed */
    r->write_event_handler = go_on;
    r->connection->write->delayed = 1;
    ngx_add_timer(r->connection->write, (ngx_msec_t)ctx->grant.wait_ms);
    ctx->grant.wait_ms = 0;
    return NGX_AGAIN;
}
