/* Rules across datasets in a run (check/across/cross.h): which take part, gathering begins, and what is
 * broken counts against the dataset whose rule it is. */
#include "run/run_internal.h"

#include "catalog/cross.h"
#include "check/across/cross.h"

bool odp_run_rule_active(const struct run *r, const struct odp_cross_rule *rule)
{
    bool off = rule->severity_said && rule->severity == ODP_SEVERITY_OFF, chosen = false;
    for (size_t k = 0; k < r->catalog->nresources; k++)
        chosen =
            chosen || (r->tasks[k].role == ROLE_SELECTED && !r->catalog->resources[k]->dataset->reference &&
                       odp_cross_involves(rule, r->catalog->resources[k]));
    return chosen && !off;
}

enum odp_status odp_run_rules_begin(struct run *r)
{
    const struct odp_catalog *c = r->catalog;
    bool *active = odp_arena_zero(r->arena, c->ncross + 1, sizeof *active), any = false;
    for (size_t i = 0; i < c->ncross; i++) {
        active[i] = odp_run_rule_active(r, &c->cross[i]);
        any = any || active[i];
    }
    return any ? odp_cross_new(&r->cross, c, active, r->nslots) : ODP_OK;
}

static bool usable(const void *ctx, const struct odp_resource *resource)
{
    const struct run *r = ctx;
    const struct task *t = &r->tasks[resource->index];
    return t->read && t->errors == 0;
}

/* The table whose errors a broken RULE's are. */
static const struct odp_resource *owner_of(const struct odp_cross_rule *rule)
{
    for (size_t i = 0; rule->each.resource->dataset != rule->owner && i < rule->njoins; i++)
        if (rule->joins[i].resource->dataset == rule->owner)
            return rule->joins[i].resource;
    return rule->each.resource;
}

/* Rule I; what it breaks is noted in ERRORS by table, and counts once all rules have been looked at: their
 * order does not matter. */
static enum odp_status evaluate(struct run *r, size_t i, uint64_t *errors)
{
    const struct odp_cross_rule *rule = &r->catalog->cross[i];
    const struct odp_resource *own = rule->each.resource, *owner = owner_of(rule);
    struct odp_diags *diags = NULL;
    enum odp_status status = odp_diags_new(&diags, r->options->examples);
    if (status == ODP_OK) {
        odp_diags_set_overrides(diags, own->severity);
        odp_diags_set_strict(diags, r->options->strict);
        odp_diags_set_sink(diags, r->tasks[own->index].role == ROLE_SELECTED ? r->options->sink : NULL);
        status = odp_cross_evaluate(r->cross, i, r->pool, &(struct odp_cross_tables){usable, r}, diags);
    }
    if (status == ODP_OK) {
        errors[owner->index] += odp_diags_count(diags, ODP_SEVERITY_ERROR);
        r->tasks[owner->index].warnings += odp_diags_count(diags, ODP_SEVERITY_WARNING);
        status = odp_diags_merge(r->result->diags, diags);
    }
    odp_diags_free(diags);
    return status;
}

enum odp_status odp_run_rules_end(struct run *r)
{
    const struct odp_catalog *c = r->catalog;
    uint64_t *errors = r->cross != NULL ? odp_arena_zero(r->arena, c->nresources + 1, sizeof *errors) : NULL;
    enum odp_status status = ODP_OK;
    if (r->cross == NULL)
        return ODP_OK;
    if (errors == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < c->ncross && status == ODP_OK; i++)
        status = evaluate(r, i, errors);
    odp_cross_free(r->cross); /* what is read again from now on is not gathered */
    r->cross = NULL;
    for (size_t i = 0; i < c->nresources && status != ODP_FAIL; i++) {
        r->tasks[i].errors += errors[i];
        status = errors[i] > 0 ? ODP_BAD : status;
    }
    return status;
}
