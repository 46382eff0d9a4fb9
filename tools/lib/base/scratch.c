#include "base/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum odp_status odp_scratch_open(int *fd, const char *what)
{
    char path[4096];
    const char *dir = getenv("TMPDIR");
    *fd = -1;
    int n = snprintf(path, sizeof path, "%s/%s-XXXXXX", dir != NULL && *dir != '\0' ? dir : "/tmp", what);
    if (n < 0 || (size_t)n >= sizeof path)
        return odp_failure_set("mkstemp", dir, ENAMETOOLONG);
    *fd = mkstemp(path);
    if (*fd < 0)
        return odp_failure_set("mkstemp", path, errno);
    if (unlink(path) == 0)
        return ODP_OK;
    enum odp_status status = odp_failure_set("unlink", path, errno);
    (void)close(*fd);
    *fd = -1;
    return status;
}

enum odp_status odp_scratch_write(int fd, const void *bytes, size_t len, uint64_t at, const char *what)
{
    for (const char *p = bytes; len > 0;) {
        ssize_t n = pwrite(fd, p, len, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return odp_failure_set("write", what, n < 0 ? errno : ENOSPC);
        p += n;
        len -= (size_t)n;
        at += (uint64_t)n;
    }
    return ODP_OK;
}

enum odp_status odp_scratch_read(int fd, void *bytes, size_t len, uint64_t at, const char *what)
{
    for (char *p = bytes; len > 0;) {
        ssize_t n = pread(fd, p, len, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return odp_failure_set("read", what, n < 0 ? errno : EIO);
        p += n;
        len -= (size_t)n;
        at += (uint64_t)n;
    }
    return ODP_OK;
}
