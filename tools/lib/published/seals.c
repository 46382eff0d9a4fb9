#include "published/seals.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file: head, the seals of the files and of the folders, the entries, then the texts that entries point
 * to, each ended by a zero byte. */
struct head {
    char magic[16];
    uint64_t rest; /* CRC-32 of all that follows: it tells damage; nobody else writes the file */
    uint8_t digest[ODP_SHA256_SIZE]; /* of the manifest */
    struct odp_seal manifest;
    uint64_t n, folders;
};
enum { SUMMED = offsetof(struct head, digest) };
struct entry {
    uint64_t size;
    uint8_t sha256[ODP_SHA256_SIZE];
    uint32_t path, media_type, encoding, cls; /* the texts by their first byte; encoding: 0 is none */
};

static const char magic[16] = "odp-seals-4\n";

static struct odp_site_file read_entry(const struct entry *e, const char *text)
{
    struct odp_site_file f = {.path = text + e->path,
                              .media_type = text + e->media_type,
                              .encoding = e->encoding != 0 ? text + e->encoding : NULL,
                              .cls = (enum odp_class)e->cls,
                              .size = e->size};
    memcpy(f.sha256, e->sha256, sizeof f.sha256);
    return f;
}

static size_t count_folders(const struct odp_site_file *files, size_t n)
{
    struct odp_site_folders at = {0};
    struct odp_slice ignored;
    size_t count = 0;
    while (odp_site_folder_next(&at, files, n, &ignored))
        count++;
    return count;
}

static enum odp_status read_entries(struct odp_seals *s, struct odp_arena *a)
{
    struct head head;
    const char *bytes = s->file.ptr;
    if (s->file.len < sizeof head)
        return ODP_BAD;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0 ||
        libdeflate_crc32(0, bytes + SUMMED, s->file.len - SUMMED) != head.rest)
        return ODP_BAD;
    const struct odp_seal *seals = (const void *)(bytes + sizeof head), *folders = seals + head.n;
    const struct entry *entries = (const void *)(folders + head.folders);
    struct odp_site_file *files = odp_arena_array(a, head.n + 1, sizeof *files);
    for (size_t i = 0; i < head.n; i++) /* all parts have sizes of multiples of 8 */
        files[i] = read_entry(&entries[i], (const char *)(entries + head.n));
    *s = (struct odp_seals){head.manifest, {0}, seals, folders, files, head.n, head.folders, s->file};
    memcpy(s->digest, head.digest, sizeof s->digest);
    return ODP_OK;
}

