/* The calls about files that take libc's place: reading and looking, writing, names, opening and closing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

/* ---- reading ---- */

static atomic_int bad_fd = -1; /* the descriptor whose read failed */

static int read_fails(int fd, const void *caller)
{
    if (fd <= 2 || !from_program(caller))
        return 0;
    hook_fd("read", fd);
    if (fails("read"))
        atomic_store(&bad_fd, fd);
    return atomic_load(&bad_fd) == fd;
}

ssize_t read(int fd, void *p, size_t n)
{
    if (read_fails(fd, __builtin_return_address(0)))
        return failed(EIO);
    return NEXT(read)(fd, p, n);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
    if (read_fails(fd, __builtin_return_address(0)))
        return failed(EIO);
    return NEXT(pread)(fd, p, n, at);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
    if (from_sqlite(__builtin_return_address(0)) && fails("sqlread"))
        return failed(EIO);
    return NEXT(pread64)(fd, p, n, at);
}

/* libzip's way to read. */
size_t fread(void *p, size_t size, size_t n, FILE *stream)
{
    hook_fd("read", fileno(stream));
    return NEXT(fread)(p, size, n, stream);
}

struct dirent *readdir(DIR *dir)
{
    if (from_program(__builtin_return_address(0)) && fails("list")) {
        (void)failed(EIO);
        return NULL;
    }
    struct dirent *e = NEXT(readdir)(dir);
    if (e != NULL && from_program(__builtin_return_address(0)) && fails("types"))
        e->d_type = DT_UNKNOWN;
    return e;
}

/* A call of the program's own that only looks. */
#define LOOKING(name, args, pass)                                                                            \
    int name args                                                                                            \
    {                                                                                                        \
        if (from_program(__builtin_return_address(0)) && fails("look"))                                      \
            return failed(EIO);                                                                              \
        return NEXT(name) pass;                                                                              \
    }

LOOKING(stat, (const char *restrict path, struct stat *restrict st), (path, st))
LOOKING(lstat, (const char *restrict path, struct stat *restrict st), (path, st))
LOOKING(fstat, (int fd, struct stat *st), (fd, st))
LOOKING(access, (const char *path, int mode), (path, mode))

ssize_t readlink(const char *restrict path, char *restrict to, size_t n)
{
    if (from_program(__builtin_return_address(0)) && fails("look"))
        return failed(EIO);
    return NEXT(readlink)(path, to, n);
}

char *realpath(const char *restrict path, char *restrict to)
{
    if (from_program(__builtin_return_address(0)) && fails("look")) {
        (void)failed(EIO);
        return NULL;
    }
    return NEXT(realpath)(path, to);
}

/* The name that _FORTIFY_SOURCE gives it. */
char *__realpath_chk(const char *restrict path, char *restrict to, size_t room);
char *__realpath_chk(const char *restrict path, char *restrict to, size_t room)
{
    if (from_program(__builtin_return_address(0)) && fails("look")) {
        (void)failed(EIO);
        return NULL;
    }
    return NEXT(__realpath_chk)(path, to, room);
}

/* ---- writing ---- */

ssize_t write(int fd, const void *p, size_t n)
{
    if (fd > 2 && fails("write"))
        return failed(ENOSPC);
    if (fd > 2 && fd != log_fd && fd != blob_fd) {
        ssize_t room = change_fails(0) ? -1 : room_for(fd, n);
        if (room < 0)
            return -1;
        n = (size_t)room;
    }
    log_begin();
    unsigned long long at = fd > 2 ? place_of(fd) : 0;
    ssize_t done = NEXT(write)(fd, p, n);
    int e = errno;
    if (fd > 2 && done > 0)
        log_bytes("write", fd, p, (size_t)done, at);
    log_end();
    errno = e;
    return done;
}

static ssize_t write_at(ssize_t (*next)(int, const void *, size_t, off_t), int fd, const void *p, size_t n,
                        off_t at)
{
    ssize_t room = change_fails(0) ? -1 : room_for(fd, n);
    if (room < 0)
        return -1;
    log_begin();
    ssize_t done = next(fd, p, (size_t)room, at);
    int e = errno;
    if (done > 0)
        log_bytes("write", fd, p, (size_t)done, (unsigned long long)at);
    log_end();
    errno = e;
    return done;
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    if (fails("write"))
        return failed(ENOSPC);
    return write_at(NEXT(pwrite), fd, p, n, at);
}

/* SQLite's way to write. */
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    if (fails("write") || (from_sqlite(__builtin_return_address(0)) && fails("sqlwrite")))
        return failed(ENOSPC);
    return write_at(NEXT(pwrite64), fd, p, n, at);
}

