#include "run/export_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what emitters write to ---- */

static char *hidden_place(const struct export_folder *f, const char *path, struct odp_arena *a)
{
    return odp_path_join(a, f->hidden, odp_path_last(path));
}

static enum odp_status folder_create(void *ctx, const char *path, struct odp_file **out)
{
    struct odp_arena arena = {0};
    const char *place = hidden_place(ctx, path, &arena);
    *out = NULL;
    enum odp_status status = odp_file_create(out, place, 0644);
    odp_arena_release(&arena);
    return status;
}

static void note_file(struct export_folder *f, const char *path, const struct odp_file_info *info)
{
    pthread_mutex_lock(f->mutex);
    f->files = odp_arena_more(f->arena, f->files, f->nfiles, sizeof *f->files);
    struct odp_exported *file = &f->files[f->nfiles++];
    *file = (struct odp_exported){.path = odp_arena_str(f->arena, odp_path_last(path)), .size = info->size};
    memcpy(file->sha256, info->sha256, sizeof file->sha256);
    pthread_mutex_unlock(f->mutex);
}

static enum odp_status folder_close(void *ctx, struct odp_file *file, const char *path,
                                    const char *media_type, enum odp_class cls)
{
    struct odp_file_info info;
    enum odp_status status = odp_file_close(file, &info);
    if (status == ODP_OK)
        note_file(ctx, path, &info);
    return status;
}

static char *folder_scratch(void *ctx, struct odp_arena *a)
{
    struct export_folder *f = ctx;
    pthread_mutex_lock(f->mutex);
    unsigned long long n = ++f->scratches;
    pthread_mutex_unlock(f->mutex);
    return odp_arena_printf(a, "%s/.scratch-%llu", f->hidden, n);
}

static char *folder_place(void *ctx, const char *path, struct odp_arena *a)
{
    return hidden_place(ctx, path, a);
}

static enum odp_status folder_seal(void *ctx, const char *path, const char *media_type, enum odp_class cls)
{
    struct odp_file_info info;
    struct odp_arena arena = {0};
    const char *place = hidden_place(ctx, path, &arena);
    enum odp_status status = odp_file_seal(place, &info);
    if (status == ODP_OK && chmod(place, 0644) != 0)
        status = odp_failure_set("chmod", place, errno);
    if (status == ODP_OK)
        note_file(ctx, path, &info);
    odp_arena_release(&arena);
    return status;
}

static void folder_drop(void *ctx, const char *path)
{
    struct odp_arena arena = {0};
    const char *place = hidden_place(ctx, path, &arena);
    (void)unlink(place);
    odp_arena_release(&arena);
}

/* ---- open, close ---- */

/* The uppermost folder of DIR's path that is not there, or NULL. */
static const char *find_missing(const char *dir, struct odp_arena *a)
{
    const char *missing = NULL;
    char *path = odp_arena_str(a, dir);
    for (char *end = path + strlen(path); end != NULL && end > path;) {
        *end = '\0';
        if (odp_file_kind_of(path) != ODP_FILE_NONE)
            break;
        missing = odp_arena_str(a, path);
        end = strrchr(path, '/');
        while (end != NULL && end > path && end[-1] == '/')
            end--;
    }
    return missing;
}

enum odp_status export_folder_open(struct export_folder *f, const char *dir, struct odp_arena *a,
                                   pthread_mutex_t *mutex)
{
    *f = (struct export_folder){.arena = a, .lock = -1, .mutex = mutex};
    f->output = (struct odp_output){.ctx = f,
                                    .create = folder_create,
                                    .close = folder_close,
                                    .scratch = folder_scratch,
                                    .place = folder_place,
                                    .seal = folder_seal,
                                    .drop = folder_drop};
    char *own = odp_arena_str(a, dir);
    for (size_t len = strlen(own); len > 1 && own[len - 1] == '/'; len--)
        own[len - 1] = '\0';
    f->dir = own;
    const char *hidden = odp_path_join(a, own, ".odp-export");
    f->made = find_missing(own, a);
    if (odp_dir_make(own) != ODP_OK)
        return ODP_FAIL;
    f->lock = open(own, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->lock < 0)
        return odp_failure_set("open folder", own, errno);
    if (flock(f->lock, LOCK_EX | LOCK_NB) != 0) {
        f->made = NULL; /* the other one is in it, and may have nothing there yet */
        return errno == EWOULDBLOCK ? ODP_BAD : odp_failure_set("lock", own, errno);
    }
    f->hidden = hidden; /* ours from here on; what a killed run has left goes */
    return odp_dir_remove(hidden) == ODP_OK ? odp_dir_make(hidden) : ODP_FAIL;
}

void export_folder_close(struct export_folder *f)
{
    if (f->dir == NULL)
        return;
    enum odp_status removed = f->hidden != NULL ? odp_dir_remove(f->hidden) : ODP_OK;
    (void)removed; /* what is left of it the next run removes */
    size_t top = f->made != NULL ? strlen(f->made) : SIZE_MAX;
    char *dir = f->made != NULL ? odp_arena_str(f->arena, f->dir) : NULL;
    for (size_t len = dir != NULL ? strlen(dir) : 0;
         len >= top && rmdir(dir) == 0;) { /* only where nothing is in it */
        while (len > 0 && dir[len - 1] != '/')
            len--;
        while (len > 0 && dir[len - 1] == '/')
            len--;
        dir[len] = '\0';
    }
    if (f->lock >= 0)
        (void)close(f->lock);
    f->dir = NULL;
}

/* ---- the end ---- */

static enum odp_status put_sums(const struct export_folder *f, const char *path)
{
    struct odp_buffer text = {0};
    char hex[ODP_SHA256_HEX];
    for (size_t i = 0; i < f->nfiles; i++) {
        odp_digest_hex(f->files[i].sha256, hex);
        odp_buffer_printf(&text, "%s  %s\n", hex, f->files[i].path);
    }
    enum odp_status status = odp_buffer_status(&text);
    if (status == ODP_OK)
        status = odp_file_put(path, odp_buffer_slice(&text), 0644, NULL);
    odp_buffer_release(&text);
    return status;
}

static enum odp_status move(const char *from, const char *to)
{
    return rename(from, to) == 0 ? ODP_OK : odp_failure_set("rename", to, errno);
}

enum odp_status export_folder_commit(struct export_folder *f)
{
    const char *sums = odp_path_join(f->arena, f->hidden, "SHA256SUMS"),
               *at = odp_path_join(f->arena, f->dir, "SHA256SUMS");
    if (f->nfiles > 0)
        qsort(f->files, f->nfiles, sizeof *f->files, odp_by_string); /* a string comes first in them */
    enum odp_status status = put_sums(f, sums);
    if (status == ODP_OK)
        status = odp_memory_status();
    for (size_t i = 0; i < f->nfiles && status == ODP_OK; i++) {
        const char *from = odp_path_join(f->arena, f->hidden, f->files[i].path);
        f->files[i].path = odp_path_join(f->arena, f->dir, f->files[i].path);
        status = move(from, f->files[i].path);
    }
    if (status == ODP_OK) /* the files are on the disk before the list that names them */
        status = odp_dir_sync(f->dir);
    return status == ODP_OK && move(sums, at) == ODP_OK ? odp_dir_sync(f->dir) : ODP_FAIL;
}
