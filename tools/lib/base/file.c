/* Writing and sealing files. A writer gathers small pieces to CAP bytes, hashes what goes to the kernel while
 * it is warm, and remembers its first failure, so that close cannot call a damaged file good. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"

#define CAP   ((size_t)128 << 10)
#define PIECE ((size_t)256 << 10) /* hashed and written at a time: what fits a core's cache */
#define AHEAD                                                                                                \
    ((uint64_t)8 << 20) /* bytes after which the disk begins, so that close waits for the last only */

struct odp_file {
    int fd;
    char *path;
    struct odp_digest *digest;     /* NULL: nobody asks for it */
    uint64_t size, written, begun; /* bytes taken, given to the kernel, sent on by it */
    size_t used;
    bool failed;
    bool of_many; /* not synced by itself */
    bool scratch; /* not synced at all */
    char *bytes;  /* CAP of them once there was a small piece */
};

/* Closes and frees the writer, leaves the file alone. */
static void release(struct odp_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    odp_digest_free(f->digest);
    free(f->bytes);
    free(f->path);
    free(f);
}

static enum odp_status create(struct odp_file **out, const char *path, mode_t mode, bool hashed)
{
    *out = NULL;
    struct odp_file *f = calloc(1, sizeof *f);
    if (f == NULL)
        return odp_failure_set("create", path, ENOMEM);
    f->fd = -1;
    f->path = strdup(path);
    if (f->path == NULL) {
        (void)odp_failure_set("create", path, ENOMEM);
        goto fail;
    }
    if (hashed && odp_digest_new(&f->digest) != ODP_OK)
        goto fail;
    do
        f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    while (f->fd < 0 && errno == EINTR);
    if (f->fd < 0) {
        (void)odp_failure_set("create", path, errno);
        goto fail;
    }
    *out = f;
    return ODP_OK;
fail:
    release(f);
    return ODP_FAIL;
}

enum odp_status odp_file_create(struct odp_file **out, const char *path, mode_t mode)
{
    return create(out, path, mode, true);
}

enum odp_status odp_file_create_of_many(struct odp_file **out, const char *path, mode_t mode)
{
    enum odp_status status = create(out, path, mode, true);
    if (status == ODP_OK)
        (*out)->of_many = true;
    return status;
}

enum odp_status odp_file_create_scratch(struct odp_file **out, const char *path)
{
    enum odp_status status = create(out, path, 0600, false);
    if (status == ODP_OK)
        (*out)->scratch = true;
    return status;
}

