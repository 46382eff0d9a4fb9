/* Between the validator and its checks. */
#ifndef ODP_CHECK_CHECK_H
#define ODP_CHECK_CHECK_H

#include "check/check_internal.h"

/* Hands the faults noted by the worker to b->diags in order of records; marks bad records. OK or FAIL. */
enum odp_status odp_check_flush(struct odp_check *c) ODP_MUST_USE;

#endif
