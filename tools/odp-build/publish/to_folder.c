/* To a folder: DEST is a link to DEST.builds/<digest>/, like --out itself, so readers there see one whole
 * site or the other. What the build there has already is linked from it, the rest from ours (copied where it
 * lies on another file system).
 *
 * What is linked there is intact by its seals; what comes from ours is linked after its digest was read. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "publish/publish_internal.h"
#include "publish/tombstones.h"
#include "published/builds.h"
#include "published/builds_history.h"

struct folder {
    struct publish *p;
    struct odp_stage *stage;
    struct odp_site *there; /* the build that DEST leads to; NULL: none, or it cannot be read */
};

/* Where the destination has F of ours, intact; *PATH NULL: it does not. */
static enum odp_status find_there(const struct folder *d, const struct odp_site_file *f, const char **path)
{
    const struct odp_site_file *old = d->there != NULL ? odp_site_find(d->there, f->path) : NULL;
    *path = NULL;
    if (old == NULL || !odp_site_file_same(old, f))
        return ODP_OK;
    const char *place = odp_path_join(d->p->a, odp_site_dir(d->there), f->path);
    enum odp_status status = odp_site_intact(d->there, old, place);
    if (status == ODP_OK)
        *path = place;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* F of ours, checked. BAD: it is not here, or damaged (reported). */
static enum odp_status find_here(const struct folder *d, const struct odp_site_file *f, const char **path)
{
    struct publish *p = d->p;
    if (!odp_site_has(p->site, f))
        return publish_complain(p->diags, ODP_V47, odp_site_shown(p->site), f->path, p->plan->shown, NULL);
    *path = odp_path_join(p->a, odp_site_dir(p->site), f->path);
    enum odp_status status = odp_site_verify(*path, f);
    return status == ODP_BAD ? odp_site_file_damaged(p->diags, odp_site_shown(p->site), f) : status;
}

static enum odp_status stage_file(struct folder *d, const struct odp_site_file *f)
{
    const char *from = NULL;
    if (!publish_wants(d->p, f)) { /* --public: it stays away, but the manifest names it */
        odp_stage_add_absent(d->stage, f);
        return ODP_OK;
    }
    enum odp_status status = find_there(d, f, &from);
    if (status == ODP_OK && from == NULL)
        status = find_here(d, f, &from);
    return status == ODP_OK ? odp_stage_link(d->stage, from, f->path, f) : status;
}

static enum odp_status stage_files(struct folder *d)
{
    size_t n;
    const struct odp_site_file *files = odp_site_files(d->p->site, &n);
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < n && worst != ODP_FAIL; i++) {
        enum odp_status status = stage_file(d, &files[i]);
        worst = status == ODP_OK ? worst : status;
        odp_progress_update(d->p->o->progress, ODP_PHASE_PUBLISH, files[i].path, i + 1, n, 0);
    }
    return worst;
}

enum odp_status publish_stage_signature(struct odp_stage *s, const struct odp_buffer *signature,
                                        struct odp_arena *a)
{
    const char *place = signature->len > 0 ? odp_stage_place(s, "manifest.json.minisig", a) : NULL;
    if (signature->len == 0)
        return ODP_OK;
    return place != NULL ? odp_file_put(place, odp_buffer_slice(signature), 0444, NULL) : ODP_FAIL;
}

/* What no manifest names: the signature, header files. Not in the stage's list, which is the manifest's. */
static enum odp_status stage_others(struct folder *d)
{
    struct publish *p = d->p;
    enum odp_status status = odp_stage_put(d->stage, "manifest.json", "application/json", ODP_CLASS_PUBLIC,
                                           odp_buffer_slice(&p->manifest));
    if (status == ODP_OK)
        status = publish_stage_signature(d->stage, &p->signature, p->a);
    const char *names = p->o->header_files, *path;
    struct odp_slice bytes;
    while (status == ODP_OK && (status = publish_next_headers(p, &names, &path, &bytes)) == ODP_OK) {
        const char *place = odp_stage_place(d->stage, path, p->a);
        if (place == NULL)
            status = ODP_FAIL;
        else if (odp_file_kind_of(place) == ODP_FILE_NONE)
            status = odp_file_put(place, bytes, 0444, NULL);
    }
    return status == ODP_DONE ? ODP_OK : status;
}

/* ---- builds that contain what was withdrawn ---- */

