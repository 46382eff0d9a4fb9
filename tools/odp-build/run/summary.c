/* The summary of a run: a row for each dataset that was asked for. */
#include "run/run_internal.h"
#include "site/score/scorecard.h"

const struct odp_score *odp_run_score(struct run *r, const struct odp_dataset *d)
{
    const struct odp_score **score = &r->scores[d - r->catalog->datasets];
    if (*score == NULL)
        *score = odp_score_make(r->catalog, d, r->arena);
    return *score;
}

enum odp_status odp_run_summarize(struct run *r,
                                  void (*describe)(const void *ctx, const struct odp_dataset *d,
                                                   struct odp_summary_dataset *row),
                                  const void *ctx)
{
    const struct odp_catalog *c = r->catalog;
    struct odp_summary *s = &r->result->summary;
    struct odp_summary_dataset *out = odp_arena_zero(r->arena, c->ndatasets + 1, sizeof *out);
    s->datasets = out;
    s->as_file = r->options->as_file;
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        bool along = !odp_run_asked(r, d) && r->outcomes[i] == ODP_OUTCOME_PUBLISHED;
        if (!odp_run_selected(r, d) || !(odp_run_asked(r, d) || along))
            continue;
        struct odp_summary_dataset *row = &out[s->ndatasets++];
        *row = (struct odp_summary_dataset){.slug = d->slug,
                                            .title = d->title,
                                            .version = odp_run_version(r, d),
                                            .outcome = r->outcomes[i],
                                            .formats = odp_run_formats(r, d)};
        row->score = d->reference ? NULL : odp_run_score(r, d);
        if (row->score == NULL && !d->reference)
            return ODP_FAIL;
        for (size_t k = 0; k < d->nresources; k++) {
            const struct task *t = &r->tasks[d->resources[k].index];
            s->nresources += t->role == ROLE_SELECTED;
            row->rows += t->rows;
            row->errors += t->errors;
            row->warnings += t->warnings;
        }
        if (describe != NULL)
            describe(ctx, d, row);
        s->rows += row->rows;
    }
    s->source_bytes = r->bytes_done;
    return ODP_OK;
}
