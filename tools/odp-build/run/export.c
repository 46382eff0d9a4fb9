/* odp-build export: one pass that checks a dataset with everything a check does and writes the distributions
 * that were asked for into a plain folder. The bytes are those that a build publishes of the version its
 * odp:lastUpdate names (a correction, "<date>.1", is a build's to know). Slices, pages, profiles, indexes and
 * the portal belong to a site, so none is made, nor are templates looked at.
 *
 * What can be refused is refused before the data is read (export_plan.c): a format that a dataset does not
 * offer, two files of one name, a target that is a source, a folder or a site. Files get their names when all
 * has passed (export_folder.c). */
#include "published/history.h"
#include "run/export_internal.h"
#include "words/run.h"

/* ---- reading, checking, writing ---- */

static enum odp_status no_version(struct export_run *e, const struct odp_resource *r, struct odp_diags *diags)
{
    struct odp_diag diag = {.code = ODP_V05,
                            .dataset = r->dataset->slug,
                            .file = r->dataset->file,
                            .args = {odp_slice_of(r->name)}};
    enum odp_status status = odp_diags_add(diags, &diag);
    e->run.tasks[r->index].errors += status == ODP_BAD;
    return status == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

static enum odp_status export_resource(struct export_run *e, const struct turn *turn)
{
    const struct odp_resource *r = turn->resource;
    const struct odp_dataset *d = r->dataset;
    const struct odp_catalog *c = e->run.catalog;
    bool plain = !export_has(e, r), hopeless = atomic_load_explicit(&e->wrong, memory_order_relaxed);
    /* The files contain the version, so one that is the newest value of a field must be known before the
     * first byte. */
    bool first = plain || hopeless || (d->last_update == NULL && r->primary);
    enum odp_status status = first ? odp_run_turn(&e->run, turn, turn->role == ROLE_KEYS, NULL) : ODP_OK;
    if (status != ODP_OK || plain)
        return status;
    const char *date = odp_run_version(&e->run, d);
    if (date == NULL)
        return no_version(e, r, turn->diags);
    if (hopeless)
        return ODP_OK;
    struct odp_arena *a = &e->run.tasks[r->index].arena;
    struct odp_emit_job job = {.catalog = c,
                               .resource = r,
                               .output = &e->folder.output,
                               .version = odp_version_name(date, a),
                               .date = date,
                               .release = c->nreleases > 0 ? c->releases[0].version : "",
                               .chosen = e->chosen,
                               .nchosen = e->nchosen,
                               .codes = e->run.codes,
                               .rows = e->run.rows,
                               .arena = a,
                               .source_dir = odp_dataset_source_dir(d, e->run.options->sources, a)};
    return job.version != NULL && job.source_dir != NULL ? odp_run_turn(&e->run, turn, first, &job)
                                                         : ODP_FAIL;
}

static enum odp_status take_resource(void *ctx, const struct turn *turn)
{
    struct export_run *e = ctx;
    enum odp_status status = export_resource(e, turn);
    if (status == ODP_BAD && turn->role == ROLE_SELECTED)
        atomic_store_explicit(&e->wrong, true, memory_order_relaxed);
    return status;
}

static const char *date_of(const void *ctx, const struct odp_dataset *d)
{
    return odp_run_version(ctx, d);
}

static enum odp_status export_all(struct export_run *e)
{
    struct run *r = &e->run;
    enum odp_status status = export_folder_open(&e->folder, r->options->out, r->arena, &r->lock);
    if (status == ODP_BAD)
        return export_refuse(e, W_run_another_export_writing_into, r->options->out);
    if (status == ODP_OK)
        status = odp_run_schedule(r, &(struct work){.ctx = e, .take = take_resource});
    if (status != ODP_FAIL && r->options->as_file == NULL)
        status = odp_worst(status, odp_run_overdue(r, date_of, r));
    if (status == ODP_FAIL)
        return status;
    status = odp_worst(status, odp_diags_count(r->result->diags, ODP_SEVERITY_ERROR) > 0 ? ODP_BAD : ODP_OK);
    for (size_t i = 0; i < r->catalog->ndatasets; i++)
        r->outcomes[i] =
            odp_run_rejected(r, &r->catalog->datasets[i]) ? ODP_OUTCOME_REJECTED : ODP_OUTCOME_CHECKED;
    status = odp_worst(status, odp_run_summarize(r, NULL, NULL));
    if (status == ODP_OK)
        status = export_folder_commit(&e->folder);
    if (status == ODP_OK) {
        r->result->exported = e->folder.files;
        r->result->nexported = e->folder.nfiles;
    }
    return status;
}

enum odp_status odp_run_export(struct odp_run *result, const struct odp_options *o)
{
    struct export_run e = {0};
    e.folder.lock = -1;
    e.run.prints = o->formats == NULL || strstr(o->formats, "pdf") != NULL;
    enum odp_status status = odp_run_open(&e.run, result, o);
    if (status == ODP_OK)
        status = export_choose(&e, o->formats);
    if (status == ODP_OK)
        status = export_plan(&e);
    if (status == ODP_OK && o->previous != NULL && o->as_file == NULL)
        status = odp_run_previous(&e.run);
    if (status == ODP_OK && e.run.previous != NULL)
        status = odp_run_gate(&e.run);
    if (status == ODP_OK)
        status = export_all(&e);
    export_folder_close(&e.folder);
    odp_run_close(&e.run);
    return status;
}
