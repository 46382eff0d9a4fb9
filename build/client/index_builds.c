/* Packages of builds that were rolled back. They were public: under their names and numbers nothing else may ever be. */
#include "client/index.h"

#include <sys/stat.h>

#include "release/builds.h"
#include "release/stage.h"

enum { INDEX_MAX = 64 << 20 };

/* The builds beside the one that the previous site is: only they are its history. NULL: it lies elsewhere. */
static const char *folder_of(const struct odp_client_job *job, struct odp_arena *a)
{
    const char *dir = job->previous != NULL ? odp_site_dir(job->previous) : NULL, *slash = dir != NULL ? strrchr(dir, '/') : NULL;
    const char *builds = slash != NULL ? odp_arena_printf(a, "%.*s", (int)(slash - dir), dir) : NULL;
    struct stat ours, theirs;
    bool same = builds != NULL && stat(builds, &theirs) == 0 && stat(job->stage->builds, &ours) == 0 && ours.st_dev == theirs.st_dev &&
                ours.st_ino == theirs.st_ino;
    return same ? builds : NULL;
}

/* The list of the build in DIR; NULL: it has none that can be read. */
static json_t *list_of(const char *dir, struct odp_arena *a)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    const char *path = odp_path_join(a, dir, "packages/index.json");
    json_t *root = path != NULL && odp_file_read(path, INDEX_MAX, &text, NULL) == ODP_OK ? json_loadb(text.ptr, text.len, 0, NULL) : NULL;
    json_t *list = json_incref(json_object_get(root, "packages"));
    json_decref(root);
    odp_buffer_release(&text);
    return list;
}

/* The file at PATH of the build in DIR, staged. DONE: it is not there, or not with these DIGITS. */
static enum odp_status take_file(const struct odp_client_job *job, const char *dir, const char *path, const char *type, const char *digits,
                                 struct odp_arena *a)
{
    struct odp_site_file f = {.path = path, .media_type = type, .cls = ODP_CLASS_PUBLIC};
    const char *from = odp_path_join(a, dir, path);
    if (path == NULL || from == NULL)
        return ODP_FAIL;
    if (!odp_site_path_ok(path) || !odp_site_path_is_package(path) || !odp_digest_parse(digits, f.sha256) || odp_file_kind_of(from) != ODP_FILE_REGULAR)
        return ODP_DONE;
    f.size = odp_file_size_of(from);
    enum odp_status status = odp_site_verify(from, &f);
    return status == ODP_OK ? odp_stage_link(job->stage, from, path, &f) : status == ODP_BAD ? ODP_DONE : status;
}

static bool is_own(const void *path, const struct odp_site_file *f)
{
    return strncmp(f->path, path, strlen(path)) == 0;
}

static enum odp_status take(const struct odp_client_job *job, const char *dir, enum odp_client_language l, const json_t *package, struct odp_arena *a)
{
    const char *file = client_index_text(package, "file"), *beside = odp_arena_printf(a, "%s.metadata", file);
    enum odp_status status = take_file(job, dir, file, client_package_type(l), client_index_text(package, "sha256"), a);
    if (status == ODP_OK && l == ODP_CLIENT_PYTHON)
        status = take_file(job, dir, beside, "application/octet-stream", client_index_text(package, "metadata"), a);
    if (status == ODP_DONE && odp_stage_drop_if(job->stage, is_own, file) != ODP_OK)
        return ODP_FAIL;
    return status;
}

enum odp_status client_index_recall(json_t **package, const struct odp_client_job *job, enum odp_client_language l, const char *name, const char *version)
{
    struct odp_arena a;
    const char **names;
    size_t n = 0;
    enum odp_status status = ODP_DONE;
    *package = NULL;
    odp_arena_init(&a);
    const char *builds = folder_of(job, &a);
    if (builds == NULL || odp_dir_list(builds, &a, &names, &n) != ODP_OK)
        n = 0;
    for (size_t i = 0; i < n && status == ODP_DONE; i++) {
        const char *dir = odp_builds_is_digest(names[i]) ? odp_path_join(&a, builds, names[i]) : NULL;
        json_t *list = dir != NULL ? list_of(dir, &a) : NULL;
        const json_t *found = client_index_find(list, l, name, version);
        if (found != NULL)
            status = take(job, dir, l, found, &a);
        if (found != NULL && status == ODP_OK && (*package = json_deep_copy(found)) == NULL)
            status = odp_failure_set("read", "packages/index.json", 0);
        json_decref(list);
    }
    odp_arena_release(&a);
    return status;
}
