/* Which resources take part in a run: those asked for, and those that their keys and rules across datasets
 * need. */
#include "catalog/cross.h"
#include "run/run_internal.h"

static void need_targets(struct run *r, const struct odp_resource *resource);

/* A code list takes part with all its editions: for an old code in the data the new one is proposed, and it
 * keeps the name it had. */
static void need_editions(struct run *r, const struct odp_dataset *d)
{
    for (size_t k = 0; d->reference && k < d->nresources; k++) {
        struct task *t = &r->tasks[d->resources[k].index];
        if (t->role != ROLE_NONE)
            continue;
        t->role = ROLE_KEYS;
        need_targets(r, &d->resources[k]);
    }
}

bool odp_run_is_printed(const struct odp_dataset *d)
{
    for (size_t i = 0; i < d->formats.n; i++)
        if (odp_slice_is(d->formats.item[i], odp_format_files[ODP_FILE_pdf].format))
            return true;
    return false;
}

/* What is printed of a resource shows its places on a map. */
static void need_boundaries(struct run *r, const struct odp_resource *resource)
{
    const struct odp_resource *drawn =
        r->prints && odp_run_is_printed(resource->dataset) ? odp_boundaries_for(r->catalog, resource) : NULL;
    if (drawn == NULL || r->tasks[drawn->index].role != ROLE_NONE)
        return;
    r->tasks[drawn->index].role = ROLE_KEYS;
    need_targets(r, drawn);
}

/* The targets of a resource's keys, and theirs, are needed too. */
static void need_targets(struct run *r, const struct odp_resource *resource)
{
    for (size_t k = 0; k < resource->nforeign; k++) {
        const struct odp_resource *target = resource->foreign[k].target;
        struct task *t = &r->tasks[target->index];
        if (t->role != ROLE_NONE)
            continue;
        t->role = ROLE_KEYS;
        need_targets(r, target);
        need_editions(r, target->dataset);
    }
}

/* So are all tables of a rule across datasets that one of those selected takes part in. */
static void need_tables(struct run *r, const struct odp_cross_rule *rule)
{
    for (size_t i = 0; i <= rule->njoins; i++) {
        const struct odp_resource *table = i == 0 ? rule->each.resource : rule->joins[i - 1].resource;
        struct task *t = &r->tasks[table->index];
        if (t->role != ROLE_NONE || table->dataset->state == ODP_STATE_WITHDRAWN)
            continue;
        t->role = ROLE_KEYS;
        need_targets(r, table);
    }
}

/* D's code lists, and theirs, are published along: what is published of D names them. */
static void want_lists(struct run *r, const struct odp_dataset *d)
{
    for (size_t i = 0; i < d->nresources; i++)
        for (size_t k = 0; k < d->resources[i].nforeign; k++) {
            const struct odp_dataset *list = d->resources[i].foreign[k].target->dataset;
            bool *wanted = &r->wanted[list - r->catalog->datasets];
            if (!list->reference || *wanted)
                continue;
            *wanted = true;
            want_lists(r, list);
        }
}

void odp_run_choose(struct run *r)
{
    const struct odp_catalog *c = r->catalog;
    for (size_t i = 0; i < c->ndatasets; i++)
        r->wanted[i] = odp_run_asked(r, &c->datasets[i]);
    for (size_t i = 0; i < c->ndatasets; i++)
        if (r->wanted[i])
            want_lists(r, &c->datasets[i]);
}

void odp_run_roles(struct run *r)
{
    const struct odp_catalog *c = r->catalog;
    for (size_t i = 0; i < c->nresources; i++) {
        r->tasks[i].role = ROLE_NONE;
        if (r->skip[i])
            continue;
        const struct odp_dataset *d = c->resources[i]->dataset;
        /* --as names one file: it replaces the first resource, and the dataset's others are left out. */
        bool wanted = r->options->as_file == NULL || c->resources[i]->primary || !odp_run_asked(r, d);
        if (odp_run_selected(r, d) && wanted && d->state != ODP_STATE_WITHDRAWN)
            r->tasks[i].role = ROLE_SELECTED;
    }
    for (size_t i = 0; i < c->nresources; i++)
        if (r->tasks[i].role == ROLE_SELECTED) {
            need_targets(r, c->resources[i]);
            need_boundaries(r, c->resources[i]);
        }
    for (size_t i = 0; i < c->ncross; i++)
        if (odp_run_rule_active(r, &c->cross[i]))
            need_tables(r, &c->cross[i]);
    /* A code list's own faults are the catalogue's: always reported. */
    for (size_t i = 0; i < c->nresources; i++)
        if (r->tasks[i].role == ROLE_KEYS && c->resources[i]->dataset->reference)
            r->tasks[i].role = ROLE_SELECTED;
}