static enum odp_status write_all(int fd, const char *path, struct odp_slice bytes)
{
    while (bytes.len > 0) {
        ssize_t n = write(fd, bytes.ptr, bytes.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return odp_failure_set("write", path, n < 0 ? errno : ENOSPC);
        bytes.ptr += n;
        bytes.len -= (size_t)n;
    }
    return ODP_OK;
}

static enum odp_status write_piece(struct odp_file *f, const char *p, size_t len)
{
    if (f->digest != NULL && odp_digest_add(f->digest, p, len) != ODP_OK)
        return ODP_FAIL;
    f->written += len;
    return write_all(f->fd, f->path, (struct odp_slice){p, len});
}

static enum odp_status put_bytes(struct odp_file *f, const char *p, size_t len)
{
    while (len > 0 && !f->failed) {
        size_t n = len < PIECE ? len : PIECE;
        f->failed = write_piece(f, p, n) != ODP_OK;
        p += n;
        len -= n;
    }
    if (!f->scratch && f->written - f->begun >= AHEAD) {
        (void)sync_file_range(f->fd, (off_t)f->begun, (off_t)(f->written - f->begun),
                              SYNC_FILE_RANGE_WRITE); /* fsync reports failures */
        f->begun = f->written;
    }
    return f->failed ? ODP_FAIL : ODP_OK;
}

static enum odp_status flush(struct odp_file *f)
{
    size_t n = f->used;
    f->used = 0;
    return n != 0 ? put_bytes(f, f->bytes, n) : ODP_OK;
}

enum odp_status odp_file_write(struct odp_file *f, const void *ptr, size_t len)
{
    if (f->failed)
        return ODP_FAIL;
    if (len == 0)
        return ODP_OK;
    f->size += len;
    if (len > CAP - f->used) {
        if (flush(f) != ODP_OK)
            return ODP_FAIL;
        if (len >= CAP)
            return put_bytes(f, ptr, len);
    }
    if (f->bytes == NULL && (f->bytes = malloc(CAP)) == NULL) {
        f->failed = true;
        return odp_failure_set("write", f->path, ENOMEM);
    }
    memcpy(f->bytes + f->used, ptr, len);
    f->used += len;
    return ODP_OK;
}

uint64_t odp_file_size(const struct odp_file *f)
{
    return f->size;
}

static enum odp_status sync_fd(int fd, const char *path)
{
    return odp_sync(fd) == 0 ? ODP_OK : odp_failure_set("sync", path, errno);
}

enum odp_status odp_file_close(struct odp_file *f, struct odp_file_info *info)
{
    uint8_t sha256[ODP_SHA256_SIZE];
    bool ok = !f->failed && flush(f) == ODP_OK &&
              (f->digest == NULL || odp_digest_end(f->digest, sha256) == ODP_OK) &&
              (f->of_many || f->scratch || sync_fd(f->fd, f->path) == ODP_OK);
    int fd = f->fd;
    f->fd = -1;
    /* Linux frees the descriptor even when close says EINTR; the bytes are synced by then. */
    if (close(fd) != 0 && errno != EINTR && ok) {
        (void)odp_failure_set("close", f->path, errno);
        ok = false;
    }
    if (!ok)
        unlink(f->path);
    if (ok && info != NULL) {
        info->size = f->size;
        memcpy(info->sha256, sha256, sizeof sha256);
    }
    release(f);
    return ok ? ODP_OK : ODP_FAIL;
}

void odp_file_discard(struct odp_file *f)
{
    if (f == NULL)
        return;
    unlink(f->path);
    release(f);
}

enum odp_status odp_file_seal_of_many(const char *path, struct odp_file_info *info)
{
    enum odp_status status = odp_file_digest(path, info);
    return status == ODP_BAD ? odp_failure_set("open", path, ENOENT) : status;
}

enum odp_status odp_file_seal(const char *path, struct odp_file_info *info)
{
    struct odp_file_info own;
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return odp_failure_set("open", path, errno);
    enum odp_status status = sync_fd(fd, path);
    close(fd); /* read only: nothing can be lost here */
    return status == ODP_OK ? odp_file_seal_of_many(path, info != NULL ? info : &own) : status;
}

enum odp_status odp_file_put_pieces(const char *path, const struct odp_slice *pieces, size_t n, mode_t mode,
                                    struct odp_file_info *info)
{
    struct odp_file *f;
    enum odp_status status = create(&f, path, mode, info != NULL);
    if (status != ODP_OK)
        return status;
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = odp_file_write(f, pieces[i].ptr, pieces[i].len);
    if (status == ODP_OK)
        return odp_file_close(f, info);
    odp_file_discard(f);
    return status;
}

enum odp_status odp_file_put(const char *path, struct odp_slice bytes, mode_t mode,
                             struct odp_file_info *info)
{
    return odp_file_put_pieces(path, &bytes, 1, mode, info);
}

bool odp_file_is_device(const char *path)
{
    struct stat st;
    if (strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
        strncmp(path, "/proc/", 6) == 0)
        return true; /* whatever they lead to: they are links, and a rename would replace the link itself */
    return stat(path, &st) == 0 &&
           (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

enum odp_status odp_file_pour(const char *path, struct odp_slice bytes)
{
    struct stat st;
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return odp_failure_set("open", path, errno);
    enum odp_status status =
        fstat(fd, &st) != 0 || S_ISBLK(st.st_mode) ? odp_failure_set("write", path, EINVAL) : ODP_OK;
    if (status == ODP_OK)
        status = write_all(fd, path, bytes);
    if (close(fd) != 0 && status == ODP_OK)
        status = odp_failure_set("close", path, errno);
    return status;
}

enum odp_status odp_file_rename(const char *from, const char *to)
{
    if (odp_file_is_device(to)) /* the superuser could: /dev/null would be a file from then on */
        return odp_failure_set("replace", to, EEXIST);
    if (rename(from, to) != 0)
        return odp_failure_set("rename", from, errno);
    return odp_dir_sync_parent(to);
}

enum odp_status odp_file_place(const char *fresh, const char *path)
{
    enum odp_status status = odp_memory_status();
    if (status == ODP_OK)
        status = odp_file_rename(fresh, path);
    if (status != ODP_OK)
        (void)unlink(fresh);
    return status;
}

static enum odp_status copy_bytes(struct odp_reader *from, const char *path, struct odp_file *to)
{
    size_t got;
    char *bytes = malloc(CAP);
    enum odp_status status = bytes != NULL ? ODP_OK : odp_failure_set("copy", path, ENOMEM);
    while (status == ODP_OK && (status = odp_reader_read(from, bytes, CAP, &got)) == ODP_OK)
        status = odp_file_write(to, bytes, got);
    free(bytes);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_file_copy(const char *from, const char *to, mode_t mode, struct odp_file_info *info)
{
    struct odp_reader *reader = NULL;
    struct odp_file *file = NULL;
    enum odp_status status = odp_reader_open(&reader, from, NULL);
    if (status == ODP_OK)
        status = odp_file_create(&file, to, mode);
    if (status == ODP_OK && fchmod(file->fd, mode) != 0) /* what the umask took away */
        status = odp_failure_set("chmod", to, errno);
    if (status == ODP_OK)
        status = copy_bytes(reader, from, file);
    if (status == ODP_OK)
        status = odp_file_close(file, info);
    else
        odp_file_discard(file);
    odp_reader_close(reader);
    return status;
}

enum odp_status odp_file_link(const char *from, const char *to)
{
    struct stat st;
    if (link(from, to) == 0)
        return ODP_OK;
    if (errno != EXDEV && errno != EPERM && errno != EMLINK && errno != EOPNOTSUPP && errno != ENOSYS)
        return odp_failure_set("link", to, errno);
    if (stat(from, &st) != 0)
        return odp_failure_set("stat", from, errno);
    enum odp_status status = odp_file_copy(from, to, st.st_mode & 0777, NULL);
    return status == ODP_BAD ? odp_failure_set("open", from, ENOENT) : status;
}

/* ---- a line at the end ---- */

enum odp_status odp_file_append_line(const char *path, struct odp_slice line, mode_t mode)
{
    struct stat st;
    char last = '\n';
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, mode);
    if (fd < 0)
        return odp_failure_set("open", path, errno);
    enum odp_status status = ODP_OK;
    if (fstat(fd, &st) != 0)
        status = odp_failure_set("examine", path, errno);
    if (status == ODP_OK && st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) != 1)
        last = '\0'; /* not known: an empty line does no harm */
    if (status == ODP_OK && last != '\n')
        status = write_all(fd, path, ODP_LIT("\n"));
    if (status == ODP_OK)
        status = write_all(fd, path, line);
    if (status == ODP_OK && odp_sync(fd) != 0)
        status = odp_failure_set("sync", path, errno);
    if (close(fd) != 0 && status == ODP_OK)
        status = odp_failure_set("close", path, errno);
    return status;
}
