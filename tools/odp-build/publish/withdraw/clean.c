/* What is left of a withdrawn version outside of the site: earlier builds, scratch, caches, candidates. */
#include "publish/withdraw/withdraw_internal.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static enum odp_status remove_entry(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? ODP_OK : odp_failure_set("examine", path, errno);
    if (S_ISDIR(st.st_mode))
        return odp_dir_remove(path);
    return unlink(path) == 0 || errno == ENOENT ? ODP_OK : odp_failure_set("remove", path, errno);
}

/* "<digest>" or "<digest>.something": a build, or a file next to it. NULL: neither. In A. */
static const char *build_of(const char *name, struct odp_arena *a)
{
    const char *head = odp_arena_copy(a, (struct odp_slice){name, strcspn(name, ".")}).ptr;
    return odp_builds_is_digest(head) ? head : NULL;
}

static enum odp_status clean_one(const struct odp_builds *b, const char *name, const char *keep,
                                 size_t *builds, struct odp_diags *diags)
{
    static const char *const ours[] = {".lock", "log", "history", WITHDRAWAL_MARK};
    const char *digest = build_of(name, b->arena);
    for (size_t i = 0; i < ODP_COUNT(ours); i++)
        if (strcmp(name, ours[i]) == 0)
            return ODP_OK;
    if ((digest != NULL && strcmp(digest, keep) == 0) ||
        strncmp(name, ".stage-", 7) == 0) /* a stage may be ours, just opened */
        return ODP_OK;
    if (digest == NULL && name[0] != '.') {
        struct odp_diag d = {.code = ODP_V79, .file = b->dir, .args = {odp_slice_of(name)}};
        return odp_diags_add(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
    }
    *builds += digest != NULL && strcmp(digest, name) == 0;
    return remove_entry(odp_path_join(b->arena, b->dir, name));
}

enum odp_status withdrawal_clean(const struct odp_builds *b, const char *keep, const char *slug,
                                 size_t *builds, struct odp_diags *diags)
{
    const char **names;
    size_t n = 0;
    enum odp_status status = odp_builds_log_put(b, &keep, 1);
    if (status == ODP_OK)
        status = odp_dir_list(b->dir, b->arena, &names, &n);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = clean_one(b, names[i], keep, builds, diags);
    if (status == ODP_OK && slug != NULL)
        status = remove_entry(odp_arena_printf(b->arena, "%s.candidates/%s", b->out, slug));
    if (status == ODP_OK)
        status = odp_dir_sync(b->dir);
    return status == ODP_BAD ? odp_failure_set("read", b->dir, 0) : status;
}
