/* A version against the published one: warnings Q01 to Q08 by statistics, Q11 to Q14 row by row. One cause is
 * one warning: a field has at most one, a table with too many rows lost or gained has none about sums, and
 * one warning names all fields that changed in the same way. */
#pragma once

#include "check/drift/profile.h"
#include "check/drift/rows.h"

/* The version that NOW is compared with. A profile without fields (n == 0): only the rows are known. */
struct odp_drift_before {
    struct odp_profile profile;
    const char *version; /* its name */
};

/* Faults go to DIAGS; FILE: the source, as shown; ROWS: the records, or NULL. OK, BAD (a warning counts as an
 * error), FAIL. */
struct odp_drift_now {
    const struct odp_profile *profile;
    struct odp_drift_rows *rows;
    const char *file;
};
enum odp_status odp_drift_compare(const struct odp_resource *r, const struct odp_drift_before *before,
                                  const struct odp_drift_now *now, struct odp_diags *diags) ODP_MUST_USE;
