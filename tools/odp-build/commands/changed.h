/* check --changed BASE: which datasets a git diff touches. */
#pragma once

#include "commands/options.h"

/* Sets the invocation's slugs to the datasets whose folder (in the catalogue, or in --sources) differs from
 * commit BASE, committed or not, and to those that refer to them by a key or a rule of rules.json. The
 * comparison is with the commit where this branch left BASE, so what others have published since does not
 * count. A change of portal.json or rules.json selects all. The texts live in ARENA. Returns EXIT_CLEAN, or
 * the exit code after reporting the error. */
int changed_select(struct invocation *inv, const char *base, struct odp_arena *arena);
