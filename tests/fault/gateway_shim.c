/* Preloaded into odp-gateway and nginx by tests/fault/gatewayfaultlib.py, which steers it while they run: a test and all
 * processes of a gateway map the same file (ODP_GATEWAY_SHIM), struct block. What it can do:
 *
 *   faults   the Nth call of a kind fails once, or from then on, in processes of some roles
 *   budget   so many bytes may still be written below a folder (ODP_GATEWAY_STATE), then ENOSPC or EDQUOT
 *   clock    the wall clock is ahead of, or behind, the machine's
 *   log      every change of files below that folder goes into a file (ODP_GATEWAY_LOG) in the order in which it was made,
 *            with the bytes that were written; tests/e2e/gateway_power.py reads it
 *
 * A kind is of who calls: the program and nginx's module; jansson, libcrypto, SQLite, libmicrohttpd, libcurl; nginx itself. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
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
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

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
#define KINDS(X)                                                                                                               \
    X(alloc, ENOMEM)                                                                                                           \
    X(json, ENOMEM)                                                                                                            \
    X(crypto, ENOMEM)                                                                                                          \
    X(sqlalloc, ENOMEM)                                                                                                        \
    X(http, ENOMEM)                                                                                                            \
    X(curl, ENOMEM)                                                                                                            \
    X(nginx, ENOMEM)                                                                                                           \
    X(pool, ENOMEM)                                                                                                            \
    X(open, EMFILE)                                                                                                            \
    X(sqlopen, EMFILE)                                                                                                         \
    X(read, EIO)                                                                                                               \
    X(sqlread, EIO)                                                                                                            \
    X(write, ENOSPC)                                                                                                           \
    X(sqlwrite, ENOSPC)                                                                                                        \
    X(fsync, EIO)                                                                                                              \
    X(sqlsync, EIO)                                                                                                            \
    X(rename, EIO)                                                                                                             \
    X(link, EIO)                                                                                                               \
    X(unlink, EIO)                                                                                                             \
    X(make, ENOSPC)                                                                                                            \
    X(map, ENOMEM)                                                                                                             \
    X(sqlmap, ENOMEM)                                                                                                          \
    X(resize, ENOSPC)                                                                                                          \
    X(sqlresize, ENOSPC)                                                                                                       \
    X(thread, EAGAIN)                                                                                                          \
    X(process, EAGAIN)                                                                                                         \
    X(descriptor, EMFILE)                                                                                                      \
    X(random, ENOSYS)                                                                                                          \
    X(lock, ENOLCK)                                                                                                            \
    X(mode, EPERM)                                                                                                             \
    X(stat, EIO)
enum kind {
#define X(name, error) K_##name,
    KINDS(X)
#undef X
        K_COUNT
};
static const int errors[K_COUNT] = {
#define X(name, error) [K_##name] = error,
    KINDS(X)
#undef X
};

static struct block *block;
static char state[PATH_MAX];
static size_t state_len;
static int log_fd = -1;
static int role;
static bool is_nginx;

/* ---- who calls ---- */

enum origin { OTHER, PROGRAM, JSON, CRYPTO, SQLITE, HTTP, CURL, NGINX };
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
    } known[] = {{"libsqlite3", SQLITE},  {"libjansson", JSON}, {"libcrypto", CRYPTO},           {"libssl", CRYPTO},
                 {"libmicrohttpd", HTTP}, {"libcurl", CURL},    {"ngx_http_odp_module", PROGRAM}};
    if (name == NULL || name[0] == '\0')
        return is_nginx ? NGINX : PROGRAM;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(name, known[i].part) != NULL)
            return known[i].origin;
    return OTHER;
}

static void patch_pool(const struct dl_phdr_info *info);

static int find_ranges(struct dl_phdr_info *info, size_t size, void *ctx)
{
    bool *main_seen = ctx;
    const char *name = *main_seen ? info->dlpi_name : "";
    bool main_object = !*main_seen;
    *main_seen = true;
    (void)size;
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

static enum origin caller_origin(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    for (size_t i = 0, n = atomic_load(&nranges); i < n; i++)
        if (at >= ranges[i].low && at < ranges[i].high)
            return ranges[i].origin;
    return OTHER;
}
#define CALLER caller_origin(__builtin_return_address(0))

/* ---- faults ---- */

static bool fails(enum kind k)
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

static bool alloc_fails(enum origin o)
{
    static const int kinds[] = {[OTHER] = -1,          [PROGRAM] = K_alloc, [JSON] = K_json, [CRYPTO] = K_crypto,
                                [SQLITE] = K_sqlalloc, [HTTP] = K_http,     [CURL] = K_curl, [NGINX] = K_nginx};
    return kinds[o] >= 0 && fails((enum kind)kinds[o]);
}

#define NEXT(name)                                                                                                             \
    ({                                                                                                                         \
        static __typeof__(&name) next_;                                                                                        \
        if (next_ == NULL)                                                                                                     \
            next_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                                                \
        next_;                                                                                                                 \
    })

/* ---- the log: a head of text, a line end, then the bytes ---- */

static bool below(const char *path)
{
    return state_len > 0 && strncmp(path, state, state_len) == 0 && (path[state_len] == '/' || path[state_len] == '\0');
}

static bool path_of(int fd, char out[PATH_MAX])
{
    char link[64];
    int saved = errno;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, PATH_MAX - 1);
    errno = saved;
    out[n > 0 ? n : 0] = '\0';
    return n > 0 && below(out);
}

