#include "published/seals.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static const char magic[16] = "odp-seals-1\n"; /* followed by the manifest's digest and the seals */

enum { HEAD = sizeof magic + ODP_SHA256_SIZE };

enum odp_status odp_seals_read(struct odp_seals *s, const char *dir, const uint8_t digest[ODP_SHA256_SIZE],
                               size_t n)
{
    char path[4096];
    int len = snprintf(path, sizeof path, "%s.seals", dir);
    size_t size = HEAD + n * sizeof *s->seals;
    odp_buffer_init(&s->bytes);
    s->seals = NULL;
    if (len < 0 || (size_t)len >= sizeof path)
        return ODP_OK;
    enum odp_status status = odp_file_read(path, size, &s->bytes, NULL);
    bool fits = status == ODP_OK && s->bytes.len == size && memcmp(s->bytes.ptr, magic, sizeof magic) == 0 &&
                memcmp(s->bytes.ptr + sizeof magic, digest, ODP_SHA256_SIZE) == 0;
    if (fits)
        s->seals =
            (struct odp_seal *)(void *)(s->bytes.ptr +
                                        HEAD); /* HEAD is a multiple of 8, the buffer comes from malloc */
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

void odp_seals_release(struct odp_seals *s)
{
    odp_buffer_release(&s->bytes);
    s->seals = NULL;
}

static bool seal_of(struct odp_seal *seal, const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    *seal = (struct odp_seal){st.st_ino, (uint64_t)st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    return true;
}

bool odp_seal_holds(const struct odp_seal *seal, const char *path)
{
    struct odp_seal now;
    return seal_of(&now, path) && seal->inode == now.inode && seal->size == now.size &&
           seal->seconds == now.seconds && seal->nanos == now.nanos;
}

char *odp_seals_fresh(const char *dir, const char *kind, struct odp_arena *a)
{
    const char *slash = strrchr(dir, '/');
    return odp_arena_printf(a, "%.*s.new-%s", slash != NULL ? (int)(slash - dir) + 1 : 0, dir, kind);
}

enum odp_status odp_seals_write(const char *dir, const uint8_t digest[ODP_SHA256_SIZE],
                                const struct odp_site_file *files, size_t n)
{
    struct odp_arena arena;
    struct odp_buffer out;
    odp_arena_init(&arena);
    odp_buffer_init(&out);
    const char *path = odp_arena_printf(&arena, "%s.seals", dir),
               *fresh = odp_seals_fresh(dir, "seals", &arena);
    enum odp_status status = ODP_OK;
    odp_buffer_add(&out, magic, sizeof magic);
    odp_buffer_add(&out, digest, ODP_SHA256_SIZE);
    for (size_t i = 0; i < n; i++) {
        struct odp_seal seal = {0}; /* matches no file: one that is not here */
        char name[4096];
        int len = snprintf(name, sizeof name, "%s/%s", dir, files[i].path);
        if (len > 0 && (size_t)len < sizeof name && !seal_of(&seal, name))
            seal = (struct odp_seal){0};
        odp_buffer_add(&out, &seal, sizeof seal);
    }
    status = odp_buffer_status(&out);
    (void)remove(fresh);
    if (status == ODP_OK)
        status = odp_file_put(fresh, odp_buffer_slice(&out), 0644, NULL);
    if (status == ODP_OK)
        status = odp_file_rename(fresh, path);
    if (status != ODP_OK)
        (void)remove(fresh); /* the next build may find nothing to do, and would not remove it */
    odp_buffer_release(&out);
    odp_arena_release(&arena);
    return status;
}
