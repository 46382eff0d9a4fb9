/* Runs a pipeline (run/run.h) for a command: progress, the requested reports, the exit code. */
#pragma once

#include "commands/options.h"

struct pipeline_command {
    enum odp_status (*pipeline)(struct odp_run *, const struct odp_options *);
    struct odp_text failed; /* "the machine failed, …" */
    void (*print)(const struct invocation *inv,
                  const struct odp_run *run); /* after the reports, unless the machine failed; or NULL */
};
/* BUSY, unless NULL: whether another build held the site. */
int run_pipeline(struct invocation *inv, const struct pipeline_command *command, bool *busy);
