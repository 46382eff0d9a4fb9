/* The site as a whole: what is carried over from the site before, what is entered as new, and everything that is made of all
 * datasets together; then the switch. */
#include "run/build.h"

#include "publish/publish.h"
#include "publish/sign/keys.h"
#include "published/builds.h"
#include "published/builds_history.h"
#include "published/stage.h"
#include "run/pages.h"
#include "site/score/make.h"

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* ---- what is carried over
 * --------------------------------------------------------------------------------------------------------- */

struct keep {
    const char *slug;
    const struct part *part;
    uint64_t number; /* of this build */
    bool all;        /* nothing of the dataset is made anew */
    bool anew;       /* versions.json is written again: the rest of the build reads it, and its bytes may be elsewhere */
    const struct odp_site *public_only; /* the previous site, where its keyed files cannot be had */
};

/* The version that a page "…/v/<version>/p/<n>.json" belongs to, in NAME; false: it is none. */
static bool page_version(const char *path, char name[64])
{
    const char *v = strstr(path, "/v/"), *end = v != NULL ? strchr(v + 3, '/') : NULL;
    if (end == NULL || end - (v + 3) >= 64)
        return false;
    memcpy(name, v + 3, (size_t)(end - (v + 3)));
    name[end - (v + 3)] = '\0';
    return true;
}

/* The version that a file in the folder of SLUG belongs to by its place, in NAME: "data/<slug>/<version>/…",
 * "search/<slug>/<version>/…", a page of the API. False: none; "latest" is a name here that no version has. */
static bool version_of(const char *path, const char *slug, char name[64])
{
    if (starts(path, "v1/"))
        return page_version(path, name);
    const char *at = strchr(path, '/') + 1 + strlen(slug) + 1, *end = strchr(at, '/');
    if (end == NULL || end - at >= 64)
        return false;
    memcpy(name, at, (size_t)(end - at));
    name[end - at] = '\0';
    return true;
}

/* Pages of a version that is no longer the current one stay for as many builds as can be rolled back. */
static bool page_stays(const struct keep *k, const char *version)
{
    const struct odp_version *v = odp_history_find(&k->part->history, version);
    const json_t *superseded = v != NULL ? json_object_get(v->json, "superseded") : NULL;
    if (superseded == NULL) /* this build is about to supersede it */
        return !k->all && v != NULL && v == odp_history_current(&k->part->history);
    return superseded != NULL && v->state == ODP_VERSION_PUBLISHED &&
           k->number < (uint64_t)json_integer_value(superseded) + ODP_KEEP_BUILDS;
}

static bool keeps(const void *ctx, const struct odp_site_file *f)
{
    const struct keep *k = ctx;
    char name[64];
    if (!odp_site_path_is_of(f->path, k->slug))
        return false;
    if (k->public_only != NULL && f->cls != ODP_CLASS_PUBLIC && !odp_site_has(k->public_only, f))
        return false;
    bool list = k->anew && strstr(f->path, "/versions.json") != NULL;
    /* What has not changed itself may mean something else beside datasets that have. */
    bool score = k->part->same && strstr(f->path, "/scorecard.json") != NULL;
    if (!version_of(f->path, k->slug, name))
        return k->all && !list && !score && !starts(f->path, "search/");
    if (!starts(f->path, "data/")) /* indexes like pages, so that a cursor leads on for as long as they do */
        return k->part->version != NULL && strcmp(name, k->part->version) == 0 ? k->all : page_stays(k, name);
    const struct odp_version *v = odp_history_find(&k->part->history, name);
    return v == NULL ? k->all : v->state == ODP_VERSION_PUBLISHED;
}

/* Versions from the time of another slug lie under the present one from now on, under the names they had; control sends callers
 * of the old addresses here. */
static bool keeps_former(const void *ctx, const struct odp_site_file *f)
{
    const struct keep *k = ctx;
    return starts(f->path, "data/") && keeps(ctx, f) && odp_site_path_is_of(f->path, k->slug);
}

static char *under_present_slug(const void *ctx, const char *path, struct odp_arena *a)
{
    const struct keep *k = ctx;
    return odp_arena_printf(a, "data/%s%s", k->part->history.slug, path + strlen("data/") + strlen(k->slug));
}

