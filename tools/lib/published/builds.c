/* The folder of builds. */
#include "published/builds.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/line.h"

enum {
    LOG_LINES = 1000,  /* kept when one is added; far more than there are builds */
    LOG_MAX = 64 << 20 /* bytes to read */
};

bool odp_builds_is_digest(const char *name)
{
    uint8_t ignored[ODP_SHA256_SIZE];
    return odp_digest_parse(name, ignored);
}

/* ---- open, lock, close ---- */

void odp_builds_open(struct odp_builds *b, const char *out, struct odp_arena *a)
{
    *b = (struct odp_builds){.arena = a, .lock = -1};
    char *name = odp_arena_str(a, out);
    for (size_t len = strlen(name); len > 1 && name[len - 1] == '/'; len--)
        name[len - 1] = '\0';
    b->out = name;
    b->dir = odp_arena_printf(a, "%s.builds", name);
}

enum odp_status odp_builds_lock(struct odp_builds *b, struct odp_diags *diags)
{
    const char *path = odp_path_join(b->arena, b->dir, ".lock");
    if (odp_dir_make(b->dir) != ODP_OK)
        return ODP_FAIL;
    b->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (b->lock < 0)
        return odp_failure_set("create", path, errno);
    if (flock(b->lock, LOCK_EX | LOCK_NB) == 0)
        return ODP_OK;
    if (errno != EWOULDBLOCK)
        return odp_failure_set("lock", path, errno);
    struct odp_diag d = {.code = ODP_V08, .file = b->out, .args = {odp_slice_of(b->dir)}};
    return odp_diags_add(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

void odp_builds_close(struct odp_builds *b)
{
    if (b->lock >= 0)
        (void)close(b->lock);
    b->lock = -1;
}

/* ---- what is there ---- */

enum odp_status odp_builds_current(const struct odp_builds *b, const char **digest)
{
    char target[4096];
    const char *base = strrchr(b->dir, '/') != NULL ? strrchr(b->dir, '/') + 1 : b->dir;
    size_t want = strlen(base);
    *digest = NULL;
    ssize_t len = readlink(b->out, target, sizeof target - 1);
    if (len < 0)
        return errno == ENOENT || errno == EINVAL || errno == ENOTDIR
                   ? ODP_OK
                   : odp_failure_set("examine", b->out, errno);
    target[len] = '\0';
    if (strncmp(target, base, want) != 0 || target[want] != '/' || !odp_builds_is_digest(target + want + 1))
        return ODP_OK;
    *digest = odp_arena_str(b->arena, target + want + 1);
    return ODP_OK;
}

enum odp_status odp_builds_present(const struct odp_builds *b, const char ***digests, size_t *n)
{
    const char **names;
    size_t count = 0;
    *n = 0;
    *digests = NULL;
    enum odp_status status = odp_dir_list(b->dir, b->arena, &names, &count);
    if (status != ODP_OK)
        return status == ODP_BAD ? ODP_OK : status;
    *digests = names;
    for (size_t i = 0; i < count; i++)
        if (odp_builds_is_digest(names[i]) &&
            odp_file_kind_of(odp_path_join(b->arena, b->dir, names[i])) == ODP_FILE_FOLDER)
            names[(*n)++] = names[i];
    return ODP_OK;
}

/* ---- the log ---- */

enum odp_status odp_builds_log(const struct odp_builds *b, const char ***digests, size_t *n)
{
    const char *path = odp_path_join(b->arena, b->dir, "log");
    struct odp_buffer text = {0};
    *n = 0;
    enum odp_status status = odp_file_read(path, LOG_MAX, &text, NULL);
    if (status == ODP_BAD) /* missing: nothing was switched yet */
        status = ODP_OK;
    *digests = odp_arena_array(b->arena, text.len / (ODP_SHA256_HEX - 1) + 1, sizeof **digests);
    for (struct odp_slice rest = odp_buffer_slice(&text); status == ODP_OK && rest.len > 0;) {
        const char *line = odp_arena_copy(b->arena, odp_line_next(&rest)).ptr;
        if (odp_builds_is_digest(line))
            (*digests)[(*n)++] = line;
    }
    odp_buffer_release(&text);
    return status;
}

enum odp_status odp_builds_log_put(const struct odp_builds *b, const char *const *digests, size_t n)
{
    const char *path = odp_path_join(b->arena, b->dir, "log"),
               *fresh = odp_path_join(b->arena, b->dir, ".new-log");
    struct odp_buffer text = {0};
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(&text, "%s\n", digests[i]);
    enum odp_status status = odp_buffer_status(&text);
    if (status == ODP_OK && unlink(fresh) != 0 && errno != ENOENT) /* a killed run left it */
        status = odp_failure_set("remove", fresh, errno);
    if (status == ODP_OK)
        status = odp_file_put(fresh, odp_buffer_slice(&text), 0644, NULL);
    odp_buffer_release(&text);
    return status == ODP_OK ? odp_file_rename(fresh, path) : status;
}

enum odp_status odp_builds_log_move(const struct odp_builds *b, const char *digest)
{
    const char **all;
    size_t n, kept = 0;
    enum odp_status status = odp_builds_log(b, &all, &n);
    if (status != ODP_OK)
        return status;
    const char **with = odp_arena_array(b->arena, n + 1, sizeof *with);
    for (size_t i = n > LOG_LINES ? n - LOG_LINES : 0; i < n; i++)
        if (strcmp(all[i], digest) != 0)
            with[kept++] = all[i];
    with[kept++] = digest;
    return odp_builds_log_put(b, with, kept);
}

/* ---- the link ---- */

enum odp_status odp_builds_point(const struct odp_builds *b, const char *digest)
{
    const char *base = strrchr(b->dir, '/') != NULL ? strrchr(b->dir, '/') + 1 : b->dir;
    const char *target = odp_path_join(b->arena, base, digest),
               *fresh = odp_path_join(b->arena, b->dir, ".new-link");
    if (unlink(fresh) != 0 && errno != ENOENT)
        return odp_failure_set("remove", fresh, errno);
    if (symlink(target, fresh) != 0)
        return odp_failure_set("link", fresh, errno);
    /* OUT may be an empty folder (see check_out); rmdir of a link or a full folder does nothing. */
    if (rmdir(b->out) != 0 && errno != ENOENT && errno != ENOTDIR)
        return odp_failure_set("remove", b->out, errno);
    return odp_file_rename(fresh, b->out);
}
