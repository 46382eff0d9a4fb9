/* Files carried over from the previous site, and files removed again. */
#include "published/stage_internal.h"

/* Drops file I of the list if DROP accepts it. */
static enum odp_status drop_one(struct odp_stage *s, struct odp_site_file *f,
                                bool (*drop)(const void *ctx, const struct odp_site_file *f), const void *ctx)
{
    if (f->path == NULL || !drop(ctx, f))
        return ODP_OK;
    enum odp_status status = odp_stage_remove(s, f->path);
    odp_map_clear(&s->list->folders); /* it may have been the last one in its own */
    f->path = NULL;
    s->list->ordered = 0;
    return status;
}

enum odp_status odp_stage_drop_if(struct odp_stage *s, const char *slug,
                                  bool (*drop)(const void *ctx, const struct odp_site_file *f),
                                  const void *ctx)
{
    struct stage_list *l = s->list;
    enum odp_status status = ODP_OK;
    pthread_mutex_lock(&l->mutex);
    if (slug == NULL)
        for (size_t i = 0; i < l->n && status == ODP_OK; i++)
            status = drop_one(s, &l->files[i], drop, ctx);
    uint32_t number = slug != NULL ? odp_map_find(&l->slugs, odp_slice_of(slug)) : ODP_MAP_NONE;
    for (uint32_t i = number != ODP_MAP_NONE ? l->newest[number] : ODP_MAP_NONE;
         i != ODP_MAP_NONE && status == ODP_OK; i = l->before[i])
        status = drop_one(s, &l->files[i], drop, ctx);
    l->sorted = NULL;
    pthread_mutex_unlock(&l->mutex);
    return status;
}

static bool is_of_slug(const void *slug, const struct odp_site_file *f)
{
    return odp_site_path_is_of(f->path, slug);
}

enum odp_status odp_stage_drop(struct odp_stage *s, const char *slug)
{
    return odp_stage_drop_if(s, slug, is_of_slug, slug);
}

/* Carries F of PREVIOUS over to PATH. BAD: it is damaged (reported). */
static enum odp_status carry_file(struct odp_stage *s, const struct odp_site *previous,
                                  const struct odp_site_file *f, const char *path, struct odp_diags *diags,
                                  struct odp_arena *a)
{
    struct odp_site_file at = *f;
    enum odp_status status = ODP_OK;
    at.path = path;
    at.settled = true;
    if (!odp_site_has(previous, f)) {
        if (s->origin == NULL)
            odp_stage_set_origin(s, odp_site_origin(previous));
        odp_stage_add_absent(s, &at);
    } else {
        if (previous != s->same) /* which has been looked at as a whole */
            status = odp_site_intact(previous, f, odp_path_join(a, odp_site_dir(previous), f->path));
        status = status == ODP_OK ? odp_stage_link_of(s, previous, f, &at) : status;
    }
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

struct carrying {
    struct odp_stage *stage;
    const struct carried *what;
    char *(*rename)(const void *ctx, const char *path, struct odp_arena *a);
    struct odp_diags *diags;
    struct odp_arena scratch;
};

/* Whether F is the twin of a file that was made again. Where no dataset stays as it was, the levels may be
 * other ones, or the program: then its twin is made again, too. */
static bool is_made_again(const struct odp_stage *s, const struct odp_site_file *f, struct odp_arena *a)
{
    if (s->same != NULL || f->encoding == NULL)
        return false;
    const int len = (int)(strrchr(f->path, '.') - f->path);
    const struct odp_site_file *file = odp_stage_look(s, odp_arena_printf(a, "%.*s", len, f->path));
    return file != NULL && !file->settled;
}

/* The files that begin with PREFIX and are of SLUG; NULL: of any. */
static enum odp_status carry_below(struct carrying *c, const char *prefix, const char *slug)
{
    size_t n;
    const struct odp_site_file *files = odp_site_files(c->what->previous, &n);
    enum odp_status status = ODP_OK;
    for (size_t i = odp_site_files_from(files, n, prefix);
         i < n && strncmp(files[i].path, prefix, strlen(prefix)) == 0 && status != ODP_FAIL; i++) {
        if (slug != NULL && !odp_site_path_is_of(files[i].path, slug))
            continue;
        if (!c->what->want(c->what->ctx, &files[i]) || is_made_again(c->stage, &files[i], &c->scratch))
            continue;
        const char *path =
            c->rename != NULL ? c->rename(c->what->ctx, files[i].path, &c->scratch) : files[i].path;
        enum odp_status one =
            odp_stage_find(c->stage, path) != NULL
                ? ODP_OK /* the same bytes, made again */
                : carry_file(c->stage, c->what->previous, &files[i], path, c->diags, &c->scratch);
        status = one == ODP_OK ? status : one; /* go on, to name every damaged file */
        odp_arena_reset(&c->scratch);
    }
    return status;
}

static enum odp_status carry(struct odp_stage *s, const struct carried *what, const char *slug,
                             char *(*rename)(const void *ctx, const char *path, struct odp_arena *a),
                             struct odp_diags *diags)
{
    static const char *const folders[] = {"data/", "search/", "v1/"};
    struct carrying c = {.stage = s, .what = what, .rename = rename, .diags = diags};
    struct odp_arena arena = {0};
    enum odp_status status = slug == NULL ? carry_below(&c, "", NULL) : ODP_OK;
    for (size_t i = 0; slug != NULL && i < ODP_COUNT(folders) && status != ODP_FAIL; i++) {
        enum odp_status one = carry_below(&c, odp_arena_printf(&arena, "%s%s", folders[i], slug), slug);
        status = one == ODP_OK ? status : one;
    }
    odp_arena_release(&c.scratch);
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_stage_carry_as(struct odp_stage *s, const struct odp_site *previous, const char *slug,
                                   const struct odp_stage_moving *how, struct odp_diags *diags)
{
    const struct carried what = {how->want, how->ctx, previous};
    return carry(s, &what, slug, how->rename, diags);
}

enum odp_status odp_stage_carry_if(struct odp_stage *s, const struct odp_site *previous, const char *slug,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   const void *ctx, struct odp_diags *diags)
{
    const struct carried what = {want, ctx, previous};
    enum odp_status status = odp_stage_drop_if(s, slug, gives_way, &what);
    return status == ODP_OK ? carry(s, &what, slug, NULL, diags) : status;
}