struct former {
    struct keep keep;
    const struct odp_site *previous;
    struct odp_arena *arena;
};

/* A file made anew at the place of one that is published, where the content has not changed. */
static bool gives_way(const void *ctx, const struct odp_site_file *staged)
{
    const struct former *f = ctx;
    const char *slug = f->keep.part->history.slug;
    if (!starts(staged->path, "data/") || !odp_site_path_is_of(staged->path, slug))
        return false;
    const char *path = odp_arena_printf(f->arena, "data/%s%s", f->keep.slug, staged->path + strlen("data/") + strlen(slug));
    const struct odp_site_file *old = path != NULL ? odp_site_find(f->previous, path) : NULL;
    return old != NULL && keeps_former(&f->keep, old);
}

static enum odp_status carry_former(struct build *b, const struct part *part)
{
    const struct keep k = {part->former, part, b->number, false, false, NULL};
    const struct former f = {k, b->run.previous, b->run.arena};
    enum odp_status status = odp_stage_drop_if(b->run.stage, gives_way, &f);
    if (status != ODP_OK)
        return status;
    return odp_stage_carry_as(b->run.stage, b->run.previous, keeps_former, under_present_slug, &k, b->run.result->diags);
}

static enum odp_status carry(struct build *b, const struct odp_dataset *d, bool all)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    bool poor = b->run.previous != NULL && odp_site_is_public_only(b->run.previous);
    bool elsewhere = b->run.previous != NULL && odp_site_origin(b->run.previous) != NULL;
    const struct keep k = {d->slug, part, b->number, all, elsewhere, poor ? b->run.previous : NULL};
    if (part->former != NULL)
        return carry_former(b, part);
    if (all && poor)
        return odp_build_complain(b, ODP_V16, d, NULL, NULL, NULL);
    if (b->run.previous == NULL)
        return ODP_OK;
    enum odp_status status = odp_stage_carry_if(b->run.stage, b->run.previous, keeps, &k, b->run.result->diags);
    return status == ODP_OK && all && elsewhere && part->history.n > 0 ? odp_history_put(b->run.stage, &part->history) : status;
}

/* ---- one dataset
 * ------------------------------------------------------------------------------------------------------------------ */

static enum odp_status describe(struct build *b, const struct odp_dataset *d, struct odp_published *out)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    struct odp_published_resource *resources = odp_arena_zero(b->run.arena, d->nresources + 1, sizeof *resources);
    if (resources == NULL)
        return ODP_FAIL;
    for (size_t k = 0; k < d->nresources; k++)
        resources[k] = b->run.tasks[d->resources[k].index].published;
    *out = (struct odp_published){
        .dataset = d, .version = part->version, .date = part->date, .history = &part->history, .resources = resources};
    return ODP_OK;
}

/* A format that was listed later lies beside the others now: the entry of the version tells of it. */
static enum odp_status refresh_entry(struct build *b, const struct odp_published *p)
{
    struct part *part = &b->parts[odp_build_index(b, p->dataset)];
    struct odp_version *v = odp_history_find(&part->history, part->version);
    json_t *now = odp_release_version(b->run.stage, b->run.catalog, p), *entries = json_object_get(v->json, "resources");
    bool failed = now == NULL;
    for (size_t k = 0; k < json_array_size(entries) && !failed; k++) {
        const json_t *files = json_object_get(json_array_get(json_object_get(now, "resources"), k), "files");
        failed = files != NULL && json_object_set(json_array_get(entries, k), "files", (json_t *)(uintptr_t)files) != 0;
    }
    json_decref(now);
    return failed ? odp_failure_set("write JSON", "versions.json", 0) : ODP_OK;
}

/* Until a version is approved it is a candidate: its files go to OUT.candidates, and what is published stays. */
static enum odp_status wait_for_approval(struct build *b, const struct odp_dataset *d, bool *waits)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    *waits = false;
    if (b->run.catalog->portal.napproval_keys == 0 || !part->fresh)
        return ODP_OK;
    enum odp_status status = odp_approved(b->run.catalog, d->slug, part->digest, b->run.arena, b->run.result->diags);
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

