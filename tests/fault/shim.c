/* Preloaded into odp-build (and odp-gateway) by the tests beside it: lets the Nth call of one kind fail.
 *   ODP_FAULT=alloc:N | read:N | write:N | fsync:N | rename:N | close:N | link:N | open:N | make:N | unlink:N
 *             mmap:N | thread:N | trunc:N | mode:N | look:N | list:N | lock:N | random:N | spawn:N | temp:N | load:N
 *             sqlalloc:N | sqlopen:N | sqlread:N | sqlwrite:N      the same, asked for by SQLite
 *             jsonalloc:N                                          memory that odp-build gets for jansson
 *             change:N                                             whatever changes a file or folder
 *             bytes:N                                              a disk with room for N bytes
 *             clock:N                                              the clock jumps by ODP_CLOCK_JUMP seconds
 * N from 1; N = 0 counts only. "kind:N+" fails from the Nth call on; "kind:N:EDQUOT" (or "kind:N+:EROFS") says with which
 * error. rename is renameat2 too, fsync syncfs and fdatasync, alloc mmap and what libc allocates for the program (strdup), link
 * symlink; make is mkdir and mkdtemp, unlink all that removes, write pwrite and SQLite's writes too; mode is chmod, look stat,
 * readlink, realpath and access, list readdir, temp mkstemp, memfd_create and pipe2, spawn fork and posix_spawnp, load dlopen.
 * The number of calls goes to the file ODP_FAULT_COUNT at exit. Allocations, reads, opens, closes and looks count only when
 * they are asked for by the program itself, not by the libraries: those have their own ways to fail. A read that fails goes on
 * failing, as a bad disk's.
 *
 *   ODP_HOOK=open:N:PART | read:N:PART, ODP_HOOK_DO=COMMAND
 *             before the Nth call on a file whose path contains PART, a shell runs COMMAND
 *   ODP_POWER_LOG=FOLDER, ODP_POWER_ROOT=FOLDER
 *             what changes below ROOT is written down in order, with the bytes: see power_faults.py
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_long calls;
static long fail_at = -1;
static int fail_on, fail_errno; /* from fail_at on; 0: the kind's own error */
static char kind[16];
static uintptr_t text_low, text_high, sqlite_low, sqlite_high;

static atomic_long spent; /* bytes written */

static int errno_of(const char *name)
{
    static const struct {
        const char *name;
        int e;
    } all[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EROFS", EROFS},
               {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"EACCES", EACCES}, {"EMFILE", EMFILE},
               {"EFBIG", EFBIG},   {"EPERM", EPERM},   {"ENOLCK", ENOLCK}, {"ENOSYS", ENOSYS}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].e;
    return 0;
}

/* ---- a hook before a call
 * ---------------------------------------------------------------------------------------------------- */

static char hook_kind[16], hook_part[256];
static const char *hook_do;
static atomic_long hook_left;

static void hook_start(void)
{
    const char *text = getenv("ODP_HOOK");
    long n = 0;
    hook_do = getenv("ODP_HOOK_DO");
    if (text != NULL && hook_do != NULL && sscanf(text, "%15[a-z]:%ld:%255s", hook_kind, &n, hook_part) == 3)
        atomic_store(&hook_left, n);
}

static void run_hook(void)
{
    int saved = errno;
    char *const words[] = {"sh", "-c", (char *)(uintptr_t)hook_do, NULL};
    char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    pid_t pid;
    if (NEXT(posix_spawnp)(&pid, "sh", NULL, NULL, words, environment) == 0)
        (void)waitpid(pid, NULL, 0);
    errno = saved;
}

static void hook_path(const char *what, const char *path)
{
    if (atomic_load(&hook_left) > 0 && path != NULL && strcmp(what, hook_kind) == 0 && strstr(path, hook_part) != NULL &&
        atomic_fetch_sub(&hook_left, 1) == 1)
        run_hook();
}

