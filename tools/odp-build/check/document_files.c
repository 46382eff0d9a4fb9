#include "check/document_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/map.h"

#define DEEP  8 /* folders within the folder, where files that nobody names are looked for */
#define SHOWN 3 /* of those */

struct entry {
    struct odp_document_file file;
    bool ready;
};

struct odp_document_files {
    pthread_mutex_t mutex; /* guards everything but what a ready file holds */
    pthread_cond_t changed;
    struct odp_arena arena;
    const char *dir;
    struct odp_map paths;
    struct entry **entries; /* by the number of their path */
    bool failed;            /* a look failed: nobody waits for it */
};

enum odp_status odp_document_files_new(struct odp_document_files **out, const char *dir)
{
    struct odp_document_files *d = calloc(1, sizeof *d);
    if (d == NULL)
        return odp_failure_memory();
    d->dir = odp_arena_str(&d->arena, dir);
    if (pthread_mutex_init(&d->mutex, NULL) != 0)
        goto fail;
    if (pthread_cond_init(&d->changed, NULL) == 0) {
        *out = d;
        return ODP_OK;
    }
    pthread_mutex_destroy(&d->mutex);
fail:
    odp_arena_release(&d->arena);
    free(d);
    return odp_failure_memory();
}

void odp_document_files_free(struct odp_document_files *d)
{
    if (d == NULL)
        return;
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->mutex);
    odp_map_release(&d->paths);
    odp_arena_release(&d->arena);
    free(d);
}

/* ---- one file ---- */

/* Is PATH, a real path, below the real path FOLDER? */
static bool is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || len == 1);
}

static void set_errno(struct odp_document_file *f, int e)
{
    f->place = e == ENOENT || e == ENOTDIR ? ODP_DOCUMENT_MISSING : ODP_DOCUMENT_CLOSED;
    f->info.errnum = e;
}

/* Neither the folder nor the file may lead elsewhere: who brings the data is not always who may read all of
 * this machine. */
static enum odp_status find(const char *dir, const char *folder, const char *path,
                            struct odp_document_file *f)
{
    struct odp_arena a = {0};
    enum odp_status status = ODP_OK;
    const char *below = odp_path_join(&a, dir, folder), *full = odp_path_join(&a, dir, path);
    char *top = realpath(dir, NULL), *base = NULL, *real = NULL;
    base = top != NULL ? realpath(below, NULL) : NULL;
    real = base != NULL ? realpath(full, NULL) : NULL;
    if (real == NULL && errno == ENOMEM)
        status = odp_failure_set("examine", full, ENOMEM);
    else if (base != NULL && !is_below(base, top))
        f->place = ODP_DOCUMENT_OUTSIDE;
    else if (real == NULL)
        set_errno(f, errno);
    else if (!is_below(real, base))
        f->place = ODP_DOCUMENT_OUTSIDE;
    else
        status = odp_document_inspect(real, &f->info);
    if (status == ODP_OK && f->place == ODP_DOCUMENT_HERE && f->info.fault == ODP_DOCUMENT_ABSENT)
        set_errno(f, f->info.errnum);
    free(real);
    free(base);
    free(top);
    odp_arena_release(&a);
    return status;
}

/* ---- the table ---- */

/* Under the mutex. *MINE: the caller must look at it. */
static struct entry *enter(struct odp_document_files *d, const char *path, bool *mine)
{
    const uint32_t i = odp_map_put(&d->paths, odp_slice_of(path), mine);
    if (*mine) {
        d->entries = odp_arena_more(&d->arena, d->entries, i, sizeof *d->entries);
        d->entries[i] = odp_arena_zero(&d->arena, 1, sizeof **d->entries);
        d->entries[i]->file.path = odp_arena_str(&d->arena, path);
    }
    return d->entries[i];
}

/* Under the mutex: until another thread has looked. */
static enum odp_status wait_for(struct odp_document_files *d, const struct entry *e)
{
    while (!d->failed && !e->ready)
        pthread_cond_wait(&d->changed, &d->mutex);
    return d->failed ? ODP_FAIL : ODP_OK;
}

static enum odp_status look(struct odp_document_files *d, const char *folder, struct entry *e)
{
    struct odp_document_file found = {.path = e->file.path};
    enum odp_status status = find(d->dir, folder, found.path, &found);
    pthread_mutex_lock(&d->mutex);
    if (status == ODP_OK)
        *e = (struct entry){found, true};
    d->failed = d->failed || status != ODP_OK;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->mutex);
    return status;
}

enum odp_status odp_document_files_get(struct odp_document_files *d, const char *folder,
                                       struct odp_slice name, const struct odp_document_file **out)
{
    struct odp_arena a = {0};
    bool mine = false;
    const char *path = odp_arena_printf(&a, "%s/%.*s", folder, (int)name.len, name.ptr);
    pthread_mutex_lock(&d->mutex);
    struct entry *e = enter(d, path, &mine);
    enum odp_status status = mine ? ODP_OK : wait_for(d, e);
    pthread_mutex_unlock(&d->mutex);
    if (mine)
        status = look(d, folder, e);
    *out = &e->file;
    odp_arena_release(&a);
    return status;
}

/* ---- files that nobody named ---- */

struct search {
    struct odp_document_files *d;
    struct odp_arena *arena;
    uint64_t seen, n;
    struct odp_buffer *text;
};

/* What programs leave behind. */
static bool is_litter(const char *name)
{
    size_t len = strlen(name);
    return name[0] == '.' || name[0] == '~' || name[len - 1] == '~' || strcmp(name, "Thumbs.db") == 0 ||
           strcmp(name, "desktop.ini") == 0;
}

static void take_file(struct search *s, const char *path, const char *shown)
{
    if (odp_map_find(&s->d->paths, odp_slice_of(path)) != ODP_MAP_NONE || s->n++ >= SHOWN)
        return;
    if (s->n > 1)
        odp_buffer_add_str(s->text, ", ");
    odp_buffer_add_str(s->text, shown);
}

/* HEAD: length of the folder's own name and '/', not shown. */
static enum odp_status search_folder(struct search *s, const char *path, size_t head, int depth)
{
    const char **names;
    size_t n;
    const char *full = odp_path_join(s->arena, s->d->dir, path);
    enum odp_status status = odp_dir_list(full, s->arena, &names, &n);
    if (status != ODP_OK)
        return status == ODP_BAD ? ODP_OK : status;
    for (size_t i = 0; i < n && status == ODP_OK && s->seen < ODP_DOCUMENT_FILES_SEEN; i++) {
        struct stat st;
        const char *below = odp_arena_printf(s->arena, "%s/%s", path, names[i]),
                   *there = odp_path_join(s->arena, full, names[i]);
        s->seen++;
        if (is_litter(names[i]) || lstat(there, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth < DEEP)
            status = search_folder(s, below, head, depth + 1);
        else if (S_ISREG(st.st_mode))
            take_file(s, below, below + head);
    }
    return status;
}

enum odp_status odp_document_files_unnamed(struct odp_document_files *d, const char *folder, uint64_t *n,
                                           struct odp_buffer *text)
{
    struct odp_arena a = {0};
    struct search s = {d, &a, 0, 0, text};
    enum odp_status status = search_folder(&s, folder, strlen(folder) + 1, 0);
    if (s.n > SHOWN)
        odp_buffer_add_str(text, ", …");
    *n = s.n;
    odp_arena_release(&a);
    return status == ODP_OK ? odp_buffer_status(text) : status;
}
