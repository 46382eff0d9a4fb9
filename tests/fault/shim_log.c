/* The log of what changes, for power_faults.py. A line an operation, words parted by tabs: what, then
 * numbers, then paths (absolute; tab, line feed and % as %XX). Bytes go to a second file, one after the
 * other. */
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim.h"

int log_fd = -1, blob_fd = -1;
static uint64_t blob_size;
static dev_t log_dev;
static const char *log_root;
static char log_cwd[PATH_MAX];
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;

void log_start(void)
{
    const char *folder = getenv("ODP_POWER_LOG");
    char path[PATH_MAX];
    struct stat st;
    log_root = getenv("ODP_POWER_ROOT");
    if (folder == NULL || log_root == NULL || stat(log_root, &st) != 0 ||
        getcwd(log_cwd, sizeof log_cwd) == NULL)
        return;
    log_dev = st.st_dev;
    (void)snprintf(path, sizeof path, "%s/blob", folder);
    blob_fd = NEXT(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    (void)snprintf(path, sizeof path, "%s/log", folder);
    log_fd = NEXT(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

void log_begin(void)
{
    if (log_fd >= 0)
        pthread_mutex_lock(&log_mutex);
}

void log_end(void)
{
    if (log_fd >= 0)
        pthread_mutex_unlock(&log_mutex);
}

void put_log(const char *text, size_t n)
{
    if (NEXT(write)(log_fd, text, n) != (ssize_t)n)
        abort(); /* a log with a hole would prove nothing */
}

void log_path(const char *path)
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

unsigned long long number_of(const char *path)
{
    struct stat st;
    return log_fd >= 0 && NEXT(stat)(path, &st) == 0 ? (unsigned long long)st.st_ino : 0;
}

void log_paths(const char *what, unsigned long long number, const char *a, const char *b)
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

int logged(int fd, struct stat *st)
{
    return log_fd >= 0 && NEXT(fstat)(fd, st) == 0 && st->st_dev == log_dev &&
           (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode));
}

void log_bytes(const char *what, int fd, const void *p, size_t n, unsigned long long at)
{
    struct stat st;
    char text[120];
    if (!logged(fd, &st))
        return;
    int len = snprintf(text, sizeof text, "%s\t%llu\t%llu\t%zu\t%llu\n", what, (unsigned long long)st.st_ino,
                       at, n, (unsigned long long)blob_size);
    if (NEXT(write)(blob_fd, p, n) != (ssize_t)n)
        abort();
    blob_size += n;
    put_log(text, (size_t)len);
}

/* All that the file at PATH holds: libraries write by calls of libc's own, which do not come by here. */
static void log_content(const char *path, size_t size)
{
    int own = NEXT(open)(path, O_RDONLY | O_CLOEXEC);
    char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, own, 0);
    if (own < 0 || bytes == MAP_FAILED)
        abort();
    log_bytes("content", own, bytes, size, 0);
    NEXT(close)(own);
    (void)munmap(bytes, size);
}

void log_sync(int fd)
{
    struct stat st;
    char text[64];
    if (!logged(fd, &st))
        return;
    (void)snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
    if (S_ISREG(st.st_mode) && st.st_size > 0)
        log_content(text, (size_t)st.st_size);
    int n = snprintf(text, sizeof text, "sync\t%llu\n", (unsigned long long)st.st_ino);
    put_log(text, (size_t)n);
}

static int log_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)at;
    if (type == FTW_F && S_ISREG(st->st_mode) && st->st_size > 0)
        log_content(path, (size_t)st->st_size);
    return 0;
}

void log_sync_all(void)
{
    if (log_fd < 0)
        return;
    if (nftw(log_root, log_one, 16, FTW_PHYS | FTW_MOUNT) != 0)
        abort();
    put_log("syncfs\n", 7);
}

unsigned long long place_of(int fd)
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
