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

static bool same_meaning(const struct odp_field *a, const struct odp_field *b)
{
    return a->type == b->type &&
           strcmp(odp_text_get(&a->unit, ODP_LANG_ID), odp_text_get(&b->unit, ODP_LANG_ID)) == 0;
}

static void add_meaning(struct odp_catalog *c, const struct odp_dataset *d, const struct odp_field *f)
{
    bool fresh;
    uint32_t number = odp_map_put(&c->fields, odp_slice_of(f->name), &fresh);
    if (fresh) {
        c->meanings = odp_arena_more(&c->arena, c->meanings, number, sizeof(struct odp_field_meaning *));
        c->meanings[number] = NULL;
    }
    struct odp_field_meaning **m = &c->meanings[number];
    while (*m != NULL && !same_meaning((*m)->field, f))
        m = &(*m)->next;
    if (*m == NULL) {
        *m = odp_arena_zero(&c->arena, 1, sizeof **m);
        (*m)->field = f;
        (*m)->first = d;
    } else if ((*m)->other == NULL && (*m)->first != d) {
        (*m)->other = d;
    }
}

void odp_catalog_index(struct odp_catalog *c)
{
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        bool fresh, published = d->state != ODP_STATE_DRAFT && d->state != ODP_STATE_WITHDRAWN;
        (void)odp_map_put(&c->slugs, odp_slice_of(d->slug), &fresh);
        for (size_t k = 0; k < d->nresources && published && !d->reference; k++)
            for (uint32_t f = 0; f < d->resources[k].schema.n; f++)
                if (d->resources[k].schema.fields[f].is_public)
                    add_meaning(c, d, &d->resources[k].schema.fields[f]);
    }
}

const struct odp_dataset *odp_catalog_other_meaning(const struct odp_catalog *c, const struct odp_dataset *d,
                                                    const struct odp_field *f)
{
    uint32_t number = odp_map_find(&c->fields, odp_slice_of(f->name));
    const struct odp_dataset *found = NULL;
    for (const struct odp_field_meaning *m = number != ODP_MAP_NONE ? c->meanings[number] : NULL; m != NULL;
         m = m->next) {
        const struct odp_dataset *other = m->first != d ? m->first : m->other;
        if (other != NULL && !same_meaning(m->field, f) && (found == NULL || other < found))
            found = other;
    }
    return found;
}

struct odp_dataset *odp_catalog_find(const struct odp_catalog *c, const char *slug)
{
    uint32_t number = odp_map_find(&c->slugs, odp_slice_of(slug));
    if (number != ODP_MAP_NONE && strcmp(c->datasets[number].slug, slug) == 0)
        return &c->datasets[number];
    if (c->slugs.n == c->ndatasets && strchr(slug, '/') == NULL && c->slugs.n > 0)
        return NULL;
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

static bool leads_to_places(const struct odp_resource *r, const struct odp_foreign_key *k)
{
    return k->local.n == 1 && k->target->dataset->places && k->target->dataset != r->dataset &&
           r->schema.fields[k->local.fields[0]].is_public;
}

static bool has_places_above(const struct odp_resource *list)
{
    bool any = false;
    for (size_t i = 0; i < list->nforeign; i++)
        any = any || leads_to_places(list, &list->foreign[i]);
    return any;
}

const struct odp_foreign_key *odp_place_key(const struct odp_resource *r)
{
    const struct odp_foreign_key *found = NULL;
    for (size_t i = 0; i < r->nforeign; i++) {
        const struct odp_foreign_key *k = &r->foreign[i];
        if (leads_to_places(r, k) &&
            (found == NULL || (has_places_above(k->target) && !has_places_above(found->target))))
            found = k;
    }
    return found;
}

static bool leads_to_rows_with_places(const struct odp_resource *r, const struct odp_foreign_key *k)
{
    return k->local.n == 1 && k->target != r && !k->target->dataset->reference &&
           odp_place_key(k->target) != NULL && r->schema.fields[k->local.fields[0]].is_public &&
           k->target->schema.fields[k->remote.fields[0]].is_public;
}

/* Rather where places have places above them. READ, by index: what is read before R. */
static const struct odp_foreign_key *find_through(const struct odp_resource *r, const bool *read)
{
    const struct odp_foreign_key *found = NULL;
    bool fine = false;
    for (size_t i = 0; i < r->nforeign && !fine && !r->dataset->reference && odp_place_key(r) == NULL; i++) {
        const struct odp_foreign_key *k = &r->foreign[i];
        if (!read[k->target->index] || !leads_to_rows_with_places(r, k))
            continue;
        fine = has_places_above(odp_place_key(k->target)->target);
        found = found == NULL || fine ? k : found;
    }
    return found;
}

void odp_catalog_link_places(struct odp_catalog *c)
{
    struct odp_arena scratch = {0};
    bool *read = odp_arena_zero(&scratch, c->nresources + 1, sizeof *read);
    for (size_t i = 0; i < c->nresources; i++) {
        const struct odp_resource *r = c->order[i];
        struct odp_dataset *d = &c->datasets[r->dataset - c->datasets];
        d->resources[r - d->resources].through = find_through(r, read);
        read[r->index] = true;
    }
    c->arena.failed = c->arena.failed || scratch.failed;
    odp_arena_release(&scratch);
}

const struct odp_foreign_key *odp_place_through(const struct odp_resource *r)
{
    const enum odp_dataset_state state =
        r->through != NULL ? r->through->target->dataset->state : ODP_STATE_DRAFT;
    return state == ODP_STATE_DRAFT || state == ODP_STATE_WITHDRAWN ? NULL : r->through;
}

const struct odp_foreign_key *odp_place_of(const struct odp_resource *r)
{
    const struct odp_foreign_key *through = odp_place_through(r);
    return odp_place_key(through != NULL ? through->target : r);
}

const struct odp_resource *odp_boundaries_of(const struct odp_resource *r)
{
    for (size_t i = 0; r->dataset->boundaries && i < r->nforeign; i++) {
        const struct odp_foreign_key *k = &r->foreign[i];
        if (r->schema.primary.n == 1 && k->local.n == 1 &&
            k->local.fields[0] == r->schema.primary.fields[0] && k->target->dataset->reference &&
            k->target->dataset != r->dataset)
            return k->target;
    }
    return NULL;
}

static const struct odp_resource *boundaries_of_list(const struct odp_catalog *c,
                                                     const struct odp_dataset *list)
{
    for (size_t i = c->ndatasets - c->nlists; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        const struct odp_resource *drawn = d->nresources > 0 ? odp_boundaries_of(&d->resources[0]) : NULL;
        if (drawn != NULL && drawn->dataset == list && d->state != ODP_STATE_WITHDRAWN)
            return &d->resources[0];
    }
    return NULL;
}

const struct odp_resource *odp_boundaries_for(const struct odp_catalog *c, const struct odp_resource *r)
{
    const struct odp_resource *found = NULL;
    const struct odp_foreign_key *key = odp_boundaries_of(r) == NULL ? odp_place_of(r) : NULL;
    for (int level = 0; level < 2 && key != NULL && found == NULL; level++) {
        found = boundaries_of_list(c, key->target->dataset);
        key = odp_place_key(key->target);
    }
    return found;
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
