/* What commands beside build and check say of faults: the same reports, without the summary of a run. */
#ifndef ODP_TOOL_COMMAND_FAULTS_H
#define ODP_TOOL_COMMAND_FAULTS_H

#include "options.h"

/* Writes RUN's diagnostics as asked for (--report; the human report always, unless it went to a file). STATUS is what the work came
 * to. Returns the exit code. */
int command_faults(const struct invocation *inv, const struct odp_run *run, enum odp_status status);

#endif
