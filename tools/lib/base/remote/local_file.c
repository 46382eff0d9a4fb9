/* Files on our side of a remote: what is there already, where they go, copied whole or not at all. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/remote/remote_internal.h"

enum odp_status remote_fits(const char *path, const struct odp_remote_file *f)
{
    struct odp_file_info info;
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR ? ODP_DONE : odp_failure_set("examine", path, errno);
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != f->size)
        return ODP_BAD;
    if (f->sha256 == NULL)
        return ODP_OK;
    if (odp_file_seal(path, &info) != ODP_OK)
        return ODP_FAIL;
    return memcmp(info.sha256, f->sha256, sizeof info.sha256) == 0 ? ODP_OK : ODP_BAD;
}

char *remote_place(struct odp_arena *a, const char *dir, const char *path)
{
    char *full = odp_path_join(a, dir, path);
    char *slash = strrchr(full, '/');
    if (slash == NULL || slash == full)
        return full;
    *slash = '\0';
    enum odp_status status = odp_dir_make(full);
    *slash = '/';
    return status == ODP_OK ? full : NULL;
}

static enum odp_status copy_bytes(const char *from, struct odp_file *to)
{
    enum { PIECE = 128 << 10 };
    struct odp_reader *reader = NULL;
    size_t got = 0;
    int errnum;
    enum odp_status status = odp_reader_open(&reader, from, &errnum);
    if (status != ODP_OK)
        return status;
    char *piece = malloc(PIECE);
    if (piece == NULL)
        status = odp_failure_set("copy", from, ENOMEM);
    while (status == ODP_OK && (status = odp_reader_read(reader, piece, PIECE, &got)) == ODP_OK)
        status = odp_file_write(to, piece, got);
    free(piece);
    odp_reader_close(reader);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status remote_copy(const char *from, const char *to, const struct odp_remote_file *f)
{
    struct odp_file *file = NULL;
    struct odp_file_info info;
    struct odp_arena arena;
    odp_arena_init(&arena);
    const char *part = odp_arena_printf(&arena, "%s.part", to);
    enum odp_status status =
        unlink(part) == 0 || errno == ENOENT ? ODP_OK : odp_failure_set("remove", part, errno);
    if (status == ODP_OK)
        status = odp_file_create(&file, part, 0444);
    if (status == ODP_OK && (status = copy_bytes(from, file)) != ODP_OK)
        odp_file_discard(file);
    else if (status == ODP_OK)
        status = odp_file_close(file, &info);
    if (status == ODP_OK && f != NULL &&
        (info.size != f->size ||
         (f->sha256 != NULL && memcmp(info.sha256, f->sha256, sizeof info.sha256) != 0))) {
        (void)unlink(part);
        status = ODP_BAD;
    }
    if (status == ODP_OK)
        status = odp_file_rename(part, to);
    odp_arena_release(&arena);
    return status;
}
