/* For commands whose faults are diagnostics but which are no run of run/run.h: how they are shown, and the exit code. */
#ifndef ODP_COMMANDS_OUTCOME_H
#define ODP_COMMANDS_OUTCOME_H

#include "commands/options.h"

/* What DIAGS holds, in the reports that were asked for (the human one always, unless it was named); then what the machine failed at, if
 * STATUS is FAIL. Returns the exit code: DONE counts as OK. */
int outcome_show(const struct invocation *inv, const struct odp_diags *diags, enum odp_status status);
/* Whether a command says on standard output what it did: not with --quiet, nor where a report has that for itself. */
bool outcome_tells(const struct invocation *inv);
/* A report file is replaced as a whole; to a device or a pipe it is written. */
enum odp_status outcome_write_file(const char *path, struct odp_slice bytes) ODP_MUST_USE;

#endif
