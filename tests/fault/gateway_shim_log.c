/* The log of what is written below the gateway's state folder: a head of text, a line end, then the bytes. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gateway_shim.h"

char state[PATH_MAX];
size_t state_len;
int log_fd = -1;

static bool below(const char *path)
{
    return state_len > 0 && strncmp(path, state, state_len) == 0 &&
           (path[state_len] == '/' || path[state_len] == '\0');
}

bool path_of(int fd, char out[PATH_MAX])
{
    char link[64];
    int saved = errno;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, PATH_MAX - 1);
    errno = saved;
    out[n > 0 ? n : 0] = '\0';
    return n > 0 && below(out);
}

bool full_path(int dir, const char *path, char out[PATH_MAX])
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

bool logging(void)
{
    return block != NULL && log_fd >= 0 && !is_nginx && atomic_load(&block->logging) != 0;
}

void put(const void *bytes, size_t n, const char *format, ...)
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

unsigned long long inode(int fd)
{
    struct stat st;
    int saved = errno;
    unsigned long long ino = fstat(fd, &st) == 0 ? (unsigned long long)st.st_ino : 0;
    errno = saved;
    return ino;
}

void log_write(int fd, const void *p, ssize_t n, off_t at)
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

void log_size(int fd, const char *what, long long from, long long to)
{
    char path[PATH_MAX];
    if (logging() && path_of(fd, path))
        put(NULL, 0, "%s %llu %lld %lld", what, inode(fd), from, to);
}

/* The mapped key table: which of its pages differ from what the log knows. Stores into a mapping are no
 * calls, so this looks whenever something is synced. */
struct mapped {
    char *at, *known;
    size_t size;
    unsigned long long ino;
};
static struct mapped tables[8];
#define LOOKED_AT                                                                                            \
    ((size_t)34 << 20) /* of a table for millions of keys a test fills the first records only                \
                        */
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

void log_sync(int fd)
{
    char path[PATH_MAX];
    if (!logging() || !path_of(fd, path))
        return;
    look_at_tables();
    put(NULL, 0, "sync %llu %s", inode(fd), path);
}

void table_mapped(void *at, size_t n, int protection, int flags, int fd)
{
    char path[PATH_MAX];
    if (!logging() || (protection & PROT_WRITE) == 0 || (flags & MAP_SHARED) == 0 || fd < 0 ||
        !path_of(fd, path) || strstr(path, "keys.table") == NULL)
        return;
    void *known = (void *)syscall(SYS_mmap, NULL, n, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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

void table_synced(const void *at)
{
    if (!logging())
        return;
    look_at_tables();
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].at == at)
            put(NULL, 0, "sync %llu keys.table", tables[i].ino);
}

void table_unmapped(const void *at)
{
    pthread_mutex_lock(&tables_lock);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].at != NULL && tables[i].at == at) {
            (void)syscall(SYS_munmap, tables[i].known, tables[i].size);
            tables[i] = (struct mapped){0};
        }
    pthread_mutex_unlock(&tables_lock);
}
