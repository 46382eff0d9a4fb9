/* Preloaded into odp-build by faults.py: lets the Nth call of one kind fail.
 *   ODP_FAULT=alloc:N | read:N | write:N | fsync:N | rename:N | close:N | link:N      N from 1; N = 0 counts only
 * The number of calls goes to the file ODP_FAULT_COUNT at exit. Allocations, reads and closes count only when they are asked
 * for by the program itself, not by the libraries: those have their own ways to fail. A read that fails goes on failing, as a
 * bad disk's. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long fail_at = -1;
static char kind[16];
static uintptr_t text_low, text_high;

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

__attribute__((constructor)) static void start(void)
{
    const char *fault = getenv("ODP_FAULT");
    find_program();
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

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t n)
{
    if (from_program(__builtin_return_address(0)) && fails("alloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    if (from_program(__builtin_return_address(0)) && fails("alloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    if (from_program(__builtin_return_address(0)) && fails("alloc")) {
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

ssize_t write(int fd, const void *p, size_t n)
{
    if (fd > 2 && fails("write")) {
        errno = ENOSPC;
        return -1;
    }
    return NEXT(write)(fd, p, n);
}

int fsync(int fd)
{
    if (fails("fsync")) {
        errno = EIO;
        return -1;
    }
    return NEXT(fsync)(fd);
}

int rename(const char *from, const char *to)
{
    if (fails("rename")) {
        errno = EIO;
        return -1;
    }
    return NEXT(rename)(from, to);
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

int link(const char *from, const char *to)
{
    if (fails("link")) {
        errno = EIO;
        return -1;
    }
    return NEXT(link)(from, to);
}
