#include "pipeline.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "catalog/cross.h"
#include "catalog/security.h"
#include "cross/cross.h"
#include "drift.h"
#include "portal/portal.h"
#include "release/gate.h"
#include "run.h"
#include "score/make.h"
#include "slices.h"

/* What a batch becomes on its way; one a slot of the pool. */
struct slot {
    struct odp_batch batch;
    struct odp_chunk chunks[ODP_EMIT_MAX];
    struct odp_buffer logical;
    struct odp_slice_parts *parts;
    bool append; /* consumed without a fault so far: lanes append it */
};

/* One pass over one resource: ingest -> validate -> emit. */
struct pass {
    struct run *run;
    const struct crew *crew;
    const struct odp_resource *resource;
    struct task *task;
    struct odp_source *source;
    struct odp_source_info info; /* the source's own, with its folder */
    struct odp_validator *validator;
    struct odp_diags *diags; /* of this resource */
    struct odp_emit_set emits;
    struct odp_slices *slices; /* NULL: the resource has none */
    bool emitting;
    struct odp_digest *logical; /* NULL: nobody asks for it */
    atomic_bool rejected; /* an error was seen: formatting further is wasted work */
    uint64_t batches, bytes;    /* bytes of the source so far */
    bool has_geometry;
    struct odp_profiler *profiler; /* NULL: neither compared nor published */
    struct odp_drift_before before;
    bool compared;                 /* there is a version before */
    struct odp_arena arena;
    bool in_rules; /* rules across datasets gather from it */
    bool again;    /* its keys repeat, and had spilled: all is to be said by another pass */
};

/* ---- one pass over one resource ------------------------------------------------------------------------------------- */

static enum odp_status pass_produce(void *ctx, size_t i)
{
    struct pass *p = ctx;
    struct slot *slot = &p->crew->slots[i];
    odp_batch_reset(&slot->batch, p->resource);
    slot->batch.index = p->batches;
    enum odp_status status = odp_source_read(p->source, &slot->batch);
    if (status == ODP_OK)
        p->batches++;
    return status;
}

static enum odp_status pass_work(void *ctx, size_t i, unsigned worker)
{
    struct pass *p = ctx;
    struct slot *slot = &p->crew->slots[i];
    odp_buffer_clear(&slot->logical);
    enum odp_status status = odp_source_slice(p->source, &slot->batch, worker);
    if (status == ODP_FAIL)
        return status;
    if (odp_validator_batch(p->validator, &slot->batch, worker) == ODP_FAIL)
        return ODP_FAIL;
    if (p->in_rules && odp_cross_batch(p->run->cross, &slot->batch, p->crew->first + i) == ODP_FAIL)
        return ODP_FAIL;
    bool emit = p->emitting && !atomic_load_explicit(&p->rejected, memory_order_relaxed);
    if (odp_slices_format(p->slices, &slot->batch, emit, slot->parts) == ODP_FAIL)
        return ODP_FAIL;
    if (p->profiler != NULL && !atomic_load_explicit(&p->rejected, memory_order_relaxed) &&
        odp_profiler_batch(p->profiler, &slot->batch, worker) == ODP_FAIL)
        return ODP_FAIL;
    if (!emit)
        return ODP_OK;
    if (odp_emit_set_format(&p->emits, &slot->batch, slot->chunks) == ODP_FAIL)
        return ODP_FAIL;
    if (p->logical != NULL)
        odp_emit_logical_batch(&slot->logical, &slot->batch, p->has_geometry);
    return odp_buffer_status(&slot->logical);
}

static void extend_bbox(struct odp_published_resource *out, const struct odp_batch *b)
{
    for (uint32_t i = 0; b->geometry != NULL && i < b->nrecords; i++)
        if (b->geometry[i] != NULL && b->geometry[i]->npoints > 0) {
            odp_bbox_extend(out->bbox, &out->has_bbox, b->geometry[i]->bbox);
            out->has_heights = out->has_heights || odp_geom_has_heights(b->geometry[i]);
        }
}

