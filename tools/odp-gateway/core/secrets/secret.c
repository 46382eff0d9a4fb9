/* Secrets in files: their lines, a new one on top of them, and the file itself, which is read only where no
 * other user could have written or read it, and made whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/datetime.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/line.h"
#include "base/refusal.h"
#include "base/temporary.h"
#include "core/random.h"
#include "core/secrets/secret.h"
#include "words/secrets.h"

/* ---- lines ---- */

enum { BASE64 = 44 };

/* A file of secrets, and the buffer for its fault. */
struct source {
    const char *path;
    enum odp_lang lang;
    char *why; /* ODP_SECRET_WHY bytes */
};

/* The sentence into src->why. Both formats take the same arguments. Returns BAD. */
__attribute__((format(printf, 2, 4), format(printf, 3, 4))) static enum odp_status
secret_bad(const struct source *src, const char *id, const char *en, ...)
{
    va_list args;
    va_start(args, en);
    (void)vsnprintf(src->why, ODP_SECRET_WHY, src->lang == ODP_LANG_EN ? en : id, args);
    va_end(args);
    return ODP_BAD;
}

void odp_secrets_wipe(struct odp_secrets *s)
{
    OPENSSL_cleanse(s, sizeof *s);
}

bool odp_secret_decode(struct odp_slice word, uint8_t out[ODP_SECRET_BYTES])
{
    uint8_t bytes[ODP_SECRET_BYTES + 1];
    char again[BASE64 + 1];
    bool ok = word.len == BASE64 && word.ptr[BASE64 - 1] == '=' &&
              EVP_DecodeBlock(bytes, (const unsigned char *)word.ptr, BASE64) == (int)sizeof bytes;
    if (ok) {
        (void)EVP_EncodeBlock((unsigned char *)again, bytes, ODP_SECRET_BYTES);
        ok = memcmp(again, word.ptr, BASE64) == 0;
    }
    if (ok)
        memcpy(out, bytes, ODP_SECRET_BYTES);
    OPENSSL_cleanse(bytes, sizeof bytes);
    OPENSSL_cleanse(again, sizeof again);
    return ok;
}

/* BYTES and id of WORD. */
static enum odp_status secret_derive(struct odp_secret *s, struct odp_slice word)
{
    uint8_t digest[ODP_SHA256_SIZE];
    if (!odp_secret_decode(word, s->bytes) && odp_digest_of(word.ptr, word.len, s->bytes) != ODP_OK)
        return ODP_FAIL;
    if (odp_digest_of(s->bytes, sizeof s->bytes, digest) != ODP_OK)
        return ODP_FAIL;
    (void)snprintf(s->id, sizeof s->id, "%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3]);
    return ODP_OK;
}

/* "2026-03-01T00:00:00Z" and no other form, so that two readers cannot differ. */
static bool read_time(struct odp_slice text, int64_t *out)
{
    char again[ODP_DATETIME_SIZE];
    int64_t ms = 0;
    bool is = odp_moment_read(text, &ms) && ms > 0 && odp_slice_is(text, odp_moment_utc(ms / 1000, again));
    *out = is ? ms / 1000 : *out;
    return is;
}

static struct odp_slice next_word(struct odp_slice *line)
{
    *line = odp_slice_trim(*line);
    size_t n = 0;
    while (n < line->len && line->ptr[n] != ' ' && line->ptr[n] != '\t')
        n++;
    struct odp_slice word = {line->ptr, n};
    line->ptr += n;
    line->len -= n;
    return word;
}

/* `since` and `until`, each at most once. */
static bool read_times(struct odp_secret *s, struct odp_slice rest)
{
    for (struct odp_slice name = next_word(&rest); name.len > 0; name = next_word(&rest)) {
        bool since = odp_slice_is(name, "since");
        int64_t *to = since ? &s->since : &s->until;
        if ((!since && !odp_slice_is(name, "until")) || *to != 0 || !read_time(next_word(&rest), to))
            return false;
    }
    return s->since == 0 || s->until == 0 || s->since < s->until;
}

/* Bytes that all are the same were not drawn at random: written by hand, or out of /dev/zero. */
static bool is_no_secret(struct odp_slice word)
{
    return word.len > 1 && memcmp(word.ptr, word.ptr + 1, word.len - 1) == 0;
}

static enum odp_status add_line(struct odp_secrets *s, struct odp_slice line, size_t number, size_t least,
                                const struct source *src)
{
    if (s->n == ODP_SECRET_KEYS)
        return secret_bad(src, W_secrets_too_many_in_file, src->path, ODP_SECRET_KEYS);
    struct odp_secret *to = &s->items[s->n];
    *to = (struct odp_secret){.line = number};
    struct odp_slice word = next_word(&line);
    if (word.len >= sizeof to->word || word.len < least || is_no_secret(word))
        return secret_bad(src, W_secrets_line_no_secret, number, src->path, least, ODP_SECRET_WORD - 1);
    if (!read_times(to, line))
        return secret_bad(src, W_secrets_line_times, number, src->path);
    memcpy(to->word, word.ptr, word.len);
    if (secret_derive(to, word) != ODP_OK)
        return ODP_FAIL;
    if (is_no_secret((struct odp_slice){(const char *)to->bytes, sizeof to->bytes}))
        return secret_bad(src, W_secrets_line_no_secret, number, src->path, least, ODP_SECRET_WORD - 1);
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->items[i].id, to->id) == 0)
            return secret_bad(src, W_secrets_line_repeats, number, src->path);
    s->n++;
    return ODP_OK;
}