enum odp_status odp_seals_read(struct odp_seals *s, const char *path, struct odp_arena *a)
{
    const uint64_t size = odp_file_size_of(path);
    *s = (struct odp_seals){0};
    enum odp_status status = size > 0 ? odp_mapped_open(&s->file, path, size) : ODP_BAD;
    if (status == ODP_OK)
        status = read_entries(s, a);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* The seal of PATH in FD, of TYPE (S_IFREG, S_IFDIR); one that matches nothing where it is not here. */
static struct odp_seal seal_of(int fd, const char *path, mode_t type)
{
    struct stat st;
    if (fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW) != 0 || (st.st_mode & S_IFMT) != type)
        return (struct odp_seal){0};
    return (struct odp_seal){st.st_ino, (uint64_t)st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
}

bool odp_seal_holds(const struct odp_seal *seal, int fd, const char *path)
{
    const struct odp_seal now = seal_of(fd, path, S_IFREG);
    return now.inode != 0 && memcmp(&now, seal, sizeof now) == 0;
}

/* As many as count_folders says. */
static void seal_folders(struct odp_seal *seals, int fd, const struct odp_site_file *files, size_t n)
{
    struct odp_arena arena = {0};
    struct odp_site_folders at = {0};
    struct odp_slice folder;
    for (; odp_site_folder_next(&at, files, n, &folder); odp_arena_reset(&arena))
        *seals++ = seal_of(fd, odp_arena_copy(&arena, folder).ptr, S_IFDIR);
    odp_arena_release(&arena);
}

bool odp_seals_hold_folders(const struct odp_seals *s, int fd)
{
    struct odp_arena arena = {0};
    struct odp_seal *now = odp_arena_array(&arena, s->nfolders + 1, sizeof *now);
    seal_folders(now, fd, s->files, s->n);
    const bool yes = memcmp(now, s->folders, s->nfolders * sizeof *now) == 0;
    odp_arena_release(&arena);
    return yes;
}

enum odp_status odp_beside_put(const char *dir, const char *kind, const struct odp_slice *pieces, size_t n)
{
    struct odp_arena arena = {0};
    const char *slash = strrchr(dir, '/'), *path = odp_arena_printf(&arena, "%s.%s", dir, kind);
    const char *fresh =
        odp_arena_printf(&arena, "%.*s.new-%s", slash != NULL ? (int)(slash - dir) + 1 : 0, dir, kind);
    (void)remove(fresh);
    enum odp_status status = odp_file_put_pieces(fresh, pieces, n, 0644, NULL);
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
    const size_t at = texts->len;
    if (last != 0 && last < at && strcmp(texts->ptr + last, text) == 0)
        return last;
    odp_buffer_add(texts, text, strlen(text) + 1); /* or not: the next text then has the same place */
    return (uint32_t)at;
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

/* The seals of the files, and their ENTRIES and TEXTS. */
static void seal_files(struct odp_seal *seals, int fd, const struct odp_site_file *files, size_t n,
                       const struct odp_seals *before, struct entry *entries, struct odp_buffer *texts)
{
    uint32_t type = 0, encoding = 0;
    size_t at = 0;
    odp_buffer_add(texts, "", 1); /* no text is at 0 */
    for (size_t i = 0; i < n; i++) {
        const struct odp_site_file *f = &files[i];
        const struct odp_seal *known = known_seal(before, &at, f);
        struct entry *e = &entries[i];
        seals[i] = known != NULL ? *known : seal_of(fd, f->path, S_IFREG);
        *e = (struct entry){.size = f->size, .cls = (uint32_t)f->cls, .path = put_text(texts, f->path, 0)};
        memcpy(e->sha256, f->sha256, sizeof e->sha256);
        e->media_type = type = put_text(texts, f->media_type, type);
        if (f->encoding != NULL)
            e->encoding = encoding = put_text(texts, f->encoding, encoding);
    }
}

enum odp_status odp_seals_write(const char *dir, const uint8_t digest[ODP_SHA256_SIZE],
                                const struct odp_site_file *files, size_t n, const struct odp_seals *before)
{
    struct odp_buffer texts = {0};
    struct odp_arena arena = {0};
    struct head head = {.n = n, .folders = count_folders(files, n)};
    const size_t sealed = n + head.folders;
    struct odp_seal *seals = odp_arena_array(&arena, sealed, sizeof *seals);
    struct entry *entries = odp_arena_array(&arena, n + 1, sizeof *entries);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        odp_arena_release(&arena);
        return odp_failure_set("open", dir, errno);
    }
    memcpy(head.magic, magic, sizeof magic);
    memcpy(head.digest, digest, sizeof head.digest);
    seal_files(seals, fd, files, n, before, entries, &texts);
    seal_folders(seals + n, fd, files, n);
    head.manifest = seal_of(fd, "manifest.json", S_IFREG);
    (void)close(fd);
    const struct odp_slice pieces[] = {{(const char *)&head, sizeof head},
                                       {(const char *)seals, sealed * sizeof *seals},
                                       {(const char *)entries, n * sizeof *entries},
                                       odp_buffer_slice(&texts)};
    uint32_t rest = libdeflate_crc32(0, pieces[0].ptr + SUMMED, sizeof head - SUMMED);
    for (size_t i = 1; i < ODP_COUNT(pieces); i++)
        rest = libdeflate_crc32(rest, pieces[i].ptr, pieces[i].len);
    head.rest = rest;
    enum odp_status status = odp_buffer_status(&texts);
    if (status == ODP_OK)
        status = odp_beside_put(dir, "seals", pieces, ODP_COUNT(pieces));
    odp_buffer_release(&texts);
    odp_arena_release(&arena);
    return status;
}
