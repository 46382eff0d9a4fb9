/* The datasets of the new site are staged: those that were built, with what their versions say of themselves,
 * and those that are carried over whole. */
#include "publish/publish.h"
#include "published/builds_history.h"
#include "published/stage.h"
#include "run/build_internal.h"
#include "site/score/scorecard.h"

/* Which version each dataset will have in the site: in the catalogue's order, NULL: none. */
static const char *const *list_versions(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    const char **versions = odp_arena_zero(b->run.arena, c->ndatasets + 1, sizeof *versions);
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct part *part = &b->parts[i];
        const struct odp_version *current = odp_history_current(&part->history);
        if (part->built)
            versions[i] = part->version;
        else if (part->published && current != NULL && c->datasets[i].state != ODP_STATE_WITHDRAWN)
            versions[i] = current->name;
    }
    return versions;
}

static void describe(struct build *b, const struct odp_dataset *d, struct odp_published *out)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    struct odp_published_resource *resources =
        odp_arena_zero(b->run.arena, d->nresources + 1, sizeof *resources);
    for (size_t k = 0; k < d->nresources; k++)
        resources[k] = b->run.tasks[d->resources[k].index].published;
    *out = (struct odp_published){.dataset = d,
                                  .version = part->version,
                                  .date = part->date,
                                  .history = &part->history,
                                  .resources = resources};
}

/* A format that was listed later lies beside the others now: the entry of the version tells of it. */
static enum odp_status refresh_entry(struct build *b, const struct odp_published *p)
{
    struct part *part = &b->parts[odp_build_index(b, p->dataset)];
    struct odp_version *v = odp_history_find(&part->history, part->version);
    json_t *now = odp_release_version(b->run.stage, b->run.catalog, p),
           *entries = json_object_get(v->json, "resources");
    for (size_t k = 0; k < json_array_size(entries); k++) {
        json_t *files = json_object_get(json_array_get(json_object_get(now, "resources"), k), "files");
        if (files != NULL)
            json_object_set(json_array_get(entries, k), "files", files);
    }
    enum odp_status status = now != NULL ? ODP_OK : ODP_FAIL;
    json_decref(now);
    return status;
}

/* Until a version is approved it is a candidate: its files go to OUT.candidates, and what is published stays.
 */
static enum odp_status wait_for_approval(struct build *b, const struct odp_dataset *d, bool *waits)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    *waits = false;
    if (b->run.catalog->portal.napproval_keys == 0 || b->run.options->preview || !part->fresh)
        return ODP_OK;
    enum odp_status status =
        odp_approved(b->run.catalog, d->slug, part->digest, b->run.arena, b->run.result->diags);
    *waits = status == ODP_DONE;
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status hold_candidates(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    bool any = false;
    for (size_t i = 0; i < c->ndatasets; i++) {
        bool waits = false;
        if (!b->parts[i].built)
            continue;
        enum odp_status status = wait_for_approval(b, &c->datasets[i], &waits);
        if (status == ODP_OK && waits)
            status = odp_build_candidate(b, &c->datasets[i]);
        if (status != ODP_OK)
            return status;
        any = any || waits;
    }
    return any ? odp_build_settle(b) : ODP_OK;
}

/* The scorecard of what was asked for is that of the catalogue; what keeps its published version keeps its
 * own, but for sites of a time before there was one. */
static enum odp_status put_score(struct build *b, const struct odp_dataset *d)
{
    const char *path = odp_score_path(d->slug, b->run.arena);
    if (d->reference) /* the marks are for data; a list is what they are measured by */
        return ODP_OK;
    if (odp_stage_find(b->run.stage, path) != NULL)
        return ODP_OK;
    const struct odp_score *score = odp_run_score(&b->run, d);
    return score != NULL ? odp_score_put(b->run.stage, score) : ODP_FAIL;
}

static enum odp_status stage_built(struct build *b, const struct odp_dataset *d, const char *const *versions,
                                   struct odp_published *p)
{
    describe(b, d, p);
    p->versions = versions;
    enum odp_status status = odp_release_schemas(b->run.stage, p);
    if (status == ODP_OK)
        status = put_score(b, d);
    return status == ODP_OK ? odp_build_carry(b, d, false) : status;
}

/* With the twins there: what the version says of itself. */
static enum odp_status enter_built(struct build *b, struct odp_published *p)
{
    const struct odp_dataset *d = p->dataset;
    struct part *part = &b->parts[odp_build_index(b, d)];
    enum odp_status status = ODP_OK;
    if (part->fresh) {
        json_t *changes = NULL;
        status = odp_build_changes(b, d, &changes);
        if (status == ODP_OK)
            status = odp_build_enter(b, d, changes);
        if (status == ODP_OK)
            status = odp_build_deltas(b, d);
    } else {
        status = refresh_entry(b, p);
    }
    odp_build_note_state(b, d);
    if (status == ODP_OK)
        status = odp_build_drop_thinned(b, d);
    if (status == ODP_OK && part->former != NULL)
        odp_history_rename(&part->history, part->former);
    if (status == ODP_OK)
        status = odp_history_put(b->run.stage, &part->history);
    return status == ODP_OK ? odp_release_latest(b->run.stage, p) : status;
}

/* A dataset that the catalogue withdraws leaves the tombstones of its versions; the log says it once, of the
 * dataset. */
static enum odp_status bury(struct build *b, const struct odp_dataset *d)
{
    struct part *part = &b->parts[odp_build_index(b, d)];
    bool now = part->published; /* else it went with an earlier build */
    for (size_t i = 0; i < part->history.n; i++) {
        struct odp_version *v = &part->history.versions[i];
        if (v->state == ODP_VERSION_WITHDRAWN)
            continue;
        now = true;
        odp_version_withdraw(v, "dataset", NULL);
    }
    if (now)
        odp_build_note_state(b, d);
    return part->history.n > 0 ? odp_history_put(b->run.stage, &part->history) : ODP_OK;
}

/* Built ones, and those that are carried over whole. */
enum odp_status odp_build_stage_datasets(struct build *b, struct odp_published *published, size_t *n)
{
    const struct odp_catalog *c = b->run.catalog;
    enum odp_status status = hold_candidates(b);
    const char *const *versions = list_versions(b);
    for (size_t i = 0; i < c->ndatasets && status == ODP_OK; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        struct part *part = &b->parts[i];
        bool stays = part->held || part->same || !odp_run_selected(&b->run, d);
        if (d->state == ODP_STATE_WITHDRAWN) {
            status = bury(b, d);
        } else if (part->built) {
            status = stage_built(b, d, &versions[i], &published[*n]);
            *n += 1;
        } else if (part->published && stays) {
            const struct odp_version *current = odp_history_current(&part->history);
            part->version = current != NULL ? current->name : NULL;
            status = odp_build_carry(b, d, true);
            if (status == ODP_OK)
                status = put_score(b, d);
            published[(*n)++] =
                (struct odp_published){.dataset = d, .carried = odp_site_entry(b->run.previous, d->slug)};
        }
    }
    if (status == ODP_OK)
        status = odp_stage_twins(b->run.stage, b->run.pool, b->run.options->progress);
    for (size_t i = 0; i < *n && status == ODP_OK; i++)
        if (published[i].carried == NULL)
            status = enter_built(b, &published[i]);
    return status;
}
