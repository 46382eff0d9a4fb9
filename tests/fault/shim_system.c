/* The other calls that take libc's place: memory, threads and processes, what else a program asks of the
 * system, the clock. */
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

/* ---- memory ---- */

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

/* What libc allocates for the program. */
char *strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    if (from_program(__builtin_return_address(0)) && fails("alloc")) {
        (void)failed(ENOMEM);
        return NULL;
    }
    char *copy = __libc_malloc(n);
    return copy != NULL ? memcpy(copy, text, n) : NULL;
}

char *strndup(const char *text, size_t most)
{
    size_t n = strnlen(text, most);
    if (from_program(__builtin_return_address(0)) && fails("alloc")) {
        (void)failed(ENOMEM);
        return NULL;
    }
    char *copy = __libc_malloc(n + 1);
    if (copy != NULL) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

void *aligned_alloc(size_t alignment, size_t n)
{
    if (from_program(__builtin_return_address(0)) && fails("alloc")) {
        (void)failed(ENOMEM);
        return NULL;
    }
    return NEXT(aligned_alloc)(alignment, n);
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

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    if (from_program(__builtin_return_address(0)) && (fails("alloc") || fails("mmap"))) {
        (void)failed(ENOMEM);
        return MAP_FAILED;
    }
    if (fd >= 0)
        hook_fd("mmap", fd);
    return NEXT(mmap)(at, n, protection, flags, fd, offset);
}

/* ---- threads and processes ---- */

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*run)(void *), void *restrict ctx)
{
    if (fails("thread")) /* it returns its error */
        return error_of(EAGAIN);
    return NEXT(pthread_create)(thread, attributes, run, ctx);
}

pid_t fork(void)
{
    return fails("spawn") ? failed(EAGAIN) : NEXT(fork)();
}

int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                 const posix_spawn_file_actions_t *restrict actions,
                 const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
                 char *const environment[restrict])
{
    if (fails("spawn"))
        return error_of(EAGAIN);
    return NEXT(posix_spawnp)(pid, file, actions, attributes, argv, environment);
}

/* ---- what else a program asks of the system ---- */

int flock(int fd, int operation)
{
    return fails("lock") ? failed(ENOLCK) : NEXT(flock)(fd, operation);
}

ssize_t getrandom(void *p, size_t n, unsigned flags)
{
    return from_program(__builtin_return_address(0)) && fails("random") ? failed(ENOSYS)
                                                                        : NEXT(getrandom)(p, n, flags);
}

int memfd_create(const char *name, unsigned flags)
{
    return fails("temp") ? failed(ENOMEM) : NEXT(memfd_create)(name, flags);
}

int pipe2(int ends[2], int flags)
{
    return fails("temp") ? failed(EMFILE) : NEXT(pipe2)(ends, flags);
}

/* ---- the clock ---- */

static atomic_int jumped;

static time_t jump(void)
{
    const char *by = getenv("ODP_CLOCK_JUMP");
    if (fails("clock"))
        atomic_store(&jumped, 1);
    return atomic_load(&jumped) && by != NULL ? (time_t)atoll(by) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int r = NEXT(clock_gettime)(clock, now);
    if (r == 0 && clock == CLOCK_REALTIME)
        now->tv_sec += jump();
    return r;
}

time_t time(time_t *out)
{
    time_t now = NEXT(time)(NULL) + jump();
    if (out != NULL)
        *out = now;
    return now;
}
