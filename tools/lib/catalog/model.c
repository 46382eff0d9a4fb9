#include "catalog/model.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/nearest.h"

const char *const odp_dataset_states[] = {"draft", "active", "deprecated", "withdrawn", NULL};

const char *const odp_label_suffix[ODP_LANGS] = {"_nama", "_nama_en"};

const char *const odp_chart_type_names[] = {[ODP_CHART_BAR] = "bar",
                                            [ODP_CHART_LINE] = "line",
                                            [ODP_CHART_STACKED] = "stacked",
                                            [ODP_CHART_MAP] = "map",
                                            [ODP_CHART_HISTOGRAM] = "histogram",
                                            [ODP_CHART_GANTT] = "gantt",
                                            NULL};

struct odp_dataset *odp_catalog_find(const struct odp_catalog *c, const char *slug)
{
    for (size_t i = 0; i < c->ndatasets; i++)
        if (strcmp(c->datasets[i].slug, slug) == 0 ||
            (c->datasets[i].reference && strcmp(c->datasets[i].path, slug) == 0))
            return &c->datasets[i];
    return NULL;
}

const char *odp_catalog_nearest(const struct odp_catalog *c, const char *slug)
{
    struct odp_slice s = odp_slice_of(slug);
    const char *found = NULL;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < c->ndatasets; i++) {
        const char *name = strchr(slug, '/') != NULL ? c->datasets[i].path : c->datasets[i].slug;
        size_t far = odp_meant_far(s, odp_slice_of(name));
        found = far < best ? name : found;
        best = far < best ? far : best;
    }
    return found;
}

char *odp_dataset_source_dir(const struct odp_dataset *d, const char *sources, struct odp_arena *a)
{
    return sources == NULL || d->reference ? odp_arena_str(a, d->dir) : odp_path_join(a, sources, d->slug);
}

char *odp_resource_source(const struct odp_resource *r, const char *sources, struct odp_arena *a)
{
    char *folder = odp_dataset_source_dir(r->dataset, sources, a);
    return odp_path_join(a, folder, r->path);
}

/* "2.5.0": three numbers without leading zeros. */
bool odp_release_numbers(const char *version, uint64_t out[3])
{
    const char *s = version;
    for (int i = 0; i < 3; i++) {
        size_t digits = strspn(s, "0123456789");
        if (digits == 0 || digits > 9 || (digits > 1 && *s == '0') || s[digits] != (i < 2 ? '.' : '\0'))
            return false;
        out[i] = strtoull(s, NULL, 10);
        s += digits + 1;
    }
    return true;
}