static void hook_fd(const char *what, int fd)
{
    char link[32], path[PATH_MAX];
    if (atomic_load(&hook_left) <= 0 || strcmp(what, hook_kind) != 0)
        return;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = NEXT(readlink)(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    hook_path(what, path);
}

/* ---- the log of what changes
 * -------------------------------------------------------------------------------------------------- A line an operation, words
 * parted by tabs: what, then numbers, then paths (absolute; tab, line feed and % as %XX). Bytes go to a second file, one after
 * the other. While an operation is done and written down no other is begun, so the order is the true one. */

static int log_fd = -1, blob_fd = -1;
static uint64_t blob_size;
static dev_t log_dev;
static const char *log_root;
static char log_cwd[PATH_MAX];
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;

static void log_start(void)
{
    const char *folder = getenv("ODP_POWER_LOG");
    char path[PATH_MAX];
    struct stat st;
    log_root = getenv("ODP_POWER_ROOT");
    if (folder == NULL || log_root == NULL || stat(log_root, &st) != 0 || getcwd(log_cwd, sizeof log_cwd) == NULL)
        return;
    log_dev = st.st_dev;
    (void)snprintf(path, sizeof path, "%s/blob", folder);
    blob_fd = NEXT(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    (void)snprintf(path, sizeof path, "%s/log", folder);
    log_fd = NEXT(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static void log_begin(void)
{
    if (log_fd >= 0)
        pthread_mutex_lock(&log_mutex);
}

static void log_end(void)
{
    if (log_fd >= 0)
        pthread_mutex_unlock(&log_mutex);
}

static void put_log(const char *text, size_t n)
{
    if (NEXT(write)(log_fd, text, n) != (ssize_t)n)
        abort(); /* a log with a hole would prove nothing */
}

static void log_path(const char *path)
{
    char text[3 * PATH_MAX + 2];
    size_t n = 0;
    for (int part = path[0] == '/' ? 1 : 0; part < 2; part++) {
        const char *from = part == 0 ? log_cwd : path;
        text[n++] = part == 0 || path[0] == '/' ? '\t' : '/';
        for (; *from != '\0' && n < 3 * PATH_MAX - 4; from++)
            if (*from == '\t' || *from == '\n' || *from == '%')
                n += (size_t)sprintf(text + n, "%%%02X", (unsigned char)*from);
            else
                text[n++] = *from;
    }
    put_log(text, n);
}

/* The number of the folder PATH, by which a sync names it. */
static unsigned long long number_of(const char *path)
{
    struct stat st;
    return log_fd >= 0 && NEXT(stat)(path, &st) == 0 ? (unsigned long long)st.st_ino : 0;
}

/* What was done to one or two paths (B: or NULL), with a number. */
static void log_paths(const char *what, unsigned long long number, const char *a, const char *b)
{
    char text[64];
    if (log_fd < 0)
        return;
    int n = snprintf(text, sizeof text, "%s\t%llu", what, number);
    put_log(text, (size_t)n);
    log_path(a);
    if (b != NULL)
        log_path(b);
    put_log("\n", 1);
}

/* False: FD is no file below the root, as far as that can be known by its file system. */
static int logged(int fd, struct stat *st)
{
    return log_fd >= 0 && NEXT(fstat)(fd, st) == 0 && st->st_dev == log_dev && (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode));
}

static void log_bytes(const char *what, int fd, const void *p, size_t n, unsigned long long at)
{
    struct stat st;
    char text[120];
    if (!logged(fd, &st))
        return;
    int len = snprintf(text, sizeof text, "%s\t%llu\t%llu\t%zu\t%llu\n", what, (unsigned long long)st.st_ino, at, n,
                       (unsigned long long)blob_size);
    if (NEXT(write)(blob_fd, p, n) != (ssize_t)n)
        abort();
    blob_size += n;
    put_log(text, (size_t)len);
}

/* FD was synced: from now on it is what it is now, whoever wrote it. */
static void log_sync(int fd)
{
    struct stat st;
    char text[64], *bytes = NULL;
    if (!logged(fd, &st))
        return;
    if (S_ISREG(st.st_mode) && st.st_size > 0) {
        int own;
        (void)snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
        own = NEXT(open)(text, O_RDONLY | O_CLOEXEC);
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, own, 0);
        if (own < 0 || bytes == MAP_FAILED)
            abort();
        NEXT(close)(own);
        log_bytes("content", fd, bytes, (size_t)st.st_size, 0);
        (void)munmap(bytes, (size_t)st.st_size);
    }
    int n = snprintf(text, sizeof text, "sync\t%llu\n", (unsigned long long)st.st_ino);
    put_log(text, (size_t)n);
}

/* Where a write without an offset would begin, or began. */
static unsigned long long place_of(int fd)
{
    if (log_fd < 0)
        return 0;
    int flags = fcntl(fd, F_GETFL);
    struct stat st;
    if (flags >= 0 && (flags & O_APPEND) != 0 && NEXT(fstat)(fd, &st) == 0)
        return (unsigned long long)st.st_size;
    off_t at = lseek(fd, 0, SEEK_CUR);
    return at > 0 ? (unsigned long long)at : 0;
}

/* ---- which calls fail
 * --------------------------------------------------------------------------------------------------------- */

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
    if (fail_at >= 0) {
        const char *name = strrchr(fault, ':');
        fail_on = strchr(fault, '+') != NULL;
        fail_errno = name != strchr(fault, ':') ? errno_of(name + 1) : 0;
    }
    hook_start();
    log_start();
    atomic_store(&calls, 0);
    atomic_store(&spent, 0);
}

__attribute__((destructor)) static void stop(void)
{
    const char *path = getenv("ODP_FAULT_COUNT");
    FILE *out = path != NULL ? fopen(path, "we") : NULL;
    if (out != NULL) {
        fprintf(out, "%ld\n", strcmp(kind, "bytes") == 0 ? atomic_load(&spent) : atomic_load(&calls));
        fclose(out);
    }
}

static int fails(const char *what)
{
    if (fail_at < 0 || strcmp(what, kind) != 0)
        return 0;
    long n = atomic_fetch_add(&calls, 1) + 1;
    return n == fail_at || (fail_on && fail_at > 0 && n > fail_at);
}

/* The error of a call that fails: what the run asks for, else OWN. */
static int failed(int own)
{
    errno = fail_errno != 0 ? fail_errno : own;
    return -1;
}

/* Something would be changed: by a file system that turns read-only it is not, by a full disk not when it wants room. */
static int change_fails(int wants_room)
{
    if (fails("change")) {
        (void)failed(EROFS);
        return 1;
    }
    if (wants_room && fail_at > 0 && strcmp(kind, "bytes") == 0 && atomic_load(&spent) >= fail_at) {
        (void)failed(ENOSPC);
        return 1;
    }
    return 0;
}

/* How many of N bytes the disk has room for: all, some, or none (-1 with errno). A budget of 0 counts only. */
static ssize_t room_for(int fd, size_t n)
{
    struct stat st;
    if (fail_at < 0 || strcmp(kind, "bytes") != 0 || NEXT(fstat)(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return (ssize_t)n;
    long before = atomic_fetch_add(&spent, (long)n);
    if (fail_at == 0 || before + (long)n <= fail_at)
        return (ssize_t)n;
    return before < fail_at ? fail_at - before : failed(ENOSPC);
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

/* ---- reading
 * ------------------------------------------------------------------------------------------------------------------ */

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
    return NEXT(readdir)(dir);
}

/* A call of the program's own that only looks. */
#define LOOKING(name, args, pass)                                                                                              \
    int name args                                                                                                              \
    {                                                                                                                          \
        if (from_program(__builtin_return_address(0)) && fails("look"))                                                        \
            return failed(EIO);                                                                                                \
        return NEXT(name) pass;                                                                                                \
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

/* ---- writing
 * ------------------------------------------------------------------------------------------------------------------ */

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

static ssize_t write_at(ssize_t (*next)(int, const void *, size_t, off_t), int fd, const void *p, size_t n, off_t at)
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
    if (r == 0 && log_fd >= 0)
        put_log("syncfs\n", 7);
    log_end();
    errno = e;
    return r;
}

/* ---- names
 * -------------------------------------------------------------------------------------------------------------------- */

/* Calls about one or two paths that fail with ERROR and are passed on otherwise, and written down as WORD. ROOM: they want some
 * on the disk. */
#define FAILING(what, error, word, name, args, pass, a, b)                                                                     \
    int name args                                                                                                              \
    {                                                                                                                          \
        if (fails(what))                                                                                                       \
            return failed(error);                                                                                              \
        if (change_fails(0))                                                                                                   \
            return -1;                                                                                                         \
        log_begin();                                                                                                           \
        int r = NEXT(name) pass, e = errno;                                                                                    \
        if (r == 0)                                                                                                            \
            log_paths(word, 0, a, b);                                                                                          \
        log_end();                                                                                                             \
        errno = e;                                                                                                             \
        return r;                                                                                                              \
    }

FAILING("rename", EIO, "rename", rename, (const char *from, const char *to), (from, to), from, to)
FAILING("rename", EIO, flags != 0 ? "exchange" : "rename", renameat2,
        (int dir, const char *from, int other, const char *to, unsigned flags), (dir, from, other, to, flags), from, to)
FAILING("link", EIO, "link", link, (const char *from, const char *to), (from, to), from, to)
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

/* ---- opening and closing
 * ------------------------------------------------------------------------------------------------------ */

static mode_t mode_of(int flags, va_list *list)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(*list, mode_t) : 0;
}

static int writes(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

static int open_at(int (*next)(int, const char *, int, ...), int dir, const char *path, int flags, mode_t mode)
{
    char whole[2 * PATH_MAX];
    struct stat st;
    int there = (flags & O_CREAT) != 0 && strcmp(kind, "bytes") == 0 && NEXT(stat)(path, &st) == 0;
    if (writes(flags) && change_fails((flags & O_CREAT) != 0 && !there))
        return -1;
    hook_path("open", path);
    if (!writes(flags) || log_fd < 0)
        return next(dir, path, flags, mode);
    log_begin();
    int fd = next(dir, path, flags, mode), e = errno;
    if (fd >= 0 && logged(fd, &st))
        log_paths((flags & O_TRUNC) != 0 ? "empty" : "open", (unsigned long long)st.st_ino, path_at(dir, path, whole), NULL);
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

/* ---- what else a program asks of the system
 * ------------------------------------------------------------------------------------ */

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

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*run)(void *),
                   void *restrict ctx)
{
    if (fails("thread")) /* it returns its error */
        return fail_errno != 0 ? fail_errno : EAGAIN;
    return NEXT(pthread_create)(thread, attributes, run, ctx);
}

int flock(int fd, int operation)
{
    return fails("lock") ? failed(ENOLCK) : NEXT(flock)(fd, operation);
}

ssize_t getrandom(void *p, size_t n, unsigned flags)
{
    return from_program(__builtin_return_address(0)) && fails("random") ? failed(ENOSYS) : NEXT(getrandom)(p, n, flags);
}

pid_t fork(void)
{
    return fails("spawn") ? failed(EAGAIN) : NEXT(fork)();
}

int posix_spawnp(pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *restrict actions,
                 const posix_spawnattr_t *restrict attributes, char *const argv[restrict], char *const environment[restrict])
{
    if (fails("spawn"))
        return fail_errno != 0 ? fail_errno : EAGAIN;
    return NEXT(posix_spawnp)(pid, file, actions, attributes, argv, environment);
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

int memfd_create(const char *name, unsigned flags)
{
    return fails("temp") ? failed(ENOMEM) : NEXT(memfd_create)(name, flags);
}

int pipe2(int ends[2], int flags)
{
    return fails("temp") ? failed(EMFILE) : NEXT(pipe2)(ends, flags);
}

/* As if a file of the installation were missing. */
void *dlopen(const char *path, int flags)
{
    return NEXT(dlopen)(from_program(__builtin_return_address(0)) && fails("load") ? "/nonexistent.so" : path, flags);
}

/* ---- the clock
 * ----------------------------------------------------------------------------------------------------------------- */

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
