/* Row by row: the published records, by primary key, and what has become of their cells. Read once each, in
 * their order: first those of the version before, then those of the new one; where some have gone and others
 * are new, those before once more.
 *
 * Of a record before only hashes are kept, 4 bytes a cell. So memory is bounded: ODP_DRIFT_MEMORY takes
 * 880,000 records of 14 fields; of a larger table the first ones are compared. Records that are new are kept
 * up to ODP_DRIFT_FRESH. */
#pragma once

#include "catalog/records/batch.h"
#include "catalog/records/source_info.h"
#include "check/drift/profile.h"

#define ODP_DRIFT_MEMORY ((size_t)64 << 20)
#define ODP_DRIFT_FRESH  4096

struct odp_drift_rows;
/* The fields of the version before, in its order. */
struct odp_drift_columns {
    const char *const *names;
    const enum odp_type *types;
    uint32_t n;
    uint64_t rows;
};
/* MEMORY: ODP_DRIFT_MEMORY, or less in tests. DONE: R has no key that both versions have. */
enum odp_status odp_drift_rows_new(struct odp_drift_rows **out, const struct odp_resource *r,
                                   const struct odp_drift_columns *before, size_t memory) ODP_MUST_USE;
void odp_drift_rows_free(struct odp_drift_rows *w); /* NULL is allowed */
/* A record before: TEXT by its fields, ptr NULL is null. DONE: no more can be kept. */
enum odp_status odp_drift_rows_before(struct odp_drift_rows *w, const struct odp_slice *text) ODP_MUST_USE;
/* The records of B, checked, in order. */
enum odp_status odp_drift_rows_now(struct odp_drift_rows *w, const struct odp_batch *b,
                                   const struct odp_source_info *info) ODP_MUST_USE;
/* Whether keys may have been respelled: then odp_drift_rows_again takes the records before once more. */
bool odp_drift_rows_asks(const struct odp_drift_rows *w);
enum odp_status odp_drift_rows_again(struct odp_drift_rows *w, const struct odp_slice *text) ODP_MUST_USE;
/* Gives back what was kept of single records: once all is compared. */
void odp_drift_rows_shrink(struct odp_drift_rows *w);
/* NOW's fields say how many of their cells have changed: what the next version is compared with. */
void odp_drift_rows_note(const struct odp_drift_rows *w, struct odp_profile *now);