/* What the batch gives to what all passes share. */
static enum odp_status consume_shared(struct pass *p, const struct odp_batch *b, size_t i)
{
    struct run *r = p->run;
    enum odp_status status = ODP_OK;
    pthread_mutex_lock(&r->lock);
    if (p->in_rules)
        status = odp_cross_merge(r->cross, b, p->crew->first + i);
    if (status != ODP_FAIL)
        status = odp_code_lists_take(r->codes, b);
    p->bytes += b->source_bytes;
    uint64_t bytes = r->bytes_done += b->source_bytes;
    pthread_mutex_unlock(&r->lock);
    if (p->crew->tells)
        odp_progress_update(r->options->progress, ODP_PHASE_CHECK, p->resource->name, bytes, r->bytes_total, odp_validator_rows(p->validator));
    return status;
}

static enum odp_status pass_consume(void *ctx, size_t i)
{
    struct pass *p = ctx;
    struct slot *slot = &p->crew->slots[i];
    if (odp_validator_merge(p->validator, &slot->batch) == ODP_FAIL)
        return ODP_FAIL;
    if (odp_diags_merge(p->diags, slot->batch.diags) == ODP_FAIL)
        return ODP_FAIL;
    if (consume_shared(p, &slot->batch, i) == ODP_FAIL)
        return ODP_FAIL;
    if (odp_slices_append(p->slices, &slot->batch, slot->parts, odp_source_info(p->source), p->diags) == ODP_FAIL)
        return ODP_FAIL;
    if (odp_diags_count(p->diags, ODP_SEVERITY_ERROR) > 0)
        atomic_store_explicit(&p->rejected, true, memory_order_relaxed);
    slot->append = p->emitting && !atomic_load_explicit(&p->rejected, memory_order_relaxed);
    if (slot->append)
        extend_bbox(&p->task->published, &slot->batch);
    return ODP_OK;
}

/* Lanes are the emitters, and after them the digest of the logical content. */
static enum odp_status pass_append(void *ctx, size_t i, size_t lane)
{
    struct pass *p = ctx;
    struct slot *slot = &p->crew->slots[i];
    if (!slot->append)
        return ODP_OK;
    return lane < p->emits.n ? odp_emit_set_append_one(&p->emits, lane, slot->chunks) : odp_digest_add(p->logical, slot->logical.ptr, slot->logical.len);
}

/* Whether JOB makes a version of its resource, with all that belongs to one; else an export asks for single files. */
static bool makes_version(const struct odp_emit_job *job)
{
    return job != NULL && job->nchosen == 0;
}