static int truncate_fd(int (*next)(int, off_t), int fd, off_t size)
{
    struct stat st;
    if (fails("trunc"))
        return failed(EIO);
    if (change_fails(0))
        return -1;
    log_begin();
    int r = next(fd, size), e = errno;
    if (r == 0 && logged(fd, &st)) {
        char text[64];
        put_log(text, (size_t)snprintf(text, sizeof text, "cut\t%llu\t%llu\n", (unsigned long long)st.st_ino,
                                       (unsigned long long)size));
    }
    log_end();
    errno = e;
    return r;
}

int ftruncate(int fd, off_t size)
{
    return truncate_fd(NEXT(ftruncate), fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return truncate_fd(NEXT(ftruncate64), fd, size);
}

static int sync_fd(int (*next)(int), int fd)
{
    if (fails("fsync"))
        return failed(EIO);
    log_begin();
    int r = next(fd), e = errno;
    if (r == 0)
        log_sync(fd);
    log_end();
    errno = e;
    return r;
}

int fsync(int fd)
{
    return sync_fd(NEXT(fsync), fd);
}

int fdatasync(int fd)
{
    return sync_fd(NEXT(fdatasync), fd);
}

int syncfs(int fd)
{
    if (fails("fsync"))
        return failed(EIO);
    log_begin();
    int r = NEXT(syncfs)(fd), e = errno;
    if (r == 0)
        log_sync_all();
    log_end();
    errno = e;
    return r;
}

/* ---- names ---- */

/* PATH of the folder DIR, for the log. */
static const char *path_at(int dir, const char *path, char whole[2 * PATH_MAX])
{
    char link[32];
    if (log_fd < 0 || dir == AT_FDCWD || path[0] == '/')
        return path;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    ssize_t n = NEXT(readlink)(link, whole, PATH_MAX - 1);
    (void)snprintf(whole + (n > 0 ? n : 0), PATH_MAX, "/%s", path);
    return whole;
}

/* Calls about one or two paths that fail with ERROR and are passed on otherwise, and written down as WORD.
 * ROOM: they want some on the disk. */
#define FAILING(what, error, word, name, args, pass, a, b)                                                   \
    int name args                                                                                            \
    {                                                                                                        \
        if (fails(what))                                                                                     \
            return failed(error);                                                                            \
        if (change_fails(0))                                                                                 \
            return -1;                                                                                       \
        log_begin();                                                                                         \
        int r = NEXT(name) pass, e = errno;                                                                  \
        if (r == 0)                                                                                          \
            log_paths(word, 0, a, b);                                                                        \
        log_end();                                                                                           \
        errno = e;                                                                                           \
        return r;                                                                                            \
    }

FAILING("rename", EIO, "rename", rename, (const char *from, const char *to), (from, to), from, to)
FAILING("rename", EIO, flags != 0 ? "exchange" : "rename", renameat2,
        (int dir, const char *from, int other, const char *to, unsigned flags), (dir, from, other, to, flags),
        from, to)
FAILING("link", EIO, "link", link, (const char *from, const char *to), (from, to), from, to)
FAILING("link", EIO, "link", linkat, (int dir, const char *from, int other, const char *to, int flags),
        (dir, from, other, to, flags), path_at(dir, from, (char[2 * PATH_MAX]){0}),
        path_at(other, to, (char[2 * PATH_MAX]){0}))
int mkdir(const char *path, mode_t mode)
{
    if (fails("make"))
        return failed(ENOSPC);
    if (change_fails(1))
        return -1;
    log_begin();
    int r = NEXT(mkdir)(path, mode), e = errno;
    if (r == 0)
        log_paths("mkdir", number_of(path), path, NULL);
    log_end();
    errno = e;
    return r;
}

FAILING("unlink", EIO, "unlink", unlink, (const char *path), (path), path, NULL)
FAILING("unlink", EIO, "unlink", rmdir, (const char *path), (path), path, NULL)
FAILING("unlink", EIO, "unlink", remove, (const char *path), (path), path, NULL)

int symlink(const char *to, const char *path)
{
    if (fails("link"))
        return failed(EIO);
    if (change_fails(1))
        return -1;
    log_begin();
    int r = NEXT(symlink)(to, path), e = errno;
    if (r == 0 && log_fd >= 0) {
        put_log("symlink\t0\t", 10);
        put_log(to, strlen(to)); /* as it stands: it is relative to where the link is */
        log_path(path);
        put_log("\n", 1);
    }
    log_end();
    errno = e;
    return r;
}

int unlinkat(int fd, const char *path, int flags)
{
    char whole[2 * PATH_MAX];
    if (fails("unlink"))
        return failed(EIO);
    if (change_fails(0))
        return -1;
    log_begin();
    const char *full = path_at(fd, path, whole);
    int r = NEXT(unlinkat)(fd, path, flags), e = errno;
    if (r == 0)
        log_paths("unlink", 0, full, NULL);
    log_end();
    errno = e;
    return r;
}

char *mkdtemp(char *template)
{
    if (fails("make")) {
        (void)failed(ENOSPC);
        return NULL;
    }
    if (change_fails(1))
        return NULL;
    log_begin();
    char *path = NEXT(mkdtemp)(template);
    int e = errno;
    if (path != NULL)
        log_paths("mkdir", number_of(path), path, NULL);
    log_end();
    errno = e;
    return path;
}

int chmod(const char *path, mode_t mode)
{
    if (fails("mode"))
        return failed(EPERM);
    return change_fails(0) ? -1 : NEXT(chmod)(path, mode);
}

int fchmod(int fd, mode_t mode)
{
    if (fails("mode"))
        return failed(EPERM);
    return change_fails(0) ? -1 : NEXT(fchmod)(fd, mode);
}

/* ---- opening and closing ---- */

static mode_t mode_of(int flags, va_list *list)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(*list, mode_t) : 0;
}

