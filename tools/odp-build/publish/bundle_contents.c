/* Which files of a site a bundle takes: what is public, without twins. */
#include "publish/bundle_internal.h"

#include "published/stage.h"

bool bundle_takes(const struct odp_site_file *f)
{
    return f->cls == ODP_CLASS_PUBLIC && f->encoding == NULL;
}

bool bundle_has(const struct odp_site *site, const char *path)
{
    const struct odp_site_file *f = odp_site_find(site, path);
    return f != NULL && bundle_takes(f);
}
