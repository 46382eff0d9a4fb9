/* Packages of builds that were rolled back. They were public: under their names and numbers nothing else may
 * ever be. */
#include "site/clients/index_internal.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/json_load.h"
#include "published/builds.h"
#include "published/stage.h"
#include "site/versions/release.h"

enum { INDEX_MAX = 64 << 20 };

/* The builds beside the one that the previous site is, in *BUILDS: only they are its history. DONE: it lies
 * elsewhere. */
static enum odp_status folder_of(const char **builds, const struct odp_client_job *job, struct odp_arena *a)
{
    const char *dir = job->previous != NULL ? odp_site_dir(job->previous) : NULL,
               *slash = dir != NULL ? strrchr(dir, '/') : NULL;
    struct stat ours, theirs;
    if (slash == NULL)
        return ODP_DONE;
    *builds = odp_arena_printf(a, "%.*s", (int)(slash - dir), dir);
    if (*builds == NULL)
        return ODP_FAIL;
    bool same = stat(*builds, &theirs) == 0 && stat(odp_stage_builds(job->stage), &ours) == 0 &&
                ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
    return same ? ODP_OK : ODP_DONE;
}

/* The list of the build in DIR, a new reference. DONE: it has none that can be read. */
static enum odp_status list_of(const char *dir, json_t **list, struct odp_arena *a)
{
    struct odp_buffer text;
    json_error_t error;
    int errnum = 0;
    *list = NULL;
    odp_buffer_init(&text);
    const char *path = odp_path_join(a, dir, "packages/index.json");
    enum odp_status status = odp_file_read(path, INDEX_MAX, &text, &errnum);
    if (status == ODP_BAD && errnum != ENOENT &&
        errnum != ENOTDIR) /* it may be there: nothing else must get its names */
        status = odp_failure_set("read", path, errnum);
    json_t *root = status == ODP_OK ? odp_json_load(text.ptr, text.len, 0, &error) : NULL;
    if (status == ODP_OK && root == NULL && json_error_code(&error) == json_error_out_of_memory)
        status = odp_failure_set("read JSON", path, ENOMEM);
    *list = json_incref(json_object_get(root, "packages"));
    json_decref(root);
    odp_buffer_release(&text);
    return status == ODP_FAIL ? ODP_FAIL : *list != NULL ? ODP_OK : ODP_DONE;
}

/* The file at PATH of the build in DIR, staged. DONE: it is not there, or not with these DIGITS. */
static enum odp_status take_file(const struct odp_client_job *job, const char *dir, const char *path,
                                 const char *type, const char *digits, struct odp_arena *a)
{
    struct odp_site_file f = {.path = path, .media_type = type, .cls = ODP_CLASS_PUBLIC};
    const char *from = odp_path_join(a, dir, path);
    if (path == NULL)
        return ODP_FAIL;
    if (!odp_site_path_ok(path) || !odp_site_path_is_package(path) || !odp_digest_parse(digits, f.sha256) ||
        odp_file_kind_of(from) != ODP_FILE_REGULAR)
        return ODP_DONE;
    struct odp_file_info info;
    enum odp_status status = odp_file_digest(from, &info);
    if (status != ODP_OK)
        return status == ODP_BAD ? odp_failure_set("read", from, 0) : status;
    f.size = info.size;
    return memcmp(info.sha256, f.sha256, sizeof f.sha256) == 0 ? odp_stage_link(job->stage, from, path, &f)
                                                               : ODP_DONE;
}

static bool is_own(const void *path, const struct odp_site_file *f)
{
    return strncmp(f->path, path, strlen(path)) == 0;
}

static enum odp_status take(const struct odp_client_job *job, const char *dir, enum odp_client_language l,
                            const json_t *package, struct odp_arena *a)
{
    const char *file = client_index_text(package, "file"), *beside = odp_arena_printf(a, "%s.metadata", file);
    enum odp_status status =
        take_file(job, dir, file, client_package_type(l), client_index_text(package, "sha256"), a);
    if (status == ODP_OK && l == ODP_CLIENT_PYTHON)
        status = take_file(job, dir, beside, "application/octet-stream",
                           client_index_text(package, "metadata"), a);
    if (status == ODP_DONE && odp_stage_drop_if(job->stage, is_own, file) != ODP_OK)
        return ODP_FAIL;
    return status;
}

static enum odp_status recall_from(json_t **package, const struct odp_client_job *job, const char *dir,
                                   enum odp_client_language l, const char *name, const char *version,
                                   struct odp_arena *a)
{
    json_t *list = NULL;
    enum odp_status status = dir != NULL ? list_of(dir, &list, a) : ODP_FAIL;
    const json_t *found = status == ODP_OK ? client_index_find(list, l, name, version) : NULL;
    if (status == ODP_OK)
        status = found != NULL ? take(job, dir, l, found, a) : ODP_DONE;
    if (status == ODP_OK && (*package = json_deep_copy(found)) == NULL)
        status = odp_failure_set("read", "packages/index.json", ENOMEM);
    json_decref(list);
    return status;
}

enum odp_status client_index_recall(json_t **package, const struct odp_client_job *job,
                                    enum odp_client_language l, const char *name, const char *version)
{
    struct odp_arena a;
    const char **names, *builds = NULL;
    size_t n = 0;
    enum odp_status status = ODP_DONE;
    *package = NULL;
    odp_arena_init(&a);
    enum odp_status listed = folder_of(&builds, job, &a);
    if (listed == ODP_OK)
        listed = odp_dir_list(builds, &a, &names, &n);
    for (size_t i = 0; i < n && listed == ODP_OK && status == ODP_DONE; i++)
        if (odp_builds_is_digest(names[i]))
            status = recall_from(package, job, odp_path_join(&a, builds, names[i]), l, name, version, &a);
    odp_arena_release(&a);
    return listed == ODP_FAIL ? ODP_FAIL : status;
}
