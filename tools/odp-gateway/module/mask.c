/* Keys in addresses. A request line goes into the access log, the error log and to upstreams, so what looks
 * like a key in it is masked before any other module sees the request; the address as it came is kept for
 * odp_query_key and for links of the service's mails. */
#include "module/module_internal.h"

/* Anything that could begin a key has '_' or is percent-encoded; a parameter that is masked by its name has
 * '='. */
static bool suspicious(const ngx_str_t *s)
{
    return s->len != 0 && (memchr(s->data, '_', s->len) != NULL || memchr(s->data, '%', s->len) != NULL ||
                           memchr(s->data, '=', s->len) != NULL);
}

static bool inside(const u_char *p, const ngx_str_t *s)
{
    return p >= s->data && p <= s->data + s->len;
}

/* HTTP/2 header values may lie in the connection's HPACK table, which later requests refer to: they are
 * masked in a copy. */
static ngx_int_t own_address(ngx_http_request_t *r)
{
    ngx_str_t old = r->unparsed_uri;
    u_char *p = ngx_pstrdup(r->pool, &old);
    if (p == NULL)
        return NGX_ERROR;
    r->unparsed_uri.data = p;
    if (r->args.len != 0 && inside(r->args.data, &old))
        r->args.data = p + (r->args.data - old.data);
    if (r->exten.len != 0 && inside(r->exten.data, &old))
        r->exten.data = p + (r->exten.data - old.data);
    if (inside(r->uri.data, &old)) {
        r->uri.data = p + (r->uri.data - old.data);
    } else if (r->uri.len != 0) {
        ngx_str_t uri = r->uri;
        p = ngx_pstrdup(r->pool, &uri);
        if (p == NULL)
            return NGX_ERROR;
        if (r->exten.len != 0 && inside(r->exten.data, &uri))
            r->exten.data = p + (r->exten.data - uri.data);
        r->uri.data = p;
    }
    return NGX_OK;
}

static void mask(const ngx_str_t *s)
{
    if (s->len != 0)
        (void)odp_key_redact((char *)s->data, s->len);
}

static void redact_referer(ngx_http_request_t *r)
{
    ngx_table_elt_t *h = r->headers_in.referer;
    if (h == NULL || !suspicious(&h->value))
        return;
    ngx_str_t own = {h->value.len, ngx_pnalloc(r->pool, h->value.len + 1)};
    if (own.data == NULL) {
        own.len = 0;
    } else {
        ngx_memcpy(own.data, h->value.data, own.len);
        own.data[own.len] = '\0'; /* as nginx leaves header values */
    }
    mask(&own);
    h->value = own;
}

/* Of a request that could not be parsed nginx finds the line only when it writes it; found here as it would.
 */
static void find_line(ngx_http_request_t *r)
{
    if (r->request_line.data != NULL || r->request_start == NULL || r->header_in == NULL)
        return;
    u_char *p = r->request_start;
    while (p < r->header_in->last && *p != CR && *p != LF)
        p++;
    r->request_line.data = r->request_start;
    r->request_line.len = (size_t)(p - r->request_start);
}

bool odp_redact_request(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    if (ctx != NULL)
        ctx->redacted = 1;
    redact_referer(r);
    find_line(r);
    if (!suspicious(&r->unparsed_uri) && !suspicious(&r->uri) &&
        (r->unparsed_uri.len != 0 || !suspicious(&r->request_line)))
        return true;
    ngx_str_t came = {r->unparsed_uri.len, ngx_pstrdup(r->pool, &r->unparsed_uri)};
    if (came.data == NULL || own_address(r) != NGX_OK) {
        r->unparsed_uri.len = r->args.len = r->request_line.len =
            0; /* better no line in the log than a key in it */
        return false;
    }
    mask(&r->unparsed_uri);
    mask(&r->uri);
    mask(&r->request_line);
    if (ctx != NULL &&
        (came.len != r->unparsed_uri.len || ngx_memcmp(came.data, r->unparsed_uri.data, came.len) != 0))
        ctx->secret = came;
    return true;
}

