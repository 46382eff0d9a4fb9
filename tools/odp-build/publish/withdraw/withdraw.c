/* A version that law forces out goes from everywhere this machine can reach, and leaves a tombstone.
 *
 *   1. the new site is staged from the current one: all its files (checked) but those that go; versions.json,
 * index, log, control anew
 *   2. OUT.builds/.withdrawing names the new build
 *   3. the switch: from here on nobody can read the version
 *   4. every other build, scratch, caches and candidates go; the log keeps the new build alone
 *   5. a line in the history, and .withdrawing goes
 *
 * A run that is killed before 3 has changed nothing. One that is killed later is finished by the next
 * withdraw, rollback or build: odp_withdraw_recover. No source is read, and nothing else of the catalogue
 * comes into the site with it: datasets keep the state, and the site the release, that they are published
 * with. */
#include "publish/withdraw/withdraw_internal.h"

#include <errno.h>
#include <unistd.h>

#include "base/json_load.h"
#include "publish/tombstones.h"
#include "published/builds_history.h"
#include "published/doc.h"
#include "published/release_log.h"
#include "published/stage.h"
#include "site/versions/release.h"

/* ---- recovery ---- */

/* "<digest> <slug>" in .withdrawing. */
static enum odp_status put_mark(const struct odp_builds *b, const char *digest, const char *slug)
{
    const char *path = odp_path_join(b->arena, b->dir, WITHDRAWAL_MARK),
               *text = odp_arena_printf(b->arena, "%s %s\n", digest, slug);
    if (unlink(path) != 0 && errno != ENOENT)
        return odp_failure_set("remove", path, errno);
    return odp_file_put(path, odp_slice_of(text), 0644, NULL) == ODP_OK ? odp_dir_sync(b->dir) : ODP_FAIL;
}

static enum odp_status remove_mark(const struct odp_builds *b)
{
    const char *path = odp_path_join(b->arena, b->dir, WITHDRAWAL_MARK);
    return unlink(path) == 0 || errno == ENOENT ? ODP_OK : odp_failure_set("remove", path, errno);
}

/* DIGEST and SLUG of the mark; NULL: there is none, or only its beginning. */
static enum odp_status read_mark(const struct odp_builds *b, const char **digest, const char **slug)
{
    const char *path = odp_path_join(b->arena, b->dir, WITHDRAWAL_MARK);
    struct odp_buffer text = {0};
    *digest = NULL;
    enum odp_status status = odp_file_read(path, 4096, &text, NULL);
    if (status == ODP_OK && text.len > ODP_SHA256_HEX && text.ptr[ODP_SHA256_HEX - 1] == ' ' &&
        text.ptr[text.len - 1] == '\n') {
        *digest = odp_arena_copy(b->arena, (struct odp_slice){text.ptr, ODP_SHA256_HEX - 1}).ptr;
        *slug = odp_arena_copy(b->arena,
                               (struct odp_slice){text.ptr + ODP_SHA256_HEX, text.len - ODP_SHA256_HEX - 1})
                    .ptr;
        if (!odp_builds_is_digest(*digest))
            *digest = NULL;
    }
    odp_buffer_release(&text);
    return status == ODP_BAD ? ODP_OK : status;
}

static enum odp_status recover(const struct odp_builds *b, struct odp_diags *diags)
{
    const char *marked, *slug = NULL, *current;
    size_t builds = 0;
    enum odp_status status = read_mark(b, &marked, &slug);
    if (status == ODP_OK)
        status = odp_builds_current(b, &current);
    if (status == ODP_OK && marked != NULL && current != NULL && strcmp(marked, current) == 0)
        status = withdrawal_clean(b, current, slug, &builds, diags);
    return status == ODP_OK ? remove_mark(b) : status;
}

enum odp_status odp_withdraw_recover(const char *out, struct odp_diags *diags)
{
    struct odp_arena arena = {0};
    struct odp_builds b;
    odp_builds_open(&b, out, &arena);
    enum odp_status status = recover(&b, diags);
    odp_arena_release(&arena);
    return status;
}

/* ---- builds that were left, or brought back, with what was withdrawn ---- */

/* Whether another build than CURRENT holds a withdrawn version. */
static enum odp_status any_holds(const struct odp_builds *b, const char *current, bool *answer)
{
    struct tombstones all = {.arena = b->arena};
    const char **digests = NULL;
    size_t n = 0;
    bool read = true, held = false;
    *answer = false;
    enum odp_status status = tombstones_add_builds(&all, b);
    if (status == ODP_OK)
        status = odp_builds_present(b, &digests, &n);
    for (size_t i = 0; i < n && status == ODP_OK && !*answer; i++) {
        if (strcmp(digests[i], current) == 0)
            continue;
        status = tombstones_held_by_build(&all, odp_path_join(b->arena, b->dir, digests[i]), &read, &held);
        *answer = !read || held; /* one that cannot be read may contain it */
    }
    return status;
}

