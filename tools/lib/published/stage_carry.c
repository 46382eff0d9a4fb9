/* Files that come over from the previous site, and files that go again. */
#include "published/stage_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "published/twin_makers.h"

/* The folders that the removed file at FULL leaves empty, up to the stage's own. */
static void remove_empty_folders(const struct odp_stage *s, char *full)
{
    size_t root = strlen(s->dir);
    for (char *slash = strrchr(full, '/'); slash != NULL && (size_t)(slash - full) > root; slash = strrchr(full, '/')) {
        *slash = '\0';
        if (rmdir(full) != 0)
            return; /* others are in it */
    }
}

enum odp_status odp_stage_drop_if(struct odp_stage *s, bool (*drop)(const void *ctx, const struct odp_site_file *f), const void *ctx)
{
    struct stage_list *l = s->list;
    struct odp_arena arena;
    enum odp_status status = ODP_OK;
    size_t kept = 0;
    bool paused = false;
    odp_arena_init(&arena);
    pthread_mutex_lock(&l->mutex);
    for (size_t i = 0; i < l->n; i++) {
        if (status != ODP_OK || !drop(ctx, &l->files[i])) {
            l->files[kept++] = l->files[i];
            continue;
        }
        if (s->makers != NULL && !paused)
            odp_makers_pause(s->makers);
        paused = true;
        if (s->makers != NULL)
            odp_makers_forget(s->makers, l->files[i].path);
        char *full = odp_path_join(&arena, s->dir, l->files[i].path);
        if (unlink(full) != 0 && errno != ENOENT)
            status = odp_failure_set("remove", full, errno);
        else
            remove_empty_folders(s, full);
        odp_arena_reset(&arena);
    }
    l->nsorted = l->nsorted == l->n ? kept : 0;
    l->n = kept;
    l->made[0] = '\0'; /* it may be gone */
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

/* Enters F of a site that does not have its bytes here. */
static enum odp_status carry_absent(struct odp_stage *s, const struct odp_site *previous, const struct odp_site_file *f,
                                    const char *path)
{
    struct odp_site_file at = *f;
    at.path = path;
    if (s->origin == NULL && (s->origin = odp_arena_str(&s->arena, odp_site_origin(previous))) == NULL)
        return ODP_FAIL;
    enum odp_status status = odp_stage_add_absent(s, &at);
    if (status == ODP_OK)
        s->list->files[s->list->n - 1].settled = true;
    return status;
}

static enum odp_status carry_file(struct odp_stage *s, const struct odp_site *previous, const struct odp_site_file *f,
                                  const char *path, struct odp_diags *diags, struct odp_arena *a)
{
    char expected[8 + ODP_SHA256_HEX] = "sha256:";
    if (!odp_site_has(previous, f))
        return carry_absent(s, previous, f, path);
    const char *from = odp_path_join(a, odp_site_dir(previous), f->path);
    enum odp_status status = odp_site_intact(previous, f, from);
    if (status == ODP_OK) {
        status = odp_stage_link(s, from, path, f);
        if (status == ODP_OK)
            s->list->files[s->list->n - 1].settled = true;
        return status;
    }
    if (status != ODP_BAD)
        return status;
    odp_digest_hex(f->sha256, expected + 7);
    return odp_site_complain(diags, odp_site_shown(previous), f->path, expected);
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

/* The list as it is now, sorted; malloc. */
static enum odp_status copy_list(struct odp_stage *s, struct odp_site_file **out, size_t *n)
{
    const struct odp_site_file *files = odp_stage_files(s, n);
    *out = odp_realloc_array(NULL, *n + 1, sizeof **out);
    if (*out != NULL && *n > 0)
        memcpy(*out, files, *n * sizeof **out);
    return *out != NULL ? ODP_OK : ODP_FAIL;
}

enum odp_status odp_stage_carry_as(struct odp_stage *s, const struct odp_site *previous,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   char *(*rename)(const void *ctx, const char *path, struct odp_arena *a), const void *ctx,
                                   struct odp_diags *diags)
{
    size_t n;
    const struct odp_site_file *files = odp_site_files(previous, &n);
    struct odp_arena arena;
    struct odp_site_file *staged;
    size_t nstaged;
    enum odp_status status = copy_list(s, &staged, &nstaged);
    odp_arena_init(&arena);
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        if (!want(ctx, &files[i]))
            continue;
        const char *path = rename != NULL ? rename(ctx, files[i].path, &arena) : files[i].path;
        const struct odp_site_file key = {.path = path};
        if (path != NULL && nstaged > 0 && bsearch(&key, staged, nstaged, sizeof key, odp_stage_by_path) != NULL)
            continue; /* the same bytes, made again */
        enum odp_status one = path != NULL ? carry_file(s, previous, &files[i], path, diags, &arena) : ODP_FAIL;
        status = one == ODP_OK ? status : one; /* goes on: every damaged file is named */
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    free(staged);
    return status;
}

enum odp_status odp_stage_carry_if(struct odp_stage *s, const struct odp_site *previous,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f), const void *ctx,
                                   struct odp_diags *diags)
{
    struct carried carried = {want, ctx, previous};
    enum odp_status status = odp_stage_drop_if(s, gives_way, &carried);
    return status == ODP_OK ? odp_stage_carry_as(s, previous, want, NULL, ctx, diags) : status;
}

enum odp_status odp_stage_carry(struct odp_stage *s, const struct odp_site *previous, const char *slug, struct odp_diags *diags)
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
