/* Signatures: four lines, as minisign writes them.
 *
 *   untrusted comment: …
 *   base64 of "ED", the key's id (8), ed25519 of BLAKE2b-512 of the bytes (64)
 *   trusted comment: …
 *   base64 of ed25519 of the signature and the trusted comment (64)
 *
 * minisign's old form "Ed" (not prehashed) is refused: the letters are not signed, so an old signature of 64
 * chosen bytes could be shown as a new one of another file. */
#include <errno.h>

#include "publish/sign/sign_internal.h"
#include "words/publish.h"

enum {
    HEAD = 2 + ODP_SIGN_ID,
    BYTES = HEAD + crypto_sign_BYTES,
    HASH = 64,
    COMMENT_MOST = 1024,
    TRUSTED_MOST = 8192
};

static void add_base64(struct odp_buffer *out, const uint8_t *bytes, size_t len)
{
    size_t room = sodium_base64_encoded_len(len, sodium_base64_VARIANT_ORIGINAL);
    char *p = odp_buffer_reserve(out, room);
    if (p == NULL)
        return;
    sodium_bin2base64(p, room, bytes, len, sodium_base64_VARIANT_ORIGINAL);
    out->len += room - 1;
}

/* ed25519 over the signature and the trusted comment. */
static void join(struct odp_buffer *out, const uint8_t signature[crypto_sign_BYTES], struct odp_slice trusted)
{
    odp_buffer_clear(out);
    odp_buffer_add(out, signature, crypto_sign_BYTES);
    odp_buffer_add_slice(out, trusted);
}

enum odp_status odp_sign(struct odp_buffer *out, const struct odp_secret_key *k, struct odp_slice bytes,
                         const char *untrusted, const char *trusted)
{
    uint8_t hash[HASH], head[BYTES] = {'E', 'D'}, around[crypto_sign_BYTES];
    struct odp_buffer joined = {0};
    if (sign_ready() != ODP_OK)
        return ODP_FAIL;
    if (strlen(untrusted) > COMMENT_MOST || strlen(trusted) > TRUSTED_MOST ||
        strpbrk(untrusted, "\r\n") != NULL || strpbrk(trusted, "\r\n") != NULL)
        return odp_failure_set("sign", NULL, EINVAL);
    crypto_generichash(hash, sizeof hash, (const uint8_t *)bytes.ptr, bytes.len, NULL, 0);
    memcpy(head + 2, k->id, sizeof k->id);
    crypto_sign_detached(head + HEAD, NULL, hash, sizeof hash, k->key);
    join(&joined, head + HEAD, odp_slice_of(trusted));
    enum odp_status status = odp_buffer_status(&joined);
    if (status == ODP_OK) {
        crypto_sign_detached(around, NULL, (const uint8_t *)joined.ptr, joined.len, k->key);
        odp_buffer_add_str(out, "untrusted comment: ");
        odp_buffer_add_str(out, untrusted);
        odp_buffer_add_char(out, '\n');
        add_base64(out, head, sizeof head);
        odp_buffer_add_str(out, "\ntrusted comment: ");
        odp_buffer_add_str(out, trusted);
        odp_buffer_add_char(out, '\n');
        add_base64(out, around, sizeof around);
        odp_buffer_add_char(out, '\n');
        status = odp_buffer_status(out);
    }
    odp_buffer_release(&joined);
    return status;
}

/* ---- verifying ---- */

struct parsed {
    uint8_t head[BYTES], around[crypto_sign_BYTES];
    struct odp_slice trusted;
};

static bool parse(struct parsed *p, struct odp_slice text)
{
    static const char before[] = "trusted comment: ";
    struct odp_slice line, more;
    if (!sign_line(&text, &line) || !sign_starts(line, "untrusted comment:") || !sign_line(&text, &line) ||
        !sign_base64(line, p->head, sizeof p->head))
        return false;
    if (!sign_line(&text, &p->trusted) || !sign_starts(p->trusted, before) ||
        p->trusted.len > TRUSTED_MOST + sizeof before)
        return false;
    p->trusted.ptr += sizeof before - 1;
    p->trusted.len -= sizeof before - 1;
    return sign_line(&text, &line) && sign_base64(line, p->around, sizeof p->around) &&
           !sign_line(&text, &more) && memchr(p->trusted.ptr, '\0', p->trusted.len) == NULL;
}

/* The key that made the signature, by its id and by the mathematics. BAD: none. */
static enum odp_status find_key(const struct parsed *p, const uint8_t hash[HASH], struct odp_signers *s,
                                struct odp_arena *a)
{
    struct odp_public_key signer = {{0}, {0}};
    bool known = false;
    memcpy(signer.id, p->head + 2, sizeof signer.id);
    for (s->which = 0; s->which < s->nkeys; s->which++) {
        const struct odp_public_key *k = &s->keys[s->which];
        if (memcmp(k->id, signer.id, sizeof k->id) != 0)
            continue;
        known = true;
        if (crypto_sign_verify_detached(p->head + HEAD, hash, HASH, k->key) == 0)
            return ODP_OK;
    }
    return known
               ? odp_refusal_put(a, &s->why, W_publish_signature_does_not_fit_content)
               : odp_refusal_put(a, &s->why, W_publish_signed_with_key_which_none, odp_key_id(&signer).text);
}

enum odp_status odp_verify(struct odp_slice bytes, struct odp_slice signature, struct odp_signers *s,
                           struct odp_arena *a)
{
    uint8_t hash[HASH];
    struct parsed p;
    struct odp_buffer joined = {0};
    *s = (struct odp_signers){.keys = s->keys, .nkeys = s->nkeys, .why = {{"", ""}}};
    if (sign_ready() != ODP_OK)
        return ODP_FAIL;
    if (!parse(&p, signature))
        return odp_refusal_put(a, &s->why, W_publish_no_signature_minisign_four_lines);
    if (p.head[0] != 'E' || p.head[1] != 'D')
        return odp_refusal_put(a, &s->why, W_publish_signature_minisign_old_form_l);
    crypto_generichash(hash, sizeof hash, (const uint8_t *)bytes.ptr, bytes.len, NULL, 0);
    enum odp_status status = find_key(&p, hash, s, a);
    if (status != ODP_OK)
        return status;
    join(&joined, p.head + HEAD, p.trusted);
    status = odp_buffer_status(&joined);
    if (status == ODP_OK && crypto_sign_verify_detached(p.around, (const uint8_t *)joined.ptr, joined.len,
                                                        s->keys[s->which].key) != 0)
        status = odp_refusal_put(a, &s->why, W_publish_trusted_comment_does_not_fit);
    odp_buffer_release(&joined);
    if (status == ODP_OK)
        s->trusted = odp_arena_copy(a, p.trusted).ptr;
    return status;
}
