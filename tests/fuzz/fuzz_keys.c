/* Any bytes as keys.json; with a first byte 1 as a signature, with 2 as a secret key file. */
#include "fuzz.h"
#include "publish/sign/keys.h"

static const char trusted_text[] = "RWRyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2xTIrU0U52+Luqus2BKCiO";

static void read_keyring(struct odp_slice json, const struct odp_public_key *trusted, struct odp_arena *a)
{
    struct odp_site_keys ring;
    struct odp_text why;
    enum odp_status first = odp_site_keys_read(&ring, json, NULL, 0, a, &why);
    NEED(first != ODP_FAIL);
    if (first == ODP_OK)
        NEED(ring.nsigning > 0 && ring.first_use && odp_site_keys_signs(&ring, &ring.signing[0]));
    enum odp_status pinned = odp_site_keys_read(&ring, json, trusted, 1, a, &why);
    NEED(pinned != ODP_FAIL);
    if (pinned == ODP_OK)
        NEED(first == ODP_OK && !ring.first_use);
    if (pinned == ODP_BAD)
        NEED(*why.in[0] != '\0');
}

void fuzz_one(struct odp_slice in)
{
    struct odp_public_key trusted;
    struct odp_secret_key *key = NULL;
    struct odp_arena a;
    struct odp_signers signers = {.keys = &trusted, .nkeys = 1};
    struct odp_text why;
    unsigned mode = fuzz_choice(&in, 2);
    odp_arena_init(&a);
    NEED(odp_public_key_parse(&trusted, odp_slice_of(trusted_text)) == ODP_OK);
    if (mode == 0) {
        read_keyring(in, &trusted, &a);
    } else if (mode == 1) {
        NEED(odp_verify(ODP_LIT("hello\n"), in, &signers, &a) != ODP_FAIL);
    } else { /* without a password: scrypt would take seconds */
        fuzz_write(fuzz_path("key"), in);
        NEED(odp_secret_key_read(&key, fuzz_path("key"), NULL, &a, &why) != ODP_FAIL);
        odp_secret_key_free(key);
    }
    odp_arena_release(&a);
}
