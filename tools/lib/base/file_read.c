/* Reads files. A fault that a user can mend (no such file, no permission, a folder) is BAD and reported; the
 * rest is FAIL. */
#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct odp_reader {
    int fd;
    uint64_t size;
    char *path;
};

enum odp_file_kind odp_file_kind_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) /* a file that cannot be examined does not count as missing */
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG
                   ? ODP_FILE_NONE
                   : ODP_FILE_DENIED;
    if (access(path, R_OK) != 0)
        return ODP_FILE_DENIED;
    if (S_ISREG(st.st_mode))
        return ODP_FILE_REGULAR;
    return S_ISDIR(st.st_mode) ? ODP_FILE_FOLDER : ODP_FILE_OTHER;
}

enum odp_status odp_file_look(const char *path, int *errnum)
{
    static const int reasons[] = {
        [ODP_FILE_NONE] = ENOENT, [ODP_FILE_FOLDER] = EISDIR, [ODP_FILE_OTHER] = ENXIO};
    const enum odp_file_kind kind = odp_file_kind_of(path);
    if (kind == ODP_FILE_REGULAR)
        return ODP_OK;
    if (kind == ODP_FILE_DENIED && !odp_file_is_users_fault(errno))
        return odp_failure_set("read", path, errno);
    *errnum = kind == ODP_FILE_DENIED ? errno : reasons[kind];
    return ODP_BAD;
}

uint64_t odp_file_size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

bool odp_file_is_users_fault(int e)
{
    return e == ENOENT || e == ENOTDIR || e == EACCES || e == EPERM || e == ELOOP || e == ENAMETOOLONG ||
           e == EISDIR || e == ENXIO || e == ENODEV;
}

/* Opens PATH for reading. OK, or BAD with *ERRNUM, or FAIL; the descriptor is closed unless OK. */
static enum odp_status open_source(const char *path, bool only_regular, int *fd, struct stat *st, int *errnum)
{
    do /* O_NONBLOCK: opening a fifo nobody writes to must not hang where only regular files are welcome */
        *fd = open(path, O_RDONLY | O_CLOEXEC | (only_regular ? O_NONBLOCK : 0));
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0) {
        *errnum = errno;
        return odp_file_is_users_fault(errno) ? ODP_BAD : odp_failure_set("open", path, errno);
    }
    if (fstat(*fd, st) != 0) {
        *errnum = errno;
        close(*fd);
        return odp_failure_set("stat", path, *errnum);
    }
    if (S_ISDIR(st->st_mode) || (only_regular && !S_ISREG(st->st_mode))) {
        *errnum = S_ISDIR(st->st_mode) ? EISDIR : ENXIO;
        close(*fd);
        return ODP_BAD;
    }
    *errnum = 0;
    return ODP_OK;
}

/* Reads FD to its end into OUT; BAD with EFBIG when there are more than MAX bytes. */
static enum odp_status read_all(int fd, const char *path, size_t max, struct odp_buffer *out, size_t expect,
                                int *errnum)
{
    size_t total = 0,
           room = expect < max ? expect + 1 : max; /* one more byte finds the end without growing */
    for (;;) {
        if (room < 4096)
            room = 4096;
        char *p = odp_buffer_reserve(out, room);
        if (p == NULL)
            return ODP_FAIL;
        ssize_t n = read(fd, p, room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            *errnum = errno;
            return odp_failure_set("read", path, errno);
        }
        if (n == 0)
            return ODP_OK;
        if ((size_t)n > max - total) {
            *errnum = EFBIG;
            return ODP_BAD;
        }
        total += (size_t)n;
        out->len += (size_t)n;
        room = expect > total ? expect - total + 1 : 0;
    }
}

enum odp_status odp_file_read(const char *path, size_t max, struct odp_buffer *out, int *errnum)
{
    int fd, ignored;
    struct stat st;
    if (errnum == NULL)
        errnum = &ignored;
    enum odp_status status = open_source(path, true, &fd, &st, errnum);
    if (status != ODP_OK)
        return status;
    size_t before = out->len;
    if ((uintmax_t)st.st_size > max) {
        *errnum = EFBIG;
        status = ODP_BAD;
    } else {
        status = read_all(fd, path, max, out, (size_t)st.st_size, errnum);
    }
    if (status != ODP_OK)
        out->len = before;
    close(fd);
    return status;
}

enum odp_status odp_reader_open(struct odp_reader **out, const char *path, int *errnum)
{
    int fd, ignored;
    struct stat st;
    *out = NULL;
    if (errnum == NULL)
        errnum = &ignored;
    enum odp_status status = open_source(path, false, &fd, &st, errnum);
    if (status != ODP_OK)
        return status;
    struct odp_reader *r = malloc(sizeof *r);
    char *copy = strdup(path);
    if (r == NULL || copy == NULL) {
        free(copy);
        free(r);
        close(fd);
        return odp_failure_set("open", path, ENOMEM);
    }
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* only a hint */
    *r = (struct odp_reader){.fd = fd, .size = st.st_size > 0 ? (uint64_t)st.st_size : 0, .path = copy};
    *out = r;
    return ODP_OK;
}

enum odp_status odp_reader_read(struct odp_reader *r, void *ptr, size_t cap, size_t *got)
{
    *got = 0;
    if (cap == 0)
        return ODP_OK;
    while (*got < cap) {
        ssize_t n = read(r->fd, (char *)ptr + *got, cap - *got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return odp_failure_set("read", r->path, errno);
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return *got != 0 ? ODP_OK : ODP_DONE;
}

uint64_t odp_reader_size(const struct odp_reader *r)
{
    return r->size;
}

void odp_reader_close(struct odp_reader *r)
{
    if (r == NULL)
        return;
    close(r->fd);
    free(r->path);
    free(r);
}

enum odp_status odp_file_digest(const char *path, struct odp_file_info *info)
{
    enum { PIECE = 128 << 10 };
    struct odp_reader *reader = NULL;
    struct odp_digest *digest = NULL;
    size_t got = 0;
    int errnum;
    enum odp_status status = odp_reader_open(&reader, path, &errnum);
    if (status != ODP_OK)
        return status;
    char *piece = malloc(PIECE);
    status = piece != NULL ? odp_digest_new(&digest) : odp_failure_set("read", path, ENOMEM);
    info->size = 0;
    while (status == ODP_OK) {
        status = odp_reader_read(reader, piece, PIECE, &got);
        if (status == ODP_OK)
            status = odp_digest_add(digest, piece, got);
        info->size += got;
    }
    if (status == ODP_DONE)
        status = odp_digest_end(digest, info->sha256);
    odp_digest_free(digest);
    free(piece);
    odp_reader_close(reader);
    return status;
}
