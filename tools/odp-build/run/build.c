/* odp-build build: check and emit in one pass, then everything about the site as a whole. All or nothing, unless --keep-good. */
#include "run/build.h"

#include <stdlib.h>

#include "check/across/cross.h"
#include "publish/publish.h"
#include "run/drift.h"

enum odp_status odp_build_complain(struct build *b, enum odp_code code, const struct odp_dataset *d, const char *arg0,
                                   const char *arg1, const char *arg2)
{
    return odp_build_complain_to(b, b->run.result->diags, code, d, arg0, arg1, arg2);
}

enum odp_status odp_build_complain_to(struct build *b, struct odp_diags *diags, enum odp_code code, const struct odp_dataset *d, const char *arg0,
                                      const char *arg1, const char *arg2)
{
    struct odp_diag diag = {.code = code, .dataset = d->slug, .file = d->file};
    const char *args[] = {arg0, arg1, arg2};
    for (size_t i = 0; i < 3; i++)
        if (args[i] != NULL)
            diag.args[i] = odp_slice_of(args[i]);
    enum odp_status status = odp_diags_add(diags, &diag);
    if (status == ODP_BAD)
        b->run.tasks[d->resources[0].index].errors++;
    return status;
}

/* ---- reading, checking, emitting ----------------------------------------------------------------------------------------- */

static struct odp_emit_job job_of(struct build *b, const struct odp_resource *r)
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
                                 .searches = b->run.searches,
                                 .arena = a,
                                 .source_dir = odp_dataset_source_dir(r->dataset, b->run.options->sources, a)};
}

static enum odp_status emit_resource(struct build *b, const struct turn *turn)
{
    const struct odp_resource *r = turn->resource;
    const struct odp_dataset *d = r->dataset;
    bool plain = d->reference || d->state == ODP_STATE_DRAFT || odp_run_rejected(&b->run, d);
    /* Nothing will be published, so files are wasted work. Others are read beside this one, so chance may decide; what is said of R does not depend on it. */
    bool hopeless = !b->run.options->keep_good && atomic_load_explicit(&b->wrong, memory_order_relaxed);
    /* Where the version is the newest value of a field, which stands in every page, it must be known before the first byte. */
    bool first = plain || hopeless || (d->last_update == NULL && r->primary);
    enum odp_status status = first ? odp_run_turn(&b->run, turn, false, NULL) : ODP_OK;
    if (status != ODP_OK || plain)
        return status;
    status = odp_build_expect(b, d, turn->diags);
    if (status != ODP_OK || hopeless)
        return status;
    b->parts[odp_build_index(b, d)].built = true;
    struct odp_emit_job job = job_of(b, r);
    return job.source_dir != NULL ? odp_run_turn(&b->run, turn, first, &job) : ODP_FAIL;
}

enum odp_status odp_build_emit(struct build *b, const struct odp_dataset *d)
{
    enum odp_status status = odp_stage_drop(b->run.stage, d->slug);
    for (size_t i = 0; i < d->nresources && status == ODP_OK; i++) {
        struct odp_emit_job job = job_of(b, &d->resources[i]);
        status = odp_run_resource(&b->run, &d->resources[i], true, &job);
    }
    return status;
}

/* A target that is not built now gives its published keys; where nothing is published, those of its source. */
static enum odp_status take_keys(struct build *b, const struct turn *turn)
{
    /* Rules across datasets look at sources: those of all tables as they are now, whichever of them is being built. */
    bool in_rules = odp_cross_needs(b->run.cross, turn->resource);
    enum odp_status status = in_rules ? odp_run_turn(&b->run, turn, true, NULL) : ODP_OK;
    if (status != ODP_FAIL)
        status = odp_build_published_keys(b, turn->resource);
    if (status == ODP_DONE)
        status = odp_run_turn(&b->run, turn, true, NULL) == ODP_FAIL ? ODP_FAIL : ODP_OK;
    return status;
}

static enum odp_status take_resource(void *ctx, const struct turn *turn)
{
    struct build *b = ctx;
    enum odp_status status = turn->role == ROLE_SELECTED ? emit_resource(b, turn) : take_keys(b, turn);
    if (status == ODP_BAD && turn->role == ROLE_SELECTED)
        atomic_store_explicit(&b->wrong, true, memory_order_relaxed);
    return status;
}

/* ---- the beginning --------------------------------------------------------------------------------------------------------- */

