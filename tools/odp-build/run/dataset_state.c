/* What a run knows of a dataset: whether it was asked for, whether it is rejected, its formats and its
 * version. */
#include "run/run_internal.h"

bool odp_run_asked(const struct run *r, const struct odp_dataset *d)
{
    const struct odp_options *o = r->options;
    if (o->nslugs == 0)
        return !o->chosen;
    for (size_t i = 0; i < o->nslugs; i++)
        if (odp_catalog_find(r->catalog, o->slugs[i]) == d)
            return true;
    return false;
}

bool odp_run_selected(const struct run *r, const struct odp_dataset *d)
{
    return r->wanted[d - r->catalog->datasets];
}

bool odp_run_rejected(const struct run *r, const struct odp_dataset *d)
{
    for (size_t k = 0; k < d->nresources; k++)
        if (r->tasks[d->resources[k].index].errors > 0)
            return true;
    return false;
}

const char *odp_run_formats(const struct run *r, const struct odp_dataset *d)
{
    struct odp_buffer b = {0};
    for (size_t i = 0; i < d->formats.n; i++) {
        if (i > 0)
            odp_buffer_add_char(&b, ' ');
        odp_buffer_add_slice(&b, d->formats.item[i]);
    }
    char *text = odp_arena_str(r->arena, odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    return text;
}

const char *odp_run_version(const struct run *r, const struct odp_dataset *d)
{
    const char *newest = d->nresources > 0 ? r->tasks[d->resources[0].index].last_update : NULL;
    return d->last_update != NULL ? d->last_update : newest;
}
