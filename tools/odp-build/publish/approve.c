/* Approvals: catalog/approvals/<slug>.json, an array, oldest first:
 *
 *   [{"version":"2024-03-15","digest":"sha256:…","by":"Sari","ref":"B-12/2024","signature":"untrusted
 * comment: …\n…\n"}]
 *
 * The signature is minisign's, over exactly these bytes (each line ended by one line feed):
 *
 *   odp-approval 1 / <slug> / <version> / sha256:<hex> / <by> / <ref>
 *
 * What is approved is the content (its logical digest), by a named officer with a letter: none of the four
 * can be changed afterwards. Approvals belong to the catalogue, so its repository keeps who approved what.
 *
 * Names are one line each, so that no text can be read as two. Approvals of a digest of which none is valid
 * mean that the file was changed: an error (ODP-V84), not "not yet approved". */
#include "publish/publish.h"
#include "words/publish.h"

#include <errno.h>

#include "base/json_load.h"
#include "base/refusal.h"
#include "base/temporary.h"
#include "base/utf8.h"
#include "published/doc.h"
#include "site/versions/release.h"

enum { APPROVALS_MAX = 16 << 20 };

static const struct odp_text not_json = {{W_publish_not_json_array}};
static const struct odp_text no_members = {{W_publish_version_digest_by_ref_signature}};

static char *approvals_path(const struct odp_catalog *c, const char *slug, struct odp_arena *a)
{
    return odp_arena_printf(a, "%s/approvals/%s.json", c->dir, slug);
}

/* WHY differs from language to language, so the whole sentence is given. */
static enum odp_status complain(struct odp_diags *diags, const char *slug, const char *path,
                                const char *version, const struct odp_text *why, struct odp_arena *a)
{
    const struct odp_text message = {{odp_arena_printf(a, odp_word(ODP_LANG_ID, W_publish_approval_not_valid),
                                                       version, odp_text_get(why, ODP_LANG_ID)),
                                      odp_arena_printf(a, odp_word(ODP_LANG_EN, W_publish_approval_not_valid),
                                                       version, odp_text_get(why, ODP_LANG_EN))}};
    struct odp_diag d = {
        .code = ODP_V84,
        .dataset = slug,
        .file = path,
        .message = &message,
        .args = {odp_slice_of(version), odp_slice_of(odp_text_get(why, ODP_LANG_EN)), odp_slice_of(slug)}};
    return odp_diags_add(diags, &d);
}

/* ---- what is signed ---- */

static bool is_line(const char *s)
{
    return odp_utf8_is_line(odp_slice_of(s), ODP_LINE_MOST);
}

static enum odp_status make_message(struct odp_buffer *out, const char *slug, const char *version,
                                    const char *digest, const char *by, const char *ref)
{
    const char *const lines[] = {"odp-approval 1", slug, version, digest, by, ref};
    for (size_t i = 0; i < ODP_COUNT(lines); i++) {
        odp_buffer_add_str(out, lines[i]);
        odp_buffer_add_char(out, '\n');
    }
    return odp_buffer_status(out);
}

static bool portal_keys(const struct odp_catalog *c, struct odp_public_key *keys)
{
    for (size_t i = 0; i < c->portal.napproval_keys; i++)
        if (odp_public_key_parse(&keys[i], odp_slice_of(c->portal.approval_keys[i])) != ODP_OK)
            return false; /* the catalogue's check has refused such a line */
    return true;
}

/* ---- the file ---- */

/* *LIST: what the file holds; an empty array where there is none. BAD: reported. */
static enum odp_status read_list(const char *path, const char *slug, json_t **list, struct odp_arena *a,
                                 struct odp_diags *diags)
{
    struct odp_buffer text = {0};
    int errnum = 0;
    *list = NULL;
    enum odp_status status = odp_file_read(path, APPROVALS_MAX, &text, &errnum);
    if (status == ODP_OK) {
        *list = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
        if (!json_is_array(*list))
            status = complain(diags, slug, path, "—", &not_json, a);
    } else if (status == ODP_BAD && (errnum == ENOENT || errnum == ENOTDIR)) {
        *list = json_array();
        status = ODP_OK;
    } else if (status == ODP_BAD) {
        const struct odp_text why = odp_refusal_text(errnum);
        status = complain(diags, slug, path, "—", &why, a);
    }
    odp_buffer_release(&text);
    return status;
}

static enum odp_status write_list(const char *path, const json_t *list, struct odp_arena *a)
{
    char *dir = odp_arena_str(a, path);
    struct odp_buffer text = {0};
    *strrchr(dir, '/') = '\0';
    enum odp_status status = odp_doc_print(&text, list, ODP_DOC_PRETTY);
    odp_buffer_add_char(&text, '\n');
    if (status == ODP_OK)
        status = odp_buffer_status(&text);
    if (status == ODP_OK)
        status = odp_dir_make(dir);
    if (status == ODP_OK)
        status = odp_file_replace(path, odp_buffer_slice(&text), 0644);
    odp_buffer_release(&text);
    return status;
}

/* ---- checking ---- */

