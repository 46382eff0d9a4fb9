/* odp-build build: check and emit in one pass, then everything about the site as a whole. All or nothing, unless --keep-good.
 */
#include "run.h"

#define KEEP_BUILDS 5 /* builds kept beside the site, for rollback */

/* A dataset's part in the build. */
struct part {
    bool built;     /* selected, active, its files are staged */
    bool held;      /* keeps its published version, or stays away when it has none */
    bool published; /* the previous site has it */
};

struct build {
    struct run run;
    struct part *parts; /* by dataset, in the catalogue's order */
};

static size_t dataset_index(const struct build *b, const struct odp_dataset *d)
{
    return (size_t)(d - b->run.catalog->datasets);
}

/* Says something about a dataset as a whole; an error counts against its first resource. BAD: it was an error. */
static enum odp_status complain(struct build *b, enum odp_code code, const struct odp_dataset *d, const char *arg0)
{
    struct odp_diag diag = {.code = code, .dataset = d->slug, .file = d->file, .args = {odp_slice_of(arg0)}};
    enum odp_status status = odp_diags_add(b->run.result->diags, &diag);
    if (status == ODP_BAD)
        b->run.tasks[d->resources[0].index].errors++;
    return status;
}

/* ---- keys of what is already published ------------------------------------------------------------------------------- */

struct published_keys {
    struct odp_keyring *keys;
    const struct odp_resource *resource;
};

static enum odp_status add_published_key(void *ctx, const struct odp_slice *text)
{
    struct published_keys *k = ctx;
    return odp_keyring_add(k->keys, k->resource, text);
}

/* Whether somebody's key points at a field of R that is not public: the published files do not tell it. */
static bool has_private_key(const struct build *b, const struct odp_resource *r)
{
    const struct odp_catalog *c = b->run.catalog;
    for (size_t i = 0; i < c->nresources; i++)
        for (size_t k = 0; k < c->resources[i]->nforeign; k++) {
            const struct odp_foreign_key *key = &c->resources[i]->foreign[k];
            for (uint32_t f = 0; key->target == r && f < key->remote.n; f++)
                if (!r->schema.fields[key->remote.fields[f]].is_public)
                    return true;
        }
    return false;
}

/* The keys of R become those of its published version. DONE: it has none, or they cannot be read from it. */
static enum odp_status load_published_keys(struct build *b, const struct odp_resource *r)
{
    struct published_keys ctx = {b->run.keys, r};
    odp_keyring_set(b->run.keys, r, ODP_KEYS_ABSENT);
    if (b->run.previous == NULL || r->dataset->reference || has_private_key(b, r))
        return ODP_DONE;
    enum odp_status status = odp_site_records(b->run.previous, r, b->run.result->diags, &ctx, add_published_key);
    if (status == ODP_OK)
        odp_keyring_set(b->run.keys, r, ODP_KEYS_READY);
    return status;
}

struct dangling {
    const struct build *build;
    const struct odp_foreign_key *key;
    bool found;
};

static enum odp_status look_up_published(void *ctx, const struct odp_slice *text)
{
    struct dangling *d = ctx;
    if (!odp_keyring_resolves(d->build->run.keys, d->key, text))
        d->found = true;
    return d->found ? ODP_DONE : ODP_OK;
}