/* Begins every emitter the job wants, and the digest of the logical content. */
static enum odp_status pass_begin_emitters(struct pass *p, const struct odp_emit_job *job)
{
    struct odp_buffer header;
    p->emitting = true;
    if (odp_emit_set_begin(&p->emits, job) != ODP_OK)
        return ODP_FAIL;
    if (!makes_version(job) && !odp_emit_set_tells_digest(&p->emits))
        return ODP_OK;
    if (odp_digest_new(&p->logical) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_init(&header);
    odp_emit_logical_header(&header, p->resource, job->has_geometry);
    enum odp_status status = odp_buffer_status(&header);
    if (status == ODP_OK)
        status = odp_digest_add(p->logical, header.ptr, header.len);
    odp_buffer_release(&header);
    return status;
}

/* Ends the emitters well, or drops what they wrote. */
static enum odp_status pass_end_emitters(struct pass *p, bool good)
{
    if (!p->emitting)
        return ODP_OK;
    p->emitting = false;
    struct odp_published_resource *out = &p->task->published;
    if (good && (p->logical == NULL || odp_digest_end(p->logical, out->logical) == ODP_OK) &&
        odp_slices_end(p->slices, p->crew->pool, p->run->arena, &out->slices, &out->nslices) == ODP_OK)
        return odp_emit_set_end_on(&p->emits, p->crew->pool);
    odp_emit_set_abort(&p->emits);
    return good ? ODP_FAIL : ODP_OK;
}

/* Errors of P's own resource. Its collector may hold others: references round a cycle, settled when its keys were complete. */
static uint64_t own_errors(const struct pass *p)
{
    size_t n;
    uint64_t errors = 0;
    const struct odp_diag_group *const *groups = odp_diags_groups(p->diags, &n);
    for (size_t i = 0; i < n; i++) {
        bool other = groups[i]->dataset != NULL && groups[i]->resource != NULL &&
                     (strcmp(groups[i]->dataset, p->resource->dataset->slug) != 0 ||
                      strcmp(groups[i]->resource, p->resource->name) != 0);
        if (groups[i]->severity == ODP_SEVERITY_ERROR && !other)
            errors += groups[i]->count;
    }
    return errors;
}

/* What the version before was, where somebody will be told; statistics, where they are published or compared. */
static enum odp_status pass_begin_profile(struct pass *p, bool quiet, bool emitting)
{
    const struct odp_dataset *d = p->resource->dataset;
    if (d->reference)
        return ODP_OK;
    pthread_mutex_lock(&p->run->lock);
    enum odp_status status = quiet ? ODP_DONE : odp_run_before(p->run, p->resource, &p->arena, &p->before);
    pthread_mutex_unlock(&p->run->lock);
    p->compared = status == ODP_OK;
    if (status == ODP_FAIL || (!emitting && (!p->compared || p->before.profile.n == 0)))
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    return odp_profiler_new(&p->profiler, p->resource, p->has_geometry, odp_pool_jobs(p->crew->pool));
}

/* Of data without errors: a table of which half is wrong tells nothing of the other half. */
static enum odp_status pass_end_profile(struct pass *p, const char *file, const struct odp_emit_job *job)
{
    struct odp_profile now = {.rows = odp_validator_rows(p->validator)};
    enum odp_status status = p->profiler != NULL ? odp_profiler_end(p->profiler, &p->arena, &now) : ODP_OK;
    if (status == ODP_OK && p->compared)
        status = odp_drift_compare(p->resource, &p->before, &now, file, p->diags);
    return status == ODP_OK && makes_version(job) ? odp_run_put_profile(p->run, p->resource, job->version, &now) : status;
}

/* Reads, checks and (with JOB) emits one resource from FILE. Faults go to p->diags. */
static enum odp_status pass_run(struct pass *p, const char *path, const char *file, bool quiet, struct odp_emit_job *job)
{
    struct run *r = p->run;
    unsigned jobs = odp_pool_jobs(p->crew->pool);
    enum odp_status status = odp_source_open(&p->source, p->resource, path, file, jobs, p->diags);
    if (status != ODP_OK)
        return status;
    p->info = *odp_source_info(p->source);
    p->info.dir = odp_dataset_source_dir(p->resource->dataset, r->options->sources, &p->arena);
    if (p->info.dir == NULL)
        return ODP_FAIL;
    const struct odp_source_info *info = &p->info;
    p->has_geometry = info->has_geometry;
    odp_code_lists_begin(r->codes, p->resource);
    p->in_rules = odp_cross_needs(r->cross, p->resource);
    pthread_mutex_lock(&r->lock);
    status = p->in_rules ? odp_cross_begin(r->cross, p->resource, file) : ODP_OK;
    pthread_mutex_unlock(&r->lock);
    if (status != ODP_OK)
        return ODP_FAIL;
    status = odp_validator_new(&p->validator, p->resource, info, r->keys, jobs, p->diags);
    if (status == ODP_OK && job != NULL) {
        job->has_geometry = info->has_geometry;
        job->logical = p->task->published.logical;
        p->task->published = (struct odp_published_resource){.resource = p->resource, .has_geometry = info->has_geometry};
        p->task->published.crs = odp_arena_str(r->arena, info->crs != NULL ? info->crs : "");
        p->task->published.crs_operation = odp_arena_str(r->arena, info->crs_operation != NULL ? info->crs_operation : "");
        status = pass_begin_emitters(p, job);
    }
    if (status == ODP_OK)
        status = odp_slices_new(&p->slices, p->resource, makes_version(job) ? &p->emits : NULL, job, r->codes);
    if (status == ODP_OK)
        status = pass_begin_profile(p, quiet, makes_version(job));
    if (status == ODP_OK) {
        struct odp_ordered ordered = {p, pass_produce, pass_work, pass_consume};
        const struct odp_lanes lanes = {p->emitting ? p->emits.n + (p->logical != NULL) : 0, pass_append};
        status = odp_pool_ordered_lanes(p->crew->pool, &ordered, &lanes);
    }
    if (status == ODP_OK || status == ODP_DONE) {
        p->task->read = true;
        status = odp_validator_finish(p->validator, p->diags);
        p->again = status != ODP_FAIL && odp_keyring_reread(r->keys, p->resource);
    }
    if (status == ODP_OK && !p->again && own_errors(p) == 0)
        status = pass_end_profile(p, file, job);
    bool good = status != ODP_FAIL && !p->again && own_errors(p) == 0;
    return odp_worst(status, pass_end_emitters(p, good));
}

static enum odp_status pass_note_result(struct pass *p)
{
    struct task *t = p->task;
    t->errors = own_errors(p);
    t->warnings = odp_diags_count(p->diags, ODP_SEVERITY_WARNING);
    if (p->validator == NULL)
        return ODP_OK;
    t->rows = odp_validator_rows(p->validator);
    t->published.rows = t->rows;
    struct odp_slice newest = odp_validator_last_update(p->validator);
    if (newest.len > 0) {
        pthread_mutex_lock(&p->run->lock);
        t->last_update = (char *)odp_arena_copy(p->run->arena, newest).ptr;
        pthread_mutex_unlock(&p->run->lock);
        if (t->last_update == NULL)
            return ODP_FAIL;
    }
    return ODP_OK;
}

char *odp_run_source(const struct run *r, const struct odp_resource *resource, struct odp_arena *a)
{
    const char *file = r->options->as_file;
    bool as = file != NULL && resource->dataset->reference == false && strcmp(resource->dataset->slug, r->options->as_slug) == 0 && resource->primary;
    return as ? odp_arena_str(a, file) : odp_resource_source(resource, r->options->sources, a);
}

static enum odp_status open_diags(struct pass *p, bool quiet)
{
    const struct run *r = p->run;
    if (odp_diags_new(&p->diags, quiet ? 0 : r->options->examples) != ODP_OK)
        return ODP_FAIL;
    odp_diags_set_overrides(p->diags, p->resource->severity);
    odp_diags_set_strict(p->diags, r->options->strict);
    odp_diags_set_sink(p->diags, quiet ? NULL : r->options->sink);
    for (size_t i = 0; i < odp_pool_slots(p->crew->pool); i++) {
        odp_diags_set_overrides(p->crew->slots[i].batch.diags, p->resource->severity);
        odp_diags_set_strict(p->crew->slots[i].batch.diags, r->options->strict);
    }
    return ODP_OK;
}

/* One pass. *AGAIN: another one has to say everything. */
static enum odp_status run_pass(struct run *r, const struct crew *crew, const struct odp_resource *resource, bool quiet, struct odp_emit_job *job,
                                struct odp_diags **diags, bool *again)
{
    struct pass p = {.run = r, .crew = crew, .resource = resource, .task = &r->tasks[resource->index]};
    enum odp_status status = ODP_FAIL;
    odp_arena_init(&p.arena);
    char *path = odp_run_source(r, resource, &p.arena);
    if (path == NULL || open_diags(&p, quiet) != ODP_OK)
        goto done;
    status = pass_run(&p, path, path, quiet, job);
    *again = p.again;
    if (p.again) {
        pthread_mutex_lock(&r->lock);
        r->bytes_done -= p.bytes;
        pthread_mutex_unlock(&r->lock);
        goto done;
    }
    if (status == ODP_FAIL || pass_note_result(&p) == ODP_FAIL) {
        status = ODP_FAIL;
        goto done;
    }
    odp_keyring_set(r->keys, resource, p.task->read && p.task->errors == 0 ? ODP_KEYS_READY : ODP_KEYS_REJECTED);
    status = p.task->errors > 0 ? ODP_BAD : ODP_OK;
    if (!quiet) {
        *diags = p.diags;
        p.diags = NULL;
    }
done:
    odp_slices_free(p.slices);
    odp_digest_free(p.logical);
    odp_profiler_free(p.profiler);
    odp_validator_free(p.validator);
    odp_source_close(p.source);
    odp_diags_free(p.diags);
    odp_arena_release(&p.arena);
    return status;
}

enum odp_status odp_run_pass(struct run *r, const struct crew *crew, const struct odp_resource *resource, bool quiet, struct odp_emit_job *job,
                             struct odp_diags **diags)
{
    bool again = false;
    *diags = NULL;
    odp_keyring_set(r->keys, resource, ODP_KEYS_ABSENT);
    enum odp_status status = run_pass(r, crew, resource, quiet, job, diags, &again);
    return again ? run_pass(r, crew, resource, quiet, job, diags, &again) : status;
}

struct crew odp_run_alone(const struct run *r, unsigned worker)
{
    return (struct crew){.pool = r->single, .slots = &r->slots[worker], .first = worker, .tells = worker == 0};
}

struct crew odp_run_together(const struct run *r)
{
    return (struct crew){.pool = r->pool, .slots = r->slots, .tells = true};
}

enum odp_status odp_run_resource(struct run *r, const struct odp_resource *resource, bool quiet, struct odp_emit_job *job)
{
    const struct crew crew = odp_run_together(r);
    struct odp_diags *diags = NULL;
    enum odp_status status = odp_run_pass(r, &crew, resource, quiet, job, &diags);
    if (diags != NULL && odp_diags_merge(r->result->diags, diags) == ODP_FAIL)
        status = ODP_FAIL;
    odp_diags_free(diags);
    return status;
}

/* ---- which resources take part -------------------------------------------------------------------------------------- */

bool odp_run_selected(const struct run *r, const struct odp_dataset *d)
{
    const struct odp_options *o = r->options;
    if (o->nslugs == 0)
        return !o->chosen;
    for (size_t i = 0; i < o->nslugs; i++)
        if (strcmp(o->slugs[i], d->slug) == 0)
            return true;
    return false;
}

static enum odp_status report_unknown_slugs(struct run *r)
{
    const struct odp_options *o = r->options;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < o->nslugs; i++) {
        struct odp_dataset *d = odp_catalog_find(r->catalog, o->slugs[i]);
        if (d != NULL && !d->reference)
            continue;
        const char *near = odp_catalog_nearest(r->catalog, o->slugs[i]);
        struct odp_diag diag = {.code = ODP_C14, .args = {odp_slice_of(o->slugs[i]), odp_slice_of(near != NULL ? near : "—")}};
        if (odp_diags_add(r->result->diags, &diag) == ODP_FAIL)
            return ODP_FAIL;
        r->result->catalog_wrong = true;
        status = ODP_BAD;
    }
    return status;
}

