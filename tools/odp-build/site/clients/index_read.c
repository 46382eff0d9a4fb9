/* Packages that were published before: those of the previous site, checked against its files and carried
 * over; and those of builds that were rolled back. Their names and numbers can never mean anything else. */
#include "site/clients/clients_internal.h"

#include <ctype.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/json_load.h"
#include "published/builds.h"

enum { INDEX_MAX = 64 << 20 };

/* The next letter of a name as pip compares them, in small letters; a run of - _ . is one '-'. NUL at the
 * end. */
static char next_letter(const char **name)
{
    size_t run = strspn(*name, "-_.");
    char c = run > 0 ? '-' : (char)tolower((unsigned char)**name);
    *name += run > 0 ? run : c != '\0';
    return c;
}

/* Compares names as L's index does: pip's forms are one, others must be equal. */
static bool same_name(enum odp_client_language l, const char *a, const char *b)
{
    if (l != ODP_CLIENT_PYTHON)
        return strcmp(a, b) == 0;
    char x, y;
    do {
        x = next_letter(&a);
        y = next_letter(&b);
    } while (x == y && x != '\0');
    return x == y;
}

const json_t *client_index_find(const json_t *packages, enum odp_client_language l, const char *name,
                                const char *version)
{
    const json_t *p;
    size_t i;
    json_array_foreach(packages, i,
                       p) if (strcmp(odp_text_of(p, "language"), client_languages[l].name) == 0 &&
                              strcmp(odp_text_of(p, "version"), version) == 0 &&
                              same_name(l, odp_text_of(p, "name"), name)) return p;
    return NULL;
}

/* ---- the previous list ---- */

static enum odp_status complain(const struct odp_site_job *job, const char *path, const char *expected)
{
    return odp_site_complain(job->diags, odp_site_shown(job->previous), path, expected);
}

static bool is_kept(const void *ctx, const struct odp_site_file *f)
{
    return odp_site_path_is_package(f->path);
}

/* Checks that PATH of the previous site has the digest DIGITS. */
static enum odp_status check_bytes(const struct odp_site_job *job, const char *path, const char *digits)
{
    uint8_t sha256[ODP_SHA256_SIZE];
    const struct odp_site_file *f = odp_site_find(job->previous, path);
    bool right =
        f != NULL && odp_digest_parse(digits, sha256) && memcmp(f->sha256, sha256, sizeof sha256) == 0;
    return right ? ODP_OK : complain(job, path, digits);
}

/* Checks that P's file and the metadata beside it are there with P's digests, and the manifest that npm and
 * Composer need; a newer program's language may have other things. */
static enum odp_status check_package(const struct odp_site_job *job, const json_t *p, struct odp_arena *a)
{
    const char *path = odp_text_of(p, "file"), *metadata = odp_text_of(p, "metadata"),
               *language = odp_text_of(p, "language");
    bool needed = strcmp(language, client_languages[ODP_CLIENT_JAVASCRIPT].name) == 0 ||
                  strcmp(language, client_languages[ODP_CLIENT_PHP].name) == 0;
    if (!odp_site_path_is_package(path) || *language == '\0' || !odp_site_path_ok(odp_text_of(p, "name")) ||
        *odp_text_of(p, "version") == '\0')
        return complain(job, CLIENT_INDEX, "\"language\", \"name\", \"version\", \"file\", \"sha256\"");
    if (needed && !json_is_object(json_object_get(p, "manifest")))
        return complain(job, CLIENT_INDEX, "\"manifest\": {…}");
    enum odp_status status = check_bytes(job, path, odp_text_of(p, "sha256"));
    if (status == ODP_OK && *metadata != '\0')
        status = check_bytes(job, odp_arena_printf(a, "%s.metadata", path), metadata);
    return status;
}

/* Whether LIST names the package at PATH, or the package whose metadata (PEP 658) are there. */
static bool is_listed(const json_t *list, const char *path)
{
    const json_t *p;
    size_t i;
    json_array_foreach(list, i, p)
    {
        const char *file = odp_text_of(p, "file");
        size_t len = strlen(file);
        if (strncmp(path, file, len) == 0 && (path[len] == '\0' || strcmp(path + len, ".metadata") == 0))
            return true;
    }
    return false;
}

/* Every package is listed, and every listed package is there. */
static enum odp_status check_list(const struct odp_site_job *job, const json_t *list)
{
    size_t n, i;
    const struct odp_site_file *files = odp_site_files(job->previous, &n);
    const json_t *p;
    enum odp_status status = ODP_OK;
    struct odp_arena arena = {0};
    json_array_foreach(list, i, p)
    {
        enum odp_status one = status != ODP_FAIL ? check_package(job, p, &arena) : ODP_FAIL;
        status = one != ODP_OK ? one : status;
    }
    odp_arena_release(&arena);
    for (i = 0; i < n && status == ODP_OK; i++)
        if (odp_site_path_is_package(files[i].path) && files[i].encoding == NULL &&
            !is_listed(list, files[i].path))
            status = complain(job, CLIENT_INDEX, files[i].path);
    return status;
}

