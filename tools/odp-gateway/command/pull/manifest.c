#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/json_load.h"
#include "command/pull/manifest.h"
#include "published/stage.h"

enum { FILES_MAX = 4000000 };

void pull_manifest_init(struct pull_manifest *m)
{
    *m = (struct pull_manifest){0};
}

void pull_manifest_release(struct pull_manifest *m)
{
    odp_arena_release(&m->arena);
    odp_buffer_release(&m->text);
}

/* NAME NULL: a manifest of another program; the path decides. */
static enum odp_class class_of(const char *name, const char *path)
{
    if (name != NULL)
        for (enum odp_class c = ODP_CLASS_PUBLIC; c <= ODP_CLASS_INTERNAL; c++)
            if (strcmp(name, odp_class_name(c)) == 0)
                return c;
    bool internal = strcmp(path, "control") == 0 || strcmp(path, "gateway.json") == 0 ||
                    strncmp(path, "search/", 7) == 0 || strncmp(path, "service/", 8) == 0;
    return internal ? ODP_CLASS_INTERNAL : ODP_CLASS_PUBLIC;
}

static enum odp_status read_entry(struct pull_manifest *m, const json_t *entry, struct odp_site_file *f,
                                  uint64_t max_file, char why[200])
{
    const char *path = odp_json_text(entry, "path"), *type = odp_json_text(entry, "type"),
               *sha256 = odp_json_text(entry, "sha256");
    const json_t *size = json_object_get(entry, "size"), *encoding = json_object_get(entry, "encoding");
    if (!odp_site_path_ok(path) || strlen(path) > 1000 || strcmp(path, "manifest.json") == 0 ||
        !json_is_integer(size) || json_integer_value(size) < 0 || sha256 == NULL ||
        !odp_digest_parse(sha256, f->sha256)) {
        (void)snprintf(why, 200, "%.150s", path != NULL && *path != '\0' ? path : "files[].path");
        return ODP_BAD;
    }
    f->size = (uint64_t)json_integer_value(size);
    if (f->size > max_file) {
        (void)snprintf(why, 200, "%.140s: %llu > --max-file", path, (unsigned long long)f->size);
        return ODP_BAD;
    }
    f->cls = class_of(odp_json_text(entry, "class"), path);
    f->path = odp_arena_str(&m->arena, path);
    f->media_type = odp_arena_str(&m->arena, type != NULL ? type : "application/octet-stream");
    f->encoding = json_is_string(encoding) ? odp_arena_str(&m->arena, json_string_value(encoding)) : NULL;
    return ODP_OK;
}

static bool has(const struct pull_manifest *m, const char *path)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->files[i].path, path) == 0)
            return true;
    return false;
}

enum odp_status pull_manifest_parse(struct pull_manifest *m, uint64_t max_file, uint64_t max_site,
                                    char why[200])
{
    json_t *doc = odp_json_load(m->text.ptr, m->text.len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *files = json_object_get(doc, "files");
    enum odp_status status = ODP_OK;
    (void)snprintf(why, 200, "{\"files\":[…]}");
    if (!json_is_array(files) || json_array_size(files) > FILES_MAX)
        status = ODP_BAD;
    else
        status = odp_digest_of(m->text.ptr, m->text.len, m->sha256);
    m->files = odp_arena_zero(&m->arena, json_array_size(files) + 1, sizeof *m->files);
    for (m->n = 0; status == ODP_OK && m->n < json_array_size(files); m->n++) {
        struct odp_site_file *f = &m->files[m->n];
        status = read_entry(m, json_array_get(files, m->n), f, max_file, why);
        if (status == ODP_OK && m->n > 0 && strcmp(f[-1].path, f->path) >= 0) {
            (void)snprintf(why, 200, "%.150s", f->path);
            status = ODP_BAD;
        }
        m->bytes += status == ODP_OK ? f->size : 0;
        if (status == ODP_OK && m->bytes > max_site) {
            (void)snprintf(why, 200, "> --max-site");
            status = ODP_BAD;
        }
    }
    json_decref(doc);
    if (status == ODP_OK && (!has(m, "control") || !has(m, "gateway.json"))) {
        (void)snprintf(why, 200, "control, gateway.json");
        status = ODP_BAD;
    }
    return status;
}
