/* The key file: made whole or not at all, read only where nobody else could have written it. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "deliver/seal_inside.h"

enum { FILE_MAX = 8192, KEY_TEXT = 44, OTHERS = 077, OTHERS_WRITE = 022 };

static enum odp_status bad(char why[ODP_SEAL_WHY], const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum odp_status bad(char why[ODP_SEAL_WHY], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(why, ODP_SEAL_WHY, format, args);
    va_end(args);
    return ODP_BAD;
}

/* ---- what is in it ---- */

/* 44 characters of base64 that are the only way to write their 32 bytes. */
static bool decode_key(struct odp_slice line, uint8_t key[SEAL_KEY])
{
    uint8_t bytes[SEAL_KEY + 1];
    char again[KEY_TEXT + 1];
    bool ok = line.len == KEY_TEXT && line.ptr[KEY_TEXT - 1] == '=' &&
              EVP_DecodeBlock(bytes, (const unsigned char *)line.ptr, KEY_TEXT) == (int)sizeof bytes;
    if (ok) {
        (void)EVP_EncodeBlock((unsigned char *)again, bytes, SEAL_KEY);
        ok = memcmp(again, line.ptr, KEY_TEXT) == 0;
        memcpy(key, bytes, SEAL_KEY);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    OPENSSL_cleanse(again, sizeof again);
    return ok;
}

/* All bytes alike: written by hand or out of /dev/zero. */
static bool is_no_secret(const uint8_t key[SEAL_KEY])
{
    return memcmp(key, key + 1, SEAL_KEY - 1) == 0;
}

static enum odp_status add(struct seal_keys *keys, struct odp_slice line, size_t number, const char *path,
                           char why[ODP_SEAL_WHY])
{
    uint8_t sha256[ODP_SHA256_SIZE];
    if (keys->n == ODP_SEAL_KEYS)
        return bad(why, "the key file %.300s has more than %d keys; remove those that nothing is sealed with any more", path,
                   ODP_SEAL_KEYS);
    struct seal_key *key = &keys->items[keys->n];
    if (!decode_key(line, key->bytes) || is_no_secret(key->bytes))
        return bad(why, "line %zu of the key file %.300s is no key: expected 44 characters, base64 of 32 random bytes", number,
                   path);
    for (size_t i = 0; i < keys->n; i++)
        if (memcmp(keys->items[i].bytes, key->bytes, SEAL_KEY) == 0)
            return bad(why, "line %zu of the key file %.300s repeats a key that stands above it; a new key must be another",
                       number, path);
    if (odp_digest_of(key->bytes, SEAL_KEY, sha256) != ODP_OK)
        return ODP_FAIL;
    memcpy(key->id, sha256, SEAL_ID);
    keys->n++;
    return ODP_OK;
}

enum odp_status seal_keys_parse(struct seal_keys *keys, struct odp_slice text, const char *path, char why[ODP_SEAL_WHY])
{
    size_t number = 0;
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
        struct odp_slice line = odp_slice_trim((struct odp_slice){text.ptr, len});
        number++;
        if (line.len > 0 && *line.ptr != '#') {
            enum odp_status status = add(keys, line, number, path, why);
            if (status != ODP_OK)
                return status;
        }
        len += end != NULL;
        text = (struct odp_slice){text.ptr + len, text.len - len};
    }
    return keys->n > 0 ? ODP_OK
                       : bad(why, "the key file %.300s has no key: expected a line of base64 of 32 random bytes", path);
}

/* ---- reading it ---- */

/* Whose the open file is and who may read it: of the file that was opened, not of the one that stands at the path by now. */
static enum odp_status check(int fd, const char *path, char why[ODP_SEAL_WHY])
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return odp_failure_set("examine", path, errno);
    if (!S_ISREG(s.st_mode))
        return bad(why, "the key file %.300s is not a regular file", path);
    if (s.st_uid != geteuid() && s.st_uid != 0)
        return bad(why, "the key file %.300s belongs to user %ld; it must belong to the user of the service (%ld) or to root",
                   path, (long)s.st_uid, (long)geteuid());
    if ((s.st_mode & OTHERS) != 0)
        return bad(why, "the key file %.300s is open to others (mode %04o); make it 0600: chmod 600", path,
                   (unsigned)(s.st_mode & 07777));
    return ODP_OK;
}