/* The scorecard of what was asked for is that of the catalogue; what keeps its published version keeps its own, but for sites
 * of a time before there was one. */
static enum odp_status put_score(struct build *b, const struct odp_dataset *d)
{
    const char *path = odp_score_path(d->slug, b->run.arena);
    if (path == NULL || odp_stage_find(b->run.stage, path) != NULL)
        return path != NULL ? ODP_OK : ODP_FAIL;
    const struct odp_score *score = odp_score_make(b->run.catalog, d, b->run.arena);
    return score != NULL ? odp_score_put(b->run.stage, score) : ODP_FAIL;
}

static enum odp_status stage_built(struct build *b, const struct odp_dataset *d, struct odp_published *p)
{
    enum odp_status status = describe(b, d, p);
    if (status == ODP_OK)
        status = odp_release_schemas(b->run.stage, p);
    if (status == ODP_OK)
        status = put_score(b, d);
    return status == ODP_OK ? carry(b, d, false) : status;
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
    if (status == ODP_OK)
        status = odp_build_note_state(b, d);
    if (status == ODP_OK)
        status = odp_build_drop_thinned(b, d);
    if (status == ODP_OK && part->former != NULL)
        status = odp_history_rename(&part->history, part->former);
    if (status == ODP_OK)
        status = odp_history_put(b->run.stage, &part->history);
    return status == ODP_OK ? odp_release_latest(b->run.stage, p) : status;
}

struct thinned {
    const char *slug;
    const struct odp_history *history;
};

static bool is_thinned(const void *ctx, const struct odp_site_file *f)
{
    const struct thinned *t = ctx;
    char name[64];
    if (!odp_site_path_is_of(f->path, t->slug) || !version_of(f->path, t->slug, name))
        return false;
    const struct odp_version *v = odp_history_find(t->history, name);
    return v != NULL && v->state == ODP_VERSION_THINNED;
}

enum odp_status odp_build_drop_thinned(struct build *b, const struct odp_dataset *d)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    const struct thinned t = {d->slug, &part->history};
    bool any = false;
    for (size_t i = 0; i < part->nlog; i++)
        any = any || strcmp(part->log[i].what, "thinned") == 0;
    return any ? odp_stage_drop_if(b->run.stage, is_thinned, &t) : ODP_OK;
}

/* A dataset that the catalogue withdraws leaves the tombstones of its versions; the log says it once, of the dataset. */
static enum odp_status bury(struct build *b, const struct odp_dataset *d)
{
    struct part *part = &b->parts[odp_build_index(b, d)];
    bool now = part->published; /* else it went with an earlier build */
    for (size_t i = 0; i < part->history.n; i++) {
        struct odp_version *v = &part->history.versions[i];
        if (v->state == ODP_VERSION_WITHDRAWN)
            continue;
        now = true;
        if (odp_version_withdraw(v, "dataset", NULL) != ODP_OK)
            return ODP_FAIL;
    }
    if (now && odp_build_note_state(b, d) != ODP_OK)
        return ODP_FAIL;
    return part->history.n > 0 ? odp_history_put(b->run.stage, &part->history) : ODP_OK;
}

/* Built ones, and those that are carried over whole. */
static enum odp_status stage_datasets(struct build *b, struct odp_published *published, size_t *n)
{
    const struct odp_catalog *c = b->run.catalog;
    enum odp_status status = hold_candidates(b);
    for (size_t i = 0; i < c->ndatasets && status == ODP_OK; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        struct part *part = &b->parts[i];
        bool stays = part->held || part->same || !odp_run_selected(&b->run, d);
        if (d->state == ODP_STATE_WITHDRAWN) {
            status = bury(b, d);
        } else if (part->built) {
            status = stage_built(b, d, &published[*n]);
            *n += 1;
        } else if (part->published && stays) {
            const struct odp_version *current = odp_history_current(&part->history);
            part->version = current != NULL ? current->name : NULL;
            status = carry(b, d, true);
            if (status == ODP_OK)
                status = put_score(b, d);
            published[(*n)++] = (struct odp_published){.dataset = d, .carried = odp_site_entry(b->run.previous, d->slug)};
        }
    }
    if (status == ODP_OK)
        status = odp_stage_twins(b->run.stage, b->run.pool, b->run.options->progress);
    for (size_t i = 0; i < *n && status == ODP_OK; i++)
        if (published[i].carried == NULL)
            status = enter_built(b, &published[i]);
    return status;
}