/* What is as it was when it was published is not read again: neither a dataset nor a code list that only such datasets use. */
static void skip_same(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    for (size_t i = 0; i < c->nresources; i++) {
        const struct odp_dataset *d = c->resources[i]->dataset;
        bool same = d->reference ? b->inputs.references[d - c->references].same : b->parts[odp_build_index(b, d)].same;
        b->run.skip[i] = same;
    }
    odp_run_roles(&b->run);
}

static bool any_same(const struct build *b)
{
    bool any = false;
    for (size_t i = 0; i < b->run.catalog->ndatasets; i++)
        any = any || b->parts[i].same;
    return any && odp_site_dir(b->run.previous) != NULL && odp_site_origin(b->run.previous) == NULL;
}

static enum odp_status open_build(struct build *b, struct odp_run *result, const struct odp_options *o)
{
    struct run *r = &b->run;
    enum odp_status status = odp_run_open(r, result, o);
    if (status != ODP_OK)
        return status;
    result->summary.build = true;
    b->parts = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *b->parts);
    if (b->parts == NULL)
        return ODP_FAIL;
    status = odp_run_previous(r);
    if (status == ODP_OK)
        status = odp_inputs_read(&b->inputs, r, r->previous);
    if (status == ODP_OK)
        status = odp_build_histories(b);
    if (status != ODP_OK)
        return status;
    for (size_t i = 0; i < r->catalog->ndatasets; i++) {
        struct part *part = &b->parts[i];
        bool withdrawn = r->catalog->datasets[i].state == ODP_STATE_WITHDRAWN;
        part->published = r->previous != NULL && odp_site_entry(r->previous, r->catalog->datasets[i].slug) != NULL;
        part->same = b->inputs.datasets[i].same && odp_run_selected(r, &r->catalog->datasets[i]) && !withdrawn &&
                     (part->published || r->catalog->datasets[i].state == ODP_STATE_DRAFT);
    }
    bool whole = true;
    status = any_same(b) ? odp_site_check(r->previous, &whole) : ODP_OK;
    /* A site that somebody has damaged is mended by making everything again that can be. */
    for (size_t i = 0; i < r->catalog->ndatasets && !whole; i++)
        b->parts[i].same = false;
    skip_same(b);
    return status;
}

/* ---- the end ------------------------------------------------------------------------------------------------------------------ */

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

static void note_outcomes(struct build *b, bool switched)
{
    for (size_t i = 0; i < b->run.catalog->ndatasets; i++)
        b->run.outcomes[i] = outcome_of(b, i, switched);
}

/* Rows and versions of what was not read are those of the last time. */
static void note_same(struct build *b)
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

static void describe(const void *ctx, const struct odp_dataset *d, struct odp_summary_dataset *row)
{
    const struct build *b = ctx;
    const struct part *part = &b->parts[odp_build_index(b, d)];
    /* The histories are gone when the report is written. Without memory the version is left out of it. */
    if (part->version != NULL)
        row->version = odp_arena_str(b->run.arena, part->version);
    const json_t *list = part->fresh && part->history.n > 0 ? json_object_get(part->history.versions[0].json, "resources") : NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *changes = json_object_get(json_array_get(list, i), "changes");
        row->compared = row->compared || changes != NULL;
        row->added += (uint64_t)json_integer_value(json_object_get(changes, "added"));
        row->removed += (uint64_t)json_integer_value(json_object_get(changes, "removed"));
        row->changed += (uint64_t)json_integer_value(json_object_get(changes, "changed"));
    }
}

/* Nothing has changed: neither what the site was built from nor the site. */
static bool is_up_to_date(const struct build *b, const struct odp_options *o)
{
    const struct run *r = &b->run;
    bool yes = o->key == NULL && r->previous != NULL && o->previous == NULL && o->nslugs == 0 && b->inputs.all_same && odp_site_origin(r->previous) == NULL;
    for (size_t i = 0; i < r->catalog->ndatasets && yes; i++)
        yes = b->parts[i].same || r->catalog->datasets[i].state == ODP_STATE_WITHDRAWN;
    return yes;
}

/* The previous site was read before the lock was ours: if somebody has switched another one in since, this build would lose what is new
 * in it. BAD: so it is (reported). */