/* Random bytes, as older versions wrote them: the whole file is one secret. */
static bool is_text(struct odp_slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (((unsigned char)text.ptr[i] < ' ' && strchr("\t\r\n", text.ptr[i]) == NULL) ||
            text.ptr[i] == '\0' || (unsigned char)text.ptr[i] >= 0x7f)
            return false;
    return true;
}

static enum odp_status add_bytes(struct odp_secrets *s, struct odp_slice text, size_t least,
                                 const struct source *src)
{
    const bool enough = text.len >= least && least >= ODP_SECRET_BYTES; /* a password is text */
    while (text.len > 0 && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    if (!enough || is_no_secret(text))
        return secret_bad(src, W_secrets_not_text, src->path);
    s->n = 1;
    return secret_derive(&s->items[0], text);
}

enum odp_status odp_secrets_parse(struct odp_secrets *s, struct odp_slice text, size_t least,
                                  const char *path, enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    const struct source src = {path, lang, why};
    bool endless = false;
    *s = (struct odp_secrets){0};
    if (!is_text(text))
        return add_bytes(s, text, least, &src);
    for (size_t number = 1; text.len > 0; number++) {
        struct odp_slice line = odp_slice_trim(odp_slice_cut(&text, '\n'));
        if (line.len > 0 && *line.ptr != '#') {
            enum odp_status status = add_line(s, line, number, least, &src);
            if (status != ODP_OK)
                return status;
            endless = endless || s->items[s->n - 1].until == 0;
        }
    }
    if (s->n == 0)
        return secret_bad(&src, W_secrets_empty, path);
    return endless ? ODP_OK : secret_bad(&src, W_secrets_all_end, path);
}

const struct odp_secret *odp_secrets_signs(const struct odp_secrets *s, int64_t now)
{
    const struct odp_secret *endless = NULL;
    for (size_t i = 0; i < s->n; i++) {
        if (s->items[i].since <= now && !odp_secret_ended(&s->items[i], now))
            return &s->items[i];
        if (endless == NULL && s->items[i].until == 0)
            endless = &s->items[i];
    }
    return endless; /* its time is still to come: the clock is wrong, or the one before was taken out too
                       early */
}

bool odp_secret_ended(const struct odp_secret *s, int64_t now)
{
    return s->until != 0 && s->until <= now;
}

/* ---- a new one on top ---- */

enum odp_status odp_secret_new(char word[ODP_SECRET_NEW])
{
    uint8_t bytes[ODP_SECRET_BYTES];
    if (odp_random(bytes, sizeof bytes) != ODP_OK)
        return ODP_FAIL;
    (void)EVP_EncodeBlock((unsigned char *)word, bytes, sizeof bytes);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return ODP_OK;
}

/* Those that had ended go: nothing that they made is accepted any more. */
static void drop_ended(struct odp_secrets *s, int64_t now)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!odp_secret_ended(&s->items[i], now)) {
            if (kept != i)
                s->items[kept] = s->items[i];
            kept++;
        }
    OPENSSL_cleanse(&s->items[kept], (s->n - kept) * sizeof s->items[0]);
    s->n = kept;
}

