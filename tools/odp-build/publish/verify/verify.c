/* A whole site is proved: manifest, files, twins, control, latest, versions, contents, log, signature, in
 * this order.
 *
 * A part reads only files that were proved before, so one flipped bit is one fault, with its path. */
#include "publish/verify/verify_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

enum { MANIFEST_MAX = 1 << 30 };

/* ---- where it is ---- */

/* What cannot be asked for is no fault of the site: it is the network's. */
static enum odp_status unreachable(const struct verify *v, const char *path)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    odp_buffer_printf(&text, "%s/%s: %s", v->shown, path,
                      v->remote != NULL ? odp_remote_fault(v->remote) : "");
    enum odp_status status = odp_failure_set("read", odp_buffer_cstr(&text), 0);
    odp_buffer_release(&text);
    return status;
}

static enum odp_status open_remote(struct verify *v)
{
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

static enum odp_status open_site(struct verify *v)
{
    v->shown = v->o->address;
    enum odp_status status;
    if (odp_remote_kind_of(v->o->address) == ODP_REMOTE_FOLDER) {
        status = open_folder(v);
    } else {
        v->dir = v->o->scratch;
        status = open_remote(v);
    }
    if (status == ODP_DONE) {
        status = verify_fault(v, ODP_V61, "manifest.json", NULL, NULL, NULL);
        status = status == ODP_OK ? ODP_BAD : status;
    }
    return status;
}

static bool wanted(const struct verify *v, const struct verify_file *f)
{
    return v->o->audience == ODP_AUDIENCE_ORIGIN || f->f.cls == ODP_CLASS_PUBLIC;
}

/* What did not come as it should: fetched once more as it is, so that its bytes can be told from those of the
 * manifest. */
static enum odp_status fetch_wrong(struct verify *v, struct odp_remote_file *file)
{
    const char *path = verify_place(v, file->path, v->arena);
    if (file->missing || odp_file_kind_of(path) != ODP_FILE_NONE)
        return ODP_OK;
    file->sha256 = NULL;
    enum odp_status status = odp_remote_fetch(v->remote, file, 1, v->dir, NULL);
    if (status != ODP_BAD || file->missing)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    verify_find(v, file->path)->state = VERIFY_WRONG;
    return verify_fault(v, ODP_V60, file->path, NULL, NULL, odp_remote_fault(v->remote));
}

/* Something was missing, wrong, or could not be asked for; only the last is no fault of the site. */
static enum odp_status after_fetch(struct verify *v, struct odp_remote_file *list, size_t n)
{
    struct odp_buffer manifest, first;
    odp_buffer_init(&manifest);
    odp_buffer_init(&first);
    odp_buffer_add_str(&first, odp_remote_fault(v->remote));
    enum odp_status status = odp_remote_read(v->remote, "manifest.json", MANIFEST_MAX, &manifest);
    if (status == ODP_BAD || status == ODP_DONE)
        status = odp_failure_set("fetch", odp_buffer_cstr(&first), 0);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = fetch_wrong(v, &list[i]);
    odp_buffer_release(&first);
    odp_buffer_release(&manifest);
    return status;
}

enum odp_status verify_fetch(struct verify *v)
{
    size_t n = 0;
    if (v->remote == NULL)
        return ODP_OK;
    struct odp_remote_file *list = odp_arena_zero(v->arena, v->n + 1, sizeof *list);
    for (size_t i = 0; i < v->n; i++)
        if (wanted(v, &v->files[i]))
            list[n++] = (struct odp_remote_file){
                .path = v->files[i].f.path, .size = v->files[i].f.size, .sha256 = v->files[i].f.sha256};
    enum odp_status status = odp_remote_fetch(v->remote, list, n, v->dir, v->o->progress);
    return status == ODP_BAD ? after_fetch(v, list, n) : status;
}

static enum odp_status read_index(struct verify *v)
{
    const struct verify_file *f = verify_good(v, "v1/index.json");
    if (verify_find(v, "v1/index.json") == NULL)
        return verify_fault(v, ODP_V61, "v1/index.json", NULL, NULL, NULL);
    return f != NULL ? verify_json(v, f, &v->index) : ODP_OK;
}

static enum odp_status run(struct verify *v)
{
    static enum odp_status (*const parts[])(struct verify *) = {
        open_site,  verify_manifest, verify_fetch,    verify_files, verify_control,
        read_index, verify_latest,   verify_versions, verify_log,   verify_signature};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == ODP_OK; i++)
        status = parts[i](v);
    return status;
}

enum odp_status odp_verify_site(struct odp_verify_result *out, const struct odp_verify_options *o,
                                struct odp_arena *a, struct odp_diags *diags)
{
    struct verify v = {.o = o, .result = out, .arena = a, .diags = diags};
    uint64_t before = odp_diags_count(diags, ODP_SEVERITY_ERROR);
    *out = (struct odp_verify_result){0};
    odp_buffer_init(&v.manifest);
    enum odp_status status = odp_pool_new(&v.pool, o->jobs > 0 ? o->jobs : 1);
    if (status == ODP_OK)
        status = run(&v);
    json_decref(v.index);
    json_decref(v.json);
    odp_buffer_release(&v.manifest);
    odp_remote_close(v.remote);
    odp_pool_free(v.pool);
    return status == ODP_OK && odp_diags_count(diags, ODP_SEVERITY_ERROR) > before ? ODP_BAD : status;
}
