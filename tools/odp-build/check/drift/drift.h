/* A version against the published one: warnings Q01 to Q07, each with both figures. One cause is one
 * warning: a field has at most one, a table with too many rows lost or gained has none about sums, and one
 * warning names all fields that changed in the same way. */
#pragma once

#include "check/drift/profile.h"

/* The version that NOW is compared with. A profile without fields (n == 0): only the rows are known. */
struct odp_drift_before {
    struct odp_profile profile;
    const char *version; /* its name */
};

/* Faults go to DIAGS; FILE: the source, as shown. OK, BAD (a warning counts as an error), FAIL. */
enum odp_status odp_drift_compare(const struct odp_resource *r, const struct odp_drift_before *before,
                                  const struct odp_profile *now, const char *file,
                                  struct odp_diags *diags) ODP_MUST_USE;
