/* The key that a request brings: found, looked up, counted. */
#include "module/module_internal.h"

/* DIGEST gets that of the key that the request brings, or the problem with it is returned. Authorization goes
 * before the address. */
static enum odp_problem find_key(ngx_http_request_t *r, struct odp_ctx *ctx, const struct odp_loc_conf *conf,
                                 uint8_t digest[ODP_SHA256_SIZE])
{
    ngx_str_t in_query = ngx_null_string;
    enum odp_bearer bearer = ODP_BEARER_NONE;
    struct odp_slice key = {NULL, 0};
    if (ctx->secret.len != 0 && conf->query_key.len != 0)
        (void)odp_redact_leaks(r, &ctx->secret, &conf->query_key, &in_query);
    ctx->from_query = in_query.data != NULL;
    if (r->headers_in.authorization != NULL)
        bearer = odp_bearer_parse(odp_slice_from(&r->headers_in.authorization->value), &key);
    if (bearer == ODP_BEARER_MALFORMED)
        return ODP_PROBLEM_KEY_MALFORMED;
    if (bearer != ODP_BEARER_OK && in_query.data == NULL)
        return ODP_PROBLEM_KEY_MISSING;
    if (bearer != ODP_BEARER_OK)
        key = odp_slice_from(&in_query);
    if (!odp_key_ok(key))
        return ODP_PROBLEM_KEY_MALFORMED;
    return odp_key_digest(key, digest) == ODP_OK ? ODP_PROBLEM_COUNT : ODP_PROBLEM_INTERNAL;
}

/* ODP_PROBLEM_COUNT: the key is good and the request counted. */
enum odp_problem odp_key_check(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_table_place *t = odp_conf_srv(r)->table;
    struct odp_meter_place *m = odp_conf_srv(r)->meter;
    if (ctx->counted) /* it has waited for its turn */
        return ODP_PROBLEM_COUNT;
    uint8_t digest[ODP_SHA256_SIZE];
    enum odp_problem p = find_key(r, ctx, odp_conf_loc(r), digest);
    if (p != ODP_PROBLEM_COUNT)
        return p;
    if (t->table == NULL) {
        if (m != NULL && m->meter != NULL)
            odp_meter_source(m->meter, (unsigned)ngx_worker % ODP_METER_STRIPES, ODP_METER_NO_TABLE);
        return ODP_PROBLEM_UNAVAILABLE;
    }
    ngx_time_t *now = ngx_timeofday();
    enum odp_verdict v = (odp_turn_room() ? odp_quota_queue : odp_quota_take)(
        t->table, &t->settings, digest, (int64_t)now->sec * 1000 + (int64_t)now->msec, &ctx->grant);
    ctx->table_generation = t->generation;
    ctx->graced = ctx->grant.record != UINT32_MAX;
    ctx->counted = v == ODP_PASS;
    if (v == ODP_PASS)
        return ODP_PROBLEM_COUNT;
    if (v == ODP_KEY_UNKNOWN)
        ctx->graced = 0;
    return odp_problem_of_verdict(v);
}
