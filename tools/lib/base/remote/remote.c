/* The door to all kinds of remotes: checks what is common, and hands on to the kind. */
#include <errno.h>
#include <stdlib.h>

#include "base/remote/remote_internal.h"

static const struct remote_kind *kind_of(const struct odp_remote *r)
{
    static const struct remote_kind *const kinds[] = {&remote_folder, &remote_url, &remote_rclone};
    return kinds[r->kind];
}

/* Relative, stays inside; hidden segments are allowed (.well-known). */
static bool path_ok(const char *path)
{
    bool at_start = true;
    for (const char *p = path; *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f || *p == '\\')
            return false;
        if (at_start && (*p == '/' || (*p == '.' && (p[1] == '/' || p[1] == '\0' ||
                                                     (p[1] == '.' && (p[2] == '/' || p[2] == '\0'))))))
            return false;
        at_start = *p == '/';
    }
    return !at_start;
}

static enum odp_status check_path(struct odp_remote *r, const char *path)
{
    return path_ok(path) ? ODP_OK : remote_fault(r, "\"%s\" is not a path of a site", path);
}

static enum odp_status check_writable(struct odp_remote *r)
{
    return r->kind != ODP_REMOTE_URL ? ODP_OK : remote_fault(r, "a web address can only be read");
}

enum odp_status odp_remote_open(struct odp_remote **out, const char *address)
{
    struct odp_remote *r = calloc(1, sizeof *r);
    *out = r;
    if (r == NULL)
        return odp_failure_set("open remote", NULL, ENOMEM);
    r->kind = odp_remote_kind_of(address);
    char *copy = odp_arena_str(&r->arena, address);
    for (size_t len = strlen(copy); len > 1 && copy[len - 1] == '/'; len--)
        copy[len - 1] = '\0';
    r->address = copy;
    remote_address(r);
    enum odp_status status = *address != '\0' ? ODP_OK : remote_fault(r, "the address is empty");
    if (status == ODP_OK && kind_of(r)->open != NULL)
        status = kind_of(r)->open(r);
    if (status == ODP_FAIL) {
        odp_remote_close(r);
        *out = NULL;
    }
    return status;
}

void odp_remote_close(struct odp_remote *r)
{
    if (r == NULL)
        return;
    if (kind_of(r)->close != NULL)
        kind_of(r)->close(r);
    odp_arena_release(&r->arena);
    free(r);
}

enum odp_remote_kind odp_remote_kind(const struct odp_remote *r)
{
    return r->kind;
}

const char *odp_remote_shown(const struct odp_remote *r)
{
    return r->shown;
}

const char *odp_remote_fault(const struct odp_remote *r)
{
    return r->fault;
}

enum odp_status odp_remote_read(struct odp_remote *r, const char *path, size_t max, struct odp_buffer *out)
{
    size_t before = out->len;
    enum odp_status status = check_path(r, path);
    if (status == ODP_OK)
        status = kind_of(r)->read(r, path, max, out);
    if (status != ODP_OK)
        out->len = before;
    return status;
}

enum odp_status odp_remote_fetch(struct odp_remote *r, struct odp_remote_file *files, size_t n,
                                 const char *dir, const struct odp_progress *progress)
{
    struct odp_arena arena = {0};
    size_t wanted = 0;
    r->fault[0] = '\0';
    struct odp_remote_file **list = odp_arena_array(&arena, n + 1, sizeof *list);
    enum odp_status status = odp_dir_make(dir);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        files[i].missing = files[i].wrong = false;
        status = check_path(r, files[i].path);
        if (status != ODP_OK)
            break;
        const char *place = odp_path_join(&arena, dir, files[i].path);
        enum odp_status there = files[i].sha256 != NULL ? remote_fits(place, &files[i]) : ODP_BAD;
        if (there == ODP_FAIL)
            status = ODP_FAIL;
        else if (there != ODP_OK)
            list[wanted++] = &files[i];
    }
    if (status == ODP_OK && wanted > 0)
        status = kind_of(r)->fetch(r, list, wanted, dir, progress);
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_remote_put(struct odp_remote *r, const struct odp_remote_put *files, size_t n,
                               const struct odp_progress *progress)
{
    enum odp_status status = check_writable(r);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = check_path(r, files[i].path);
    return n > 0 && status == ODP_OK ? kind_of(r)->put(r, files, n, progress) : status;
}

enum odp_status odp_remote_write(struct odp_remote *r, const char *path, struct odp_slice bytes,
                                 const char *type, const char *cache_control)
{
    struct odp_remote_put how = {.path = path, .type = type, .cache_control = cache_control};
    enum odp_status status = check_writable(r);
    if (status == ODP_OK)
        status = check_path(r, path);
    return status == ODP_OK ? kind_of(r)->write(r, path, bytes, &how) : status;
}

enum odp_status odp_remote_delete(struct odp_remote *r, const char *const *paths, size_t n)
{
    enum odp_status status = check_writable(r);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = check_path(r, paths[i]);
    return n > 0 && status == ODP_OK ? kind_of(r)->remove(r, paths, n) : status;
}

enum odp_status odp_remote_look(struct odp_remote *r, struct odp_remote_file *files, size_t n)
{
    enum odp_status status =
        r->kind != ODP_REMOTE_URL
            ? ODP_OK
            : remote_fault(r, "a web address tells nothing of files without fetching them");
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = check_path(r, files[i].path);
    return n > 0 && status == ODP_OK ? kind_of(r)->look(r, files, n) : status;
}

enum odp_status odp_remote_list(struct odp_remote *r, const char *folder, struct odp_arena *a,
                                const char ***paths, size_t *n)
{
    *paths = NULL;
    *n = 0;
    enum odp_status status = r->kind != ODP_REMOTE_URL
                                 ? check_path(r, folder)
                                 : remote_fault(r, "a web address does not list its files");
    return status == ODP_OK ? kind_of(r)->list(r, folder, a, paths, n) : status;
}
