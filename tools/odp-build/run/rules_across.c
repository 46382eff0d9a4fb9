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

/* ---- what is sound ---- */

/* Errors are of single values or records, or of what they mean together. */
enum { SOUND, WRONG_VALUES, WRONG_TABLE };

/* Notes what GROUP says of T, a table of SCHEMA: its field, or the geometry (after the fields), or records as
 * a whole (after that). */
static void note(struct task *t, const struct odp_schema *schema, const struct odp_diag_group *group)
{
    const char family = odp_code_info(group->code)->code[4]; /* "ODP-K02" */
    int field = group->field != NULL ? odp_schema_find(schema, odp_slice_of(group->field)) : -1;
    uint32_t at = field >= 0 && family != 'R' ? (uint32_t)field : schema->n + (family != 'G');
    bool of_values = family == 'R' || (family != 'K' && at <= schema->n);
    const uint8_t what = of_values ? WRONG_VALUES : WRONG_TABLE;
    if (t->unsound[at] < what)
        t->unsound[at] = what;
}

/* Whether GROUP is about R; of an ALONE table all are that name none. */
static bool is_about(const struct odp_diag_group *group, const struct odp_resource *r, bool alone)
{
    if (group->dataset == NULL || group->resource == NULL)
        return alone;
    return strcmp(r->dataset->slug, group->dataset) == 0 && strcmp(r->name, group->resource) == 0;
}

void odp_run_note_unsound(struct run *r, const struct odp_resource *own, const struct odp_diags *diags)
{
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(diags, &n);
    for (size_t k = 0; r->cross != NULL && k < r->catalog->nresources; k++) {
        const struct odp_resource *resource = r->catalog->resources[k];
        struct task *t = &r->tasks[k];
        if (own != NULL && own != resource)
            continue;
        if (own != NULL || t->unsound == NULL) /* what an earlier pass found is found again */
            t->unsound = odp_arena_zero(r->arena, resource->schema.n + 2u, 1);
        for (size_t i = 0; i < n; i++)
            if (groups[i]->severity == ODP_SEVERITY_ERROR && is_about(groups[i], resource, own != NULL))
                note(t, &resource->schema, groups[i]);
    }
}

static const char *unsound(const void *ctx, const struct odp_cross_use *use)
{
    const struct run *r = ctx;
    const struct task *t = &r->tasks[use->resource->index];
    const uint32_t n = use->resource->schema.n;
    const uint8_t most = use->by_row ? WRONG_VALUES : SOUND;
    if (!t->read || (t->errors > 0 && (t->unsound == NULL || t->unsound[n + 1] > most)))
        return "";
    if (t->errors == 0)
        return NULL;
    for (uint32_t f = 0; f < n; f++)
        if (use->fields[f] && t->unsound[f] > most)
            return use->resource->schema.fields[f].name;
    return use->geometry && t->unsound[n] > most ? "geometry" : NULL;
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
        status = odp_cross_evaluate(r->cross, i, r->pool, &(struct odp_cross_tables){unsound, r}, diags);
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
