/* Anything rclone can reach: S3, GCS, Azure, SFTP, WebDAV and some seventy more. rclone is run as a child.
 *
 * Lists of files go in by its standard input (--files-from-raw -), so that no name is ever an argument, a
 * pattern or a line of a file on the disk. With such a list a file that is not there is skipped, not a fault,
 * on every kind of store; that is how absence is told (a store of objects has no folders, so "rclone cat
 * store:missing" would be an empty success); an empty answer is looked at once more with lsf.
 *
 * rclone 1.60 or later, by PATH or ODP_RCLONE; its configuration and environment (RCLONE_CONFIG,
 * RCLONE_BWLIMIT …) hold as always. A configuration with a password needs RCLONE_CONFIG_PASS: nobody is
 * asked. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/line.h"
#include "base/remote/rclone_internal.h"

/* ---- open ---- */

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* ODP_RCLONE, or rclone in PATH; NULL: there is none. */
static const char *find_program(struct odp_arena *a)
{
    const char *named = getenv("ODP_RCLONE"), *rest = getenv("PATH");
    if (named != NULL && *named != '\0')
        return is_program(named) ? odp_arena_str(a, named) : NULL;
    while (rest != NULL && *rest != '\0') {
        size_t len = strcspn(rest, ":");
        const char *path = odp_arena_printf(a, "%.*s/rclone", (int)len, rest);
        if (len > 0 && is_program(path))
            return path;
        rest += len + (rest[len] == ':');
    }
    return NULL;
}

static enum odp_status rclone_open(struct odp_remote *r)
{
    if (strstr(r->address, "://") != NULL && strchr(r->address, ',') == NULL)
        return remote_fault(
            r, "only http:// and https:// are known; other servers are reached by rclone, as NAME:PATH");
    r->program = find_program(&r->arena);
    if (r->program == NULL)
        return remote_fault(r, "the program rclone is not installed (on Debian: apt install rclone), or "
                               "ODP_RCLONE does not name it");
    return ODP_OK;
}

/* ---- read ---- */

/* "size;path" of those paths of C that are there. */
static enum odp_status list_call(struct odp_remote *r, struct rclone_call *c, struct odp_buffer *out)
{
    rclone_arg(c, "--recursive");
    rclone_arg(c, "--files-only");
    rclone_arg(c, "--format=sp");
    rclone_of_paths(c, r);
    c->out = out;
    return rclone_run(r, c);
}

static enum odp_status rclone_read(struct odp_remote *r, const char *path, size_t max, struct odp_buffer *out)
{
    struct rclone_call c;
    size_t before = out->len;
    rclone_begin(&c, r, "cat");
    rclone_path(&c, path);
    rclone_of_paths(&c, r);
    c.out = out;
    c.max = max;
    enum odp_status status = rclone_run(r, &c);
    if (status == ODP_OK && out->len == before) { /* empty, or not there? */
        struct odp_buffer found;
        odp_buffer_init(&found);
        rclone_begin(&c, r, "lsf");
        rclone_path(&c, path);
        status = list_call(r, &c, &found);
        if (status == ODP_OK && found.len == 0)
            status = ODP_DONE;
        odp_buffer_release(&found);
    }
    return status;
}

/* ---- look and list ---- */

static int file_by_path(const void *a, const void *b)
{
    return strcmp((*(struct odp_remote_file *const *)a)->path, (*(struct odp_remote_file *const *)b)->path);
}

static enum odp_status look_batch(struct odp_remote *r, struct odp_remote_file **files, size_t n)
{
    struct odp_buffer found;
    struct rclone_call c;
    struct odp_arena arena;
    odp_arena_init(&arena);
    odp_buffer_init(&found);
    rclone_begin(&c, r, "lsf");
    for (size_t i = 0; i < n; i++)
        rclone_path(&c, files[i]->path);
    enum odp_status status = list_call(r, &c, &found);
    struct odp_slice rest = odp_buffer_slice(&found);
    while (status == ODP_OK && rest.len > 0) {
        char *name;
        uint64_t size = strtoull(odp_arena_copy(&arena, odp_line_next(&rest)).ptr, &name, 10);
        struct odp_remote_file key = {.path = name + (*name == ';')}, *one = &key;
        struct odp_remote_file **file =
            *name == ';' ? bsearch(&one, files, n, sizeof *files, file_by_path) : NULL;
        if (file != NULL) {
            (*file)->missing = false;
            (*file)->size = size;
        }
    }
    odp_arena_release(&arena);
    odp_buffer_release(&found);
    return status;
}

static enum odp_status rclone_look(struct odp_remote *r, struct odp_remote_file *files, size_t n)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    struct odp_remote_file **sorted = odp_arena_array(&arena, n, sizeof *sorted);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n; i++) {
        files[i].missing = true;
        sorted[i] = &files[i];
    }
    qsort(sorted, n, sizeof *sorted, file_by_path);
    for (size_t i = 0; i < n && status == ODP_OK; i += RCLONE_BATCH)
        status = look_batch(r, sorted + i, n - i < RCLONE_BATCH ? n - i : RCLONE_BATCH);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status rclone_list(struct odp_remote *r, const char *folder, struct odp_arena *a,
                                   const char ***paths, size_t *n)
{
    struct odp_buffer out;
    struct rclone_call c;
    odp_buffer_init(&out);
    rclone_begin(&c, r, "lsf");
    rclone_arg(&c, "--recursive");
    rclone_arg(&c, "--files-only");
    rclone_arg(&c, rclone_join(r, folder, a));
    c.out = &out;
    enum odp_status status = rclone_run(r, &c);
    struct odp_slice rest = odp_buffer_slice(&out);
    while (status == ODP_OK && rest.len > 0) {
        struct odp_slice line = odp_line_next(&rest);
        *paths = odp_arena_more(a, *paths, *n, sizeof **paths);
        (*paths)[(*n)++] = odp_arena_printf(a, "%s/%.*s", folder, (int)line.len, line.ptr);
    }
    if (*n > 1)
        qsort(*paths, *n, sizeof **paths, odp_by_string);
    odp_buffer_release(&out);
    return status;
}

const struct remote_kind remote_rclone = {.open = rclone_open,
                                          .read = rclone_read,
                                          .fetch = rclone_fetch,
                                          .put = rclone_put,
                                          .write = rclone_write,
                                          .remove = rclone_remove,
                                          .look = rclone_look,
                                          .list = rclone_list};