/* The list of the previous site; empty if it has no packages. */
static enum odp_status read_list(const struct odp_site_job *job, json_t **list)
{
    const struct odp_site_file *f = odp_site_find(job->previous, CLIENT_INDEX);
    struct odp_buffer text = {0};
    if (f == NULL || f->size > INDEX_MAX) {
        *list = json_array();
        return f != NULL ? complain(job, CLIENT_INDEX, "≤ 64 MiB") : ODP_OK;
    }
    enum odp_status status = odp_site_read(job->previous, f, &text, job->diags);
    json_t *root = status == ODP_OK ? odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    odp_buffer_release(&text);
    *list = json_incref(json_object_get(root, "packages"));
    json_decref(root);
    if (status == ODP_OK && !json_is_array(*list))
        status = complain(job, CLIENT_INDEX, "{\"packages\": […]}");
    return status;
}

enum odp_status client_index_read(json_t **packages, const struct odp_site_job *job)
{
    *packages = NULL;
    if (job->previous == NULL) {
        *packages = json_array();
        return ODP_OK;
    }
    enum odp_status status = read_list(job, packages);
    if (status == ODP_OK)
        status = check_list(job, *packages);
    return status == ODP_OK ? odp_stage_carry_if(job->stage, job->previous, NULL, is_kept, NULL, job->diags)
                            : status;
}

/* ---- builds that were rolled back ---- */

/* The folder of builds that the previous site is one of, in *BUILDS: only they are its history. DONE: it is
 * somewhere else. */
static enum odp_status folder_of(const char **builds, const struct odp_site_job *job, struct odp_arena *a)
{
    const char *dir = job->previous != NULL ? odp_site_dir(job->previous) : NULL,
               *slash = dir != NULL ? strrchr(dir, '/') : NULL;
    struct stat ours, theirs;
    if (slash == NULL)
        return ODP_DONE;
    *builds = odp_arena_printf(a, "%.*s", (int)(slash - dir), dir);
    bool same = stat(*builds, &theirs) == 0 && stat(odp_stage_builds(job->stage), &ours) == 0 &&
                ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
    return same ? ODP_OK : ODP_DONE;
}

/* The list of the build in DIR, a new reference. DONE: there is none that can be read. */
static enum odp_status list_of(const char *dir, json_t **list, struct odp_arena *a)
{
    struct odp_buffer text = {0};
    int errnum = 0;
    const char *path = odp_path_join(a, dir, CLIENT_INDEX);
    enum odp_status status = odp_file_read(path, INDEX_MAX, &text, &errnum);
    if (status == ODP_BAD && errnum != ENOENT &&
        errnum != ENOTDIR) /* it may be there, so nothing else must get its names */
        status = odp_failure_set("read", path, errnum);
    json_t *root = status == ODP_OK ? odp_json_load(text.ptr, text.len, 0, NULL) : NULL;
    *list = json_incref(json_object_get(root, "packages"));
    json_decref(root);
    odp_buffer_release(&text);
    if (status == ODP_FAIL)
        return ODP_FAIL;
    return *list != NULL ? ODP_OK : ODP_DONE;
}

/* Stages the file at PATH of the build in DIR. DONE: it is missing, or has not these DIGITS. */
static enum odp_status take_file(const struct odp_site_job *job, const char *dir, const char *path,
                                 const char *type, const char *digits, struct odp_arena *a)
{
    struct odp_site_file f = {.path = path, .media_type = type, .cls = ODP_CLASS_PUBLIC};
    struct odp_file_info info;
    const char *from = odp_path_join(a, dir, path);
    if (!odp_site_path_ok(path) || !odp_site_path_is_package(path) || !odp_digest_parse(digits, f.sha256) ||
        odp_file_kind_of(from) != ODP_FILE_REGULAR)
        return ODP_DONE;
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

static enum odp_status take(const struct odp_site_job *job, const char *dir, enum odp_client_language l,
                            const json_t *package, struct odp_arena *a)
{
    const char *file = odp_text_of(package, "file");
    enum odp_status status =
        take_file(job, dir, file, client_languages[l].type, odp_text_of(package, "sha256"), a);
    if (status == ODP_OK && l == ODP_CLIENT_PYTHON)
        status = take_file(job, dir, odp_arena_printf(a, "%s.metadata", file), "application/octet-stream",
                           odp_text_of(package, "metadata"), a);
    if (status == ODP_DONE && odp_stage_drop_if(job->stage, NULL, is_own, file) != ODP_OK)
        return ODP_FAIL;
    return status;
}

enum odp_status client_index_recall(json_t **package, const struct odp_site_job *job,
                                    enum odp_client_language l, const char *name, const char *version)
{
    struct odp_arena a = {0};
    const char **names, *builds = NULL;
    size_t n = 0;
    *package = NULL;
    enum odp_status status = folder_of(&builds, job, &a), listed = ODP_OK;
    if (status == ODP_OK)
        listed = odp_dir_list(builds, &a, &names, &n);
    status = listed == ODP_FAIL ? ODP_FAIL : ODP_DONE;
    for (size_t i = 0; i < n && listed == ODP_OK && status == ODP_DONE; i++) {
        const char *dir = odp_path_join(&a, builds, names[i]);
        json_t *list = NULL;
        if (!odp_builds_is_digest(names[i]))
            continue;
        status = list_of(dir, &list, &a);
        const json_t *found = status == ODP_OK ? client_index_find(list, l, name, version) : NULL;
        if (status == ODP_OK)
            status = found != NULL ? take(job, dir, l, found, &a) : ODP_DONE;
        if (status == ODP_OK)
            *package = json_deep_copy(found);
        json_decref(list);
    }
    odp_arena_release(&a);
    return status;
}
