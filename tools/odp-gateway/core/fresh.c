#include "core/fresh.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"

static int fill(int fd, const void *head, size_t len, uint64_t allocated, uint64_t size)
{
    int error = posix_fallocate(fd, 0, (off_t)allocated);
    if (error != 0)
        return error;
    ssize_t put = pwrite(fd, head, len, 0);
    if (put != (ssize_t)len)
        return put < 0 ? errno : ENOSPC;
    return ftruncate(fd, (off_t)size) == 0 && fsync(fd) == 0 ? 0 : errno;
}

static enum odp_status make(const char *temporary, const char *path, const void *head, size_t len,
                            uint64_t allocated, uint64_t size)
{
    /* One left by a killed writer is removed, never written into: it may have become a link. */
    (void)unlink(temporary);
    int fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return odp_failure_set("create", temporary, errno);
    int error = fill(fd, head, len, allocated, size);
    if (close(fd) != 0 && error == 0)
        error = errno;
    enum odp_status status =
        error == 0 ? odp_file_rename(temporary, path) : odp_failure_set("write", temporary, error);
    if (status != ODP_OK)
        (void)unlink(temporary);
    return status;
}

enum odp_status odp_fresh_file(const char *path, const void *head, size_t len, uint64_t allocated,
                               uint64_t size)
{
    struct odp_arena a = {0};
    enum odp_status status = make(odp_arena_printf(&a, "%s.new", path), path, head, len, allocated, size);
    odp_arena_release(&a);
    return status;
}
