/* The keys of a site: catalog/keys.json, published as .well-known/odp-keys.json.
 *
 *   {"keys":[{"role":"signing","key":"RW…"},{"role":"recovery","key":"RW…"}],
 *    "rotations":[{"from":"<id>","to":"RW…","role":"signing","signature":"<text of a .minisig>"}]}
 *
 * `keys` are the first keys and never change; `rotations` are applied in order and never removed. A rotation
 * puts the key TO in the place of FROM; it is signed by FROM, or by a recovery key in force at that point.
 * One kind replaces nothing: FROM a signing key, TO one of the first recovery keys, role recovery, signed by
 * FROM: "this is my recovery key", so that who trusts only the signing key may follow the recovery key later.
 * What is signed: odp_site_keys_statement.
 *
 * Trust: who has no key yet takes the document's word (trust on first use) and should keep the keys in force.
 * Who has keys is led from them through the rotations, each link by a key that is trusted already. Bytes are
 * hostile: 1 MiB, 64 keys, 1000 rotations at most. */
#pragma once

#include "publish/sign/sign.h"

#define ODP_KEYS_PATH      "keys.json" /* in the catalogue */
#define ODP_KEYS_SITE_PATH ".well-known/odp-keys.json"
enum { ODP_KEYS_MAX = 1 << 20 };

enum odp_key_role { ODP_KEY_SIGNING, ODP_KEY_RECOVERY };

struct odp_site_keys {
    struct odp_public_key *signing, *recovery; /* in force and trusted; in the arena */
    size_t nsigning, nrecovery;
    bool first_use; /* no trusted keys were given: the document was believed */
};

/* Reads and checks JSON: every rotation, also of keys that are not trusted. TRUSTED, NTRUSTED: keys known
 * before; 0: trust on first use. BAD: not such a document, a rotation that is not rightly signed, or no
 * signing key in force can be reached from TRUSTED; WHY (in A) says which. */
enum odp_status odp_site_keys_read(struct odp_site_keys *out, struct odp_slice json,
                                   const struct odp_public_key *trusted, size_t ntrusted, struct odp_arena *a,
                                   struct odp_text *why) ODP_MUST_USE;
/* The same as odp_site_keys_read without trusted keys; what is wrong with FILE (as shown) is reported as
 * ODP-V31. */
enum odp_status odp_site_keys_check(struct odp_site_keys *out, struct odp_slice json, const char *file,
                                    struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;
bool odp_site_keys_signs(const struct odp_site_keys *k, const struct odp_public_key *key); /* KEY may sign */

/* The bytes a rotation's signature is of: "odp-key-rotation-1\nfrom <id>\nto <RW…>\nrole signing\n". */
void odp_site_keys_statement(struct odp_buffer *out, const struct odp_public_key *from,
                             const struct odp_public_key *to, enum odp_key_role role);
/* The first document, with the signing key's word for the recovery key. */
enum odp_status odp_site_keys_make(struct odp_buffer *out, const struct odp_secret_key *signing,
                                   const struct odp_public_key *recovery) ODP_MUST_USE;
/* JSON with one more rotation, signed by SIGNER. FROM: id of the key to be replaced; NULL: the signer, or, if
 * that is a recovery key, the only signing key. The result is checked. BAD: WHY (in A). */
struct odp_rotation {
    const char *from;
    const struct odp_secret_key *signer;
    const struct odp_public_key *to;
};
enum odp_status odp_site_keys_rotate(struct odp_buffer *out, struct odp_slice json,
                                     const struct odp_rotation *r, struct odp_arena *a,
                                     struct odp_text *why) ODP_MUST_USE;
/* Whom a rotation would replace: for messages and file names before the new key is made. */
struct odp_replaced_key {
    struct odp_public_key key;
    enum odp_key_role role;
};
enum odp_status odp_site_keys_replaced(struct odp_slice json, const char *from,
                                       const struct odp_public_key *signer, struct odp_replaced_key *out,
                                       struct odp_arena *a, struct odp_text *why) ODP_MUST_USE;
