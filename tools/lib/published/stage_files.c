/* The files of a stage: their list, their places on the disk, links to them. Any thread. */
#include "base/media.h"
#include "published/site_internal.h"
#include "published/stage_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the list of files ---- */

/* As HTTP sends it. What the API answers is in UTF-8, which JSON always is, but not all clients know. */
static const char *sent_type(const char *path, const char *media_type)
{
    bool api = strncmp(path, "v1/", 3) == 0 && strcmp(media_type, "application/json") == 0;
    return api ? "application/json; charset=utf-8" : media_type;
}

/* The number of the file at PATH, a new one where there is none. */
static uint32_t number_of(struct stage_list *l, const char *path)
{
    bool fresh, first;
    uint32_t number = odp_map_put(&l->paths, odp_slice_of(path), &fresh);
    if (!fresh)
        return number;
    uint32_t slug = odp_map_put(&l->slugs, odp_site_path_slug(path), &first);
    if (first) {
        l->newest = odp_arena_more(&l->arena, l->newest, slug, sizeof *l->newest);
        l->newest[slug] = ODP_MAP_NONE;
    }
    l->files = odp_arena_more(&l->arena, l->files, l->n, sizeof *l->files);
    l->before = odp_arena_more(&l->arena, l->before, l->n, sizeof *l->before);
    l->order = odp_arena_more(&l->arena, l->order, l->n, sizeof *l->order);
    l->order[number] = number;
    l->before[number] = l->newest[slug];
    l->newest[slug] = number;
    l->n++;
    return number;
}

bool odp_stage_wants_twins(const struct odp_site_file *f)
{
    return !f->settled && !f->absent && f->encoding == NULL && f->size > ODP_PACKET &&
           f->cls != ODP_CLASS_INTERNAL && odp_media_of(f->media_type) == ODP_MEDIA_TEXT;
}

/* LASTS: FILE's texts are there as long as the stage is. */
static void enter(struct odp_stage *s, const struct odp_site_file *file, bool lasts)
{
    struct stage_list *l = s->list;
    pthread_mutex_lock(&l->mutex);
    uint32_t number = number_of(l, file->path); /* may move the list */
    struct odp_site_file *f = &l->files[number];
    if (number < l->ordered && f->path == NULL) /* it was dropped, and has another place now */
        l->ordered = 0;
    *f = *file;
    if (!lasts) {
        f->path = odp_arena_str(&l->arena, file->path);
        f->media_type = odp_arena_str(&l->arena, sent_type(file->path, file->media_type));
        f->encoding = file->encoding != NULL ? odp_arena_str(&l->arena, file->encoding) : NULL;
    }
    l->sorted = NULL;
    odp_part_put(s, file);
    if (s->ahead != NULL && odp_stage_wants_twins(f))
        pthread_cond_signal(&l->more);
    pthread_mutex_unlock(&l->mutex);
}

void odp_stage_enter(struct odp_stage *s, const struct odp_site_file *file)
{
    enter(s, file, false);
}

void odp_stage_add(struct odp_stage *s, const char *path, const char *media_type, const char *encoding,
                   enum odp_class cls, const struct odp_file_info *info)
{
    struct odp_site_file f = {
        .path = path, .media_type = media_type, .encoding = encoding, .cls = cls, .size = info->size};
    memcpy(f.sha256, info->sha256, sizeof f.sha256);
    odp_stage_enter(s, &f);
}

void odp_stage_add_absent(struct odp_stage *s, const struct odp_site_file *file)
{
    struct odp_site_file f = *file;
    f.absent = true;
    odp_stage_enter(s, &f);
}

static bool is_within(struct odp_slice texts, const char *text)
{
    return (uintptr_t)text - (uintptr_t)texts.ptr < texts.len;
}

/* By path; what was dropped comes last. Paths of the site before lie in order: most need not be compared. */
static int in_order(const void *a, const void *b, void *list)
{
    const struct stage_list *l = list;
    const char *x = l->files[*(const uint32_t *)a].path, *y = l->files[*(const uint32_t *)b].path;
    if (x == NULL || y == NULL)
        return (x == NULL) - (y == NULL);
    return is_within(l->texts, x) && is_within(l->texts, y) ? (x > y) - (x < y) : strcmp(x, y);
}

