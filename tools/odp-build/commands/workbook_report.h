/* --report xlsx=FILE: the correction workbook, which is made of every fault of a run and of the sources
 * themselves. */
#pragma once

#include "commands/options.h"
#include "repair/repair.h"

/* *FAULTS collects the run's faults (options.sink) where a workbook was asked for; else it is NULL. Free it
 * after the run. */
enum odp_status workbook_report_begin(struct invocation *inv, struct odp_faults **faults) ODP_MUST_USE;
/* The workbooks that were asked for. A wrong catalogue gives none. */
enum odp_status workbook_report_write(const struct invocation *inv, const struct odp_run *run,
                                      struct odp_faults *faults) ODP_MUST_USE;
