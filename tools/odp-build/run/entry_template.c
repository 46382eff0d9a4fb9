/* odp-build template: the code lists are read, then the entry workbook is written. */
#include "repair/entry_workbook/entry.h"
#include "run/run_internal.h"

static enum odp_status read_lists(struct run *r)
{
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < r->catalog->nresources && worst != ODP_FAIL; i++) {
        const struct odp_resource *resource = r->catalog->order[i];
        if (resource->dataset->reference && r->tasks[resource->index].role != ROLE_NONE)
            worst = odp_worst(worst, odp_run_resource(r, resource, false, NULL));
    }
    return worst;
}

enum odp_status odp_run_template(struct odp_run *run, const struct odp_options *o, const char *path,
                                 enum odp_lang lang, bool *there)
{
    struct run r = {0};
    const struct odp_source_kind *xlsx = NULL;
    size_t kinds;
    *there = false;
    for (const struct odp_source_kind *const *k = odp_source_kinds(&kinds); kinds > 0; k++, kinds--)
        if (strcmp((*k)->name, "xlsx") == 0)
            xlsx = *k;
    enum odp_status status = odp_run_open(&r, run, o);
    if (status == ODP_OK)
        status = read_lists(&r);
    const struct odp_dataset *d = status != ODP_FAIL && r.catalog != NULL && o->nslugs == 1
                                      ? odp_catalog_find(r.catalog, o->slugs[0])
                                      : NULL;
    bool *is_book = status == ODP_OK && d != NULL
                        ? odp_arena_zero(r.arena, r.catalog->nresources + 1, sizeof(*is_book))
                        : NULL;
    for (size_t i = 0; is_book != NULL && i < d->nresources; i++)
        is_book[d->resources[i].index] = odp_source_kind_of(&d->resources[i]) == xlsx;
    if (status == ODP_OK)
        status = is_book != NULL ? odp_entry_write(path, d, r.codes, is_book, lang) : ODP_FAIL;
    *there = status == ODP_BAD && is_book != NULL;
    odp_run_close(&r);
    return status;
}