/* Sorts what has come since, and merges it into the order. */
static void sort_new(struct stage_list *l)
{
    struct odp_arena arena = {0};
    size_t old = l->ordered, fresh = l->n - old;
    uint32_t *came = odp_arena_array(&arena, fresh + 1, sizeof *came);
    if (fresh > 0) {
        memcpy(came, l->order + old, fresh * sizeof *came);
        qsort_r(came, fresh, sizeof *came, in_order, l);
    }
    for (size_t to = l->n; fresh > 0;) {
        bool moves = old > 0 && in_order(&l->order[old - 1], &came[fresh - 1], l) > 0;
        l->order[--to] = moves ? l->order[--old] : came[--fresh];
    }
    l->ordered = l->n;
    odp_arena_release(&arena);
}

static void sort_list(struct stage_list *l)
{
    if (l->sorted != NULL)
        return;
    sort_new(l);
    odp_arena_reset(&l->copies);
    l->sorted = odp_arena_array(&l->copies, l->n + 1, sizeof *l->sorted);
    for (l->nsorted = 0; l->nsorted < l->n && l->files[l->order[l->nsorted]].path != NULL; l->nsorted++)
        l->sorted[l->nsorted] = l->files[l->order[l->nsorted]];
}

const struct odp_site_file *odp_stage_files(const struct odp_stage *s, size_t *n)
{
    struct stage_list *l = s->list;
    odp_part_asked_all(s);
    pthread_mutex_lock(&l->mutex);
    sort_list(l);
    *n = l->nsorted;
    pthread_mutex_unlock(&l->mutex);
    return l->sorted;
}

static struct odp_site_file *find(struct stage_list *l, const char *path)
{
    uint32_t number = odp_map_find(&l->paths, odp_slice_of(path));
    return number != ODP_MAP_NONE && l->files[number].path != NULL ? &l->files[number] : NULL;
}

const struct odp_site_file *odp_stage_look(const struct odp_stage *s, const char *path)
{
    pthread_mutex_lock(&s->list->mutex);
    const struct odp_site_file *f = find(s->list, path);
    pthread_mutex_unlock(&s->list->mutex);
    return f;
}

const struct odp_site_file *odp_stage_find(const struct odp_stage *s, const char *path)
{
    const struct odp_site_file *f = odp_stage_look(s, path);
    odp_part_asked(s, path, f);
    return f;
}

bool odp_stage_has(const struct odp_stage *s, const char *path)
{
    const struct odp_site_file *f = odp_stage_look(s, path);
    odp_part_asked_there(s, path, f);
    return f != NULL;
}

const struct odp_site_file *odp_stage_below(const struct odp_stage *s, const char *prefix,
                                            struct odp_arena *a, size_t *n)
{
    struct stage_list *l = s->list;
    struct odp_site_file *found = NULL;
    *n = 0;
    odp_part_asked_all(s);
    pthread_mutex_lock(&l->mutex);
    uint32_t slug = odp_map_find(&l->slugs, odp_site_path_slug(prefix));
    for (uint32_t i = slug != ODP_MAP_NONE ? l->newest[slug] : ODP_MAP_NONE; i != ODP_MAP_NONE;
         i = l->before[i]) {
        if (l->files[i].path == NULL || strncmp(l->files[i].path, prefix, strlen(prefix)) != 0)
            continue;
        found = odp_arena_more(a, found, *n, sizeof *found);
        found[(*n)++] = l->files[i];
    }
    pthread_mutex_unlock(&l->mutex);
    if (*n > 0)
        qsort(found, *n, sizeof *found, odp_site_file_by_path);
    return found;
}

static bool is_history(const char *path)
{
    return path != NULL && strncmp(path, "data/", 5) == 0 &&
           strcmp(path + 5 + strcspn(path + 5, "/"), "/versions.json") == 0;
}

const struct odp_site_file *odp_stage_histories(const struct odp_stage *s, struct odp_arena *a, size_t *n)
{
    struct stage_list *l = s->list;
    odp_part_asked_all(s);
    pthread_mutex_lock(&l->mutex);
    struct odp_site_file *found = odp_arena_array(a, l->slugs.n + 1, sizeof *found);
    *n = 0;
    for (uint32_t slug = 0; slug < l->slugs.n; slug++) {
        uint32_t i = l->newest[slug];
        while (i != ODP_MAP_NONE && !is_history(l->files[i].path))
            i = l->before[i];
        if (i != ODP_MAP_NONE)
            found[(*n)++] = l->files[i];
    }
    pthread_mutex_unlock(&l->mutex);
    qsort(found, *n, sizeof *found, odp_site_file_by_path);
    return found;
}