enum odp_status odp_secrets_replace(struct odp_secrets *s, const struct odp_secret_change *change,
                                    const char *path, enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    const struct source src = {path, lang, why};
    char made[ODP_SECRET_NEW];
    const int64_t end = change->now + change->after + change->grace;
    drop_ended(s, change->now);
    if (s->n == ODP_SECRET_KEYS)
        return secret_bad(&src, W_secrets_too_many_valid, path, ODP_SECRET_KEYS);
    if (change->word == NULL && odp_secret_new(made) != ODP_OK)
        return ODP_FAIL;
    const char *word = change->word != NULL ? change->word : made;
    memmove(&s->items[1], &s->items[0], s->n * sizeof s->items[0]);
    s->items[0] =
        (struct odp_secret){.since = change->after > 0 && !change->plain ? change->now + change->after : 0};
    (void)snprintf(s->items[0].word, sizeof s->items[0].word, "%s", word);
    enum odp_status status = secret_derive(&s->items[0], odp_slice_of(word));
    OPENSSL_cleanse(made, sizeof made);
    s->n++;
    for (size_t i = 1; i < s->n && status == ODP_OK; i++) {
        if (strcmp(s->items[i].id, s->items[0].id) == 0)
            return secret_bad(&src, W_secrets_already_there, path);
        if (!change->plain && (s->items[i].until == 0 || s->items[i].until > end))
            s->items[i].until = end > s->items[i].since ? end : s->items[i].since + 1;
    }
    return status;
}

/* " WORD TIME"; "" if T is 0. */
static void stamp(const char *word, int64_t t, char out[64])
{
    char moment[ODP_DATETIME_SIZE];
    out[0] = '\0';
    if (t != 0)
        (void)snprintf(out, 64, " %s %s", word, odp_moment_utc(t, moment));
}

enum odp_status odp_secrets_compose(const struct odp_secrets *s, const struct odp_secret_change *change,
                                    char *text, size_t *len)
{
    size_t n = (size_t)snprintf(text, ODP_SECRET_FILE, "# %s\n", change->comment);
    for (size_t i = 0; i < s->n && n < ODP_SECRET_FILE; i++) {
        const struct odp_secret *k = &s->items[i];
        char base64[ODP_SECRET_NEW], since[64], until[64];
        (void)EVP_EncodeBlock((unsigned char *)base64, k->bytes, ODP_SECRET_BYTES); /* of a file of bytes */
        stamp("since", k->since, since);
        stamp("until", k->until, until);
        n += (size_t)snprintf(text + n, ODP_SECRET_FILE - n, "%s%s%s\n",
                              k->word[0] != '\0' ? k->word : base64, since, until);
        OPENSSL_cleanse(base64, sizeof base64);
    }
    *len = n;
    return n < ODP_SECRET_FILE ? ODP_OK : odp_failure_set("write secrets", NULL, EFBIG);
}

enum { OTHERS = 077, OTHERS_BUT_READING = 037, OTHERS_WRITE = 022 };

/* ---- reading it ---- */

static enum odp_status check(int fd, struct odp_secret_owner owner, const struct source *src)
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return odp_failure_set("examine", src->path, errno);
    if (!S_ISREG(s.st_mode))
        return secret_bad(src, W_secrets_not_regular_file, src->path);
    if (s.st_uid != owner.user && s.st_uid != 0)
        return secret_bad(src, W_secrets_file_of_other_user, src->path, (long)s.st_uid, (long)owner.user);
    if ((s.st_mode & (owner.group_reads ? OTHERS_BUT_READING : OTHERS)) != 0)
        return secret_bad(src, W_secrets_file_open_to_others, src->path, (unsigned)(s.st_mode & 07777));
    return ODP_OK;
}

