/* What `check --as SLUG FILE` has of intake. */
#pragma once

#include "commands/options.h"
#include "commands/run_pipeline.h"

/* `check --as SLUG FILE --intake`: checks what intake would make. */
int intake_run_check(struct invocation *inv, const struct pipeline_command *checking);
/* After `check --as` found errors: one line, where intake would mend the file. */
void intake_hint(const struct invocation *inv, const struct odp_run *run);
