/* odp-build build: check and emit in one pass, then everything about the site as a whole. All or nothing,
 * unless --keep-good.
 *
 * 1. inputs.c compares a recipe for each dataset (program, portal, entry, sources, targets of its keys,
 * rules across datasets that can reject it and their tables) with the last build's: unchanged ones are not
 * read (PDF files that records name count by inode, size and times, not by their bytes). With nothing
 * changed and every file in place the build does nothing. An incremental build and a full one give the same
 * bytes. 2. The gate (site/versions/release_gate/gate.h) compares the catalogue with the published contract.
 * 3. What has changed is checked and emitted under the name its content will probably have
 * (build_resource.c); its logical digest then says which version it is (version.c). A wrong guess is emitted
 * again. Content that is published already keeps its bytes; new formats are laid next to them. 4. The other
 * versions are carried over by hard link (carry_over.c), each after its digest was checked: computed, or
 * taken from <build>.seals where inode, size and time of change are those of the last computation. Pages and
 * query indexes of a superseded version stay for five builds (the superseding one included); those of a
 * version removed by odp:retention or withdraw are removed with it, those under a former slug when it is
 * renamed. 5. A new version gets its differences and deltas (version_changes.c), made of the very files that
 * are published, and its entry in versions.json; odp:retention thins out old ones. Withdrawn datasets leave
 * tombstones. 6. The release log (release_log.c): if something happened to a dataset, a line is appended
 * before the pages that show it (feed.xml) are made. Else the manifest with the old log may equal the
 * published one: then nothing happened. If not, a line without changes is appended.
 *
 * A dataset whose version is the newest value of a field (odp:lastUpdate {"field"}) is read twice, because
 * every page contains the version. */
#include "run/build_internal.h"

#include "published/parts.h"

#include <stdlib.h>

#include "publish/publish.h"
#include "run/idle.h"
#include "run/profiles.h"

/* ---- the beginning ---- */

/* Unchanged datasets are not read again; of code lists only those that others use. */
static void skip_same(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    for (size_t i = 0; i < c->nresources; i++)
        b->run.skip[i] = b->parts[odp_build_index(b, c->resources[i]->dataset)].same;
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
    r->prints = true;
    enum odp_status status = odp_run_open(r, result, o);
    if (status != ODP_OK)
        return status;
    result->summary.build = true;
    b->parts = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *b->parts);
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
        part->published =
            r->previous != NULL && odp_site_entry(r->previous, r->catalog->datasets[i].slug) != NULL;
        part->same = b->inputs.datasets[i].same && odp_run_selected(r, &r->catalog->datasets[i]) &&
                     !withdrawn && (part->published || r->catalog->datasets[i].state == ODP_STATE_DRAFT);
    }
    bool whole = true;
    status = any_same(b) ? odp_site_check(r->previous, &whole) : ODP_OK;
    /* A site that somebody has damaged is mended by making everything again that can be. */
    for (size_t i = 0; i < r->catalog->ndatasets && !whole; i++)
        b->parts[i].same = false;
    skip_same(b);
    return status;
}

/* ---- the end ---- */

/* Nothing has changed: neither what the site was built from nor the site. */
static bool is_up_to_date(const struct build *b, const struct odp_options *o)
{
    const struct run *r = &b->run;
    bool yes = o->key == NULL && r->previous != NULL && o->previous == NULL && o->nslugs == 0 &&
               b->inputs.all_same && odp_site_origin(r->previous) == NULL;
    for (size_t i = 0; i < r->catalog->ndatasets && yes; i++)
        yes = b->parts[i].same || r->catalog->datasets[i].state == ODP_STATE_WITHDRAWN;
    return yes;
}

/* The previous site was read before the lock was ours: if somebody has switched another one in since, this
 * build would lose what is new in it. BAD: so it is (reported). */
static enum odp_status still_previous(struct build *b, const struct odp_options *o)
{
    const struct odp_site *previous = b->run.previous;
    if (o->preview || o->previous != NULL)
        return ODP_OK;
    char *now = realpath(o->out, NULL);
    const char *then = previous != NULL ? odp_site_dir(previous) : NULL;
    const char *manifest = now != NULL ? odp_path_join(b->run.arena, now, "manifest.json") : "";
    bool site = now != NULL &&
                odp_file_kind_of(manifest) != ODP_FILE_NONE; /* or an empty folder, where the link will be */
    bool same = site ? then != NULL && strcmp(now, then) == 0 : then == NULL;
    free(now);
    if (same)
        return ODP_OK;
    struct odp_diag d = {.code = ODP_V08, .file = o->out, .args = {odp_slice_of(o->out)}};
    return odp_diags_add(b->run.result->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

/* A dataset that is not read now was last updated as its version says. */
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
    enum odp_status status = odp_run_portal(r, any_same(b));
    if (status == ODP_OK)
        status = odp_stage_open(&r->stage, o->out, diags);
    if (status == ODP_OK)
        status = still_previous(b, o);
    if (status == ODP_OK && any_same(b)) /* then this program made that site, and it is whole */
        status = odp_stage_same_as(r->stage, r->previous);
    if (status == ODP_OK) {
        odp_stage_compression(r->stage, &r->catalog->portal.compression);
        status = odp_stage_parts(r->stage, b->inputs.common);
    }
    if (status == ODP_OK) /* a withdrawal that was killed on its way comes to its end first */
        status = odp_withdraw_recover(o->out, diags);
    if (status != ODP_OK)
        return status;
    status = odp_run_before_prefetch(r);
    if (status != ODP_OK)
        return status;
    const struct work work = {.ctx = b, .take = odp_build_take, .keys_alone = true};
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
        result->summary.site = odp_arena_printf(&result->arena, "%s.builds%s", o->out,
                                                strrchr(odp_site_dir(b.run.previous), '/'));
        result->summary.out = o->out;
        result->summary.idle = true;
        result->folders = odp_idle_folders(b.run.previous, &result->arena);
        status = odp_run_overdue(&b.run, date_of, &b);
    } else if (status == ODP_OK) {
        status = run_build(&b, o, &switched);
    }
    bool began = idle || b.run.stage != NULL; /* else nothing was read, and the datasets have no outcome */
    if (began && status != ODP_FAIL) {
        odp_build_note_same(&b);
        odp_build_note_outcomes(&b, switched);
        status = odp_worst(status, odp_run_summarize(&b.run, odp_build_describe, &b));
        if (odp_diags_count(result->diags, ODP_SEVERITY_ERROR) > 0)
            status = odp_worst(status, ODP_BAD);
    }
    close_build(&b);
    return status;
}
