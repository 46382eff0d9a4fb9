/* A folder as a remote: files are copied, never linked, so that neither side can change the other's bytes. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/remote/remote_internal.h"

static enum odp_status folder_read(struct odp_remote *r, const char *path, size_t max, struct odp_buffer *out)
{
    struct odp_arena arena = {0};
    int errnum = 0;
    const char *full = odp_path_join(&arena, r->address, path);
    enum odp_status status = odp_file_read(full, max, out, &errnum);
    if (status == ODP_BAD && (errnum == ENOENT || errnum == ENOTDIR))
        status = ODP_DONE;
    else if (status == ODP_BAD)
        status = remote_fault(r, "%s: %s", path, errnum == EFBIG ? "larger than expected" : strerror(errnum));
    odp_arena_release(&arena);
    return status;
}

/* OK; DONE: not there; BAD: not those bytes. */
static enum odp_status fetch_one(struct odp_remote *r, const struct odp_remote_file *f, const char *dir,
                                 struct odp_arena *a)
{
    const char *from = odp_path_join(a, r->address, f->path);
    enum odp_file_kind kind = odp_file_kind_of(from);
    if (kind == ODP_FILE_NONE)
        return ODP_DONE;
    if (kind != ODP_FILE_REGULAR || odp_file_size_of(from) != f->size)
        return ODP_BAD;
    const char *to = remote_place(a, dir, f->path);
    return to != NULL ? remote_copy(from, to, f) : ODP_FAIL;
}

static enum odp_status folder_fetch(struct odp_remote *r, struct odp_remote_file **files, size_t n,
                                    const char *dir, const struct odp_progress *progress)
{
    struct odp_arena arena = {0};
    uint64_t done = 0, total = 0;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n; i++)
        total += files[i]->size;
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        remote_fetched(r, files[i], fetch_one(r, files[i], dir, &arena), &status);
        done += files[i]->size;
        odp_progress_update(progress, ODP_PHASE_PUBLISH, files[i]->path, done, total, 0);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return status;
}

static enum odp_status folder_put(struct odp_remote *r, const struct odp_remote_put *files, size_t n,
                                  const struct odp_progress *progress)
{
    struct odp_arena arena = {0};
    uint64_t done = 0, total = 0;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n; i++)
        total += files[i].size;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const struct odp_remote_file f = {.path = files[i].path, .size = files[i].size};
        const char *to = remote_place(&arena, r->address, files[i].path);
        status = to != NULL ? (files[i].replace ? ODP_DONE : remote_fits(to, &f)) : ODP_FAIL;
        if (status == ODP_DONE || status == ODP_BAD)
            status = remote_copy(files[i].from, to, &f);
        if (status == ODP_BAD)
            status = remote_fault(r, "%s: cannot be read, or changes while it is read", files[i].from);
        done += files[i].size;
        odp_progress_update(progress, ODP_PHASE_PUBLISH, files[i].path, done, total, 0);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return status;
}

static enum odp_status folder_write(struct odp_remote *r, const char *path, struct odp_slice bytes,
                                    const struct odp_remote_put *how)
{
    struct odp_arena arena = {0};
    const char *to = remote_place(&arena, r->address, path), *part = "";
    enum odp_status status = to != NULL ? ODP_OK : ODP_FAIL;
    if (status == ODP_OK)
        part = odp_arena_printf(&arena, "%s.part", to);
    if (status == ODP_OK && unlink(part) != 0 && errno != ENOENT)
        status = odp_failure_set("remove", part, errno);
    if (status == ODP_OK)
        status = odp_file_put(part, bytes, 0444, NULL);
    if (status == ODP_OK)
        status = odp_file_rename(part, to);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status folder_remove(struct odp_remote *r, const char *const *paths, size_t n)
{
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const char *full = odp_path_join(&arena, r->address, paths[i]);
        if (unlink(full) != 0 && errno != ENOENT && errno != ENOTDIR)
            status = remote_fault(r, "%s: %s", paths[i], strerror(errno));
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return status;
}

static enum odp_status folder_look(struct odp_remote *r, struct odp_remote_file *files, size_t n)
{
    struct odp_arena arena = {0};
    for (size_t i = 0; i < n; i++) {
        const char *full = odp_path_join(&arena, r->address, files[i].path);
        files[i].missing = odp_file_kind_of(full) == ODP_FILE_NONE;
        if (!files[i].missing)
            files[i].size = odp_file_size_of(full);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return ODP_OK;
}

/* ---- list ---- */

struct listing {
    const char *root;
    struct odp_arena *a;
    const char **paths;
    size_t n;
};

/* Follows no symbolic links; DEPTH stops at mounts in a circle. */
static enum odp_status list_folder(struct listing *l, const char *folder, unsigned depth)
{
    const char **names;
    size_t n;
    const char *full = odp_path_join(l->a, l->root, folder);
    enum odp_status status = odp_dir_list(full, l->a, &names, &n);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        struct stat st;
        const char *path = odp_path_join(l->a, folder, names[i]);
        if (lstat(odp_path_join(l->a, full, names[i]), &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth > 0)
            status = list_folder(l, path, depth - 1);
        else if (!S_ISDIR(st.st_mode)) {
            l->paths = odp_arena_more(l->a, l->paths, l->n, sizeof *l->paths);
            l->paths[l->n++] = path;
        }
    }
    return status == ODP_BAD ? ODP_OK : status;
}

static enum odp_status folder_list(struct odp_remote *r, const char *folder, struct odp_arena *a,
                                   const char ***paths, size_t *n)
{
    struct listing l = {.root = r->address, .a = a};
    enum odp_status status = list_folder(&l, folder, 32);
    if (l.n > 1)
        qsort(l.paths, l.n, sizeof *l.paths, odp_by_string);
    *paths = l.paths;
    *n = l.n;
    return status;
}

const struct remote_kind remote_folder = {.read = folder_read,
                                          .fetch = folder_fetch,
                                          .put = folder_put,
                                          .write = folder_write,
                                          .remove = folder_remove,
                                          .look = folder_look,
                                          .list = folder_list};
