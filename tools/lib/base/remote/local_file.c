/* Files on our side of a remote: checked, placed, copied whole or not at all. */
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
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
    char *full = odp_path_join(a, dir, path), *slash = strrchr(full, '/');
    if (slash == NULL || slash == full)
        return full;
    *slash = '\0';
    enum odp_status status = odp_dir_make(full);
    *slash = '/';
    return status == ODP_OK ? full : NULL;
}

enum odp_status remote_copy(const char *from, const char *to, const struct odp_remote_file *f)
{
    struct odp_file_info info;
    struct odp_arena arena = {0};
    const char *part = odp_arena_printf(&arena, "%s.part", to);
    enum odp_status status =
        unlink(part) == 0 || errno == ENOENT ? ODP_OK : odp_failure_set("remove", part, errno);
    if (status == ODP_OK)
        status = odp_file_copy(from, part, 0444, &info);
    if (status == ODP_OK &&
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

void remote_fetched(struct odp_remote *r, struct odp_remote_file *f, enum odp_status one,
                    enum odp_status *status)
{
    f->missing = one == ODP_DONE;
    f->wrong = one == ODP_BAD;
    if (one == ODP_FAIL)
        *status = ODP_FAIL;
    else if (one != ODP_OK && *status == ODP_OK)
        *status =
            remote_fault(r, one == ODP_DONE ? "%s: not there" : "%s: other bytes than expected", f->path);
}

void remote_pause(unsigned n)
{
    unsigned milliseconds = 300u << (n - 1);
    struct timespec t = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        ;
}
