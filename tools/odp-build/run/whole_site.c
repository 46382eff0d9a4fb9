/* The site as a whole: its datasets are staged, then what is made of all of them together; then the switch.
 */
#include "run/build_internal.h"

#include "publish/publish.h"
#include "publish/sign/keys.h"
#include "published/builds.h"
#include "published/builds_history.h"
#include "published/parts.h"
#include "run/site_pages.h"

/* The public keys that signatures are checked with: catalog/keys.json as it stands. */
static enum odp_status put_keys(struct build *b)
{
    struct odp_buffer text = {0};
    const char *path = odp_path_join(b->run.arena, b->run.catalog->dir, "keys.json");
    enum odp_status status = odp_file_read(path, 1 << 20, &text, NULL);
    if (status == ODP_OK) {
        struct odp_site_keys keys;
        status =
            odp_site_keys_check(&keys, odp_buffer_slice(&text), path, b->run.arena, b->run.result->diags);
        if (status == ODP_BAD) { /* reported; not the same as a file that is not there */
            odp_buffer_release(&text);
            return ODP_BAD;
        }
    }
    if (status == ODP_OK)
        status = odp_stage_put(b->run.stage, ".well-known/odp-keys.json", "application/json",
                               ODP_CLASS_PUBLIC, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return status == ODP_BAD ? ODP_OK : status;
}

/* The index, and all that is made of its entries. */
static enum odp_status put_index(struct build *b, const struct odp_published *published, size_t n)
{
    json_t *entries = odp_release_entries(b->run.stage, b->run.catalog, published, n);
    const struct odp_site_job job = {.stage = b->run.stage,
                                     .catalog = b->run.catalog,
                                     .entries = entries,
                                     .previous = b->run.previous,
                                     .diags = b->run.result->diags,
                                     .frame = b->run.frame};
    enum odp_status status = odp_release_index(b->run.stage, b->run.catalog, entries);
    odp_stage_twins_ahead(b->run.stage, odp_pool_jobs(b->run.pool));
    if (status == ODP_OK)
        status = odp_site_pages(&job);
    /* The look belongs to the catalogue as the data do: fixing it means fixing the catalogue. */
    const struct odp_diags *diags = b->run.result->diags;
    if (odp_diags_code_count(diags, ODP_C25) + odp_diags_code_count(diags, ODP_C26) +
            odp_diags_code_count(diags, ODP_C30) >
        0)
        b->run.result->catalog_wrong = b->run.result->catalog_wrong || status == ODP_BAD;
    json_decref(entries);
    return status;
}

static bool is_closing(const void *ctx, const struct odp_site_file *f)
{
    static const char *const closing[] = {"manifest.json", "control", "gateway.json", "releases.log"};
    for (size_t i = 0; i < ODP_COUNT(closing); i++)
        if (strncmp(f->path, closing[i], strlen(closing[i])) == 0)
            return true;
    return false;
}

/* Where nothing has happened to a dataset the site, with the log as it was, may turn out to be the one that
 * is published: then nothing has happened at all. Else the log says so, too. */
static enum odp_status finish(struct build *b)
{
    struct run *r = &b->run;
    enum odp_status status = ODP_OK;
    if (r->previous != NULL && b->nchanges == 0) {
        status = odp_stage_twins(r->stage, r->pool, r->options->progress);
        if (status == ODP_OK)
            status = odp_stage_manifest(r->stage, r->catalog);
        const struct odp_site_file *manifest =
            status == ODP_OK ? odp_stage_find(r->stage, "manifest.json") : NULL;
        if (manifest == NULL || memcmp(manifest->sha256, odp_site_digest(r->previous), ODP_SHA256_SIZE) == 0)
            return status;
        status = odp_stage_drop_if(r->stage, NULL, is_closing, NULL);
        if (status == ODP_OK)
            status = odp_build_log_append(b);
    }
    if (status == ODP_OK)
        status = odp_stage_twins(r->stage, r->pool, r->options->progress);
    return status == ODP_OK ? odp_stage_manifest(r->stage, r->catalog) : status;
}

/* manifest.json.minisig beside the manifest, like it not listed: by --key; else the one there is, where the
 * manifest is the same. */
static enum odp_status sign(struct build *b)
{
    struct run *r = &b->run;
    const struct odp_site_file *manifest = odp_stage_find(r->stage, "manifest.json");
    const char *to = odp_stage_place(r->stage, "manifest.json.minisig", r->arena);
    const char *from = odp_stage_place(r->stage, "manifest.json", r->arena);
    struct odp_buffer text = {0}, signature = {0};
    enum odp_status status = to != NULL && from != NULL ? ODP_OK : ODP_FAIL;
    bool same = r->previous != NULL && odp_site_dir(r->previous) != NULL &&
                memcmp(manifest->sha256, odp_site_digest(r->previous), ODP_SHA256_SIZE) == 0;
    if (status == ODP_OK && r->options->key != NULL) {
        status = odp_file_read(from, (size_t)manifest->size, &text, NULL);
        if (status == ODP_OK)
            status = odp_manifest_sign(&signature, r->options->key, odp_buffer_slice(&text),
                                       r->result->summary.release);
    } else if (status == ODP_OK && same) {
        const char *old = odp_path_join(r->arena, odp_site_dir(r->previous), "manifest.json.minisig");
        status = odp_file_read(old, 1 << 16, &signature, NULL);
        status = status == ODP_BAD ? ODP_OK : status; /* it was never signed */
    }
    if (status == ODP_OK && signature.len > 0)
        status = odp_file_put(to, odp_buffer_slice(&signature), 0444, NULL);
    odp_buffer_release(&signature);
    odp_buffer_release(&text);
    return status == ODP_BAD ? odp_failure_set("sign", from, 0) : status;
}

static void count_files(struct build *b)
{
    struct odp_summary *s = &b->run.result->summary;
    size_t files;
    const struct odp_site_file *all = odp_stage_files(b->run.stage, &files);
    for (size_t i = 0; i < files; i++)
        s->site_bytes += all[i].size;
    s->site_files = files;
}

/* Whether OUT leads to BUILD all the same: what failed was the last step, to make sure of it on the disk. */
static bool is_current(const struct run *r, const char *build)
{
    struct odp_builds b;
    const char *now = NULL;
    odp_builds_open(&b, r->options->out, r->arena);
    return build != NULL && odp_builds_current(&b, &now) == ODP_OK && now != NULL &&
           strcmp(now, strrchr(build, '/') + 1) == 0;
}

/* Whether the records that D has its places from are those of its recipe: what was built beside the published
 * version of another is made again. */
static bool places_stay(const struct build *b, const struct odp_dataset *d)
{
    bool stay = true;
    for (size_t k = 0; k < d->nresources; k++) {
        const struct odp_foreign_key *key = odp_place_through(&d->resources[k]);
        const size_t i = key != NULL ? odp_build_index(b, key->target->dataset) : odp_build_index(b, d);
        stay = stay && !b->parts[i].held && (b->parts[i].built || key == NULL || b->inputs.datasets[i].same);
    }
    return stay;
}

/* What the next build needs to know: not part of the site, so a failure here leaves a good site that is only
 * built again. Before the switch: a build that is killed right after it is not built twice. */
static enum odp_status note_inputs(struct build *b, const char *build)
{
    const struct odp_catalog *c = b->run.catalog;
    bool *good = odp_arena_zero(b->run.arena, c->ndatasets + 1, sizeof *good);
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct part *part = &b->parts[i];
        bool read = c->datasets[i].state == ODP_STATE_DRAFT && odp_run_selected(&b->run, &c->datasets[i]);
        good[i] = (part->built || part->same || read) && !part->held &&
                  !odp_run_rejected(&b->run, &c->datasets[i]) && places_stay(b, &c->datasets[i]);
    }
    enum odp_status status = odp_parts_write(b->run.stage, build);
    return status == ODP_OK ? odp_inputs_write(&b->inputs, &b->run, build, good) : status;
}

