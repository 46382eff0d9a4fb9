/* What nginx sees of the module: directives, configuration, phases and their handlers. In reading order, as a
 * request meets the files:
 *
 *   redact.c    POST_READ: masks keys in the address before anything logs it (mask.c)
 *   access.c    ACCESS: preflight, methods, the key (key.c; turn.c where the burst is spent), then the file:
 *               place.c has table, meter and site, cache.c the files by address, origin.c their links;
 *               moved.c redirects, refuse.c refuses
 *   content.c   sends the file (file_headers.c makes its headers, counts.c counts); or redirect.c sends to a
 *               CDN (sign.c), upstream.c lets the bytes come through proxy_pass, query.c asks the query
 *               engine
 *   page.c      browsers get a page where there is nothing; programs get a problem document (refuse.c)
 *   filter.c    headers of every answer (headers.c)
 *   meter.c     LOG: the last mask, and the totals
 *
 * variables.c has $odp_…; context.c a request's state. The workers open
 * everything that is opened (place.c), so that nginx starts when the table or the site do not exist yet, and
 * a reload keeps nothing in the master. */
#include "module/module_internal.h"

extern ngx_module_t ngx_http_odp_module;

static char *set_place(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *set_problem(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *set_query_key(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *set_query(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

static ngx_conf_enum_t modes[] = {
    {ngx_string("local"), ODP_MODE_LOCAL},
    {ngx_string("control"), ODP_MODE_CONTROL},
    {ngx_string("redirect"), ODP_MODE_REDIRECT},
    {ngx_null_string, 0},
};

#define ANYWHERE NGX_HTTP_MAIN_CONF | NGX_HTTP_SRV_CONF | NGX_HTTP_LOC_CONF
#define SERVERS  NGX_HTTP_MAIN_CONF | NGX_HTTP_SRV_CONF | NGX_CONF_TAKE1

static ngx_command_t commands[] = {
    {ngx_string("odp"), ANYWHERE | NGX_CONF_FLAG, ngx_conf_set_flag_slot, NGX_HTTP_LOC_CONF_OFFSET,
     offsetof(struct odp_loc_conf, enable), NULL},
    {ngx_string("odp_table"), SERVERS, set_place, NGX_HTTP_SRV_CONF_OFFSET,
     offsetof(struct odp_srv_conf, table), NULL},
    {ngx_string("odp_meter"), SERVERS, set_place, NGX_HTTP_SRV_CONF_OFFSET,
     offsetof(struct odp_srv_conf, meter), NULL},
    {ngx_string("odp_site"), SERVERS, set_place, NGX_HTTP_SRV_CONF_OFFSET,
     offsetof(struct odp_srv_conf, site), NULL},
    {ngx_string("odp_origin"), NGX_HTTP_MAIN_CONF | NGX_HTTP_SRV_CONF | NGX_CONF_1MORE, odp_origin_directive,
     NGX_HTTP_SRV_CONF_OFFSET, 0, NULL},
    {ngx_string("odp_content"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_enum_slot, NGX_HTTP_LOC_CONF_OFFSET,
     offsetof(struct odp_loc_conf, mode), modes},
    {ngx_string("odp_redirect"), ANYWHERE | NGX_CONF_2MORE, odp_redirect_directive, NGX_HTTP_LOC_CONF_OFFSET,
     0, NULL},
    {ngx_string("odp_cache"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, ngx_conf_set_size_slot,
     NGX_HTTP_MAIN_CONF_OFFSET, offsetof(struct odp_main_conf, cache_size), NULL},
    {ngx_string("odp_cache_file"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_size_slot,
     NGX_HTTP_LOC_CONF_OFFSET, offsetof(struct odp_loc_conf, cache_file), NULL},
    {ngx_string("odp_query_key"), ANYWHERE | NGX_CONF_TAKE1, set_query_key, NGX_HTTP_LOC_CONF_OFFSET, 0,
     NULL},
    {ngx_string("odp_query"), ANYWHERE | NGX_CONF_TAKE1, set_query, NGX_HTTP_LOC_CONF_OFFSET, 0, NULL},
    {ngx_string("odp_problem"), NGX_HTTP_LOC_CONF | NGX_CONF_NOARGS, set_problem, NGX_HTTP_LOC_CONF_OFFSET, 0,
     NULL},
    ngx_null_command,
};

/* ---- directives ---- */

static char *set_place(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    struct odp_main_conf *m = ngx_http_conf_get_module_main_conf(cf, ngx_http_odp_module);
    void **place = (void **)((char *)conf + cmd->offset);
    static const struct {
        size_t offset, list, size;
    } kinds[] = {
        {offsetof(struct odp_srv_conf, table), offsetof(struct odp_main_conf, tables),
         sizeof(struct odp_table_place)},
        {offsetof(struct odp_srv_conf, meter), offsetof(struct odp_main_conf, meters),
         sizeof(struct odp_meter_place)},
        {offsetof(struct odp_srv_conf, site), offsetof(struct odp_main_conf, sites),
         sizeof(struct odp_site_place)},
    };
    if (*place != NULL)
        return "is duplicate";
    for (size_t i = 0; i < ODP_COUNT(kinds); i++) {
        if (kinds[i].offset == cmd->offset)
            *place = odp_place_add(cf, (ngx_array_t *)((char *)m + kinds[i].list), kinds[i].size,
                                   &((ngx_str_t *)cf->args->elts)[1]);
    }
    return *place != NULL ? NGX_CONF_OK : NGX_CONF_ERROR;
}

static char *set_query_key(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    struct odp_loc_conf *l = conf;
    ngx_str_t *value = (ngx_str_t *)cf->args->elts + 1;
    if (l->query_key.data != NULL)
        return "is duplicate";
    if (value->len == 0)
        return "needs a name, or off";
    l->query_key = *value;
    if (value->len == 3 && ngx_strncmp(value->data, "off", 3) == 0)
        l->query_key.len = 0;
    return NGX_CONF_OK;
}

static char *set_query(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    struct odp_loc_conf *l = conf;
    ngx_str_t *value = (ngx_str_t *)cf->args->elts + 1;
    if (l->query.data != NULL)
        return "is duplicate";
    l->query = *value;
    if (value->len == 3 && ngx_strncmp(value->data, "off", 3) == 0)
        l->query.len = 0;
    else if (value->len < 2 || value->data[0] != '@')
        return "needs a named location (@name), or off";
    return NGX_CONF_OK;
}

static char *set_problem(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    struct odp_loc_conf *l = conf;
    ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    l->problem = true;
    core->handler = odp_problem_handler;
    return NGX_CONF_OK;
}

/* ---- configuration ---- */

static void *create_main(ngx_conf_t *cf)
{
    struct odp_main_conf *m = ngx_pcalloc(cf->pool, sizeof *m);
    ngx_pool_cleanup_t *cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (m == NULL || cln == NULL || ngx_array_init(&m->tables, cf->pool, 2, sizeof(void *)) != NGX_OK ||
        ngx_array_init(&m->meters, cf->pool, 2, sizeof(void *)) != NGX_OK ||
        ngx_array_init(&m->sites, cf->pool, 2, sizeof(void *)) != NGX_OK)
        return NULL;
    m->cache_size = NGX_CONF_UNSET_SIZE;
    odp_module_slot.ctx_index = ngx_http_odp_module.ctx_index; /* nginx has chosen it just before */
    cln->handler = odp_places_close;
    cln->data = m;
    return m;
}

static char *init_main(ngx_conf_t *cf, void *conf)
{
    struct odp_main_conf *m = conf;
    ngx_conf_init_size_value(m->cache_size, 64 * 1024 * 1024);
    return NGX_CONF_OK;
}

static void *create_srv(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(struct odp_srv_conf));
}

static char *merge_srv(ngx_conf_t *cf, void *parent, void *child)
{
    struct odp_srv_conf *up = parent, *c = child;
    if (c->table == NULL)
        c->table = up->table;
    if (c->meter == NULL)
        c->meter = up->meter;
    if (c->site == NULL)
        c->site = up->site;
    if (c->origin == NULL)
        c->origin = up->origin;
    return NGX_CONF_OK;
}

static void *create_loc(ngx_conf_t *cf)
{
    struct odp_loc_conf *l = ngx_pcalloc(cf->pool, sizeof *l);
    if (l != NULL) {
        l->enable = NGX_CONF_UNSET;
        l->mode = NGX_CONF_UNSET_UINT;
        l->cache_file = NGX_CONF_UNSET_SIZE;
    }
    return l;
}

/* Chooses the handler: ours, unless the location has proxy_pass or the like. An `if` block has its location's
 * handler. */
static void choose_handler(ngx_http_core_loc_conf_t *core, const struct odp_loc_conf *up,
                           struct odp_loc_conf *c)
{
    bool block = core->noname || core->lmt_excpt;
    if (!c->enable || c->problem)
        return;
    if (core->handler == NULL && !(block && (up->foreign || up->problem)))
        core->handler = odp_content_handler;
    c->foreign = core->handler != odp_content_handler;
}

static char *merge_loc(ngx_conf_t *cf, void *parent, void *child)
{
    struct odp_loc_conf *up = parent, *c = child;
    struct odp_srv_conf *srv = ngx_http_conf_get_module_srv_conf(cf, ngx_http_odp_module);
    ngx_conf_merge_value(c->enable, up->enable, 0);
    ngx_conf_merge_uint_value(c->mode, up->mode, ODP_MODE_LOCAL);
    ngx_conf_merge_size_value(c->cache_file, up->cache_file, 64 * 1024);
    if (c->query_key.data == NULL)
        c->query_key = up->query_key;
    if (c->query.data == NULL)
        c->query = up->query;
    if (c->redirect == NULL)
        c->redirect = up->redirect;
    if (c->enable && !c->problem) {
        if (srv->table == NULL || srv->site == NULL) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"odp on\" needs odp_table and odp_site");
            return NGX_CONF_ERROR;
        }
        if (c->mode == ODP_MODE_REDIRECT && c->redirect == NULL) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"odp_content redirect\" needs odp_redirect");
            return NGX_CONF_ERROR;
        }
    }
    choose_handler(ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module), up, c);
    return NGX_CONF_OK;
}

/* ---- phases ---- */

static ngx_int_t push_first(ngx_http_core_main_conf_t *core, ngx_http_phases phase,
                            ngx_http_handler_pt handler)
{
    ngx_array_t *list = &core->phases[phase].handlers;
    if (ngx_array_push(list) == NULL)
        return NGX_ERROR;
    ngx_http_handler_pt *h = list->elts;
    memmove(h + 1, h, (list->nelts - 1) * sizeof *h);
    h[0] = handler;
    return NGX_OK;
}

static ngx_int_t postconfiguration(ngx_conf_t *cf)
{
    ngx_http_core_main_conf_t *core = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    ngx_http_handler_pt *h = ngx_array_push(&core->phases[NGX_HTTP_POST_READ_PHASE].handlers);
    if (h == NULL)
        return NGX_ERROR;
    *h = odp_redact_handler;
    /* The access phase is run from its list's end: the operator's allow, deny and the like come before a
     * request is counted. The log phase is run from its list's beginning: a key that no earlier phase has
     * seen is masked before the access log is written. */
    if (push_first(core, NGX_HTTP_ACCESS_PHASE, odp_access_handler) != NGX_OK ||
        push_first(core, NGX_HTTP_LOG_PHASE, odp_meter_handler) != NGX_OK)
        return NGX_ERROR;
    odp_filter_install();
    return NGX_OK;
}

static ngx_http_module_t module_ctx = {
    odp_variables_add, postconfiguration, create_main, init_main,
    create_srv,        merge_srv,         create_loc,  merge_loc,
};

#define EXPORTED __attribute__((visibility("default")))

EXPORTED ngx_module_t ngx_http_odp_module = {
    NGX_MODULE_V1, &module_ctx, commands, NGX_HTTP_MODULE,       NULL, NULL, odp_places_open, NULL,
    NULL,          NULL,        NULL,     NGX_MODULE_V1_PADDING,
};

/* The symbols that nginx reads from a dynamic module. As a filter it is where nginx puts third parties'
 * filters: conditions are judged before it, ranges and compression come after it. */
EXPORTED extern ngx_module_t *ngx_modules[];
EXPORTED extern char *ngx_module_names[];
EXPORTED extern char *ngx_module_order[];
static char name_odp[] = "ngx_http_odp_module", name_copy[] = "ngx_http_copy_filter_module";
ngx_module_t *ngx_modules[] = {&ngx_http_odp_module, NULL};
char *ngx_module_names[] = {name_odp, NULL};
char *ngx_module_order[] = {name_odp, name_copy, NULL};
