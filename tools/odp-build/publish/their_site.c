/* The site at the other end, as far as its manifest tells. */
#include <stdlib.h>

#include "publish/publish_internal.h"

#include "base/json_load.h"

enum { MANIFEST_MAX = 1 << 29 };

/* OK; BAD: not a manifest. */
static enum odp_status read_files(struct their_site *t, struct odp_arena *a)
{
    t->json = odp_json_load(t->text.ptr, t->text.len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *files = json_object_get(t->json, "files");
    if (!json_is_array(files))
        return ODP_BAD;
    t->files = odp_arena_zero(a, json_array_size(files) + 1, sizeof *t->files);
    for (size_t i = 0; i < json_array_size(files); i++) {
        struct odp_site_file *f = &t->files[i];
        if (odp_site_file_read(f, json_array_get(files, i)) != NULL || (i > 0 && strcmp(f[-1].path, f->path) >= 0))
            return ODP_BAD;
        t->n++;
    }
    return ODP_OK;
}

enum odp_status their_site_read(struct their_site *t, struct odp_remote *r, struct odp_arena *a, struct odp_diags *diags)
{
    *t = (struct their_site){.present = false};
    odp_buffer_init(&t->text);
    enum odp_status status = odp_remote_read(r, "manifest.json", MANIFEST_MAX, &t->text);
    if (status == ODP_BAD)
        return publish_failed(diags, r);
    if (status == ODP_OK)
        status = odp_digest_of(t->text.ptr, t->text.len, t->digest);
    if (status == ODP_OK && (status = read_files(t, a)) == ODP_BAD) {
        t->n = 0;
        return publish_complain(diags, ODP_V49, odp_remote_shown(r), odp_remote_shown(r), NULL, NULL);
    }
    t->present = status == ODP_OK;
    return status;
}

void their_site_release(struct their_site *t)
{
    odp_buffer_release(&t->text);
    json_decref(t->json);
    t->json = NULL;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct odp_site_file *)a)->path, ((const struct odp_site_file *)b)->path);
}

const struct odp_site_file *their_site_find(const struct their_site *t, const char *path)
{
    const struct odp_site_file key = {.path = path};
    return t->n > 0 ? bsearch(&key, t->files, t->n, sizeof key, by_path) : NULL;
}
