/* What packages and modules are called. The names themselves were checked when portal.json was read (catalog/clients.c). */
#include "site/clients/clients_internal.h"

static const char *const defaults[ODP_CLIENT_LANGUAGES] = {
    [ODP_CLIENT_JAVASCRIPT] = "@odp/client", [ODP_CLIENT_PYTHON] = "odp-client", [ODP_CLIENT_PHP] = "odp/client"};

void client_normal(struct odp_buffer *out, const char *name, char with)
{
    for (const char *p = name; *p != '\0'; p++) {
        bool sign = *p == '-' || *p == '_' || *p == '.';
        if (!sign)
            odp_buffer_add_char(out, *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p);
        else if (p[1] != '-' && p[1] != '_' && p[1] != '.')
            odp_buffer_add_char(out, with);
    }
}

/* "pu/data-terbuka": "Pu\DataTerbuka". */
static void php_module(struct odp_buffer *out, const char *package, struct odp_arena *a, enum odp_status *status)
{
    const char *slash = strchr(package, '/');
    const char *vendor = odp_arena_printf(a, "%.*s", slash != NULL ? (int)(slash - package) : 0, package);
    if (vendor == NULL || slash == NULL) {
        *status = ODP_FAIL;
        return;
    }
    client_studly(out, vendor);
    odp_buffer_add_char(out, '\\');
    client_studly(out, slash + 1);
}

enum odp_status odp_client_names(struct odp_client_names *names, const struct odp_catalog *c, struct odp_arena *a)
{
    struct odp_buffer out;
    enum odp_status status = ODP_OK;
    odp_buffer_init(&out);
    for (int l = 0; l < ODP_CLIENT_LANGUAGES && status == ODP_OK; l++) {
        const char *package = c->portal.clients[l] != NULL ? c->portal.clients[l] : defaults[l];
        odp_buffer_clear(&out);
        if (l == ODP_CLIENT_PYTHON)
            client_normal(&out, package, '_');
        else if (l == ODP_CLIENT_PHP)
            php_module(&out, package, a, &status);
        else
            odp_buffer_add_str(&out, package);
        names->package[l] = package;
        names->module[l] = status == ODP_OK && odp_buffer_status(&out) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(&out)) : NULL;
        status = names->module[l] != NULL ? ODP_OK : ODP_FAIL;
    }
    odp_buffer_release(&out);
    return status;
}
