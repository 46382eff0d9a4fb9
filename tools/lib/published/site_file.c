#include "published/site_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_load.h"

const char *odp_class_name(enum odp_class cls)
{
    static const char *const names[] = {"public", "keyed", "internal"};
    return names[cls];
}

bool odp_site_path_ok(const char *path)
{
    if (path == NULL || *path == '\0' || *path == '/')
        return false;
    for (const char *seg = path; seg != NULL; seg = strchr(seg, '/') != NULL ? strchr(seg, '/') + 1 : NULL) {
        size_t len = strcspn(seg, "/");
        if (len == 0 || (len <= 2 && strncmp(seg, "..", len) == 0))
            return false;
    }
    for (const char *p = path; *p != '\0'; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f || *p == '\\')
            return false;
    return true;
}

bool odp_site_path_is_package(const char *path)
{
    return strncmp(path, "packages/", 9) == 0 && strchr(path + 9, '/') != NULL;
}

struct odp_slice odp_site_path_slug(const char *path)
{
    static const struct {
        const char *folder, *ends;
    } of[] = {{"data/", "/"}, {"search/", "/"}, {"v1/", "/."}};
    for (size_t i = 0; i < ODP_COUNT(of); i++) {
        const char *slug = path + strlen(of[i].folder);
        size_t len = strncmp(path, of[i].folder, strlen(of[i].folder)) == 0 ? strcspn(slug, of[i].ends) : 0;
        if (len > 0 && (slug[len] == '/' || strncmp(slug + len, ".json", 5) == 0))
            return (struct odp_slice){slug, len};
    }
    return (struct odp_slice){"", 0};
}

bool odp_site_path_is_of(const char *path, const char *slug)
{
    struct odp_slice found = odp_site_path_slug(path);
    return found.len > 0 && strncmp(found.ptr, slug, found.len) == 0 && slug[found.len] == '\0';
}

static bool read_class(const char *name, enum odp_class *cls)
{
    for (*cls = ODP_CLASS_PUBLIC; name != NULL && *cls <= ODP_CLASS_INTERNAL; (*cls)++)
        if (strcmp(name, odp_class_name(*cls)) == 0)
            return true;
    return false;
}

const char *odp_site_file_read(struct odp_site_file *f, const json_t *entry)
{
    const json_t *size = json_object_get(entry, "size"), *encoding = json_object_get(entry, "encoding");
    f->path = odp_json_text(entry, "path");
    f->media_type = odp_json_text(entry, "type");
    f->encoding = json_string_value(encoding);
    if (!odp_site_path_ok(f->path))
        return "path";
    if (!json_is_integer(size) || json_integer_value(size) < 0)
        return "size";
    f->size = (uint64_t)json_integer_value(size);
    if (!odp_digest_parse(odp_json_text(entry, "sha256"), f->sha256))
        return "sha256";
    if (!read_class(odp_json_text(entry, "class"), &f->cls))
        return "class";
    if (f->media_type == NULL)
        return "type";
    return encoding != NULL && f->encoding == NULL ? "encoding" : NULL;
}

enum odp_status odp_site_files_read(const json_t *manifest, struct odp_site_file **files, size_t *n,
                                    struct odp_arena *a)
{
    const json_t *list = json_object_get(manifest, "files");
    *n = 0;
    *files = odp_arena_zero(a, json_array_size(list) + 1, sizeof **files);
    if (!json_is_array(list))
        return ODP_BAD;
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct odp_site_file *f = &(*files)[i];
        if (odp_site_file_read(f, json_array_get(list, i)) != NULL ||
            (i > 0 && strcmp(f[-1].path, f->path) >= 0))
            return ODP_BAD;
        *n = i + 1;
    }
    return ODP_OK;
}

int odp_site_file_by_path(const void *a, const void *b)
{
    return strcmp(((const struct odp_site_file *)a)->path, ((const struct odp_site_file *)b)->path);
}

const struct odp_site_file *odp_site_files_find(const struct odp_site_file *files, size_t n, const char *path)
{
    const struct odp_site_file key = {.path = path};
    return n > 0 ? bsearch(&key, files, n, sizeof key, odp_site_file_by_path) : NULL;
}

size_t odp_site_files_from(const struct odp_site_file *files, size_t n, const char *path)
{
    size_t low = 0;
    for (size_t high = n; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(files[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Those that two neighbours share were told of with the first. */
static size_t shared(const char *path, const char *next)
{
    size_t from = 0;
    for (size_t i = 0; path[i] != '\0' && path[i] == next[i]; i++)
        from = path[i] == '/' ? i + 1 : from;
    return from;
}

bool odp_site_folder_next(struct odp_site_folders *at, const struct odp_site_file *files, size_t n,
                          struct odp_slice *folder)
{
    for (; at->i < n; at->i++) {
        const char *path = files[at->i].path, *slash = strchr(path + at->from, '/');
        if (slash != NULL) {
            *folder = (struct odp_slice){path, (size_t)(slash - path)};
            at->from = folder->len + 1;
            return true;
        }
        at->from = at->i + 1 < n ? shared(path, files[at->i + 1].path) : 0;
    }
    return false;
}

bool odp_site_file_same(const struct odp_site_file *a, const struct odp_site_file *b)
{
    return a->size == b->size && memcmp(a->sha256, b->sha256, sizeof a->sha256) == 0;
}

/* ---- what is carried over ---- */

enum odp_status odp_site_verify(const char *disk_path, const struct odp_site_file *file)
{
    struct odp_file_info info;
    if (odp_file_size_of(disk_path) != file->size)
        return ODP_BAD;
    enum odp_status status = odp_file_digest(disk_path, &info);
    return status == ODP_OK && memcmp(info.sha256, file->sha256, sizeof info.sha256) != 0 ? ODP_BAD : status;
}

enum odp_status odp_site_complain(struct odp_diags *diags, const char *dir, const char *path,
                                  const char *expected)
{
    struct odp_diag d = {.code = ODP_V03, .file = dir, .args = {odp_slice_of(path), odp_slice_of(expected)}};
    return odp_diags_add(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

enum odp_status odp_site_file_damaged(struct odp_diags *diags, const char *dir, const struct odp_site_file *f)
{
    char expected[ODP_DIGEST_TEXT];
    odp_digest_text(f->sha256, expected);
    return odp_site_complain(diags, dir, f->path, expected);
}
