#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Above the numbers of processes. In a container every run may have the same one (1), and find what a killed
 * one left under it: another container may use it, so it stays, and this run takes a number that is as good
 * as its own. */
enum { PROCESSES = 1 << 22, NAMES = 100 };
enum {
    FRESH = 600
}; /* seconds: a process of another container on the same folder is not seen from here, but what it writes now
      is fresh */

/* Whether NAME is BEFORE, the number of a process that has ended, and AFTER. */
static bool is_left(const char *name, const char *before, const char *after)
{
    size_t len = strlen(name), head = strlen(before), tail = strlen(after);
    char *end;
    if (len <= head + tail || strncmp(name, before, head) != 0 || strcmp(name + len - tail, after) != 0 ||
        name[head] < '1' || name[head] > '9')
        return false;
    errno = 0;
    long long number = strtoll(name + head, &end, 10);
    if (errno != 0 || end != name + len - tail || number / PROCESSES >= NAMES || number % PROCESSES == 0)
        return false;
    return kill((pid_t)(number % PROCESSES), 0) != 0 && errno == ESRCH;
}

/* Whatever cannot be examined or removed stays for the next run. */
static void remove_left(const char *dir, const char *before, const char *after)
{
    struct dirent *e;
    struct stat st;
    time_t now = time(NULL);
    DIR *names = opendir(dir);
    while (names != NULL && (e = readdir(names)) != NULL)
        if (is_left(e->d_name, before, after) &&
            fstatat(dirfd(names), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
            st.st_mtime + FRESH < now)
            (void)unlinkat(dirfd(names), e->d_name, 0);
    if (names != NULL)
        closedir(names);
}

char *odp_temporary(struct odp_arena *a, const char *before, const char *after)
{
    struct stat st;
    const char *slash = strrchr(before, '/');
    char *dir = odp_arena_str(a, slash != NULL ? before : "."), *name = NULL;
    if (slash != NULL)
        dir[slash == before ? 1 : slash - before] = '\0';
    remove_left(dir, slash != NULL ? slash + 1 : before, after);
    for (long long k = 0; k < NAMES; k++) {
        name = odp_arena_printf(a, "%s%lld%s", before, (long long)getpid() + k * PROCESSES, after);
        if (lstat(name, &st) != 0)
            break;
    }
    return name;
}

char *odp_temporary_of(struct odp_arena *a, const char *path, const char *end)
{
    const char *before = odp_arena_printf(a, "%s.", path);
    return odp_temporary(a, before, end);
}

enum odp_status odp_file_replace(const char *path, struct odp_slice bytes, mode_t mode)
{
    struct odp_arena a = {0};
    const char *fresh = odp_temporary_of(&a, path, ".tmp");
    enum odp_status status = fresh != NULL ? odp_file_put(fresh, bytes, mode, NULL) : ODP_FAIL;
    if (status == ODP_OK)
        status = odp_file_place(fresh, path);
    odp_arena_release(&a);
    return status;
}

const char *odp_temporary_place(void)
{
    const char *dir = getenv("TMPDIR");
    return dir != NULL && *dir != '\0' ? dir : "/tmp";
}

enum odp_status odp_scratch_open(int *fd, const char *what)
{
    char path[4096];
    *fd = -1;
    int n = snprintf(path, sizeof path, "%s/%s-XXXXXX", odp_temporary_place(), what);
    if (n < 0 || (size_t)n >= sizeof path)
        return odp_failure_set("mkstemp", odp_temporary_place(), ENAMETOOLONG);
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
