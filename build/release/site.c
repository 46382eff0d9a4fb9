/* A published site, known by its manifest: nothing is believed that the manifest does not vouch for. */
#include "doc.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { MANIFEST_MAX = 1 << 30 };

struct odp_site {
    struct odp_arena arena;
    char *dir;                   /* real path; malloc */
    const char *shown;           /* as the user gave it */
    struct odp_site_file *files; /* sorted by path */
    size_t n;
    json_t *manifest; /* holds the strings of files */
    json_t *index;
};

void odp_site_close(struct odp_site *s)
{
    if (s == NULL)
        return;
    json_decref(s->manifest);
    json_decref(s->index);
    odp_arena_release(&s->arena);
    free(s->dir);
    free(s);
}

const struct odp_site_file *odp_site_files(const struct odp_site *s, size_t *n)
{
    *n = s->n;
    return s->files;
}

const char *odp_site_dir(const struct odp_site *s)
{
    return s->dir;
}

const char *odp_site_shown(const struct odp_site *s)
{
    return s->shown;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct odp_site_file *)a)->path, ((const struct odp_site_file *)b)->path);
}

const struct odp_site_file *odp_site_find(const struct odp_site *s, const char *path)
{
    const struct odp_site_file key = {.path = path};
    return s->n > 0 ? bsearch(&key, s->files, s->n, sizeof key, by_path) : NULL;
}

static bool read_hex(const char *hex, uint8_t out[ODP_SHA256_SIZE])
{
    if (hex == NULL || strlen(hex) != ODP_SHA256_HEX - 1)
        return false;
    for (size_t i = 0; hex[i] != '\0'; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *d = strchr(digits, hex[i]);
        if (d == NULL)
            return false;
        out[i / 2] = (uint8_t)(i % 2 == 0 ? (d - digits) << 4 : out[i / 2] | (d - digits));
    }
    return true;
}

static bool read_class(const char *name, enum odp_class *cls)
{
    for (*cls = ODP_CLASS_PUBLIC; name != NULL && *cls <= ODP_CLASS_INTERNAL; (*cls)++)
        if (strcmp(name, odp_class_name(*cls)) == 0)
            return true;
    return false;
}

static bool read_file_entry(const json_t *entry, struct odp_site_file *f)
{
    const json_t *size = json_object_get(entry, "size"), *encoding = json_object_get(entry, "encoding");
    f->path = json_string_value(json_object_get(entry, "path"));
    f->media_type = json_string_value(json_object_get(entry, "type"));
    f->encoding = json_string_value(encoding);
    f->size = json_integer_value(size) >= 0 ? (uint64_t)json_integer_value(size) : 0;
    return odp_site_path_ok(f->path) && f->media_type != NULL && (encoding == NULL || f->encoding != NULL) &&
           json_is_integer(size) && json_integer_value(size) >= 0 &&
           read_hex(json_string_value(json_object_get(entry, "sha256")), f->sha256) &&
           read_class(json_string_value(json_object_get(entry, "class")), &f->cls);
}

/* OK, BAD: not a manifest, FAIL. */
static enum odp_status read_manifest(struct odp_site *s, struct odp_slice text)
{
    s->manifest = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *files = json_object_get(s->manifest, "files");
    if (!json_is_array(files))
        return ODP_BAD;
    s->files = odp_arena_zero(&s->arena, json_array_size(files) + 1, sizeof *s->files);
    if (s->files == NULL)
        return ODP_FAIL;
    for (s->n = 0; s->n < json_array_size(files); s->n++) {
        struct odp_site_file *f = &s->files[s->n];
        if (!read_file_entry(json_array_get(files, s->n), f) || (s->n > 0 && strcmp(f[-1].path, f->path) >= 0))
            return ODP_BAD;
    }
    return ODP_OK;
}

/* A build's folder is named by its manifest; a site that was copied elsewhere has another name and is believed. */
static bool name_fits(const struct odp_site *s, struct odp_slice manifest)
{
    uint8_t named[ODP_SHA256_SIZE], found[ODP_SHA256_SIZE];
    const char *name = strrchr(s->dir, '/') + 1;
    if (!read_hex(name, named))
        return true;
    return odp_digest_of(manifest.ptr, manifest.len, found) == ODP_OK && memcmp(named, found, sizeof named) == 0;
}

