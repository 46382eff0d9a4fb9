/* A published site, known by its manifest: it believes nothing that the manifest does not vouch for. */
#include "published/doc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_load.h"
#include "base/nearest.h"
#include "base/remote/remote.h"
#include "base/temporary.h"
#include "published/seals.h"

enum { MANIFEST_MAX = 1 << 30 };

struct odp_site {
    struct odp_arena arena;
    char *dir;                       /* real path; malloc; NULL: the site is elsewhere */
    int fd;                          /* of dir; -1: it is elsewhere, or no folder */
    const char *shown;               /* as the user gave it, secrets masked */
    uint8_t digest[ODP_SHA256_SIZE]; /* of manifest.json */
    const char *origin;              /* address of bytes that are not here; NULL: all are here */
    struct odp_remote *remote;       /* of origin; opened on demand */
    enum { ASKS_NOT, IS_WHOLE, IS_PUBLIC } extent; /* which files origin gives us */
    char *scratch;                                 /* folder of fetched files; NULL: none yet */
    struct odp_site_file *files;                   /* sorted by path */
    size_t n;
    struct odp_seals seals;
    json_t *manifest; /* holds the strings of files; NULL: the arena does, as the seals had them */
    json_t *index;
    json_t *by_slug; /* its entries */
};

void odp_site_close(struct odp_site *s)
{
    if (s == NULL)
        return;
    json_decref(s->manifest);
    json_decref(s->by_slug);
    json_decref(s->index);
    odp_remote_close(s->remote);
    if (s->scratch != NULL && odp_dir_remove(s->scratch) != ODP_OK) {
        /* recorded as a failure; it is a temporary folder */
    }
    if (s->fd >= 0)
        (void)close(s->fd);
    odp_mapped_close(&s->seals.file);
    odp_arena_release(&s->arena);
    free(s->dir);
    free(s);
}

const struct odp_site_file *odp_site_files(const struct odp_site *s, size_t *n)
{
    *n = s->n;
    return s->files;
}

int odp_site_folder(const struct odp_site *s)
{
    return s->fd;
}

const struct odp_seals *odp_site_seals(const struct odp_site *s)
{
    return &s->seals;
}

const char *odp_site_dir(const struct odp_site *s)
{
    return s->dir;
}

const char *odp_site_shown(const struct odp_site *s)
{
    return s->shown;
}

const uint8_t *odp_site_digest(const struct odp_site *s)
{
    return s->digest;
}

const char *odp_site_origin(const struct odp_site *s)
{
    return s->origin;
}

const struct odp_site_file *odp_site_find(const struct odp_site *s, const char *path)
{
    return odp_site_files_find(s->files, s->n, path);
}

/* A build's folder is named by its manifest; a copy under another name is accepted. */
static bool name_fits(const struct odp_site *s)
{
    uint8_t named[ODP_SHA256_SIZE];
    const char *name = s->dir != NULL ? strrchr(s->dir, '/') + 1 : NULL;
    return !odp_digest_parse(name, named) || memcmp(named, s->digest, sizeof named) == 0;
}

enum odp_status odp_site_intact(const struct odp_site *site, const struct odp_site_file *f,
                                const char *disk_path)
{
    size_t i = (size_t)(f - site->files);
    if (i < site->seals.n && odp_seal_holds(&site->seals.seals[i], AT_FDCWD, disk_path))
        return ODP_OK;
    return odp_site_verify(disk_path, f);
}

