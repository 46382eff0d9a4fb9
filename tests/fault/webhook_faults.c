/* Linked into webhook_tool (then webhook_fault_tool): lets the Nth call of one kind fail, inside the process,
 * so that one run of the tool lives through thousands of faults, and sanitizers can watch. Kinds:
 *
 *   alloc                              of the program's own code (and of libraries linked statically)
 *   json, crypto, sqlalloc             of jansson, libcrypto (and libssl), SQLite
 *   open read write fsync rename link close unlink random
 *                                      the program's own calls (random: getentropy, getrandom)
 *   sqlopen sqlread sqlwrite sqlsync sqlmap
 *                                      SQLite's (write: ftruncate and fallocate, too; map: of the write-ahead
 *                                      log's index)
 *
 * N from 1; 0 counts only. With "on" all that follow fail, too, until faults are taken away: a disk that is
 * full, a machine without memory. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/json_load.h"

enum kind {
    ALLOC,
    JSON,
    CRYPTO,
    SQLALLOC,
    OPEN,
    READ,
    WRITE,
    FSYNC,
    RENAME,
    LINK,
    CLOSE,
    UNLINK,
    RANDOM,
    SQLOPEN,
    SQLREAD,
    SQLWRITE,
    SQLSYNC,
    SQLMAP,
    KINDS
};
static const char *const names[KINDS] = {
    "alloc", "json",  "crypto", "sqlalloc", "open",    "read",    "write",    "fsync",   "rename",
    "link",  "close", "unlink", "random",   "sqlopen", "sqlread", "sqlwrite", "sqlsync", "sqlmap",
};

static atomic_int armed = -1; /* the kind; -1: none */
static atomic_long calls, fail_at;
static atomic_bool on;

static bool fails(enum kind k)
{
    if (atomic_load(&armed) != (int)k)
        return false;
    long n = atomic_fetch_add(&calls, 1) + 1, at = atomic_load(&fail_at);
    return at > 0 && (n == at || (n > at && atomic_load(&on)));
}

/* ---- what webhook_tool calls ---- */

bool odp_fault_arm(const char *kind, long n, bool and_on);
bool odp_fault_arm(const char *kind, long n, bool and_on)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(names[k], kind) == 0) {
            atomic_store(&calls, 0);
            atomic_store(&fail_at, n);
            atomic_store(&on, and_on);
            atomic_store(&armed, k);
            return true;
        }
    return false;
}

long odp_fault_disarm(void);
long odp_fault_disarm(void)
{
    atomic_store(&armed, -1);
    return atomic_load(&calls);
}

/* ---- memory ---- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *__wrap_malloc(size_t n)
{
    return fails(ALLOC) ? no_memory() : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails(ALLOC) ? no_memory() : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fails(ALLOC) ? no_memory() : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
    return fails(ALLOC) ? no_memory() : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
    return fails(ALLOC) ? no_memory() : __real_strndup(s, n);
}

static void *json_alloc(size_t n)
{
    return fails(JSON) ? no_memory() : __real_malloc(n);
}

static void *crypto_alloc(size_t n, const char *file, int line)
{
    return n == 0 || fails(CRYPTO) ? no_memory() : __real_malloc(n);
}

static void *crypto_realloc(void *p, size_t n, const char *file, int line)
{
    if (n == 0) {
        free(p);
        return NULL;
    }
    return fails(CRYPTO) ? no_memory() : __real_realloc(p, n);
}

static void crypto_free(void *p, const char *file, int line)
{
    free(p);
}

static sqlite3_mem_methods sqlite_memory; /* its own */

static void *sqlite_alloc(int n)
{
    return fails(SQLALLOC) ? NULL : sqlite_memory.xMalloc(n);
}

static void *sqlite_realloc(void *p, int n)
{
    return fails(SQLALLOC) ? NULL : sqlite_memory.xRealloc(p, n);
}

/* ---- the program's own calls ---- */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (fails(OPEN)) {
        errno = EMFILE;
        return -1;
    }
    return __real_open(path, flags, mode);
}

#define WRAP(result, kind, error, name, args, pass)                                                          \
    result __real_##name args;                                                                               \
    result __wrap_##name args;                                                                               \
    result __wrap_##name args                                                                                \
    {                                                                                                        \
        if (fails(kind)) {                                                                                   \
            errno = error;                                                                                   \
            return -1;                                                                                       \
        }                                                                                                    \
        return __real_##name pass;                                                                           \
    }
