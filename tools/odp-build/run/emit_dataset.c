/* The files of a dataset on their way into the stage. */
#include "run/build_internal.h"

struct odp_emit_job odp_build_job(struct build *b, const struct odp_resource *r)
{
    const struct odp_catalog *c = b->run.catalog;
    struct odp_arena *a = &b->run.tasks[r->index].arena;
    const struct part *part = &b->parts[odp_build_index(b, r->dataset)];
    return (struct odp_emit_job){.catalog = c,
                                 .resource = r,
                                 .output = odp_stage_output(b->run.stage),
                                 .version = part->version,
                                 .date = part->date,
                                 .release = c->nreleases > 0 ? c->releases[0].version : "",
                                 .codes = b->run.codes,
                                 .rows = b->run.rows,
                                 .searches = b->run.searches,
                                 .arena = a,
                                 .previous = b->run.previous,
                                 .diags = b->run.result->diags,
                                 .source_dir =
                                     odp_dataset_source_dir(r->dataset, b->run.options->sources, a)};
}

enum odp_status odp_build_emit(struct build *b, const struct odp_dataset *d)
{
    enum odp_status status = odp_stage_drop(b->run.stage, d->slug);
    for (size_t i = 0; i < d->nresources && status == ODP_OK; i++) {
        struct odp_emit_job job = odp_build_job(b, &d->resources[i]);
        status = odp_run_resource(&b->run, &d->resources[i], true, &job);
    }
    return status;
}