void odp_stage_set_class(struct odp_stage *s, const char *path, enum odp_class cls)
{
    pthread_mutex_lock(&s->list->mutex);
    struct odp_site_file *f = find(s->list, path);
    if (f != NULL && f->cls != cls) {
        f->cls = cls;
        s->list->sorted = NULL;
    }
    pthread_mutex_unlock(&s->list->mutex);
}

/* ---- places and links ---- */

/* Makes the folder of PATH in the stage, unless it has been made; what is left over at PATH goes. */
static enum odp_status make_way(const struct odp_stage *s, const char *path)
{
    struct stage_list *l = s->list;
    const char *slash = strrchr(path, '/');
    const struct odp_slice folder = {path, slash != NULL ? (size_t)(slash - path) : 0};
    struct odp_arena arena = {0};
    bool fresh;
    enum odp_status status = ODP_OK;
    if (s->dir == NULL || !odp_site_path_ok(path))
        return odp_failure_set("stage", path, EINVAL);
    pthread_mutex_lock(&l->mutex);
    if (odp_map_find(&l->folders, folder) == ODP_MAP_NONE) {
        status = odp_dir_make(odp_arena_printf(&arena, "%s/%.*s", s->dir, (int)folder.len, path));
        if (status == ODP_OK)
            (void)odp_map_put(&l->folders, folder, &fresh);
    }
    pthread_mutex_unlock(&l->mutex);
    odp_arena_release(&arena);
    return status == ODP_OK ? odp_stage_remove_left(s, path) : status;
}

char *odp_stage_place(const struct odp_stage *s, const char *path, struct odp_arena *a)
{
    return make_way(s, path) == ODP_OK ? odp_path_join(a, s->dir, path) : NULL;
}

enum odp_status odp_stage_link(struct odp_stage *s, const char *from, const char *path,
                               const struct odp_site_file *file)
{
    struct odp_arena arena = {0};
    const char *full = odp_stage_place(s, path, &arena);
    enum odp_status status = full != NULL ? odp_file_link(from, full) : ODP_FAIL;
    struct odp_site_file at = *file;
    at.path = path;
    at.absent = false;
    if (status == ODP_OK)
        odp_stage_enter(s, &at);
    odp_arena_release(&arena);
    return status;
}

/* By the open folders of both: the way to them is walked for no file. */
enum odp_status odp_stage_link_of(struct odp_stage *s, const struct odp_site *site,
                                  const struct odp_site_file *from, const struct odp_site_file *file)
{
    struct odp_arena arena = {0};
    const bool same = site == s->same && file->path == from->path,
               there = same && odp_stage_keep_left(s, from);
    enum odp_status status = there ? ODP_OK : make_way(s, file->path);
    if (there ||
        (status == ODP_OK && linkat(odp_site_folder(site), from->path, s->disk, file->path, 0) == 0)) {
        enter(s, file, same && file->media_type == from->media_type);
    } else if (status == ODP_OK) { /* that one copies where there can be no link, and says what is wrong */
        s->copies = true;
        status = odp_stage_link(s, odp_path_join(&arena, odp_site_dir(site), from->path), file->path, file);
    }
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_stage_link_staged(struct odp_stage *s, const struct odp_site_file *file, const char *path)
{
    struct odp_site_file copy = *file; /* linking may move the list */
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    const char *from = odp_path_join(&arena, s->dir, copy.path);
    copy.path = path;
    if (copy.absent)
        odp_stage_enter(s, &copy);
    else
        status = odp_stage_link(s, from, path, &copy);
    odp_arena_release(&arena);
    return status;
}

/* ---- read back: documents are made of one another ---- */

enum odp_status odp_stage_read(const struct odp_stage *s, const char *path, size_t max,
                               const struct odp_site *previous, struct odp_buffer *out,
                               struct odp_diags *diags)
{
    const struct odp_site_file *f = odp_stage_find(s, path);
    struct odp_arena arena = {0};
    int errnum = 0;
    if (f == NULL)
        return ODP_DONE;
    if (f->absent) {
        const struct odp_site_file *theirs = previous != NULL ? odp_site_find(previous, path) : NULL;
        return theirs != NULL ? odp_site_read(previous, theirs, out, diags) : ODP_DONE;
    }
    const char *disk = odp_stage_place(s, path, &arena);
    enum odp_status status = disk != NULL ? odp_file_read(disk, max, out, &errnum) : ODP_FAIL;
    odp_arena_release(&arena);
    return status == ODP_BAD ? odp_failure_set("read", path, errnum) : status;
}
