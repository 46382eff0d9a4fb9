/* The spare: OUT.builds/.spare, the build that went last, and .spare.seals, what was known of it. The next
 * stage begins as its tree instead of an empty folder, since most of its names lead to what the site before
 * holds at the same path; they need not be removed and made again. (One of 220 datasets changed: that was 14
 * % of the CPU.)
 *
 * No name is looked at: where a folder has not changed since it was sealed, its names lead where they led.
 * Those that lead, by their seals, to the very file that the site before has there stay; the others go at
 * once. One that stays is left over until its file is carried over, and gives way when another file is made
 * there; those that are left over in the end go before the switch. The build's own folder, where others put a
 * signature, is emptied but for its folders. Nothing is written through a name that stays, since published
 * builds share its file. The spare is nobody's build: a withdrawal removes it, and a stage whose run is
 * killed is removed like any other. */
#include "published/site_internal.h"
#include "published/stage_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Says that WHAT could not be done to PATH in the stage's folder. */
static enum odp_status failed(const struct odp_stage *s, const char *what, const char *path)
{
    const int errnum = errno;
    struct odp_arena arena = {0};
    const enum odp_status status = odp_failure_set(what, odp_path_join(&arena, s->dir, path), errnum);
    odp_arena_release(&arena);
    return status;
}

/* The folder SPARE becomes the stage's. */
static enum odp_status move_in(struct odp_stage *s, const char *spare)
{
    if (rmdir(s->dir) != 0 || rename(spare, s->dir) != 0)
        return odp_failure_set("rename", spare, errno);
    (void)close(s->disk);
    s->disk = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->disk < 0)
        return odp_failure_set("open", s->dir, errno);
    return odp_dir_sync(s->builds); /* else, after a power failure, a build may have what is changed now */
}

/* Of what lies in the stage's own folder the folders that files of IN are in stay. */
static enum odp_status empty_top(const struct odp_stage *s, const struct odp_seals *in, struct odp_arena *a)
{
    const char **names;
    size_t n;
    enum odp_status status = odp_dir_list(s->dir, a, &names, &n);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const char *below = odp_arena_printf(a, "%s/", names[i]), *path = odp_path_join(a, s->dir, names[i]);
        const size_t first = odp_site_files_from(in->files, in->n, below);
        if (first < in->n && strncmp(in->files[first].path, below, strlen(below)) == 0)
            continue;
        if (odp_file_kind_of(path) == ODP_FILE_FOLDER)
            status = odp_dir_remove(path);
        else if (unlink(path) != 0)
            status = failed(s, "remove", names[i]);
    }
    return status;
}

/* What IN, the stage's tree, and the site before have in common is left over; the rest goes. */
static enum odp_status sort_out(struct odp_stage *s, const struct odp_seals *in)
{
    const struct odp_seals *same = odp_site_seals(s->same);
    enum odp_status status = ODP_OK;
    for (size_t i = 0, k = 0; i < in->n && status == ODP_OK; i++) {
        const char *path = in->files[i].path;
        int order = -1;
        while (k < same->n && (order = strcmp(same->files[k].path, path)) < 0)
            k++;
        if (strchr(path, '/') == NULL)
            continue;
        if (k < same->n && order == 0 && in->seals[i].inode != 0 &&
            memcmp(&same->seals[k], &in->seals[i], sizeof *in->seals) == 0)
            s->left[k] = true;
        else
            status = odp_stage_remove(s, path);
    }
    return status;
}

/* IN: what is known of the folder SPARE. False: nothing, or somebody has changed it since. */
static bool is_as_sealed(struct odp_seals *in, const char *spare, const char *seals, struct odp_arena *a)
{
    const int fd = open(spare, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool yes = fd >= 0 && odp_seals_read(in, seals, a) == ODP_OK && in->seals != NULL &&
                     odp_seals_hold_folders(in, fd);
    if (fd >= 0)
        (void)close(fd);
    return yes;
}

enum odp_status odp_stage_take_spare(struct odp_stage *s)
{
    struct odp_arena arena = {0};
    struct odp_seals in = {0};
    size_t n;
    const char *spare = odp_path_join(&arena, s->builds, SPARE),
               *seals = odp_path_join(&arena, s->builds, SPARE_SEALS);
    if (odp_file_kind_of(spare) != ODP_FILE_FOLDER) {
        odp_arena_release(&arena);
        return ODP_OK;
    }
    (void)odp_site_files(s->same, &n);
    s->left = odp_arena_zero(&s->arena, n + 1, sizeof *s->left);
    const bool known = is_as_sealed(&in, spare, seals, &arena);
    odp_failure_clear();
    (void)unlink(seals); /* the tree will be another */
    enum odp_status status = known ? move_in(s, spare) : odp_dir_remove(spare);
    if (known && status == ODP_OK)
        status = empty_top(s, &in, &arena);
    if (known && status == ODP_OK)
        status = sort_out(s, &in);
    odp_mapped_close(&in.file);
    odp_arena_release(&arena);
    return status;
}

static bool *left_of(const struct odp_stage *s, const struct odp_site_file *f)
{
    size_t n;
    return &s->left[f - odp_site_files(s->same, &n)];
}

bool odp_stage_is_left(const struct odp_stage *s, const struct odp_site_file *f)
{
    return s->left != NULL && f != NULL && *left_of(s, f);
}

bool odp_stage_keep_left(const struct odp_stage *s, const struct odp_site_file *f)
{
    const bool yes = odp_stage_is_left(s, f);
    if (yes)
        *left_of(s, f) = false;
    return yes;
}

enum odp_status odp_stage_remove_left(const struct odp_stage *s, const char *path)
{
    if (s->left == NULL || !odp_stage_keep_left(s, odp_site_find(s->same, path)))
        return ODP_OK;
    return unlinkat(s->disk, path, 0) == 0 ? ODP_OK : failed(s, "remove", path);
}

enum odp_status odp_stage_remove(const struct odp_stage *s, const char *path)
{
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    char *at = odp_arena_str(&arena, path);
    if (unlinkat(s->disk, at, 0) != 0 && errno != ENOENT)
        status = failed(s, "remove", path);
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