static bool full_path(int dir, const char *path, char out[PATH_MAX])
{
    char base[PATH_MAX / 2] = "", of_dir[PATH_MAX] = "";
    if (path[0] == '/')
        (void)snprintf(out, PATH_MAX, "%s", path);
    else if (dir != AT_FDCWD && path_of(dir, of_dir))
        (void)snprintf(out, PATH_MAX, "%.2000s/%.2000s", of_dir, path);
    else if (dir == AT_FDCWD && getcwd(base, sizeof base) != NULL)
        (void)snprintf(out, PATH_MAX, "%.2000s/%.2000s", base, path);
    else
        out[0] = '\0';
    for (char *p; (p = strstr(out, "//")) != NULL;)
        memmove(p, p + 1, strlen(p));
    return below(out);
}

static bool logging(void)
{
    return block != NULL && log_fd >= 0 && !is_nginx && atomic_load(&block->logging) != 0;
}

static void put(const void *bytes, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put(const void *bytes, size_t n, const char *format, ...)
{
    char head[3 * PATH_MAX];
    va_list args;
    int saved = errno;
    va_start(args, format);
    int len = vsnprintf(head, sizeof head - 1, format, args);
    va_end(args);
    head[len++] = '\n';
    struct iovec v[2] = {{head, (size_t)len}, {(void *)(uintptr_t)bytes, n}};
    (void)!syscall(SYS_writev, log_fd, v, 2); /* O_APPEND: in one piece */
    errno = saved;
}

static unsigned long long inode(int fd)
{
    struct stat st;
    int saved = errno;
    unsigned long long ino = fstat(fd, &st) == 0 ? (unsigned long long)st.st_ino : 0;
    errno = saved;
    return ino;
}

static void log_write(int fd, const void *p, ssize_t n, off_t at)
{
    char path[PATH_MAX];
    if (n <= 0 || !logging() || !path_of(fd, path) || strstr(path, "-shm") != NULL)
        return;
    struct stat st;
    if (at < 0)
        at = lseek(fd, 0, SEEK_CUR) - n;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        put(p, (size_t)n, "write %llu %lld %lld", inode(fd), (long long)at, (long long)n);
}

static void log_size(int fd, const char *what, long long from, long long to)
{
    char path[PATH_MAX];
    if (logging() && path_of(fd, path))
        put(NULL, 0, "%s %llu %lld %lld", what, inode(fd), from, to);
}

/* The mapped key table: which of its pages differ from what the log knows. Stores into a mapping are no calls, so this looks
 * whenever something is synced. */
struct mapped {
    char *at, *known;
    size_t size;
    unsigned long long ino;
};
static struct mapped tables[8];
#define LOOKED_AT ((size_t)34 << 20) /* of a table for millions of keys a test fills the first records only */
static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;

static void look_at_tables(void)
{
    enum { PAGE = 4096 };
    pthread_mutex_lock(&tables_lock);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct mapped *t = &tables[i];
        for (size_t at = 0; t->at != NULL && at + PAGE <= t->size && at < LOOKED_AT; at += PAGE) {
            if (memcmp(t->at + at, t->known + at, PAGE) == 0)
                continue;
            memcpy(t->known + at, t->at + at, PAGE);
            put(t->known + at, PAGE, "write %llu %zu %d", t->ino, at, PAGE);
        }
    }
    pthread_mutex_unlock(&tables_lock);
}

static void log_sync(int fd)
{
    char path[PATH_MAX];
    if (!logging() || !path_of(fd, path))
        return;
    look_at_tables();
    put(NULL, 0, "sync %llu %s", inode(fd), path);
}

