/* Public keys: base64 of "Ed", the key's id (8 bytes) and the key (32). And what the files of this folder
 * share: lines, base64, sentences. */
#include <assert.h>
#include <stdio.h>

#include "base/line.h"

#include "publish/sign/sign_internal.h"

enum { BYTES = 2 + ODP_SIGN_ID + ODP_SIGN_PUBLIC };
static_assert(ODP_SIGN_PUBLIC == crypto_sign_PUBLICKEYBYTES, "ed25519");

enum odp_status odp_public_key_parse(struct odp_public_key *k, struct odp_slice text)
{
    uint8_t bytes[BYTES];
    if (!sign_base64(odp_slice_trim(text), bytes, sizeof bytes) || bytes[0] != 'E' || bytes[1] != 'd')
        return ODP_BAD;
    memcpy(k->id, bytes + 2, sizeof k->id);
    memcpy(k->key, bytes + 2 + ODP_SIGN_ID, sizeof k->key);
    return ODP_OK;
}

void odp_public_key_text(struct odp_buffer *out, const struct odp_public_key *k)
{
    uint8_t bytes[BYTES] = {'E', 'd'};
    char text[sodium_base64_ENCODED_LEN(BYTES, sodium_base64_VARIANT_ORIGINAL)];
    memcpy(bytes + 2, k->id, sizeof k->id);
    memcpy(bytes + 2 + ODP_SIGN_ID, k->key, sizeof k->key);
    odp_buffer_add_str(
        out, sodium_bin2base64(text, sizeof text, bytes, sizeof bytes, sodium_base64_VARIANT_ORIGINAL));
}

struct odp_key_id odp_key_id(const struct odp_public_key *k)
{
    struct odp_key_id out;
    unsigned long long id = 0;
    for (int i = ODP_SIGN_ID - 1; i >= 0;
         i--) /* little-endian; leading zeros are not shown, as by minisign */
        id = id << 8 | k->id[i];
    (void)snprintf(out.text, sizeof out.text, "%llX", id);
    return out;
}

bool odp_public_key_same(const struct odp_public_key *a, const struct odp_public_key *b)
{
    return memcmp(a->id, b->id, sizeof a->id) == 0 && memcmp(a->key, b->key, sizeof a->key) == 0;
}

void odp_public_key_file(struct odp_buffer *out, const struct odp_public_key *k)
{
    odp_buffer_printf(out, "untrusted comment: minisign public key %s\n", odp_key_id(k).text);
    odp_public_key_text(out, k);
    odp_buffer_add_char(out, '\n');
}

/* ---- shared ---- */

enum odp_status sign_ready(void)
{
    return sodium_init() >= 0 ? ODP_OK : odp_failure_set("start libsodium", NULL, 0);
}

bool sign_base64(struct odp_slice text, uint8_t *out, size_t len)
{
    size_t got = 0;
    const char *end = NULL;
    if (text.len != sodium_base64_encoded_len(len, sodium_base64_VARIANT_ORIGINAL) - 1)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >=
            0x80) /* libsodium 1.0.18 takes some of them for the letter without the bit */
            return false;
    return sodium_base642bin(out, len, text.ptr, text.len, NULL, &got, &end,
                             sodium_base64_VARIANT_ORIGINAL) == 0 &&
           got == len && end == text.ptr + text.len;
}

bool sign_line(struct odp_slice *rest, struct odp_slice *line)
{
    if (rest->len == 0)
        return false;
    *line = odp_line_next(rest);
    if (line->len > 0 && line->ptr[line->len - 1] == '\r')
        line->len--;
    return true;
}

bool sign_starts(struct odp_slice s, const char *with)
{
    size_t n = strlen(with);
    return s.len >= n && memcmp(s.ptr, with, n) == 0;
}
