/* The calls about files that take libc's place. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gateway_shim.h"

/* A kind that SQLite has apart. */
static bool one_fails(enum origin o, enum kind program, enum kind sqlite)
{
    return o == PROGRAM ? fails(program) : o == SQLITE ? fails(sqlite) : false;
}

static bool over_budget(int fd, ssize_t n)
{
    char path[PATH_MAX];
    struct stat st;
    if (block == NULL || atomic_load(&block->budget) < 0 || n <= 0 || fstat(fd, &st) != 0 ||
        !S_ISREG(st.st_mode) || !path_of(fd, path))
        return false;
    int64_t left = atomic_load(&block->budget);
    do {
        if (left < n) {
            errno = atomic_load(&block->budget_errnum);
            return true;
        }
    } while (!atomic_compare_exchange_weak(&block->budget, &left, left - n));
    return false;
}

/* ---- opening ---- */

static mode_t mode_of(int flags, va_list *list)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(*list, mode_t) : 0;
}

static bool exists(int dir, const char *path)
{
    struct stat st;
    int saved = errno;
    bool there = fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
    errno = saved;
    return there;
}

static int open_it(enum origin o, int dir, const char *path, int flags, mode_t mode)
{
    char full[PATH_MAX];
    if (one_fails(o, K_open, K_sqlopen))
        return -1;
    bool known = logging() && full_path(dir, path, full),
         fresh = known && (flags & O_CREAT) != 0 && !exists(dir, path);
    int fd = (int)syscall(SYS_openat, dir, path, flags, mode);
    if (fd >= 0 && fresh)
        put(NULL, 0, "create %llu %s", inode(fd), full);
    else if (fd >= 0 && known && (flags & O_TRUNC) != 0)
        put(NULL, 0, "cut %llu 0 0", inode(fd));
    return fd;
}

#define OPEN(name, dir_parameter, dir)                                                                       \
    int name(dir_parameter const char *path, int flags, ...)                                                 \
    {                                                                                                        \
        va_list list;                                                                                        \
        va_start(list, flags);                                                                               \
        mode_t mode = mode_of(flags, &list);                                                                 \
        va_end(list);                                                                                        \
        return open_it(CALLER, dir, path, flags, mode);                                                      \
    }
#define DIR_PARAMETER int dir,
OPEN(open, , AT_FDCWD)
OPEN(open64, , AT_FDCWD)
OPEN(openat, DIR_PARAMETER, dir)
OPEN(openat64, DIR_PARAMETER, dir)

DIR *opendir(const char *path)
{
    return CALLER == PROGRAM && fails(K_open) ? NULL : NEXT(opendir)(path);
}

FILE *fopen64(const char *path, const char *mode)
{
    return CALLER == PROGRAM && fails(K_open) ? NULL : NEXT(fopen64)(path, mode);
}

/* ---- reading, writing, syncing ---- */

ssize_t read(int fd, void *p, size_t n)
{
    return fd > 2 && one_fails(CALLER, K_read, K_sqlread) ? -1 : NEXT(read)(fd, p, n);
}

ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __read_chk(int fd, void *p, size_t n, size_t room)
{
    return fd > 2 && one_fails(CALLER, K_read, K_sqlread) ? -1 : NEXT(read)(fd, p, n < room ? n : room);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
    return one_fails(CALLER, K_read, K_sqlread) ? -1 : (ssize_t)syscall(SYS_pread64, fd, p, n, at);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
    return one_fails(CALLER, K_read, K_sqlread) ? -1 : (ssize_t)syscall(SYS_pread64, fd, p, n, at);
}

ssize_t write(int fd, const void *p, size_t n)
{
    if (fd > 2 && (one_fails(CALLER, K_write, K_sqlwrite) || over_budget(fd, (ssize_t)n)))
        return -1;
    ssize_t got = NEXT(write)(fd, p, n);
    log_write(fd, p, got, -1);
    return got;
}

static ssize_t write_at(enum origin o, int fd, const void *p, size_t n, off_t at)
{
    if (one_fails(o, K_write, K_sqlwrite) || over_budget(fd, (ssize_t)n))
        return -1;
    ssize_t got = (ssize_t)syscall(SYS_pwrite64, fd, p, n, at);
    log_write(fd, p, got, at);
    return got;
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    return write_at(CALLER, fd, p, n, at);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    return write_at(CALLER, fd, p, n, at);
}

