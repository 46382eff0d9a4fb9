/* Preloaded into odp-gateway and nginx by tests/e2e/gatewayshimlib.py, which steers it while they run: a test
 * and all processes of a gateway map the same file (ODP_GATEWAY_SHIM), struct block. What it can do:
 *
 *   faults   the Nth call of a kind fails once, or from then on, in processes of some roles
 *   budget   so many bytes may still be written below a folder (ODP_GATEWAY_STATE), then ENOSPC or EDQUOT
 *   clock    the wall clock is ahead of, or behind, the machine's
 *   log      every change of files below that folder goes into a file (ODP_GATEWAY_LOG) in the order in which
 *            it was made, with the bytes that were written; tests/e2e/gateway_power.py reads it
 *
 * A kind is of who calls: the program and nginx's module; jansson, libcrypto, SQLite, libmicrohttpd, libcurl;
 * nginx itself.
 *
 * This file: who calls, which calls fail, the clock, and the calls that are about neither files nor memory.
 * The log is in gateway_shim_log.c, files are in gateway_shim_files.c, memory and nginx's pools in
 * gateway_shim_memory.c. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "gateway_shim.h"

static const int errors[K_COUNT] = {
#define X(name, error) [K_##name] = error,
    KINDS(X)
#undef X
};

struct block *block;
static int role;
bool is_nginx;

/* ---- who calls ---- */

struct range {
    uintptr_t low, high;
    enum origin origin;
};
static struct range ranges[64];
static _Atomic size_t nranges;

static enum origin origin_of(const char *name)
{
    static const struct {
        const char *part;
        enum origin origin;
    } known[] = {
        {"libsqlite3", SQLITE},  {"libjansson", JSON}, {"libcrypto", CRYPTO},           {"libssl", CRYPTO},
        {"libmicrohttpd", HTTP}, {"libcurl", CURL},    {"ngx_http_odp_module", PROGRAM}};
    if (name == NULL || name[0] == '\0')
        return is_nginx ? NGINX : PROGRAM;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(name, known[i].part) != NULL)
            return known[i].origin;
    return OTHER;
}

static int find_ranges(struct dl_phdr_info *info, size_t size, void *ctx)
{
    bool *main_seen = ctx;
    const char *name = *main_seen ? info->dlpi_name : "";
    bool main_object = !*main_seen;
    *main_seen = true;
    if (!main_object && (name == NULL || name[0] == '\0')) /* the vDSO of some kernels */
        return 0;
    enum origin o = origin_of(name);
    for (int i = 0; i < info->dlpi_phnum && o != OTHER; i++) {
        uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        bool known = false;
        size_t n = atomic_load(&nranges);
        for (size_t k = 0; k < n; k++)
            known = known || ranges[k].low == low;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_X) == 0 || known ||
            n == sizeof ranges / sizeof *ranges)
            continue;
        ranges[n] = (struct range){low, low + info->dlpi_phdr[i].p_memsz, o};
        atomic_store(&nranges, n + 1);
        if (is_nginx && o == PROGRAM)
            patch_pool(info);
    }
    return 0;
}

enum origin caller_origin(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    for (size_t i = 0, n = atomic_load(&nranges); i < n; i++)
        if (at >= ranges[i].low && at < ranges[i].high)
            return ranges[i].origin;
    return OTHER;
}

/* ---- faults ---- */

bool fails(enum kind k)
{
    if (block == NULL || (atomic_load(&block->roles) & role) == 0)
        return false;
    int32_t kind = atomic_load(&block->kind);
    if (kind == COUNT_ALL)
        atomic_fetch_add(&block->counts[k], 1);
    if (kind != (int32_t)k)
        return false;
    int64_t n = atomic_fetch_add(&block->calls, 1) + 1, at = atomic_load(&block->fail_at);
    if (at <= 0 || !(n == at || (n > at && atomic_load(&block->on) != 0)))
        return false;
    atomic_fetch_add(&block->failed, 1);
    int error = atomic_load(&block->errnum);
    errno = error != 0 ? error : errors[k];
    return true;
}

/* ---- start ---- */

static void start_in(int new_role)
{
    role = new_role;
}

