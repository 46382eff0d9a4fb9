/* Replaces files as a whole and keeps their originals. */
#include "repair/rewrite/place.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"

enum { ORIGINALS_MAX = 10000 };

/* The target of symbolic links: the file itself is replaced, the link stays. */
static enum odp_status resolve(const char *path, struct odp_arena *a, char **out)
{
    struct stat st;
    *out = odp_arena_str(a, path);
    if (lstat(path, &st) == 0 ? !S_ISLNK(st.st_mode) : errno == ENOENT)
        return ODP_OK;
    char *real = realpath(path, NULL);
    if (real == NULL)
        return odp_failure_set("find", path, errno);
    *out = odp_arena_str(a, real);
    free(real);
    return ODP_OK;
}

enum odp_status odp_place_find(struct odp_place *out, const char *path, struct odp_arena *a)
{
    *out = (struct odp_place){0};
    if (resolve(path, a, &out->path) != ODP_OK)
        return ODP_FAIL;
    const char *name = odp_path_last(out->path), *dot = strrchr(name, '.');
    const char *before = odp_arena_printf(a, "%.*s.%s.", (int)(name - out->path), out->path, name);
    out->temporary = odp_temporary(a, before, odp_arena_printf(a, ".tmp%s", dot != NULL ? dot : ""));
    out->folder = odp_path_folder(a, out->path);
    return out->temporary != NULL ? odp_arena_status(a) : ODP_FAIL;
}

bool odp_place_may_write(const struct odp_place *p)
{
    return access(p->folder, W_OK | X_OK) == 0;
}

/* If we may not change the owner it is ours, as with every editor. */
enum odp_status odp_place_copy_owner(const char *temporary, const struct stat *st)
{
    if ((st->st_uid != geteuid() || st->st_gid != getegid()) &&
        chown(temporary, st->st_uid, st->st_gid) != 0 && errno != EPERM)
        return odp_failure_set("chown", temporary, errno);
    return chmod(temporary, st->st_mode & 07777) == 0 ? ODP_OK : odp_failure_set("chmod", temporary, errno);
}

/* Gives the old file a second name. */
static enum odp_status keep_original(const char *path, struct odp_arena *a, const char **out)
{
    for (unsigned i = 1; i < ORIGINALS_MAX; i++) {
        struct stat st;
        char *name =
            i == 1 ? odp_arena_printf(a, "%s.asli", path) : odp_arena_printf(a, "%s.asli.%u", path, i);
        if (lstat(name, &st) == 0)
            continue;
        *out = name;
        return odp_file_link(path, name);
    }
    return odp_failure_set("keep the original of", path, EEXIST);
}

enum odp_status odp_place_switch(const struct odp_place *p, const struct odp_file_state *before,
                                 struct odp_arena *a, const char **original)
{
    struct odp_file_state now = odp_file_state_of(p->path);
    enum odp_status status = odp_memory_status();
    *original = NULL;
    if (before->there != now.there || (now.there && !odp_file_state_same(before, &now))) {
        unlink(p->temporary);
        return ODP_BAD;
    }
    if (status == ODP_OK && !now.there && chmod(p->temporary, 0644) != 0)
        status = odp_failure_set("chmod", p->temporary, errno);
    if (status == ODP_OK && now.there)
        status = odp_place_copy_owner(p->temporary, &now.st);
    if (status == ODP_OK && now.there)
        status = keep_original(p->path, a, original);
    if (status == ODP_OK)
        status = odp_file_rename(p->temporary, p->path);
    if (status == ODP_OK)
        return ODP_OK;
    /* If the new file is in place already (its folder could not be synced), the original's name must stay
     * too. */
    now = odp_file_state_of(p->path);
    if (*original != NULL && odp_file_state_same(before, &now))
        unlink(*original);
    unlink(p->temporary);
    return status;
}