#define SYNC(name)                                                                                           \
    int name(int fd)                                                                                         \
    {                                                                                                        \
        if (one_fails(CALLER, K_fsync, K_sqlsync))                                                           \
            return -1;                                                                                       \
        int e = NEXT(name)(fd);                                                                              \
        if (e == 0)                                                                                          \
            log_sync(fd);                                                                                    \
        return e;                                                                                            \
    }
SYNC(fsync)
SYNC(fdatasync)
SYNC(syncfs)

int msync(void *at, size_t n, int flags)
{
    if (CALLER == PROGRAM && fails(K_fsync))
        return -1;
    int e = NEXT(msync)(at, n, flags);
    if (e == 0)
        table_synced(at);
    return e;
}

/* ---- names ---- */

/* Two names, or one. */
static void log_names(const char *what, int a, const char *from, int b, const char *to)
{
    char one[PATH_MAX] = "-", two[PATH_MAX] = "-";
    bool here = logging() && full_path(a, from, one);
    if (to != NULL && logging())
        here = full_path(b, to, two) || here;
    if (here)
        put(NULL, 0, "%s %s\t%s", what, one, two);
}

#define NAMED(k, log, name, args, pass, a, from, b, to)                                                      \
    int name args                                                                                            \
    {                                                                                                        \
        if (CALLER == PROGRAM && fails(k))                                                                   \
            return -1;                                                                                       \
        int e = NEXT(name) pass;                                                                             \
        if (e == 0)                                                                                          \
            log_names(log, a, from, b, to);                                                                  \
        return e;                                                                                            \
    }
NAMED(K_rename, "rename", rename, (const char *from, const char *to), (from, to), AT_FDCWD, from, AT_FDCWD,
      to)
NAMED(K_rename, "rename", renameat2, (int a, const char *from, int b, const char *to, unsigned flags),
      (a, from, b, to, flags), a, from, b, to)
NAMED(K_link, "link", link, (const char *from, const char *to), (from, to), AT_FDCWD, from, AT_FDCWD, to)
NAMED(K_link, "symlink", symlink, (const char *to, const char *path), (to, path), AT_FDCWD, path, AT_FDCWD,
      NULL)
NAMED(K_make, "mkdir", mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path, AT_FDCWD, NULL)
NAMED(K_unlink, "unlink", unlinkat, (int dir, const char *path, int flags), (dir, path, flags), dir, path,
      AT_FDCWD, NULL)
NAMED(K_unlink, "rmdir", rmdir, (const char *path), (path), AT_FDCWD, path, AT_FDCWD, NULL)

int unlink(const char *path)
{
    enum origin o = CALLER;
    if ((o == PROGRAM || o == SQLITE) && fails(K_unlink))
        return -1;
    int e = NEXT(unlink)(path);
    if (e == 0)
        log_names("unlink", AT_FDCWD, path, AT_FDCWD, NULL);
    return e;
}

/* ---- mapping and sizes ---- */

static void *map_it(enum origin o, void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    if (one_fails(o, K_map, K_sqlmap))
        return MAP_FAILED;
    void *got = (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
    if (got != MAP_FAILED && o == PROGRAM)
        table_mapped(got, n, protection, flags, fd);
    return got;
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    return map_it(CALLER, at, n, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t n, int protection, int flags, int fd, off64_t offset)
{
    return map_it(CALLER, at, n, protection, flags, fd, offset);
}

int munmap(void *at, size_t n)
{
    table_unmapped(at);
    return (int)syscall(SYS_munmap, at, n);
}

static int resize(enum origin o, int fd, off_t n)
{
    if (one_fails(o, K_resize, K_sqlresize))
        return -1;
    int e = (int)syscall(SYS_ftruncate, fd, n);
    if (e == 0)
        log_size(fd, "cut", n, 0);
    return e;
}

int ftruncate(int fd, off_t n)
{
    return resize(CALLER, fd, n);
}

int ftruncate64(int fd, off64_t n)
{
    return resize(CALLER, fd, n);
}

int posix_fallocate(int fd, off_t at, off_t n)
{
    if (CALLER == PROGRAM && fails(K_resize))
        return errno;
    struct stat st;
    ssize_t more = fstat(fd, &st) == 0 ? (ssize_t)(at + n - (off_t)st.st_blocks * 512) : 0;
    if (over_budget(fd, more > 0 && more < (ssize_t)n ? more : more > 0 ? (ssize_t)n : 0))
        return errno;
    int e = NEXT(posix_fallocate)(fd, at, n);
    if (e == 0)
        log_size(fd, "room", at, n);
    return e;
}
