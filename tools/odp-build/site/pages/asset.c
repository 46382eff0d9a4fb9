/* One asset: staged under the digest of its bytes, known to templates by its key. */
#include "site/pages/pages_internal.h"

#include <errno.h>

#include <openssl/evp.h>

enum { HEX = 32 /* digits of a digest in a path */ };

/* By extension; what is not here is no asset. */
static const struct media {
    const char *ext, *type;
} media[] = {{".css", "text/css; charset=utf-8"},
             {".js", "text/javascript; charset=utf-8"},
             {".json", "application/json"},
             {".svg", "image/svg+xml"},
             {".txt", "text/plain; charset=utf-8"},
             {".png", "image/png"},
             {".webp", "image/webp"},
             {".ico", "image/vnd.microsoft.icon"},
             {".woff2", "font/woff2"},
             {".webmanifest", "application/manifest+json"}};

const char *portal_asset_type(const char *ext)
{
    for (size_t i = 0; i < sizeof media / sizeof *media; i++)
        if (strcmp(ext, media[i].ext) == 0)
            return media[i].type;
    return NULL;
}

enum odp_status portal_asset_put(struct portal *p, const char *key, const char *ext, struct odp_slice bytes)
{
    uint8_t digest[ODP_SHA256_SIZE];
    char hex[ODP_SHA256_HEX], path[sizeof "assets/" + HEX + 16];
    unsigned char base64[4 * ((ODP_SHA256_SIZE + 2) / 3) + 1];
    const char *type = portal_asset_type(ext);
    if (type == NULL)
        return odp_failure_set("stage asset", key, EINVAL);
    if (odp_digest_of(bytes.ptr, bytes.len, digest) != ODP_OK)
        return ODP_FAIL;
    odp_digest_hex(digest, hex);
    (void)snprintf(path, sizeof path, "assets/%.*s%s", HEX, hex, ext);
    if (EVP_EncodeBlock(base64, digest, sizeof digest) != sizeof base64 - 1)
        return odp_failure_set("stage asset", key, 0);
    json_t *entry = json_object();
    struct odp_doc d = {0};
    odp_doc_set_str(&d, entry, "path", path);
    odp_doc_set(&d, entry, "integrity", json_sprintf("sha256-%s", (const char *)base64));
    odp_doc_set(&d, p->assets, key, entry);
    if (d.failed)
        return odp_failure_set("stage asset", key, ENOMEM);
    if (p->job->stage == NULL ||
        odp_stage_find(p->job->stage, path) != NULL) /* only looking; the same bytes under another name */
        return ODP_OK;
    return odp_stage_put(p->job->stage, path, type, ODP_CLASS_PUBLIC, bytes);
}