static enum odp_status still_previous(struct build *b, const struct odp_options *o)
{
    const struct odp_site *previous = b->run.previous;
    char *now = o->previous == NULL ? realpath(o->out, NULL) : NULL;
    const char *then = previous != NULL && o->previous == NULL ? odp_site_dir(previous) : NULL;
    const char *manifest = now != NULL ? odp_path_join(b->run.arena, now, "manifest.json") : "";
    bool site = now != NULL && manifest != NULL && odp_file_kind_of(manifest) != ODP_FILE_NONE; /* or an empty folder, where the link will be */
    bool same = o->previous != NULL || (site ? then != NULL && strcmp(now, then) == 0 : then == NULL);
    free(now);
    if (manifest == NULL || same)
        return manifest == NULL ? ODP_FAIL : ODP_OK;
    struct odp_diag d = {.code = ODP_V08, .file = o->out, .args = {odp_slice_of(o->out)}};
    return odp_diags_add(b->run.result->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

/* What is not read now was last updated when its version says. */
static const char *date_of(const void *ctx, const struct odp_dataset *d)
{
    const struct build *b = ctx;
    const char *read = odp_run_version(&b->run, d);
    const struct odp_version *v = odp_history_current(&b->parts[odp_build_index(b, d)].history);
    return read != NULL ? read : v != NULL ? v->date : NULL;
}

static enum odp_status run_build(struct build *b, const struct odp_options *o, bool *switched)
{
    struct run *r = &b->run;
    struct odp_diags *diags = r->result->diags;
    enum odp_status status = odp_run_portal(r);
    if (status == ODP_OK)
        status = odp_stage_open(&r->stage, o->out, diags);
    if (status == ODP_OK)
        status = still_previous(b, o);
    if (status == ODP_OK)
        status = odp_stage_twins_ahead(r->stage, odp_pool_jobs(r->pool), r->previous);
    if (status == ODP_OK) /* a withdrawal that was killed on its way comes to its end first */
        status = odp_withdraw_recover(o->out, diags);
    if (status != ODP_OK)
        return status;
    status = odp_run_before_prefetch(r);
    if (status != ODP_OK)
        return status;
    const struct work work = {.ctx = b, .take = take_resource, .keys_alone = true};
    status = odp_run_schedule(r, &work);
    if (status != ODP_FAIL)
        status = odp_worst(status, odp_run_overdue(r, date_of, b));
    /* A build that will not be published has said what is wrong; what would follow from it is no news. */
    if (status != ODP_FAIL && (o->keep_good || odp_diags_count(diags, ODP_SEVERITY_ERROR) == 0)) {
        status = odp_worst(status, odp_build_versions(b));
        if (status != ODP_FAIL && (o->keep_good || odp_diags_count(diags, ODP_SEVERITY_ERROR) == 0))
            status = odp_worst(status, odp_build_settle(b));
    }
    if (status != ODP_FAIL && (o->keep_good || odp_diags_count(diags, ODP_SEVERITY_ERROR) == 0))
        status = odp_worst(status, odp_build_publish(b, switched));
    return status;
}

static void close_build(struct build *b)
{
    for (size_t i = 0; b->parts != NULL && i < b->run.catalog->ndatasets; i++)
        odp_history_release(&b->parts[i].history);
    odp_inputs_release(&b->inputs);
    odp_run_close(&b->run);
}

enum odp_status odp_run_build(struct odp_run *result, const struct odp_options *o)
{
    struct build b = {0};
    bool switched = false, idle = false;
    enum odp_status status = open_build(&b, result, o);
    if (status == ODP_OK)
        status = odp_run_gate(&b.run);
    idle = status == ODP_OK && is_up_to_date(&b, o);
    if (idle) {
        switched = true;
        result->summary.site = odp_arena_printf(&result->arena, "%s.builds%s", o->out, strrchr(odp_site_dir(b.run.previous), '/'));
        result->summary.out = o->out;
        result->summary.idle = true;
        status = odp_run_overdue(&b.run, date_of, &b);
    } else if (status == ODP_OK) {
        status = run_build(&b, o, &switched);
    }
    bool began = idle || b.run.stage != NULL; /* else nothing was read, and there is nothing to tell of the datasets */
    if (began && status != ODP_FAIL) {
        note_same(&b);
        note_outcomes(&b, switched);
        status = odp_worst(status, odp_run_summarize(&b.run, describe, &b));
        if (odp_diags_count(result->diags, ODP_SEVERITY_ERROR) > 0)
            status = odp_worst(status, ODP_BAD);
    }
    close_build(&b);
    return status;
}
