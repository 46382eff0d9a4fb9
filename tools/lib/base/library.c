#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "/usr/bin/../lib/odp/NAME.so": by where the program is, so that it may be installed anywhere, and run from
 * where it was built. */
static const char *module_path(const char *name, char out[static PATH_MAX + 64])
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_MAX);
    while (n > 0 && out[n - 1] != '/')
        n--;
    if (n <= 0)
        return NULL;
    snprintf(out + n, (size_t)(PATH_MAX + 64 - n), "../lib/odp/%s.so", name);
    return out;
}

static enum odp_status not_whole(const char *path, const char *why)
{
    char text[PATH_MAX + 512];
    if (strstr(why, "failed to map") != NULL || strstr(why, strerrordesc_np(ENOMEM)) != NULL)
        return odp_failure_set("load", why, ENOMEM);
    if (strstr(why, strerrordesc_np(EMFILE)) != NULL)
        return odp_failure_set("load", why, EMFILE);
    snprintf(text, sizeof text, "%s%s%s", path != NULL ? path : "", path != NULL ? ": " : "", why);
    return odp_failure_set("this program is not installed as a whole, install it again:", text, ODP_FAILURE_TOLD);
}

static enum odp_status load(struct odp_library *l)
{
    char file[PATH_MAX + 64], symbol[64];
    const char *path = module_path(l->name, file);
    if (path == NULL)
        return not_whole(NULL, "/proc/self/exe cannot be read");
    /* All symbols now: what is missing is said here, not by a crash on the way. It stays until the program
     * ends. */
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL)
        return not_whole(NULL, dlerror());
    snprintf(symbol, sizeof symbol, "odp_table_%s", l->name);
    const char *const *table = dlsym(module, symbol);
    if (table == NULL || strcmp(*table, l->stamp) != 0)
        return not_whole(path, "it belongs to another version");
    memcpy(l->calls, table, l->size);
    return ODP_OK;
}

enum odp_status odp_library_load(struct odp_library *l)
{
    enum odp_status status = ODP_OK;
    if (atomic_load_explicit(&l->loaded, memory_order_acquire))
        return ODP_OK;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load_explicit(&l->loaded, memory_order_relaxed))
        status = load(l);
    if (status == ODP_OK)
        atomic_store_explicit(&l->loaded, true, memory_order_release);
    pthread_mutex_unlock(&l->lock);
    return status;
}

void odp_library_link(struct odp_library *l, const void *table)
{
    memcpy(l->calls, table, l->size);
    atomic_store_explicit(&l->loaded, true, memory_order_release);
}