static int writes(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

static int open_at(int (*next)(int, const char *, int, ...), int dir, const char *path, int flags,
                   mode_t mode)
{
    char whole[2 * PATH_MAX];
    struct stat st;
    int makes = (flags & O_CREAT) != 0 && NEXT(stat)(path, &st) != 0;
    if (writes(flags) && change_fails(makes ? 1 : -1))
        return -1;
    hook_path("open", path);
    if (!writes(flags) || log_fd < 0)
        return next(dir, path, flags, mode);
    log_begin();
    int fd = next(dir, path, flags, mode), e = errno;
    if (fd >= 0 && logged(fd, &st))
        log_paths((flags & O_TRUNC) != 0 ? "empty" : "open", (unsigned long long)st.st_ino,
                  path_at(dir, path, whole), NULL);
    log_end();
    errno = e;
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, &list);
    va_end(list);
    if (from_program(__builtin_return_address(0)) && fails("open"))
        return failed(EMFILE);
    return open_at(NEXT(openat), AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, &list);
    va_end(list);
    if (from_sqlite(__builtin_return_address(0)) && fails("sqlopen"))
        return failed(EMFILE);
    return open_at(NEXT(openat64), AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, &list);
    va_end(list);
    if (from_program(__builtin_return_address(0)) && fails("open"))
        return failed(EMFILE);
    return open_at(NEXT(openat), dir, path, flags, mode);
}

DIR *opendir(const char *path)
{
    if (from_program(__builtin_return_address(0)) && fails("open")) {
        (void)failed(EMFILE);
        return NULL;
    }
    return NEXT(opendir)(path);
}

/* How libzip opens, and how minizip (which libxlsxwriter has) makes files. */
static FILE *open_stream(FILE *(*next)(const char *, const char *), const char *path, const char *mode)
{
    struct stat st;
    hook_path("open", path);
    if (log_fd < 0 || mode[0] == 'r')
        return next(path, mode);
    log_begin();
    FILE *stream = next(path, mode);
    int e = errno;
    if (stream != NULL && logged(fileno(stream), &st))
        log_paths(mode[0] == 'w' ? "empty" : "open", (unsigned long long)st.st_ino, path, NULL);
    log_end();
    errno = e;
    return stream;
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    return open_stream(NEXT(fopen), path, mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return open_stream(NEXT(fopen64), path, mode);
}

int mkstemp(char *template)
{
    struct stat st;
    if (from_program(__builtin_return_address(0)) && fails("temp"))
        return failed(ENOSPC);
    log_begin();
    int fd = NEXT(mkstemp)(template), e = errno;
    if (fd >= 0 && logged(fd, &st))
        log_paths("open", (unsigned long long)st.st_ino, template, NULL);
    log_end();
    errno = e;
    return fd;
}

int close(int fd)
{
    int none = fd; /* its number may come back for another file */
    atomic_compare_exchange_strong(&bad_fd, &none, -1);
    if (fd > 2 && from_program(__builtin_return_address(0)) && fails("close")) {
        NEXT(close)(fd);
        return failed(EIO);
    }
    return NEXT(close)(fd);
}
