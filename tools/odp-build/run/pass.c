/* One pass over one resource, batch by batch, by the threads of a crew.
 *
 *   read (in order) -> slice, validate, format (any thread) -> merge keys and faults (in order) -> append: a
 * lane for each file and digest
 *
 * struct odp_batch (catalog/records/batch.h) holds some thousand records and goes all the way, so memory
 * does not grow with the input (key sets aside), and diagnostics and output are the same on any number of
 * threads. Lanes (base/pool.h) go next to each other and to what follows, on whichever thread is free; in a
 * lane batches come one at a time, in the source's order. So one file is hashed and written while another
 * is, and a slow one (a workbook, an index) delays only the batches in flight. Emitters end on the pool,
 * too. What passes share (the run's arena, what codes mean, rules across datasets, the published index, the
 * bytes done) is under run.lock; the rest is a pass's own. Once an error was seen, formatting stops: the
 * output could not be published anyway. */
#include <stdatomic.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "check/across/cross.h"
#include "run/profiles.h"
#include "run/run_internal.h"
#include "run/slices.h"

/* What a batch becomes on its way; one a slot of the pool. */
struct slot {
    struct odp_batch batch;
    struct odp_chunk chunks[ODP_EMIT_MAX];
    struct odp_buffer logical;
    struct odp_slice_parts *parts;
    bool append; /* consumed without a fault so far: lanes append it */
};

/* One pass over one resource. */
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
    struct odp_slices *slices;              /* NULL: the resource has none */
    const struct odp_label_columns *labels; /* NULL: its files have none */
    bool emitting;
    struct odp_digest *logical; /* NULL: nobody asks for it */
    atomic_bool rejected;       /* an error was seen: formatting further is wasted work */
    uint64_t batches, bytes;    /* bytes of the source so far */
    uint64_t refused;           /* records that are not published */
    bool has_geometry;
    struct odp_profiler *profiler; /* NULL: neither compared nor published */
    struct odp_drift_before before;
    bool compared; /* there is a version before */
    struct odp_arena arena;
    bool in_rules; /* rules across datasets gather from it */
    bool again;    /* its keys repeat, and had spilled: another pass reports everything */
};

/* ---- the batches of a run ---- */