WRAP(ssize_t, READ, EIO, read, (int fd, void *p, size_t n), (fd, p, n))
WRAP(ssize_t, READ, EIO, __read_chk, (int fd, void *p, size_t n, size_t room),
     (fd, p, n, room)) /* read, by _FORTIFY_SOURCE */
WRAP(ssize_t, WRITE, ENOSPC, write, (int fd, const void *p, size_t n), (fd, p, n))
WRAP(int, FSYNC, EIO, fsync, (int fd), (fd))
WRAP(int, RENAME, EIO, rename, (const char *from, const char *to), (from, to))
WRAP(int, LINK, EIO, link, (const char *from, const char *to), (from, to))
WRAP(int, UNLINK, EIO, unlink, (const char *path), (path))
WRAP(int, RANDOM, ENOSYS, getentropy, (void *p, size_t n), (p, n))
WRAP(ssize_t, RANDOM, ENOSYS, getrandom, (void *p, size_t n, unsigned flags), (p, n, flags))

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    int e = __real_close(fd);
    if (!fails(CLOSE))
        return e;
    errno = EIO;
    return -1;
}

/* ---- SQLite's: it has a table of its system calls; only fdatasync is called by its name ---- */

static sqlite3_syscall_ptr real[8];
enum { R_OPEN, R_PREAD, R_PWRITE, R_FTRUNCATE, R_FALLOCATE, R_MMAP, R_READ, R_WRITE };

static int sqlite_open(const char *path, int flags, int mode)
{
    if (fails(SQLOPEN)) {
        errno = EMFILE;
        return -1;
    }
    return ((int (*)(const char *, int, int))real[R_OPEN])(path, flags, mode);
}

static ssize_t sqlite_pread(int fd, void *p, size_t n, off64_t at)
{
    if (fails(SQLREAD)) {
        errno = EIO;
        return -1;
    }
    return ((ssize_t(*)(int, void *, size_t, off64_t))real[R_PREAD])(fd, p, n, at);
}

static ssize_t sqlite_pwrite(int fd, const void *p, size_t n, off64_t at)
{
    if (fails(SQLWRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return ((ssize_t(*)(int, const void *, size_t, off64_t))real[R_PWRITE])(fd, p, n, at);
}

static int sqlite_truncate(int fd, off_t n)
{
    if (fails(SQLWRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return ((int (*)(int, off_t))real[R_FTRUNCATE])(fd, n);
}

static void *sqlite_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    if (fails(SQLMAP)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return ((void *(*)(void *, size_t, int, int, int, off_t))real[R_MMAP])(at, n, protection, flags, fd,
                                                                           offset);
}

/* Seen by libsqlite3, since the program is searched first. */
int fdatasync(int fd)
{
    if (fails(SQLSYNC)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

static void replace(sqlite3_vfs *vfs, const char *name, int place, sqlite3_syscall_ptr with)
{
    real[place] = vfs->xGetSystemCall(vfs, name);
    if (real[place] == NULL || vfs->xSetSystemCall(vfs, name, with) != SQLITE_OK)
        (void)fprintf(stderr, "webhook_faults: SQLite has no %s\n", name), abort();
}

__attribute__((constructor)) static void start(void)
{
    bool ok = CRYPTO_set_mem_functions(crypto_alloc, crypto_realloc, crypto_free) == 1 &&
              sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory) == SQLITE_OK;
    sqlite3_mem_methods ours = sqlite_memory;
    ours.xMalloc = sqlite_alloc;
    ours.xRealloc = sqlite_realloc;
    ok = ok && sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) == SQLITE_OK && sqlite3_initialize() == SQLITE_OK;
    json_set_alloc_funcs(json_alloc, free);
    odp_json_start();
    if (!ok)
        (void)fprintf(stderr, "webhook_faults: too late to be first\n"), abort();
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    replace(vfs, "open", R_OPEN, (sqlite3_syscall_ptr)sqlite_open);
    replace(vfs, "pread64", R_PREAD, (sqlite3_syscall_ptr)sqlite_pread);
    replace(vfs, "pwrite64", R_PWRITE, (sqlite3_syscall_ptr)sqlite_pwrite);
    replace(vfs, "ftruncate", R_FTRUNCATE, (sqlite3_syscall_ptr)sqlite_truncate);
    replace(vfs, "mmap", R_MMAP, (sqlite3_syscall_ptr)sqlite_mmap);
}