enum odp_status odp_site_check(const struct odp_site *s, bool *yes)
{
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < s->n && status == ODP_OK; i++) {
        const struct odp_site_file *f = &s->files[i];
        if (i >= s->seals.n || !odp_seal_holds(&s->seals.seals[i], s->fd, f->path))
            status = odp_site_verify(odp_path_join(&arena, s->dir, f->path), f);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    *yes = status == ODP_OK;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- bytes that are elsewhere ---- */

bool odp_site_has(const struct odp_site *s, const struct odp_site_file *f)
{
    char path[4096];
    if (s->origin == NULL)
        return true;
    int n = s->dir != NULL ? snprintf(path, sizeof path, "%s/%s", s->dir, f->path) : -1;
    return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

/* Reports that the address cannot be reached, with its answer. */
static enum odp_status complain_remote(const struct odp_site *s, const char *path, struct odp_diags *diags)
{
    struct odp_diag d = {
        .code = ODP_V13,
        .file = s->shown,
        .args = {odp_slice_of(path), odp_slice_of(s->remote != NULL ? odp_remote_fault(s->remote) : "")}};
    return odp_diags_add(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

static enum odp_status reach(struct odp_site *s, struct odp_diags *diags)
{
    if (s->remote != NULL)
        return ODP_OK;
    enum odp_status status = odp_remote_open(&s->remote, s->origin);
    return status == ODP_BAD ? complain_remote(s, "", diags) : status;
}

static enum odp_status make_scratch(struct odp_site *s)
{
    char *dir = odp_arena_printf(&s->arena, "%s/.scratch-fetch-XXXXXX", odp_temporary_place());
    if (s->scratch != NULL)
        return ODP_OK;
    s->scratch = mkdtemp(dir);
    return s->scratch != NULL ? ODP_OK : odp_failure_set("create", dir, errno);
}

bool odp_site_is_public_only(const struct odp_site *site)
{
    struct odp_site *s = (struct odp_site *)(uintptr_t)site; /* the answer is a cache */
    for (size_t i = 0; i < s->n && s->origin != NULL && s->extent == ASKS_NOT; i++) {
        const struct odp_site_file *f = &s->files[i];
        struct odp_buffer probe = {0};
        if (f->cls != ODP_CLASS_KEYED || odp_site_has(s, f))
            continue;
        bool got = (s->remote != NULL || odp_remote_open(&s->remote, s->origin) == ODP_OK) &&
                   odp_remote_read(s->remote, f->path, (size_t)f->size, &probe) == ODP_OK;
        s->extent = got ? IS_WHOLE : IS_PUBLIC;
        odp_buffer_release(&probe);
    }
    return s->extent == IS_PUBLIC;
}

enum odp_status odp_site_local(const struct odp_site *site, const struct odp_site_file *f,
                               struct odp_arena *a, const char **path, struct odp_diags *diags)
{
    struct odp_site *s = (struct odp_site *)(uintptr_t)site; /* fetched files are a cache */
    if (odp_site_has(s, f)) {
        *path = odp_path_join(a, s->dir, f->path);
        return ODP_OK;
    }
    struct odp_remote_file want = {.path = f->path, .size = f->size, .sha256 = f->sha256};
    enum odp_status status = reach(s, diags);
    if (status == ODP_OK)
        status = make_scratch(s);
    if (status != ODP_OK)
        return status;
    *path = odp_path_join(a, s->scratch, f->path);
    if (odp_file_kind_of(*path) == ODP_FILE_REGULAR)
        return ODP_OK;
    status = odp_remote_fetch(s->remote, &want, 1, s->scratch, NULL);
    return status == ODP_BAD ? complain_remote(s, f->path, diags) : status;
}

enum odp_status odp_site_prefetch(const struct odp_site *site,
                                  bool (*want)(const void *ctx, const struct odp_site_file *f),
                                  const void *ctx, struct odp_diags *diags)
{
    struct odp_site *s = (struct odp_site *)(uintptr_t)site; /* as in odp_site_local */
    struct odp_arena arena = {0};
    size_t n = 0;
    if (s->origin == NULL)
        return ODP_OK;
    struct odp_remote_file *files = odp_arena_zero(&arena, s->n + 1, sizeof *files);
    for (size_t i = 0; i < s->n; i++)
        if (want(ctx, &s->files[i]) && !odp_site_has(s, &s->files[i]))
            files[n++] = (struct odp_remote_file){
                .path = s->files[i].path, .size = s->files[i].size, .sha256 = s->files[i].sha256};
    enum odp_status status = ODP_OK;
    if (n > 0)
        status = reach(s, diags);
    if (status == ODP_OK && n > 0)
        status = make_scratch(s);
    if (status == ODP_OK && n > 0 &&
        (status = odp_remote_fetch(s->remote, files, n, s->scratch, NULL)) == ODP_BAD)
        status = complain_remote(s, files[0].path, diags);
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_site_read(const struct odp_site *s, const struct odp_site_file *f, struct odp_buffer *out,
                              struct odp_diags *diags)
{
    uint8_t found[ODP_SHA256_SIZE];
    struct odp_arena arena = {0};
    const char *path = NULL;
    enum odp_status status = odp_site_local(s, f, &arena, &path, diags);
    bool said = status == ODP_BAD;
    if (status == ODP_OK)
        status = odp_file_read(path, (size_t)f->size, out, NULL);
    odp_arena_release(&arena);
    if (status == ODP_OK && odp_digest_of(out->ptr, out->len, found) != ODP_OK)
        status = ODP_FAIL;
    if (said || status == ODP_FAIL || (status == ODP_OK && memcmp(found, f->sha256, sizeof found) == 0))
        return status;
    return odp_site_file_damaged(diags, s->shown, f);
}

/* The first entry of each slug. */
static enum odp_status sort_entries(struct odp_site *s)
{
    const json_t *data = json_object_get(s->index, "data");
    json_t *entry;
    size_t i;
    s->by_slug = json_object();
    json_array_foreach(data, i, entry)
    {
        const char *slug = odp_text_of(entry, "slug");
        if (json_object_get(s->by_slug, slug) == NULL && json_object_set(s->by_slug, slug, entry) != 0)
            return odp_failure_set("read", s->shown, ENOMEM);
    }
    return ODP_OK;
}

static enum odp_status read_index(struct odp_site *s, struct odp_diags *diags)
{
    const struct odp_site_file *f = odp_site_find(s, "v1/index.json");
    struct odp_buffer text = {0};
    if (f == NULL)
        return odp_site_complain(diags, s->shown, "v1/index.json", "manifest.json");
    enum odp_status status = odp_site_read(s, f, &text, diags);
    if (status == ODP_OK) {
        s->index = odp_json_load(text.ptr, text.len, 0, NULL);
        if (!json_is_array(json_object_get(s->index, "data")))
            status = odp_site_complain(diags, s->shown, "v1/index.json", "{\"data\":[]}");
        else
            status = sort_entries(s);
    }
    odp_buffer_release(&text);
    if (status == ODP_OK && json_is_true(json_object_get(json_object_get(s->index, "meta"), "preview"))) {
        struct odp_diag d = {.code = ODP_V53, .file = s->shown, .args = {odp_slice_of(s->shown)}};
        status = odp_diags_add(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
    }
    return status;
}

/* manifest.json, wherever it is. DONE: there is none. */
static enum odp_status get_manifest(struct odp_site *s, struct odp_buffer *text, struct odp_diags *diags)
{
    int errnum = 0;
    if (s->dir == NULL) {
        enum odp_status status = reach(s, diags);
        if (status == ODP_OK &&
            (status = odp_remote_read(s->remote, "manifest.json", MANIFEST_MAX, text)) == ODP_BAD)
            return complain_remote(s, "manifest.json", diags);
        return status;
    }
    const char *path = odp_path_join(&s->arena, s->dir, "manifest.json");
    enum odp_status status = odp_file_read(path, MANIFEST_MAX, text, &errnum);
    if (status == ODP_BAD)
        return errnum == ENOENT ? ODP_DONE : odp_site_complain(diags, s->shown, "manifest.json", "");
    return status;
}

/* The files, from the seals; none where these are not of the manifest that is here. */
static enum odp_status read_sealed(struct odp_site *s)
{
    enum odp_status status =
        odp_seals_read(&s->seals, odp_arena_printf(&s->arena, "%s.seals", s->dir), &s->arena);
    if (!odp_seal_holds(&s->seals.manifest, s->fd, "manifest.json")) {
        odp_mapped_close(&s->seals.file);
        s->seals = (struct odp_seals){0};
    }
    memcpy(s->digest, s->seals.digest, sizeof s->digest);
    s->files = s->seals.files;
    s->n = s->seals.n;
    return status;
}

static enum odp_status read_manifest(struct odp_site *s, struct odp_diags *diags)
{
    struct odp_buffer text = {0};
    enum odp_status status = get_manifest(s, &text, diags);
    if (status == ODP_OK)
        status = odp_digest_of(text.ptr, text.len, s->digest);
    if (status == ODP_OK) {
        s->manifest = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
        status = odp_site_files_read(s->manifest, &s->files, &s->n, &s->arena);
        if (status == ODP_BAD)
            status = odp_site_complain(diags, s->shown, "manifest.json", "");
    }
    odp_buffer_release(&text);
    return status;
}

static enum odp_status site_read(struct odp_site *s, struct odp_diags *diags)
{
    enum odp_status status = s->dir != NULL ? read_sealed(s) : ODP_BAD;
    if (status != ODP_FAIL && s->files == NULL)
        status = read_manifest(s, diags);
    if (status == ODP_OK && !name_fits(s))
        status = odp_site_complain(diags, s->shown, "manifest.json", "");
    return status == ODP_OK ? read_index(s, diags) : status;
}

/* <build>.remote, where the build is sparse. */
static enum odp_status read_origin(struct odp_site *s)
{
    struct odp_buffer text = {0};
    const char *path = odp_arena_printf(&s->arena, "%s.remote", s->dir);
    enum odp_status status = odp_file_read(path, 1 << 16, &text, NULL);
    if (status == ODP_OK) {
        size_t len = text.len > 0 && text.ptr[text.len - 1] == '\n' ? text.len - 1 : text.len;
        s->origin = odp_arena_copy(&s->arena, (struct odp_slice){text.ptr, len}).ptr;
    }
    odp_buffer_release(&text);
    return status == ODP_BAD ? ODP_OK : status;
}

static enum odp_status locate(struct odp_site *s, const char *address, struct odp_diags *diags)
{
    s->shown = odp_arena_str(&s->arena, address);
    if (odp_remote_kind_of(address) != ODP_REMOTE_FOLDER) {
        s->origin = s->shown;
        enum odp_status status = reach(s, diags);
        if (s->remote != NULL)
            s->shown = odp_arena_str(&s->arena, odp_remote_shown(s->remote));
        return status;
    }
    s->dir = realpath(address, NULL);
    if (s->dir == NULL)
        return errno == ENOENT || errno == ENOTDIR ? ODP_DONE : odp_failure_set("open site", address, errno);
    s->fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return read_origin(s);
}

enum odp_status odp_site_open(struct odp_site **out, const char *address, struct odp_diags *diags)
{
    *out = NULL;
    struct odp_site *s = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("open site", address, ENOMEM);
    s->fd = -1;
    enum odp_status status = locate(s, address, diags);
    if (status == ODP_OK)
        status = site_read(s, diags);
    if (status == ODP_OK)
        *out = s;
    else
        odp_site_close(s);
    return status;
}

enum odp_status odp_site_open_quietly(struct odp_site **out, const char *address)
{
    struct odp_diags *ignored = NULL;
    *out = NULL;
    enum odp_status status = odp_diags_new(&ignored, 0);
    if (status == ODP_OK)
        status = odp_site_open(out, address, ignored);
    odp_diags_free(ignored);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

const json_t *odp_site_index(const struct odp_site *s)
{
    return s->index;
}

const char *odp_site_nearest(const struct odp_site *s, const char *slug)
{
    const json_t *data = json_object_get(s->index, "data");
    const char *found = NULL;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < json_array_size(data); i++) {
        const char *name = odp_json_text(json_array_get(data, i), "slug");
        size_t far = name != NULL ? odp_meant_far(odp_slice_of(slug), odp_slice_of(name)) : SIZE_MAX;
        found = far < best ? name : found;
        best = far < best ? far : best;
    }
    return found;
}

const json_t *odp_site_entry(const struct odp_site *s, const char *slug)
{
    return json_object_get(s->by_slug, slug);
}