/* Whether a published record of R has a key that the new version of KEY's target lacks. */
static enum odp_status published_key_dangles(struct build *b, const struct odp_resource *r, const struct odp_foreign_key *key,
                                             bool *dangles)
{
    struct dangling ctx = {b, key, false};
    for (uint32_t i = 0; i < key->local.n; i++)
        if (!r->schema.fields[key->local.fields[i]].is_public) {
            *dangles = false; /* not in the published files: cannot be looked up, and nobody can see it */
            return ODP_OK;
        }
    enum odp_status status = odp_site_records(b->run.previous, r, b->run.result->diags, &ctx, look_up_published);
    *dangles = ctx.found;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- --keep-good ------------------------------------------------------------------------------------------------------- */

static enum odp_status hold(struct build *b, const struct odp_dataset *d, const char *because)
{
    struct part *part = &b->parts[dataset_index(b, d)];
    part->held = true;
    part->built = false;
    if (odp_stage_drop(b->run.stage, d->slug) == ODP_FAIL)
        return ODP_FAIL;
    for (size_t k = 0; k < d->nresources; k++) {
        enum odp_status status = load_published_keys(b, &d->resources[k]);
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (status != ODP_OK) /* nothing of it will be there */
            odp_keyring_set(b->run.keys, &d->resources[k], ODP_KEYS_READY);
    }
    return because != NULL && complain(b, ODP_V02, d, because) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* The held dataset (or rejected code list) that R's keys point into, or NULL. */
static const char *held_target(const struct build *b, const struct odp_resource *r)
{
    for (size_t k = 0; k < r->nforeign; k++) {
        const struct odp_dataset *t = r->foreign[k].target->dataset;
        if (t == r->dataset)
            continue;
        if (t->reference ? odp_run_rejected(&b->run, t) : b->parts[dataset_index(b, t)].held)
            return t->slug;
    }
    return NULL;
}

/* A good dataset whose keys point into one that keeps its published version is read again, against that version. */
static enum odp_status hold_if_unresolved(struct build *b, const struct odp_dataset *d, bool *changed)
{
    for (size_t i = 0; i < d->nresources; i++) {
        const char *cause = held_target(b, &d->resources[i]);
        if (cause == NULL)
            continue;
        struct task *task = &b->run.tasks[d->resources[i].index];
        struct task before = *task;
        enum odp_status status = odp_run_resource(&b->run, &d->resources[i], true, NULL);
        bool unresolved = task->errors > 0 || strncmp(cause, "references/", 11) == 0;
        *task = before;
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (unresolved) {
            *changed = true;
            return hold(b, d, cause);
        }
    }
    return ODP_OK;
}

/* What stays as published must find its keys in what is new. With --keep-good the new one is held back, else it is an error. */
static enum odp_status protect_published(struct build *b, const struct odp_dataset *old, bool *changed)
{
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < old->nresources; i++) {
        const struct odp_resource *r = &old->resources[i];
        for (size_t k = 0; k < r->nforeign; k++) {
            const struct odp_dataset *target = r->foreign[k].target->dataset;
            bool dangles = false;
            if (target->reference || target == old || !b->parts[dataset_index(b, target)].built)
                continue;
            if (published_key_dangles(b, r, &r->foreign[k], &dangles) == ODP_FAIL)
                return ODP_FAIL;
            if (!dangles)
                continue;
            *changed = true;
            worst = odp_worst(worst,
                              b->run.options->keep_good ? hold(b, target, old->slug) : complain(b, ODP_V07, target, old->slug));
            if (worst == ODP_FAIL)
                return worst;
        }
    }
    return worst;
}

/* Until nothing changes: hold back what cannot stand beside what is held back. */
static enum odp_status settle(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    enum odp_status status = ODP_OK;
    bool changed = true;
    for (size_t i = 0; i < c->ndatasets && status != ODP_FAIL; i++)
        if (odp_run_selected(&b->run, &c->datasets[i]) && odp_run_rejected(&b->run, &c->datasets[i]))
            status = odp_worst(status, hold(b, &c->datasets[i], NULL));
    while (changed && status != ODP_FAIL) {
        changed = false;
        for (size_t i = 0; i < c->ndatasets && status != ODP_FAIL; i++) {
            if (b->parts[i].built)
                status = odp_worst(status, hold_if_unresolved(b, &c->datasets[i], &changed));
            else if (b->parts[i].published)
                status = odp_worst(status, protect_published(b, &c->datasets[i], &changed));
        }
        if (!b->run.options->keep_good)
            break;
    }
    return status;
}

/* ---- reading, checking, emitting ----------------------------------------------------------------------------------------- */

static enum odp_status emit_resource(struct build *b, const struct odp_resource *r)
{
    const struct odp_dataset *d = r->dataset;
    const struct odp_catalog *c = b->run.catalog;
    struct odp_emit_job job = {.catalog = c,
                               .resource = r,
                               .output = odp_stage_output(b->run.stage),
                               .release = c->nreleases > 0 ? c->releases[0].version : ""};
    bool hopeless = odp_run_rejected(&b->run, d) ||
                    (!b->run.options->keep_good && odp_diags_count(b->run.result->diags, ODP_SEVERITY_ERROR) > 0);
    if (d->reference || d->state == ODP_STATE_DRAFT || hopeless)
        return odp_run_resource(&b->run, r, false, NULL);
    if (d->last_update == NULL) {
        /* The version is the newest value of a field and stands in every page: it must be known before the first byte. */
        enum odp_status status = r->primary ? odp_run_resource(&b->run, r, false, NULL) : ODP_OK;
        if (status != ODP_OK)
            return status;
    }
    job.version = odp_run_version(&b->run, d);
    if (job.version == NULL)
        return complain(b, ODP_V05, d, r->name);
    b->parts[dataset_index(b, d)].built = true;
    return odp_run_resource(&b->run, r, d->last_update == NULL && r->primary, &job);
}

/* A target that is not built now gives its published keys; where nothing is published, those of its source. */
static enum odp_status take_resource(void *ctx, const struct odp_resource *r, enum role role)
{
    struct build *b = ctx;
    if (role == ROLE_SELECTED)
        return emit_resource(b, r);
    enum odp_status status = load_published_keys(b, r);
    if (status == ODP_DONE)
        status = odp_run_resource(&b->run, r, true, NULL) == ODP_FAIL ? ODP_FAIL : ODP_OK;
    return status;
}

/* ---- the site ------------------------------------------------------------------------------------------------------------ */

static enum odp_status warn_unbuilt_formats(struct build *b, const struct odp_dataset *d)
{
    for (size_t i = 0; i < d->formats.n; i++)
        if (!odp_format_is_built(d->formats.item[i].ptr) && complain(b, ODP_V01, d, d->formats.item[i].ptr) == ODP_FAIL)
            return ODP_FAIL;
    return ODP_OK;
}

static enum odp_status describe_built(struct build *b, const struct odp_dataset *d, struct odp_published *out)
{
    struct odp_published_resource *resources = odp_arena_zero(b->run.arena, d->nresources + 1, sizeof *resources);
    if (resources == NULL)
        return ODP_FAIL;
    for (size_t k = 0; k < d->nresources; k++)
        resources[k] = b->run.tasks[d->resources[k].index].published;
    *out = (struct odp_published){.dataset = d, .version = odp_run_version(&b->run, d), .resources = resources};
    return odp_release_dataset(b->run.stage, b->run.catalog, out);
}

/* Everything in the stage that is made of datasets: built ones, and those carried over from the previous site. */
static enum odp_status stage_datasets(struct build *b, struct odp_published *published, size_t *n)
{
    const struct odp_catalog *c = b->run.catalog;
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        struct part *part = &b->parts[i];
        enum odp_status status = ODP_OK;
        if (part->built) {
            status = odp_worst(warn_unbuilt_formats(b, d), describe_built(b, d, &published[*n]));
            *n += 1;
        } else if (part->published && d->state != ODP_STATE_WITHDRAWN && (part->held || !odp_run_selected(&b->run, d))) {
            status = odp_stage_carry(b->run.stage, b->run.previous, d->slug, b->run.result->diags);
            published[(*n)++] = (struct odp_published){.dataset = d, .carried = odp_site_entry(b->run.previous, d->slug)};
        }
        if (status != ODP_OK && status != ODP_DONE)
            return status;
    }
    return ODP_OK;
}