static void table_mapped(void *at, size_t n, int protection, int flags, int fd)
{
    char path[PATH_MAX];
    if (!logging() || (protection & PROT_WRITE) == 0 || (flags & MAP_SHARED) == 0 || fd < 0 || !path_of(fd, path) ||
        strstr(path, "keys.table") == NULL)
        return;
    void *known =
        (void *)syscall(SYS_mmap, NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    pthread_mutex_lock(&tables_lock);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].at == NULL) {
            size_t used = n < LOOKED_AT ? n : LOOKED_AT;
            memcpy(known, at, used); /* what was there before is in the log, or was there when it began */
            tables[i] = (struct mapped){at, known, n, inode(fd)};
            break;
        }
    pthread_mutex_unlock(&tables_lock);
}

/* ---- start ---- */

static void start_in(int new_role)
{
    role = new_role;
}

__attribute__((constructor)) static void start(void)
{
    char exe[PATH_MAX];
    const char *path = getenv("ODP_GATEWAY_SHIM"), *folder = getenv("ODP_GATEWAY_STATE"), *log = getenv("ODP_GATEWAY_LOG");
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    is_nginx = strstr(exe, "/nginx") != NULL;
    bool ours = is_nginx || strstr(exe, "/odp-gateway") != NULL;
    if (path == NULL || !ours)
        return;
    bool main_seen = false;
    (void)dl_iterate_phdr(find_ranges, &main_seen);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    void *at =
        fd >= 0 ? (void *)syscall(SYS_mmap, NULL, sizeof(struct block), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
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

/* ---- memory ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t n)
{
    return alloc_fails(CALLER) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return alloc_fails(CALLER) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return alloc_fails(CALLER) ? NULL : __libc_realloc(p, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
    return alloc_fails(CALLER) ? ENOMEM : NEXT(posix_memalign)(out, align, n);
}

char *strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = alloc_fails(CALLER) ? NULL : __libc_malloc(n);
    return copy != NULL ? memcpy(copy, s, n) : NULL;
}

char *strndup(const char *s, size_t most)
{
    size_t n = strnlen(s, most);
    char *copy = alloc_fails(CALLER) ? NULL : __libc_malloc(n + 1);
    if (copy != NULL) {
        memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

/* nginx's pools give out of what they have, so the module's own calls are caught in its table of imported functions. */
#define POOL(name, args, pass)                                                                                                 \
    static void *(*real_##name)args;                                                                                           \
    static void *pool_##name args                                                                                              \
    {                                                                                                                          \
        return fails(K_pool) ? NULL : real_##name pass;                                                                        \
    }
POOL(ngx_palloc, (void *p, size_t n), (p, n))
POOL(ngx_pcalloc, (void *p, size_t n), (p, n))
POOL(ngx_pnalloc, (void *p, size_t n), (p, n))
POOL(ngx_list_push, (void *l), (l))
POOL(ngx_array_push, (void *a), (a))
POOL(ngx_create_temp_buf, (void *p, size_t n), (p, n))
POOL(ngx_pool_cleanup_add, (void *p, size_t n), (p, n))
POOL(ngx_alloc, (size_t n, void *log), (n, log))
POOL(ngx_calloc, (size_t n, void *log), (n, log))
POOL(ngx_pstrdup, (void *p, void *s), (p, s))

static const struct {
    const char *name;
    void **real, *ours;
} pool[] = {
#define ENTRY(name)                                                                                                            \
    {                                                                                                                          \
#name, (void **)&real_##name, (void *)pool_##name                                                                      \
    }
    ENTRY(ngx_palloc), ENTRY(ngx_pcalloc),         ENTRY(ngx_pnalloc),          ENTRY(ngx_list_push), ENTRY(ngx_array_push),
    ENTRY(ngx_alloc),  ENTRY(ngx_create_temp_buf), ENTRY(ngx_pool_cleanup_add), ENTRY(ngx_calloc),    ENTRY(ngx_pstrdup)};

static void patch_one(void **slot, const char *name)
{
    uintptr_t page = (uintptr_t)slot & ~(uintptr_t)4095;
    for (size_t i = 0; i < sizeof pool / sizeof *pool; i++) {
        if (strcmp(pool[i].name, name) != 0 || *slot == pool[i].ours ||
            mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) != 0)
            continue;
        *pool[i].real = *slot;
        *slot = pool[i].ours;
    }
}

static void patch_pool(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *d = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    const ElfW(Rela) * tables_of[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d != NULL && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbols = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRTAB)
            strings = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_JMPREL)
            tables_of[0] = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_PLTRELSZ)
            sizes[0] = d->d_un.d_val;
        if (d->d_tag == DT_RELA)
            tables_of[1] = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_RELASZ)
            sizes[1] = d->d_un.d_val;
    }
    for (int t = 0; t < 2 && symbols != NULL && strings != NULL; t++)
        for (size_t i = 0; i < sizes[t] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Rela) *r = &tables_of[t][i];
            size_t symbol = ELF64_R_SYM(r->r_info);
            if (symbol != 0)
                patch_one((void **)(info->dlpi_addr + r->r_offset), strings + symbols[symbol].st_name);
        }
}