/* Up to ODP_SECRET_FILE bytes into BYTES; as many or more: BAD. */
static enum odp_status read_some(int fd, char *bytes, size_t *len, const struct source *src)
{
    for (*len = 0; *len < ODP_SECRET_FILE;) {
        ssize_t n = read(fd, bytes + *len, ODP_SECRET_FILE - *len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return odp_failure_set("read", src->path, errno);
        if (n == 0)
            return ODP_OK;
        *len += (size_t)n;
    }
    return secret_bad(src, W_secrets_file_too_large, src->path);
}

enum odp_status odp_secret_file_bytes(const char *path, struct odp_secret_owner owner, char *bytes,
                                      size_t *len, enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    const struct source src = {path, lang, why};
    int fd;
    *len = 0;
    do /* O_NONBLOCK: a fifo must not hang us */
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno == ENOENT)
        return ODP_DONE;
    if (fd < 0 && errno == ELOOP)
        return secret_bad(&src, W_secrets_file_is_link, path);
    if (fd < 0)
        return secret_bad(&src, W_secrets_file_not_opened, path, odp_refusal_text(errno).in[lang]);
    enum odp_status status = check(fd, owner, &src);
    if (status == ODP_OK && bytes != NULL)
        status = read_some(fd, bytes, len, &src);
    close(fd); /* read only */
    return status;
}

enum odp_status odp_secrets_read(struct odp_secrets *s, const char *path, struct odp_secret_owner owner,
                                 size_t least, enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    const struct source src = {path, lang, why};
    char bytes[ODP_SECRET_FILE];
    size_t len = 0;
    enum odp_status status = odp_secret_file_bytes(path, owner, bytes, &len, lang, why);
    if (status == ODP_DONE)
        status = secret_bad(&src, W_secrets_no_file, path);
    if (status == ODP_OK)
        status = odp_secrets_parse(s, (struct odp_slice){bytes, len}, least, path, lang, why);
    OPENSSL_cleanse(bytes, sizeof bytes);
    if (status != ODP_OK)
        odp_secrets_wipe(s);
    return status;
}

/* ---- writing it ---- */

/* No other user may write to the folder: putting another file there would choose the secret. (Sticky: as
 * /tmp, where what is ours stays.) */
static enum odp_status check_folder(struct odp_secret_owner owner, const struct source *src)
{
    struct stat s;
    struct odp_arena a = {0};
    enum odp_status status = ODP_OK;
    const char *slash = strrchr(src->path, '/');
    const char *folder =
        slash != NULL
            ? odp_arena_printf(&a, "%.*s", (int)(slash - src->path) + (slash == src->path), src->path)
            : ".";
    if (stat(folder, &s) != 0)
        status =
            secret_bad(src, W_secrets_folder_not_examined, src->path, odp_refusal_text(errno).in[src->lang]);
    else if (s.st_uid != owner.user && s.st_uid != 0)
        status = secret_bad(src, W_secrets_folder_of_other_user, src->path, (long)s.st_uid, (long)owner.user);
    else if ((s.st_mode & OTHERS_WRITE) != 0 && (s.st_mode & S_ISVTX) == 0)
        status = secret_bad(src, W_secrets_folder_open_to_others, src->path, (unsigned)(s.st_mode & 07777));
    odp_arena_release(&a);
    return status;
}

/* TEMPORARY to PATH, unless another file has appeared there since: that one holds, for something may be
 * sealed with it. */
static enum odp_status put_in_place(const char *temporary, const char *path)
{
    if (link(temporary, path) == 0 || errno == EEXIST) {
        (void)unlink(temporary);
        return odp_dir_sync_parent(path);
    }
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS ||
        errno == EMLINK) /* a file system without links */
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

enum odp_status odp_secret_file_write(const char *path, struct odp_slice text, bool replace,
                                      struct odp_secret_owner owner, enum odp_lang lang,
                                      char why[ODP_SECRET_WHY])
{
    const struct source src = {path, lang, why};
    enum odp_status status = check_folder(owner, &src);
    if (status != ODP_OK)
        return status;
    struct odp_arena a = {0};
    const char *temporary = odp_temporary_of(&a, path, ".part");
    status = odp_file_put(temporary, ODP_LIT(""), 0600, NULL);
    if (status == ODP_OK) {
        /* Appended, for that writes out of TEXT itself; a file's own buffer would stay on the heap with the
         * secret in it. */
        status = odp_file_append_line(temporary, text, 0600);
        if (status == ODP_OK)
            status = give(temporary, path, owner);
        if (status == ODP_OK)
            status = replace ? odp_file_rename(temporary, path) : put_in_place(temporary, path);
        if (status != ODP_OK)
            (void)unlink(temporary);
    }
    odp_arena_release(&a);
    return status;
}
