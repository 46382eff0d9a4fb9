/* A run is opened and closed: catalogue, who takes part, threads and batches. */
#include "catalog/cross.h"
#include "catalog/security.h"
#include "check/across/cross.h"
#include "check/drift/rows.h"
#include "metadata/metadata.h"
#include "run/run_internal.h"
#include "site/pages/portal.h"

static enum odp_status report_unknown_slugs(struct run *r)
{
    const struct odp_options *o = r->options;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < o->nslugs; i++) {
        struct odp_dataset *d = odp_catalog_find(r->catalog, o->slugs[i]);
        if (d != NULL)
            continue;
        const char *near = odp_catalog_nearest(r->catalog, o->slugs[i]);
        struct odp_diag diag = {.code = ODP_C14,
                                .args = {odp_slice_of(o->slugs[i]), odp_slice_of(near != NULL ? near : "—")}};
        if (odp_diags_add(r->result->diags, &diag) == ODP_FAIL)
            return ODP_FAIL;
        r->result->catalog_wrong = true;
        status = ODP_BAD;
    }
    return status;
}

static void count_bytes(struct run *r)
{
    for (size_t i = 0; i < r->catalog->nresources; i++) {
        char *path = r->tasks[i].role == ROLE_NONE
                         ? NULL
                         : odp_resource_source(r->catalog->resources[i], r->options->sources, r->arena);
        r->bytes_total += path != NULL ? odp_file_size_of(path) : 0;
    }
}

/* ---- opening and closing a run ---- */

void odp_run_close(struct run *r)
{
    odp_run_close_slots(r);
    for (size_t i = 0; r->tasks != NULL && i < r->catalog->nresources; i++) {
        odp_drift_rows_free(r->tasks[i].records);
        odp_arena_release(&r->tasks[i].arena);
    }
    odp_cross_free(r->cross);
    odp_stage_close(r->stage);
    odp_portal_frame_close(r->frame);
    odp_site_close(r->previous);
    json_decref(r->index);
    odp_keyring_free(r->keys);
    odp_code_lists_free(r->codes);
    odp_row_places_free(r->rows);
    odp_pool_free(r->single);
    odp_pool_free(r->pool);
    pthread_mutex_destroy(&r->lock);
}

/* What a preview shows of the catalogue is built as if it were published. */
static void show_drafts(struct odp_catalog *c)
{
    c->preview = true;
    for (size_t i = 0; i < c->ndatasets; i++) {
        struct odp_dataset *d = &c->datasets[i];
        d->draft = d->state == ODP_STATE_DRAFT;
        if (d->draft)
            d->state = ODP_STATE_ACTIVE;
    }
}

enum odp_status odp_run_catalog(struct odp_run *run, const struct odp_options *o)
{
    odp_arena_init(&run->arena);
    if (odp_diags_new(&run->diags, o->examples) != ODP_OK)
        return ODP_FAIL;
    odp_diags_set_strict(run->diags, o->strict);
    odp_progress_update(o->progress, ODP_PHASE_CATALOG, "", 0, 0, 0);
    enum odp_status status = o->links ? odp_catalog_open_links(&run->catalog, o->catalog, run->diags)
                                      : odp_catalog_open(&run->catalog, o->catalog, run->diags);
    if (status == ODP_OK)
        status = odp_validate_rules(run->catalog, run->diags);
    if (status == ODP_OK)
        status = odp_cross_check(run->catalog, run->diags);
    run->catalog_wrong = status == ODP_BAD || odp_diags_count(run->diags, ODP_SEVERITY_ERROR) > 0;
    if (status == ODP_OK && run->catalog_wrong)
        status = ODP_BAD;
    if (run->catalog != NULL) {
        run->catalog->share = o->share;
        if (o->preview)
            show_drafts(run->catalog);
        run->summary.release = run->catalog->nreleases > 0 ? run->catalog->releases[0].version : NULL;
    }
    return status;
}

/* What depends on the day and is wrong in the catalogue all the same. */
static enum odp_status check_security(struct run *r)
{
    const char *today = odp_run_today(r);
    enum odp_status status =
        today != NULL ? odp_security_check(r->catalog, today, r->result->diags) : ODP_FAIL;
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
    r->scores = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *r->scores);
    r->wanted = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *r->wanted);
    r->skip = odp_arena_zero(r->arena, r->catalog->nresources + 1, sizeof *r->skip);
    for (size_t i = 0; r->tasks != NULL && i < r->catalog->nresources; i++)
        odp_arena_init(&r->tasks[i].arena);
    if (r->tasks == NULL || r->searches == NULL || r->skip == NULL || r->wanted == NULL ||
        r->outcomes == NULL || odp_pool_new(&r->pool, o->jobs) != ODP_OK ||
        odp_pool_new(&r->single, 1) != ODP_OK || odp_run_open_slots(r) != ODP_OK ||
        odp_keyring_new(&r->keys, r->catalog) != ODP_OK ||
        odp_code_lists_new(&r->codes, r->catalog, r->arena) != ODP_OK ||
        (r->prints && odp_row_places_new(&r->rows, r->catalog, r->arena) != ODP_OK))
        return ODP_FAIL;
    if (o->sink != NULL) /* it gets every fault at once: no resource may be read again for its keys */
        odp_keyring_bind(r->keys, SIZE_MAX);
    odp_run_choose(r);
    odp_run_roles(r);
    count_bytes(r);
    status = odp_metadata_warn(r->catalog, r->wanted, o->nslugs == 0, result->diags);
    result->catalog_wrong = status == ODP_BAD;
    return status;
}

void odp_run_release(struct odp_run *run)
{
    odp_catalog_close(run->catalog);
    odp_diags_free(run->diags);
    odp_arena_release(&run->arena);
}
