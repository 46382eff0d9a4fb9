/* Problem documents (RFC 9457): our own refusals, and by `odp_problem;` those of nginx. */
#include "module/module_internal.h"

#include <inttypes.h>

#include "base/line.h"
#include "words/module.h"

static ngx_str_t number(ngx_http_request_t *r, int64_t n)
{
    ngx_str_t s = {0, ngx_pnalloc(r->pool, NGX_INT64_LEN)};
    if (s.data != NULL)
        s.len = (size_t)(ngx_sprintf(s.data, "%L", n) - s.data);
    return s;
}

/* Bytes that the location of queries takes; else 0, or no bound. */
static off_t query_body_max(ngx_http_request_t *r)
{
    const ngx_str_t *name = &odp_conf_loc(r)->query;
    const ngx_http_core_srv_conf_t *server = ngx_http_get_module_srv_conf(r, ngx_http_core_module);
    for (ngx_http_core_loc_conf_t **l = server->named_locations; l != NULL && *l != NULL; l++)
        if ((*l)->name.len == name->len && ngx_memcmp((*l)->name.data, name->data, name->len) == 0)
            return (*l)->client_max_body_size;
    return 0;
}

/* The detail of a problem with queries, in ROOM where it has a number; NULL: the general sentence. */
static const char *detail_of(ngx_http_request_t *r, const struct odp_ctx *ctx, enum odp_problem p,
                             enum odp_lang lang, char room[64])
{
    struct odp_slice path = odp_slice_from(&r->unparsed_uri);
    if (p == ODP_PROBLEM_UNAVAILABLE && ctx != NULL && ctx->query)
        return odp_word(lang, W_module_queries_follow);
    if (p != ODP_PROBLEM_TOO_LARGE || !odp_control_takes_post(odp_slice_cut(&path, '?')))
        return NULL;
    const long long most = query_body_max(r) / 1024;
    (void)snprintf(room, 64, odp_word(lang, W_module_send_at_most), most);
    return most > 0 ? room : NULL;
}

/* The document in the request's pool. */
static ngx_str_t document(ngx_http_request_t *r, struct odp_ctx *ctx, enum odp_problem p)
{
    struct odp_table_place *t = odp_conf_srv(r)->table;
    const char *base = t != NULL && t->table != NULL ? t->settings.base_url : "/";
    char more[96], room[64];
    const bool limited =
        ctx != NULL && ctx->graced && (p == ODP_PROBLEM_QUOTA_EXCEEDED || p == ODP_PROBLEM_BURST_EXCEEDED);
    if (limited)
        (void)snprintf(more, sizeof more, "\"violated-policies\":[\"%s\"],\"reset\":%" PRId64,
                       p == ODP_PROBLEM_QUOTA_EXCEEDED ? "daily" : "burst", ctx->grant.retry_after);
    enum odp_lang lang = odp_lang_accept(odp_header_in(r, "accept-language"));
    struct odp_buffer b = {0};
    odp_problem_write(&b, p, lang, base, detail_of(r, ctx, p, lang, room), limited ? more : NULL);
    return odp_pool_take(r, &b);
}

/* What every problem says of itself. */
static bool add_common(ngx_http_request_t *r)
{
    static const ngx_str_t languages[] = {ngx_string("id"), ngx_string("en")};
    enum odp_lang lang = odp_lang_accept(odp_header_in(r, "accept-language"));
    return odp_header_add(r, "Cache-Control", odp_str(ODP_LIT("no-store"))) != NULL &&
           odp_header_add(r, "Content-Language", languages[lang]) != NULL &&
           odp_header_add(r, "Vary", odp_str(ODP_LIT("Accept-Language"))) != NULL;
}

static ngx_int_t send_document(ngx_http_request_t *r, struct odp_ctx *ctx, enum odp_problem p)
{
    return odp_send_text(r, odp_str(ODP_LIT("application/problem+json")), document(r, ctx, p));
}

/* Long enough for the service to be started again. */
#define UNAVAILABLE_SECONDS 5

static bool add_unavailable(ngx_http_request_t *r)
{
    return odp_header_add(r, "Retry-After", number(r, UNAVAILABLE_SECONDS)) != NULL;
}

static ngx_int_t add_headers(ngx_http_request_t *r, struct odp_ctx *ctx, enum odp_problem p,
                             struct odp_slice link)
{
    char *room = ngx_pnalloc(r->pool, ODP_CHALLENGE_MAX);
    const char *challenge = room != NULL ? odp_problem_challenge(p, room) : NULL;
    ngx_table_elt_t *h = NULL;
    if (room == NULL || !add_common(r))
        return NGX_ERROR;
    if (challenge != NULL) {
        h = odp_header_add(r, "WWW-Authenticate", odp_str(odp_slice_of(challenge)));
        r->headers_out.www_authenticate = h;
        if (h == NULL)
            return NGX_ERROR;
    }
    if (p == ODP_PROBLEM_METHOD && odp_header_add(r, "Allow", odp_query_methods(r, odp_conf_loc(r))) == NULL)
        return NGX_ERROR;
    if (odp_problem_info(p)->status == 429 && ctx->graced &&
        odp_header_add(r, "Retry-After", number(r, ctx->grant.retry_after)) == NULL)
        return NGX_ERROR;
    if (odp_problem_info(p)->status == NGX_HTTP_SERVICE_UNAVAILABLE && !add_unavailable(r))
        return NGX_ERROR;
    if (p == ODP_PROBLEM_RANGE && ctx->file != NULL) {
        ngx_str_t size = {0, ngx_pnalloc(r->pool, sizeof "bytes */" + NGX_INT64_LEN)};
        if (size.data == NULL)
            return NGX_ERROR;
        size.len = (size_t)(ngx_sprintf(size.data, "bytes */%uL", ctx->file->entry.size) - size.data);
        h = odp_header_add(r, "Content-Range", size);
        r->headers_out.content_range = h;
        if (h == NULL)
            return NGX_ERROR;
    }
    return link.len == 0 || odp_header_add(r, "Link", odp_pool_copy(r, link)) != NULL ? NGX_OK : NGX_ERROR;
}