/* ---- files ---- */

/* A kind that SQLite has apart. */
static bool one_fails(enum origin o, enum kind program, enum kind sqlite)
{
    return o == PROGRAM ? fails(program) : o == SQLITE ? fails(sqlite) : false;
}

static bool over_budget(int fd, ssize_t n)
{
    char path[PATH_MAX];
    struct stat st;
    if (block == NULL || atomic_load(&block->budget) < 0 || n <= 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        !path_of(fd, path))
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
    bool known = logging() && full_path(dir, path, full), fresh = known && (flags & O_CREAT) != 0 && !exists(dir, path);
    int fd = (int)syscall(SYS_openat, dir, path, flags, mode);
    if (fd >= 0 && fresh)
        put(NULL, 0, "create %llu %s", inode(fd), full);
    else if (fd >= 0 && known && (flags & O_TRUNC) != 0)
        put(NULL, 0, "cut %llu 0 0", inode(fd));
    return fd;
}

#define OPEN(name, dir_parameter, dir)                                                                                         \
    int name(dir_parameter const char *path, int flags, ...)                                                                   \
    {                                                                                                                          \
        va_list list;                                                                                                          \
        va_start(list, flags);                                                                                                 \
        mode_t mode = mode_of(flags, &list);                                                                                   \
        va_end(list);                                                                                                          \
        return open_it(CALLER, dir, path, flags, mode);                                                                        \
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

#define SYNC(name)                                                                                                             \
    int name(int fd)                                                                                                           \
    {                                                                                                                          \
        if (one_fails(CALLER, K_fsync, K_sqlsync))                                                                             \
            return -1;                                                                                                         \
        int e = NEXT(name)(fd);                                                                                                \
        if (e == 0)                                                                                                            \
            log_sync(fd);                                                                                                      \
        return e;                                                                                                              \
    }
SYNC(fsync)
SYNC(fdatasync)
SYNC(syncfs)

int msync(void *at, size_t n, int flags)
{
    if (CALLER == PROGRAM && fails(K_fsync))
        return -1;
    int e = NEXT(msync)(at, n, flags);
    if (e == 0 && logging()) {
        look_at_tables();
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
            if (tables[i].at == at)
                put(NULL, 0, "sync %llu keys.table", tables[i].ino);
    }
    return e;
}

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

#define NAMED(k, log, name, args, pass, a, from, b, to)                                                                        \
    int name args                                                                                                              \
    {                                                                                                                          \
        if (CALLER == PROGRAM && fails(k))                                                                                     \
            return -1;                                                                                                         \
        int e = NEXT(name) pass;                                                                                               \
        if (e == 0)                                                                                                            \
            log_names(log, a, from, b, to);                                                                                    \
        return e;                                                                                                              \
    }
NAMED(K_rename, "rename", rename, (const char *from, const char *to), (from, to), AT_FDCWD, from, AT_FDCWD, to)
NAMED(K_rename, "rename", renameat2, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags),
      a, from, b, to)
NAMED(K_link, "link", link, (const char *from, const char *to), (from, to), AT_FDCWD, from, AT_FDCWD, to)
NAMED(K_link, "symlink", symlink, (const char *to, const char *path), (to, path), AT_FDCWD, path, AT_FDCWD, NULL)
NAMED(K_make, "mkdir", mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path, AT_FDCWD, NULL)
NAMED(K_unlink, "unlink", unlinkat, (int dir, const char *path, int flags), (dir, path, flags), dir, path, AT_FDCWD, NULL)
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
    pthread_mutex_lock(&tables_lock);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].at != NULL && tables[i].at == at) {
            (void)syscall(SYS_munmap, tables[i].known, tables[i].size);
            tables[i] = (struct mapped){0};
        }
    pthread_mutex_unlock(&tables_lock);
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

/* ---- the rest ---- */

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

#define FAILING(result, k, name, args, pass)                                                                                   \
    result name args                                                                                                           \
    {                                                                                                                          \
        enum origin o = CALLER;                                                                                                \
        if ((o == PROGRAM || o == HTTP) && fails(k))                                                                           \
            return -1;                                                                                                         \
        return NEXT(name) pass;                                                                                                \
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
    (void)zone;
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
