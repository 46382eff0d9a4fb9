/* Tables, meters and sites. A worker opens them when it starts and looks once a second (at a site ten times),
 * when there are requests, whether the path leads elsewhere; it takes one stat or readlink each, so no timer
 * keeps an idle worker awake. What cannot be opened is tried again as often and complained about once a
 * minute; what was open before stays in use until its successor is. */
#include "module/module_internal.h"

void *odp_place_add(ngx_conf_t *cf, ngx_array_t *places, size_t size, ngx_str_t *path)
{
    ngx_str_t full = *path;
    if (ngx_conf_full_name(cf->cycle, &full, 0) != NGX_OK)
        return NULL;
    ngx_str_t **known = places->elts; /* every place begins with its path */
    for (ngx_uint_t i = 0; i < places->nelts; i++) {
        if (known[i]->len == full.len && ngx_memcmp(known[i]->data, full.data, full.len) == 0)
            return known[i];
    }
    ngx_str_t **slot = ngx_array_push(places), *place = ngx_pcalloc(cf->pool, size);
    if (slot == NULL || place == NULL)
        return NULL;
    *place = full;
    *slot = place;
    return place;
}

/* Once a minute for each place; the failure's text is taken off in every case, so that the next one is not
 * hidden by it. */
static void complain(time_t *last, const char *what, const ngx_str_t *path, const char *why)
{
    if (*last == 0 || ngx_time() - *last >= 60) {
        *last = ngx_time();
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0, "odp: the %s \"%V\" cannot be used: %s %s", what, path,
                      why, odp_failure_text());
    }
    odp_failure_clear();
}

/* ---- the table ---- */

static void prepare_policies(struct odp_table_place *p)
{
    for (uint32_t i = 0; i < ODP_TIERS_MAX; i++)
        p->policy[i].len = i < p->settings.ntiers
                               ? odp_quota_policy_header(&p->settings.tiers[i], (char *)p->policy[i].text,
                                                         sizeof p->policy[i].text)
                               : 0;
}

static void refresh_table(struct odp_table_place *p)
{
    const char *path = (const char *)p->path.data, *why = "";
    p->checked = ngx_time();
    if (p->table == NULL || odp_keytable_replaced(p->table, path)) {
        struct odp_keytable *t = NULL;
        if (odp_keytable_open(&t, path, &why) == ODP_OK) {
            odp_keytable_close(p->table);
            p->table = t;
            p->generation++;
            p->complained = 0;
        } else {
            complain(&p->complained, "key table", &p->path, odp_or_empty(why));
        }
    }
    if (p->table != NULL) {
        odp_keytable_settings(p->table, &p->settings);
        prepare_policies(p);
    }
    p->day = odp_quota_day((int64_t)ngx_time(), p->settings.zone_minutes);
}

/* ---- the meter ---- */

static void refresh_meter(struct odp_meter_place *p)
{
    const char *path = (const char *)p->path.data;
    p->checked = ngx_time();
    if (p->meter != NULL && !odp_meter_replaced(p->meter, path))
        return;
    struct odp_meter *m = NULL;
    if (odp_meter_open(&m, path) != ODP_OK) {
        complain(&p->complained, "meter", &p->path, "");
        return;
    }
    odp_meter_close(p->meter);
    p->meter = m;
    p->generation++;
    p->complained = 0;
}

/* ---- the site ---- */

/* Ten times a second: a client that hears of a new version asks for it at once (service/webhooks/log_lines.c
 * waits for longer than this). */
static ngx_msec_t site_moment(void)
{
    return ngx_current_msec / 100;
}

static void refresh_site(struct odp_main_conf *conf, struct odp_site_place *p)
{
    const char *path = (const char *)p->path.data, *why = "";
    p->checked = site_moment();
    if (p->control != NULL && !odp_control_switched(p->control, path))
        return;
    struct odp_control *c = NULL;
    if (odp_control_open(&c, path, &why) != ODP_OK) {
        complain(&p->complained, "site", &p->path, odp_or_empty(why));
        return;
    }
    if (p->control != NULL)
        ngx_log_error(NGX_LOG_NOTICE, ngx_cycle->log, 0, "odp: the site \"%V\" is now %s", &p->path,
                      odp_control_dir(c));
    odp_cache_forget_site(conf->cache, p);
    odp_control_close(p->control);
    p->control = c;
    p->complained = 0;
}

void odp_places_refresh(ngx_http_request_t *r)
{
    struct odp_srv_conf *conf = odp_conf_srv(r);
    if (conf->table != NULL && conf->table->checked != ngx_time())
        refresh_table(conf->table);
    if (conf->meter != NULL && conf->meter->checked != ngx_time())
        refresh_meter(conf->meter);
    if (conf->site != NULL && conf->site->checked != site_moment())
        refresh_site(odp_conf_main(r), conf->site);
}

ngx_int_t odp_places_open(ngx_cycle_t *cycle)
{
    struct odp_main_conf *m = ngx_http_cycle_get_module_main_conf(cycle, odp_module_slot);
    if (m == NULL || ngx_process == NGX_PROCESS_HELPER) /* no http block, or the manager of proxy_cache */
        return NGX_OK;
    struct odp_table_place **t = m->tables.elts;
    struct odp_meter_place **c = m->meters.elts;
    struct odp_site_place **s = m->sites.elts;
    for (ngx_uint_t i = 0; i < m->tables.nelts; i++)
        refresh_table(t[i]);
    for (ngx_uint_t i = 0; i < m->meters.nelts; i++)
        refresh_meter(c[i]);
    for (ngx_uint_t i = 0; i < m->sites.nelts; i++)
        refresh_site(m, s[i]);
    return NGX_OK;
}

void odp_places_close(void *main_conf)
{
    struct odp_main_conf *m = main_conf;
    struct odp_table_place **t = m->tables.elts;
    struct odp_meter_place **c = m->meters.elts;
    struct odp_site_place **s = m->sites.elts;
    odp_cache_free(m->cache);
    m->cache = NULL;
    for (ngx_uint_t i = 0; i < m->tables.nelts; i++)
        odp_keytable_close(t[i]->table);
    for (ngx_uint_t i = 0; i < m->meters.nelts; i++)
        odp_meter_close(c[i]->meter);
    for (ngx_uint_t i = 0; i < m->sites.nelts; i++)
        odp_control_close(s[i]->control);
}
