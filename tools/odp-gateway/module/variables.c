/* $odp_…: for access logs, proxy_pass and proxy_cache_key. Empty where nothing is known; never a key. */
#include "module/module_internal.h"

enum what {
    WHAT_KEY,
    WHAT_TIER,
    WHAT_CODE,
    WHAT_DATASET,
    WHAT_FORMAT,
    WHAT_URI,
    WHAT_PATH,
    WHAT_ETAG,
    WHAT_AGENT,
    WHAT_ACCOUNT,
    WHAT_QUERY_URI,
    WHAT_ORIGIN
};

static struct odp_slice masked(ngx_http_request_t *r, const ngx_str_t *s)
{
    ngx_str_t copy = odp_pool_copy(r, odp_slice_from(s));
    (void)odp_key_redact((char *)copy.data, copy.len);
    return odp_slice_from(&copy);
}

/* The masked address; where the address was given back its token, in a copy. */
static struct odp_slice masked_uri(ngx_http_request_t *r, const struct odp_ctx *ctx)
{
    if (ctx == NULL || ctx->secret.len == 0 || ctx->secret.data != r->unparsed_uri.data)
        return odp_slice_from(&r->unparsed_uri);
    return masked(r, &r->unparsed_uri);
}

/* The User-Agent header, copied and masked only where a key could stand in it. */
static struct odp_slice masked_agent(ngx_http_request_t *r)
{
    if (r->headers_in.user_agent == NULL)
        return (struct odp_slice){"", 0};
    ngx_str_t *value = &r->headers_in.user_agent->value;
    if (memchr(value->data, '_', value->len) == NULL && memchr(value->data, '%', value->len) == NULL)
        return odp_slice_from(value);
    return masked(r, value);
}

static struct odp_slice escaped_path(ngx_http_request_t *r, struct odp_slice path)
{
    u_char *from = (u_char *)(uintptr_t)path.ptr;
    uintptr_t more = 2 * ngx_escape_uri(NULL, from, path.len, NGX_ESCAPE_URI);
    if (more == 0)
        return path;
    u_char *to = ngx_pnalloc(r->pool, path.len + more);
    if (to == NULL)
        return (struct odp_slice){"", 0};
    (void)ngx_escape_uri(to, from, path.len, NGX_ESCAPE_URI);
    return (struct odp_slice){(char *)to, path.len + more};
}

/* Keys that follow each other by rotation have the same. */
static struct odp_slice account_number(ngx_http_request_t *r, const struct odp_ctx *ctx)
{
    if (!ctx->graced || ctx->grant.account_record == UINT32_MAX)
        return (struct odp_slice){"", 0};
    u_char *p = ngx_pnalloc(r->pool, NGX_INT64_LEN);
    if (p == NULL)
        return (struct odp_slice){"", 0};
    return (struct odp_slice){(char *)p, (size_t)(ngx_sprintf(p, "%uD", ctx->grant.account_record) - p)};
}

static struct odp_slice say(ngx_http_request_t *r, const struct odp_ctx *ctx, enum what what)
{
    const struct odp_table_place *t = odp_conf_srv(r)->table;
    static const struct odp_slice nothing = {"", 0};
    if (what == WHAT_URI)
        return masked_uri(r, ctx);
    if (what == WHAT_AGENT)
        return masked_agent(r->main);
    if (ctx == NULL)
        return nothing;
    const struct odp_entry *e = ctx->file != NULL ? &ctx->file->entry : NULL;
    switch (what) {
    case WHAT_KEY:
        return odp_slice_of(ctx->grant.shown);
    case WHAT_TIER:
        return ctx->graced && t != NULL && ctx->grant.tier < t->settings.ntiers
                   ? odp_slice_of(t->settings.tiers[ctx->grant.tier].name)
                   : nothing;
    case WHAT_CODE:
        return ctx->problem != ODP_PROBLEM_COUNT ? odp_slice_of(odp_problem_info(ctx->problem)->code)
                                                 : nothing;
    case WHAT_ACCOUNT:
        return account_number(r, ctx);
    case WHAT_ORIGIN:
        return odp_origin_of(r->main);
    case WHAT_QUERY_URI:
        return odp_slice_from(&ctx->query_uri);
    case WHAT_DATASET:
        return e != NULL ? e->dataset : nothing;
    case WHAT_FORMAT:
        return e != NULL ? e->format : nothing;
    case WHAT_PATH:
        return e != NULL ? escaped_path(r, e->path) : nothing;
    default:
        return e != NULL ? e->etag : nothing;
    }
}

static ngx_int_t get(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    struct odp_slice s = say(r, odp_ctx_get(r->main), (enum what)data);
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
    v->len = (unsigned)s.len & 0xfffffffu;
    v->data = (u_char *)(uintptr_t)s.ptr;
    return NGX_OK;
}

ngx_int_t odp_variables_add(ngx_conf_t *cf)
{
    static const struct {
        const char *name;
        enum what what;
    } all[] = {
        {"odp_key", WHAT_KEY},         {"odp_tier", WHAT_TIER},           {"odp_code", WHAT_CODE},
        {"odp_dataset", WHAT_DATASET}, {"odp_format", WHAT_FORMAT},       {"odp_uri", WHAT_URI},
        {"odp_path", WHAT_PATH},       {"odp_etag", WHAT_ETAG},           {"odp_agent", WHAT_AGENT},
        {"odp_account", WHAT_ACCOUNT}, {"odp_query_uri", WHAT_QUERY_URI}, {"odp_origin", WHAT_ORIGIN},
    };
    for (size_t i = 0; i < ODP_COUNT(all); i++) {
        ngx_str_t name = odp_str(odp_slice_of(all[i].name));
        ngx_http_variable_t *v = ngx_http_add_variable(cf, &name, NGX_HTTP_VAR_NOCACHEABLE);
        if (v == NULL)
            return NGX_ERROR;
        v->get_handler = get;
        v->data = all[i].what;
    }
    return NGX_OK;
}