enum odp_status odp_site_read(const struct odp_site *s, const struct odp_site_file *f, struct odp_buffer *out,
                              struct odp_diags *diags)
{
    char expected[8 + ODP_SHA256_HEX] = "sha256:";
    uint8_t found[ODP_SHA256_SIZE];
    struct odp_arena arena;
    odp_arena_init(&arena);
    const char *path = odp_path_join(&arena, s->dir, f->path);
    enum odp_status status = path != NULL ? odp_file_read(path, (size_t)f->size, out, NULL) : ODP_FAIL;
    odp_arena_release(&arena);
    if (status == ODP_OK && odp_digest_of(out->ptr, out->len, found) != ODP_OK)
        status = ODP_FAIL;
    if (status == ODP_FAIL || (status == ODP_OK && memcmp(found, f->sha256, sizeof found) == 0))
        return status;
    odp_digest_hex(f->sha256, expected + 7);
    return odp_site_complain(diags, s->shown, f->path, expected);
}

static enum odp_status read_index(struct odp_site *s, struct odp_diags *diags)
{
    const struct odp_site_file *f = odp_site_find(s, "v1/index.json");
    struct odp_buffer text;
    if (f == NULL)
        return odp_site_complain(diags, s->shown, "v1/index.json", "manifest.json");
    odp_buffer_init(&text);
    enum odp_status status = odp_site_read(s, f, &text, diags);
    if (status == ODP_OK) {
        s->index = json_loadb(text.ptr, text.len, 0, NULL);
        if (!json_is_array(json_object_get(s->index, "data")))
            status = odp_site_complain(diags, s->shown, "v1/index.json", "{\"data\":[]}");
    }
    odp_buffer_release(&text);
    return status;
}

static enum odp_status site_read(struct odp_site *s, struct odp_diags *diags)
{
    struct odp_buffer text;
    int errnum = 0;
    odp_buffer_init(&text);
    const char *path = odp_path_join(&s->arena, s->dir, "manifest.json");
    enum odp_status status = path != NULL ? odp_file_read(path, MANIFEST_MAX, &text, &errnum) : ODP_FAIL;
    if (status == ODP_BAD && errnum == ENOENT) {
        status = ODP_DONE;
    } else if (status != ODP_FAIL) {
        if (status == ODP_OK)
            status = name_fits(s, odp_buffer_slice(&text)) ? read_manifest(s, odp_buffer_slice(&text)) : ODP_BAD;
        if (status == ODP_BAD)
            status = odp_site_complain(diags, s->shown, "manifest.json", "");
        if (status == ODP_OK)
            status = read_index(s, diags);
    }
    odp_buffer_release(&text);
    return status;
}

enum odp_status odp_site_open(struct odp_site **out, const char *dir, struct odp_diags *diags)
{
    *out = NULL;
    struct odp_site *s = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("open site", dir, ENOMEM);
    odp_arena_init(&s->arena);
    s->dir = realpath(dir, NULL);
    enum odp_status status;
    if ((s->shown = odp_arena_str(&s->arena, dir)) == NULL)
        status = ODP_FAIL;
    else if (s->dir != NULL)
        status = site_read(s, diags);
    else if (errno == ENOENT || errno == ENOTDIR)
        status = ODP_DONE;
    else
        status = odp_failure_set("open site", dir, errno);
    if (status == ODP_OK)
        *out = s;
    else
        odp_site_close(s);
    return status;
}

const json_t *odp_site_entry(const struct odp_site *s, const char *slug)
{
    const json_t *data = json_object_get(s->index, "data");
    for (size_t i = 0; i < json_array_size(data); i++) {
        const json_t *entry = json_array_get(data, i);
        const char *name = json_string_value(json_object_get(entry, "slug"));
        if (name != NULL && strcmp(name, slug) == 0)
            return entry;
    }
    return NULL;
}
