/* Anything rclone can reach: S3, GCS, Azure, SFTP, WebDAV and some seventy more. rclone is run as a child.
 *
 * Lists of files go in by its standard input (--files-from-raw -), so that no name is ever an argument, a pattern or a line of
 * a file on the disk. With such a list a file that is not there is skipped, not a fault, on every kind of store; that is how
 * absence is told (a store of objects has no folders, so "rclone cat store:missing" would be an empty success); an empty answer is
 * looked at once more with lsf.
 *
 * rclone 1.60 or later, by PATH or ODP_RCLONE; its configuration and environment (RCLONE_CONFIG, RCLONE_BWLIMIT …) hold as always. A
 * configuration with a password needs RCLONE_CONFIG_PASS: nobody is asked. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/line.h"
#include "base/remote/rclone_internal.h"

/* ---- open ------------------------------------------------------------------------------------------------------------------
 */

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* ODP_RCLONE, or rclone in PATH. NULL in *OUT: there is none. */
static enum odp_status find_program(struct odp_arena *a, const char **out)
{
    const char *named = getenv("ODP_RCLONE"), *rest = getenv("PATH");
    *out = NULL;
    if (named != NULL && *named != '\0') {
        if (is_program(named) && (*out = odp_arena_str(a, named)) == NULL)
            return ODP_FAIL;
        return ODP_OK;
    }
    while (rest != NULL && *rest != '\0') {
        size_t len = strcspn(rest, ":");
        const char *path = odp_arena_printf(a, "%.*s/rclone", (int)len, rest);
        if (len > 0 && is_program(path)) {
            *out = path;
            return ODP_OK;
        }
        rest += len + (rest[len] == ':');
    }
    return ODP_OK;
}

static enum odp_status rclone_open(struct odp_remote *r)
{
    if (strstr(r->address, "://") != NULL && strchr(r->address, ',') == NULL)
        return remote_fault(r, "only http:// and https:// are known; other servers are reached by rclone, as NAME:PATH");
    if (find_program(&r->arena, &r->program) != ODP_OK)
        return ODP_FAIL;
    if (r->program == NULL)
        return remote_fault(
            r, "the program rclone is not installed (on Debian: apt install rclone), or ODP_RCLONE does not name it");
    return ODP_OK;
}

/* ---- read ------------------------------------------------------------------------------------------------------------------
 */

static enum odp_status list_call(struct odp_remote *r, struct odp_slice input, struct odp_buffer *out)
{
    struct rclone_call c;
    rclone_begin(&c, r, "lsf");
    rclone_arg(&c, "--recursive");
    rclone_arg(&c, "--files-only");
    rclone_arg(&c, "--format=sp");
    rclone_arg(&c, "--files-from-raw=-");
    rclone_arg(&c, r->address);
    c.input = input;
    c.out = out;
    return rclone_run(r, &c);
}

static enum odp_status rclone_read(struct odp_remote *r, const char *path, size_t max, struct odp_buffer *out)
{
    struct odp_buffer list;
    struct rclone_call c;
    size_t before = out->len;
    odp_buffer_init(&list);
    odp_buffer_printf(&list, "%s\n", path);
    rclone_begin(&c, r, "cat");
    rclone_arg(&c, "--files-from-raw=-");
    rclone_arg(&c, r->address);
    c.input = odp_buffer_slice(&list);
    c.out = out;
    c.max = max;
    enum odp_status status = odp_buffer_status(&list);
    if (status == ODP_OK)
        status = rclone_run(r, &c);
    if (status == ODP_OK && out->len == before) { /* empty, or not there? */
        struct odp_buffer found;
        odp_buffer_init(&found);
        status = list_call(r, odp_buffer_slice(&list), &found);
        if (status == ODP_OK && found.len == 0)
            status = ODP_DONE;
        odp_buffer_release(&found);
    }
    odp_buffer_release(&list);
    return status;
}

/* ---- look and list ---------------------------------------------------------------------------------------------------------
 */

static int file_by_path(const void *a, const void *b)
{
    return strcmp((*(struct odp_remote_file *const *)a)->path, (*(struct odp_remote_file *const *)b)->path);
}

static enum odp_status look_batch(struct odp_remote *r, struct odp_remote_file **files, size_t n)
{
    struct odp_buffer list, found;
    odp_buffer_init(&list);
    odp_buffer_init(&found);
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(&list, "%s\n", files[i]->path);
    enum odp_status status = odp_buffer_status(&list);
    if (status == ODP_OK)
        status = list_call(r, odp_buffer_slice(&list), &found);
    struct odp_slice rest = odp_buffer_slice(&found);
    while (status == ODP_OK && rest.len > 0) {
        struct odp_slice line = odp_line_next(&rest);
        const char *semicolon = line.len > 0 ? memchr(line.ptr, ';', line.len) : NULL;
        if (semicolon == NULL)
            continue;
        uint64_t size = strtoull(line.ptr, NULL, 10);
        struct odp_slice name = {semicolon + 1, line.len - (size_t)(semicolon + 1 - line.ptr)};
        size_t low = 0, high = n;
        while (low < high) {
            size_t mid = low + (high - low) / 2;
            int order = odp_slice_cmp(odp_slice_of(files[mid]->path), name);
            if (order == 0) {
                files[mid]->missing = false;
                files[mid]->size = size;
                break;
            }
            low = order < 0 ? mid + 1 : low;
            high = order < 0 ? high : mid;
        }
    }
    odp_buffer_release(&list);
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

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum odp_status rclone_list(struct odp_remote *r, const char *folder, struct odp_arena *a, const char ***paths,
                                   size_t *n)
{
    struct odp_buffer out;
    struct rclone_call c;
    const char *place = rclone_join(r, folder, a);
    odp_buffer_init(&out);
    rclone_begin(&c, r, "lsf");
    rclone_arg(&c, "--recursive");
    rclone_arg(&c, "--files-only");
    rclone_arg(&c, place);
    c.out = &out;
    enum odp_status status = rclone_run(r, &c);
    size_t lines = 0;
    for (size_t i = 0; i < out.len; i++)
        lines += out.ptr[i] == '\n';
    if (status == ODP_OK && (*paths = odp_arena_array(a, lines + 1, sizeof **paths)) == NULL)
        status = ODP_FAIL;
    struct odp_slice rest = odp_buffer_slice(&out);
    while (status == ODP_OK && rest.len > 0 && *n < lines) {
        struct odp_slice line = odp_line_next(&rest);
        (*paths)[*n] = odp_arena_printf(a, "%s/%.*s", folder, (int)line.len, line.ptr);
        if ((*paths)[(*n)++] == NULL)
            status = ODP_FAIL;
    }
    if (status == ODP_OK && *n > 1)
        qsort(*paths, *n, sizeof **paths, by_bytes);
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