/* ---- all of it
 * ------------------------------------------------------------------------------------------------------------------------ */

/* The public keys that signatures are checked with: catalog/keys.json as it stands. */
static enum odp_status put_keys(struct build *b)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    const char *path = odp_path_join(b->run.arena, b->run.catalog->dir, "keys.json");
    enum odp_status status = path != NULL ? odp_file_read(path, 1 << 20, &text, NULL) : ODP_FAIL;
    if (status == ODP_OK) {
        struct odp_site_keys keys;
        status = odp_site_keys_check(&keys, odp_buffer_slice(&text), path, b->run.arena, b->run.result->diags);
        if (status == ODP_BAD) { /* reported; not the same as a file that is not there */
            odp_buffer_release(&text);
            return ODP_BAD;
        }
    }
    if (status == ODP_OK)
        status = odp_stage_put(b->run.stage, ".well-known/odp-keys.json", "application/json", ODP_CLASS_PUBLIC,
                               odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return status == ODP_BAD ? ODP_OK : status;
}

static enum odp_status put_pages(struct build *b, const struct odp_published *published, size_t n)
{
    json_t *entries = odp_release_entries(b->run.stage, b->run.catalog, published, n);
    enum odp_status status = entries != NULL
                                 ? odp_site_pages(b->run.stage, b->run.catalog, entries, b->run.previous, b->run.result->diags)
                                 : ODP_FAIL;
    /* The look is the catalogue's as much as the data are: who mends it mends the catalogue. */
    const struct odp_diags *diags = b->run.result->diags;
    if (odp_diags_code_count(diags, ODP_C25) + odp_diags_code_count(diags, ODP_C26) + odp_diags_code_count(diags, ODP_C30) > 0)
        b->run.result->catalog_wrong = b->run.result->catalog_wrong || status == ODP_BAD;
    json_decref(entries);
    return status;
}

static bool is_closing(const void *ctx, const struct odp_site_file *f)
{
    static const char *const closing[] = {"manifest.json", "control", "gateway.json", "releases.log"};
    (void)ctx;
    for (size_t i = 0; i < sizeof closing / sizeof *closing; i++)
        if (strncmp(f->path, closing[i], strlen(closing[i])) == 0)
            return true;
    return false;
}

/* Where nothing has happened to a dataset the site, with the log as it was, may turn out to be the one that is published: then
 * nothing has happened at all. Else the log says so, too. */
static enum odp_status finish(struct build *b)
{
    struct run *r = &b->run;
    enum odp_status status = ODP_OK;
    if (r->previous != NULL && b->nchanges == 0) {
        status = odp_stage_twins(r->stage, r->pool, r->options->progress);
        if (status == ODP_OK)
            status = odp_stage_manifest(r->stage, r->catalog);
        const struct odp_site_file *manifest = status == ODP_OK ? odp_stage_find(r->stage, "manifest.json") : NULL;
        if (manifest == NULL || memcmp(manifest->sha256, odp_site_digest(r->previous), ODP_SHA256_SIZE) == 0)
            return status;
        status = odp_stage_drop_if(r->stage, is_closing, NULL);
        if (status == ODP_OK)
            status = odp_build_log_append(b);
    }
    if (status == ODP_OK)
        status = odp_stage_twins(r->stage, r->pool, r->options->progress);
    return status == ODP_OK ? odp_stage_manifest(r->stage, r->catalog) : status;
}

/* manifest.json.minisig beside the manifest, like it not listed: by --key; else the one there is, where the manifest is the
 * same. */
