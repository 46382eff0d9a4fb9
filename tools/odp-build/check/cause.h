/* Why a cell is wrong, as far as its text tells. */
#pragma once

#include "check/check_internal.h"

/* Of fault F, with the raw VALUE and what is proposed for it (ptr NULL: nothing). */
enum odp_cause odp_cause_of(const struct odp_fault *f, struct odp_slice value, struct odp_slice proposal);
