/* manifest.json: read strictly, and compared with the name of its build. Its own reader, not the builder's:
 * what proves a site shall not believe what made it, and says which line is wrong. */
#include "publish/verify/verify_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "published/stage.h"

/* The name of the member that is wrong, or NULL. */
static const char *read_entry(struct odp_site_file *f, const json_t *entry)
{
    const char *wrong = odp_site_file_read(f, entry);
    bool known = f->encoding == NULL || strcmp(f->encoding, "gzip") == 0 || strcmp(f->encoding, "br") == 0;
    return wrong == NULL && !known ? "encoding" : wrong;
}

static enum odp_status complain(struct verify *v, const char *expected, const char *found)
{
    return verify_fault(v, ODP_V63, "manifest.json", NULL, expected, found) == ODP_OK ? ODP_BAD : ODP_FAIL;
}

static enum odp_status read_entries(struct verify *v, const json_t *list)
{
    v->files = odp_arena_zero(v->arena, json_array_size(list) + 1, sizeof *v->files);
    for (size_t i = 0; i < json_array_size(list); i++) {
        char where[80];
        const char *wrong = read_entry(&v->files[i].f, json_array_get(list, i));
        if (wrong == NULL && i > 0 && strcmp(v->files[i - 1].f.path, v->files[i].f.path) >= 0)
            wrong = "path";
        if (wrong != NULL) {
            snprintf(where, sizeof where, "/files/%zu/%s", i, wrong);
            v->n = 0;
            return complain(v, "{\"path\",\"size\",\"sha256\",\"class\",\"type\"}", where);
        }
        v->n++;
    }
    return ODP_OK;
}

/* A build's folder is named by its manifest; a site that was copied or fetched has no such name. */
static enum odp_status check_name(struct verify *v)
{
    uint8_t named[ODP_SHA256_SIZE];
    char expected[ODP_DIGEST_TEXT], found[ODP_DIGEST_TEXT];
    if (odp_digest_of(v->manifest.ptr, v->manifest.len, v->digest) != ODP_OK)
        return ODP_FAIL;
    const char *slash = strrchr(v->dir, '/');
    if (v->remote != NULL || slash == NULL || !odp_digest_parse(slash + 1, named) ||
        memcmp(named, v->digest, sizeof named) == 0)
        return ODP_OK;
    odp_digest_text(named, expected);
    odp_digest_text(v->digest, found);
    return verify_fault(v, ODP_V63, "manifest.json", NULL, expected, found);
}

enum odp_status verify_manifest(struct verify *v)
{
    char why[JSON_ERROR_TEXT_LENGTH];
    enum odp_status status = check_name(v);
    if (status == ODP_OK)
        status = verify_parse(odp_buffer_slice(&v->manifest), &v->json, why);
    if (status != ODP_OK)
        return status == ODP_BAD ? complain(v, "JSON", why) : status;
    const json_t *list = json_object_get(v->json, "files");
    return json_is_array(list) ? read_entries(v, list) : complain(v, "{\"files\":[…]}", "/files");
}
