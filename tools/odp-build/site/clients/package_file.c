/* The file of a package: its name, its media type.
 *
 * Names are those of `npm pack`, of wheels (the normalised name with _) and of Composer's convention. Two
 * names of one release that make one file name (pu-a/b, pu/a-b) are ODP-C31. */
#include "site/clients/clients_internal.h"

/* "packages/python/odp_client-2.5.0-py3-none-any.whl": as that ecosystem's own tools name it. */
const char *client_package_file(const struct client_model *m, enum odp_client_language l, struct odp_arena *a)
{
    const char *name = m->names.package[l], *folder = client_languages[l].name;
    if (l == ODP_CLIENT_PYTHON)
        return odp_arena_printf(a, "packages/%s/%s-%s-py3-none-any.whl", folder, m->names.module[l],
                                m->release);
    char *flat = odp_arena_str(a, *name == '@' ? name + 1 : name);
    for (char *p = flat; *p != '\0'; p++)
        *p = *p == '/' ? '-' : *p;
    return odp_arena_printf(a, "packages/%s/%s-%s%s", folder, flat, m->release,
                                           l == ODP_CLIENT_PHP ? ".zip" : ".tgz");
}

const char *client_package_type(enum odp_client_language l)
{
    return l == ODP_CLIENT_JAVASCRIPT ? "application/gzip" : "application/zip";
}
