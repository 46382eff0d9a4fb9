/* Preloaded into odp-build by faults.py: lets the Nth call of one kind fail.
 *   ODP_FAULT=alloc:N | read:N | write:N | fsync:N | rename:N | close:N | link:N | open:N | make:N | unlink:N
 *             sqlalloc:N | sqlopen:N | sqlread:N | sqlwrite:N      the same, asked for by SQLite
 *             jsonalloc:N                                          memory that odp-build gets for jansson
 * N from 1; N = 0 counts only. rename is renameat2 too, fsync syncfs, alloc mmap, link symlink; make is mkdir and mkdtemp,
 * unlink all that removes, write SQLite's writes too. The number of calls goes to the file ODP_FAULT_COUNT at exit. Allocations, reads, opens and closes
 * count only when they are asked for by the program itself, not by the libraries: those have their own ways to fail. A read
 * that fails goes on failing, as a bad disk's. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long fail_at = -1;
static char kind[16];
static uintptr_t text_low, text_high, sqlite_low, sqlite_high;

/* The program's code, from the first mapping of /proc/self/exe that is executable. */
static void find_program(void)
{
    char line[512], exe[256];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    FILE *maps = n > 0 ? fopen("/proc/self/maps", "re") : NULL;
    if (maps == NULL)
        return;
    exe[n] = '\0';
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long low, high;
        char mode[8];
        if (strstr(line, exe) != NULL && sscanf(line, "%lx-%lx %7s", &low, &high, mode) == 3 && mode[2] == 'x') {
            text_low = low;
            text_high = high;
        }
    }
    fclose(maps);
}

/* The same of SQLite's. */
static int find_sqlite(struct dl_phdr_info *info, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    if (info->dlpi_name == NULL || strstr(info->dlpi_name, "libsqlite3") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0) {
            sqlite_low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            sqlite_high = sqlite_low + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

__attribute__((constructor)) static void start(void)
{
    const char *fault = getenv("ODP_FAULT");
    find_program();
    (void)dl_iterate_phdr(find_sqlite, NULL);
    if (fault != NULL && sscanf(fault, "%15[a-z]:%ld", kind, &fail_at) != 2)
        fail_at = -1;
    atomic_store(&calls, 0);
}

__attribute__((destructor)) static void stop(void)
{
    const char *path = getenv("ODP_FAULT_COUNT");
    FILE *out = path != NULL ? fopen(path, "we") : NULL;
    if (out != NULL) {
        fprintf(out, "%ld\n", atomic_load(&calls));
        fclose(out);
    }
}

static int fails(const char *what)
{
    if (fail_at < 0 || strcmp(what, kind) != 0)
        return 0;
    return atomic_fetch_add(&calls, 1) + 1 == fail_at;
}

static int from_program(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    return at >= text_low && at < text_high;
}

static int from_sqlite(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    return at >= sqlite_low && at < sqlite_high;
}

static int alloc_fails(const void *caller)
{
    return (from_program(caller) && fails("alloc")) || (from_sqlite(caller) && fails("sqlalloc"));
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t n)
{
    if (alloc_fails(__builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    if (alloc_fails(__builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(n, size);
}

/* What odp-build has for jansson, which never asks for a product that overflows. */
void *reallocarray(void *p, size_t n, size_t size)
{
    if (from_program(__builtin_return_address(0)) && fails("jsonalloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(p, n * size);
}

void *realloc(void *p, size_t n)
{
    if (alloc_fails(__builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(p, n);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_int bad_fd = -1; /* the descriptor whose read failed */

static int read_fails(int fd, const void *caller)
{
    if (fd <= 2 || !from_program(caller))
        return 0;
    if (fails("read"))
        atomic_store(&bad_fd, fd);
    return atomic_load(&bad_fd) == fd;
}

ssize_t read(int fd, void *p, size_t n)
{
    if (read_fails(fd, __builtin_return_address(0))) {
        errno = EIO;
        return -1;
    }
    return NEXT(read)(fd, p, n);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
    if (read_fails(fd, __builtin_return_address(0))) {
        errno = EIO;
        return -1;
    }
    return NEXT(pread)(fd, p, n, at);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
    if (from_sqlite(__builtin_return_address(0)) && fails("sqlread")) {
        errno = EIO;
        return -1;
    }
    return NEXT(pread64)(fd, p, n, at);
}

ssize_t write(int fd, const void *p, size_t n)
{
    if (fd > 2 && fails("write")) {
        errno = ENOSPC;
        return -1;
    }
    return NEXT(write)(fd, p, n);
}

/* SQLite's way to write. */
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    if (fails("write") || (from_sqlite(__builtin_return_address(0)) && fails("sqlwrite"))) {
        errno = ENOSPC;
        return -1;
    }
    return NEXT(pwrite64)(fd, p, n, at);
}

/* Calls that fail with ERROR and are passed on otherwise. */
#define FAILING(result, what, error, name, args, pass)                                                                         \
    result name args                                                                                                           \
    {                                                                                                                          \
        if (fails(what)) {                                                                                                     \
            errno = error;                                                                                                     \
            return -1;                                                                                                         \
        }                                                                                                                      \
        return NEXT(name) pass;                                                                                                \
    }

FAILING(int, "fsync", EIO, fsync, (int fd), (fd))
FAILING(int, "fsync", EIO, syncfs, (int fd), (fd))
FAILING(int, "rename", EIO, rename, (const char *from, const char *to), (from, to))
FAILING(int, "rename", EIO, renameat2, (int a, const char *from, int b, const char *to, unsigned flags),
        (a, from, b, to, flags))
FAILING(int, "link", EIO, link, (const char *from, const char *to), (from, to))
FAILING(int, "link", EIO, symlink, (const char *to, const char *path), (to, path))
FAILING(int, "make", ENOSPC, mkdir, (const char *path, mode_t mode), (path, mode))
FAILING(int, "unlink", EIO, unlink, (const char *path), (path))
FAILING(int, "unlink", EIO, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
FAILING(int, "unlink", EIO, rmdir, (const char *path), (path))
FAILING(int, "unlink", EIO, remove, (const char *path), (path))

char *mkdtemp(char *template)
{
    if (fails("make")) {
        errno = ENOSPC;
        return NULL;
    }
    return NEXT(mkdtemp)(template);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    if (from_program(__builtin_return_address(0)) && fails("alloc")) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return NEXT(mmap)(at, n, protection, flags, fd, offset);
}

static mode_t mode_of(int flags, va_list *list)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(*list, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, &list);
    va_end(list);
    if (from_program(__builtin_return_address(0)) && fails("open")) {
        errno = EMFILE;
        return -1;
    }
    return NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, &list);
    va_end(list);
    if (from_sqlite(__builtin_return_address(0)) && fails("sqlopen")) {
        errno = EMFILE;
        return -1;
    }
    return NEXT(open64)(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, &list);
    va_end(list);
    if (from_program(__builtin_return_address(0)) && fails("open")) {
        errno = EMFILE;
        return -1;
    }
    return NEXT(openat)(dir, path, flags, mode);
}

DIR *opendir(const char *path)
{
    if (from_program(__builtin_return_address(0)) && fails("open")) {
        errno = EMFILE;
        return NULL;
    }
    return NEXT(opendir)(path);
}

int close(int fd)
{
    int none = fd; /* its number may come back for another file */
    atomic_compare_exchange_strong(&bad_fd, &none, -1);
    if (fd > 2 && from_program(__builtin_return_address(0)) && fails("close")) {
        NEXT(close)(fd);
        errno = EIO;
        return -1;
    }
    return NEXT(close)(fd);
}
