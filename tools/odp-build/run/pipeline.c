#include "run/pipeline.h"

#include <stdlib.h>
#include <time.h>

#include "catalog/cross.h"
#include "catalog/security.h"
#include "check/across/cross.h"
#include "run/drift.h"
#include "run/run.h"
#include "site/pages/portal.h"
#include "site/score/scorecard.h"
#include "site/versions/gate.h"

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

void odp_run_close(struct run *r)
{
    odp_run_close_slots(r);
    for (size_t i = 0; r->tasks != NULL && i < r->catalog->nresources; i++)
        odp_arena_release(&r->tasks[i].arena);
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
    enum odp_status status = o->links ? odp_catalog_open_links(&run->catalog, o->catalog, run->diags) : odp_catalog_open(&run->catalog, o->catalog, run->diags);
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
    enum odp_status status = odp_run_catalog_stays(r);
    if (status == ODP_OK)
        status = odp_run_catalog(result, o);
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
    for (size_t i = 0; r->tasks != NULL && i < r->catalog->nresources; i++)
        odp_arena_init(&r->tasks[i].arena);
    if (r->tasks == NULL || r->searches == NULL || r->skip == NULL || r->outcomes == NULL || odp_pool_new(&r->pool, o->jobs) != ODP_OK ||
        odp_pool_new(&r->single, 1) != ODP_OK || odp_run_open_slots(r) != ODP_OK ||
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

const char *odp_run_formats(const struct run *r, const struct odp_dataset *d)
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
            .slug = d->slug, .title = d->title, .version = odp_run_version(r, d), .outcome = r->outcomes[i], .formats = odp_run_formats(r, d)};
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

static enum odp_status check_resource(void *ctx, const struct turn *turn)
{
    return odp_run_turn(ctx, turn, turn->role == ROLE_KEYS, NULL);
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
    const struct work work = {.ctx = &r, .take = check_resource, .portal = status == ODP_OK && o->as_file == NULL};
    if (status != ODP_FAIL && !result->catalog_wrong)
        status = odp_worst(status, odp_run_schedule(&r, &work));
    if (status != ODP_FAIL && !result->catalog_wrong && o->as_file == NULL)
        status = odp_worst(status, odp_run_overdue(&r, date_read, &r));
    if (status != ODP_FAIL && !result->catalog_wrong) {
        note_outcomes(&r, ODP_OUTCOME_CHECKED);
        status = odp_worst(odp_run_summarize(&r, NULL, NULL), odp_diags_count(result->diags, ODP_SEVERITY_ERROR) > 0 ? ODP_BAD : ODP_OK);
    }
    odp_run_close(&r);
    return status;
}
