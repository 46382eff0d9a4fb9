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

/* The signature's bytes. DONE: the site has none. BAD: it cannot be read (reported). */
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
    if (status == ODP_BAD)
        verify_fault(v, ODP_V73, SIGNATURE, NULL, NULL, NULL);
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
    for (size_t i = 0; i < ODP_COUNT(first); i++)
        known = known || (text.len > strlen(first[i]) && memcmp(text.ptr, first[i], strlen(first[i])) == 0);
    for (size_t i = 0; i < text.len; i++) {
        if (line % 2 == 0 && (unsigned char)text.ptr[i] >= 0x7f)
            return false;
        line += text.ptr[i] == '\n';
    }
    return known;
}

static void report_unsigned(struct verify *v, bool keys)
{
    struct odp_diag d = {.code = ODP_V74, .file = v->shown, .args = {ODP_LIT(SIGNATURE)}};
    if (v->o->need_signature)
        d.severity = ODP_SEVERITY_ERROR;
    if (v->o->need_signature || keys)
        verify_report(v, &d);
}

/* "manifest.json.minisig: <why>" in both languages. */
static void complain(struct verify *v, const char *path, const struct odp_text *why,
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
    verify_report(v, &d);
}

/* Whose signature counts: the site's keys in force, as far as they follow from those the caller trusts;
 * without such a document the caller's own. */
static struct accepted accepted_keys(struct verify *v)
{
    struct odp_buffer text = {0};
    struct odp_site_keys ring = {0};
    struct odp_text why;
    const struct verify_file *f = verify_good(v, ODP_KEYS_SITE_PATH);
    struct accepted a = {
        .keys = v->o->keys, .n = v->o->nkeys, .declared = verify_find(v, ODP_KEYS_SITE_PATH) != NULL};
    if (f == NULL)
        return a;
    enum odp_status status = verify_read(v, f, &text);
    if (status == ODP_OK)
        status = odp_site_keys_read(&ring, odp_buffer_slice(&text), v->o->keys, v->o->nkeys, v->arena, &why);
    odp_buffer_release(&text);
    if (status == ODP_BAD)
        complain(v, ODP_KEYS_SITE_PATH, &why, ODP_SEVERITY_OFF);
    else if (status == ODP_FAIL)
        v->status = status;
    else
        a = (struct accepted){ring.signing, ring.nsigning, true};
    return a;
}

static void check_signature(struct verify *v, struct odp_slice text, const struct accepted *a)
{
    static const struct odp_text unknown = {{W_publish_publisher_key_not_known_keys}};
    static const struct odp_text changed = {{W_publish_not_form_odp_build_minisign}};
    struct odp_signers s = {.keys = a->keys, .nkeys = a->n};
    if (a->n == 0 && !a->declared) {
        complain(v, SIGNATURE, &unknown, v->o->need_signature ? ODP_SEVERITY_ERROR : ODP_SEVERITY_WARNING);
        return;
    }
    enum odp_status status = odp_verify(odp_buffer_slice(&v->manifest), text, &s, v->arena);
    if (status == ODP_BAD)
        complain(v, SIGNATURE, &s.why, ODP_SEVERITY_OFF);
    else if (status == ODP_FAIL)
        v->status = status;
    else if (!is_plain(text))
        complain(v, SIGNATURE, &changed, ODP_SEVERITY_OFF);
    else {
        v->result->signed_by = odp_arena_str(v->arena, odp_key_id(&s.keys[s.which]).text);
        v->result->trusted = v->o->nkeys > 0;
    }
}

void verify_signature(struct verify *v)
{
    struct odp_buffer text = {0};
    struct accepted accepted = accepted_keys(v);
    enum odp_status status = v->status == ODP_OK ? get_signature(v, &text) : v->status;
    if (status == ODP_DONE)
        report_unsigned(v, accepted.declared || accepted.n > 0);
    else if (status == ODP_OK)
        check_signature(v, odp_buffer_slice(&text), &accepted);
    else if (status == ODP_FAIL)
        v->status = status;
    odp_buffer_release(&text);
}
