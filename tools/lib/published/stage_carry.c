/* Files carried over from the previous site, and files removed again. */
#include "published/stage_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Removes the folders that the removed file at FULL leaves empty, up to the stage's own. */
static void remove_empty_folders(const struct odp_stage *s, char *full)
{
    size_t root = strlen(s->dir);
    for (char *slash = strrchr(full, '/'); slash != NULL && (size_t)(slash - full) > root;
         slash = strrchr(full, '/')) {
        *slash = '\0';
        if (rmdir(full) != 0)
            return; /* not empty */
    }
}

enum odp_status odp_stage_drop_if(struct odp_stage *s,
                                  bool (*drop)(const void *ctx, const struct odp_site_file *f),
                                  const void *ctx)
{
    struct stage_list *l = s->list;
    struct odp_arena arena;
    enum odp_status status = ODP_OK;
    size_t kept = 0;
    odp_arena_init(&arena);
    pthread_mutex_lock(&l->mutex);
    for (size_t i = 0; i < l->n; i++) {
        if (status != ODP_OK || !drop(ctx, &l->files[i])) {
            l->files[kept++] = l->files[i];
            continue;
        }
        char *full = odp_path_join(&arena, s->dir, l->files[i].path);
        if (unlink(full) != 0 && errno != ENOENT)
            status = odp_failure_set("remove", full, errno);
        else
            remove_empty_folders(s, full);
        odp_arena_reset(&arena);
    }
    l->nsorted = l->nsorted == l->n ? kept : 0;
    l->n = kept;
    pthread_mutex_unlock(&l->mutex);
    odp_arena_release(&arena);
    return status;
}

static bool is_of_slug(const void *slug, const struct odp_site_file *f)
{
    return odp_site_path_is_of(f->path, slug);
}

enum odp_status odp_stage_drop(struct odp_stage *s, const char *slug)
{
    return odp_stage_drop_if(s, is_of_slug, slug);
}

/* Carries F of PREVIOUS over to PATH. BAD: it is damaged (reported). */
static enum odp_status carry_file(struct odp_stage *s, const struct odp_site *previous,
                                  const struct odp_site_file *f, const char *path, struct odp_diags *diags,
                                  struct odp_arena *a)
{
    struct odp_site_file at = *f;
    enum odp_status status = ODP_OK;
    at.path = path;
    if (!odp_site_has(previous, f)) {
        if (s->origin == NULL)
            odp_stage_set_origin(s, odp_site_origin(previous));
        odp_stage_add_absent(s, &at);
    } else {
        const char *from = odp_path_join(a, odp_site_dir(previous), f->path);
        status = odp_site_intact(previous, f, from);
        status = status == ODP_OK ? odp_stage_link(s, from, path, f) : status;
    }
    if (status == ODP_OK)
        odp_stage_last(s)->settled = true;
    return status == ODP_BAD ? odp_site_file_damaged(diags, odp_site_shown(previous), f) : status;
}

struct carried {
    bool (*want)(const void *ctx, const struct odp_site_file *f);
    const void *ctx;
    const struct odp_site *previous;
};

static bool gives_way(const void *ctx, const struct odp_site_file *staged)
{
    const struct carried *c = ctx;
    const struct odp_site_file *f = odp_site_find(c->previous, staged->path);
    return f != NULL && memcmp(f->sha256, staged->sha256, sizeof f->sha256) != 0 && c->want(c->ctx, f);
}

enum odp_status odp_stage_carry_as(struct odp_stage *s, const struct odp_site *previous,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   char *(*rename)(const void *ctx, const char *path, struct odp_arena *a),
                                   const void *ctx, struct odp_diags *diags)
{
    size_t n, nstaged;
    const struct odp_site_file *files = odp_site_files(previous, &n), *before = odp_stage_files(s, &nstaged);
    struct odp_arena arena, scratch;
    enum odp_status status = ODP_OK;
    odp_arena_init(&arena);
    odp_arena_init(&scratch);
    struct odp_site_file *staged =
        odp_arena_array(&arena, nstaged, sizeof *staged); /* the list as it is now: it grows */
    if (nstaged > 0)
        memcpy(staged, before, nstaged * sizeof *staged);
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        if (!want(ctx, &files[i]))
            continue;
        const char *path = rename != NULL ? rename(ctx, files[i].path, &scratch) : files[i].path;
        if (odp_site_files_find(staged, nstaged, path) != NULL)
            continue; /* the same bytes, made again */
        enum odp_status one = carry_file(s, previous, &files[i], path, diags, &scratch);
        status = one == ODP_OK ? status : one; /* go on, to name every damaged file */
        odp_arena_reset(&scratch);
    }
    odp_arena_release(&scratch);
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_stage_carry_if(struct odp_stage *s, const struct odp_site *previous,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   const void *ctx, struct odp_diags *diags)
{
    struct carried carried = {want, ctx, previous};
    enum odp_status status = odp_stage_drop_if(s, gives_way, &carried);
    return status == ODP_OK ? odp_stage_carry_as(s, previous, want, NULL, ctx, diags) : status;
}

enum odp_status odp_stage_carry(struct odp_stage *s, const struct odp_site *previous, const char *slug,
                                struct odp_diags *diags)
{
    size_t n, found = 0;
    const struct odp_site_file *files = odp_site_files(previous, &n);
    for (size_t i = 0; i < n; i++)
        found += odp_site_path_is_of(files[i].path, slug);
    enum odp_status status = odp_stage_carry_if(s, previous, is_of_slug, slug, diags);
    if (status == ODP_BAD && odp_stage_drop(s, slug) != ODP_OK)
        return ODP_FAIL;
    return status == ODP_OK && found == 0 ? ODP_DONE : status;
}
