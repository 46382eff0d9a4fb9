/* --report xlsx=FILE: the correction workbook, made of all faults of a run and of the sources. */
#pragma once

#include "commands/options.h"
#include "repair/repair.h"

/* *FAULTS collects the run's faults (options.sink) if a workbook was requested; else it is NULL. Free it
 * after the run. */
enum odp_status workbook_report_begin(struct invocation *inv, struct odp_faults **faults) ODP_MUST_USE;
/* Writes the requested workbooks; none if the catalogue is wrong. */
enum odp_status workbook_report_write(const struct invocation *inv, const struct odp_run *run,
                                      struct odp_faults *faults) ODP_MUST_USE;
