#include "base/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_read.h"
#include "base/path.h"

enum odp_status odp_dir_sync_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash != NULL ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    if (parent == NULL)
        return odp_failure_set("sync folder", path, ENOMEM);
    enum odp_status status = odp_dir_sync(parent);
    free(parent);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* PATH is as it was afterwards. Most folders are there already: one call tells so. */
static enum odp_status make_below(char *path, bool synced)
{
    if (is_folder(path))
        return ODP_OK;
    int e = mkdir(path, 0755) == 0 ? 0 : errno;
    char *slash = strrchr(path, '/');
    while (slash > path && slash[-1] == '/')
        slash--;
    if (e == ENOENT && slash > path) { /* or slash is NULL */
        *slash = '\0';
        enum odp_status status = make_below(path, synced);
        *slash = '/';
        if (status != ODP_OK)
            return status;
        e = mkdir(path, 0755) == 0 ? 0 : errno;
    }
    if (e == 0)
        return synced ? odp_dir_sync_parent(path) : ODP_OK;
    if (e != EEXIST)
        return odp_failure_set("make folder", path, e);
    return is_folder(path) ? ODP_OK : odp_failure_set("make folder", path, ENOTDIR);
}

static enum odp_status make_all(const char *path, bool synced)
{
    char *copy = strdup(path);
    size_t len = strlen(path);
    if (copy == NULL)
        return odp_failure_set("make folder", path, ENOMEM);
    while (len > 1 && copy[len - 1] == '/')
        copy[--len] = '\0';
    enum odp_status status = make_below(copy, synced);
    free(copy);
    return status;
}

enum odp_status odp_dir_make(const char *path)
{
    return make_all(path, false);
}

enum odp_status odp_dir_make_synced(const char *path)
{
    return make_all(path, true);
}

int odp_sync(int fd)
{
    int r;
    if (getenv("ODP_NO_SYNC") != NULL)
        return 0;
    do
        r = fsync(fd);
    while (r != 0 && errno == EINTR);
    return r;
}

enum odp_status odp_dir_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return odp_failure_set("open folder", path, errno);
    int r = odp_sync(fd), e = errno;
    close(fd);
    /* EINVAL: this file system cannot sync folders (some network and FUSE ones); there is nothing more to do
     */
    return r == 0 || e == EINVAL ? ODP_OK : odp_failure_set("sync folder", path, e);
}

int odp_dir_sync_all(int fd)
{
    return getenv("ODP_NO_SYNC") != NULL ? 0 : syncfs(fd);
}

/* Empties the folder FD (which it closes). Entries are removed while they are read, which may skip some: go
 * on until a pass finds nothing. Links are removed, not followed: unlinkat never follows, and openat has
 * O_NOFOLLOW. */
static enum odp_status remove_entries(int fd, const char *path)
{
    enum odp_status status = ODP_OK;
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        int e = errno;
        close(fd);
        return odp_failure_set("open folder", path, e);
    }
    for (bool again = true; again && status == ODP_OK;) {
        again = false;
        struct dirent *e;
        for (errno = 0; status == ODP_OK && (e = readdir(dir)) != NULL; errno = 0) {
            if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
                continue;
            again = true;
            if (unlinkat(fd, e->d_name, 0) == 0 || errno == ENOENT)
                continue;
            int why = errno;
            int sub = why == EISDIR || why == EPERM
                          ? openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                          : -1;
            if (sub < 0)
                status = odp_failure_set("remove", e->d_name, why == EISDIR ? errno : why);
            else
                status = remove_entries(sub, e->d_name);
            if (status == ODP_OK && unlinkat(fd, e->d_name, AT_REMOVEDIR) != 0 && errno != ENOENT)
                status = odp_failure_set("remove", e->d_name, errno);
        }
        if (status == ODP_OK && errno != 0)
            status = odp_failure_set("read folder", path, errno);
        rewinddir(dir);
    }
    closedir(dir);
    return status;
}

enum odp_status odp_dir_remove(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? ODP_OK : odp_failure_set("remove folder", path, errno);
    if (remove_entries(fd, path) != ODP_OK)
        return ODP_FAIL;
    return rmdir(path) == 0 ? ODP_OK : odp_failure_set("remove folder", path, errno);
}

enum odp_status odp_dir_list(const char *path, struct odp_arena *a, const char ***names, size_t *n)
{
    enum odp_status status = ODP_OK;
    struct dirent *e;
    *names = NULL;
    *n = 0;
    DIR *dir = opendir(path);
    if (dir == NULL)
        return odp_file_is_users_fault(errno) ? ODP_BAD : odp_failure_set("open folder", path, errno);
    for (errno = 0; (e = readdir(dir)) != NULL; errno = 0) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        *names = odp_arena_more(a, *names, *n, sizeof **names);
        (*names)[(*n)++] = odp_arena_str(a, e->d_name);
    }
    if (errno != 0)
        status = odp_failure_set("read folder", path, errno);
    closedir(dir);
    *n = status == ODP_OK ? *n : 0;
    if (*n > 1)
        qsort(*names, *n, sizeof **names, odp_by_string);
    return status;
}

enum odp_status odp_dir_siblings(const char *path, struct odp_arena *a, const char ***siblings, size_t *n)
{
    const char *name = odp_path_last(path), *dot = strrchr(name, '.'), *dir = odp_path_folder(a, path);
    const size_t stem = dot != NULL ? (size_t)(dot - name) : strlen(name);
    const char **names;
    size_t all;
    enum odp_status status = odp_dir_list(dir, a, &names, &all);
    *siblings = names;
    *n = 0;
    for (size_t i = 0; i < all && status == ODP_OK; i++)
        if (strncasecmp(names[i], name, stem) == 0 && names[i][stem] == '.')
            names[(*n)++] = odp_path_join(a, dir, names[i]);
    return status;
}
