/* A whole site is proved: manifest, files, twins, control, latest, versions, contents, log, signature, in
 * this order.
 *
 * A part reads only files that were proved before, so one flipped bit is one fault, with its path. The
 * manifest has its own reader here, not the builder's: what proves a site shall not believe what made it, and
 * says which line is wrong. */
#include "publish/verify/verify_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "published/stage.h"

enum { MANIFEST_MAX = 1 << 30 };

/* ---- where it is ---- */

/* What cannot be asked for is no fault of the site: it is the network's. */
static enum odp_status unreachable(const struct verify *v, const char *path)
{
    const char *text = odp_arena_printf(v->arena, "%s/%s: %s", v->shown, path,
                                        v->remote != NULL ? odp_remote_fault(v->remote) : "");
    return odp_failure_set("read", text, 0);
}

static enum odp_status open_remote(struct verify *v)
{
    v->dir = v->o->scratch;
    enum odp_status status = odp_remote_open(&v->remote, v->o->address);
    if (v->remote != NULL)
        v->shown = odp_remote_shown(v->remote);
    if (status == ODP_BAD)
        return unreachable(v, "");
    if (status == ODP_OK && v->o->scratch == NULL)
        status = odp_failure_set("verify", v->shown, EINVAL);
    if (status == ODP_OK)
        status = odp_remote_read(v->remote, "manifest.json", MANIFEST_MAX, &v->manifest);
    return status == ODP_BAD ? unreachable(v, "manifest.json") : status;
}

static enum odp_status open_folder(struct verify *v)
{
    char *real = realpath(v->o->address, NULL);
    if (real == NULL)
        return errno == ENOENT || errno == ENOTDIR ? ODP_DONE
                                                   : odp_failure_set("open site", v->o->address, errno);
    v->dir = odp_arena_str(v->arena, real);
    free(real);
    v->sparse = odp_file_kind_of(odp_arena_printf(v->arena, "%s.remote", v->dir)) == ODP_FILE_REGULAR;
    enum odp_status status =
        odp_file_read(verify_place(v, "manifest.json", v->arena), MANIFEST_MAX, &v->manifest, NULL);
    return status == ODP_BAD ? ODP_DONE : status;
}

/* What makes all other checks pointless. */
static void give_up(struct verify *v, enum odp_code code, const char *expected, const char *found)
{
    verify_fault(v, code, "manifest.json", NULL, expected, found);
    if (v->status == ODP_OK)
        v->status = ODP_BAD;
}

static void open_site(struct verify *v)
{
    v->shown = v->o->address;
    bool folder = odp_remote_kind_of(v->o->address) == ODP_REMOTE_FOLDER;
    enum odp_status status = folder ? open_folder(v) : open_remote(v);
    if (status == ODP_DONE)
        give_up(v, ODP_V61, NULL, NULL);
    else
        v->status = status;
}

/* ---- its manifest ---- */

static void read_entries(struct verify *v, const json_t *list)
{
    v->files = odp_arena_zero(v->arena, json_array_size(list) + 1, sizeof *v->files);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct odp_site_file *f = &v->files[i].f;
        const char *wrong = odp_site_file_read(f, json_array_get(list, i));
        if (wrong == NULL && f->encoding != NULL && strcmp(f->encoding, "gzip") != 0 &&
            strcmp(f->encoding, "br") != 0)
            wrong = "encoding";
        if (wrong == NULL && i > 0 && strcmp(v->files[i - 1].f.path, f->path) >= 0)
            wrong = "path";
        if (wrong != NULL) {
            v->n = 0;
            give_up(v, ODP_V63, "{\"path\",\"size\",\"sha256\",\"class\",\"type\"}",
                    odp_arena_printf(v->arena, "/files/%zu/%s", i, wrong));
            return;
        }
        v->n++;
    }
}

/* A build's folder is named by its manifest; a site that was copied or fetched has no such name. */
static void check_name(struct verify *v)
{
    uint8_t named[ODP_SHA256_SIZE];
    char expected[ODP_DIGEST_TEXT], found[ODP_DIGEST_TEXT];
    const char *slash = strrchr(v->dir, '/');
    if (v->remote != NULL || slash == NULL || !odp_digest_parse(slash + 1, named) ||
        memcmp(named, v->digest, sizeof named) == 0)
        return;
    odp_digest_text(named, expected);
    odp_digest_text(v->digest, found);
    verify_fault(v, ODP_V63, "manifest.json", NULL, expected, found);
}

