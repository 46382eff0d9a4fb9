#include "published/seals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file: head, the seals, the entries, then the texts that entries point to, each ended by a zero byte. */
struct head {
    char magic[16];
    uint8_t digest[ODP_SHA256_SIZE]; /* of the manifest */
    uint64_t n;
};
struct entry {
    uint64_t size;
    uint8_t sha256[ODP_SHA256_SIZE];
    uint32_t path, media_type, encoding, cls; /* the texts by their first byte; encoding: 0 is none */
};

static const char magic[16] = "odp-seals-2\n";
enum { SEALS_MAX = 1 << 30 };

/* BAD: the entry is damaged. */
static enum odp_status read_entry(struct odp_site_file *f, const struct entry *e, struct odp_slice text)
{
    if (e->path >= text.len || e->media_type >= text.len || e->encoding >= text.len ||
        e->cls > ODP_CLASS_INTERNAL)
        return ODP_BAD;
    *f = (struct odp_site_file){.path = text.ptr + e->path,
                                .media_type = text.ptr + e->media_type,
                                .encoding = e->encoding != 0 ? text.ptr + e->encoding : NULL,
                                .cls = (enum odp_class)e->cls,
                                .size = e->size};
    memcpy(f->sha256, e->sha256, sizeof f->sha256);
    return odp_site_path_ok(f->path) ? ODP_OK : ODP_BAD;
}

static enum odp_status read_entries(struct odp_seals *s, struct odp_slice bytes, const uint8_t *digest,
                                    struct odp_arena *a)
{
    struct head head;
    if (bytes.len < sizeof head)
        return ODP_BAD;
    memcpy(&head, bytes.ptr, sizeof head);
    size_t each = sizeof(struct odp_seal) + sizeof(struct entry);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || memcmp(head.digest, digest, ODP_SHA256_SIZE) != 0 ||
        head.n > (bytes.len - sizeof head) / each || bytes.ptr[bytes.len - 1] != '\0')
        return ODP_BAD;
    const char *seals = bytes.ptr + sizeof head, *entries = seals + head.n * sizeof(struct odp_seal),
               *text = entries + head.n * sizeof(struct entry);
    struct odp_slice texts = {text, bytes.len - (size_t)(text - bytes.ptr)};
    struct odp_site_file *files = odp_arena_array(a, head.n + 1, sizeof *files);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < head.n && status == ODP_OK; i++)
        status = read_entry(&files[i], (const struct entry *)(const void *)entries + i, texts);
    if (status == ODP_OK) /* all parts have sizes of multiples of 8 */
        *s = (struct odp_seals){(const struct odp_seal *)(const void *)seals, files, head.n, s->bytes};
    return status;
}

enum odp_status odp_seals_read(struct odp_seals *s, const char *dir, const uint8_t digest[ODP_SHA256_SIZE],
                               struct odp_arena *a)
{
    *s = (struct odp_seals){0};
    enum odp_status status = odp_file_read(odp_arena_printf(a, "%s.seals", dir), SEALS_MAX, &s->bytes, NULL);
    if (status == ODP_OK)
        status = read_entries(s, odp_buffer_slice(&s->bytes), digest, a);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static bool seal_of(struct odp_seal *seal, int fd, const char *path)
{
    struct stat st;
    if (fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return false;
    *seal = (struct odp_seal){st.st_ino, (uint64_t)st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    return true;
}

bool odp_seal_holds(const struct odp_seal *seal, int fd, const char *path)
{
    struct odp_seal now;
    return seal_of(&now, fd, path) && seal->inode == now.inode && seal->size == now.size &&
           seal->seconds == now.seconds && seal->nanos == now.nanos;
}

enum odp_status odp_beside_put(const char *dir, const char *kind, struct odp_slice bytes)
{
    struct odp_arena arena = {0};
    const char *slash = strrchr(dir, '/'), *path = odp_arena_printf(&arena, "%s.%s", dir, kind);
    const char *fresh =
        odp_arena_printf(&arena, "%.*s.new-%s", slash != NULL ? (int)(slash - dir) + 1 : 0, dir, kind);
    (void)remove(fresh);
    enum odp_status status = odp_file_put(fresh, bytes, 0644, NULL);
    if (status == ODP_OK)
        status = odp_file_rename(fresh, path);
    if (status != ODP_OK)
        (void)remove(fresh); /* the next build may find nothing to do, and would not remove it */
    odp_arena_release(&arena);
    return status;
}

/* TEXT's place among TEXTS. The same media types follow each other: LAST is where the previous one is. */
static uint32_t put_text(struct odp_buffer *texts, const char *text, uint32_t last)
{
    if (last != 0 && strcmp(texts->ptr + last, text) == 0)
        return last;
    odp_buffer_add(texts, text, strlen(text) + 1);
    return (uint32_t)(texts->len - strlen(text) - 1);
}

/* The seal that F has BEFORE, where *AT is on its way through the files; NULL: none. */
static const struct odp_seal *known_seal(const struct odp_seals *before, size_t *at,
                                         const struct odp_site_file *f)
{
    int order = -1;
    if (before == NULL || !f->settled)
        return NULL;
    while (*at < before->n && (order = strcmp(before->files[*at].path, f->path)) < 0)
        ++*at;
    return order == 0 && odp_site_file_same(&before->files[*at], f) ? &before->seals[*at] : NULL;
}

enum odp_status odp_seals_write(const char *dir, const uint8_t digest[ODP_SHA256_SIZE],
                                const struct odp_site_file *files, size_t n, const struct odp_seals *before)
{
    struct odp_buffer out = {0}, entries = {0}, texts = {0};
    struct head head = {.n = n};
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return odp_failure_set("open", dir, errno);
    memcpy(head.magic, magic, sizeof magic);
    memcpy(head.digest, digest, sizeof head.digest);
    odp_buffer_add(&out, &head, sizeof head);
    odp_buffer_add(&texts, "", 1); /* no text is at 0 */
    uint32_t type = 0, encoding = 0;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const struct odp_site_file *f = &files[i];
        struct odp_seal seal = {0}; /* matches no file: one that is not here */
        struct entry entry = {.size = f->size, .cls = (uint32_t)f->cls};
        const struct odp_seal *known = known_seal(before, &at, f);
        if (known != NULL)
            seal = *known;
        else if (!seal_of(&seal, fd, f->path))
            seal = (struct odp_seal){0};
        odp_buffer_add(&out, &seal, sizeof seal);
        memcpy(entry.sha256, f->sha256, sizeof entry.sha256);
        entry.path = put_text(&texts, f->path, 0);
        entry.media_type = type = put_text(&texts, f->media_type, type);
        if (f->encoding != NULL)
            entry.encoding = encoding = put_text(&texts, f->encoding, encoding);
        odp_buffer_add(&entries, &entry, sizeof entry);
    }
    (void)close(fd);
    odp_buffer_add(&out, entries.ptr, entries.len);
    odp_buffer_add(&out, texts.ptr, texts.len);
    enum odp_status status = odp_buffer_status(&entries) == ODP_OK ? odp_buffer_status(&texts) : ODP_FAIL;
    if (status == ODP_OK)
        status = odp_buffer_status(&out);
    if (status == ODP_OK)
        status = odp_beside_put(dir, "seals", odp_buffer_slice(&out));
    odp_buffer_release(&texts);
    odp_buffer_release(&entries);
    odp_buffer_release(&out);
    return status;
}
