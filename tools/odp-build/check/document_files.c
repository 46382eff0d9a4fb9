#include "check/document_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define DEEP  8 /* folders within the folder, where files that nobody names are looked for */
#define SHOWN 3 /* of those */

struct entry {
    uint64_t hash;
    struct odp_document_file *file;
    bool ready;
};

/* An open hash table, never more than half full. */
struct odp_document_files {
    pthread_mutex_t mutex; /* guards everything but what a ready file holds */
    pthread_cond_t changed;
    struct odp_arena arena;
    const char *dir;
    struct entry *entries;
    size_t n, cap;
    bool failed; /* a look failed: nobody waits for it */
};

enum odp_status odp_document_files_new(struct odp_document_files **out, const char *dir)
{
    struct odp_document_files *d = calloc(1, sizeof *d);
    if (d == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    d->dir = odp_arena_str(&d->arena, dir);
    d->cap = 64;
    d->entries = calloc(d->cap, sizeof *d->entries);
    if (d->entries == NULL || pthread_mutex_init(&d->mutex, NULL) != 0)
        goto fail;
    if (pthread_cond_init(&d->changed, NULL) == 0) {
        *out = d;
        return ODP_OK;
    }
    pthread_mutex_destroy(&d->mutex);
fail:
    odp_arena_release(&d->arena);
    free(d->entries);
    free(d);
    return odp_failure_set("allocate memory", NULL, ENOMEM);
}

void odp_document_files_free(struct odp_document_files *d)
{
    if (d == NULL)
        return;
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->mutex);
    odp_arena_release(&d->arena);
    free(d->entries);
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

static struct entry *slot_of(struct entry *entries, size_t cap, uint64_t hash, const char *path)
{
    size_t at = hash & (cap - 1);
    while (entries[at].file != NULL &&
           (entries[at].hash != hash || strcmp(entries[at].file->path, path) != 0))
        at = (at + 1) & (cap - 1);
    return &entries[at];
}

static enum odp_status grow(struct odp_document_files *d)
{
    size_t cap = d->cap * 2;
    struct entry *entries = calloc(cap, sizeof *entries);
    if (entries == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    for (size_t i = 0; i < d->cap; i++)
        if (d->entries[i].file != NULL)
            *slot_of(entries, cap, d->entries[i].hash, d->entries[i].file->path) = d->entries[i];
    free(d->entries);
    d->entries = entries;
    d->cap = cap;
    return ODP_OK;
}

/* Under the mutex. *MINE: the caller must look at it. */
static enum odp_status enter(struct odp_document_files *d, const char *path, struct odp_document_file **out,
                             bool *mine)
{
    uint64_t hash = XXH3_64bits(path, strlen(path));
    *mine = false;
    if (d->n * 2 >= d->cap && grow(d) != ODP_OK)
        return ODP_FAIL;
    struct entry *e = slot_of(d->entries, d->cap, hash, path);
    if (e->file == NULL) {
        struct odp_document_file *f = odp_arena_zero(&d->arena, 1, sizeof *f);
        f->path = odp_arena_str(&d->arena, path);
        *e = (struct entry){hash, f, false};
        d->n++;
        *mine = true;
    }
    *out = e->file;
    return ODP_OK;
}

/* Under the mutex: until another thread has looked. The table may move meanwhile. */
static enum odp_status wait_for(struct odp_document_files *d, const struct odp_document_file *f)
{
    uint64_t hash = XXH3_64bits(f->path, strlen(f->path));
    while (!d->failed && !slot_of(d->entries, d->cap, hash, f->path)->ready)
        pthread_cond_wait(&d->changed, &d->mutex);
    return d->failed ? ODP_FAIL : ODP_OK;
}

static enum odp_status look(struct odp_document_files *d, const char *folder, struct odp_document_file *f)
{
    struct odp_document_file found = {.path = f->path};
    enum odp_status status = find(d->dir, folder, f->path, &found);
    pthread_mutex_lock(&d->mutex);
    if (status == ODP_OK) {
        *f = found;
        slot_of(d->entries, d->cap, XXH3_64bits(f->path, strlen(f->path)), f->path)->ready = true;
    }
    d->failed = d->failed || status != ODP_OK;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->mutex);
    return status;
}

enum odp_status odp_document_files_get(struct odp_document_files *d, const char *folder,
                                       struct odp_slice name, const struct odp_document_file **out)
{
    struct odp_arena a = {0};
    struct odp_document_file *f = NULL;
    bool mine = false;
    enum odp_status status = ODP_FAIL;
    const char *path = odp_arena_printf(&a, "%s/%.*s", folder, (int)name.len, name.ptr);
    pthread_mutex_lock(&d->mutex);
    status = enter(d, path, &f, &mine);
    if (status == ODP_OK && !mine)
        status = wait_for(d, f);
    pthread_mutex_unlock(&d->mutex);
    if (status == ODP_OK && mine)
        status = look(d, folder, f);
    *out = f;
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
    uint64_t hash = XXH3_64bits(path, strlen(path));
    if (slot_of(s->d->entries, s->d->cap, hash, path)->file != NULL)
        return;
    if (s->n++ >= SHOWN)
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