/* All were withdrawn before: only what is left of them goes. */
static enum odp_status clean_again(const struct withdrawal *w, const struct odp_builds *b,
                                   struct odp_withdrawn *done)
{
    const char *current = NULL;
    bool left = false;
    enum odp_status status = odp_builds_current(b, &current);
    if (status == ODP_OK && current != NULL)
        status = any_holds(b, current, &left);
    if (status == ODP_OK && left)
        status = withdrawal_clean(b, current, w->o->slug, &done->builds, w->diags);
    return status == ODP_OK ? ODP_DONE : status;
}

/* ---- the new site ---- */

/* The catalogue as it is published: releases from the site's own on, datasets in the state their entries
 * have. */
static void published_catalog(const struct withdrawal *w, struct odp_catalog *c)
{
    const char *release = odp_json_text(json_object_get(odp_site_index(w->site), "meta"), "release");
    *c = *w->o->catalog;
    for (size_t i = 0; release != NULL && i < c->nreleases; i++)
        if (strcmp(c->releases[i].version, release) == 0) {
            c->releases += i;
            c->nreleases -= i;
            break;
        }
    c->datasets = odp_arena_array(w->arena, c->ndatasets + 1, sizeof *c->datasets);
    for (size_t i = 0; i < c->ndatasets; i++) {
        c->datasets[i] = w->o->catalog->datasets[i];
        const char *state = odp_json_text(odp_site_entry(w->site, c->datasets[i].slug), "state");
        for (size_t k = 0; state != NULL && odp_dataset_states[k] != NULL; k++)
            if (strcmp(state, odp_dataset_states[k]) == 0)
                c->datasets[i].state = (enum odp_dataset_state)k;
    }
}

/* The date of the newest dataset or release: what the log's line says. */
static const char *newest_date(const struct withdrawal *w, const struct odp_catalog *c)
{
    const json_t *meta = json_object_get(odp_site_index(w->site), "meta");
    const char *data = odp_json_text(meta, "last_update");
    const char *release = c->nreleases > 0 ? c->releases[0].date : NULL;
    const char *newest = data == NULL || (release != NULL && strncmp(release, data, 10) > 0) ? release : data;
    return newest != NULL ? odp_arena_printf(w->arena, "%.10s", newest) : NULL;
}

static enum odp_status put_log(const struct withdrawal *w, struct odp_stage *s, const struct odp_catalog *c)
{
    struct odp_log_change *changes = odp_arena_zero(w->arena, w->ngoing + 1, sizeof *changes);
    size_t n = 0;
    for (size_t i = 0; i < w->history.n; i++)
        if (w->going[i])
            changes[n++] = (struct odp_log_change){.dataset = w->o->slug,
                                                   .version = w->history.versions[i].name,
                                                   .what = "withdrawn",
                                                   .reason = w->o->reason,
                                                   .digest = w->history.versions[i].digest};
    const struct odp_log_line line = {.date = newest_date(w, c),
                                      .release = c->nreleases > 0 ? c->releases[0].version : "",
                                      .changes = changes,
                                      .n = n};
    return odp_log_append(s, w->site, &line, w->diags);
}

/* The entries of the index with one of them changed. */
static enum odp_status make_entries(const struct withdrawal *w, json_t **entries)
{
    *entries = json_deep_copy(json_object_get(odp_site_index(w->site), "data"));
    json_t *entry = odp_json_find(*entries, "slug", w->o->slug);
    return entry != NULL ? withdrawal_entry(w, entry) : ODP_OK;
}

/* v1/index.json, datapackage.json, and the pages that tell of the datasets. */
static enum odp_status put_index(const struct withdrawal *w, struct odp_stage *s, const struct odp_catalog *c)
{
    json_t *entries;
    enum odp_status status = make_entries(w, &entries);
    size_t n = json_array_size(entries);
    struct odp_published *published = odp_arena_zero(w->arena, n + 1, sizeof *published);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const char *slug = odp_json_text(json_array_get(entries, i), "slug");
        published[i].carried = json_array_get(entries, i);
        published[i].dataset = slug != NULL ? odp_catalog_find(c, slug) : NULL;
        published[i].version = odp_json_text(published[i].carried, "version");
    }
    json_t *all = odp_release_entries(s, c, published, n);
    if (status == ODP_OK)
        status = odp_release_index(s, c, all);
    json_decref(all);
    const struct odp_site_job job = {
        .stage = s, .catalog = c, .entries = entries, .previous = w->site, .diags = w->diags};
    if (status == ODP_OK && w->o->pages != NULL)
        status = w->o->pages(&job);
    json_decref(entries);
    return status;
}