/* Whether the build at PATH holds one of T: by its lists, or a folder of that name. */
static enum odp_status holds(const struct tombstones *t, const char *path, bool *held, struct odp_arena *a)
{
    bool read;
    enum odp_status status = tombstones_held_by_build(t, path, &read, held);
    for (size_t i = 0; i < t->n && !*held && status == ODP_OK; i++) {
        const char *folder = odp_arena_printf(a, "%s/data/%s/%s", path, t->list[i].slug, t->list[i].version);
        *held = odp_file_kind_of(folder) != ODP_FILE_NONE;
    }
    return status;
}

/* Renamed first: what is left of it by a run that ends here is no build any more, and goes when the next
 * stage opens. */
static enum odp_status remove_build(const struct odp_builds *b, const char *digest, struct odp_arena *a)
{
    static const char *const beside[] = {".remote", ".seals", ".inputs", ".idle", ".parts"};
    const char *path = odp_path_join(a, b->dir, digest);
    const char *gone = odp_arena_printf(a, "%s/.stage-withdrawn-%s", b->dir, digest);
    for (size_t i = 0; i < ODP_COUNT(beside); i++)
        (void)unlink(odp_arena_printf(a, "%s%s", path, beside[i]));
    return rename(path, gone) == 0 ? odp_dir_remove(gone) : odp_failure_set("rename", path, errno);
}

static enum odp_status forget_withdrawn(struct folder *d, const char *current)
{
    struct publish *p = d->p;
    struct tombstones all = {.arena = p->a};
    struct odp_builds builds;
    const char **digests = NULL;
    size_t n = 0;
    enum odp_status status = tombstones_add_site(&all, p->site, p->diags);
    odp_builds_open(&builds, odp_stage_out(d->stage), p->a);
    if (status == ODP_OK && all.n > 0)
        status = odp_builds_present(&builds, &digests, &n);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const char *path = odp_path_join(p->a, builds.dir, digests[i]);
        bool held = false;
        if (strcmp(digests[i], current) != 0)
            status = holds(&all, path, &held, p->a);
        if (held && status == ODP_OK)
            status = remove_build(&builds, digests[i], p->a);
    }
    return status;
}

enum odp_status publish_folder_tidy(struct publish *p)
{
    struct folder d = {.p = p};
    struct tombstones all = {.arena = p->a};
    char to[ODP_SHA256_HEX];
    odp_digest_hex(odp_site_digest(p->site), to);
    enum odp_status status = tombstones_add_site(&all, p->site, p->diags);
    if (status != ODP_OK || all.n == 0)
        return status;
    status = odp_stage_open(&d.stage, p->o->destination, p->diags);
    if (status == ODP_OK)
        status = forget_withdrawn(&d, to);
    odp_stage_close(d.stage);
    return status;
}

/* ---- the switch ---- */

static enum odp_status switch_over(struct folder *d)
{
    struct publish *p = d->p;
    char from[ODP_SHA256_HEX], to[ODP_SHA256_HEX];
    odp_digest_hex(odp_site_digest(p->site), to);
    odp_digest_hex(p->theirs.digest, from);
    enum odp_status status = odp_stage_switch(d->stage, ODP_KEEP_BUILDS, p->a, &p->plan->build);
    if (status == ODP_OK)
        status =
            odp_builds_note(odp_stage_builds(d->stage), "publish", p->theirs.present ? from : NULL, to, NULL);
    return status == ODP_OK ? forget_withdrawn(d, to) : status;
}

enum odp_status publish_to_folder(struct publish *p)
{
    struct folder d = {.p = p};
    bool same = false;
    enum odp_status status = odp_stage_open(&d.stage, p->o->destination, p->diags);
    if (status == ODP_OK)
        status = publish_still_theirs(p, &same); /* now that nobody else can change it */
    if (status == ODP_OK && !same)
        status = publish_complain(p->diags, ODP_V45, p->plan->shown, p->plan->shown, NULL, NULL);
    if (status == ODP_OK)
        status = odp_site_open_quietly(
            &d.there, odp_stage_out(d.stage)); /* one that cannot be read is no source, and no obstacle */
    if (status == ODP_OK)
        status = stage_files(&d);
    if (status == ODP_OK)
        status = stage_others(&d);
    if (status == ODP_OK)
        status = switch_over(&d);
    odp_site_close(d.there);
    odp_stage_close(d.stage);
    return status;
}
