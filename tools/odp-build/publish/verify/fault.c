/* What the parts report, and how a digest is written there. */
#include "publish/verify/verify_internal.h"

#include <stdio.h>

enum odp_status verify_fault(struct verify *v, enum odp_code code, const char *path, const char *detail, const char *expected,
                             const char *found)
{
    struct odp_diag d = {.code = code, .file = v->shown, .args = {odp_slice_of(path)}, .value = odp_slice_of(found)};
    size_t n = 1;
    if (detail != NULL)
        d.args[n++] = odp_slice_of(detail);
    d.args[n] = odp_slice_of(expected);
    return odp_diags_add(v->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

void verify_hash(const uint8_t digest[ODP_SHA256_SIZE], char out[8 + ODP_SHA256_HEX])
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(digest, hex);
    snprintf(out, 8 + ODP_SHA256_HEX, "sha256:%s", hex);
}
