/* Signing a site: manifest.json.minisig beside manifest.json, in the build that OUT leads to.
 *
 * A manifest is signed after it was compared with the name of its build, and under the lock of OUT.builds,
 * so that no build switches or prunes meanwhile. */
#include "publish/publish_internal.h"

#include <errno.h>
#include <unistd.h>

#include "base/json_load.h"
#include "publish/sign/keys.h"
#include "published/builds.h"

enum { MANIFEST_MOST = 1 << 30 };

enum odp_status odp_manifest_sign(struct odp_buffer *out, const struct odp_secret_key *key,
                                  struct odp_slice manifest, const char *release)
{
    uint8_t sha256[ODP_SHA256_SIZE];
    char digest[ODP_DIGEST_TEXT];
    struct odp_buffer trusted = {0};
    if (odp_digest_of(manifest.ptr, manifest.len, sha256) != ODP_OK)
        return ODP_FAIL;
    odp_digest_text(sha256, digest);
    odp_buffer_printf(&trusted, "odp site manifest %s release %s", digest, release);
    enum odp_status status = odp_buffer_status(&trusted);
    if (status == ODP_OK)
        status = odp_sign(out, key, manifest, "signature of an odp site", odp_buffer_cstr(&trusted));
    odp_buffer_release(&trusted);
    return status;
}

/* BAD: the site names its signing keys, and this is not one of them. */
static enum odp_status check_key(const struct odp_site *site, const struct odp_secret_key *key,
                                 struct odp_arena *a, struct odp_diags *diags)
{
    const struct odp_site_file *f = odp_site_find(site, ODP_KEYS_SITE_PATH);
    struct odp_public_key own;
    struct odp_site_keys keys;
    struct odp_buffer text = {0};
    if (f == NULL)
        return ODP_OK;
    odp_secret_key_public(key, &own);
    enum odp_status status = odp_site_read(site, f, &text, diags);
    if (status == ODP_OK)
        status = odp_site_keys_check(&keys, odp_buffer_slice(&text), ODP_KEYS_SITE_PATH, a, diags);
    odp_buffer_release(&text);
    if (status != ODP_OK || odp_site_keys_signs(&keys, &own))
        return status;
    const char *list = ""; /* "1A2B…, 3C4D…" */
    for (size_t i = 0; i < keys.nsigning; i++)
        list = odp_arena_printf(a, "%s%s%s", list, i > 0 ? ", " : "", odp_key_id(&keys.signing[i]).text);
    return publish_complain(diags, ODP_V30, ODP_KEYS_SITE_PATH, odp_key_id(&own).text, list, NULL);
}

/* The signature is written outside the build and renamed into it: a copy of the build has none or the whole.
 */
static enum odp_status place(const struct odp_builds *builds, const char *build, struct odp_slice signature)
{
    const char *fresh = odp_path_join(builds->arena, builds->dir, ".new-signature");
    const char *path = odp_path_join(builds->arena, build, "manifest.json.minisig");
    if (unlink(fresh) != 0 && errno != ENOENT) /* of a run that was killed; we hold the lock */
        return odp_failure_set("remove", fresh, errno);
    enum odp_status status = odp_file_put(fresh, signature, 0444, NULL);
    return status == ODP_OK ? odp_file_place(fresh, path) : status;
}

/* Only what the build is named by is signed. */
static enum odp_status read_manifest(const char *path, const char *digest, struct odp_buffer *out,
                                     struct odp_diags *diags)
{
    uint8_t sha256[ODP_SHA256_SIZE];
    char hex[ODP_SHA256_HEX] = "";
    enum odp_status status = odp_file_read(path, MANIFEST_MOST, out, NULL);
    if (status == ODP_OK && (status = odp_digest_of(out->ptr, out->len, sha256)) == ODP_OK)
        odp_digest_hex(sha256, hex);
    return status != ODP_FAIL && strcmp(hex, digest) != 0
               ? publish_complain(diags, ODP_V03, NULL, "manifest.json", digest, NULL)
               : status;
}

static enum odp_status sign_build(const struct odp_builds *builds, const char *digest,
                                  const struct odp_secret_key *key, struct odp_diags *diags)
{
    struct odp_arena *a = builds->arena;
    struct odp_site *site = NULL;
    struct odp_buffer manifest = {0}, signature = {0};
    const char *build = odp_path_join(a, builds->dir, digest);
    const char *path = odp_path_join(a, build, "manifest.json");
    enum odp_status status = odp_site_open(&site, build, diags); /* checks the manifest by the build's name */
    if (status == ODP_DONE)
        status = publish_complain(diags, ODP_V32, NULL, builds->out, NULL, NULL);
    if (status == ODP_OK)
        status = check_key(site, key, a, diags);
    if (status == ODP_OK)
        status = read_manifest(path, digest, &manifest, diags);
    if (status == ODP_OK) {
        const char *release = odp_json_text(json_object_get(odp_site_index(site), "meta"), "release");
        status =
            odp_manifest_sign(&signature, key, odp_buffer_slice(&manifest), release != NULL ? release : "-");
    }
    if (status == ODP_OK)
        status = place(builds, build, odp_buffer_slice(&signature));
    odp_site_close(site);
    odp_buffer_release(&manifest);
    odp_buffer_release(&signature);
    return status;
}

enum odp_status odp_site_sign(const char *out, const struct odp_secret_key *key, struct odp_diags *diags)
{
    struct odp_arena arena = {0};
    struct odp_builds builds = {.lock = -1};
    const char *digest = NULL;
    odp_builds_open(&builds, out, &arena);
    enum odp_status status = odp_builds_current(&builds, &digest);
    if (status == ODP_OK && digest != NULL)
        status = odp_builds_lock(&builds, diags);
    if (status == ODP_OK && digest != NULL) /* once more: it may have been switched before we had the lock */
        status = odp_builds_current(&builds, &digest);
    if (status == ODP_OK)
        status = digest != NULL ? sign_build(&builds, digest, key, diags)
                                : publish_complain(diags, ODP_V32, NULL, out, NULL, NULL);
    odp_builds_close(&builds);
    odp_arena_release(&arena);
    return status;
}
