/* The file: read only where nobody else could have written or read it, made whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "core/secrets/secret_internal.h"

enum { OTHERS = 077, OTHERS_BUT_READING = 037, OTHERS_WRITE = 022 };

/* ---- reading it ---- */

static enum odp_status check(int fd, const char *path, struct odp_secret_owner owner, enum odp_lang lang,
                             char why[ODP_SECRET_WHY])
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return odp_failure_set("examine", path, errno);
    if (!S_ISREG(s.st_mode))
        return secret_bad(why, lang, "berkas rahasia %.300s bukan berkas biasa", "the secret file %.300s is not a regular file",
                          path);
    if (s.st_uid != owner.user && s.st_uid != 0)
        return secret_bad(
            why, lang, "berkas rahasia %.300s milik pengguna %ld; harus milik pengguna layanan (%ld) atau root",
            "the secret file %.300s belongs to user %ld; it must belong to the user of the service (%ld) or to root", path,
            (long)s.st_uid, (long)owner.user);
    if ((s.st_mode & (owner.group_reads ? OTHERS_BUT_READING : OTHERS)) != 0)
        return secret_bad(why, lang, "berkas rahasia %.300s terbuka bagi pengguna lain (mode %04o); tutup: chmod 600",
                          "the secret file %.300s is open to others (mode %04o); make it 0600: chmod 600", path,
                          (unsigned)(s.st_mode & 07777));
    return ODP_OK;
}

/* Up to ODP_SECRET_FILE bytes into BYTES; as many or more: BAD. */
static enum odp_status read_some(int fd, char *bytes, size_t *len, const char *path, enum odp_lang lang,
                                 char why[ODP_SECRET_WHY])
{
    for (*len = 0; *len < ODP_SECRET_FILE;) {
        ssize_t n = read(fd, bytes + *len, ODP_SECRET_FILE - *len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return odp_failure_set("read", path, errno);
        if (n == 0)
            return ODP_OK;
        *len += (size_t)n;
    }
    return secret_bad(why, lang, "berkas rahasia %.300s terlalu besar", "the secret file %.300s is too large to be one", path);
}

enum odp_status odp_secret_file_bytes(const char *path, struct odp_secret_owner owner, char *bytes, size_t *len,
                                      enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    int fd;
    *len = 0;
    do /* O_NONBLOCK: a fifo must not hang us */
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno == ENOENT)
        return ODP_DONE;
    if (fd < 0 && errno == ELOOP)
        return secret_bad(why, lang, "berkas rahasia %.300s adalah tautan simbolik; sebut berkasnya sendiri",
                          "the secret file %.300s is a symbolic link; name the file itself", path);
    if (fd < 0)
        return secret_bad(why, lang, "berkas rahasia %.300s tidak dapat dibuka: %s",
                          "the secret file %.300s cannot be opened: %s", path, strerror(errno));
    enum odp_status status = check(fd, path, owner, lang, why);
    if (status == ODP_OK && bytes != NULL)
        status = read_some(fd, bytes, len, path, lang, why);
    close(fd); /* read only */
    return status;
}

enum odp_status odp_secrets_read(struct odp_secrets *s, const char *path, struct odp_secret_owner owner, size_t least,
                                 enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    char bytes[ODP_SECRET_FILE];
    size_t len = 0;
    enum odp_status status = odp_secret_file_bytes(path, owner, bytes, &len, lang, why);
    if (status == ODP_DONE)
        status = secret_bad(why, lang, "tidak ada berkas rahasia %.300s", "there is no secret file %.300s", path);
    if (status == ODP_OK)
        status = odp_secrets_parse(s, (struct odp_slice){bytes, len}, least, path, lang, why);
    OPENSSL_cleanse(bytes, sizeof bytes);
    if (status != ODP_OK)
        odp_secrets_wipe(s);
    return status;
}

/* ---- writing it ---- */

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* The folder may be written by nobody else: who can put another file there chooses the secret. (Sticky: as /tmp, where what is
 * ours stays.) */
