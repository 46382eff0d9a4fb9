/* odp_origin: documents whose links are absolute (OGC API - Features, servers of OpenAPI) begin them with the
 * address that was asked for, where core/origin.h allows it. Such a document is made anew for each request,
 * from the file on this machine, and is never cached: no shared cache may learn from one client what another
 * gets. */
#include "module/module_internal.h"

#include "base/file.h"
#include "core/origin.h"

struct odp_origin {
    ngx_http_complex_value_t asked; /* "$scheme://$http_host" */
    struct odp_slice *hosts;
    size_t nhosts;
};

char *odp_origin_directive(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    struct odp_srv_conf *s = conf;
    ngx_str_t *args = cf->args->elts;
    ngx_http_compile_complex_value_t ccv = {0};
    if (s->origin != NULL)
        return "is duplicate";
    struct odp_origin *o = ngx_pcalloc(cf->pool, sizeof *o);
    if (o == NULL || (o->hosts = ngx_pcalloc(cf->pool, cf->args->nelts * sizeof *o->hosts)) == NULL)
        return NGX_CONF_ERROR;
    ccv.cf = cf;
    ccv.value = &args[1];
    ccv.complex_value = &o->asked;
    if (ngx_http_compile_complex_value(&ccv) != NGX_OK)
        return NGX_CONF_ERROR;
    for (ngx_uint_t i = 2; i < cf->args->nelts; i++) {
        if (!odp_origin_host_ok(odp_slice_from(&args[i])))
            return "needs hosts: name, name:port";
        o->hosts[o->nhosts++] = odp_slice_from(&args[i]);
    }
    s->origin = o;
    return NGX_CONF_OK;
}

/* Nobody between: a proxy that keeps the client's Host says so, one that does not sends a name of this
 * machine, which no client of its can open. */
static bool is_direct(ngx_http_request_t *r)
{
    static const char *const traces[] = {"x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded",
                                         "via"};
    for (size_t i = 0; i < ODP_COUNT(traces); i++)
        if (odp_header_in(r, traces[i]).len != 0)
            return false;
    return r->http_version >= NGX_HTTP_VERSION_11;
}

struct odp_slice odp_origin_of(ngx_http_request_t *r)
{
    static const struct odp_slice none = {"", 0};
    struct odp_srv_conf *s = odp_conf_srv(r);
    ngx_str_t asked;
    if (s->origin == NULL || s->table == NULL || s->table->table == NULL ||
        ngx_http_complex_value(r, &s->origin->asked, &asked) != NGX_OK)
        return none;
    const struct odp_origin_rules rules = {odp_slice_of(s->table->settings.base_url), s->origin->hosts,
                                           s->origin->nhosts, is_direct(r)};
    struct odp_slice origin = odp_slice_from(&asked);
    return odp_origin_allowed(origin, &rules) ? origin : none;
}

static bool has_links(const struct odp_file *f)
{
    static const char json[] = ".json";
    struct odp_slice path = f->entry.path;
    return path.len > sizeof json - 1 && memcmp(path.ptr + path.len - 5, json, 5) == 0 &&
           f->entry.coding == ODP_CODING_NONE;
}

struct odp_file *odp_origin_file(ngx_http_request_t *r, struct odp_file *f, struct odp_slice origin)
{
    struct odp_buffer was = {0}, is = {0};
    int errnum = 0;
    struct odp_slice base = odp_slice_of(odp_conf_srv(r)->table->settings.base_url);
    if (!has_links(f))
        return f;
    struct odp_file *made = f; /* where its bytes are not on this machine the site's own address has to do */
    if (odp_file_read((const char *)f->full.data, f->entry.size + 1, &was, &errnum) == ODP_OK &&
        was.len == f->entry.size) {
        odp_origin_rewrite(odp_buffer_slice(&was), base, origin, &is);
        made = odp_buffer_status(&is) == ODP_OK ? odp_file_readdress(f, odp_buffer_slice(&is), origin) : NULL;
    }
    odp_failure_clear();
    odp_buffer_release(&was);
    odp_buffer_release(&is);
    return made;
}
