/* Between the validator's end of a batch (flush.c) and the faults of one record. */
#pragma once

#include "check/check_internal.h"

/* Looks for one cause of the N FAULTS of a record. DONE: it was reported instead of them. OK: report each of
 * them. FAIL. A row that is not a record becomes ODP_RECORD_SKIP: its keys do not count. */
enum odp_status odp_one_cause(struct odp_check *c, const struct odp_fault *faults, size_t n) ODP_MUST_USE;