static void read_manifest(struct verify *v)
{
    char why[JSON_ERROR_TEXT_LENGTH];
    v->status = odp_digest_of(v->manifest.ptr, v->manifest.len, v->digest);
    if (v->status != ODP_OK)
        return;
    check_name(v);
    v->json = verify_parse(odp_buffer_slice(&v->manifest), why);
    const json_t *list = json_object_get(v->json, "files");
    if (v->json == NULL)
        give_up(v, ODP_V63, "JSON", why);
    else if (!json_is_array(list))
        give_up(v, ODP_V63, "{\"files\":[…]}", "/files");
    else
        read_entries(v, list);
}

/* ---- its files, from elsewhere ---- */

/* What did not come as it should: fetched once more as it is, so that its bytes can be told from those of the
 * manifest. */
static void fetch_wrong(struct verify *v, struct odp_remote_file *file)
{
    const char *path = verify_place(v, file->path, v->arena);
    if (file->missing || odp_file_kind_of(path) != ODP_FILE_NONE)
        return;
    file->sha256 = NULL;
    enum odp_status status = odp_remote_fetch(v->remote, file, 1, v->dir, NULL);
    if (status == ODP_FAIL)
        v->status = ODP_FAIL;
    if (status != ODP_BAD || file->missing)
        return;
    verify_find(v, file->path)->state = VERIFY_WRONG;
    verify_fault(v, ODP_V60, file->path, NULL, NULL, odp_remote_fault(v->remote));
}

/* Something was missing, wrong, or could not be asked for; only the last is no fault of the site. */
static void after_fetch(struct verify *v, struct odp_remote_file *list, size_t n)
{
    struct odp_buffer manifest = {0};
    const char *first = odp_arena_str(v->arena, odp_remote_fault(v->remote));
    enum odp_status status = odp_remote_read(v->remote, "manifest.json", MANIFEST_MAX, &manifest);
    if (status == ODP_BAD || status == ODP_DONE)
        status = odp_failure_set("fetch", first, 0);
    v->status = status;
    for (size_t i = 0; i < n && v->status == ODP_OK; i++)
        fetch_wrong(v, &list[i]);
    odp_buffer_release(&manifest);
}

static void fetch(struct verify *v)
{
    size_t n = 0;
    if (v->remote == NULL)
        return;
    struct odp_remote_file *list = odp_arena_zero(v->arena, v->n + 1, sizeof *list);
    for (size_t i = 0; i < v->n; i++) {
        const struct odp_site_file *f = &v->files[i].f;
        if (v->o->audience == ODP_AUDIENCE_ORIGIN || f->cls == ODP_CLASS_PUBLIC)
            list[n++] = (struct odp_remote_file){.path = f->path, .size = f->size, .sha256 = f->sha256};
    }
    v->status = odp_remote_fetch(v->remote, list, n, v->dir, v->o->progress);
    if (v->status == ODP_BAD)
        after_fetch(v, list, n);
}

static void read_index(struct verify *v)
{
    const struct verify_file *f = verify_good(v, "v1/index.json");
    if (verify_find(v, "v1/index.json") == NULL)
        verify_fault(v, ODP_V61, "v1/index.json", NULL, NULL, NULL);
    else if (f != NULL)
        v->index = verify_json(v, f);
}

enum odp_status odp_verify_site(struct odp_verify_result *out, const struct odp_verify_options *o,
                                struct odp_arena *a, struct odp_diags *diags)
{
    static void (*const parts[])(struct verify *) = {
        open_site,  read_manifest, fetch,           verify_files, verify_control,
        read_index, verify_latest, verify_versions, verify_log,   verify_signature};
    struct verify v = {.o = o, .result = out, .arena = a, .diags = diags};
    uint64_t before = odp_diags_count(diags, ODP_SEVERITY_ERROR);
    *out = (struct odp_verify_result){0};
    v.status = odp_pool_new(&v.pool, o->jobs > 0 ? o->jobs : 1);
    for (size_t i = 0; i < ODP_COUNT(parts) && v.status == ODP_OK; i++)
        parts[i](&v);
    json_decref(v.index);
    json_decref(v.json);
    odp_buffer_release(&v.manifest);
    odp_remote_close(v.remote);
    odp_pool_free(v.pool);
    bool faults = odp_diags_count(diags, ODP_SEVERITY_ERROR) > before;
    return v.status == ODP_OK && faults ? ODP_BAD : v.status;
}