static enum odp_status sign(struct build *b)
{
    struct run *r = &b->run;
    const struct odp_site_file *manifest = odp_stage_find(r->stage, "manifest.json");
    const char *to = odp_stage_place(r->stage, "manifest.json.minisig", r->arena);
    const char *from = odp_stage_place(r->stage, "manifest.json", r->arena);
    struct odp_buffer text, signature;
    odp_buffer_init(&text);
    odp_buffer_init(&signature);
    enum odp_status status = to != NULL && from != NULL ? ODP_OK : ODP_FAIL;
    bool same = r->previous != NULL && odp_site_dir(r->previous) != NULL &&
                memcmp(manifest->sha256, odp_site_digest(r->previous), ODP_SHA256_SIZE) == 0;
    if (status == ODP_OK && r->options->key != NULL) {
        status = odp_file_read(from, (size_t)manifest->size, &text, NULL);
        if (status == ODP_OK)
            status = odp_manifest_sign(&signature, r->options->key, odp_buffer_slice(&text), r->result->summary.release);
    } else if (status == ODP_OK && same) {
        const char *old = odp_path_join(r->arena, odp_site_dir(r->previous), "manifest.json.minisig");
        status = old != NULL ? odp_file_read(old, 1 << 16, &signature, NULL) : ODP_FAIL;
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
    return build != NULL && odp_builds_open(&b, r->options->out, r->arena) == ODP_OK &&
           odp_builds_current(&b, &now) == ODP_OK && now != NULL && strcmp(now, strrchr(build, '/') + 1) == 0;
}

/* What the next build needs to know: not part of the site, so a failure here leaves a good site that is only built again.
 * Before the switch: a build that is killed right after it is not built twice. */
static enum odp_status note_inputs(struct build *b, const char *build)
{
    const struct odp_catalog *c = b->run.catalog;
    bool *good = odp_arena_zero(b->run.arena, c->ndatasets + c->nreferences + 1, sizeof *good);
    if (good == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct part *part = &b->parts[i];
        bool read = c->datasets[i].state == ODP_STATE_DRAFT && odp_run_selected(&b->run, &c->datasets[i]);
        good[i] = (part->built || part->same || read) && !part->held && !odp_run_rejected(&b->run, &c->datasets[i]);
    }
    for (size_t i = 0; i < c->nreferences; i++)
        good[c->ndatasets + i] = b->run.options->nslugs == 0 && !odp_run_rejected(&b->run, &c->references[i]);
    return odp_inputs_write(&b->inputs, &b->run, build, good);
}

/* Who switched, and when: for `rollback --list`. */
static enum odp_status note_switch(struct build *b, const char *before)
{
    const char *site = b->run.result->summary.site, *slash = strrchr(site, '/');
    if (before != NULL && strcmp(before, slash + 1) == 0)
        return ODP_OK;
    const char *dir = odp_arena_printf(b->run.arena, "%.*s", (int)(slash - site), site);
    return dir != NULL ? odp_builds_note(dir, "build", before, slash + 1, NULL) : ODP_FAIL;
}

enum odp_status odp_build_publish(struct build *b, bool *switched)
{
    struct run *r = &b->run;
    struct odp_summary *s = &r->result->summary;
    size_t n = 0;
    struct odp_published *published = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *published);
    if (published == NULL)
        return ODP_FAIL;
    enum odp_status status = stage_datasets(b, published, &n);
    if (status == ODP_OK)
        status = odp_build_log(b, published, n);
    if (status == ODP_OK)
        status = odp_release_index(r->stage, r->catalog, published, n);
    if (status == ODP_OK)
        status = put_pages(b, published, n);
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
    const char *before =
        r->previous != NULL && odp_site_dir(r->previous) != NULL ? strrchr(odp_site_dir(r->previous), '/') + 1 : NULL;
    const char *build = odp_stage_build(r->stage, r->arena);
    if (build == NULL)
        return ODP_FAIL;
    if (note_inputs(b, build) != ODP_OK) /* no reason to fail */
        odp_failure_clear();
    status = odp_stage_switch(r->stage, ODP_KEEP_BUILDS, r->arena, &build);
    s->out = r->options->out;
    *switched = status == ODP_OK;
    if (status == ODP_OK || is_current(r, build))
        s->site = build;
    if (status == ODP_OK && note_switch(b, before) != ODP_OK) /* the site is there, and whole */
        odp_failure_clear();
    return status;
}
