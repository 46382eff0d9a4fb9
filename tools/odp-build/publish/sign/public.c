/* Public keys: base64 of "Ed", the key's id (8 bytes) and the key (32). */
#include <assert.h>
#include <stdio.h>

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
    odp_buffer_add_str(out, sodium_bin2base64(text, sizeof text, bytes, sizeof bytes, sodium_base64_VARIANT_ORIGINAL));
}

void sign_id(char out[2 * ODP_SIGN_ID + 1], const struct odp_public_key *k)
{
    unsigned long long id = 0;
    for (int i = ODP_SIGN_ID - 1; i >= 0; i--) /* little-endian; leading zeros are not shown, as by minisign */
        id = id << 8 | k->id[i];
    (void)snprintf(out, 2 * ODP_SIGN_ID + 1, "%llX", id);
}

void odp_public_key_id(struct odp_buffer *out, const struct odp_public_key *k)
{
    char id[2 * ODP_SIGN_ID + 1];
    sign_id(id, k);
    odp_buffer_add_str(out, id);
}

void odp_public_key_file(struct odp_buffer *out, const struct odp_public_key *k)
{
    odp_buffer_add_str(out, "untrusted comment: minisign public key ");
    odp_public_key_id(out, k);
    odp_buffer_add_char(out, '\n');
    odp_public_key_text(out, k);
    odp_buffer_add_char(out, '\n');
}
