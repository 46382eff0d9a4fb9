/* A new site of the previous one: everything but what is made anew, and what the caller excepts. */
#include "site/versions/restage.h"

struct kept {
    const char *const *except;
    size_t n;
};

/* PATH is NAME or one of its twins. */
static bool is_file(const char *path, const char *name)
{
    size_t len = strlen(name);
    if (strncmp(path, name, len) != 0)
        return false;
    return path[len] == '\0' || strcmp(path + len, ".gz") == 0 || strcmp(path + len, ".br") == 0;
}

static bool is_kept(const void *ctx, const struct odp_site_file *f)
{
    static const char *const made[] = {"manifest.json", "control",       "gateway.json",
                                       "releases.log",  "v1/index.json", "datapackage.json"};
    const struct kept *k = ctx;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (is_file(f->path, made[i]))
            return false;
    for (size_t i = 0; i < k->n; i++)
        if (strncmp(f->path, k->except[i], strlen(k->except[i])) == 0)
            return false;
    return true;
}

enum odp_status odp_site_restage(struct odp_stage *s, const struct odp_site *previous, const char *const *except_prefixes,
                                 size_t n, struct odp_diags *diags)
{
    const struct kept kept = {except_prefixes, n};
    return odp_stage_carry_if(s, previous, is_kept, &kept, diags);
}
