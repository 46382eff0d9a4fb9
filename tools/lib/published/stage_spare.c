/* The spare: OUT.builds/.spare, the build that went last. The next stage begins as its tree instead of an empty
 * folder, since most of its names lead to what the site before holds at the same path; they need not be removed
 * and made again. (One of 220 datasets changed: that was 14 % of the CPU.)
 *
 * A name stays only where it leads to the very file that the site before has there, by its seal; the others go
 * at once. One that stays is left over until its file is carried over, and gives way when another file is made
 * there; those that are left over in the end go before the switch. Nothing is written through such a name, since
 * published builds share its file. The spare is nobody's build: a withdrawal removes it, and a stage whose run
 * is killed is removed like any other. */
#include "published/site_internal.h"
#include "published/stage_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

/* Says that WHAT could not be done to NAME in the stage's folder PATH. */
static enum odp_status failed(const struct odp_stage *s, const char *what, const char *path, const char *name)
{
    const int errnum = errno;
    struct odp_arena arena = {0};
    const enum odp_status status =
        odp_failure_set(what, odp_arena_printf(&arena, "%s/%s%s", s->dir, path, name), errnum);
    odp_arena_release(&arena);
    return status;
}

/* One folder of the tree, on the way down. */
struct folder {
    const char *path;                  /* "" or "v1/kumuh/", in the stage */
    const struct odp_site_file *files; /* of the site before, below PATH */
    size_t n;
};

/* Whether the entry E of AT is the file that the site before has there; then it is left over. */
static bool stays(struct odp_stage *s, const struct folder *at, const struct dirent *e, struct odp_arena *a)
{
    size_t n;
    const struct odp_seals *seals = odp_site_seals(s->same);
    const struct odp_site_file *f =
        odp_site_files_find(at->files, at->n, odp_arena_printf(a, "%s%s", at->path, e->d_name));
    const size_t i = f != NULL ? (size_t)(f - odp_site_files(s->same, &n)) : seals->n;
    if (e->d_type != DT_REG || i >= seals->n || seals->seals[i].inode != e->d_ino)
        return false;
    return s->left[i] = true;
}

static struct folder folder_below(const struct folder *at, const char *name, struct odp_arena *a)
{
    struct folder to = {.path = odp_arena_printf(a, "%s%s/", at->path, name)};
    const char *end = odp_arena_printf(a, "%s%s%c", at->path, name, '/' + 1);
    const size_t from = odp_site_files_from(at->files, at->n, to.path);
    to.files = at->files + from;
    to.n = odp_site_files_from(to.files, at->n - from, end);
    return to;
}

/* The entries of a folder that do not stay: removed after all have been read. */
struct going {
    const char **names;
    int *flags; /* of unlinkat */
    size_t n;
};

static enum odp_status look_through(struct odp_stage *s, const struct folder *at, int fd, size_t *kept);

/* The entry E of AT, which is open as FD. */
static enum odp_status look_at(struct odp_stage *s, const struct folder *at, int fd, const struct dirent *e,
                               size_t *kept, struct odp_arena *a)
{
    bool fresh;
    if (e->d_type != DT_DIR) {
        *kept = stays(s, at, e, a);
        return ODP_OK;
    }
    const struct folder to = folder_below(at, e->d_name, a);
    enum odp_status status =
        look_through(s, &to, openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), kept);
    if (*kept > 0)
        (void)odp_map_put(&s->list->folders, (struct odp_slice){to.path, strlen(to.path) - 1}, &fresh);
    return status;
}

/* Some file systems do not tell it with the name. */
static unsigned char type_of(int fd, const struct dirent *e)
{
    struct stat st;
    const bool asked = e->d_type == DT_UNKNOWN && fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    return asked ? (unsigned char)IFTODT(st.st_mode) : e->d_type;
}