/* OK; BAD: WHY. */
static enum odp_status check_entry(const struct odp_catalog *c, const char *slug, const json_t *entry,
                                   struct odp_arena *a, struct odp_text *why)
{
    const char *version = odp_json_text(entry, "version"), *digest = odp_json_text(entry, "digest"),
               *by = odp_json_text(entry, "by");
    const char *ref = odp_json_text(entry, "ref"), *signature = odp_json_text(entry, "signature");
    struct odp_public_key *keys = odp_arena_array(a, c->portal.napproval_keys + 1, sizeof *keys);
    struct odp_signers signers = {.keys = keys, .nkeys = c->portal.napproval_keys};
    struct odp_buffer message = {0};
    *why = no_members;
    if (version == NULL || digest == NULL || by == NULL || ref == NULL || signature == NULL ||
        !is_line(version) || !is_line(by) || !is_line(ref) || !portal_keys(c, keys))
        return ODP_BAD;
    enum odp_status status = make_message(&message, slug, version, digest, by, ref);
    if (status == ODP_OK)
        status = odp_verify(odp_buffer_slice(&message), odp_slice_of(signature), &signers, a);
    odp_buffer_release(&message);
    *why = signers.why;
    return status;
}

enum odp_status odp_approved(const struct odp_catalog *c, const char *slug,
                             const uint8_t digest[ODP_SHA256_SIZE], struct odp_arena *a,
                             struct odp_diags *diags)
{
    char wanted[ODP_DIGEST_TEXT];
    struct odp_text why = {{"", ""}};
    const char *version = NULL;
    json_t *list = NULL;
    if (c->portal.napproval_keys == 0)
        return ODP_OK;
    odp_digest_text(digest, wanted);
    const char *path = approvals_path(c, slug, a);
    enum odp_status status = read_list(path, slug, &list, a, diags), found = ODP_DONE;
    for (size_t i = 0; status == ODP_OK && found != ODP_OK && found != ODP_FAIL && i < json_array_size(list);
         i++) {
        const json_t *entry = json_array_get(list, i);
        const char *named = odp_json_text(entry, "digest");
        if (named == NULL || strcmp(named, wanted) != 0)
            continue;
        found = check_entry(c, slug, entry, a, &why);
        const char *name = odp_json_text(entry, "version");
        version = odp_arena_str(a, name != NULL ? name : "—");
    }
    if (status == ODP_OK && found == ODP_BAD) /* every approval of this content is void */
        found = complain(diags, slug, path, version, &why, a);
    json_decref(list);
    return status == ODP_OK ? found : status;
}

/* ---- approving ---- */

static enum odp_status check_key(const struct odp_catalog *c, const struct odp_approval *what,
                                 const struct odp_secret_key *key, struct odp_arena *a,
                                 struct odp_diags *diags)
{
    struct odp_public_key mine, *keys = odp_arena_array(a, c->portal.napproval_keys + 1, sizeof *keys);
    odp_secret_key_public(key, &mine);
    for (size_t i = 0; portal_keys(c, keys) && i < c->portal.napproval_keys; i++)
        if (odp_public_key_same(&keys[i], &mine))
            return ODP_OK;
    const struct odp_key_id id = odp_key_id(&mine);
    struct odp_diag d = {.code = ODP_V85,
                         .dataset = what->slug,
                         .file = odp_arena_printf(a, "%s/portal.json", c->dir),
                         .args = {odp_slice_of(id.text)}};
    return odp_diags_add(diags, &d);
}

/* An approval of the same version and content gives way to this one. */
static void enter(json_t *list, json_t *entry_take)
{
    for (size_t i = json_array_size(list); i > 0; i--) {
        const json_t *old = json_array_get(list, i - 1);
        if (json_equal(json_object_get(old, "version"), json_object_get(entry_take, "version")) &&
            json_equal(json_object_get(old, "digest"), json_object_get(entry_take, "digest")))
            (void)json_array_remove(list, i - 1);
    }
    json_array_append_new(list, entry_take);
}

static enum odp_status sign(struct odp_buffer *signature, const struct odp_approval *what, const char *digest,
                            const struct odp_secret_key *key, struct odp_arena *a)
{
    struct odp_buffer message = {0};
    const char *trusted = odp_arena_printf(a, "odp-approval %s %s", what->slug, what->version);
    enum odp_status status = make_message(&message, what->slug, what->version, digest, what->by, what->ref);
    if (status == ODP_OK)
        status = odp_sign(signature, key, odp_buffer_slice(&message), "odp-build approve", trusted);
    odp_buffer_release(&message);
    return status;
}

enum odp_status odp_approve(const struct odp_catalog *c, const struct odp_approval *what,
                            const struct odp_secret_key *key, struct odp_arena *a, struct odp_diags *diags)
{
    char digest[ODP_DIGEST_TEXT];
    struct odp_buffer signature = {0};
    json_t *list = NULL;
    odp_digest_text(what->digest, digest);
    const char *path = approvals_path(c, what->slug, a);
    enum odp_status status = check_key(c, what, key, a, diags);
    if (status == ODP_OK && (!is_line(what->version) || !is_line(what->by) || !is_line(what->ref)))
        status = complain(diags, what->slug, path, what->version, &no_members, a);
    if (status == ODP_OK)
        status = read_list(path, what->slug, &list, a, diags);
    if (status == ODP_OK)
        status = sign(&signature, what, digest, key, a);
    if (status == ODP_OK)
        enter(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "version", what->version, "digest", digest, "by",
                              what->by, "ref", what->ref, "signature", odp_buffer_cstr(&signature)));
    if (status == ODP_OK)
        status = write_list(path, list, a);
    json_decref(list);
    odp_buffer_release(&signature);
    return status;
}
