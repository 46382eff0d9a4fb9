/* manifest.json.minisig: whether the manifest is signed, by whom, and whether the caller trusts him.
 *
 * The line "untrusted comment" is covered by no signature, so it must be one of those that odp-build and
 * minisign write. */
#include "publish/verify/verify_internal.h"

#include "publish/sign/keys.h"
#include "words/publish.h"

#define SIGNATURE "manifest.json.minisig"
enum { SIGNATURE_MAX = 1 << 16 };

struct accepted {
    const struct odp_public_key *keys;
    size_t n;
    bool declared; /* the site says which keys it has */
};

/* The signature's bytes. DONE: there is none. BAD: it cannot be read (reported). */
static enum odp_status get_signature(struct verify *v, struct odp_buffer *out)
{
    if (v->remote != NULL) {
        enum odp_status status = odp_remote_read(v->remote, SIGNATURE, SIGNATURE_MAX, out);
        return status == ODP_BAD ? odp_failure_set("fetch " SIGNATURE ":", odp_remote_fault(v->remote), 0)
                                 : status;
    }
    const char *path = verify_place(v, SIGNATURE, v->arena);
    if (odp_file_kind_of(path) == ODP_FILE_NONE)
        return ODP_DONE;
    enum odp_status status = odp_file_read(path, SIGNATURE_MAX, out, NULL);
    if (status == ODP_BAD && verify_fault(v, ODP_V73, SIGNATURE, NULL, NULL, NULL) != ODP_OK)
        return ODP_FAIL;
    return status;
}

/* What no signature covers must be what odp-build and minisign write, else a changed letter there would pass:
 * the first line is one of theirs, and base64 (lines 2 and 4) is ASCII: libsodium's decoder takes some
 * letters with their top bit set for the letter. */
static bool is_plain(struct odp_slice text)
{
    static const char *const first[] = {"untrusted comment: signature of an odp site\n",
                                        "untrusted comment: signature from minisign secret key\n"};
    bool known = false;
    unsigned line = 1;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        known = known || (text.len > strlen(first[i]) && memcmp(text.ptr, first[i], strlen(first[i])) == 0);
    for (size_t i = 0; i < text.len; i++) {
        if (line % 2 == 0 && (unsigned char)text.ptr[i] >= 0x7f)
            return false;
        line += text.ptr[i] == '\n';
    }
    return known;
}

static enum odp_status unsigned_site(struct verify *v, bool keys)
{
    struct odp_diag d = {.code = ODP_V74, .file = v->shown, .args = {ODP_LIT(SIGNATURE)}};
    if (v->o->need_signature)
        d.severity = ODP_SEVERITY_ERROR;
    else if (!keys)
        return ODP_OK;
    return odp_diags_add(v->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static enum odp_status tell_signer(struct verify *v, const struct odp_public_key *key, bool trusted)
{
    struct odp_buffer id;
    odp_buffer_init(&id);
    odp_public_key_id(&id, key);
    v->result->signed_by = odp_arena_str(v->arena, odp_buffer_cstr(&id));
    v->result->trusted = trusted;
    enum odp_status status = odp_buffer_status(&id);
    odp_buffer_release(&id);
    return status;
}

/* "manifest.json.minisig: <why>" in both languages. */
static enum odp_status complain(struct verify *v, const char *path, const struct odp_text *why,
                                enum odp_severity severity)
{
    struct odp_text message;
    struct odp_diag d = {.code = ODP_V73,
                         .severity = severity,
                         .file = v->shown,
                         .args = {odp_slice_of(path)},
                         .message = &message};
    for (int lang = 0; lang < ODP_LANGS; lang++)
        message.in[lang] = odp_arena_printf(v->arena, "%s: %s", path, why->in[lang]);
    return odp_diags_add(v->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* Whose signature counts: the site's keys in force, as far as they follow from those the caller trusts;
 * without such a document the caller's own. */
static enum odp_status read_site_keys(struct verify *v, struct accepted *a)
{
    struct odp_buffer text;
    struct odp_site_keys ring = {0};
    struct odp_text why;
    const struct verify_file *f = verify_good(v, ODP_KEYS_SITE_PATH);
    *a = (struct accepted){
        .keys = v->o->keys, .n = v->o->nkeys, .declared = verify_find(v, ODP_KEYS_SITE_PATH) != NULL};
    if (f == NULL)
        return ODP_OK;
    odp_buffer_init(&text);
    enum odp_status status = verify_read(v, f, &text);
    if (status == ODP_OK)
        status = odp_site_keys_read(&ring, odp_buffer_slice(&text), v->o->keys, v->o->nkeys, v->arena, &why);
    odp_buffer_release(&text);
    if (status == ODP_BAD)
        return complain(v, ODP_KEYS_SITE_PATH, &why, ODP_SEVERITY_OFF);
    if (status == ODP_OK) {
        a->keys = ring.signing;
        a->n = ring.nsigning;
    }
    return status;
}

static enum odp_status check_signature(struct verify *v, struct odp_slice text, const struct accepted *a)
{
    static const struct odp_text unknown = {{W_publish_publisher_key_not_known_keys}};
    static const struct odp_text changed = {{W_publish_not_form_odp_build_minisign}};
    size_t which;
    const char *trusted;
    struct odp_text why;
    if (a->n == 0 && !a->declared)
        return complain(v, SIGNATURE, &unknown,
                        v->o->need_signature ? ODP_SEVERITY_ERROR : ODP_SEVERITY_WARNING);
    enum odp_status status = odp_verify_text(odp_buffer_slice(&v->manifest), text, a->keys, a->n, &which,
                                             &trusted, v->arena, &why);
    if (status == ODP_BAD)
        return complain(v, SIGNATURE, &why, ODP_SEVERITY_OFF);
    if (status == ODP_OK && !is_plain(text))
        return complain(v, SIGNATURE, &changed, ODP_SEVERITY_OFF);
    return status == ODP_OK ? tell_signer(v, &a->keys[which], v->o->nkeys > 0) : status;
}

enum odp_status verify_signature(struct verify *v)
{
    struct odp_buffer text;
    struct accepted accepted;
    odp_buffer_init(&text);
    enum odp_status status = read_site_keys(v, &accepted);
    if (status == ODP_OK)
        status = get_signature(v, &text);
    if (status == ODP_DONE)
        status = unsigned_site(v, accepted.declared || accepted.n > 0);
    else if (status == ODP_OK)
        status = check_signature(v, odp_buffer_slice(&text), &accepted);
    odp_buffer_release(&text);
    return status == ODP_BAD ? ODP_OK : status;
}
