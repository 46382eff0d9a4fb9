/* Any bytes as keys.json; with a first byte 1 as a signature, with 2 as a secret key file. */
#include <stdlib.h>

#include "base/file.h"
#include "fuzz.h"
#include "publish/sign/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char trusted_text[] = "RWRyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2xTIrU0U52+Luqus2BKCiO";

static void read_keyring(struct odp_slice json, const struct odp_public_key *trusted, struct odp_arena *a)
{
    struct odp_site_keys ring;
    struct odp_text why;
    enum odp_status first = odp_site_keys_read(&ring, json, NULL, 0, a, &why);
    if (first == ODP_FAIL || (first == ODP_OK && (ring.nsigning == 0 || !ring.first_use ||
                                                  !odp_site_keys_signs(&ring, &ring.signing[0]))))
        abort();
    enum odp_status pinned = odp_site_keys_read(&ring, json, trusted, 1, a, &why);
    if (pinned == ODP_FAIL || (pinned == ODP_OK && (first != ODP_OK || ring.first_use)) ||
        (pinned == ODP_BAD && *why.in[0] == '\0'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_public_key trusted;
    struct odp_secret_key *key = NULL;
    struct odp_arena a;
    const char *comment, *why;
    size_t which;
    uint8_t mode = size > 0 && (data[0] == 1 || data[0] == 2) ? data[0] : 0;
    const struct odp_slice bytes = {(const char *)data + (mode != 0), size - (mode != 0)};
    odp_arena_init(&a);
    if (odp_public_key_parse(&trusted, odp_slice_of(trusted_text)) != ODP_OK)
        abort();
    if (mode == 0) {
        read_keyring(bytes, &trusted, &a);
    } else if (mode == 1) {
        if (odp_verify(ODP_LIT("hello\n"), bytes, &trusted, 1, &which, &comment, &a, &why) == ODP_FAIL)
            abort();
    } else { /* without a password: scrypt would take seconds */
        fuzz_write(fuzz_path("key"), (const uint8_t *)bytes.ptr, bytes.len);
        if (odp_secret_key_read(&key, fuzz_path("key"), NULL, &a, &why) == ODP_FAIL)
            abort();
        odp_secret_key_free(key);
    }
    odp_arena_release(&a);
    odp_failure_clear();
    return 0;
}