static enum odp_status stage_site(struct withdrawal *w, struct odp_stage *s)
{
    struct odp_catalog c;
    withdrawal_plan(w);
    published_catalog(w, &c);
    enum odp_status status = odp_site_restage(s, w->site, w->prefixes, w->nprefixes, w->diags);
    if (status == ODP_OK && w->touches_current)
        status = withdrawal_put_latest(w, s);
    if (status == ODP_OK && w->newest)
        status = withdrawal_put_schemas(w, s);
    withdrawal_bury(w);
    if (status == ODP_OK)
        status = odp_history_put(s, &w->history);
    if (status == ODP_OK)
        status = put_log(w, s, &c);
    if (status == ODP_OK)
        status = put_index(w, s, &c);
    if (status == ODP_OK)
        status = odp_stage_twins(s, w->o->pool, NULL);
    return status == ODP_OK ? odp_stage_manifest(s, &c) : status;
}

static enum odp_status switch_site(struct withdrawal *w, struct odp_stage *s, const struct odp_builds *b,
                                   const char **build)
{
    size_t ignored = 0;
    const struct odp_site_file *manifest = odp_stage_find(s, "manifest.json");
    const char *before = NULL;
    char digest[ODP_SHA256_HEX], old[ODP_SHA256_HEX];
    if (manifest == NULL)
        return odp_failure_set("switch", b->out, EINVAL);
    odp_digest_hex(manifest->sha256, digest);
    odp_digest_hex(odp_site_digest(w->site), old);
    enum odp_status status = odp_builds_current(b, &before);
    if (status == ODP_OK)
        status = put_mark(b, digest, w->o->slug);
    if (status == ODP_OK)
        status = odp_stage_switch(s, 1, w->arena, build);
    if (status == ODP_OK)
        status = odp_builds_note(b->dir, "withdraw", before != NULL ? before : old, digest, w->o->by);
    if (status == ODP_OK)
        status = withdrawal_clean(b, digest, w->o->slug, &ignored, w->diags);
    return status == ODP_OK ? remove_mark(b) : status;
}

/* ---- the command ---- */

static enum odp_status no_site(const struct withdrawal *w, const struct odp_builds *b)
{
    struct odp_diag d = {.code = ODP_V89, .file = b->out, .args = {odp_slice_of(b->out)}};
    return odp_diags_add(w->diags, &d);
}

static enum odp_status no_versions(const struct withdrawal *w, const struct odp_builds *b)
{
    const char *near = odp_site_nearest(w->site, w->o->slug);
    struct odp_diag d = {.code = ODP_V75,
                         .proposal = odp_slice_of(near != NULL ? near : ""),
                         .dataset = w->o->slug,
                         .file = b->out,
                         .args = {odp_slice_of(w->o->versions[0]), ODP_LIT("—"), odp_slice_of(w->o->slug)}};
    return odp_diags_add(w->diags, &d);
}

static enum odp_status withdraw_from(struct withdrawal *w, const struct odp_builds *b,
                                     struct odp_stage *stage, struct odp_withdrawn *done)
{
    struct odp_site *site = NULL;
    const char **before = NULL;
    size_t nbefore = 0;
    enum odp_status status = odp_site_open(&site, b->out, w->diags);
    w->site = site;
    if (status == ODP_DONE)
        status = no_site(w, b);
    if (status == ODP_OK)
        status = odp_history_read(&w->history, site, w->o->slug, w->arena, w->diags);
    if (status == ODP_DONE)
        status = no_versions(w, b);
    if (status == ODP_OK)
        status = odp_builds_present(b, &before, &nbefore);
    if (status == ODP_OK)
        status = withdrawal_choose(w);
    if (status == ODP_DONE) {
        status = clean_again(w, b, done);
    } else if (status == ODP_OK) {
        status = stage_site(w, stage);
        if (status == ODP_OK)
            status = switch_site(w, stage, b, &done->build);
        done->builds = status == ODP_OK ? nbefore : 0; /* all that were there */
    }
    done->versions = w->ngoing;
    done->files = w->files;
    done->newest = w->newest;
    odp_history_release(&w->history);
    odp_site_close(site);
    return status;
}

enum odp_status odp_withdraw(const struct odp_withdraw_options *o, struct odp_arena *a,
                             struct odp_withdrawn *done, struct odp_diags *diags)
{
    struct withdrawal w = {.o = o, .arena = a, .diags = diags};
    struct odp_stage *stage = NULL;
    struct odp_builds b;
    *done = (struct odp_withdrawn){0};
    odp_builds_open(&b, o->out, a);
    if (odp_file_kind_of(b.dir) != ODP_FILE_FOLDER)
        return no_site(&w, &b);
    enum odp_status status = odp_stage_open(&stage, o->out, diags); /* takes the lock */
    if (status == ODP_OK)
        status = recover(&b, diags);
    if (status == ODP_OK)
        status = withdraw_from(&w, &b, stage, done);
    odp_stage_close(stage);
    return status;
}