static enum odp_status publish(struct build *b)
{
    struct run *r = &b->run;
    struct odp_summary *s = &r->result->summary;
    size_t n = 0;
    struct odp_published *published = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *published);
    if (published == NULL)
        return ODP_FAIL;
    enum odp_status status = stage_datasets(b, published, &n);
    if (status == ODP_OK)
        status = odp_release_index(r->stage, r->catalog, published, n);
    if (status == ODP_OK)
        status = odp_stage_twins(r->stage, r->pool, r->options->progress);
    if (status == ODP_OK)
        status = odp_stage_manifest(r->stage, r->catalog);
    if (status != ODP_OK)
        return status;
    size_t files;
    const struct odp_site_file *all = odp_stage_files(r->stage, &files);
    for (size_t i = 0; i < files; i++)
        s->site_bytes += all[i].size;
    s->site_files = files;
    /* Warnings count as errors under --strict: those that came while staging too. */
    if (!r->options->keep_good && odp_diags_count(r->result->diags, ODP_SEVERITY_ERROR) > 0)
        return ODP_BAD;
    odp_progress_update(r->options->progress, ODP_PHASE_SWITCH, "", 0, 0, 0);
    status = odp_stage_switch(r->stage, KEEP_BUILDS, r->arena, &s->site);
    s->out = r->options->out;
    return status;
}