enum odp_status odp_run_open_slots(struct run *r)
{
    r->nslots = odp_pool_slots(r->pool);
    r->slots = odp_arena_zero(r->arena, r->nslots, sizeof *r->slots);
    for (size_t i = 0; i < r->nslots; i++) {
        for (size_t k = 0; k < ODP_EMIT_MAX; k++)
            odp_chunk_init(&r->slots[i].chunks[k]);
        odp_buffer_init(&r->slots[i].logical);
        if (odp_batch_init(&r->slots[i].batch, r->options->sink != NULL ? SIZE_MAX : r->options->examples) !=
                ODP_OK ||
            odp_slice_parts_new(&r->slots[i].parts) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

void odp_run_close_slots(struct run *r)
{
    for (size_t i = 0; r->slots != NULL && i < r->nslots; i++) {
        for (size_t k = 0; k < ODP_EMIT_MAX; k++)
            odp_chunk_release(&r->slots[i].chunks[k]);
        odp_buffer_release(&r->slots[i].logical);
        odp_slice_parts_free(r->slots[i].parts);
        odp_batch_release(&r->slots[i].batch);
    }
}

/* ---- one pass over one resource ---- */

static enum odp_status pass_produce(void *ctx, size_t i)
{
    struct pass *p = ctx;
    struct slot *slot = &p->crew->slots[i];
    odp_batch_reset(&slot->batch, p->resource);
    slot->batch.index = p->batches;
    if (odp_memory_status() != ODP_OK)
        return ODP_FAIL;
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
    bool good = !atomic_load_explicit(&p->rejected, memory_order_relaxed), emit = p->emitting && good;
    if (emit && p->labels != NULL)
        odp_label_columns_fill(p->labels, &slot->batch);
    if (odp_slices_format(p->slices, &slot->batch, emit, slot->parts) == ODP_FAIL)
        return ODP_FAIL;
    if (p->profiler != NULL && !atomic_load_explicit(&p->rejected, memory_order_relaxed) &&
        odp_profiler_batch(p->profiler, &slot->batch, worker) == ODP_FAIL)
        return ODP_FAIL;
    if (emit && odp_emit_set_format(&p->emits, &slot->batch, slot->chunks) == ODP_FAIL)
        return ODP_FAIL;
    if (good && p->logical != NULL)
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
        status = odp_worst(odp_code_lists_take(r->codes, b), odp_row_places_take(r->rows, b));
    p->bytes += b->source_bytes;
    uint64_t bytes = r->bytes_done += b->source_bytes;
    pthread_mutex_unlock(&r->lock);
    if (p->crew->tells)
        odp_progress_update(r->options->progress, ODP_PHASE_CHECK, p->resource->name, bytes, r->bytes_total,
                            odp_validator_rows(p->validator));
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
    if (odp_slices_append(p->slices, &slot->batch, slot->parts, odp_source_info(p->source), p->diags) ==
        ODP_FAIL)
        return ODP_FAIL;
    if (odp_diags_count(p->diags, ODP_SEVERITY_ERROR) > 0)
        atomic_store_explicit(&p->rejected, true, memory_order_relaxed);
    slot->append =
        (p->emitting || p->logical != NULL) && !atomic_load_explicit(&p->rejected, memory_order_relaxed);
    for (uint32_t k = 0; k < slot->batch.nrecords; k++)
        p->refused += slot->batch.record_bad[k];
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
    return lane < p->emits.n ? odp_emit_set_append_one(&p->emits, lane, slot->chunks)
                             : odp_digest_add(p->logical, slot->logical.ptr, slot->logical.len);
}

/* Whether JOB makes a version of its resource, with all that belongs to one; else an export asks for single
 * files. */
static bool makes_version(const struct odp_emit_job *job)
{
    return job != NULL && job->nchosen == 0;
}

/* Begins the digest of the logical content. */
static enum odp_status pass_begin_digest(struct pass *p)
{
    struct odp_buffer header = {0};
    if (odp_digest_new(&p->logical) != ODP_OK)
        return ODP_FAIL;
    odp_emit_logical_header(&header, p->resource, p->has_geometry);
    enum odp_status status = odp_buffer_status(&header);
    if (status == ODP_OK)
        status = odp_digest_add(p->logical, header.ptr, header.len);
    odp_buffer_release(&header);
    return status;
}

/* Begins every emitter the job wants, and the digest. */
static enum odp_status pass_begin_emitters(struct pass *p, const struct odp_emit_job *job)
{
    p->emitting = true;
    if (odp_emit_set_begin(&p->emits, job) != ODP_OK)
        return ODP_FAIL;
    return makes_version(job) || odp_emit_set_tells_digest(&p->emits) ? pass_begin_digest(p) : ODP_OK;
}

/* After a large source: nothing reads its batches any more, and together they are larger than the index that
 * is made next, by another thread and so in another of the allocator's heaps. After a small one it would cost
 * more to get the room again for the next resource. */
static void give_room_back(const struct pass *p)
{
    enum { LARGE = 8 << 20 }; /* bytes of the source */
    size_t n = odp_pool_slots(p->crew->pool);
    if (p->bytes < LARGE)
        return;
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = &p->crew->slots[i];
        for (size_t k = 0; k < ODP_EMIT_MAX; k++)
            odp_chunk_release(&slot->chunks[k]);
        odp_buffer_release(&slot->logical);
        odp_batch_shrink(&slot->batch);
    }
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

/* Ends the emitters well, or drops what they wrote. */
static enum odp_status pass_end_emitters(struct pass *p, bool good)
{
    struct odp_published_resource *out = &p->task->published;
    if (!p->emitting)
        return good && p->logical != NULL ? odp_digest_end(p->logical, out->logical) : ODP_OK;
    p->emitting = false;
    if (good && (p->logical == NULL || odp_digest_end(p->logical, out->logical) == ODP_OK) &&
        odp_slices_end(p->slices, p->crew->pool, &p->task->arena, &out->slices, &out->nslices) == ODP_OK)
        return odp_emit_set_end_on(&p->emits, p->crew->pool);
    odp_emit_set_abort(&p->emits);
    return good ? ODP_FAIL : ODP_OK;
}

/* Errors of P's own resource. Its collector may hold others: references round a cycle, settled when its keys
 * were complete. */
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

/* What the version before was, where somebody will be told; statistics, where they are published or compared.
 */
static enum odp_status pass_begin_profile(struct pass *p, bool quiet, bool emitting)
{
    const bool list = p->resource->dataset->reference; /* a new edition may differ in anything */
    pthread_mutex_lock(&p->run->lock);
    enum odp_status status =
        quiet || list ? ODP_DONE : odp_run_before(p->run, p->resource, &p->arena, &p->before);
    pthread_mutex_unlock(&p->run->lock);
    p->compared = status == ODP_OK;
    if (status == ODP_FAIL || (!emitting && (!p->compared || p->before.profile.n == 0)))
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    return odp_profiler_new(&p->profiler, p->resource, p->has_geometry, odp_pool_jobs(p->crew->pool));
}

/* Against the version before: its statistics, and its records where the content differs. */
static enum odp_status pass_compare(struct pass *p, const char *path, const char *file,
                                    const struct odp_profile *profile)
{
    struct task *t = p->task;
    const bool known = p->logical != NULL;
    enum odp_status status = known ? odp_digest_end(p->logical, t->published.logical) : ODP_OK;
    odp_digest_free(p->logical);
    p->logical = NULL;
    const struct run_records what = {p->resource, path, file, odp_source_info(p->source),
                                     known ? t->published.logical : NULL};
    if (status == ODP_OK)
        status = odp_run_records(p->run, &what, &p->arena, &t->records);
    const struct odp_drift_now now = {profile, t->records, file};
    status = status != ODP_FAIL ? odp_drift_compare(p->resource, &p->before, &now, p->diags) : ODP_FAIL;
    odp_drift_rows_shrink(t->records);
    return status;
}

/* Of data without errors: a table of which half is wrong tells nothing of the other half. */
static enum odp_status pass_end_profile(struct pass *p, const char *path, const char *file,
                                        const struct odp_emit_job *job)
{
    struct odp_profile now = {.rows = odp_validator_rows(p->validator)};
    enum odp_status status = p->profiler != NULL ? odp_profiler_end(p->profiler, &p->arena, &now) : ODP_OK;
    if (status == ODP_OK && p->compared)
        status = pass_compare(p, path, file, &now);
    if (p->task->records != NULL)
        odp_drift_rows_note(p->task->records, &now);
    if (own_errors(p) > 0) /* there will be no such version */
        return status;
    return status == ODP_OK && makes_version(job)
               ? odp_run_put_profile(p->run, p->resource, job->version, &now)
               : status;
}

/* Reads, checks and (with JOB) emits one resource from FILE. Faults go to p->diags. */
static enum odp_status pass_run(struct pass *p, const char *path, const char *file, bool quiet,
                                struct odp_emit_job *job)
{
    struct run *r = p->run;
    unsigned jobs = odp_pool_jobs(p->crew->pool);
    enum odp_status status = odp_source_open(&p->source, p->resource, path, file, jobs, p->diags);
    if (status == ODP_BAD &&
        own_errors(p) == 0) /* the same: nobody reads a rejected table without an error */
        status = odp_failure_set("open", file, 0);
    if (status != ODP_OK)
        return status;
    if (file != path)
        odp_source_skip(p->source, r->options->as_skipped);
    p->info = *odp_source_info(p->source);
    p->info.dir = odp_dataset_source_dir(p->resource->dataset, r->options->sources, &p->arena);
    if (odp_geometry_is_of_fields(&p->resource->geometry)) {
        p->info.has_geometry = true;
        p->info.crs = "EPSG:4326";
    }
    const struct odp_source_info *info = &p->info;
    p->has_geometry = info->has_geometry;
    odp_code_lists_begin(r->codes, p->resource);
    odp_row_places_begin(r->rows, p->resource);
    p->in_rules = odp_cross_needs(r->cross, p->resource);
    pthread_mutex_lock(&r->lock);
    if (p->in_rules)
        odp_cross_begin(r->cross, p->resource, file);
    pthread_mutex_unlock(&r->lock);
    status = odp_validator_new(&p->validator, p->resource, info, r->keys, jobs, p->diags);
    if (status == ODP_OK && job != NULL) {
        job->has_geometry = info->has_geometry;
        job->logical = p->task->published.logical;
        job->labels = p->labels = odp_label_columns_of(r->codes, p->resource, &p->task->arena);
        p->task->published = (struct odp_published_resource){
            .resource = p->resource, .has_geometry = info->has_geometry, .labels = job->labels};
        p->task->published.crs = odp_arena_str(&p->task->arena, info->crs != NULL ? info->crs : "");
        p->task->published.crs_operation =
            odp_arena_str(&p->task->arena, info->crs_operation != NULL ? info->crs_operation : "");
        status = pass_begin_emitters(p, job);
    }
    if (status == ODP_OK && !odp_emit_set_reads_labels(&p->emits))
        odp_validator_leave_labels(p->validator);
    if (status == ODP_OK && job == NULL && p->task->compared)
        status = pass_begin_digest(p);
    if (status == ODP_OK)
        status =
            odp_slices_new(&p->slices, p->resource, makes_version(job) ? &p->emits : NULL, job, r->codes);
    if (status == ODP_OK)
        status = pass_begin_profile(p, quiet, makes_version(job));
    if (status == ODP_OK) {
        struct odp_ordered ordered = {p, pass_produce, pass_work, pass_consume};
        const struct odp_lanes lanes = {p->emits.n + (p->logical != NULL), pass_append};
        status = odp_pool_ordered_lanes(p->crew->pool, &ordered, &lanes);
    }
    if (status == ODP_OK || status == ODP_DONE) {
        p->task->read = true;
        status = odp_validator_finish(p->validator, p->diags);
        p->again = status != ODP_FAIL && odp_keyring_reread(r->keys, p->resource);
    }
    if (status == ODP_OK && !p->again && own_errors(p) == 0)
        status = pass_end_profile(p, path, file, job);
    give_room_back(p);
    bool good = status != ODP_FAIL && !p->again && own_errors(p) == 0;
    if (good &&
        p->refused > 0) /* what is left out has an error that says so: never fewer records without a word */
        status = odp_failure_set("publish every record of", file, 0), good = false;
    return odp_worst(status, pass_end_emitters(p, good));
}

static void pass_note_result(struct pass *p)
{
    struct task *t = p->task;
    pthread_mutex_lock(&p->run->lock);
    odp_run_note_unsound(p->run, p->resource, p->diags);
    pthread_mutex_unlock(&p->run->lock);
    t->errors = own_errors(p);
    t->warnings = odp_diags_count(p->diags, ODP_SEVERITY_WARNING);
    if (p->validator == NULL)
        return;
    t->rows = odp_validator_rows(p->validator);
    t->published.rows = t->rows;
    struct odp_slice newest = odp_validator_last_update(p->validator);
    if (newest.len > 0) {
        pthread_mutex_lock(&p->run->lock);
        t->last_update = (char *)odp_arena_copy(p->run->arena, newest).ptr;
        pthread_mutex_unlock(&p->run->lock);
    }
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
static enum odp_status run_pass(struct run *r, const struct turn *turn, bool quiet, struct odp_emit_job *job,
                                bool *again)
{
    const struct odp_resource *resource = turn->resource;
    struct pass p = {.run = r, .crew = turn->crew, .resource = resource, .task = &r->tasks[resource->index]};
    enum odp_status status = ODP_FAIL;
    char *path = odp_run_source(r, resource, &p.arena);
    if (open_diags(&p, quiet) != ODP_OK || odp_run_source_stays(r, resource) != ODP_OK)
        goto done;
    bool as = r->options->as_shown != NULL && strcmp(path, r->options->as_file) == 0;
    status = pass_run(&p, path, as ? r->options->as_shown : path, quiet, job);
    if (status != ODP_FAIL &&
        odp_run_source_stays(r, resource) != ODP_OK) /* what was found wrong was perhaps only half written */
        status = ODP_FAIL;
    *again = p.again;
    if (p.again) {
        pthread_mutex_lock(&r->lock);
        r->bytes_done -= p.bytes;
        pthread_mutex_unlock(&r->lock);
        goto done;
    }
    if (status == ODP_FAIL)
        goto done;
    pass_note_result(&p);
    odp_keyring_set(r->keys, resource,
                    p.task->read && p.task->errors == 0 ? ODP_KEYS_READY : ODP_KEYS_REJECTED);
    status = p.task->errors > 0 ? ODP_BAD : ODP_OK;
    if ((!quiet && odp_diags_merge(turn->diags, p.diags) == ODP_FAIL) || odp_memory_status() != ODP_OK)
        status = ODP_FAIL;
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

enum odp_status odp_run_turn(struct run *r, const struct turn *turn, bool quiet, struct odp_emit_job *job)
{
    bool again = false;
    odp_keyring_set(r->keys, turn->resource, ODP_KEYS_ABSENT);
    enum odp_status status = run_pass(r, turn, quiet, job, &again);
    return again ? run_pass(r, turn, quiet, job, &again) : status;
}

struct crew odp_run_alone(const struct run *r, unsigned worker)
{
    return (struct crew){
        .pool = r->single, .slots = &r->slots[worker], .first = worker, .tells = worker == 0};
}

struct crew odp_run_together(const struct run *r)
{
    return (struct crew){.pool = r->pool, .slots = r->slots, .tells = true};
}

enum odp_status odp_run_resource(struct run *r, const struct odp_resource *resource, bool quiet,
                                 struct odp_emit_job *job)
{
    const struct crew all = odp_run_together(r);
    const struct turn turn = {resource, r->tasks[resource->index].role, &all, r->result->diags};
    return odp_run_turn(r, &turn, quiet, job);
}
