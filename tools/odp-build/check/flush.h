/* Between the validator and the faults of a batch. */
#pragma once

#include "check/check_internal.h"

/* Hands the faults noted by the worker to b->diags in order of records; marks bad records. OK or FAIL. */
enum odp_status odp_check_flush(struct odp_check *c) ODP_MUST_USE;
