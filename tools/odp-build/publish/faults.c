/* What publishing and restoring report. */
#include "publish/publish_internal.h"

enum odp_status publish_complain(struct odp_diags *diags, enum odp_code code, const char *file, const char *arg0,
                                 const char *arg1, const char *arg2)
{
    struct odp_diag d = {.code = code, .file = file, .args = {odp_slice_of(arg0), odp_slice_of(arg1), odp_slice_of(arg2)}};
    return odp_diags_add(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

enum odp_status publish_failed(struct odp_diags *diags, const struct odp_remote *r)
{
    return publish_complain(diags, ODP_V41, odp_remote_shown(r), odp_remote_fault(r), NULL, NULL);
}
