/* Faults of rules' expressions. */
#pragma once

#include "base/diag.h"
#include "catalog/expr/expr.h"

/* A rule's expression is wrong (ODP-C09): PLACE has the expression as its source, and where it begins. BAD or
 * FAIL. */
enum odp_status odp_expr_report(struct odp_diag place, const struct odp_expr_fault *fault,
                                struct odp_diags *diags) ODP_MUST_USE;
