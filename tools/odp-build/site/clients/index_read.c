/* What the previous site has of packages: read, believed only as far as its files are there, carried over. */
#include "site/clients/index_internal.h"

#include <errno.h>

#include "base/json_load.h"
#include "published/stage.h"

#define INDEX "packages/index.json"
enum { INDEX_MAX = 64 << 20 };

/* The next letter of a name as pip compares them, small; a run of - _ . is one '-'. NUL at the end. */
static char next_letter(const char **name)
{
    char c = **name;
    if (c == '\0')
        return c;
    if (strchr("-_.", c) != NULL) {
        *name += strspn(*name, "-_.");
        return '-';
    }
    *name += 1;
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* As the index of L compares names: pip's forms are one, the others are as written. Takes no memory: what it
 * says is always true. */
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
    for (size_t i = 0; i < json_array_size(packages); i++) {
        const json_t *p = json_array_get(packages, i);
        if (strcmp(client_index_text(p, "language"), client_languages[l].name) == 0 &&
            strcmp(client_index_text(p, "version"), version) == 0 &&
            same_name(l, client_index_text(p, "name"), name))
            return p;
    }
    return NULL;
}

/* ---- the previous list ---- */

static enum odp_status complain(const struct odp_client_job *job, const char *path, const char *expected)
{
    return odp_site_complain(job->diags, odp_site_shown(job->previous), path, expected);
}

static bool is_kept(const void *ctx, const struct odp_site_file *f)
{
    (void)ctx;
    return odp_site_path_is_package(f->path);
}

/* PATH of the previous site has the digest DIGITS. */
static enum odp_status check_bytes(const struct odp_client_job *job, const char *path, const char *digits)
{
    uint8_t sha256[ODP_SHA256_SIZE];
    const struct odp_site_file *f = odp_site_find(job->previous, path);
    bool right =
        f != NULL && odp_digest_parse(digits, sha256) && memcmp(f->sha256, sha256, sizeof sha256) == 0;
    return right ? ODP_OK : complain(job, path, digits);
}

/* What the indexes of npm and Composer are made of is there; a language of a newer program has other things.
 */
static bool has_manifest(const json_t *p)
{
    const char *language = client_index_text(p, "language");
    bool needed = strcmp(language, client_languages[ODP_CLIENT_JAVASCRIPT].name) == 0 ||
                  strcmp(language, client_languages[ODP_CLIENT_PHP].name) == 0;
    return !needed || json_is_object(json_object_get(p, "manifest"));
}

/* P's file is there with P's digest, and so are the metadata beside it. */
static enum odp_status check_package(const struct odp_client_job *job, const json_t *p, struct odp_arena *a)
{
    const char *path = client_index_text(p, "file"), *metadata = client_index_text(p, "metadata");
    if (!odp_site_path_is_package(path) || *client_index_text(p, "language") == '\0' ||
        !odp_site_path_ok(client_index_text(p, "name")) || *client_index_text(p, "version") == '\0')
        return complain(job, INDEX, "\"language\", \"name\", \"version\", \"file\", \"sha256\"");
    if (!has_manifest(p))
        return complain(job, INDEX, "\"manifest\": {…}");
    enum odp_status status = check_bytes(job, path, client_index_text(p, "sha256"));
    if (status == ODP_OK && *metadata != '\0') {
        const char *beside = odp_arena_printf(a, "%s.metadata", path);
        status = check_bytes(job, beside, metadata);
    }
    return status;
}

/* Whether LIST names the package at PATH, or the package whose metadata (PEP 658) lie there. */
static bool is_listed(const json_t *list, const char *path)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *file = client_index_text(json_array_get(list, i), "file");
        size_t len = strlen(file);
        if (strncmp(path, file, len) == 0 && (path[len] == '\0' || strcmp(path + len, ".metadata") == 0))
            return true;
    }
    return false;
}

/* Every package is listed, and everything that is listed is there. */
static enum odp_status check_list(const struct odp_client_job *job, const json_t *list)
{
    size_t n;
    const struct odp_site_file *files = odp_site_files(job->previous, &n);
    enum odp_status status = ODP_OK;
    struct odp_arena arena;
    odp_arena_init(&arena);
    for (size_t i = 0; i < json_array_size(list) && status != ODP_FAIL; i++) {
        enum odp_status one = check_package(job, json_array_get(list, i), &arena);
        status = one != ODP_OK ? one : status;
    }
    odp_arena_release(&arena);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        if (odp_site_path_is_package(files[i].path) && files[i].encoding == NULL &&
            !is_listed(list, files[i].path))
            status = complain(job, INDEX, files[i].path);
    return status;
}

/* The list of the previous site; an empty one where it has no packages. */
static enum odp_status read_list(const struct odp_client_job *job, json_t **list)
{
    const struct odp_site_file *f = odp_site_find(job->previous, INDEX);
    struct odp_buffer text;
    json_error_t error;
    if (f == NULL || f->size > INDEX_MAX) {
        *list = json_array();
        return *list == NULL ? odp_failure_set("read", INDEX, ENOMEM)
               : f != NULL   ? complain(job, INDEX, "≤ 64 MiB")
                             : ODP_OK;
    }
    odp_buffer_init(&text);
    enum odp_status status = odp_site_read(job->previous, f, &text, job->diags);
    json_t *root =
        status == ODP_OK ? odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error) : NULL;
    odp_buffer_release(&text);
    if (status == ODP_OK && root == NULL && json_error_code(&error) == json_error_out_of_memory)
        status = odp_failure_set("read JSON", INDEX, ENOMEM);
    *list = json_incref(json_object_get(root, "packages"));
    json_decref(root);
    if (status == ODP_OK && !json_is_array(*list))
        status = complain(job, INDEX, "{\"packages\": […]}");
    return status;
}

enum odp_status client_index_read(json_t **packages, const struct odp_client_job *job)
{
    *packages = NULL;
    if (job->previous == NULL) {
        *packages = json_array();
        return *packages != NULL ? ODP_OK : odp_failure_set("read", INDEX, ENOMEM);
    }
    enum odp_status status = read_list(job, packages);
    if (status == ODP_OK)
        status = check_list(job, *packages);
    return status == ODP_OK ? odp_stage_carry_if(job->stage, job->previous, is_kept, NULL, job->diags)
                            : status;
}