__attribute__((constructor)) static void start(void)
{
    char exe[PATH_MAX];
    const char *path = getenv("ODP_GATEWAY_SHIM"), *folder = getenv("ODP_GATEWAY_STATE"),
               *log = getenv("ODP_GATEWAY_LOG");
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    is_nginx = strstr(exe, "/nginx") != NULL;
    bool ours = is_nginx || strstr(exe, "/odp-gateway") != NULL;
    if (path == NULL || !ours)
        return;
    bool main_seen = false;
    (void)dl_iterate_phdr(find_ranges, &main_seen);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    void *at = fd >= 0 ? (void *)syscall(SYS_mmap, NULL, sizeof(struct block), PROT_READ | PROT_WRITE,
                                         MAP_SHARED, fd, 0)
                       : MAP_FAILED;
    if (fd >= 0)
        (void)syscall(SYS_close, fd);
    if (folder != NULL)
        state_len = (size_t)snprintf(state, sizeof state, "%s", folder);
    if (log != NULL)
        log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    start_in(is_nginx ? ROLE_MASTER : ROLE_PARENT);
    if (at != MAP_FAILED && ((struct block *)at)->magic == MAGIC)
        block = at;
}

void *dlopen(const char *path, int flags)
{
    void *got = NEXT(dlopen)(path, flags);
    bool main_seen = false;
    if (got != NULL && block != NULL)
        (void)dl_iterate_phdr(find_ranges, &main_seen);
    return got;
}

/* ---- threads, processes, descriptors ---- */

int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*f)(void *), void *ctx)
{
    enum origin o = CALLER;
    return (o == PROGRAM || o == HTTP) && fails(K_thread) ? EAGAIN : NEXT(pthread_create)(out, attr, f, ctx);
}

pid_t fork(void)
{
    enum origin o = CALLER;
    if ((o == PROGRAM || o == NGINX) && fails(K_process))
        return -1;
    pid_t child = NEXT(fork)();
    if (child == 0)
        start_in(is_nginx ? ROLE_WORKER : role == ROLE_PARENT ? ROLE_SERVICE : role);
    return child;
}

int execv(const char *path, char *const argv[])
{
    return CALLER == PROGRAM && fails(K_process) ? -1 : NEXT(execv)(path, argv);
}

#define FAILING(result, k, name, args, pass)                                                                 \
    result name args                                                                                         \
    {                                                                                                        \
        enum origin o = CALLER;                                                                              \
        if ((o == PROGRAM || o == HTTP) && fails(k))                                                         \
            return -1;                                                                                       \
        return NEXT(name) pass;                                                                              \
    }
FAILING(int, K_descriptor, socket, (int domain, int type, int protocol), (domain, type, protocol))
FAILING(int, K_descriptor, pipe2, (int fds[2], int flags), (fds, flags))
FAILING(int, K_descriptor, eventfd, (unsigned n, int flags), (n, flags))
FAILING(int, K_descriptor, epoll_create1, (int flags), (flags))
FAILING(int, K_descriptor, accept4, (int fd, struct sockaddr *a, socklen_t *n, int flags), (fd, a, n, flags))
FAILING(int, K_random, getentropy, (void *p, size_t n), (p, n))
FAILING(ssize_t, K_random, getrandom, (void *p, size_t n, unsigned flags), (p, n, flags))
FAILING(int, K_lock, flock, (int fd, int how), (fd, how))
FAILING(int, K_mode, chmod, (const char *path, mode_t mode), (path, mode))
FAILING(int, K_mode, fchmod, (int fd, mode_t mode), (fd, mode))
FAILING(int, K_stat, stat, (const char *path, struct stat *s), (path, s))
FAILING(int, K_stat, lstat, (const char *path, struct stat *s), (path, s))

/* ---- the clock ---- */

static int64_t ahead(void)
{
    return block != NULL ? atomic_load(&block->ahead) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    int e = (int)syscall(SYS_clock_gettime, clock, t);
    if (e == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t now = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec + ahead();
        t->tv_sec = now / 1000000000;
        t->tv_nsec = now % 1000000000;
    }
    return e;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    int e = clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return e;
}

time_t time(time_t *out)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL)
        *out = now.tv_sec;
    return now.tv_sec;
}
