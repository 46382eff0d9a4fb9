/* The files of a stage: their list, their places on the disk, links to them. Any thread. */
#include "published/stage_internal.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the list of files ---- */

/* The place for PATH among the sorted files: after those of the same path. */
static size_t place_of(const struct stage_list *l, const char *path)
{
    size_t from = 0, to = l->nsorted;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(l->files[middle].path, path) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Pages are looked up and put by turns: a few new files are inserted, only many are worth a sort. */
static void sort_list(struct stage_list *l)
{
    enum { FEW = 16 };
    if (l->n - l->nsorted > FEW) {
        qsort(l->files, l->n, sizeof *l->files, odp_site_file_by_path);
        l->nsorted = l->n;
    }
    for (; l->nsorted < l->n; l->nsorted++) {
        struct odp_site_file f = l->files[l->nsorted];
        size_t at = place_of(l, f.path);
        memmove(l->files + at + 1, l->files + at, (l->nsorted - at) * sizeof f);
        l->files[at] = f;
    }
}

/* As HTTP sends it. What the API answers is in UTF-8, which JSON always is, but not all clients know. */
static const char *sent_type(const char *path, const char *media_type)
{
    bool api = strncmp(path, "v1/", 3) == 0 && strcmp(media_type, "application/json") == 0;
    return api ? "application/json; charset=utf-8" : media_type;
}

void odp_stage_add(struct odp_stage *s, const char *path, const char *media_type, const char *encoding,
                   enum odp_class cls, const struct odp_file_info *info)
{
    struct stage_list *l = s->list;
    pthread_mutex_lock(&l->mutex);
    l->files = odp_arena_more(&l->arena, l->files, l->n, sizeof *l->files);
    struct odp_site_file *f = &l->files[l->n++];
    *f = (struct odp_site_file){.path = odp_arena_str(&l->arena, path),
                                .media_type = odp_arena_str(&l->arena, sent_type(path, media_type)),
                                .encoding = encoding != NULL ? odp_arena_str(&l->arena, encoding) : NULL,
                                .cls = cls,
                                .size = info->size};
    memcpy(f->sha256, info->sha256, sizeof f->sha256);
    pthread_mutex_unlock(&l->mutex);
}

struct odp_site_file *odp_stage_last(struct odp_stage *s)
{
    return &s->list->files[s->list->n - 1];
}

const struct odp_site_file *odp_stage_files(const struct odp_stage *s, size_t *n)
{
    struct stage_list *l = s->list;
    pthread_mutex_lock(&l->mutex);
    sort_list(l);
    *n = l->n;
    pthread_mutex_unlock(&l->mutex);
    return l->files;
}

const struct odp_site_file *odp_stage_find(const struct odp_stage *s, const char *path)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_files(s, &n);
    return odp_site_files_find(files, n, path);
}

void odp_stage_set_class(struct odp_stage *s, const char *path, enum odp_class cls)
{
    const struct odp_site_file *f = odp_stage_find(s, path);
    if (f != NULL)
        s->list->files[f - s->list->files].cls = cls;
}

/* ---- places and links ---- */

char *odp_stage_place(const struct odp_stage *s, const char *path, struct odp_arena *a)
{
    if (s->dir == NULL || !odp_site_path_ok(path)) {
        (void)odp_failure_set("stage", path, EINVAL);
        return NULL;
    }
    char *full = odp_path_join(a, s->dir, path);
    char *slash = strrchr(full, '/');
    if (slash == NULL)
        return NULL;
    *slash = '\0';
    enum odp_status status = odp_dir_make(full);
    *slash = '/';
    return status == ODP_OK ? full : NULL;
}

/* Enters FILE once more, at PATH. */
static void add_same(struct odp_stage *s, const struct odp_site_file *file, const char *path)
{
    struct odp_file_info info = {.size = file->size};
    memcpy(info.sha256, file->sha256, sizeof info.sha256);
    odp_stage_add(s, path, file->media_type, file->encoding, file->cls, &info);
}

void odp_stage_add_absent(struct odp_stage *s, const struct odp_site_file *file)
{
    add_same(s, file, file->path);
    odp_stage_last(s)->absent = true;
}

enum odp_status odp_stage_link(struct odp_stage *s, const char *from, const char *path,
                               const struct odp_site_file *file)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    const char *full = odp_stage_place(s, path, &arena);
    enum odp_status status = full != NULL ? odp_file_link(from, full) : ODP_FAIL;
    if (status == ODP_OK)
        add_same(s, file, path);
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_stage_link_staged(struct odp_stage *s, const struct odp_site_file *file, const char *path)
{
    struct odp_site_file copy = *file; /* linking may move the list */
    struct odp_arena arena;
    enum odp_status status = ODP_OK;
    odp_arena_init(&arena);
    if (copy.absent)
        add_same(s, &copy, path);
    else
        status = odp_stage_link(s, odp_path_join(&arena, s->dir, copy.path), path, &copy);
    if (status == ODP_OK) {
        odp_stage_last(s)->settled = copy.settled;
        odp_stage_last(s)->absent = copy.absent;
    }
    odp_arena_release(&arena);
    return status;
}

/* ---- read back: documents are made of one another ---- */

enum odp_status odp_stage_read(const struct odp_stage *s, const char *path, size_t max,
                               const struct odp_site *previous, struct odp_buffer *out,
                               struct odp_diags *diags)
{
    const struct odp_site_file *f = odp_stage_find(s, path);
    struct odp_arena arena;
    int errnum = 0;
    if (f == NULL)
        return ODP_DONE;
    if (f->absent) {
        const struct odp_site_file *theirs = previous != NULL ? odp_site_find(previous, path) : NULL;
        return theirs != NULL ? odp_site_read(previous, theirs, out, diags) : ODP_DONE;
    }
    odp_arena_init(&arena);
    const char *disk = odp_stage_place(s, path, &arena);
    enum odp_status status = disk != NULL ? odp_file_read(disk, max, out, &errnum) : ODP_FAIL;
    odp_arena_release(&arena);
    return status == ODP_BAD ? odp_failure_set("read", path, errnum) : status;
}