static void note_outcomes(struct build *b, bool switched)
{
    for (size_t i = 0; i < b->run.catalog->ndatasets; i++) {
        const struct odp_dataset *d = &b->run.catalog->datasets[i];
        const struct part *part = &b->parts[i];
        b->run.outcomes[i] = odp_run_rejected(&b->run, d) && !(part->held && part->published) ? ODP_OUTCOME_REJECTED
                             : part->held                                                     ? ODP_OUTCOME_KEPT
                             : d->state == ODP_STATE_DRAFT                                    ? ODP_OUTCOME_DRAFT
                             : switched                                                       ? ODP_OUTCOME_PUBLISHED
                                                                                              : ODP_OUTCOME_CHECKED;
    }
}

/* The previous site. One that is damaged is no reason not to build everything anew; it is where parts of it are to be kept. */
static enum odp_status open_previous(struct build *b, const struct odp_options *o)
{
    struct odp_diags *said = NULL;
    if (odp_diags_new(&said, o->examples) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = odp_site_open(&b->run.previous, o->previous != NULL ? o->previous : o->out, said);
    bool whole = o->nslugs == 0 && !o->keep_good && o->previous == NULL;
    if (status == ODP_DONE || (status == ODP_BAD && whole))
        status = ODP_OK;
    else if (odp_diags_merge(b->run.result->diags, said) == ODP_FAIL)
        status = ODP_FAIL;
    odp_diags_free(said);
    return status;
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
    status = open_previous(b, o);
    if (status != ODP_OK)
        return status;
    for (size_t i = 0; r->previous != NULL && i < r->catalog->ndatasets; i++)
        b->parts[i].published = odp_site_entry(r->previous, r->catalog->datasets[i].slug) != NULL;
    return odp_stage_open(&r->stage, o->out, result->diags);
}

enum odp_status odp_run_build(struct odp_run *result, const struct odp_options *o)
{
    struct build b = {0};
    enum odp_status status = open_build(&b, result, o);
    bool opened = status == ODP_OK, switched = false;
    if (opened)
        status = odp_run_each(&b.run, &b, take_resource);
    /* A build that will not be published has said what is wrong; what would follow from it is no news. */
    if (opened && status != ODP_FAIL && (o->keep_good || odp_diags_count(result->diags, ODP_SEVERITY_ERROR) == 0))
        status = odp_worst(status, settle(&b));
    bool errors = status != ODP_FAIL && odp_diags_count(result->diags, ODP_SEVERITY_ERROR) > 0;
    if (opened && status != ODP_FAIL && (!errors || o->keep_good)) {
        enum odp_status done = publish(&b);
        switched = done == ODP_OK;
        status = odp_worst(status, done);
    }
    if (opened && status != ODP_FAIL) {
        note_outcomes(&b, switched);
        status = odp_worst(status, odp_run_summarize(&b.run));
        if (odp_diags_count(result->diags, ODP_SEVERITY_ERROR) > 0)
            status = odp_worst(status, ODP_BAD);
    }
    odp_run_close(&b.run);
    return status;
}
