/* What a request takes off its quota and adds to the meter, and how both are given back; the RateLimit
 * headers. */
#include "module/module_internal.h"

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
    unsigned tier = ctx->counted && ctx->grant.tier < s->ntiers && ctx->grant.tier < ODP_TIERS_MAX
                        ? ctx->grant.tier
                        : ODP_TIERS_MAX;
    if (f->slots[tier] == -2)
        f->slots[tier] = odp_meter_slot(m->meter, f->entry.dataset, f->entry.format,
                                        tier < ODP_TIERS_MAX ? s->tiers[tier].name : "-");
    if (f->slots[tier] < 0)
        return;
    ctx->slot = f->slots[tier];
    ctx->slot_day = ctx->counted ? ctx->grant.day : srv->table->day;
    ctx->meter_generation = m->generation;
    odp_meter_use(m->meter, ctx->slot, ctx->slot_day);
}

void odp_count_source(ngx_http_request_t *r, enum odp_meter_source source)
{
    struct odp_meter_place *m = odp_conf_srv(r)->meter;
    if (m != NULL && m->meter != NULL)
        odp_meter_source(m->meter, (unsigned)ngx_worker % ODP_METER_STRIPES, source);
}

void odp_give_back(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_srv_conf *srv = odp_conf_srv(r);
    if (ctx->counted && srv->table != NULL && srv->table->table != NULL &&
        srv->table->generation == ctx->table_generation)
        odp_quota_give_back(srv->table->table, &ctx->grant);
    ctx->counted = 0;
    if (ctx->slot >= 0 && srv->meter != NULL && srv->meter->meter != NULL &&
        srv->meter->generation == ctx->meter_generation)
        odp_meter_unuse(srv->meter->meter, ctx->slot, ctx->slot_day);
    ctx->slot = -1;
}

ngx_int_t odp_header_rate(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_table_place *t = odp_conf_srv(r)->table;
    if (!ctx->graced || t == NULL || ctx->grant.tier >= ODP_TIERS_MAX)
        return NGX_OK;
    /* The place's own text: nginx copies headers before anything else can happen. */
    ngx_str_t policy = {t->policy[ctx->grant.tier].len, t->policy[ctx->grant.tier].text};
    if (policy.len != 0 && odp_header_add(r, "RateLimit-Policy", policy) == NULL)
        return NGX_ERROR;
    ngx_str_t rate = {odp_quota_header(&ctx->grant, (char *)ctx->rate, sizeof ctx->rate), ctx->rate};
    return rate.len == 0 || odp_header_add(r, "RateLimit", rate) != NULL ? NGX_OK : NGX_ERROR;
}
