/* Shared by the parts of the gateway's preloaded library; gateway_shim.c says what it is for. Only the calls
 * that take libc's place may be seen from outside. */
#pragma once

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MAGIC UINT64_C(0x316d696873706467)
enum { COUNT_ALL = -2 };
enum { ROLE_PARENT = 1, ROLE_SERVICE = 2, ROLE_MASTER = 4, ROLE_WORKER = 8 };

struct block { /* the test writes it with struct.pack: only ever add at its end */
    uint64_t magic;
    _Atomic int32_t kind; /* -1: none; -2: COUNT_ALL */
    _Atomic int32_t on;   /* all that follow fail, too */
    _Atomic int64_t fail_at, calls, failed;
    _Atomic int32_t roles;
    _Atomic int32_t errnum; /* 0: the kind's own */
    _Atomic int64_t budget; /* bytes; -1: any number */
    _Atomic int32_t budget_errnum;
    _Atomic int32_t logging;
    _Atomic int64_t ahead;      /* nanoseconds */
    _Atomic int64_t counts[64]; /* by kind, while kind is COUNT_ALL */
};

/* The test has the same list, in the same order. */
#define KINDS(X)                                                                                             \
    X(alloc, ENOMEM)                                                                                         \
    X(json, ENOMEM)                                                                                          \
    X(crypto, ENOMEM)                                                                                        \
    X(sqlalloc, ENOMEM)                                                                                      \
    X(http, ENOMEM)                                                                                          \
    X(curl, ENOMEM)                                                                                          \
    X(nginx, ENOMEM)                                                                                         \
    X(pool, ENOMEM)                                                                                          \
    X(open, EMFILE)                                                                                          \
    X(sqlopen, EMFILE)                                                                                       \
    X(read, EIO)                                                                                             \
    X(sqlread, EIO)                                                                                          \
    X(write, ENOSPC)                                                                                         \
    X(sqlwrite, ENOSPC)                                                                                      \
    X(fsync, EIO)                                                                                            \
    X(sqlsync, EIO)                                                                                          \
    X(rename, EIO)                                                                                           \
    X(link, EIO)                                                                                             \
    X(unlink, EIO)                                                                                           \
    X(make, ENOSPC)                                                                                          \
    X(map, ENOMEM)                                                                                           \
    X(sqlmap, ENOMEM)                                                                                        \
    X(resize, ENOSPC)                                                                                        \
    X(sqlresize, ENOSPC)                                                                                     \
    X(thread, EAGAIN)                                                                                        \
    X(process, EAGAIN)                                                                                       \
    X(descriptor, EMFILE)                                                                                    \
    X(random, ENOSYS)                                                                                        \
    X(lock, ENOLCK)                                                                                          \
    X(mode, EPERM)                                                                                           \
    X(stat, EIO)
enum kind {
#define X(name, error) K_##name,
    KINDS(X)
#undef X
        K_COUNT
};

#define NEXT(name)                                                                                           \
    ({                                                                                                       \
        static __typeof__(&name) next_;                                                                      \
        if (next_ == NULL)                                                                                   \
            next_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                              \
        next_;                                                                                               \
    })

#pragma GCC visibility push(hidden)

/* ---- who calls, and what fails (gateway_shim.c) ---- */

extern struct block *block; /* NULL: nothing is asked of this process */
extern bool is_nginx;

enum origin { OTHER, PROGRAM, JSON, CRYPTO, SQLITE, HTTP, CURL, NGINX };

enum origin caller_origin(const void *caller);
#define CALLER caller_origin(__builtin_return_address(0))

/* One more call of the kind K: whether it is one that fails, with errno. */
bool fails(enum kind k);

/* ---- nginx's pools (gateway_shim_memory.c) ---- */

/* INFO is nginx's module: its calls of the pools go through ours. */
void patch_pool(const struct dl_phdr_info *info);

/* ---- the log (gateway_shim_log.c) ---- */

extern char state[PATH_MAX]; /* the folder whose bytes are counted and logged */
extern size_t state_len;     /* 0: none */
extern int log_fd;           /* -1: none */

bool logging(void);
/* A line, followed by N bytes. */
void put(const void *bytes, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* False: the file, or the path, is not below the folder. */
bool path_of(int fd, char out[PATH_MAX]);
bool full_path(int dir, const char *path, char out[PATH_MAX]);
unsigned long long inode(int fd);
/* AT: -1: where the file's offset was. */
void log_write(int fd, const void *p, ssize_t n, off_t at);
void log_size(int fd, const char *what, long long from, long long to);
void log_sync(int fd);
/* The key table: it was mapped, synced in the mapping at AT, and is mapped no more. */
void table_mapped(void *at, size_t n, int protection, int flags, int fd);
void table_synced(const void *at);
void table_unmapped(const void *at);

#pragma GCC visibility pop