/* Up to CAP bytes into BYTES; more: BAD. */
static enum odp_status read_some(int fd, char *bytes, size_t cap, size_t *len, const char *path, char why[ODP_SEAL_WHY])
{
    for (*len = 0; *len < cap;) {
        ssize_t n = read(fd, bytes + *len, cap - *len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return odp_failure_set("read", path, errno);
        if (n == 0)
            return ODP_OK;
        *len += (size_t)n;
    }
    return bad(why, "the key file %.300s is too large to be one", path);
}

/* DONE: there is none. */
static enum odp_status read_file(struct seal_keys *keys, const char *path, char why[ODP_SEAL_WHY])
{
    char bytes[FILE_MAX];
    size_t len = 0;
    int fd;
    do /* O_NONBLOCK: a fifo must not hang us */
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno == ENOENT)
        return ODP_DONE;
    if (fd < 0 && errno == ELOOP)
        return bad(why, "the key file %.300s is a symbolic link; name the file itself", path);
    if (fd < 0)
        return bad(why, "the key file %.300s cannot be opened: %s", path, strerror(errno));
    enum odp_status status = check(fd, path, why);
    if (status == ODP_OK)
        status = read_some(fd, bytes, sizeof bytes, &len, path, why);
    close(fd); /* read only */
    if (status == ODP_OK)
        status = seal_keys_parse(keys, (struct odp_slice){bytes, len}, path, why);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return status;
}

/* ---- making it ---- */

/* The folder may be written by nobody else: who can put another file there chooses the key. (Sticky: as /tmp, where what is
 * ours stays.) */
static enum odp_status check_folder(const char *path, char why[ODP_SEAL_WHY])
{
    struct stat s;
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    enum odp_status status = ODP_OK;
    if (folder == NULL)
        return odp_failure_set("examine", path, ENOMEM);
    if (stat(folder, &s) != 0)
        status = bad(why, "the folder of the key file %.300s cannot be examined: %s", path, strerror(errno));
    else if (s.st_uid != geteuid() && s.st_uid != 0)
        status = bad(
            why,
            "the folder of the key file %.300s belongs to user %ld; it must belong to the user of the service (%ld) or to root",
            path, (long)s.st_uid, (long)geteuid());
    else if ((s.st_mode & OTHERS_WRITE) != 0 && (s.st_mode & S_ISVTX) == 0)
        status = bad(why, "others may write to the folder of the key file %.300s (mode %04o); take that from them: chmod go-w",
                     path, (unsigned)(s.st_mode & 07777));
    free(folder);
    return status;
}

/* The text of a file with a new key. */
static enum odp_status compose(char *text, size_t size, size_t *len)
{
    uint8_t key[SEAL_KEY];
    char line[KEY_TEXT + 1];
    if (getentropy(key, sizeof key) != 0)
        return odp_failure_set("read random bytes", NULL, errno);
    (void)EVP_EncodeBlock((unsigned char *)line, key, sizeof key);
    *len = (size_t)snprintf(
        text, size,
        "# Seals the secrets of webhooks. Keep a copy apart from the backups of the store: without it they cannot be opened.\n"
        "# One key a line; the first seals, all open.\n%s\n",
        line);
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(line, sizeof line);
    return ODP_OK;
}

/* TEMPORARY to PATH, unless one has come to stand there since: that one holds, for something may be sealed with it. */
static enum odp_status put_in_place(const char *temporary, const char *path)
{
    if (link(temporary, path) == 0 || errno == EEXIST) {
        const char *slash = strrchr(path, '/');
        (void)unlink(temporary);
        char *folder = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
        if (folder == NULL)
            return odp_failure_set("make", path, ENOMEM);
        enum odp_status status = odp_dir_sync(folder);
        free(folder);
        return status;
    }
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK) /* a file system without links */
        return odp_file_rename(temporary, path);
    return odp_failure_set("make", path, errno);
}

static enum odp_status make_file(const char *path)
{
    char text[512], *temporary = NULL;
    uint8_t random[8];
    size_t len = 0, size = strlen(path) + 32;
    enum odp_status status = ODP_FAIL;
    if (getentropy(random, sizeof random) != 0)
        return odp_failure_set("read random bytes", NULL, errno);
    temporary = malloc(size);
    if (temporary == NULL)
        return odp_failure_set("make", path, ENOMEM);
    (void)snprintf(temporary, size, "%s.%02x%02x%02x%02x%02x%02x%02x%02x", path, random[0], random[1], random[2], random[3],
                   random[4], random[5], random[6], random[7]);
    if (compose(text, sizeof text, &len) == ODP_OK && odp_file_put(temporary, ODP_LIT(""), 0600, NULL) == ODP_OK) {
        /* Appended, for that writes out of TEXT itself; a file's own buffer would stay on the heap with the key in it. */
        status = odp_file_append_line(temporary, (struct odp_slice){text, len}, 0600);
        if (status == ODP_OK)
            status = put_in_place(temporary, path);
        if (status != ODP_OK)
            (void)unlink(temporary);
    }
    OPENSSL_cleanse(text, sizeof text);
    free(temporary);
    return status;
}

enum odp_status seal_keys_open(struct seal_keys *keys, const char *path, bool make, char why[ODP_SEAL_WHY])
{
    enum odp_status status = read_file(keys, path, why);
    if (status == ODP_DONE && make) {
        status = check_folder(path, why);
        if (status == ODP_OK)
            status = make_file(path);
        if (status == ODP_OK)
            status = read_file(keys, path, why);
    }
    return status == ODP_DONE ? bad(why, "there is no key file %.300s", path) : status;
}