/* ---- what the address holds ---- */

/* A parameter or path, decoded, in the request's pool. */
static ngx_str_t decoded(ngx_http_request_t *r, const u_char *p, size_t len)
{
    ngx_str_t out = {0, ngx_pnalloc(r->pool, len + 1)};
    u_char *from = (u_char *)(uintptr_t)p, *to = out.data;
    if (to == NULL)
        return out;
    ngx_unescape_uri(&to, &from, len, 0);
    out.len = (size_t)(to - out.data);
    return out;
}

/* PART, decoded, is the parameter NAME. */
static bool is_parameter(const ngx_str_t *part, const ngx_str_t *name)
{
    return name->len != 0 && part->len > name->len && part->data[name->len] == '=' &&
           ngx_memcmp(part->data, name->data, name->len) == 0;
}

bool odp_redact_leaks(ngx_http_request_t *r, const ngx_str_t *secret, const ngx_str_t *allowed,
                      ngx_str_t *value)
{
    const u_char *p = secret->data, *end = p + secret->len,
                 *query = ngx_strlchr((u_char *)(uintptr_t)p, (u_char *)(uintptr_t)end, '?');
    bool leaks = false;
    ngx_str_null(value);
    ngx_str_t part = decoded(r, p, (size_t)((query != NULL ? query : end) - p));
    leaks = part.data == NULL || odp_key_is_in(odp_slice_from(&part));
    while (query != NULL) {
        const u_char *begin = query + 1,
                     *stop = ngx_strlchr((u_char *)(uintptr_t)begin, (u_char *)(uintptr_t)end, '&');
        part = decoded(r, begin, (size_t)((stop != NULL ? stop : end) - begin));
        if (is_parameter(&part, allowed)) {
            leaks |= value->data != NULL; /* twice: ambiguous */
            value->data = part.data + allowed->len + 1;
            value->len = part.len - allowed->len - 1;
        } else {
            leaks |= part.data == NULL || odp_key_is_in(odp_slice_from(&part));
        }
        query = stop;
    }
    return leaks;
}

bool odp_redact_query(ngx_http_request_t *r, const struct odp_ctx *ctx, const ngx_str_t *name,
                      ngx_str_t *query)
{
    const ngx_str_t *raw = ctx->secret.len != 0 ? &ctx->secret : &r->unparsed_uri;
    const u_char *p = raw->data, *end = p + raw->len,
                 *hash = ngx_strlchr((u_char *)(uintptr_t)p, (u_char *)(uintptr_t)end, '#');
    end = hash != NULL ? hash : end;
    p = ngx_strlchr((u_char *)(uintptr_t)p, (u_char *)(uintptr_t)end, '?');
    ngx_str_null(query);
    if (p == NULL)
        return true;
    if ((query->data = ngx_pnalloc(r->pool, (size_t)(end - p))) == NULL)
        return false;
    while (p != NULL && p < end) {
        const u_char *begin = p + 1,
                     *stop = ngx_strlchr((u_char *)(uintptr_t)begin, (u_char *)(uintptr_t)end, '&');
        size_t len = (size_t)((stop != NULL ? stop : end) - begin);
        p = stop;
        if (len == 0)
            continue;
        if (name->len != 0) {
            ngx_str_t part = decoded(r, begin, len);
            if (part.data == NULL)
                return false;
            if (is_parameter(&part, name))
                continue;
        }
        if (query->len != 0)
            query->data[query->len++] = '&';
        ngx_memcpy(query->data + query->len, begin, len);
        query->len += len;
    }
    return true;
}

void odp_redact_restore(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    ngx_str_t none = ngx_null_string, value;
    if (ctx == NULL || ctx->secret.len == 0 || ctx->secret.len != r->unparsed_uri.len ||
        odp_redact_leaks(r, &ctx->secret, &none, &value))
        return;
    if (r->args.len != 0 && inside(r->args.data, &r->unparsed_uri))
        r->args.data = ctx->secret.data + (r->args.data - r->unparsed_uri.data);
    r->unparsed_uri.data = ctx->secret.data;
}
