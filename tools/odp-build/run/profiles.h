/* What a resource is compared with, and what is made of its profile. */
#pragma once

#include "check/drift/drift.h"
#include "run/run_internal.h"

/* The profile of the published version of R, in A: from the previous site, or (a check that names none) from
 * --out as it lies there. A version without a profile gives only its rows. DONE: nothing is published, or
 * nothing is known about it. */
enum odp_status odp_run_before(struct run *r, const struct odp_resource *resource, struct odp_arena *a,
                               struct odp_drift_before *out) ODP_MUST_USE;
/* The records of the published version of a resource and those of its source, compared (check/drift/rows.h):
 * the source is read once more. */
struct run_records {
    const struct odp_resource *resource;
    const char *path, *file; /* its source; as shown */
    const struct odp_source_info *info;
    const uint8_t *logical; /* digest of its content, or NULL: not known */
};
/* DONE: the content is the published one, or cannot be compared. */
enum odp_status odp_run_records(struct run *r, const struct run_records *what, struct odp_arena *a,
                                struct odp_drift_rows **out) ODP_MUST_USE;
/* Of a site elsewhere: fetches the profiles that will be asked for, several at once. */
enum odp_status odp_run_before_prefetch(struct run *r) ODP_MUST_USE;
/* Stages the profile of a version. */
enum odp_status odp_run_put_profile(struct run *r, const struct odp_resource *resource, const char *version,
                                    const struct odp_profile *p) ODP_MUST_USE;