/* Editions of a code list that name successors: an old code in the data is told its new one. */
static void need_successors(struct run *r, const struct odp_dataset *d)
{
    for (size_t k = 0; d->reference && k < d->nresources; k++) {
        struct task *t = &r->tasks[d->resources[k].index];
        if (t->role == ROLE_NONE && !r->skip[d->resources[k].index] &&
            odp_schema_find(&d->resources[k].schema, ODP_LIT("kode_pengganti")) >= 0)
            t->role = ROLE_KEYS;
    }
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
        need_successors(r, target->dataset);
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

void odp_run_roles(struct run *r)
{
    const struct odp_catalog *c = r->catalog;
    bool all = r->options->nslugs == 0 && !r->options->chosen;
    for (size_t i = 0; i < c->nresources; i++) {
        r->tasks[i].role = ROLE_NONE;
        if (r->skip[i])
            continue;
        const struct odp_dataset *d = c->resources[i]->dataset;
        /* --as names one file: it stands for the first resource, the dataset's others stay out. */
        bool wanted = r->options->as_file == NULL || c->resources[i]->primary;
        if (d->reference ? all : odp_run_selected(r, d) && wanted && d->state != ODP_STATE_WITHDRAWN)
            r->tasks[i].role = ROLE_SELECTED;
    }
    for (size_t i = 0; i < c->nresources; i++)
        if (r->tasks[i].role == ROLE_SELECTED)
            need_targets(r, c->resources[i]);
    for (size_t i = 0; i < c->ncross; i++)
        if (odp_run_rule_active(r, &c->cross[i]))
            need_tables(r, &c->cross[i]);
    /* A code list's own faults are the catalogue's: always reported. */
    for (size_t i = 0; i < c->nresources; i++)
        if (r->tasks[i].role == ROLE_KEYS && c->resources[i]->dataset->reference)
            r->tasks[i].role = ROLE_SELECTED;
}

static void count_bytes(struct run *r)
{
    for (size_t i = 0; i < r->catalog->nresources; i++) {
        char *path =
            r->tasks[i].role == ROLE_NONE ? NULL : odp_resource_source(r->catalog->resources[i], r->options->sources, r->arena);
        r->bytes_total += path != NULL ? odp_file_size_of(path) : 0;
    }
}

/* ---- opening and closing a run --------------------------------------------------------------------------------------- */

static enum odp_status open_slots(struct run *r)
{
    r->nslots = odp_pool_slots(r->pool);
    r->slots = odp_arena_zero(r->arena, r->nslots, sizeof *r->slots);
    if (r->slots == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < r->nslots; i++) {
        for (size_t k = 0; k < ODP_EMIT_MAX; k++)
            odp_chunk_init(&r->slots[i].chunks[k]);
        odp_buffer_init(&r->slots[i].logical);
        if (odp_batch_init(&r->slots[i].batch, r->options->sink != NULL ? SIZE_MAX : r->options->examples) != ODP_OK ||
            odp_slice_parts_new(&r->slots[i].parts) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

void odp_run_close(struct run *r)
{
    for (size_t i = 0; r->slots != NULL && i < r->nslots; i++) {
        for (size_t k = 0; k < ODP_EMIT_MAX; k++)
            odp_chunk_release(&r->slots[i].chunks[k]);
        odp_buffer_release(&r->slots[i].logical);
        odp_slice_parts_free(r->slots[i].parts);
        odp_batch_release(&r->slots[i].batch);
    }
    odp_cross_free(r->cross);
    odp_stage_close(r->stage);
    odp_site_close(r->previous);
    json_decref(r->index);
    odp_keyring_free(r->keys);
    odp_pool_free(r->single);
    odp_pool_free(r->pool);
    pthread_mutex_destroy(&r->lock);
}

enum odp_status odp_run_catalog(struct odp_run *run, const struct odp_options *o)
{
    odp_arena_init(&run->arena);
    if (odp_diags_new(&run->diags, o->examples) != ODP_OK)
        return ODP_FAIL;
    odp_diags_set_strict(run->diags, o->strict);
    odp_progress_update(o->progress, ODP_PHASE_CATALOG, "", 0, 0, 0);
    enum odp_status status = odp_catalog_open(&run->catalog, o->catalog, run->diags);
    if (status == ODP_OK)
        status = odp_validate_rules(run->catalog, run->diags);
    if (status == ODP_OK)
        status = odp_cross_check(run->catalog, run->diags);
    run->catalog_wrong = status == ODP_BAD || odp_diags_count(run->diags, ODP_SEVERITY_ERROR) > 0;
    if (status == ODP_OK && run->catalog_wrong)
        status = ODP_BAD;
    if (run->catalog != NULL) {
        run->catalog->share = o->share;
        run->summary.nreferences = run->catalog->nreferences;
        run->summary.release = run->catalog->nreleases > 0 ? run->catalog->releases[0].version : NULL;
    }
    return status;
}

/* What depends on the day and is wrong in the catalogue all the same. */
static enum odp_status check_security(struct run *r)
{
    const char *today = odp_run_today(r);
    enum odp_status status = today != NULL ? odp_security_check(r->catalog, today, r->result->diags) : ODP_FAIL;
    r->result->catalog_wrong = r->result->catalog_wrong || status == ODP_BAD;
    return status;
}

enum odp_status odp_run_portal(struct run *r)
{
    enum odp_status status = odp_portal_check(r->catalog, r->result->diags);
    r->result->catalog_wrong = r->result->catalog_wrong || status == ODP_BAD;
    return status;
}

enum odp_status odp_run_open(struct run *r, struct odp_run *result, const struct odp_options *o)
{
    r->options = o;
    r->result = result;
    r->arena = &result->arena;
    pthread_mutex_init(&r->lock, NULL); /* cannot fail with default attributes */
    enum odp_status status = odp_run_catalog(result, o);
    r->catalog = result->catalog;
    if (status != ODP_OK)
        return status;
    status = report_unknown_slugs(r);
    if (status == ODP_OK)
        status = check_security(r);
    if (status != ODP_OK)
        return status;
    r->tasks = odp_arena_zero(r->arena, r->catalog->nresources + 1, sizeof *r->tasks);
    r->searches = odp_arena_zero(r->arena, r->catalog->nresources + 1, sizeof *r->searches);
    r->outcomes = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *r->outcomes);
    r->skip = odp_arena_zero(r->arena, r->catalog->nresources + 1, sizeof *r->skip);
    if (r->tasks == NULL || r->searches == NULL || r->skip == NULL || r->outcomes == NULL || odp_pool_new(&r->pool, o->jobs) != ODP_OK ||
        odp_pool_new(&r->single, 1) != ODP_OK || open_slots(r) != ODP_OK ||
        odp_keyring_new(&r->keys, r->catalog) != ODP_OK || odp_code_lists_new(&r->codes, r->catalog, r->arena) != ODP_OK)
        return ODP_FAIL;
    if (o->sink != NULL) /* it is told of every fault at once: no resource may be read again for its keys */
        odp_keyring_bind(r->keys, SIZE_MAX);
    odp_run_roles(r);
    count_bytes(r);
    return ODP_OK;
}

void odp_run_release(struct odp_run *run)
{
    odp_catalog_close(run->catalog);
    odp_diags_free(run->diags);
    odp_arena_release(&run->arena);
}

/* ---- the summary ------------------------------------------------------------------------------------------------------ */

static const char *formats_text(struct run *r, const struct odp_dataset *d)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    for (size_t i = 0; i < d->formats.n; i++) {
        if (i > 0)
            odp_buffer_add_char(&b, ' ');
        odp_buffer_add_slice(&b, d->formats.item[i]);
    }
    char *text = odp_arena_str(r->arena, odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    return text != NULL ? text : "";
}

const char *odp_run_version(const struct run *r, const struct odp_dataset *d)
{
    const char *newest = d->nresources > 0 ? r->tasks[d->resources[0].index].last_update : NULL;
    return d->last_update != NULL ? d->last_update : newest;
}

enum odp_status odp_run_summarize(struct run *r,
                                  void (*describe)(const void *ctx, const struct odp_dataset *d, struct odp_summary_dataset *row),
                                  const void *ctx)
{
    const struct odp_catalog *c = r->catalog;
    struct odp_summary *s = &r->result->summary;
    struct odp_summary_dataset *out = odp_arena_zero(r->arena, c->ndatasets + 1, sizeof *out);
    if (out == NULL)
        return ODP_FAIL;
    s->datasets = out;
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        if (!odp_run_selected(r, d))
            continue;
        struct odp_summary_dataset *row = &out[s->ndatasets++];
        *row = (struct odp_summary_dataset){
            .slug = d->slug, .title = d->title, .version = odp_run_version(r, d), .outcome = r->outcomes[i], .formats = formats_text(r, d)};
        row->score = odp_score_make(c, d, r->arena);
        if (row->score == NULL)
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

/* References round a cycle are settled when the last of it was read: the fault may belong to a resource that had passed. */
static void count_late_errors(struct run *r)
{
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(r->result->diags, &n);
    for (size_t i = 0; i < n; i++) {
        if (groups[i]->severity != ODP_SEVERITY_ERROR || groups[i]->dataset == NULL || groups[i]->resource == NULL)
            continue;
        for (size_t k = 0; k < r->catalog->nresources; k++) {
            const struct odp_resource *resource = r->catalog->resources[k];
            if (r->tasks[k].errors == 0 && strcmp(resource->dataset->slug, groups[i]->dataset) == 0 &&
                strcmp(resource->name, groups[i]->resource) == 0)
                r->tasks[k].errors = groups[i]->count;
        }
    }
}

/* ---- check ------------------------------------------------------------------------------------------------------------- */

bool odp_run_rejected(const struct run *r, const struct odp_dataset *d)
{
    for (size_t k = 0; k < d->nresources; k++)
        if (r->tasks[d->resources[k].index].errors > 0)
            return true;
    return false;
}

static void note_outcomes(struct run *r, enum odp_outcome good)
{
    for (size_t i = 0; i < r->catalog->ndatasets; i++) {
        const struct odp_dataset *d = &r->catalog->datasets[i];
        r->outcomes[i] = odp_run_rejected(r, d) ? ODP_OUTCOME_REJECTED : d->state == ODP_STATE_DRAFT ? ODP_OUTCOME_DRAFT : good;
    }
}

enum odp_status odp_run_each(struct run *r, void *ctx,
                             enum odp_status (*take)(void *ctx, const struct odp_resource *, enum role))
{
    enum odp_status worst = odp_run_rules_begin(r);
    for (size_t i = 0; i < r->catalog->nresources && worst != ODP_FAIL; i++) {
        const struct odp_resource *resource = r->catalog->order[i];
        enum role role = r->tasks[resource->index].role;
        if (role != ROLE_NONE)
            worst = odp_worst(worst, take(ctx, resource, role));
    }
    return odp_run_each_end(r, worst);
}

enum odp_status odp_run_each_end(struct run *r, enum odp_status worst)
{
    if (worst != ODP_FAIL)
        count_late_errors(r);
    return worst != ODP_FAIL ? odp_worst(worst, odp_run_rules_end(r)) : worst;
}

const char *odp_run_today(struct run *r)
{
    struct odp_datetime day = {.has_date = true};
    int16_t minutes = 0;
    if (r->options->today != NULL)
        return r->options->today;
    (void)odp_zone_offset(r->catalog->portal.time_zone, &minutes);
    odp_date_from_days(&day, ((int64_t)time(NULL) + minutes * 60) / 86400);
    return odp_arena_printf(r->arena, "%04d-%02d-%02d", day.year, day.month, day.day);
}

enum odp_status odp_run_previous(struct run *r)
{
    const struct odp_options *o = r->options;
    enum odp_status status = odp_site_open(&r->previous, o->previous != NULL ? o->previous : o->out, r->result->diags);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_run_gate(struct run *r)
{
    struct odp_gate gate = {0};
    const char *today = odp_run_today(r);
    bool *only = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *only);
    if (today == NULL || only == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < r->catalog->ndatasets; i++)
        only[i] = odp_run_selected(r, &r->catalog->datasets[i]);
    return odp_gate_check_some(&gate, r->previous, r->catalog, only, today, r->arena, r->result->diags);
}

static const char *date_read(const void *ctx, const struct odp_dataset *d)
{
    return odp_run_version(ctx, d);
}

enum odp_status odp_run_check(struct odp_run *result, const struct odp_options *o)
{
    struct run r = {0};
    enum odp_status status = odp_run_open(&r, result, o);
    /* A check is about the sources; whether the release number fits is asked by naming the site it is to fit. */
    if (status == ODP_OK && o->previous != NULL && o->as_file == NULL)
        status = odp_run_previous(&r);
    if (status == ODP_OK && r.previous != NULL)
        status = odp_run_gate(&r);
    if (status != ODP_FAIL && !result->catalog_wrong)
        status = odp_worst(status, odp_run_schedule(&r, status == ODP_OK && o->as_file == NULL));
    if (status != ODP_FAIL && !result->catalog_wrong && o->as_file == NULL)
        status = odp_worst(status, odp_run_overdue(&r, date_read, &r));
    if (status != ODP_FAIL && !result->catalog_wrong) {
        note_outcomes(&r, ODP_OUTCOME_CHECKED);
        status = odp_worst(odp_run_summarize(&r, NULL, NULL), odp_diags_count(result->diags, ODP_SEVERITY_ERROR) > 0 ? ODP_BAD : ODP_OK);
    }
    odp_run_close(&r);
    return status;
}