static enum odp_status remove_all(const struct odp_stage *s, const struct folder *at, int fd,
                                  const struct going *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (unlinkat(fd, g->names[i], g->flags[i]) != 0)
            return failed(s, "remove", at->path, g->names[i]);
    return ODP_OK;
}

/* All of AT, which is open as FD; closes it. *KEPT: how many names stay. */
static enum odp_status look_through(struct odp_stage *s, const struct folder *at, int fd, size_t *kept)
{
    struct odp_arena arena = {0};
    struct going going = {0};
    enum odp_status status = ODP_OK;
    struct dirent *e;
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL) {
        status = failed(s, "open folder", at->path, "");
        if (fd >= 0)
            (void)close(fd);
        return status;
    }
    for (errno = 0; status == ODP_OK && (e = readdir(dir)) != NULL; errno = 0) {
        size_t below = 0;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        e->d_type = type_of(fd, e);
        status = look_at(s, at, fd, e, &below, &arena);
        *kept += below;
        if (below > 0)
            continue;
        going.names = odp_arena_more(&arena, going.names, going.n, sizeof *going.names);
        going.flags = odp_arena_more(&arena, going.flags, going.n, sizeof *going.flags);
        going.names[going.n] = odp_arena_str(&arena, e->d_name);
        going.flags[going.n++] = e->d_type == DT_DIR ? AT_REMOVEDIR : 0;
    }
    if (status == ODP_OK && errno != 0)
        status = failed(s, "read folder", at->path, "");
    if (status == ODP_OK)
        status = remove_all(s, at, fd, &going);
    (void)closedir(dir);
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_stage_take_spare(struct odp_stage *s)
{
    struct folder root = {.path = ""};
    size_t kept = 0;
    const char *spare = odp_path_join(&s->arena, s->builds, SPARE);
    if (odp_file_kind_of(spare) != ODP_FILE_FOLDER)
        return ODP_OK;
    root.files = odp_site_files(s->same, &root.n);
    s->left = odp_arena_zero(&s->arena, root.n + 1, sizeof *s->left);
    if (rmdir(s->dir) != 0 || rename(spare, s->dir) != 0)
        return odp_failure_set("rename", spare, errno);
    (void)close(s->disk);
    s->disk = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->disk < 0)
        return odp_failure_set("open", s->dir, errno);
    if (odp_dir_sync(s->builds) !=
        ODP_OK) /* else, after a power failure, a build may have what is changed now */
        return ODP_FAIL;
    return look_through(s, &root, openat(s->disk, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &kept);
}

bool odp_stage_keep_left(const struct odp_stage *s, const struct odp_site_file *f)
{
    size_t n;
    bool *left = s->left != NULL && f != NULL ? &s->left[f - odp_site_files(s->same, &n)] : NULL;
    const bool yes = left != NULL && *left;
    if (yes)
        *left = false;
    return yes;
}

enum odp_status odp_stage_remove_left(const struct odp_stage *s, const char *path)
{
    if (s->left == NULL || !odp_stage_keep_left(s, odp_site_find(s->same, path)))
        return ODP_OK;
    return unlinkat(s->disk, path, 0) == 0 ? ODP_OK : failed(s, "remove", path, "");
}

enum odp_status odp_stage_remove(const struct odp_stage *s, const char *path)
{
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    char *at = odp_arena_str(&arena, path);
    if (unlinkat(s->disk, at, 0) != 0 && errno != ENOENT)
        status = failed(s, "remove", path, "");
    for (char *slash = strrchr(at, '/'); slash != NULL && status == ODP_OK; slash = strrchr(at, '/')) {
        *slash = '\0';
        if (unlinkat(s->disk, at, AT_REMOVEDIR) != 0)
            break; /* not empty */
    }
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_stage_end_left(const struct odp_stage *s)
{
    size_t n = 0;
    const struct odp_site_file *files = s->left != NULL ? odp_site_files(s->same, &n) : NULL;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        if (s->left[i])
            status = odp_stage_remove(s, files[i].path);
    return status;
}
