/* Files carried over from the previous site, and files removed again. */
#include "published/stage_internal.h"

static enum odp_status drop_file(struct odp_stage *s, struct odp_site_file *f)
{
    enum odp_status status = odp_stage_remove(s, f->path);
    odp_map_clear(&s->list->folders); /* it may have been the last one in its own */
    f->path = NULL;
    s->list->ordered = 0;
    s->list->sorted = NULL;
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
            if (l->files[i].path != NULL && drop(ctx, &l->files[i]))
                status = drop_file(s, &l->files[i]);
    uint32_t number = slug != NULL ? odp_map_find(&l->slugs, odp_slice_of(slug)) : ODP_MAP_NONE;
    for (uint32_t i = number != ODP_MAP_NONE ? l->newest[number] : ODP_MAP_NONE;
         i != ODP_MAP_NONE && status == ODP_OK; i = l->before[i])
        if (l->files[i].path != NULL && drop(ctx, &l->files[i]))
            status = drop_file(s, &l->files[i]);
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

struct carrying {
    struct odp_stage *stage;
    const struct odp_site *previous;
    const struct odp_stage_moving *how;
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

/* Carries F over to PATH, unless a file with its bytes is there: they were made again. */
static enum odp_status carry_to(struct carrying *c, const struct odp_site_file *f, const char *path)
{
    struct odp_stage *s = c->stage;
    const bool left = c->previous == s->same && path == f->path && odp_stage_is_left(s, f);
    const struct odp_site_file *staged = left ? NULL : odp_stage_look(s, path);
    enum odp_status status = ODP_OK;
    if (staged != NULL && odp_site_file_same(staged, f))
        return ODP_OK;
    if (staged != NULL) {
        pthread_mutex_lock(&s->list->mutex);
        status = drop_file(s, &s->list->files[staged - s->list->files]);
        pthread_mutex_unlock(&s->list->mutex);
    }
    return status == ODP_OK ? carry_file(s, c->previous, f, path, c->diags, &c->scratch) : status;
}

/* The files that begin with PREFIX and are of SLUG; NULL: of any. */
static enum odp_status carry_below(struct carrying *c, const char *prefix, const char *slug)
{
    size_t n;
    const struct odp_site_file *files = odp_site_files(c->previous, &n);
    const struct odp_stage_moving *how = c->how;
    enum odp_status status = ODP_OK;
    for (size_t i = odp_site_files_from(files, n, prefix);
         i < n && strncmp(files[i].path, prefix, strlen(prefix)) == 0 && status != ODP_FAIL; i++) {
        const struct odp_site_file *f = &files[i];
        if (slug != NULL && !odp_site_path_is_of(f->path, slug))
            continue;
        if (!how->want(how->ctx, f) || is_made_again(c->stage, f, &c->scratch))
            continue;
        const enum odp_status one =
            carry_to(c, f, how->rename != NULL ? how->rename(how->ctx, f->path, &c->scratch) : f->path);
        status = one == ODP_OK ? status : one; /* go on, to name every damaged file */
        odp_arena_reset(&c->scratch);
    }
    return status;
}

enum odp_status odp_stage_carry_as(struct odp_stage *s, const struct odp_site *previous, const char *slug,
                                   const struct odp_stage_moving *how, struct odp_diags *diags)
{
    static const char *const folders[] = {"data/", "search/", "v1/"};
    struct carrying c = {.stage = s, .previous = previous, .how = how, .diags = diags};
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

enum odp_status odp_stage_carry_if(struct odp_stage *s, const struct odp_site *previous, const char *slug,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   const void *ctx, struct odp_diags *diags)
{
    const struct odp_stage_moving how = {.want = want, .ctx = ctx};
    return odp_stage_carry_as(s, previous, slug, &how, diags);
}
