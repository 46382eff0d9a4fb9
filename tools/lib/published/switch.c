/* The switch: from a finished stage to the site the public sees.
 *
 *   1. the file system of the stage is synced, once for all its files and folders
 *   2. the stage is renamed to DIR.builds/<SHA-256 of manifest.json>. Where that build exists, the two change
 * places in one step: equal manifests mean equal bytes, unless somebody has changed the old ones, and then
 * the new ones are wanted
 *   3. what the next run needs to know of its files is put beside it (seals.h)
 *   4. the digest is entered at the end of DIR.builds/log
 *   5. a new link is made and renamed over DIR
 *   6. builds that are not among the last KEEP of the log go; the tree of one is for the next stage
 * (stage_spare.c)
 *
 * A run that is killed before 5 leaves the old site; after 5, the new one: never half of it. The log is the
 * order of switching, oldest first, one digest a line; times of files are not used. The link is relative, so
 * the whole can be moved. */
#include "published/builds.h"
#include "published/site_internal.h"
#include "published/stage_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The files have not been synced by themselves: thousands of small ones would cost more than making them. */
enum odp_status odp_stage_sync(const struct odp_stage *s)
{
    return odp_dir_sync_all(s->disk) == 0 ? ODP_OK : odp_failure_set("sync", s->dir, errno);
}

/* A sparse build says where its other bytes are, before anybody can see it. */
static enum odp_status note_origin(const struct odp_stage *s, const char *build, struct odp_arena *a)
{
    const char *path = odp_arena_printf(a, "%s.remote", build),
               *fresh = odp_arena_printf(a, "%s/.new-remote", s->builds);
    if (s->origin == NULL)
        return unlink(path) == 0 || errno == ENOENT ? ODP_OK : odp_failure_set("remove", path, errno);
    struct odp_slice text = odp_slice_of(odp_arena_printf(a, "%s\n", s->origin));
    if (odp_file_put(fresh, text, 0600, NULL) != ODP_OK) /* an address may hold a password */
        return ODP_FAIL;
    return odp_file_rename(fresh, path);
}

static enum odp_status settle(struct odp_stage *s, const char *build)
{
    if (odp_file_kind_of(build) != ODP_FILE_FOLDER) {
        if (odp_file_rename(s->dir, build) != ODP_OK)
            return ODP_FAIL;
        s->dir = NULL;
        return ODP_OK;
    }
    if (renameat2(AT_FDCWD, s->dir, AT_FDCWD, build, RENAME_EXCHANGE) != 0 && errno != EINVAL &&
        errno != ENOSYS)
        return odp_failure_set("rename", build, errno);
    /* The stage now holds the old build (or the new one, if the file system cannot exchange): close removes
     * it. */
    return odp_dir_sync(s->builds);
}

/* ---- the folder of builds ---- */

/* KEEP: a folder becomes the spare, and its seals go with it. */
static enum odp_status let_go(const struct odp_builds *b, const char *path, bool keep)
{
    const char *spare = odp_path_join(b->arena, b->dir, SPARE),
               *seals = odp_path_join(b->arena, b->dir, SPARE_SEALS);
    if (odp_file_kind_of(path) == ODP_FILE_FOLDER) {
        (void)unlink(seals); /* those of the spare that goes */
        enum odp_status status = odp_dir_remove(keep ? spare : path);
        return status == ODP_OK && keep && rename(path, spare) != 0 ? odp_failure_set("rename", path, errno)
                                                                    : status;
    }
    if (keep && odp_path_ends(path, ".seals") && rename(path, seals) == 0)
        return ODP_OK;
    return unlink(path) == 0 || errno == ENOENT ? ODP_OK : odp_failure_set("remove", path, errno);
}

/* Removes builds that are not among the last KEEP of the log, and their files beside them: <digest>.remote,
 * <digest>.seals, <digest>.inputs, … SPARE: one of them is for the next stage. */
static enum odp_status prune(const struct odp_builds *b, const char *const *log, size_t nlog, unsigned keep,
                             bool spare)
{
    const char **names = NULL;
    size_t n = 0;
    enum odp_status status =
        odp_dir_list(b->dir, b->arena, &names, &n) == ODP_OK ? ODP_OK : odp_failure_set("read", b->dir, 0);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const char *name = odp_arena_copy(b->arena, (struct odp_slice){names[i], strcspn(names[i], ".")}).ptr;
        const char *path = odp_path_join(b->arena, b->dir, names[i]);
        bool kept = !odp_builds_is_digest(name);
        for (size_t line = nlog; line > 0 && nlog - line < keep && !kept; line--)
            kept = strcmp(log[line - 1], name) == 0;
        status = kept ? ODP_OK : let_go(b, path, spare);
    }
    return status;
}

/* Of all files but the manifest, which does not list itself. */
static enum odp_status write_seals(const struct odp_stage *s, const char *build, struct odp_arena *a)
{
    size_t n, count = 0;
    const struct odp_site_file *files = odp_stage_files(s, &n);
    struct odp_site_file *listed = odp_arena_array(a, n + 1, sizeof *listed);
    for (size_t i = 0; i < n; i++)
        if (strcmp(files[i].path, "manifest.json") != 0)
            listed[count++] = files[i];
    return odp_seals_write(build, odp_stage_find(s, "manifest.json")->sha256, listed, count,
                           s->same != NULL && !s->copies ? odp_site_seals(s->same) : NULL);
}

const char *odp_stage_build(const struct odp_stage *s, struct odp_arena *a)
{
    char hex[ODP_SHA256_HEX];
    const struct odp_site_file *manifest = odp_stage_find(s, "manifest.json");
    if (manifest == NULL) {
        (void)odp_failure_set("switch", s->out, EINVAL);
        return NULL;
    }
    odp_digest_hex(manifest->sha256, hex);
    return odp_path_join(a, s->builds, hex);
}

enum odp_status odp_stage_switch(struct odp_stage *s, unsigned keep, struct odp_arena *a, const char **build)
{
    const struct odp_site_file *manifest = odp_stage_find(s, "manifest.json");
    char hex[ODP_SHA256_HEX];
    struct odp_arena arena = {0};
    if (manifest == NULL || s->dir == NULL)
        return odp_failure_set("switch", s->out, EINVAL);
    const struct odp_builds builds = {.arena = &arena, .out = s->out, .dir = s->builds, .lock = s->lock};
    odp_digest_hex(manifest->sha256, hex);
    *build = odp_stage_build(s, a);
    enum odp_status status = odp_memory_status() == ODP_OK ? odp_stage_end_left(s) : ODP_FAIL;
    if (status == ODP_OK)
        status = odp_stage_sync(s);
    if (status == ODP_OK)
        status = note_origin(s, *build, &arena);
    if (status == ODP_OK)
        status = settle(s, *build);
    if (status == ODP_OK && write_seals(s, *build, &arena) != ODP_OK)
        odp_failure_clear(); /* the next build reads the files again */
    if (status == ODP_OK)
        status = odp_builds_log_move(&builds, hex);
    const char **log = NULL;
    size_t nlog = 0;
    if (status == ODP_OK) /* before the switch: after it nothing should fail */
        status = odp_builds_log(&builds, &log, &nlog);
    if (status == ODP_OK)
        status = odp_builds_point(&builds, hex);
    /* The site is the new one now. What remains goes with the next build, and does not make this one fail. */
    if (status == ODP_OK && prune(&builds, log, nlog, keep > 0 ? keep : 1, s->same != NULL) != ODP_OK)
        odp_failure_clear();
    odp_arena_release(&arena);
    return status;
}
