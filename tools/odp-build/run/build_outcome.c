/* What a build says of each of its datasets at the end: outcome, version, rows, what has changed. */
#include "run/build_internal.h"

static enum odp_outcome outcome_of(const struct build *b, size_t i, bool switched)
{
    const struct odp_dataset *d = &b->run.catalog->datasets[i];
    const struct part *part = &b->parts[i];
    if (odp_run_rejected(&b->run, d) && !(part->held && part->published))
        return ODP_OUTCOME_REJECTED;
    if (part->held)
        return ODP_OUTCOME_KEPT;
    if (d->state == ODP_STATE_DRAFT)
        return ODP_OUTCOME_DRAFT;
    if (d->state == ODP_STATE_WITHDRAWN)
        return ODP_OUTCOME_WITHDRAWN;
    if (part->same || (part->built && !part->fresh && switched))
        return ODP_OUTCOME_UNCHANGED;
    return switched ? ODP_OUTCOME_PUBLISHED : ODP_OUTCOME_CHECKED;
}

void odp_build_note_outcomes(struct build *b, bool switched)
{
    for (size_t i = 0; i < b->run.catalog->ndatasets; i++)
        b->run.outcomes[i] = outcome_of(b, i, switched);
}

/* Rows and versions of what was not read are those of the last time. */
void odp_build_note_same(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    for (size_t i = 0; i < c->ndatasets; i++) {
        struct part *part = &b->parts[i];
        if (!part->same || c->datasets[i].nresources == 0)
            continue;
        struct task *t = &b->run.tasks[c->datasets[i].resources[0].index];
        t->rows = b->inputs.datasets[i].rows;
        t->warnings = b->inputs.datasets[i].warnings;
        const struct odp_version *v = odp_history_current(&part->history);
        part->version = v != NULL ? v->name : NULL;
    }
}

void odp_build_describe(const void *ctx, const struct odp_dataset *d, struct odp_summary_dataset *row)
{
    const struct build *b = ctx;
    const struct part *part = &b->parts[odp_build_index(b, d)];
    /* The histories are gone when the report is written. Without memory the version is left out of it. */
    if (part->version != NULL)
        row->version = odp_arena_str(b->run.arena, part->version);
    const json_t *list = part->fresh && part->history.n > 0
                             ? json_object_get(part->history.versions[0].json, "resources")
                             : NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *changes = json_object_get(json_array_get(list, i), "changes");
        row->compared = row->compared || changes != NULL;
        row->added += (uint64_t)json_integer_value(json_object_get(changes, "added"));
        row->removed += (uint64_t)json_integer_value(json_object_get(changes, "removed"));
        row->changed += (uint64_t)json_integer_value(json_object_get(changes, "changed"));
    }
}
