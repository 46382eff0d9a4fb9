/* What `check --as SLUG FILE` has of intake. */
#pragma once

#include "commands/options.h"

/* `check --as SLUG FILE --intake`: makes the file as intake would, and lets INV's options check that one.
 * *T: to be closed in every case. Returns EXIT_CLEAN, or an exit code after saying why not. */
struct taking;
int intake_check_open(struct invocation *inv, struct taking **t);
void intake_check_close(struct taking *t); /* NULL is allowed */
/* After `check --as` found errors: one line, where intake would mend the file. */
void intake_hint(const struct invocation *inv, const struct odp_run *run);
