/* Small secrets at rest: AES-256-GCM (NIST SP 800-38D) with a key out of a file that is not in the store, so
 * a copy of the store alone tells nothing.
 *
 * The key file (0600, of the service's user or root) has one key a line, base64 of 32 bytes, '#' comments;
 * the first seals, all open: replacing a key is a new first line, and the old one goes when everything was
 * sealed anew. A sealed value: 1 byte form (1), 4 bytes id of the key (of SHA-256 of it), 12 bytes random
 * nonce, the ciphertext, 16 bytes tag. CONTEXT (what it is and whose: "secret wh_…") is authenticated with
 * it, so that values cannot be exchanged. */
#pragma once

#include "base/buffer.h"
#include "base/slice.h"
#include "base/status.h"
#include "base/text.h"
#include <stdint.h>

struct odp_seal;
#define ODP_SEAL_WHY 512
#define ODP_SEAL_COMMENT                                                                                     \
    "Seals the secrets of webhooks. Keep a copy apart from the backups of the store: without it they "       \
    "cannot be opened. One "                                                                                 \
    "key a line; the first seals, all open."
#define ODP_SEAL_EXTRA 33 /* bytes that a sealed value is longer */
/* MAKE: a file that is not there is made, with a new key (synced before it is used). BAD: WHY: not there,
 * open to others, not keys. */
enum odp_status odp_seal_new(struct odp_seal **out, const char *path, bool make, enum odp_lang lang,
                             char why[ODP_SEAL_WHY]) ODP_MUST_USE;
void odp_seal_free(struct odp_seal *s); /* wipes; NULL is allowed */
/* SEALED is replaced. */
enum odp_status odp_seal_wrap(const struct odp_seal *s, const char *context, struct odp_slice clear,
                              struct odp_buffer *sealed) ODP_MUST_USE;
/* BAD: of a key that we do not have, of another context, or changed. CLEAR is replaced; the caller wipes it.
 */
enum odp_status odp_seal_unwrap(const struct odp_seal *s, const char *context, struct odp_slice sealed,
                                struct odp_buffer *clear) ODP_MUST_USE;
bool odp_seal_is_current(const struct odp_seal *s, struct odp_slice sealed); /* sealed with the first key */