ngx_int_t odp_refuse_link(ngx_http_request_t *r, struct odp_ctx *ctx, enum odp_problem p,
                          struct odp_slice link)
{
    ngx_int_t rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK)
        return rc;
    if (p == ODP_PROBLEM_INTERNAL &&
        odp_failure_text()[0] != '\0') { /* else it was logged where it happened */
        ngx_log_error(NGX_LOG_CRIT, r->connection->log, 0, "odp: a request is refused: %s",
                      odp_failure_text());
        odp_failure_clear();
    }
    ctx->problem = p;
    ctx->addressed = 1;
    ctx->headers_done = 0;
    ngx_http_clean_header(r);
    r->headers_out.status = (ngx_uint_t)odp_problem_info(p)->status;
    r->allow_ranges = 0;
    rc = p == ODP_PROBLEM_NOT_FOUND ? odp_page_send_not_found(r, ctx) : NGX_DECLINED;
    if (rc != NGX_DECLINED)
        return rc;
    if (add_headers(r, ctx, p, link) != NGX_OK)
        return NGX_ERROR;
    return send_document(r, ctx, p);
}

ngx_int_t odp_refuse(ngx_http_request_t *r, struct odp_ctx *ctx, enum odp_problem p)
{
    return odp_refuse_link(r, ctx, p, (struct odp_slice){"", 0});
}

/* ---- odp_problem ---- */

/* Headers that speak of the answer that failed, not of the failure. */
static void drop_headers(ngx_http_request_t *r, bool *allow)
{
    static const char *const names[] = {
        "ETag",      "Cache-Control",    "Expires",          "Last-Modified",
        "Vary",      "Content-Encoding", "Deprecation",      "Sunset",
        "Link",      "Accept-Ranges",    "Content-Language", "Content-Disposition",
        "RateLimit", "RateLimit-Policy"};
    *allow = odp_header_find(r, "Allow") != NULL;
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        odp_header_drop(r, names[i]);
    r->headers_out.etag = NULL;
    r->headers_out.expires = NULL;
    r->headers_out.last_modified = NULL;
    r->headers_out.last_modified_time = -1;
    r->headers_out.content_encoding = NULL;
    r->headers_out.accept_ranges = NULL;
}

/* The status of the answer: an upstream's refusal of a file that control lists is not the client's fault. */
static ngx_uint_t status_of_problem(ngx_http_request_t *r, const struct odp_ctx *ctx)
{
    ngx_uint_t status = r->err_status != 0 ? r->err_status : NGX_HTTP_NOT_FOUND;
    if (!ctx->proxied || r->upstream == NULL || status >= NGX_HTTP_INTERNAL_SERVER_ERROR ||
        status == NGX_HTTP_RANGE_NOT_SATISFIABLE || r->upstream->headers_in.status_n != status)
        return status;
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "odp: the upstream answered %ui for \"%*s\", which control lists", status,
                  ctx->file->entry.path.len, ctx->file->entry.path.ptr);
    ngx_http_clean_header(r);
    return NGX_HTTP_BAD_GATEWAY;
}

ngx_int_t odp_problem_handler(ngx_http_request_t *r)
{
    struct odp_ctx *ctx = odp_ctx_make(r);
    bool allow = false;
    ngx_int_t rc = ngx_http_discard_request_body(r);
    if (ctx == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    if (!ctx->redacted) /* a head that nginx refused before its phases began */
        (void)odp_redact_request(r, ctx);
    if (rc != NGX_OK)
        return rc;
    ngx_uint_t status = status_of_problem(r, ctx);
    enum odp_problem p = odp_problem_of_status((int)status);
    if (ctx->problem == ODP_PROBLEM_COUNT || odp_problem_info(ctx->problem)->status != (int)status)
        ctx->problem = p;
    drop_headers(r, &allow);
    ctx->addressed = 1;
    ctx->headers_done = 0;
    r->err_status = status;
    r->headers_out.status = status;
    r->allow_ranges = 0;
    rc = status == NGX_HTTP_NOT_FOUND ? odp_page_send_not_found(r, ctx) : NGX_DECLINED;
    if (rc != NGX_DECLINED)
        return rc;
    if (!add_common(r))
        return NGX_ERROR;
    if (status == NGX_HTTP_NOT_ALLOWED && !allow &&
        odp_header_add(r, "Allow", odp_str(ODP_LIT("GET, HEAD, OPTIONS"))) == NULL)
        return NGX_ERROR;
    if (status == NGX_HTTP_SERVICE_UNAVAILABLE && !add_unavailable(r))
        return NGX_ERROR;
    return send_document(r, ctx, ctx->problem);
}
