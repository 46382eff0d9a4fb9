/* Between the validator's end of a batch (flush.c) and the faults of one record. */
#pragma once

#include "check/check_internal.h"

/* FAULTS are all those of one record, N of them. DONE: they had one cause, which was said; none of them is to
 * be. OK: each stands for itself. FAIL. A record that is none is marked ODP_RECORD_SKIP: its keys do not
 * count. */
enum odp_status odp_one_cause(struct odp_check *c, const struct odp_fault *faults, size_t n) ODP_MUST_USE;