/* Who switched, and when: for `rollback --list`. */
static enum odp_status note_switch(struct build *b, const char *before)
{
    const char *site = b->run.result->summary.site, *slash = strrchr(site, '/');
    if (before != NULL && strcmp(before, slash + 1) == 0)
        return ODP_OK;
    const char *dir = odp_arena_printf(b->run.arena, "%.*s", (int)(slash - site), site);
    return odp_builds_note(dir, "build", before, slash + 1, NULL);
}

enum odp_status odp_build_publish(struct build *b, bool *switched)
{
    struct run *r = &b->run;
    struct odp_summary *s = &r->result->summary;
    size_t n = 0;
    struct odp_published *published = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *published);
    enum odp_status status = odp_build_stage_datasets(b, published, &n);
    if (status == ODP_OK)
        status = odp_build_labels(b);
    if (status == ODP_OK)
        status = odp_build_log(b, published, n);
    if (status == ODP_OK)
        status = put_index(b, published, n);
    if (status == ODP_OK)
        status = put_keys(b);
    if (status == ODP_OK)
        status = finish(b);
    if (status == ODP_OK)
        status = sign(b);
    if (status != ODP_OK)
        return status;
    count_files(b);
    /* Warnings count as errors under --strict: those that came while staging too. */
    if (!r->options->keep_good && odp_diags_count(r->result->diags, ODP_SEVERITY_ERROR) > 0)
        return ODP_BAD;
    odp_progress_update(r->options->progress, ODP_PHASE_SWITCH, "", 0, 0, 0);
    const char *before = r->previous != NULL && odp_site_dir(r->previous) != NULL
                             ? strrchr(odp_site_dir(r->previous), '/') + 1
                             : NULL;
    const char *build = odp_stage_build(r->stage, r->arena);
    if (build == NULL)
        return ODP_FAIL;
    if (note_inputs(b, build) != ODP_OK) /* no reason to fail */
        odp_failure_clear();
    status = odp_stage_switch(r->stage, r->options->preview ? 1 : ODP_KEEP_BUILDS, r->arena, &build);
    s->out = r->options->out;
    *switched = status == ODP_OK;
    if (status == ODP_OK || is_current(r, build))
        s->site = build;
    if (status == ODP_OK && note_switch(b, before) != ODP_OK) /* the site is there, and whole */
        odp_failure_clear();
    return status;
}