static enum odp_status check_folder(const char *path, struct odp_secret_owner owner, enum odp_lang lang,
                                    char why[ODP_SECRET_WHY])
{
    struct stat s;
    char *folder = folder_of(path);
    enum odp_status status = ODP_OK;
    if (folder == NULL)
        return odp_failure_set("examine", path, ENOMEM);
    if (stat(folder, &s) != 0)
        status = secret_bad(why, lang, "folder berkas rahasia %.300s tidak dapat diperiksa: %s",
                            "the folder of the secret file %.300s cannot be examined: %s", path, strerror(errno));
    else if (s.st_uid != owner.user && s.st_uid != 0)
        status = secret_bad(why, lang,
                            "folder berkas rahasia %.300s milik pengguna %ld; harus milik pengguna layanan (%ld) atau root",
                            "the folder of the secret file %.300s belongs to user %ld; it must belong to the user of the "
                            "service (%ld) or to root",
                            path, (long)s.st_uid, (long)owner.user);
    else if ((s.st_mode & OTHERS_WRITE) != 0 && (s.st_mode & S_ISVTX) == 0)
        status =
            secret_bad(why, lang, "pengguna lain boleh menulis ke folder berkas rahasia %.300s (mode %04o); tutup: chmod go-w",
                       "others may write to the folder of the secret file %.300s (mode %04o); take that from them: chmod go-w",
                       path, (unsigned)(s.st_mode & 07777));
    free(folder);
    return status;
}

static enum odp_status sync_folder(const char *path)
{
    char *folder = folder_of(path);
    if (folder == NULL)
        return odp_failure_set("make", path, ENOMEM);
    enum odp_status status = odp_dir_sync(folder);
    free(folder);
    return status;
}

/* TEMPORARY to PATH, unless one has come to stand there since: that one holds, for something may be sealed with it. */
static enum odp_status put_in_place(const char *temporary, const char *path)
{
    if (link(temporary, path) == 0 || errno == EEXIST) {
        (void)unlink(temporary);
        return sync_folder(path);
    }
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK) /* a file system without links */
        return odp_file_rename(temporary, path);
    return odp_failure_set("make", path, errno);
}

/* Root replaces a file of the service's user: it stays his. */
static enum odp_status give(const char *temporary, const char *path, struct odp_secret_owner owner)
{
    struct stat s;
    if (geteuid() != 0)
        return ODP_OK;
    uid_t user = owner.user;
    gid_t group = (gid_t)-1;
    if (lstat(path, &s) == 0) {
        user = s.st_uid;
        group = s.st_gid;
    }
    return chown(temporary, user, group) == 0 ? ODP_OK : odp_failure_set("chown", temporary, errno);
}

enum odp_status odp_secret_file_write(const char *path, struct odp_slice text, bool replace, struct odp_secret_owner owner,
                                      enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    uint8_t random[8];
    size_t size = strlen(path) + 32;
    enum odp_status status = check_folder(path, owner, lang, why);
    if (status != ODP_OK)
        return status;
    if (getentropy(random, sizeof random) != 0)
        return odp_failure_set("read random bytes", NULL, errno);
    char *temporary = malloc(size);
    if (temporary == NULL)
        return odp_failure_set("make", path, ENOMEM);
    (void)snprintf(temporary, size, "%s.%02x%02x%02x%02x%02x%02x%02x%02x", path, random[0], random[1], random[2], random[3],
                   random[4], random[5], random[6], random[7]);
    status = odp_file_put(temporary, ODP_LIT(""), 0600, NULL);
    if (status == ODP_OK) {
        /* Appended, for that writes out of TEXT itself; a file's own buffer would stay on the heap with the secret in it. */
        status = odp_file_append_line(temporary, text, 0600);
        if (status == ODP_OK)
            status = give(temporary, path, owner);
        if (status == ODP_OK)
            status = replace ? odp_file_rename(temporary, path) : put_in_place(temporary, path);
        if (status != ODP_OK)
            (void)unlink(temporary);
    }
    free(temporary);
    return status;
}
